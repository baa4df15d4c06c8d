"""Payment orders as one resource of the sandbox [4.1, 4.2, 4.3, 2.3]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paywright_sandbox.engine.policy import Policy
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.sections import (
    CREATED,
    MERCHANT,
    STATUS,
    Action,
    Column,
    Related,
    Section,
    code,
    logged_exchanges,
    money,
    path_step,
    whose,
)
from paywright_sandbox.engine.store import Row
from paywright_sandbox.resources.orders import cashier, orders, outcomes, plan_charges, routes
from paywright_sandbox.resources.payments.order import Order

__all__ = ["RESOURCE"]

# The console


def _order_actions(order: Row) -> Sequence[Action]:
    path = f"orders/{path_step(order, 'out_trade_no')}"
    if order["finished_at"] is None:
        names: tuple[str, ...] = ("pay", "fail", "close")
    else:
        names = ("bounce",) if order["status"] == "SUCCESS" else ()
    return tuple(Action(name.title(), f"{path}/{name}", fixed=whose(order)) for name in names)


def _order_doors(order: Row) -> Sequence[tuple[str, str]]:
    cashier = f"/_sandbox/cashier/{path_step(order, 'trade_token')}"
    return ("Cashier page", cashier), logged_exchanges(order, "out_trade_no")


_REFUNDS: Final = (code("Refund", "out_refund_no"), STATUS, money(), Column("Comments", "comments"), MERCHANT, CREATED)

_SECTION: Final = Section(
    "orders",
    "Orders",
    "Order",
    "orders",
    (
        code("Order", "out_trade_no"),
        Column("Status", "status", "status", "response_code"),
        money(),
        Column("Subject", "subject"),
        MERCHANT,
        CREATED,
    ),
    "out_trade_no",
    "orders",
    _order_actions,
    _order_doors,
    (Related("Refunds", "refunds", "order_id", _REFUNDS, section="refunds"),),
)

_POLICIES: Final = (
    Policy("order-expires-after", 86400, "other-moves", "seconds an order stays open without expireTime"),
    Policy("closed-order-status", "FAILED", "other-moves", "status of an order that was not completed in time",
           choices=("FAILED", "CLOSED")),
    Policy("bounce-notice", "none", "notify-retries", "notification of the return of a paid order, of which nothing is shown: none, or a PAYMENT with status BOUNCEBACK",
           choices=("none", "payment")),
    Policy("largest-amount", "0", "risk-limits", "largest totalAmount, in any currency; 0 for none", amount=True),
    Policy("card-not-allowed", "refused", "card-orgs", "what becomes of a payment with a card of an organisation that allowedCardOrg does not name: "
           "it is refused and the order stays open, it fails, or it is paid", choices=("refused", "fails", "paid")),
    Policy("qr-methods", ("QR", "QRIS", "QRPH", "PIX", "PROMPTPAY", "PAYNOW", "DUITNOW"), "payment-methods",
           "values of targetOrg or paymentMethodType that are answered with qrCodeUrl", words=True),
    Policy("virtual-account-methods", ("BANK_TRANSFER", "VIRTUAL_ACCOUNT", "VA"), "payment-methods",
           "values of targetOrg or paymentMethodType that are answered with vaCode", words=True),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="orders",
    handlers=orders.HANDLERS,
    timers={**outcomes.TIMERS, **plan_charges.TIMERS},
    tables=(Order, cashier.CashierVisit),
    policies=_POLICIES,
    routes=routes.ROUTES,
    section=_SECTION,
)
