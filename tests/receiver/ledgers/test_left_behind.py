"""What one handler leaves behind never reaches the next: session state, temporary objects, and its event.transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from paywright import Event
from paywright.models.notifications import Transfer
from tests.receiver.helpers.credits import Credits, File
from tests.receiver.helpers.desk import Desk

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server

Handler = Callable[[Any], object]


def sqlite_leaves(db: sqlite3.Connection) -> None:
    db.execute("CREATE TEMP TABLE mine (x)")
    db.execute("CREATE TEMP TRIGGER quiet BEFORE INSERT ON credits BEGIN SELECT RAISE(IGNORE); END")
    db.execute("PRAGMA busy_timeout = 1")
    db.create_function("today", 0, lambda: "yesterday")
    db.row_factory = sqlite3.Row
    db.text_factory = bytes


POSTGRES_LEAVES: dict[str, Handler] = {
    "a search path": lambda db: db.execute("SET search_path TO tenant_b"),
    "a time limit": lambda db: db.execute("SET statement_timeout = 60000"),
    "a temporary table": lambda db: db.execute("CREATE TEMP TABLE credits (number TEXT)"),
    "a lock": lambda db: db.execute("SELECT pg_advisory_lock(7)"),
    "a statement": lambda db: db.execute("PREPARE mine AS SELECT 1"),
    "a statement by other means": lambda db: db.execute("DO $$ BEGIN EXECUTE 'PREPARE mine AS SELECT 1'; END $$"),
    "no statement": lambda db: db.execute("DEALLOCATE ALL"),
    "a listener": lambda db: db.execute("LISTEN mine"),
    "a role": lambda db: db.execute("SET ROLE tenant_b"),
    "a user": lambda db: db.execute("SET SESSION AUTHORIZATION tenant_b"),
    "a cursor": lambda db: db.execute("DECLARE mine CURSOR WITH HOLD FOR SELECT 1"),
    "an encoding": lambda db: db.execute("SET client_encoding = 'LATIN1'"),
    "other strings": lambda db: db.execute("SET standard_conforming_strings = off"),
    "a row factory": lambda db: setattr(db, "row_factory", _dict_row()),
    "a cursor factory": lambda db: setattr(db, "cursor_factory", _client_cursor()),
    "prepared statements": lambda db: (setattr(db, "prepare_threshold", 0), db.execute("SELECT 1 + 1")),
    "a type": lambda db: db.adapters.register_loader("int4", _never()),
    "its autocommit, tried": lambda db: _tries(db),
}


def _dict_row() -> Any:
    from psycopg.rows import dict_row

    return dict_row


def _client_cursor() -> Any:
    from psycopg import ClientCursor

    return ClientCursor


def _never() -> Any:
    from psycopg.types.string import TextLoader

    return TextLoader


def _tries(db: Any) -> None:
    with pytest.raises(Exception, match="autocommit"):
        db.autocommit = False


def test_on_sqlite_a_handler_finds_nothing_of_the_one_before(tmp_path: Path) -> None:
    credits, seen = Credits("sqlite", File(tmp_path / "shop.db")), list[object]()

    def leaves(event: Event[Transfer]) -> None:
        db: Any = event.transaction
        seen.append((db.execute("PRAGMA busy_timeout").fetchone(), db.execute("SELECT 'a'").fetchone()))
        with pytest.raises(sqlite3.OperationalError, match="no such function"):
            db.execute("SELECT today()")
        sqlite_leaves(db)

    assert credits.desk(credits.another(timeout=600), leaves).outcomes("R1", "R2", "R3") == ["handled"] * 3
    assert seen == [((600_000,), ("a",))] * 3
    assert credits.written() == ["R1", "R2", "R3"]


def unfinished(db: Any) -> object:
    """A query that has more rows keeps its view of the file, in which nobody may begin to write."""
    cursor = db.execute("SELECT 1 UNION SELECT 2 UNION SELECT number FROM credits")
    cursor.fetchone()
    return cursor


SQLITE_LEAVES: dict[str, Handler] = {
    "a temporary table": lambda db: db.execute("CREATE TEMP TABLE credits (number TEXT)"),
    "a temporary view": lambda db: db.execute("CREATE TEMP VIEW mine AS SELECT 1"),
    "a temporary trigger": lambda db: db.execute(
        "CREATE TEMP TRIGGER quiet BEFORE INSERT ON credits BEGIN SELECT RAISE(IGNORE); END"
    ),
    "a PRAGMA": lambda db: db.execute("PRAGMA recursive_triggers = 1"),
    "a function": lambda db: db.create_function("today", 0, lambda: "yesterday"),
    "an aggregate": lambda db: db.create_aggregate("most", 1, type(None)),
    "a collation": lambda db: db.create_collation("mine", lambda one, other: 0),
    "a limit": lambda db: db.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1000),
    "a trace": lambda db: db.set_trace_callback(lambda text: None),
    "a progress handler": lambda db: db.set_progress_handler(lambda: 0, 1000),
    "a row factory": lambda db: setattr(db, "row_factory", sqlite3.Row),
    "a text factory": lambda db: setattr(db, "text_factory", bytes),
    "an isolation level": lambda db: setattr(db, "isolation_level", "EXCLUSIVE"),
    "a method": lambda db: setattr(db, "execute", lambda *values: None),
    "the connection, kept": lambda db: KEPT.append(db),
    "a cursor, kept": lambda db: KEPT.append(db.cursor()),
    "a query, unfinished": lambda db: KEPT.append(unfinished(db)),
}
KEPT: list[object] = []


@pytest.mark.parametrize("left", [None, *SQLITE_LEAVES])
def test_sqlite_keeps_only_clean_connections(left: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    credits, opened, connect = Credits("sqlite", File(tmp_path / "shop.db")), list[str](), sqlite3.connect
    leaves: Handler = SQLITE_LEAVES.get(left or "", id)
    desk = credits.desk(credits.another(timeout=600), lambda event: leaves(event.transaction), one=True)
    monkeypatch.setattr(sqlite3, "connect", lambda *values, **named: (opened.append(""), connect(*values, **named))[1])
    assert desk.outcomes("R1", "R2", "R3") == ["handled"] * 3
    KEPT.clear()
    assert len(opened) == (1 if left is None else 3)
    monkeypatch.undo()
    assert credits.written() == ["R1", "R2", "R3"]


@pytest.mark.slow
@pytest.mark.parametrize("source", ["a connection string", "a function"])
@pytest.mark.parametrize("left", POSTGRES_LEAVES)
def test_a_postgresql_handler_finds_nothing_left(left: str, source: str, postgres: Server, schema: str) -> None:
    import psycopg

    from paywright_receiver.ledgers.postgres import PostgresLedger

    postgres.ask(
        f"CREATE SCHEMA {schema}; CREATE SCHEMA IF NOT EXISTS tenant_b; CREATE TABLE {schema}.credits (number TEXT)"
    )
    postgres.ask("CREATE TABLE IF NOT EXISTS tenant_b.credits (number TEXT)")
    postgres.ask("DO $$ BEGIN CREATE ROLE tenant_b SUPERUSER; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    text = f"{postgres.conninfo()} options='-c search_path={schema}'"
    made: Any = text if source == "a connection string" else lambda: psycopg.connect(text, autocommit=True)
    desk = Desk(PostgresLedger(made, most=1))
    seen: list[object] = []

    @desk.receiver.on_receive
    def credit(event: Event[Transfer]) -> None:
        db: Any = event.transaction
        db.execute("INSERT INTO credits VALUES (%s)", (event.data.request_no,))
        settings = ("search_path", "statement_timeout", "client_encoding", "standard_conforming_strings")
        state = f"{', '.join(f'current_setting({one!r})' for one in settings)}, session_user, current_user, 1::int4"
        found = "SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors"
        seen.append(
            (db.execute(f"SELECT {state}, ({found})").fetchone(), db.prepare_threshold, type(db.cursor()).__name__)
        )
        POSTGRES_LEAVES[left](db)

    assert desk.outcomes("R1", "R2", "R3") == ["handled"] * 3
    assert seen == [seen[0]] * 3
    assert postgres.ask(f"SELECT number FROM {schema}.credits") == [("R1",), ("R2",), ("R3",)]
    assert postgres.ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [(0,)]
    assert dict(desk.ledger.counts())["done"] == 3


@pytest.mark.parametrize("when", ["idle", "during another", "after a failure"])
def test_a_kept_transaction_is_over(credits: Credits, when: str) -> None:
    kept, errors, late_row = list[Any](), list[Exception](), f"INSERT INTO {credits.table} VALUES ('late')"

    def late() -> None:
        for use in (
            lambda: kept[0].execute(late_row),
            lambda: kept[1].execute(late_row),
            lambda: kept[0].cursor().execute("SELECT 1"),
            lambda: kept[0].commit() or kept[0].execute("SELECT 1"),
        ):
            try:
                use()
            except Exception as error:
                errors.append(error)
        kept[0].close()

    def keeps(event: Event[Transfer]) -> None:
        if event.data.request_no == "R1":
            kept[:] = [event.transaction, event.transaction.cursor()]  # type: ignore[attr-defined]
            if when == "after a failure":
                raise RuntimeError
        elif when == "during another":
            thread = Thread(target=late)
            thread.start()
            thread.join(600)

    desk = credits.desk(then=keeps)
    assert desk.outcomes("R1") == ["failed" if when == "after a failure" else "handled"]
    if when != "during another":
        late()
    assert desk.outcomes("R2") == ["handled"]
    assert len(errors) == 4
    assert credits.written() == (["R2"] if when == "after a failure" else ["R1", "R2"])
