"""What spec/service.yaml says, as plain values."""

# Generated from the contract by `make generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Struct

STRUCTS = {
    "gateway.request.headers": Struct(
        "gateway.request.headers",
        "spec/service.yaml",
        154,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                154,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 155, required=True, source="signature", redaction="secret"),
        ),
    ),
    "gateway.response.headers": Struct(
        "gateway.response.headers",
        "spec/service.yaml",
        164,
        (Field("sign", "sign", "text", "string", 164, required=True, redaction="secret"),),
    ),
    "cases.inquire.request.headers": Struct(
        "cases.inquire.request.headers",
        "spec/service.yaml",
        195,
        (Field("sign", "sign", "text", "string", 195, required=True, source="signature", redaction="secret"),),
    ),
    "cases.inquire.response.headers": Struct(
        "cases.inquire.response.headers",
        "spec/service.yaml",
        201,
        (Field("sign", "sign", "text", "string", 201, required=True, redaction="secret"),),
    ),
    "callback.request.headers": Struct(
        "callback.request.headers",
        "spec/service.yaml",
        232,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                232,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 233, required=True, redaction="secret"),
        ),
    ),
    "payment_tokens.inquire.request.headers": Struct(
        "payment_tokens.inquire.request.headers",
        "spec/service.yaml",
        179,
        (Field("sign", "sign", "text", "string", 179, required=True, source="signature", redaction="secret"),),
    ),
    "payment_tokens.inquire.response.headers": Struct(
        "payment_tokens.inquire.response.headers",
        "spec/service.yaml",
        184,
        (Field("sign", "sign", "text", "string", 184, required=True, redaction="secret"),),
    ),
    "snap.status.request.headers": Struct(
        "snap.status.request.headers",
        "spec/service.yaml",
        214,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                214,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field(
                "X-TIMESTAMP", "x_timestamp", "datetime", "time", 215, required=True, of="request_time", source="clock"
            ),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                216,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 217, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 218, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 219, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 220, required=True, source="merchant.snap_channel_id"),
            Field(
                "sign",
                "sign",
                "text",
                "string",
                14,
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
        224,
        (Field("sign", "sign", "text", "string", 224, redaction="secret"),),
    ),
    "snap.cancel.request.headers": Struct(
        "snap.cancel.request.headers",
        "spec/service.yaml",
        214,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                214,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field(
                "X-TIMESTAMP", "x_timestamp", "datetime", "time", 215, required=True, of="request_time", source="clock"
            ),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                216,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 217, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 218, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 219, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 220, required=True, source="merchant.snap_channel_id"),
        ),
    ),
}
