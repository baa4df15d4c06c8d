"""Store rows until all input is read: in a temporary SQLite database, in memory while it is small, then on disk.

Workers write their rows into files, which one store reads in any order. SQL selects the few keys whose rows may break a rule;
what is found then follows from the rows of each key alone.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from paywright_audit.cross_exchange.choose_subjects import choose_subjects, within
from paywright_audit.cross_exchange.copies import Sighting, copies_of
from paywright_audit.cross_exchange.related_rows import (
    CopyRow,
    PaidRow,
    Related,
    Round,
    WriteRow,
    in_time,
    key_of,
    unresolved,
)
from paywright_audit.cross_exchange.rows import BY_ALIAS, LENGTHS, Row, Values
from paywright_audit.cross_exchange.subjects import ALIASED
from paywright_audit.input.times import seconds

__all__ = ["RowStore"]

_COLUMNS: Final = ", ".join(Row._fields)
_FILE: Final = Row._fields.index("file")
_INSERTS: Final = {
    length: f"INSERT INTO rows ({', '.join(Row._fields[:length])}) VALUES ({', '.join('?' * length)})"
    for length in LENGTHS
}
_TAKE: Final = ", ".join("files.id" if name == "file" else f"other.rows.{name}" for name in Row._fields)
_BATCH: Final = 2000


class RowStore:
    """A store of rows and its queries.

    With `file` None the store is private and deleted at the end. `most` is how many bytes it may take. Raises
    `sqlite3.OperationalError` if it would take more, or if the disk is full.
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
        self._database.create_function("seconds", 1, seconds, deterministic=True)
        self._waiting: dict[int, list[Values]] = {length: [] for length in LENGTHS}
        self._count = 0
        self._files: dict[str, int] = {}
        self._names: list[str] = []

    def number_of(self, file: str) -> int:
        """Return the number that stands for a file's name in the rows that are added."""
        number = self._files.get(file)
        if number is None:
            number = self._files[file] = len(self._names)
            self._names.append(file)
            self._ask("INSERT INTO files VALUES (?, ?)", number, file.encode(errors="surrogateescape"))
        return number

    def add(self, rows: Iterable[Values]) -> None:
        """Store rows, in the order of the members of `Row`, but with the number of the file."""
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
        """Return about how many bytes the store takes, in memory or on disk."""
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

    def consolidate(self, same: Mapping[str, str]) -> None:
        """Give every merchant its one name, as in `same`, and every alias its refund. Call it after the last row."""
        self._write()
        self._unite_owners(same)
        self._ask("CREATE INDEX by_subject ON rows (subject, at)")
        self._resolve_aliases()
        choose_subjects(self._ask, copies=len(self._names) > 1)
        self._ask("CREATE TEMP TABLE passed (round, name, row)")

    def chosen(self) -> Iterator[tuple[str, bool, bool]]:
        """Yield every subject to relate, whether it may have copies, and whether it may break a rule about itself."""
        for subject, repeated, suspect in self._ask("SELECT subject, repeated, suspect FROM chosen ORDER BY subject"):
            yield subject, bool(repeated), bool(suspect)

    def of(self, subject: str, without: Collection[int] = ()) -> Iterator[Row]:
        """Yield the rows of a subject, in order of time, without those of some numbers."""
        asked = self._ask(f"SELECT {_COLUMNS}, rowid FROM rows WHERE subject = ? ORDER BY at", subject)
        rows = (self._row(row[:-1]) for row in asked if row[-1] not in without)
        equal: list[Row] = []
        for row in rows:
            if equal and row.at != equal[0].at:
                yield from equal if len(equal) == 1 else sorted(equal, key=in_time)
                equal.clear()
            equal.append(row)
        yield from sorted(equal, key=in_time)

    def copies(self, subject: str, slack: float) -> Mapping[int, CopyRow]:
        """Return the rows, by number, whose exchange another file has too, with equal bytes at most `slack` seconds apart."""
        asked = "SELECT digest, at, file, rowid FROM rows WHERE subject = ? AND digest IS NOT NULL ORDER BY digest, at"
        rows = (Sighting(digest, at, self._names[file], row) for digest, at, file, row in self._ask(asked, subject))
        found = {}
        for number in list(copies_of(rows, slack)):
            digest, at, file, offset = self._ask(
                "SELECT digest, at, file, offset FROM rows WHERE rowid = ?", number
            ).fetchone()
            found[number] = CopyRow(digest, at, self._names[file], offset)
        return found

    def first_act(self, subject: str, without: Collection[int] = ()) -> float | None:
        """Return when the first cancel of a subject was sent that may have taken effect; None if none was."""
        asked = self._ask("SELECT rowid, at FROM rows WHERE subject = ? AND outcome = 'acted' ORDER BY at", subject)
        return next((float(at) for number, at in asked if number not in without), None)

    def pass_on(self, row: Related) -> None:
        """Store a row for a later round, if the capture has another that it must be related to."""
        if isinstance(row, PaidRow) and not self._has("refunded", "subject", row.subject):
            return
        if isinstance(row, WriteRow) and not self._has("unsure", "content", row.content):
            return
        key = key_of(row)
        self._ask("INSERT INTO passed VALUES (?, ?, ?)", key.round, key.name, pickle.dumps(row))

    def passed(self, round_: Round) -> Iterator[Sequence[Related]]:
        """Yield the rows of each key of a later round."""
        asked = self._ask("SELECT name, row FROM passed WHERE round = ? ORDER BY name", round_)
        for _, rows in groupby(asked, key=lambda one: one[0]):
            yield [pickle.loads(row) for _, row in rows]  # our own, of a private file

    def _row(self, values: Sequence[object]) -> Row:
        row = list(values)
        row[_FILE] = self._names[values[_FILE]]  # type: ignore[call-overload]  # a column of SQLite has no type
        return Row(*row)  # type: ignore[arg-type]

    def _unite_owners(self, same: Mapping[str, str]) -> None:
        if not same:
            return

        def united(named: str | None, place: int) -> str | None:
            if named is None:
                return None
            parts = named.split("\0", place + 1)
            parts[place] = same.get(parts[place], parts[place])
            return "\0".join(parts)

        self._database.create_function("united", 2, united, deterministic=True)
        self._ask("UPDATE rows SET subject = united(subject, 1), ref = united(ref, 1), token = united(token, 0)")

    def _resolve_aliases(self) -> None:
        """Assign rows that name a thing only by the gateway's id to the one that was answered with it."""
        asked = f"SELECT DISTINCT subject FROM rows WHERE {within('subject', ALIASED)} AND instr(subject, char(0) || ?)"
        for (subject,) in self._ask(asked, BY_ALIAS).fetchall():
            family, owner, alias = subject.split("\0", 2)
            if not alias.startswith(BY_ALIAS):
                continue
            found = self._ask(
                "SELECT min(subject) FROM rows WHERE alias = ? AND subject > ? AND subject < ? AND NOT instr(subject, char(0) || ?)",
                alias.removeprefix(BY_ALIAS), f"{family}\0{owner}\0", f"{family}\0{owner}\1", BY_ALIAS,
            ).fetchone()[0]  # fmt: skip
            self._ask("UPDATE rows SET subject = ? WHERE subject = ?", found or unresolved(subject), subject)

    def _has(self, table: str, column: str, value: str | int) -> bool:
        return self._ask(f"SELECT 1 FROM {table} WHERE {column} = ?", value).fetchone() is not None

    def _ask(self, question: str, *values: str | float | bytes | None) -> sqlite3.Cursor:
        return self._database.execute(question, values)

    def _write(self) -> None:
        for length, rows in self._waiting.items():
            self._database.executemany(_INSERTS[length], rows)
            rows.clear()
        self._count = 0
