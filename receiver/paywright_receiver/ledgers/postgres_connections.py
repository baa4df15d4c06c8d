"""Connections to PostgreSQL: a pool for ledgers without one, and statements run through them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from typing import Final, Protocol, TypeVar, runtime_checkable

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import DiagnosticField, ExecStatus, TransactionStatus, abc

from paywright_receiver.ledgers.postgres_text import Session, Statement, Tuples, begins, check, exchange, preparing, run
from paywright_receiver.ledgers.sql.pool import OwnPool
from paywright_runtime.errors import ConfigurationError, LedgerProblem

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
        super().__init__(_opener(source, timeout) if isinstance(source, str) else source, most, _is_idle)

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


def _is_idle(db: psycopg.Connection[object]) -> bool:
    return db.pgconn.transaction_status == TransactionStatus.IDLE  # that of a closed one is UNKNOWN


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


@contextmanager
def ledger_problems() -> Iterator[None]:
    """Turn errors of PostgreSQL into `LedgerProblem`. Their messages are not passed on: they may contain values and passwords."""
    try:
        yield
    except psycopg.Error as error:
        code = f", SQLSTATE {error.sqlstate}" if error.sqlstate else ""
        said = next((f": {one}" for one in _AWAY if not error.sqlstate and one in str(error)), "")
        problem = LedgerProblem(f"The ledger's database could not be used: {type(error).__name__}{code}{said}.")
    else:
        return
    raise problem from None  # the frames of the other have the password in them


class Transactions:
    """Transactions on the connections of a pool."""

    def __init__(self, pool: Pool[psycopg.Connection[object]], timeout: float) -> None:
        self._pool = pool
        self._own = pool if isinstance(pool, OwnConnections) else None
        self._timeout = timeout

    def begin(self, *statements: Statement) -> tuple[psycopg.Connection[object], Sequence[Tuples]]:
        """Begin by some statements. Return the connection, and the results, that of BEGIN first. A lost connection is replaced."""
        until = monotonic() + self._timeout
        while True:
            db = self._pool.getconn(self._timeout)
            try:
                if db.pgconn.transaction_status != TransactionStatus.IDLE and not db.closed:
                    raise LedgerProblem(
                        "The ledger was given a connection inside of a transaction: what it commits there would not be "
                        "durable. Commit before you hand it over, or open it with autocommit=True."
                    )
                if self._own is not None:
                    self._own.prepare(db)
                found = run(db, [(begins(db), ()), *statements])
            except psycopg.Error as error:
                # Nothing of it was committed, so another connection may be tried.
                again = isinstance(error, psycopg.OperationalError) and db.closed and monotonic() < until
                again = self._unprepared(db, error) or again
                self.end(db)
                if not again:
                    raise
                sleep(0.001)
            except BaseException:
                self._drop(db)
                raise
            else:
                return db, found

    def commit(
        self, db: psycopg.Connection[object], *last: Statement, handled: bool = False
    ) -> list[abc.PGresult] | None:
        """Run the last statements and commit, in one round trip. Return None, and commit nothing, if the first divides by zero.

        Otherwise return what `give` needs. A failure after the commit is none of it.
        """
        found = exchange(db, [*last, ("COMMIT", ()), *self._cleaning(db, handled)])
        if last and found[0].error_field(DiagnosticField.SQLSTATE) == b"22012":
            return None
        try:
            check(db, found[: len(last) + 1][-1])
        except psycopg.Error as error:
            self._unprepared(db, error)
            raise
        if found[len(last)].command_status != b"COMMIT":
            raise psycopg.OperationalError("the transaction was rolled back")
        return found[len(last) + 1 :]

    def _unprepared(self, db: psycopg.Connection[object], error: psycopg.Error) -> bool:
        """Prepare nothing any more if what was prepared in the session was the error; return whether it was."""
        prepared = isinstance(db, Session) and db.prepared
        if self._own is None or not prepared or not isinstance(error, _NOT_PREPARED):
            return False
        self._own.hot = frozenset()
        return True

    def _cleaning(self, db: psycopg.Connection[object], handled: bool) -> list[Statement]:
        return self._own.cleaning(db) if handled and self._own is not None else []

    def end(self, db: psycopg.Connection[object], *, handled: bool = False) -> None:
        """Roll back and give the connection back. If it is not clean afterwards, it is closed."""
        found: list[abc.PGresult] = []
        try:
            with suppress(psycopg.Error):
                found = exchange(db, [("ROLLBACK", ()), *self._cleaning(db, handled)])
        finally:
            if db.closed or db.pgconn.transaction_status != TransactionStatus.IDLE:
                self._drop(db)
            else:
                self.give(db, handled=handled, found=found[1:])

    def give(self, db: psycopg.Connection[object], *, handled: bool, found: Sequence[abc.PGresult] = ()) -> None:
        """Give a connection back whose transaction has ended. A handler's session state is discarded, unless a pool does that."""
        if handled and self._own is not None:
            self._own.cleaned(db, found)
        self._pool.putconn(db)

    def _drop(self, db: psycopg.Connection[object]) -> None:
        if db.info.transaction_status == TransactionStatus.ACTIVE:  # interrupted in a statement, which has locks
            with suppress(psycopg.Error):
                db.cancel_safe(timeout=self._timeout)
        db.pgconn.finish()  # not close(), with which some pools would get it back
        self._pool.putconn(db)
