"""Claims of deliveries, shared by the ledgers in databases: how one is granted by the records, and how it ends.

A claim is judged inside a transaction that excludes other claims of the same subject. `now` is always the ledger's own time in
microseconds since 1970, read inside that transaction.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, NamedTuple, Self, TypeAlias, TypeVar, cast

from paywright_receiver.items.delivery_verdict import REFUSED, Judgement, Record, contradicted, judge, keep_until
from paywright_receiver.items.leases import expired
from paywright_receiver.items.ledger import ClaimRequest, Conflict, Refusal, Status, Transaction
from paywright_receiver.items.open_items import item_of
from paywright_receiver.items.state_memory import Remembered, Source, effect_of, line, read
from paywright_receiver.ledgers.sql.sql_database import ENDED, NOT_BEGUN, OVER, SqlDatabase
from paywright_receiver.ledgers.sql.statements import AGAIN, Statements
from paywright_runtime.errors import ClaimLost, LedgerProblem, TransactionEnded

_INHERITED: Final[list[object]] = []
LONGEST_WHY: Final = 10_000
Rows: TypeAlias = Sequence[tuple[object, ...]]
Found: TypeAlias = tuple[Rows, Rows]
L = TypeVar("L", bound=SqlDatabase, covariant=True)
D = TypeVar("D", covariant=True)
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


def moved(about: str, state: str | None, notify_time: int, key: str, digest: str, source: Source) -> tuple[object, ...]:
    """Return the parameters of the statement that writes a state into the memory of its item."""
    return (*item_of(about), line(Remembered(state or "", source, notify_time, "yes", key, digest)))


class SqlClaim(ABC, Generic[L, D]):
    """A granted claim. Exactly one of `complete` and `release` ends it; otherwise it expires with its lease.

    `attempt` counts how often a handler began with this notification, this time included. `conflict` is what the notification
    contradicts, if it is for the handler of conflicts. `was` is the state of the same subject that had its effect before; None if
    none had, or none was reported.
    """

    def __init__(self, ledger: L, sql: Statements, request: ClaimRequest, owner: str) -> None:
        self._ledger = ledger
        self._db: D | None = None  # the session, while there is a transaction
        self._sql = sql
        self._request = request
        self._owner = owner
        self._handed: object = None  # the connection that the handler has
        self._refused = self._within = False
        self._process = os.getpid()
        self.attempt: int = 0
        self.conflict: Conflict | None = None
        self.was: str | None = None

    def begin(self) -> Self | Refusal:
        """Judge the request. Return the claim if it is granted, in its transaction if its handler acts only within."""
        try:
            found = self._granted()
            if isinstance(found, str) or not found.within:
                self._commit()
        except BaseException:
            self._end()
            raise
        if not isinstance(found, str):
            self.attempt, self.conflict, self.was, self._within = found
        if not self._within:
            self._end(ended=True)
        return found if isinstance(found, str) else self

    def _granted(self, tries: int = 3) -> Granted | Refusal:
        """Judge the request, and again if that was undone; one that acts only within its transaction waits for nobody."""
        try:
            return self._judged()
        except Exception as error:
            self._end(error=error)
            met = self._ledger._collision(error)
            if met == "held" and self._request.within:
                return "in_progress"
            if met != "undone" or tries == 1:
                raise
        return self._granted(tries - 1)

    @property
    def transaction(self) -> Transaction:
        """Return the handler's transaction, which begins on first access, or with the claim if its handler acts only within.

        Raises `ClaimLost` if the claim was taken over.
        """
        self._check_process()
        if self._handed is None:
            if self._db is None:
                if self._within:
                    raise TransactionEnded(key=self._request.shown, why=OVER)
                self._refused = True  # until it has begun
                try:
                    with self._ledger.problems():
                        if not self._look():
                            raise self._lost()
                except BaseException:
                    self._end()
                    raise
                self._refused = False
            self._handed = self._hand_over()
        return cast(Transaction, self._handed)

    def complete(self, also: Callable[[Transaction], object] | None = None) -> None:
        """Mark the record done and commit it with what was written through `transaction`. Raises `ClaimLost`.

        `also` is called before the commit, to update the open items of the same ledger [`paywright_receiver.items.open_items`].
        """
        self._check_process()
        try:
            with self._ledger.problems():
                ours = self._handed is None and not self._within
                try:
                    why = "" if ours else self._take_back()
                    if not why and not self._done(also):
                        if ours or not self._sql.held:
                            raise self._lost()
                        why = ENDED  # the row has been locked since then
                except Exception as error:
                    why = self._ended_by(error)
                    if not why:
                        raise
            if why:
                raise TransactionEnded(key=self._request.shown, why=why)
        except BaseException:
            self._end()
            raise
        self._end(ended=True)

    def _done(self, also: Callable[[Transaction], object] | None) -> bool:
        """Write the record as done, with what else belongs to it, and commit. Return False if it is not held any more."""
        db = self._open()
        if not self._written(db):
            return False
        if self._refused:
            raise TransactionEnded(key=self._request.shown, why=NOT_BEGUN)
        if also is not None:
            also(db)
        self._commit()
        return True

    def _written(self, db: Transaction) -> bool:
        """Write that the notification had its effect, or that its conflict was handled, also into the memory of its item."""
        sql, mark, conflict = self._sql, self._mark(), self.conflict
        effect = conflict is None and not self._request.again
        if effect and sql.held:  # one statement writes both, at the time of the database, or fails
            return db.execute(sql.moved, (*mark, *self._moved("handled"))).rowcount == 1
        if mark and db.execute(sql.done, mark).rowcount != 1:
            return False
        if effect:
            db.execute(sql.moved, (*self._moved("handled"), *(() if sql.lock else (self._ledger._now(db),))))
        elif conflict is not None:
            db.execute(sql.book.remember, self._moved("decided" if conflict.what == "state" else "other"))
        return True

    def release(self, status: Status, why: str) -> None:
        """Roll back what was written and keep the record, with its body, to be tried again. A conflict stays a conflict."""
        self._check_process()
        why = self._ledger._fit(self._spoilt() or why, LONGEST_WHY)
        ended = status, why, self._request.key, self._owner
        self._end()
        if not self._within:
            self._ledger._release(*ended)
            return
        # Its record was rolled back too: write it, unless another delivery had the effect meanwhile.
        with self._ledger._writing() as db:
            now = self._ledger._locked(db, self._request.subject)
            if not isinstance(self._claimed(db, now, within=False), str):
                db.execute(self._sql.release, ended)

    def __del__(self) -> None:
        if self._db is not None and self._process == os.getpid():  # an interrupt came between two steps
            self._end()

    def _check_process(self) -> None:
        """Raise `LedgerProblem` if the claim was granted to another process, of which this one is a fork."""
        if self._process != os.getpid():
            _INHERITED.append(self)  # its end, if it were collected, would be the end of the parent's transaction
            raise LedgerProblem(
                f"The handler of {self._request.shown} has forked, and its copy in the child has come to an end too. It writes "
                "nothing and acknowledges nothing; the handler of the parent does. End such a child with os._exit, or start "
                "processes outside of handlers."
            )

    def _lost(self) -> ClaimLost:
        return ClaimLost(
            f"{self._request.shown} was taken over: its handler took longer than the receiver's lease. What it wrote here is "
            "undone, and it was not acknowledged."
        )

    @property
    def _session(self) -> D:
        assert self._db is not None
        return self._db

    def _judged(self) -> Granted | Refusal:
        """Begin the transaction, judge the request in it and write the result."""
        within = bool(self._request.within)
        db = self._open(self._request.lease if within else None)
        now = self._ledger._locked(db, self._request.subject, at_once=within)
        return self._claimed(db, now, within=within)

    def _look(self) -> bool:
        """Begin the transaction, and return whether the record is still claimed by this claim."""
        return self._open(0).execute(self._sql.mine, (self._request.key, self._owner)).fetchone() is not None

    @abstractmethod
    def _hand_over(self) -> object:
        """Guard the transaction, and return the connection for the handler."""

    def _take_back(self) -> str:
        """Take the connection from the handler. Return why what it wrote cannot be committed; "" if it can."""
        return self._spoilt(tried=False)

    @abstractmethod
    def _ended_by(self, error: Exception) -> str:
        """Return why an error of the database at the end is one of what the handler did; "" for any other."""

    def _open(self, idle: int | None = None) -> Transaction:
        """Return what runs statements in the transaction, which begins unless it has."""
        if self._db is None:
            self._db = self._begun(idle)
        return self._ledger.runs(self._db)

    def _begun(self, idle: int | None) -> D:
        """Begin the transaction. If a handler gets it, `idle` is for how many microseconds it may do nothing, 0 without a limit."""
        return cast(D, self._ledger.begin())

    def _mark(self) -> tuple[object, ...]:
        """Return the parameters of the statement `done`, none if nothing is left to be done."""
        return () if self._within else (self._request.key, self._owner)

    def _commit(self) -> object:
        return self._db is None or cast(Any, self._db).commit()

    @abstractmethod
    def _spoilt(self, *, tried: bool = True) -> str:
        """Return why the handler's transaction has ended, or if `tried` counts, that it tried to end it; "" if neither."""

    def _end(self, *, ended: bool = False, error: BaseException | None = None) -> None:
        """Give the session back, if there is one, whose transaction has `ended`, or is rolled back."""
        db, self._db, self._handed = self._db, None, None
        if db is not None:
            self._ledger.end(db, ended=ended, error=error)

    # Granting

    def _begun_afresh(self, now: tuple[int, ...], *, within: bool) -> tuple[Granted, tuple[object, ...]]:
        """Return the claim of which nothing is known, and the parameters of `fresh`; `now` is empty if the database has a clock."""
        request, sql = self._request, self._sql
        within = within and "effect" in request.within
        lives, mine = int(not within), None if within and not sql.held else self._owner
        held: tuple[object, ...] = (mine if within else None,) * sql.held
        about = (request.key, request.written, request.digest, request.subject, request.kind, request.state)
        records, memory = self._looked_for()
        values = (
            *records, *memory, *about, *held, "done" if within else "claimed", int(request.handled), mine, lives, lives, lives * request.lease,
            keep_until(request, 0), request.notify_time, None if within else request.raw, *now,
        )  # fmt: skip
        return Granted(int(request.handled), None, None, within), values

    def _claimed(self, db: Transaction, now: int, found: Found | None = None, *, within: bool) -> Granted | Refusal:
        """Judge the request and write the result: grant the claim to its owner, or return why not.

        `found` are the rows of `records` and `memory`, if they were read before. With `within`, the record of a handler that writes
        only in this transaction is done at once.
        """
        request, sql = self._request, self._sql
        if found is None and not (request.foreign or request.again):
            granted, values = self._begun_afresh(() if sql.lock else (now,), within=within)
            if db.execute(sql.fresh, values).rowcount == 1:
                return granted
        look = self._looked(now, self._found(db) if found is None else found)
        conflict = contradicted(request, look.verdict, look.record, look.memory)
        if sql.lock and (look.verdict == "claim" or conflict is not None) and (look.record or look.others):
            # An expired claim may be committing right now: read again when it has ended. One within waits for nobody.
            look = self._looked(now, self._found(db, f"{sql.lock} NOWAIT" if within else sql.lock))
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
            mine = None if within and not sql.held else self._owner
            self._put(db, first, place, status_now, now, owner=mine, attempts=attempt, conflicting=conflicting)
            effect = effect_of(look.memory)
            return Granted(attempt, conflict, (effect.state or None) if effect else None, within)
        refusal, status, why = REFUSED[verdict]
        if status is not None and (place is None or place.status != status):
            self._put(db, first, place, status, now, why=request.foreign or why)
            if status == "stale":
                db.execute(sql.book.remember, self._moved("stale"))
        elif place is not None and place.keep_until < now + request.keep:
            db.execute(sql.renew, (keep_until(request, now), request.key, request.digest, now + request.keep))
        return refusal

    def _looked_for(self) -> tuple[tuple[object, ...], tuple[object, ...]]:
        """Return the parameters of the statements `records` and `memory`."""
        request = self._request
        return (request.key, request.digest, request.subject), item_of(request.about)

    def _found(self, db: Transaction, lock: str = "") -> Found:
        records, memory = self._looked_for()
        return db.execute(self._sql.records + lock, records).fetchall(), db.execute(self._sql.memory, memory).fetchall()

    def _looked(self, now: int, rows: Found) -> _Look:
        request, found = self._request, [*map(Record._make, rows[0])]
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
        self, db: Transaction, first: int, there: Record | None, status: Status, now: int, *, why: str = "", owner: str | None = None,
        attempts: int | None = None, conflicting: int = 0,
    ) -> None:  # fmt: skip
        """Write a record with the content of this request, in place of the existing one."""
        request, sql = self._request, self._sql
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

    def _moved(self, source: Source) -> tuple[object, ...]:
        """Return the parameters of the statements that write the state of the notification into the memory of its item."""
        one = self._request
        return moved(one.about, one.state, one.notify_time, one.shown, one.digest, source)
