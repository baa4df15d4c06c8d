"""What a payer does on the cashier page, as far as the gateway is concerned [2.3, 4.1]. The page itself is in `pages`."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from paywright_tools.sandbox.fields import given, text, whole
from paywright_tools.sandbox.orders import check_payable, close, fail, is_open, pay
from paywright_tools.sandbox.store import Cell, Row, instant
from paywright_tools.sandbox.turn import Refused, Turn
from paywright_tools.sandbox.ways import Way

__all__ = ["METHODS", "PRESSES", "TABLES", "is_challenged", "order_of", "press", "visit_of"]

TABLES: Final = """
CREATE TABLE cashier_visits (
    id INTEGER PRIMARY KEY REFERENCES orders (id), state TEXT NOT NULL, method TEXT NOT NULL, target_org TEXT,
    card TEXT, at INTEGER NOT NULL
)
"""

METHODS: Final = {"CARD": "card", "WALLET": "wallet", "BANK_TRANSFER": "bank transfer", "QR": "QR code"}
PRESSES: Final = ("pay", "succeed", "fail", "pend", "cancel", "confirm", "refuse")


def order_of(turn: Turn, trade_token: str) -> Row | None:
    """The order that a cashier address names."""
    return turn.state.one("SELECT * FROM orders WHERE trade_token = ?", trade_token)


def visit_of(turn: Turn, order: Row) -> Row | None:
    """What the payer did last: `state` CHALLENGED, PENDING or DONE, `method`, and the masked `card` if it was one."""
    return turn.state.one("SELECT * FROM cashier_visits WHERE id = ?", order["id"])


def press(turn: Turn, order: Row, what: str, method: str, card: str | None) -> str:
    """One of `PRESSES`, and what came of it: CHALLENGED, PENDING or DONE. An order that is no longer open stays as it is.

    `method` is one of `METHODS`; `card` a masked number. Raises `Refused` where there is nothing to confirm.
    """
    if not is_open(order):
        return "DONE"
    visit = visit_of(turn, order)
    way = _way(order, what, method, card)
    if what in ("confirm", "refuse"):
        if not is_challenged(turn, order, visit):
            raise Refused("The bank has not asked anything about this payment.", code="409")
        way = Way.of(visit) if visit is not None and visit["state"] == "CHALLENGED" else None
    if what == "pay":
        check_payable(turn, order, way)
    state = _outcome(turn, order, what)
    shown = way or Way.of(order)
    changes: dict[str, Cell] = {"state": state, **shown.columns, "at": instant(turn.now)}
    if visit is None:
        turn.state.insert("cashier_visits", {"id": whole(order, "id"), **changes})
    else:
        turn.state.update("cashier_visits", whole(order, "id"), changes)
    detail = {"merchant": order["merchant"], "pressed": what, "method": shown.method, "state": state}
    turn.state.record(turn.now, "cashier.pressed", text(order, "out_trade_no"), detail)
    if state == "DONE":
        _carry_out(turn, order, what, way)
    return state


def is_challenged(turn: Turn, order: Row, visit: Row | None) -> bool:
    """Whether the payer's bank waits for an answer: from the start where a Drop-In order leads here because of that."""
    if visit is not None and visit["state"] == "CHALLENGED":
        return True
    amount = Decimal(text(order, "amount"))
    return order["integrate"] == "Direct_Payment" and amount in turn.policies.amounts("drop-in-challenges-at")


def _way(order: Row, what: str, method: str, card: str | None) -> Way | None:
    """How the payer pays, as chosen; None where only an outcome was chosen: as the order says."""
    if what != "pay":
        return None
    return Way(
        method, card=card, target_org=given(order, "target_org") if method == order["method"] else None, order=order
    )


def _outcome(turn: Turn, order: Row, what: str) -> str:
    if what == "pend":
        return "PENDING"
    if what == "pay":
        amount = Decimal(text(order, "amount"))
        if amount in turn.policies.amounts("cashier-pends-at"):
            return "PENDING"
        if amount in turn.policies.amounts("cashier-challenges-at"):
            return "CHALLENGED"
    return "DONE"


def _carry_out(turn: Turn, order: Row, what: str, way: Way | None) -> None:
    if what == "cancel":
        close(turn, order, "The payer cancelled the payment.")
    elif what == "fail":
        fail(turn, order, "The payment failed: it was told to on the cashier page.", way)
    elif what == "refuse":
        fail(turn, order, "The payment failed: the payer's bank did not confirm it.", way)
    elif what == "pay" and Decimal(text(order, "amount")) in turn.policies.amounts("cashier-fails-at"):
        fail(turn, order, "The payment failed: its amount is one that fails in this sandbox.", way)
    else:
        pay(turn, order, way)
