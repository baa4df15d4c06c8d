"""Clocks: the wall clock for timestamps, the monotonic clock for deadlines, and waiting."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Protocol

from paywright_runtime.errors import InvalidArgument


class Clock(Protocol):
    """Source of the time for a client, which waits by it. Clients that are awaited wait for the event loop instead."""

    def now(self) -> datetime:
        """Return the time, aware and in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait for so many seconds."""
        ...


class Moment(NamedTuple):
    """One moment on both clocks: `wall` is aware, `monotonic` is in seconds and comparable in this process only."""

    wall: datetime
    monotonic: float

    @classmethod
    def of(cls, clock: Clock) -> Moment:
        """Return the present moment."""
        return cls(clock.now(), clock.monotonic())


class SystemClock:
    """The clock of this machine."""

    __slots__ = ()

    def now(self) -> datetime:
        """Return the time, aware and in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait for so many seconds."""
        time.sleep(seconds)


class FixedClock:
    """A clock that stands still until `advance` or `sleep` moves it; for tests, where the same clock gives the same bytes.

    `at` must be aware; it is kept in UTC. The monotonic clock starts at 0.
    """

    __slots__ = ("_elapsed", "_start")

    def __init__(self, at: datetime) -> None:
        if at.utcoffset() is None:
            raise InvalidArgument("FixedClock needs an aware datetime, such as datetime(2025, 6, 1, tzinfo=UTC).")
        self._start = at.astimezone(UTC)
        self._elapsed = timedelta()

    def now(self) -> datetime:
        """Return the time, aware and in UTC."""
        return self._start + self._elapsed

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return self._elapsed.total_seconds()

    def sleep(self, seconds: float) -> None:
        """Move both clocks forward at once."""
        self.advance(seconds)

    def advance(self, by: timedelta | float) -> datetime:
        """Move both clocks forward by a timedelta or by seconds, and return the new time."""
        step = by if isinstance(by, timedelta) else timedelta(seconds=by)
        if step < timedelta():
            raise InvalidArgument("A clock cannot be turned back: make another FixedClock.")
        self._elapsed += step
        return self.now()

    def __repr__(self) -> str:
        return f"FixedClock({self.now().isoformat()})"
