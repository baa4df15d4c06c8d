"""Subscription plans, their periods and charges as one resource of the sandbox [2.5, 4.5, 6.2]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.route_fields import LISTED, in_context
from paywright_sandbox.engine.routes import Call, Route, RouteField
from paywright_sandbox.engine.settings.policies import Policy
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.resources.subscriptions import plans
from paywright_sandbox.resources.subscriptions.period import Period
from paywright_sandbox.resources.subscriptions.periods import end_plan, periods_of
from paywright_sandbox.resources.subscriptions.plan import BillingPlan
from paywright_sandbox.resources.subscriptions.plan_calendar import MOST_PERIODS
from paywright_sandbox.resources.subscriptions.plans import WAITING, described, plan_by_no

__all__ = ["RESOURCE"]

# The control API


def _plan_of(context: RequestContext, call: Call) -> BillingPlan:
    plan = plan_by_no(context, call.path["subscriptionNo"])
    if plan is None:
        raise Refusal("There is no plan with this subscriptionNo.", code="404")
    return plan


def _plan(context: RequestContext, plan: BillingPlan) -> dict[str, object]:
    periods = [
        {
            "index": period.number,
            "status": period.status,
            "startsAt": formats.write_request_time(period.starts_at),
            "endsAt": formats.write_request_time(period.ends_at),
            "amount": period.amount,
            "currency": period.currency,
            "tries": period.tries,
            "outTradeNo": period.out_trade_no,
            "tradeToken": period.trade_token,
        }
        for period in periods_of(context, plan)
    ]
    return {**described(plan), "failing": plan.failing, "periods": periods}


def _plans(context: RequestContext, _: Call) -> Mapping[str, object]:
    rows = context.state.select(BillingPlan, "ORDER BY id DESC LIMIT ?", LISTED)
    return {"subscriptions": [_plan(context, row) for row in rows]}


def _cancel(context: RequestContext, call: Call) -> Mapping[str, object]:
    return _plan(context, end_plan(context, _plan_of(context, call), "CANCEL"))


def _terminate(context: RequestContext, call: Call) -> Mapping[str, object]:
    return _plan(context, end_plan(context, _plan_of(context, call), "TERMINATE"))


def _fail_next(context: RequestContext, call: Call) -> Mapping[str, object]:
    plan, charges = _plan_of(context, call), call.body.get("charges", 1)
    assert isinstance(charges, int)  # the route's field is one
    if not 0 <= charges <= 10_000:
        raise Refusal("charges must be 0 to 10000.", code="400")
    if plan.status not in (*WAITING, "ACTIVE"):
        raise Refusal(f"The plan is {plan.status}: it is not charged any more.", code="409")
    plan = context.state.change(plan, failing=charges)
    shown = {"merchant": plan.merchant, "subscriptionNo": plan.subscription_no, "charges": charges}
    context.state.record(context.now, "plan.told_to_fail", plan.request_id, shown)
    return _plan(context, plan)


_ROUTES: Final = (
    Route("GET", "subscriptions", f"The latest {LISTED} plans with their periods, the newest first", in_context(_plans)),
    Route("GET", "subscriptions/{subscriptionNo}", "One plan with its periods",
          in_context(lambda context, call: _plan(context, _plan_of(context, call)))),
    Route("POST", "subscriptions/{subscriptionNo}/cancel", "Cancels a plan", in_context(_cancel)),
    Route("POST", "subscriptions/{subscriptionNo}/terminate", "Terminates a plan", in_context(_terminate)),
    Route("POST", "subscriptions/{subscriptionNo}/fail-next", "Fails the next charges of a plan", in_context(_fail_next), (
        RouteField("charges", "integer", "number of charges, including retries of a period; 1 when left out, 0 cancels it"),
    )),
)  # fmt: skip


_POLICIES: Final = (
    Policy("plan-paid-by-code", "refused", "other-moves",
           "activating a plan by a QR code or a virtual account, which cannot be charged again: refused, or charged all the same",
           choices=("refused", "charged")),
    Policy("activation-pays", "first-period", "other-moves",
           "whether the activating order pays a first period that starts with it, or nothing of the plan",
           choices=("first-period", "nothing")),
    Policy("activation-amount", "refused", "other-moves",
           "an order that activates a plan with another amount than the price then: refused, or any amount activates",
           choices=("refused", "any")),
    Policy("activation-before-start", "either", "other-moves",
           "what an order pays to activate a plan whose first period begins later: nothing (its totalAmount is 0), the first period, which is "
           "then not charged again, or either", choices=("either", "nothing", "first-period")),
    Policy("unclear-plan", "taken", "plan-kinds",
           "a plan with trialConfig and trialPeriodConfig at once, or with a trialPeriodConfig without its count or amount: accepted (the trial "
           "comes first, and such a promotion is ignored), or refused", choices=("taken", "refused")),
    Policy("plan-limits", "refused", "plan-kinds",
           f"a plan of more than {MOST_PERIODS} periods, with periods or a trial of more than 3660 units, with a promotion of more periods than it has, or "
           "with more than 1000000 of a price: refused, or accepted if it ends before the year 10000", choices=("refused", "taken")),
    Policy("trial-payment-notice", "none", "trial-payments",
           "notification [6.2] of the payment for a trial, which is not a period: none, or one with subscriptionIndex 0",
           choices=("none", "index-0")),
    Policy("period-retries", 3, "other-moves", "number of retries of a failed charge of a period"),
    Policy("plan-after-failed-period", "continues", "other-moves", "what a plan does when all tries of a period have failed",
           choices=("continues", "terminates")),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="subscriptions",
    handlers=plans.HANDLERS,
    timers=plans.TIMERS,
    tables=(BillingPlan, Period),
    policies=_POLICIES,
    routes=_ROUTES,
)
