"""What spec/service.yaml says, as plain values."""

# Generated from the contract by `make generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.facts import Field, Struct

STRUCTS = {
    "gateway.request.headers": Struct(
        "gateway.request.headers",
        "spec/service.yaml",
        112,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                112,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 113, required=True, source="signature", redaction="secret"),
        ),
    ),
    "gateway.response.headers": Struct(
        "gateway.response.headers",
        "spec/service.yaml",
        122,
        (Field("sign", "sign", "text", "string", 122, required=True, redaction="secret"),),
    ),
    "cases.inquire.request.headers": Struct(
        "cases.inquire.request.headers",
        "spec/service.yaml",
        148,
        (Field("sign", "sign", "text", "string", 148, required=True, source="signature", redaction="secret"),),
    ),
    "cases.inquire.response.headers": Struct(
        "cases.inquire.response.headers",
        "spec/service.yaml",
        154,
        (Field("sign", "sign", "text", "string", 154, required=True, redaction="secret"),),
    ),
    "callback.request.headers": Struct(
        "callback.request.headers",
        "spec/service.yaml",
        182,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                182,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 183, required=True, redaction="secret"),
        ),
    ),
    "payment_tokens.inquire.request.headers": Struct(
        "payment_tokens.inquire.request.headers",
        "spec/service.yaml",
        134,
        (Field("sign", "sign", "text", "string", 134, required=True, source="signature", redaction="secret"),),
    ),
    "payment_tokens.inquire.response.headers": Struct(
        "payment_tokens.inquire.response.headers",
        "spec/service.yaml",
        139,
        (Field("sign", "sign", "text", "string", 139, required=True, redaction="secret"),),
    ),
    "snap.status.request.headers": Struct(
        "snap.status.request.headers",
        "spec/service.yaml",
        165,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                165,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("X-TIMESTAMP", "x_timestamp", "datetime", "time", 166, required=True, of="time", source="clock"),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                167,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 168, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 169, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 170, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 171, required=True, source="merchant.snap_channel_id"),
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
        175,
        (Field("sign", "sign", "text", "string", 175, redaction="secret"),),
    ),
    "snap.cancel.request.headers": Struct(
        "snap.cancel.request.headers",
        "spec/service.yaml",
        165,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                165,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("X-TIMESTAMP", "x_timestamp", "datetime", "time", 166, required=True, of="time", source="clock"),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                167,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 168, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 169, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 170, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 171, required=True, source="merchant.snap_channel_id"),
        ),
    ),
}
