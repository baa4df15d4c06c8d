"""Decode Base64 through msgspec, where it is installed: in less than half the time."""

from __future__ import annotations

from msgspec import ValidationError, convert

__all__ = ["base64_bytes"]


def base64_bytes(text: str) -> bytes:
    """Return the bytes of a text in padded Base64 without any other character. Raises `ValueError`."""
    try:
        return convert(text, bytes)
    except ValidationError:
        raise ValueError from None
