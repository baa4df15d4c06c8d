"""Validators of spec/withdrawals.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators import _envelopes
from paywright.validators._formats import AMOUNT, CURRENCY, MOMENT, TIME

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def withdraw_order(body: dict[str, object], at: str, report: Report) -> None:
    """WithdrawOrder [2.10]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str:
        report.failed(CONTRACT, "WithdrawOrder", at, "outTradeNo", x)
    x = get("tradeNo")
    if type(x) is not str:
        report.failed(CONTRACT, "WithdrawOrder", at, "tradeNo", x)
    x = get("status")
    if type(x) is not str or x not in {"PROCESSING", "SUCCESS", "FAILED"}:
        report.failed(CONTRACT, "WithdrawOrder", at, "status", x)
    x = get("transactionCurrency")
    if type(x) is not str or not CURRENCY(x):
        report.failed(CONTRACT, "WithdrawOrder", at, "transactionCurrency", x, CURRENCY)
    x = get("transactionAmount")
    if type(x) is not str or not AMOUNT(x):
        report.failed(CONTRACT, "WithdrawOrder", at, "transactionAmount", x, AMOUNT)
    x = get("targetCurrency")
    if type(x) is not str or not CURRENCY(x):
        report.failed(CONTRACT, "WithdrawOrder", at, "targetCurrency", x, CURRENCY)
    x = get("targetAmount")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.failed(CONTRACT, "WithdrawOrder", at, "targetAmount", x, AMOUNT)
    x = get("rate")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.failed(CONTRACT, "WithdrawOrder", at, "rate", x, AMOUNT)
    x = get("rateTime")
    if type(x) is not str or (x != "" and (not MOMENT(x))):
        report.failed(CONTRACT, "WithdrawOrder", at, "rateTime", x, MOMENT)
    x = get("remark")
    if type(x) is not str:
        report.failed(CONTRACT, "WithdrawOrder", at, "remark", x)
    x = get("callBackUrl")
    if type(x) is not str:
        report.failed(CONTRACT, "WithdrawOrder", at, "callBackUrl", x)
    x = get("payerFundsAccountNo")
    if type(x) is not str:
        report.failed(CONTRACT, "WithdrawOrder", at, "payerFundsAccountNo", x)
    x = get("payeeBankAccountNo")
    if type(x) is not str:
        report.failed(CONTRACT, "WithdrawOrder", at, "payeeBankAccountNo", x)
    x = get("fee")
    if type(x) is dict:
        withdraw_fee(x, at + "/fee", report)
    else:
        report.failed(CONTRACT, "WithdrawOrder", at, "fee", x)
    x = get("memberId")
    if type(x) is not str:
        report.failed(CONTRACT, "WithdrawOrder", at, "memberId", x)


def withdraw_fee(body: dict[str, object], at: str, report: Report) -> None:
    """WithdrawFee [2.10]"""
    get = body.get
    x = get("serviceFeeAmount")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.failed(CONTRACT, "WithdrawFee", at, "serviceFeeAmount", x, AMOUNT)
    x = get("serviceFeeCurrency")
    if type(x) is not str or (x != "" and (not CURRENCY(x))):
        report.failed(CONTRACT, "WithdrawFee", at, "serviceFeeCurrency", x, CURRENCY)


def query_request(body: dict[str, object], at: str, report: Report) -> None:
    """withdrawals.query.request [4.15]"""
    get = body.get
    x = get("version")
    if type(x) is not str:
        report.failed(CONTRACT, "withdrawals.query.request", at, "version", x)
    x = get("keyVersion")
    if type(x) is not str:
        report.failed(CONTRACT, "withdrawals.query.request", at, "keyVersion", x)
    x = get("requestTime")
    if type(x) is not str or not TIME(x):
        report.failed(CONTRACT, "withdrawals.query.request", at, "requestTime", x, TIME)
    x = get("appId")
    if type(x) is not str:
        report.failed(CONTRACT, "withdrawals.query.request", at, "appId", x)
    x = get("data")
    if type(x) is dict:
        query_request_data(x, at + "/data", report)
    else:
        report.failed(CONTRACT, "withdrawals.query.request", at, "data", x)
    x = get("memberId")
    if type(x) is not str:
        report.failed(CONTRACT, "withdrawals.query.request", at, "memberId", x)


def query_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """withdrawals.query.request.data [4.15]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str:
        report.failed(CONTRACT, "withdrawals.query.request.data", at, "outTradeNo", x)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "WithdrawOrder": withdraw_order,
    "WithdrawFee": withdraw_fee,
    "withdrawals.query.request": query_request,
    "withdrawals.query.request.data": query_request_data,
    "withdrawals.query.response": _envelopes.gateway_response(withdraw_order),
}
