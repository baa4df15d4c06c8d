"""When two notifications say the same: a hash over what they say, not over how they are written.

A notification that is sent again may be written anew, with another time of sending, other spacing or `10.5` for `10.50`.
So the hash is over the data alone, parsed, its keys in order and its numbers by their value.
"""

from __future__ import annotations

import json
from decimal import Decimal
from hashlib import sha256

__all__ = ["digest", "number_text"]


def digest(content: object) -> str:
    """64 hexadecimal digits, the same for the same parsed JSON value."""
    return sha256(_ENCODE(content).encode()).hexdigest()


def number_text(value: Decimal) -> str:
    """The shortest writing of a number: `10.5` for `10.50`, `1` for `1.0`."""
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _number(value: object) -> object:
    assert isinstance(value, Decimal)  # all else that strict JSON knows is written by itself
    text = number_text(value)
    return {"\0": text} if "." in text else int(text)


_ENCODE = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=_number, check_circular=False).encode
