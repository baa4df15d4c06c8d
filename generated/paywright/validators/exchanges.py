"""Validators of spec/exchanges.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators import _envelopes
from paywright.validators._formats import AMOUNT, CURRENCY, MOMENT, RATE_MOMENT, RATE_TIME
from paywright_runtime.contract.value_checks import not_joined, same_text

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def exchange_created(body: dict[str, object], at: str, report: Report) -> None:
    """ExchangeCreated [2.9]"""
    get = body.get
    x = get("transactionCcy")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.failed(CONTRACT, "ExchangeCreated", at, "transactionCcy", x, CURRENCY)
    x = get("side")
    if type(x) is not str or len(x) > 4:
        report.failed(CONTRACT, "ExchangeCreated", at, "side", x)
    x = get("tradeNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "ExchangeCreated", at, "tradeNo", x)
    x = get("targetAmount")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.failed(CONTRACT, "ExchangeCreated", at, "targetAmount", x, AMOUNT)
    x = get("rateTime")
    if type(x) is not str or not RATE_TIME(x):
        report.failed(CONTRACT, "ExchangeCreated", at, "rateTime", x, RATE_TIME)
    x = get("completeTime")
    if type(x) is not str or len(x) > 32 or (x != "" and (not MOMENT(x))):
        report.failed(CONTRACT, "ExchangeCreated", at, "completeTime", x, MOMENT)
    x = get("errorCode")
    if type(x) is not str or len(x) > 32:
        report.failed(CONTRACT, "ExchangeCreated", at, "errorCode", x)
    x = get("rateVersion")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "ExchangeCreated", at, "rateVersion", x)
    x = get("targetCcy")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.failed(CONTRACT, "ExchangeCreated", at, "targetCcy", x, CURRENCY)
    x = get("errorMsg")
    if type(x) is not str or len(x) > 256:
        report.failed(CONTRACT, "ExchangeCreated", at, "errorMsg", x)
    x = get("ccyPair")
    if type(x) is not str or len(x) > 6:
        report.failed(CONTRACT, "ExchangeCreated", at, "ccyPair", x)
    x = get("rate")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.failed(CONTRACT, "ExchangeCreated", at, "rate", x, AMOUNT)
    x = get("outTradeNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "ExchangeCreated", at, "outTradeNo", x)
    x = get("transactionAmount")
    if type(x) is not str or not AMOUNT(x):
        report.failed(CONTRACT, "ExchangeCreated", at, "transactionAmount", x, AMOUNT)
    x = get("status")
    if type(x) is not str or x not in {"SUCCESS", "FAILED", "PENDING"}:
        report.failed(CONTRACT, "ExchangeCreated", at, "status", x)


def exchange(body: dict[str, object], at: str, report: Report) -> None:
    """Exchange [2.9]"""
    get = body.get
    x = get("transactionCcy")
    if type(x) is not str or not CURRENCY(x):
        report.failed(CONTRACT, "Exchange", at, "transactionCcy", x, CURRENCY)
    x = get("side")
    if type(x) is not str:
        report.failed(CONTRACT, "Exchange", at, "side", x)
    x = get("tradeNo")
    if type(x) is not str:
        report.failed(CONTRACT, "Exchange", at, "tradeNo", x)
    x = get("targetAmount")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.failed(CONTRACT, "Exchange", at, "targetAmount", x, AMOUNT)
    x = get("rateTime")
    if type(x) is not str or (x != "" and (not RATE_MOMENT(x))):
        report.failed(CONTRACT, "Exchange", at, "rateTime", x, RATE_MOMENT)
    x = get("rate")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.failed(CONTRACT, "Exchange", at, "rate", x, AMOUNT)
    x = get("completeTime")
    if type(x) is not str or (x != "" and (not MOMENT(x))):
        report.failed(CONTRACT, "Exchange", at, "completeTime", x, MOMENT)
    x = get("errorCode")
    if type(x) is not str:
        report.failed(CONTRACT, "Exchange", at, "errorCode", x)
    x = get("rateVersion")
    if type(x) is not str:
        report.failed(CONTRACT, "Exchange", at, "rateVersion", x)
    x = get("targetCcy")
    if type(x) is not str or not CURRENCY(x):
        report.failed(CONTRACT, "Exchange", at, "targetCcy", x, CURRENCY)
    x = get("errorMsg")
    if type(x) is not str:
        report.failed(CONTRACT, "Exchange", at, "errorMsg", x)
    x = get("ccyPair")
    if type(x) is not str:
        report.failed(CONTRACT, "Exchange", at, "ccyPair", x)
    x = get("outTradeNo")
    if type(x) is not str:
        report.failed(CONTRACT, "Exchange", at, "outTradeNo", x)
    x = get("transactionAmount")
    if type(x) is not str or not AMOUNT(x):
        report.failed(CONTRACT, "Exchange", at, "transactionAmount", x, AMOUNT)
    x = get("status")
    if type(x) is not str or x not in {"SUCCESS", "FAILED", "PENDING"}:
        report.failed(CONTRACT, "Exchange", at, "status", x)


def create_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """exchanges.create.request.data [4.11]"""
    get = body.get
    x = get("ccyPair")
    if type(x) is not str or len(x) != 6:
        report.failed(CONTRACT, "exchanges.create.request.data", at, "ccyPair", x)
    x = get("outTradeNo")
    if type(x) is not str or not 1 <= len(x) <= 64:
        report.failed(CONTRACT, "exchanges.create.request.data", at, "outTradeNo", x)
    x = get("side")
    if type(x) is not str or x not in {"BUY", "SELL"}:
        report.failed(CONTRACT, "exchanges.create.request.data", at, "side", x)
    x = get("transactionAmount")
    if type(x) is not str or len(x) > 162 or not AMOUNT(x):
        report.failed(CONTRACT, "exchanges.create.request.data", at, "transactionAmount", x, AMOUNT)
    x = get("transactionCcy")
    if type(x) is not str or len(x) != 3 or not CURRENCY(x):
        report.failed(CONTRACT, "exchanges.create.request.data", at, "transactionCcy", x, CURRENCY)
    x = get("targetCcy")
    if type(x) is not str or len(x) != 3 or not CURRENCY(x):
        report.failed(CONTRACT, "exchanges.create.request.data", at, "targetCcy", x, CURRENCY)
    x = get("rateVersion")
    if x is not None and (type(x) is not str or len(x) > 64):
        report.failed(CONTRACT, "exchanges.create.request.data", at, "rateVersion", x)
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
        report.failed(CONTRACT, "exchanges.query.request.data", at, "outTradeNo", x)


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
