"""A shop's folder for tests with processes: a key, and its database, which the processes find by the folder."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import key
from tests.receiver.helpers.worker import ledger_in

__all__ = ["ask", "make_shop", "store"]

_NAMES = {"postgres": "PostgreSQL", "mariadb": "MariaDB"}


def make_shop(request: pytest.FixtureRequest, folder: Path, *tables: str) -> Path:
    """Write the gateway's key, make the database, with the ledger's tables on a server, and the shop's own."""
    (folder / "gateway.pub").write_text(KeyPair(key()).public_pem)
    if request.param != "sqlite":
        server: Any = request.getfixturevalue(request.param)
        name = f"shop_{request.getfixturevalue('schema')}"
        server.ask(f"CREATE DATABASE {name}")
        (folder / request.param).write_text(server.address(name))
        ledger_in(folder).prepare()
    for table in tables:
        ask(folder, table)
    return folder


def ask(folder: Path, query: str) -> list[Any]:
    """Ask the shop's database."""
    if (folder / "postgres").exists():
        import psycopg

        with psycopg.connect((folder / "postgres").read_text()) as shop:
            found = shop.execute(query.encode())
            return found.fetchall() if found.description else []
    if (folder / "mariadb").exists():
        from paywright_receiver.ledgers.mariadb_connections import opener

        with closing(opener((folder / "mariadb").read_text(), 60)()) as db, db.cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())
    with closing(sqlite3.connect(folder / "shop.db")) as file, file:
        return file.execute(query).fetchall()


def store(folder: Path) -> str:
    """Return which database it is."""
    return next((name for one, name in _NAMES.items() if (folder / one).exists()), "SQLite")
