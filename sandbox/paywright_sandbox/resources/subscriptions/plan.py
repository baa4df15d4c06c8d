"""The row of a subscription plan [2.5]."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from paywright_runtime.contract import formats
from paywright_runtime.strict_json import JSON
from paywright_sandbox.engine.fields import given
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.tables import UNIQUE, MerchantRow

if TYPE_CHECKING:
    from paywright_sandbox.engine.context import RequestContext

__all__ = ["MOST_PERIODS", "BillingPlan", "Terms", "WantedPlan", "read_plan", "start_of"]


@dataclass(frozen=True, kw_only=True)
class BillingPlan(MerchantRow, table="plans", unique=("merchant, request_id",)):
    """A subscription plan. `subscription_no` is the gateway's number; amounts are decimal text.

    A period takes `count` of `unit` (D, W, M or Y). The first `promotion` periods cost `promotion_amount`; `trial_days`
    come before them. `prices` is JSON as received. `begun` counts the periods that have begun, `failing` the next charges
    that have to fail. Its way to pay is known once it is activated.
    """

    request_id: str
    subscription_no: str = field(metadata=UNIQUE)
    status: str
    user_id: str
    callback_url: str
    subject: str
    description: str | None = None
    total: int
    unit: str
    count: int
    amount: str
    currency: str
    first_at: datetime | None = None
    trial_days: int
    trial_amount: str | None = None
    promotion: int
    promotion_amount: str | None = None
    prices: bytes | None = None
    created_at: datetime
    activated_at: datetime | None = None
    opens_at: datetime | None = None
    ended_at: datetime | None = None
    method: str | None = None
    target_org: str | None = None
    card: str | None = None
    token: int | None = None
    begun: int = 0
    failing: int = 0


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


_MOST_DAYS: Final = 3660
_MOST: Final = 10**9
"""The limit of any count, with any policy."""


class WantedPlan:
    """A requested plan. `amounts` are all its amounts, by their place."""

    __slots__ = ("amounts", "prices", "terms", "trial_amount")

    def __init__(
        self, terms: Terms, amounts: Mapping[str, Decimal], trial_amount: Decimal | None, prices: list[JSON]
    ) -> None:
        self.terms: Terms = terms
        self.amounts: Mapping[str, Decimal] = amounts
        self.trial_amount: Decimal | None = trial_amount
        self.prices: list[JSON] = prices


def read_plan(context: RequestContext, plan: Mapping[str, JSON]) -> WantedPlan:
    """Read the plan of a request: regular, with n-day trial (trialConfig), with n-period promotion (trialPeriodConfig), or both.

    A promotion without its count or its amount, which are optional, is ignored. Raises `Refusal`, also by the policies
    unclear-plan and plan-limits.
    """
    prices = plan.get("prices")
    priced = list(prices) if isinstance(prices, list) else []
    if priced:
        unit, count = "M", 1
        amount, currency = _price(context, priced), "USD"
    else:
        rule = _part(plan, "periodRule")
        unit, count = str(rule["periodUnit"]), _count(
            context, rule, "periodCount", "periodRule/periodCount", _MOST_DAYS
        )
        amount, currency = _money(_part(plan, "periodAmount"), "periodAmount", None, above_zero=True)
    amounts = {"periodAmount/amount": amount}
    total = _count(context, plan, "totalPeriods", "totalPeriods", MOST_PERIODS)
    trial_days, trial_amount = 0, None
    trial = plan.get("trialConfig")
    if isinstance(trial, dict):
        trial_days = _count(context, trial, "trialDays", "trialConfig/trialDays", _MOST_DAYS)
        trial_amount, _ = _money(_part(trial, "trialAmount"), "trialConfig/trialAmount", currency)
        amounts["trialConfig/trialAmount/amount"] = trial_amount
    promotion, promotion_amount = 0, None
    offer = plan.get("trialPeriodConfig")
    if isinstance(offer, dict) and offer.get("trialPeriodCount") is not None:
        part = _part(offer, "trialPeriodAmount")
        if part.get("amount") is not None:
            promotion = _count(context, offer, "trialPeriodCount", "trialPeriodConfig/trialPeriodCount", total)
            promotion_amount, _ = _money(part, "trialPeriodConfig/trialPeriodAmount", currency)
            amounts["trialPeriodConfig/trialPeriodAmount/amount"] = promotion_amount
    if isinstance(offer, dict) and (trial_days or not promotion):
        _unclear(context)
    first = given(plan, "firstPeriodStartDate")
    terms = Terms(
        total=total,
        unit=unit,
        count=count,
        amount=amount,
        currency=currency,
        first=None if first is None else formats.read_time(first),
        trial_days=trial_days,
        promotion=promotion,
        promotion_amount=promotion_amount,
    )
    return WantedPlan(terms, amounts, trial_amount, priced)


def _part(data: Mapping[str, JSON], name: str) -> Mapping[str, JSON]:
    part = data.get(name)
    return part if isinstance(part, dict) else {}


def _unclear(context: RequestContext) -> None:
    context.decided_by("unclear-plan")
    if context.policies.text("unclear-plan") == "refused":
        raise Refusal(
            "/data/subscriptionPlan has trialConfig and trialPeriodConfig at once, or trialPeriodConfig lacks its count or amount "
            "(policy unclear-plan).",
            policy="invalid-request",
        )


def _price(context: RequestContext, prices: list[JSON]) -> Decimal:
    """Return the monthly price of a plan with `prices`: 10 USD each, since the sandbox does not know their amounts."""
    quantities = 0
    for number, price in enumerate(prices):
        assert isinstance(price, dict)  # the contract has checked it
        quantities += _count(context, price, "quantity", f"prices/{number}/quantity", 10**6)
    return Decimal(10 * quantities)


def _count(context: RequestContext, data: Mapping[str, JSON], name: str, where: str, most: int) -> int:
    value = data[name]
    assert isinstance(value, (int, Decimal))  # the contract has checked it
    limited = ""
    if most < value <= _MOST:
        context.decided_by("plan-limits")
        if context.policies.text("plan-limits") == "taken":
            most = _MOST
        else:
            limited = " (policy plan-limits)"
    if not 1 <= value <= most or value != int(value):
        raise Refusal(
            f"/data/subscriptionPlan/{where} must be a whole number from 1 to {most}{limited}.",
            policy="invalid-request",
        )
    return int(value)


def _money(
    part: Mapping[str, JSON], where: str, currency: str | None, *, above_zero: bool = False
) -> tuple[Decimal, str]:
    """Return an amount and its currency. Default: the currency of the plan."""
    value = part["amount"]
    amount = value if isinstance(value, Decimal) else Decimal(str(value))
    if amount < 0 or (above_zero and amount == 0):
        least = "above 0" if above_zero else "0 or more"
        raise Refusal(f"/data/subscriptionPlan/{where}/amount must be {least}.", policy="invalid-request")
    found = given(part, "currency") or currency
    assert found is not None  # periodAmount requires it
    if currency is not None and found != currency:
        raise Refusal(
            f"/data/subscriptionPlan/{where} is in another currency than periodAmount.", policy="other-currency"
        )
    return amount, found
