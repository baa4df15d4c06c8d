"""Charging the periods of plans by the clock: each try is an order of its own, PENDING until it settles [2.5, 3].

A try fails where the control API has said so beforehand, or at the amounts of the policy period-fails-at; a person may
also finish it, as any order, before it settles.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Final

from paywright_tools.sandbox.fields import text, whole
from paywright_tools.sandbox.orders import close, fail, is_open, pay, place
from paywright_tools.sandbox.periods import BEGINS, RETRIES, begin, period_by_row
from paywright_tools.sandbox.plans import LEFT, plan_by_row
from paywright_tools.sandbox.store import Row, Timer
from paywright_tools.sandbox.turn import Due, Turn

__all__ = ["DUE"]

_SETTLES: Final = "period.settles"


def _begin(turn: Turn, row: int) -> None:
    plan = plan_by_row(turn, row)
    _try(turn, plan, begin(turn, plan))


def _retry(turn: Turn, row: int) -> None:
    period = period_by_row(turn, row)
    _try(turn, plan_by_row(turn, whole(period, "plan")), period)


def _try(turn: Turn, plan: Row, period: Row) -> None:
    settles = turn.now + timedelta(seconds=turn.policies.seconds("period-settles-after"))
    order = place(
        turn,
        {
            "merchant": plan["merchant"],
            "integrate": "Subscription",
            "amount": period["amount"],
            "currency": period["currency"],
            "subject": plan["subject"],
            "user_id": plan["user_id"],
            "front_callback_url": "",  # nobody is there to be sent back
            "plan": plan["id"],
            "period": period["id"],
            "method": plan["method"],
            "target_org": plan["target_org"],
            "card": plan["card"],
            "token": plan["token"],
        },
        settles,
        closes=False,
    )
    tries = whole(period, "tries") + 1
    turn.state.update("periods", whole(period, "id"), {"tries": tries, "last_order": order["id"]})
    turn.state.set_timer(Timer(settles, _SETTLES, whole(order, "id")))


def _settle(turn: Turn, row: int) -> None:
    order = turn.state.one("SELECT * FROM orders WHERE id = ?", row)
    assert order is not None  # orders are never deleted
    if not is_open(order):
        return  # a person was faster
    plan = plan_by_row(turn, whole(order, "plan"))
    if whole(plan, "failing"):
        turn.state.update("plans", whole(plan, "id"), {"failing": whole(plan, "failing") - 1})
        fail(turn, order, "The payment failed: the sandbox was told so.")
    elif Decimal(text(order, "amount")) in turn.policies.amounts("period-fails-at"):
        fail(turn, order, "The payment failed: its amount is one that fails in this sandbox.")
    else:
        pay(turn, order)


def _leave(turn: Turn, row: int) -> None:
    """A plan was activated by one order, or has ended: nobody can pay for it by another any longer."""
    waiting = "SELECT * FROM orders WHERE plan = ? AND period IS NULL AND finished_at IS NULL ORDER BY id"
    for order in turn.state.all(waiting, row):
        close(
            turn, order, f"The plan of this order is {text(plan_by_row(turn, row), 'status')}: it cannot be activated."
        )


DUE: Final[Mapping[str, Due]] = {BEGINS: _begin, RETRIES: _retry, _SETTLES: _settle, LEFT: _leave}
