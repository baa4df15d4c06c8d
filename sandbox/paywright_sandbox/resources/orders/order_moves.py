"""Decide what an order may become: paid, failed, closed at its expiry, returned; nothing else follows a last state [2.3, 3].

For the control API `engine.routes` refuses what an action says has ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final, Literal, NamedTuple, TypeAlias

from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext, TimerHandler
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.resources.orders.refund_rest import refundable
from paywright_sandbox.resources.payments import tokens
from paywright_sandbox.resources.payments.payment_order import PaymentMethod, PaymentOrder, kind_of
from paywright_sandbox.resources.payments.tokens import token_ended
from paywright_sandbox.resources.subscriptions import periods


def order_result(order: PaymentOrder) -> dict[str, object]:
    """Return the data of an order's result; its status is that of the inquiry."""
    data: dict[str, object] = {
        "outTradeNo": order.out_trade_no,
        "tradeToken": order.trade_token,
        "totalAmount": Decimal(order.amount),
        "currency": order.currency,
        "country": order.country,
        "status": order.status,
        "completeTime": formats.write_request_time(order.finished_at) if order.finished_at else "",
        "paymentDetails": [{"paymentMethodType": method}] if (method := order.method) else [],
        "reference": order.reference,
    }
    return {name: value for name, value in data.items() if value is not None}


def _notify(context: RequestContext, order: PaymentOrder) -> None:
    context.notify(order.merchant, "PAYMENT", order.notify_url, {"data": order_result(order)}, order.out_trade_no)


Outcome: TypeAlias = Literal["paid", "failed", "closed"]


def finished(context: RequestContext, order: PaymentOrder, outcome: Outcome) -> None:
    """Run the side effects of an order that has just been finished."""
    if outcome == "paid":
        tokens.bind(context, order)
    if order.period is None:  # a period has its own notification [6.2], not one for each try
        _notify(context, order)
    if order.plan is not None:
        periods.order_finished(context, order, outcome)


EXPIRES: Final = "order.expires"
"""The timer that closes an order."""
_BY_CODE: Final = (
    "This order begins a plan, and a QR code or a virtual account cannot be charged again: pay it another way (policy "
    "plan-paid-by-code). It is still open."
)


class CardNotAllowed(Refusal):
    """The order does not take cards of this organisation; it stays open."""


def is_open(order: PaymentOrder) -> bool:
    """Return whether an order can still be paid."""
    return order.finished_at is None


def pay(context: RequestContext, order: PaymentOrder, way: PaymentMethod | None = None) -> PaymentOrder:
    """Pay an order, and return it.

    `way` is the payer's choice; None pays as the order was placed, by its payment token if it has one. If something
    prevents the payment, a policy decides whether to raise `Refusal` or let it fail.
    """
    obstacle = _obstacle(context, order, way)
    if obstacle is not None:
        if obstacle.refused is not None:
            raise obstacle.refused
        return fail(context, order, f"The payment failed: {obstacle.why}.", way)
    columns = (way or PaymentMethod.of(order)).columns
    return _finish(context, order, "paid", status="SUCCESS", **columns, token=order.token if way is None else None)


def check_payable(context: RequestContext, order: PaymentOrder, way: PaymentMethod | None) -> None:
    """Raise `Refusal` (409) if an order cannot be paid in this way and stays open. For `way` see `pay`."""
    obstacle = _obstacle(context, order, way)
    if obstacle is not None and obstacle.refused is not None:
        raise obstacle.refused


class _Obstacle(NamedTuple):
    """An obstacle to a payment: `refused` if the order stays open, else `why` it fails."""

    refused: Refusal | None
    why: str


def _obstacle(context: RequestContext, order: PaymentOrder, way: PaymentMethod | None) -> _Obstacle | None:
    chosen = way or PaymentMethod.of(order)
    card = context.policies.text("card-not-allowed")
    if card != "paid" and not chosen.fits(order.allowed_orgs):
        only = f"This order takes only cards of {', '.join(order.allowed_orgs)} (allowedCardOrg). It is still open."
        return _Obstacle(
            CardNotAllowed(only, code="409") if card == "refused" else None,
            "the order does not take cards of this organisation",
        )
    status = token_ended(context, order) if way is None else None
    gone = context.policies.text("payment-token-gone")
    if status is not None and gone != "paid":
        # No payer is there to choose another way when a period of a plan is charged.
        asks = gone == "refused" and order.period is None
        words = f"The payment token of this order is {status}: pay it another way. It is still open."
        return _Obstacle(Refusal(words, code="409") if asks else None, f"its payment token is {status}")
    if order.plan is not None and order.period is None and not charges_again(context, chosen):
        return _Obstacle(Refusal(_BY_CODE, code="409"), "a plan cannot be charged by this method")
    return None


def charges_again(context: RequestContext, way: PaymentMethod) -> bool:
    """Return whether this way to pay can be charged again without the payer: the policy plan-paid-by-code."""
    return (
        context.policies.text("plan-paid-by-code") == "charged"
        or kind_of(context, way.method, way.target_org) == "page"
    )


def fail(context: RequestContext, order: PaymentOrder, why: str, way: PaymentMethod | None = None) -> PaymentOrder:
    """Let the payment of an open order fail with the message `why`, and return the order."""
    columns = (way or PaymentMethod.of(order)).columns
    return _finish(
        context, order, "failed", status="FAILED", response_code="PAYMENT_FAILED", response_msg=why, **columns
    )


def close(context: RequestContext, order: PaymentOrder, why: str) -> PaymentOrder:
    """Close an open order with the message `why`, so that it cannot be paid, and return it."""
    status = context.policies.text("closed-order-status")
    return _finish(context, order, "closed", status=status, response_code="ORDER_CLOSED", response_msg=why)


def _finish(
    context: RequestContext, order: PaymentOrder, outcome: Outcome, **changes: str | int | None
) -> PaymentOrder:
    assert is_open(order)  # the caller has checked it
    order = context.state.change(order, **changes, outcome=outcome, finished_at=context.now)
    context.state.drop_timers(EXPIRES, order.id)
    shown = {name: value for name, value in changes.items() if name not in ("card", "token")}
    context.state.record(context.now, f"order.{outcome}", order.out_trade_no, {"merchant": order.merchant, **shown})
    finished(context, order, outcome)
    if outcome == "paid" and order.link is not None and context.policies.text("link-payments") == "one":
        for other in context.state.select(
            PaymentOrder, "WHERE link = ? AND finished_at IS NULL ORDER BY id", order.link
        ):
            close(context, other, "Another payer has paid this link, which can be paid once.")
    return order


TIMERS: Final[Mapping[str, TimerHandler]] = {
    EXPIRES: lambda context, row: close(
        context, context.state.get(PaymentOrder, row), "The order was not completed in time."
    )
}


def bounce(context: RequestContext, order: PaymentOrder) -> PaymentOrder:
    """Give the payment of an order back to its payer, and return the order, which is final then.

    Balances, the plan and the payment token of the order do not change, as with a refund; no time limit is shown. Raises
    `Refusal` (409) if the order is not paid, cost nothing, or is not whole: a refund has succeeded or is pending, or a
    chargeback case is open or was lost.
    """
    amount = Decimal(order.amount)
    if order.status != "SUCCESS":
        raise Refusal(f"The order is {order.status}, not paid: there is nothing to return.", code="409")
    if not amount:
        raise Refusal("The order cost nothing: there is nothing to return.", code="409")
    if refundable(context, order) != amount:
        raise Refusal(
            "A refund or a chargeback case has taken a part of the order, or may take it: it cannot be returned as a whole. "
            "See its refundable.",
            code="409",
        )
    bounced = context.state.change(order, status="BOUNCEBACK", bounced_at=context.now)
    detail = {"merchant": order.merchant, "amount": order.amount, "currency": order.currency}
    context.state.record(context.now, "order.bounced", order.out_trade_no, detail)
    if context.policies.text("bounce-notice") == "payment":
        _notify(context, bounced)
    return bounced
