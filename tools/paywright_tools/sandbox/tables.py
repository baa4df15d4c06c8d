"""The tables of all rooms, in the order they are made. `store` reads this when it opens a file."""

from __future__ import annotations

from typing import Final

from paywright_tools.sandbox import (
    balances,
    bills,
    captures,
    cases,
    cashier,
    clock,
    exchanges,
    fault_book,
    links,
    merchant_book,
    notification_faults,
    outbox,
    periods,
    plans,
    snap,
    tokens,
    transfers,
    withdrawals,
)

__all__ = ["TABLES"]

TABLES: Final = (
    clock.TABLES,
    outbox.TABLES,
    captures.TABLES,
    cashier.TABLES,
    fault_book.TABLES,
    notification_faults.TABLES,
    transfers.TABLES,
    bills.TABLES,
    balances.TABLES,
    exchanges.TABLES,
    withdrawals.TABLES,
    cases.TABLES,
    snap.TABLES,
    tokens.TABLES,
    links.TABLES,
    plans.TABLES,
    periods.TABLES,
    merchant_book.TABLES,
)
