"""Validators of spec/refunds.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators import _envelopes
from paywright.validators._formats import CURRENCY, MOMENT, TIME
from paywright_runtime.contract.value_checks import EMPTY, is_number

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def refund_created(body: dict[str, object], at: str, report: Report) -> None:
    """RefundCreated [2.4]"""
    get = body.get
    x = get("outRefundNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "RefundCreated", at, "outRefundNo", x)
    x = get("tradeOrderNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "RefundCreated", at, "tradeOrderNo", x)
    x = get("refundTradeNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "RefundCreated", at, "refundTradeNo", x)
    x = get("status")
    if type(x) is not str or x not in {"REFUND_PENDING", "REFUND_FAILED"}:
        report.failed(CONTRACT, "RefundCreated", at, "status", x)


def refund(body: dict[str, object], at: str, report: Report) -> None:
    """Refund [2.4]"""
    get = body.get
    x = get("outRefundNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "Refund", at, "outRefundNo", x)
    x = get("refundTradeNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "Refund", at, "refundTradeNo", x)
    x = get("outTradeNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "Refund", at, "outTradeNo", x)
    x = get("refundAmount")
    if x is not None and type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "Refund", at, "refundAmount", x)
    x = get("refundCurrency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.failed(CONTRACT, "Refund", at, "refundCurrency", x, CURRENCY)
    x = get("status")
    if x is not None and (type(x) is not str or x not in {"REFUND_SUCCESS", "REFUND_PENDING", "REFUND_FAILED"}):
        report.failed(CONTRACT, "Refund", at, "status", x)
    x = get("resultMsg")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.failed(CONTRACT, "Refund", at, "resultMsg", x)
    x = get("refundFinishTime")
    if type(x) is not str or (x != "" and (not MOMENT(x))):
        report.failed(CONTRACT, "Refund", at, "refundFinishTime", x, MOMENT)
    if get("status") in ("REFUND_SUCCESS", "REFUND_PENDING") and get("resultMsg") not in EMPTY:
        report.rule(at, "resultMsg", "message-of-failure")


def create_request(body: dict[str, object], at: str, report: Report) -> None:
    """refunds.create.request [4.13]"""
    get = body.get
    x = get("version")
    if type(x) is not str:
        report.failed(CONTRACT, "refunds.create.request", at, "version", x)
    x = get("keyVersion")
    if type(x) is not str:
        report.failed(CONTRACT, "refunds.create.request", at, "keyVersion", x)
    x = get("requestTime")
    if type(x) is not str or not TIME(x):
        report.failed(CONTRACT, "refunds.create.request", at, "requestTime", x, TIME)
    x = get("appId")
    if type(x) is not str:
        report.failed(CONTRACT, "refunds.create.request", at, "appId", x)
    x = get("merchantNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "refunds.create.request", at, "merchantNo", x)
    x = get("data")
    if type(x) is dict:
        create_request_data(x, at + "/data", report)
    elif x is not None:
        report.failed(CONTRACT, "refunds.create.request", at, "data", x)


def create_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """refunds.create.request.data [4.13]"""
    get = body.get
    x = get("outRefundNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "refunds.create.request.data", at, "outRefundNo", x)
    x = get("refundAmount")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "refunds.create.request.data", at, "refundAmount", x)
    x = get("refundCurrency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.failed(CONTRACT, "refunds.create.request.data", at, "refundCurrency", x, CURRENCY)
    x = get("outTradeNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "refunds.create.request.data", at, "outTradeNo", x)
    x = get("tradeToken")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "refunds.create.request.data", at, "tradeToken", x)
    x = get("comments")
    if x is not None and (type(x) is not str or len(x) > 512):
        report.failed(CONTRACT, "refunds.create.request.data", at, "comments", x)
    x = get("refundNotifyUrl")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.failed(CONTRACT, "refunds.create.request.data", at, "refundNotifyUrl", x)
    if get("outTradeNo") in EMPTY and get("tradeToken") in EMPTY:
        report.rule(at, "outTradeNo", "which-order")


def query_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """refunds.query.request.data [4.14]"""
    get = body.get
    x = get("outRefundNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "refunds.query.request.data", at, "outRefundNo", x)
    x = get("refundTradeNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "refunds.query.request.data", at, "refundTradeNo", x)
    if get("outRefundNo") in EMPTY and get("refundTradeNo") in EMPTY:
        report.rule(at, "outRefundNo", "which-refund")


def query_response(body: dict[str, object], at: str, report: Report) -> None:
    """refunds.query.response [4.14]"""
    get = body.get
    x = get("code")
    if type(x) is not str:
        report.failed(CONTRACT, "refunds.query.response", at, "code", x)
    x = get("msg")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "refunds.query.response", at, "msg", x)
    x = get("data")
    if type(x) is dict:
        refund(x, at + "/data", report)
    elif x is not None:
        report.failed(CONTRACT, "refunds.query.response", at, "data", x)


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
