"""Decide what the times of a capture prove about the order of two exchanges.

A capture says when an exchange began and, in some formats, when it ended. Clocks of two hosts differ, and a record
without an end may have been answered later. So a gap is certain only from `slack` seconds on; a shorter one leaves the
order open.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from paywright_audit.cross_exchange.rows import Row

__all__ = ["SLACK", "Order", "order_of", "said_order"]

SLACK: Final = 10.0
"""Seconds by which times of a capture may be wrong, unless `--clock-slack` says otherwise."""


class Order(IntEnum):
    """The order of a row relative to an earlier one.

    It is before it for certain, open, after it by the times only (a gap of less than the slack), or after it for
    certain.
    """

    BEFORE = 0
    OPEN = 1
    LATER = 2
    AFTER = 3


def order_of(row: Row, other: Row, slack: float) -> Order:
    """Return the order of `row` relative to `other` by the times of the capture."""
    if row.at >= other.until:
        return Order.AFTER if row.at >= other.until + slack else Order.LATER
    return Order.BEFORE if row.until + slack <= other.at else Order.OPEN


def said_order(row: Row, other: Row) -> Order:
    """Return the order of two notifications by their `notifyTime`, which one clock, the gateway's, wrote [6.1, 6.2].

    It is open if one has no time: notifications that are sent again arrive late [6.3].
    """
    if row.said is None or other.said is None or row.said == other.said:
        return Order.OPEN
    return Order.AFTER if row.said > other.said else Order.BEFORE
