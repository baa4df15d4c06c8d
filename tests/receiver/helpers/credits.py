"""A merchant's table of credits, and a ledger beside it in the same database: a SQLite file, PostgreSQL or MariaDB."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from paywright import Event, FixedClock, Ledger
from paywright.models.notifications import Transfer
from paywright_receiver import SqliteLedger, in_one_transaction
from tests.receiver.helpers.desk import NOW, Desk

__all__ = ["Credits", "File", "fails"]


class File:
    """What a server is for the others."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            return db.execute(query).fetchall()

    def ledger(self, name: str, **settings: Any) -> SqliteLedger:
        return SqliteLedger(self.path, clock=FixedClock(NOW), **settings)


class Credits:
    """The database; `ledger` is the first of its ledgers, and `server` can be stopped and asked."""

    def __init__(self, kind: str, server: Any, name: str = "") -> None:
        self.kind, self.server, self.name = kind, server, name
        self.table = f"{name}.credits" if name else "credits"
        self.insert = f"INSERT INTO {self.table} VALUES ({'?' if kind == 'sqlite' else '%s'})"
        self.ledger: Any = self.another()
        self.ask(f"CREATE TABLE {self.table} (number TEXT{' CHARACTER SET utf8mb4' * (kind == 'mariadb')})")

    def another(self, **settings: Any) -> Any:
        """Another ledger over the same tables."""
        return self.server.ledger(self.name, **settings)

    def ask(self, query: str) -> list[Any]:
        """The first column of what a statement finds, in a session of its own."""
        return [row[0] for row in self.server.ask(query, *[self.name] * (self.kind == "mariadb"))]

    def written(self) -> list[str]:
        return self.ask(f"SELECT number FROM {self.table} ORDER BY number")

    def write(self, event: Event[Any], number: str) -> None:
        event.transaction.execute(self.insert, (number,))

    def desk(
        self, ledger: Ledger | None = None, then: Callable[[Event[Transfer]], object] = id, *, one: bool = False, **settings: Any
    ) -> Desk:  # fmt: skip
        """A desk whose handler writes the number of its transfer, `one` in one transaction, and goes on as `then` says."""
        desk = Desk(self.ledger if ledger is None else ledger, **settings)

        def write(event: Event[Transfer]) -> None:
            self.write(event, event.data.request_no)
            then(event)

        desk.receiver.on_receive(in_one_transaction(write) if one else write)
        return desk

    # Of servers alone

    @property
    def address(self) -> str:
        """Where a ledger finds its tables."""
        if self.kind == "mariadb":
            return str(self.server.address(self.name))
        return f"{self.server.conninfo()} options='-c search_path={self.name}'"

    def connect(self, **more: Any) -> Any:
        """A connection of the merchant's, which commits nothing by itself."""
        if self.kind == "mariadb":
            return self.server.connect(self.name, **{"autocommit": False, **more})
        import psycopg

        return psycopg.connect(self.address, **more)

    def crash(self) -> None:
        """The server crashes, and is started again."""
        self.server.stop(signal.SIGKILL if self.kind == "mariadb" else signal.SIGQUIT)
        self.server.start()

    def kill_sessions(self) -> None:
        """The server closes the sessions of all ledgers."""
        if self.kind == "postgres":
            self.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'paywright'")
            return
        for session in self.ask("SELECT id FROM information_schema.processlist WHERE command = 'Sleep'"):
            self.server.ask(f"KILL {session}")


def fails(event: Event[Any]) -> None:
    """What a handler does that fails the first time."""
    if event.attempt == 1:
        raise RuntimeError
