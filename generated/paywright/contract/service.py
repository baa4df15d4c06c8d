"""What spec/service.yaml says, as plain values."""

# Generated from the contract by `make generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Struct

STRUCTS = {
    "gateway.request.headers": Struct(
        "gateway.request.headers",
        "spec/service.yaml",
        152,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                152,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 153, required=True, source="signature", redaction="secret"),
        ),
    ),
    "gateway.response.headers": Struct(
        "gateway.response.headers",
        "spec/service.yaml",
        162,
        (Field("sign", "sign", "text", "string", 162, required=True, redaction="secret"),),
    ),
    "cases.inquire.request.headers": Struct(
        "cases.inquire.request.headers",
        "spec/service.yaml",
        189,
        (Field("sign", "sign", "text", "string", 189, required=True, source="signature", redaction="secret"),),
    ),
    "cases.inquire.response.headers": Struct(
        "cases.inquire.response.headers",
        "spec/service.yaml",
        195,
        (Field("sign", "sign", "text", "string", 195, required=True, redaction="secret"),),
    ),
    "callback.request.headers": Struct(
        "callback.request.headers",
        "spec/service.yaml",
        223,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                223,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 224, required=True, redaction="secret"),
        ),
    ),
    "payment_tokens.inquire.request.headers": Struct(
        "payment_tokens.inquire.request.headers",
        "spec/service.yaml",
        175,
        (Field("sign", "sign", "text", "string", 175, required=True, source="signature", redaction="secret"),),
    ),
    "payment_tokens.inquire.response.headers": Struct(
        "payment_tokens.inquire.response.headers",
        "spec/service.yaml",
        180,
        (Field("sign", "sign", "text", "string", 180, required=True, redaction="secret"),),
    ),
    "snap.status.request.headers": Struct(
        "snap.status.request.headers",
        "spec/service.yaml",
        206,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                206,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field(
                "X-TIMESTAMP", "x_timestamp", "datetime", "time", 207, required=True, of="request_time", source="clock"
            ),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                208,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 209, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 210, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 211, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 212, required=True, source="merchant.snap_channel_id"),
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
        216,
        (Field("sign", "sign", "text", "string", 216, redaction="secret"),),
    ),
    "snap.cancel.request.headers": Struct(
        "snap.cancel.request.headers",
        "spec/service.yaml",
        206,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                206,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field(
                "X-TIMESTAMP", "x_timestamp", "datetime", "time", 207, required=True, of="request_time", source="clock"
            ),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                208,
                required=True,
                source="snap.signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 209, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 210, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 211, required=True, source="snap.external_id"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 212, required=True, source="merchant.snap_channel_id"),
        ),
    ),
}
