"""Connections to PostgreSQL: a pool for ledgers without one, and statements run through them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Final, Protocol, TypeVar, runtime_checkable

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from paywright_receiver.ledgers.postgres_guard import no_session
from paywright_receiver.ledgers.sql.claim_rules import FoundRows
from paywright_runtime.errors import ConfigurationError, LedgerProblem
from paywright_runtime.forking import ForkSafe

__all__ = ["OwnConnections", "Pool", "Runs", "begins", "ledger_problems"]

C = TypeVar("C")
_OF_CONNECTIONS: Final = ("08", "28", "3D", "53", "57")
"""Classes of SQLSTATE: connections, users, databases, resources, an operator who ends it."""
# Closing a connection tells the server, so a forked child must not close inherited ones: they are kept here and never used.
_INHERITED: Final[list[psycopg.Connection[object]]] = []


@runtime_checkable
class Pool(Protocol[C]):
    """A pool of connections, such as `psycopg_pool.ConnectionPool`. It discards connections that come back closed."""

    def getconn(self, timeout: float | None = None) -> C:
        """Return a connection within `timeout` seconds."""
        ...

    def putconn(self, conn: C) -> None:
        """Take a connection back."""
        ...


class OwnConnections(ForkSafe):
    """A pool of up to `most` connections, opened on demand."""

    def __init__(self, source: str | Callable[[], psycopg.Connection[object]], timeout: float, most: int) -> None:
        self._open = _opener(source, timeout) if isinstance(source, str) else source
        self._is_plain = isinstance(source, str)
        self._most = most
        self._start()
        self._made_here()

    def _start(self) -> None:
        self._idle: list[psycopg.Connection[object]] = []
        self._places = BoundedSemaphore(self._most)

    def _after_fork(self) -> None:
        _INHERITED.extend(self._idle)
        self._start()

    def getconn(self, timeout: float | None = None) -> psycopg.Connection[object]:
        """Return an idle connection, or open one.

        Raises `LedgerProblem` if all stay in use for `timeout` seconds, `psycopg.Error` if none can be opened.
        """
        self._check_process()
        if not self._places.acquire(timeout=timeout):
            raise LedgerProblem(f"All {self._most} connections of the ledger were in use for {timeout:g} seconds.")
        try:
            while True:
                try:
                    db = self._idle.pop()
                except IndexError:
                    return self._open()
                if not db.closed:
                    return db
        except BaseException:
            self._places.release()
            raise

    def putconn(self, conn: psycopg.Connection[object]) -> None:
        """Take a connection back. It is discarded if it is closed or in a transaction."""
        if conn.closed or conn.info.transaction_status != TransactionStatus.IDLE:
            conn.close()
        else:
            self._idle.append(conn)
        self._places.release()

    def cleaned(self, conn: psycopg.Connection[object]) -> psycopg.Connection[object]:
        """Reset a connection that a handler had, so that nothing of its session is left.

        A connection opened by the merchant's function is closed: a reset would undo that function's settings too.
        """
        if not self._is_plain or conn.closed:
            conn.close()
            return conn
        session, conn.pgconn = conn.pgconn, no_session()  # with the object go its row factory, adapters and the like
        made = _plain(psycopg.Connection[object](session))
        try:
            made.execute("DISCARD ALL")
        except psycopg.Error:
            made.close()
        return made

    def close(self) -> None:
        """Close idle connections."""
        self._check_process()
        while self._idle:
            self._idle.pop().close()


def _opener(conninfo: str, timeout: float) -> Callable[[], psycopg.Connection[object]]:
    """Return a function that opens connections. A host that is gone is noticed within about `timeout` seconds.

    A server or proxy that keeps the connection and stays silent is not noticed: set `statement_timeout` for your role.
    """
    try:
        given = conninfo_to_dict(conninfo)
    except psycopg.ProgrammingError:
        given = None
    if given is None:  # raised outside the except block: the error's message may contain a password
        raise ConfigurationError("PostgresLedger was given a connection string that cannot be read.")
    seconds = max(2, round(timeout))
    usual: dict[str, str | int] = {
        "connect_timeout": seconds,
        "keepalives_idle": seconds,
        "keepalives_interval": max(1, seconds // 3),
        "keepalives_count": 3,
        "tcp_user_timeout": seconds * 1000,
        "application_name": "paywright",
    }
    made = make_conninfo("", **{**usual, **{name: str(value) for name, value in given.items() if value is not None}})
    return lambda: _plain(psycopg.Connection[object].connect(made))


def _plain(db: psycopg.Connection[object]) -> psycopg.Connection[object]:
    """Return a connection outside of transactions. It prepares no statements, because those end when the session is discarded."""
    db.autocommit = True
    db.prepare_threshold = None
    return db


def begins(db: psycopg.Connection[object]) -> str:
    """Return the statement that begins a transaction with the connection's own settings; "" if the driver sends it."""
    if not db.autocommit:
        return ""
    level, read_only, deferrable = db.isolation_level, db.read_only, db.deferrable
    words = ["BEGIN"] if level is None else ["BEGIN ISOLATION LEVEL", level.name.replace("_", " ")]
    words += [] if read_only is None else ["READ ONLY" if read_only else "READ WRITE"]
    words += [] if deferrable is None else ["DEFERRABLE" if deferrable else "NOT DEFERRABLE"]
    return " ".join(words) + "; "


class Runs:
    """A connection as `claim_rules` uses it: rows as tuples whatever its own row factory, statements as text."""

    __slots__ = ("_db",)

    def __init__(self, db: psycopg.Connection[object]) -> None:
        self._db = db

    def execute(self, statement: str, parameters: Sequence[object], /) -> FoundRows:
        """Run a statement with its parameters, or several in one round trip. Return the result of the first.

        One that will not be prepared is sent as text, with which the server has less to do.
        """
        kind = psycopg.ClientCursor if self._db.prepare_threshold is None or ";" in statement else psycopg.Cursor
        cursor: psycopg.Cursor[tuple[object, ...]] = kind(self._db, row_factory=tuple_row)
        return cursor.execute(statement.encode(), parameters)

    def run_all(self, statements: str, parameters: Sequence[object]) -> list[list[tuple[object, ...]]]:
        """Run several statements in one round trip. Return the rows of each."""
        cursor = psycopg.ClientCursor[tuple[object, ...]](self._db, row_factory=tuple_row)
        cursor.execute(statements.encode(), parameters)
        found: list[list[tuple[object, ...]]] = []
        while True:
            result = cursor.pgresult  # cheaper to ask than the cursor's description
            found.append(cursor.fetchall() if result is not None and result.nfields else [])
            if not cursor.nextset():
                return found


@contextmanager
def ledger_problems() -> Iterator[None]:
    """Turn errors of PostgreSQL into `LedgerProblem`.

    Only messages about connections, users and databases are passed on: others may contain values.
    """
    try:
        yield
    except psycopg.Error as error:
        code = f", SQLSTATE {error.sqlstate}" if error.sqlstate else ""
        away = isinstance(error, psycopg.OperationalError) and (error.sqlstate or "08")[:2] in _OF_CONNECTIONS
        said = f": {' '.join(str(error).split())}" if away else "."
        problem = LedgerProblem(f"The ledger's database could not be used: {type(error).__name__}{code}{said}")
    else:
        return
    raise problem from None  # the frames of the other have the password in them
