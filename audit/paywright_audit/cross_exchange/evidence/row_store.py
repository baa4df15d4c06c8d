"""Store rows until all input is read: in a temporary SQLite database, in memory while it is small, then on disk.

A process of several writes its rows into a file, in `BUCKETS`; another takes some buckets of all files, and relates their rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from paywright_audit.cross_exchange.evidence.owners import Same
from paywright_audit.cross_exchange.evidence.related_rows import (
    Key,
    Related,
    Round,
    alias_of,
    bucket_of,
    key_of,
    row_from,
    united,
    united_name,
    written,
)
from paywright_audit.cross_exchange.evidence.rows import BY_ALIAS, Row, Values

_COLUMNS: Final = ", ".join(Row._fields)
_FILE: Final = Row._fields.index("file")
_ALIAS: Final = Row._fields.index("alias")
_TAKE: Final = ", ".join("files.id" if name == "file" else f"theirs.{name}" for name in Row._fields)
_NAMES: Final = {"subject": 1, "ref": 1, "token": 0}
"""Columns that contain an owner, with the number of its part."""
_BY_ALIAS: Final = f"\0{BY_ALIAS}"
_PASSED: Final = "round, name, row"
_BATCH: Final = 4000
_first: Final = itemgetter(0)


class RowStore:
    """A store of rows and findings.

    With `file` None the store is private and deleted at the end; else its rows lie in `BUCKETS`, for stores of other processes.
    `most` is its largest size in bytes. Raises `sqlite3.OperationalError` if it would grow larger, or if the disk is full.
    """

    def __init__(self, file: Path | None = None, *, most: int | None = None) -> None:
        self._database = sqlite3.connect("" if file is None else file, isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -16000", "temp_store = FILE"):
            self._ask(f"PRAGMA {setting}")
        self._page = int(self._ask("PRAGMA page_size").fetchone()[0])
        for schema in ("main", "temp") if most is not None else ():
            self._ask(f"PRAGMA {schema}.max_page_count = {max(1, (most or 0) // self._page)}")
        self._shared = file is not None
        self._tables: set[str] = set()
        if not self._shared:
            self._make("rows0", _COLUMNS)
            self._make("passed0", _PASSED)
        self._ask("CREATE TABLE files (id INTEGER PRIMARY KEY, name UNIQUE)")
        self._ask("CREATE TABLE findings (file, offset, said, finding)")
        self._ask("BEGIN")
        self._rows: dict[tuple[int, int], list[Values]] = {}
        self._passed: dict[int, list[tuple[int, str, str]]] = {}
        self._count = 0
        self._files: dict[str, int] = {}
        self._names: list[str] = []

    def number_of(self, file: str) -> int:
        """Return the number of a file, which added rows hold in place of its name."""
        number = self._files.get(file)
        if number is None:
            number = self._files[file] = len(self._names)
            self._names.append(file)
            self._ask("INSERT INTO files VALUES (?, ?)", number, file.encode(errors="surrogateescape"))
        return number

    def add(self, rows: Iterable[Values]) -> None:
        """Store rows of exchanges, with values in the order of `Row`, and the number of the file in place of its name."""
        for values in rows:
            subject = str(values[0])
            length = len(values)
            if _BY_ALIAS in subject or (length > _ALIAS and values[_ALIAS] is not None):
                file = self._names[int(values[_FILE] or 0)]
                named: tuple[Any, ...] = (*values[:_FILE], file, *values[_FILE + 1 :])
                row = Row(*named)
                alias = alias_of(row)
                if alias is not None:
                    self.pass_on([alias])
                elif key_of(row).round is Round.ALIAS:
                    self._pass(key_of(row), row)
                    continue
            place = bucket_of(subject) if self._shared else 0, length
            waiting = self._rows.get(place)
            if waiting is None:
                waiting = self._rows[place] = []
            waiting.append(values)
            self._count += 1
        if self._count >= _BATCH:
            self._write()

    def pass_on(self, rows: Iterable[Related]) -> None:
        """Store rows for a later round."""
        for row in rows:
            key = key_of(row)
            if isinstance(row, Row):
                self.add([(*row[:_FILE], self.number_of(row.file), *row[_FILE + 1 :])])
            else:
                self._pass(key, row)

    def _pass(self, key: Key, row: Related) -> None:
        name = key.name
        if key.round is Round.ALIAS:  # merchants are united when it is read
            kind, _, alias = name.split("\0", 2)
            name = f"{kind}\0{alias}"
        self._passed.setdefault(bucket_of(name) if self._shared else 0, []).append((key.round, name, written(row)))
        self._count += 1
        if self._count >= _BATCH:
            self._write()

    def groups(self, round_: Round, same: Same) -> Iterator[Sequence[Related]]:
        """Yield the rows of every key of a round, with united merchants. Rows of one subject are in order of time."""
        self._write()
        if round_ is Round.SUBJECT:
            self._unite(same)
            self._ask("CREATE INDEX IF NOT EXISTS by_subject ON rows0 (subject, at)")
            asked = self._ask(f"SELECT {_COLUMNS} FROM rows0 ORDER BY subject, at")
            names = self._names
            for _, rows in groupby(asked, key=_first):
                yield [Row._make((*row[:_FILE], names[row[_FILE]], *row[_FILE + 1 :])) for row in rows]
            return
        asked = self._ask("SELECT name, row FROM passed0 WHERE round = ? ORDER BY name", round_)
        for _, passed in groupby(asked, key=_first):
            by_key: dict[Key, list[Related]] = {}
            for _, text in passed:
                row = united(row_from(text), same)
                by_key.setdefault(key_of(row), []).append(row)
            yield from by_key.values()

    def keep(self, file: str, offset: int, said: bytes, finding: bytes) -> None:
        """Store a finding at its place. `said` orders the findings of one place."""
        self._ask("INSERT INTO findings VALUES (?, ?, ?, ?)", self.number_of(file), offset, said, finding)

    def findings(self) -> Iterator[bytes]:
        """Yield all findings that were stored, in the order of their files and places."""
        asked = "SELECT finding FROM findings JOIN files ON files.id = file ORDER BY files.name, offset, said"
        return (finding for (finding,) in self._ask(asked))

    def take(self, file: Path, round_: Round | None, buckets: Iterable[int] = ()) -> None:
        """Take the rows of a round in some buckets of a store that another process has closed; or with None, its findings."""
        self._ask("COMMIT")
        self._ask("ATTACH ? AS other", str(file))
        self._ask("BEGIN")
        for (name,) in self._ask("SELECT name FROM other.files").fetchall() if round_ in (None, Round.SUBJECT) else ():
            self.number_of(name.decode(errors="surrogateescape"))
        files = (
            "JOIN other.files AS named ON named.id = theirs.file JOIN main.files AS files ON files.name = named.name"
        )
        if round_ is None:
            self._ask(
                f"INSERT INTO main.findings SELECT files.id, offset, said, finding FROM other.findings AS theirs {files}"
            )
        there = {name for (name,) in self._ask("SELECT name FROM other.sqlite_master")}
        of = "rows" if round_ is Round.SUBJECT else "passed"
        for table in (f"{of}{bucket}" for bucket in buckets if f"{of}{bucket}" in there):
            if of == "rows":
                self._ask(f"INSERT INTO main.rows0 SELECT {_TAKE} FROM other.{table} AS theirs {files}")
            else:
                self._ask(f"INSERT INTO main.passed0 SELECT * FROM other.{table} WHERE round = ?", round_)
        self._ask("COMMIT")
        self._ask("DETACH other")
        self._ask("BEGIN")

    def size(self) -> int:
        """Return the approximate size of the store in bytes, in memory or on disk."""
        counts = (self._ask(f"PRAGMA {schema}.page_count").fetchone()[0] for schema in ("main", "temp"))
        return self._page * sum(map(int, counts))

    def close(self) -> None:
        """Write buffered rows, so that other processes can read the file."""
        self._write()
        self._ask("COMMIT")
        self._database.close()

    def _unite(self, same: Same) -> None:
        if not same.owners and not same.environments:
            return

        def name_of(named: str | None, place: int, environment: int) -> str | None:
            if named is None:
                return None
            return united_name(named, place, same.owners, same.environments.get(environment, 0))

        self._database.create_function("united", 3, name_of, deterministic=True)
        changes = (f"{name} = united({name}, {place}, environment)" for name, place in _NAMES.items())
        self._ask(f"UPDATE rows0 SET {', '.join(changes)}")

    def _ask(self, question: str, *values: str | float | bytes | None) -> sqlite3.Cursor:
        return self._database.execute(question, values)

    def _make(self, table: str, columns: str) -> None:
        if table not in self._tables:
            self._ask(f"CREATE TABLE {table} ({columns})")
            self._tables.add(table)

    def _write(self) -> None:
        for (bucket, length), rows in self._rows.items():
            self._make(f"rows{bucket}", _COLUMNS)
            into = f"INSERT INTO rows{bucket} ({', '.join(Row._fields[:length])}) VALUES ({', '.join('?' * length)})"
            self._database.executemany(into, rows)
            rows.clear()
        for bucket, passed in self._passed.items():
            self._make(f"passed{bucket}", _PASSED)
            self._database.executemany(f"INSERT INTO passed{bucket} VALUES (?, ?, ?)", passed)
            passed.clear()
        self._count = 0
