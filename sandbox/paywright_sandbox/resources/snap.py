"""Bank-style calls: status and cancel of an order, in their own form [4.17, 2.13].

A refused call leaves nothing behind: its X-EXTERNAL-ID may be used again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from paywright.contract import CONTRACT
from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.fields import given, text
from paywright_sandbox.engine.policies import Policy
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.tables import TableRow
from paywright_sandbox.engine.used_keys import refuse_used
from paywright_sandbox.resources import refunds
from paywright_sandbox.resources.orders.order_moves import close, is_open
from paywright_sandbox.resources.orders.placing import order_by_key
from paywright_sandbox.resources.orders.refund_rest import refundable, unrefunded
from paywright_sandbox.resources.payments.payment_order import PaymentOrder
from paywright_sandbox.resources.refunds import OrderRefund

if TYPE_CHECKING:
    from paywright_runtime.contract.model import Set
    from paywright_sandbox.engine.merchant import RegisteredMerchant


@dataclass(frozen=True, kw_only=True)
class SnapCall(TableRow, table="snap_calls", unique=("merchant, day, external_id",)):
    """A bank-style call of a day. Its X-EXTERNAL-ID cannot be used again that day."""

    merchant: str
    day: str
    external_id: str
    at: datetime


_JAKARTA: Final = timedelta(hours=7)
"""Offset from UTC of the day in which X-EXTERNAL-ID is unique."""


def _alike(states: Set, others: Set) -> Mapping[str, str]:
    """Return each state with the first of the others that is final, or paid, where it is."""
    meant = {(state in others.final, state in others.paid): state for state in reversed(tuple(others.values))}
    return {state: meant[state in states.final, state in states.paid] for state in states.values}


_REFUND_STATUS: Final = _alike(CONTRACT.set("RefundStatus"), CONTRACT.set("SnapRefundStatus"))


def _status(context: RequestContext, merchant: RegisteredMerchant, asked: Mapping[str, object]) -> dict[str, object]:
    _once_a_day(context, merchant)
    order = _order(context, merchant, asked)
    paid_at = order.finished_at if order.outcome == "paid" else None
    history = [
        _refund(row) for row in context.state.select(OrderRefund, "WHERE order_id = ? ORDER BY refunds.id", order.id)
    ]
    answer: dict[str, object] = {
        "originalPartnerReferenceNo": order.out_trade_no,
        "originalReferenceNo": order.trade_token,
        "transAmount": {"value": Decimal(order.amount), "currency": order.currency},
        "latestTransactionStatus": _code(context, order),
        "paidTime": _time(paid_at),
        "originalResponseMessage": order.response_msg,
        "refundHistory": history or None,
    }
    return {name: value for name, value in answer.items() if value is not None}


def _cancel(context: RequestContext, merchant: RegisteredMerchant, asked: Mapping[str, object]) -> dict[str, object]:
    _once_a_day(context, merchant)
    order = _order(context, merchant, asked)
    if is_open(order):
        close(context, order, "The order was cancelled.")
        order = _order(context, merchant, asked)
    elif order.status == "SUCCESS":
        _cancel_paid(context, merchant, order, given(asked, "reason"))
    external = given(asked, "originalExternalId")
    answer: dict[str, object] = {
        "originalPartnerReferenceNo": order.out_trade_no,
        "cancelTime": formats.write_offset_time(context.now),
        "originalReferenceNo": order.trade_token,
        # The request allows 36 characters, the answer 32 [2.13, 4.17].
        "originalExternalId": external if external and len(external) <= 32 else None,
        "transactionDate": _time(order.created_at),
        "additionalInfo": {"latestTransactionStatus": _code(context, order)},
    }
    return {name: value for name, value in answer.items() if value is not None}


def _cancel_paid(
    context: RequestContext, merchant: RegisteredMerchant, order: PaymentOrder, reason: str | None
) -> None:
    what = context.policies.text("snap-cancel-of-paid")
    if what == "refuse":
        raise Refusal("The order is paid and cannot be cancelled: refund it.", policy="snap-cancel-of-paid")
    context.decided_by("snap-cancel-of-paid")
    if what != "refund":
        return
    rest = refundable(context, order)
    if not rest and unrefunded(context, order):
        raise Refusal("A chargeback case holds the order: nothing can be refunded.", policy="snap-cancel-of-paid")
    if rest:
        asked = {
            "outRefundNo": context.number("SC", "refunds"),
            "refundAmount": rest,
            "refundCurrency": order.currency,
            "tradeToken": order.trade_token,
            "comments": reason,
        }
        try:
            refunds.create(context, merchant, asked)
        except Refusal as refused:
            raise Refusal(refused.msg, policy="snap-cancel-of-paid") from None


def _once_a_day(context: RequestContext, merchant: RegisteredMerchant) -> None:
    external = context.headers["x-external-id"]  # the contract requires it
    today = (context.now + _JAKARTA).date()
    day = formats.write_date(today)
    before = "WHERE merchant = ? AND day = ? AND external_id = ?"
    known = context.state.find(SnapCall, before, merchant.app_id, day, external)
    refuse_used(known, "X-EXTERNAL-ID", " on this day: use a new one for every call")
    context.state.add(SnapCall(merchant=merchant.app_id, day=day, external_id=external, at=context.now))
    over = context.state.find(SnapCall, "WHERE merchant = ? AND day < ? ORDER BY id DESC LIMIT 1", merchant.app_id, day)
    if over is not None:
        context.state.delete_up_to("snap_calls", over.id)  # the clock never goes back


def _order(context: RequestContext, merchant: RegisteredMerchant, asked: Mapping[str, object]) -> PaymentOrder:
    order = order_by_key(context, merchant.app_id, text(asked, "originalPartnerReferenceNo"))
    if order is None:
        raise Refusal("There is no such order.", policy="absent")
    number = given(asked, "originalReferenceNo")
    if number and number not in (order.trade_token, order.trade_no):
        raise Refusal("originalReferenceNo differs from that of the order.", policy="absent")
    amount = asked.get("amount")
    if isinstance(amount, dict) and (
        amount["currency"] != order.currency or Decimal(str(amount["value"])) != Decimal(order.amount)
    ):
        raise Refusal("amount differs from that of the order.", policy="invalid-request", code="404xx13")
    return order


def _code(context: RequestContext, order: PaymentOrder) -> str:
    if is_open(order):
        return "03"
    if order.status == "SUCCESS":
        return "00"
    if order.status == "BOUNCEBACK":
        context.decided_by("snap-status-of-bounced")
        return context.policies.text("snap-status-of-bounced")
    return "05" if order.outcome == "closed" else "06"


def _refund(refund: OrderRefund) -> dict[str, object]:
    answer: dict[str, object] = {
        "refundNo": refund.refund_trade_no,
        "partnerRefundNo": refund.out_refund_no,
        "refundAmount": {"value": Decimal(refund.amount), "currency": refund.currency},
        "refundStatus": _REFUND_STATUS[refund.status],
        "refundDate": _time(refund.finished_at or refund.created_at),
        "reason": refund.comments,
    }
    return {name: value for name, value in answer.items() if value is not None}


def _time(time: datetime | None) -> str | None:
    """Return a time without milliseconds, in at most 25 characters."""
    return None if time is None else formats.write_offset_time(time)


_POLICIES: Final = (
    Policy("snap-signature", "either", "snap-signature", "which X-SIGNATURE is accepted: of either kind, of one kind, or any",
           choices=("either", "asymmetric", "symmetric", "any")),
    Policy("snap-cancel-of-paid", "keep", "snap-cancel-status",
           "what the cancel of a paid order does: only answers 00, refunds the rest and answers 00, or is refused",
           choices=("keep", "refund", "refuse")),
    Policy("snap-status-of-bounced", "00", "final-states",
           "latestTransactionStatus of a paid order that was returned: 00 is stated to be final, and no code for a return is shown",
           choices=("00", "05", "06")),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="snap",
    handlers={"snap.status": _status, "snap.cancel": _cancel},
    tables=(SnapCall,),
    policies=_POLICIES,
)
