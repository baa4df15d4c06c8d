"""Check the types of arguments at run time: settings read from files may not have the annotated types."""

from enum import Enum
from math import isfinite

__all__ = ["is_number", "is_whole", "plain_text"]


def is_number(value: object) -> bool:
    """Return whether it is a finite int or float. `True` is not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def is_whole(value: object) -> bool:
    """Return whether it is an int. `True` is not."""
    return isinstance(value, int) and not isinstance(value, bool)


def plain_text(value: object) -> str | None:
    """Return a text as plain `str`, whatever a subclass or an enumeration prints; None for what is no text.

    A key goes through it wherever it is sent, asked for, compared, logged or stored, so that it is the same everywhere.
    """
    if isinstance(value, Enum):
        value = value.value
    return str.__str__(value) if isinstance(value, str) else None
