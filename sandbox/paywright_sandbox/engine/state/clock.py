"""The virtual clock: one for each workspace, and all business time is read from it.

It runs as fast as the wall clock, some distance ahead, or stands still. It never goes back. Where it stands is kept in
the workspace's file, so that it survives a restart; while the sandbox is stopped a running clock goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final

from paywright_runtime.clock import Clock
from paywright_sandbox.engine.state.refusal import Refused
from paywright_sandbox.engine.state.store import State, Store, instant, moment

__all__ = ["TABLES", "VirtualClock", "check_clock"]

TABLES: Final = """
CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), ahead INTEGER NOT NULL, frozen_at INTEGER);
INSERT INTO clock (id, ahead, frozen_at) VALUES (1, 0, NULL)
"""

_LATEST: Final = datetime(9000, 1, 1, tzinfo=UTC)  # periods and refunds reach further, and years end with 9999


def check_clock(state: State, wall: Clock) -> None:
    """Raise an exception if a state has no clock, or one beyond its end."""
    ahead, frozen = _read_clock(state)
    if max(wall.now() + ahead, frozen or wall.now()) > _LATEST:
        raise OverflowError("The clock ends with the year 8999.")


def _read_clock(state: State) -> tuple[timedelta, datetime | None]:
    """Return how far the clock of a state is ahead, and where it stands still if it does."""
    row = state.one("SELECT ahead, frozen_at FROM clock WHERE id = 1")
    if row is None:
        raise LookupError("The state has no clock.")
    ahead, frozen = row["ahead"], row["frozen_at"]
    assert isinstance(ahead, int)
    return timedelta(microseconds=ahead), moment(frozen) if isinstance(frozen, int) else None


class VirtualClock:
    """Threads may share it. `wall` is the clock it follows."""

    def __init__(self, store: Store, wall: Clock) -> None:
        self._store = store
        self._wall = wall
        self._lock = Lock()
        self._held: datetime | None = None
        self._last: datetime | None = None
        self.reload()

    def reload(self) -> None:
        """Read from the store again where the clock stands: after the state was restored or reset."""
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
        """Seconds on a clock that never goes back."""
        return self._wall.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait for so many seconds of the clock it follows."""
        self._wall.sleep(seconds)

    @property
    def frozen(self) -> bool:
        """Whether it stands still until it is moved or resumed."""
        return self._frozen is not None

    @property
    def standing(self) -> bool:
        """Whether it stands still, frozen or held."""
        return self._frozen is not None or self._held is not None

    @property
    def ahead(self) -> timedelta:
        """How far it is ahead of the wall clock."""
        return self.now() - self._wall.now()

    def freeze(self) -> datetime:
        """Stop the clock, and return where it stands."""
        with self._moving() as state:
            self._frozen = now = self._now()
            self._keep(state)
            return now

    def resume(self) -> datetime:
        """Let the clock run on from where it stands."""
        with self._moving() as state:
            now = self._now()
            self._ahead, self._frozen = now - self._wall.now(), None
            self._keep(state)
            return now

    def hold(self, at: datetime | None = None) -> datetime:
        """Move the clock to `at`, or leave it where it is, and keep it there until `release`. A restart releases it.

        Raises `Refused` for a time that is past, or beyond the year 8999.
        """
        with self._moving() as state:
            now = self._now()
            at = now if at is None else at
            if at < now:
                raise Refused("The clock never goes back: that time is past.", code="409")
            if at > _LATEST:
                raise Refused("The clock ends with the year 8999.", code="400")
            self._held = at
            if self._frozen is not None:
                self._frozen = at
            else:
                self._ahead = at - self._wall.now()
            self._keep(state)
            return at

    def release(self) -> None:
        """End `hold`: the clock runs on from there, or stays frozen there."""
        with self._moving() as state:
            if self._held is not None and self._frozen is None:
                self._ahead = self._held - self._wall.now()
                self._last = self._held
                self._keep(state)
            self._held = None

    @contextmanager
    def _moving(self) -> Iterator[State]:
        # The store's lock first, as everywhere: who is in a transaction reads the clock.
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

    def __repr__(self) -> str:
        return f"<VirtualClock at {self.now().isoformat()}{', frozen' if self.frozen else ''}>"
