"""The ledger in a SQLite file: standard library only, for threads and processes of one machine.

It takes three short steps, each durable before the next: claim, handle, done. `event.transaction` is the one that marks the record
done, and holds the file's only write lock to its end; `in_one_transaction` no claim is written before.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import randbits
from typing import ClassVar, Final

from paywright_receiver.items.ledger import ClaimRequest, Refusal, Transaction
from paywright_receiver.items.times import micros
from paywright_receiver.ledgers.sql.delivery_claims import Granted, SqlClaim
from paywright_receiver.ledgers.sql.sql_database import BROKEN, ENDED, LONG, TRIED
from paywright_receiver.ledgers.sql.sql_ledger import Claim, Ledger
from paywright_receiver.ledgers.sql.statements import Statements, check_tables, no_ledger
from paywright_receiver.ledgers.sqlite_connections import GuardedConnection, SqliteConnections
from paywright_runtime.argument_types import is_number
from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.errors import InvalidArgument, LedgerProblem
from paywright_runtime.private_files import hold_private
from paywright_runtime.tracebacks import interrupts

_SQL: Final = Statements()
# How many references there are to an object; a random number where nothing counts them.
_references: Callable[[object], int] = getattr(sys, "getrefcount", lambda _: randbits(62))
_DAMAGED: Final = (
    "is damaged. Stop every process that uses it, copy it with its -wal and -shm, and put a backup in its place; without one "
    "begin with a new ledger: docs/ledger.md says how, and what could happen twice."
)
_ADVICE: Final = {
    sqlite3.SQLITE_CORRUPT: f" It {_DAMAGED}",
    sqlite3.SQLITE_NOTADB: f" If another file was meant, name that one; otherwise this {_DAMAGED}",
}


class _Claim(SqlClaim["SqliteLedger", GuardedConnection]):
    _references = 0

    def _judged(self) -> Granted | Refusal:
        found = super()._judged()
        if not isinstance(found, str) and found.within:
            self._session.guard()
            self._ledger._connections.watch.hold(self._session.end_late)
        return found

    def _hand_over(self) -> GuardedConnection:
        self._session.guard()
        self._handed = self._db
        self._references = _references(self._db)
        return self._session

    def _take_back(self) -> str:
        if self._handed is not None and _references(self._db) != self._references:
            self._session.leaves = True  # somebody still has it, or a cursor of it
        self._ledger._connections.watch.let_go()
        self._ledger._connections.check()  # the handler may have taken long
        ended = super()._take_back()
        if not ended:
            self._session.unguard()
        return ended

    def _ended_by(self, error: Exception) -> str:
        # The ledger's tables have no deferred constraints.
        return BROKEN if isinstance(error, sqlite3.IntegrityError) else ""

    def _spoilt(self, *, tried: bool = True) -> str:
        if (self._handed is None and not self._within) or self._db is None:
            return ""
        if self._db.late:
            return LONG
        return TRIED if tried and self._db.tried else ENDED if self._db.ended else ""


class SqliteLedger(Ledger):
    """A ledger in a file, which may be the database of your own tables.

    Args:
        path: the file; created, readable by its owner only, if it does not exist. An existing one keeps its mode; a warning is
            logged under `paywright.files` if others can read it. It must be on a disk of this machine: SQLite's locks do not
            work on network file systems.
        create: whether to create the file and its tables if they do not exist. With False nothing is created, and
            `LedgerProblem` names what is missing: for programs that only read.
        timeout: seconds to wait for other writers before `LedgerProblem`.
        clock: the clock of leases and ages; by default the machine's, which all processes that share the file have in common.

    If your tables are in the same file, a handler writes to both in one transaction. The body of a notification is kept
    until it is done, unencrypted. It may contain personal data. Every commit is on disk before it counts (WAL,
    synchronous=FULL). Threads and processes may share it. Before the process forks, its connections are closed, after
    waiting up to `timeout` seconds for those in use. A child that was forked earlier, such as by a handler, cannot use
    the file. Raises `LedgerProblem` if the file cannot be used, also if it was moved, deleted or replaced in the meantime.
    """

    _CLAIM = _Claim
    _DRIVER = (lambda one: isinstance(one, sqlite3.Connection), "sqlite3.Connection")
    _durable: ClassVar[bool] = True
    _PAUSE = 0.005  # whoever waits for the file looks again only now and then, and must not find it taken

    def __init__(
        self, path: Path | str, *, timeout: float = 10.0, clock: Clock | None = None, create: bool = True
    ) -> None:
        text = str(path) if isinstance(path, (str, os.PathLike)) else ""
        if text in ("", ":memory:") or "\x00" in text:
            raise InvalidArgument("SqliteLedger is a file, which processes share. MemoryLedger is for tests.")
        if not is_number(timeout) or not timeout > 0:
            raise InvalidArgument("timeout is in seconds and above 0.")
        self._path = Path(path).absolute()
        self._timeout = timeout
        self.clock: Clock = SystemClock() if clock is None else clock
        super().__init__()
        opened = f"opened at {str(self._path)!r}"  # a relative path may have begun in an unexpected folder
        if create:
            with self.problems(opened):
                hold_private(self._path)
        elif not self._path.is_file():
            raise no_ledger(str(self._path))
        else:  # by a plain connection: the others would change the journal mode of a file that is no ledger
            with self.problems("opened"), closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)) as db:
                self._check_tables(db, make=False)
        with self.problems(opened):
            self._connections = SqliteConnections(self._path, timeout, durable=self._durable)
        if create:
            with self._writing() as db:
                self._check_tables(db, make=True)
            self.close()  # keep no connection open before the first use, which may follow a fork

    def _check_tables(self, db: Transaction, *, make: bool) -> None:
        rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'", ()).fetchall()
        check_tables(db, _SQL, [str(name) for (name,) in rows], str(self._path), make=make)

    def __repr__(self) -> str:
        return f"SqliteLedger({str(self._path)!r})"

    def acquire(self, request: ClaimRequest, /) -> Claim | Refusal:
        """Grant a claim, or return why not."""
        self._connections.delivers()
        return super().acquire(request)

    def _statements(self, *, make: bool = False) -> Statements:
        return _SQL  # the tables were made, or looked at, at the start

    def _follows(self, runs: bool) -> None:
        self._connections.follows(runs)

    def _now(self, db: Transaction) -> int:
        return micros(self.clock.now())

    def check_whole(self) -> None:
        """Raise `LedgerProblem` if the file is damaged, also in a part that was not used [PRAGMA quick_check]."""
        with self._reading() as db:
            (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise LedgerProblem(f"The ledger's file could not be read: {str(found).splitlines()[0]}. It {_DAMAGED}")

    def close(self) -> None:
        """Close idle connections. The ledger opens new ones when it is used again."""
        self._connections.close()

    # Connections and transactions

    def _cursor(self, db: sqlite3.Connection) -> sqlite3.Cursor:
        cursor = db.cursor()
        cursor.row_factory = None
        return cursor

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Cursor]:
        with self.problems("read"):
            db = self._connections.take()
            try:
                yield db.own
            except BaseException:
                self._connections.drop(db)
                raise
            self._connections.give(db)

    def begin(self) -> GuardedConnection:
        """Return a connection inside a write transaction. Threads queue here, so that only processes wait in SQLite."""
        writing = self._connections.writing
        if not writing.acquire(timeout=self._timeout):
            raise LedgerProblem(f"The ledger is busy: another thread has written for {self._timeout:g} seconds.")
        db: GuardedConnection | None = None
        try:
            db = self._connections.take()
            db.own.execute("BEGIN IMMEDIATE")
        except BaseException:
            if db is not None:
                self._connections.drop(db)
            writing.release()
            raise
        return db

    def _problem(self, error: BaseException, what: str) -> LedgerProblem | None:
        if not isinstance(error, (sqlite3.Error, OSError)) or interrupts(error):
            return None
        said = str(error) if isinstance(error, sqlite3.Error) else error.strerror  # which name tables and files
        advice = _ADVICE.get(getattr(error, "sqlite_errorcode", 0), "")
        return LedgerProblem(f"The ledger's file could not be {what}: {said}.{advice}")

    def end(self, db: GuardedConnection, *, ended: bool, error: BaseException | None = None) -> None:
        """Give a connection of `begin` back whose transaction has `ended`. Otherwise it is closed, and uncommitted changes are lost."""
        self._connections.watch.let_go()
        # In a child that a handler forked, neither the connection nor the lock may be used.
        if self._connections.give(db) if ended else self._connections.drop(db):
            self._connections.writing.release()

    def runs(self, db: GuardedConnection) -> sqlite3.Cursor:
        """Return the cursor of the ledger's own statements."""
        return db.own
