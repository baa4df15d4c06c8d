"""Make foreign text safe to show: of limited length, without card numbers and without control or bidirectional characters."""

from __future__ import annotations

import re
from typing import Final

_TOO_SHORT: Final = 11
"""Characters of a text in which no card number can be."""


def redacted(text: str, limit: int) -> str:
    """Return `text` with printable characters only, card numbers masked, cut to `limit` characters.

    It is masked before it is cut, so that the cut cannot leave most of a number. Check digits are ignored, because masking too
    much does little harm in a message, but for digits with other signs between: those may be a time.
    """
    if len(text) <= min(limit, _TOO_SHORT) and text.isprintable():
        return text
    from paywright_runtime.card_numbers import mask_card_numbers  # here, because few programs need it

    masked = mask_card_numbers("".join(filter(str.isprintable, text)), checked=False)
    masked = mask_card_numbers(masked, checked=True, loosely=True)
    return masked if len(masked) <= limit else masked[: limit - 3] + "..."


def shown_word(text: str) -> str:
    """Return a word that a stranger wrote, such as a kind, a state, a code or a path, with card numbers masked, however spelled."""
    from paywright_runtime.card_numbers import first_and_last, mask_card_numbers  # as above

    return mask_card_numbers(text, first_and_last, checked=False, loosely=True)


def shown_key(key: str) -> str:
    """Return the merchant's key as messages and the log show it: whole, because it settles an unknown outcome.

    Of a card number in it, only the first six and last four digits are shown [decision 0008].
    """
    text = visible(key)
    if len(text) >= 13:
        text = re.sub(r"(?<![0-9])[2-6](?:[ .-]?[0-9]){12,18}(?![0-9])", _masked, text)
    return text if len(text) <= 64 else f"{text[:61]}..."


def _masked(found: re.Match[str]) -> str:
    from paywright_runtime.card_numbers import first_and_last, passes_luhn  # as above

    digits = re.sub("[^0-9]", "", found[0])
    return first_and_last(digits) if passes_luhn(digits) else found[0]


def visible(text: str, keep: str = "") -> str:
    r"""Replace invisible characters by their code, as `\u{202e}`: controls, bidirectional marks, unusual spaces.

    The characters of `keep`, such as line breaks, stay.
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in keep else f"\\u{{{ord(one):x}}}" for one in text)
