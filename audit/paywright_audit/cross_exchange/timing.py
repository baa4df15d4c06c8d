"""What the times of a capture prove about the order of two exchanges.

A capture says when an exchange began and, where its form has it, when it ended. Clocks of two hosts differ, and a record
without an end may have been answered later. So a gap is certain only from `slack` seconds on; a shorter one leaves the order open.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from paywright_tools.audit.across.rows import Row

__all__ = ["SLACK", "Order", "order_of", "said_order"]

SLACK: Final = 10.0
"""Seconds by which times of a capture may be wrong, unless `--clock-slack` says otherwise."""


class Order(IntEnum):
    """How a row stands to an earlier one: before it for certain, at a time that may be either, after it by the times alone
    (a gap of less than the slack), after it for certain."""

    BEFORE = 0
    OPEN = 1
    LATER = 2
    AFTER = 3


def order_of(row: Row, other: Row, slack: float) -> Order:
    """How `row` stands to `other` by the times of the capture, where neither was taken for earlier than it began."""
    if row.at >= other.until:
        return Order.AFTER if row.at >= other.until + slack else Order.LATER
    return Order.BEFORE if row.until + slack <= other.at else Order.OPEN


def said_order(row: Row, other: Row) -> Order:
    """The same of two notifications by their own `notifyTime`, which are of one clock: the gateway's [6.1, 6.2].

    One without it may be as old as it likes: resent notifications arrive late [6.3].
    """
    if row.said is None or other.said is None or row.said == other.said:
        return Order.OPEN
    return Order.AFTER if row.said > other.said else Order.BEFORE
