"""A shop's database in MariaDB: who meets a lock comes back, and who dies within a commit of two phases is ended by others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import pymysql
from pymysql.connections import Connection

from paywright import LedgerProblem
from paywright_receiver.items.times import micros
from paywright_receiver.ledgers import mariadb, mariadb_connections
from paywright_receiver.ledgers.mariadb import MariaDbLedger
from paywright_receiver.ledgers.mariadb_connections import WAITED, Session, code_of, opener
from tests.world.databases import ServerDatabase

if TYPE_CHECKING:
    from tests.world.machines import Process
    from tests.world.world import World

__all__ = ["MariaDatabase"]

_in_keys: Final = re.compile(r"\b(app|number) TEXT").sub
_query: Final = Connection.query


class MariaDatabase(ServerDatabase):
    """A database of a server."""

    def __init__(self, world: World, stack: ExitStack) -> None:
        super().__init__(world)
        # Nobody waits in the server. What is met is asked for again.
        settings = mariadb_connections._SETTINGS.replace("wait_timeout = {0}", "wait_timeout = 0")
        stack.enter_context(patch.object(mariadb_connections, "_SETTINGS", settings))
        stack.enter_context(patch.object(mariadb, "Session", _Session))
        stack.enter_context(patch.object(Connection, "query", _met))
        self._asks = opener(world.limits.server, 60)()
        self._opened: list[Any] = []
        stack.callback(self._close)
        self._ask(f"CREATE DATABASE {self.name} CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
        self._asks.select_db(self.name)
        self._open = opener(world.limits.server.replace("/?", f"/{self.name}?"), 60)

    def connect(self) -> Any:
        """Open a connection that meets the world."""
        db: Any = self._open()
        db.cursor().execute("SET innodb_lock_wait_timeout = 0")
        db.meets = self  # so does what a handler has, which is made of all that a connection has
        self._opened.append(db)
        return db

    def sql(self, statement: str) -> str:
        """Return a statement as this database has it."""
        ignores = statement.replace("INSERT INTO", "INSERT IGNORE INTO") if "ON CONFLICT" in statement else statement
        return ignores.replace(" ON CONFLICT DO NOTHING", "").replace("?", "%s")

    def undo(self, connections: list[Any]) -> None:
        """Close connections, and have what they did not commit or prepare undone by then."""
        gone = [str(one.thread_id()) for one in connections if one.open]
        for one in connections:
            one._force_close()
        for id in gone:
            with suppress(pymysql.Error):  # it was gone by itself
                self._ask(f"KILL {id}")
        while gone and self._ask(f"SELECT 1 FROM information_schema.processlist WHERE id IN ({', '.join(gone)})"):
            pass

    def _ask(self, question: str, values: tuple[object, ...] = ()) -> list[Any]:
        with self._asks.cursor() as cursor:
            cursor.execute(question, values)
            return list(cursor.fetchall())

    def _close(self) -> None:
        self.undo(self._opened)
        for _, length, _, name in self._ask("XA RECOVER"):  # what is prepared would keep its tables
            with suppress(pymysql.Error):
                text = name.decode() if isinstance(name, bytes) else name
                self._ask(f"XA ROLLBACK '{text[:length]}', '{text[length:]}'")
        self._ask(f"DROP DATABASE {self.name}")
        self._asks.close()

    def make(self, tables: str) -> None:
        """Make the shop's own tables."""
        for one in _in_keys(r"\1 VARCHAR(99)", tables).split(";")[:-1]:
            self._ask(f"{one[:-1]}, rowid BIGINT NOT NULL AUTO_INCREMENT INVISIBLE UNIQUE)")

    def rows(self, question: str, *values: object) -> list[Any]:
        """Ask it, whoever writes meanwhile."""
        return self._ask(self.sql(question), values)

    @contextmanager
    def own(self, held: list[Any] | None = None) -> Iterator[Any]:
        """Open a transaction of the shop's own connection; `held` are those that end with its process."""
        self.world.seam("the shop's tables")
        db = self.connect()
        if held is not None:
            held.append(db)
        try:
            db.begin()
            yield db.cursor()
            db.commit()
        except pymysql.OperationalError as error:
            raise LedgerProblem(str(error)) from None
        finally:
            self.undo([db])
            self.changes += 1
        self.world.seam("the shop's tables, written")

    def ledger(self, process: Process) -> _WorldLedger:
        """Open the ledger of a process."""
        return _WorldLedger(self, process)


def _met(db: Any, statement: str, unbuffered: bool = False) -> Any:
    """Send a statement at the world's time. If it meets a lock, it is undone and comes back."""
    database: MariaDatabase | None = db.__dict__.get("meets")
    if database is None:
        return _query(db, statement, unbuffered)
    waited = 0
    if statement.startswith("XA COMMIT") and not database.reads:
        database.world.seam("the ledger, between the two phases of a commit")
    else:
        database.seam()
    while True:
        now = micros(database.world.now())
        if not statement.startswith("XA"):  # when a branch has ended, nothing else may be sent
            _query(db, f"SET timestamp = {now // 1_000_000}.{now % 1_000_000:06}")
        try:
            return _query(db, statement, unbuffered)
        except pymysql.OperationalError as error:
            waited += 1
            if code_of(error) != WAITED or "NOWAIT" in statement or not database.waits(waited):
                raise


class _Session(Session):
    def commit(self) -> None:
        super().commit()
        if (database := self._db.__dict__.get("meets")) is not None:
            database.committed(pymysql.OperationalError)


class _WorldLedger(MariaDbLedger):
    """The ledger, with a seam before, in and after each transaction that writes."""

    def __init__(self, database: MariaDatabase, process: Process) -> None:
        self.world, self.database = database.world, database
        self.held: list[Any] = []
        process.ledger = self
        super().__init__(self._lent, timeout=0.001)
        self._ours = True
        self.prepare()

    def _lent(self) -> Any:
        self.held[:] = [one for one in self.held if one.open]
        self.held.append(db := self.database.connect())
        return db

    @contextmanager
    def _reading(self) -> Iterator[Any]:
        with self.database.reading(), self._writing() as db:
            yield db

    def begin(self, *, apart: bool = False, idle: int = 0) -> Session:
        reads = self.database.reads
        if not reads:
            self.world.seam("the ledger, before a transaction")
            self.world.disk("begin", pymysql.OperationalError)
        db = super().begin(apart=apart, idle=idle)
        if not reads:
            self.world.seam("the ledger, in a transaction")
        return db

    def die(self) -> None:
        """Undo what was not committed, and close what is open: at once, so that no lock is left for a moment."""
        self.database.undo(self.held)
        self.held.clear()
