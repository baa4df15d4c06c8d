"""Statements for PostgreSQL, sent as text in one round trip, without a cursor."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cache
from hashlib import sha256
from typing import TypeAlias

import psycopg
from psycopg.adapt import Transformer
from psycopg.generators import execute
from psycopg.pq import ExecStatus, abc

Statement: TypeAlias = "tuple[str, Sequence[object]]"


class Session(psycopg.Connection[object]):
    """A connection of the ledger's own, outside of transactions."""

    prepared: frozenset[str] = frozenset()
    """The statements that the ledger has prepared in this session."""


def handed(db: psycopg.Connection[object]) -> psycopg.Connection[object]:
    """Return another object for the session, for a handler. The driver prepares nothing in one of ours."""
    if not isinstance(db, Session):
        return copy(db)
    # With the session go its row factory, adapters and the like.
    made: psycopg.Connection[object] = psycopg.Connection(db.pgconn)
    made.prepare_threshold = None
    return made


def begins(db: psycopg.Connection[object]) -> str:
    """Return the statement that begins a transaction with the connection's own settings."""
    level, read_only, deferrable = db.isolation_level, db.read_only, db.deferrable
    words = ["BEGIN"] if level is None else ["BEGIN ISOLATION LEVEL", level.name.replace("_", " ")]
    words += [] if read_only is None else ["READ ONLY" if read_only else "READ WRITE"]
    words += [] if deferrable is None else ["DEFERRABLE" if deferrable else "NOT DEFERRABLE"]
    return " ".join(words)


def exchange(db: psycopg.Connection[object], statements: Sequence[Statement]) -> list[abc.PGresult]:
    """Send statements in one round trip, without a cursor, and return their results: up to the first error, if there is one."""
    prepared = getattr(db, "prepared", ())
    text = "; ".join([_sent(*one, one[0] in prepared) for one in statements]).encode()
    if b"\0" in text:
        raise psycopg.DataError("PostgreSQL has no text with NUL in it.")
    db.pgconn.send_query(text)
    return db.wait(execute(db.pgconn))


def run(db: psycopg.Connection[object], statements: Sequence[Statement]) -> list[Tuples]:
    """Run statements in one round trip, and return their results."""
    found = exchange(db, statements)
    check(db, found[-1])  # after an error nothing more was run
    return [Tuples(db, one) for one in found]


class Tuples:
    """The result of a statement, its rows as tuples."""

    __slots__ = ("_db", "_found")

    def __init__(self, db: psycopg.Connection[object], found: abc.PGresult) -> None:
        self._db = db
        self._found = found

    @property
    def rowcount(self) -> int:
        """Return how many rows the statement changed."""
        return self._found.command_tuples or 0

    def fetchone(self) -> tuple[object, ...] | None:
        """Return the first row, or None."""
        return next(iter(self.fetchall()), None)

    def fetchall(self) -> list[tuple[object, ...]]:
        """Return all rows."""
        rows = Transformer(self._db)
        rows.set_pgresult(self._found)
        return rows.load_rows(0, self._found.ntuples, tuple)


def check(db: psycopg.Connection[object], found: abc.PGresult) -> None:
    """Raise the error of a statement that failed."""
    if found.status not in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK):
        raise psycopg.errors.error_from_result(found, encoding=db.info.encoding)


def _sent(statement: str, parameters: Sequence[object] = (), prepared: bool = False) -> str:
    name, parts = parsed(statement)
    values = [_literal(one) for one in parameters]
    if prepared:
        return f"EXECUTE {name}({', '.join(values)})" if values else f"EXECUTE {name}"
    return parts[0] + "".join([one for pair in zip(values, parts[1:], strict=True) for one in pair])


def preparing(statement: str) -> str:
    """Return the statement that prepares another one."""
    name, (first, *parts) = parsed(statement)
    return f"PREPARE {name} AS {first}{''.join([f'${number}{one}' for number, one in enumerate(parts, 1)])}"


@cache
def parsed(statement: str) -> tuple[str, list[str]]:
    """Return the name under which a statement is prepared, which names no other one, and its parts between the parameters."""
    return f"paywright_{sha256(statement.encode()).hexdigest()[:32]}", statement.split("%s")


def _literal(value: object) -> str:
    """Return a value as SQL, in ASCII, which means the same whatever the session's settings."""
    if isinstance(value, str):
        if value.isascii() and "\\" not in value:
            return "'" + value.replace("'", "''") + "'"
        text = value.replace("\\", "\\\\").replace("'", "''")
        return " E'" + "".join([one if one < "\x80" else f"\\U{ord(one):08x}" for one in text]) + "'"
    if isinstance(value, bytes):
        return f" E'\\\\x{value.hex()}'"
    return "NULL" if value is None else f" {value:d}"  # two signs would begin a comment
