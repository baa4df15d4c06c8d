"""Messages and value lists of spec/orders.yaml."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paywright_runtime.contract.message import Model
from paywright_runtime.contract.open_enum import OpenEnum

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from paywright.models.shared import TradeAmount
    from paywright_runtime.answer import Answer


class OrderStatus(OpenEnum, final=("FAILED", "BOUNCEBACK", "CLOSED"), settled=("SUCCESS",), paid=("SUCCESS",)):
    """State of a payment order, in the inquiry [3, 2.3]."""

    SUCCESS = "SUCCESS"  # paid; may still be returned, and then it is BOUNCEBACK; settled and paid
    FAILED = "FAILED"  # failed; final
    PENDING = "PENDING"  # not finished yet
    BOUNCEBACK = "BOUNCEBACK"  # returned after it was paid; final
    CLOSED = "CLOSED"  # closed unpaid; the specification does not list it, and it was seen elsewhere; final


class OrderCreationStatus(OpenEnum):
    """State of a payment order, as its creation answers it [3, 2.3].

    The specification does not show all values: expect others.
    """

    PENDING = "PENDING"  # not finished yet
    SUCCESS = "SUCCESS"  # done; whether it is final is told by the inquiry


@dataclass(slots=True, kw_only=True)
class HostedOrderCreated(Model):
    """The gateway's answer to a hosted order [4.1, 2.3].

    Rules:
        cashier-page: need redirect_url.

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    redirect_url: str | None = None  # max 1024; the cashier page; the order exists all the same where it is missing
    out_trade_no: str  # max 64
    trade_token: str  # max 64; service order id
    status: OrderCreationStatus  # max 32
    qr_code_url: str | None = None  # present for QR-code methods
    va_code: str | None = None  # present for virtual-account methods
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class DropInOrderCreated(Model):
    """The gateway's answer to a Drop-In order [2.3].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    out_trade_no: str  # max 64
    trade_token: str  # max 64; service order id
    status: OrderCreationStatus  # max 32
    redirect_url: str | None = None  # max 1024; set when the payment must finish on an external page
    qr_code_url: str | None = None  # present for QR-code methods
    va_code: str | None = None  # present for virtual-account methods
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class Order(Model):
    """A payment order as the inquiry shows it [2.3, 7].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    out_trade_no: str | None = None  # max 64; merchant order id
    trade_no: str | None = None  # service transaction serial number
    status: OrderStatus | None = None  # max 32, one of SUCCESS, FAILED, PENDING, BOUNCEBACK, CLOSED
    sub_status: str | None = None  # progress detail while PENDING
    notify_email: str | None = field(default=None, repr=False)  # payee notification contact
    notify_phone: str | None = field(default=None, repr=False)  # payee notification contact
    response_code: str | None = None  # failure code
    response_msg: str | None = None  # failure description
    reference: str | None = None  # merchant pass-through data, returned unchanged in callbacks
    redeem_code: str | None = field(default=None, repr=False)  # withdrawal code or carrier recharge PIN
    expiry_time: datetime | None = None  # yyyy-MM-dd'T'HH:mm:ss Z
    bounce_back_time: datetime | None = None  # yyyy-MM-dd'T'HH:mm:ss Z
    transaction_utc_time: datetime | None = None  # an RFC 3339 time, max 32; creation time
    funds_freeze_time: datetime | None = None  # yyyy-MM-dd'T'HH:mm:ss Z
    funds_return_time: datetime | None = None  # yyyy-MM-dd'T'HH:mm:ss Z
    pay_finish_time: datetime | None = None  # yyyy-MM-dd'T'HH:mm:ss Z
    trade: TradeAmount  # amount the merchant requested
    source: SideAmount  # payer side
    destination: SideAmount  # payee side
    # returned only when the withdrawal callback is at version 3.0 or above [9]
    additional_identifier: AdditionalIdentifier | None = None
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class SideAmount(Model):
    """The amount on the payer's or the payee's side [2.3]."""

    amount: Decimal | None = None  # decimal digits such as 10.50, may be empty
    currency: str  # 3 uppercase letters, may be empty
    exchange_rate: Decimal | None = None  # decimal digits such as 10.50
    fee: Decimal | None = None  # decimal digits such as 10.50
    fee_currency: str | None = None  # 3 uppercase letters
    tax: Decimal | None = None  # decimal digits such as 10.50
    tax_currency: str | None = None  # 3 uppercase letters


@dataclass(slots=True, kw_only=True)
class AdditionalIdentifier(Model):
    """Further numbers of an order [2.3]."""

    reference_id: str | None = None  # receiving bank/institution order number
