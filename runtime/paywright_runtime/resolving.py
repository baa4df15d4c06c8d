"""What became of a write whose outcome is unknown: the rule of section 4.3 as a state machine that does nothing itself.

It is told what a query showed and when; it says what to do now and when to come back. It never sleeps, reads no clock and
sends nothing, and it can be stored as JSON (operation, key, times; no body) and taken up by another process.

    query        ask now
    wait         ask at `at`, not before
    settled      the query shows the key: it is known what became of the write
    place_again  the query has said "not there" again after the contract's interval: the same key may be placed again
    no_query     the contract has no query for it: it stays unknown

Only where the contract says `placed again after` is there a way to `place_again`. Everything else stays unknown until the
query shows it: "not there" proves nothing about a request that may still be on its way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple

from paywright_runtime.errors import InvalidArgument
from paywright_runtime.facts import Contract, Operation
from paywright_runtime.redact import shown

__all__ = ["Resolving", "State", "Step"]

State = Literal["query", "wait", "settled", "place_again", "no_query"]

_VERSION: Final = 1
_FIRST_PAUSE: Final = timedelta(seconds=5)
_LONGEST_PAUSE: Final = timedelta(seconds=300)
_TIMES: Final = ("started_at", "next_at", "absent_since", "absent_again")
_COUNTS: Final = ("queries", "failures")


class Step(NamedTuple):
    """What to do now. `at` is when to come back (aware; None where there is nothing to wait for), `why` a sentence for people."""

    state: State
    at: datetime | None
    why: str


class Resolving:
    """One write on its way to being known. All times are aware; `asks` are further members of the query's request."""

    __slots__ = (
        "_by", "_done", "_interval", "_operation", "_query", "absent_again", "absent_since", "asks", "failures", "key", "last",
        "next_at", "queries", "settled", "started_at",
    )  # fmt: skip

    def __init__(self, operation: Operation, key: str, asks: Mapping[str, str], now: datetime) -> None:
        resolution = operation.resolution
        if resolution is None:
            raise InvalidArgument(f"{operation.name} only reads, so that nothing of it is ever unknown. Call it again.")
        if not isinstance(key, str) or not key:
            raise InvalidArgument(f"{operation.key} is the text under which {operation.name} was called.")
        if resolution.longest_key is not None and len(key) > resolution.longest_key:
            raise InvalidArgument(
                f"{resolution.operation} takes {operation.key} of at most {resolution.longest_key} characters."
            )
        after = resolution.placed_again_after
        self._operation = operation.name
        self._query = resolution.operation
        self._by = resolution.by or ""
        self._done = resolution.done
        self._interval = None if after is None else timedelta(seconds=after)
        self.key = key
        self.asks = dict(asks)
        self.started_at = now
        self.next_at = now
        self.queries = 0
        self.failures = 0
        self.absent_since: datetime | None = None
        self.absent_again: datetime | None = None
        self.settled = False
        self.last = ""

    @property
    def operation(self) -> str:
        """The write."""
        return self._operation

    @property
    def query(self) -> str | None:
        """The operation that settles it."""
        return self._query

    @property
    def question(self) -> dict[str, object]:
        """The query's arguments by wire name."""
        return {self._by: self.key, **self.asks}

    def step(self, now: datetime) -> Step:
        """What to do at `now`."""
        if self._query is None:
            return Step("no_query", None, self._no_query())
        if self.settled:
            return Step("settled", None, self.last)
        self._forget_the_future(now)
        if self._may_place(now):
            return Step("place_again", self.next_at, self._placeable())
        if now >= self.next_at:
            return Step("query", now, f"it is time to ask {self._query}")
        return Step("wait", self.next_at, self.last)

    def found(self, shown_state: str | None, asked_at: datetime, now: datetime) -> None:
        """The query showed the key, in a verified answer of its own. `shown_state` is the member that `done` names, if any."""
        self._asked()
        self.absent_since = self.absent_again = None
        if self._done is None or shown_state in self._done[1]:
            self.settled = True
            self.last = f"{self._query} shows {self.key!r}"
            return
        self.next_at = now + self._backoff()
        self.last = (
            f"{self._query} shows {self._done[0]} {shown(shown_state or '', 32)}, which does not say that "
            f"{self._operation} took effect"
        )

    def absent(self, asked_at: datetime, now: datetime) -> None:
        """The query said, in a verified answer, that there is no such key."""
        self._asked()
        self._forget_the_future(asked_at)
        if self._interval is None:
            self.next_at = now + self._backoff()
            self.last = f"{self._query} does not know {self.key!r}, which proves nothing: it is not to be placed again"
        elif self.absent_since is None:
            self.absent_since, self.next_at = now, now + self._interval
            self.last = f"{self._query} does not know {self.key!r} yet; only a second such answer, later, counts"
        elif asked_at - self.absent_since < self._interval:
            self.next_at = self.absent_since + self._interval
            self.last = f"{self._query} was asked again too early to count"
        else:
            self.absent_again, self.next_at = now, now + self._interval
            self.last = self._placeable()

    def inconclusive(self, reason: str, now: datetime) -> None:
        """The query had no verified answer, or one that says neither "here" nor "not there": check it and ask again [4.3]."""
        self.queries += 1
        self.failures += 1
        self.next_at = now + self._backoff()
        self.last = (
            f"{self._query} gave no usable answer ({shown(reason, 64)}): check its parameters; it is asked again"
        )

    def placing(self, now: datetime) -> None:
        """The order leaves again under its key: whatever was known before counts no longer."""
        self.absent_since = self.absent_again = None
        self.failures = 0
        self.next_at = now
        self.last = "it was placed again"

    def settle_by_placing(self) -> None:
        """The placing had a verified answer that says yes."""
        self.settled = True
        self.last = f"{self.key!r} was placed again, and the gateway has it"

    def to_json(self) -> str:
        """All that is needed to go on elsewhere: operation, key and times. No body, no name, no amount."""
        times = {name: getattr(self, name) for name in _TIMES}
        stored: dict[str, object] = {
            "paywright_resolving": _VERSION,
            "operation": self._operation,
            "key": self.key,
            "asks": self.asks,
            **{name: None if time is None else time.isoformat() for name, time in times.items()},
            **{name: getattr(self, name) for name in _COUNTS},
            "settled": self.settled,
            "last": self.last,
        }
        return json.dumps(stored)

    @classmethod
    def from_json(cls, contract: Contract, text: str) -> Resolving:
        """What `to_json` wrote. Raises `InvalidArgument` for anything else: a wrong time could let an order leave twice."""
        try:
            stored = json.loads(text)
            if type(stored) is not dict or stored["paywright_resolving"] != _VERSION:
                raise ValueError
            times = {name: _time(stored[name]) for name in _TIMES}
            started_at, next_at = times["started_at"], times["next_at"]
            asks, counts = stored["asks"], {name: stored[name] for name in _COUNTS}
            if started_at is None or next_at is None or type(stored["last"]) is not str:
                raise ValueError
            if type(asks) is not dict or not all(type(value) is str for value in asks.values()):
                raise ValueError
            if type(stored["settled"]) is not bool or not all(type(n) is int and n >= 0 for n in counts.values()):
                raise ValueError
            operation, key = stored["operation"], stored["key"]
            if type(operation) is not str:
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InvalidArgument("This is not what Resolver.to_json wrote. Nothing was sent.") from None
        self = cls(contract.operation(operation), key, asks, started_at)
        self.next_at, self.absent_since, self.absent_again = next_at, times["absent_since"], times["absent_again"]
        if self._interval is None and (self.absent_since or self.absent_again):
            raise InvalidArgument(
                f"{operation} is never placed again, so that this was not written by Resolver.to_json."
            )
        self.queries, self.failures = counts["queries"], counts["failures"]
        self.settled, self.last = stored["settled"], stored["last"]
        return self

    def __repr__(self) -> str:
        return f"<Resolving {self._operation} {self.key!r}>"

    def _may_place(self, now: datetime) -> bool:
        since, again, interval = self.absent_since, self.absent_again, self._interval
        if interval is None or since is None or again is None:
            return False
        # An old answer says little about now: after another interval the query is asked once more.
        return again - since >= interval and now - again < interval

    def _forget_the_future(self, now: datetime) -> None:
        """A clock that went back makes spans longer than they were: what it stamped counts no longer."""
        if any(time is not None and time > now for time in (self.absent_since, self.absent_again)):
            self.absent_since = self.absent_again = None
            self.next_at = min(self.next_at, now)

    def _asked(self) -> None:
        self.queries += 1
        self.failures = 0

    def _backoff(self) -> timedelta:
        tries = max(self.failures, self.queries if self.failures == 0 else 1)
        return min(_LONGEST_PAUSE, _FIRST_PAUSE * (1 << min(tries - 1, 6)))

    def _placeable(self) -> str:
        return (
            f"{self._query} has said again, after the stated interval, that it does not know {self.key!r}: it may be placed "
            "again with the same key, and with no other"
        )

    def _no_query(self) -> str:
        return (
            f"the contract has no query for {self._operation}: {self.key!r} stays unknown. Wait for a notification, or settle "
            "it with the gateway's support; do not call it again with a new key"
        )


def _time(text: object) -> datetime | None:
    if text is None:
        return None
    time = datetime.fromisoformat(text) if type(text) is str else None
    if time is None or time.utcoffset() is None:
        raise ValueError
    return time
