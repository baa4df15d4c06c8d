"""The terms of a subscription plan: its prices, and when each period begins [2.5]."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from paywright_runtime import strict_json
from paywright_runtime.contract import formats
from paywright_runtime.strict_json import JSON
from paywright_sandbox.engine.currency_decimals import check_decimals, written
from paywright_sandbox.engine.fields import given, text
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.tables import UNIQUE, MerchantRow

if TYPE_CHECKING:
    from paywright_sandbox.engine.context import RequestContext


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

    def opening(self, activated: datetime) -> datetime:
        """Return the start of the first period: at activation, after the trial, not before the plan's own date."""
        earliest = activated + timedelta(days=self.trial_days)
        return earliest if self.first_at is None else max(earliest, self.first_at)

    def period(self, opening: datetime, number: int) -> tuple[datetime, datetime]:
        """Return start and end of a period, from 1, of a plan whose first one starts at `opening`."""
        following = start_of(opening, self.unit, self.count, number + 1)
        return start_of(opening, self.unit, self.count, number), following - timedelta(seconds=1)

    def price(self, number: int) -> Decimal:
        """Return the price of a period: the promotion's amount for the first ones."""
        promoted = self.promotion_amount is not None and number <= self.promotion
        return Decimal((self.promotion_amount or "") if promoted else self.amount)

    def fits(self, activated: datetime) -> bool:
        """Return whether all periods end before the year 10000."""
        try:
            self.period(self.opening(activated), self.total)
        except OverflowError:
            return False
        return True


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


MOST_PERIODS: Final = 10_000
_MOST_DAYS: Final = 3660
_MOST: Final = 10**9
"""The limit of any count, with any policy."""


def read_plan(context: RequestContext, merchant: str, data: Mapping[str, object]) -> BillingPlan:
    """Read the plan of a request: regular, with n-day trial (trialConfig), with n-period promotion (trialPeriodConfig), or both.

    A promotion without its count or its amount, which are optional, is ignored. Raises `Refusal`, also by the policies
    unclear-plan and plan-limits.
    """
    plan = cast("Mapping[str, JSON]", data["subscriptionPlan"])
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
        amount, currency = _money(context, _part(plan, "periodAmount"), "periodAmount", None, above_zero=True)
    total = _count(context, plan, "totalPeriods", "totalPeriods", MOST_PERIODS)
    trial_days, trial_amount = 0, None
    trial = plan.get("trialConfig")
    if isinstance(trial, dict):
        trial_days = _count(context, trial, "trialDays", "trialConfig/trialDays", _MOST_DAYS)
        trial_amount, _ = _money(context, _part(trial, "trialAmount"), "trialConfig/trialAmount", currency)
    promotion, promotion_amount = 0, None
    offer = plan.get("trialPeriodConfig")
    if isinstance(offer, dict) and offer.get("trialPeriodCount") is not None:
        part = _part(offer, "trialPeriodAmount")
        if part.get("amount") is not None:
            promotion = _count(context, offer, "trialPeriodCount", "trialPeriodConfig/trialPeriodCount", total)
            promotion_amount, _ = _money(context, part, "trialPeriodConfig/trialPeriodAmount", currency)
    if isinstance(offer, dict) and (trial_days or not promotion):
        _unclear(context)
    first = given(plan, "firstPeriodStartDate")
    return BillingPlan(
        merchant=merchant,
        request_id=text(data, "subscriptionRequestId"),
        subscription_no=context.number("SUB", "plans"),
        status="INACTIVE",
        user_id=text(data, "userId"),
        callback_url=text(data, "callbackUrl"),
        subject=text(plan, "subject"),
        description=given(plan, "description"),
        total=total,
        unit=unit,
        count=count,
        amount=amount,
        currency=currency,
        first_at=None if first is None else formats.read_time(first),
        trial_days=trial_days,
        trial_amount=trial_amount,
        promotion=promotion,
        promotion_amount=promotion_amount,
        prices=strict_json.write(priced) if priced else None,
        created_at=context.now,
    )


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


def _price(context: RequestContext, prices: list[JSON]) -> str:
    """Return the monthly price of a plan with `prices`: 10 USD each, since the sandbox does not know their amounts."""
    quantities = 0
    for number, price in enumerate(prices):
        assert isinstance(price, dict)  # the contract has checked it
        quantities += _count(context, price, "quantity", f"prices/{number}/quantity", 10**6)
    return str(10 * quantities)


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
    context: RequestContext, part: Mapping[str, JSON], where: str, currency: str | None, *, above_zero: bool = False
) -> tuple[str, str]:
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
    check_decimals(context, amount, found, f"subscriptionPlan/{where}/amount")
    return written(amount), found
