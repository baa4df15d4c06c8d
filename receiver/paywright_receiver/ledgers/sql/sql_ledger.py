"""Ledgers and their claims: everything but connections, locks and clocks."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from time import sleep
from typing import Any, ClassVar, Final, Generic, Literal, Self, TypeAlias, TypeVar, cast

from paywright_receiver.items.ledger import ClaimRequest, Conflict, Entry, Refusal, Status, Transaction
from paywright_receiver.items.times import micros
from paywright_receiver.ledgers.sql import delivery_claims as deliveries
from paywright_receiver.ledgers.sql.sql_database import ENDED, OVER, REFUSED, SqlDatabase
from paywright_receiver.ledgers.sql.sql_open_items import SqlBook
from paywright_receiver.ledgers.sql.statements import Statements
from paywright_runtime.errors import ClaimLost, LedgerProblem, TransactionEnded

_INHERITED: Final[list[object]] = []
_WHY: Final = 10_000
L = TypeVar("L", bound="Ledger", covariant=True)
D = TypeVar("D", covariant=True)
Claim: TypeAlias = "SqlClaim[Ledger, object]"
Collision: TypeAlias = Literal["held", "undone"]
"""held: another claim has what this one needs; undone: the database has undone it for another one, as after a deadlock."""


class Ledger(SqlDatabase):
    """The store in which a receiver records notifications: `SqliteLedger`, `PostgresLedger` or `MariaDbLedger`. Threads and processes may share one.

    A key alone means the key's own record. A key with a digest (64 hexadecimal digits, as `list` shows it) means the
    record with that content. Where the gateway does not tell capitals from small letters, the merchant's number in a key may be
    spelled either way; `list` shows it as the merchant wrote it. Every method raises `LedgerProblem` if the ledger cannot be used;
    then nothing is acknowledged.
    """

    _CLAIM: ClassVar[type[SqlClaim[Any, Any]]]

    _PAUSE: ClassVar[float] = 0.0
    """Seconds between two portions of `prune`, in which others use the database."""

    _ASKS: ClassVar[bool] = True
    """True if it looks for what was handled before it begins a claim."""

    def __init__(self) -> None:
        self._owed: set[tuple[str, ...]] = set()

    @property
    def book(self) -> SqlBook:
        """Return the items in the database: not kept, as a circle would keep connections open."""
        return SqlBook(self)

    def acquire(self, request: ClaimRequest, /) -> Claim | Refusal:
        """Grant a claim, or return why not. Every delivery of a notification extends how long its record is kept."""
        sql = self._statements(make=True)
        if self._owed:
            self._release()
        request = self._fitting(request)
        if self._ASKS:
            with self._reading() as db:
                if deliveries.duplicate(db, sql, request, self._now(db)):
                    return "duplicate"
        owner, _ = os.urandom(12).hex(), request.digest  # computed before taking the lock
        with self.problems():
            return self._CLAIM(self, sql, request, owner).begin()

    def _fitting(self, request: ClaimRequest) -> ClaimRequest:
        """Return a request whose texts the database can store."""
        return request

    def list(self, *, status: str | None = None, key: str | None = None, most: int = 200) -> Sequence[Entry]:
        """Return at most `most` records, the last changed first.

        Without arguments: of all records. With `status`: of that status, one of `paywright_receiver.items.ledger.STATUSES`. With
        `key`: the key's own and those kept beside it; with a number (no slash): of all keys that have it, in any letters.
        """
        sql = self._statements()
        with self._reading() as db:
            wanted = None if key is None else self._fit(key)
            return deliveries.entries(db, sql, self._now(db), status=status, key=wanted, most=most)

    def counts(self, *, older_than: timedelta = timedelta(0)) -> Mapping[Status, int]:
        """Return how many records there are of each status, 0 included.

        `older_than` counts only those first delivered at least so long ago. The time of the first delivery does not
        change when a record is delivered again or fails again. Raises `InvalidArgument` for a negative span.
        """
        sql = self._statements()
        with self._reading() as db:
            return deliveries.counted(db, sql, self._now(db), older_than)

    def body(self, key: str, /, digest: str | None = None) -> bytes | None:
        """Return the verified body of a record that is not done, or None."""
        sql = self._statements()
        with self._reading() as db:
            found = deliveries.addressed(db, sql, self._fit(key), digest)
            row = None if found is None else db.execute(sql.body, found.row).fetchone()
        return None if row is None or row[0] is None else bytes(cast(bytes, row[0]))

    def discard(self, key: str, /, digest: str | None = None) -> bool:
        """Mark one record done by hand, delete its body, and return True.

        A record that is being handled stays, and returns False.

        Its state counts from then on: a later delivery of the same state, or of an older one, has no effect.
        """
        return self.end_record(key, digest, "discarded", "discarded by hand")

    def end_record(self, key: str, digest: str | None, as_: Literal["discarded", "replayed"], why: str) -> bool:
        """Mark one record done, by hand or by a replay under another key, as `discard` says; `why` is recorded."""
        sql = self._statements()
        with self._writing() as db:
            found = deliveries.addressed(db, sql, self._fit(key), digest)
            if found is None:
                return False
            return deliveries.discarded(
                db, sql, found.key, digest, self._locked(db, found.subject), as_, self._fit(why, _WHY)
            )

    def release(self, key: str, /, digest: str | None = None) -> bool:
        """End a claim by hand and return whether there was one. Its holder's writes are rolled back."""
        sql = self._statements()
        with self._writing() as db:
            found = deliveries.addressed(db, sql, self._fit(key), digest)
            return found is not None and db.execute(sql.release_by_hand, found.row).rowcount == 1

    def identity(self, kind: str, by: str, /) -> str:
        """Return the identity of a kind's effects. If none is stored yet, store and return `by`.

        `kind` is that of a key: the merchant's number, a slash and the `notifyType`.
        """
        sql, kind = self._statements(make=True), self._fit(kind)
        with self._writing() as db:
            db.execute(sql.identify, (kind, by))
            return str(cast("tuple[object]", db.execute(sql.identity, (kind,)).fetchone())[0])

    def forget_identity(self, kind: str, /) -> str | None:
        """Forget the identity of a kind's effects, so that the next receiver's counts. Return it; None if there is none."""
        sql, kind = self._statements(), self._fit(kind)
        with self._writing() as db:
            row = db.execute(sql.identity, (kind,)).fetchone()
            db.execute(sql.forget_identity, (kind,))
        return None if row is None else str(row[0])

    def check_whole(self) -> None:
        """Raise `LedgerProblem` if the store is damaged, as far as it can tell. For monitoring: it may read the whole store."""
        self.counts()

    def prune(self, before: datetime, /) -> int:
        """Delete records that are done or stale and were last changed before `before`; return their count.

        A record is kept for the receiver's `max_age` and `max_ahead` after its last delivery, and as long as there is
        an open conflict beside it. Before that the same notification could arrive again and would count as a new one.

        It deletes in portions, each in its own transaction, so that deliveries do not wait for all of it. If the ledger
        fails in between, what was deleted stays deleted. Raises `InvalidArgument` for a time without an offset.
        """
        limit, gone, sql = micros(before), 0, self._statements()
        while True:
            with self._writing() as db:
                old = (limit, self._now(db))
                some = db.execute(sql.prune, (*old, *old)).rowcount
            if not some:
                return gone
            gone += some
            sleep(self._PAUSE)

    def _release(self, *ended: str) -> None:
        """Release a claim, durably, given status, why, key and owner. A record that has another owner is not changed.

        What cannot be written now, as without a connection, is written at the next claim: not only its lease ends it.
        """
        self._owed.update([ended] if ended else ())
        sql = self._statements()
        for one in tuple(self._owed):
            with self._writing() as db:
                db.execute(sql.release, one)
            self._owed.discard(one)

    def _write_failure(self, request: ClaimRequest, owner: str, status: Status, why: str) -> None:
        """Write a failed attempt whose transaction was rolled back, unless another delivery had the effect meanwhile."""
        sql = self._statements()
        with self._writing() as db:
            now = self._locked(db, request.subject)
            if not isinstance(deliveries.claimed(db, sql, request, owner, now, within=False), str):
                db.execute(sql.release, (status, self._fit(why, _WHY), request.key, owner))

    def _locked(self, db: Transaction, subject: str, *, at_once: bool = False) -> int:
        """Wait for other claims of the subject to be judged, or fail if they are not `at_once`; then return the ledger's time."""
        return self._now(db)

    def _collision(self, error: Exception) -> Collision | None:
        """Return what an error of the database says of other claims; None if it says nothing of them."""
        return None

    def _fit(self, text: str, longest: int | None = None) -> str:
        """Return a text as the database stores it: in an index, or in up to `longest` characters."""
        return text.encode(errors="backslashreplace").decode()  # half a character can be asked for, and is never stored


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

    def _granted(self, tries: int = 3) -> deliveries.Granted | Refusal:
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
            raise TransactionEnded(key=self._request.shown, why=REFUSED)
        if also is not None:
            also(db)
        self._commit()
        return True

    def _written(self, db: Transaction) -> bool:
        return deliveries.write_done(db, self._sql, self._request, self.conflict, self._mark(), self._ledger._now)

    def release(self, status: Status, why: str) -> None:
        """Roll back what was written and keep the record, with its body, to be tried again. A conflict stays a conflict."""
        self._check_process()
        why = self._spoilt() or why
        self._end()
        if self._within:
            self._ledger._write_failure(self._request, self._owner, status, why)
        else:
            self._ledger._release(status, self._ledger._fit(why, _WHY), self._request.key, self._owner)

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

    def _judged(self) -> deliveries.Granted | Refusal:
        """Begin the transaction, judge the request in it and write the result."""
        within = bool(self._request.within)
        db = self._open(self._request.lease if within else None)
        now = self._ledger._locked(db, self._request.subject, at_once=within)
        return deliveries.claimed(db, self._sql, self._request, self._owner, now, within=within)

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
