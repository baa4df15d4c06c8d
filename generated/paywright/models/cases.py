"""Messages and value lists of spec/cases.yaml."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paywright_runtime.contract.message import Model
from paywright_runtime.contract.open_enum import OpenEnum

if TYPE_CHECKING:
    from datetime import date, datetime
    from decimal import Decimal

    from paywright_runtime.answer import Answer


class CaseResult(OpenEnum):
    """Result of a chargeback case [2.12]."""

    WIN = "WIN"  # the merchant wins
    LOSE = "FAI"  # the merchant loses


class CaseStatus(OpenEnum):
    """State of a chargeback case [3, 2.12].

    The specification does not show all values: expect others.
    """

    DISPUTE_INQUIRY = "DISPUTE_INQUIRY"  # an inquiry was opened


@dataclass(slots=True, kw_only=True)
class Case(Model):
    """A chargeback case [2.12].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    amount: Decimal  # decimal digits such as 10.50, max 20; actual frozen payment amount, decimals per currency
    retrieval_date: date | None = None  # yyyy-MM-dd, max 32; document retrieval start date
    fee: Decimal  # decimal digits such as 10.50, max 20; freezing fee
    case_result: CaseResult | None = None  # max 32, one of WIN, FAI
    batch_id: str | None = None  # max 64; made during batch document retrieval
    out_user_id: str = field(repr=False)  # max 64
    trade_create_time: datetime | None = None  # yyyy-MM-dd'T'HH:mm:ss.SSSXXX, like 2025-02-26T12:00:00.000+00:00
    total_amount: Decimal  # decimal digits such as 10.50, max 20; frozen amount plus frozen fee
    case_id: str  # max 64
    out_trade_no: str  # max 64; merchant order number
    currency: str | None = None  # 3 uppercase letters, max 3; actual frozen currency
    trade_token: str  # max 64
    status: CaseStatus  # max 32; case status
    expiration_date: date | None = None  # yyyy-MM-dd, max 32; reply due date for proof materials
    origin_trade_amount: Decimal  # decimal digits such as 10.50, max 20; amount to be frozen for the original order
    origin_trade_currency: str | None = None  # 3 uppercase letters, max 3
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class BizCase(Model):
    """A chargeback case, in the bizType form [2.12, 4.10].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    amount: Decimal  # decimal digits such as 10.50, max 20; actual frozen payment amount, decimals per currency
    retrieval_date: date | None = None  # yyyy-MM-dd, max 32; document retrieval start date
    fee: Decimal  # decimal digits such as 10.50, max 20; freezing fee
    case_result: CaseResult | None = None  # max 32, one of WIN, FAI
    batch_id: str | None = None  # max 64; made during batch document retrieval
    out_user_id: str = field(repr=False)  # max 64
    trade_create_time: datetime | None = None  # yyyy-MM-dd'T'HH:mm:ss.SSSXXX, like 2025-02-26T12:00:00.000+00:00
    total_amount: Decimal  # decimal digits such as 10.50, max 20; frozen amount plus frozen fee
    case_id: str  # max 64
    out_trade_no: str  # max 64; merchant order number
    currency: str | None = None  # 3 uppercase letters, max 3; actual frozen currency
    trade_token: str  # max 64
    status: CaseStatus  # max 32; case status
    expiration_date: date | None = None  # yyyy-MM-dd, max 32; reply due date for proof materials
    answer: Answer = field(init=False, repr=False, compare=False)
