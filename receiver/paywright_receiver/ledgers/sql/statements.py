"""The tables of ledgers in databases, whether those that are there will do, and all statements over them.

`?` stands for a parameter; `Statements` inserts the tables' names and writes parameters as the driver expects them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from paywright_receiver.items.delivery_verdict import Record
from paywright_receiver.items.leases import EXPIRED
from paywright_receiver.items.ledger import Transaction
from paywright_receiver.ledgers.sql.dialect import SQLITE, Dialect
from paywright_receiver.ledgers.sql.open_item_statements import BOOK_TABLES, BookStatements
from paywright_runtime.errors import LedgerProblem

VERSION: Final = 1
"""Version of the tables. A ledger refuses all others with a message."""

# The version comes last: where it is, everything is, also if the database makes each table for itself.
_TABLES: Final = BOOK_TABLES + """
CREATE TABLE IF NOT EXISTS {k} (kind {indexed} PRIMARY KEY, identity {text} NOT NULL);
CREATE TABLE IF NOT EXISTS {v} (version INTEGER NOT NULL, id {text} NOT NULL);
CREATE TABLE IF NOT EXISTS {n} (
    key {indexed} NOT NULL, written {indexed}, first SMALLINT NOT NULL, digest {indexed} NOT NULL, subject {indexed} NOT NULL,
    kind {indexed} NOT NULL, state {indexed}, status {indexed} NOT NULL, attempts BIGINT NOT NULL, owner {indexed},
    lease_until BIGINT NOT NULL, notify_time BIGINT NOT NULL, first_at BIGINT NOT NULL, changed_at BIGINT NOT NULL, why {text} NOT NULL,
    body {bytes}{held}, conflicting SMALLINT NOT NULL, claimed_at BIGINT NOT NULL, keep_until BIGINT NOT NULL,
    PRIMARY KEY (key, first, digest)
);
CREATE INDEX IF NOT EXISTS paywright_items_due ON {i} (app_id, address, kind, due_at, step) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS paywright_items_open ON {i} (status, opened_at, app_id, kind, number) WHERE status = 'open';
CREATE INDEX IF NOT EXISTS paywright_items_handled ON {i} ({ended}, app_id, kind, number) WHERE status <> 'told';
CREATE INDEX IF NOT EXISTS paywright_kept ON {n} (subject) WHERE status NOT IN ('done', 'stale');
CREATE INDEX IF NOT EXISTS paywright_changed ON {n} (changed_at);
INSERT INTO {v} SELECT {version}, {random} WHERE NOT EXISTS (SELECT 1 FROM {v});
"""
PORTION: Final = 1_000
"""Number of records deleted in one transaction, so that deliveries need not wait for all of them."""
AGAIN: Final = 2
"""The value of `conflicting` for a claim to call a handler again: however it ends, what was done stays done."""
_ENDS: Final = f"CASE conflicting WHEN 1 THEN 'conflict' WHEN {AGAIN} THEN 'done' ELSE"
_UNDONE: Final = f"{_ENDS} 'failed' END"
_RECORDS: Final = (
    f"SELECT {', '.join(Record._fields)} FROM {{n}} "
    "WHERE (key = ? AND (first = 1 OR digest = ?)) OR (subject = ? AND status NOT IN ('done', 'stale'))"
)
"""All records of the key, and all that is kept or claimed of the subject."""
_MEMORY: Final = "SELECT signed, state FROM {i} WHERE app_id = ? AND kind = ? AND number = ?"


def _as_record(**given: str) -> str:
    return ", ".join(given.get(name, "NULL") for name in Record._fields)


class Statements:
    """The statements over the tables `paywright_notifications` (what was delivered), `_items`, `_identities` and `_schema`."""

    def __init__(self, dialect: Dialect = SQLITE, schema: str = "") -> None:
        tables = {"n": "notifications", "v": "schema", "k": "identities", "i": "items", "l": "locks", "o": "nothing"}
        self.place: str = f"{dialect.quoted(schema)}." if schema else ""
        """The schema and its dot, as before the name of a table."""
        names = {name: f"{self.place}paywright_{table}" for name, table in tables.items()}
        self.lock: str = dialect.lock
        clock = dialect.clock
        self.held: int = int(bool(dialect.held))
        """1 if there is a column that keeps a handler's transaction from being committed before the ledger does."""

        def apart(text: str) -> list[str]:
            return [
                dialect.finish(one.strip()).format(**names, **dialect._asdict(), version=VERSION)
                for one in text.split(";")
                if one.strip()
            ]

        def made(text: str) -> str:
            return dialect.finish(text).format(**names)  # a name may look like what is finished

        self.tables: list[str] = apart(dialect.before + _TABLES.replace("{held}", dialect.held))
        self.book: BookStatements = BookStatements(names["i"], dialect)
        kept = {"identity": "there.identity"}
        self.identify: str = made(dialect.upsert("{k}", "kind, identity", "?, ?", "kind", kept))
        self.identity: str = made("SELECT identity FROM {k} WHERE kind = ?")
        self.forget_identity: str = made("DELETE FROM {k} WHERE kind = ?")
        self.version: str = made("SELECT version FROM {v}")
        self.id: str = made("SELECT id FROM {v}")
        self.known: str = made("SELECT status, digest, keep_until FROM {n} WHERE key = ? AND first = 1")
        self.records: str = made(_RECORDS)
        self.memory: str = made(_MEMORY)
        self.put: str = made(
            f"UPDATE {{n}} SET digest = ?, {'held_by = ?, ' * self.held}status = ?, conflicting = ?, attempts = ?, owner = ?, claimed_at = ?, "
            "lease_until = ?, keep_until = ?, notify_time = ?, changed_at = ?, why = ?, body = ? "
            "WHERE key = ? AND first = ? AND digest = ?"
        )
        columns = (
            f"INSERT INTO {{n}} (key, written, first, digest, subject, kind, state, {'held_by, ' * self.held}status, conflicting, "
            "attempts, owner, claimed_at, lease_until, keep_until, notify_time, first_at, changed_at, why, body)"
        )
        self.insert: str = made(f"{columns} VALUES ({', '.join('?' * (19 + self.held))})")
        # What nothing is known of is written at once: its record, unless there is one, or a memory.
        seen = f"WITH was AS ({_RECORDS}), known AS ({_MEMORY})"
        new = (
            f"SELECT ?, ?, 1, ?, ?, ?, ?, {'?, ' * self.held}?, 0, ?, ?, now * ?, now * ? + ?, now + ?, ?, now, now, '', ? "
            f"FROM (SELECT {clock or '?'} AS now) AS clock WHERE NOT EXISTS (SELECT 1 FROM was) "
            "AND NOT EXISTS (SELECT 1 FROM known WHERE signed <> '' OR state IS NOT NULL)"
        )
        self.fresh: str = made(f"{columns} {seen} {new}")
        self.look: str = made(
            f"{seen}, put AS ({columns} {new} RETURNING 1) SELECT * FROM was UNION ALL "
            f"SELECT {_as_record(key='signed', first='-1', state='state')} FROM known UNION ALL "
            f"SELECT {_as_record(first='-2')} FROM put"
        )
        """Does what `records`, `memory` and `fresh` do, if the database can: `first` is -1 for the memory, -2 for what was written."""
        self.renew: str = made(
            "UPDATE {n} SET keep_until = ? WHERE key = ? AND (first = 1 OR digest = ?) AND keep_until < ?"
        )
        self.overtake: str = made(
            f"UPDATE {{n}} SET status = {_UNDONE}, owner = NULL, why = ? WHERE key = ? AND first = ? AND digest = ?"
        )
        self.mine: str = made("SELECT 1 FROM {n} WHERE key = ? AND owner = ? AND status = 'claimed'") + self.lock
        """Locks the record, so that nobody takes the claim over."""
        self.marked: str = ""
        """Reads whether a record has the mark of a handler's transaction, if there is such a column."""
        self.done: str = made(
            "UPDATE {n} SET status = 'done', conflicting = 0, owner = NULL, why = '', body = NULL WHERE key = ? AND owner = ?"
        )
        self.moved: str = self.book.moved
        self.release: str = made(
            f"UPDATE {{n}} SET status = {_ENDS} ? END, owner = NULL, why = ? " "WHERE key = ? AND owner = ?"
        )
        shown = f"CASE WHEN status = 'claimed' AND {EXPIRED} THEN {_UNDONE} ELSE status END AS shown"
        named = "(key = ? OR (key = ? AND written IS NOT NULL))"  # the second is folded
        listed = (
            "SELECT COALESCE(written, key), subject, kind, state, shown, first, digest, attempts, why, notify_time, first_at, changed_at, "
            f"shown <> status FROM (SELECT *, {shown} FROM {{n}}%s) AS listed "
            "WHERE COALESCE(?, shown) = shown ORDER BY changed_at DESC, key, first DESC, digest LIMIT ?"
        )
        self.counts: str = made(
            f"SELECT shown, COUNT(*) FROM (SELECT first_at, {shown} FROM {{n}}) AS counted WHERE first_at <= ? GROUP BY shown"
        )
        self.list: str = made(listed % "")
        self.list_key: str = made(listed % f" WHERE {named}")
        self.list_number: str = made(
            listed % " WHERE key = ? OR LOWER(key) LIKE ? ESCAPE '!' OR LOWER(key) LIKE ? ESCAPE '!'"
        )
        self.addresses: str = made(f"SELECT {', '.join(Record._fields)} FROM {{n}} WHERE {named} ORDER BY first DESC")
        self.body: str = made("SELECT body FROM {n} WHERE key = ? AND first = ? AND digest = ?")
        self.discard: str = made(
            "UPDATE {n} SET status = 'done', conflicting = 0, owner = NULL, body = NULL, why = ?, changed_at = ? "
            "WHERE key = ? AND first = ? AND digest = ?"
        )
        self.release_by_hand: str = made(
            f"UPDATE {{n}} SET status = {_UNDONE}, owner = NULL, why = 'released by hand' "
            "WHERE key = ? AND first = ? AND digest = ? AND status = 'claimed'"
        )
        # The conditions are repeated: a delivery may renew a record between the SELECT and the DELETE.
        old = "status IN ('done', 'stale') AND changed_at < ? AND keep_until < ?"
        self.prune: str = made(
            f"DELETE FROM {{n}} WHERE {old} AND (key, first, digest) IN (SELECT * FROM (SELECT key, first, digest FROM {{n}} AS old "
            f"WHERE {old} AND (first = 0 OR NOT EXISTS (SELECT 1 FROM {{n}} AS beside WHERE beside.key = old.key "
            "AND beside.first = 0 AND beside.status NOT IN ('done', 'stale'))) "
            f"ORDER BY changed_at LIMIT {PORTION}) AS chosen)"
        )


def no_ledger(where: str) -> LedgerProblem:
    """Build the error for a place without a ledger."""
    return LedgerProblem(
        f"There is no ledger in {where}, and none was made: a receiver makes it when it starts or at its first delivery. "
        "If it has received already, name the place where its ledger is."
    )


def check_tables(db: Transaction, sql: Statements, there: Collection[str], where: str, *, make: bool) -> None:
    """Raise `LedgerProblem` unless the tables are of this version; with `make`, make them where there are none.

    `there` are the names of the tables that exist.
    """
    # A server may keep each table that it makes, whatever follows: the version is read first, and written last.
    begun, records = "paywright_schema" in there, "paywright_notifications" in there
    row = db.execute(sql.version, ()).fetchone() if begun else (0,) if records else None
    whole = records and row is not None  # before, the records were made after the version was written
    if not whole and not make:
        raise no_ledger(where)
    if row is not None and row[0] != VERSION:
        raise LedgerProblem(
            f"The ledger's tables in {where} are of version {row[0]}, and this paywright knows version {VERSION}. Nothing "
            "was changed. Use the paywright that made them."
        )
    for statement in () if whole else sql.tables:
        db.execute(statement, ())
