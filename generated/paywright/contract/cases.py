"""Contents of spec/cases.yaml as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright.contract._envelopes import (
    GATEWAY_OPERATION,
    GATEWAY_REQUEST_FIELDS,
    GATEWAY_RESPONSE_FIELDS,
    GATEWAY_RESPONSE_RULES,
)
from paywright_runtime.contract.model import Field, Rule, Set, Struct
from paywright_runtime.contract.operation import Amount, Operation

OPERATIONS = {
    "cases.search": GATEWAY_OPERATION(
        "cases.search",
        path="/aggregate-pay/api/gateway/caseSearch",
        request="cases.search.request",
        response="cases.search.response",
        sections=("4.9",),
        version="1.5",
        data="cases.search.request.data",
        result="Case",
        echoes=("caseId",),
        amount=Amount("response", "/data/amount", "/data/currency"),
    ),
    "cases.inquire": Operation(
        "cases.inquire",
        path=None,
        envelope="case_inquiry",
        roles=("request", "response"),
        request="cases.inquire.request",
        response="cases.inquire.response",
        sections=("4.10",),
        questions=("case-inquiry-address", "case-inquiry-code"),
        version="1.0",
        result="BizCase",
        request_headers="cases.inquire.request.headers",
        response_headers="cases.inquire.response.headers",
        discriminators={"/bizType": "caseSearch"},
        echoes=("caseId",),
        payloads=("", "data"),
        succeeds=("code", "APPLY_SUCCESS"),
        message_at="msg",
        amount=Amount("response", "/data/amount", "/data/currency"),
    ),
}

STRUCTS = {
    "Case": Struct(
        "Case",
        Field("amount", "amount", "decimal", "amount max 20", "amount", required=True),
        Field("retrievalDate", "retrieval_date", "date", "date max 32", "calendar_date", required=True),
        Field("fee", "fee", "decimal", "amount max 20", "amount", required=True),
        Field("caseResult", "case_result", "set", "CaseResult max 32", "CaseResult"),
        Field("batchId", "batch_id", "text", "string max 64"),
        Field("outUserId", "out_user_id", "text", "string max 64", required=True, redaction="pii"),
        Field("tradeCreateTime", "trade_create_time", "datetime", "time", "request_time", required=True),
        Field("totalAmount", "total_amount", "decimal", "amount max 20", "amount", required=True),
        Field("caseId", "case_id", "text", "string max 64", required=True),
        Field("outTradeNo", "out_trade_no", "text", "string max 64", required=True),
        Field("currency", "currency", "text", "currency max 3", "currency"),
        Field("tradeToken", "trade_token", "text", "string max 64", required=True),
        Field("status", "status", "set", "CaseStatus max 32", "CaseStatus", required=True),
        Field("expirationDate", "expiration_date", "date", "date max 32", "calendar_date", required=True),
        Field("originTradeAmount", "origin_trade_amount", "decimal", "amount max 20", "amount", required=True),
        Field("originTradeCurrency", "origin_trade_currency", "text", "currency max 3", "currency"),
        sections=("2.12",),
    ),
    "BizCase": Struct(
        "BizCase",
        Field("amount", "amount", "decimal", "amount max 20", "amount", required=True),
        Field("retrievalDate", "retrieval_date", "date", "date max 32", "calendar_date", required=True),
        Field("fee", "fee", "decimal", "amount max 20", "amount", required=True),
        Field("caseResult", "case_result", "set", "CaseResult max 32", "CaseResult"),
        Field("batchId", "batch_id", "text", "string max 64"),
        Field("outUserId", "out_user_id", "text", "string max 64", required=True, redaction="pii"),
        Field("tradeCreateTime", "trade_create_time", "datetime", "time", "request_time", required=True),
        Field("totalAmount", "total_amount", "decimal", "amount max 20", "amount", required=True),
        Field("caseId", "case_id", "text", "string max 64", required=True),
        Field("outTradeNo", "out_trade_no", "text", "string max 64", required=True),
        Field("currency", "currency", "text", "currency max 3", "currency"),
        Field("tradeToken", "trade_token", "text", "string max 64", required=True),
        Field("status", "status", "set", "CaseStatus max 32", "CaseStatus", required=True),
        Field("expirationDate", "expiration_date", "date", "date max 32", "calendar_date", required=True),
        sections=("2.12", "4.10"),
    ),
    "cases.search.request": Struct(
        "cases.search.request",
        *GATEWAY_REQUEST_FIELDS,
        Field("data", "data", "struct", "cases.search.request.data", "cases.search.request.data", required=True),
        Field("spMerchantNo", "sp_merchant_no", "text", "string", source="merchant.sp_merchant_no"),
        sections=("4.9",),
    ),
    "cases.search.request.data": Struct(
        "cases.search.request.data",
        Field("caseId", "case_id", "text", "string max 64", required=True),
        sections=("4.9",),
    ),
    "cases.search.response": Struct(
        "cases.search.response",
        *GATEWAY_RESPONSE_FIELDS,
        Field("data", "data", "struct", "Case", "Case"),
        sections=("4.9",),
        rules=GATEWAY_RESPONSE_RULES,
    ),
    "cases.inquire.request": Struct(
        "cases.inquire.request",
        Field("version", "version", "text", "string max 8", required=True, source="operation.version"),
        Field("spMerchantNo", "sp_merchant_no", "text", "string max 64", source="merchant.sp_merchant_no"),
        Field("merchantNo", "merchant_no", "text", "string max 15", required=True, source="merchant.merchant_no"),
        Field("bizType", "biz_type", "text", "string max 32 is caseSearch", required=True, sends="caseSearch"),
        Field("caseId", "case_id", "text", "string max 64", required=True),
        sections=("4.10",),
    ),
    "cases.inquire.response": Struct(
        "cases.inquire.response",
        Field("msg", "msg", "text", "string max 256"),
        Field("code", "code", "text", "string max 32", required=True),
        Field("data", "data", "struct", "BizCase", "BizCase"),
        sections=("4.10",),
        rules=(
            Rule(
                "success-has-data",
                "when code is APPLY_SUCCESS, need data",
                "when code is APPLY_SUCCESS, need data",
                ("2.2", "4.10"),
            ),
        ),
    ),
}

SETS = {
    "CaseResult": Set("CaseResult", {"WIN": "the merchant wins", "FAI": "the merchant loses"}, sections=("2.12",)),
    "CaseStatus": Set(
        "CaseStatus", {"DISPUTE_INQUIRY": "an inquiry was opened"}, open=True, states=True, sections=("3", "2.12")
    ),
}
