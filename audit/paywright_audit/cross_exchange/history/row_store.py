"""Store rows until all input is read: in memory while they are few, then in a temporary SQLite database.

A process of several writes its rows into a file, in order of buckets; another takes some buckets of all files, and relates their rows.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from paywright_audit.cross_exchange.history.owners import Same
from paywright_audit.cross_exchange.history.related_rows import (
    Related,
    Round,
    bucket_of,
    key_of,
    rows_from,
    united,
    written,
)

_MOST: Final = 8000  # rows in memory
_PLACES: Final = 1 << 30  # of each bucket


class RowStore:
    """A store of rows and findings.

    With `file` None the store is private and deleted at the end; else stores of other processes can `take` its buckets. Raises
    `sqlite3.OperationalError` if the disk is full.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._database = sqlite3.connect("" if file is None else file, isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -16000", "temp_store = FILE"):
            self._ask(f"PRAGMA {setting}")
        self._shared = file is not None
        self._ask("CREATE TABLE findings (file, number, said, finding)")
        for round_ in Round:
            self._ask(f"CREATE TABLE {_table(round_)} (place INTEGER PRIMARY KEY, name, rows)")
        self._ask("BEGIN")
        self._waiting: dict[Round, dict[str, list[Related]]] = {round_: defaultdict(list) for round_ in Round}
        self._count = 0  # of rows that wait
        self._lists = 0  # of rows in the database

    def add(self, rows: Iterable[Related]) -> None:
        """Store rows for the rounds of their keys."""
        for row in rows:
            round_, name = key_of(row)
            if round_ <= Round.SUBJECT:  # merchants are united when they are read
                kind, _, about = name.split("\0", 2)
                name = f"{kind}\0{about}"
            self._waiting[round_][name].append(row)
            self._count += 1
        if self._count >= _MOST:
            self._write()

    def groups(self, round_: Round, same: Same) -> Iterator[Sequence[Related]]:
        """Yield the rows of every key of a round, with united merchants."""
        for rows in self._named(round_):
            by_name: dict[str, list[Related]] = {}
            for row in (united(row, same) for row in rows) if any(same) else rows:
                by_name.setdefault(key_of(row)[1], []).append(row)
            yield from by_name.values()

    def _named(self, round_: Round) -> Iterator[Iterable[Related]]:
        """Yield the rows of every name, under which they were added."""
        if not self._lists:
            waiting, self._waiting[round_] = self._waiting[round_], defaultdict(list)
            self._count -= sum(map(len, waiting.values()))
            yield from waiting.values()
            return
        self._write()
        asked = self._ask(f"SELECT name, rows FROM {_table(round_)} ORDER BY name")
        for _, found in groupby(asked, key=itemgetter(0)):
            yield chain.from_iterable(rows_from(text) for _, text in found)

    def keep(self, file: str, number: int, said: bytes, finding: bytes) -> None:
        """Store a finding at its place. `said` orders the findings of one place."""
        named = file.encode(errors="surrogatepass")
        self._database.execute("INSERT INTO findings VALUES (?, ?, ?, ?)", (named, number, said, finding))

    def findings(self) -> Iterator[bytes]:
        """Yield all findings that were stored, in the order of their files and places."""
        return (finding for (finding,) in self._ask("SELECT finding FROM findings ORDER BY file, number, said"))

    def take(self, file: Path, round_: Round | None, buckets: range = range(0)) -> None:
        """Take the rows of a round in some buckets of a store that another process has closed; or with None, its findings."""
        self._ask("COMMIT")
        self._database.execute("ATTACH ? AS other", (str(file),))
        self._ask("BEGIN")
        if round_ is None:
            self._ask("INSERT INTO main.findings SELECT * FROM other.findings")
        else:
            table, places = _table(round_), (buckets.start * _PLACES, buckets.stop * _PLACES)
            taken = f"SELECT name, rows FROM other.{table} WHERE place >= ? AND place < ?"
            made = self._database.execute(f"INSERT INTO main.{table} (name, rows) {taken}", places)
            self._lists += made.rowcount
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

    def _write(self) -> None:
        for round_, waiting in self._waiting.items():
            lists = [(self._place(name), name, written(rows)) for name, rows in waiting.items()]
            self._database.executemany(f"INSERT INTO {_table(round_)} VALUES (?, ?, ?)", sorted(lists))
            waiting.clear()
        self._count = 0

    def _place(self, name: str) -> int:
        """Return the next place in the bucket of a name. All rows of a private store are in one."""
        self._lists += 1
        return (bucket_of(name) if self._shared else 0) * _PLACES + self._lists


def _table(round_: Round) -> str:
    return f"round{int(round_)}"
