"""Messages and value lists of spec/shared.yaml."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paywright_runtime.contract.message import Model
from paywright_runtime.contract.open_enum import OpenEnum

if TYPE_CHECKING:
    from datetime import date
    from decimal import Decimal
    from typing import Literal


class CardSource(OpenEnum):
    """Source of a card [2.8]."""

    CARD = "CARD"
    APPLEPAY = "APPLEPAY"
    GOOGLEPAY_PAN = "GOOGLEPAY_PAN"
    GOOGLEPAY_CRYPTOGRAM = "GOOGLEPAY_CRYPTOGRAM"
    NETWORK_TOKEN = "NETWORK_TOKEN"


class CardNumberKind(OpenEnum):
    """Kind of a card's number [2.8].

    The specification does not show all values: expect others.
    """

    PAN = "PAN"  # a full number
    NETWORK_TOKEN = "NETWORK_TOKEN"  # not a full number


class PeriodUnit(OpenEnum):
    """Unit of periods [2.3, 4.5]."""

    MONTH = "M"  # months
    DAY = "D"  # days
    WEEK = "W"  # weeks
    YEAR = "Y"  # years


@dataclass(slots=True, kw_only=True)
class Money(Model):
    """An amount and its currency [2.3].

    Args:
        amount: at most 8 decimals.
        currency: 3 uppercase letters, at most 3 characters.
    """

    amount: Decimal
    currency: str  # 3 uppercase letters, max 3


@dataclass(slots=True, kw_only=True)
class MoneyPart(Model):
    """An amount and its currency, in the tables that mark both optional [2.5, 4.5].

    Args:
        amount: at most 8 decimals.
        currency: 3 uppercase letters, at most 3 characters.
    """

    amount: Decimal | None = None
    currency: str | None = None  # 3 uppercase letters, max 3


@dataclass(slots=True, kw_only=True)
class TradeAmount(Model):
    """An amount, as decimal text, and its currency [2.3, 6.1]."""

    amount: Decimal  # decimal digits such as 10.50
    currency: str  # 3 uppercase letters


@dataclass(slots=True, kw_only=True)
class OrderPlan(Model):
    """Shared members of plans in order requests [2.3]."""

    subscription_no: str | None = None
    subject: str | None = None
    description: str | None = None
    total_periods: str | None = None
    period_rule: PeriodRuleText | None = None
    period_amount: MoneyPart | None = None
    first_period_start_date: date | None = None  # an RFC 3339 time, or yyyy-MM-dd; first payment date
    trial_period_config: OrderTrialPeriods | None = None
    trial_config: OrderTrialDays | None = None


@dataclass(slots=True, kw_only=True)
class PeriodRuleText(Model):
    """Length of a period, counted in text [2.3].

    Args:
        period_unit: one of M, D, W, Y.
        period_count: no limit is stated.
    """

    period_unit: PeriodUnit | Literal["M", "D", "W", "Y"] | None = None  # one of M, D, W, Y
    period_count: str | None = None


@dataclass(slots=True, kw_only=True)
class OrderTrialPeriods(Model):
    """An n-period promotion in an order [2.3].

    Args:
        trial_period_count: no limit is stated.
        trial_period_amount: MoneyPart: An amount and its currency, in the tables that mark both optional.
    """

    trial_period_count: str
    trial_period_amount: MoneyPart


@dataclass(slots=True, kw_only=True)
class OrderTrialDays(Model):
    """An n-day trial in an order [2.3].

    Args:
        trial_amount: Money: An amount and its currency.
        trial_days: no limit is stated.
    """

    trial_amount: Money
    trial_days: str


@dataclass(slots=True, kw_only=True)
class CardInfo(Model):
    """A card, as far as it may be shown [2.8]."""

    card_org: str | None = None  # max 32; card scheme
    country: str | None = None  # 2 uppercase letters, max 2; issuing country
    card_type: str | None = None  # max 32, such as DEBIT, CREDIT
    total_card_org: tuple[str, ...] = ()  # a dual-brand card returns two
    type: CardNumberKind | None = None  # max 32
    # max 32, one of CARD, APPLEPAY, GOOGLEPAY_PAN, GOOGLEPAY_CRYPTOGRAM, NETWORK_TOKEN
    source: CardSource | None = None
    card_bin_no: str | None = field(default=None, repr=False)  # max 16
    card_number: str | None = field(default=None, repr=False)  # max 32; masked
    card_holder_name: str | None = field(default=None, repr=False)  # max 128; masked
    card_last4: str | None = None  # max 4
    card_expiration_year: str | None = field(default=None, repr=False)  # max 2
    card_expiration_month: str | None = field(default=None, repr=False)  # max 2
    # max 19; ciphertext of the card number when the method is CARD; only in the link query
    card_identifier_no: str | None = field(default=None, repr=False)
