"""Payment orders as one resource of the sandbox [4.1, 4.2, 4.3, 2.3]."""

from __future__ import annotations

from typing import Final

from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.settings.policies import Policy
from paywright_sandbox.resources.orders import cashier, orders, outcomes, plan_charges, routes
from paywright_sandbox.resources.payments.order import PaymentOrder

__all__ = ["RESOURCE"]


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
