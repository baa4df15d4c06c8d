"""What spec/service.yaml says, as plain values."""

# Generated from the contract by `make generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Struct

STRUCTS = {
    "gateway.request.headers": Struct(
        "gateway.request.headers",
        "spec/service.yaml",
        138,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                138,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 139, required=True, source="signature", redaction="secret"),
        ),
    ),
    "gateway.response.headers": Struct(
        "gateway.response.headers",
        "spec/service.yaml",
        148,
        (Field("sign", "sign", "text", "string", 148, required=True, redaction="secret"),),
    ),
    "cases.inquire.request.headers": Struct(
        "cases.inquire.request.headers",
        "spec/service.yaml",
        175,
        (Field("sign", "sign", "text", "string", 175, required=True, source="signature", redaction="secret"),),
    ),
    "cases.inquire.response.headers": Struct(
        "cases.inquire.response.headers",
        "spec/service.yaml",
        181,
        (Field("sign", "sign", "text", "string", 181, required=True, redaction="secret"),),
    ),
    "callback.request.headers": Struct(
        "callback.request.headers",
        "spec/service.yaml",
        209,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                209,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 210, required=True, redaction="secret"),
        ),
    ),
    "payment_tokens.inquire.request.headers": Struct(
        "payment_tokens.inquire.request.headers",
        "spec/service.yaml",
        161,
        (Field("sign", "sign", "text", "string", 161, required=True, source="signature", redaction="secret"),),
    ),
    "payment_tokens.inquire.response.headers": Struct(
        "payment_tokens.inquire.response.headers",
        "spec/service.yaml",
        166,
        (Field("sign", "sign", "text", "string", 166, required=True, redaction="secret"),),
    ),
    "snap.status.request.headers": Struct(
        "snap.status.request.headers",
        "spec/service.yaml",
        192,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                192,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field(
                "X-TIMESTAMP", "x_timestamp", "datetime", "time", 193, required=True, of="request_time", source="clock"
            ),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                194,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 195, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 196, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 197, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 198, required=True, source="merchant.snap_channel_id"),
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
        202,
        (Field("sign", "sign", "text", "string", 202, redaction="secret"),),
    ),
    "snap.cancel.request.headers": Struct(
        "snap.cancel.request.headers",
        "spec/service.yaml",
        192,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                192,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field(
                "X-TIMESTAMP", "x_timestamp", "datetime", "time", 193, required=True, of="request_time", source="clock"
            ),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                194,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 195, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 196, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 197, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 198, required=True, source="merchant.snap_channel_id"),
        ),
    ),
}
