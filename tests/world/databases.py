"""The database of a shop: a file, or one of a server. Each meets the scheduler wherever a program meets the database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from paywright_receiver import SqliteLedger
from tests.world.scheduler import Lock

if TYPE_CHECKING:
    from paywright_receiver.ledgers.sqlite_connections import GuardedConnection
    from tests.world.machines import Process
    from tests.world.world import World

__all__ = ["Database", "ServerDatabase", "ShopClock", "SqliteDatabase"]

_PATIENCE: Final = 20
"""Half seconds that a statement waits for a lock: as long as the ledger would."""
_NUMBERS: Final = count()


class Database(Protocol):
    """What a shop needs of its database. `changes` grows when something may have been written."""

    changes: int

    def make(self, tables: str) -> None: ...

    def rows(self, question: str, *values: object) -> list[Any]: ...

    def sql(self, statement: str) -> str: ...

    def own(self, held: list[Any] | None = None) -> AbstractContextManager[Any]: ...

    def ledger(self, process: Process) -> Any: ...

    def freed(self, program: object) -> None: ...

    def stored(self) -> list[str]: ...


class ShopClock:
    """The clock of a shop's machines, which may be wrong, or that of one process, whose host may be seconds off."""

    def __init__(self, world: World, process: Process | None = None) -> None:
        self._world, self._process = world, process

    def now(self) -> datetime:
        off = timedelta(0) if self._process is None else self._process.off
        return self._world.now() + self._world.wrong + off

    def monotonic(self) -> float:
        return self._world.scheduler.elapsed

    def sleep(self, seconds: float) -> None:
        self._world.scheduler.sleep(seconds)


class SqliteDatabase:
    """A file, which one program has at a time."""

    def __init__(self, world: World, file: Path) -> None:
        self.world, self.file, self.lock = world, file, Lock()
        self.changes = 0
        file.touch(0o600)
        self._asks = sqlite3.connect(file, isolation_level=None)

    def close(self) -> None:
        """Close the connection that asks."""
        self._asks.close()

    def make(self, tables: str) -> None:
        """Make the shop's own tables."""
        self._asks.executescript(tables)

    def rows(self, question: str, *values: object) -> list[Any]:
        """Ask it, whoever writes meanwhile."""
        return self._asks.execute(question, values).fetchall()

    def sql(self, statement: str) -> str:
        """Return a statement as this database has it."""
        return statement

    @contextmanager
    def own(self, held: list[Any] | None = None) -> Iterator[Any]:
        """Open a transaction of the shop's own connection; `held` are those that end with its process."""
        world = self.world
        world.seam("the shop's tables")
        world.scheduler.hold(self.lock)
        db = sqlite3.connect(self.file, timeout=0.001, isolation_level=None)
        if held is not None:
            held.append(db)
        try:
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")
        finally:
            if held is not None and db in held:
                held.remove(db)
            db.close()
            self.lock.holder = None
            self.changes += 1
        world.seam("the shop's tables, written")

    def ledger(self, process: Process) -> _SqliteLedger:
        """Open the ledger of a process."""
        return _SqliteLedger(self, process)

    def freed(self, program: object) -> None:
        """Take from a program that was killed what it holds."""
        if self.lock.holder is program:
            self.lock.holder = None

    def stored(self) -> list[str]:
        """Return all that it has, as text."""
        return [line for line in self._asks.iterdump() if line.startswith("INSERT")]


class _SqliteLedger(SqliteLedger):
    """The ledger, with a seam wherever it meets its file, and the file's lock for all processes of the world."""

    _PAUSE = 0.0

    def __init__(self, database: SqliteDatabase, process: Process) -> None:
        self._world, self._database, self._lock = database.world, database, database.lock
        self.held: list[Any] = []
        process.ledger = self  # whose process may die while it is opened
        super().__init__(database.file, timeout=0.001, clock=ShopClock(database.world))

    def begin(self) -> GuardedConnection:
        self._world.seam("the ledger, before a transaction")
        self._world.disk("begin", sqlite3.OperationalError)
        mine = self._world.scheduler.hold(self._lock)
        try:
            db = super().begin()
        except BaseException:
            if mine:
                self._lock.holder = None
            raise
        self.held.append(db)
        self._world.seam("the ledger, in a transaction")
        return db

    def end(self, db: GuardedConnection, *, ended: bool, error: BaseException | None = None) -> None:
        self.held.remove(db)
        super().end(db, ended=ended, error=error)
        self._lock.holder = None
        self._database.changes += 1
        if ended:
            self._world.shop_changed = True
            self._world.seam("the ledger, after a commit")
            self._world.disk("commit", sqlite3.OperationalError)

    def die(self) -> None:
        """Close what is open, as the system does when a process ends: what was not committed is undone."""
        for db in self.held:
            with suppress(sqlite3.Error):
                db.close()
        self.held.clear()
        with suppress(AttributeError):  # it was not open yet
            self.close()


class ServerDatabase:
    """A database of a server, for one world. The server's clock is right, whatever the shop's says."""

    def __init__(self, world: World) -> None:
        self.world, self.name = world, f"world_{next(_NUMBERS)}"
        self.reads, self.changes = False, 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read something; nobody else runs meanwhile."""
        self.reads = True
        try:
            yield
        finally:
            self.reads = False

    def seam(self) -> None:
        """Stop before a statement, now and then."""
        world = self.world
        if not self.reads and world.scheduler.current() and world.pick_by(("goes on", "others run first"), (7, 1)):
            world.seam("a statement")

    def waits(self, waited: int) -> bool:
        """Wait half a second for a lock. Return False if there is no more patience."""
        world = self.world
        if waited > _PATIENCE or world.scheduler.current() is None:
            return False
        world.counts["locks"] += 1
        world.scheduler.sleep(0.5)
        return True

    def committed(self, error: type[Exception]) -> None:
        """Stop after a commit of a ledger; the program may never hear of it."""
        self.changes += 1
        if not self.reads:
            self.world.shop_changed = True
            self.world.seam("the ledger, after a commit")
            self.world.disk("commit", error)

    def freed(self, program: object) -> None:
        """Its connections are closed with its process."""

    def stored(self) -> list[str]:
        """Nobody explores worlds on a server."""
        raise NotImplementedError
