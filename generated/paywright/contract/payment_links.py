"""What spec/payment_links.yaml says, as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Rule, Set, Struct
from paywright_runtime.contract.operation import Amount, Listed, Operation

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
        payloads=("data", "data"),
        succeeds=("code", "APPLY_SUCCESS"),
        message_at="msg",
        refusal_codes=frozenset(
            ("SIGN_VERIFY_FAILED", "REQ_TIME_OVER_TIME", "TOO_MANY_REQUEST", "MERCHANT_APP_INVALID", "PARAMS_INVALID")
        ),
        clock_codes=frozenset(("REQ_TIME_OVER_TIME",)),
        amount=Amount("response", "/data/totalAmount", "/data/currency"),
        lists=(Listed("/data/payByLinkInfo", "outTradeNo", "status", "LinkTransactionStatus"),),
    ),
}

STRUCTS = {
    "PayByLink": Struct(
        "PayByLink",
        "spec/payment_links.yaml",
        20,
        (
            Field("linkId", "link_id", "text", "string max 64", 21, required=True),
            Field("merchantLinkId", "merchant_link_id", "text", "string max 64", 22, required=True),
            Field("totalAmount", "total_amount", "decimal", "amount max 24", 23, required=True, of="amount"),
            Field("country", "country", "text", "country max 2", 24, required=True, of="country"),
            Field("currency", "currency", "text", "currency max 3", 25, required=True, of="currency"),
            Field("linkStatus", "link_status", "set", "LinkStatus max 16", 26, required=True, of="LinkStatus"),
            Field("expiresAt", "expires_at", "text", "moment max 32", 27, required=True, of="moment"),
            Field("linkUrl", "link_url", "text", "string max 256", 28, required=True),
            Field("qrCodeUrl", "qr_code_url", "text", "string max 256", 29, required=True),
            Field("description", "description", "text", "string max 256", 30, required=True),
            Field("linkDescription", "link_description", "text", "string max 256", 31),
            Field(
                "payByLinkInfo", "pay_by_link_info", "struct", "LinkTransaction[]", 32, of="LinkTransaction", array=True
            ),
            Field("goodsDetails", "goods_details", "struct", "LinkGoods[]", 33, of="LinkGoods", array=True),
        ),
        sections=("2.7",),
        model="paywright.models.payment_links:PayByLink",
    ),
    "LinkTransaction": Struct(
        "LinkTransaction",
        "spec/payment_links.yaml",
        35,
        (
            Field("outTradeNo", "out_trade_no", "text", "string max 64", 36),
            Field("status", "status", "set", "LinkTransactionStatus max 32", 37, of="LinkTransactionStatus"),
            Field("completeAt", "complete_at", "text", "moment max 32 blank", 38, of="moment", blank=True),
            Field("userInfo", "user_info", "struct", "LinkUser", 39, of="LinkUser"),
            Field("paymentDetails", "payment_details", "struct", "LinkPayment[]", 40, of="LinkPayment", array=True),
        ),
        sections=("2.7",),
        rules=(
            Rule(
                "time-of-success",
                "when status in PENDING CLOSE, completeAt is empty",
                "when status in PENDING CLOSE, complete_at is empty",
                62,
                ("2.7",),
            ),
            Rule(
                "details-of-success",
                "when status in PENDING CLOSE, paymentDetails is empty",
                "when status in PENDING CLOSE, payment_details is empty",
                63,
                ("2.7",),
            ),
        ),
        model="paywright.models.payment_links:LinkTransaction",
    ),
    "LinkUser": Struct(
        "LinkUser",
        "spec/payment_links.yaml",
        42,
        (
            Field("userId", "user_id", "text", "string max 64", 43, redaction="pii"),
            Field("userName", "user_name", "text", "string max 64", 44, redaction="pii"),
        ),
        sections=("2.7",),
        model="paywright.models.payment_links:LinkUser",
    ),
    "LinkPayment": Struct(
        "LinkPayment",
        "spec/payment_links.yaml",
        46,
        (
            Field("targetOrg", "target_org", "text", "string max 64", 47),
            Field("paymentMethodType", "payment_method_type", "text", "string max 64", 48),
            Field("cardInfo", "card_info", "struct", "CardInfo", 49, of="CardInfo"),
        ),
        sections=("2.7",),
        model="paywright.models.payment_links:LinkPayment",
    ),
    "LinkGoods": Struct(
        "LinkGoods",
        "spec/payment_links.yaml",
        51,
        (
            Field("goodsName", "goods_name", "text", "string max 128", 52, required=True),
            Field("goodsDescription", "goods_description", "text", "string max 256", 53, required=True),
            Field("quantity", "quantity", "text", "string max 16", 54, required=True),
            Field("price", "price", "decimal", "amount max 24", 55, required=True, of="amount"),
            Field("goodsCurrency", "goods_currency", "text", "currency max 3", 56, of="currency"),
            Field("showUrl", "show_url", "text", "string max 128", 57),
        ),
        sections=("2.7",),
        model="paywright.models.payment_links:LinkGoods",
    ),
    "payment_links.query.request": Struct(
        "payment_links.query.request",
        "spec/payment_links.yaml",
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
                "merchantNo",
                "merchant_no",
                "text",
                "string max 32",
                196,
                source="merchant.merchant_no",
                file="spec/service.yaml",
            ),
            Field(
                "data",
                "data",
                "struct",
                "payment_links.query.request.data",
                197,
                required=True,
                of="payment_links.query.request.data",
                file="spec/service.yaml",
            ),
            Field(
                "merchantAppId", "merchant_app_id", "text", "string max 64", 13, required=True, source="merchant.app_id"
            ),
        ),
        sections=("4.4",),
    ),
    "payment_links.query.request.data": Struct(
        "payment_links.query.request.data",
        "spec/payment_links.yaml",
        14,
        (Field("merchantLinkId", "merchant_link_id", "text", "string max 64", 15, required=True),),
        sections=("4.4",),
    ),
    "payment_links.query.response": Struct(
        "payment_links.query.response",
        "spec/payment_links.yaml",
        16,
        (
            Field("code", "code", "text", "string", 201, required=True, file="spec/service.yaml"),
            Field("msg", "msg", "text", "string", 202, file="spec/service.yaml"),
            Field("data", "data", "struct", "PayByLink", 203, of="PayByLink", file="spec/service.yaml"),
        ),
        sections=("4.4",),
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
    "LinkStatus": Set(
        "LinkStatus",
        "spec/payment_links.yaml",
        67,
        {"ACTIVE": "can be paid", "EXPIRED": "can no longer be paid"},
        model="paywright.models.payment_links:LinkStatus",
        open=False,
        states=True,
        final=("EXPIRED",),
        settled=(),
        paid=(),
        returned=(),
        stated=(),
        sections=("3", "2.7"),
    ),
    "LinkTransactionStatus": Set(
        "LinkTransactionStatus",
        "spec/payment_links.yaml",
        71,
        {"SUCCESS": "paid", "PENDING": "not finished yet", "CLOSE": "closed unpaid"},
        model="paywright.models.payment_links:LinkTransactionStatus",
        open=False,
        states=True,
        final=("SUCCESS", "CLOSE"),
        settled=(),
        paid=("SUCCESS",),
        returned=(),
        stated=(),
        sections=("3", "2.7"),
    ),
}
