"""When the periods of a plan start and end, and what they cost."""

from calendar import monthrange
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from paywright_sandbox.resources.subscriptions.plan_terms import BillingPlan, start_of

MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)).map(lambda time: time.replace(tzinfo=UTC))
UNITS = st.sampled_from("DWMY")
COUNTS = st.integers(1, 24)
NUMBERS = st.integers(1, 200)


def terms(**more: Any) -> BillingPlan:
    """A plan of which the calendar needs nothing else."""
    plan: dict[str, Any] = {"total": 12, "unit": "M", "count": 1, "amount": "10", "trial_days": 0, "promotion": 0}
    named = dict.fromkeys(
        ("merchant", "request_id", "subscription_no", "status", "user_id", "callback_url", "subject", "currency"), "x"
    )
    return BillingPlan(**named, created_at=datetime(2025, 6, 1, tzinfo=UTC), **(plan | more))


@pytest.mark.parametrize(
    ("first", "unit", "count", "number", "start"),
    [
        ((2025, 1, 31), "M", 1, 1, (2025, 1, 31)), ((2025, 1, 31), "M", 1, 2, (2025, 2, 28)),
        ((2025, 1, 31), "M", 1, 3, (2025, 3, 31)), ((2024, 1, 31), "M", 1, 2, (2024, 2, 29)),
        ((2025, 11, 30), "M", 3, 2, (2026, 2, 28)), ((2025, 12, 15), "M", 1, 2, (2026, 1, 15)),
        ((2024, 2, 29), "Y", 1, 2, (2025, 2, 28)), ((2024, 2, 29), "Y", 1, 5, (2028, 2, 29)),
        ((2025, 2, 26), "W", 2, 3, (2025, 3, 26)), ((2025, 2, 26), "D", 10, 4, (2025, 3, 28)),
    ],
)  # fmt: skip
def test_months_keep_their_day_where_there_is_one(
    first: tuple[int, int, int], unit: str, count: int, number: int, start: tuple[int, int, int]
) -> None:
    assert start_of(datetime(*first, 9, 30, tzinfo=UTC), unit, count, number) == datetime(*start, 9, 30, tzinfo=UTC)


@given(MOMENTS, UNITS, COUNTS, NUMBERS)
def test_periods_rise_touch_and_never_overlap(first: datetime, unit: str, count: int, number: int) -> None:
    plan = terms(unit=unit, count=count)
    start, end = plan.period(first, number)
    following, _ = plan.period(first, number + 1)
    assert start < end
    assert end + timedelta(seconds=1) == following
    assert plan.period(first, 1)[0] == first


@given(MOMENTS, st.sampled_from("MY"), COUNTS, NUMBERS)
def test_a_day_is_the_first_or_a_months_last(first: datetime, unit: str, count: int, number: int) -> None:
    start = start_of(first, unit, count, number)
    assert start.day == min(first.day, monthrange(start.year, start.month)[1])
    assert start.timetz() == first.timetz()
    months = (start.year - first.year) * 12 + start.month - first.month
    assert months == (number - 1) * count * (12 if unit == "Y" else 1)


@given(MOMENTS, st.sampled_from("DW"), COUNTS, NUMBERS)
def test_days_and_weeks_are_as_long_as_they_are(first: datetime, unit: str, count: int, number: int) -> None:
    days = (number - 1) * count * (7 if unit == "W" else 1)
    assert start_of(first, unit, count, number) - first == timedelta(days=days)


@given(MOMENTS, st.integers(-40, 40), st.integers(0, 30))
def test_a_plan_opens_after_its_trial_and_not_before_its_date(activated: datetime, days: int, trial: int) -> None:
    first = activated + timedelta(days=days)
    opening = terms(first_at=first, trial_days=trial).opening(activated)
    assert opening >= first
    assert opening >= activated + timedelta(days=trial)
    assert opening in (first, activated + timedelta(days=trial))
    assert terms(trial_days=trial).opening(activated) == activated + timedelta(days=trial)


@given(st.integers(1, 30), st.integers(0, 30), st.integers(1, 30))
def test_a_promotion_is_the_price_of_its_periods_alone(total: int, promotion: int, number: int) -> None:
    assume(number <= total)
    plan = terms(total=total, promotion=promotion, promotion_amount="0.99")
    assert plan.price(number) == (Decimal("0.99") if number <= promotion else Decimal(10))
    assert terms(total=total).price(number) == Decimal(10)


def test_a_plan_must_end_before_time_does() -> None:
    now = datetime(2025, 6, 1, tzinfo=UTC)
    assert terms(total=10_000).fits(now)
    assert not terms(total=10_000, unit="Y").fits(now)
    assert not terms(total=10_000, unit="D", count=3660).fits(now)
    assert not terms(trial_days=3_650_000).fits(now)
    assert not terms(first_at=datetime(9999, 12, 31, tzinfo=UTC)).fits(now)
