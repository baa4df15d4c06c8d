"""A ledger that lasts as long as its process: for tests and measurements, never for money."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from threading import RLock
from typing import NoReturn

from paywright_receiver.items.book import Within, item_of
from paywright_receiver.items.judgement import (
    REFUSED,
    Judgement,
    contradicted,
    died,
    expired,
    judge,
    keep_until,
    supersedes,
    undone,
)
from paywright_receiver.items.ledger import (
    STATUSES,
    Claim,
    ClaimRequest,
    Conflict,
    Entry,
    Refusal,
    Status,
    at_micros,
    micros,
    youngest,
)
from paywright_receiver.ledgers.memory_book import MemoryBook
from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.errors import ClaimLost, ConfigurationError

__all__ = ["MemoryLedger"]

_FINISHED = ("done", "stale")


class _MemoryRecord:
    __slots__ = ("attempts", "changed_at", "claimed_at", "conflicting", "first_at", "keep_until", "lease_until", "own", "owner", "request", "status", "why")  # fmt: skip

    def __init__(self, request: ClaimRequest, now: int, own: bool) -> None:
        self.request = request
        self.own = own
        self.status: Status = "conflict"
        self.why = ""
        self.claimed_at = self.lease_until = 0
        self.keep_until = keep_until(request, now)
        self.attempts = 0
        self.conflicting = False
        self.owner: object = None
        self.first_at = self.changed_at = now

    @property
    def digest(self) -> str:
        return self.request.digest

    @property
    def state(self) -> str | None:
        return self.request.state

    @property
    def notify_time(self) -> int:
        return self.request.notify_time

    def live(self, now: int) -> bool:
        return self.status == "claimed" and not expired(now, self.claimed_at, self.lease_until)

    def undone(self, why: str, status: Status = "failed") -> None:
        """End the claim without an effect. A conflict stays a conflict."""
        self.status, self.why, self.owner = "conflict" if self.conflicting else status, why, None


class MemoryLedger:
    """A ledger within one process, without a transaction.

    With two processes, a notification could have its effect twice.

    `clock` is the clock of leases and ages; the system's by default.
    """

    def __init__(self, *, clock: Clock | None = None) -> None:
        self.clock: Clock = SystemClock() if clock is None else clock
        self._lock = RLock()
        self._records: dict[str, _MemoryRecord] = {}
        self._beside: dict[str, dict[str, _MemoryRecord]] = {}
        self._claimed: dict[str, _MemoryRecord] = {}
        self._identities: dict[str, str] = {}
        self.book: MemoryBook = MemoryBook(self._lock, self._now)

    def acquire(self, request: ClaimRequest, /) -> Claim | Refusal:
        """Grant a claim, or return why not. See `Ledger.acquire`."""
        with self._lock:
            now = self._now()
            record = self._records.get(request.key)
            others = self._beside.get(request.key)
            beside = others.get(request.digest) if others else None
            effect = self.book.effect(item_of(request.about))
            current = self._claimed.get(request.subject)
            busy = current is not None and current.live(now)
            verdict = judge(request, record, beside, effect, busy, now)
            conflict = contradicted(request, verdict, record, effect)
            place = beside if verdict == "other content" else record
            if verdict == "claim" or conflict is not None:
                if current is not None and current is not place and current.status == "claimed":
                    # An expired claim of another state must not complete after this one.
                    current.undone(
                        "its handler took longer than the lease, and another one about the same was taken up"
                    )
                place = self._put(request, verdict, place, now, "claimed", "")
                place.claimed_at, place.lease_until, place.conflicting = now, now + request.lease, conflict is not None
                place.attempts += request.handled
                self._claimed[request.subject] = place
                return _Claim(self, place, conflict, (effect.state or None) if effect else None)
            status, why = undone(request, verdict)
            if status is not None and (place is None or place.status != status):
                self._put(request, verdict, place, now, status, why)
            elif place is not None and place.status in ("conflict", "stale", "done"):
                place.keep_until = max(place.keep_until, keep_until(request, now))
            return REFUSED[verdict]

    def _put(
        self, request: ClaimRequest, verdict: Judgement, place: _MemoryRecord | None, now: int, status: Status, why: str
    ) -> _MemoryRecord:
        if place is None:
            place = _MemoryRecord(request, now, verdict != "other content")
            if place.own:
                self._records[request.key] = place
            else:
                self._beside.setdefault(request.key, {})[request.digest] = place
        place.request, place.status, place.why, place.changed_at = request, status, why, now
        place.keep_until, place.conflicting = keep_until(request, now), False
        return place

    def list(self, *, status: str | None = None, key: str | None = None, most: int = 200) -> Sequence[Entry]:
        """Return records, the last changed first. See `Ledger.list`."""
        with self._lock:
            now = self._now()
            found = [_entry(record, now) for record in self._all(key)]
        found = [entry for entry in found if status in (None, entry.status)]
        found.sort(key=lambda entry: entry.changed_at, reverse=True)
        return found[:most]

    def counts(self, *, older_than: timedelta = timedelta(0)) -> Mapping[Status, int]:
        """Return how many records there are of each status, 0 included. See `Ledger.counts`."""
        with self._lock:
            now = self._now()
            limit = youngest(now, older_than)
            found = Counter(_shown(record, now) for record in self._all() if record.first_at <= limit)
        return {status: found[status] for status in STATUSES}

    def body(self, key: str, /, digest: str | None = None) -> bytes | None:
        """Return the verified body of a record that is not done, or None."""
        with self._lock:
            record = self._at(key, digest)
            return None if record is None or record.status in _FINISHED else record.request.raw

    def discard(self, key: str, /, digest: str | None = None) -> bool:
        """Mark one record done by hand, and return whether that changed it. See `Ledger.discard`."""
        with self._lock:
            now = self._now()
            record = self._at(key, digest)
            if record is None or record.status in _FINISHED or record.live(now):
                return False
            request = record.request
            # The final state that was handled first counts: a conflict does not advance the subject.
            effect = self.book.effect(item_of(request.about))
            moves = record.own and record.status != "conflict" and not record.conflicting
            record.status, record.owner, record.why, record.changed_at = "done", None, "discarded by hand", now
            record.conflicting = False
            if moves and (
                effect is None or supersedes(request.state, request.order, request.notify_time, effect) == "claim"
            ):
                self.book.moved(request)
            return True

    def release(self, key: str, /, digest: str | None = None) -> bool:
        """End a claim by hand, and return whether there was one. See `Ledger.release`."""
        with self._lock:
            record = self._at(key, digest)
            if record is None or record.status != "claimed":
                return False
            record.undone("released by hand")
            return True

    def identity(self, kind: str, by: str, /) -> str:
        """Return the identity of a kind's effects, `by` the first time. See `Ledger.identity`."""
        with self._lock:
            return self._identities.setdefault(kind, by)

    def forget_identity(self, kind: str, /) -> str | None:
        """Forget the identity of a kind's effects, and return it. See `Ledger.forget_identity`."""
        with self._lock:
            return self._identities.pop(kind, None)

    def check_whole(self) -> None:
        """Do nothing: there is no store to be damaged. See `Ledger.check_whole`."""

    def prune(self, before: datetime, /) -> int:
        """Delete finished records last changed before `before`, and return their count. See `Ledger.prune`."""
        limit = micros(before)
        with self._lock:
            now = self._now()
            old = [
                record
                for record in self._all()
                if record.status in _FINISHED and record.changed_at < limit and record.keep_until < now
            ]
            gone = 0
            for record in old:
                key = record.request.key
                beside = self._beside.get(key, {})
                if not record.own:
                    del beside[record.digest]
                elif all(other.status in _FINISHED for other in beside.values()):
                    del self._records[key]
                else:
                    continue
                gone += 1
            return gone

    def _now(self) -> int:
        return micros(self.clock.now())

    def _all(self, key: str | None = None) -> Iterator[_MemoryRecord]:
        for one in list(self._records) if key is None else [key]:
            if one in self._records:
                yield self._records[one]
        for one in list(self._beside) if key is None else [key]:
            yield from self._beside.get(one, {}).values()

    def _at(self, key: str, digest: str | None) -> _MemoryRecord | None:
        record = self._records.get(key)
        if digest is None or (record is not None and record.digest == digest):
            return record
        return self._beside.get(key, {}).get(digest)

    def _end(
        self, claim: _Claim, status: Status, why: str = "", also: Callable[[Within], object] | None = None
    ) -> None:
        with self._lock:
            record = claim._record
            if record.owner is not claim:
                if status == "done":
                    raise ClaimLost(
                        f"{record.request.key} was taken over: its handler took longer than the receiver's lease, or the claim "
                        "was released. It was not acknowledged; what its handler did may be done again."
                    )
                return
            request = record.request
            if also is not None:
                also(self)
            if self._claimed.get(request.subject) is record:
                del self._claimed[request.subject]
            if status != "done":
                record.undone(why, status)
                return
            record.status, record.why, record.owner, record.conflicting = status, why, None, False
            if claim.conflict is None:
                self.book.moved(request)


class _Claim:
    __slots__ = ("_ledger", "_record", "attempt", "conflict", "was")

    def __init__(self, ledger: MemoryLedger, record: _MemoryRecord, conflict: Conflict | None, was: str | None) -> None:
        self._ledger = ledger
        self._record = record
        self.attempt = record.attempts
        self.conflict = conflict
        self.was = was
        record.owner = self

    @property
    def transaction(self) -> NoReturn:
        raise ConfigurationError("MemoryLedger has no transaction: use SqliteLedger, whose file can hold your tables.")

    def complete(self, also: Callable[[Within], object] | None = None) -> None:
        self._ledger._end(self, "done", also=also)

    def release(self, status: Status, why: str) -> None:
        self._ledger._end(self, status, why)


def _shown(record: _MemoryRecord, now: int) -> Status:
    if record.status != "claimed" or record.live(now):
        return record.status
    return "conflict" if record.conflicting else "failed"


def _entry(record: _MemoryRecord, now: int) -> Entry:
    request, gone = record.request, record.status == "claimed" and not record.live(now)
    return Entry(
        key=request.key,
        subject=request.subject,
        kind=request.kind,
        state=request.state,
        status=_shown(record, now),
        own=record.own,
        digest=record.digest,
        attempts=record.attempts,
        why=died(record.attempts) if gone else record.why,
        notify_time=at_micros(request.notify_time),
        first_at=at_micros(record.first_at),
        changed_at=at_micros(record.changed_at),
    )
