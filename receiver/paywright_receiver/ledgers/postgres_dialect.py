"""The PostgreSQL form of the ledger's statements."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from paywright_receiver.ledgers.sql.dialect import Dialect, name
from paywright_receiver.ledgers.sql.statements import Statements

__all__ = ["BOUNDED", "CLOCK", "LONGEST", "SYNCHRONOUS", "lock_number", "nothing", "quoted", "statements"]

LONGEST: Final = 512
"""Characters of a text in an index, which takes keys of up to 2,700 bytes."""
# Until the ledger ends a handler's transaction, a row of it violates a deferred foreign key: the server refuses any other
# commit, however it is requested.
_GUARD: Final = (
    ", held_by TEXT CONSTRAINT the_ledger_commits_when_the_handler_has_returned "
    "REFERENCES {nothing} DEFERRABLE INITIALLY DEFERRED"
)
SYNCHRONOUS: Final = (
    "set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' "
    "ELSE current_setting('synchronous_commit') END, true)"
)
BOUNDED: Final = (
    "set_config('idle_in_transaction_session_timeout', CASE current_setting('idle_in_transaction_session_timeout') "
    "WHEN '0' THEN %s ELSE current_setting('idle_in_transaction_session_timeout') END, true)"
)
"""Limit of how long a handler may hold a record without a statement, given with its unit."""
CLOCK: Final = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
"""The server's time in microseconds since 1970: leases of many machines go by one clock."""


def quoted(schema: str) -> str:
    """Return the name of a schema as a quoted SQL identifier."""
    return '"' + schema.replace('"', '""') + '"'


def nothing(schema: str, prefix: str) -> str:
    """Return the statement that makes the table that is always empty."""
    return f"CREATE TABLE IF NOT EXISTS {quoted(schema)}.{prefix}nothing (owner TEXT PRIMARY KEY CHECK (false))"


def statements(schema: str, prefix: str) -> Statements:
    """Return the statements over the tables in a schema.

    `mine` takes the owner twice: to find the record, and to mark it. `done` takes that mark. `moved` does both, and divides by zero
    if the record has not that mark.
    """
    name("prefix", prefix)
    place = f"{quoted(schema)}."
    dialect = Dialect(
        mark="%s",
        bytes="BYTEA",
        held=_GUARD.format(nothing=f"{place}{prefix}nothing"),
        lock=" FOR UPDATE",
        clock=CLOCK,
        random="md5(random()::text || clock_timestamp()::text)",
    )
    made = Statements(dialect, prefix=prefix, schema=place)
    made.mine = f"UPDATE {place}{prefix}notifications SET held_by = %s WHERE key = %s AND owner = %s AND status = 'claimed' RETURNING 1"
    made.marked = f"SELECT 1 FROM {place}{prefix}notifications WHERE key = %s AND held_by = %s"
    # The handler may have set synchronous_commit off.
    made.done = (
        made.done.replace("owner = NULL", "owner = NULL, held_by = NULL")
        + f" AND held_by IS NOT DISTINCT FROM %s RETURNING {SYNCHRONOUS}"
    )
    made.moved = f"WITH done AS ({made.done}), moved AS ({made.moved}) SELECT 1 / count(*) FROM done"
    return made


def lock_number(name: str) -> int:
    """Return the number of an advisory lock.

    If another program happens to use the same number, one waits for the other.
    """
    return int.from_bytes(sha256(b"paywright " + name.encode()).digest()[:8], signed=True)
