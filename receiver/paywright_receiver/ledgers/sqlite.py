"""The ledger in a SQLite file: the standard library alone, for threads and processes of one machine.

Three short steps, each durable before the next: claim, handle, done. A handler that looks at `event.transaction` writes in
the same transaction that says "done"; it waits for the file's one writer from that look to its end, and no sooner.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from time import sleep
from typing import Final

from paywright_receiver.forking import same_process
from paywright_receiver.records import (
    GivingBack,
    Granted,
    addressed,
    claimed,
    counted,
    duplicate,
    entries,
    look_at_tables,
    make_tables,
    no_ledger,
    settled,
)
from paywright_receiver.sqlite_connections import GuardedConnection, SqliteConnections
from paywright_receiver.statements import Statements
from paywright_receiver.transaction_guard import BROKEN, ENDED, REFUSED, TRIED
from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.errors import ClaimLost, InvalidArgument, LedgerProblem, TransactionEnded
from paywright_runtime.ledger import Claim, Entry, Held, Refusal, Status, micros

__all__ = ["SqliteLedger"]

_SQL: Final = Statements()
_PAUSE: Final = 0.005
"""Seconds between two portions: whoever waits for the file looks again only now and then, and must not find it taken."""


class SqliteLedger:
    """Remembers in a file, which may be the database of your own tables: then a handler writes to both at once.

    Args:
        path: the file; made, for its owner alone, if it is not there. On a disk of this machine: SQLite's locks do not hold
            on network file systems, and neither would this.
        create: whether the file and the tables in it are made if they are not there, and brought up to date if they are
            old. With False nothing is, and `LedgerProblem` says what is missing: for programs that only look.
        timeout: seconds to wait for other writers before `LedgerProblem`.
        clock: what leases and ages go by; the machine's by default, which all processes that share the file have.

    The body of a notification is kept while it is not done, as it came and not encrypted. It may hold a person's data.
    Every commit is on the disk before it counts (WAL, synchronous=FULL). Threads and processes may share it. Before a fork
    of the process its connections are closed, once what is under way has ended, for which the fork waits up to `timeout`
    seconds; a child that was forked earlier, such as by a handler, cannot use the file. Raises `LedgerProblem` if the file
    cannot be used, also if it was moved, deleted or replaced meanwhile.
    """

    def __init__(
        self, path: Path | str, *, timeout: float = 10.0, clock: Clock | None = None, create: bool = True
    ) -> None:
        if str(path) == ":memory:" or not str(path):
            raise InvalidArgument("SqliteLedger is a file, which processes share. MemoryLedger is for tests.")
        if not timeout > 0:
            raise InvalidArgument("timeout is in seconds and above 0.")
        self._path = Path(path).absolute()
        self._timeout = timeout
        self.clock: Clock = SystemClock() if clock is None else clock
        self.giving_back = GivingBack(self._given_back)
        if create:
            with _told("opened"), suppress(FileExistsError):
                os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        else:
            self._look_at_file()
        with _told("opened"):
            self._connections = SqliteConnections(self._path, timeout)
        if create:
            with self._write() as db:
                self._with_tables(make_tables, db)
            self.close()  # nothing is open before the first use, which may be behind a fork

    def _look_at_file(self) -> None:
        if not self._path.is_file():
            raise no_ledger(str(self._path))
        # Not a connection as the others are: those would turn a file that is no ledger to another journal.
        with _told("opened"), closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)) as db:
            self._with_tables(look_at_tables, db)

    def _with_tables(self, work: Callable[..., None], db: sqlite3.Connection) -> None:
        there = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()}
        records, version = "paywright_notifications" in there, "paywright_schema" in there
        work(db, _SQL, records=records, version=version, where=str(self._path))

    def __repr__(self) -> str:
        return f"SqliteLedger({str(self._path)!r})"

    # What a receiver asks

    def claim(self, claim: Claim, /) -> Held | Refusal:
        self.giving_back.make_up()
        with self._read() as db:
            if duplicate(db, _SQL, claim, self._now()):
                return "duplicate"
        owner, _ = os.urandom(12).hex(), claim.digest  # both before others are kept waiting
        with self._write() as db:
            found = claimed(db, _SQL, claim, owner, self._now())
        return found if isinstance(found, str) else _Held(self, claim, owner, found)

    def list(self, *, status: str | None = None, key: str | None = None, most: int = 200) -> Sequence[Entry]:
        """Records, the last changed first; `status` is a word of `paywright_runtime.ledger.STATUSES`."""
        with self._read() as db:
            return entries(db, _SQL, self._now(), status=status, key=key, most=most)

    def counts(self, *, older_than: timedelta = timedelta(0)) -> Mapping[Status, int]:
        with self._read() as db:
            return counted(db, _SQL, self._now(), older_than)

    def body(self, key: str, /, digest: str | None = None) -> bytes | None:
        with self._read() as db:
            found = addressed(db, _SQL, key, digest)
            row = None if found is None else db.execute(_SQL.body, found.row).fetchone()
        return None if row is None or row[0] is None else bytes(row[0])

    def settle(self, key: str, /, digest: str | None = None) -> bool:
        with self._write() as db:
            return settled(db, _SQL, key, digest, self._now())

    def release(self, key: str, /, digest: str | None = None) -> bool:
        with self._write() as db:
            found = addressed(db, _SQL, key, digest)
            return found is not None and db.execute(_SQL.release, found.row).rowcount == 1

    def forget(self, before: datetime, /) -> int:
        limit, gone = micros(before), 0
        while True:
            with self._write() as db:
                old = (limit, self._now())
                some = db.execute(_SQL.forget, (*old, *old)).rowcount
            if not some:
                return gone
            gone += some
            sleep(_PAUSE)

    def _given_back(self, claim: tuple[str, str, str, str]) -> None:
        with self._write() as db:
            db.execute(_SQL.given_back, claim)

    def _now(self) -> int:
        return micros(self.clock.now())

    def close(self) -> None:
        """Close the connections that are not in use. The ledger opens new ones when it is asked again."""
        self._connections.close()

    # Connections and transactions

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with _told("read"):
            db = self._connections.take()
            try:
                yield db
            except BaseException:
                self._connections.drop(db)
                raise
            self._connections.give(db)

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with _told("written"):
            db = self.begin()
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                self.end(db, broken=True)
                raise
            self.end(db)

    def begin(self, *, guarded: bool = False) -> sqlite3.Connection:
        """A connection inside a transaction that writes. Threads queue here, so that only processes meet in the file."""
        writing = self._connections.writing
        if not writing.acquire(timeout=self._timeout):
            raise LedgerProblem(f"The ledger is busy: another thread has written for {self._timeout:g} seconds.")
        db: sqlite3.Connection | None = None
        try:
            db = self._connections.take(guarded)
            db.execute("BEGIN IMMEDIATE")
        except BaseException:
            if db is not None:
                self._connections.drop(db)
            writing.release()
            raise
        return db

    def check(self) -> None:
        """Raise `LedgerProblem` where the file is not the one it was, or was open across a fork."""
        self._connections.check()

    def end(self, db: sqlite3.Connection, *, broken: bool = False) -> None:
        """Give a connection of `begin` back; a broken one is closed, and what it has not committed is gone."""
        # In a child that a handler forked, neither the connection nor the lock is ours.
        if self._connections.drop(db) if broken else self._connections.give(db):
            self._connections.writing.release()


class _Held:
    """A granted claim; its transaction begins when somebody looks at it."""

    __slots__ = ("_claim", "_db", "_guarded", "_ledger", "_owner", "_process", "_refused", "attempt", "conflict")

    def __init__(self, ledger: SqliteLedger, claim: Claim, owner: str, granted: Granted) -> None:
        self._ledger = ledger
        self._claim = claim
        self._owner = owner
        self._db: sqlite3.Connection | None = None
        self._guarded: GuardedConnection | None = None  # the same, if the handler has it
        self._refused = False
        self._process = os.getpid()
        self.attempt, self.conflict = granted

    @property
    def transaction(self) -> sqlite3.Connection:
        same_process(self._process, self._claim.key)
        if self._guarded is None:
            self._refused = True  # until there is one
            self._guarded = self._looked()
            self._refused = False
        return self._guarded

    def _looked(self) -> GuardedConnection:
        with _told("written"):
            db = self._db = self._ledger.begin(guarded=True)
            try:
                if db.execute(_SQL.mine, (self._claim.key, self._owner)).fetchone() is None:
                    raise self._lost()
            except BaseException:
                self._end(broken=True)
                raise
        assert isinstance(db, GuardedConnection)
        db.guard()
        return db

    def finish(self) -> None:
        claim = self._claim
        same_process(self._process, claim.key)
        try:
            with _told("written"):
                if self._guarded is not None:
                    self._ledger.check()  # a handler takes its time
                    if self._guarded.ended:
                        raise TransactionEnded(key=claim.key, why=ENDED)
                    self._guarded.unguard()
                db = self._db = self._db or self._ledger.begin()
                if db.execute(_SQL.done, (claim.key, self._owner)).rowcount != 1:
                    raise self._lost()
                if self._refused:
                    raise TransactionEnded(key=claim.key, why=REFUSED)
                if claim.state is not None and self.conflict is None:
                    db.execute(_SQL.moved, (claim.subject, claim.state, claim.notify_time, claim.key))
                self._committed(db)
        except BaseException:
            self._end(broken=True)
            raise
        self._end()

    def _committed(self, db: sqlite3.Connection) -> None:
        try:
            db.execute("COMMIT")
        except sqlite3.IntegrityError:  # of the handler's tables: ours have no constraint that waits for the commit
            raise TransactionEnded(key=self._claim.key, why=BROKEN) from None

    def give_back(self, status: Status, why: str) -> None:
        same_process(self._process, self._claim.key)
        if self._guarded is not None and (self._guarded.tried or self._guarded.ended):
            why = TRIED if self._guarded.tried else ENDED
        self._end(broken=True)
        self._ledger.giving_back.end(status, why, self._claim.key, self._owner)

    def _end(self, *, broken: bool = False) -> None:
        db, self._db, self._guarded = self._db, None, None
        if db is not None:
            self._ledger.end(db, broken=broken)

    def _lost(self) -> ClaimLost:
        return ClaimLost(
            f"{self._claim.key} was taken over: its handler took longer than the receiver's lease. What it wrote here is "
            "undone, and it was not acknowledged."
        )


@contextmanager
def _told(what: str) -> Iterator[None]:
    """SQLite's errors as one of our tree; its words name tables and files, never values."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        said = str(error) if isinstance(error, sqlite3.Error) else error.strerror
        problem = LedgerProblem(f"The ledger's file could not be {what}: {said}. Nothing was acknowledged.")
    else:
        return
    raise problem
