"""Connections to PostgreSQL: a pool for ledgers without one, and statements run through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic, sleep
from typing import Final, Protocol, TypeVar, runtime_checkable

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import DiagnosticField, ExecStatus, TransactionStatus, abc

from paywright_receiver.items.ledger import Executed
from paywright_receiver.ledgers.postgres_guard import TransactionGuard
from paywright_receiver.ledgers.postgres_text import Session, Statement, Tuples, begins, check, exchange, preparing, run
from paywright_receiver.ledgers.sql.pool import OwnPool, in_transaction
from paywright_receiver.ledgers.sql.server_ledger import ServerLedger
from paywright_runtime.errors import ConfigurationError

C = TypeVar("C")
# Why there is no connection. Only these words of libpq are passed on: what stands around them may be part of a password.
_AWAY: Final = (
    "Connection refused", "timeout expired", "failed to resolve host", "No such file or directory", "does not exist",
    "password authentication failed", "no password supplied", "no pg_hba.conf entry", "too many clients", "connection slots",
    "starting up", "shutting down", "server closed the connection", "terminating connection", "SSL", "invalid integer value", "invalid port number",
)  # fmt: skip
# What DISCARD ALL does, but for the ledger's prepared statements, of which there are so many.
_CLEANING: Final = (
    "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; DISCARD TEMP; DISCARD SEQUENCES"
)
LEFT: Final = "SELECT pg_advisory_unlock_all(), (SELECT count(*) FROM pg_prepared_statements)"


@runtime_checkable
class Pool(Protocol[C]):
    """A pool of connections, such as `psycopg_pool.ConnectionPool`. It discards connections that come back closed."""

    def getconn(self, timeout: float | None = None) -> C:
        """Return a connection within `timeout` seconds."""
        ...

    def putconn(self, conn: C) -> None:
        """Take a connection back."""
        ...


# A proxy has lent another server, or a table was changed.
_NOT_PREPARED: Final = (psycopg.errors.InvalidSqlStatementName, psycopg.errors.FeatureNotSupported)


class OwnConnections(OwnPool["psycopg.Connection[object]"]):
    """A pool of up to `most` connections, opened on demand."""

    def __init__(self, source: str | Callable[[], psycopg.Connection[object]], timeout: float, most: int) -> None:
        self.hot: frozenset[str] = frozenset()
        """The statements to prepare in each session of the ledger's own."""
        opener = _opener(source, timeout) if isinstance(source, str) else source
        super().__init__(opener, most, lambda db: db.pgconn.transaction_status == TransactionStatus.IDLE)

    def prepare(self, db: psycopg.Connection[object]) -> None:
        """Prepare the statements in a session of the ledger's own, once. If that fails, as with a proxy, it is not tried again."""
        if isinstance(db, Session) and db.prepared != self.hot:
            db.prepared = frozenset()
            try:
                # In a transaction, for which a proxy lends one server, and apart: the server keeps the whole text with each.
                for one in ("BEGIN", *map(preparing, self.hot), "COMMIT"):
                    run(db, [(one, ())])
                db.prepared = self.hot
            except psycopg.Error:
                if db.closed:
                    raise
                exchange(db, [("ROLLBACK", ())])
                self.hot = frozenset()

    def cleaning(self, db: psycopg.Connection[object]) -> list[Statement]:
        """Return the statements that reset a session; none for one of the merchant's function, whose settings it would undo."""
        if not isinstance(db, Session):
            return []
        return [(_CLEANING if db.prepared else f"{_CLEANING}; DEALLOCATE ALL", ()), (LEFT, ())]

    def cleaned(self, db: psycopg.Connection[object], found: Sequence[abc.PGresult]) -> None:
        """Close a session that a handler had unless nothing is left in it; `found` are the results of `cleaning`."""
        whole = isinstance(db, Session) and found and found[-1].status == ExecStatus.TUPLES_OK
        if not whole or found[-1].get_value(0, 1) != b"%d" % len(getattr(db, "prepared", ())):
            db.close()


def _opener(conninfo: str, timeout: float) -> Callable[[], psycopg.Connection[object]]:
    """Return a function that opens connections. A host that is gone is noticed within about `timeout` seconds, a silent one is not."""
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
    return lambda: Session.connect(made, autocommit=True)


def words_of(error: BaseException) -> str:
    """Return what to say of an error of the driver; "" for any other. Its message may contain values and passwords."""
    if not isinstance(error, psycopg.Error):
        return ""
    code = f", SQLSTATE {error.sqlstate}" if error.sqlstate else ""
    return type(error).__name__ + code + next((f": {one}" for one in _AWAY if not code and one in str(error)), "")


class OpenTransaction:
    """A transaction on a connection; `found` are the results of the statements that began it, that of BEGIN first."""

    guard: TransactionGuard | None = None
    """Set while a handler has the connection."""
    left: Sequence[abc.PGresult] = ()
    """Results of what was sent behind the commit, for `Transactions.end`."""

    def __init__(self, owner: Transactions, db: psycopg.Connection[object], found: Sequence[Tuples] = ()) -> None:
        self._owner = owner
        self.connection = db
        self.found = found

    def execute(self, statement: str, parameters: Sequence[object] = (), /) -> Executed:
        """Run a statement with its parameters."""
        return run(self.connection, [(statement, parameters)])[0]

    def commit(self, *last: Statement) -> bool:
        """Run the last statements and commit, in one round trip. Return False, and commit nothing, if the first divides by zero.

        A failure after the commit is none of it.
        """
        connection = self.connection
        found = exchange(connection, [*last, ("COMMIT", ()), *self._owner._cleaning(self)])
        if last and found[0].error_field(DiagnosticField.SQLSTATE) == b"22012":
            return False
        try:
            check(connection, found[: len(last) + 1][-1])
        except psycopg.Error as error:
            self._owner._unprepared(connection, error)
            raise
        if found[len(last)].command_status != b"COMMIT":
            raise psycopg.OperationalError("the transaction was rolled back")
        self.left = found[len(last) + 1 :]
        return True


class Transactions(ServerLedger):
    """Transactions on the connections of a pool. Without other statements, they begin by the `usual` ones, and are `_durable`."""

    usual: tuple[Statement, ...]
    _durable: str
    _pool: Pool[psycopg.Connection[object]]
    _own: OwnConnections | None
    _words = staticmethod(words_of)

    def begin(self, *statements: Statement) -> OpenTransaction:
        """Begin by some statements. A lost connection is replaced."""
        until = monotonic() + self._timeout
        statements = statements or (*self.usual, (self._durable, ()))
        while True:
            db = self._pool.getconn(self._timeout)
            try:
                if db.pgconn.transaction_status != TransactionStatus.IDLE and not db.closed:
                    raise in_transaction()
                if self._own is not None:
                    self._own.prepare(db)
                return OpenTransaction(self, db, run(db, [(begins(db), ()), *statements]))
            except psycopg.Error as error:
                # Nothing of it was committed, so another connection may be tried.
                again = isinstance(error, psycopg.OperationalError) and db.closed and monotonic() < until
                again = self._unprepared(db, error) or again
                self.end(OpenTransaction(self, db), ended=False)
                if not again:
                    raise
                sleep(0.001)
            except BaseException:
                self._drop(db)
                raise

    def _unprepared(self, db: psycopg.Connection[object], error: psycopg.Error) -> bool:
        """Prepare nothing any more if what was prepared in the session was the error; return whether it was."""
        prepared = isinstance(db, Session) and db.prepared
        if self._own is None or not prepared or not isinstance(error, _NOT_PREPARED):
            return False
        self._own.hot = frozenset()
        return True

    def _cleaning(self, db: OpenTransaction) -> list[Statement]:
        return [] if db.guard is None or self._own is None else self._own.cleaning(db.connection)

    def end(self, db: OpenTransaction, *, ended: bool, error: BaseException | None = None) -> None:
        """Give the connection back; roll back first unless the transaction has `ended`. If it is not clean, it is closed.

        A handler's session state is discarded, unless a pool does that.
        """
        connection, found, rolled_back = db.connection, db.left, [("ROLLBACK", ()), *self._cleaning(db)]
        guard, db.guard = db.guard, None
        if guard is not None:
            guard.end()
        try:
            if not ended:
                with suppress(psycopg.Error):
                    found = exchange(connection, rolled_back)[1:]
        finally:
            if connection.closed or connection.pgconn.transaction_status != TransactionStatus.IDLE:
                self._drop(connection)
            else:
                if guard is not None and self._own is not None:
                    self._own.cleaned(connection, found)
                self._pool.putconn(connection)

    def _drop(self, db: psycopg.Connection[object]) -> None:
        if db.info.transaction_status == TransactionStatus.ACTIVE:  # interrupted in a statement, which has locks
            with suppress(psycopg.Error):
                db.cancel_safe(timeout=self._timeout)
        db.pgconn.finish()  # not close(), with which some pools would get it back
        self._pool.putconn(db)
