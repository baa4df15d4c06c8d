"""Store rows until all input is read: in a temporary SQLite database, in memory while it is small, then on disk.

Workers write their rows into files, which one store reads in any order. Findings depend on the rows of each key alone.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from paywright_audit.cross_exchange.evidence.owners import Same
from paywright_audit.cross_exchange.evidence.related_rows import (
    PaidRow,
    Related,
    Round,
    TokenRow,
    WriteRow,
    key_of,
    united_name,
    unresolved,
)
from paywright_audit.cross_exchange.evidence.rows import BY_ALIAS, LENGTHS, UNKNOWN, Row, Values
from paywright_audit.cross_exchange.evidence.subjects import ALIASED, REFUNDS

__all__ = ["RowStore"]

_COLUMNS: Final = ", ".join(Row._fields)
_FILE: Final = Row._fields.index("file")
_INSERTS: Final = {
    length: f"INSERT INTO rows ({', '.join(Row._fields[:length])}) VALUES ({', '.join('?' * length)})"
    for length in LENGTHS
}
_TAKE: Final = ", ".join("files.id" if name == "file" else f"other.rows.{name}" for name in Row._fields)
_NAMES: Final = {"subject": 1, "ref": 1, "token": 0}
"""Columns that contain an owner, with the number of its part."""
_BATCH: Final = 2000
_first: Final = itemgetter(0)


def _of(kinds: Iterable[str]) -> str:
    """Return an SQL condition for the rows of some kinds of subject."""
    parts = (f"subject > '{kind}' AND subject < '{kind}{chr(1)}'" for kind in kinds)
    return f"({' OR '.join(parts) or 'FALSE'})"


_RELATED_TO: Final[Mapping[type, str]] = {
    TokenRow: f"ref IS NULL AND token IS NOT NULL AND {_of(REFUNDS)}",
    PaidRow: _of(REFUNDS),
    WriteRow: f"outcome = '{UNKNOWN}'",
}
"""SQL conditions of the rows that each kind of row is related to: refunds by token, refunds, writes of unknown outcome."""


class RowStore:
    """A store of rows and its queries.

    With `file` None the store is private and deleted at the end. `most` is its largest size in bytes. Raises
    `sqlite3.OperationalError` if it would grow larger, or if the disk is full.
    """

    def __init__(self, file: Path | None = None, *, most: int | None = None) -> None:
        self._database = sqlite3.connect("" if file is None else file, isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -16000", "temp_store = FILE"):
            self._ask(f"PRAGMA {setting}")
        self._page = int(self._ask("PRAGMA page_size").fetchone()[0])
        for schema in ("main", "temp") if most is not None else ():
            self._ask(f"PRAGMA {schema}.max_page_count = {max(1, (most or 0) // self._page)}")
        self._ask(f"CREATE TABLE rows ({_COLUMNS})")
        self._ask("CREATE TABLE files (id INTEGER PRIMARY KEY, name UNIQUE)")
        self._ask("CREATE TABLE findings (file, offset, said, finding)")
        self._ask("BEGIN")
        self._waiting: dict[int, list[Values]] = {length: [] for length in LENGTHS}
        self._count = 0
        self._passed: list[tuple[Round, str, bytes]] = []
        self._wanted: Set[type] = frozenset()
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
        """Store rows, with values in the order of `Row`, and the number of the file in place of its name."""
        for row in rows:
            self._waiting[len(row)].append(row)
            self._count += 1
        if self._count >= _BATCH:
            self._write()

    def keep(self, file: str, offset: int, said: bytes, finding: bytes) -> None:
        """Store a finding at its place. `said` orders the findings of one place."""
        self._ask("INSERT INTO findings VALUES (?, ?, ?, ?)", self.number_of(file), offset, said, finding)

    def findings(self) -> Iterator[bytes]:
        """Yield all findings that were stored, in the order of their files and places."""
        asked = "SELECT finding FROM findings JOIN files ON files.id = file ORDER BY files.name, offset, said"
        return (finding for (finding,) in self._ask(asked))

    def size(self) -> int:
        """Return the approximate size of the store in bytes, in memory or on disk."""
        counts = (self._ask(f"PRAGMA {schema}.page_count").fetchone()[0] for schema in ("main", "temp"))
        return self._page * sum(map(int, counts))

    def close(self) -> None:
        """Write buffered rows, so that other processes can read the file."""
        self._write()
        self._ask("COMMIT")
        self._database.close()

    def take(self, file: Path) -> None:
        """Read all rows and findings of a store that another process has closed."""
        self._write()
        self._ask("COMMIT")
        self._ask("ATTACH ? AS other", str(file))
        self._ask("BEGIN")
        for (name,) in self._ask("SELECT name FROM other.files").fetchall():
            self.number_of(name.decode(errors="surrogateescape"))
        self._ask(
            f"INSERT INTO main.rows SELECT {_TAKE} FROM other.rows JOIN other.files AS theirs ON theirs.id = other.rows.file"
            " JOIN main.files AS files ON files.name = theirs.name"
        )
        self._ask(
            "INSERT INTO main.findings SELECT files.id, offset, said, finding FROM other.findings"
            " JOIN other.files AS theirs ON theirs.id = other.findings.file JOIN main.files AS files ON files.name = theirs.name"
        )
        self._ask("COMMIT")
        self._ask("DETACH other")
        self._ask("BEGIN")

    def consolidate(self, same: Same) -> None:
        """Unite the names of merchants as in `same`, and resolve aliases to their refunds. Call it after the last row."""
        self._write()
        self._unite_owners(same)
        self._ask("CREATE INDEX by_subject ON rows (subject, at)")
        self._resolve_aliases()
        self._ask("CREATE TEMP TABLE passed (round, name, row)")
        self._wanted = {kind for kind, other in _RELATED_TO.items() if self._has(other)}

    def subjects(self) -> Iterator[Sequence[Row]]:
        """Yield the rows of every subject, in order of time."""
        asked = self._ask(f"SELECT {_COLUMNS} FROM rows ORDER BY subject, at")
        names = self._names
        for _, rows in groupby(asked, key=_first):
            yield [Row._make((*row[:_FILE], names[row[_FILE]], *row[_FILE + 1 :])) for row in rows]

    def pass_on(self, rows: Iterable[Related]) -> None:
        """Store rows for later rounds, unless the capture has no row that they could be related to."""
        for row in rows:
            if type(row) not in _RELATED_TO or type(row) in self._wanted:
                key = key_of(row)
                self._passed.append((key.round, key.name, pickle.dumps(row)))
        if len(self._passed) >= _BATCH:
            self._write()

    def passed(self, round_: Round) -> Iterator[Sequence[Related]]:
        """Yield the rows of each key of a later round."""
        self._write()
        asked = self._ask("SELECT name, row FROM passed WHERE round = ? ORDER BY name", round_)
        for _, rows in groupby(asked, key=_first):
            yield [pickle.loads(row) for _, row in rows]  # written by us, in a private file

    def _has(self, where: str) -> bool:
        return self._ask(f"SELECT 1 FROM rows WHERE {where} LIMIT 1").fetchone() is not None

    def _unite_owners(self, same: Same) -> None:
        if not same.owners and not same.environments:
            return

        def united(named: str | None, place: int, environment: int) -> str | None:
            if named is None:
                return None
            return united_name(named, place, same.owners, same.environments.get(environment, 0))

        self._database.create_function("united", 3, united, deterministic=True)
        changes = (f"{name} = united({name}, {place}, environment)" for name, place in _NAMES.items())
        self._ask(f"UPDATE rows SET {', '.join(changes)}")

    def _resolve_aliases(self) -> None:
        """Assign rows that name a subject only by the gateway's id to the subject whose answer had that id."""
        asked = f"SELECT DISTINCT subject FROM rows WHERE {_of(ALIASED)} AND instr(subject, char(0) || ?)"
        for (subject,) in self._ask(asked, BY_ALIAS).fetchall():
            kind, owner, alias = subject.split("\0", 2)
            if not alias.startswith(BY_ALIAS):
                continue
            found = self._ask(
                "SELECT min(subject) FROM rows WHERE alias = ? AND subject > ? AND subject < ? AND NOT instr(subject, char(0) || ?)",
                alias.removeprefix(BY_ALIAS), f"{kind}\0{owner}\0", f"{kind}\0{owner}\1", BY_ALIAS,
            ).fetchone()[0]  # fmt: skip
            self._ask("UPDATE rows SET subject = ? WHERE subject = ?", found or unresolved(subject), subject)

    def _ask(self, question: str, *values: str | float | bytes | None) -> sqlite3.Cursor:
        return self._database.execute(question, values)

    def _write(self) -> None:
        for length, rows in self._waiting.items():
            self._database.executemany(_INSERTS[length], rows)
            rows.clear()
        self._count = 0
        if self._passed:
            self._database.executemany("INSERT INTO passed VALUES (?, ?, ?)", self._passed)
            self._passed.clear()
