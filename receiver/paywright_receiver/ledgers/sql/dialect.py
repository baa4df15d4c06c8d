"""Dialects of SQL, and texts as they are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

_SHORTENED: Final = 80


class Dialect(NamedTuple):
    """The words of a database; by default those of SQLite, and most of PostgreSQL.

    `mark` stands for a parameter. `indexed`, `text` and `bytes` are types. `lock` is the clause that makes a SELECT wait for writers of
    the same rows, or "" if only one transaction writes at a time. `clock` is an expression for the database's own time, or "" if the
    ledger uses the machine's; `random` one for a random text. `held` is a further column of the records, `ended` an expression for when
    an item was handled or settled, and `columns` what it needs in the table of items. `before` are further tables, made before the others,
    `quote` is what stands around names, and `longest` how many characters of a text fit into an index, 0 if all do.
    """

    mark: str = "?"
    quote: str = '"'
    longest: int = 0
    indexed: str = "TEXT"
    text: str = "TEXT"
    bytes: str = "BLOB"
    lock: str = ""
    clock: str = ""
    random: str = "lower(hex(randomblob(16)))"
    held: str = ""
    ended: str = "(COALESCE(handled_at, settled_at))"
    columns: str = ""
    before: str = ""

    def quoted(self, name: str) -> str:
        """Return the name of a schema or a database as it stands in statements."""
        return f"{self.quote}{name.replace(self.quote, 2 * self.quote)}{self.quote}"

    def finish(self, statement: str) -> str:
        """Return a statement in which `?` stands for a parameter, as the driver takes it."""
        return statement.replace("?", self.mark)

    def joined(self, text: str, more: str) -> str:
        """Return the expression for two texts, one after the other."""
        return f"{text} || {more}"

    def upsert(
        self, table: str, columns: str, values: str, keys: str, changes: Mapping[str, str], when: str = ""
    ) -> str:
        """Return the statement that inserts a row, or `changes` the one (`there`) with the same keys, if it is as `when` says.

        `excluded` is the row that was not inserted. With `when` and several changes, the first is to a value that no row had before.
        """
        found = ", ".join(f"{name} = {value}" for name, value in changes.items())
        condition = f" WHERE {when}" if when else ""
        return f"INSERT INTO {table} AS there ({columns}) VALUES ({values}) ON CONFLICT ({keys}) DO UPDATE SET {found}{condition}"

    def after(self, columns: Sequence[str]) -> tuple[str, Sequence[int]]:
        """Return the condition for rows behind a place in the order of columns, and which of its values the parameters are."""
        return f"({', '.join(columns)}) > ({', '.join('?' * len(columns))})", range(len(columns))


SQLITE: Final = Dialect()


def fit(text: str, longest: int) -> str:
    """Return a text of a request as a server can store it: no NUL, and short enough for an index. Again it changes nothing."""
    if "\x00" in text:
        text = text.replace("\x00", "%00")  # keys write their own % as %25
    if len(text) > longest:
        text = f"{text[: longest - _SHORTENED]}...sha256:{sha256(text.encode()).hexdigest()}"
    return text
