"""Values of messages as they may be shown: not at all, redacted by the contract's classes and by the shape of a card
number, or, for whoever says so, a person's data too. Secrets and card data are never shown."""

from __future__ import annotations

import re
from decimal import Decimal
from enum import Enum
from typing import Final

__all__ = ["Showing", "looks_like_card", "shown_value"]

_LONGEST: Final = 80
_NEVER: Final = ("secret", "pan")
_DIGITS: Final = re.compile(r"\d(?:[\W_]{0,3}\d){12,}")
_HIDDEN: Final = "****"


class Showing(Enum):
    """How much of the values a report holds."""

    NOTHING = "nothing"
    REDACTED = "redacted"
    REVEALED = "revealed"


def shown_value(value: object, redaction: str | None, showing: Showing) -> str | None:
    """A value in at most 80 characters that any terminal can show; None where it is not to be shown at all.

    Objects and arrays show their size alone: what is in them has classes of its own.
    """
    if showing is Showing.NOTHING:
        return None
    if redaction in _NEVER or (redaction is not None and showing is not Showing.REVEALED):
        return _HIDDEN
    if isinstance(value, dict):
        return f"an object of {len(value)} members"
    if isinstance(value, list):
        return f"an array of {len(value)} elements"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else format(value, "f") if isinstance(value, Decimal) else str(value)
    text = "".join(filter(str.isprintable, text[:4096]))
    text = _DIGITS.sub(lambda found: _HIDDEN if looks_like_card(found[0]) else found[0], text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def looks_like_card(text: str) -> bool:
    """Whether a run of digits, whatever signs are between them, holds a card number: 13 to 19 digits that begin as cards do and
    pass the check of Luhn, wherever in the run they stand."""
    digits = [int(one) for one in text if one.isdecimal()][:256]
    return any(
        digits[start] in (2, 3, 4, 5, 6) and _luhn(digits[start : start + length])
        for length in range(13, 20)
        for start in range(len(digits) - length + 1)
    )


def _luhn(digits: list[int]) -> bool:
    odd, even = digits[-1::-2], digits[-2::-2]
    return (sum(odd) + sum(2 * one - 9 * (one > 4) for one in even)) % 10 == 0
