"""Validators of spec/payment_links.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators import _envelopes
from paywright.validators._formats import AMOUNT, COUNTRY, CURRENCY, MOMENT, TIME
from paywright.validators.shared import card_info
from paywright_runtime.contract.violations import EMPTY

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def pay_by_link(body: dict[str, object], at: str, report: Report) -> None:
    """PayByLink [2.7]"""
    get = body.get
    x = get("linkId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "linkId", x, required=True, max=64)
    x = get("merchantLinkId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "merchantLinkId", x, required=True, max=64)
    x = get("totalAmount")
    if type(x) is not str or len(x) > 24 or not AMOUNT(x):
        report.text(at, "totalAmount", x, required=True, max=24, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("country")
    if type(x) is not str or len(x) > 2 or not COUNTRY(x):
        report.text(at, "country", x, required=True, max=2, format=COUNTRY, shown="2 uppercase letters")
    x = get("currency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.text(at, "currency", x, required=True, max=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("linkStatus")
    if type(x) is not str or x not in {"ACTIVE", "EXPIRED"}:
        report.text(at, "linkStatus", x, required=True, max=16, values=("ACTIVE", "EXPIRED"))
    x = get("expiresAt")
    if type(x) is not str or len(x) > 32 or not MOMENT(x):
        report.text(at, "expiresAt", x, required=True, max=32, format=MOMENT, shown="an RFC 3339 time")
    x = get("linkUrl")
    if type(x) is not str or len(x) > 256:
        report.text(at, "linkUrl", x, required=True, max=256)
    x = get("qrCodeUrl")
    if type(x) is not str or len(x) > 256:
        report.text(at, "qrCodeUrl", x, required=True, max=256)
    x = get("description")
    if type(x) is not str or len(x) > 256:
        report.text(at, "description", x, required=True, max=256)
    x = get("linkDescription")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.text(at, "linkDescription", x, max=256)
    x = get("payByLinkInfo")
    if x is not None and type(x) is not list:
        report.array(at, "payByLinkInfo", x)
    if type(x) is list:
        report.each(at, "payByLinkInfo", x, link_transaction)
    x = get("goodsDetails")
    if x is not None and type(x) is not list:
        report.array(at, "goodsDetails", x)
    if type(x) is list:
        report.each(at, "goodsDetails", x, link_goods)


def link_transaction(body: dict[str, object], at: str, report: Report) -> None:
    """LinkTransaction [2.7]"""
    get = body.get
    x = get("outTradeNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "outTradeNo", x, max=64)
    x = get("status")
    if x is not None and (type(x) is not str or x not in {"SUCCESS", "PENDING", "CLOSE"}):
        report.text(at, "status", x, max=32, values=("SUCCESS", "PENDING", "CLOSE"))
    x = get("completeAt")
    if x is not None and (type(x) is not str or len(x) > 32 or (x != "" and (not MOMENT(x)))):
        report.text(at, "completeAt", x, max=32, format=MOMENT, shown="an RFC 3339 time", blank=True)
    x = get("userInfo")
    if type(x) is dict:
        link_user(x, at + "/userInfo", report)
    elif x is not None:
        report.struct(at, "userInfo", x)
    x = get("paymentDetails")
    if x is not None and type(x) is not list:
        report.array(at, "paymentDetails", x)
    if type(x) is list:
        report.each(at, "paymentDetails", x, link_payment)
    if get("status") in ("PENDING", "CLOSE") and get("completeAt") not in EMPTY:
        report.rule(at, "completeAt", "time-of-success")
    if get("status") in ("PENDING", "CLOSE") and get("paymentDetails") not in EMPTY:
        report.rule(at, "paymentDetails", "details-of-success")


def link_user(body: dict[str, object], at: str, report: Report) -> None:
    """LinkUser [2.7]"""
    get = body.get
    x = get("userId")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "userId", x, max=64)
    x = get("userName")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "userName", x, max=64)


def link_payment(body: dict[str, object], at: str, report: Report) -> None:
    """LinkPayment [2.7]"""
    get = body.get
    x = get("targetOrg")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "targetOrg", x, max=64)
    x = get("paymentMethodType")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "paymentMethodType", x, max=64)
    x = get("cardInfo")
    if type(x) is dict:
        card_info(x, at + "/cardInfo", report)
    elif x is not None:
        report.struct(at, "cardInfo", x)


def link_goods(body: dict[str, object], at: str, report: Report) -> None:
    """LinkGoods [2.7]"""
    get = body.get
    x = get("goodsName")
    if type(x) is not str or len(x) > 128:
        report.text(at, "goodsName", x, required=True, max=128)
    x = get("goodsDescription")
    if type(x) is not str or len(x) > 256:
        report.text(at, "goodsDescription", x, required=True, max=256)
    x = get("quantity")
    if type(x) is not str or len(x) > 16:
        report.text(at, "quantity", x, required=True, max=16)
    x = get("price")
    if type(x) is not str or len(x) > 24 or not AMOUNT(x):
        report.text(at, "price", x, required=True, max=24, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("goodsCurrency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.text(at, "goodsCurrency", x, max=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("showUrl")
    if x is not None and (type(x) is not str or len(x) > 128):
        report.text(at, "showUrl", x, max=128)


def query_request(body: dict[str, object], at: str, report: Report) -> None:
    """payment_links.query.request [4.4]"""
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
    x = get("merchantNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "merchantNo", x, max=32)
    x = get("data")
    if type(x) is dict:
        query_request_data(x, at + "/data", report)
    else:
        report.struct(at, "data", x, required=True)
    x = get("merchantAppId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "merchantAppId", x, required=True, max=64)


def query_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """payment_links.query.request.data [4.4]"""
    get = body.get
    x = get("merchantLinkId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "merchantLinkId", x, required=True, max=64)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "PayByLink": pay_by_link,
    "LinkTransaction": link_transaction,
    "LinkUser": link_user,
    "LinkPayment": link_payment,
    "LinkGoods": link_goods,
    "payment_links.query.request": query_request,
    "payment_links.query.request.data": query_request_data,
    "payment_links.query.response": _envelopes.gateway_response(pay_by_link),
}
