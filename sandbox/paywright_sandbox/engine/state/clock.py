"""The virtual clock of a sandbox: all business time is read from it.

It runs ahead of the wall clock at the same speed, or stands still, and never goes back. Its position is stored in the
state and survives a restart; a running clock goes on while the sandbox is stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final

from paywright_runtime.clock import Clock
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import State
from paywright_sandbox.engine.state.store import Store
from paywright_sandbox.engine.state.tables import instant, moment

TABLES: Final = """
CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), ahead INTEGER NOT NULL, frozen_at INTEGER);
INSERT INTO clock (id, ahead, frozen_at) VALUES (1, 0, NULL)
"""

_LATEST: Final = datetime(9000, 1, 1, tzinfo=UTC)  # periods and refunds reach further, up to the year 9999


def check_clock(state: State, wall: Clock) -> None:
    """Raise an exception if a state has no clock, or one that is too late."""
    ahead, frozen = _read_clock(state)
    if max(wall.now() + ahead, frozen or wall.now()) > _LATEST:
        raise OverflowError("The clock ends with the year 8999.")


def _read_clock(state: State) -> tuple[timedelta, datetime | None]:
    """Return the clock's distance ahead of the wall clock, and the time at which it is frozen, or None."""
    row = state.one("SELECT ahead, frozen_at FROM clock WHERE id = 1")
    if row is None:
        raise LookupError("The state has no clock.")
    ahead, frozen = row["ahead"], row["frozen_at"]
    assert isinstance(ahead, int)
    return timedelta(microseconds=ahead), moment(frozen) if isinstance(frozen, int) else None


class VirtualClock:
    """A clock that follows `wall`. Threads may share it."""

    def __init__(self, store: Store, wall: Clock) -> None:
        self._store = store
        self._wall = wall
        self._lock = Lock()
        self._held: datetime | None = None
        self._last: datetime | None = None
        self.reload()

    def reload(self) -> None:
        """Read the clock from the store again, after the state was restored or reset."""
        with self._store.transaction() as state:
            ahead, frozen = _read_clock(state)
        with self._lock:
            self._ahead, self._frozen = ahead, frozen
            self._held = self._last = None

    def now(self) -> datetime:
        """Return business time, in UTC."""
        with self._lock:
            return self._now()

    def monotonic(self) -> float:
        """Return seconds of a clock that never goes back."""
        return self._wall.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait for so many seconds of the clock it follows."""
        self._wall.sleep(seconds)

    @property
    def frozen(self) -> bool:
        """True if it stands still until `resume`."""
        return self._frozen is not None

    @property
    def standing(self) -> bool:
        """True if it stands still, frozen or held."""
        return self._frozen is not None or self._held is not None

    @property
    def ahead(self) -> timedelta:
        """The distance ahead of the wall clock."""
        return self.now() - self._wall.now()

    def freeze(self) -> datetime:
        """Stop the clock and return its time."""
        with self._moving() as state:
            self._frozen = now = self._now()
            self._keep(state)
            return now

    def resume(self) -> datetime:
        """Resume the clock from its time, and return that."""
        with self._moving() as state:
            now = self._now()
            self._ahead, self._frozen = now - self._wall.now(), None
            self._keep(state)
            return now

    def hold(self, at: datetime | None = None) -> datetime:
        """Stop the clock at `at`, or now, until `release` or a restart. Return that time.

        Raises `Refusal` for a time that is past, or beyond the year 8999.
        """
        with self._moving() as state:
            now = self._now()
            at = now if at is None else at
            if at < now:
                raise Refusal("The clock cannot go back: that time is past.", code="409")
            if at > _LATEST:
                raise Refusal("The clock ends with the year 8999.", code="400")
            self._held = at
            if self._frozen is not None:
                self._frozen = at
            else:
                self._ahead = at - self._wall.now()
            self._keep(state)
            return at

    def release(self) -> None:
        """End `hold`: resume from that time, or stay frozen."""
        with self._moving() as state:
            if self._held is not None and self._frozen is None:
                self._ahead = self._held - self._wall.now()
                self._last = self._held
                self._keep(state)
            self._held = None

    @contextmanager
    def _moving(self) -> Iterator[State]:
        # The store's lock first, as everywhere: transactions read the clock.
        with self._store.transaction() as state, self._lock:
            yield state

    def _now(self) -> datetime:
        if self._held is not None:
            return self._held
        if self._frozen is not None:
            return self._frozen
        now = self._wall.now() + self._ahead
        if self._last is not None and now < self._last:  # the wall clock was set back
            return self._last
        self._last = now
        return now

    def _keep(self, state: State) -> None:
        frozen = instant(self._frozen) if self._frozen else None
        state.update("clock", 1, {"ahead": self._ahead // timedelta(microseconds=1), "frozen_at": frozen})
