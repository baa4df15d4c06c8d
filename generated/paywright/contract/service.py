"""What spec/service.yaml says, as plain values."""

# Generated from the contract by `make generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.facts import Field, Struct

STRUCTS = {
    "gateway.request.headers": Struct(
        "gateway.request.headers",
        "spec/service.yaml",
        123,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                123,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 124, required=True, source="signature", redaction="secret"),
        ),
    ),
    "gateway.response.headers": Struct(
        "gateway.response.headers",
        "spec/service.yaml",
        133,
        (Field("sign", "sign", "text", "string", 133, required=True, redaction="secret"),),
    ),
    "cases.inquire.request.headers": Struct(
        "cases.inquire.request.headers",
        "spec/service.yaml",
        160,
        (Field("sign", "sign", "text", "string", 160, required=True, source="signature", redaction="secret"),),
    ),
    "cases.inquire.response.headers": Struct(
        "cases.inquire.response.headers",
        "spec/service.yaml",
        166,
        (Field("sign", "sign", "text", "string", 166, required=True, redaction="secret"),),
    ),
    "callback.request.headers": Struct(
        "callback.request.headers",
        "spec/service.yaml",
        194,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                194,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 195, required=True, redaction="secret"),
        ),
    ),
    "payment_tokens.inquire.request.headers": Struct(
        "payment_tokens.inquire.request.headers",
        "spec/service.yaml",
        146,
        (Field("sign", "sign", "text", "string", 146, required=True, source="signature", redaction="secret"),),
    ),
    "payment_tokens.inquire.response.headers": Struct(
        "payment_tokens.inquire.response.headers",
        "spec/service.yaml",
        151,
        (Field("sign", "sign", "text", "string", 151, required=True, redaction="secret"),),
    ),
    "snap.status.request.headers": Struct(
        "snap.status.request.headers",
        "spec/service.yaml",
        177,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                177,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("X-TIMESTAMP", "x_timestamp", "datetime", "time", 178, required=True, of="time", source="clock"),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                179,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 180, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 181, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 182, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 183, required=True, source="merchant.snap_channel_id"),
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
        187,
        (Field("sign", "sign", "text", "string", 187, redaction="secret"),),
    ),
    "snap.cancel.request.headers": Struct(
        "snap.cancel.request.headers",
        "spec/service.yaml",
        177,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                177,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("X-TIMESTAMP", "x_timestamp", "datetime", "time", 178, required=True, of="time", source="clock"),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                179,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 180, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 181, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 182, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 183, required=True, source="merchant.snap_channel_id"),
        ),
    ),
}
