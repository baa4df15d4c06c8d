"""What spec/service.yaml says, as plain values."""

# Generated from the contract by `make generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.facts import Field, Struct

STRUCTS = {
    "gateway.request.headers": Struct(
        "gateway.request.headers",
        "spec/service.yaml",
        133,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                133,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 134, required=True, source="signature", redaction="secret"),
        ),
    ),
    "gateway.response.headers": Struct(
        "gateway.response.headers",
        "spec/service.yaml",
        143,
        (Field("sign", "sign", "text", "string", 143, required=True, redaction="secret"),),
    ),
    "cases.inquire.request.headers": Struct(
        "cases.inquire.request.headers",
        "spec/service.yaml",
        170,
        (Field("sign", "sign", "text", "string", 170, required=True, source="signature", redaction="secret"),),
    ),
    "cases.inquire.response.headers": Struct(
        "cases.inquire.response.headers",
        "spec/service.yaml",
        176,
        (Field("sign", "sign", "text", "string", 176, required=True, redaction="secret"),),
    ),
    "callback.request.headers": Struct(
        "callback.request.headers",
        "spec/service.yaml",
        204,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                204,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 205, required=True, redaction="secret"),
        ),
    ),
    "payment_tokens.inquire.request.headers": Struct(
        "payment_tokens.inquire.request.headers",
        "spec/service.yaml",
        156,
        (Field("sign", "sign", "text", "string", 156, required=True, source="signature", redaction="secret"),),
    ),
    "payment_tokens.inquire.response.headers": Struct(
        "payment_tokens.inquire.response.headers",
        "spec/service.yaml",
        161,
        (Field("sign", "sign", "text", "string", 161, required=True, redaction="secret"),),
    ),
    "snap.status.request.headers": Struct(
        "snap.status.request.headers",
        "spec/service.yaml",
        187,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                187,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("X-TIMESTAMP", "x_timestamp", "datetime", "time", 188, required=True, of="time", source="clock"),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                189,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 190, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 191, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 192, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 193, required=True, source="merchant.snap_channel_id"),
            Field(
                "sign",
                "sign",
                "text",
                "string",
                12,
                required=True,
                source="signature",
                redaction="secret",
                file="spec/snap.yaml",
            ),
        ),
    ),
    "snap.response.headers": Struct(
        "snap.response.headers",
        "spec/service.yaml",
        197,
        (Field("sign", "sign", "text", "string", 197, redaction="secret"),),
    ),
    "snap.cancel.request.headers": Struct(
        "snap.cancel.request.headers",
        "spec/service.yaml",
        187,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                187,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("X-TIMESTAMP", "x_timestamp", "datetime", "time", 188, required=True, of="time", source="clock"),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                189,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 190, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 191, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 192, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 193, required=True, source="merchant.snap_channel_id"),
        ),
    ),
}
