"""Messages and value lists of spec/rates.yaml."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paywright_runtime.contract.message import Model

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal
    from typing import Literal

    from paywright_runtime.answer import Answer


@dataclass(slots=True, kw_only=True)
class RatePair(Model):
    """A pair of currencies to ask a rate for [4.8].

    Args:
        side: one of BUY, SELL; buy or sell direction for the transaction currency, from the client's view.
        target_currency: 3 uppercase letters.
        transaction_currency: 3 uppercase letters.
    """

    # one of BUY, SELL; buy or sell direction for the transaction currency, from the client's view
    side: Literal["BUY", "SELL"]
    target_currency: str  # 3 uppercase letters
    transaction_currency: str  # 3 uppercase letters


@dataclass(slots=True, kw_only=True)
class CurrencyList(Model):
    """The rates that were asked for [4.8].

    `answer` is the whole verified answer: code, msg, raw bytes, headers, violations.
    """

    currency_list: tuple[Rate, ...]
    answer: Answer = field(init=False, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class Rate(Model):
    """An exchange rate [2.9].

    Rules:
        pair-of-the-two: ccy_pair is transaction_currency then target_currency.
    """

    ccy_pair: str  # transaction currency followed by target currency
    rate: Decimal  # units of target currency per one unit of transaction currency
    rate_type: str
    side: str
    target_currency: str  # 3 uppercase letters
    transaction_currency: str  # 3 uppercase letters
    rate_reference_id: str | None = None  # returned only in tradable scenarios
    effect_time: datetime | None = None  # yyyy-MM-dd'T'HH:mm:ss.SSSXXX, like 2025-02-26T12:00:00.000+00:00
    expiry_time: datetime | None = None  # yyyy-MM-dd'T'HH:mm:ss.SSSXXX, like 2025-02-26T12:00:00.000+00:00
    valid_time: datetime | None = None  # yyyy-MM-dd'T'HH:mm:ss.SSSXXX, like 2025-02-26T12:00:00.000+00:00
