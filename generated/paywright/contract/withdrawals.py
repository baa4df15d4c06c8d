"""Contents of spec/withdrawals.yaml as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright.contract._envelopes import GATEWAY_OPERATION, GATEWAY_RESPONSE_FIELDS, GATEWAY_RESPONSE_RULES
from paywright_runtime.contract.model import Field, Set, Struct
from paywright_runtime.contract.operation import Amount

OPERATIONS = {
    "withdrawals.query": GATEWAY_OPERATION(
        "withdrawals.query",
        path="/aggregate-pay/api/gateway/queryWithdrawOrder",
        request="withdrawals.query.request",
        response="withdrawals.query.response",
        sections=("4.15",),
        questions=("withdraw-absent",),
        version="1.5",
        data="withdrawals.query.request.data",
        result="WithdrawOrder",
        echoes=("outTradeNo",),
        not_found_codes=frozenset(("ORDER_NOT_EXIST",)),
        amount=Amount("response", "/data/transactionAmount", "/data/transactionCurrency"),
    ),
}

STRUCTS = {
    "WithdrawOrder": Struct(
        "WithdrawOrder",
        Field("outTradeNo", "out_trade_no", "text", "string", required=True),
        Field("tradeNo", "trade_no", "text", "string", required=True),
        Field("status", "status", "set", "WithdrawStatus", "WithdrawStatus", required=True),
        Field("transactionCurrency", "transaction_currency", "text", "currency", "currency", required=True),
        Field("transactionAmount", "transaction_amount", "decimal", "amount", "amount", required=True),
        Field("targetCurrency", "target_currency", "text", "currency", "currency", required=True),
        Field("targetAmount", "target_amount", "decimal", "amount blank", "amount", required=True, blank=True),
        Field("rate", "rate", "decimal", "amount blank", "amount", required=True, blank=True),
        Field("rateTime", "rate_time", "datetime", "moment blank", "moment", required=True, blank=True),
        Field("remark", "remark", "text", "string", required=True),
        Field("callBackUrl", "call_back_url", "text", "string", required=True),
        Field("payerFundsAccountNo", "payer_funds_account_no", "text", "string", required=True, redaction="pii"),
        Field("payeeBankAccountNo", "payee_bank_account_no", "text", "string", required=True, redaction="pii"),
        Field("fee", "fee", "struct", "WithdrawFee", "WithdrawFee", required=True),
        Field("memberId", "member_id", "text", "string", required=True),
        sections=("2.10",),
    ),
    "WithdrawFee": Struct(
        "WithdrawFee",
        Field("serviceFeeAmount", "service_fee_amount", "decimal", "amount blank", "amount", required=True, blank=True),
        Field(
            "serviceFeeCurrency",
            "service_fee_currency",
            "text",
            "currency blank",
            "currency",
            required=True,
            blank=True,
        ),
        sections=("2.10",),
    ),
    "withdrawals.query.request": Struct(
        "withdrawals.query.request",
        Field("version", "version", "text", "string", required=True, source="operation.version"),
        Field("keyVersion", "key_version", "text", "string", required=True, sends="1"),
        Field("requestTime", "request_time", "datetime", "time", "request_time", required=True, source="clock"),
        Field("appId", "app_id", "text", "string", required=True, source="merchant.app_id"),
        Field(
            "data", "data", "struct", "withdrawals.query.request.data", "withdrawals.query.request.data", required=True
        ),
        Field("memberId", "member_id", "text", "string", required=True, source="merchant.member_id"),
        sections=("4.15",),
    ),
    "withdrawals.query.request.data": Struct(
        "withdrawals.query.request.data",
        Field("outTradeNo", "out_trade_no", "text", "string", required=True),
        sections=("4.15",),
    ),
    "withdrawals.query.response": Struct(
        "withdrawals.query.response",
        *GATEWAY_RESPONSE_FIELDS,
        Field("data", "data", "struct", "WithdrawOrder", "WithdrawOrder"),
        sections=("4.15",),
        rules=GATEWAY_RESPONSE_RULES,
    ),
}

SETS = {
    "WithdrawStatus": Set(
        "WithdrawStatus",
        {"PROCESSING": "not finished yet", "SUCCESS": "paid out", "FAILED": "failed"},
        states=True,
        final=("SUCCESS", "FAILED"),
        paid=("SUCCESS",),
        stated=("SUCCESS", "FAILED"),
        sections=("3", "2.10"),
    ),
}
