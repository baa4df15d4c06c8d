"""What spec/merchant.yaml says, as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Set, Struct
from paywright_runtime.contract.operation import Amount, Decision, Operation

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
        echoes=("referenceNo",),
        payloads=("", "data"),
        amount=Amount("request", "/amount", "/currency"),
        decision=Decision("confirmation", "Y", "N", "failureReason", within=("amount", "minAmount", "maxAmount")),
    ),
}

STRUCTS = {
    "BillPaymentValidation": Struct(
        "BillPaymentValidation",
        "spec/merchant.yaml",
        16,
        (
            Field("referenceNo", "reference_no", "text", "string max 64", 17, required=True),
            Field("amount", "amount", "number", "number", 18, required=True),
            Field("currency", "currency", "text", "currency max 3", 19, required=True, of="currency"),
        ),
        sections=("4.18", "2.15"),
        model="paywright.models.merchant:BillPaymentValidation",
    ),
    "BillPaymentAnswer": Struct(
        "BillPaymentAnswer",
        "spec/merchant.yaml",
        21,
        (
            Field("code", "code", "text", "string", 22, required=True, sends="SUCCESS"),
            Field("msg", "msg", "text", "string", 23, required=True, sends="Success"),
            Field("data", "data", "struct", "BillPaymentDecision", 24, of="BillPaymentDecision"),
        ),
        sections=("4.18", "2.15"),
        model="paywright.models.merchant:BillPaymentAnswer",
    ),
    "BillPaymentDecision": Struct(
        "BillPaymentDecision",
        "spec/merchant.yaml",
        26,
        (
            Field("referenceNo", "reference_no", "text", "string max 64", 27, required=True),
            Field("minAmount", "min_amount", "number", "number", 28, required=True),
            Field("maxAmount", "max_amount", "number", "number", 29, required=True),
            Field("currency", "currency", "text", "currency max 3", 30, required=True, of="currency"),
            Field("confirmation", "confirmation", "set", "Confirmation max 16", 31, required=True, of="Confirmation"),
            Field("failureReason", "failure_reason", "text", "string max 255", 32),
        ),
        sections=("4.18", "2.15"),
        model="paywright.models.merchant:BillPaymentDecision",
    ),
}

SETS = {
    "Confirmation": Set(
        "Confirmation",
        "spec/merchant.yaml",
        36,
        {"Y": "the payment may be made", "N": "it may not"},
        model="paywright.models.merchant:Confirmation",
        open=False,
        states=False,
        final=(),
        settled=(),
        paid=(),
        returned=(),
        stated=(),
        sections=("4.18", "7"),
    ),
}
