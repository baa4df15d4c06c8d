"""What spec/rates.yaml says, as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Rule, Struct
from paywright_runtime.contract.operation import Operation

OPERATIONS = {
    "rates.query": Operation(
        "rates.query",
        "spec/rates.yaml",
        5,
        path="/aggregate-pay/api/gateway/queryClientExchangeRate",
        envelope="gateway",
        roles=("request", "response"),
        request="rates.query.request",
        response="rates.query.response",
        sections=("4.8",),
        version="1.5",
        data="rates.query.request.data",
        result="CurrencyList",
        request_headers="gateway.request.headers",
        response_headers="gateway.response.headers",
        payloads=("data", "data"),
        succeeds=("code", "APPLY_SUCCESS"),
        message_at="msg",
        refusal_codes=frozenset(
            ("SIGN_VERIFY_FAILED", "REQ_TIME_OVER_TIME", "TOO_MANY_REQUEST", "MERCHANT_APP_INVALID", "PARAMS_INVALID")
        ),
        clock_codes=frozenset(("REQ_TIME_OVER_TIME",)),
    ),
}

STRUCTS = {
    "RatePair": Struct(
        "RatePair",
        "spec/rates.yaml",
        21,
        (
            Field("side", "side", "text", "string in BUY SELL", 22, required=True),
            Field("targetCurrency", "target_currency", "text", "currency", 23, required=True, of="currency"),
            Field("transactionCurrency", "transaction_currency", "text", "currency", 24, required=True, of="currency"),
        ),
        sections=("4.8",),
        model="paywright.models.rates:RatePair",
    ),
    "CurrencyList": Struct(
        "CurrencyList",
        "spec/rates.yaml",
        26,
        (Field("currencyList", "currency_list", "struct", "Rate[]", 27, required=True, of="Rate", array=True),),
        sections=("4.8",),
        model="paywright.models.rates:CurrencyList",
    ),
    "Rate": Struct(
        "Rate",
        "spec/rates.yaml",
        29,
        (
            Field("ccyPair", "ccy_pair", "text", "string", 30, required=True),
            Field("rate", "rate", "number", "number", 31, required=True),
            Field("rateType", "rate_type", "text", "string", 32, required=True),
            Field("side", "side", "text", "string", 33, required=True),
            Field("targetCurrency", "target_currency", "text", "currency", 34, required=True, of="currency"),
            Field("transactionCurrency", "transaction_currency", "text", "currency", 35, required=True, of="currency"),
            Field("rateReferenceId", "rate_reference_id", "text", "string", 36),
            Field("effectTime", "effect_time", "datetime", "time", 37, of="request_time"),
            Field("expiryTime", "expiry_time", "datetime", "time", 38, of="request_time"),
            Field("validTime", "valid_time", "datetime", "time", 39, of="request_time"),
        ),
        sections=("2.9",),
        rules=(
            Rule(
                "pair-of-the-two",
                "ccyPair is transactionCurrency then targetCurrency",
                "ccy_pair is transaction_currency then target_currency",
                44,
                ("2.9",),
            ),
        ),
        model="paywright.models.rates:Rate",
    ),
    "rates.query.request": Struct(
        "rates.query.request",
        "spec/rates.yaml",
        13,
        (
            Field(
                "version",
                "version",
                "text",
                "string",
                192,
                required=True,
                source="operation.version",
                file="spec/service.yaml",
            ),
            Field(
                "keyVersion", "key_version", "text", "string", 193, required=True, sends="1", file="spec/service.yaml"
            ),
            Field(
                "requestTime",
                "request_time",
                "datetime",
                "time",
                194,
                required=True,
                of="request_time",
                source="clock",
                file="spec/service.yaml",
            ),
            Field(
                "appId",
                "app_id",
                "text",
                "string",
                195,
                required=True,
                source="merchant.app_id",
                file="spec/service.yaml",
            ),
            Field(
                "merchantNo", "merchant_no", "text", "string max 32", 10, required=True, source="merchant.merchant_no"
            ),
            Field(
                "data",
                "data",
                "struct",
                "rates.query.request.data",
                197,
                required=True,
                of="rates.query.request.data",
                file="spec/service.yaml",
            ),
        ),
        sections=("4.8",),
    ),
    "rates.query.request.data": Struct(
        "rates.query.request.data",
        "spec/rates.yaml",
        13,
        (
            Field(
                "ccyPairList",
                "ccy_pair_list",
                "struct",
                "RatePair[] max 40",
                14,
                required=True,
                of="RatePair",
                array=True,
            ),
            Field("product", "product", "text", "string in PAY_IN PAY_OUT", 15, required=True),
            Field("validTime", "valid_time", "date", "day blank", 16, of="calendar_day", blank=True),
        ),
        sections=("4.8",),
    ),
    "rates.query.response": Struct(
        "rates.query.response",
        "spec/rates.yaml",
        17,
        (
            Field("code", "code", "text", "string", 201, required=True, file="spec/service.yaml"),
            Field("msg", "msg", "text", "string", 12, required=True),
            Field("data", "data", "struct", "CurrencyList", 203, of="CurrencyList", file="spec/service.yaml"),
        ),
        sections=("4.8",),
        rules=(
            Rule(
                "success-has-data",
                "when code is APPLY_SUCCESS, need data",
                "when code is APPLY_SUCCESS, need data",
                205,
                ("2.2",),
                file="spec/service.yaml",
            ),
        ),
    ),
}
