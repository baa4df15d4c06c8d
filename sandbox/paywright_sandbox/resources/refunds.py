"""Refunds and their inquiry [4.13, 4.14, 2.4]; `orders.refund_rest` refuses what is above the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.currency_decimals import written
from paywright_sandbox.engine.fields import amount_of, given, text, zoned
from paywright_sandbox.engine.merchant import RegisteredMerchant
from paywright_sandbox.engine.policies import Policy
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import WHOSE, Call, RouteField, Rows
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import Timer
from paywright_sandbox.engine.state.tables import UNIQUE, MerchantRow, joined, references
from paywright_sandbox.engine.used_keys import refuse_used
from paywright_sandbox.resources.orders.placing import order_by_key, order_by_token
from paywright_sandbox.resources.orders.refund_rest import check_refund
from paywright_sandbox.resources.payments.payment_order import PaymentOrder


@dataclass(frozen=True, kw_only=True)
class OrderRefund(
    MerchantRow,
    table="refunds",
    unique=("out_refund_no, merchant",),
    indexes={"refunds_of": "(order_id)"},
    join="JOIN orders ON orders.id = refunds.order_id",
):
    """A refund. `refund_trade_no` is the gateway's id of it, `out_trade_no` its order's; `amount` is decimal text."""

    out_refund_no: str
    refund_trade_no: str = field(metadata=UNIQUE)
    order_id: int = field(metadata=references("orders"))
    status: str
    amount: str
    currency: str
    comments: str | None = None
    notify_url: str | None = None
    created_at: datetime
    finished_at: datetime | None = None
    result_msg: str | None = None
    out_trade_no: str = field(metadata=joined("orders.out_trade_no"))


_SETTLES: Final = "refund.settles"


# Creating


def create(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    """Create a refund of a paid order [4.13]. Raises `Refusal`, and refunds nothing then."""
    key = text(data, "outRefundNo")
    refuse_used(_refund_by(context, merchant, "out_refund_no", key), "outRefundNo", ": query that refund")
    order = _order_of(context, merchant, data)
    amount, currency = amount_of(data, "refundAmount"), text(data, "refundCurrency")
    check_refund(context, order, amount, currency)
    settles = context.now + timedelta(seconds=context.policies.seconds("refund-settles-after"))
    refund = context.state.add(
        OrderRefund(
            merchant=merchant.app_id,
            out_refund_no=key,
            refund_trade_no=context.number("RT", "refunds"),
            order_id=order.id,
            status="REFUND_PENDING",
            amount=written(amount),
            currency=currency,
            comments=given(data, "comments"),
            notify_url=given(data, "refundNotifyUrl"),
            created_at=context.now,
            out_trade_no=order.out_trade_no,
        )
    )
    context.state.set_timer(Timer(settles, _SETTLES, refund.id))
    shown = {
        "merchant": merchant.app_id,
        "order": order.out_trade_no,
        "amount": refund.amount,
        "currency": currency,
    }
    context.state.record(context.now, "refund.created", key, shown)
    return {
        "outRefundNo": key,
        "tradeOrderNo": order.trade_token,  # the gateway's id, like refundTradeNo beside it
        "refundTradeNo": refund.refund_trade_no,
        "status": "REFUND_PENDING",
    }


def _order_of(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> PaymentOrder:
    key, token = given(data, "outTradeNo"), given(data, "tradeToken")
    by_key = order_by_key(context, merchant.app_id, key) if key else None
    by_token = order_by_token(context, merchant.app_id, token) if token else None
    if (key and by_key is None) or (token and by_token is None):
        raise Refusal("There is no such order: nothing was refunded.", policy="invalid-request")
    if by_key is not None and by_token is not None and by_key.id != by_token.id:
        raise Refusal("/data/outTradeNo and /data/tradeToken name two different orders.", policy="invalid-request")
    order = by_key or by_token
    assert order is not None  # the rule which-order requires one of the two
    return order


# Outcomes


def settle(context: RequestContext, refund: OrderRefund) -> OrderRefund:
    """Let a refund succeed, and return it."""
    return _finish(context, refund, "succeeded", status="REFUND_SUCCESS")


def fail(context: RequestContext, refund: OrderRefund, why: str) -> OrderRefund:
    """Let a refund fail with the message `why`, and return it. Its amount can be refunded again."""
    return _finish(context, refund, "failed", status="REFUND_FAILED", result_msg=why)


def _finish(context: RequestContext, refund: OrderRefund, outcome: str, **changes: str) -> OrderRefund:
    refund = context.state.change(refund, **changes, finished_at=context.now)
    context.state.drop_timers(_SETTLES, refund.id)
    context.state.record(context.now, f"refund.{outcome}", refund.out_refund_no, {"merchant": refund.merchant})
    context.notify(
        refund.merchant,
        "REFUND",
        refund.notify_url,
        {"data": _result(refund)},
        about=refund.out_refund_no,
    )
    return refund


def _result(refund: OrderRefund) -> dict[str, object]:
    """Return the data of the notification, as similar gateways send it: the specification does not show it [6.3]."""
    return {
        "outRefundNo": refund.out_refund_no,
        "refundTradeNo": refund.refund_trade_no,
        "outTradeNo": refund.out_trade_no,
        "refundAmount": Decimal(refund.amount),
        "refundCurrency": refund.currency,
        "status": refund.status,
        "refundFinishTime": formats.write_request_time(refund.finished_at) if refund.finished_at else "",
    }


def _due(context: RequestContext, row: int) -> None:
    refund = context.state.get(OrderRefund, row)
    if Decimal(refund.amount) in context.policies.amounts("refund-fails-at"):
        fail(context, refund, "The refund failed: this amount fails by the policy refund-fails-at.")
    else:
        settle(context, refund)


# Queries


def _query(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    key, number = given(data, "outRefundNo"), given(data, "refundTradeNo")
    refund = _refund_by(context, merchant, "out_refund_no", key) if key else None
    if refund is None and number and not key:
        refund = _refund_by(context, merchant, "refund_trade_no", number)
    if refund is None or (number and refund.refund_trade_no != number):
        raise Refusal("There is no such refund.", policy="absent")
    return shown(refund)


def shown(refund: OrderRefund) -> dict[str, object]:
    """Return a refund for the answer of its inquiry [2.4]."""
    answer: dict[str, object] = {
        "outRefundNo": refund.out_refund_no,
        "refundTradeNo": refund.refund_trade_no,
        "outTradeNo": refund.out_trade_no,
        "refundAmount": Decimal(refund.amount),
        "refundCurrency": refund.currency,
        "status": refund.status,
        "resultMsg": refund.result_msg,
        "refundFinishTime": zoned(refund.finished_at) or "",
    }
    return {name: value for name, value in answer.items() if value is not None}


def _refund_by(context: RequestContext, merchant: RegisteredMerchant, column: str, value: str) -> OrderRefund | None:
    return context.state.find(
        OrderRefund, f"WHERE refunds.merchant = ? AND refunds.{column} = ?", merchant.app_id, value
    )


# The control API


def _fail_now(context: RequestContext, refund: OrderRefund, call: Call) -> OrderRefund:
    return fail(context, refund, given(call.body, "why") or "The refund failed on request.")


_ROWS: Final = Rows(
    kind=OrderRefund,
    path="refunds",
    what="refund",
    plural="refunds",
    number="outRefundNo",
    column="out_refund_no",
    show=lambda _, refund: shown(refund),
    ended=lambda refund: refund.status if refund.finished_at else "",
    fields=(WHOSE,),
)
_ROUTES: Final = (
    *_ROWS.reads(),
    _ROWS.act("/settle", "Completes a pending refund", lambda context, refund, _: settle(context, refund)),
    _ROWS.act(
        "/fail", "Fails a pending refund", _fail_now, RouteField("why", "string", "the resultMsg for the merchant")
    ),
)

_POLICIES: Final = (
    Policy("refund-over-rest", "REFUND_INSUFFICIENT_BALANCE", "refusal-codes", "code when a refund is larger than the rest"),
    Policy("refund-settles-after", 2, "other-moves", "seconds from REFUND_PENDING to REFUND_SUCCESS"),
    Policy("refund-fails-at", (), "other-moves", "amounts of refunds that fail (REFUND_FAILED)"),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="refunds",
    handlers={"refunds.create": create, "refunds.query": _query},
    timers={_SETTLES: _due},
    tables=(OrderRefund,),
    policies=_POLICIES,
    routes=_ROUTES,
)
