"""The console's lists of what payers pay: orders, refunds, subscriptions, links and tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from paywright_tools.sandbox.pages.columns import (
    CREATED,
    MERCHANT,
    STATUS,
    Action,
    Column,
    Input,
    Related,
    Section,
    code,
    money,
    path_step,
    whose,
)
from paywright_tools.sandbox.store import Row

__all__ = ["SECTIONS"]

_REFUNDS: Final = (code("Refund", "out_refund_no"), STATUS, money(), Column("Comments", "comments"), MERCHANT, CREATED)


def _logged(row: Row, name: str) -> tuple[str, str]:
    return "Its exchanges in the log", f"/_sandbox/console/log?{urlencode({'key': str(row[name])})}"


def _order_actions(order: Row) -> Sequence[Action]:
    path = f"orders/{path_step(order, 'out_trade_no')}"
    names = () if order["finished_at"] is not None else ("pay", "fail", "close")
    return tuple(Action(name.title(), f"{path}/{name}", fixed=whose(order)) for name in names)


def _order_doors(order: Row) -> Sequence[tuple[str, str]]:
    cashier = f"/_sandbox/cashier/{path_step(order, 'trade_token')}"
    return ("Cashier page", cashier), _logged(order, "out_trade_no")


def _subscription_actions(plan: Row) -> Sequence[Action]:
    if plan["status"] not in ("ACTIVE", "INACTIVE"):
        return ()
    path = f"subscriptions/{path_step(plan, 'subscription_no')}"
    return (
        Action("Cancel", f"{path}/cancel"),
        Action("Terminate", f"{path}/terminate"),
        Action("Let charges fail", f"{path}/fail-next", inputs=(Input("charges", "How many", "1"),)),
    )


def _token_actions(token: Row) -> Sequence[Action]:
    path = f"tokens/{path_step(token, 'token_id')}/delete"
    return (Action("Delete", path),) if token["status"] == "Activated" else ()


SECTIONS: Final = (
    Section(
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
    ),
    Section(
        "refunds",
        "Refunds",
        "Refund",
        "refunds",
        _REFUNDS,
        "out_refund_no",
        "refunds",
        doors=lambda refund: (_logged(refund, "out_refund_no"),),
    ),
    Section(
        "subscriptions",
        "Subscriptions",
        "Subscription",
        "plans",
        (
            code("Request", "request_id", "subscription_no"),
            STATUS,
            money("A period"),
            Column("Subject", "subject"),
            Column("Begun", "begun", "number"),
            Column("Of", "total", "number"),
            CREATED,
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
                    code("Period", "number"),
                    STATUS,
                    money(),
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
            code("Link", "merchant_link_id", "link_id"),
            STATUS,
            money(),
            Column("Description", "description"),
            Column("Expires", "expires_at", "time"),
        ),
        "merchant_link_id",
        "links",
        doors=lambda link: (("Payment page", f"/_sandbox/link/{path_step(link, 'link_id')}"),),
        related=(
            Related(
                "Orders made through it",
                "orders",
                "link",
                (code("Order", "out_trade_no"), STATUS, CREATED),
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
            code("Token", "token_id"),
            STATUS,
            code("User", "user_id"),
            code("Method", "method", "card"),
            Column("Expires", "expires_at", "time"),
        ),
        "user_id",
        "tokens",
        _token_actions,
    ),
)
