"""Store rows until all input is read: in a temporary SQLite database, in memory while it is small, then on disk.

Workers write their rows into files, which one store reads in any order. Its queries return rows in the order of the
input.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from paywright_audit.cross_exchange.owners import Owners, same_owners
from paywright_audit.cross_exchange.rows import BY_ALIAS, EXISTS, LENGTHS, REFUSED, Row, Values
from paywright_audit.cross_exchange.subjects import ORDERS, PERIODS, REFUNDS

__all__ = ["MOST_FILES", "OFFSET_BITS", "RefundRow", "RowStore"]

OFFSET_BITS: Final = 42
"""Of a spot, how many say where in its input it is: 4 TB; the rest say which of two million inputs."""
MOST_FILES: Final = 1 << 63 - OFFSET_BITS

_COLUMNS: Final = ", ".join(Row._fields)
_ORDER: Final = "at, spot, operation, state"
_INSERTS: Final = {
    length: f"INSERT INTO rows ({', '.join(Row._fields[:length])}) VALUES ({', '.join('?' * length)})"
    for length in LENGTHS
}
_BATCH: Final = 2000
_MOST_OWNERS: Final = 100_000
_THERE: Final = ", ".join(f"'{one}'" for one in EXISTS)


def _within(column: str, family: str) -> str:
    """Return an SQL condition for the rows of a family."""
    return f"{column} > '{family}' AND {column} < '{family}{chr(1)}'"


# Subjects that may break a rule. SQL selects them among all subjects; only these few are judged row by row.
_SUSPECTS: Final = f"""
CREATE TEMP TABLE suspects AS
SELECT subject, {{repeated}} AS repeated,
    count(spelled) > 1
    OR min(CASE WHEN final = 1 THEN at END) <= max(CASE WHEN final = 0 THEN at END)
    OR min(CASE WHEN final = 1 THEN state END) <> max(CASE WHEN final = 1 THEN state END)
    OR max(CASE WHEN outcome = 'absent' THEN at END) >= min(CASE WHEN outcome IN ({_THERE}) THEN at END)
    OR (max(outcome = 'notified') AND (min(amount) <> max(amount) OR min(currency) <> max(currency)))
    OR (count(*) > 1 AND subject > 'external' AND subject < 'externam') AS suspect
FROM rows GROUP BY subject HAVING count(*) > 1 AND (repeated OR suspect) ORDER BY subject
"""

_REFUNDS: Final = f"""
SELECT whose, nth = 1 AND happened AS counts, coalesce(CASE WHEN outcome = 'made' THEN amount END, shown, amount) AS sum, refund.*
FROM (
    SELECT *, coalesce(ref, (SELECT min(of.subject) FROM rows AS of WHERE of.token = rows.token
            AND (({_within("of.subject", ORDERS)}) OR ({_within("of.subject", PERIODS)})))) AS whose,
        row_number() OVER (PARTITION BY subject, spelled IS NULL OR outcome = '{REFUSED}'
            ORDER BY outcome <> 'made', at, spot) AS nth,
        max(outcome IN ({_THERE})) OVER whole AND NOT max(coalesce(state IN ({{failed}}), 0)) OVER whole
            OR max(coalesce(state IN ({{paid}}), 0)) OVER whole AS happened,
        max(CASE WHEN outcome IN ('seen', 'notified') THEN amount END) OVER whole AS shown
    FROM rows WHERE {_within("subject", REFUNDS)} WINDOW whole AS (PARTITION BY subject)
) AS refund
WHERE spelled IS NOT NULL AND outcome <> '{REFUSED}' AND whose IS NOT NULL ORDER BY whose, at, spot
"""


class RefundRow:
    """A request of a refund that was not refused: the subject refunded, whether it counts, and with what amount."""

    __slots__ = ("amount", "counts", "row", "whose")

    def __init__(self, whose: str, counts: bool, amount: str | None, row: Row) -> None:
        self.whose = whose
        self.counts = counts
        self.amount = amount
        self.row = row


class RowStore:
    """A store of rows and its queries.

    With `file` None the store is private and deleted at the end. Raises `sqlite3.OperationalError` if the disk is full.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._database = sqlite3.connect("" if file is None else file, isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -16000", "temp_store = FILE"):
            self._ask(f"PRAGMA {setting}")
        self._ask(f"CREATE TABLE rows ({_COLUMNS})")
        self._ask("CREATE TABLE owners (owner PRIMARY KEY) WITHOUT ROWID")
        self._ask("BEGIN")
        self._waiting: dict[int, list[Values]] = {length: [] for length in LENGTHS}
        self._count = 0
        self.owners = Owners(self._learn)

    def add(self, rows: Iterable[Values]) -> None:
        """Store rows."""
        for row in rows:
            self._waiting[len(row)].append(row)
            self._count += 1
        if self._count >= _BATCH:
            self._write()

    def close(self) -> None:
        """Write buffered rows, so that other processes can read the file."""
        self._write()
        self._ask("COMMIT")
        self._database.close()

    def take(self, file: Path) -> None:
        """Read all rows of a store that another process has closed."""
        self._write()
        self._ask("COMMIT")
        self._ask("ATTACH ? AS other", str(file))
        self._ask("BEGIN")
        self._ask("INSERT INTO rows SELECT * FROM other.rows")
        self._ask("INSERT OR IGNORE INTO owners SELECT * FROM other.owners")
        self._ask("COMMIT")
        self._ask("DETACH other")
        self._ask("BEGIN")

    def consolidate(self) -> None:
        """Resolve owners and aliases. Call it after the last row and before any query."""
        self._write()
        self._unite_owners()
        self._ask("CREATE INDEX by_subject ON rows (subject, at, spot)")
        self._resolve_aliases()

    def suspects(self, slack: float, *, several: bool = True) -> Iterator[str]:
        """Yield every subject that may break a rule about itself. Copies of exchanges are dropped first.

        Two exchanges with equal bytes in two files (if there are `several`) are copies if their times differ by at most
        `slack` seconds.
        """
        self._ask(_SUSPECTS.format(repeated="count(digest) > count(DISTINCT digest)" if several else "0"))
        self._ask("CREATE TEMP TABLE dropped (spot PRIMARY KEY) WITHOUT ROWID")
        for (subject,) in self._ask("SELECT subject FROM suspects WHERE repeated ORDER BY subject").fetchall():
            self._drop_copies(subject, slack)
        for (subject,) in self._ask("SELECT subject FROM suspects WHERE suspect ORDER BY subject"):
            yield subject

    def dropped(self) -> int:
        """Return how many exchanges were copies. Call it after `suspects`."""
        return int(self._ask("SELECT count(*) FROM dropped").fetchone()[0])

    def of(self, subject: str) -> Iterator[Row]:
        """Yield the rows of a subject, in order of time."""
        return self._rows(f"SELECT * FROM rows WHERE subject = ? ORDER BY {_ORDER}", subject)

    def first_act(self, subject: str) -> float | None:
        """Return when the first cancel of a subject was sent that may have taken effect; None if none was."""
        found = self._ask("SELECT min(at) FROM rows WHERE subject = ? AND outcome = 'acted'", subject).fetchone()[0]
        return None if found is None else float(found)

    def refunds(self, failed: Iterable[str], paid: Iterable[str]) -> Iterator[RefundRow]:
        """Yield every request of a refund that was not refused, order by order, in order of time.

        The order is found by its key or its token. One request of each refund counts: the first with outcome made, or
        else the first of unknown outcome if the gateway shows that the refund exists. None counts if the gateway
        reports a state in `failed` and none in `paid`.
        """
        if not self._any(_within("subject", REFUNDS)):
            return
        self._ask("CREATE INDEX by_token ON rows (token) WHERE token IS NOT NULL")
        marks = {"failed": _marks(failed), "paid": _marks(paid)}
        for whose, counts, amount, *row in self._ask(_REFUNDS.format(**marks)):
            yield RefundRow(whose, bool(counts), amount, Row(*row[: len(Row._fields)]))

    def learned(self, behind: Row, before: Row) -> bool:
        """Return whether, between two rows, a message showed that the first one's subject exists or was refused."""
        found = self._ask(
            f"SELECT 1 FROM rows WHERE subject = ? AND (at, spot) > (?, ?) AND (at, spot) < (?, ?)"
            f" AND outcome IN ({_THERE}, '{REFUSED}') LIMIT 1",
            behind.subject, behind.at, behind.spot, before.at, before.spot,
        )  # fmt: skip
        return found.fetchone() is not None

    def shown(self, subject: str) -> bool:
        """Return whether a verified message of the gateway shows that a subject exists."""
        asked = f"SELECT 1 FROM rows WHERE subject = ? AND proven = 1 AND outcome IN ({_THERE}) LIMIT 1"
        return self._ask(asked, subject).fetchone() is not None

    def uncertain(self) -> Iterator[Row]:
        """Yield the writes whose content was also sent with unknown outcome; content by content, in order of time."""
        if self._any("outcome = 'unknown'"):
            yield from self._rows(
                "SELECT * FROM rows WHERE content IN (SELECT content FROM rows WHERE outcome = 'unknown')"
                f" ORDER BY content, {_ORDER}"
            )

    def _learn(self, owner: str) -> None:
        self._ask("INSERT OR IGNORE INTO owners VALUES (?)", owner)

    def _unite_owners(self) -> None:
        owners = [owner for (owner,) in self._ask(f"SELECT owner FROM owners LIMIT {_MOST_OWNERS + 1}")]
        same = same_owners(owners) if len(owners) <= _MOST_OWNERS else {}
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
        """Assign rows that name a refund only by the gateway's id to the refund that was answered with it."""
        prefix = f"{REFUNDS}\0"
        asked = (
            f"SELECT DISTINCT subject FROM rows WHERE {_within('subject', REFUNDS)} AND instr(subject, char(0) || ?)"
        )
        for (subject,) in self._ask(asked, BY_ALIAS).fetchall():
            owner, _, alias = subject.removeprefix(prefix).partition("\0")
            found = self._ask(
                f"SELECT min(subject) FROM rows WHERE {_within('subject', REFUNDS)} AND alias = ? AND subject > ? AND subject < ?",
                alias.removeprefix(BY_ALIAS), f"{prefix}{owner}\0", f"{prefix}{owner}\1",
            ).fetchone()[0]  # fmt: skip
            if found is not None:
                self._ask("UPDATE rows SET subject = ? WHERE subject = ?", found, subject)

    def _drop_copies(self, subject: str, slack: float) -> None:
        asked = (
            f"SELECT rowid, spot, spot >> {OFFSET_BITS}, at, digest FROM rows WHERE subject = ? AND digest IS NOT NULL"
            " ORDER BY digest, at, spot"
        )
        for rowid, spot in list(_copies(self._ask(asked, subject), slack)):
            self._ask("DELETE FROM rows WHERE rowid = ?", rowid)
            self._ask("INSERT OR IGNORE INTO dropped VALUES (?)", spot)

    def _any(self, what: str) -> bool:
        return self._ask(f"SELECT 1 FROM rows WHERE {what} LIMIT 1").fetchone() is not None

    def _rows(self, question: str, *values: str) -> Iterator[Row]:
        return (Row(*row) for row in self._ask(question, *values))

    def _ask(self, question: str, *values: str | float | None) -> sqlite3.Cursor:
        return self._database.execute(question, values)

    def _write(self) -> None:
        for length, rows in self._waiting.items():
            self._database.executemany(_INSERTS[length], rows)
            rows.clear()
        self._count = 0


def _marks(states: Iterable[str]) -> str:
    return ", ".join("'" + state.replace("'", "''") + "'" for state in sorted(states))


def _copies(rows: Iterable[tuple[int, int, int, float, int]], slack: float) -> Iterator[tuple[int, int]]:
    """Yield row and spot of each exchange that an earlier file has too.

    The rows (row, spot, file, time, digest) are ordered by digest and time.
    """
    for _, same in groupby(rows, key=itemgetter(4)):
        waiting: deque[tuple[int, int, int, float, int]] = (
            deque()
        )  # rows waiting until all rows near them in time were read
        near: deque[tuple[int, float]] = deque()  # files in ascending order, each with its last time
        for row in (*same, None):
            while waiting and (row is None or waiting[0][3] + slack < row[3]):
                first = waiting.popleft()
                while near[0][1] < first[3] - slack:
                    near.popleft()
                if near[0][0] < first[2]:
                    yield first[:2]
            if row is not None:
                while near and near[-1][0] >= row[2]:
                    near.pop()
                near.append((row[2], row[3]))
                waiting.append(row)
