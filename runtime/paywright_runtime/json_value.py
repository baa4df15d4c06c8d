"""Values of JSON: numbers are `int` or `Decimal`, never `float`, so that amounts keep their digits."""

from decimal import Decimal
from enum import Enum
from typing import TypeAlias

__all__ = ["JSON", "by_value", "plain_text"]

JSON: TypeAlias = "bool | int | Decimal | str | list[JSON] | dict[str, JSON] | None"


def by_value(value: object) -> object:
    """Return the `str`, `int` or `Decimal` that a member of an enum or a value of a subclass is; anything else as it is.

    What a subclass shows (`__str__`, `__format__`) is not what it is.
    """
    if isinstance(value, Enum):
        return by_value(value.value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Decimal):
        return value if type(value) is Decimal else Decimal(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int.__index__(value)
    return value


def plain_text(value: object) -> str | None:
    """Return a text as plain `str`, whatever a subclass or an enumeration prints; None for what is no text.

    A key goes through it wherever it is sent, asked for, compared, logged or stored, so that it is the same everywhere.
    """
    text = by_value(value)
    return text if isinstance(text, str) else None
