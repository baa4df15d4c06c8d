"""Subscription plans: created INACTIVE, activated by an order, and ended [2.5, 4.5].

A plan is INACTIVE until an order that carries its number is paid (ACTIVE) or fails (ACTIVE_FAILED, from which another
order may activate it); EXPIRED when nobody has activated it within a day; FINISH after its last period; CANCEL and
TERMINATE by the control API. What happens to its periods stands in `periods`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Final, Literal

from paywright_runtime import formats, strict_json
from paywright_tools.sandbox.fields import check_decimals, given, text, time_of, whole
from paywright_tools.sandbox.money import written
from paywright_tools.sandbox.plan_calendar import Terms
from paywright_tools.sandbox.plan_request import read_plan
from paywright_tools.sandbox.settings import RegisteredMerchant
from paywright_tools.sandbox.store import Cell, Row, Timer, instant
from paywright_tools.sandbox.turn import Due, Handler, Refused, Turn

__all__ = [
    "DUE", "EXPIRES", "HANDLERS", "LEFT", "TABLES", "WAITING", "described", "due_at_activation", "move", "pays_what_is_due", "plan_by_no", "plan_by_row", "plan_to_activate", "shown_plan",
]  # fmt: skip

TABLES: Final = """
CREATE TABLE plans (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, request_id TEXT NOT NULL, subscription_no TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL, user_id TEXT NOT NULL, callback_url TEXT NOT NULL, subject TEXT NOT NULL, description TEXT,
    total INTEGER NOT NULL, unit TEXT NOT NULL, count INTEGER NOT NULL, amount TEXT NOT NULL, currency TEXT NOT NULL,
    first_at INTEGER, trial_days INTEGER NOT NULL, trial_amount TEXT, promotion INTEGER NOT NULL, promotion_amount TEXT,
    prices BLOB, created_at INTEGER NOT NULL, activated_at INTEGER, opens_at INTEGER, ended_at INTEGER, method TEXT,
    target_org TEXT, card TEXT, token INTEGER, begun INTEGER NOT NULL DEFAULT 0, failing INTEGER NOT NULL DEFAULT 0,
    UNIQUE (merchant, request_id)
)
"""

EXPIRES: Final = "plan.expires"
LEFT: Final = "plan.left"
"""For a plan that waits no longer: orders that would have activated it are closed."""

WAITING: Final = ("INACTIVE", "ACTIVE_FAILED")
"""The states from which an order may activate a plan."""

Status = Literal["ACTIVE", "ACTIVE_FAILED", "EXPIRED", "FINISH", "CANCEL", "TERMINATE"]


def plan_by_row(turn: Turn, row: int) -> Row:
    """A plan that is there."""
    plan = turn.state.one("SELECT * FROM plans WHERE id = ?", row)
    assert plan is not None  # plans are never taken out of the table
    return plan


def plan_by_no(turn: Turn, subscription_no: str) -> Row | None:
    """A plan by the service's number."""
    return turn.state.one("SELECT * FROM plans WHERE subscription_no = ?", subscription_no)


def move(turn: Turn, plan: Row, status: Status, **changes: Cell) -> Row:
    """The plan goes to another state; returns it as it is then."""
    row = whole(plan, "id")
    if status not in WAITING:
        turn.state.drop_timers(EXPIRES, row)
        if plan["status"] in WAITING:
            turn.state.set_timer(Timer(turn.now, LEFT, row))
    if status not in (*WAITING, "ACTIVE"):
        changes["ended_at"] = instant(turn.now)
    turn.state.update("plans", row, {"status": status, **changes})
    shown = {
        "merchant": plan["merchant"],
        "subscriptionNo": plan["subscription_no"],
        "from": plan["status"],
        "to": status,
    }
    turn.state.record(turn.now, "plan.moved", text(plan, "request_id"), shown)
    return plan_by_row(turn, row)


# Creating


def _create(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    request_id = text(data, "subscriptionRequestId")
    used = "SELECT 1 FROM plans WHERE merchant = ? AND request_id = ?"
    if turn.state.one(used, merchant.app_id, request_id) is not None:
        raise Refused("This subscriptionRequestId was used before.", policy="subscription-repeat")
    asked = data["subscriptionPlan"]
    assert isinstance(asked, dict)  # the contract has judged it
    wanted = read_plan(turn, asked)
    expires = turn.now + timedelta(seconds=turn.policies.seconds("plan-expires-after"))
    terms = wanted.terms
    if not terms.fits(expires):
        raise Refused("/data/subscriptionPlan lasts beyond the year 9999.", policy="invalid-request")
    for name, amount in wanted.amounts.items():
        check_decimals(turn, amount, terms.currency, f"subscriptionPlan/{name}")
    values: dict[str, Cell] = {
        "merchant": merchant.app_id,
        "request_id": request_id,
        "subscription_no": turn.number("SUB", "plans"),
        "status": "INACTIVE",
        "user_id": text(data, "userId"),
        "callback_url": text(data, "callbackUrl"),
        "subject": text(asked, "subject"),
        "description": given(asked, "description"),
        "total": terms.total,
        "unit": terms.unit,
        "count": terms.count,
        "amount": written(terms.amount),
        "currency": terms.currency,
        "first_at": None if terms.first is None else instant(terms.first),
        "trial_days": terms.trial_days,
        "trial_amount": None if wanted.trial_amount is None else written(wanted.trial_amount),
        "promotion": terms.promotion,
        "promotion_amount": None if terms.promotion_amount is None else written(terms.promotion_amount),
        "prices": strict_json.write(wanted.prices) if wanted.prices else None,
        "created_at": instant(turn.now),
    }
    row = turn.state.insert("plans", values)
    turn.state.set_timer(Timer(expires, EXPIRES, row))
    turn.state.record(turn.now, "plan.created", request_id, {"merchant": merchant.app_id})
    return {"subscriptionRequestId": request_id, "subscriptionPlan": shown_plan(plan_by_row(turn, row))}


def shown_plan(plan: Row) -> dict[str, object]:
    """A plan as its creation answers it [2.5]."""
    currency, prices = plan["currency"], plan["prices"]
    answer: dict[str, object] = {
        "subscriptionNo": plan["subscription_no"],
        "subscriptionStatus": plan["status"],
        "subject": plan["subject"],
        "description": plan["description"],
        "totalPeriods": str(plan["total"]),
    }
    if isinstance(prices, bytes):
        answer["prices"] = strict_json.parse(prices)
    else:
        answer["periodRule"] = {"periodUnit": plan["unit"], "periodCount": str(plan["count"])}
        answer["periodAmount"] = {"amount": Decimal(text(plan, "amount")), "currency": currency}
    promotion, trial = given(plan, "promotion_amount"), given(plan, "trial_amount")
    if promotion is not None:
        amount = {"amount": Decimal(promotion), "currency": currency}
        answer["trialPeriodConfig"] = {"trialPeriodCount": str(plan["promotion"]), "trialPeriodAmount": amount}
    if trial is not None:
        amount = {"amount": Decimal(trial), "currency": currency}
        answer["trialConfig"] = {"trialAmount": amount, "trialDays": plan["trial_days"]}
    return {name: value for name, value in answer.items() if value is not None}


# Activating


def plan_to_activate(
    turn: Turn, merchant: str, user_id: str, currency: str, carried: Mapping[str, object]
) -> Row | None:
    """The plan that an order activates, by the number in its subscriptionPlan; None where it carries none. Raises
    `Refused` if the plan cannot be activated by this order."""
    number = given(carried, "subscriptionNo")
    if number is None:
        return None
    plan = plan_by_no(turn, number)
    if plan is None or plan["merchant"] != merchant:
        why = "is not known"
    elif plan["user_id"] != user_id:
        why = "belongs to another user"
    elif plan["status"] not in WAITING:
        why = f"is {text(plan, 'status')}"
    elif plan["currency"] != currency:
        raise Refused("/data/currency is not the currency of the plan.", policy="plan-in-other-currency")
    else:
        return plan
    raise Refused(
        f"The plan of /data/subscriptionPlan/subscriptionNo {why}: nothing was placed.", policy="plan-refused"
    )


def due_at_activation(turn: Turn, plan: Row) -> Decimal | None:
    """Return what a plan costs the order that activates it now; None where the specification gives no way to know.

    The trial's amount, or without a trial that of the first period if it would begin now and the policy activation-pays has
    it paid so.
    """
    terms, trial = Terms.of(plan), given(plan, "trial_amount")
    if terms.trial_days:
        return None if trial is None else Decimal(trial)
    begins_now = terms.opening(turn.now) == turn.now
    return terms.price(1) if begins_now and turn.policies.text("activation-pays") == "first-period" else None


def pays_what_is_due(turn: Turn, plan: Row, amount: Decimal) -> bool:
    """Whether an order of this amount may activate a plan now: the policy activation-amount."""
    due = due_at_activation(turn, plan)
    return due is None or amount == due or turn.policies.text("activation-amount") == "any"


def _expire(turn: Turn, row: int) -> None:
    move(turn, plan_by_row(turn, row), "EXPIRED")


def described(plan: Row) -> dict[str, object]:
    """A plan as the control API shows it."""
    times = {name: time_of(plan[column]) for name, column in _TIMES.items()}
    return {
        "merchant": plan["merchant"],
        "subscriptionRequestId": plan["request_id"],
        "userId": plan["user_id"],
        **shown_plan(plan),
        **{name: None if time is None else formats.write_request_time(time) for name, time in times.items()},
    }


_TIMES: Final = {
    "createdAt": "created_at",
    "activatedAt": "activated_at",
    "firstPeriodAt": "opens_at",
    "endedAt": "ended_at",
}

HANDLERS: Final[Mapping[str, Handler]] = {"subscriptions.create": _create}

DUE: Final[Mapping[str, Due]] = {EXPIRES: _expire}
