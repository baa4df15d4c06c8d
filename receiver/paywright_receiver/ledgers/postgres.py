"""The ledger in PostgreSQL: for processes on several machines, beside the tables of your handlers.

It takes the steps of a SQLite file. Claims of one subject wait for each other; others learn of a handler `in_one_transaction` that it
is in progress.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from re import compile as pattern
from typing import Any, Final, TypeVar, cast

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from paywright_receiver.items.delivery_verdict import Record
from paywright_receiver.items.ledger import Refusal, Transaction
from paywright_receiver.ledgers.postgres_connections import LEFT, OpenTransaction, OwnConnections, Pool, Transactions
from paywright_receiver.ledgers.postgres_guard import TransactionGuard
from paywright_receiver.ledgers.postgres_text import Session, Statement, handed
from paywright_receiver.ledgers.sql.delivery_claims import Granted, SqlClaim
from paywright_receiver.ledgers.sql.dialect import Dialect
from paywright_receiver.ledgers.sql.sql_database import BROKEN, ENDED, IDLE, TRIED, Collision
from paywright_receiver.ledgers.sql.statements import Statements, check_tables
from paywright_runtime.errors import InvalidArgument, LedgerProblem
from paywright_runtime.tracebacks import strip_frames

C = TypeVar("C", bound="psycopg.Connection[object]")
_NAME: Final = pattern(r"[a-z_][a-z0-9_]{0,39}").fullmatch
# Until the ledger ends a handler's transaction, a row of it violates a deferred foreign key: the server refuses any other
# commit, however it is requested.
_GUARD: Final = (
    ", held_by TEXT CONSTRAINT the_ledger_commits_when_the_handler_has_returned "
    "REFERENCES {o} DEFERRABLE INITIALLY DEFERRED"
)
SYNCHRONOUS: Final = (
    "set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' "
    "ELSE current_setting('synchronous_commit') END, true)"
)
BOUNDED: Final = (
    "set_config('idle_in_transaction_session_timeout', CASE current_setting('idle_in_transaction_session_timeout') "
    "WHEN '0' THEN %s ELSE current_setting('idle_in_transaction_session_timeout') END, true)"
)
"""Limit of how long a handler may hold a record without a statement, given with its unit."""
DIALECT: Final = Dialect(
    mark="%s",
    longest=512,  # an index takes keys of up to 2,700 bytes
    bytes="BYTEA",
    before="CREATE TABLE IF NOT EXISTS {o} (owner TEXT PRIMARY KEY CHECK (false));",  # it is always empty
    held=_GUARD,
    lock=" FOR UPDATE",
    clock="(extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
    random="md5(random()::text || clock_timestamp()::text)",
)
_STATE: Final = Record._fields.index("state")
_HELD: Final = (
    psycopg.errors.DivisionByZero, psycopg.errors.LockNotAvailable, psycopg.errors.SerializationFailure, psycopg.errors.UniqueViolation,
)  # fmt: skip
"""Errors because another delivery has not ended, or ended after what was seen."""
_ABORTED: Final = (
    "a statement of the handler's failed and it went on; PostgreSQL takes nothing after that: use a savepoint"
)


class _Claim(SqlClaim["PostgresLedger", OpenTransaction]):
    @property
    def _guard(self) -> TransactionGuard | None:
        return None if self._db is None else self._db.guard

    def _judged(self) -> Granted | Refusal:
        ledger, request, sql = self._ledger, self._request, self._sql
        within, number = bool(request.within), lock_number(request.subject)
        granted, values = self._begun_afresh((), within=within)
        looks: list[Statement] = [] if request.foreign or request.again else [(sql.look, values)]
        first = (ledger._lock_at_once, (f"{request.lease // 1000}ms", number)) if within else (ledger._lock, (number,))
        self._db = db = ledger.begin(*(() if within else ledger.usual), first, *looks)
        now, seen = cast("Sequence[int]", db.found[-1 - len(looks)].fetchone())[-1], None
        if looks:
            rows = cast("Sequence[tuple[Any, ...]]", db.found[-1].fetchall())
            if rows and rows[-1][1] == -2:
                return granted
            seen = [one for one in rows if one[1] >= 0], [(one[0], one[_STATE]) for one in rows if one[1] == -1]
        return self._claimed(db, now, seen, within=within)

    def _look(self) -> bool:
        # The handler keeps the isolation level of its connections; the ledger's statements work with any.
        mine = (self._sql.mine, (self._owner, self._request.key, self._owner))
        self._db = self._ledger.begin((self._ledger._durable, ()), mine)
        return self._db.found[-1].rowcount == 1

    def _hand_over(self) -> psycopg.Connection[object]:
        db, marked = self._session, (self._sql.marked, (self._request.key, self._owner))
        db.guard = TransactionGuard(handed(db.connection), lambda: db.execute(*marked).fetchone() is not None)
        return db.guard.connection

    def _take_back(self) -> str:
        spoilt = self._state({TransactionStatus.IDLE: ENDED, TransactionStatus.INERROR: _ABORTED})
        if not spoilt and self._db is not None and self._guard is not None:
            self._guard.end()
            if not self._guard.prepared and isinstance(self._db.connection, Session):
                self._db.connection.prepared = frozenset()
        return spoilt

    def _ended_by(self, error: Exception) -> str:
        if isinstance(error, psycopg.IntegrityError):
            return BROKEN  # of the handler's tables: the ledger's constraint was just satisfied
        return IDLE if isinstance(error, psycopg.errors.IdleInTransactionSessionTimeout) else ""

    def _mark(self) -> tuple[object, ...]:
        return self._request.key, self._owner, self._owner if self._guard is not None or self._within else None

    def _done(self, also: Callable[[Transaction], object] | None) -> bool:
        if also is not None or self._refused or self.conflict is not None or self._request.again:
            return super()._done(also)
        self._open()
        return self._commit((self._sql.moved, (*self._mark(), *self._moved("handled"))))

    def _written(self, db: Transaction) -> bool:
        try:
            return super()._written(db)
        except psycopg.errors.DivisionByZero:
            return False

    def _commit(self, *last: Statement) -> bool:
        return self._db is None or self._db.commit(*last)

    def _spoilt(self, *, tried: bool = True) -> str:
        tried = tried and self._guard is not None and self._guard.tried
        return TRIED if tried else self._state({TransactionStatus.IDLE: ENDED})

    def _state(self, spoilt: Mapping[TransactionStatus, str]) -> str:
        """Return why the handler's writes cannot be committed; "" if they can, or if there are none."""
        if self._db is None or self._guard is None:
            return ""
        if self._guard.idle:
            return IDLE
        db = self._db.connection
        return ENDED if db.closed else spoilt.get(TransactionStatus(db.pgconn.transaction_status), "")


class PostgresLedger(Transactions):
    """A ledger in a PostgreSQL database.

    Use the one of your own tables: then a handler writes to both in one transaction.

    Args:
        connections: a connection string such as "postgresql:///shop", a function that
            opens a new one (`lambda: psycopg.connect(...)`), or a `psycopg_pool.ConnectionPool`.
        schema: the schema of the tables, created if it does not exist; by default the first schema of the search path.
        timeout: seconds to wait for a connection, and for other claims of the same subject, before `LedgerProblem`.
        most: maximum number of open connections, if `connections` is no pool. Every handler that writes uses one.

    `prepare`, or the first delivery, makes the tables. Methods that only read make nothing: before that,
    `list`, `counts` and the others raise `LedgerProblem`. Every commit is on disk before it counts, also with
    `synchronous_commit` off. A lost connection is replaced. The body of a notification is kept until it is done,
    unencrypted. It may contain personal data. After a fork the child opens connections of its own, unless they come
    from a pool: open a pool after the fork. Raises `LedgerProblem` if the database cannot be used.
    """

    _CLAIM = _Claim
    _ASKS = False  # the statement that claims says it too
    _DIALECT = DIALECT
    _DRIVER = (lambda one: isinstance(one, psycopg.Connection), "psycopg.Connection")

    @strip_frames
    def __init__(
        self,
        connections: str | Callable[[], C] | Pool[C],
        *,
        schema: str | None = None,
        timeout: float = 10.0,
        most: int = 8,
    ) -> None:
        if schema is not None and not _NAME(schema):
            raise InvalidArgument("schema is a lower-case name of letters, digits and _, of up to 40.")
        super().__init__(timeout, most)
        self._schema = schema
        given = cast("str | Callable[[], psycopg.Connection[object]] | Pool[psycopg.Connection[object]]", connections)
        self._pool = given if isinstance(given, Pool) else OwnConnections(given, timeout, most)
        self._own = self._pool if isinstance(self._pool, OwnConnections) else None
        self._durable: str = f"SELECT {SYNCHRONOUS}"
        self.usual: tuple[Statement, ...] = (
            ("SET TRANSACTION ISOLATION LEVEL READ COMMITTED", ()),
            (f"SET LOCAL lock_timeout = {max(1, round(timeout * 1000))}", ()),
        )
        self._lock: str = f"SELECT {SYNCHRONOUS}, pg_advisory_xact_lock(%s), {self._DIALECT.clock}"
        """Locks a subject, by its number, until the end of the transaction, and reads the clock."""
        # It fails with a division by zero if another transaction has the lock.
        self._lock_at_once: str = (
            f"SELECT {SYNCHRONOUS}, {BOUNDED}, 1 / pg_try_advisory_xact_lock(%s)::int, {self._DIALECT.clock}"
        )

    def _locked(self, db: Transaction, subject: str, *, at_once: bool = False) -> int:
        found = db.execute(self._lock, (lock_number(subject),)).fetchone()
        return cast(int, cast("tuple[object, ...]", found)[-1])

    def _collision(self, error: Exception) -> Collision | None:
        return "held" if isinstance(error, _HELD) else None

    @staticmethod
    def tables(schema: str) -> str:
        """Return the SQL that makes the tables, for a migration of your own."""
        return ";\n".join(statements(schema).tables) + ";\n"

    # Tables

    def _checked(self, db: Transaction, make: bool) -> Statements:
        if db.execute("SHOW server_encoding", ()).fetchone() != ("UTF8",):
            raise LedgerProblem("The ledger's database is not in UTF-8: notifications may hold any character.")
        schema = self._schema
        if schema is None:
            row = db.execute("SELECT current_schema()", ()).fetchone()
            schema = "" if row is None or row[0] is None else cast(str, row[0])
            if not schema or "%" in schema:  # % stands for a parameter in statements
                raise LedgerProblem("The search path names no schema that will do: give PostgresLedger(schema=...).")
        sql = statements(schema)
        if make:
            db.execute(f"SELECT pg_advisory_xact_lock({lock_number('tables')})", ())
        rows = db.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,)).fetchall()
        asked = "SELECT 1 FROM pg_namespace WHERE nspname = %s"
        if make and not rows and db.execute(asked, (schema,)).fetchone() is None:
            db.execute(f"CREATE SCHEMA {DIALECT.quoted(schema)}", ())
        check_tables(db, sql, [str(name) for (name,) in rows], f"the schema {schema}", make=make)
        return sql

    def _begin_with(self, sql: Statements) -> None:
        if self._own is not None:
            hot = (LEFT, self._durable, self._lock, self._lock_at_once, sql.look, sql.mine, sql.moved)
            self._own.hot = frozenset(hot)

    # Connections and transactions

    def _cursor(self, db: Any) -> Transaction:
        return cast(Transaction, psycopg.Cursor(db, row_factory=tuple_row))


def statements(schema: str) -> Statements:
    """Return the statements over the tables in a schema.

    `mine` takes the owner twice: to find the record, and to mark it. `done` takes that mark. `moved` does both, and divides by zero
    if the record has not that mark.
    """
    made = Statements(PostgresLedger._DIALECT, schema)
    records = f"{made.place}paywright_notifications"
    made.mine = f"UPDATE {records} SET held_by = %s WHERE key = %s AND owner = %s AND status = 'claimed' RETURNING 1"
    made.marked = f"SELECT 1 FROM {records} WHERE key = %s AND held_by = %s"
    # The handler may have set synchronous_commit off.
    made.done = (
        made.done.replace("owner = NULL", "owner = NULL, held_by = NULL")
        + f" AND held_by IS NOT DISTINCT FROM %s RETURNING {SYNCHRONOUS}"
    )
    made.moved = f"WITH done AS ({made.done}), moved AS ({made.moved}) SELECT 1 / count(*) FROM done"
    return made


def lock_number(name: str) -> int:
    """Return the number of an advisory lock.

    If another program happens to use the same number, one waits for the other.
    """
    return int.from_bytes(sha256(b"paywright " + name.encode()).digest()[:8], signed=True)
