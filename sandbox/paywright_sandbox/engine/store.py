"""The one place of state: an SQLite file, or memory.

Whatever one request does is one transaction: it stands in the event log and in the tables, or nowhere, and it is on
disk before the answer is signed. Times are whole microseconds since 1970 in UTC; amounts are decimal text.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Final, Literal

from paywright_runtime import strict_json
from paywright_runtime.errors import ConfigurationError

__all__ = ["State", "Store", "Timer", "disk_trouble", "instant", "moment"]

_VERSION: Final = 4
_TABLES: Final = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name, type"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_SCHEMA: Final = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, detail BLOB NOT NULL
);
CREATE INDEX events_about ON events (subject);
CREATE TABLE timers (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, subject INTEGER NOT NULL);
CREATE INDEX timers_due ON timers (at, id);
CREATE INDEX timers_of ON timers (kind, subject);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, key TEXT NOT NULL, out_trade_no TEXT NOT NULL,
    trade_token TEXT NOT NULL UNIQUE, trade_no TEXT NOT NULL, integrate TEXT NOT NULL, status TEXT NOT NULL,
    amount TEXT NOT NULL, currency TEXT NOT NULL, country TEXT, subject TEXT NOT NULL, user_id TEXT NOT NULL, reference TEXT,
    front_callback_url TEXT NOT NULL, notify_url TEXT, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    finished_at INTEGER, response_code TEXT, response_msg TEXT, method TEXT, target_org TEXT, card TEXT,
    binds INTEGER NOT NULL DEFAULT 0, referral_code TEXT, user_name TEXT, token INTEGER, plan INTEGER, period INTEGER,
    link INTEGER, allowed_cards TEXT, outcome TEXT, UNIQUE (key, merchant)
);
CREATE INDEX orders_of_periods ON orders (period) WHERE period IS NOT NULL;
CREATE INDEX orders_of_plans ON orders (plan) WHERE plan IS NOT NULL;
CREATE TABLE refunds (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, out_refund_no TEXT NOT NULL, refund_trade_no TEXT NOT NULL UNIQUE,
    order_id INTEGER NOT NULL REFERENCES orders (id), status TEXT NOT NULL, amount TEXT NOT NULL, currency TEXT NOT NULL,
    comments TEXT, notify_url TEXT, created_at INTEGER NOT NULL, finished_at INTEGER, result_msg TEXT,
    UNIQUE (out_refund_no, merchant)
);
CREATE INDEX refunds_of ON refunds (order_id);
"""

Cell = str | int | bytes | None
Row = Mapping[str, Cell]


def instant(time: datetime) -> int:
    """A time as it is stored."""
    return (time - _EPOCH) // _MICROSECOND


def moment(stored: int) -> datetime:
    """A stored time, in UTC."""
    return _EPOCH + timedelta(microseconds=stored)


class Timer:
    """Something that falls due: a `kind` of the handlers' and the row it is about."""

    __slots__ = ("at", "kind", "subject")

    def __init__(self, at: datetime, kind: str, subject: int) -> None:
        self.at = at
        self.kind = kind
        self.subject = subject


class State:
    """The state inside one transaction, which begins with what is written first: reading alone needs none.

    `generation` is another one whenever a snapshot was put in place, or the state was reset: row numbers of another
    generation name other rows.
    """

    __slots__ = ("_db", "generation", "soonest")

    def __init__(self, db: sqlite3.Connection, generation: int) -> None:
        self._db = db
        self.generation = generation
        self.soonest: datetime | None = None

    def falls_due(self, at: datetime) -> None:
        """Keeps in mind that something falls due then, for whoever waits for it."""
        if self.soonest is None or at < self.soonest:
            self.soonest = at

    def one(self, sql: str, *values: Cell) -> dict[str, Cell] | None:
        """The first row, by column name, or None."""
        cursor = self._db.execute(sql, values)
        row = cursor.fetchone()
        return None if row is None else dict(zip(_names(cursor), row, strict=True))

    def all(self, sql: str, *values: Cell) -> list[dict[str, Cell]]:
        """All rows, by column name."""
        cursor = self._db.execute(sql, values)
        names = _names(cursor)
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def insert(self, table: str, values: Row) -> int:
        """Adds a row and returns its id. Raises `sqlite3.IntegrityError` where a key is taken."""
        columns = ", ".join(values)
        marks = ", ".join("?" * len(values))
        cursor = self._write(f"INSERT INTO {table} ({columns}) VALUES ({marks})", tuple(values.values()))
        assert cursor.lastrowid is not None  # an insert without a conflict clause has one
        return cursor.lastrowid

    def insert_all(self, table: str, columns: Sequence[str], rows: Sequence[tuple[Cell, ...]]) -> None:
        """Adds rows, each with the values of `columns`."""
        marks = ", ".join("?" * len(columns))
        self._writing().executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)

    def update(self, table: str, row: int, values: Row) -> None:
        """Changes a row."""
        columns = ", ".join(f"{name} = ?" for name in values)
        self._write(f"UPDATE {table} SET {columns} WHERE id = ?", (*values.values(), row))

    def delete(self, table: str, row: int) -> None:
        """Takes a row away."""
        self._write(f"DELETE FROM {table} WHERE id = ?", (row,))

    def delete_up_to(self, table: str, row: int) -> None:
        """Takes away all rows up to this one."""
        self._write(f"DELETE FROM {table} WHERE id <= ?", (row,))

    def next_id(self, table: str) -> int:
        """The id that the next row of a table gets in this transaction."""
        found = self._db.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()
        return int(found[0])

    @contextmanager
    def undone_if_it_raises(self) -> Iterator[None]:
        """A part of the transaction that is undone alone when it raises."""
        if not self._db.in_transaction:  # nothing was written before: the part is the whole
            try:
                yield
            except BaseException:
                self.end("ROLLBACK")
                raise
            return
        self._db.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            if self._db.in_transaction:  # SQLite ends it itself where the disk is full
                self._db.execute("ROLLBACK TO part")
                self._db.execute("RELEASE part")
            raise
        self._db.execute("RELEASE part")

    def end(self, how: Literal["COMMIT", "ROLLBACK"]) -> None:
        """Ends the transaction, if anything was written."""
        if self._db.in_transaction:
            self._db.execute(how)

    def _write(self, sql: str, values: tuple[Cell, ...]) -> sqlite3.Cursor:
        return self._writing().execute(sql, values)

    def _writing(self) -> sqlite3.Connection:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
        return self._db

    def record(self, at: datetime, kind: str, subject: str, detail: Mapping[str, object]) -> None:
        """Appends to the event log."""
        self._write(
            "INSERT INTO events (at, kind, subject, detail) VALUES (?, ?, ?, ?)",
            (instant(at), kind, subject, strict_json.write(dict(detail))),
        )

    def set_timer(self, timer: Timer) -> None:
        """Lets something fall due."""
        self.falls_due(timer.at)
        self._write(
            "INSERT INTO timers (at, kind, subject) VALUES (?, ?, ?)", (instant(timer.at), timer.kind, timer.subject)
        )

    def drop_timers(self, kind: str, subject: int) -> None:
        """Nothing of this kind falls due for that row any longer."""
        self._write("DELETE FROM timers WHERE kind = ? AND subject = ?", (kind, subject))

    def next_due(self) -> datetime | None:
        """When the earliest timer falls due, or None."""
        row = self._db.execute("SELECT min(at) FROM timers").fetchone()
        return None if row[0] is None else moment(row[0])

    def take_due(self, now: datetime) -> Timer | None:
        """Takes away the earliest timer that is due, of equal ones the one set first."""
        row = self._db.execute(
            "SELECT id, at, kind, subject FROM timers WHERE at <= ? ORDER BY at, id LIMIT 1", (instant(now),)
        ).fetchone()
        if row is None:
            return None
        self._write("DELETE FROM timers WHERE id = ?", (row[0],))
        return Timer(moment(row[1]), row[2], row[3])


class _Transaction(AbstractContextManager[State]):
    """As a class and not as a generator: it is entered with every request."""

    __slots__ = ("_lock", "_state", "_store")

    def __init__(self, lock: Lock, db: sqlite3.Connection, store: Store) -> None:
        self._lock = lock
        self._store = store
        self._state = State(db, 0)

    def __enter__(self) -> State:
        self._lock.acquire()
        self._state.generation = self._store.generation
        return self._state

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        try:
            if kind is None:
                self._state.end("COMMIT")
        finally:
            try:
                self._state.end("ROLLBACK")  # of what was not committed
            finally:
                self._lock.release()


class Store:
    """The database. Threads may share it: one transaction runs at a time.

    `file` None keeps everything in memory. A file belongs to one process while it is open: opening it twice raises
    `ConfigurationError`. An acknowledged effect survives the death of the process; with `power_safe` also that of
    the machine, at the price of waiting for the disk with every effect.
    """

    def __init__(self, file: Path | None = None, *, power_safe: bool = False) -> None:
        self.file = file
        self.generation = 0
        self._lock = Lock()
        self._late: list[Callable[[], None]] = []
        if file is not None and not file.exists():
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))  # it holds what payers entered
        self._db = sqlite3.connect(file or ":memory:", timeout=0, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(file, power_safe)
        except (sqlite3.DatabaseError, ConfigurationError) as error:
            self._db.close()
            raise _unusable(file, error) from None

    def _prepare(self, file: Path | None, power_safe: bool) -> None:
        if file is not None:
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute(f"PRAGMA synchronous = {'FULL' if power_safe else 'NORMAL'}")
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("BEGIN IMMEDIATE")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            from paywright_tools.sandbox.tables import TABLES  # the rooms import this module

            for statement in (part for text in (_SCHEMA, *TABLES) for part in text.split(";\n") if part.strip()):
                self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version = {_VERSION}")
        elif version != _VERSION:
            raise ConfigurationError("another version of the sandbox wrote it")
        self._db.execute("COMMIT")

    def transaction(self) -> AbstractContextManager[State]:
        """All of it, on disk when the block ends; or, when it raises, nothing."""
        return _Transaction(self._lock, self._db, self)

    def before_it_goes(self, write: Callable[[], None]) -> None:
        """`write` is called before the state is copied, replaced or closed: it writes what still stands in memory."""
        self._late.append(write)

    def _settle(self) -> None:
        for write in self._late:
            write()

    def snapshot(self) -> bytes:
        """The whole state, as an SQLite file."""
        self._settle()
        with self._lock, closing(sqlite3.connect(":memory:")) as copy:
            self._db.backup(copy)
            raw = bytearray(copy.serialize())
        raw[18:20] = b"\x01\x01"  # a copy in memory has no write-ahead log, whatever the original has
        return bytes(raw)

    def restore(self, raw: bytes) -> None:
        """Puts a snapshot in place of the whole state, or nothing. Raises `ConfigurationError` for anything that is not
        a snapshot of this version."""
        if not raw.startswith(b"SQLite format 3\x00"):
            raise ConfigurationError("This is no snapshot of a sandbox. Nothing was changed.")
        with closing(sqlite3.connect(":memory:")) as copy:
            try:
                copy.deserialize(raw)
                same = copy.execute(_TABLES).fetchall() == self._tables()
                sound = same and copy.execute("PRAGMA quick_check").fetchone() == ("ok",)
                version = copy.execute("PRAGMA user_version").fetchone()[0]
            except (sqlite3.Error, OverflowError):
                sound, version = False, None
            if not sound or version != _VERSION:
                raise ConfigurationError("This is no snapshot of a sandbox of this version. Nothing was changed.")
            self._settle()
            with self._lock:
                copy.backup(self._db)
                self.generation += 1

    def reset(self) -> None:
        """An empty state, as at the very first start."""
        with closing(Store()) as empty:
            self.restore(empty.snapshot())

    def _tables(self) -> list[tuple[str, ...]]:
        with self._lock:
            return self._db.execute(_TABLES).fetchall()

    def close(self) -> None:
        """Closes the file. The store cannot be used afterwards."""
        self._settle()
        self._late.clear()
        with self._lock:
            self._db.close()


def disk_trouble(error: BaseException, file: Path | None) -> str | None:
    """Return in words what is wrong with the disk or the state file; None for every other error.

    Whatever was under way was not kept: SQLite has undone it.
    """
    if not isinstance(error, sqlite3.Error):
        return None
    words = _DISK.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    if words is None:
        return None
    return f"{file or 'The state in memory'} cannot be written: {words}. Nothing of this was kept. Mend that, then do it again."


_DISK: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk failed, or the file may not grow any further",
    sqlite3.SQLITE_READONLY: "it may only be read",
    sqlite3.SQLITE_CANTOPEN: "it, or a file beside it, cannot be opened",
}


def _names(cursor: sqlite3.Cursor) -> list[str]:
    return [column[0] for column in cursor.description]


def _unusable(file: Path | None, error: Exception) -> ConfigurationError:
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return ConfigurationError(
            f"{file} is in use: another sandbox serves this folder. Stop it, or make another folder."
        )
    return ConfigurationError(f"{file} cannot be used ({error}). Move it away to begin with an empty sandbox.")
