"""Messages and value lists of spec/accounts.yaml."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paywright_runtime.contract.message import Model
from paywright_runtime.contract.open_enum import OpenEnum

if TYPE_CHECKING:
    from paywright_runtime.answer import Answer


class ProductType(OpenEnum):
    """Product for which a funds account is authorised [2.11]."""

    PAYIN = "payin"  # acquisition
    PAYOUT = "payout"  # disbursement
    COLLECT = "collect"  # collection


@dataclass(slots=True, kw_only=True)
class AuthorizedAccountList(Model):
    """The funds accounts that were asked for [4.16, 2.11].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    merchant_authorized_account_info_list: tuple[AuthorizedAccount, ...]
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class AuthorizedAccount(Model):
    """A funds account authorised for a product category [2.11]."""

    merchant_no: str
    member_id: str
    product_type: ProductType  # one of payin, payout, collect
    authorized_funds_account_no: str = field(repr=False)
    authorized_funds_account_alias: str  # the merchant can change the alias in its dashboard
