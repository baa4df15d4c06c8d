"""Read bodies in their usual form, and Base64, through msgspec, where it is installed."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from msgspec import DecodeError, ValidationError, convert
from msgspec.json import Decoder, Encoder

from paywright_runtime.strict_json.errors import MAX_BYTES, MAX_DEPTH, MAX_DIGITS


def _number(text: str) -> Decimal:
    if len(text) > MAX_DIGITS or "E" in text or "e" in text:  # an exponent may stand for any number of digits
        raise ValueError
    return Decimal(text)


_decode: Final = Decoder(float_hook=_number).decode
_encode: Final = Encoder(decimal_format="number").encode
_ZEROS: Final = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else 32 for byte in range(256))
_TOO_MANY: Final = b"0" * (MAX_DIGITS + 1)  # for integers, for which the decoder has no hook
_ARRAY: Final = ord("[")


def usual_body(raw: bytes) -> object:
    """Return the value of a body in its usual form, as strict JSON reads it; None for a body in any other form.

    The value is written again and compared. The general reader reads bodies with equal keys, other forms of numbers or spaces,
    and bodies beyond the limits of strict JSON.
    """
    if (
        len(raw) > MAX_BYTES
        or raw.count(b"{") + (_ARRAY in raw and raw.count(b"[")) > MAX_DEPTH
        or raw.translate(_ZEROS).find(_TOO_MANY) >= 0
    ):
        return None
    try:
        value = _decode(raw)
        return value if type(value) is dict and _encode(value) == raw else None
    except (DecodeError, ValueError, ArithmeticError, RecursionError):
        return None


def base64_bytes(text: str) -> bytes:
    """Return the bytes of a text in padded Base64 without any other character, in half the time. Raises `ValueError`."""
    try:
        return convert(text, bytes)
    except ValidationError:
        raise ValueError from None
