"""What spec/merchant.yaml says, as plain values."""

# Generated from the contract by `make generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Set, Struct
from paywright_runtime.contract.operation import Decision, Operation

OPERATIONS = {
    "merchant.validate_bill_payment": Operation(
        "merchant.validate_bill_payment",
        "spec/merchant.yaml",
        5,
        path="/billPaymentValidationUrl",
        envelope="callback",
        roles=("request", "response"),
        request="BillPaymentValidation",
        response="BillPaymentAnswer",
        sections=("4.18", "2.15", "7"),
        inbound=True,
        result="BillPaymentValidation",
        request_headers="callback.request.headers",
        decision=Decision("confirmation", "Y", "N", "failureReason", within=("amount", "minAmount", "maxAmount")),
    ),
}

STRUCTS = {
    "BillPaymentValidation": Struct(
        "BillPaymentValidation",
        "spec/merchant.yaml",
        14,
        (
            Field("referenceNo", "reference_no", "text", "string max 64", 15, required=True),
            Field("amount", "amount", "number", "number", 16, required=True),
            Field("currency", "currency", "text", "currency max 3", 17, required=True, of="currency"),
        ),
        sections=("4.18", "2.15"),
        model="paywright.models.merchant:BillPaymentValidation",
    ),
    "BillPaymentAnswer": Struct(
        "BillPaymentAnswer",
        "spec/merchant.yaml",
        19,
        (
            Field("code", "code", "text", "string", 20, required=True, sends="SUCCESS"),
            Field("msg", "msg", "text", "string", 21, required=True, sends="Success"),
            Field("data", "data", "struct", "BillPaymentDecision", 22, of="BillPaymentDecision"),
        ),
        sections=("4.18", "2.15"),
        model="paywright.models.merchant:BillPaymentAnswer",
    ),
    "BillPaymentDecision": Struct(
        "BillPaymentDecision",
        "spec/merchant.yaml",
        24,
        (
            Field("referenceNo", "reference_no", "text", "string max 64", 25, required=True),
            Field("minAmount", "min_amount", "number", "number", 26, required=True),
            Field("maxAmount", "max_amount", "number", "number", 27, required=True),
            Field("currency", "currency", "text", "currency max 3", 28, required=True, of="currency"),
            Field("confirmation", "confirmation", "set", "Confirmation max 16", 29, required=True, of="Confirmation"),
            Field("failureReason", "failure_reason", "text", "string max 255", 30),
        ),
        sections=("4.18", "2.15"),
        model="paywright.models.merchant:BillPaymentDecision",
    ),
}

SETS = {
    "Confirmation": Set(
        "Confirmation",
        "spec/merchant.yaml",
        34,
        {"Y": "the payment may be made", "N": "it may not"},
        model="paywright.models.merchant:Confirmation",
        open=False,
        states=False,
        final=(),
        settled=(),
        paid=(),
        sections=("4.18", "7"),
    ),
}
