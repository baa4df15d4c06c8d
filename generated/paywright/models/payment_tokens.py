"""Messages and value lists of spec/payment_tokens.yaml."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paywright_runtime.contract.message import Model
from paywright_runtime.contract.open_enum import OpenEnum

if TYPE_CHECKING:
    from datetime import datetime

    from paywright_runtime.answer import Answer


class CvvEntry(OpenEnum):
    """Rule for entering the CVV again [2.6]."""

    REQUIRED = "Y"  # the CVV must be entered again when paying with the token
    NOT_REQUIRED = "N"  # the CVV need not be entered


class PaymentTokenStatus(OpenEnum, final=("Deleted", "Expired")):
    """State of a payment token [3, 2.6]."""

    DELETED = "Deleted"  # deleted; final
    ACTIVATED = "Activated"  # can be paid with
    EXPIRED = "Expired"  # expired; final


@dataclass(slots=True, kw_only=True)
class PaymentTokenList(Model):
    """The saved payment methods of a user [4.6].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    token_list: tuple[PaymentToken, ...] = ()
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class BizPaymentTokenList(Model):
    """The saved payment methods of a user, in the bizType form [4.7].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    token_list: tuple[BizPaymentToken, ...] = ()
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class PaymentToken(Model):
    """A saved payment method [2.6].

    Rules:
        card-has-no-target: when payment_method_type is CARD, target_org is empty.
        card-has-no-account: when payment_method_type is CARD, account_display is empty.
    """

    payment_token_id: str = field(repr=False)  # max 64
    user_id: str = field(repr=False)  # max 64; merchant's user id
    token_scope: str  # max 16
    # yyyy-MM-dd'T'HH:mm:ss.SSSXXX, like 2025-02-26T12:00:00.000+00:00, max 32
    payment_token_expiry: datetime | None = None
    payment_token_status: PaymentTokenStatus  # max 16, one of Deleted, Activated, Expired
    card_info: str | None = field(default=None, repr=False)  # max 19; masked card number, first 6 and last 4 shown
    if_cvv: CvvEntry | None = None  # max 1, one of Y, N
    brand: str | None = None  # max 32; card brand
    payment_method_type: str  # max 32, such as CARD, ONE_TOUCH, AUTO_DEBIT
    target_org: str | None = None  # max 32; empty string when the type is CARD
    account_display: str | None = field(default=None, repr=False)  # masked account; empty string when the type is CARD
    referral_code: str | None = None  # token binding identifier


@dataclass(slots=True, kw_only=True)
class BizPaymentToken(Model):
    """A saved payment method, in the bizType form [2.6, 4.7].

    Rules:
        card-has-no-target: when payment_method_type is CARD, target_org is empty.
        card-has-no-account: when payment_method_type is CARD, account_display is empty.
    """

    payment_token_id: str = field(repr=False)  # max 64
    user_id: str = field(repr=False)  # max 64; merchant's user id
    token_scope: str  # max 16
    # yyyy-MM-dd'T'HH:mm:ss.SSSXXX, like 2025-02-26T12:00:00.000+00:00, max 32
    payment_token_expiry: datetime | None = None
    payment_token_status: PaymentTokenStatus  # max 16, one of Deleted, Activated, Expired
    card_info: str | None = field(default=None, repr=False)  # max 19; masked card number, first 6 and last 4 shown
    if_cvv: CvvEntry | None = None  # max 1, one of Y, N
    brand: str | None = None  # max 32; card brand
    payment_method_type: str  # max 32, such as CARD, ONE_TOUCH, AUTO_DEBIT
    target_org: str | None = None  # max 32; empty string when the type is CARD
    account_display: str | None = field(default=None, repr=False)  # masked account; empty string when the type is CARD
