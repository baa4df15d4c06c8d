"""Validators of spec/payment_links.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators import _envelopes
from paywright.validators._formats import AMOUNT, COUNTRY, CURRENCY, MOMENT, TIME
from paywright.validators.shared import card_info
from paywright_runtime.contract.value_checks import EMPTY

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def pay_by_link(body: dict[str, object], at: str, report: Report) -> None:
    """PayByLink [2.7]"""
    get = body.get
    x = get("linkId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "PayByLink", at, "linkId", x)
    x = get("merchantLinkId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "PayByLink", at, "merchantLinkId", x)
    x = get("totalAmount")
    if type(x) is not str or len(x) > 24 or not AMOUNT(x):
        report.failed(CONTRACT, "PayByLink", at, "totalAmount", x, AMOUNT)
    x = get("country")
    if type(x) is not str or len(x) > 2 or not COUNTRY(x):
        report.failed(CONTRACT, "PayByLink", at, "country", x, COUNTRY)
    x = get("currency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.failed(CONTRACT, "PayByLink", at, "currency", x, CURRENCY)
    x = get("linkStatus")
    if type(x) is not str or x not in {"ACTIVE", "EXPIRED"}:
        report.failed(CONTRACT, "PayByLink", at, "linkStatus", x)
    x = get("expiresAt")
    if type(x) is not str or len(x) > 32 or not MOMENT(x):
        report.failed(CONTRACT, "PayByLink", at, "expiresAt", x, MOMENT)
    x = get("linkUrl")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "PayByLink", at, "linkUrl", x)
    x = get("qrCodeUrl")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "PayByLink", at, "qrCodeUrl", x)
    x = get("description")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "PayByLink", at, "description", x)
    x = get("linkDescription")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.failed(CONTRACT, "PayByLink", at, "linkDescription", x)
    x = get("payByLinkInfo")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "PayByLink", at, "payByLinkInfo", x)
    if type(x) is list:
        report.each(at, "payByLinkInfo", x, link_transaction)
    x = get("goodsDetails")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "PayByLink", at, "goodsDetails", x)
    if type(x) is list:
        report.each(at, "goodsDetails", x, link_goods)


def link_transaction(body: dict[str, object], at: str, report: Report) -> None:
    """LinkTransaction [2.7]"""
    get = body.get
    x = get("outTradeNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "LinkTransaction", at, "outTradeNo", x)
    x = get("status")
    if x is not None and (type(x) is not str or x not in {"SUCCESS", "PENDING", "CLOSE"}):
        report.failed(CONTRACT, "LinkTransaction", at, "status", x)
    x = get("completeAt")
    if x is not None and (type(x) is not str or len(x) > 32 or (x != "" and (not MOMENT(x)))):
        report.failed(CONTRACT, "LinkTransaction", at, "completeAt", x, MOMENT)
    x = get("userInfo")
    if type(x) is dict:
        link_user(x, at + "/userInfo", report)
    elif x is not None:
        report.failed(CONTRACT, "LinkTransaction", at, "userInfo", x)
    x = get("paymentDetails")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "LinkTransaction", at, "paymentDetails", x)
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
        report.failed(CONTRACT, "LinkUser", at, "userId", x)
    x = get("userName")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "LinkUser", at, "userName", x)


def link_payment(body: dict[str, object], at: str, report: Report) -> None:
    """LinkPayment [2.7]"""
    get = body.get
    x = get("targetOrg")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "LinkPayment", at, "targetOrg", x)
    x = get("paymentMethodType")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "LinkPayment", at, "paymentMethodType", x)
    x = get("cardInfo")
    if type(x) is dict:
        card_info(x, at + "/cardInfo", report)
    elif x is not None:
        report.failed(CONTRACT, "LinkPayment", at, "cardInfo", x)


def link_goods(body: dict[str, object], at: str, report: Report) -> None:
    """LinkGoods [2.7]"""
    get = body.get
    x = get("goodsName")
    if type(x) is not str or len(x) > 128:
        report.failed(CONTRACT, "LinkGoods", at, "goodsName", x)
    x = get("goodsDescription")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "LinkGoods", at, "goodsDescription", x)
    x = get("quantity")
    if type(x) is not str or len(x) > 16:
        report.failed(CONTRACT, "LinkGoods", at, "quantity", x)
    x = get("price")
    if type(x) is not str or len(x) > 24 or not AMOUNT(x):
        report.failed(CONTRACT, "LinkGoods", at, "price", x, AMOUNT)
    x = get("goodsCurrency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.failed(CONTRACT, "LinkGoods", at, "goodsCurrency", x, CURRENCY)
    x = get("showUrl")
    if x is not None and (type(x) is not str or len(x) > 128):
        report.failed(CONTRACT, "LinkGoods", at, "showUrl", x)


def query_request(body: dict[str, object], at: str, report: Report) -> None:
    """payment_links.query.request [4.4]"""
    get = body.get
    x = get("version")
    if type(x) is not str:
        report.failed(CONTRACT, "payment_links.query.request", at, "version", x)
    x = get("keyVersion")
    if type(x) is not str:
        report.failed(CONTRACT, "payment_links.query.request", at, "keyVersion", x)
    x = get("requestTime")
    if type(x) is not str or not TIME(x):
        report.failed(CONTRACT, "payment_links.query.request", at, "requestTime", x, TIME)
    x = get("merchantNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "payment_links.query.request", at, "merchantNo", x)
    x = get("data")
    if type(x) is dict:
        query_request_data(x, at + "/data", report)
    else:
        report.failed(CONTRACT, "payment_links.query.request", at, "data", x)
    x = get("merchantAppId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "payment_links.query.request", at, "merchantAppId", x)


def query_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """payment_links.query.request.data [4.4]"""
    get = body.get
    x = get("merchantLinkId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "payment_links.query.request.data", at, "merchantLinkId", x)


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
