"""The periods of plans, and the effects of orders on them: activation, payment, retry, last try, end [2.5, 6.2].

An order of a plan either activates it, or is a try to charge a period. A period is PENDING until a try is paid (SUCCESS)
or the last one has failed (FAILED); then its merchant is notified. A period that waits for its next try when the plan
ends is CLOSED, without a notification, since none of its tries was the last.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final, Literal

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.money import written
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import Timer
from paywright_sandbox.resources.payments.order import PaymentOrder
from paywright_sandbox.resources.subscriptions.period import Period
from paywright_sandbox.resources.subscriptions.period_notice import period_notice
from paywright_sandbox.resources.subscriptions.plan import BillingPlan
from paywright_sandbox.resources.subscriptions.plan_calendar import Terms
from paywright_sandbox.resources.subscriptions.plans import WAITING, move, pays_first_period

__all__ = ["BEGINS", "RETRIES", "begin", "end_plan", "order_finished", "periods_of"]

BEGINS: Final = "period.begins"
"""The timer of a plan: begin its next period."""
RETRIES: Final = "period.retries"
"""The timer of a period: charge it again."""


def periods_of(context: RequestContext, plan: BillingPlan) -> list[Period]:
    """Return the periods of a plan that have begun, in order."""
    return context.state.select(Period, "WHERE periods.plan = ? ORDER BY number", plan.id)


def begin(context: RequestContext, plan: BillingPlan) -> Period:
    """Begin the next period of an active plan, set the timer of the one after it, and return the period."""
    terms, number, opens = Terms.of(plan), plan.begun + 1, plan.opens_at
    assert opens is not None  # an active plan has its first period's start
    starts, ends = terms.period(opens, number)
    period = context.state.add(
        Period(
            plan=plan.id,
            number=number,
            status="PENDING",
            starts_at=starts,
            ends_at=ends,
            amount=written(terms.price(number)),
            currency=terms.currency,
        )
    )
    context.state.change(plan, begun=number)
    if number < terms.total:
        following, _ = terms.period(opens, number + 1)
        context.state.set_timer(Timer(following, BEGINS, plan.id))
    shown = {"merchant": plan.merchant, "subscriptionNo": plan.subscription_no, "index": number}
    context.state.record(context.now, "period.began", plan.request_id, shown)
    return period


# Finished orders


def order_finished(context: RequestContext, order: PaymentOrder, outcome: Literal["paid", "failed", "closed"]) -> None:
    """Handle the effects of a finished order on its plan."""
    assert order.plan is not None  # the caller has checked it
    plan = context.state.get(BillingPlan, order.plan)
    if order.period is not None:
        _tried(context, plan, context.state.get(Period, order.period), order, paid=outcome == "paid")
    elif plan.status in WAITING:
        if outcome == "paid":
            _activate(context, plan, order)
        elif outcome == "failed":
            move(context, plan, "ACTIVE_FAILED")
        # An order that nobody has tried to pay does not change the plan.


def _activate(context: RequestContext, plan: BillingPlan, order: PaymentOrder) -> None:
    terms = Terms.of(plan)
    opens = terms.opening(context.now)
    plan = move(
        context,
        plan,
        "ACTIVE",
        activated_at=context.now,
        opens_at=opens,
        method=order.method,
        target_org=order.target_org,
        card=order.card,
        token=order.token,
    )
    # An order placed before the first period's date may be paid after it: then its amount is not the period's price.
    if pays_first_period(context, plan, Decimal(order.amount)):
        # The paid amount counts, not the plan's.
        period = context.state.change(begin(context, plan), amount=order.amount, tries=1, last_order=order.id)
        _tried(context, context.state.get(BillingPlan, plan.id), period, order, paid=True)
    else:
        context.state.set_timer(Timer(opens, BEGINS, plan.id))
    if terms.trial_days and context.policies.text("trial-payment-notice") == "index-0":
        _notify_of_trial(context, plan, order, opens)


def _notify_of_trial(context: RequestContext, plan: BillingPlan, order: PaymentOrder, opens: datetime) -> None:
    """Notify of the payment for a trial as of a period 0."""
    trial = Period(
        plan=plan.id,
        number=0,
        status="SUCCESS",
        starts_at=context.now,
        ends_at=opens - timedelta(seconds=1),
        amount=order.amount,
        currency=order.currency,
        last_status="SUCCESS",
        last_at=context.now,
    )
    context.notify(
        plan.merchant,
        "SUBSCRIPTION_PAYMENT",
        plan.callback_url,
        period_notice(plan, trial, order),
        plan.request_id,
    )


def _tried(context: RequestContext, plan: BillingPlan, period: Period, order: PaymentOrder, *, paid: bool) -> None:
    last = "SUCCESS" if paid else "FAILED"
    again = not paid and plan.status == "ACTIVE" and period.tries <= context.policies.seconds("period-retries")
    period = context.state.change(period, last_status=last, last_at=context.now, status="PENDING" if again else last)
    shown = {
        "subscriptionNo": plan.subscription_no,
        "index": period.number,
        "try": period.tries,
        "status": last,
    }
    context.state.record(context.now, "period.tried", plan.request_id, {"merchant": plan.merchant, **shown})
    if again:
        at = context.now + timedelta(hours=6)
        context.state.set_timer(Timer(at, RETRIES, period.id))
        return
    context.notify(
        plan.merchant,
        "SUBSCRIPTION_PAYMENT",
        plan.callback_url,
        period_notice(plan, period, order),
        plan.request_id,
    )
    if not paid and plan.status == "ACTIVE" and context.policies.text("plan-after-failed-period") == "terminates":
        end_plan(context, plan, "TERMINATE")
    elif plan.status == "ACTIVE" and plan.begun == plan.total and not _pending(context, plan):
        move(context, plan, "FINISH")


def _pending(context: RequestContext, plan: BillingPlan) -> list[Period]:
    return context.state.select(Period, "WHERE periods.plan = ? AND periods.status = 'PENDING'", plan.id)


# The end


def end_plan(context: RequestContext, plan: BillingPlan, status: Literal["CANCEL", "TERMINATE"]) -> BillingPlan:
    """End a plan: no new period begins and no failed one is tried again.

    A charge that is under way ends as it ends. Raises `Refusal` (409) where the plan has ended already.
    """
    if plan.status not in (*WAITING, "ACTIVE"):
        raise Refusal(f"The plan is {plan.status} already.", code="409")
    context.state.drop_timers(BEGINS, plan.id)
    for period in _pending(context, plan):
        if period.last_status == "FAILED" and not _under_way(context, period):
            context.state.drop_timers(RETRIES, period.id)
            context.state.change(period, status="CLOSED")
    return move(context, plan, status)


def _under_way(context: RequestContext, period: Period) -> bool:
    return context.state.find(PaymentOrder, "WHERE period = ? AND finished_at IS NULL", period.id) is not None
