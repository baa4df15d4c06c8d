"""Statements that envelopes make once for all operations."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from functools import partial

from paywright_runtime.contract.model import Field, Rule
from paywright_runtime.contract.operation import Operation

GATEWAY_REFUSES = frozenset(
    ("SIGN_VERIFY_FAILED", "REQ_TIME_OVER_TIME", "TOO_MANY_REQUEST", "MERCHANT_APP_INVALID", "PARAMS_INVALID")
)
GATEWAY_OPERATION = partial(
    Operation,
    envelope="gateway",
    roles=("request", "response"),
    request_headers="gateway.request.headers",
    response_headers="gateway.response.headers",
    payloads=("data", "data"),
    succeeds=("code", "APPLY_SUCCESS"),
    message_at="msg",
    clock_codes=frozenset(("REQ_TIME_OVER_TIME",)),
    refusal_codes=GATEWAY_REFUSES,
)
CALLBACK_OPERATION = partial(
    Operation,
    envelope="callback",
    inbound=True,
    request_headers="callback.request.headers",
)
SNAP_OPERATION = partial(
    Operation,
    envelope="snap",
    roles=("request", "response"),
    sections=("4.17",),
    version="1.4",
    response_headers="snap.response.headers",
    echoes=("originalPartnerReferenceNo",),
    message_at="responseMessage",
)
GATEWAY_REQUEST_FIELDS = (
    Field("version", "version", "text", "string", required=True, source="operation.version"),
    Field("keyVersion", "key_version", "text", "string", required=True, sends="1"),
    Field("requestTime", "request_time", "datetime", "time", "request_time", required=True, source="clock"),
    Field("appId", "app_id", "text", "string", required=True, source="merchant.app_id"),
    Field("merchantNo", "merchant_no", "text", "string max 32", source="merchant.merchant_no"),
)
GATEWAY_RESPONSE_FIELDS = (
    Field("code", "code", "text", "string", required=True),
    Field("msg", "msg", "text", "string"),
)
GATEWAY_RESPONSE_RULES = (
    Rule(
        "success-has-data", "when code is APPLY_SUCCESS, need data", "when code is APPLY_SUCCESS, need data", ("2.2",)
    ),
)
