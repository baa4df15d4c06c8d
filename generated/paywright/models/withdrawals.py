"""Messages and value lists of spec/withdrawals.yaml."""

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


class WithdrawStatus(OpenEnum, final=("SUCCESS", "FAILED"), paid=("SUCCESS",)):
    """State of a withdraw order [3, 2.10]."""

    PROCESSING = "PROCESSING"  # not finished yet
    SUCCESS = "SUCCESS"  # paid out; final and paid
    FAILED = "FAILED"  # failed; final


@dataclass(slots=True, kw_only=True)
class WithdrawOrder(Model):
    """A withdraw order [2.10].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    out_trade_no: str
    trade_no: str
    status: WithdrawStatus  # one of PROCESSING, SUCCESS, FAILED
    transaction_currency: str  # 3 uppercase letters
    transaction_amount: Decimal  # decimal digits such as 10.50
    target_currency: str  # 3 uppercase letters
    target_amount: Decimal | None = None  # decimal digits such as 10.50, may be empty
    rate: Decimal | None = None  # decimal digits such as 10.50, may be empty
    rate_time: datetime | None = None  # an RFC 3339 time, may be empty
    remark: str
    call_back_url: str  # callback address used when the order reaches a terminal state
    payer_funds_account_no: str = field(repr=False)
    payee_bank_account_no: str = field(repr=False)
    fee: WithdrawFee
    member_id: str
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class WithdrawFee(Model):
    """The fee of a withdraw order [2.10]."""

    service_fee_amount: Decimal | None = None  # decimal digits such as 10.50, may be empty
    service_fee_currency: str  # 3 uppercase letters, may be empty
