"""Store rows until all input is read: in a temporary SQLite database, in memory while it is small, then on disk.

A process of several writes its rows into a file, in `BUCKETS`; another takes some buckets of all files, and relates their rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from paywright_audit.cross_exchange.history.owners import Same
from paywright_audit.cross_exchange.history.related_rows import (
    Key,
    Related,
    Round,
    bucket_of,
    key_of,
    row_from,
    united,
    written,
)

_BATCH: Final = 4000


class RowStore:
    """A store of rows and findings.

    With `file` None the store is private and deleted at the end; else its rows lie in `BUCKETS`, for stores of other processes.
    Raises `sqlite3.OperationalError` if the disk is full.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._database = sqlite3.connect("" if file is None else file, isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -16000", "temp_store = FILE"):
            self._ask(f"PRAGMA {setting}")
        self._shared = file is not None
        self._ask("CREATE TABLE findings (file, number, said, finding)")
        self._ask("BEGIN")
        self._waiting: dict[str, list[tuple[str, bytes]]] = {}
        self._count = 0

    def add(self, rows: Iterable[Related]) -> None:
        """Store rows for the rounds of their keys."""
        for row in rows:
            key = key_of(row)
            name = key.name
            if key.round <= Round.SUBJECT:  # merchants are united when they are read
                kind, _, about = name.split("\0", 2)
                name = f"{kind}\0{about}"
            table = _table(key.round, bucket_of(name) if self._shared else 0)
            waiting = self._waiting.get(table)
            if waiting is None:
                waiting = self._waiting[table] = []
                self._make(table)
            waiting.append((name, written(row)))
            self._count += 1
        if self._count >= _BATCH:
            self._write()

    def groups(self, round_: Round, same: Same) -> Iterator[Sequence[Related]]:
        """Yield the rows of every key of a round, with united merchants."""
        self._write()
        table = _table(round_, 0)
        self._make(table)
        asked = self._ask(f"SELECT name, row FROM {table} ORDER BY name")
        for _, found in groupby(asked, key=itemgetter(0)):
            by_key: dict[Key, list[Related]] = {}
            for _, text in found:
                row = united(row_from(text), same)
                by_key.setdefault(key_of(row), []).append(row)
            yield from by_key.values()

    def keep(self, file: str, number: int, said: bytes, finding: bytes) -> None:
        """Store a finding at its place. `said` orders the findings of one place."""
        named = file.encode(errors="surrogatepass")
        self._database.execute("INSERT INTO findings VALUES (?, ?, ?, ?)", (named, number, said, finding))

    def findings(self) -> Iterator[bytes]:
        """Yield all findings that were stored, in the order of their files and places."""
        return (finding for (finding,) in self._ask("SELECT finding FROM findings ORDER BY file, number, said"))

    def take(self, file: Path, round_: Round | None, buckets: Iterable[int] = ()) -> None:
        """Take the rows of a round in some buckets of a store that another process has closed; or with None, its findings."""
        self._ask("COMMIT")
        self._database.execute("ATTACH ? AS other", (str(file),))
        self._ask("BEGIN")
        if round_ is None:
            self._ask("INSERT INTO main.findings SELECT * FROM other.findings")
        else:
            into = _table(round_, 0)
            self._make(into)
            there = {name for (name,) in self._ask("SELECT name FROM other.sqlite_master")}
            for table in (_table(round_, bucket) for bucket in buckets):
                if table in there:
                    self._ask(f"INSERT INTO main.{into} SELECT * FROM other.{table}")
        self._ask("COMMIT")
        self._ask("DETACH other")
        self._ask("BEGIN")

    def close(self) -> None:
        """Write buffered rows, so that other processes can read the file."""
        self._write()
        self._ask("COMMIT")
        self._database.close()

    def _ask(self, question: str) -> sqlite3.Cursor:
        return self._database.execute(question)

    def _make(self, table: str) -> None:
        self._ask(f"CREATE TABLE IF NOT EXISTS main.{table} (name, row)")

    def _write(self) -> None:
        for table, rows in self._waiting.items():
            self._database.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)
            rows.clear()
        self._count = 0


def _table(round_: Round, bucket: int) -> str:
    return f"round{int(round_)}_{bucket}"
