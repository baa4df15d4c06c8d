"""A ledger that forgets when its process ends: for tests and measurements, never for money."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import NoReturn

from paywright_runtime.errors import ClaimLost, ConfigurationError
from paywright_runtime.ledger import REFUSED, Claim, Entry, Held, Refusal, Status, judge

__all__ = ["MemoryLedger"]

_START = datetime(1970, 1, 1, tzinfo=UTC)


class _Record:
    __slots__ = ("_digest", "attempts", "changed_at", "claim", "first_at", "lease_until", "owner", "status", "why")

    def __init__(self, claim: Claim, status: Status, why: str = "") -> None:
        self.claim = claim
        self.status: Status = status
        self.why = why
        self.lease_until = 0
        self.attempts = 0
        self.owner: object = None
        self.first_at = self.changed_at = claim.now

    @property
    def digest(self) -> str:
        return self.claim.digest


class _Progress:
    __slots__ = ("notify_time", "state")

    def __init__(self, state: str | None, notify_time: int) -> None:
        self.state = state
        self.notify_time = notify_time


class MemoryLedger:
    """Remembers within one process, and has no transaction. Two processes would each let an effect happen."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._records: dict[str, _Record] = {}
        self._beside: dict[tuple[str, str], _Record] = {}
        self._subjects: dict[str, _Progress] = {}
        self._claimed: dict[str, _Record] = {}

    def claim(self, claim: Claim, /) -> Held | Refusal:
        with self._lock:
            record = self._records.get(claim.key)
            held = self._claimed.get(claim.subject)
            busy = held is not None and held.claim.key != claim.key and held.lease_until > claim.now
            verdict = judge(claim, record, self._subjects.get(claim.subject), busy)
            if verdict == "claim":
                if held is not None and held.claim.key != claim.key:
                    # Whoever is late with another state must not come to an end after this one.
                    held.status, held.owner, held.why = "failed", None, "its handler took longer than the lease"
                if record is None:
                    record = self._records[claim.key] = _Record(claim, "claimed")
                record.claim, record.status, record.lease_until = claim, "claimed", claim.lease_until
                record.attempts += claim.handled
                self._claimed[claim.subject] = record
                return _Held(self, record)
            if verdict == "other content":
                self._beside.setdefault(
                    (claim.key, claim.digest), _Record(claim, "conflict", "other content for its key")
                )
            elif verdict == "contradiction":
                self._put(claim, "conflict", "another end was there")
            elif verdict == "stale":
                self._put(claim, "stale", "a newer state was there")
            return REFUSED[verdict]

    def _put(self, claim: Claim, status: Status, why: str) -> None:
        record = self._records.setdefault(claim.key, _Record(claim, status))
        record.status, record.why, record.changed_at = status, why, claim.now

    def list(self, *, status: str | None = None, most: int = 200) -> Sequence[Entry]:
        with self._lock:
            found = [*self._records.values(), *self._beside.values()]
            found = [record for record in found if status in (None, record.status)]
            found.sort(key=lambda record: record.changed_at, reverse=True)
            return [_entry(record) for record in found[:most]]

    def body(self, key: str, /) -> bytes | None:
        with self._lock:
            record = self._records.get(key)
            return None if record is None or record.status in ("done", "stale") else record.claim.raw

    def settle(self, key: str, /) -> None:
        with self._lock:
            found = [self._records[key]] if key in self._records else []
            for record in [*found, *(one for (its_key, _), one in self._beside.items() if its_key == key)]:
                if record.status != "claimed":
                    record.status = "done"

    def forget(self, before: datetime, /) -> int:
        with self._lock:
            limit = round(before.timestamp() * 1_000_000)
            old = [
                key
                for key, record in self._records.items()
                if record.status in ("done", "stale") and record.changed_at < limit
            ]
            for key in old:
                del self._records[key]
            return len(old)

    def _end(self, record: _Record, owner: object, status: Status, why: str = "") -> None:
        with self._lock:
            if record.owner is not owner:
                if status == "done":
                    raise ClaimLost("The claim was taken over: its handler took longer than the receiver's lease.")
                return
            claim = record.claim
            record.status, record.why, record.owner = status, why, None
            if self._claimed.get(claim.subject) is record:
                del self._claimed[claim.subject]
            if status == "done" and claim.state is not None:
                self._subjects[claim.subject] = _Progress(claim.state, claim.notify_time)


class _Held:
    __slots__ = ("_ledger", "_record", "attempt")

    def __init__(self, ledger: MemoryLedger, record: _Record) -> None:
        self._ledger = ledger
        self._record = record
        self.attempt = record.attempts
        record.owner = self

    @property
    def transaction(self) -> NoReturn:
        raise ConfigurationError("MemoryLedger has no transaction: use SqliteLedger, whose file can hold your tables.")

    def finish(self) -> None:
        self._ledger._end(self._record, self, "done")

    def give_back(self, status: Status, why: str) -> None:
        self._ledger._end(self._record, self, status, why)


def _entry(record: _Record) -> Entry:
    def time(micros: int) -> datetime:
        return _START + timedelta(microseconds=micros)

    claim = record.claim
    return Entry(
        key=claim.key,
        subject=claim.subject,
        kind=claim.kind,
        state=claim.state,
        status=record.status,
        digest=record.digest,
        attempts=record.attempts,
        why=record.why,
        notify_time=time(claim.notify_time),
        first_at=time(record.first_at),
        changed_at=time(record.changed_at),
    )
