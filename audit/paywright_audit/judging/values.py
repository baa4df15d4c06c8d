"""Show values of messages, redacted.

By default no value is shown. On request, values are shown except for the contract's redaction classes and texts that
look like a card number; with a further option personal data too. Secrets and card data are never shown.
"""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from typing import Final

from paywright_runtime.card_numbers import mask_card_numbers

_LONGEST: Final = 80
_NEVER: Final = ("secret", "pan")
_HIDDEN: Final = "****"


class Showing(Enum):
    """The values that a report shows."""

    NOTHING = "nothing"
    REDACTED = "redacted"
    REVEALED = "revealed"


def shown_value(value: object, redaction: str | None, showing: Showing) -> str | None:
    """Return a value in at most 80 printable characters; None if it may not be shown at all.

    Only the size of objects and arrays is shown, because their members have classes of their own.
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
    text = mask_card_numbers(text, checked=True, loosely=True)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
