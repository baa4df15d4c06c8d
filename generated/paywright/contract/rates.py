"""Contents of spec/rates.yaml as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright.contract._envelopes import GATEWAY_OPERATION
from paywright_runtime.contract.model import Field, Rule, Struct

OPERATIONS = {
    "rates.query": GATEWAY_OPERATION(
        "rates.query",
        path="/aggregate-pay/api/gateway/queryClientExchangeRate",
        request="rates.query.request",
        response="rates.query.response",
        sections=("4.8",),
        version="1.5",
        data="rates.query.request.data",
        result="CurrencyList",
    ),
}

STRUCTS = {
    "RatePair": Struct(
        "RatePair",
        Field("side", "side", "text", "string in BUY SELL", required=True),
        Field("targetCurrency", "target_currency", "text", "currency", "currency", required=True),
        Field("transactionCurrency", "transaction_currency", "text", "currency", "currency", required=True),
        sections=("4.8",),
    ),
    "CurrencyList": Struct(
        "CurrencyList",
        Field("currencyList", "currency_list", "struct", "Rate[]", "Rate", required=True, array=True),
        sections=("4.8",),
    ),
    "Rate": Struct(
        "Rate",
        Field("ccyPair", "ccy_pair", "text", "string", required=True),
        Field("rate", "rate", "number", "number", required=True),
        Field("rateType", "rate_type", "text", "string", required=True),
        Field("side", "side", "text", "string", required=True),
        Field("targetCurrency", "target_currency", "text", "currency", "currency", required=True),
        Field("transactionCurrency", "transaction_currency", "text", "currency", "currency", required=True),
        Field("rateReferenceId", "rate_reference_id", "text", "string"),
        Field("effectTime", "effect_time", "datetime", "time", "request_time"),
        Field("expiryTime", "expiry_time", "datetime", "time", "request_time"),
        Field("validTime", "valid_time", "datetime", "time", "request_time"),
        sections=("2.9",),
        rules=(
            Rule(
                "pair-of-the-two",
                "ccyPair is transactionCurrency then targetCurrency",
                "ccy_pair is transaction_currency then target_currency",
                ("2.9",),
            ),
        ),
    ),
    "rates.query.request": Struct(
        "rates.query.request",
        Field("version", "version", "text", "string", required=True, source="operation.version"),
        Field("keyVersion", "key_version", "text", "string", required=True, sends="1"),
        Field("requestTime", "request_time", "datetime", "time", "request_time", required=True, source="clock"),
        Field("appId", "app_id", "text", "string", required=True, source="merchant.app_id"),
        Field("merchantNo", "merchant_no", "text", "string max 32", required=True, source="merchant.merchant_no"),
        Field("data", "data", "struct", "rates.query.request.data", "rates.query.request.data", required=True),
        sections=("4.8",),
    ),
    "rates.query.request.data": Struct(
        "rates.query.request.data",
        Field("ccyPairList", "ccy_pair_list", "struct", "RatePair[] max 40", "RatePair", required=True, array=True),
        Field("product", "product", "text", "string in PAY_IN PAY_OUT", required=True),
        Field("validTime", "valid_time", "date", "day blank", "calendar_day", blank=True),
        sections=("4.8",),
    ),
    "rates.query.response": Struct(
        "rates.query.response",
        Field("code", "code", "text", "string", required=True),
        Field("msg", "msg", "text", "string", required=True),
        Field("data", "data", "struct", "CurrencyList", "CurrencyList"),
        sections=("4.8",),
        rules=(
            Rule(
                "success-has-data",
                "when code is APPLY_SUCCESS, need data",
                "when code is APPLY_SUCCESS, need data",
                ("2.2",),
            ),
        ),
    ),
}
