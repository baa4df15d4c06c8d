"""Values of JSON: numbers are `int` or `Decimal`, never `float`, so that amounts keep their digits."""

from decimal import Decimal
from enum import Enum
from typing import TypeAlias

JSON: TypeAlias = "bool | int | Decimal | str | list[JSON] | dict[str, JSON] | None"


def by_value(value: object) -> object:
    """Return the plain `str`, `int` or `Decimal` of an enum's member or a subclass's value; anything else unchanged.

    The `__str__` and `__format__` of a subclass do not count.
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
    """Return text as a plain `str`, whatever a subclass or an enumeration prints; None for anything else.

    Keys are converted wherever they are sent, queried, compared, logged or stored, so that they are the same everywhere.
    """
    text = by_value(value)
    return text if isinstance(text, str) else None
