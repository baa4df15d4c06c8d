"""The ledger in PostgreSQL: for processes on several machines, beside the tables of your handlers.

`pip install 'paywright[postgres]'`. It takes the same steps as a SQLite file, each durable before the next: claim,
handle, done. Claims of one subject wait for each other and for no others. A handler that uses `event.transaction`
writes in the same transaction that marks the record done.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final, TypeVar, cast

from paywright_receiver.items.book import Within
from paywright_receiver.items.ledger import Claim, ClaimRequest, Refusal, Status, Transaction
from paywright_receiver.ledgers.sql.claim_rules import (
    Granted,
    claimed,
    duplicate,
    look_at_tables,
    make_tables,
    write_effect,
)
from paywright_receiver.ledgers.sql.claim_rules import Runs as SqlRuns
from paywright_receiver.ledgers.sql.failure_reasons import BROKEN, ENDED, REFUSED, TRIED
from paywright_receiver.ledgers.sql.forking import same_process
from paywright_receiver.ledgers.sql.sql_ledger import SqlLedger
from paywright_receiver.ledgers.sql.statements import Statements
from paywright_runtime.argument_types import is_number, is_whole
from paywright_runtime.errors import ClaimLost, InvalidArgument, LedgerProblem, TransactionEnded
from paywright_runtime.tracebacks import strip_frames

try:
    import psycopg
    from psycopg.pq import TransactionStatus
except ImportError as _missing:
    raise type(_missing)(
        "PostgresLedger needs psycopg: pip install 'paywright[postgres]' where the system has libpq, or 'psycopg[binary]'.",
        name=_missing.name,
    ) from _missing

from paywright_receiver.ledgers.postgres_connections import OwnConnections, Pool, Runs, ledger_problems
from paywright_receiver.ledgers.postgres_dialect import (
    CLOCK,
    DURABLE,
    SYNCHRONOUS,
    fit,
    fitting,
    lock_number,
    name,
    nothing,
    quoted,
    statements,
)
from paywright_receiver.ledgers.postgres_guard import TransactionGuard
from paywright_receiver.ledgers.sql.borrowed import raw_connection

__all__ = ["PostgresLedger"]

if TYPE_CHECKING:
    Connection = psycopg.Connection[object]

C = TypeVar("C", bound="psycopg.Connection[object]")

_ABORTED: Final = (
    "a statement of the handler's failed and it went on; PostgreSQL takes nothing after that: use a savepoint"
)


class PostgresLedger(SqlLedger):
    """A ledger in a PostgreSQL database.

    Use the one of your own tables: then a handler writes to both in one transaction.

    Args:
        connections: a connection string such as "postgresql:///shop", a function that
            opens a new one (`lambda: psycopg.connect(...)`), or a `psycopg_pool.ConnectionPool`.
        schema: the schema of the tables, created if it does not exist; by default the first schema of the search path.
        prefix: the beginning of the tables' names.
        timeout: seconds to wait for a connection, and for other claims of the same subject, before `LedgerProblem`.
        most: maximum number of open connections, if `connections` is no pool. Every handler that writes uses one.

    `prepare`, or the first delivery, makes the tables. Methods that only read make nothing: before that,
    `list`, `counts` and the others raise `LedgerProblem`. Every commit is on disk before it counts, also with
    `synchronous_commit` off. A lost connection is replaced. The body of a notification is kept until it is done,
    unencrypted. It may contain personal data. After a fork the child opens connections of its own, unless they come
    from a pool: open a pool after the fork. Raises `LedgerProblem` if the database cannot be used.
    """

    @strip_frames
    def __init__(
        self,
        connections: str | Callable[[], C] | Pool[C],
        *,
        schema: str | None = None,
        prefix: str = "paywright_",
        timeout: float = 10.0,
        most: int = 8,
    ) -> None:
        for what, text in (("schema", schema), ("prefix", prefix)):
            if text is not None:
                name(what, text)
        if not is_number(timeout) or not timeout > 0 or not is_whole(most) or most < 1:
            raise InvalidArgument("timeout is in seconds and above 0, most is 1 or more.")
        self._schema = schema
        self._prefix = prefix
        self._timeout = timeout
        self._pool = cast(
            "Pool[Connection]", connections if isinstance(connections, Pool) else _own(connections, timeout, most)
        )
        self._sql: Statements | None = None
        super().__init__()
        self.opening: str = (
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; "
            f"SET LOCAL lock_timeout = {max(1, round(timeout * 1000))}; {DURABLE}"
        )

    def __repr__(self) -> str:
        return f"PostgresLedger(schema={self._schema!r}, prefix={self._prefix!r})"

    def acquire(self, request: ClaimRequest, /) -> Claim | Refusal:
        """Grant a claim, or return why not. See `Ledger.acquire`."""
        sql = self._statements(make=True)
        self.releases.make_up()
        request = fitting(request)
        owner, _ = os.urandom(12).hex(), request.digest  # computed before taking the lock
        with self._writing() as db:
            if duplicate(db, sql, request):
                return "duplicate"
            found = claimed(db, sql, request, owner, self._locked(db, request.subject))
        return found if isinstance(found, str) else _Claim(self, sql, request, owner, found)

    def _fit(self, text: str) -> str:
        return fit(super()._fit(text))

    def _locked(self, db: SqlRuns, subject: str) -> int:
        lock = f"pg_advisory_xact_lock({lock_number(self._prefix + subject)})"
        return cast(int, cast("tuple[object, ...]", db.execute(f"SELECT {lock}, {CLOCK}", ()).fetchone())[1])

    def _now(self, db: SqlRuns) -> int:
        return cast(int, cast("tuple[object, ...]", db.execute(f"SELECT {CLOCK}", ()).fetchone())[0])

    def prepare(self) -> None:
        """Connect, and make the tables if they do not exist. Otherwise the first delivery does.

        If this user may not create tables, have another user run this, or the statements of `tables`.
        """
        self._statements(make=True)

    def close(self) -> None:
        """Close idle connections. The ledger opens new ones when it is used again. A pool is not closed."""
        if isinstance(self._pool, OwnConnections):
            self._pool.close()

    @staticmethod
    def tables(schema: str, prefix: str = "paywright_") -> str:
        """Return the SQL that makes the tables, for a migration of your own."""
        made = statements(schema, prefix)
        return ";\n".join([nothing(schema, prefix), *made.tables]) + ";\n"

    # Tables

    def _statements(self, *, make: bool = False) -> Statements:
        """Return the statements over existing tables; with `make`, make the tables first."""
        if self._sql is None:
            with self._writing() as db:
                if db.execute("SHOW server_encoding", ()).fetchone() != ("UTF8",):
                    raise LedgerProblem("The ledger's database is not in UTF-8: notifications may hold any character.")
                schema = self._schema
                if schema is None:
                    row = db.execute("SELECT current_schema()", ()).fetchone()
                    schema = "" if row is None or row[0] is None else cast(str, row[0])
                    if not schema or "%" in schema:  # % stands for a parameter in statements
                        raise LedgerProblem(
                            "The search path names no schema that will do: give PostgresLedger(schema=...)."
                        )
                sql = statements(schema, self._prefix)
                if make:
                    db.execute(f"SELECT pg_advisory_xact_lock({lock_number('tables')})", ())
                self._prepare(db, sql, schema, make)
            self._sql = sql
        return self._sql

    def _prepare(self, db: Runs, sql: Statements, schema: str, make: bool) -> None:
        def there(table: str) -> bool:
            name = f"{quoted(schema)}.{self._prefix}{table}"
            return db.execute("SELECT to_regclass(%s)", (name,)).fetchone() != (None,)

        records, version, where = there("notifications"), there("schema"), f"the schema {schema}"
        if not make:
            look_at_tables(db, sql, records=records, version=version, where=where)
            return
        if not records:
            if db.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)).fetchone() is None:
                db.execute(f"CREATE SCHEMA {quoted(schema)}", ())
            db.execute(nothing(schema, self._prefix), ())
        make_tables(db, sql, records=records, version=version, where=where)

    # Connections and transactions

    @contextmanager
    def _borrowed(self, transaction: object) -> Iterator[Runs]:
        """Yield a merchant's own connection, in whatever transaction it is."""
        db = raw_connection(transaction, psycopg.Connection, "psycopg.Connection")
        with ledger_problems():
            yield Runs(cast("Connection", db))

    @contextmanager
    def _writing(self) -> Iterator[Runs]:
        """Open a transaction of the ledger's own, and commit it durably at the end."""
        with ledger_problems():
            db, block = self.begin(self.opening)
            try:
                yield Runs(db)
                block.__exit__(None, None, None)
            except BaseException as error:
                self.end(db, block, error)
                raise
            self._pool.putconn(db)

    _reading = _writing

    def begin(self, opening: str) -> tuple[Connection, AbstractContextManager[object]]:
        """Return a connection in a transaction that has begun. A connection lost while idle is replaced."""
        until = monotonic() + self._timeout
        while True:
            db = self._pool.getconn(self._timeout)
            try:
                if db.info.transaction_status != TransactionStatus.IDLE and not db.closed:
                    raise LedgerProblem(
                        "The ledger was given a connection inside of a transaction: what it commits there would not be "
                        "durable. Commit before you hand it over, or open it with autocommit=True."
                    )
                block = db.transaction()
                block.__enter__()
                db.execute(opening.encode())
            except BaseException as error:
                # No statement was run through it yet, so another connection may be tried.
                again = isinstance(error, psycopg.OperationalError) and db.closed and monotonic() < until
                self._drop(db)
                if not again:
                    raise
                sleep(0.001)
            else:
                return db, block

    def end(
        self, db: Connection, block: AbstractContextManager[object], error: BaseException, *, handled: bool = False
    ) -> None:
        """Roll back and give the connection back. If it is not clean afterwards, it is closed."""
        try:
            with suppress(psycopg.Error):
                block.__exit__(type(error), error, None)
        finally:
            if db.closed or db.info.transaction_status != TransactionStatus.IDLE:
                self._drop(db)
            else:
                self.give(db, handled=handled)

    def give(self, db: Connection, *, handled: bool) -> None:
        """Give a connection back whose transaction has ended. A handler's session state is discarded, unless a pool does that."""
        if handled and isinstance(self._pool, OwnConnections):
            db = self._pool.cleaned(db)
        self._pool.putconn(db)

    def _drop(self, db: Connection) -> None:
        if db.info.transaction_status == TransactionStatus.ACTIVE:  # interrupted in a statement, which has locks
            with suppress(psycopg.Error):
                db.cancel_safe(timeout=self._timeout)
        db.pgconn.finish()  # not close(), with which some pools would get it back
        self._pool.putconn(db)


class _Claim:
    """A granted claim. Its transaction begins on first access."""

    __slots__ = ("_block", "_db", "_guard", "_ledger", "_owner", "_process", "_refused", "_request", "_sql", "attempt", "conflict", "was")  # fmt: skip

    def __init__(
        self, ledger: PostgresLedger, sql: Statements, request: ClaimRequest, owner: str, granted: Granted
    ) -> None:
        self._ledger = ledger
        self._sql = sql
        self._request = request
        self._owner = owner
        self._db: Connection | None = None
        self._block: AbstractContextManager[object] | None = None
        self._guard: TransactionGuard | None = None  # set if the handler has the connection
        self._refused = False
        self._process = os.getpid()
        self.attempt, self.conflict, self.was = granted

    @property
    def transaction(self) -> Transaction:
        same_process(self._process, self._request.shown, self)
        if self._guard is None:
            self._refused = True  # until it has begun
            with ledger_problems():
                self._guard = self._looked()
            self._refused = False
        return cast(Transaction, self._guard.connection)

    def _looked(self) -> TransactionGuard:
        # The handler keeps the isolation level of its connections; the ledger's statements work with any.
        db = self._begin(DURABLE)
        try:
            if Runs(db).execute(self._sql.mine, (self._owner, self._request.key, self._owner)).rowcount != 1:
                raise self._lost()
            return TransactionGuard(db)
        except BaseException as error:
            self._end(error)
            raise

    def complete(self, also: Callable[[Within], object] | None = None) -> None:
        same_process(self._process, self._request.shown, self)
        try:
            with ledger_problems():
                spoilt = self._spoilt()
                if spoilt:
                    raise TransactionEnded(key=self._request.shown, why=spoilt)
                looked = self._guard is not None
                if self._guard is not None:
                    self._guard.end()
                db = Runs(self._db or self._begin(self._ledger.opening))
                self._done(db, looked)
                if also is not None:
                    also(db)
                self._committed()
        except BaseException as error:
            self._end(error)
            raise
        used, self._db, self._guard = self._db, None, None
        assert used is not None
        self._ledger.give(used, handled=looked)

    def _committed(self) -> None:
        assert self._block is not None
        try:
            self._block.__exit__(None, None, None)
        except psycopg.IntegrityError:  # of the handler's tables: the ledger's constraint was just satisfied
            raise TransactionEnded(key=self._request.shown, why=BROKEN) from None

    def _done(self, db: Runs, looked: bool) -> None:
        request, sql = self._request, self._sql
        # The handler may have set synchronous_commit off.
        ours = f" AND held_by IS NOT DISTINCT FROM %s RETURNING {SYNCHRONOUS}"
        held_by = self._owner if looked else None
        if db.execute(sql.done + ours, (request.key, self._owner, held_by)).rowcount != 1:
            if looked:  # the row has been locked since the handler's first access
                raise TransactionEnded(key=request.shown, why=ENDED)
            raise self._lost()
        if self._refused:
            raise TransactionEnded(key=request.shown, why=REFUSED)
        write_effect(cast("SqlRuns", db), sql, request, self.conflict, None)

    def release(self, status: Status, why: str) -> None:
        same_process(self._process, self._request.shown, self)
        if self._guard is not None and self._guard.tried:
            why = TRIED
        else:
            why = self._spoilt(ended_only=True) or why
        self._end(LedgerProblem(why))
        self._ledger.releases.end(status, fit(why), self._request.key, self._owner)

    def _begin(self, opening: str) -> Connection:
        self._db, self._block = self._ledger.begin(opening)
        return self._db

    def _spoilt(self, *, ended_only: bool = False) -> str:
        """Return why the handler's writes cannot be committed; "" if they can, or if there are none."""
        db, guard = self._db, self._guard
        if db is None or guard is None:
            return ""
        if db.closed or db.info.transaction_status == TransactionStatus.IDLE:
            return ENDED
        return _ABORTED if db.info.transaction_status == TransactionStatus.INERROR and not ended_only else ""

    def _end(self, error: BaseException) -> None:
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.end()
        db, self._db = self._db, None
        if db is not None and self._block is not None:
            self._ledger.end(db, self._block, error, handled=guard is not None)

    def _lost(self) -> ClaimLost:
        return ClaimLost(
            f"{self._request.shown} was taken over: its handler took longer than the receiver's lease. What it wrote here is "
            "undone, and it was not acknowledged."
        )


def _own(connections: str | Callable[[], C], timeout: float, most: int) -> OwnConnections:
    return OwnConnections(
        connections if isinstance(connections, str) else cast("Callable[[], Connection]", connections), timeout, most
    )
