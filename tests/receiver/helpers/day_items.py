"""A day, times around it, and items of the book that settled on it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from paywright_receiver.items.open_items import Item, ItemId
from tests.receiver.helpers.desk import APP

AT = "https://gateway.example:443"
TIMES = {
    "before": datetime(2026, 11, 20, 12, tzinfo=UTC),
    "first": datetime(2026, 11, 22, tzinfo=UTC),
    "on": datetime(2026, 11, 22, 12, tzinfo=UTC),
    "later on": datetime(2026, 11, 22, 23, 59, 59, 999_999, tzinfo=UTC),
    "next": datetime(2026, 11, 23, tzinfo=UTC),
    "after": datetime(2026, 11, 25, 12, tzinfo=UTC),
}


def item(number: str, state: str | None = "SUCCESS", amount: str | None = "10.50", **changes: Any) -> Item:
    made = Item(
        ItemId(APP, "orders", number.lower()), number, AT, TIMES["on"], TIMES["on"], "{}", "{}", "settled", "settled", "", state, state,
        None if state is None else state in ("SUCCESS", "REFUND_SUCCESS"), amount, None if amount is None else "USD", TIMES["on"], 1,
    )  # fmt: skip
    return made._replace(**changes)
