"""The names of the contract as types."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import Literal, TypeAlias

OperationName: TypeAlias = Literal[
    "accounts.list_authorized",
    "cases.search",
    "cases.inquire",
    "exchanges.create",
    "exchanges.query",
    "merchant.validate_bill_payment",
    "notifications.receive",
    "notifications.subscription_payment",
    "orders.checkout",
    "orders.drop_in",
    "orders.query",
    "payment_links.query",
    "payment_tokens.list",
    "payment_tokens.inquire",
    "rates.query",
    "refunds.create",
    "refunds.query",
    "snap.status",
    "snap.cancel",
    "subscriptions.create",
    "withdrawals.query",
]
"""Name of an operation, for `validate`; `Client.call` takes those that a client calls."""

MessageRole: TypeAlias = Literal["request", "response", "notification", "answer"]
"""Role of a message in an operation."""

MessageName: TypeAlias = Literal[
    "accounts.list_authorized.request",
    "accounts.list_authorized.response",
    "cases.search.request",
    "cases.search.response",
    "cases.inquire.request",
    "cases.inquire.response",
    "exchanges.create.request",
    "exchanges.create.response",
    "exchanges.query.request",
    "exchanges.query.response",
    "merchant.validate_bill_payment.request",
    "merchant.validate_bill_payment.response",
    "notifications.receive.notification",
    "notifications.receive.answer",
    "notifications.subscription_payment.notification",
    "notifications.subscription_payment.answer",
    "orders.checkout.request",
    "orders.checkout.response",
    "orders.drop_in.request",
    "orders.drop_in.response",
    "orders.query.request",
    "orders.query.response",
    "payment_links.query.request",
    "payment_links.query.response",
    "payment_tokens.list.request",
    "payment_tokens.list.response",
    "payment_tokens.inquire.request",
    "payment_tokens.inquire.response",
    "rates.query.request",
    "rates.query.response",
    "refunds.create.request",
    "refunds.create.response",
    "refunds.query.request",
    "refunds.query.response",
    "snap.status.request",
    "snap.status.response",
    "snap.cancel.request",
    "snap.cancel.response",
    "subscriptions.create.request",
    "subscriptions.create.response",
    "withdrawals.query.request",
    "withdrawals.query.response",
]
"""Name of a message: its operation and its role."""
