"""Contents of spec/payment_links.yaml as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright.contract._envelopes import GATEWAY_OPERATION, GATEWAY_RESPONSE_FIELDS, GATEWAY_RESPONSE_RULES
from paywright_runtime.contract.model import Field, Rule, Set, Struct
from paywright_runtime.contract.operation import Amount, Listed

OPERATIONS = {
    "payment_links.query": GATEWAY_OPERATION(
        "payment_links.query",
        path="/aggregate-pay/api/gateway/queryPaybylink",
        request="payment_links.query.request",
        response="payment_links.query.response",
        sections=("4.4",),
        version="1.1",
        data="payment_links.query.request.data",
        result="PayByLink",
        echoes=("merchantLinkId",),
        amount=Amount("response", "/data/totalAmount", "/data/currency"),
        lists=(Listed("/data/payByLinkInfo", "outTradeNo", "status", "LinkTransactionStatus"),),
    ),
}

STRUCTS = {
    "PayByLink": Struct(
        "PayByLink",
        Field("linkId", "link_id", "text", "string max 64", required=True),
        Field("merchantLinkId", "merchant_link_id", "text", "string max 64", required=True),
        Field("totalAmount", "total_amount", "decimal", "amount max 24", "amount", required=True),
        Field("country", "country", "text", "country max 2", "country", required=True),
        Field("currency", "currency", "text", "currency max 3", "currency", required=True),
        Field("linkStatus", "link_status", "set", "LinkStatus max 16", "LinkStatus", required=True),
        Field("expiresAt", "expires_at", "datetime", "moment max 32", "moment", required=True),
        Field("linkUrl", "link_url", "text", "string max 256", required=True),
        Field("qrCodeUrl", "qr_code_url", "text", "string max 256", required=True),
        Field("description", "description", "text", "string max 256", required=True),
        Field("linkDescription", "link_description", "text", "string max 256"),
        Field("payByLinkInfo", "pay_by_link_info", "struct", "LinkTransaction[]", "LinkTransaction", array=True),
        Field("goodsDetails", "goods_details", "struct", "LinkGoods[]", "LinkGoods", array=True),
        sections=("2.7",),
    ),
    "LinkTransaction": Struct(
        "LinkTransaction",
        Field("outTradeNo", "out_trade_no", "text", "string max 64"),
        Field("status", "status", "set", "LinkTransactionStatus max 32", "LinkTransactionStatus"),
        Field("completeAt", "complete_at", "datetime", "moment max 32 blank", "moment", blank=True),
        Field("userInfo", "user_info", "struct", "LinkUser", "LinkUser"),
        Field("paymentDetails", "payment_details", "struct", "LinkPayment[]", "LinkPayment", array=True),
        sections=("2.7",),
        rules=(
            Rule(
                "time-of-success",
                "when status in PENDING CLOSE, completeAt is empty",
                "when status in PENDING CLOSE, complete_at is empty",
                ("2.7",),
            ),
            Rule(
                "details-of-success",
                "when status in PENDING CLOSE, paymentDetails is empty",
                "when status in PENDING CLOSE, payment_details is empty",
                ("2.7",),
            ),
        ),
    ),
    "LinkUser": Struct(
        "LinkUser",
        Field("userId", "user_id", "text", "string max 64", redaction="pii"),
        Field("userName", "user_name", "text", "string max 64", redaction="pii"),
        sections=("2.7",),
    ),
    "LinkPayment": Struct(
        "LinkPayment",
        Field("targetOrg", "target_org", "text", "string max 64"),
        Field("paymentMethodType", "payment_method_type", "text", "string max 64"),
        Field("cardInfo", "card_info", "struct", "CardInfo", "CardInfo"),
        sections=("2.7",),
    ),
    "LinkGoods": Struct(
        "LinkGoods",
        Field("goodsName", "goods_name", "text", "string max 128", required=True),
        Field("goodsDescription", "goods_description", "text", "string max 256", required=True),
        Field("quantity", "quantity", "text", "string max 16", required=True),
        Field("price", "price", "decimal", "amount max 24", "amount", required=True),
        Field("goodsCurrency", "goods_currency", "text", "currency max 3", "currency"),
        Field("showUrl", "show_url", "text", "string max 128"),
        sections=("2.7",),
    ),
    "payment_links.query.request": Struct(
        "payment_links.query.request",
        Field("version", "version", "text", "string", required=True, source="operation.version"),
        Field("keyVersion", "key_version", "text", "string", required=True, sends="1"),
        Field("requestTime", "request_time", "datetime", "time", "request_time", required=True, source="clock"),
        Field("merchantNo", "merchant_no", "text", "string max 32", source="merchant.merchant_no"),
        Field(
            "data",
            "data",
            "struct",
            "payment_links.query.request.data",
            "payment_links.query.request.data",
            required=True,
        ),
        Field("merchantAppId", "merchant_app_id", "text", "string max 64", required=True, source="merchant.app_id"),
        sections=("4.4",),
    ),
    "payment_links.query.request.data": Struct(
        "payment_links.query.request.data",
        Field("merchantLinkId", "merchant_link_id", "text", "string max 64", required=True),
        sections=("4.4",),
    ),
    "payment_links.query.response": Struct(
        "payment_links.query.response",
        *GATEWAY_RESPONSE_FIELDS,
        Field("data", "data", "struct", "PayByLink", "PayByLink"),
        sections=("4.4",),
        rules=GATEWAY_RESPONSE_RULES,
    ),
}

SETS = {
    "LinkStatus": Set(
        "LinkStatus",
        {"ACTIVE": "can be paid", "EXPIRED": "can no longer be paid"},
        states=True,
        final=("EXPIRED",),
        sections=("3", "2.7"),
    ),
    "LinkTransactionStatus": Set(
        "LinkTransactionStatus",
        {"SUCCESS": "paid", "PENDING": "not finished yet", "CLOSE": "closed unpaid"},
        states=True,
        final=("SUCCESS", "CLOSE"),
        paid=("SUCCESS",),
        sections=("3", "2.7"),
    ),
}
