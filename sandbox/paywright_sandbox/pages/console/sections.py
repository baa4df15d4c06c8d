"""The sections of the console: tables, columns, and actions of a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from paywright_sandbox.engine.state.store import Row
from paywright_sandbox.pages.console.columns import (
    CREATED,
    MERCHANT,
    STATUS,
    Action,
    ListColumn,
    Related,
    Section,
    code,
    logged_exchanges,
    money,
    path_step,
    whose,
)

__all__ = ["ABOUT_ITEMS", "SECTIONS"]


def _order_actions(order: Row) -> Sequence[Action]:
    path = f"orders/{path_step(order, 'out_trade_no')}"
    if order["finished_at"] is None:
        names: tuple[str, ...] = ("pay", "fail", "close")
    else:
        names = ("bounce",) if order["status"] == "SUCCESS" else ()
    return tuple(Action(name.title(), f"{path}/{name}", fixed=whose(order)) for name in names)


def _order_links(order: Row) -> Sequence[tuple[str, str]]:
    cashier = f"/_sandbox/cashier/{path_step(order, 'trade_token')}"
    return ("Cashier page", cashier), logged_exchanges(order, "out_trade_no")


_ORDERS: Final = (
    code("Order", "out_trade_no"),
    ListColumn("Status", "status", "status", "response_code"),
    money(),
    ListColumn("Subject", "subject"),
    MERCHANT,
    CREATED,
)
_REFUNDS: Final = (
    code("Refund", "out_refund_no"),
    STATUS,
    money(),
    ListColumn("Comments", "comments"),
    MERCHANT,
    CREATED,
)
_NOTIFICATIONS: Final = (
    code("Number", "id"),
    code("Kind", "kind", "policy"),
    code("About", "about"),
    STATUS,
    ListColumn("Attempts", "attempts", "number"),
    ListColumn("Next", "next_at", "time"),
    ListColumn("Address", "url"),
)
_ATTEMPTS: Final = (
    ListColumn("When", "at", "time"),
    ListColumn("Outcome", "outcome", "status"),
    ListColumn("HTTP", "http_status", "number"),
    ListColumn("Why", "why"),
)
_FAULTS: Final = (
    code("Number", "id"),
    ListColumn("Rule", "definition"),
    ListColumn("Seen", "seen", "number"),
    ListColumn("Applied", "struck", "number"),
    code("From", "origin"),
)
_EVENTS: Final = (ListColumn("When", "at", "time"), code("What", "kind"), ListColumn("Detail", "detail"))

ABOUT_ITEMS: Final = (
    Related("Notifications", "notifications", "about", _NOTIFICATIONS, section="notifications", own=True),
    Related("Events", "events", "subject", _EVENTS, own=True),
)
"""Related rows of orders and refunds, besides those of their section."""

SECTIONS: Final[Mapping[str, Section]] = {
    section.name: section
    for section in (
        Section(
            "orders",
            "Orders",
            "Order",
            _ORDERS,
            "out_trade_no",
            _order_actions,
            _order_links,
            (Related("Refunds", "refunds", "order_id", _REFUNDS, section="refunds"),),
        ),
        Section(
            "refunds",
            "Refunds",
            "Refund",
            _REFUNDS,
            "out_refund_no",
            links=lambda refund: (logged_exchanges(refund, "out_refund_no"),),
        ),
        Section(
            "notifications",
            "Notifications",
            "Notification",
            _NOTIFICATIONS,
            actions=lambda row: (Action("Deliver now", f"notifications/{path_step(row, 'id')}/redeliver"),),
            related=(Related("Attempts", "attempts", "notification", _ATTEMPTS),),
        ),
        Section(
            "faults",
            "Faults",
            "Fault",
            _FAULTS,
            make="Add a rule",
            actions=lambda row: (Action("Remove", f"faults/{path_step(row, 'id')}", "DELETE"),),
        ),
    )
}
"""The sections by name, in the order of the navigation."""
