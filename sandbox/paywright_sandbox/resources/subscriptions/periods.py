"""The periods of plans, and the effects of orders on them: activation, payment, retry, last try, end [2.5, 6.2].

An order of a plan either activates it, or is a try to charge a period. A period is PENDING until a try is paid (SUCCESS)
or the last one has failed (FAILED); then its merchant is notified. A period that waits for its next try when the plan
ends is CLOSED, without a notification, since none of its tries was the last.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal

from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.currency_decimals import written
from paywright_sandbox.engine.policies import Policy
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import Call, RouteField, Rows
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import Timer
from paywright_sandbox.engine.state.tables import TableRow, joined, references
from paywright_sandbox.resources.payments.payment_order import PaymentOrder, brand, card_info
from paywright_sandbox.resources.subscriptions import plans
from paywright_sandbox.resources.subscriptions.plan_terms import MOST_PERIODS, BillingPlan
from paywright_sandbox.resources.subscriptions.plans import WAITING, described, move, pays_first_period

if TYPE_CHECKING:
    from paywright_sandbox.resources.payments.payment_order import PaymentOrder
    from paywright_sandbox.resources.subscriptions.plan_terms import BillingPlan


@dataclass(frozen=True, kw_only=True)
class Period(
    TableRow, table="periods", unique=("plan, number",), join="LEFT JOIN orders ON orders.id = periods.last_order"
):
    """A period of a plan that has begun. `amount` is decimal text.

    `tries` counts its charges, each an order; `last_order` is the last one, with its `out_trade_no` and `trade_token`.
    `last_status` and `last_at` are the result of the last charge that has ended.
    """

    plan: int = field(metadata=references("plans"))
    number: int
    status: str
    starts_at: datetime
    ends_at: datetime
    amount: str
    currency: str
    tries: int = 0
    last_order: int | None = field(default=None, metadata=references("orders"))
    last_status: str | None = None
    last_at: datetime | None = None
    out_trade_no: str | None = field(default=None, metadata=joined("orders.out_trade_no"))
    trade_token: str | None = field(default=None, metadata=joined("orders.trade_token"))


def period_notice(plan: BillingPlan, period: Period, order: PaymentOrder) -> dict[str, object]:
    """Return `data`, and the root members of a failure, for `RequestContext.notify`; `order` is the period's last try.

    The code is APPLY_SUCCESS for a paid period, else code and message are those of the failed order.
    """
    assert period.last_at is not None  # its last charge has ended
    paid = period.last_status == "SUCCESS"
    card = order.card
    last: dict[str, object] = {
        "lastPaymentStatus": period.last_status,
        "payTime": formats.write_request_time(period.last_at),
    }
    # The token is for refunds: a payment that failed has nothing to refund.
    last |= {"tradeToken": order.trade_token} if paid else {
        "errorCode": order.response_code, "errorMsg": order.response_msg
    }  # fmt: skip
    detail: dict[str, object] = {
        "subscriptionIndex": period.number,
        "paymentStatus": period.status,
        "periodStartTime": formats.write_period_time(period.starts_at),
        "periodEndTime": formats.write_period_time(period.ends_at),
        "payAmount": {"amount": Decimal(period.amount), "currency": period.currency},
        "paymentMethodType": order.method,
        "cardOrg": brand(card) if card else "",
        "lastPaymentInfo": last,
    }
    info = card_info(order)
    if info is not None:
        detail["cardInfo"] = info
    outcome = {} if paid else {"code": order.response_code, "msg": order.response_msg}
    return {
        **outcome,
        "data": {
            "subscriptionRequestId": plan.request_id,
            "userId": plan.user_id,
            "subscriptionPlan": {"subscriptionNo": plan.subscription_no},
            "subscriptionPaymentDetail": detail,
        },
    }


BEGINS: Final = "period.begins"
"""The timer of a plan: begin its next period."""
RETRIES: Final = "period.retries"
"""The timer of a period: charge it again."""


def periods_of(context: RequestContext, plan: BillingPlan) -> list[Period]:
    """Return the periods of a plan that have begun, in order."""
    return context.state.select(Period, "WHERE periods.plan = ? ORDER BY number", plan.id)


def begin(context: RequestContext, plan: BillingPlan) -> Period:
    """Begin the next period of an active plan, set the timer of the one after it, and return the period."""
    number, opens = plan.begun + 1, plan.opens_at
    assert opens is not None  # an active plan has its first period's start
    starts, ends = plan.period(opens, number)
    period = context.state.add(
        Period(
            plan=plan.id,
            number=number,
            status="PENDING",
            starts_at=starts,
            ends_at=ends,
            amount=written(plan.price(number)),
            currency=plan.currency,
        )
    )
    context.state.change(plan, begun=number)
    if number < plan.total:
        following, _ = plan.period(opens, number + 1)
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
    opens = plan.opening(context.now)
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
    if plan.trial_days and context.policies.text("trial-payment-notice") == "index-0":
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
    _notify(context, plan, trial, order)


def _notify(context: RequestContext, plan: BillingPlan, period: Period, order: PaymentOrder) -> None:
    body = period_notice(plan, period, order)
    context.notify(plan.merchant, "SUBSCRIPTION_PAYMENT", plan.callback_url, body, plan.request_id)


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
    _notify(context, plan, period, order)
    if not paid and plan.status == "ACTIVE" and context.policies.text("plan-after-failed-period") == "terminates":
        end_plan(context, plan, "TERMINATE")
    elif plan.status == "ACTIVE" and plan.begun == plan.total and not _pending(context, plan):
        move(context, plan, "FINISH")


def _pending(context: RequestContext, plan: BillingPlan) -> list[Period]:
    return context.state.select(Period, "WHERE periods.plan = ? AND periods.status = 'PENDING'", plan.id)


# The end


def end_plan(context: RequestContext, plan: BillingPlan, status: Literal["CANCEL", "TERMINATE"]) -> BillingPlan:
    """End a plan: no new period begins and no failed one is tried again.

    A charge that is under way ends as it ends.
    """
    context.state.drop_timers(BEGINS, plan.id)
    for period in _pending(context, plan):
        if period.last_status == "FAILED" and not _under_way(context, period):
            context.state.drop_timers(RETRIES, period.id)
            context.state.change(period, status="CLOSED")
    return move(context, plan, status)


def _under_way(context: RequestContext, period: Period) -> bool:
    return context.state.find(PaymentOrder, "WHERE period = ? AND finished_at IS NULL", period.id) is not None


# The control API


def _shown(context: RequestContext, plan: BillingPlan) -> dict[str, object]:
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


def _fail_next(context: RequestContext, plan: BillingPlan, call: Call) -> BillingPlan:
    charges = call.body.get("charges", 1)
    assert isinstance(charges, int)  # the route's field is one
    if not 0 <= charges <= 10_000:
        raise Refusal("charges must be 0 to 10000.", code="400")
    shown = {"merchant": plan.merchant, "subscriptionNo": plan.subscription_no, "charges": charges}
    context.state.record(context.now, "plan.told_to_fail", plan.request_id, shown)
    return context.state.change(plan, failing=charges)


_ROWS: Final = Rows(
    kind=BillingPlan,
    path="subscriptions",
    what="plan",
    plural="plans with their periods",
    number="subscriptionNo",
    column="subscription_no",
    show=_shown,
    ended=lambda plan: "" if plan.status in (*WAITING, "ACTIVE") else plan.status,
)
_ROUTES: Final = (
    *_ROWS.reads(),
    _ROWS.act("/cancel", "Cancels a plan", lambda context, plan, _: end_plan(context, plan, "CANCEL")),
    _ROWS.act("/terminate", "Terminates a plan", lambda context, plan, _: end_plan(context, plan, "TERMINATE")),
    _ROWS.act("/fail-next", "Fails the next charges of a plan", _fail_next,
        RouteField("charges", "integer", "number of charges, including retries of a period; 1 when left out, 0 cancels it"),
    ),
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
