"""The state: an SQLite file, or memory.

Each request is one transaction over event log and tables, on disk before the answer is signed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Final

from paywright_runtime.errors import ConfigurationError
from paywright_runtime.private_files import hold_private
from paywright_sandbox.engine.state.state import State
from paywright_sandbox.engine.state.tables import instant, normalised


def disk_trouble(error: BaseException, file: Path | None) -> str | None:
    """Return a problem of the disk or the state file in words; None for every other error.

    SQLite has undone the transaction.
    """
    if not isinstance(error, sqlite3.Error):
        return None
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "Could not decode to UTF-8" in str(error):
        return damaged(file)
    words = _DISK.get(code)
    if words is None:
        return None
    return f"{file or 'The state in memory'} cannot be written: {words}. Nothing was saved. Repair that and try again."


def damaged(file: Path | None) -> str:
    """Return the message for a damaged state file."""
    where = file or "The state in memory"
    return (
        f"{where} is damaged: something in it cannot be read. Nothing was saved. Replace it by a snapshot, or move it "
        "away to begin with an empty sandbox."
    )


_DISK: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk failed, or the file must not grow any more",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_CANTOPEN: "it, or a file beside it, cannot be opened",
}


def unusable(file: Path | None, error: Exception) -> ConfigurationError:
    """Return the error for a state file that cannot be opened."""
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return ConfigurationError(
            f"{file} is in use: another sandbox serves this folder. Stop it, or make another folder."
        )
    unreadable = isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error)
    why = "it is damaged: its tables cannot be read" if unreadable else error
    return ConfigurationError(
        f"{file} cannot be used: {why}. Nothing was changed. Move it away to begin with an empty sandbox."
    )


def other_version(found: int, known: int) -> str | None:
    """Return in words that a state is of another version; None for the known one, and for 0, which an empty file has."""
    if found in (0, known):
        return None
    return f"it is of version {found}, and this sandbox knows version {known}: use the paywright that made it"


_VERSION: Final = 1
_EVER: Final = datetime.min.replace(tzinfo=UTC)

MOST_BYTES: Final = 256 * 1024 * 1024
"""The maximum size of a snapshot."""

_SCHEMA: Final = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, detail BLOB NOT NULL
);
CREATE TABLE timers (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, subject INTEGER NOT NULL);
CREATE INDEX timers_due ON timers (at, id);
CREATE INDEX timers_of ON timers (kind, subject);
"""


class _Transaction(AbstractContextManager[State]):
    """Transaction of one request. A class, because a generator would be slower."""

    __slots__ = ("_db", "_lock", "_state", "_store")

    def __init__(self, lock: Lock, db: sqlite3.Connection, store: Store) -> None:
        self._lock = lock
        self._db = db
        self._store = store

    def __enter__(self) -> State:
        self._lock.acquire()
        self._state = State(self._db, self._store.generation, self._store.nothing_before)
        return self._state

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        try:
            if kind is None:
                self._state.end("COMMIT")
                self._store.nothing_before = self._state.nothing_before
        finally:
            try:
                self._state.end("ROLLBACK")  # of what was not committed
            finally:
                self._lock.release()


class Store:
    """The database. Threads may share it: one transaction runs at a time.

    `file` None keeps everything in memory. One process can open a file: opening it twice raises `ConfigurationError`.
    An acknowledged effect survives a crash of the process.
    """

    def __init__(self, file: Path | None = None, *, tables: Sequence[str]) -> None:
        """Open the state in `file`; make it with `tables` (SQL) if there is none."""
        self.file = file
        self.tables: tuple[str, ...] = tuple(tables)
        self.generation: int = 0
        self.nothing_before: datetime = _EVER  # no timer falls due before: most requests need not ask
        self._lock = Lock()
        self._late: list[Callable[[], None]] = []
        if file is not None:
            hold_private(file)  # it holds what payers entered
        self._db = sqlite3.connect(file or ":memory:", timeout=0, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(file)
        except (sqlite3.DatabaseError, UnicodeDecodeError, ConfigurationError) as error:
            self._db.close()
            raise unusable(file, error) from None

    def _prepare(self, file: Path | None) -> None:
        if file is not None:
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            if other := other_version(self._version(), _VERSION):
                raise ConfigurationError(other)  # before its journal is changed
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("PRAGMA wal_autocheckpoint = 4000")  # 16 MB: what many requests change is copied once
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("BEGIN IMMEDIATE")
        version, there = self._version(), _tables(self._db)
        if version == 0 and not there:
            self._make()
        elif version == 0:
            raise ConfigurationError("it has tables and no version: it is damaged, or belongs to another program")
        elif file is not None:
            with closing(Store(tables=self.tables)) as empty:
                if there != _tables(empty._db):
                    raise ConfigurationError(
                        "its tables differ from those of this sandbox: it is damaged, or was made with other resources"
                    )
        self._db.execute("COMMIT")

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def _make(self) -> None:
        for statement in (part for text in (_SCHEMA, *self.tables) for part in text.split(";\n") if part.strip()):
            self._db.execute(statement)
        self._db.execute(f"PRAGMA user_version = {_VERSION}")

    def transaction(self) -> AbstractContextManager[State]:
        """Return a transaction: the block's effects are on disk when it ends, or undone when it raises."""
        return _Transaction(self._lock, self._db, self)

    def before_it_goes(self, write: Callable[[], None]) -> None:
        """Register a function that writes data still in memory.

        It is called before the state is copied, replaced or closed.
        """
        self._late.append(write)

    def _settle(self) -> None:
        for write in self._late:
            write()

    def snapshot(self) -> bytes:
        """Return the whole state, as an SQLite file."""
        self._settle()
        with self._lock, closing(sqlite3.connect(":memory:")) as copy:
            self._db.backup(copy)
            raw = bytearray(copy.serialize())
        raw[18:20] = b"\x01\x01"  # a copy in memory has no write-ahead log, whatever the original has
        return bytes(raw)

    def restore(self, raw: bytes, check: Callable[[Store], None] = lambda copy: None) -> None:
        """Replace the whole state by a snapshot.

        `check` gets the snapshot as a store before anything is replaced, and raises `ConfigurationError` to refuse it.
        Raises `ConfigurationError`, and changes nothing, if it is not a snapshot of this version.
        """
        with closing(Store(tables=self.tables)) as copy:
            copy._load(raw)
            check(copy)
            self._settle()
            with self._lock:
                copy._db.backup(self._db)
                self.generation, self.nothing_before = self.generation + 1, _EVER

    def _load(self, raw: bytes) -> None:
        """Replace the state, which is in memory, by a snapshot. If this raises, the store is unusable."""
        if len(raw) > MOST_BYTES:
            raise ConfigurationError(f"A snapshot has at most {MOST_BYTES >> 20} MB. Nothing was changed.")
        if not raw.startswith(b"SQLite format 3\x00"):
            raise ConfigurationError("This is not a snapshot of a sandbox. Nothing was changed.")
        due = _tables(self._db)
        try:
            self._db.deserialize(raw)
            version = self._version()
            other = other_version(version, _VERSION)
            whole = version == _VERSION and _tables(self._db) == due and _is_sound(self._db)
        except (sqlite3.Error, OverflowError, UnicodeDecodeError):
            other, whole = None, False
        if other is not None:
            raise ConfigurationError(f"This snapshot cannot be used: {other}. Nothing was changed.")
        if not whole:
            raise ConfigurationError(
                "This is not a snapshot of a sandbox with these resources, or it is damaged. Nothing was changed."
            )

    def damage(self) -> str | None:
        """Return in words that the file is damaged; None if it is sound. It reads the whole file."""
        try:
            with self._lock:
                sound = self._db.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
        except sqlite3.ProgrammingError:  # it is closed
            return None
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            sound = False
        return None if sound else damaged(self.file)

    def close(self) -> None:
        """Close the file. The store cannot be used afterwards."""
        self._settle()
        self._late.clear()
        with self._lock:
            self._db.close()


def _tables(db: sqlite3.Connection) -> list[tuple[str, ...]]:
    """Return type, name, table and statement of everything that is in a database."""
    found = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name, type")
    return [(kind, name, table, normalised(sql or "")) for kind, name, table, sql in found]


def _is_sound(db: sqlite3.Connection) -> bool:
    """Return whether every cell of a database can be read, and has the type of its column; SQLite checks all else."""
    if db.execute("PRAGMA integrity_check").fetchone() != ("ok",):
        return False
    if db.execute("PRAGMA foreign_key_check").fetchone() is not None:
        return False
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns = db.execute(f"PRAGMA table_info({table})").fetchall()
        for row in db.execute(f"SELECT * FROM {table}"):
            for (_, _, declared, not_null, _, _), cell in zip(columns, row, strict=True):
                if cell is None and not not_null:
                    continue
                if not isinstance(cell, _PYTHON_TYPES.get(declared, (str, int))):
                    return False
                if isinstance(cell, int) and not _FIRST <= cell <= _LAST:
                    return False
    return True


_PYTHON_TYPES: Final[Mapping[str, type]] = {"TEXT": str, "INTEGER": int, "BLOB": bytes}
_FIRST: Final = instant(_EVER)  # most numbers are times
_LAST: Final = instant(datetime.max.replace(tzinfo=UTC))
