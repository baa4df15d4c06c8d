"""Validators of spec/merchant.yaml: each adds what it finds to a report."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.validators._formats import CURRENCY
from paywright_runtime.contract.value_checks import is_number

if TYPE_CHECKING:
    from paywright_runtime.contract.value_checks import Report


def bill_payment_validation(body: dict[str, object], at: str, report: Report) -> None:
    """BillPaymentValidation [4.18, 2.15]"""
    get = body.get
    x = get("referenceNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "BillPaymentValidation", at, "referenceNo", x)
    x = get("amount")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "BillPaymentValidation", at, "amount", x)
    x = get("currency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.failed(CONTRACT, "BillPaymentValidation", at, "currency", x, CURRENCY)


def bill_payment_answer(body: dict[str, object], at: str, report: Report) -> None:
    """BillPaymentAnswer [4.18, 2.15]"""
    get = body.get
    x = get("code")
    if type(x) is not str:
        report.failed(CONTRACT, "BillPaymentAnswer", at, "code", x)
    x = get("msg")
    if type(x) is not str:
        report.failed(CONTRACT, "BillPaymentAnswer", at, "msg", x)
    x = get("data")
    if type(x) is dict:
        bill_payment_decision(x, at + "/data", report)
    elif x is not None:
        report.failed(CONTRACT, "BillPaymentAnswer", at, "data", x)


def bill_payment_decision(body: dict[str, object], at: str, report: Report) -> None:
    """BillPaymentDecision [4.18, 2.15]"""
    get = body.get
    x = get("referenceNo")
    if type(x) is not str or len(x) > 64:
        report.failed(CONTRACT, "BillPaymentDecision", at, "referenceNo", x)
    x = get("minAmount")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "BillPaymentDecision", at, "minAmount", x)
    x = get("maxAmount")
    if type(x) is not int and not is_number(x):
        report.failed(CONTRACT, "BillPaymentDecision", at, "maxAmount", x)
    x = get("currency")
    if type(x) is not str or len(x) > 3 or not CURRENCY(x):
        report.failed(CONTRACT, "BillPaymentDecision", at, "currency", x, CURRENCY)
    x = get("confirmation")
    if type(x) is not str or x not in {"Y", "N"}:
        report.failed(CONTRACT, "BillPaymentDecision", at, "confirmation", x)
    x = get("failureReason")
    if x is not None and (type(x) is not str or len(x) > 255):
        report.failed(CONTRACT, "BillPaymentDecision", at, "failureReason", x)


VALIDATORS: dict[str, Callable[[dict[str, object], str, Report], None]] = {
    "BillPaymentValidation": bill_payment_validation,
    "BillPaymentAnswer": bill_payment_answer,
    "BillPaymentDecision": bill_payment_decision,
}
