"""What spec/payment_links.yaml says, as plain values."""

# Generated from the contract by `make generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Rule, Set, Struct
from paywright_runtime.contract.operation import Operation

OPERATIONS = {
    "payment_links.query": Operation(
        "payment_links.query",
        "spec/payment_links.yaml",
        4,
        path="/aggregate-pay/api/gateway/queryPaybylink",
        envelope="gateway",
        roles=("request", "response"),
        request="payment_links.query.request",
        response="payment_links.query.response",
        sections=("4.4",),
        version="1.1",
        data="payment_links.query.request.data",
        result="PayByLink",
        request_headers="gateway.request.headers",
        response_headers="gateway.response.headers",
        echoes=("merchantLinkId",),
        succeeds=("code", "APPLY_SUCCESS"),
        refusal_codes=frozenset(
            ("SIGN_VERIFY_FAILED", "REQ_TIME_OVER_TIME", "TOO_MANY_REQUEST", "MERCHANT_APP_INVALID", "PARAMS_INVALID")
        ),
        clock_codes=frozenset(("REQ_TIME_OVER_TIME",)),
    ),
}

STRUCTS = {
    "PayByLink": Struct(
        "PayByLink",
        "spec/payment_links.yaml",
        18,
        (
            Field("linkId", "link_id", "text", "string max 64", 19, required=True),
            Field("merchantLinkId", "merchant_link_id", "text", "string max 64", 20, required=True),
            Field("totalAmount", "total_amount", "decimal", "amount max 24", 21, required=True, of="amount"),
            Field("country", "country", "text", "country max 2", 22, required=True, of="country"),
            Field("currency", "currency", "text", "currency max 3", 23, required=True, of="currency"),
            Field("linkStatus", "link_status", "set", "LinkStatus max 16", 24, required=True, of="LinkStatus"),
            Field("expiresAt", "expires_at", "text", "moment max 32", 25, required=True, of="moment"),
            Field("linkUrl", "link_url", "text", "string max 256", 26, required=True),
            Field("qrCodeUrl", "qr_code_url", "text", "string max 256", 27, required=True),
            Field("description", "description", "text", "string max 256", 28, required=True),
            Field("linkDescription", "link_description", "text", "string max 256", 29),
            Field(
                "payByLinkInfo", "pay_by_link_info", "struct", "LinkTransaction[]", 30, of="LinkTransaction", array=True
            ),
            Field("goodsDetails", "goods_details", "struct", "LinkGoods[]", 31, of="LinkGoods", array=True),
        ),
        sections=("2.7",),
        model="paywright.models.payment_links:PayByLink",
    ),
    "LinkTransaction": Struct(
        "LinkTransaction",
        "spec/payment_links.yaml",
        33,
        (
            Field("outTradeNo", "out_trade_no", "text", "string max 64", 34),
            Field("status", "status", "set", "LinkTransactionStatus max 32", 35, of="LinkTransactionStatus"),
            Field("completeAt", "complete_at", "text", "moment max 32 blank", 36, of="moment", blank=True),
            Field("userInfo", "user_info", "struct", "LinkUser", 37, of="LinkUser"),
            Field("paymentDetails", "payment_details", "struct", "LinkPayment[]", 38, of="LinkPayment", array=True),
        ),
        sections=("2.7",),
        rules=(
            Rule(
                "time-of-success",
                "when status in PENDING CLOSE, completeAt is empty",
                "when status in PENDING CLOSE, complete_at is empty",
                60,
                ("2.7",),
            ),
            Rule(
                "details-of-success",
                "when status in PENDING CLOSE, paymentDetails is empty",
                "when status in PENDING CLOSE, payment_details is empty",
                61,
                ("2.7",),
            ),
        ),
        model="paywright.models.payment_links:LinkTransaction",
    ),
    "LinkUser": Struct(
        "LinkUser",
        "spec/payment_links.yaml",
        40,
        (
            Field("userId", "user_id", "text", "string max 64", 41, redaction="pii"),
            Field("userName", "user_name", "text", "string max 64", 42, redaction="pii"),
        ),
        sections=("2.7",),
        model="paywright.models.payment_links:LinkUser",
    ),
    "LinkPayment": Struct(
        "LinkPayment",
        "spec/payment_links.yaml",
        44,
        (
            Field("targetOrg", "target_org", "text", "string max 64", 45),
            Field("paymentMethodType", "payment_method_type", "text", "string max 64", 46),
            Field("cardInfo", "card_info", "struct", "CardInfo", 47, of="CardInfo"),
        ),
        sections=("2.7",),
        model="paywright.models.payment_links:LinkPayment",
    ),
    "LinkGoods": Struct(
        "LinkGoods",
        "spec/payment_links.yaml",
        49,
        (
            Field("goodsName", "goods_name", "text", "string max 128", 50, required=True),
            Field("goodsDescription", "goods_description", "text", "string max 256", 51, required=True),
            Field("quantity", "quantity", "text", "string max 16", 52, required=True),
            Field("price", "price", "decimal", "amount max 24", 53, required=True, of="amount"),
            Field("goodsCurrency", "goods_currency", "text", "currency max 3", 54, of="currency"),
            Field("showUrl", "show_url", "text", "string max 128", 55),
        ),
        sections=("2.7",),
        model="paywright.models.payment_links:LinkGoods",
    ),
    "payment_links.query.request": Struct(
        "payment_links.query.request",
        "spec/payment_links.yaml",
        12,
        (
            Field(
                "version",
                "version",
                "text",
                "string",
                141,
                required=True,
                source="operation.version",
                file="spec/service.yaml",
            ),
            Field(
                "keyVersion", "key_version", "text", "string", 142, required=True, sends="1", file="spec/service.yaml"
            ),
            Field(
                "requestTime",
                "request_time",
                "datetime",
                "time",
                143,
                required=True,
                of="request_time",
                source="clock",
                file="spec/service.yaml",
            ),
            Field(
                "merchantNo",
                "merchant_no",
                "text",
                "string max 32",
                145,
                source="merchant.merchant_no",
                file="spec/service.yaml",
            ),
            Field(
                "data",
                "data",
                "struct",
                "payment_links.query.request.data",
                146,
                required=True,
                of="payment_links.query.request.data",
                file="spec/service.yaml",
            ),
            Field(
                "merchantAppId", "merchant_app_id", "text", "string max 64", 11, required=True, source="merchant.app_id"
            ),
        ),
        sections=("4.4",),
    ),
    "payment_links.query.request.data": Struct(
        "payment_links.query.request.data",
        "spec/payment_links.yaml",
        12,
        (Field("merchantLinkId", "merchant_link_id", "text", "string max 64", 13, required=True),),
        sections=("4.4",),
    ),
    "payment_links.query.response": Struct(
        "payment_links.query.response",
        "spec/payment_links.yaml",
        14,
        (
            Field("code", "code", "text", "string", 150, required=True, file="spec/service.yaml"),
            Field("msg", "msg", "text", "string", 151, file="spec/service.yaml"),
            Field("data", "data", "struct", "PayByLink", 152, of="PayByLink", file="spec/service.yaml"),
        ),
        sections=("4.4",),
        rules=(
            Rule(
                "success-has-data",
                "when code is APPLY_SUCCESS, need data",
                "when code is APPLY_SUCCESS, need data",
                154,
                ("2.2",),
                file="spec/service.yaml",
            ),
        ),
    ),
}

SETS = {
    "LinkStatus": Set(
        "LinkStatus",
        "spec/payment_links.yaml",
        65,
        {"ACTIVE": "can be paid", "EXPIRED": "can no longer be paid"},
        model="paywright.models.payment_links:LinkStatus",
        open=False,
        states=True,
        final=("EXPIRED",),
        settled=(),
        paid=(),
        sections=("3", "2.7"),
    ),
    "LinkTransactionStatus": Set(
        "LinkTransactionStatus",
        "spec/payment_links.yaml",
        69,
        {"SUCCESS": "paid", "PENDING": "not finished yet", "CLOSE": "closed unpaid"},
        model="paywright.models.payment_links:LinkTransactionStatus",
        open=False,
        states=True,
        final=("SUCCESS", "CLOSE"),
        settled=(),
        paid=("SUCCESS",),
        sections=("3", "2.7"),
    ),
}
