"""Validators of spec/payment_tokens.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators import _envelopes
from paywright.validators._formats import TIME
from paywright_runtime.contract.value_checks import EMPTY

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def payment_token_list(body: dict[str, object], at: str, report: Report) -> None:
    """PaymentTokenList [4.6]"""
    get = body.get
    x = get("tokenList")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "PaymentTokenList", at, "tokenList", x)
    if type(x) is list:
        report.each(at, "tokenList", x, payment_token)


def biz_payment_token_list(body: dict[str, object], at: str, report: Report) -> None:
    """BizPaymentTokenList [4.7]"""
    get = body.get
    x = get("tokenList")
    if x is not None and type(x) is not list:
        report.failed(CONTRACT, "BizPaymentTokenList", at, "tokenList", x)
    if type(x) is list:
        report.each(at, "tokenList", x, biz_payment_token)


def payment_token(body: dict[str, object], at: str, report: Report) -> None:
    """PaymentToken [2.6]"""
    get = body.get
    x = get("paymentTokenID")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "PaymentToken", at, "paymentTokenID", x)
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "PaymentToken", at, "userId", x)
    x = get("tokenScope")
    if type(x) is not str or len(x) > 16:
        report.failed(CONTRACT, "PaymentToken", at, "tokenScope", x)
    x = get("paymentTokenExpiry")
    if type(x) is not str or len(x) > 32 or not TIME(x):
        report.failed(CONTRACT, "PaymentToken", at, "paymentTokenExpiry", x, TIME)
    x = get("paymentTokenStatus")
    if type(x) is not str or x not in {"Deleted", "Activated", "Expired"}:
        report.failed(CONTRACT, "PaymentToken", at, "paymentTokenStatus", x)
    x = get("cardInfo")
    if x is not None and (type(x) is not str or len(x) > 19):
        report.failed(CONTRACT, "PaymentToken", at, "cardInfo", x)
    x = get("ifCVV")
    if x is not None and (type(x) is not str or x not in {"Y", "N"}):
        report.failed(CONTRACT, "PaymentToken", at, "ifCVV", x)
    x = get("brand")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "PaymentToken", at, "brand", x)
    x = get("paymentMethodType")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "PaymentToken", at, "paymentMethodType", x)
    x = get("targetOrg")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "PaymentToken", at, "targetOrg", x)
    x = get("accountDisplay")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "PaymentToken", at, "accountDisplay", x)
    x = get("referralCode")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "PaymentToken", at, "referralCode", x)
    if get("paymentMethodType") == "CARD" and get("targetOrg") not in EMPTY:
        report.rule(at, "targetOrg", "card-has-no-target")
    if get("paymentMethodType") == "CARD" and get("accountDisplay") not in EMPTY:
        report.rule(at, "accountDisplay", "card-has-no-account")


def biz_payment_token(body: dict[str, object], at: str, report: Report) -> None:
    """BizPaymentToken [2.6, 4.7]"""
    get = body.get
    x = get("paymentTokenID")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "BizPaymentToken", at, "paymentTokenID", x)
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "BizPaymentToken", at, "userId", x)
    x = get("tokenScope")
    if type(x) is not str or len(x) > 16:
        report.failed(CONTRACT, "BizPaymentToken", at, "tokenScope", x)
    x = get("paymentTokenExpiry")
    if type(x) is not str or len(x) > 32 or not TIME(x):
        report.failed(CONTRACT, "BizPaymentToken", at, "paymentTokenExpiry", x, TIME)
    x = get("paymentTokenStatus")
    if type(x) is not str or x not in {"Deleted", "Activated", "Expired"}:
        report.failed(CONTRACT, "BizPaymentToken", at, "paymentTokenStatus", x)
    x = get("cardInfo")
    if x is not None and (type(x) is not str or len(x) > 19):
        report.failed(CONTRACT, "BizPaymentToken", at, "cardInfo", x)
    x = get("ifCVV")
    if x is not None and (type(x) is not str or x not in {"Y", "N"}):
        report.failed(CONTRACT, "BizPaymentToken", at, "ifCVV", x)
    x = get("brand")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "BizPaymentToken", at, "brand", x)
    x = get("paymentMethodType")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "BizPaymentToken", at, "paymentMethodType", x)
    x = get("targetOrg")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "BizPaymentToken", at, "targetOrg", x)
    x = get("accountDisplay")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "BizPaymentToken", at, "accountDisplay", x)
    if get("paymentMethodType") == "CARD" and get("targetOrg") not in EMPTY:
        report.rule(at, "targetOrg", "card-has-no-target")
    if get("paymentMethodType") == "CARD" and get("accountDisplay") not in EMPTY:
        report.rule(at, "accountDisplay", "card-has-no-account")


def list_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """payment_tokens.list.request.data [4.6]"""
    get = body.get
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "payment_tokens.list.request.data", at, "userId", x)
    x = get("tokenScope")
    if x is not None and (type(x) is not str or len(x) > 16):
        report.failed(CONTRACT, "payment_tokens.list.request.data", at, "tokenScope", x)
    x = get("paymentTokenID")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "payment_tokens.list.request.data", at, "paymentTokenID", x)
    x = get("paymentMethodType")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "payment_tokens.list.request.data", at, "paymentMethodType", x)
    x = get("targetOrg")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "payment_tokens.list.request.data", at, "targetOrg", x)
    x = get("cardOrg")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "payment_tokens.list.request.data", at, "cardOrg", x)
    x = get("referralCode")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "payment_tokens.list.request.data", at, "referralCode", x)
    if get("paymentMethodType") == "CARD" and get("targetOrg") not in EMPTY:
        report.rule(at, "targetOrg", "card-has-no-target")


def inquire_request(body: dict[str, object], at: str, report: Report) -> None:
    """payment_tokens.inquire.request [4.7]"""
    get = body.get
    x = get("merchantId")
    if type(x) is not str or len(x) > 30:
        report.failed(CONTRACT, "payment_tokens.inquire.request", at, "merchantId", x)
    x = get("version")
    if type(x) is not str or len(x) > 5:
        report.failed(CONTRACT, "payment_tokens.inquire.request", at, "version", x)
    x = get("bizType")
    if type(x) is not str or x not in {"inquirePaymentToken"}:
        report.failed(CONTRACT, "payment_tokens.inquire.request", at, "bizType", x)
    x = get("userId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "payment_tokens.inquire.request", at, "userId", x)
    x = get("tokenScope")
    if type(x) is not str or len(x) > 16:
        report.failed(CONTRACT, "payment_tokens.inquire.request", at, "tokenScope", x)
    x = get("paymentTokenID")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "payment_tokens.inquire.request", at, "paymentTokenID", x)


def inquire_response(body: dict[str, object], at: str, report: Report) -> None:
    """payment_tokens.inquire.response [4.7]"""
    get = body.get
    x = get("bizCode")
    if type(x) is not str or len(x) > 10:
        report.failed(CONTRACT, "payment_tokens.inquire.response", at, "bizCode", x)
    x = get("message")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.failed(CONTRACT, "payment_tokens.inquire.response", at, "message", x)
    x = get("data")
    if type(x) is dict:
        biz_payment_token_list(x, at + "/data", report)
    else:
        report.failed(CONTRACT, "payment_tokens.inquire.response", at, "data", x)


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
