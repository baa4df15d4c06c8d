"""Messages and value lists of spec/notifications.yaml."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paywright_runtime.contract.message import Model
from paywright_runtime.contract.open_enum import OpenEnum

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from paywright.models.shared import CardNumberKind, CardSource, MoneyPart, TradeAmount


class TransferStatus(OpenEnum, final=("SETTLED", "REJECTED"), paid=("SETTLED",)):
    """State of a transfer to the receive service [3, 6.1]."""

    TO_BE_PROVED = "TO_BE_PROVED"  # additional documents required
    SETTLED = "SETTLED"  # successful and settled; final and paid
    REJECTED = "REJECTED"  # failed and refunded; final


class PeriodPaymentStatus(OpenEnum, final=("SUCCESS", "FAILED", "CLOSED"), paid=("SUCCESS",)):
    """State of a period's payment [3, 6.2]."""

    PENDING = "PENDING"  # not finished yet
    SUCCESS = "SUCCESS"  # paid; final and paid
    FAILED = "FAILED"  # failed; final
    CLOSED = "CLOSED"  # closed, as the text of 6.2 names it; final


class LastPaymentStatus(OpenEnum, final=("SUCCESS",), paid=("SUCCESS",)):
    """State of the last attempt to charge a period [3, 6.2]."""

    PENDING = "PENDING"  # not finished yet
    SUCCESS = "SUCCESS"  # paid; final and paid
    FAILED = "FAILED"  # failed; a failed charge is retried


@dataclass(slots=True, kw_only=True)
class TransferNotification(Model):
    """The notification of a transfer to the receive service [6.1, 2.14]."""

    code: str  # max 32; APPLY_SUCCESS means a valid callback
    msg: str
    version: str
    key_version: str  # max 8
    app_id: str  # max 32
    merchant_no: str  # max 15
    notify_time: datetime | None = None  # yyyy-MM-dd'T'HH:mm:ss.SSSXXX, like 2025-02-26T12:00:00.000+00:00, max 32
    notify_type: str  # max 16, always RECEIVE
    data: Transfer


@dataclass(slots=True, kw_only=True)
class Transfer(Model):
    """A transfer to the receive service [6.1, 2.14]."""

    request_no: str  # max 64; service transaction serial number
    channel_trade_no: str  # max 64; bank reference or external order number
    status: TransferStatus  # max 16, one of TO_BE_PROVED, SETTLED, REJECTED
    transaction_utc_time: datetime | None = None  # an RFC 3339 time, max 32; creation time
    complete_time: datetime | None = None  # an RFC 3339 time, max 32, may be empty
    payment_detail: TransferDetail
    error_code: str  # max 32
    error_msg: str  # max 256


@dataclass(slots=True, kw_only=True)
class TransferDetail(Model):
    """Payer, payee and settlement of a transfer [6.1]."""

    payee_info: Payee
    payer_info: Payer
    settle: Settlement
    trade: TradeAmount  # amount actually received by the bank
    remark: str  # max 256; bank transfer remark


@dataclass(slots=True, kw_only=True)
class Payee(Model):
    """The merchant's receiving account [6.1]."""

    country: str  # 2 uppercase letters, max 2
    account_no: str = field(repr=False)  # max 128
    account_nick_name: str  # max 256
    bank_code: str  # max 64


@dataclass(slots=True, kw_only=True)
class Payer(Model):
    """Sender of a transfer [6.1]."""

    account_no: str = field(repr=False)  # max 128
    account_name: str = field(repr=False)  # max 256; full name
    bank_code: str  # max 64
    bank_name: str  # max 256
    bank_branch: str  # max 64


@dataclass(slots=True, kw_only=True)
class Settlement(Model):
    """Settlement to the merchant [6.1]."""

    amount: Decimal | None = None  # decimal digits such as 10.50, may be empty; actual amount settled to the merchant
    currency: str  # 3 uppercase letters, may be empty
    fee: Decimal | None = None  # decimal digits such as 10.50, may be empty
    fee_currency: str  # 3 uppercase letters, may be empty
    tax: Decimal | None = None  # decimal digits such as 10.50, may be empty
    tax_currency: str  # 3 uppercase letters, may be empty


@dataclass(slots=True, kw_only=True)
class Acknowledgement(Model):
    """The merchant's answer to a transfer notification [4.19].

    Args:
        msg: no limit is stated.
        code: only means that the callback was received.
    """

    msg: str = "Success"
    code: str = "SUCCESS"  # only means that the callback was received


@dataclass(slots=True, kw_only=True)
class PeriodNotification(Model):
    """The notification of a subscription period's payment [6.2]."""

    code: str  # max 32; APPLY_SUCCESS with status SUCCESS, otherwise a failure code with status FAILED or CLOSED
    key_version: str
    app_id: str
    merchant_no: str | None = None  # max 32
    msg: str  # max 256; Success. or the failure message
    notify_time: datetime | None = None  # an RFC 3339 time, max 32
    notify_type: str  # always SUBSCRIPTION_PAYMENT
    data: PeriodResult


@dataclass(slots=True, kw_only=True)
class PeriodResult(Model):
    """Result of the payment of a plan's period [6.2, 2.5]."""

    subscription_request_id: str  # max 64
    user_id: str = field(repr=False)  # max 64
    subscription_plan: PlanNumber
    subscription_payment_detail: PeriodPayment


@dataclass(slots=True, kw_only=True)
class PlanNumber(Model):
    """The number of a plan [6.2]."""

    subscription_no: str  # max 64


@dataclass(slots=True, kw_only=True)
class PeriodPayment(Model):
    """The payment of one period [6.2].

    Rules:
        paid-in-the-end: when payment_status is SUCCESS, last_payment_info.last_payment_status in SUCCESS PENDING.
        failed-in-the-end: when payment_status is FAILED, last_payment_info.last_payment_status in FAILED PENDING.
    """

    subscription_index: Decimal  # period sequence number
    payment_status: PeriodPaymentStatus  # max 32, one of PENDING, SUCCESS, FAILED, CLOSED
    period_start_time: datetime | None = None  # like 2025-01-13T15:59:59+0000, or an RFC 3339 time
    period_end_time: datetime | None = None  # like 2025-01-13T15:59:59+0000, or an RFC 3339 time
    pay_amount: MoneyPart
    payment_method_type: str  # max 64
    card_org: str  # max 64
    last_payment_info: LastPayment
    card_info: PeriodCardInfo | None = None


@dataclass(slots=True, kw_only=True)
class PeriodCardInfo(Model):
    """The card a period was paid with [6.2, 2.8]."""

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


@dataclass(slots=True, kw_only=True)
class LastPayment(Model):
    """The last attempt to charge a period [6.2].

    Rules:
        paid-has-token: when last_payment_status is SUCCESS, need trade_token.
    """

    last_payment_status: LastPaymentStatus  # max 32, one of PENDING, SUCCESS, FAILED
    pay_time: datetime | None = None  # an RFC 3339 time, may be empty
    trade_token: str | None = None  # max 64; payment transaction id usable for refund; must be present on success
    error_code: str | None = None  # max 64
    error_msg: str | None = None  # max 512


@dataclass(slots=True, kw_only=True)
class PeriodAcknowledgement(Model):
    """The merchant's answer to a period notification [4.19].

    Args:
        code: at most 32 characters; only means that the callback was received.
        msg: at most 256 characters.
    """

    code: str = "SUCCESS"  # max 32; only means that the callback was received
    msg: str | None = None  # max 256
