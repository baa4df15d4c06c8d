"""Validators of spec/exchanges.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators import _envelopes
from paywright.validators._formats import AMOUNT, CURRENCY, MOMENT, RATE_MOMENT, RATE_TIME
from paywright_runtime.contract.violations import not_joined, same_text

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def exchange_created(body: dict[str, object], at: str, report: Report) -> None:
    """ExchangeCreated [2.9]"""
    get = body.get
    x = get("transactionCcy")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.text(at, "transactionCcy", x, required=True, max=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("side")
    if type(x) is not str or len(x) > 4:
        report.text(at, "side", x, required=True, max=4)
    x = get("tradeNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "tradeNo", x, required=True, max=64)
    x = get("targetAmount")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.text(
            at, "targetAmount", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50", blank=True
        )
    x = get("rateTime")
    if type(x) is not str or not RATE_TIME(x):
        report.text(
            at, "rateTime", x, required=True, format=RATE_TIME, shown="at most 13 characters, or an RFC 3339 time"
        )
    x = get("completeTime")
    if type(x) is not str or len(x) > 32 or (x != "" and (not MOMENT(x))):
        report.text(at, "completeTime", x, required=True, max=32, format=MOMENT, shown="an RFC 3339 time", blank=True)
    x = get("errorCode")
    if type(x) is not str or len(x) > 32:
        report.text(at, "errorCode", x, required=True, max=32)
    x = get("rateVersion")
    if type(x) is not str or len(x) > 64:
        report.text(at, "rateVersion", x, required=True, max=64)
    x = get("targetCcy")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.text(at, "targetCcy", x, required=True, max=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("errorMsg")
    if type(x) is not str or len(x) > 256:
        report.text(at, "errorMsg", x, required=True, max=256)
    x = get("ccyPair")
    if type(x) is not str or len(x) > 6:
        report.text(at, "ccyPair", x, required=True, max=6)
    x = get("rate")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.text(at, "rate", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50", blank=True)
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "outTradeNo", x, required=True, max=64)
    x = get("transactionAmount")
    if type(x) is not str or not AMOUNT(x):
        report.text(at, "transactionAmount", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("status")
    if type(x) is not str or x not in {"SUCCESS", "FAILED", "PENDING"}:
        report.text(at, "status", x, required=True, max=32, values=("SUCCESS", "FAILED", "PENDING"))


def exchange(body: dict[str, object], at: str, report: Report) -> None:
    """Exchange [2.9]"""
    get = body.get
    x = get("transactionCcy")
    if type(x) is not str or not CURRENCY(x):
        report.text(at, "transactionCcy", x, required=True, format=CURRENCY, shown="3 uppercase letters")
    x = get("side")
    if type(x) is not str:
        report.text(at, "side", x, required=True)
    x = get("tradeNo")
    if type(x) is not str:
        report.text(at, "tradeNo", x, required=True)
    x = get("targetAmount")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.text(
            at, "targetAmount", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50", blank=True
        )
    x = get("rateTime")
    if type(x) is not str or (x != "" and (not RATE_MOMENT(x))):
        report.text(
            at, "rateTime", x, required=True, format=RATE_MOMENT, shown="an RFC 3339 time, or 13 digits", blank=True
        )
    x = get("rate")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.text(at, "rate", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50", blank=True)
    x = get("completeTime")
    if type(x) is not str or (x != "" and (not MOMENT(x))):
        report.text(at, "completeTime", x, required=True, format=MOMENT, shown="an RFC 3339 time", blank=True)
    x = get("errorCode")
    if type(x) is not str:
        report.text(at, "errorCode", x, required=True)
    x = get("rateVersion")
    if type(x) is not str:
        report.text(at, "rateVersion", x, required=True)
    x = get("targetCcy")
    if type(x) is not str or not CURRENCY(x):
        report.text(at, "targetCcy", x, required=True, format=CURRENCY, shown="3 uppercase letters")
    x = get("errorMsg")
    if type(x) is not str:
        report.text(at, "errorMsg", x, required=True)
    x = get("ccyPair")
    if type(x) is not str:
        report.text(at, "ccyPair", x, required=True)
    x = get("outTradeNo")
    if type(x) is not str:
        report.text(at, "outTradeNo", x, required=True)
    x = get("transactionAmount")
    if type(x) is not str or not AMOUNT(x):
        report.text(at, "transactionAmount", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("status")
    if type(x) is not str or x not in {"SUCCESS", "FAILED", "PENDING"}:
        report.text(at, "status", x, required=True, values=("SUCCESS", "FAILED", "PENDING"))


def create_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """exchanges.create.request.data [4.11]"""
    get = body.get
    x = get("ccyPair")
    if type(x) is not str or len(x) != 6:
        report.text(at, "ccyPair", x, required=True, exact=6)
    x = get("outTradeNo")
    if type(x) is not str or not 1 <= len(x) <= 64:
        report.text(at, "outTradeNo", x, required=True, min=1, max=64)
    x = get("side")
    if type(x) is not str or x not in {"BUY", "SELL"}:
        report.text(at, "side", x, required=True, values=("BUY", "SELL"))
    x = get("transactionAmount")
    if type(x) is not str or len(x) > 162 or not AMOUNT(x):
        report.text(
            at, "transactionAmount", x, required=True, max=162, format=AMOUNT, shown="decimal digits such as 10.50"
        )
    x = get("transactionCcy")
    if type(x) is not str or len(x) != 3 or not CURRENCY(x):
        report.text(at, "transactionCcy", x, required=True, exact=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("targetCcy")
    if type(x) is not str or len(x) != 3 or not CURRENCY(x):
        report.text(at, "targetCcy", x, required=True, exact=3, format=CURRENCY, shown="3 uppercase letters")
    x = get("rateVersion")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.text(at, "rateVersion", x, max=64)
    if get("transactionCcy") != "USD" and get("targetCcy") != "USD":
        report.rule(at, "transactionCcy", "one-side-usd")
    if same_text(get("transactionCcy"), get("targetCcy")):
        report.rule(at, "transactionCcy", "two-currencies")
    if not_joined(get("ccyPair"), get("transactionCcy"), get("targetCcy")):
        report.rule(at, "ccyPair", "pair-of-the-two")


def query_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """exchanges.query.request.data [4.12]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64:
        report.text(at, "outTradeNo", x, required=True, max=64)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "ExchangeCreated": exchange_created,
    "Exchange": exchange,
    "exchanges.create.request": _envelopes.gateway_request(create_request_data),
    "exchanges.create.request.data": create_request_data,
    "exchanges.create.response": _envelopes.gateway_response(exchange_created),
    "exchanges.query.request": _envelopes.gateway_request(query_request_data),
    "exchanges.query.request.data": query_request_data,
    "exchanges.query.response": _envelopes.gateway_response(exchange),
}
