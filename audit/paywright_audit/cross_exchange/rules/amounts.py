"""Compare the amounts and currencies of rows, which are any texts from messages."""

from __future__ import annotations

from decimal import Decimal

from paywright_audit.cross_exchange.evidence.rows import Row


def amount_of(text: str | None) -> Decimal | None:
    """Return the number; None for a text that is not a number, or has an exponent beyond any amount."""
    if text is None or not text.isascii():
        return None
    try:
        number = Decimal(text)
    except ArithmeticError:
        return None
    return number if number.is_finite() and -64 < number.adjusted() < 64 else None


def same_amount(one: str, other: str) -> bool:
    """Return whether two texts are the same amount: `10.5` and `10.50` are."""
    return one == other or (amount_of(one) is not None and amount_of(one) == amount_of(other))


def difference(row: Row, other: Row | None) -> str:
    """Return which of amount and currency differs between two rows; "" if neither does, or is not known of both."""
    if other is None or other.amount is None:
        return ""
    if row.amount is not None and not same_amount(row.amount, other.amount):
        return "amount"
    return "currency" if None not in (row.currency, other.currency) and row.currency != other.currency else ""
