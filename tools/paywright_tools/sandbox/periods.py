"""The periods of plans, from what orders say of them: activation, payment, retry, the last try, the end [2.5, 6.2].

An order tells of a plan in two ways: it activates it, or it is one try to charge a period. A period is PENDING until a
try is paid (SUCCESS) or the last one has failed (FAILED); then its merchant is notified. A period that still waits for
its next try when the plan ends is CLOSED, of which nobody is notified: no try of it is the last.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final, Literal

from paywright_tools.sandbox.fields import text, time_of, whole
from paywright_tools.sandbox.money import written
from paywright_tools.sandbox.period_notice import period_notice
from paywright_tools.sandbox.plan_calendar import Terms
from paywright_tools.sandbox.plans import WAITING, move, pays_what_is_due, plan_by_row
from paywright_tools.sandbox.store import Cell, Row, Timer, instant
from paywright_tools.sandbox.turn import Refused, Turn

__all__ = ["BEGINS", "RETRIES", "TABLES", "begin", "end_plan", "order_finished", "period_by_row", "periods_of"]

TABLES: Final = """
CREATE TABLE periods (
    id INTEGER PRIMARY KEY, plan INTEGER NOT NULL REFERENCES plans (id), number INTEGER NOT NULL, status TEXT NOT NULL,
    starts_at INTEGER NOT NULL, ends_at INTEGER NOT NULL, amount TEXT NOT NULL, currency TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, last_order INTEGER REFERENCES orders (id), last_status TEXT, last_at INTEGER,
    UNIQUE (plan, number)
)
"""

BEGINS: Final = "period.begins"
"""For a plan: its next period begins."""
RETRIES: Final = "period.retries"
"""For a period: it is charged again."""


def period_by_row(turn: Turn, row: int) -> Row:
    """A period that is there."""
    period = turn.state.one("SELECT * FROM periods WHERE id = ?", row)
    assert period is not None  # periods are never taken out of the table
    return period


def periods_of(turn: Turn, plan: Row) -> list[dict[str, Cell]]:
    """The periods of a plan that have begun, in order, each with the trade_token of its last try."""
    return turn.state.all(
        "SELECT periods.*, orders.trade_token, orders.out_trade_no FROM periods LEFT JOIN orders "
        "ON orders.id = periods.last_order WHERE periods.plan = ? ORDER BY number",
        whole(plan, "id"),
    )


def begin(turn: Turn, plan: Row) -> Row:
    """The next period of an active plan begins, and the one after it gets its timer."""
    terms, number, opens = Terms.of(plan), whole(plan, "begun") + 1, time_of(plan["opens_at"])
    assert opens is not None  # an active plan has its first period's start
    starts, ends = terms.period(opens, number)
    values: dict[str, Cell] = {
        "plan": plan["id"],
        "number": number,
        "status": "PENDING",
        "starts_at": instant(starts),
        "ends_at": instant(ends),
        "amount": written(terms.price(number)),
        "currency": terms.currency,
    }
    row = turn.state.insert("periods", values)
    turn.state.update("plans", whole(plan, "id"), {"begun": number})
    if number < terms.total:
        following, _ = terms.period(opens, number + 1)
        turn.state.set_timer(Timer(following, BEGINS, whole(plan, "id")))
    shown = {"merchant": plan["merchant"], "subscriptionNo": plan["subscription_no"], "index": number}
    turn.state.record(turn.now, "period.began", text(plan, "request_id"), shown)
    return period_by_row(turn, row)


# What orders say


def order_finished(turn: Turn, order: Row, outcome: Literal["paid", "failed", "closed"]) -> None:
    """An order that has to do with a plan has been finished."""
    plan = plan_by_row(turn, whole(order, "plan"))
    if order["period"] is not None:
        _tried(turn, plan, period_by_row(turn, whole(order, "period")), order, paid=outcome == "paid")
    elif plan["status"] in WAITING:
        if outcome == "paid":
            _activate(turn, plan, order)
        elif outcome == "failed":
            move(turn, plan, "ACTIVE_FAILED")
        # An order that nobody has tried to pay says nothing of the plan.


def _activate(turn: Turn, plan: Row, order: Row) -> None:
    terms = Terms.of(plan)
    opens = terms.opening(turn.now)
    way: dict[str, Cell] = {name: order[name] for name in ("method", "target_org", "card", "token")}
    plan = move(turn, plan, "ACTIVE", activated_at=instant(turn.now), opens_at=instant(opens), **way)
    # An order that was placed before the first period's date may be paid after it: then it is not the period's price.
    pays = turn.policies.text("activation-pays") == "first-period" and pays_what_is_due(turn, plan, _amount(order))
    if opens == turn.now and pays:
        period = begin(turn, plan)
        # What was paid is what counts, whatever the plan says of it.
        changes: dict[str, Cell] = {"amount": order["amount"], "tries": 1, "last_order": order["id"]}
        turn.state.update("periods", whole(period, "id"), changes)
        _tried(turn, plan_by_row(turn, whole(plan, "id")), period_by_row(turn, whole(period, "id")), order, paid=True)
    else:
        turn.state.set_timer(Timer(opens, BEGINS, whole(plan, "id")))
    if terms.trial_days and turn.policies.text("trial-payment-notice") == "index-0":
        _tell_of_trial(turn, plan, order, opens)


def _amount(order: Row) -> Decimal:
    return Decimal(text(order, "amount"))


def _tell_of_trial(turn: Turn, plan: Row, order: Row, opens: datetime) -> None:
    """The payment for a trial, told of as if it were a period before the first one."""
    trial: dict[str, Cell] = {
        "number": 0,
        "status": "SUCCESS",
        "starts_at": instant(turn.now),
        "ends_at": instant(opens - timedelta(seconds=1)),
        "amount": order["amount"],
        "currency": order["currency"],
        "last_status": "SUCCESS",
        "last_at": instant(turn.now),
    }
    turn.notify(
        text(plan, "merchant"),
        "SUBSCRIPTION_PAYMENT",
        text(plan, "callback_url"),
        period_notice(plan, trial, order),
        text(plan, "request_id"),
    )


def _tried(turn: Turn, plan: Row, period: Row, order: Row, *, paid: bool) -> None:
    row, last = whole(period, "id"), "SUCCESS" if paid else "FAILED"
    again = (
        not paid and plan["status"] == "ACTIVE" and whole(period, "tries") <= turn.policies.seconds("period-retries")
    )
    turn.state.update(
        "periods", row, {"last_status": last, "last_at": instant(turn.now), "status": "PENDING" if again else last}
    )
    shown = {
        "subscriptionNo": plan["subscription_no"],
        "index": period["number"],
        "try": period["tries"],
        "status": last,
    }
    turn.state.record(turn.now, "period.tried", text(plan, "request_id"), {"merchant": plan["merchant"], **shown})
    if again:
        at = turn.now + timedelta(seconds=turn.policies.seconds("period-retries-after"))
        turn.state.set_timer(Timer(at, RETRIES, row))
        return
    turn.notify(
        text(plan, "merchant"),
        "SUBSCRIPTION_PAYMENT",
        text(plan, "callback_url"),
        period_notice(plan, period_by_row(turn, row), order),
        text(plan, "request_id"),
    )
    if not paid and plan["status"] == "ACTIVE" and turn.policies.text("plan-after-failed-period") == "terminates":
        end_plan(turn, plan, "TERMINATE")
    elif plan["status"] == "ACTIVE" and plan["begun"] == plan["total"] and not _pending(turn, plan):
        move(turn, plan, "FINISH")


def _pending(turn: Turn, plan: Row) -> list[dict[str, Cell]]:
    return turn.state.all("SELECT * FROM periods WHERE plan = ? AND status = 'PENDING'", whole(plan, "id"))


# The end


def end_plan(turn: Turn, plan: Row, status: Literal["CANCEL", "TERMINATE"]) -> Row:
    """Nothing is charged any longer: no new period begins and no failed one is tried again. A charge that is under way
    ends as it ends. Raises `Refused` (409) where the plan has ended already."""
    if plan["status"] not in (*WAITING, "ACTIVE"):
        raise Refused(f"The plan is {text(plan, 'status')} already.", code="409")
    turn.state.drop_timers(BEGINS, whole(plan, "id"))
    for period in _pending(turn, plan):
        if period["last_status"] == "FAILED" and not _under_way(turn, period):
            turn.state.drop_timers(RETRIES, whole(period, "id"))
            turn.state.update("periods", whole(period, "id"), {"status": "CLOSED"})
    return move(turn, plan, status)


def _under_way(turn: Turn, period: Row) -> bool:
    found = turn.state.one("SELECT 1 FROM orders WHERE period = ? AND finished_at IS NULL", whole(period, "id"))
    return found is not None
