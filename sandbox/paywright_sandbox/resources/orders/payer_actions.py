"""The payer's actions on the cashier page [2.3, 4.1]; `order_moves` decides what they make of the order. The page is in `pages`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.tables import TableRow, references
from paywright_sandbox.resources.orders.order_moves import check_payable, close, fail, is_open, pay
from paywright_sandbox.resources.payments.payment_order import PaymentMethod, PaymentOrder


@dataclass(frozen=True, kw_only=True)
class CashierVisit(TableRow, table="cashier_visits"):
    """The payer's last action on the cashier page of an order; the `id` is the order's.

    `state` is CHALLENGED, PENDING or DONE, `card` a masked number.
    """

    id: int = field(metadata=references("orders"))
    state: str
    method: str
    target_org: str | None = None
    card: str | None = None
    at: datetime


METHODS: Final = {"CARD": "card", "WALLET": "wallet", "BANK_TRANSFER": "bank transfer", "QR": "QR code"}
PRESSES: Final = ("pay", "succeed", "fail", "pend", "cancel", "confirm", "refuse")


def order_of(context: RequestContext, trade_token: str) -> PaymentOrder | None:
    """Return the order of a cashier page, or None."""
    return context.state.find(PaymentOrder, "WHERE trade_token = ?", trade_token)


def visit_of(context: RequestContext, order: PaymentOrder) -> CashierVisit | None:
    """Return the payer's last action on the cashier page of an order, or None."""
    return context.state.find(CashierVisit, "WHERE id = ?", order.id)


def press(context: RequestContext, order: PaymentOrder, what: str, method: str, card: str | None) -> str:
    """Handle a button of the cashier page, one of `PRESSES`. Return CHALLENGED, PENDING or DONE.

    A finished order does not change. `method` is one of `METHODS`, `card` a masked number. Raises `Refusal` if there is
    nothing to confirm.
    """
    if not is_open(order):
        return "DONE"
    visit = visit_of(context, order)
    way = _way(order, what, method, card)
    if what in ("confirm", "refuse"):
        if not is_challenged(context, order, visit):
            raise Refusal("The bank has not asked anything about this payment.", code="409")
        way = PaymentMethod.of(visit) if visit is not None and visit.state == "CHALLENGED" else None
    if what == "pay":
        check_payable(context, order, way)
    state = _outcome(context, order, what)
    shown = way or PaymentMethod.of(order)
    if visit is None:
        context.state.add(
            CashierVisit(
                id=order.id,
                state=state,
                method=shown.method,
                target_org=shown.target_org,
                card=shown.card,
                at=context.now,
            )
        )
    else:
        context.state.change(visit, state=state, **shown.columns, at=context.now)
    detail = {"merchant": order.merchant, "pressed": what, "method": shown.method, "state": state}
    context.state.record(context.now, "cashier.pressed", order.out_trade_no, detail)
    if state == "DONE":
        _carry_out(context, order, what, way)
    return state


def is_challenged(context: RequestContext, order: PaymentOrder, visit: CashierVisit | None) -> bool:
    """Return whether the payer's bank waits for an answer; a Drop-In order that is challenged begins so."""
    if visit is not None and visit.state == "CHALLENGED":
        return True
    amount = Decimal(order.amount)
    return order.integrate == "Direct_Payment" and amount in context.policies.amounts("challenges-at")


def _way(order: PaymentOrder, what: str, method: str, card: str | None) -> PaymentMethod | None:
    """Return the payer's way to pay; None if the payer chose only an outcome: then the order's own."""
    if what != "pay":
        return None
    return PaymentMethod(
        method, card=card, target_org=order.target_org if method == order.method else None, order=order
    )


def _outcome(context: RequestContext, order: PaymentOrder, what: str) -> str:
    if what == "pend":
        return "PENDING"
    if what == "pay":
        amount = Decimal(order.amount)
        if amount in context.policies.amounts("pends-at"):
            return "PENDING"
        if amount in context.policies.amounts("challenges-at"):
            return "CHALLENGED"
    return "DONE"


def _carry_out(context: RequestContext, order: PaymentOrder, what: str, way: PaymentMethod | None) -> None:
    if what == "cancel":
        close(context, order, "The payer cancelled the payment.")
    elif what == "fail":
        fail(context, order, "The payment failed: that was chosen on the cashier page.", way)
    elif what == "refuse":
        fail(context, order, "The payment failed: the payer's bank did not confirm it.", way)
    elif what == "pay" and Decimal(order.amount) in context.policies.amounts("fails-at"):
        fail(context, order, "The payment failed: this amount fails by the policy fails-at.", way)
    else:
        pay(context, order, way)
