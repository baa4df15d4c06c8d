"""Messages and value lists of spec/subscriptions.yaml."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paywright_runtime.contract.message import Model
from paywright_runtime.contract.open_enum import OpenEnum

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from decimal import Decimal
    from typing import Literal

    from paywright.models.shared import Money, MoneyPart, PeriodUnit
    from paywright_runtime.answer import Answer


class SubscriptionStatus(OpenEnum, final=("EXPIRED", "FINISH", "CANCEL", "TERMINATE")):
    """State of a subscription plan [3, 2.5]."""

    INACTIVE = "INACTIVE"  # not activated
    ACTIVE_FAILED = "ACTIVE_FAILED"  # activation failed
    ACTIVE = "ACTIVE"  # activated
    EXPIRED = "EXPIRED"  # expired and not activated; final
    FINISH = "FINISH"  # completed; final
    CANCEL = "CANCEL"  # cancelled; final
    TERMINATE = "TERMINATE"  # terminated; final


@dataclass(slots=True, kw_only=True)
class NewPlan(Model):
    """A subscription plan to create [4.5].

    Args:
        subject: at most 256 characters.
        description: at most 256 characters.
        total_periods: at most 8 decimals.
        first_period_start_date: an RFC 3339 time like 2025-02-26T12:00:00+00:00; first payment date.
        period_rule: required when prices is empty; null when it is not.
        period_amount: required when prices is empty; null when it is not.
        trial_period_config: n-period promotion.
        trial_config: n-day trial.
        prices: may be empty.

    Rules:
        period-or-prices: when prices is empty, need period_rule and need period_amount.
        prices-alone: when prices is not empty, refuse period_rule and refuse period_amount.
    """

    subject: str  # max 256
    description: str | None = None  # max 256
    total_periods: Decimal | int
    # an RFC 3339 time like 2025-02-26T12:00:00+00:00; first payment date
    first_period_start_date: datetime | None = None
    period_rule: PeriodRule | None = None  # required when prices is empty; null when it is not
    period_amount: Money | None = None  # required when prices is empty; null when it is not
    trial_period_config: TrialPeriodsPart | None = None  # n-period promotion
    trial_config: TrialDays | None = None  # n-day trial
    prices: Sequence[Price]  # may be empty


@dataclass(slots=True, kw_only=True)
class PeriodRule(Model):
    """Length of a period [4.5].

    Args:
        period_unit: at most 2 characters, one of M, D, W, Y.
        period_count: at most 8 decimals.
    """

    period_unit: PeriodUnit | Literal["M", "D", "W", "Y"]  # max 2, one of M, D, W, Y
    period_count: Decimal | int


@dataclass(slots=True, kw_only=True)
class TrialPeriodsPart(Model):
    """An n-period promotion of a new plan [4.5].

    Args:
        trial_period_count: at most 8 decimals.
        trial_period_amount: MoneyPart: An amount and its currency, in the tables that mark both optional.
    """

    trial_period_count: Decimal | int | None = None
    trial_period_amount: MoneyPart | None = None


@dataclass(slots=True, kw_only=True)
class TrialDays(Model):
    """An n-day trial [4.5, 2.5].

    Args:
        trial_amount: Money: An amount and its currency.
        trial_days: at most 8 decimals.
    """

    trial_amount: Money
    trial_days: Decimal


@dataclass(slots=True, kw_only=True)
class Price(Model):
    """A price of a new plan and how many of it [4.5].

    Args:
        price_id: no limit is stated.
        quantity: at most 8 decimals.
    """

    price_id: str
    quantity: Decimal | int


@dataclass(slots=True, kw_only=True)
class PriceShown(Model):
    """A price of a plan and how many of it, as the gateway shows it [2.5]."""

    price_id: str
    quantity: Decimal


@dataclass(slots=True, kw_only=True)
class SubscriptionCreated(Model):
    """The gateway's answer to a new plan [2.5].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    subscription_request_id: str  # max 64
    subscription_plan: SubscriptionPlan
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class SubscriptionPlan(Model):
    """A subscription plan as the gateway shows it [2.5]."""

    subscription_no: str  # service subscription plan order number
    # max 32, one of INACTIVE, ACTIVE_FAILED, ACTIVE, EXPIRED, FINISH, CANCEL, TERMINATE
    subscription_status: SubscriptionStatus
    subject: str | None = None
    description: str | None = None
    total_periods: str | None = None
    period_rule: PeriodRuleShown | None = None
    period_amount: Money | None = None
    trial_period_config: TrialPeriodsShown | None = None
    trial_config: TrialDays | None = None
    prices: tuple[PriceShown, ...] = ()


@dataclass(slots=True, kw_only=True)
class PeriodRuleShown(Model):
    """Length of a period, as the gateway shows it [2.5]."""

    period_unit: str
    period_count: str


@dataclass(slots=True, kw_only=True)
class TrialPeriodsShown(Model):
    """An n-period promotion, as the gateway shows it [2.5]."""

    trial_period_count: str
    trial_period_amount: MoneyPart
