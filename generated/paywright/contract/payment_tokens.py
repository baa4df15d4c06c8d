"""Contents of spec/payment_tokens.yaml as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright.contract._envelopes import (
    GATEWAY_OPERATION,
    GATEWAY_REQUEST_FIELDS,
    GATEWAY_RESPONSE_FIELDS,
    GATEWAY_RESPONSE_RULES,
)
from paywright_runtime.contract.model import Field, Rule, Set, Struct
from paywright_runtime.contract.operation import Listed, Operation

OPERATIONS = {
    "payment_tokens.list": GATEWAY_OPERATION(
        "payment_tokens.list",
        path="/aggregate-pay/api/gateway/inquirePaymentToken",
        request="payment_tokens.list.request",
        response="payment_tokens.list.response",
        sections=("4.6",),
        version="1.2",
        data="payment_tokens.list.request.data",
        result="PaymentTokenList",
        each_echoes=(("tokenList", "userId"),),
        lists=(Listed("/data/tokenList", "paymentTokenID", "paymentTokenStatus", "PaymentTokenStatus"),),
    ),
    "payment_tokens.inquire": Operation(
        "payment_tokens.inquire",
        path=None,
        envelope="token_inquiry",
        roles=("request", "response"),
        request="payment_tokens.inquire.request",
        response="payment_tokens.inquire.response",
        sections=("4.7",),
        questions=("token-inquiry-address", "biz-codes"),
        version="2.6",
        result="BizPaymentTokenList",
        request_headers="payment_tokens.inquire.request.headers",
        response_headers="payment_tokens.inquire.response.headers",
        discriminators={"/bizType": "inquirePaymentToken"},
        each_echoes=(("tokenList", "userId"),),
        payloads=("", "data"),
        succeeds=("bizCode", "0000"),
        message_at="message",
        not_found_codes=frozenset(("4000",)),
        lists=(Listed("/data/tokenList", "paymentTokenID", "paymentTokenStatus", "PaymentTokenStatus"),),
    ),
}

STRUCTS = {
    "PaymentTokenList": Struct(
        "PaymentTokenList",
        Field("tokenList", "token_list", "struct", "PaymentToken[]", "PaymentToken", array=True),
        sections=("4.6",),
    ),
    "BizPaymentTokenList": Struct(
        "BizPaymentTokenList",
        Field("tokenList", "token_list", "struct", "BizPaymentToken[]", "BizPaymentToken", array=True),
        sections=("4.7",),
    ),
    "PaymentToken": Struct(
        "PaymentToken",
        Field("paymentTokenID", "payment_token_id", "text", "string max 64", required=True, redaction="secret"),
        Field("userId", "user_id", "text", "string max 64", required=True, redaction="pii"),
        Field("tokenScope", "token_scope", "text", "string max 16", required=True),
        Field("paymentTokenExpiry", "payment_token_expiry", "datetime", "time max 32", "request_time", required=True),
        Field(
            "paymentTokenStatus",
            "payment_token_status",
            "set",
            "PaymentTokenStatus max 16",
            "PaymentTokenStatus",
            required=True,
        ),
        Field("cardInfo", "card_info", "text", "string max 19", redaction="pan"),
        Field("ifCVV", "if_cvv", "set", "CvvEntry max 1", "CvvEntry"),
        Field("brand", "brand", "text", "string max 32"),
        Field("paymentMethodType", "payment_method_type", "text", "string max 32", required=True),
        Field("targetOrg", "target_org", "text", "string max 32"),
        Field("accountDisplay", "account_display", "text", "string", redaction="pii"),
        Field("referralCode", "referral_code", "text", "string"),
        sections=("2.6",),
        rules=(
            Rule(
                "card-has-no-target",
                "when paymentMethodType is CARD, targetOrg is empty",
                "when payment_method_type is CARD, target_org is empty",
                ("2.6",),
            ),
            Rule(
                "card-has-no-account",
                "when paymentMethodType is CARD, accountDisplay is empty",
                "when payment_method_type is CARD, account_display is empty",
                ("2.6",),
            ),
        ),
    ),
    "BizPaymentToken": Struct(
        "BizPaymentToken",
        Field("paymentTokenID", "payment_token_id", "text", "string max 64", required=True, redaction="secret"),
        Field("userId", "user_id", "text", "string max 64", required=True, redaction="pii"),
        Field("tokenScope", "token_scope", "text", "string max 16", required=True),
        Field("paymentTokenExpiry", "payment_token_expiry", "datetime", "time max 32", "request_time", required=True),
        Field(
            "paymentTokenStatus",
            "payment_token_status",
            "set",
            "PaymentTokenStatus max 16",
            "PaymentTokenStatus",
            required=True,
        ),
        Field("cardInfo", "card_info", "text", "string max 19", redaction="pan"),
        Field("ifCVV", "if_cvv", "set", "CvvEntry max 1", "CvvEntry"),
        Field("brand", "brand", "text", "string max 32"),
        Field("paymentMethodType", "payment_method_type", "text", "string max 32", required=True),
        Field("targetOrg", "target_org", "text", "string max 32"),
        Field("accountDisplay", "account_display", "text", "string", redaction="pii"),
        sections=("2.6", "4.7"),
        rules=(
            Rule(
                "card-has-no-target",
                "when paymentMethodType is CARD, targetOrg is empty",
                "when payment_method_type is CARD, target_org is empty",
                ("2.6",),
            ),
            Rule(
                "card-has-no-account",
                "when paymentMethodType is CARD, accountDisplay is empty",
                "when payment_method_type is CARD, account_display is empty",
                ("2.6",),
            ),
        ),
    ),
    "payment_tokens.list.request": Struct(
        "payment_tokens.list.request",
        *GATEWAY_REQUEST_FIELDS,
        Field(
            "data",
            "data",
            "struct",
            "payment_tokens.list.request.data",
            "payment_tokens.list.request.data",
            required=True,
        ),
        sections=("4.6",),
    ),
    "payment_tokens.list.request.data": Struct(
        "payment_tokens.list.request.data",
        Field("userId", "user_id", "text", "string max 64", required=True, redaction="pii"),
        Field("tokenScope", "token_scope", "text", "string max 16 default tokenAcq"),
        Field("paymentTokenID", "payment_token_id", "text", "string max 64", redaction="secret"),
        Field("paymentMethodType", "payment_method_type", "text", "string"),
        Field("targetOrg", "target_org", "text", "string"),
        Field("cardOrg", "card_org", "text", "string"),
        Field("referralCode", "referral_code", "text", "string"),
        sections=("4.6",),
        rules=(
            Rule(
                "card-has-no-target",
                "when paymentMethodType is CARD, targetOrg is empty",
                "when payment_method_type is CARD, target_org is empty",
                ("4.6",),
            ),
        ),
    ),
    "payment_tokens.list.response": Struct(
        "payment_tokens.list.response",
        *GATEWAY_RESPONSE_FIELDS,
        Field("data", "data", "struct", "PaymentTokenList", "PaymentTokenList"),
        sections=("4.6",),
        rules=GATEWAY_RESPONSE_RULES,
    ),
    "payment_tokens.inquire.request": Struct(
        "payment_tokens.inquire.request",
        Field("merchantId", "merchant_id", "text", "string max 30", required=True, source="merchant.merchant_id"),
        Field("version", "version", "text", "string max 5", required=True, source="operation.version"),
        Field(
            "bizType",
            "biz_type",
            "text",
            "string max 30 is inquirePaymentToken",
            required=True,
            sends="inquirePaymentToken",
        ),
        Field("userId", "user_id", "text", "string max 64", required=True, redaction="pii"),
        Field("tokenScope", "token_scope", "text", "string max 16", required=True, sends="tokenAcq"),
        Field("paymentTokenID", "payment_token_id", "text", "string max 64", redaction="secret"),
        sections=("4.7",),
    ),
    "payment_tokens.inquire.response": Struct(
        "payment_tokens.inquire.response",
        Field("bizCode", "biz_code", "text", "string max 10", required=True),
        Field("message", "message", "text", "string max 256"),
        Field("data", "data", "struct", "BizPaymentTokenList", "BizPaymentTokenList", required=True),
        sections=("4.7",),
    ),
}

SETS = {
    "CvvEntry": Set(
        "CvvEntry",
        {"Y": "the CVV must be entered again when paying with the token", "N": "the CVV need not be entered"},
        sections=("2.6",),
    ),
    "PaymentTokenStatus": Set(
        "PaymentTokenStatus",
        {"Deleted": "deleted", "Activated": "can be paid with", "Expired": "expired"},
        states=True,
        final=("Deleted", "Expired"),
        sections=("3", "2.6"),
    ),
}
