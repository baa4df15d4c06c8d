"""Messages and value lists of spec/snap.yaml."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paywright_runtime.contract.message import Model
from paywright_runtime.contract.open_enum import OpenEnum

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from paywright_runtime.answer import Answer


class SnapTransactionStatus(OpenEnum, final=("00", "05", "06"), paid=("00",)):
    """State of a bank-style payment [3, 2.13]."""

    SUCCESS = "00"  # success, final and paid; final and paid
    PENDING = "03"  # pending
    CANCELLED = "05"  # cancelled/closed; final
    FAILED = "06"  # failed; final


class SnapCancelStatus(OpenEnum, final=("05", "06")):
    """State in the answer to a cancel [3, 2.13]."""

    SUCCESS = (
        "00"  # as the sample of a cancel shows it; whether the payment is paid or cancelled is told by the status query
    )
    PENDING = "03"  # pending
    CANCELLED = "05"  # cancelled/closed; final
    FAILED = "06"  # failed; final


class SnapRefundStatus(OpenEnum, final=("00", "06"), paid=("00",)):
    """State of a refund of a bank-style payment [2.4]."""

    SUCCESS = "00"  # success; final and paid
    PENDING = "03"  # pending
    FAILED = "06"  # failed; final


@dataclass(slots=True, kw_only=True)
class SnapAmount(Model):
    """An amount in the bank-style form [2.4, 2.13, 4.17].

    Args:
        value: at most 8 decimals.
        currency: 3 uppercase letters, at most 3 characters.
    """

    value: Decimal
    currency: str  # 3 uppercase letters, max 3


@dataclass(slots=True, kw_only=True)
class SnapVersion(Model):
    """The versions that a bank-style request carries [4.17, 9].

    Args:
        version: at most 8 characters.
        key_version: at most 8 characters.
    """

    version: str = "1.4"  # max 8
    key_version: str = "1"  # max 8


@dataclass(slots=True, kw_only=True)
class SnapStatus(Model):
    """State of a bank-style payment [2.13, 7].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    original_partner_reference_no: str  # max 64
    original_reference_no: str  # max 64
    trans_amount: SnapAmount | None = None
    latest_transaction_status: SnapTransactionStatus  # max 2, one of 00, 03, 05, 06
    paid_time: datetime | None = None  # an RFC 3339 time, max 25, may be empty
    original_response_message: str | None = None  # max 256
    refund_history: tuple[SnapRefund, ...] = ()
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class SnapRefund(Model):
    """A refund of a bank-style payment [2.4]."""

    refund_no: str  # max 64
    partner_refund_no: str  # max 64
    refund_amount: SnapAmount
    refund_status: SnapRefundStatus  # max 2, one of 00, 03, 06
    refund_date: datetime | None = None  # an RFC 3339 time, max 25, may be empty
    reason: str | None = None  # max 512


@dataclass(slots=True, kw_only=True)
class SnapCancelled(Model):
    """Result of cancelling a bank-style payment [2.13, 7].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    original_partner_reference_no: str  # max 64
    cancel_time: datetime | None = None  # an RFC 3339 time, max 25, may be empty
    original_reference_no: str | None = None  # max 64
    original_external_id: str | None = None  # max 32
    transaction_date: datetime | None = None  # an RFC 3339 time, max 25
    additional_info: SnapCancelInfo
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class SnapCancelInfo(Model):
    """The state after a cancel [2.13]."""

    latest_transaction_status: SnapCancelStatus  # max 2, one of 00, 03, 05, 06
