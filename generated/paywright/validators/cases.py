"""Validators of spec/cases.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators import _envelopes
from paywright.validators._formats import AMOUNT, CURRENCY, DATE, TIME
from paywright_runtime.contract.value_checks import EMPTY

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def case(body: dict[str, object], at: str, report: Report) -> None:
    """Case [2.12]"""
    get = body.get
    x = get("amount")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.failed(CONTRACT, "Case", at, "amount", x, AMOUNT)
    x = get("retrievalDate")
    if type(x) is not str or len(x) > 32 or not DATE(x):
        report.failed(CONTRACT, "Case", at, "retrievalDate", x, DATE)
    x = get("fee")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.failed(CONTRACT, "Case", at, "fee", x, AMOUNT)
    x = get("caseResult")
    if x is not None and (type(x) is not str or x not in {"WIN", "FAI"}):
        report.failed(CONTRACT, "Case", at, "caseResult", x)
    x = get("batchId")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "Case", at, "batchId", x)
    x = get("outUserId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "Case", at, "outUserId", x)
    x = get("tradeCreateTime")
    if type(x) is not str or not TIME(x):
        report.failed(CONTRACT, "Case", at, "tradeCreateTime", x, TIME)
    x = get("totalAmount")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.failed(CONTRACT, "Case", at, "totalAmount", x, AMOUNT)
    x = get("caseId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "Case", at, "caseId", x)
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "Case", at, "outTradeNo", x)
    x = get("currency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.failed(CONTRACT, "Case", at, "currency", x, CURRENCY)
    x = get("tradeToken")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "Case", at, "tradeToken", x)
    x = get("status")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "Case", at, "status", x)
    x = get("expirationDate")
    if type(x) is not str or len(x) > 32 or not DATE(x):
        report.failed(CONTRACT, "Case", at, "expirationDate", x, DATE)
    x = get("originTradeAmount")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.failed(CONTRACT, "Case", at, "originTradeAmount", x, AMOUNT)
    x = get("originTradeCurrency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.failed(CONTRACT, "Case", at, "originTradeCurrency", x, CURRENCY)


def biz_case(body: dict[str, object], at: str, report: Report) -> None:
    """BizCase [2.12, 4.10]"""
    get = body.get
    x = get("amount")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.failed(CONTRACT, "BizCase", at, "amount", x, AMOUNT)
    x = get("retrievalDate")
    if type(x) is not str or len(x) > 32 or not DATE(x):
        report.failed(CONTRACT, "BizCase", at, "retrievalDate", x, DATE)
    x = get("fee")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.failed(CONTRACT, "BizCase", at, "fee", x, AMOUNT)
    x = get("caseResult")
    if x is not None and (type(x) is not str or x not in {"WIN", "FAI"}):
        report.failed(CONTRACT, "BizCase", at, "caseResult", x)
    x = get("batchId")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "BizCase", at, "batchId", x)
    x = get("outUserId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "BizCase", at, "outUserId", x)
    x = get("tradeCreateTime")
    if type(x) is not str or not TIME(x):
        report.failed(CONTRACT, "BizCase", at, "tradeCreateTime", x, TIME)
    x = get("totalAmount")
    if type(x) is not str or len(x) > 20 or not AMOUNT(x):
        report.failed(CONTRACT, "BizCase", at, "totalAmount", x, AMOUNT)
    x = get("caseId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "BizCase", at, "caseId", x)
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "BizCase", at, "outTradeNo", x)
    x = get("currency")
    if x is not None and (type(x) is not str or len(x) > 3 or not CURRENCY(x)):
        report.failed(CONTRACT, "BizCase", at, "currency", x, CURRENCY)
    x = get("tradeToken")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "BizCase", at, "tradeToken", x)
    x = get("status")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "BizCase", at, "status", x)
    x = get("expirationDate")
    if type(x) is not str or len(x) > 32 or not DATE(x):
        report.failed(CONTRACT, "BizCase", at, "expirationDate", x, DATE)


def search_request(body: dict[str, object], at: str, report: Report) -> None:
    """cases.search.request [4.9]"""
    get = body.get
    x = get("version")
    if type(x) is not str:
        report.failed(CONTRACT, "cases.search.request", at, "version", x)
    x = get("keyVersion")
    if type(x) is not str:
        report.failed(CONTRACT, "cases.search.request", at, "keyVersion", x)
    x = get("requestTime")
    if type(x) is not str or not TIME(x):
        report.failed(CONTRACT, "cases.search.request", at, "requestTime", x, TIME)
    x = get("appId")
    if type(x) is not str:
        report.failed(CONTRACT, "cases.search.request", at, "appId", x)
    x = get("merchantNo")
    if x is not None and (type(x) is not str or len(x) > 32):
        report.failed(CONTRACT, "cases.search.request", at, "merchantNo", x)
    x = get("data")
    if type(x) is dict:
        search_request_data(x, at + "/data", report)
    else:
        report.failed(CONTRACT, "cases.search.request", at, "data", x)
    x = get("spMerchantNo")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "cases.search.request", at, "spMerchantNo", x)


def search_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """cases.search.request.data [4.9]"""
    get = body.get
    x = get("caseId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "cases.search.request.data", at, "caseId", x)


def inquire_request(body: dict[str, object], at: str, report: Report) -> None:
    """cases.inquire.request [4.10]"""
    get = body.get
    x = get("version")
    if type(x) is not str or len(x) > 8:
        report.failed(CONTRACT, "cases.inquire.request", at, "version", x)
    x = get("spMerchantNo")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "cases.inquire.request", at, "spMerchantNo", x)
    x = get("merchantNo")
    if type(x) is not str or len(x) > 15:
        report.failed(CONTRACT, "cases.inquire.request", at, "merchantNo", x)
    x = get("bizType")
    if type(x) is not str or x not in {"caseSearch"}:
        report.failed(CONTRACT, "cases.inquire.request", at, "bizType", x)
    x = get("caseId")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "cases.inquire.request", at, "caseId", x)


def inquire_response(body: dict[str, object], at: str, report: Report) -> None:
    """cases.inquire.response [4.10]"""
    get = body.get
    x = get("msg")
    if x is not None and (type(x) is not str or len(x) > 256):
        report.failed(CONTRACT, "cases.inquire.response", at, "msg", x)
    x = get("code")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "cases.inquire.response", at, "code", x)
    x = get("data")
    if type(x) is dict:
        biz_case(x, at + "/data", report)
    elif x is not None:
        report.failed(CONTRACT, "cases.inquire.response", at, "data", x)
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
