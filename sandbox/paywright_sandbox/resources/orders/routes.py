"""Orders as a resource, and their control routes: list them, and pay, fail, close or return one [2.3, 4.1]."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.fields import fold, given
from paywright_sandbox.engine.policies import Policy
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import (
    LISTED,
    WHOSE,
    Call,
    InContext,
    Route,
    RouteField,
    in_context,
    longest_of,
    one_of,
)
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.resources.orders import cashier, orders, outcomes, plan_charges, routes
from paywright_sandbox.resources.orders.orders import cashier_url
from paywright_sandbox.resources.orders.outcomes import bounce, close, fail, is_open, pay
from paywright_sandbox.resources.orders.remainder import refundable
from paywright_sandbox.resources.payments.order import PaymentMethod, PaymentOrder

__all__ = ["RESOURCE", "ROUTES"]


_ACTIONS: Final[Mapping[str, Callable[[RequestContext, PaymentOrder, PaymentMethod | None], PaymentOrder]]] = {
    "pay": pay,
    "fail": lambda context, order, way: fail(context, order, "The payment failed on request.", way),
    "close": lambda context, order, _: close(context, order, "The order was closed on request."),
}
_METHOD: Final = (
    RouteField("method", "string", "paymentMethodType; the order's own, or CARD, when left out", longest=longest_of("paymentMethodType")),
    RouteField("targetOrg", "string", "the organisation behind the method", longest=longest_of("targetOrg")),
    RouteField("card", "string", "card number; only the first 6 and the last 4 digits are kept"),
)  # fmt: skip


def _list(context: RequestContext, _: Call) -> Mapping[str, object]:
    rows = context.state.select(PaymentOrder, "ORDER BY id DESC LIMIT ?", LISTED)
    return {"orders": [_shown(context, row) for row in rows]}


def _find(context: RequestContext, call: Call) -> PaymentOrder:
    rows = context.state.select(PaymentOrder, "WHERE key = ? ORDER BY id", fold(call.path["outTradeNo"]))
    return one_of(rows, call.path.get("appId") or given(call.body, "merchant"), "order", "outTradeNo")


def _one(context: RequestContext, call: Call) -> Mapping[str, object]:
    return _shown(context, _find(context, call))


def _act(action: str) -> InContext:
    def act(context: RequestContext, call: Call) -> Mapping[str, object]:
        order = _find(context, call)
        if not is_open(order):
            raise Refusal(f"The order is {order.status} already: there is nothing to {action}.", code="409")
        return _shown(context, _ACTIONS[action](context, order, _method(order, call)))

    return act


def _bounce(context: RequestContext, call: Call) -> Mapping[str, object]:
    return _shown(context, bounce(context, _find(context, call)))


def _method(order: PaymentOrder, call: Call) -> PaymentMethod | None:
    if not call.body.keys() - {"merchant"}:
        return None
    own = PaymentMethod.of(order)
    method, card = given(call.body, "method"), given(call.body, "card")
    return PaymentMethod(
        method or ("CARD" if card else own.method), target_org=given(call.body, "targetOrg"), card=card, order=order
    )


def _shown(context: RequestContext, order: PaymentOrder) -> dict[str, object]:
    times = {"createdAt": order.created_at, "finishedAt": order.finished_at, "bouncedAt": order.bounced_at}
    return {
        "merchant": order.merchant,
        "outTradeNo": order.out_trade_no,
        "tradeToken": order.trade_token,
        "cashierUrl": cashier_url(context, order),
        "integrate": order.integrate,
        "status": order.status,
        "amount": order.amount,
        "currency": order.currency,
        "method": order.method,
        "targetOrg": order.target_org,
        "card": order.card,
        "refundable": format(refundable(context, order), "f"),
        **{name: formats.write_request_time(time) if time else None for name, time in times.items()},
    }


ROUTES: Final = (
    Route("GET", "orders", f"The latest {LISTED} orders, the newest first", in_context(_list)),
    Route("GET", "orders/{outTradeNo}", "One order", in_context(_one)),
    Route("GET", "merchants/{appId}/orders/{outTradeNo}", "One order of a merchant", in_context(_one)),
    *(Route("POST", f"orders/{{outTradeNo}}/{action}", summary, in_context(_act(action)), (WHOSE, *fields)) for action, summary, fields in (
        ("pay", "Pays an open order as its payer", _METHOD),
        ("fail", "Fails the payment of an open order", _METHOD),
        ("close", "Closes an open order, as if it had expired", ()),
    )),
    Route("POST", "orders/{outTradeNo}/bounce", "Returns a paid order to its payer: it becomes BOUNCEBACK", in_context(_bounce), (WHOSE,)),
)  # fmt: skip


_POLICIES: Final = (
    Policy("order-expires-after", 86400, "other-moves", "seconds for which an order without expireTime stays open"),
    Policy("closed-order-status", "FAILED", "other-moves", "status of an order that was not completed in time",
           choices=("FAILED", "CLOSED")),
    Policy("bounce-notice", "none", "notify-retries", "notification of the return of a paid order, which is not shown: none, or a PAYMENT with status BOUNCEBACK",
           choices=("none", "payment")),
    Policy("front-callback", "redirect", "front-callback", "the way back from the cashier page of a finished order: "
           "the browser goes to frontCallbackUrl, or a link leads there", choices=("redirect", "link")),
    Policy("largest-amount", "0", "risk-limits", "largest totalAmount, in any currency; 0 for none", amount=True),
    Policy("card-not-allowed", "refused", "card-orgs", "a payment with a card that allowedCardOrg does not allow: "
           "refused, and the order stays open; or it fails; or it is paid", choices=("refused", "fails", "paid")),
    Policy("qr-methods", ("QR", "QRIS", "QRPH", "PIX", "PROMPTPAY", "PAYNOW", "DUITNOW"), "payment-methods",
           "values of targetOrg or paymentMethodType that get a qrCodeUrl", words=True),
    Policy("virtual-account-methods", ("BANK_TRANSFER", "VIRTUAL_ACCOUNT", "VA"), "payment-methods",
           "values of targetOrg or paymentMethodType that get a vaCode", words=True),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="orders",
    handlers=orders.HANDLERS,
    timers={**outcomes.TIMERS, **plan_charges.TIMERS},
    tables=(PaymentOrder, cashier.CashierVisit),
    policies=_POLICIES,
    routes=routes.ROUTES,
)
