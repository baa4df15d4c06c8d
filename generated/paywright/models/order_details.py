"""Messages and value lists of spec/order_details.yaml."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paywright_runtime.contract.message import Model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from decimal import Decimal
    from typing import Literal

    from paywright.models.shared import Money, MoneyPart, OrderTrialDays, OrderTrialPeriods, PeriodRuleText


@dataclass(slots=True, kw_only=True)
class HostedPlan(Model):
    """A subscription plan that a hosted order activates or describes [2.3, 4.1].

    Args:
        subscription_no: no limit is stated.
        subject: no limit is stated.
        description: no limit is stated.
        total_periods: no limit is stated.
        period_rule: PeriodRuleText: Length of a period, counted in text.
        period_amount: MoneyPart: An amount and its currency, in the tables that mark both optional.
        first_period_start_date: an RFC 3339 time, or yyyy-MM-dd; first payment date.
        trial_period_config: HostedTrialPeriods: An n-period promotion in a hosted order.
        trial_config: OrderTrialDays: An n-day trial in an order.
    """

    subscription_no: str | None = None
    subject: str | None = None
    description: str | None = None
    total_periods: str | None = None
    period_rule: PeriodRuleText | None = None
    period_amount: MoneyPart | None = None
    first_period_start_date: date | None = None  # an RFC 3339 time, or yyyy-MM-dd; first payment date
    trial_period_config: HostedTrialPeriods | None = None
    trial_config: OrderTrialDays | None = None


@dataclass(slots=True, kw_only=True)
class HostedTrialPeriods(Model):
    """An n-period promotion in a hosted order [2.3].

    Args:
        trial_period_count: no limit is stated.
        trial_period_amount: both fields are required in the hosted call.
    """

    trial_period_count: str
    trial_period_amount: Money  # both fields are required in the hosted call


@dataclass(slots=True, kw_only=True)
class DropInPlan(Model):
    """A subscription plan that a Drop-In order activates or describes [2.3, 4.2].

    Args:
        subscription_no: no limit is stated.
        subject: no limit is stated.
        description: no limit is stated.
        total_periods: no limit is stated.
        period_rule: PeriodRuleText: Length of a period, counted in text.
        period_amount: both fields are required in the Drop-In call.
        first_period_start_date: an RFC 3339 time, or yyyy-MM-dd; first payment date.
        trial_period_config: OrderTrialPeriods: An n-period promotion in an order.
        trial_config: OrderTrialDays: An n-day trial in an order.
    """

    subscription_no: str | None = None
    subject: str | None = None
    description: str | None = None
    total_periods: str | None = None
    period_rule: PeriodRuleText | None = None
    period_amount: Money | None = None  # both fields are required in the Drop-In call
    first_period_start_date: date | None = None  # an RFC 3339 time, or yyyy-MM-dd; first payment date
    trial_period_config: OrderTrialPeriods | None = None
    trial_config: OrderTrialDays | None = None


@dataclass(slots=True, kw_only=True)
class HostedPaymentDetail(Model):
    """Payment methods of a hosted order [4.1].

    Args:
        payment_token_id: at most 64 characters; required when paying with a card token.
        payment_method_type: at most 16 characters; empty means all available methods.
        target_org: at most 16 characters; requires paymentMethodType.
        allowed_card_org: no limit is stated.
        token_for_future_use: default false; true: the user authorised binding for later use.
        merchant_initiated: default false; marks an MIT transaction.
        mit_type: one of SCHEDULED, UNSCHEDULED.
        pay_account_info: used when the method and target organisation are specified.

    Rules:
        target-needs-method: when target_org is given, need payment_method_type.
    """

    payment_token_id: str | None = field(default=None, repr=False)  # max 64; required when paying with a card token
    payment_method_type: str | None = None  # max 16; empty means all available methods
    target_org: str | None = None  # max 16; requires paymentMethodType
    allowed_card_org: Sequence[str] | None = None
    token_for_future_use: bool | None = None  # default false; true: the user authorised binding for later use
    merchant_initiated: bool | None = None  # default false; marks an MIT transaction
    mit_type: Literal["SCHEDULED", "UNSCHEDULED"] | None = None  # one of SCHEDULED, UNSCHEDULED
    pay_account_info: Sequence[PayAccount] | None = None  # used when the method and target organisation are specified


@dataclass(slots=True, kw_only=True)
class PayAccount(Model):
    """An account that the payer pays from [4.1].

    Args:
        account_no: at most 32 characters.
        account_no_type: at most 255 characters, one of EMAIL, PHONE, ACCOUNT.
    """

    account_no: str | None = field(default=None, repr=False)  # max 32
    account_no_type: Literal["EMAIL", "PHONE", "ACCOUNT"] | None = None  # max 255, one of EMAIL, PHONE, ACCOUNT


@dataclass(slots=True, kw_only=True)
class DropInPaymentDetail(Model):
    """Payment data that the merchant collected [4.2].

    Args:
        token_for_future_use: default false; true: the user authorised binding for later use.
        session_key: no limit is stated.
        payment_token: at most 64 characters.
        buyer_info: BuyerInfo: The buyer's device.
        merchant_initiated: default false; marks an MIT transaction.
        mit_type: one of SCHEDULED, UNSCHEDULED.
    """

    token_for_future_use: bool | None = None  # default false; true: the user authorised binding for later use
    session_key: str | None = field(default=None, repr=False)
    payment_token: str | None = field(default=None, repr=False)  # max 64
    buyer_info: BuyerInfo
    merchant_initiated: bool | None = None  # default false; marks an MIT transaction
    mit_type: Literal["SCHEDULED", "UNSCHEDULED"] | None = None  # one of SCHEDULED, UNSCHEDULED


@dataclass(slots=True, kw_only=True)
class BuyerInfo(Model):
    """The buyer's device [4.2].

    Args:
        client_ip: an IPv4 or IPv6 address; IPv4 or IPv6.
        user_agent: no limit is stated.
    """

    client_ip: str = field(repr=False)  # an IPv4 or IPv6 address; IPv4 or IPv6
    user_agent: str


@dataclass(slots=True, kw_only=True)
class EnvInfo(Model):
    """The payer's device [4.1].

    Args:
        device_id: no limit is stated.
        device_language: no limit is stated.
        screen_height: no limit is stated.
        screen_width: no limit is stated.
    """

    device_id: str | None = field(default=None, repr=False)
    device_language: str | None = None
    screen_height: str | None = None
    screen_width: str | None = None


@dataclass(slots=True, kw_only=True)
class SubMerchant(Model):
    """The merchant behind a platform merchant [4.1].

    Args:
        sub_merchant_no: at most 64 characters.
    """

    sub_merchant_no: str | None = None  # max 64


@dataclass(slots=True, kw_only=True)
class OrderGoods(Model):
    """One line of goods in an order [4.1].

    Args:
        goods_id: at most 64 characters.
        goods_name: at most 128 characters.
        quantity: at most 16 characters.
        price: decimal digits such as 10.50, at most 20 characters, at most 8 decimals.
        goods_currency: 3 uppercase letters, at most 3 characters.
        show_url: at most 128 characters.
        goods_category: no limit is stated.
    """

    goods_id: str  # max 64
    goods_name: str  # max 128
    quantity: str  # max 16
    price: Decimal | int  # decimal digits such as 10.50, max 20
    goods_currency: str | None = None  # 3 uppercase letters, max 3
    show_url: str | None = None  # max 128
    goods_category: str | None = None


@dataclass(slots=True, kw_only=True)
class ShippingInfo(Model):
    """Address to which goods are shipped [4.1].

    Args:
        first_name: at most 64 characters.
        middle_name: at most 64 characters.
        last_name: at most 64 characters.
        phone_no: at most 32 characters.
        email: at most 255 characters.
        address1: at most 1024 characters.
        address2: at most 1024 characters.
        city: at most 64 characters.
        region: at most 64 characters.
        state: at most 32 characters; required for shipping to Canada, US, UK, Australia.
        country: 2 uppercase letters, at most 2 characters.
        zip_code: at most 32 characters.

    Rules:
        state-where-used: when country in CA US GB UK AU, need state.
    """

    first_name: str = field(repr=False)  # max 64
    middle_name: str | None = field(default=None, repr=False)  # max 64
    last_name: str = field(repr=False)  # max 64
    phone_no: str = field(repr=False)  # max 32
    email: str = field(repr=False)  # max 255
    address1: str = field(repr=False)  # max 1024
    address2: str | None = field(default=None, repr=False)  # max 1024
    city: str = field(repr=False)  # max 64
    region: str | None = None  # max 64
    state: str | None = None  # max 32; required for shipping to Canada, US, UK, Australia
    country: str  # 2 uppercase letters, max 2
    zip_code: str = field(repr=False)  # max 32


@dataclass(slots=True, kw_only=True)
class BillingInfo(Model):
    """Person and address that are billed [4.1].

    Args:
        first_name: at most 64 characters.
        middle_name: at most 64 characters.
        last_name: at most 64 characters.
        phone_no: at most 32 characters.
        email: at most 255 characters.
        address1: at most 1024 characters.
        address2: at most 1024 characters.
        city: at most 64 characters.
        region: at most 64 characters.
        state: at most 32 characters.
        country: 2 uppercase letters, at most 2 characters.
        zip_code: at most 16 characters.
    """

    first_name: str | None = field(default=None, repr=False)  # max 64
    middle_name: str | None = field(default=None, repr=False)  # max 64
    last_name: str | None = field(default=None, repr=False)  # max 64
    phone_no: str | None = field(default=None, repr=False)  # max 32
    email: str = field(repr=False)  # max 255
    address1: str = field(repr=False)  # max 1024
    address2: str | None = field(default=None, repr=False)  # max 1024
    city: str = field(repr=False)  # max 64
    region: str | None = None  # max 64
    state: str | None = None  # max 32
    country: str  # 2 uppercase letters, max 2
    zip_code: str | None = field(default=None, repr=False)  # max 16
