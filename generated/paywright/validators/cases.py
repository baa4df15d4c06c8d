"""Validators of spec/cases.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators import _envelopes
from paywright.validators._formats import AMOUNT, CURRENCY, DATE, TIME
from paywright_runtime.contract.violations import EMPTY

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def case(body: dict[str, object], at: str, report: Report) -> None:
    """Case [2.12]"""
    get = body.get
    x = get("amount")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.text(at, "amount", x, required=True, max=20, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("retrievalDate")
    if type(x) is not str or len(x) > 32 or not DATE(x):
        report.text(at, "retrievalDate", x, required=True, max=32, format=DATE, shown="yyyy-MM-dd")
    x = get("fee")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.text(at, "fee", x, required=True, max=20, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("caseResult")
    if x is not None and (type(x) is not str or x not in {"WIN", "FAI"}):
        report.text(at, "caseResult", x, max=32, values=("WIN", "FAI"))
    x = get("batchId")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "batchId", x, max=64)
    x = get("outUserId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "outUserId", x, required=True, max=64)
    x = get("tradeCreateTime")
    if type(x) is not str or not TIME(x):
        report.text(at, "tradeCreateTime", x, required=True, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
    x = get("totalAmount")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.text(at, "totalAmount", x, required=True, max=20, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("caseId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "caseId", x, required=True, max=64)
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "outTradeNo", x, required=True, max=64)
    x = get("currency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.text(at, "currency", x, max=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("tradeToken")
    if type(x) is not str or len(x) > 64:
        report.text(at, "tradeToken", x, required=True, max=64)
    x = get("status")
    if type(x) is not str or len(x) > 32:
        report.text(at, "status", x, required=True, max=32)
    x = get("expirationDate")
    if type(x) is not str or len(x) > 32 or not DATE(x):
        report.text(at, "expirationDate", x, required=True, max=32, format=DATE, shown="yyyy-MM-dd")
    x = get("originTradeAmount")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.text(
            at, "originTradeAmount", x, required=True, max=20, format=AMOUNT, shown="decimal digits such as 10.50"
        )
    x = get("originTradeCurrency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.text(at, "originTradeCurrency", x, max=3, format=CURRENCY, shown="3 uppercase letters")


def biz_case(body: dict[str, object], at: str, report: Report) -> None:
    """BizCase [2.12, 4.10]"""
    get = body.get
    x = get("amount")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.text(at, "amount", x, required=True, max=20, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("retrievalDate")
    if type(x) is not str or len(x) > 32 or not DATE(x):
        report.text(at, "retrievalDate", x, required=True, max=32, format=DATE, shown="yyyy-MM-dd")
    x = get("fee")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.text(at, "fee", x, required=True, max=20, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("caseResult")
    if x is not None and (type(x) is not str or x not in {"WIN", "FAI"}):
        report.text(at, "caseResult", x, max=32, values=("WIN", "FAI"))
    x = get("batchId")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "batchId", x, max=64)
    x = get("outUserId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "outUserId", x, required=True, max=64)
    x = get("tradeCreateTime")
    if type(x) is not str or not TIME(x):
        report.text(at, "tradeCreateTime", x, required=True, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
    x = get("totalAmount")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.text(at, "totalAmount", x, required=True, max=20, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("caseId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "caseId", x, required=True, max=64)
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "outTradeNo", x, required=True, max=64)
    x = get("currency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.text(at, "currency", x, max=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("tradeToken")
    if type(x) is not str or len(x) > 64:
        report.text(at, "tradeToken", x, required=True, max=64)
    x = get("status")
    if type(x) is not str or len(x) > 32:
        report.text(at, "status", x, required=True, max=32)
    x = get("expirationDate")
    if type(x) is not str or len(x) > 32 or not DATE(x):
        report.text(at, "expirationDate", x, required=True, max=32, format=DATE, shown="yyyy-MM-dd")


def search_request(body: dict[str, object], at: str, report: Report) -> None:
    """cases.search.request [4.9]"""
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
        search_request_data(x, at + "/data", report)
    else:
        report.struct(at, "data", x, required=True)
    x = get("spMerchantNo")
    if x is not None and type(x) is not str:
        report.text(at, "spMerchantNo", x)


def search_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """cases.search.request.data [4.9]"""
    get = body.get
    x = get("caseId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "caseId", x, required=True, max=64)


def inquire_request(body: dict[str, object], at: str, report: Report) -> None:
    """cases.inquire.request [4.10]"""
    get = body.get
    x = get("version")
    if type(x) is not str or len(x) > 8:
        report.text(at, "version", x, required=True, max=8)
    x = get("spMerchantNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "spMerchantNo", x, max=64)
    x = get("merchantNo")
    if type(x) is not str or len(x) > 15:
        report.text(at, "merchantNo", x, required=True, max=15)
    x = get("bizType")
    if type(x) is not str or x not in {"caseSearch"}:
        report.text(at, "bizType", x, required=True, max=32, values=("caseSearch",))
    x = get("caseId")
    if type(x) is not str or len(x) > 64:
        report.text(at, "caseId", x, required=True, max=64)


def inquire_response(body: dict[str, object], at: str, report: Report) -> None:
    """cases.inquire.response [4.10]"""
    get = body.get
    x = get("msg")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.text(at, "msg", x, max=256)
    x = get("code")
    if type(x) is not str or len(x) > 32:
        report.text(at, "code", x, required=True, max=32)
    x = get("data")
    if type(x) is dict:
        biz_case(x, at + "/data", report)
    elif x is not None:
        report.struct(at, "data", x)
    if get("code") == "APPLY_SUCCESS" and get("data") in EMPTY:
        report.rule(at, "data", "success-has-data")


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "Case": case,
    "BizCase": biz_case,
    "cases.search.request": search_request,
    "cases.search.request.data": search_request_data,
    "cases.search.response": _envelopes.gateway_response(case),
    "cases.inquire.request": inquire_request,
    "cases.inquire.response": inquire_response,
}
