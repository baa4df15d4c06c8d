"""Decide the order of two exchanges by the times of a capture, and whether it may lack others.

An exchange took place between the earliest and the latest time of its clocks. Clocks of two hosts differ, and a record
without an end may have been answered later. So a gap proves the order only if it is at least `slack` seconds long. Equal times
prove none. What a rule leaves open by it is a note: `verdicts` makes it one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence, Set
from enum import IntEnum
from typing import Final, NamedTuple

from paywright_audit.cross_exchange.history.owners import SHARED
from paywright_audit.cross_exchange.history.rows import Row

MINUTE: Final = 60
SLACK: Final = 10.0
"""Seconds by which times of a capture may be wrong, unless `--clock-slack` says otherwise."""


class CaptureFacts(NamedTuple):
    """Facts about the whole capture, used when its rows are related.

    Its times may be wrong by `slack` seconds, and by `apart` more if an exchange has only the capture's clock. What a sender
    signed may have been sent `ahead` seconds earlier. If the capture is `complete`, it has every exchange: others did not
    happen. `blind` are, by kind of subject, the minutes with exchanges whose subject it lost. `nameless` are the subjects,
    each without its owner, of messages that may be of any of several merchants.
    """

    slack: float = SLACK
    apart: float = 0.0
    ahead: float = 0.0
    complete: bool = False
    blind: Mapping[str, Sequence[int]] = {}
    nameless: Set[tuple[str, str]] = frozenset()

    def whole(self, subject: str) -> bool:
        """Return whether the capture has every exchange that names a subject, and its merchant too."""
        kind, owner, key = subject.split("\0", 2)
        return self.complete and SHARED not in owner and (kind, key) not in self.nameless

    def silent(self, subject: str, start: float, end: float) -> bool:
        """Return whether the capture has everything that happened to a subject between two times."""
        if not self.whole(subject):
            return False
        kind = subject.partition("\0")[0]
        minutes = self.blind.get(kind, ())
        at = bisect_left(minutes, (start - self.slack) // MINUTE)
        return at == len(minutes) or minutes[at] > (end + self.slack) // MINUTE


class TimeOrder(IntEnum):
    """The order of a row relative to an earlier one.

    BEFORE and AFTER are certain. LATER is after it by the times only, with a gap of less than the slack.
    OPEN is unknown.
    """

    BEFORE = 0
    OPEN = 1
    LATER = 2
    AFTER = 3


def order_of(row: Row, other: Row, slack: float) -> TimeOrder:
    """Return the order of `row` relative to `other` by the times of the capture."""
    if row.at > other.until:
        return TimeOrder.AFTER if row.at >= other.until + slack else TimeOrder.LATER
    return TimeOrder.BEFORE if row.until < other.at and row.until + slack <= other.at else TimeOrder.OPEN


def is_after(row: Row, other: Row, slack: float) -> bool:
    """Return whether a row certainly came after another."""
    return order_of(row, other, slack) is TimeOrder.AFTER


def said_order(row: Row, other: Row) -> TimeOrder:
    """Return the order of two notifications by their `notifyTime`, which the gateway's own clock wrote [6.1, 6.2].

    It is open if one has no such time, because notifications that are sent again arrive late [6.3].
    """
    if row.signed is None or other.signed is None or row.signed == other.signed:
        return TimeOrder.OPEN
    return TimeOrder.AFTER if row.signed > other.signed else TimeOrder.BEFORE
