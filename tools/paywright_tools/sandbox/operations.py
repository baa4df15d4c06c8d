"""Which operations the sandbox has: all of the contract's that a merchant calls, in one dict by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paywright_tools.sandbox import (
    accounts,
    bills,
    cases,
    charges,
    exchanges,
    links,
    orders,
    plans,
    rates,
    refunds,
    snap,
    tokens,
    withdrawals,
)
from paywright_tools.sandbox.turn import Due, Handler

__all__ = ["DUE", "HANDLERS"]

_MONEY: Final[Mapping[str, Handler]] = {
    **rates.HANDLERS,
    **exchanges.HANDLERS,
    **withdrawals.HANDLERS,
    **accounts.HANDLERS,
    **cases.HANDLERS,
    **snap.HANDLERS,
}

_PAYMENTS: Final[Mapping[str, Handler]] = {**tokens.HANDLERS, **links.HANDLERS, **plans.HANDLERS}

_PAYMENTS_DUE: Final[Mapping[str, Due]] = {**tokens.DUE, **links.DUE, **plans.DUE, **charges.DUE}

HANDLERS: Final[Mapping[str, Handler]] = {**orders.HANDLERS, **refunds.HANDLERS, **_MONEY, **_PAYMENTS}

DUE: Final[Mapping[str, Due]] = {
    **orders.DUE,
    **refunds.DUE,
    **bills.DUE,
    **exchanges.DUE,
    **withdrawals.DUE,
    **_PAYMENTS_DUE,
}
