"""Contents of spec/exchanges.yaml as plain values."""

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
from paywright_runtime.contract.operation import Amount, Guard, Resolution, Shown

OPERATIONS = {
    "exchanges.create": GATEWAY_OPERATION(
        "exchanges.create",
        path="/aggregate-pay/api/gateway/exchange",
        request="exchanges.create.request",
        response="exchanges.create.response",
        sections=("4.11",),
        questions=("balances", "key-case", "refusal-codes", "repeat-code", "amounts-sent"),
        version="1.1",
        data="exchanges.create.request.data",
        result="ExchangeCreated",
        key="outTradeNo",
        echoes=("outTradeNo",),
        gateway_id="/data/tradeNo",
        resolution=Resolution(
            "exchanges.query", by="outTradeNo", argument="out_trade_no", resolver="client.exchanges.resolve"
        ),
        shows=(
            Shown("ccyPair", "ccy_pair", "ccyPair"),
            Shown("side", "side", "side"),
            Shown("transactionAmount", "transaction_amount", "transactionAmount", number=True),
            Shown("transactionCcy", "transaction_ccy", "transactionCcy"),
            Shown("targetCcy", "target_ccy", "targetCcy"),
        ),
        refusal_codes=GATEWAY_REFUSES | frozenset(("BALANCE_INSUFFICIENT", "CURRENCY_INVALID", "AMOUNT_LIMIT")),
        duplicate_codes=frozenset(("ORDER_REPEAT",)),
        guards=(Guard("amount-above-zero", "above", "/transactionAmount"),),
        amount=Amount("request", "/data/transactionAmount", "/data/transactionCcy"),
    ),
    "exchanges.query": GATEWAY_OPERATION(
        "exchanges.query",
        path="/aggregate-pay/api/gateway/exchangeQuery",
        request="exchanges.query.request",
        response="exchanges.query.response",
        sections=("4.12",),
        questions=("exchange-query-version", "exchange-absent"),
        version="1.5",
        data="exchanges.query.request.data",
        result="Exchange",
        echoes=("outTradeNo",),
        not_found_codes=frozenset(("ORDER_NOT_EXIST",)),
        amount=Amount("response", "/data/transactionAmount", "/data/transactionCcy"),
    ),
}

STRUCTS = {
    "ExchangeCreated": Struct(
        "ExchangeCreated",
        Field("transactionCcy", "transaction_ccy", "text", "currency max 3", "currency", required=True),
        Field("side", "side", "text", "string max 4", required=True),
        Field("tradeNo", "trade_no", "text", "string max 64", required=True),
        Field("targetAmount", "target_amount", "decimal", "amount blank", "amount", required=True, blank=True),
        Field("rateTime", "rate_time", "datetime", "rate_time", "rate_time", required=True),
        Field("completeTime", "complete_time", "datetime", "moment max 32 blank", "moment", required=True, blank=True),
        Field("errorCode", "error_code", "text", "string max 32", required=True),
        Field("rateVersion", "rate_version", "text", "string max 64", required=True),
        Field("targetCcy", "target_ccy", "text", "currency max 3", "currency", required=True),
        Field("errorMsg", "error_msg", "text", "string max 256", required=True),
        Field("ccyPair", "ccy_pair", "text", "string max 6", required=True),
        Field("rate", "rate", "decimal", "amount blank", "amount", required=True, blank=True),
        Field("outTradeNo", "out_trade_no", "text", "string max 64", required=True),
        Field("transactionAmount", "transaction_amount", "decimal", "amount", "amount", required=True),
        Field("status", "status", "set", "ExchangeStatus max 32", "ExchangeStatus", required=True),
        sections=("2.9",),
    ),
    "Exchange": Struct(
        "Exchange",
        Field("transactionCcy", "transaction_ccy", "text", "currency", "currency", required=True),
        Field("side", "side", "text", "string", required=True),
        Field("tradeNo", "trade_no", "text", "string", required=True),
        Field("targetAmount", "target_amount", "decimal", "amount blank", "amount", required=True, blank=True),
        Field("rateTime", "rate_time", "datetime", "rate_moment blank", "rate_moment", required=True, blank=True),
        Field("rate", "rate", "decimal", "amount blank", "amount", required=True, blank=True),
        Field("completeTime", "complete_time", "datetime", "moment blank", "moment", required=True, blank=True),
        Field("errorCode", "error_code", "text", "string", required=True),
        Field("rateVersion", "rate_version", "text", "string", required=True),
        Field("targetCcy", "target_ccy", "text", "currency", "currency", required=True),
        Field("errorMsg", "error_msg", "text", "string", required=True),
        Field("ccyPair", "ccy_pair", "text", "string", required=True),
        Field("outTradeNo", "out_trade_no", "text", "string", required=True),
        Field("transactionAmount", "transaction_amount", "decimal", "amount", "amount", required=True),
        Field("status", "status", "set", "ExchangeStatus", "ExchangeStatus", required=True),
        sections=("2.9",),
    ),
    "exchanges.create.request": Struct(
        "exchanges.create.request",
        *GATEWAY_REQUEST_FIELDS,
        Field(
            "data", "data", "struct", "exchanges.create.request.data", "exchanges.create.request.data", required=True
        ),
        sections=("4.11",),
    ),
    "exchanges.create.request.data": Struct(
        "exchanges.create.request.data",
        Field("ccyPair", "ccy_pair", "text", "string exactly 6", required=True),
        Field("outTradeNo", "out_trade_no", "text", "string min 1 max 64", required=True),
        Field("side", "side", "text", "string in BUY SELL", required=True),
        Field("transactionAmount", "transaction_amount", "decimal", "amount max 162", "amount", required=True),
        Field("transactionCcy", "transaction_ccy", "text", "currency exactly 3", "currency", required=True),
        Field("targetCcy", "target_ccy", "text", "currency exactly 3", "currency", required=True),
        Field("rateVersion", "rate_version", "text", "string max 64"),
        sections=("4.11",),
        rules=(
            Rule(
                "one-side-usd",
                "transactionCcy is USD or targetCcy is USD",
                "transaction_ccy is USD or target_ccy is USD",
                ("4.11", "1"),
            ),
            Rule(
                "two-currencies",
                "transactionCcy differs from targetCcy",
                "transaction_ccy differs from target_ccy",
                ("4.11",),
            ),
            Rule(
                "pair-of-the-two",
                "ccyPair is transactionCcy then targetCcy ?pair-order",
                "ccy_pair is transaction_ccy then target_ccy",
                ("2.9", "4.11"),
            ),
        ),
    ),
    "exchanges.create.response": Struct(
        "exchanges.create.response",
        *GATEWAY_RESPONSE_FIELDS,
        Field("data", "data", "struct", "ExchangeCreated", "ExchangeCreated"),
        sections=("4.11",),
        rules=GATEWAY_RESPONSE_RULES,
    ),
    "exchanges.query.request": Struct(
        "exchanges.query.request",
        *GATEWAY_REQUEST_FIELDS,
        Field("data", "data", "struct", "exchanges.query.request.data", "exchanges.query.request.data", required=True),
        sections=("4.12",),
    ),
    "exchanges.query.request.data": Struct(
        "exchanges.query.request.data",
        Field("outTradeNo", "out_trade_no", "text", "string max 64", required=True),
        sections=("4.12",),
    ),
    "exchanges.query.response": Struct(
        "exchanges.query.response",
        *GATEWAY_RESPONSE_FIELDS,
        Field("data", "data", "struct", "Exchange", "Exchange"),
        sections=("4.12",),
        rules=GATEWAY_RESPONSE_RULES,
    ),
}

SETS = {
    "ExchangeStatus": Set(
        "ExchangeStatus",
        {"SUCCESS": "exchanged", "FAILED": "failed", "PENDING": "not finished yet"},
        states=True,
        final=("SUCCESS", "FAILED"),
        paid=("SUCCESS",),
        sections=("3", "2.9"),
    ),
}
