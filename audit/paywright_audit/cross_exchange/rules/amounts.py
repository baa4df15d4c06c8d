"""Compare the amounts and currencies of rows, which are any texts from messages, and judge whether those of a subject agree."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache

from paywright_audit.cross_exchange.history.rows import NOTIFIED, Row
from paywright_audit.cross_exchange.rules.verdicts import RuleVerdict


@lru_cache(1000)  # the messages about a subject repeat its amount
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


class AmountHistory:
    """The amounts reported of one subject: notifications and inquiries agree. If it `pays`, inquiries show what was asked for."""

    def __init__(self, pays: bool) -> None:
        self._pays = pays
        self._asked: Row | None = None  # the write that made it, if it is a payment
        self._first: dict[bool, Row] = {}  # the first row with an amount, of notifications and of all else

    def placed(self, row: Row) -> None:
        """Take the write that made the subject."""
        self._asked = row if self._pays else None
        self._remember(row)

    def take(self, row: Row) -> Iterable[RuleVerdict]:
        """Return the verdicts on what a notification or an inquiry shows."""
        if row.amount is None and row.currency is None:
            return ()
        told, other = row.outcome == NOTIFIED, self._first.get(row.outcome != NOTIFIED)
        self._remember(row)
        what = difference(row, other)
        if what:
            return (
                RuleVerdict("notification-disagrees", f"the {what} differs from the one reported otherwise", other),
            )
        what = "" if told else difference(row, self._asked)
        if what:
            return (RuleVerdict("amount-not-asked", f"the {what} is not the one that was asked for", self._asked),)
        return ()

    def _remember(self, row: Row) -> None:
        if row.amount is not None:
            self._first.setdefault(row.outcome == NOTIFIED, row)
