"""Validators of spec/rates.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators._formats import CURRENCY, DAY, TIME
from paywright_runtime.contract.value_checks import EMPTY, is_number, not_joined

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def rate_pair(body: dict[str, object], at: str, report: Report) -> None:
    """RatePair [4.8]"""
    get = body.get
    x = get("side")
    if type(x) is not str or x not in {"BUY", "SELL"}:
        report.failed(CONTRACT, "RatePair", at, "side", x)
    x = get("targetCurrency")
    if type(x) is not str or not CURRENCY(x):
        report.failed(CONTRACT, "RatePair", at, "targetCurrency", x, CURRENCY)
    x = get("transactionCurrency")
    if type(x) is not str or not CURRENCY(x):
        report.failed(CONTRACT, "RatePair", at, "transactionCurrency", x, CURRENCY)


def currency_list(body: dict[str, object], at: str, report: Report) -> None:
    """CurrencyList [4.8]"""
    get = body.get
    x = get("currencyList")
    if type(x) is not list:
        report.failed(CONTRACT, "CurrencyList", at, "currencyList", x)
    if type(x) is list:
        report.each(at, "currencyList", x, rate)


def rate(body: dict[str, object], at: str, report: Report) -> None:
    """Rate [2.9]"""
    get = body.get
    x = get("ccyPair")
    if type(x) is not str:
        report.failed(CONTRACT, "Rate", at, "ccyPair", x)
    x = get("rate")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "Rate", at, "rate", x)
    x = get("rateType")
    if type(x) is not str:
        report.failed(CONTRACT, "Rate", at, "rateType", x)
    x = get("side")
    if type(x) is not str:
        report.failed(CONTRACT, "Rate", at, "side", x)
    x = get("targetCurrency")
    if type(x) is not str or not CURRENCY(x):
        report.failed(CONTRACT, "Rate", at, "targetCurrency", x, CURRENCY)
    x = get("transactionCurrency")
    if type(x) is not str or not CURRENCY(x):
        report.failed(CONTRACT, "Rate", at, "transactionCurrency", x, CURRENCY)
    x = get("rateReferenceId")
    if x is not None and type(x) is not str:
        report.failed(CONTRACT, "Rate", at, "rateReferenceId", x)
    x = get("effectTime")
    if x is not None and (type(x) is not str or not TIME(x)):
        report.failed(CONTRACT, "Rate", at, "effectTime", x, TIME)
    x = get("expiryTime")
    if x is not None and (type(x) is not str or not TIME(x)):
        report.failed(CONTRACT, "Rate", at, "expiryTime", x, TIME)
    x = get("validTime")
    if x is not None and (type(x) is not str or not TIME(x)):
        report.failed(CONTRACT, "Rate", at, "validTime", x, TIME)
    if not_joined(get("ccyPair"), get("transactionCurrency"), get("targetCurrency")):
        report.rule(at, "ccyPair", "pair-of-the-two")


def query_request(body: dict[str, object], at: str, report: Report) -> None:
    """rates.query.request [4.8]"""
    get = body.get
    x = get("version")
    if type(x) is not str:
        report.failed(CONTRACT, "rates.query.request", at, "version", x)
    x = get("keyVersion")
    if type(x) is not str:
        report.failed(CONTRACT, "rates.query.request", at, "keyVersion", x)
    x = get("requestTime")
    if type(x) is not str or not TIME(x):
        report.failed(CONTRACT, "rates.query.request", at, "requestTime", x, TIME)
    x = get("appId")
    if type(x) is not str:
        report.failed(CONTRACT, "rates.query.request", at, "appId", x)
    x = get("merchantNo")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "rates.query.request", at, "merchantNo", x)
    x = get("data")
    if type(x) is dict:
        query_request_data(x, at + "/data", report)
    else:
        report.failed(CONTRACT, "rates.query.request", at, "data", x)


def query_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """rates.query.request.data [4.8]"""
    get = body.get
    x = get("ccyPairList")
    if type(x) is not list or len(x) > 40:
        report.failed(CONTRACT, "rates.query.request.data", at, "ccyPairList", x)
    if type(x) is list:
        report.each(at, "ccyPairList", x, rate_pair)
    x = get("product")
    if type(x) is not str or x not in {"PAY_IN", "PAY_OUT"}:
        report.failed(CONTRACT, "rates.query.request.data", at, "product", x)
    x = get("validTime")
    if x is not None and (type(x) is not str or (x != "" and (not DAY(x)))):
        report.failed(CONTRACT, "rates.query.request.data", at, "validTime", x, DAY)


def query_response(body: dict[str, object], at: str, report: Report) -> None:
    """rates.query.response [4.8]"""
    get = body.get
    x = get("code")
    if type(x) is not str:
        report.failed(CONTRACT, "rates.query.response", at, "code", x)
    x = get("msg")
    if type(x) is not str:
        report.failed(CONTRACT, "rates.query.response", at, "msg", x)
    x = get("data")
    if type(x) is dict:
        currency_list(x, at + "/data", report)
    elif x is not None:
        report.failed(CONTRACT, "rates.query.response", at, "data", x)
    if get("code") == "APPLY_SUCCESS" and get("data") in EMPTY:
        report.rule(at, "data", "success-has-data")


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "RatePair": rate_pair,
    "CurrencyList": currency_list,
    "Rate": rate,
    "rates.query.request": query_request,
    "rates.query.request.data": query_request_data,
    "rates.query.response": query_response,
}
