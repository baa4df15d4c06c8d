"""The card fields of the cashier: only test cards are accepted, and only masked numbers are kept."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from paywright_runtime.card_numbers import LONGEST, SHORTEST, first_and_last, passes_luhn

__all__ = ["TEST_CARDS", "card_faults", "masked"]

TEST_CARDS: Final = {
    "4444333322221111": "Visa",
    "5555555555554444": "Mastercard",
    "378282246310005": "American Express",
    "3530111333300000": "JCB",
    "6200000000000005": "UnionPay",
    "6011111111111117": "Discover",
}
_LONGEST_NAME: Final = 128


def digits_of(number: str) -> str:
    """Return a card number without spaces and dashes."""
    return number.replace(" ", "").replace("-", "")


def card_faults(fields: Mapping[str, str], now: datetime) -> dict[str, str]:
    """Return the errors of the card by field, without the entered values."""
    number, cvv = digits_of(fields.get("number", "")), fields.get("cvv", "")
    faults: dict[str, str] = {}
    if not _is_number(number, SHORTEST, LONGEST):
        faults["number"] = f"A card number has {SHORTEST} to {LONGEST} digits."
    elif not passes_luhn(number):
        faults["number"] = "The check digit is wrong: check the number."
    elif number not in TEST_CARDS:
        faults["number"] = "This sandbox accepts test cards only. Nothing was stored; never enter a real card here."
    if not 0 < len(fields.get("holder", "").strip()) <= _LONGEST_NAME:
        faults["holder"] = "Enter the name on the card."
    expiry = _expiry(fields.get("expiry", ""))
    if expiry is None:
        faults["expiry"] = "Write the month and year as on the card, such as 09/30."
    elif expiry < (now.year, now.month):
        faults["expiry"] = "The card has expired on the sandbox's clock."
    if not _is_number(cvv, 3, 4):
        faults["cvv"] = "The security code has 3 or 4 digits."
    return faults


def masked(number: str) -> str:
    """Return the first six and last four digits of a card number."""
    return first_and_last(digits_of(number))


def _is_number(value: str, least: int, most: int) -> bool:
    return least <= len(value) <= most and value.isascii() and value.isdigit()


def _expiry(value: str) -> tuple[int, int] | None:
    month, slash, year = value.replace(" ", "").partition("/")
    if not slash or not _is_number(month, 1, 2) or not (_is_number(year, 2, 2) or _is_number(year, 4, 4)):
        return None
    full = int(year) + (2000 if len(year) == 2 else 0)
    return (full, int(month)) if 1 <= int(month) <= 12 else None
