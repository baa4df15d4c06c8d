"""A shop's database in PostgreSQL: many transactions are open at once, and who meets a lock comes back a little later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar
from unittest.mock import patch

import psycopg
from psycopg.errors import LockNotAvailable
from psycopg.pq import DiagnosticField, TransactionStatus

from paywright import LedgerProblem
from paywright_receiver.items.times import micros
from paywright_receiver.ledgers import postgres_connections, postgres_text
from paywright_receiver.ledgers.postgres import PostgresLedger
from paywright_receiver.ledgers.postgres_text import Statement, check, exchange
from tests.world.databases import ServerDatabase

if TYPE_CHECKING:
    from tests.world.machines import Process
    from tests.world.world import World

__all__ = ["PostgresDatabase"]

Row = TypeVar("Row")
_CLOCK: Final = "current_setting('world.now')::bigint"


def undo(connections: list[psycopg.Connection[Any]]) -> None:
    """Close connections, and have what they did not commit undone by then."""
    for db in connections:
        db.pgconn.exec_(b"ROLLBACK") if not db.closed else None
        db.pgconn.finish()


class PostgresDatabase(ServerDatabase):
    """A schema of a server."""

    def __init__(self, world: World, stack: ExitStack) -> None:
        super().__init__(world)
        stack.enter_context(patch.object(PostgresLedger, "_DIALECT", PostgresLedger._DIALECT._replace(clock=_CLOCK)))
        for module in (postgres_text, postgres_connections):
            stack.enter_context(patch.object(module, "exchange", _exchange))
        self._asks = psycopg.connect(world.limits.server, autocommit=True)
        self._opened: list[psycopg.Connection[Any]] = []
        stack.callback(self._close)
        self._asks.execute(f"DROP SCHEMA IF EXISTS {self.name} CASCADE".encode())
        self._asks.execute(f"CREATE SCHEMA {self.name}".encode())
        self._asks.execute(f"SET search_path = {self.name}".encode())

    def connect(self) -> psycopg.Connection[Any]:
        """Open a connection that meets the world."""
        options = f"-c search_path={self.name} -c lock_timeout=1 -c world.now={micros(self.world.now())}"
        db: psycopg.Connection[Any] = psycopg.Connection.connect(
            self.world.limits.server, autocommit=True, options=options, cursor_factory=_Cursor
        )
        db.prepare_threshold = None
        setattr(db, "database", self)  # noqa: B010  # for its cursors, and those of its copies
        self._opened.append(db)
        return db

    def sql(self, statement: str) -> str:
        """Return a statement as this database has it."""
        return statement.replace("?", "%s").replace("rowid", "ctid")

    def _close(self) -> None:
        undo(self._opened)
        self._asks.execute(f"DROP SCHEMA {self.name} CASCADE".encode())
        self._asks.close()

    def make(self, tables: str) -> None:
        """Make the shop's own tables."""
        self._asks.execute(tables.encode())

    def rows(self, question: str, *values: object) -> list[Any]:
        """Ask it, whoever writes meanwhile."""
        return self._asks.execute(self.sql(question).encode(), values).fetchall()

    @contextmanager
    def own(self, held: list[Any] | None = None) -> Iterator[Any]:
        """Open a transaction of the shop's own connection; `held` are those that end with its process."""
        self.world.seam("the shop's tables")
        db = self.connect()
        held = [] if held is None else held
        held.append(db)
        try:
            with db.transaction():
                yield db
        except psycopg.OperationalError as error:
            raise LedgerProblem(str(error)) from None
        finally:
            db.close()
            self.changes += 1
        self.world.seam("the shop's tables, written")

    def ledger(self, process: Process) -> _WorldLedger:
        """Open the ledger of a process."""
        return _WorldLedger(self, process)


def _met(db: Any, send: Callable[[], Row]) -> Row:
    """Send statements at the world's time. If they meet a lock, they are undone and come back."""
    if db.info.transaction_status != TransactionStatus.INTRANS:
        return send()
    database: PostgresDatabase = db.database
    waited = 0
    database.seam()
    while True:
        db.pgconn.exec_(f"SAVEPOINT world; SET LOCAL world.now = {micros(database.world.now())}".encode())
        try:
            return send()
        except LockNotAvailable:
            db.pgconn.exec_(b"ROLLBACK TO world")
            waited += 1
            if not database.waits(waited):
                raise


def _exchange(db: Any, statements: Any) -> Any:
    """Send the ledger's statements, which it sends without a cursor."""

    def send() -> Any:
        found = exchange(db, statements)
        if found[-1].error_field(DiagnosticField.SQLSTATE) == b"55P03":
            check(db, found[-1])
        return found

    return _met(db, send)


class _Cursor(psycopg.Cursor[Row]):
    """The cursor of handlers, and of the shop's own statements."""

    def execute(self, query: Any, params: Any = None, **more: Any) -> Any:
        return _met(self.connection, lambda: super(_Cursor, self).execute(query, params, **more))


class _WorldLedger(PostgresLedger):
    """The ledger, with a seam before, in and after each transaction that writes."""

    def __init__(self, database: PostgresDatabase, process: Process) -> None:
        self.world, self.database = database.world, database
        self.held: list[Any] = []
        process.ledger = self
        super().__init__(self._connect, schema=database.name, timeout=0.001)
        self.prepare()

    @contextmanager
    def _reading(self) -> Iterator[Any]:
        with self.database.reading(), self._writing() as db:
            yield db

    def begin(self, *statements: Statement) -> Any:
        reads, waited = self.database.reads, 0
        if not reads:
            self.world.seam("the ledger, before a transaction")
            self.world.disk("begin", psycopg.OperationalError)
        while True:
            for one in self.held:
                if not one.closed and one.info.transaction_status == TransactionStatus.IDLE:
                    one.pgconn.exec_(f"SET world.now = {micros(self.world.now())}".encode())
            try:
                begun = super().begin(*statements)
                break
            except LockNotAvailable:
                waited += 1
                if reads or not self.database.waits(waited):
                    raise
        if not reads:
            self.world.seam("the ledger, in a transaction")
        return begun

    def commit(self, *values: Any, **named: Any) -> Any:
        """Commit, and stop after it."""
        found = super().commit(*values, **named)
        self.database.committed(psycopg.OperationalError)
        return found

    def _connect(self) -> psycopg.Connection[Any]:
        self.held[:] = [one for one in self.held if not one.closed]
        db = self.database.connect()
        self.held.append(db)
        return db

    def die(self) -> None:
        """Undo what was not committed, and close what is open: at once, so that no lock is left for a moment."""
        undo(self.held)
        self.held.clear()
