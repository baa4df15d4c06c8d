"""Tables as classes: the SQL that makes them, and rows that come back as they were stored."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from paywright_sandbox.engine.state.state import State
from paywright_sandbox.engine.state.store import Store
from paywright_sandbox.engine.state.tables import UNIQUE, TableRow, joined, normalised, references
from paywright_sandbox.gateway import open_store

VERSION_1 = Path(__file__).with_name("state_version_1.sql")
NOON = datetime(2025, 6, 1, 12, 0, 0, 123456, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Shelf(TableRow, table="shelves"):
    label: str = field(metadata=UNIQUE)


@dataclass(frozen=True, kw_only=True)
class Book(
    TableRow,
    table="books",
    unique=("title, edition",),
    indexes={"books_lent": "(lent_at) WHERE lent_at IS NOT NULL"},
    join="JOIN shelves ON shelves.id = books.shelf",
):
    title: str
    edition: int = 0
    shelf: int = field(metadata=references("shelves"))
    lent: bool = False
    cover: bytes | None = None
    lent_at: datetime | None = None
    label: str = field(metadata=joined("shelves.label"))


@pytest.fixture
def state() -> Iterator[State]:
    store = Store(tables=[*Shelf.table_sql(), *Book.table_sql()])
    with store.transaction() as state:
        state.add(Shelf(label="A"))
        yield state
    store.close()


def test_a_class_says_the_columns_types_keys_and_indexes_of_its_table() -> None:
    table, index = Book.table_sql()
    assert normalised(table) == (
        "CREATE TABLE books(id INTEGER PRIMARY KEY,title TEXT NOT NULL,edition INTEGER NOT NULL DEFAULT 0,"
        "shelf INTEGER NOT NULL REFERENCES shelves(id),lent INTEGER NOT NULL DEFAULT 0,cover BLOB,lent_at INTEGER,"
        "UNIQUE(title,edition))"
    )
    assert index == "CREATE INDEX books_lent ON books (lent_at) WHERE lent_at IS NOT NULL"
    assert "label TEXT NOT NULL UNIQUE" in Shelf.table_sql()[0]


def test_a_row_comes_back_as_it_was_stored_with_what_is_joined(state: State) -> None:
    stored = state.add(Book(title="T", shelf=1, lent=True, cover=b"\x00", lent_at=NOON, label="A"))
    assert stored.id == 1
    assert state.get(Book, 1) == stored
    assert state.find(Book, "WHERE title = ?", "T") == stored
    assert state.find(Book, "WHERE title = ?", "none") is None
    plain = state.add(Book(title="U", shelf=1, label="A"))
    assert state.select(Book, "ORDER BY books.id DESC") == [plain, stored]
    assert (plain.lent, plain.cover, plain.lent_at) == (False, None, None)


def test_a_row_with_an_id_keeps_it(state: State) -> None:
    assert state.add(Shelf(id=7, label="B")) == state.get(Shelf, 7)


def test_a_change_returns_the_row_as_it_is_then(state: State) -> None:
    book = state.add(Book(title="T", shelf=1, label="A"))
    changed = state.change(book, lent=True, lent_at=NOON)
    assert (changed.lent, changed.lent_at, changed.title) == (True, NOON, "T")
    assert state.get(Book, book.id) == changed
    for name in ("label", "price"):  # read from another table, and none at all
        with pytest.raises(KeyError, match=name):
            state.change(book, **{name: "x"})


def test_a_copy_has_other_values_of_the_fields_that_there_are() -> None:
    book = Book(title="T", shelf=1, label="A")
    assert book.with_fields(title="U", lent=True) == Book(title="U", shelf=1, label="A", lent=True)
    assert book.title == "T"
    with pytest.raises(KeyError, match="price"):
        book.with_fields(price=1)


def test_a_key_that_is_taken_and_a_row_that_is_not_there_raise(state: State) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        state.add(Shelf(label="A"))
    with pytest.raises(LookupError, match="shelves has no row 9"):
        state.get(Shelf, 9)


def test_a_part_whose_transaction_is_gone_does_not_end_well(state: State) -> None:
    """SQLite undoes a transaction itself if the disk is full, and whoever caught that must not answer with success."""
    with pytest.raises(sqlite3.OperationalError, match="no such savepoint"), state.undone_if_it_raises():
        state.end("ROLLBACK")


def test_the_tables_are_those_of_version_1() -> None:
    """Who changes a table changes the version of the state too: states and snapshots of this one would not fit."""
    store = open_store()
    with store.transaction() as state:
        rows = state.all("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name, type")
        version = state.one("PRAGMA user_version")
    store.close()
    found = [normalised(str(row["sql"])) for row in rows]
    assert found == VERSION_1.read_text(encoding="utf-8").splitlines()
    assert version == {"user_version": 1}
