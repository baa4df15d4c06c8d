"""What spec/accounts.yaml says, as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Rule, Set, Struct
from paywright_runtime.contract.operation import Operation

OPERATIONS = {
    "accounts.list_authorized": Operation(
        "accounts.list_authorized",
        "spec/accounts.yaml",
        4,
        path="/aggregate-pay/api/gateway/queryAuthorizedAccount",
        envelope="gateway",
        roles=("request", "response"),
        request="accounts.list_authorized.request",
        response="accounts.list_authorized.response",
        sections=("4.16",),
        version="1.5",
        data="accounts.list_authorized.request.data",
        result="AuthorizedAccountList",
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
    "AuthorizedAccountList": Struct(
        "AuthorizedAccountList",
        "spec/accounts.yaml",
        16,
        (
            Field(
                "merchantAuthorizedAccountInfoList",
                "merchant_authorized_account_info_list",
                "struct",
                "AuthorizedAccount[]",
                17,
                required=True,
                of="AuthorizedAccount",
                array=True,
            ),
        ),
        sections=("4.16", "2.11"),
        model="paywright.models.accounts:AuthorizedAccountList",
    ),
    "AuthorizedAccount": Struct(
        "AuthorizedAccount",
        "spec/accounts.yaml",
        19,
        (
            Field("merchantNo", "merchant_no", "text", "string", 20, required=True),
            Field("memberId", "member_id", "text", "string", 21, required=True),
            Field("productType", "product_type", "set", "ProductType", 22, required=True, of="ProductType"),
            Field(
                "authorizedFundsAccountNo",
                "authorized_funds_account_no",
                "text",
                "string",
                23,
                required=True,
                redaction="pii",
            ),
            Field("authorizedFundsAccountAlias", "authorized_funds_account_alias", "text", "string", 24, required=True),
        ),
        sections=("2.11",),
        model="paywright.models.accounts:AuthorizedAccount",
    ),
    "accounts.list_authorized.request": Struct(
        "accounts.list_authorized.request",
        "spec/accounts.yaml",
        10,
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
                "merchantNo", "merchant_no", "text", "string max 32", 9, required=True, source="merchant.merchant_no"
            ),
            Field(
                "data",
                "data",
                "struct",
                "accounts.list_authorized.request.data",
                197,
                required=True,
                of="accounts.list_authorized.request.data",
                file="spec/service.yaml",
            ),
        ),
        sections=("4.16",),
    ),
    "accounts.list_authorized.request.data": Struct(
        "accounts.list_authorized.request.data",
        "spec/accounts.yaml",
        10,
        (
            Field(
                "productTypeList",
                "product_type_list",
                "set",
                "ProductType[]",
                11,
                required=True,
                of="ProductType",
                array=True,
            ),
        ),
        sections=("4.16",),
    ),
    "accounts.list_authorized.response": Struct(
        "accounts.list_authorized.response",
        "spec/accounts.yaml",
        12,
        (
            Field("code", "code", "text", "string", 201, required=True, file="spec/service.yaml"),
            Field("msg", "msg", "text", "string", 202, file="spec/service.yaml"),
            Field(
                "data",
                "data",
                "struct",
                "AuthorizedAccountList",
                203,
                of="AuthorizedAccountList",
                file="spec/service.yaml",
            ),
        ),
        sections=("4.16",),
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
    "ProductType": Set(
        "ProductType",
        "spec/accounts.yaml",
        28,
        {"payin": "acquisition", "payout": "disbursement", "collect": "collection"},
        model="paywright.models.accounts:ProductType",
        open=False,
        states=False,
        final=(),
        settled=(),
        paid=(),
        returned=(),
        stated=(),
        sections=("2.11",),
    ),
}
