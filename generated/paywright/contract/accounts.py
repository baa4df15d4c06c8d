"""Contents of spec/accounts.yaml as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright.contract._envelopes import GATEWAY_OPERATION, GATEWAY_RESPONSE_FIELDS, GATEWAY_RESPONSE_RULES
from paywright_runtime.contract.model import Field, Set, Struct

OPERATIONS = {
    "accounts.list_authorized": GATEWAY_OPERATION(
        "accounts.list_authorized",
        path="/aggregate-pay/api/gateway/queryAuthorizedAccount",
        request="accounts.list_authorized.request",
        response="accounts.list_authorized.response",
        sections=("4.16",),
        version="1.5",
        data="accounts.list_authorized.request.data",
        result="AuthorizedAccountList",
    ),
}

STRUCTS = {
    "AuthorizedAccountList": Struct(
        "AuthorizedAccountList",
        Field(
            "merchantAuthorizedAccountInfoList",
            "merchant_authorized_account_info_list",
            "struct",
            "AuthorizedAccount[]",
            "AuthorizedAccount",
            required=True,
            array=True,
        ),
        sections=("4.16", "2.11"),
    ),
    "AuthorizedAccount": Struct(
        "AuthorizedAccount",
        Field("merchantNo", "merchant_no", "text", "string", required=True),
        Field("memberId", "member_id", "text", "string", required=True),
        Field("productType", "product_type", "set", "ProductType", "ProductType", required=True),
        Field(
            "authorizedFundsAccountNo", "authorized_funds_account_no", "text", "string", required=True, redaction="pii"
        ),
        Field("authorizedFundsAccountAlias", "authorized_funds_account_alias", "text", "string", required=True),
        sections=("2.11",),
    ),
    "accounts.list_authorized.request": Struct(
        "accounts.list_authorized.request",
        Field("version", "version", "text", "string", required=True, source="operation.version"),
        Field("keyVersion", "key_version", "text", "string", required=True, sends="1"),
        Field("requestTime", "request_time", "datetime", "time", "request_time", required=True, source="clock"),
        Field("appId", "app_id", "text", "string", required=True, source="merchant.app_id"),
        Field("merchantNo", "merchant_no", "text", "string max 32", required=True, source="merchant.merchant_no"),
        Field(
            "data",
            "data",
            "struct",
            "accounts.list_authorized.request.data",
            "accounts.list_authorized.request.data",
            required=True,
        ),
        sections=("4.16",),
    ),
    "accounts.list_authorized.request.data": Struct(
        "accounts.list_authorized.request.data",
        Field("productTypeList", "product_type_list", "set", "ProductType[]", "ProductType", required=True, array=True),
        sections=("4.16",),
    ),
    "accounts.list_authorized.response": Struct(
        "accounts.list_authorized.response",
        *GATEWAY_RESPONSE_FIELDS,
        Field("data", "data", "struct", "AuthorizedAccountList", "AuthorizedAccountList"),
        sections=("4.16",),
        rules=GATEWAY_RESPONSE_RULES,
    ),
}

SETS = {
    "ProductType": Set(
        "ProductType", {"payin": "acquisition", "payout": "disbursement", "collect": "collection"}, sections=("2.11",)
    ),
}
