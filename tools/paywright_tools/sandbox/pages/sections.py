"""The sections of the console: what it lists of which table, and the actions of a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final
from urllib.parse import quote

from paywright.contract import CONTRACT
from paywright_tools.sandbox.cases import STATUSES
from paywright_tools.sandbox.pages.columns import Action, Column, Input, Related, Section
from paywright_tools.sandbox.store import Row

__all__ = ["EVENTS_ABOUT", "NOTIFICATIONS_ABOUT", "SECTIONS"]

_MERCHANT: Final = Column("Merchant", "merchant", "code")
_CREATED: Final = Column("Created", "created_at", "time")
_STATUS: Final = Column("Status", "status", "status")

_REFUNDS: Final = (
    Column("Refund", "out_refund_no", "code"),
    _STATUS,
    Column("Amount", "amount", "money", "currency"),
    Column("Comments", "comments"),
    _MERCHANT,
    _CREATED,
)
_NOTIFICATIONS: Final = (
    Column("Number", "id", "code"),
    Column("Kind", "kind", "code", "policy"),
    Column("About", "about", "code"),
    Column("Status", "status", "status"),
    Column("Attempts", "attempts", "number"),
    Column("Next", "next_at", "time"),
    Column("Address", "url"),
)
_EVENTS: Final = (
    Column("When", "at", "time"),
    Column("What", "kind", "code"),
    Column("Detail", "detail"),
)

NOTIFICATIONS_ABOUT: Final = Related("Notifications", "notifications", "about", _NOTIFICATIONS, section="notifications")
EVENTS_ABOUT: Final = Related("Events", "events", "subject", _EVENTS)


def _order_actions(order: Row) -> Sequence[Action]:
    path = f"orders/{_step(order, 'out_trade_no')}"
    names = () if order["finished_at"] is not None else ("pay", "fail", "close")
    return tuple(Action(name.title(), f"{path}/{name}") for name in names)


def _order_doors(order: Row) -> Sequence[tuple[str, str]]:
    return (("Cashier page", f"/_sandbox/cashier/{_step(order, 'trade_token')}"),)


def _subscription_actions(plan: Row) -> Sequence[Action]:
    if plan["status"] not in ("ACTIVE", "INACTIVE"):
        return ()
    path = f"subscriptions/{_step(plan, 'subscription_no')}"
    return (
        Action("Cancel", f"{path}/cancel"),
        Action("Terminate", f"{path}/terminate"),
        Action("Let charges fail", f"{path}/fail-next", inputs=(Input("charges", "How many", "1"),)),
    )


def _delete_token(token: Row) -> Sequence[Action]:
    path = f"tokens/{_step(token, 'token_id')}/delete"
    return (Action("Delete", path),) if token["status"] == "Activated" else ()


def _link_doors(link: Row) -> Sequence[tuple[str, str]]:
    return (("Payment page", f"/_sandbox/link/{_step(link, 'link_id')}"),)


def _settle(kind: str, by: str, open_status: str, second: str = "fail") -> Callable[[Row], Sequence[Action]]:
    """The two ways on from a status of things that are named by their own number."""

    def actions(row: Row) -> Sequence[Action]:
        if row["status"] != open_status:
            return ()
        path = f"{kind}/{_step(row, by)}"
        return Action("Settle", f"{path}/settle"), Action(second.title(), f"{path}/{second}")

    return actions


def _move_case(case: Row) -> Sequence[Action]:
    inputs = (
        Input("status", "status", choices=STATUSES, required=True, hint="where it moves"),
        Input(
            "caseResult",
            "caseResult",
            choices=tuple(CONTRACT.set("CaseResult").values),
            hint="who wins; due with DISPUTE_END",
        ),
    )
    return (Action("Move", f"cases/{_step(case, 'case_id')}", inputs=inputs),)


def _redeliver(notification: Row) -> Sequence[Action]:
    return (Action("Deliver now", f"notifications/{_step(notification, 'id')}/redeliver"),)


def _drop(fault: Row) -> Sequence[Action]:
    return (Action("Take away", f"faults/{_step(fault, 'id')}", "DELETE"),)


def _step(row: Row, name: str) -> str:
    return quote(str(row[name]), safe="")


_ALL: Final = (
    Section(
        "orders",
        "Orders",
        "Order",
        "orders",
        (
            Column("Order", "out_trade_no", "code"),
            Column("Status", "status", "status", "response_code"),
            Column("Amount", "amount", "money", "currency"),
            Column("Subject", "subject"),
            _MERCHANT,
            _CREATED,
        ),
        "out_trade_no",
        "orders",
        _order_actions,
        _order_doors,
        (Related("Refunds", "refunds", "order_id", _REFUNDS, section="refunds"),),
    ),
    Section("refunds", "Refunds", "Refund", "refunds", _REFUNDS, "out_refund_no", "refunds"),
    Section(
        "subscriptions",
        "Subscriptions",
        "Subscription",
        "plans",
        (
            Column("Request", "request_id", "code", "subscription_no"),
            _STATUS,
            Column("A period", "amount", "money", "currency"),
            Column("Subject", "subject"),
            Column("Begun", "begun", "number"),
            Column("Of", "total", "number"),
            _CREATED,
        ),
        "request_id",
        "subscriptions",
        _subscription_actions,
        related=(
            Related(
                "Periods",
                "periods",
                "plan",
                (
                    Column("Period", "number", "code"),
                    _STATUS,
                    Column("Amount", "amount", "money", "currency"),
                    Column("Starts", "starts_at", "time"),
                    Column("Ends", "ends_at", "time"),
                    Column("Tries", "tries", "number"),
                    Column("Last try", "last_status", "status", "last_at"),
                ),
            ),
        ),
    ),
    Section(
        "links",
        "Links",
        "Link",
        "links",
        (
            Column("Link", "merchant_link_id", "code", "link_id"),
            _STATUS,
            Column("Amount", "amount", "money", "currency"),
            Column("Description", "description"),
            Column("Expires", "expires_at", "time"),
        ),
        "merchant_link_id",
        "links",
        doors=_link_doors,
        related=(
            Related(
                "Orders made through it",
                "orders",
                "link",
                (Column("Order", "out_trade_no", "code"), _STATUS, _CREATED),
                section="orders",
            ),
        ),
    ),
    Section(
        "tokens",
        "Tokens",
        "Token",
        "tokens",
        (
            Column("Token", "token_id", "code"),
            _STATUS,
            Column("User", "user_id", "code"),
            Column("Method", "method", "code", "card"),
            Column("Expires", "expires_at", "time"),
        ),
        "user_id",
        "tokens",
        _delete_token,
    ),
    Section(
        "exchanges",
        "Exchanges",
        "Exchange",
        "exchanges",
        (
            Column("Exchange", "out_trade_no", "code"),
            Column("Status", "status", "status", "error_code"),
            Column("Side", "side", "code"),
            Column("Amount", "transaction_amount", "money", "transaction_ccy"),
            Column("Against", "target_amount", "money", "target_ccy"),
            Column("Rate", "rate", "number"),
            _CREATED,
        ),
        "out_trade_no",
        "exchanges",
        _settle("exchanges", "out_trade_no", "PENDING"),
    ),
    Section(
        "withdrawals",
        "Withdrawals",
        "Withdrawal",
        "withdrawals",
        (
            Column("Withdrawal", "out_trade_no", "code"),
            _STATUS,
            Column("Amount", "transaction_amount", "money", "transaction_currency"),
            Column("Becomes", "target_amount", "money", "target_currency"),
            _CREATED,
        ),
        "out_trade_no",
        "withdrawals",
        _settle("withdrawals", "out_trade_no", "PROCESSING"),
    ),
    Section(
        "transfers",
        "Transfers",
        "Transfer received",
        "transfers",
        (
            Column("Transfer", "request_no", "code"),
            Column("Status", "status", "status", "error_code"),
            Column("Amount", "amount", "money", "currency"),
            Column("From", "payer_name"),
            _CREATED,
        ),
        "request_no",
        "transfers",
        _settle("transfers", "request_no", "TO_BE_PROVED", "reject"),
    ),
    Section(
        "bill-payments",
        "Bills",
        "Bill payment",
        "bill_payments",
        (
            Column("Bill", "reference_no", "code"),
            Column("Status", "status", "status", "why"),
            Column("Amount", "amount", "money", "currency"),
            _MERCHANT,
            _CREATED,
        ),
        "reference_no",
        "bills",
    ),
    Section(
        "cases",
        "Cases",
        "Chargeback case",
        "cases",
        (
            Column("Case", "case_id", "code"),
            Column("Status", "status", "status", "result"),
            Column("Amount", "amount", "money"),
            Column("Opened", "opened_at", "time"),
            Column("Reply by", "reply_by", "time"),
        ),
        "case_id",
        "cases",
        _move_case,
    ),
    Section(
        "balances",
        "Balances",
        "Balance",
        "balances",
        (Column("Currency", "currency", "code"), Column("Amount", "amount", "money"), _MERCHANT),
        hint="balances",
        related=(
            Related(
                "Movements",
                "movements",
                "balance",
                (
                    Column("When", "at", "time"),
                    Column("Amount", "amount", "money"),
                    Column("Kind", "kind", "code"),
                    Column("About", "subject", "code"),
                ),
            ),
        ),
    ),
    Section(
        "notifications",
        "Notifications",
        "Notification",
        "notifications",
        _NOTIFICATIONS,
        hint="notifications",
        actions=_redeliver,
        related=(
            Related(
                "Attempts",
                "attempts",
                "notification",
                (
                    Column("When", "at", "time"),
                    Column("Outcome", "outcome", "status"),
                    Column("HTTP", "http_status", "number"),
                    Column("Why", "why"),
                ),
            ),
        ),
    ),
    Section(
        "faults",
        "Faults",
        "Fault",
        "faults",
        (
            Column("Number", "id", "code"),
            Column("Rule", "definition"),
            Column("Seen", "seen", "number"),
            Column("Struck", "struck", "number"),
            Column("From", "origin", "code"),
        ),
        hint="faults",
        actions=_drop,
    ),
)

SECTIONS: Final[Mapping[str, Section]] = {section.name: section for section in _ALL}
"""By name, in the order of the navigation."""
