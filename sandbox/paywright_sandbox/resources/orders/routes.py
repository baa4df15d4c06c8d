"""Orders as a resource, and their control routes: list them, and pay, fail, close or return one [2.3, 4.1]."""

from __future__ import annotations

from typing import Final

from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.fields import fold, given
from paywright_sandbox.engine.policies import Policy
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import WHOSE, Call, RouteField, Rows, longest_of
from paywright_sandbox.resources.orders import order_moves, payer_actions, placing, plan_charges
from paywright_sandbox.resources.orders.order_moves import bounce, close, fail, is_open, pay
from paywright_sandbox.resources.orders.placing import cashier_url
from paywright_sandbox.resources.orders.refund_rest import refundable
from paywright_sandbox.resources.payments.payment_order import PaymentMethod, PaymentOrder

_METHOD: Final = (
    RouteField("method", "string", "paymentMethodType; the order's own, or CARD, when left out", longest=longest_of("paymentMethodType")),
    RouteField("targetOrg", "string", "the organisation behind the method", longest=longest_of("targetOrg")),
    RouteField("card", "string", "card number; only the first 6 and the last 4 digits are kept"),
)  # fmt: skip


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


ORDERS: Final = Rows(
    kind=PaymentOrder,
    path="orders",
    what="order",
    plural="orders",
    number="outTradeNo",
    column="key",
    show=_shown,
    ended=lambda order: "" if is_open(order) else order.status,
    fields=(WHOSE,),
    stored=fold,
)
_ROUTES: Final = (
    *ORDERS.reads(),
    ORDERS.act("/pay", "Pays an open order as its payer",
               lambda context, order, call: pay(context, order, _method(order, call)), *_METHOD),
    ORDERS.act("/fail", "Fails the payment of an open order",
               lambda context, order, call: fail(context, order, "The payment failed on request.", _method(order, call)), *_METHOD),
    ORDERS.act("/close", "Closes an open order, as if it had expired",
               lambda context, order, _: close(context, order, "The order was closed on request.")),
    ORDERS.act("/bounce", "Returns a paid order to its payer: it becomes BOUNCEBACK",
               lambda context, order, _: bounce(context, order), late=True),
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
    handlers=placing.HANDLERS,
    timers={**order_moves.TIMERS, **plan_charges.TIMERS},
    tables=(PaymentOrder, payer_actions.CashierVisit),
    policies=_POLICIES,
    routes=_ROUTES,
)
