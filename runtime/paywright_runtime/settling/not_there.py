"""Measure the times of answers "not there" [4.3]: whether two are far enough apart, and how long a permission by them holds."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from paywright_runtime.clock import Moment


class Absence(NamedTuple):
    """A verified "not there": the time of the answer, its `Date` header, and the monotonic clock of the process."""

    at: datetime
    dated: datetime | None
    monotonic: float | None

    def is_contradicted(self, asked: Moment, date: datetime | None) -> bool:
        """Return whether a clock shows the second answer as older than this one: then the time between them is unknown."""
        if date is not None and self.dated is not None:
            return date < self.dated
        return asked.wall < self.at

    def left_of(self, gap: timedelta, asked: Moment, now: Moment, date: datetime | None) -> timedelta:
        """Return the rest of the interval between this answer and the second query; zero or less if it is over.

        The monotonic clock measures it within a process. Between processes the gateway's clock does, by the answers' `Date`
        headers; without them the clocks of two hosts may differ by minutes, so that twice the interval must pass.
        """
        if self.monotonic is not None:
            return gap - timedelta(seconds=asked.monotonic - self.monotonic)
        if date is not None and self.dated is not None:
            took = timedelta(seconds=max(0.0, now.monotonic - asked.monotonic))
            return gap + timedelta(seconds=1) + took - (date - self.dated)  # a Date is in whole seconds
        return 2 * gap - (asked.wall - self.at)


class GivenPermission(NamedTuple):
    """A permission that was given: its start on both clocks, and the longest time that a call with it may be in transit."""

    at: datetime
    monotonic: float | None
    span: timedelta

    def is_over(self, asked: Moment) -> bool:
        """Return whether a query sent then came after any such call."""
        elapsed = asked.wall - self.at
        if self.monotonic is not None:
            elapsed = min(elapsed, timedelta(seconds=asked.monotonic - self.monotonic))
        return elapsed >= self.span


def has_expired(since: Moment, now: Moment, held: timedelta) -> bool:
    """Return whether a permission by an answer at `since` is over: after the interval between two queries the answer is old.

    Either clock ends it, and so does a wall clock that was set back, by which no interval can be judged.
    """
    elapsed = max((now.wall - since.wall).total_seconds(), now.monotonic - since.monotonic)
    return elapsed >= held.total_seconds() or now.wall < since.wall
