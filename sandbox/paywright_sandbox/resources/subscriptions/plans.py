"""Subscription plans: created INACTIVE, activated by an order, and ended [2.5, 4.5].

A plan is INACTIVE until an order with its number is paid (ACTIVE) or fails (ACTIVE_FAILED, from which another order may
activate it); EXPIRED if it is not activated within a day; FINISH after its last period; CANCEL and TERMINATE by the
control API. For its periods see `periods`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Final, Literal

from paywright_runtime import strict_json
from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import Handler, RequestContext, TimerHandler
from paywright_sandbox.engine.fields import given, text
from paywright_sandbox.engine.merchant import RegisteredMerchant
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import Timer
from paywright_sandbox.engine.used_keys import refuse_used
from paywright_sandbox.resources.subscriptions.plan_terms import BillingPlan, read_plan

EXPIRES: Final = "plan.expires"
LEFT: Final = "plan.left"
"""The timer of a plan that no longer waits: close the orders that would have activated it."""

WAITING: Final = ("INACTIVE", "ACTIVE_FAILED")
"""The states from which an order may activate a plan."""

Status = Literal["ACTIVE", "ACTIVE_FAILED", "EXPIRED", "FINISH", "CANCEL", "TERMINATE"]


def plan_by_no(context: RequestContext, subscription_no: str) -> BillingPlan | None:
    """Return a plan by the gateway's number, or None."""
    return context.state.find(BillingPlan, "WHERE subscription_no = ?", subscription_no)


def move(context: RequestContext, plan: BillingPlan, status: Status, **changes: object) -> BillingPlan:
    """Move a plan to another status, with `changes` of other fields, and return it."""
    before = plan.status
    if status not in WAITING:
        context.state.drop_timers(EXPIRES, plan.id)
        if before in WAITING:
            context.state.set_timer(Timer(context.now, LEFT, plan.id))
    if status not in (*WAITING, "ACTIVE"):
        changes["ended_at"] = context.now
    moved = context.state.change(plan, status=status, **changes)
    shown = {"merchant": plan.merchant, "subscriptionNo": plan.subscription_no, "from": before, "to": status}
    context.state.record(context.now, "plan.moved", plan.request_id, shown)
    return moved


# Creating


def _create(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    request_id = text(data, "subscriptionRequestId")
    used = "WHERE merchant = ? AND request_id = ?"
    refuse_used(context.state.find(BillingPlan, used, merchant.app_id, request_id), "subscriptionRequestId")
    plan, expires = read_plan(context, merchant.app_id, data), context.now + timedelta(days=1)
    if not plan.fits(expires):
        raise Refusal("/data/subscriptionPlan lasts beyond the year 9999.", policy="invalid-request")
    plan = context.state.add(plan)
    context.state.set_timer(Timer(expires, EXPIRES, plan.id))
    context.state.record(context.now, "plan.created", request_id, {"merchant": merchant.app_id})
    return {"subscriptionRequestId": request_id, "subscriptionPlan": shown_plan(plan)}


def shown_plan(plan: BillingPlan) -> dict[str, object]:
    """Return a plan for the answer of its creation [2.5]."""
    currency = plan.currency
    answer: dict[str, object] = {
        "subscriptionNo": plan.subscription_no,
        "subscriptionStatus": plan.status,
        "subject": plan.subject,
        "description": plan.description,
        "totalPeriods": str(plan.total),
    }
    if plan.prices is not None:
        answer["prices"] = strict_json.parse(plan.prices)
    else:
        answer["periodRule"] = {"periodUnit": plan.unit, "periodCount": str(plan.count)}
        answer["periodAmount"] = {"amount": Decimal(plan.amount), "currency": currency}
    promotion, trial = plan.promotion_amount, plan.trial_amount
    if promotion is not None:
        amount = {"amount": Decimal(promotion), "currency": currency}
        answer["trialPeriodConfig"] = {"trialPeriodCount": str(plan.promotion), "trialPeriodAmount": amount}
    if trial is not None:
        amount = {"amount": Decimal(trial), "currency": currency}
        answer["trialConfig"] = {"trialAmount": amount, "trialDays": plan.trial_days}
    return {name: value for name, value in answer.items() if value is not None}


# Activating


def plan_to_activate(
    context: RequestContext, merchant: str, user_id: str, currency: str, carried: Mapping[str, object]
) -> BillingPlan | None:
    """Return the plan that an order activates, by the number in its subscriptionPlan; None without one.

    Raises `Refusal` if the plan cannot be activated by this order.
    """
    number = given(carried, "subscriptionNo")
    if number is None:
        return None
    plan = plan_by_no(context, number)
    if plan is None or plan.merchant != merchant:
        why = "is not known"
    elif plan.user_id != user_id:
        why = "belongs to another user"
    elif plan.status not in WAITING:
        why = f"is {plan.status}"
    elif plan.currency != currency:
        raise Refusal("/data/currency is not the currency of the plan.", policy="other-currency")
    else:
        return plan
    raise Refusal(
        f"The plan of /data/subscriptionPlan/subscriptionNo {why}: nothing was placed.", policy="invalid-request"
    )


def _due_at_activation(context: RequestContext, plan: BillingPlan) -> Sequence[Decimal]:
    """Return the amounts that an order may have to activate a plan now; empty if it pays nothing of the plan.

    The trial's amount, or without a trial that of the first period if it begins now. If it begins later, the policy
    activation-before-start decides.
    """
    if plan.trial_amount is not None:
        return (Decimal(plan.trial_amount),)
    if context.policies.text("activation-pays") == "nothing":
        context.decided_by("activation-pays")
        return ()
    first, nothing = plan.price(1), Decimal(0)
    if plan.opening(context.now) == context.now:
        return (first,)
    context.decided_by("activation-before-start")
    what = context.policies.text("activation-before-start")
    return (first,) if what == "first-period" else (nothing,) if what == "nothing" else (nothing, first)


def pays_what_is_due(context: RequestContext, plan: BillingPlan, amount: Decimal) -> bool:
    """Return whether an order of this amount may activate a plan now: the policy activation-amount."""
    due = _due_at_activation(context, plan)
    if not due or amount in due:
        return True
    context.decided_by("activation-amount")
    return context.policies.text("activation-amount") == "any"


def pays_first_period(context: RequestContext, plan: BillingPlan, amount: Decimal) -> bool:
    """Return whether an order of this amount that activates a plan now also pays its first period."""
    first, due = plan.price(1), _due_at_activation(context, plan)
    if plan.trial_days or first not in due:
        return False
    return amount == first or (len(due) == 1 and pays_what_is_due(context, plan, amount))


def described(plan: BillingPlan) -> dict[str, object]:
    """Return a plan for the control API."""
    times = {
        "createdAt": plan.created_at,
        "activatedAt": plan.activated_at,
        "firstPeriodAt": plan.opens_at,
        "endedAt": plan.ended_at,
    }
    return {
        "merchant": plan.merchant,
        "subscriptionRequestId": plan.request_id,
        "userId": plan.user_id,
        **shown_plan(plan),
        **{name: None if time is None else formats.write_request_time(time) for name, time in times.items()},
    }


HANDLERS: Final[Mapping[str, Handler]] = {"subscriptions.create": _create}

TIMERS: Final[Mapping[str, TimerHandler]] = {
    EXPIRES: lambda context, row: move(context, context.state.get(BillingPlan, row), "EXPIRED")
}
