"""The ledger in PostgreSQL: for processes on many machines, beside the tables that your handlers write to.

`pip install 'paywright[postgres]'`. The same steps as in a SQLite file, each durable before the next: claim, handle, done.
Claims about one subject wait for each other and for nobody else; a handler that looks at `event.transaction` writes in the
same transaction that says "done".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime, timedelta
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final, TypeVar, cast

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
    settled,
)
from paywright_receiver.statements import Statements
from paywright_receiver.transaction_guard import BROKEN, ENDED, REFUSED, TRIED
from paywright_runtime.errors import ClaimLost, InvalidArgument, LedgerProblem, TransactionEnded
from paywright_runtime.ledger import Claim, Entry, Held, Refusal, Status, Transaction, micros

try:
    import psycopg
    from psycopg.pq import TransactionStatus
except ImportError as missing:
    raise type(missing)(
        "PostgresLedger needs psycopg: pip install 'paywright[postgres]' where the system has libpq, or 'psycopg[binary]'.",
        name=missing.name,
    ) from missing

from paywright_receiver.postgres_connections import OwnConnections, Pool, Runs, told
from paywright_receiver.postgres_guard import Guard
from paywright_receiver.postgres_statements import (
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

__all__ = ["PostgresLedger"]

if TYPE_CHECKING:
    Connection = psycopg.Connection[object]

C = TypeVar("C", bound="psycopg.Connection[object]")

_ABORTED: Final = (
    "a statement of the handler's failed and it went on; PostgreSQL takes nothing after that: use a savepoint"
)


class PostgresLedger:
    """Remembers in a PostgreSQL database, which should be the one of your own tables: then a handler writes to both at once.

    Args:
        connections: how to come by a connection: a connection string such as "postgresql:///shop", a function that opens a
            new one (`lambda: psycopg.connect(...)`), or a `psycopg_pool.ConnectionPool`.
        schema: where the tables are, made if it is not there; the first schema of the search path by default.
        prefix: what the tables' names begin with.
        timeout: seconds to wait for a connection, and for who is writing about the same subject, before `LedgerProblem`.
        most: how many connections are open at once, where `connections` is no pool. Every handler that writes has one.

    The tables are made, or brought up to date, by `prepare` or at the first delivery. What only looks makes nothing: before
    that, `list`, `counts` and all the others raise `LedgerProblem`. Every commit is on the disk before it counts, also where
    `synchronous_commit` is off. A connection that was lost is replaced. The body of a notification is kept while it is not
    done, as it came and not encrypted. It may hold a person's data. After a fork the child opens connections of its own,
    unless they come from a pool: a pool is opened after the fork. Raises `LedgerProblem` if the database cannot be used.
    """

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
        if not timeout > 0 or most < 1:
            raise InvalidArgument("timeout is in seconds and above 0, most is 1 or more.")
        self._schema = schema
        self._prefix = prefix
        self._timeout = timeout
        self._pool = cast(
            "Pool[Connection]", connections if isinstance(connections, Pool) else _own(connections, timeout, most)
        )
        self._sql: Statements | None = None
        self.giving_back = GivingBack(self._given_back)
        self.opening = (
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; "
            f"SET LOCAL lock_timeout = {max(1, round(timeout * 1000))}; {DURABLE}"
        )

    def __repr__(self) -> str:
        return f"PostgresLedger(schema={self._schema!r}, prefix={self._prefix!r})"

    # What a receiver asks

    def claim(self, claim: Claim, /) -> Held | Refusal:
        sql = self._statements(make=True)
        self.giving_back.make_up()
        claim = fitting(claim)
        owner, _ = os.urandom(12).hex(), claim.digest  # both before others are kept waiting
        with self._transaction() as db:
            if duplicate(db, sql, claim):
                return "duplicate"
            found = claimed(db, sql, claim, owner, self._locked(db, claim.subject))
        return found if isinstance(found, str) else _Held(self, sql, claim, owner, found)

    def list(self, *, status: str | None = None, key: str | None = None, most: int = 200) -> Sequence[Entry]:
        """Records, the last changed first; `status` is a word of `paywright_runtime.ledger.STATUSES`."""
        sql = self._statements()
        with self._transaction() as db:
            wanted = None if key is None else fit(key)
            return entries(db, sql, self._now(db), status=status, key=wanted, most=most)

    def counts(self, *, older_than: timedelta = timedelta(0)) -> Mapping[Status, int]:
        sql = self._statements()
        with self._transaction() as db:
            return counted(db, sql, self._now(db), older_than)

    def body(self, key: str, /, digest: str | None = None) -> bytes | None:
        sql = self._statements()
        with self._transaction() as db:
            found = addressed(db, sql, fit(key), digest)
            row = None if found is None else db.execute(sql.body, found.row).fetchone()
        return None if row is None or row[0] is None else bytes(cast(bytes, row[0]))

    def settle(self, key: str, /, digest: str | None = None) -> bool:
        sql = self._statements()
        with self._transaction() as db:
            found = addressed(db, sql, fit(key), digest)
            return found is not None and settled(db, sql, found.key, digest, self._locked(db, found.subject))

    def release(self, key: str, /, digest: str | None = None) -> bool:
        sql = self._statements()
        with self._transaction() as db:
            found = addressed(db, sql, fit(key), digest)
            return found is not None and db.execute(sql.release, found.row).rowcount == 1

    def forget(self, before: datetime, /) -> int:
        limit, gone = micros(before), 0
        sql = self._statements()
        while True:
            with self._transaction() as db:
                old = (limit, self._now(db))
                some = db.execute(sql.forget, (*old, *old)).rowcount
            if not some:
                return gone
            gone += some

    def _given_back(self, claim: tuple[str, str, str, str]) -> None:
        sql = self._statements()
        with self._transaction() as db:
            db.execute(sql.given_back, claim)

    def _locked(self, db: Runs, subject: str) -> int:
        """Wait for whoever judges a claim about the subject; return the server's time after that."""
        lock = f"pg_advisory_xact_lock({lock_number(self._prefix + subject)})"
        return cast(int, cast("tuple[object, ...]", db.execute(f"SELECT {lock}, {CLOCK}", ()).fetchone())[1])

    def _now(self, db: Runs) -> int:
        return cast(int, cast("tuple[object, ...]", db.execute(f"SELECT {CLOCK}", ()).fetchone())[0])

    def prepare(self) -> None:
        """Connect, and make the tables if they are not there. Otherwise that happens at the first delivery.

        Whoever may not create tables has somebody make them who may: with this, or with the statements of `tables`.
        """
        self._statements(make=True)

    def close(self) -> None:
        """Close the connections that are not in use. The ledger opens new ones when it is asked again; a pool is yours."""
        if isinstance(self._pool, OwnConnections):
            self._pool.close()

    @staticmethod
    def tables(schema: str, prefix: str = "paywright_") -> str:
        """The SQL that makes the tables, for a migration of your own."""
        made = statements(schema, prefix)
        return ";\n".join([nothing(schema, prefix), *made.tables]) + ";\n"

    @staticmethod
    def upgrade(schema: str, prefix: str = "paywright_") -> str:
        """The SQL that brings tables of version 1 up to date, for a migration of your own."""
        made = statements(schema, prefix)
        return ";\n".join([*made.upgrade, *made.tables]) + ";\n"

    # Tables

    def _statements(self, *, make: bool = False) -> Statements:
        """The statements over tables that are there; with `make` they are made, or brought up to date."""
        if self._sql is None:
            with self._transaction() as db:
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
        try:
            make_tables(db, sql, records=records, version=version, where=where)
        except psycopg.errors.InsufficientPrivilege:
            if not records:
                raise
        else:
            return
        raise LedgerProblem(
            f"The ledger's tables in the schema {schema} are of an older version, and this role may not change them: have "
            "whoever owns them run PostgresLedger.upgrade(...). Nothing is acknowledged until then."
        )

    # Connections and transactions

    @contextmanager
    def _transaction(self) -> Iterator[Runs]:
        """A transaction of the ledger's own: committed, durably, at its end."""
        with told():
            db, block = self.begin(self.opening)
            try:
                yield Runs(db)
                block.__exit__(None, None, None)
            except BaseException as error:
                self.end(db, block, error)
                raise
            self._pool.putconn(db)

    def begin(self, opening: str) -> tuple[Connection, AbstractContextManager[object]]:
        """A connection in a transaction that has begun. One that was lost while nobody used it is replaced."""
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
                # Nothing has been said through it yet, so saying it through another one repeats nothing.
                again = isinstance(error, psycopg.OperationalError) and db.closed and monotonic() < until
                self._drop(db)
                if not again:
                    raise
                sleep(0.001)
            else:
                return db, block

    def end(self, db: Connection, block: AbstractContextManager[object], error: BaseException) -> None:
        """Undo, and give the connection back; it is closed where it does not come out clean."""
        try:
            with suppress(psycopg.Error):
                block.__exit__(type(error), error, None)
        finally:
            if db.closed or db.info.transaction_status != TransactionStatus.IDLE:
                self._drop(db)
            else:
                self._pool.putconn(db)

    def give(self, db: Connection) -> None:
        """Give a connection back whose transaction was committed."""
        self._pool.putconn(db)

    def _drop(self, db: Connection) -> None:
        db.pgconn.finish()  # and not close(), with which some pools would get it back
        self._pool.putconn(db)


class _Held:
    """A granted claim; its transaction begins when somebody looks at it."""

    __slots__ = ("_block", "_claim", "_db", "_guard", "_ledger", "_owner", "_process", "_refused", "_sql", "attempt", "conflict")  # fmt: skip

    def __init__(self, ledger: PostgresLedger, sql: Statements, claim: Claim, owner: str, granted: Granted) -> None:
        self._ledger = ledger
        self._sql = sql
        self._claim = claim
        self._owner = owner
        self._db: Connection | None = None
        self._block: AbstractContextManager[object] | None = None
        self._guard: Guard | None = None  # if the handler has the connection
        self._refused = False
        self._process = os.getpid()
        self.attempt, self.conflict = granted

    @property
    def transaction(self) -> Transaction:
        same_process(self._process, self._claim.key)
        if self._guard is None:
            self._refused = True  # until there is one
            with told():
                self._guard = self._looked()
            self._refused = False
        return cast(Transaction, self._db)

    def _looked(self) -> Guard:
        # What the handler writes has the isolation that its connections have; ours it does not matter to.
        db = self._begin(DURABLE)
        try:
            if Runs(db).execute(self._sql.mine, (self._owner, self._claim.key, self._owner)).rowcount != 1:
                raise self._lost()
            return Guard(db)
        except BaseException as error:
            self._end(error)
            raise

    def finish(self) -> None:
        same_process(self._process, self._claim.key)
        try:
            with told():
                spoilt = self._spoilt()
                if spoilt:
                    raise TransactionEnded(key=self._claim.key, why=spoilt)
                looked = self._guard is not None
                if self._guard is not None:
                    self._guard.release()
                self._done(Runs(self._db or self._begin(self._ledger.opening)), looked)
                self._committed()
        except BaseException as error:
            self._end(error)
            raise
        db, self._db, self._guard = self._db, None, None
        assert db is not None
        self._ledger.give(db)

    def _committed(self) -> None:
        assert self._block is not None
        try:
            self._block.__exit__(None, None, None)
        except psycopg.IntegrityError:  # of the handler's tables: ours has just been made to hold
            raise TransactionEnded(key=self._claim.key, why=BROKEN) from None

    def _done(self, db: Runs, looked: bool) -> None:
        claim, sql = self._claim, self._sql
        # The handler may have told its transaction not to wait for the disk.
        ours = f" AND held_by IS NOT DISTINCT FROM %s RETURNING {SYNCHRONOUS}"
        held_by = self._owner if looked else None
        if db.execute(sql.done + ours, (claim.key, self._owner, held_by)).rowcount != 1:
            if looked:  # the row was ours, and locked, since the handler looked
                raise TransactionEnded(key=claim.key, why=ENDED)
            raise self._lost()
        if self._refused:
            raise TransactionEnded(key=claim.key, why=REFUSED)
        if claim.state is not None and self.conflict is None:
            db.execute(sql.moved, (claim.subject, claim.state, claim.notify_time, claim.key))

    def give_back(self, status: Status, why: str) -> None:
        same_process(self._process, self._claim.key)
        if self._guard is not None and self._guard.tried:
            why = TRIED
        else:
            why = self._spoilt(ended_only=True) or why
        self._end(LedgerProblem(why))
        self._ledger.giving_back.end(status, fit(why), self._claim.key, self._owner)

    def _begin(self, opening: str) -> Connection:
        self._db, self._block = self._ledger.begin(opening)
        return self._db

    def _spoilt(self, *, ended_only: bool = False) -> str:
        """Why what the handler wrote cannot be committed; "" if it can, or if it wrote nothing."""
        db, guard = self._db, self._guard
        if db is None or guard is None:
            return ""
        if db.closed or db.info.transaction_status == TransactionStatus.IDLE:
            return ENDED
        return _ABORTED if db.info.transaction_status == TransactionStatus.INERROR and not ended_only else ""

    def _end(self, error: BaseException) -> None:
        if self._guard is not None:
            self._guard.release()
        db, self._db, self._guard = self._db, None, None
        if db is not None and self._block is not None:
            self._ledger.end(db, self._block, error)

    def _lost(self) -> ClaimLost:
        return ClaimLost(
            f"{self._claim.key} was taken over: its handler took longer than the receiver's lease. What it wrote here is "
            "undone, and it was not acknowledged."
        )


def _own(connections: str | Callable[[], C], timeout: float, most: int) -> OwnConnections:
    return OwnConnections(
        connections if isinstance(connections, str) else cast("Callable[[], Connection]", connections), timeout, most
    )
