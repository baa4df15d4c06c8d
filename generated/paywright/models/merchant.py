"""Messages and value lists of spec/merchant.yaml."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paywright_runtime.contract.message import Model
from paywright_runtime.contract.open_enum import OpenEnum

if TYPE_CHECKING:
    from decimal import Decimal
    from typing import Literal


class Confirmation(OpenEnum):
    """The merchant's yes or no [4.18, 7]."""

    ACCEPTED = "Y"  # the payment may be made
    REFUSED = "N"  # it may not


@dataclass(slots=True, kw_only=True)
class BillPaymentValidation(Model):
    """The bill payment that the gateway asks about [4.18, 2.15]."""

    reference_no: str  # max 64; merchant's unique order id
    amount: Decimal
    currency: str  # 3 uppercase letters, max 3


@dataclass(slots=True, kw_only=True)
class BillPaymentAnswer(Model):
    """The merchant's answer: whether the bill may be paid [4.18, 2.15].

    Args:
        code: SUCCESS means success.
        msg: no limit is stated.
        data: BillPaymentDecision: Decision about the payment of a bill, with limits.
    """

    code: str = "SUCCESS"  # SUCCESS means success
    msg: str = "Success"
    data: BillPaymentDecision | None = None


@dataclass(slots=True, kw_only=True)
class BillPaymentDecision(Model):
    """Decision about the payment of a bill, with limits [4.18, 2.15].

    Args:
        reference_no: at most 64 characters.
        min_amount: no limit is stated.
        max_amount: no limit is stated.
        currency: 3 uppercase letters, at most 3 characters.
        confirmation: at most 16 characters, one of Y, N.
        failure_reason: at most 255 characters; reason when the check fails.
    """

    reference_no: str  # max 64
    min_amount: Decimal | int
    max_amount: Decimal | int
    currency: str  # 3 uppercase letters, max 3
    confirmation: Confirmation | Literal["Y", "N"]  # max 16, one of Y, N
    failure_reason: str | None = None  # max 255; reason when the check fails
