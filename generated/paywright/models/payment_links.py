"""Messages and value lists of spec/payment_links.yaml."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paywright_runtime.contract.message import Model
from paywright_runtime.contract.open_enum import OpenEnum

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from paywright.models.shared import CardInfo
    from paywright_runtime.answer import Answer


class LinkStatus(OpenEnum, final=("EXPIRED",)):
    """State of a payment link [3, 2.7]."""

    ACTIVE = "ACTIVE"  # can be paid
    EXPIRED = "EXPIRED"  # can no longer be paid; final


class LinkTransactionStatus(OpenEnum, final=("SUCCESS", "CLOSE"), paid=("SUCCESS",)):
    """State of a transaction made through a link [3, 2.7]."""

    SUCCESS = "SUCCESS"  # paid; final and paid
    PENDING = "PENDING"  # not finished yet
    CLOSE = "CLOSE"  # closed unpaid; final


@dataclass(slots=True, kw_only=True)
class PayByLink(Model):
    """A payment link [2.7].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    link_id: str  # max 64; service link number
    merchant_link_id: str  # max 64
    total_amount: Decimal  # decimal digits such as 10.50, max 24
    country: str  # 2 uppercase letters, max 2
    currency: str  # 3 uppercase letters, max 3
    link_status: LinkStatus  # max 16, one of ACTIVE, EXPIRED
    expires_at: datetime | None = None  # an RFC 3339 time, max 32
    link_url: str  # max 256
    qr_code_url: str  # max 256
    description: str  # max 256; shown to the payer
    link_description: str | None = None  # max 256; merchant note, not shown to payers
    pay_by_link_info: tuple[LinkTransaction, ...] = ()  # transactions made through the link
    goods_details: tuple[LinkGoods, ...] = ()
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class LinkTransaction(Model):
    """A transaction made through a link [2.7].

    Rules:
        time-of-success: when status in PENDING CLOSE, complete_at is empty.
        details-of-success: when status in PENDING CLOSE, payment_details is empty.
    """

    out_trade_no: str | None = None  # max 64; empty while the link is unopened
    status: LinkTransactionStatus | None = None  # max 32, one of SUCCESS, PENDING, CLOSE
    complete_at: datetime | None = None  # an RFC 3339 time, max 32, may be empty; only when successful
    user_info: LinkUser | None = None
    payment_details: tuple[LinkPayment, ...] = ()  # only when successful


@dataclass(slots=True, kw_only=True)
class LinkUser(Model):
    """Payer of a link [2.7]."""

    user_id: str | None = field(default=None, repr=False)  # max 64
    user_name: str | None = field(default=None, repr=False)  # max 64


@dataclass(slots=True, kw_only=True)
class LinkPayment(Model):
    """A payment through a link [2.7]."""

    target_org: str | None = None  # max 64
    payment_method_type: str | None = None  # max 64
    card_info: CardInfo | None = None


@dataclass(slots=True, kw_only=True)
class LinkGoods(Model):
    """One line of goods of a link [2.7]."""

    goods_name: str  # max 128
    goods_description: str  # max 256
    quantity: str  # max 16
    price: Decimal  # decimal digits such as 10.50, max 24
    goods_currency: str | None = None  # 3 uppercase letters, max 3
    show_url: str | None = None  # max 128
