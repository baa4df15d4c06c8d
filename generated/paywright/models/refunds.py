"""Messages and value lists of spec/refunds.yaml."""

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


class RefundCreationStatus(OpenEnum, final=("REFUND_FAILED",)):
    """State of a refund, as its creation answers it [3, 2.4]."""

    REFUND_PENDING = "REFUND_PENDING"  # accepted, not finished yet
    REFUND_FAILED = "REFUND_FAILED"  # failed; final


class RefundStatus(OpenEnum, final=("REFUND_SUCCESS", "REFUND_FAILED"), paid=("REFUND_SUCCESS",)):
    """State of a refund, in the inquiry [3, 2.4]."""

    REFUND_SUCCESS = "REFUND_SUCCESS"  # the money went back; final and paid
    REFUND_PENDING = "REFUND_PENDING"  # not finished yet
    REFUND_FAILED = "REFUND_FAILED"  # failed; final


@dataclass(slots=True, kw_only=True)
class RefundCreated(Model):
    """The gateway's answer to a refund [2.4].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    out_refund_no: str  # max 64
    trade_order_no: str  # max 64; the original transaction order id
    refund_trade_no: str  # max 64; service refund id
    status: RefundCreationStatus  # max 32, one of REFUND_PENDING, REFUND_FAILED
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class Refund(Model):
    """A refund as its inquiry shows it [2.4].

    Rules:
        message-of-failure: when status in REFUND_SUCCESS REFUND_PENDING, result_msg is empty.

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    out_refund_no: str | None = None  # max 64
    refund_trade_no: str | None = None  # max 64
    out_trade_no: str | None = None  # max 64
    refund_amount: Decimal | None = None
    refund_currency: str | None = None  # 3 uppercase letters, max 3; the original transaction currency
    status: RefundStatus | None = None  # max 32, one of REFUND_SUCCESS, REFUND_PENDING, REFUND_FAILED
    result_msg: str | None = None  # max 256; has a value only on failure
    refund_finish_time: datetime | None = None  # an RFC 3339 time, may be empty
    answer: Answer = field(init=False, repr=False, compare=False)
