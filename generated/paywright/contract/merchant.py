"""Contents of spec/merchant.yaml as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright.contract._envelopes import CALLBACK_OPERATION
from paywright_runtime.contract.model import Field, Set, Struct
from paywright_runtime.contract.operation import Amount, Decision

OPERATIONS = {
    "merchant.validate_bill_payment": CALLBACK_OPERATION(
        "merchant.validate_bill_payment",
        path="/billPaymentValidationUrl",
        roles=("request", "response"),
        request="BillPaymentValidation",
        response="BillPaymentAnswer",
        sections=("4.18", "2.15", "7"),
        result="BillPaymentValidation",
        echoes=("referenceNo",),
        payloads=("", "data"),
        amount=Amount("request", "/amount", "/currency"),
        decision=Decision("confirmation", "Y", "N", "failureReason", within=("amount", "minAmount", "maxAmount")),
    ),
}

STRUCTS = {
    "BillPaymentValidation": Struct(
        "BillPaymentValidation",
        Field("referenceNo", "reference_no", "text", "string max 64", required=True),
        Field("amount", "amount", "number", "number", required=True),
        Field("currency", "currency", "text", "currency max 3", "currency", required=True),
        sections=("4.18", "2.15"),
    ),
    "BillPaymentAnswer": Struct(
        "BillPaymentAnswer",
        Field("code", "code", "text", "string", required=True, sends="SUCCESS"),
        Field("msg", "msg", "text", "string", required=True, sends="Success"),
        Field("data", "data", "struct", "BillPaymentDecision", "BillPaymentDecision"),
        sections=("4.18", "2.15"),
    ),
    "BillPaymentDecision": Struct(
        "BillPaymentDecision",
        Field("referenceNo", "reference_no", "text", "string max 64", required=True),
        Field("minAmount", "min_amount", "number", "number", required=True),
        Field("maxAmount", "max_amount", "number", "number", required=True),
        Field("currency", "currency", "text", "currency max 3", "currency", required=True),
        Field("confirmation", "confirmation", "set", "Confirmation max 16", "Confirmation", required=True),
        Field("failureReason", "failure_reason", "text", "string max 255"),
        sections=("4.18", "2.15"),
    ),
}

SETS = {
    "Confirmation": Set("Confirmation", {"Y": "the payment may be made", "N": "it may not"}, sections=("4.18", "7")),
}
