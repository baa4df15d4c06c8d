"""What is decided of methods, tokens, links and plans where the specification is silent."""

from __future__ import annotations

from typing import Final

from paywright_tools.sandbox.policy import Policy

__all__ = ["POLICIES"]

POLICIES: Final = (
    # Methods
    Policy("qr-methods", ("QR", "QRIS", "QRPH", "PIX", "PROMPTPAY", "PAYNOW", "DUITNOW"), "payment-methods",
           "values of targetOrg or paymentMethodType that are answered with qrCodeUrl", words=True),
    Policy("virtual-account-methods", ("BANK_TRANSFER", "VIRTUAL_ACCOUNT", "VA"), "payment-methods",
           "values of targetOrg or paymentMethodType that are answered with vaCode", words=True),
    # Tokens
    Policy("payment-token-refused", "PAYMENT_METHOD_NOT_EXIST", "refusal-codes",
           "code when an order is to be paid with a token that is unknown, expired, deleted or another user's"),
    Policy("payment-token-gone", "refused", "paying-with-token",
           "what becomes of a payment by a token that was deleted or has expired since its order was placed: it is refused and the order "
           "stays open, it fails, or it is paid; a charge of a plan fails where an order is refused", choices=("refused", "fails", "paid")),
    Policy("token-expires-after", 94608000, "other-moves", "seconds from Activated to Expired"),
    Policy("token-asks-cvv", "N", "paying-with-token", "ifCVV of saved cards", choices=("Y", "N")),
    Policy("biz-not-found", "4000", "biz-codes", "bizCode when there is no such token"),
    # Links
    Policy("link-absent", "ORDER_NOT_EXIST", "error-codes", "code when there is no such link"),
    Policy("link-expires-after", 604800, "other-moves", "seconds from ACTIVE to EXPIRED, where the link does not say"),
    Policy("link-payments", "many", "other-moves", "how often a link can be paid; with one, the first payment closes the orders of all other payers", choices=("many", "one")),
    # Plans
    Policy("subscription-repeat", "ORDER_REPEAT", "repeat-code",
           "code when subscriptionRequestId was used before, same body or not"),
    Policy("plan-in-other-currency", "CURRENCY_INVALID", "refusal-codes",
           "code when the amounts of a plan, or of the order that activates it, are in different currencies"),
    Policy("plan-refused", "PARAMS_INVALID", "refusal-codes",
           "code when an order carries a subscriptionNo that it cannot activate"),
    Policy("plan-paid-by-code", "refused", "other-moves",
           "a plan that is to be activated by a QR code or a virtual account, which nobody can charge again: refused, or charged all the same",
           choices=("refused", "charged")),
    Policy("plan-expires-after", 86400, "other-moves", "seconds from INACTIVE to EXPIRED"),
    Policy("activation-pays", "first-period", "other-moves",
           "whether the activating order pays a first period that starts with it, or nothing of the plan",
           choices=("first-period", "nothing")),
    Policy("activation-amount", "refused", "other-moves",
           "an order that activates a plan and is not of the amount that is due then, where that is known: refused, or any amount activates",
           choices=("refused", "any")),
    Policy("trial-payment-notice", "none", "trial-payments",
           "notification 6.2 of the payment for a trial, which is no period: none, or one with subscriptionIndex 0",
           choices=("none", "index-0")),
    Policy("period-settles-after", 2, "other-moves", "seconds from the charge of a period to its result"),
    Policy("period-fails-at", ("15", "500", "1.12", "20000", "25000"), "other-moves", "amounts of periods whose charges fail"),
    Policy("period-retries", 3, "other-moves", "how often a failed charge of a period is tried again"),
    Policy("period-retries-after", 21600, "other-moves", "seconds from a failed charge to the next try"),
    Policy("plan-after-failed-period", "continues", "other-moves", "what a plan does when all tries of a period have failed",
           choices=("continues", "terminates")),
    Policy("price-units", 10, "prices-required", "what one of a price of `prices` costs a period, in whole units"),
    Policy("price-currency", "USD", "prices-required", "currency of every price of `prices`"),
    Policy("price-period", "M", "prices-required", "period of plans that are made of `prices`", choices=("D", "W", "M", "Y")),
)  # fmt: skip
