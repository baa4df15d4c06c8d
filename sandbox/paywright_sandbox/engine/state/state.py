"""The state inside one transaction: rows, timers and the event log.

Times are whole microseconds since 1970 in UTC; amounts are decimal text.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple, TypeVar

from paywright_runtime import strict_json
from paywright_sandbox.engine.state.tables import Cell, Row, TableRow, instant, layout_of, moment

R = TypeVar("R", bound=TableRow)

_NEVER: Final = datetime.max.replace(tzinfo=UTC)


class Timer(NamedTuple):
    """A timer: its `kind`, for which there is a handler, and the row it is about."""

    at: datetime
    kind: str
    subject: int


class _Savepoint(AbstractContextManager[None]):
    """Part of a transaction. A class, because a generator would be slower."""

    __slots__ = ("_db", "_first")

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._first = not db.in_transaction  # nothing was written before: undo the whole transaction

    def __enter__(self) -> None:
        if not self._first:
            self._db.execute("SAVEPOINT part")

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is not None:
            if not self._db.in_transaction:  # SQLite ends it itself when the disk is full
                return
            self._db.execute("ROLLBACK" if self._first else "ROLLBACK TO part")
        if not self._first:
            self._db.execute("RELEASE part")


class State:
    """The state inside one transaction, which begins with the first write: reading needs none.

    `generation` changes when the state is restored or reset: row numbers of another generation name other rows.
    `nothing_before` is a time before which no timer falls due.
    """

    __slots__ = ("_db", "generation", "nothing_before", "soonest")

    def __init__(self, db: sqlite3.Connection, generation: int, nothing_before: datetime) -> None:
        self._db = db
        self.generation: int = generation
        self.nothing_before: datetime = nothing_before
        self.soonest: datetime | None = None

    def falls_due(self, at: datetime) -> None:
        """Note that something falls due at `at`."""
        if self.soonest is None or at < self.soonest:
            self.soonest = at

    def add(self, record: R) -> R:
        """Store a new row and return it with its id. Raises `sqlite3.IntegrityError` if a key is taken.

        An `id` other than 0 is kept.
        """
        layout = layout_of(type(record))
        cells = layout.cells(record)
        if record.id:
            self._write(layout.insert_with_id, cells)
            return record
        made = self._write(layout.insert, cells[1:]).lastrowid
        assert made is not None  # an insert without a conflict clause has one
        return record.with_fields(id=made)

    def find(self, kind: type[R], where: str, *values: Cell) -> R | None:
        """Return the first row that `where` (SQL from `WHERE` or `ORDER BY` on) selects, or None."""
        layout = layout_of(kind)
        row = self._db.execute(layout.query(where), values).fetchone()
        return None if row is None else layout.read(row)

    def get(self, kind: type[R], row: int) -> R:
        """Return the row of an id. Raises `LookupError` if there is none."""
        found = self.find(kind, f"WHERE {kind.TABLE}.id = ?", row)
        if found is None:
            raise LookupError(f"{kind.TABLE} has no row {row}")
        return found

    def select(self, kind: type[R], where: str = "", *values: Cell) -> list[R]:
        """Return all rows that `where` selects; see `find`."""
        layout = layout_of(kind)
        return [layout.read(row) for row in self._db.execute(layout.query(where), values)]

    def change(self, record: R, **changes: object) -> R:
        """Change fields of a stored row and return the changed row. Raises `KeyError` for an unknown field."""
        layout, kind = layout_of(type(record)), type(record)
        cells = [layout.cell(name, value) for name, value in changes.items()]
        columns = ", ".join(f"{name} = ?" for name in changes)
        self._write(f"UPDATE {kind.TABLE} SET {columns} WHERE id = ?", (*cells, record.id))
        return self.get(kind, record.id)

    def one(self, sql: str, *values: Cell) -> dict[str, Cell] | None:
        """Return the first row of a query, by column name, or None."""
        cursor = self._db.execute(sql, values)
        row = cursor.fetchone()
        return None if row is None else dict(zip(_names(cursor), row, strict=True))

    def all(self, sql: str, *values: Cell) -> list[dict[str, Cell]]:
        """Return all rows of a query, by column name."""
        cursor = self._db.execute(sql, values)
        names = _names(cursor)
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def add_all(self, records: Sequence[TableRow]) -> None:
        """Store new rows of one class."""
        layout = layout_of(type(records[0]))
        self._writing().executemany(layout.insert, [layout.cells(record)[1:] for record in records])

    def update(self, table: str, row: int, values: Row) -> None:
        """Change a row."""
        columns = ", ".join(f"{name} = ?" for name in values)
        self._write(f"UPDATE {table} SET {columns} WHERE id = ?", (*values.values(), row))

    def delete(self, table: str, row: int) -> None:
        """Delete a row."""
        self._write(f"DELETE FROM {table} WHERE id = ?", (row,))

    def delete_up_to(self, table: str, row: int) -> None:
        """Delete all rows up to this one."""
        self._write(f"DELETE FROM {table} WHERE id <= ?", (row,))

    def next_id(self, table: str) -> int:
        """Return the id of the next row of a table in this transaction."""
        found = self._db.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()
        return int(found[0])

    def undone_if_it_raises(self) -> AbstractContextManager[None]:
        """Undo only this part of the transaction if it raises."""
        return _Savepoint(self._db)

    def end(self, how: Literal["COMMIT", "ROLLBACK"]) -> None:
        """End the transaction, if anything was written."""
        if self._db.in_transaction:
            self._db.execute(how)

    def _write(self, sql: str, values: Sequence[Cell]) -> sqlite3.Cursor:
        return self._writing().execute(sql, values)

    def _writing(self) -> sqlite3.Connection:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
        return self._db

    def record(self, at: datetime, kind: str, subject: str, detail: Mapping[str, object]) -> None:
        """Append to the event log."""
        self._write(
            "INSERT INTO events (at, kind, subject, detail) VALUES (?, ?, ?, ?)",
            (instant(at), kind, subject, strict_json.write(dict(detail))),
        )

    def set_timer(self, timer: Timer) -> None:
        """Set a timer."""
        self.falls_due(timer.at)
        self.nothing_before = min(self.nothing_before, timer.at)
        self._write(
            "INSERT INTO timers (at, kind, subject) VALUES (?, ?, ?)", (instant(timer.at), timer.kind, timer.subject)
        )

    def drop_timers(self, kind: str, subject: int) -> None:
        """Delete the timers of this kind for a row."""
        self._write("DELETE FROM timers WHERE kind = ? AND subject = ?", (kind, subject))

    def next_due(self) -> datetime | None:
        """Return when the earliest timer falls due, or None."""
        row = self._db.execute("SELECT min(at) FROM timers").fetchone()
        return None if row[0] is None else moment(row[0])

    def take_due(self, now: datetime) -> Timer | None:
        """Delete and return the earliest due timer, of equal ones the one set first; None if none is due."""
        if now < self.nothing_before:
            return None  # as nearly always, without a query
        row = self._db.execute(
            "SELECT id, at, kind, subject FROM timers WHERE at <= ? ORDER BY at, id LIMIT 1", (instant(now),)
        ).fetchone()
        if row is None:
            if not self._db.in_transaction:  # else timers may come back
                self.nothing_before = self.next_due() or _NEVER
            return None
        self._write("DELETE FROM timers WHERE id = ?", (row[0],))
        return Timer(moment(row[1]), row[2], row[3])


def _names(cursor: sqlite3.Cursor) -> list[str]:
    return [column[0] for column in cursor.description]
