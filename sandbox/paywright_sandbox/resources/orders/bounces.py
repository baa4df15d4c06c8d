"""The return of a paid order: SUCCESS becomes BOUNCEBACK, at bounceBackTime [2.3].

It has no amount, so it returns the whole order. An order of which a part was or may be given back is not returned: the same
money would be given back twice.
"""

from __future__ import annotations

from decimal import Decimal

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.resources.orders.notification_payloads import order_result
from paywright_sandbox.resources.orders.remainder import refundable
from paywright_sandbox.resources.payments.order import PaymentOrder

__all__ = ["bounce"]


def bounce(context: RequestContext, order: PaymentOrder) -> PaymentOrder:
    """Give the payment of an order back to its payer, and return the order, which is final then.

    Balances, the plan and the payment token of the order do not change, as with a refund; no time limit is shown. Raises
    `Refusal` (409) if the order is not paid, cost nothing, or is not whole: a refund has succeeded or is pending, or a
    chargeback case is open or was lost (policy disputed-amount).
    """
    amount = Decimal(order.amount)
    if order.status != "SUCCESS":
        raise Refusal(f"The order is {order.status}, not paid: there is nothing to return.", code="409")
    if not amount:
        raise Refusal("The order cost nothing: there is nothing to return.", code="409")
    if refundable(context, order) != amount:
        raise Refusal(
            "A refund or a chargeback case has taken a part of the order, or may take it: it cannot be returned as a whole. "
            "See its refundable, and the policy disputed-amount.",
            code="409",
        )
    bounced = context.state.change(order, status="BOUNCEBACK", bounced_at=context.now)
    detail = {"merchant": order.merchant, "amount": order.amount, "currency": order.currency}
    context.state.record(context.now, "order.bounced", order.out_trade_no, detail)
    if context.policies.text("bounce-notice") == "payment":
        context.notify(
            bounced.merchant,
            "PAYMENT",
            bounced.notify_url,
            {"data": order_result(bounced)},
            about=bounced.out_trade_no,
        )
    return bounced
