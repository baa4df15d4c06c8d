"""Validators of spec/refunds.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators import _envelopes
from paywright.validators._formats import CURRENCY, MOMENT, TIME
from paywright_runtime.contract.violations import EMPTY, is_number

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def refund_created(body: dict[str, object], at: str, report: Report) -> None:
    """RefundCreated [2.4]"""
    get = body.get
    x = get("outRefundNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "outRefundNo", x, required=True, max=64)
    x = get("tradeOrderNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "tradeOrderNo", x, required=True, max=64)
    x = get("refundTradeNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "refundTradeNo", x, required=True, max=64)
    x = get("status")
    if type(x) is not str or x not in {"REFUND_PENDING", "REFUND_FAILED"}:
        report.text(at, "status", x, required=True, max=32, values=("REFUND_PENDING", "REFUND_FAILED"))


def refund(body: dict[str, object], at: str, report: Report) -> None:
    """Refund [2.4]"""
    get = body.get
    x = get("outRefundNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "outRefundNo", x, max=64)
    x = get("refundTradeNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "refundTradeNo", x, max=64)
    x = get("outTradeNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "outTradeNo", x, max=64)
    x = get("refundAmount")
    if x is not None and type(x) is not int and not is_number(x):
        report.number(at, "refundAmount", x)
    x = get("refundCurrency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.text(at, "refundCurrency", x, max=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("status")
    if x is not None and (type(x) is not str or x not in {"REFUND_SUCCESS", "REFUND_PENDING", "REFUND_FAILED"}):
        report.text(at, "status", x, max=32, values=("REFUND_SUCCESS", "REFUND_PENDING", "REFUND_FAILED"))
    x = get("resultMsg")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.text(at, "resultMsg", x, max=256)
    x = get("refundFinishTime")
    if type(x) is not str or (x != "" and (not MOMENT(x))):
        report.text(at, "refundFinishTime", x, required=True, format=MOMENT, shown="an RFC 3339 time", blank=True)
    if get("status") in ("REFUND_SUCCESS", "REFUND_PENDING") and get("resultMsg") not in EMPTY:
        report.rule(at, "resultMsg", "message-of-failure")


def create_request(body: dict[str, object], at: str, report: Report) -> None:
    """refunds.create.request [4.13]"""
    get = body.get
    x = get("version")
    if type(x) is not str:
        report.text(at, "version", x, required=True)
    x = get("keyVersion")
    if type(x) is not str:
        report.text(at, "keyVersion", x, required=True)
    x = get("requestTime")
    if type(x) is not str or not TIME(x):
        report.text(at, "requestTime", x, required=True, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
    x = get("appId")
    if type(x) is not str:
        report.text(at, "appId", x, required=True)
    x = get("merchantNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "merchantNo", x, max=32)
    x = get("data")
    if type(x) is dict:
        create_request_data(x, at + "/data", report)
    elif x is not None:
        report.struct(at, "data", x)


def create_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """refunds.create.request.data [4.13]"""
    get = body.get
    x = get("outRefundNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "outRefundNo", x, required=True, max=64)
    x = get("refundAmount")
    if type(x) is not int and not is_number(x):
        report.number(at, "refundAmount", x, required=True)
    x = get("refundCurrency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.text(at, "refundCurrency", x, required=True, max=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("outTradeNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "outTradeNo", x, max=64)
    x = get("tradeToken")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "tradeToken", x, max=64)
    x = get("comments")
    if x is not None and (type(x) is not str or len(x) > 512):
        report.text(at, "comments", x, max=512)
    x = get("refundNotifyUrl")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.text(at, "refundNotifyUrl", x, max=256)
    if get("outTradeNo") in EMPTY and get("tradeToken") in EMPTY:
        report.rule(at, "outTradeNo", "which-order")


def query_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """refunds.query.request.data [4.14]"""
    get = body.get
    x = get("outRefundNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "outRefundNo", x, max=64)
    x = get("refundTradeNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "refundTradeNo", x, max=64)
    if get("outRefundNo") in EMPTY and get("refundTradeNo") in EMPTY:
        report.rule(at, "outRefundNo", "which-refund")


def query_response(body: dict[str, object], at: str, report: Report) -> None:
    """refunds.query.response [4.14]"""
    get = body.get
    x = get("code")
    if type(x) is not str:
        report.text(at, "code", x, required=True)
    x = get("msg")
    if x is not None and type(x) is not str:
        report.text(at, "msg", x)
    x = get("data")
    if type(x) is dict:
        refund(x, at + "/data", report)
    elif x is not None:
        report.struct(at, "data", x)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "RefundCreated": refund_created,
    "Refund": refund,
    "refunds.create.request": create_request,
    "refunds.create.request.data": create_request_data,
    "refunds.create.response": _envelopes.gateway_response(refund_created),
    "refunds.query.request": _envelopes.gateway_request(query_request_data),
    "refunds.query.request.data": query_request_data,
    "refunds.query.response": query_response,
}
