"""What spec/service.yaml says, as plain values."""

# Generated from the contract by `make generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.facts import Field, Struct

STRUCTS = {
    "gateway.request.headers": Struct(
        "gateway.request.headers",
        "spec/service.yaml",
        122,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                122,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 123, required=True, source="signature", redaction="secret"),
        ),
    ),
    "gateway.response.headers": Struct(
        "gateway.response.headers",
        "spec/service.yaml",
        132,
        (Field("sign", "sign", "text", "string", 132, required=True, redaction="secret"),),
    ),
    "cases.inquire.request.headers": Struct(
        "cases.inquire.request.headers",
        "spec/service.yaml",
        159,
        (Field("sign", "sign", "text", "string", 159, required=True, source="signature", redaction="secret"),),
    ),
    "cases.inquire.response.headers": Struct(
        "cases.inquire.response.headers",
        "spec/service.yaml",
        165,
        (Field("sign", "sign", "text", "string", 165, required=True, redaction="secret"),),
    ),
    "callback.request.headers": Struct(
        "callback.request.headers",
        "spec/service.yaml",
        193,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                193,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 194, required=True, redaction="secret"),
        ),
    ),
    "payment_tokens.inquire.request.headers": Struct(
        "payment_tokens.inquire.request.headers",
        "spec/service.yaml",
        145,
        (Field("sign", "sign", "text", "string", 145, required=True, source="signature", redaction="secret"),),
    ),
    "payment_tokens.inquire.response.headers": Struct(
        "payment_tokens.inquire.response.headers",
        "spec/service.yaml",
        150,
        (Field("sign", "sign", "text", "string", 150, required=True, redaction="secret"),),
    ),
    "snap.status.request.headers": Struct(
        "snap.status.request.headers",
        "spec/service.yaml",
        176,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                176,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("X-TIMESTAMP", "x_timestamp", "datetime", "time", 177, required=True, of="time", source="clock"),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                178,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 179, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 180, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 181, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 182, required=True, source="merchant.snap_channel_id"),
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
        186,
        (Field("sign", "sign", "text", "string", 186, redaction="secret"),),
    ),
    "snap.cancel.request.headers": Struct(
        "snap.cancel.request.headers",
        "spec/service.yaml",
        176,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                176,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("X-TIMESTAMP", "x_timestamp", "datetime", "time", 177, required=True, of="time", source="clock"),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                178,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 179, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 180, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 181, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 182, required=True, source="merchant.snap_channel_id"),
        ),
    ),
}
