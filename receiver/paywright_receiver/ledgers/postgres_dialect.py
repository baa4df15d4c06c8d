"""What the ledger says to PostgreSQL, and what its texts must be like there."""

from __future__ import annotations

from copy import copy
from hashlib import sha256
from re import compile as pattern
from typing import Final

from paywright_receiver.statements import Statements
from paywright_runtime.errors import InvalidArgument
from paywright_runtime.ledger import Claim

__all__ = [
    "CLOCK",
    "DURABLE",
    "SYNCHRONOUS",
    "fit",
    "fitting",
    "lock_number",
    "name",
    "nothing",
    "quoted",
    "statements",
]

_NAME: Final = pattern(r"[a-z_][a-z0-9_]{0,39}").fullmatch
_LONGEST: Final = 512  # an index takes keys of up to 2,700 bytes
# A handler's transaction holds a row that refers to nothing until the ledger itself ends it: the server then refuses every
# other commit, in whatever way it is asked for.
_GUARD: Final = (
    ", held_by TEXT CONSTRAINT the_ledger_commits_when_the_handler_has_returned "
    "REFERENCES {nothing} DEFERRABLE INITIALLY DEFERRED"
)
SYNCHRONOUS: Final = (
    "set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' "
    "ELSE current_setting('synchronous_commit') END, true)"
)
DURABLE: Final = f"SELECT {SYNCHRONOUS}"
CLOCK: Final = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
"""The server's time in microseconds since 1970: leases of many machines go by one clock."""


def name(what: str, text: str) -> None:
    """Raise `InvalidArgument` unless it can name a schema, or begin the name of a table."""
    if not _NAME(text):
        raise InvalidArgument(f"{what} is a lower-case name of letters, digits and _, of up to 40.")


def quoted(schema: str) -> str:
    """The name of a schema as SQL writes it, whatever is in it."""
    return '"' + schema.replace('"', '""') + '"'


def nothing(schema: str, prefix: str) -> str:
    """Makes the table that is always empty."""
    return f"CREATE TABLE IF NOT EXISTS {quoted(schema)}.{prefix}nothing (owner TEXT PRIMARY KEY CHECK (false))"


def statements(schema: str, prefix: str) -> Statements:
    """The statements over the tables in a schema. `mine` has the owner twice: it says who holds the record, and marks it."""
    name("prefix", prefix)
    place = f"{quoted(schema)}."
    made = Statements(
        prefix=prefix,
        schema=place,
        mark="%s",
        bytes_type="BYTEA",
        more=_GUARD.format(nothing=f"{place}{prefix}nothing"),
        lock=" FOR UPDATE",
        clock=CLOCK,
    )
    made.mine = (
        f"UPDATE {place}{prefix}notifications SET held_by = %s WHERE key = %s AND owner = %s AND status = 'claimed'"
    )
    made.done = made.done.replace("owner = NULL", "owner = NULL, held_by = NULL")
    return made


def lock_number(name: str) -> int:
    """What an advisory lock is called: names of others meet it by accident only, and then wait."""
    return int.from_bytes(sha256(b"paywright " + name.encode()).digest()[:8], signed=True)


def fitting(claim: Claim) -> Claim:
    """The claim, with texts that PostgreSQL takes: no NUL, and short enough for an index."""
    names = {"key": fit(claim.key), "subject": fit(claim.subject), "kind": fit(claim.kind)}
    if claim.state is not None:
        names["state"] = fit(claim.state)
    if any(getattr(claim, one) != text for one, text in names.items()):
        claim = copy(claim)
        for one, text in names.items():
            setattr(claim, one, text)
    return claim


def fit(text: str) -> str:
    """A text of a claim as it is stored; one that was stored stays as it is."""
    if "\x00" in text:
        text = text.replace("\x00", "%00")  # a % of a key's own is written %25
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 80]}...sha256:{sha256(text.encode()).hexdigest()}"
    return text
