"""Grant claims of deliveries and discard their records: shared by the ledgers in databases.

A ledger calls `claimed` inside a transaction that excludes other claims of the same subject. `now` is always the
ledger's own time in microseconds since 1970, read inside that transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple, TypeAlias, cast

from paywright_receiver.items.delivery_verdict import REFUSED, Judgement, Record, contradicted, judge, keep_until
from paywright_receiver.items.item_operations import TABLE
from paywright_receiver.items.leases import bounds, died, expired
from paywright_receiver.items.ledger import STATUSES, ClaimRequest, Conflict, Entry, Refusal, Status, Transaction
from paywright_receiver.items.open_items import folded_key, item_of
from paywright_receiver.items.state_memory import Remembered, Source, effect_of, line, read
from paywright_receiver.items.times import at_micros, youngest
from paywright_receiver.ledgers.sql.statements import AGAIN, Statements

Rows: TypeAlias = Sequence[tuple[object, ...]]
Found: TypeAlias = tuple[Rows, Rows]
_LATE: Final = "its handler took longer than the lease, and another one about the same was taken up"


class Granted(NamedTuple):
    """A granted claim: the number of the attempt, the contradicted notification for the handler of conflicts, and the state before.

    `within` says that the record was written as done, and is committed with what the handler writes.
    """

    attempt: int
    conflict: Conflict | None
    was: str | None
    within: bool


class _Look(NamedTuple):
    """Rows of the tables about a request to claim, and the judgement."""

    verdict: Judgement
    record: Record | None
    beside: Record | None
    memory: Sequence[Remembered]
    others: Sequence[Record]


def duplicate(db: Transaction, sql: Statements, request: ClaimRequest, now: int) -> bool:
    """Return whether the notification was handled before and nothing must be written. Most repeats end here, without a lock."""
    row = None if request.again else db.execute(sql.known, (request.key,)).fetchone()
    if row is None or row[0] != "done":
        return False
    return cast(int, row[2]) >= now + request.keep and row[1] == request.digest


def looked_for(request: ClaimRequest) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Return the parameters of the statements `records` and `memory`."""
    return (request.key, request.digest, request.subject), item_of(request.about)


def begun(
    sql: Statements, request: ClaimRequest, owner: str, now: tuple[int, ...], *, within: bool
) -> tuple[Granted, tuple[object, ...]]:
    """Return the claim of which nothing is known, and the parameters of `fresh`; `now` is empty if the database has a clock."""
    within = within and "effect" in request.within
    lives, mine = int(not within), None if within and not sql.held else owner
    held: tuple[object, ...] = (mine if within else None,) * sql.held
    about = (request.key, request.written, request.digest, request.subject, request.kind, request.state)
    records, memory = looked_for(request)
    values = (
        *records, *memory, *about, *held, "done" if within else "claimed", int(request.handled), mine, lives, lives, lives * request.lease,
        keep_until(request, 0), request.notify_time, None if within else request.raw, *now,
    )  # fmt: skip
    return Granted(int(request.handled), None, None, within), values


def claimed(
    db: Transaction,
    sql: Statements,
    request: ClaimRequest,
    owner: str,
    now: int,
    found: Found | None = None,
    *,
    within: bool,
) -> Granted | Refusal:
    """Judge a request and write the result: grant the claim to `owner`, or return why not.

    `found` are the rows of `records` and `memory`, if they were read before. With `within`, the record of a handler that writes
    only in this transaction is done at once.
    """
    if found is None and not (request.foreign or request.again):
        granted, values = begun(sql, request, owner, () if sql.lock else (now,), within=within)
        if db.execute(sql.fresh, values).rowcount == 1:
            return granted
    look = _look(sql, request, now, _found(db, sql, request) if found is None else found)
    conflict = contradicted(request, look.verdict, look.record, look.memory)
    if sql.lock and (look.verdict == "claim" or conflict is not None) and (look.record or look.others):
        # An expired claim may be committing right now: read again when it has ended. One within waits for nobody.
        look = _look(sql, request, now, _found(db, sql, request, f"{sql.lock} NOWAIT" if within else sql.lock))
        conflict = contradicted(request, look.verdict, look.record, look.memory)
    verdict, record, beside = look.verdict, look.record, look.beside
    place = beside if verdict == "other content" else record
    first = 0 if verdict == "other content" else 1
    if verdict == "claim" or conflict is not None:
        for other in look.others:
            # An expired claim of another state of this subject must not complete after this one.
            if other is not place:
                db.execute(sql.overtake, (_LATE, other.key, other.first, other.digest))
        attempt = (place.attempts if place else 0) + request.handled
        within = within and ("effect" if conflict is None else "conflict") in request.within
        conflicting = 0 if within else AGAIN if request.again else int(conflict is not None)
        status_now: Status = "done" if within else "claimed"
        mine = None if within and not sql.held else owner
        _put(db, sql, request, first, place, status_now, now, owner=mine, attempts=attempt, conflicting=conflicting)
        effect = effect_of(look.memory)
        return Granted(attempt, conflict, (effect.state or None) if effect else None, within)
    refusal, status, why = REFUSED[verdict]
    if status is not None and (place is None or place.status != status):
        _put(db, sql, request, first, place, status, now, why=request.foreign or why)
        if status == "stale":
            db.execute(sql.book.remember, moved_by(request, "stale"))
    elif place is not None and place.keep_until < now + request.keep:
        db.execute(sql.renew, (keep_until(request, now), request.key, request.digest, now + request.keep))
    return refusal


def _found(db: Transaction, sql: Statements, request: ClaimRequest, lock: str = "") -> Found:
    records, memory = looked_for(request)
    return db.execute(sql.records + lock, records).fetchall(), db.execute(sql.memory, memory).fetchall()


def _look(sql: Statements, request: ClaimRequest, now: int, rows: Found) -> _Look:
    found = [*map(Record._make, rows[0])]
    ours = [one for one in found if one.key == request.key and (one.first or one.digest == request.digest)]
    record = next((one for one in ours if one.first), None)
    beside = next((one for one in ours if not one.first), None)
    memory: list[Remembered] = []
    for text, state in cast("Sequence[tuple[str, str | None]]", rows[1]):
        memory += [] if state is None else [Remembered(state, "shown", 0)]
        memory += read(text)
    if request.state is not None:
        kept = (one for one in found if one.first and one.status not in ("done", "stale"))
        memory += [Remembered(one.state or "", "kept", one.notify_time, "yes", one.key, one.digest) for one in kept]
    others = [one for one in found if one.status == "claimed"]
    busy = any(not expired(now, one.claimed_at, one.lease_until) for one in others)
    return _Look(judge(request, record, beside, memory, busy, now), record, beside, memory, others)


def _put(
    db: Transaction, sql: Statements, request: ClaimRequest, first: int, there: Record | None, status: Status, now: int, *, why: str = "",
    owner: str | None = None, attempts: int | None = None, conflicting: int = 0,
) -> None:  # fmt: skip
    """Write a record with the content of this request, in place of the existing one."""
    if attempts is None:
        attempts = there.attempts if there else 0
    body = None if status in ("stale", "done") or request.again else request.raw
    lease = (now, now + request.lease) if status == "claimed" else (0, 0)
    held = (owner if status == "done" else None,) * sql.held
    columns = (*held, status, conflicting, attempts, owner, *lease, keep_until(request, now), request.notify_time)
    if there is not None:
        db.execute(sql.put, (request.digest, *columns, now, why, body, request.key, first, there.digest))
    else:
        state = (request.kind, request.state)
        about = (request.key, request.written, first, request.digest, request.subject, *state)
        db.execute(sql.insert, (*about, *columns, now, now, why, body))


def addressed(db: Transaction, sql: Statements, key: str, digest: str | None, lock: str = "") -> Record | None:
    """Return the key's own record, or with a digest the one with that content; None if there is none."""
    rows = map(Record._make, db.execute(sql.addresses + lock, (key, folded_key(key))).fetchall())
    return next((one for one in rows if (one.first if digest is None else one.digest == digest)), None)


def moved(
    about: str, state: str | None, notify_time: int, key: str, digest: str, source: Source = "handled"
) -> tuple[object, ...]:
    """Return the parameters of the statement that writes a state into the memory of its item."""
    return (*item_of(about), line(Remembered(state or "", source, notify_time, "yes", key, digest)))


def moved_by(request: ClaimRequest, source: Source) -> tuple[object, ...]:
    """Return the parameters of `moved` for a notification."""
    return moved(request.about, request.state, request.notify_time, request.shown, request.digest, source)


def write_done(
    db: Transaction, sql: Statements, request: ClaimRequest, conflict: Conflict | None, mark: tuple[object, ...],
    now: Callable[[Transaction], int],
) -> bool:  # fmt: skip
    """Write that a notification had its effect, or that its conflict was handled, also into the memory of its item.

    `mark` are the parameters of `done`, none for a record that is done already. Return False if it is not held any more.
    """
    effect = conflict is None and not request.again
    if effect and sql.held:  # one statement writes both, at the time of the database, or fails
        return db.execute(sql.moved, (*mark, *moved_by(request, "handled"))).rowcount == 1
    if mark and db.execute(sql.done, mark).rowcount != 1:
        return False
    if effect:
        db.execute(sql.moved, (*moved_by(request, "handled"), *(() if sql.lock else (now(db),))))
    elif conflict is not None:
        db.execute(sql.book.remember, moved_by(request, "decided" if conflict.what == "state" else "other"))
    return True


def discarded(db: Transaction, sql: Statements, key: str, digest: str | None, now: int, as_: Source, why: str) -> bool:
    """Mark a record done by hand, and advance its subject. Return False if it is not there, done, or being handled."""
    found = addressed(db, sql, key, digest, sql.lock)
    if found is None or found.conflicting == AGAIN:
        return False
    gone = found.status == "claimed" and expired(now, found.claimed_at, found.lease_until)
    if not gone and TABLE["discard", found.status].answer == "False":
        return False
    db.execute(sql.discard, (why, now, *found.row))
    source: Source = "decided" if found.status == "conflict" or found.conflicting else as_
    about = found.key if found.state is None else found.subject
    known = (about, found.state, found.notify_time, found.key, found.digest, source if found.first else "other")
    db.execute(sql.book.remember, moved(*known))
    return True


def entries(
    db: Transaction, sql: Statements, now: int, *, status: str | None, key: str | None, most: int
) -> list[Entry]:
    """Return at most `most` records, the last changed first."""
    if key is None:
        rows = db.execute(sql.list, (*bounds(now), status, most)).fetchall()
    elif "/" not in key:  # a number, as people say it: any letters
        like = key.lower().replace("!", "!!").replace("%", "!%25").replace("_", "!_")
        rows = db.execute(sql.list_number, (*bounds(now), key, f"%/{like}/%", f"%/{like}", status, most)).fetchall()
    else:
        rows = db.execute(sql.list_key, (*bounds(now), key, folded_key(key), status, most)).fetchall()
    found: list[Entry] = []
    for *values, notify_time, first_at, changed_at, gone in cast("Iterable[Sequence[Any]]", rows):
        one = Entry._make((*values, *map(at_micros, (notify_time, first_at, changed_at))))
        found.append(one._replace(own=bool(one.own), why=died(one.attempts) if gone else one.why))
    return found


def counted(db: Transaction, sql: Statements, now: int, older_than: timedelta) -> dict[Status, int]:
    """Count the records of each status: all, or with `older_than` those first delivered at least so long ago."""
    rows = db.execute(sql.counts, (*bounds(now), youngest(now, older_than))).fetchall()
    found = dict(cast("Iterable[tuple[Status, int]]", rows))
    return {status: found.get(status, 0) for status in STATUSES}
