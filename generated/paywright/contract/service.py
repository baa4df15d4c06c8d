"""What spec/service.yaml says, as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Struct

STRUCTS = {
    "gateway.request.headers": Struct(
        "gateway.request.headers",
        "spec/service.yaml",
        183,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                183,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 184, required=True, source="signature.body", redaction="secret"),
        ),
    ),
    "gateway.response.headers": Struct(
        "gateway.response.headers",
        "spec/service.yaml",
        193,
        (Field("sign", "sign", "text", "string", 193, required=True, source="signature.body", redaction="secret"),),
    ),
    "cases.inquire.request.headers": Struct(
        "cases.inquire.request.headers",
        "spec/service.yaml",
        224,
        (Field("sign", "sign", "text", "string", 224, required=True, source="signature.body", redaction="secret"),),
    ),
    "cases.inquire.response.headers": Struct(
        "cases.inquire.response.headers",
        "spec/service.yaml",
        230,
        (Field("sign", "sign", "text", "string", 230, required=True, source="signature.body", redaction="secret"),),
    ),
    "callback.request.headers": Struct(
        "callback.request.headers",
        "spec/service.yaml",
        261,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                261,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 262, required=True, source="signature.body", redaction="secret"),
        ),
    ),
    "payment_tokens.inquire.request.headers": Struct(
        "payment_tokens.inquire.request.headers",
        "spec/service.yaml",
        208,
        (Field("sign", "sign", "text", "string", 208, required=True, source="signature.body", redaction="secret"),),
    ),
    "payment_tokens.inquire.response.headers": Struct(
        "payment_tokens.inquire.response.headers",
        "spec/service.yaml",
        213,
        (Field("sign", "sign", "text", "string", 213, required=True, source="signature.body", redaction="secret"),),
    ),
    "snap.status.request.headers": Struct(
        "snap.status.request.headers",
        "spec/service.yaml",
        243,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                243,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field(
                "X-TIMESTAMP", "x_timestamp", "datetime", "time", 244, required=True, of="request_time", source="clock"
            ),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                245,
                required=True,
                source="merchant.snap_signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 246, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 247, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 248, required=True, source="digits.30"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 249, required=True, source="merchant.snap_channel_id"),
            Field(
                "sign",
                "sign",
                "text",
                "string",
                14,
                required=True,
                source="signature.body",
                redaction="secret",
                file="spec/snap.yaml",
            ),
        ),
    ),
    "snap.response.headers": Struct(
        "snap.response.headers",
        "spec/service.yaml",
        253,
        (Field("sign", "sign", "text", "string", 253, source="signature.body", redaction="secret"),),
    ),
    "snap.cancel.request.headers": Struct(
        "snap.cancel.request.headers",
        "spec/service.yaml",
        243,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                243,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field(
                "X-TIMESTAMP", "x_timestamp", "datetime", "time", 244, required=True, of="request_time", source="clock"
            ),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                245,
                required=True,
                source="merchant.snap_signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 246, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 247, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 248, required=True, source="digits.30"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 249, required=True, source="merchant.snap_channel_id"),
        ),
    ),
}
