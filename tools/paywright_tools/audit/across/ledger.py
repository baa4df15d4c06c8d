"""Where rows are kept until all is in: a temporary SQLite database, in memory while it is small and on disk behind that.

Workers write theirs into files that one of them reads into its own, in any order: what is asked of it is ordered.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from paywright_tools.audit.across.rows import SHORT, Row, Values

__all__ = ["Ledger"]

_COLUMNS: Final = ", ".join(Row._fields)
_ORDER: Final = "at, spot, operation, state"
_INSERT: Final = f"INSERT INTO rows VALUES ({', '.join('?' * len(Row._fields))})"
_INSERT_SHORT: Final = f"INSERT INTO rows ({', '.join(Row._fields[:SHORT])}) VALUES ({', '.join('?' * SHORT)})"
_BATCH: Final = 2000
_REFUNDS: Final = "subject >= 'refunds.query' AND subject < 'refunds.querz'"

# What may break a rule; what is asked of every subject is asked in SQL, and only the few that may are looked at row by row.
_SUSPECTS: Final = """
SELECT subject FROM rows GROUP BY subject HAVING
    count(spelled) > 1
    OR min(CASE WHEN final = 1 THEN at END) <= max(CASE WHEN final = 0 THEN at END)
    OR count(DISTINCT CASE WHEN final = 1 THEN state END) > 1
    OR max(CASE WHEN outcome = 'absent' THEN at END) >= min(CASE WHEN outcome IN ('made', 'seen', 'told') THEN at END)
    OR (max(outcome = 'told') AND (count(DISTINCT amount) > 1 OR count(DISTINCT currency) > 1))
    OR (count(*) > 1 AND subject > 'external' AND subject < 'externam')
ORDER BY subject
"""


class Ledger:
    """Rows, and questions about them. `file` None: a private one that goes by itself."""

    def __init__(self, file: Path | None = None) -> None:
        self._database = sqlite3.connect("" if file is None else file, isolation_level=None)
        self._database.executescript(
            f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000; PRAGMA temp_store = FILE;"
            f"CREATE TABLE rows ({_COLUMNS}); BEGIN"
        )
        self._waiting: list[Values] = []
        self._short: list[Values] = []

    def add(self, rows: Iterable[Values]) -> None:
        """Keeps rows."""
        for row in rows:
            (self._short if len(row) == SHORT else self._waiting).append(row)
        if len(self._waiting) + len(self._short) >= _BATCH:
            self._write()

    def close(self) -> None:
        """Writes what is left; of a file, for others to read."""
        self._write()
        self._database.execute("COMMIT")
        self._database.close()

    def take(self, file: Path) -> None:
        """Reads all rows of a ledger that another process has closed."""
        self._write()
        self._database.execute("COMMIT")
        self._database.execute("ATTACH ? AS other", (str(file),))
        self._database.execute("BEGIN")
        self._database.execute("INSERT INTO rows SELECT * FROM other.rows")
        self._database.execute("COMMIT")
        self._database.execute("DETACH other")
        self._database.execute("BEGIN")

    def settle(self) -> None:
        """Called when all rows are in, before anything is asked."""
        self._write()
        self._database.execute("CREATE INDEX by_subject ON rows (subject, at, spot)")

    def suspects(self) -> Iterator[str]:
        """Every subject that may break a rule about itself."""
        for (subject,) in self._database.execute(_SUSPECTS):
            yield subject

    def of(self, subject: str) -> Iterator[Row]:
        """The rows of a subject, in time."""
        return self._rows(f"SELECT * FROM rows WHERE subject = ? ORDER BY {_ORDER}", subject)

    def refunds(self, failed: Iterable[str]) -> Iterator[tuple[str, bool, Row]]:
        """Every request of a refund with the order it is of, found under its key or under its token; order by order, in time.

        The flag says that it is the first request of a refund that was accepted, and of which no state in `failed` is told.
        """
        if not self._any(_REFUNDS):
            return
        self._database.execute("CREATE INDEX by_token ON rows (token) WHERE token IS NOT NULL")
        states = tuple(failed)
        found = self._database.execute(
            "SELECT coalesce(ref, (SELECT min(made.subject) FROM rows AS made WHERE made.token = refund.token"
            " AND made.subject >= 'orders.query' AND made.subject < 'orders.querz')) AS whose,"
            " nth = 1 AND happened AS counts, refund.* FROM"
            " (SELECT *, row_number() OVER (PARTITION BY subject, spelled IS NULL ORDER BY at, spot) AS nth,"
            f" max(outcome IN ('made', 'seen', 'told')) OVER whole AND NOT max(coalesce(state IN ({', '.join('?' * len(states))}), 0))"
            f" OVER whole AS happened FROM rows WHERE {_REFUNDS} WINDOW whole AS (PARTITION BY subject)) AS refund"
            " WHERE spelled IS NOT NULL AND whose IS NOT NULL ORDER BY whose, at, spot",
            states,
        )
        for whose, counts, *row in found:
            yield whose, bool(counts), Row(*row[: len(Row._fields)])

    def learned(self, subject: str, behind: Row, before: Row) -> bool:
        """Whether between two rows something was said of a subject: that it is there, or that it was refused."""
        found = self._database.execute(
            "SELECT 1 FROM rows WHERE subject = ? AND (at, spot) > (?, ?) AND (at, spot) < (?, ?)"
            " AND outcome IN ('made', 'refused', 'seen', 'told') LIMIT 1",
            (subject, behind.at, behind.spot, before.at, before.spot),
        )
        return found.fetchone() is not None

    def uncertain(self) -> Iterator[Row]:
        """The writes whose content was also sent by one of unknown outcome; content by content, in time."""
        if self._any("outcome = 'unknown'"):
            yield from self._rows(
                "SELECT * FROM rows WHERE content IN (SELECT content FROM rows WHERE outcome = 'unknown')"
                f" ORDER BY content, {_ORDER}"
            )

    def _any(self, what: str) -> bool:
        return self._database.execute(f"SELECT 1 FROM rows WHERE {what} LIMIT 1").fetchone() is not None

    def _rows(self, question: str, *values: str) -> Iterator[Row]:
        return (Row(*row) for row in self._database.execute(question, values))

    def _write(self) -> None:
        self._database.executemany(_INSERT, self._waiting)
        self._database.executemany(_INSERT_SHORT, self._short)
        self._waiting.clear()
        self._short.clear()
