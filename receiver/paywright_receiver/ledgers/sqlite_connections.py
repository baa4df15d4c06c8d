"""Connections to a SQLite file: opened when needed, closed before a fork, and guarded while a handler has one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Condition, Lock, RLock, get_ident
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, overload

from paywright_receiver.ledgers.sql.sql_database import ENDED
from paywright_receiver.ledgers.sqlite_watch import Watch
from paywright_runtime.errors import LedgerProblem
from paywright_runtime.forking import ForkSafe

if TYPE_CHECKING:
    from sqlite3 import _Parameters as Parameters  # of typeshed alone

C = TypeVar("C", bound=sqlite3.Cursor)

# Closing an inherited connection can delete the log of another process, with what it committed. Neither a forked child nor its
# garbage collector may do so.
_INHERITED: Final[list[sqlite3.Connection]] = []
# Files that were open across a fork, by device and inode. SQLite keeps one state a file for the whole process, so that in
# this process no connection to them is safe any more, not even a new one.
_TAINTED: Final[set[tuple[int, int]]] = set()


class GuardedConnection(sqlite3.Connection):
    """A connection whose transaction a handler cannot end, and which runs nothing for it after the transaction has ended.

    SQLite calls the authorizer when a statement is prepared, and cursors check before they run one that was prepared before. What
    a handler may leave behind is noticed: such a connection is not used again.
    """

    __slots__ = ("__dict__", "_ends", "_process", "late", "leaves", "lock", "own", "tried")

    _process: int
    _ends: int
    lock: RLock
    """Held while a statement runs, so that its transaction is not ended in between."""
    late: bool
    """True if the transaction was ended because it lasted too long."""
    leaves: bool
    """True if something of a handler may stay behind."""
    own: sqlite3.Cursor  # the ledger's, which checks nothing, and whose rows are tuples
    tried: bool
    """True if the handler tried to end the transaction."""

    def prepare(self) -> None:
        """Set what guards it. Called once, when it is open."""
        self._process = self._ends = 0
        self.leaves = self.late = self.tried = False
        self.lock, self.own = RLock(), super().cursor()
        super().set_authorizer(self._allowed)

    def guard(self) -> None:
        """Guard the transaction that has begun."""
        self.tried = False
        self._process = os.getpid()

    def unguard(self) -> None:
        """Let the ledger end the transaction."""
        self._process = 0
        usual = (self.row_factory, self.text_factory, self.isolation_level) == (None, str, None)
        self.leaves = self.leaves or not usual or bool(self.__dict__)

    def end_late(self) -> None:
        """Roll back in another thread than that of the handler, which can run nothing after it."""
        self.late = self.leaves = True
        with suppress(sqlite3.Error):
            self.interrupt()
        with self.lock, suppress(sqlite3.Error):
            self._ends = get_ident()
            self.rollback()

    def undo(self) -> None:
        """Roll back. Closing does not, while somebody has a cursor."""
        self._process = 0
        with suppress(sqlite3.Error):
            self.rollback()

    def close(self) -> None:
        """Close it, and the ledger's cursor, which keeps the file open."""
        with suppress(sqlite3.Error):  # closed already
            self.own.close()
        super().close()

    @property
    def ended(self) -> bool:
        """Return whether the guarded transaction has ended, or the connection is closed or of another process."""
        try:
            return not self._within
        except sqlite3.ProgrammingError:
            return True

    def _allowed(self, action: int, *_: str | None) -> int:
        if not self._process or self._ends == get_ident():
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_TRANSACTION:
            # Savepoints have another action code: they are allowed.
            self.tried = True
            return sqlite3.SQLITE_DENY
        self.leaves = self.leaves or action not in _LEAVES_NOTHING
        return sqlite3.SQLITE_OK if self._within else sqlite3.SQLITE_DENY

    @property
    def _within(self) -> bool:
        # A child that the handler forked has inherited the connection, and must not write through it.
        return self.in_transaction and self._process == os.getpid()

    def check(self) -> None:
        """Raise `sqlite3.ProgrammingError` if a guarded transaction has ended, or ends as soon as the statement that runs."""
        if self._process and (self.late or not self._within):
            raise sqlite3.ProgrammingError(f"Nothing was run: {ENDED}.")

    # Methods that prepare no statement, or would remove the guard

    def set_authorizer(
        self, authorizer_callback: Callable[[int, str | None, str | None, str | None, str | None], int] | None
    ) -> None:
        """Raise `sqlite3.NotSupportedError`: the ledger's authorizer must stay."""
        raise sqlite3.NotSupportedError("event.transaction has the ledger's authorizer, which stays.")

    def blobopen(self, *values: Any, **named: Any) -> sqlite3.Blob:
        """Open a blob, if the guarded transaction has not ended."""
        self.check()
        return super().blobopen(*values, **named)

    @overload
    def cursor(self, factory: None = None) -> sqlite3.Cursor: ...
    @overload
    def cursor(self, factory: Callable[[sqlite3.Connection], C]) -> C: ...
    def cursor(self, factory: Callable[[sqlite3.Connection], sqlite3.Cursor] | None = None) -> sqlite3.Cursor:
        """Return a cursor whose `executemany` checks the transaction before each set of parameters."""
        return super().cursor(_GuardedCursor if factory is None else factory)

    def execute(self, sql: str, parameters: Parameters = (), /) -> sqlite3.Cursor:
        """Run a statement, if the guarded transaction has not ended."""
        return self.cursor().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Parameters], /) -> sqlite3.Cursor:
        """Run a statement for each of the parameters, if the guarded transaction has not ended."""
        return self.cursor().executemany(sql, parameters)


class _GuardedCursor(sqlite3.Cursor):
    connection: GuardedConnection  # pyright: ignore[reportIncompatibleMethodOverride]  # it always is one

    def execute(self, sql: str, parameters: Parameters = (), /) -> Self:
        with self.connection.lock:
            self.connection.check()
            return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Parameters], /) -> Self:
        with self.connection.lock:
            return super().executemany(sql, self._checked(parameters))

    def _checked(self, parameters: Iterable[Parameters]) -> Iterator[Parameters]:
        # One prepared statement runs for all of them; the iterable may end the transaction in between.
        for one in parameters:
            self.connection.check()
            yield one


def _leaving(method: Callable[..., object]) -> Callable[..., object]:
    """Return a method of a connection that notes that something of the handler may stay behind."""

    def call(self: GuardedConnection, *values: object, **named: object) -> object:
        self.leaves = True
        return method(self, *values, **named)

    return call


_LEAVES_NOTHING: Final = frozenset(
    (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE,
     sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_SAVEPOINT, sqlite3.SQLITE_RECURSIVE)
)  # fmt: skip
_METHODS: Final = frozenset(("commit", "executescript", "interrupt", "rollback"))
for _name, _method in vars(sqlite3.Connection).items():
    if callable(_method) and not (_name.startswith("_") or _name in _METHODS or _name in vars(GuardedConnection)):
        setattr(GuardedConnection, _name, _leaving(_method))


class SqliteConnections(ForkSafe):
    """The connections of one process to one file, which must exist and stay the same file.

    Before a fork it closes idle connections and waits, up to `timeout` seconds, for those in use; meanwhile only threads that have one
    get another. If one stays in use, the child refuses to use the file.

    Unless `durable`, no commit waits for the disk.

    A fork in C is not announced. So idle connections stay open only from the first delivery on, in a run of a follower, and from its
    second run on.
    """

    def __init__(self, path: Path, timeout: float, *, durable: bool = True) -> None:
        self._path = path
        self._timeout = timeout
        self._durable = durable
        self._name = str(path)
        self._file = _identity(self._name)
        self._start()
        self._made_here()

    def _start(self) -> None:
        self._lock = RLock()  # the end of a MemoryLedger may close connections at any place of a thread that has it
        self._changed = Condition(self._lock)
        self._idle: list[GuardedConnection] = []
        self._used: dict[object, int] = {}  # connections, or placeholders while one is opened, and their threads
        self._forking = False
        self._writing = Lock()
        self.watch: Watch = Watch(self._timeout)
        self._stays = not self._durable  # what tests lose with their process need not survive such a fork
        self._follows = self._has_run = False

    @property
    def writing(self) -> Lock:
        """Return the lock of the thread that writes, so that only processes compete for the file."""
        self._check_process()
        return self._writing

    def delivers(self) -> None:
        """Keep idle connections open from now on, unless it is a follower that hands a result over."""
        self._stays = self._stays or not self._follows

    def follows(self, runs: bool) -> None:
        """Keep idle connections open in a run of a follower, and from the second run on."""
        self._stays = self._stays or (runs and self._has_run)
        self._follows = runs
        if not runs:
            self._has_run = True
            if not self._stays:
                self.close()

    def take(self) -> GuardedConnection:
        """Return a connection in no transaction."""
        self._check_process()
        me = get_ident()
        with self._lock:
            if self._forking and not self._changed.wait_for(
                lambda: not self._forking or me in self._used.values(), self._timeout
            ):
                raise LedgerProblem(
                    f"The ledger is busy: this process has been forking for {self._timeout:g} seconds. Nothing was "
                    "acknowledged; the notification is sent again."
                )
            db = self._idle.pop() if self._idle else None
            opening = None if db else object()
            self._used[db or opening] = me
        try:
            self.check()
            if db is None:
                db = self._open()
                with self._lock:
                    self._used[db] = self._used.pop(opening)
                self.check()
        except BaseException:
            if db is not None:
                self.drop(db)
            else:
                with self._lock:
                    self._no_more_used(opening)
            raise
        return db

    def give(self, db: GuardedConnection) -> bool:
        """Take a connection back that is in no transaction. Return whether `take` returned it in this process.

        It is closed if a handler may have left something in it, such as a temporary table, which no other handler must find.
        """
        self._check_process()
        with self._lock:
            if db not in self._used:
                return False
            if self._forking or db.leaves or not (self._stays or self._follows):
                db.close()
            else:
                self._idle.append(db)
            self._no_more_used(db)
            return True

    def drop(self, db: GuardedConnection) -> bool:
        """Close a connection, which rolls back what is not committed. Return the same as `give`."""
        self._check_process()
        with self._lock:
            if db not in self._used:
                return False  # inherited: must not be closed here
        try:
            db.undo()
            db.close()
        finally:
            with self._lock:
                self._no_more_used(db)
        return True

    def _no_more_used(self, one: object) -> None:
        del self._used[one]
        if self._forking:
            self._changed.notify_all()

    def close(self) -> None:
        """Close idle connections."""
        self._check_process()
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def check(self) -> None:
        """Raise `LedgerProblem` if the file was replaced, or was open across a fork."""
        if _TAINTED and self._file in _TAINTED:
            raise LedgerProblem(
                f"The ledger's file {str(self._path)!r} was in use when this process was forked, and SQLite's locks do not "
                "hold here any more. Nothing was written by this process. Start processes outside of "
                "handlers, or with the start method spawn or forkserver of multiprocessing. For uWSGI, set lazy-apps = true, or "
                "receive nothing before it forks."
            )
        if _identity(self._name) != self._file:
            raise LedgerProblem(
                f"The ledger's file {str(self._path)!r} was moved, deleted or replaced while this process used it. No "
                "new file was made: an empty ledger would let every effect happen again. Put the "
                "file back, with its -wal beside it, or start the process anew with the file that is the right one."
            )

    def _open(self) -> GuardedConnection:
        db = sqlite3.connect(
            f"{self._path.as_uri()}?mode=rw",  # never create it
            uri=True,
            timeout=self._timeout,
            isolation_level=None,
            check_same_thread=False,
            factory=GuardedConnection,
        )
        db.prepare()
        try:
            until = monotonic() + self._timeout
            while True:
                try:
                    db.execute("PRAGMA journal_mode = WAL")
                    break
                except sqlite3.OperationalError:  # another process does the same; SQLite does not wait here
                    if monotonic() > until:
                        raise
                    sleep(0.01)
            db.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'OFF'}")
            db.execute("PRAGMA secure_delete = ON").fetchone()  # most builds leave deleted bodies in the file
            db.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            db.close()
            raise
        return db

    # Around a fork

    def _before_fork(self) -> None:
        # Wait for the connections that other threads use, and close idle ones.
        me = get_ident()
        with self._lock:
            self._forking = True
            self._changed.wait_for(lambda: not self._used or me in self._used.values(), self._timeout)
            self.close()

    def _after_fork_in_parent(self) -> None:
        with self._lock:
            self._forking = False
            self._changed.notify_all()

    def _after_fork(self) -> None:
        # Start without connections. If some were open, refuse to use the file in this process.
        left = [*self._used, *self._idle]
        self._start()
        if left:
            for db in left:
                if isinstance(db, sqlite3.Connection):
                    _INHERITED.append(db)
                    with suppress(ImportError, AttributeError):  # not every Python has it
                        import ctypes  # here, because hardly a process needs it

                        # The list ends with the interpreter, which would close it.
                        ctypes.pythonapi.Py_IncRef(ctypes.py_object(db))
            _TAINTED.add(self._file)


def _identity(path: str) -> tuple[int, int]:
    """Return device and inode of the file; (0, 0) if there is no file."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return 0, 0
    return found.st_dev, found.st_ino
