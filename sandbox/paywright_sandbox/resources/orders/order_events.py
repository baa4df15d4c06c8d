"""Side effects of a finished order: saved token, notification, subscription period."""

from __future__ import annotations

from typing import Literal, TypeAlias

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.resources.orders.notification_payloads import order_result
from paywright_sandbox.resources.payments import tokens
from paywright_sandbox.resources.payments.order import PaymentOrder
from paywright_sandbox.resources.subscriptions import periods

__all__ = ["Outcome", "finished"]

Outcome: TypeAlias = Literal["paid", "failed", "closed"]


def finished(context: RequestContext, order: PaymentOrder, outcome: Outcome) -> None:
    """Run the side effects of an order that has just been finished."""
    if outcome == "paid":
        tokens.bind(context, order)
    if order.period is None:  # a period has its own notification [6.2], not one for each try
        context.notify(
            order.merchant,
            "PAYMENT",
            order.notify_url,
            {"data": order_result(order)},
            about=order.out_trade_no,
        )
    if order.plan is not None:
        periods.order_finished(context, order, outcome)
