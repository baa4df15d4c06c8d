"""Validators of spec/payment_tokens.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators import _envelopes
from paywright.validators._formats import TIME
from paywright_runtime.contract.violations import EMPTY

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def payment_token_list(body: dict[str, object], at: str, report: Report) -> None:
    """PaymentTokenList [4.6]"""
    get = body.get
    x = get("tokenList")
    if x is not None and type(x) is not list:
        report.array(at, "tokenList", x)
    if type(x) is list:
        report.each(at, "tokenList", x, payment_token)


def biz_payment_token_list(body: dict[str, object], at: str, report: Report) -> None:
    """BizPaymentTokenList [4.7]"""
    get = body.get
    x = get("tokenList")
    if x is not None and type(x) is not list:
        report.array(at, "tokenList", x)
    if type(x) is list:
        report.each(at, "tokenList", x, biz_payment_token)


def payment_token(body: dict[str, object], at: str, report: Report) -> None:
    """PaymentToken [2.6]"""
    get = body.get
    x = get("paymentTokenID")
    if type(x) is not str or len(x) > 64:
        report.text(at, "paymentTokenID", x, required=True, max=64)
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "userId", x, required=True, max=64)
    x = get("tokenScope")
    if type(x) is not str or len(x) > 16:
        report.text(at, "tokenScope", x, required=True, max=16)
    x = get("paymentTokenExpiry")
    if type(x) is not str or len(x) > 32 or not TIME(x):
        report.text(
            at, "paymentTokenExpiry", x, required=True, max=32, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX"
        )
    x = get("paymentTokenStatus")
    if type(x) is not str or x not in {"Deleted", "Activated", "Expired"}:
        report.text(at, "paymentTokenStatus", x, required=True, max=16, values=("Deleted", "Activated", "Expired"))
    x = get("cardInfo")
    if x is not None and (type(x) is not str or len(x) > 19):
        report.text(at, "cardInfo", x, max=19)
    x = get("ifCVV")
    if x is not None and (type(x) is not str or x not in {"Y", "N"}):
        report.text(at, "ifCVV", x, max=1, values=("Y", "N"))
    x = get("brand")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "brand", x, max=32)
    x = get("paymentMethodType")
    if type(x) is not str or len(x) > 32:
        report.text(at, "paymentMethodType", x, required=True, max=32)
    x = get("targetOrg")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "targetOrg", x, max=32)
    x = get("accountDisplay")
    if x is not None and type(x) is not str:
        report.text(at, "accountDisplay", x)
    x = get("referralCode")
    if x is not None and type(x) is not str:
        report.text(at, "referralCode", x)
    if get("paymentMethodType") == "CARD" and get("targetOrg") not in EMPTY:
        report.rule(at, "targetOrg", "card-has-no-target")
    if get("paymentMethodType") == "CARD" and get("accountDisplay") not in EMPTY:
        report.rule(at, "accountDisplay", "card-has-no-account")


def biz_payment_token(body: dict[str, object], at: str, report: Report) -> None:
    """BizPaymentToken [2.6, 4.7]"""
    get = body.get
    x = get("paymentTokenID")
    if type(x) is not str or len(x) > 64:
        report.text(at, "paymentTokenID", x, required=True, max=64)
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "userId", x, required=True, max=64)
    x = get("tokenScope")
    if type(x) is not str or len(x) > 16:
        report.text(at, "tokenScope", x, required=True, max=16)
    x = get("paymentTokenExpiry")
    if type(x) is not str or len(x) > 32 or not TIME(x):
        report.text(
            at, "paymentTokenExpiry", x, required=True, max=32, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX"
        )
    x = get("paymentTokenStatus")
    if type(x) is not str or x not in {"Deleted", "Activated", "Expired"}:
        report.text(at, "paymentTokenStatus", x, required=True, max=16, values=("Deleted", "Activated", "Expired"))
    x = get("cardInfo")
    if x is not None and (type(x) is not str or len(x) > 19):
        report.text(at, "cardInfo", x, max=19)
    x = get("ifCVV")
    if x is not None and (type(x) is not str or x not in {"Y", "N"}):
        report.text(at, "ifCVV", x, max=1, values=("Y", "N"))
    x = get("brand")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "brand", x, max=32)
    x = get("paymentMethodType")
    if type(x) is not str or len(x) > 32:
        report.text(at, "paymentMethodType", x, required=True, max=32)
    x = get("targetOrg")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.text(at, "targetOrg", x, max=32)
    x = get("accountDisplay")
    if x is not None and type(x) is not str:
        report.text(at, "accountDisplay", x)
    if get("paymentMethodType") == "CARD" and get("targetOrg") not in EMPTY:
        report.rule(at, "targetOrg", "card-has-no-target")
    if get("paymentMethodType") == "CARD" and get("accountDisplay") not in EMPTY:
        report.rule(at, "accountDisplay", "card-has-no-account")


def list_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """payment_tokens.list.request.data [4.6]"""
    get = body.get
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "userId", x, required=True, max=64)
    x = get("tokenScope")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.text(at, "tokenScope", x, max=16)
    x = get("paymentTokenID")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "paymentTokenID", x, max=64)
    x = get("paymentMethodType")
    if x is not None and type(x) is not str:
        report.text(at, "paymentMethodType", x)
    x = get("targetOrg")
    if x is not None and type(x) is not str:
        report.text(at, "targetOrg", x)
    x = get("cardOrg")
    if x is not None and type(x) is not str:
        report.text(at, "cardOrg", x)
    x = get("referralCode")
    if x is not None and type(x) is not str:
        report.text(at, "referralCode", x)
    if get("paymentMethodType") == "CARD" and get("targetOrg") not in EMPTY:
        report.rule(at, "targetOrg", "card-has-no-target")


def inquire_request(body: dict[str, object], at: str, report: Report) -> None:
    """payment_tokens.inquire.request [4.7]"""
    get = body.get
    x = get("merchantId")
    if type(x) is not str or len(x) > 30:
        report.text(at, "merchantId", x, required=True, max=30)
    x = get("version")
    if type(x) is not str or len(x) > 5:
        report.text(at, "version", x, required=True, max=5)
    x = get("bizType")
    if type(x) is not str or x not in {"inquirePaymentToken"}:
        report.text(at, "bizType", x, required=True, max=30, values=("inquirePaymentToken",))
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "userId", x, required=True, max=64)
    x = get("tokenScope")
    if type(x) is not str or len(x) > 16:
        report.text(at, "tokenScope", x, required=True, max=16)
    x = get("paymentTokenID")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "paymentTokenID", x, max=64)


def inquire_response(body: dict[str, object], at: str, report: Report) -> None:
    """payment_tokens.inquire.response [4.7]"""
    get = body.get
    x = get("bizCode")
    if type(x) is not str or len(x) > 10:
        report.text(at, "bizCode", x, required=True, max=10)
    x = get("message")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.text(at, "message", x, max=256)
    x = get("data")
    if type(x) is dict:
        biz_payment_token_list(x, at + "/data", report)
    else:
        report.struct(at, "data", x, required=True)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "PaymentTokenList": payment_token_list,
    "BizPaymentTokenList": biz_payment_token_list,
    "PaymentToken": payment_token,
    "BizPaymentToken": biz_payment_token,
    "payment_tokens.list.request": _envelopes.gateway_request(list_request_data),
    "payment_tokens.list.request.data": list_request_data,
    "payment_tokens.list.response": _envelopes.gateway_response(payment_token_list),
    "payment_tokens.inquire.request": inquire_request,
    "payment_tokens.inquire.response": inquire_response,
}
