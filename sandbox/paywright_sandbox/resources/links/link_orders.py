"""Open a payment link: place the order that its payer pays [2.7]."""

from __future__ import annotations

from datetime import timedelta

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.resources.links.links import link_by_id, link_url
from paywright_sandbox.resources.orders.orders import place
from paywright_sandbox.resources.payments.order import PaymentOrder

__all__ = ["open_link"]


def open_link(
    context: RequestContext, link_id: str, *, user_id: str | None = None, user_name: str | None = None
) -> PaymentOrder:
    """Open a link for a payer, and return the order to pay: this user's pending one, or a new one.

    Each payer has an order with its own userInfo [2.7]; without `user_id` the payer is always a new one. `user_id` and
    `user_name` are cut to 64 characters. Raises `Refusal` with an HTTP status if there is no such link (404), or if it
    cannot be paid any more (409).
    """
    link = link_by_id(context, link_id)
    if link is None:
        raise Refusal("There is no link with this linkId.", code="404")
    made = context.state.select(PaymentOrder, "WHERE link = ? ORDER BY id", link.id)
    pending = [order for order in made if user_id and (order.status, order.user_id) == ("PENDING", user_id[:64])]
    if pending:
        return pending[-1]
    if link.status != "ACTIVE":
        raise Refusal("The link has expired: it cannot be paid any more.", code="409")
    if context.policies.text("link-payments") == "one" and any(order.outcome == "paid" for order in made):
        raise Refusal("The link can be paid once, and has been paid (policy link-payments).", code="409")
    open_for = timedelta(seconds=context.policies.seconds("order-expires-after"))
    return place(
        context,
        PaymentOrder(
            merchant=link.merchant,
            integrate="Hosted_Checkout",  # a link is paid on the same page
            amount=link.amount,
            currency=link.currency,
            country=link.country,
            subject=link.description,
            user_id=(user_id or context.number("LU", "orders"))[:64],
            user_name=user_name[:64] if user_name else None,
            front_callback_url=link_url(context, link),
            created_at=context.now,
            expires_at=min(link.expires_at, context.now + open_for),
            link=link.id,
        ),
    )
