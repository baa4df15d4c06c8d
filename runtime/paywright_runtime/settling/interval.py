"""The interval of section 4.3: how far a question is from the answer before it, and from a call that may be on its way."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from paywright_runtime.clock import Moment

__all__ = ["Absence", "Given"]

_DATE_STEP: Final = timedelta(seconds=1)  # a Date header is in whole seconds


class Absence(NamedTuple):
    """A verified "not there": when the answer came, its `Date` header, and the asking process's monotonic clock."""

    at: datetime
    dated: datetime | None
    monotonic: float | None

    def is_contradicted(self, asked: Moment, date: datetime | None) -> bool:
        """Whether a clock says that the second answer is older than this one: then no span between the two is to be believed."""
        if date is not None and self.dated is not None:
            return date < self.dated
        return asked.wall < self.at

    def left_of(self, gap: timedelta, asked: Moment, now: Moment, date: datetime | None) -> timedelta:
        """Return the rest of the interval between this answer and the second one's question; zero or less if it is over.

        Within a process the monotonic clock measures it. Between processes the gateway's own clock does, by the answers'
        `Date` headers; without them, two hosts may be minutes apart, and twice the interval has to pass.
        """
        if self.monotonic is not None:
            return gap - timedelta(seconds=asked.monotonic - self.monotonic)
        if date is not None and self.dated is not None:
            took = timedelta(seconds=max(0.0, now.monotonic - asked.monotonic))
            return gap + _DATE_STEP + took - (date - self.dated)
        return 2 * gap - (asked.wall - self.at)


class Given(NamedTuple):
    """From when a permission held that was given, by both clocks, and for how long a call with it may be on its way."""

    at: datetime
    monotonic: float | None
    span: timedelta

    def is_over(self, asked: Moment) -> bool:
        """Whether a question that left then was asked after any such call."""
        elapsed = asked.wall - self.at
        if self.monotonic is not None:
            elapsed = min(elapsed, timedelta(seconds=asked.monotonic - self.monotonic))
        return elapsed >= self.span
