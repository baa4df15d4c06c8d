"""Balances: what a merchant has in each currency. They are never below zero, and every change is a movement.

The balance of a currency is its first balance and the sum of its movements, exactly.
"""

from __future__ import annotations

from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

from paywright_tools.sandbox.fields import text
from paywright_tools.sandbox.money import decimals_of, rounded, written
from paywright_tools.sandbox.rates import CURRENCIES
from paywright_tools.sandbox.store import Cell, instant
from paywright_tools.sandbox.turn import Turn

if TYPE_CHECKING:
    from paywright_tools.sandbox.settings import RegisteredMerchant

__all__ = ["TABLES", "balance", "balances", "move", "suffices"]

TABLES: Final = """
CREATE TABLE balances (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, currency TEXT NOT NULL, first TEXT NOT NULL, amount TEXT NOT NULL,
    UNIQUE (merchant, currency)
);
CREATE TABLE movements (
    id INTEGER PRIMARY KEY, balance INTEGER NOT NULL REFERENCES balances (id), amount TEXT NOT NULL, kind TEXT NOT NULL,
    subject TEXT NOT NULL, at INTEGER NOT NULL
);
CREATE INDEX movements_of ON movements (balance);
"""

# Amounts of an exchange have up to 162 characters; the sum of any number of them still fits.
_EXACT: Final = Context(prec=400)


def balance(turn: Turn, merchant: RegisteredMerchant | str, currency: str) -> Decimal:
    """What is there of a currency."""
    app_id = merchant if isinstance(merchant, str) else merchant.app_id
    row = turn.state.one("SELECT amount FROM balances WHERE merchant = ? AND currency = ?", app_id, currency)
    return _first(turn, app_id, currency) if row is None else Decimal(text(row, "amount"))


def balances(turn: Turn, merchant: RegisteredMerchant) -> dict[str, str]:
    """All balances above zero, and those of which something has moved."""
    moved = turn.state.all("SELECT currency FROM balances WHERE merchant = ?", merchant.app_id)
    touched = {text(row, "currency") for row in moved}
    all_of = sorted({*CURRENCIES, *merchant.money.balances, *touched})
    found = {currency: balance(turn, merchant, currency) for currency in all_of}
    return {currency: written(amount) for currency, amount in found.items() if amount or currency in touched}


def suffices(turn: Turn, merchant: RegisteredMerchant | str, currency: str, amount: Decimal) -> bool:
    """Whether there is as much of a currency."""
    return balance(turn, merchant, currency) >= amount


def move(turn: Turn, merchant: str, currency: str, amount: Decimal, kind: str, subject: str) -> None:
    """Adds `amount` to the balance, or takes away what is below zero; the caller has seen to it that it suffices."""
    row = turn.state.one("SELECT * FROM balances WHERE merchant = ? AND currency = ?", merchant, currency)
    if row is None:
        first = written(_first(turn, merchant, currency))
        made = {"merchant": merchant, "currency": currency, "first": first, "amount": first}
        row = {"id": turn.state.insert("balances", made), **made}
    after = _EXACT.add(Decimal(text(row, "amount")), amount)
    assert after >= 0
    number = row["id"]
    assert isinstance(number, int)
    turn.state.update("balances", number, {"amount": written(after)})
    movement: dict[str, Cell] = {
        "balance": number,
        "amount": written(amount),
        "kind": kind,
        "subject": subject,
        "at": instant(turn.now),
    }
    turn.state.insert("movements", movement)


def _first(turn: Turn, app_id: str, currency: str) -> Decimal:
    merchant = turn.merchant(app_id)
    named = merchant.money.balances if merchant else {}
    if currency in named:
        return named[currency]
    if currency not in CURRENCIES:
        return Decimal(0)
    return rounded(Decimal(turn.policies.text("initial-balance")), decimals_of(currency), "down")
