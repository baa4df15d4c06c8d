"""What spec/withdrawals.yaml says, as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Rule, Set, Struct
from paywright_runtime.contract.operation import Amount, Operation

OPERATIONS = {
    "withdrawals.query": Operation(
        "withdrawals.query",
        "spec/withdrawals.yaml",
        4,
        path="/aggregate-pay/api/gateway/queryWithdrawOrder",
        envelope="gateway",
        roles=("request", "response"),
        request="withdrawals.query.request",
        response="withdrawals.query.response",
        sections=("4.15",),
        questions=("withdraw-absent",),
        version="1.5",
        data="withdrawals.query.request.data",
        result="WithdrawOrder",
        request_headers="gateway.request.headers",
        response_headers="gateway.response.headers",
        echoes=("outTradeNo",),
        payloads=("data", "data"),
        succeeds=("code", "APPLY_SUCCESS"),
        message_at="msg",
        refusal_codes=frozenset(
            ("SIGN_VERIFY_FAILED", "REQ_TIME_OVER_TIME", "TOO_MANY_REQUEST", "MERCHANT_APP_INVALID", "PARAMS_INVALID")
        ),
        not_found_codes=frozenset(("ORDER_NOT_EXIST",)),
        clock_codes=frozenset(("REQ_TIME_OVER_TIME",)),
        amount=Amount("response", "/data/transactionAmount", "/data/transactionCurrency"),
    ),
}

STRUCTS = {
    "WithdrawOrder": Struct(
        "WithdrawOrder",
        "spec/withdrawals.yaml",
        20,
        (
            Field("outTradeNo", "out_trade_no", "text", "string", 21, required=True),
            Field("tradeNo", "trade_no", "text", "string", 22, required=True),
            Field("status", "status", "set", "WithdrawStatus", 23, required=True, of="WithdrawStatus"),
            Field("transactionCurrency", "transaction_currency", "text", "currency", 24, required=True, of="currency"),
            Field("transactionAmount", "transaction_amount", "decimal", "amount", 25, required=True, of="amount"),
            Field("targetCurrency", "target_currency", "text", "currency", 26, required=True, of="currency"),
            Field(
                "targetAmount", "target_amount", "decimal", "amount blank", 27, required=True, of="amount", blank=True
            ),
            Field("rate", "rate", "decimal", "amount blank", 28, required=True, of="amount", blank=True),
            Field("rateTime", "rate_time", "text", "moment blank", 29, required=True, of="moment", blank=True),
            Field("remark", "remark", "text", "string", 30, required=True),
            Field("callBackUrl", "call_back_url", "text", "string", 31, required=True),
            Field(
                "payerFundsAccountNo", "payer_funds_account_no", "text", "string", 32, required=True, redaction="pii"
            ),
            Field("payeeBankAccountNo", "payee_bank_account_no", "text", "string", 33, required=True, redaction="pii"),
            Field("fee", "fee", "struct", "WithdrawFee", 34, required=True, of="WithdrawFee"),
            Field("memberId", "member_id", "text", "string", 35, required=True),
        ),
        sections=("2.10",),
        model="paywright.models.withdrawals:WithdrawOrder",
    ),
    "WithdrawFee": Struct(
        "WithdrawFee",
        "spec/withdrawals.yaml",
        37,
        (
            Field(
                "serviceFeeAmount",
                "service_fee_amount",
                "decimal",
                "amount blank",
                38,
                required=True,
                of="amount",
                blank=True,
            ),
            Field(
                "serviceFeeCurrency",
                "service_fee_currency",
                "text",
                "currency blank",
                39,
                required=True,
                of="currency",
                blank=True,
            ),
        ),
        sections=("2.10",),
        model="paywright.models.withdrawals:WithdrawFee",
    ),
    "withdrawals.query.request": Struct(
        "withdrawals.query.request",
        "spec/withdrawals.yaml",
        14,
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
                "data",
                "data",
                "struct",
                "withdrawals.query.request.data",
                197,
                required=True,
                of="withdrawals.query.request.data",
                file="spec/service.yaml",
            ),
            Field("memberId", "member_id", "text", "string", 13, required=True, source="merchant.member_id"),
        ),
        sections=("4.15",),
    ),
    "withdrawals.query.request.data": Struct(
        "withdrawals.query.request.data",
        "spec/withdrawals.yaml",
        14,
        (Field("outTradeNo", "out_trade_no", "text", "string", 15, required=True),),
        sections=("4.15",),
    ),
    "withdrawals.query.response": Struct(
        "withdrawals.query.response",
        "spec/withdrawals.yaml",
        16,
        (
            Field("code", "code", "text", "string", 201, required=True, file="spec/service.yaml"),
            Field("msg", "msg", "text", "string", 202, file="spec/service.yaml"),
            Field("data", "data", "struct", "WithdrawOrder", 203, of="WithdrawOrder", file="spec/service.yaml"),
        ),
        sections=("4.15",),
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

SETS = {
    "WithdrawStatus": Set(
        "WithdrawStatus",
        "spec/withdrawals.yaml",
        43,
        {"PROCESSING": "not finished yet", "SUCCESS": "paid out", "FAILED": "failed"},
        model="paywright.models.withdrawals:WithdrawStatus",
        open=False,
        states=True,
        final=("SUCCESS", "FAILED"),
        settled=(),
        paid=("SUCCESS",),
        returned=(),
        stated=("SUCCESS", "FAILED"),
        sections=("3", "2.10"),
    ),
}
