"""The calendar of a plan: start, end and price of its periods [2.3, 4.5].

All arithmetic is in UTC. Months and years are counted from the first period's start, not from the period before; a day
that a month does not have becomes its last one: the 31st of January, the 28th of February, the 31st of March.
A period ends one second before the next one starts.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from paywright_sandbox.resources.subscriptions.plan import BillingPlan

__all__ = ["MOST_PERIODS", "Terms", "start_of"]

MOST_PERIODS: Final = 10_000

_SECOND: Final = timedelta(seconds=1)


def start_of(first: datetime, unit: str, count: int, number: int) -> datetime:
    """Return when period `number` (from 1) starts.

    Period 1 starts at `first`, and each takes `count` of `unit` (D, W, M or Y). Raises `OverflowError` after the year 9999.
    """
    steps = count * (number - 1)
    if unit == "D" or unit == "W":
        return first + timedelta(days=steps * (7 if unit == "W" else 1))
    months = first.year * 12 + first.month - 1 + steps * (12 if unit == "Y" else 1)
    year, month = months // 12, months % 12 + 1
    if year > 9999:
        raise OverflowError("after the year 9999")
    return first.replace(year=year, month=month, day=min(first.day, monthrange(year, month)[1]))


class Terms:
    """Terms of a plan: number, length and price of its periods, trial and promotion."""

    __slots__ = (
        "amount", "count", "currency", "first", "promotion", "promotion_amount", "total", "trial_days", "unit",
    )  # fmt: skip

    def __init__(
        self,
        *,
        total: int,
        unit: str,
        count: int,
        amount: Decimal,
        currency: str,
        first: datetime | None = None,
        trial_days: int = 0,
        promotion: int = 0,
        promotion_amount: Decimal | None = None,
    ) -> None:
        self.total: int = total
        self.unit: str = unit
        self.count: int = count
        self.amount: Decimal = amount
        self.currency: str = currency
        self.first: datetime | None = first
        self.trial_days: int = trial_days
        self.promotion: int = promotion
        self.promotion_amount: Decimal | None = promotion_amount

    @classmethod
    def of(cls, plan: BillingPlan) -> Terms:
        """Return the terms of a stored plan."""
        return cls(
            total=plan.total,
            unit=plan.unit,
            count=plan.count,
            amount=Decimal(plan.amount),
            currency=plan.currency,
            first=plan.first_at,
            trial_days=plan.trial_days,
            promotion=plan.promotion,
            promotion_amount=None if plan.promotion_amount is None else Decimal(plan.promotion_amount),
        )

    def opening(self, activated: datetime) -> datetime:
        """Return the start of the first period: at activation, after the trial, not before the plan's own date."""
        earliest = activated + timedelta(days=self.trial_days)
        return earliest if self.first is None else max(earliest, self.first)

    def period(self, opening: datetime, number: int) -> tuple[datetime, datetime]:
        """Return start and end of a period, from 1, of a plan whose first one starts at `opening`."""
        following = start_of(opening, self.unit, self.count, number + 1)
        return start_of(opening, self.unit, self.count, number), following - _SECOND

    def price(self, number: int) -> Decimal:
        """Return the price of a period: the promotion's amount for the first ones."""
        if self.promotion_amount is not None and number <= self.promotion:
            return self.promotion_amount
        return self.amount

    def fits(self, activated: datetime) -> bool:
        """Return whether all periods end before the year 10000."""
        try:
            self.period(self.opening(activated), self.total)
        except OverflowError:
            return False
        return True
