#!/usr/bin/env bash
# betterproto2 0.10.0 (beside protobuf 7.36.2, Google's own package), seen on 2026-12-01.
# One would guess: messages of Protobuf refuse a number that their field cannot hold, in JSON and in bytes, as Google's package does.
# What happens: from JSON, 10.5 for an int64 is 10 and true is 1. An int32 takes 3000000000, and its bytes are read as -1294967296; an int64
# of 2**63 + 5 as a negative number, of 2**64 + 5 as 5; a uint64 of -5 as 18446744073709551611. A bool is whatever was given, "false" too.
# Base64 for URLs, which the JSON mapping allows, is refused.
# Why it matters: an amount with cents loses them, and one that is too large becomes another or a refund; the sender sees no error.
# Known to: the SDK checks the types of its contract.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet betterproto2==0.10.0 protobuf==7.36.2 || exit 2
venv/bin/python - <<'PY'
import binascii
from dataclasses import dataclass

import betterproto2
from google.protobuf import json_format, wrappers_pb2


@dataclass(eq=False, repr=False)
class Payment(betterproto2.Message):
    amount: int = betterproto2.field(1, betterproto2.TYPE_INT64)
    count: int = betterproto2.field(2, betterproto2.TYPE_INT32)
    total: int = betterproto2.field(3, betterproto2.TYPE_UINT64)
    paid: bool = betterproto2.field(4, betterproto2.TYPE_BOOL)
    raw: bytes = betterproto2.field(5, betterproto2.TYPE_BYTES)


GOOGLE = {
    **{"amount": wrappers_pb2.Int64Value, "count": wrappers_pb2.Int32Value, "total": wrappers_pb2.UInt64Value},
    **{"paid": wrappers_pb2.BoolValue, "raw": wrappers_pb2.BytesValue},
}


def tried(function):
    try:
        return function()
    except (ValueError, json_format.ParseError, binascii.Error):
        return "refused"


def from_json(name, text):
    ours = tried(lambda: getattr(Payment.from_json(f'{{"{name}": {text}}}'), name))
    return ours, tried(lambda: json_format.Parse(text, GOOGLE[name]()).value)


def from_bytes(name, value):
    ours = tried(lambda: getattr(Payment.parse(bytes(Payment(**{name: value}))), name))
    return ours, tried(lambda: GOOGLE[name](value=value).value)


seen = {
    "cents": from_json("amount", "10.5"),
    "true": from_json("amount", "true"),
    "false": from_json("paid", '"false"'),
    "base64": from_json("raw", '"-_8="'),
    "int32": from_bytes("count", 3_000_000_000),
    "int64": from_bytes("amount", 2**63 + 5),
    "more": from_bytes("amount", 2**64 + 5),
    "uint64": from_bytes("total", -5),
}
print(seen)
assert seen == {
    "cents": (10, "refused"),
    "true": (1, "refused"),
    "false": ("false", "refused"),
    "base64": ("refused", b"\xfb\xff"),
    "int32": (-1294967296, "refused"),
    "int64": (-9223372036854775803, "refused"),
    "more": (5, "refused"),
    "uint64": (18446744073709551611, "refused"),
}, "this has changed"
PY
