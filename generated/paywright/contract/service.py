"""Contents of spec/service.yaml as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Struct

STRUCTS = {
    "gateway.request.headers": Struct(
        "gateway.request.headers",
        Field(
            "Content-Type", "content_type", "text", "json_media", "json_media", required=True, sends="application/json"
        ),
        Field("sign", "sign", "text", "string", required=True, source="signature.body", redaction="secret"),
    ),
    "gateway.response.headers": Struct(
        "gateway.response.headers",
        Field("sign", "sign", "text", "string", required=True, source="signature.body", redaction="secret"),
    ),
    "cases.inquire.request.headers": Struct(
        "cases.inquire.request.headers",
        Field("sign", "sign", "text", "string", required=True, source="signature.body", redaction="secret"),
    ),
    "cases.inquire.response.headers": Struct(
        "cases.inquire.response.headers",
        Field("sign", "sign", "text", "string", required=True, source="signature.body", redaction="secret"),
    ),
    "callback.request.headers": Struct(
        "callback.request.headers",
        Field(
            "Content-Type", "content_type", "text", "json_media", "json_media", required=True, sends="application/json"
        ),
        Field("sign", "sign", "text", "string", required=True, source="signature.body", redaction="secret"),
    ),
    "payment_tokens.inquire.request.headers": Struct(
        "payment_tokens.inquire.request.headers",
        Field("sign", "sign", "text", "string", required=True, source="signature.body", redaction="secret"),
    ),
    "payment_tokens.inquire.response.headers": Struct(
        "payment_tokens.inquire.response.headers",
        Field("sign", "sign", "text", "string", required=True, source="signature.body", redaction="secret"),
    ),
    "snap.status.request.headers": Struct(
        "snap.status.request.headers",
        Field(
            "Content-Type", "content_type", "text", "json_media", "json_media", required=True, sends="application/json"
        ),
        Field("X-TIMESTAMP", "x_timestamp", "datetime", "time", "request_time", required=True, source="clock"),
        Field(
            "X-SIGNATURE",
            "x_signature",
            "text",
            "string",
            required=True,
            source="merchant.snap_signature",
            redaction="secret",
        ),
        Field("ORIGIN", "origin", "text", "string", source="merchant.snap_origin"),
        Field("X-PARTNER-ID", "x_partner_id", "text", "string", required=True, source="merchant.snap_partner_id"),
        Field("X-EXTERNAL-ID", "x_external_id", "text", "string", required=True, source="digits.30"),
        Field("CHANNEL-ID", "channel_id", "text", "string", required=True, source="merchant.snap_channel_id"),
        Field("sign", "sign", "text", "string", required=True, source="signature.body", redaction="secret"),
    ),
    "snap.response.headers": Struct(
        "snap.response.headers",
        Field("sign", "sign", "text", "string", source="signature.body", redaction="secret"),
    ),
    "snap.cancel.request.headers": Struct(
        "snap.cancel.request.headers",
        Field(
            "Content-Type", "content_type", "text", "json_media", "json_media", required=True, sends="application/json"
        ),
        Field("X-TIMESTAMP", "x_timestamp", "datetime", "time", "request_time", required=True, source="clock"),
        Field(
            "X-SIGNATURE",
            "x_signature",
            "text",
            "string",
            required=True,
            source="merchant.snap_signature",
            redaction="secret",
        ),
        Field("ORIGIN", "origin", "text", "string", source="merchant.snap_origin"),
        Field("X-PARTNER-ID", "x_partner_id", "text", "string", required=True, source="merchant.snap_partner_id"),
        Field("X-EXTERNAL-ID", "x_external_id", "text", "string", required=True, source="digits.30"),
        Field("CHANNEL-ID", "channel_id", "text", "string", required=True, source="merchant.snap_channel_id"),
    ),
}
