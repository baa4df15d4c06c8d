"""The ledger in a SQLite file: the standard library alone, for threads and processes of one machine.

Three short steps, each durable before the next: claim, handle, done. A handler that looks at `event.transaction` writes in
the same transaction that says "done"; it waits for the file's one writer from that look to its end, and no sooner.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Final, NoReturn

from paywright_receiver.records import Statements, claimed, duplicate, entries, micros
from paywright_runtime.errors import ClaimLost, InvalidArgument, LedgerProblem
from paywright_runtime.ledger import Claim, Entry, Held, Refusal, Status

__all__ = ["SqliteLedger"]

_SQL: Final = Statements()
# SQLite's own connections must not be closed in a child that inherited them: they are put here and left alone.
_INHERITED: Final[list[sqlite3.Connection]] = []


class SqliteLedger:
    """Remembers in a file, which may be the database of your own tables: then a handler writes to both at once.

    Args:
        path: the file; made, for its owner alone, if it is not there. On a disk of this machine: SQLite's locks do not hold
            on network file systems, and neither would this.
        timeout: seconds to wait for other writers before `LedgerProblem`.

    The body of a notification is kept while it is not done, as it came and not encrypted. It may hold a person's data.
    Every commit is on the disk before it counts (WAL, synchronous=FULL). Threads and processes may share it; after a fork
    the child opens connections of its own. Raises `LedgerProblem` if the file cannot be used.
    """

    def __init__(self, path: Path | str, *, timeout: float = 10.0) -> None:
        if str(path) == ":memory:" or not str(path):
            raise InvalidArgument("SqliteLedger is a file, which processes share. MemoryLedger is for tests.")
        if not timeout > 0:
            raise InvalidArgument("timeout is in seconds and above 0.")
        self._path = Path(path)
        self._timeout = timeout
        self._process = os.getpid()
        self._writing = Lock()
        self._idle: list[sqlite3.Connection] = []
        with _told("opened"), suppress(FileExistsError):
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with self._write() as db:
            for statement in _SQL.tables:
                db.execute(statement)

    def __repr__(self) -> str:
        return f"SqliteLedger({str(self._path)!r})"

    # What a receiver asks

    def claim(self, claim: Claim, /) -> Held | Refusal:
        with self._read() as db:
            if duplicate(db, _SQL, claim):
                return "duplicate"
        owner, _ = os.urandom(12).hex(), claim.digest  # both before others are kept waiting
        with self._write() as db:
            attempt = claimed(db, _SQL, claim, owner)
        return attempt if isinstance(attempt, str) else _Held(self, claim, owner, attempt)

    def list(self, *, status: str | None = None, most: int = 200) -> Sequence[Entry]:
        """Records, the last changed first; `status` is a word of `paywright_runtime.ledger.STATUSES`."""
        with self._read() as db:
            return entries(db.execute(_SQL.list, (status, most)).fetchall())

    def body(self, key: str, /) -> bytes | None:
        with self._read() as db:
            row = db.execute(_SQL.body, (key,)).fetchone()
        return None if row is None or row[0] is None else bytes(row[0])

    def settle(self, key: str, /) -> None:
        with self._write() as db:
            db.execute(_SQL.settle, (key,))

    def forget(self, before: datetime, /) -> int:
        limit = micros(before)
        with self._write() as db:
            return db.execute(_SQL.forget, (limit,)).rowcount

    def close(self) -> None:
        """Close the connections that are not in use. The ledger opens new ones when it is asked again."""
        self._own()
        while self._idle:
            self._idle.pop().close()

    # Connections and transactions

    def _own(self) -> None:
        """After a fork: connections and locks of this process alone."""
        if self._process != os.getpid():
            _INHERITED.extend(self._idle)
            self._idle = []
            self._writing = Lock()
            self._process = os.getpid()

    def _connection(self) -> sqlite3.Connection:
        self._own()
        try:
            return self._idle.pop()
        except IndexError:
            pass
        db = sqlite3.connect(self._path, timeout=self._timeout, isolation_level=None, check_same_thread=False)
        try:
            until = monotonic() + self._timeout
            while True:
                try:
                    db.execute("PRAGMA journal_mode = WAL")
                    break
                except sqlite3.OperationalError:  # another process is doing the same; SQLite does not wait here
                    if monotonic() > until:
                        raise
                    sleep(0.01)
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            db.close()
            raise
        return db

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with _told("read"):
            db = self._connection()
            try:
                yield db
            except BaseException:
                db.close()
                raise
            self._idle.append(db)

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

    def begin(self) -> sqlite3.Connection:
        """A connection inside a transaction that writes. Threads queue here, so that only processes meet in the file."""
        self._own()
        if not self._writing.acquire(timeout=self._timeout):
            raise LedgerProblem(f"The ledger is busy: another thread has written for {self._timeout:g} seconds.")
        db: sqlite3.Connection | None = None
        try:
            db = self._connection()
            db.execute("BEGIN IMMEDIATE")
        except BaseException:
            self._writing.release()
            if db is not None:
                db.close()
            raise
        return db

    def end(self, db: sqlite3.Connection, *, broken: bool = False) -> None:
        """Give a connection of `begin` back; a broken one is closed, and what it has not committed is gone."""
        if broken:
            db.close()
        else:
            self._idle.append(db)
        self._writing.release()


class _Held:
    """A granted claim; its transaction begins when somebody looks at it."""

    __slots__ = ("_claim", "_db", "_ledger", "_owner", "_tried", "attempt")

    def __init__(self, ledger: SqliteLedger, claim: Claim, owner: str, attempt: int) -> None:
        self._ledger = ledger
        self._claim = claim
        self._owner = owner
        self._db: sqlite3.Connection | None = None
        self._tried = False
        self.attempt = attempt

    @property
    def transaction(self) -> sqlite3.Connection:
        if self._db is None:
            self._begin().set_authorizer(self._no_commit)
        assert self._db is not None
        return self._db

    def _begin(self) -> sqlite3.Connection:
        with _told("written"):
            self._db = self._ledger.begin()
            mine = self._db.execute(_SQL.mine, (self._claim.key, self._owner)).fetchone()
        if mine is None:
            self._lost()
        return self._db

    def finish(self) -> None:
        claim = self._claim
        try:
            with _told("written"):
                db = self._begin() if self._db is None else self._db
                db.set_authorizer(None)
                if not db.in_transaction or db.execute(_SQL.done, (claim.key, self._owner)).rowcount != 1:
                    self._lost()
                if claim.state is not None:
                    db.execute(_SQL.moved, (claim.subject, claim.state, claim.notify_time))
                db.execute("COMMIT")
        except BaseException:
            self._end(broken=True)
            raise
        self._end()

    def give_back(self, status: Status, why: str) -> None:
        self._end(broken=True)
        if self._tried:
            why = "the handler tried to end the transaction by itself; the ledger does that when it has returned"
        with self._ledger._write() as db:
            db.execute(_SQL.given_back, (status, why, self._claim.key, self._owner))

    def _no_commit(self, action: int, *_: str | None) -> int:
        # A handler that commits by itself would leave its effect without its record.
        if action == sqlite3.SQLITE_TRANSACTION:
            self._tried = True
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    def _end(self, *, broken: bool = False) -> None:
        db, self._db = self._db, None
        if db is not None:
            self._ledger.end(db, broken=broken)

    def _lost(self) -> NoReturn:
        self._end(broken=True)
        raise ClaimLost(
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
