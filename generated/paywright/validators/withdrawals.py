"""Validators of spec/withdrawals.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.validators import _envelopes
from paywright.validators._formats import AMOUNT, CURRENCY, MOMENT, TIME

if TYPE_CHECKING:
    from paywright_runtime.contract.violations import Report


def withdraw_order(body: dict[str, object], at: str, report: Report) -> None:
    """WithdrawOrder [2.10]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str:
        report.text(at, "outTradeNo", x, required=True)
    x = get("tradeNo")
    if type(x) is not str:
        report.text(at, "tradeNo", x, required=True)
    x = get("status")
    if type(x) is not str or x not in {"PROCESSING", "SUCCESS", "FAILED"}:
        report.text(at, "status", x, required=True, values=("PROCESSING", "SUCCESS", "FAILED"))
    x = get("transactionCurrency")
    if type(x) is not str or not CURRENCY(x):
        report.text(at, "transactionCurrency", x, required=True, format=CURRENCY, shown="3 uppercase letters")
    x = get("transactionAmount")
    if type(x) is not str or not AMOUNT(x):
        report.text(at, "transactionAmount", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50")
    x = get("targetCurrency")
    if type(x) is not str or not CURRENCY(x):
        report.text(at, "targetCurrency", x, required=True, format=CURRENCY, shown="3 uppercase letters")
    x = get("targetAmount")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.text(
            at, "targetAmount", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50", blank=True
        )
    x = get("rate")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.text(at, "rate", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50", blank=True)
    x = get("rateTime")
    if type(x) is not str or (x != "" and (not MOMENT(x))):
        report.text(at, "rateTime", x, required=True, format=MOMENT, shown="an RFC 3339 time", blank=True)
    x = get("remark")
    if type(x) is not str:
        report.text(at, "remark", x, required=True)
    x = get("callBackUrl")
    if type(x) is not str:
        report.text(at, "callBackUrl", x, required=True)
    x = get("payerFundsAccountNo")
    if type(x) is not str:
        report.text(at, "payerFundsAccountNo", x, required=True)
    x = get("payeeBankAccountNo")
    if type(x) is not str:
        report.text(at, "payeeBankAccountNo", x, required=True)
    x = get("fee")
    if type(x) is dict:
        withdraw_fee(x, at + "/fee", report)
    else:
        report.struct(at, "fee", x, required=True)
    x = get("memberId")
    if type(x) is not str:
        report.text(at, "memberId", x, required=True)


def withdraw_fee(body: dict[str, object], at: str, report: Report) -> None:
    """WithdrawFee [2.10]"""
    get = body.get
    x = get("serviceFeeAmount")
    if type(x) is not str or (x != "" and (not AMOUNT(x))):
        report.text(
            at, "serviceFeeAmount", x, required=True, format=AMOUNT, shown="decimal digits such as 10.50", blank=True
        )
    x = get("serviceFeeCurrency")
    if type(x) is not str or (x != "" and (not CURRENCY(x))):
        report.text(
            at, "serviceFeeCurrency", x, required=True, format=CURRENCY, shown="3 uppercase letters", blank=True
        )


def query_request(body: dict[str, object], at: str, report: Report) -> None:
    """withdrawals.query.request [4.15]"""
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
    x = get("data")
    if type(x) is dict:
        query_request_data(x, at + "/data", report)
    else:
        report.struct(at, "data", x, required=True)
    x = get("memberId")
    if type(x) is not str:
        report.text(at, "memberId", x, required=True)


def query_request_data(body: dict[str, object], at: str, report: Report) -> None:
    """withdrawals.query.request.data [4.15]"""
    get = body.get
    x = get("outTradeNo")
    if type(x) is not str:
        report.text(at, "outTradeNo", x, required=True)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "WithdrawOrder": withdraw_order,
    "WithdrawFee": withdraw_fee,
    "withdrawals.query.request": query_request,
    "withdrawals.query.request.data": query_request_data,
    "withdrawals.query.response": _envelopes.gateway_response(withdraw_order),
}
