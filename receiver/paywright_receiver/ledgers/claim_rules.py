"""What becomes of a claim in a database, and of a record that is settled by hand: shared by the ledgers in databases.

A ledger calls `claimed` inside a transaction that no other claim about the same subject runs beside. `now` is always the
ledger's own time in microseconds since 1970, asked inside that transaction.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import Final, NamedTuple, Protocol, cast

from paywright_receiver.statements import VERSION, Statements
from paywright_runtime.errors import LedgerProblem
from paywright_runtime.ledger import (
    LEEWAY,
    REFUSED,
    STATUSES,
    Claim,
    Conflict,
    Entry,
    Judgement,
    Refusal,
    StateOrder,
    Status,
    at_micros,
    contradicted,
    died,
    expired,
    judge,
    keep_until,
    micros_of,
    supersedes,
)

__all__ = [
    "Address",
    "Found",
    "GivingBack",
    "Granted",
    "Runs",
    "addressed",
    "claimed",
    "counted",
    "duplicate",
    "entries",
    "look_at_tables",
    "make_tables",
    "no_ledger",
    "settled",
]

_LATE: Final = "its handler took longer than the lease, and another one about the same was taken up"
_OTHER: Final = "other content for its key"


class Found(Protocol):
    """What a statement found."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> tuple[object, ...] | None: ...
    def fetchall(self) -> Sequence[tuple[object, ...]]: ...


class Runs(Protocol):
    """What runs a statement: a connection, or what stands for one."""

    def execute(self, statement: str, parameters: Sequence[object], /) -> Found: ...


class GivingBack:
    """Ends claims without an effect. What cannot be written now, as where no connection is to be had, is before the next claim.

    Otherwise the notification would be in progress until its lease is over. `write` ends one claim, durably: status, why,
    key and owner. It changes nothing of a record that has another owner.
    """

    def __init__(self, write: Callable[[tuple[str, str, str, str]], None]) -> None:
        self._write = write
        self._owed: deque[tuple[str, str, str, str]] = deque()

    def end(self, *claim: *tuple[str, str, str, str]) -> None:
        """End one claim. Raises what `write` does."""
        try:
            self._write(claim)
        except BaseException:
            self._owed.append(claim)
            raise

    def make_up(self) -> None:
        """End those that could not be ended. Raises what `write` does."""
        while self._owed:
            try:
                claim = self._owed.popleft()
            except IndexError:  # another thread was faster
                return
            self.end(*claim)


class Granted(NamedTuple):
    """A claim that was granted: which attempt it is, and what it contradicts if it is for the handler of conflicts."""

    attempt: int
    conflict: Conflict | None


class _Record(NamedTuple):
    key: str
    first: int
    digest: str
    status: str
    claimed_at: int
    lease_until: int
    notify_time: int
    attempts: int
    state: str | None


class _Progress(NamedTuple):
    state: str | None
    notify_time: int
    key: str


class _Look(NamedTuple):
    """What the tables have about a claim, and what follows from it."""

    verdict: Judgement
    record: _Record | None
    beside: _Record | None
    progress: _Progress | None
    others: Sequence[_Record]


def duplicate(db: Runs, sql: Statements, claim: Claim, now: int | None = None) -> bool:
    """Tell whether it was handled before and nothing has to be written. Most that comes again need not wait for anybody.

    `now` is left out where the database has a clock.
    """
    row = db.execute(sql.known, (claim.key,)).fetchone()
    if row is None or row[0] != "done":
        return False
    now = cast(int, row[3]) if now is None else now
    return cast(int, row[2]) >= now + claim.keep and row[1] in ("", claim.digest)


def claimed(db: Runs, sql: Statements, claim: Claim, owner: str, now: int) -> Granted | Refusal:
    """Judge a claim and write down what follows: that `owner` has it, or why it is not granted."""
    look = _look(db, sql, claim, now, "")
    conflict = contradicted(claim, look.verdict, look.record, look.progress)
    if sql.lock and (look.verdict == "claim" or conflict is not None) and (look.record or look.others):
        # Who is late may be committing right now: wait for the end of that, and look again.
        look = _look(db, sql, claim, now, sql.lock)
        conflict = contradicted(claim, look.verdict, look.record, look.progress)
    verdict, record, beside = look.verdict, look.record, look.beside
    place = beside if verdict == "other content" else record
    first = 0 if verdict == "other content" else 1
    if verdict == "claim" or conflict is not None:
        for other in look.others:
            # Whoever is late with another state of this subject must not come to an end after this one.
            if other is not place:
                db.execute(sql.overtake, (_LATE, other.key, other.first, other.digest))
        attempt = (place.attempts if place else 0) + claim.handled
        _put(
            db,
            sql,
            claim,
            first,
            place,
            "claimed",
            now,
            owner=owner,
            attempts=attempt,
            conflicting=conflict is not None,
        )
        return Granted(attempt, conflict)
    kept = place is not None and place.status in ("conflict", "stale")
    if verdict == "other content" and not kept:
        _put(db, sql, claim, first, place, "conflict", now, why=_OTHER)
    elif verdict == "contradiction" and not kept:
        _put(db, sql, claim, first, place, "conflict", now, why="another end was there")
    elif verdict == "stale" and not kept:
        _put(db, sql, claim, first, place, "stale", now, why="a newer state was there")
    elif place is not None:
        db.execute(sql.renew, (keep_until(claim, now), claim.key, claim.digest, now + claim.keep))
    return REFUSED[verdict]


def _look(db: Runs, sql: Statements, claim: Claim, now: int, lock: str) -> _Look:
    rows = db.execute(sql.records + lock, (claim.key, claim.digest, claim.subject)).fetchall()
    found = list(map(_Record._make, cast("Sequence[tuple[str, int, str, str, int, int, int, int, str | None]]", rows)))
    ours = [one for one in found if one.key == claim.key and (one.first or one.digest == claim.digest)]
    record = next((one for one in ours if one.first), None)
    beside = next((one for one in ours if not one.first), None)
    moved = db.execute(sql.progress, (claim.subject,)).fetchone()
    progress = None if moved is None else _Progress(*cast("tuple[str, int, str]", moved))
    others = [one for one in found if one.status == "claimed"]
    busy = any(not expired(now, one.claimed_at, one.lease_until) for one in others)
    return _Look(judge(claim, record, beside, progress, busy, now), record, beside, progress, others)


def _put(
    db: Runs,
    sql: Statements,
    claim: Claim,
    first: int,
    there: _Record | None,
    status: Status,
    now: int,
    *,
    why: str = "",
    owner: str | None = None,
    attempts: int | None = None,
    conflicting: bool = False,
) -> None:
    """Write a record with what this claim says, in place of what is there."""
    if attempts is None:
        attempts = there.attempts if there else 0
    body = None if status == "stale" else claim.raw
    lease = (now, now + claim.lease) if owner is not None else (0, 0)
    held = (status, int(conflicting), attempts, owner, *lease, keep_until(claim, now), claim.notify_time)
    if there is not None:
        db.execute(sql.put, (claim.digest, *held, now, why, body, claim.key, first, there.digest))
    else:
        about = (claim.key, first, claim.digest, claim.subject, claim.kind, claim.state, _text(claim.order))
        db.execute(sql.insert, (*about, *held, now, now, why, body))


class Address(NamedTuple):
    """One record, and what is to be known of it before it is changed by hand."""

    key: str
    first: int
    digest: str
    subject: str
    state: str | None
    state_order: str
    status: str
    conflicting: int
    claimed_at: int
    lease_until: int
    notify_time: int

    @property
    def row(self) -> tuple[str, int, str]:
        """Which row it is."""
        return self.key, self.first, self.digest


def addressed(db: Runs, sql: Statements, key: str, digest: str | None, lock: str = "") -> Address | None:
    """The key's own record, or with a digest the one of that content; None if there is none."""
    rows = cast("Sequence[tuple[str, int, str, str, str | None, str, str, int, int, int, int]]", db.execute(sql.addresses + lock, (key,)).fetchall())  # fmt: skip
    return next(
        (one for one in map(Address._make, rows) if (one.first if digest is None else one.digest == digest)), None
    )


def settled(db: Runs, sql: Statements, key: str, digest: str | None, now: int) -> bool:
    """Mark a record done by hand, and move its subject on; return False if there is nothing to settle."""
    found = addressed(db, sql, key, digest, sql.lock)
    if found is None or found.status in ("done", "stale"):
        return False
    if found.status == "claimed" and not expired(now, found.claimed_at, found.lease_until):
        return False
    db.execute(sql.settle, (now, *found.row))
    # The end that was there first is the one that counts: a conflict moves nothing.
    if found.first and found.state is not None and found.status != "conflict" and not found.conflicting:
        moved = db.execute(sql.progress, (found.subject,)).fetchone()
        progress = None if moved is None else _Progress(*cast("tuple[str, int, str]", moved))
        order = _order(found.state_order)
        if progress is None or supersedes(found.state, order, found.notify_time, progress) == "claim":
            db.execute(sql.moved, (found.subject, found.state, found.notify_time, found.key))
    return True


def entries(db: Runs, sql: Statements, now: int, *, status: str | None, key: str | None, most: int) -> list[Entry]:
    """Records, the last changed first."""
    if key is None:
        rows = db.execute(sql.list, (now, now + LEEWAY, status, most)).fetchall()
    else:
        rows = db.execute(sql.list_key, (now, now + LEEWAY, key, status, most)).fetchall()
    return [
        Entry(
            key=key,
            subject=subject,
            kind=kind,
            state=state,
            status=status,
            own=bool(first),
            digest=digest,
            attempts=attempts,
            why=died(attempts) if gone else why,
            notify_time=at_micros(notify_time),
            first_at=at_micros(first_at),
            changed_at=at_micros(changed_at),
        )
        for key, subject, kind, state, status, first, digest, attempts, why, notify_time, first_at, changed_at, gone in cast(
            "Iterable[tuple[str, str, str, str | None, str, int, str, int, str, int, int, int, bool]]", rows
        )
    ]


def counted(db: Runs, sql: Statements, now: int, older_than: timedelta) -> dict[Status, int]:
    """Count the records of each status that first came at least so long ago."""
    rows = db.execute(sql.counts, (now, now + LEEWAY, now - micros_of(older_than))).fetchall()
    found = dict(cast("Iterable[tuple[Status, int]]", rows))
    return {status: found.get(status, 0) for status in STATUSES}


def no_ledger(where: str) -> LedgerProblem:
    """Build the error for a place without a ledger."""
    return LedgerProblem(
        f"There is no ledger in {where}, and none was made: a receiver makes it when it starts or at its first delivery. "
        "If it has received already, name the place where its ledger is."
    )


def look_at_tables(db: Runs, sql: Statements, *, records: bool, version: bool, where: str) -> None:
    """Raise `LedgerProblem` unless the tables are there and of this version. Make and change nothing.

    `records` and `version` tell which of them are there.
    """
    if not records:
        raise no_ledger(where)
    if not _current(db, sql, version=version, where=where):
        raise LedgerProblem(
            f"The ledger's tables in {where} are of an older version. Nothing was changed: a receiver with this paywright "
            "brings them up to date at its first delivery. Look again after that."
        )


def _current(db: Runs, sql: Statements, *, version: bool, where: str) -> bool:
    """Tell whether the tables are of this version. Raises `LedgerProblem` if a newer version made them."""
    row = db.execute(sql.version, ()).fetchone() if version else None
    found = 0 if row is None else cast(int, row[0])
    if found > VERSION:
        raise LedgerProblem(
            f"The ledger's tables in {where} are of version {found}, and this paywright knows version {VERSION}. Nothing "
            "was changed, and nothing is acknowledged. Use the newer paywright that made them, or another place."
        )
    return found == VERSION


def make_tables(db: Runs, sql: Statements, *, records: bool, version: bool, where: str) -> None:
    """Make the tables, or bring those of an older version up to date.

    `records` and `version` tell which of them are there. Raises `LedgerProblem` if a newer version made them.
    """
    if _current(db, sql, version=version, where=where):
        return
    if records and not version:
        for statement in sql.upgrade:
            db.execute(statement, ())
    for statement in sql.tables:
        db.execute(statement, ())


@lru_cache(64)
def _text(order: StateOrder) -> str:
    return json.dumps([sorted(order.later), sorted(order.excluded), sorted(order.earlier), order.ends])


def _order(text: str) -> StateOrder:
    if not text:
        return StateOrder()
    later, excluded, earlier, ends = json.loads(text)
    return StateOrder(frozenset(later), frozenset(excluded), frozenset(earlier), ends)
