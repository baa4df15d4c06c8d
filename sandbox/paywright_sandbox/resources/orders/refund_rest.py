"""The rest of a paid order after refunds and chargeback cases [2.4, 2.12].

The same money is not given back twice: an amount that an open or lost case disputes cannot be refunded, and an amount that was
or is being refunded cannot be disputed. A refund above it is refused here, a dispute by `cases`, a bank-style cancellation by `snap`.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from paywright.contract import CONTRACT
from paywright_sandbox.engine.currency_decimals import check_decimals, rest
from paywright_sandbox.engine.fields import text
from paywright_sandbox.engine.state.refusal import Refusal

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


def check_refund(context: RequestContext, order: PaymentOrder, amount: Decimal, currency: str) -> None:
    """Check that an order may be refunded by an amount [2.4, 4.13]. Raises `Refusal`."""
    if order.status != "SUCCESS":
        raise Refusal("The order is not paid: there is nothing to refund.", policy="refund-over-rest")
    if currency != order.currency:
        raise Refusal("/data/refundCurrency is not the currency of the original transaction.", policy="other-currency")
    check_decimals(context, amount, currency, "refundAmount")
    window = CONTRACT.limits()["refund-window"].seconds
    if window is not None and context.now - order.created_at > timedelta(seconds=window):
        raise Refusal(
            f"The order is older than {window // 86400} days: it cannot be refunded.", policy="invalid-request"
        )
    if amount > refundable(context, order):
        raise Refusal(
            "/data/refundAmount is more than refunds and chargeback cases leave of the order.",
            policy="refund-over-rest",
        )
