"""A ledger that forgets when its process ends: for tests and measurements, never for money."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from threading import Lock
from typing import NoReturn

from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.errors import ClaimLost, ConfigurationError
from paywright_runtime.ledger import (
    REFUSED,
    STATUSES,
    Claim,
    Conflict,
    Entry,
    Held,
    Judgement,
    Refusal,
    Status,
    at_micros,
    contradicted,
    died,
    expired,
    judge,
    keep_until,
    micros,
    micros_of,
    supersedes,
)

__all__ = ["MemoryLedger"]

_FINISHED = ("done", "stale")


class _Record:
    __slots__ = ("attempts", "changed_at", "claim", "claimed_at", "conflicting", "first_at", "keep_until", "lease_until", "own", "owner", "status", "why")  # fmt: skip

    def __init__(self, claim: Claim, now: int, own: bool) -> None:
        self.claim = claim
        self.own = own
        self.status: Status = "conflict"
        self.why = ""
        self.claimed_at = self.lease_until = 0
        self.keep_until = keep_until(claim, now)
        self.attempts = 0
        self.conflicting = False
        self.owner: object = None
        self.first_at = self.changed_at = now

    @property
    def digest(self) -> str:
        return self.claim.digest

    @property
    def state(self) -> str | None:
        return self.claim.state

    @property
    def notify_time(self) -> int:
        return self.claim.notify_time

    def live(self, now: int) -> bool:
        return self.status == "claimed" and not expired(now, self.claimed_at, self.lease_until)

    def undone(self, why: str, status: Status = "failed") -> None:
        """The claim ends without an effect. A conflict stays one."""
        self.status, self.why, self.owner = "conflict" if self.conflicting else status, why, None


class _Progress:
    __slots__ = ("key", "notify_time", "state")

    def __init__(self, claim: Claim) -> None:
        self.key = claim.key
        self.state = claim.state
        self.notify_time = claim.notify_time


class MemoryLedger:
    """Remembers within one process, and has no transaction. Two processes would each let an effect happen.

    `clock` is what leases and ages go by; the system's by default.
    """

    def __init__(self, *, clock: Clock | None = None) -> None:
        self.clock: Clock = SystemClock() if clock is None else clock
        self._lock = Lock()
        self._records: dict[str, _Record] = {}
        self._beside: dict[str, dict[str, _Record]] = {}
        self._subjects: dict[str, _Progress] = {}
        self._claimed: dict[str, _Record] = {}

    def claim(self, claim: Claim, /) -> Held | Refusal:
        with self._lock:
            now = self._now()
            record = self._records.get(claim.key)
            others = self._beside.get(claim.key)
            beside = others.get(claim.digest) if others else None
            progress = self._subjects.get(claim.subject)
            held = self._claimed.get(claim.subject)
            busy = held is not None and held.live(now)
            verdict = judge(claim, record, beside, progress, busy, now)
            conflict = contradicted(claim, verdict, record, progress)
            place = beside if verdict == "other content" else record
            if verdict == "claim" or conflict is not None:
                if held is not None and held is not place and held.status == "claimed":
                    # Whoever is late with another state must not come to an end after this one.
                    held.undone("its handler took longer than the lease, and another one about the same was taken up")
                place = self._put(claim, verdict, place, now, "claimed", "")
                place.claimed_at, place.lease_until, place.conflicting = now, now + claim.lease, conflict is not None
                place.attempts += claim.handled
                self._claimed[claim.subject] = place
                return _Held(self, place, conflict)
            if place is not None and place.status in ("conflict", "stale", "done"):
                place.keep_until = max(place.keep_until, keep_until(claim, now))
            elif verdict == "other content":
                self._put(claim, verdict, place, now, "conflict", "other content for its key")
            elif verdict == "contradiction":
                self._put(claim, verdict, place, now, "conflict", "another end was there")
            elif verdict == "stale":
                self._put(claim, verdict, place, now, "stale", "a newer state was there")
            return REFUSED[verdict]

    def _put(
        self, claim: Claim, verdict: Judgement, place: _Record | None, now: int, status: Status, why: str
    ) -> _Record:
        if place is None:
            place = _Record(claim, now, verdict != "other content")
            if place.own:
                self._records[claim.key] = place
            else:
                self._beside.setdefault(claim.key, {})[claim.digest] = place
        place.claim, place.status, place.why, place.changed_at = claim, status, why, now
        place.keep_until, place.conflicting = keep_until(claim, now), False
        return place

    def list(self, *, status: str | None = None, key: str | None = None, most: int = 200) -> Sequence[Entry]:
        with self._lock:
            now = self._now()
            found = [_entry(record, now) for record in self._all(key)]
        found = [entry for entry in found if status in (None, entry.status)]
        found.sort(key=lambda entry: entry.changed_at, reverse=True)
        return found[:most]

    def counts(self, *, older_than: timedelta = timedelta(0)) -> Mapping[Status, int]:
        with self._lock:
            now = self._now()
            limit = now - micros_of(older_than)
            found = Counter(_shown(record, now) for record in self._all() if record.first_at <= limit)
        return {status: found[status] for status in STATUSES}

    def body(self, key: str, /, digest: str | None = None) -> bytes | None:
        with self._lock:
            record = self._at(key, digest)
            return None if record is None or record.status in _FINISHED else record.claim.raw

    def settle(self, key: str, /, digest: str | None = None) -> bool:
        with self._lock:
            now = self._now()
            record = self._at(key, digest)
            if record is None or record.status in _FINISHED or record.live(now):
                return False
            claim = record.claim
            # The end that was there first is the one that counts: a conflict moves nothing.
            moves = record.own and claim.state is not None and record.status != "conflict" and not record.conflicting
            record.status, record.owner, record.why, record.changed_at = "done", None, "settled by hand", now
            record.conflicting = False
            progress = self._subjects.get(claim.subject)
            if moves and (
                progress is None or supersedes(claim.state, claim.order, claim.notify_time, progress) == "claim"
            ):
                self._subjects[claim.subject] = _Progress(claim)
            return True

    def release(self, key: str, /, digest: str | None = None) -> bool:
        with self._lock:
            record = self._at(key, digest)
            if record is None or record.status != "claimed":
                return False
            record.undone("released by hand")
            return True

    def forget(self, before: datetime, /) -> int:
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
                key = record.claim.key
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

    def _all(self, key: str | None = None) -> Iterator[_Record]:
        for one in list(self._records) if key is None else [key]:
            if one in self._records:
                yield self._records[one]
        for one in list(self._beside) if key is None else [key]:
            yield from self._beside.get(one, {}).values()

    def _at(self, key: str, digest: str | None) -> _Record | None:
        record = self._records.get(key)
        if digest is None or (record is not None and record.digest == digest):
            return record
        return self._beside.get(key, {}).get(digest)

    def _end(self, held: _Held, status: Status, why: str = "") -> None:
        with self._lock:
            record = held._record
            if record.owner is not held:
                if status == "done":
                    raise ClaimLost(
                        f"{record.claim.key} was taken over: its handler took longer than the receiver's lease, or the claim "
                        "was released. It was not acknowledged; what its handler did may be done again."
                    )
                return
            claim = record.claim
            if self._claimed.get(claim.subject) is record:
                del self._claimed[claim.subject]
            if status != "done":
                record.undone(why, status)
                return
            record.status, record.why, record.owner, record.conflicting = status, why, None, False
            if claim.state is not None and held.conflict is None:
                self._subjects[claim.subject] = _Progress(claim)


class _Held:
    __slots__ = ("_ledger", "_record", "attempt", "conflict")

    def __init__(self, ledger: MemoryLedger, record: _Record, conflict: Conflict | None) -> None:
        self._ledger = ledger
        self._record = record
        self.attempt = record.attempts
        self.conflict = conflict
        record.owner = self

    @property
    def transaction(self) -> NoReturn:
        raise ConfigurationError("MemoryLedger has no transaction: use SqliteLedger, whose file can hold your tables.")

    def finish(self) -> None:
        self._ledger._end(self, "done")

    def give_back(self, status: Status, why: str) -> None:
        self._ledger._end(self, status, why)


def _shown(record: _Record, now: int) -> Status:
    if record.status != "claimed" or record.live(now):
        return record.status
    return "conflict" if record.conflicting else "failed"


def _entry(record: _Record, now: int) -> Entry:
    claim, gone = record.claim, record.status == "claimed" and not record.live(now)
    return Entry(
        key=claim.key,
        subject=claim.subject,
        kind=claim.kind,
        state=claim.state,
        status=_shown(record, now),
        own=record.own,
        digest=record.digest,
        attempts=record.attempts,
        why=died(record.attempts) if gone else record.why,
        notify_time=at_micros(claim.notify_time),
        first_at=at_micros(record.first_at),
        changed_at=at_micros(record.changed_at),
    )
