"""What follows in the other rooms when an order is finished: one place, so that every way of paying leads there."""

from __future__ import annotations

from typing import Literal, TypeAlias

from paywright_tools.sandbox import periods, tokens
from paywright_tools.sandbox.fields import given, text
from paywright_tools.sandbox.results import order_result
from paywright_tools.sandbox.store import Row
from paywright_tools.sandbox.turn import Turn

__all__ = ["Outcome", "finished"]

Outcome: TypeAlias = Literal["paid", "failed", "closed"]


def finished(turn: Turn, order: Row, outcome: Outcome) -> None:
    """An order has just been finished; `order` is as it is now."""
    if outcome == "paid":
        tokens.bind(turn, order)
    if order["period"] is None:  # tries of a period are told of by 6.2 alone, and not each of them
        turn.notify(
            text(order, "merchant"),
            "PAYMENT",
            given(order, "notify_url"),
            {"data": order_result(order)},
            about=text(order, "out_trade_no"),
        )
    if order["plan"] is not None:
        periods.order_finished(turn, order, outcome)
