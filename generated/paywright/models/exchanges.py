"""Messages and value lists of spec/exchanges.yaml."""

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


class ExchangeStatus(OpenEnum, final=("SUCCESS", "FAILED"), paid=("SUCCESS",)):
    """State of an exchange order [3, 2.9]."""

    SUCCESS = "SUCCESS"  # exchanged; final and paid
    FAILED = "FAILED"  # failed; final
    PENDING = "PENDING"  # not finished yet


@dataclass(slots=True, kw_only=True)
class ExchangeCreated(Model):
    """The gateway's answer to an exchange [2.9].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    transaction_ccy: str  # 3 uppercase letters, max 3
    side: str  # max 4
    trade_no: str  # max 64
    target_amount: Decimal | None = None  # decimal digits such as 10.50, may be empty
    rate_time: datetime | None = None  # at most 13 characters, or an RFC 3339 time
    complete_time: datetime | None = None  # an RFC 3339 time, max 32, may be empty
    error_code: str  # max 32
    rate_version: str  # max 64
    target_ccy: str  # 3 uppercase letters, max 3
    error_msg: str  # max 256
    ccy_pair: str  # max 6
    rate: Decimal | None = None  # decimal digits such as 10.50, may be empty
    out_trade_no: str  # max 64
    transaction_amount: Decimal  # decimal digits such as 10.50
    status: ExchangeStatus  # max 32, one of SUCCESS, FAILED, PENDING
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class Exchange(Model):
    """An exchange order [2.9].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    transaction_ccy: str  # 3 uppercase letters
    side: str
    trade_no: str
    target_amount: Decimal | None = None  # decimal digits such as 10.50, may be empty
    rate_time: datetime | None = None  # an RFC 3339 time, or 13 digits, may be empty
    rate: Decimal | None = None  # decimal digits such as 10.50, may be empty
    complete_time: datetime | None = None  # an RFC 3339 time, may be empty
    error_code: str
    rate_version: str
    target_ccy: str  # 3 uppercase letters
    error_msg: str
    ccy_pair: str
    out_trade_no: str
    transaction_amount: Decimal  # decimal digits such as 10.50
    status: ExchangeStatus  # one of SUCCESS, FAILED, PENDING
    answer: Answer = field(init=False, repr=False, compare=False)
