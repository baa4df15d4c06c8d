"""The rest of a paid order after refunds and chargeback cases [2.4, 2.12].

The same money is not given back twice: an amount that an open or lost case disputes cannot be refunded, and an amount that was
or is being refunded cannot be disputed. `refunds`, `cases` and `snap` refuse what is above it.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from paywright.contract import CONTRACT
from paywright_sandbox.engine.currency_decimals import rest
from paywright_sandbox.engine.fields import text

if TYPE_CHECKING:
    from paywright_sandbox.engine.context import RequestContext
    from paywright_sandbox.resources.payments.payment_order import PaymentOrder

OVER: Final = ("DISPUTE_END", "CASE_CLOSED", "CASE_CANCEL")
"""The final statuses of a case."""

_REFUNDS: Final = CONTRACT.set("RefundStatus")
_NOTHING_BACK: Final = tuple(state for state in _REFUNDS.final if state not in _REFUNDS.paid)
_REFUNDED: Final = (
    f"SELECT amount FROM refunds WHERE order_id = ? AND status NOT IN ({', '.join('?' * len(_NOTHING_BACK))})"
)
_DISPUTED: Final = (
    f"SELECT amount FROM cases WHERE order_id = ? AND (result = 'FAI' OR status NOT IN ({', '.join('?' * len(OVER))}))"
)


def refundable(context: RequestContext, order: PaymentOrder) -> Decimal:
    """Return the amount of an order that can still be refunded or disputed, 0 before it is paid.

    Failed refunds, and cases that were won, closed or cancelled, do not count.
    """
    taken = context.state.all(_DISPUTED, order.id, *OVER)
    return rest(unrefunded(context, order), [Decimal(text(row, "amount")) for row in taken])


def unrefunded(context: RequestContext, order: PaymentOrder) -> Decimal:
    """Return the amount of an order that is not refunded, regardless of chargeback cases."""
    if order.status != "SUCCESS":
        return Decimal(0)
    taken = context.state.all(_REFUNDED, order.id, *_NOTHING_BACK)
    return rest(Decimal(order.amount), [Decimal(text(row, "amount")) for row in taken])
