"""The row of a period of a plan [2.5, 6.2]."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from paywright_sandbox.engine.state.tables import TableRow, joined, references

__all__ = ["Period"]


@dataclass(frozen=True, kw_only=True)
class Period(
    TableRow, table="periods", unique=("plan, number",), join="LEFT JOIN orders ON orders.id = periods.last_order"
):
    """A period of a plan that has begun. `amount` is decimal text.

    `tries` counts its charges, each an order; `last_order` is the last one, with its `out_trade_no` and `trade_token`.
    `last_status` and `last_at` are the result of the last charge that has ended.
    """

    plan: int = field(metadata=references("plans"))
    number: int
    status: str
    starts_at: datetime
    ends_at: datetime
    amount: str
    currency: str
    tries: int = 0
    last_order: int | None = field(default=None, metadata=references("orders"))
    last_status: str | None = None
    last_at: datetime | None = None
    out_trade_no: str | None = field(default=None, metadata=joined("orders.out_trade_no"))
    trade_token: str | None = field(default=None, metadata=joined("orders.trade_token"))
