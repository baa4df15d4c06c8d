"""Contents of spec/refunds.yaml as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright.contract._envelopes import (
    GATEWAY_OPERATION,
    GATEWAY_REFUSES,
    GATEWAY_REQUEST_FIELDS,
    GATEWAY_RESPONSE_FIELDS,
    GATEWAY_RESPONSE_RULES,
)
from paywright_runtime.contract.model import Field, Rule, Set, Struct
from paywright_runtime.contract.operation import Amount, GivesBack, Guard, Resolution, Shown

OPERATIONS = {
    "refunds.create": GATEWAY_OPERATION(
        "refunds.create",
        path="/aggregate-pay/api/gateway/refund",
        request="refunds.create.request",
        response="refunds.create.response",
        sections=("4.13",),
        questions=("key-case", "empty-texts", "refusal-codes", "repeat-code", "amounts-sent"),
        version="1.5",
        data="refunds.create.request.data",
        result="RefundCreated",
        key="outRefundNo",
        echoes=("outRefundNo",),
        gateway_id="/data/refundTradeNo",
        resolution=Resolution(
            "refunds.query", by="outRefundNo", argument="out_refund_no", resolver="client.refunds.resolve"
        ),
        shows=(
            Shown("refundAmount", "refund_amount", "refundAmount", number=True),
            Shown("refundCurrency", "refund_currency", "refundCurrency"),
            Shown("outTradeNo", "out_trade_no", "outTradeNo", optional=True),
        ),
        refusal_codes=GATEWAY_REFUSES | frozenset(("REFUND_INSUFFICIENT_BALANCE", "CURRENCY_INVALID", "AMOUNT_LIMIT")),
        duplicate_codes=frozenset(("ORDER_REPEAT",)),
        guards=(Guard("amount-above-zero", "above", "/refundAmount"),),
        amount=Amount("request", "/data/refundAmount", "/data/refundCurrency"),
        gives_back=(
            GivesBack(
                "orders.query",
                key="/data/outTradeNo",
                gateway_id="/data/tradeToken",
                within=15552000,
                since="/data/transactionUtcTime",
            ),
            GivesBack("notifications.subscription_payment", gateway_id="/data/tradeToken"),
        ),
    ),
    "refunds.query": GATEWAY_OPERATION(
        "refunds.query",
        path="/aggregate-pay/api/gateway/refundQuery",
        request="refunds.query.request",
        response="refunds.query.response",
        sections=("4.14",),
        questions=("refund-absent",),
        version="1.5",
        data="refunds.query.request.data",
        result="Refund",
        echoes=("outRefundNo", "refundTradeNo"),
        gateway_id="/data/refundTradeNo",
        not_found_codes=frozenset(("ORDER_NOT_EXIST",)),
        amount=Amount("response", "/data/refundAmount", "/data/refundCurrency"),
    ),
}

STRUCTS = {
    "RefundCreated": Struct(
        "RefundCreated",
        Field("outRefundNo", "out_refund_no", "text", "string max 64", required=True),
        Field("tradeOrderNo", "trade_order_no", "text", "string max 64", required=True),
        Field("refundTradeNo", "refund_trade_no", "text", "string max 64", required=True),
        Field("status", "status", "set", "RefundCreationStatus max 32", "RefundCreationStatus", required=True),
        sections=("2.4",),
    ),
    "Refund": Struct(
        "Refund",
        Field("outRefundNo", "out_refund_no", "text", "string max 64"),
        Field("refundTradeNo", "refund_trade_no", "text", "string max 64"),
        Field("outTradeNo", "out_trade_no", "text", "string max 64"),
        Field("refundAmount", "refund_amount", "number", "number"),
        Field("refundCurrency", "refund_currency", "text", "currency max 3", "currency"),
        Field("status", "status", "set", "RefundStatus max 32", "RefundStatus"),
        Field("resultMsg", "result_msg", "text", "string max 256"),
        Field(
            "refundFinishTime", "refund_finish_time", "datetime", "moment blank", "moment", required=True, blank=True
        ),
        sections=("2.4",),
        rules=(
            Rule(
                "message-of-failure",
                "when status in REFUND_SUCCESS REFUND_PENDING, resultMsg is empty",
                "when status in REFUND_SUCCESS REFUND_PENDING, result_msg is empty",
                ("2.4",),
            ),
        ),
    ),
    "refunds.create.request": Struct(
        "refunds.create.request",
        *GATEWAY_REQUEST_FIELDS,
        Field("data", "data", "struct", "refunds.create.request.data", "refunds.create.request.data"),
        sections=("4.13",),
    ),
    "refunds.create.request.data": Struct(
        "refunds.create.request.data",
        Field("outRefundNo", "out_refund_no", "text", "string max 64", required=True),
        Field("refundAmount", "refund_amount", "number", "number", required=True),
        Field("refundCurrency", "refund_currency", "text", "currency max 3", "currency", required=True),
        Field("outTradeNo", "out_trade_no", "text", "string max 64"),
        Field("tradeToken", "trade_token", "text", "string max 64"),
        Field("comments", "comments", "text", "string max 512"),
        Field("refundNotifyUrl", "refund_notify_url", "text", "string max 256"),
        sections=("4.13",),
        rules=(
            Rule(
                "which-order",
                "need outTradeNo or tradeToken ?both-order-ids",
                "need out_trade_no or trade_token",
                ("4.13",),
            ),
        ),
    ),
    "refunds.create.response": Struct(
        "refunds.create.response",
        *GATEWAY_RESPONSE_FIELDS,
        Field("data", "data", "struct", "RefundCreated", "RefundCreated"),
        sections=("4.13",),
        rules=GATEWAY_RESPONSE_RULES,
    ),
    "refunds.query.request": Struct(
        "refunds.query.request",
        *GATEWAY_REQUEST_FIELDS,
        Field("data", "data", "struct", "refunds.query.request.data", "refunds.query.request.data", required=True),
        sections=("4.14",),
    ),
    "refunds.query.request.data": Struct(
        "refunds.query.request.data",
        Field("outRefundNo", "out_refund_no", "text", "string max 64"),
        Field("refundTradeNo", "refund_trade_no", "text", "string max 64"),
        sections=("4.14",),
        rules=(
            Rule(
                "which-refund",
                "need outRefundNo or refundTradeNo ?both-order-ids",
                "need out_refund_no or refund_trade_no",
                ("4.14",),
            ),
        ),
    ),
    "refunds.query.response": Struct(
        "refunds.query.response",
        *GATEWAY_RESPONSE_FIELDS,
        Field("data", "data", "struct", "Refund", "Refund"),
        sections=("4.14",),
    ),
}

SETS = {
    "RefundCreationStatus": Set(
        "RefundCreationStatus",
        {"REFUND_PENDING": "accepted, not finished yet", "REFUND_FAILED": "failed"},
        states=True,
        final=("REFUND_FAILED",),
        sections=("3", "2.4"),
    ),
    "RefundStatus": Set(
        "RefundStatus",
        {"REFUND_SUCCESS": "the money went back", "REFUND_PENDING": "not finished yet", "REFUND_FAILED": "failed"},
        states=True,
        final=("REFUND_SUCCESS", "REFUND_FAILED"),
        paid=("REFUND_SUCCESS",),
        sections=("3", "2.4"),
    ),
}
