"""Validators of spec/rates.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators._formats import CURRENCY, DAY, TIME
from paywright_runtime.contract.violations import EMPTY, is_number, not_joined

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def rate_pair(body: dict[str, object], at: str, report: Report) -> None:
    """RatePair [4.8]"""
    get = body.get
    x = get("side")
    if type(x) is not str or x not in {"BUY", "SELL"}:
        report.text(at, "side", x, required=True, values=("BUY", "SELL"))
    x = get("targetCurrency")
    if type(x) is not str or not CURRENCY(x):
        report.text(at, "targetCurrency", x, required=True, format=CURRENCY, shown="3 uppercase letters")
    x = get("transactionCurrency")
    if type(x) is not str or not CURRENCY(x):
        report.text(at, "transactionCurrency", x, required=True, format=CURRENCY, shown="3 uppercase letters")


def currency_list(body: dict[str, object], at: str, report: Report) -> None:
    """CurrencyList [4.8]"""
    get = body.get
    x = get("currencyList")
    if type(x) is not list:
        report.array(at, "currencyList", x, required=True)
    if type(x) is list:
        report.each(at, "currencyList", x, rate)


def rate(body: dict[str, object], at: str, report: Report) -> None:
    """Rate [2.9]"""
    get = body.get
    x = get("ccyPair")
    if type(x) is not str:
        report.text(at, "ccyPair", x, required=True)
    x = get("rate")
    if type(x) is not int and not is_number(x):
        report.number(at, "rate", x, required=True)
    x = get("rateType")
    if type(x) is not str:
        report.text(at, "rateType", x, required=True)
    x = get("side")
    if type(x) is not str:
        report.text(at, "side", x, required=True)
    x = get("targetCurrency")
    if type(x) is not str or not CURRENCY(x):
        report.text(at, "targetCurrency", x, required=True, format=CURRENCY, shown="3 uppercase letters")
    x = get("transactionCurrency")
    if type(x) is not str or not CURRENCY(x):
        report.text(at, "transactionCurrency", x, required=True, format=CURRENCY, shown="3 uppercase letters")
    x = get("rateReferenceId")
    if x is not None and type(x) is not str:
        report.text(at, "rateReferenceId", x)
    x = get("effectTime")
    if x is not None and (type(x) is not str or not TIME(x)):
        report.text(at, "effectTime", x, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
    x = get("expiryTime")
    if x is not None and (type(x) is not str or not TIME(x)):
        report.text(at, "expiryTime", x, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
    x = get("validTime")
    if x is not None and (type(x) is not str or not TIME(x)):
        report.text(at, "validTime", x, format=TIME, shown="yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
    if not_joined(get("ccyPair"), get("transactionCurrency"), get("targetCurrency")):
        report.rule(at, "ccyPair", "pair-of-the-two")


def query_request(body: dict[str, object], at: str, report: Report) -> None:
    """rates.query.request [4.8]"""
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
    if type(x) is not str or len(x) > 32:
        report.text(at, "merchantNo", x, required=True, max=32)
    x = get("data")
    if type(x) is dict:
        query_request_data(x, at + "/data", report)
    else:
        report.struct(at, "data", x, required=True)


def query_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """rates.query.request.data [4.8]"""
    get = body.get
    x = get("ccyPairList")
    if type(x) is not list or len(x) > 40:
        report.array(at, "ccyPairList", x, required=True, max=40)
    if type(x) is list:
        report.each(at, "ccyPairList", x, rate_pair)
    x = get("product")
    if type(x) is not str or x not in {"PAY_IN", "PAY_OUT"}:
        report.text(at, "product", x, required=True, values=("PAY_IN", "PAY_OUT"))
    x = get("validTime")
    if x is not None and (type(x) is not str or (x != "" and (not DAY(x)))):
        report.text(at, "validTime", x, format=DAY, shown="yyyyMMdd", blank=True)


def query_response(body: dict[str, object], at: str, report: Report) -> None:
    """rates.query.response [4.8]"""
    get = body.get
    x = get("code")
    if type(x) is not str:
        report.text(at, "code", x, required=True)
    x = get("msg")
    if type(x) is not str:
        report.text(at, "msg", x, required=True)
    x = get("data")
    if type(x) is dict:
        currency_list(x, at + "/data", report)
    elif x is not None:
        report.struct(at, "data", x)
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
