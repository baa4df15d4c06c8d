"""What spec/service.yaml says, as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Struct

STRUCTS = {
    "gateway.request.headers": Struct(
        "gateway.request.headers",
        "spec/service.yaml",
        189,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                189,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 190, required=True, source="signature.body", redaction="secret"),
        ),
    ),
    "gateway.response.headers": Struct(
        "gateway.response.headers",
        "spec/service.yaml",
        199,
        (Field("sign", "sign", "text", "string", 199, required=True, source="signature.body", redaction="secret"),),
    ),
    "cases.inquire.request.headers": Struct(
        "cases.inquire.request.headers",
        "spec/service.yaml",
        230,
        (Field("sign", "sign", "text", "string", 230, required=True, source="signature.body", redaction="secret"),),
    ),
    "cases.inquire.response.headers": Struct(
        "cases.inquire.response.headers",
        "spec/service.yaml",
        236,
        (Field("sign", "sign", "text", "string", 236, required=True, source="signature.body", redaction="secret"),),
    ),
    "callback.request.headers": Struct(
        "callback.request.headers",
        "spec/service.yaml",
        267,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                267,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field("sign", "sign", "text", "string", 268, required=True, source="signature.body", redaction="secret"),
        ),
    ),
    "payment_tokens.inquire.request.headers": Struct(
        "payment_tokens.inquire.request.headers",
        "spec/service.yaml",
        214,
        (Field("sign", "sign", "text", "string", 214, required=True, source="signature.body", redaction="secret"),),
    ),
    "payment_tokens.inquire.response.headers": Struct(
        "payment_tokens.inquire.response.headers",
        "spec/service.yaml",
        219,
        (Field("sign", "sign", "text", "string", 219, required=True, source="signature.body", redaction="secret"),),
    ),
    "snap.status.request.headers": Struct(
        "snap.status.request.headers",
        "spec/service.yaml",
        249,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                249,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field(
                "X-TIMESTAMP", "x_timestamp", "datetime", "time", 250, required=True, of="request_time", source="clock"
            ),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                251,
                required=True,
                source="merchant.snap_signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 252, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 253, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 254, required=True, source="digits.30"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 255, required=True, source="merchant.snap_channel_id"),
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
        259,
        (Field("sign", "sign", "text", "string", 259, source="signature.body", redaction="secret"),),
    ),
    "snap.cancel.request.headers": Struct(
        "snap.cancel.request.headers",
        "spec/service.yaml",
        249,
        (
            Field(
                "Content-Type",
                "content_type",
                "text",
                "json_media",
                249,
                required=True,
                of="json_media",
                sends="application/json",
            ),
            Field(
                "X-TIMESTAMP", "x_timestamp", "datetime", "time", 250, required=True, of="request_time", source="clock"
            ),
            Field(
                "X-SIGNATURE",
                "x_signature",
                "text",
                "string",
                251,
                required=True,
                source="merchant.snap_signature",
                redaction="secret",
            ),
            Field("ORIGIN", "origin", "text", "string", 252, source="merchant.snap_origin"),
            Field(
                "X-PARTNER-ID", "x_partner_id", "text", "string", 253, required=True, source="merchant.snap_partner_id"
            ),
            Field("X-EXTERNAL-ID", "x_external_id", "text", "string", 254, required=True, source="digits.30"),
            Field("CHANNEL-ID", "channel_id", "text", "string", 255, required=True, source="merchant.snap_channel_id"),
        ),
    ),
}
