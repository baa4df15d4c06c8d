"""What is left of a paid order: what refunds and chargeback cases have not taken, or may still take [2.4, 2.12].

The same money is not given back twice: by the policy disputed-amount, what an open or lost case disputes cannot be refunded,
and what was refunded, or is being refunded, cannot be disputed.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from paywright_sandbox.engine.fields import text
from paywright_sandbox.engine.money import rest

if TYPE_CHECKING:
    from paywright_sandbox.engine.context import RequestContext
    from paywright_sandbox.resources.payments.order import Order

__all__ = ["OVER", "disputable", "refundable", "unrefunded"]

OVER: Final = ("DISPUTE_END", "CASE_CLOSED", "CASE_CANCEL")
"""The statuses that a case does not leave."""

_REFUNDED: Final = "SELECT amount FROM refunds WHERE order_id = ? AND status != 'REFUND_FAILED'"
_DISPUTED: Final = (
    f"SELECT amount FROM cases WHERE order_id = ? AND (result = 'FAI' OR status NOT IN ({', '.join('?' * len(OVER))}))"
)


def refundable(context: RequestContext, order: Order) -> Decimal:
    """Return what can still be refunded of an order: nothing before it is paid. Failed refunds take nothing away."""
    return _rest(context, order, refunds=True, disputes=_held(context))


def disputable(context: RequestContext, order: Order) -> Decimal:
    """Return what a new case can dispute of an order. Cases that were won, closed or cancelled take nothing away."""
    return _rest(context, order, refunds=_held(context), disputes=True)


def unrefunded(context: RequestContext, order: Order) -> Decimal:
    """Return what refunds alone have left of an order, whatever chargeback cases hold of it."""
    return _rest(context, order, refunds=True, disputes=False)


def _held(context: RequestContext) -> bool:
    return context.policies.text("disputed-amount") == "held"


def _rest(context: RequestContext, order: Order, *, refunds: bool, disputes: bool) -> Decimal:
    if order.status != "SUCCESS":
        return Decimal(0)
    taken = context.state.all(_REFUNDED, order.id) if refunds else []
    if disputes:
        taken += context.state.all(_DISPUTED, order.id, *OVER)
    return rest(Decimal(order.amount), [Decimal(text(row, "amount")) for row in taken])
