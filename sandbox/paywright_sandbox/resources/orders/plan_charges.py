"""Charge the periods of plans by the clock: each try is an order of its own, PENDING until it settles [2.5, 3].

A try fails if the control API has asked for that, or at the amounts of the policy fails-at. Until it settles, it can also
be finished by hand, like any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Final

from paywright_sandbox.engine.context import RequestContext, TimerHandler
from paywright_sandbox.engine.state.state import Timer
from paywright_sandbox.resources.orders.order_moves import close, fail, is_open, pay
from paywright_sandbox.resources.orders.placing import place
from paywright_sandbox.resources.payments.payment_order import PaymentOrder
from paywright_sandbox.resources.subscriptions.periods import BEGINS, RETRIES, Period, begin
from paywright_sandbox.resources.subscriptions.plan_terms import BillingPlan
from paywright_sandbox.resources.subscriptions.plans import LEFT

_SETTLES: Final = "period.settles"


def _begin(context: RequestContext, row: int) -> None:
    plan = context.state.get(BillingPlan, row)
    _try(context, plan, begin(context, plan))


def _retry(context: RequestContext, row: int) -> None:
    period = context.state.get(Period, row)
    _try(context, context.state.get(BillingPlan, period.plan), period)


def _try(context: RequestContext, plan: BillingPlan, period: Period) -> None:
    settles = context.now + timedelta(seconds=context.policies.seconds("settles-after"))
    order = place(
        context,
        PaymentOrder(
            merchant=plan.merchant,
            integrate="Subscription",
            amount=period.amount,
            currency=period.currency,
            subject=plan.subject,
            user_id=plan.user_id,
            front_callback_url="",  # no payer is there to be sent back
            created_at=context.now,
            expires_at=settles,
            method=plan.method,
            target_org=plan.target_org,
            card=plan.card,
            token=plan.token,
            plan=plan.id,
            period=period.id,
        ),
        closes=False,
    )
    context.state.change(period, tries=period.tries + 1, last_order=order.id)
    context.state.set_timer(Timer(settles, _SETTLES, order.id))


def _settle(context: RequestContext, row: int) -> None:
    order = context.state.get(PaymentOrder, row)
    if not is_open(order):
        return  # it was finished by hand
    assert order.plan is not None  # every charge belongs to a plan
    plan = context.state.get(BillingPlan, order.plan)
    if plan.failing:
        context.state.change(plan, failing=plan.failing - 1)
        fail(context, order, "The payment failed on request.")
    elif Decimal(order.amount) in context.policies.amounts("fails-at"):
        fail(context, order, "The payment failed: this amount fails by the policy fails-at.")
    else:
        pay(context, order)


def _leave(context: RequestContext, row: int) -> None:
    """Close the unpaid orders of a plan that another order has activated, or that has ended."""
    status = context.state.get(BillingPlan, row).status
    waiting = "WHERE plan = ? AND period IS NULL AND finished_at IS NULL ORDER BY id"
    for order in context.state.select(PaymentOrder, waiting, row):
        close(context, order, f"The plan of this order is {status}: it cannot be activated.")


TIMERS: Final[Mapping[str, TimerHandler]] = {BEGINS: _begin, RETRIES: _retry, _SETTLES: _settle, LEFT: _leave}
