"""The table of open items, and all statements over it.

`?` stands for a parameter. Due items are found through the index `due`, whatever else the table holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from paywright_receiver.items.leases import EXPIRED
from paywright_receiver.items.open_items import Item, ItemId
from paywright_receiver.ledgers.sql.dialect import Dialect

BOOK_TABLES: Final = """
CREATE TABLE IF NOT EXISTS {i} (
    app_id {indexed} NOT NULL, kind {indexed} NOT NULL, number {indexed} NOT NULL, key {text} NOT NULL, address {indexed} NOT NULL,
    status {indexed} NOT NULL, step {indexed} NOT NULL, why {text} NOT NULL, state {text}, settled_state {text}, paid SMALLINT,
    amount {text}, currency {text}, opened_at BIGINT NOT NULL, changed_at BIGINT NOT NULL, settled_at BIGINT, due_at BIGINT,
    asked BIGINT NOT NULL, attempts BIGINT NOT NULL, content {text} NOT NULL, follow {text} NOT NULL, version BIGINT NOT NULL,
    owner {indexed}, claimed_at BIGINT NOT NULL DEFAULT 0, lease_until BIGINT NOT NULL DEFAULT 0, hints BIGINT NOT NULL DEFAULT 0,
    signed {text} NOT NULL DEFAULT '', handled_at BIGINT{columns},
    PRIMARY KEY (app_id, kind, number)
);
"""
COLUMNS: Final = (*ItemId._fields, *Item._fields[1:-2])
"""The columns of an item: four that stay, those that change, and its version.

The table has more: those of its lease, and its memory, to which the ledger appends."""
TOLD: Final = "told"
"""The status of a record that was never registered: a notified result had its effect, and nothing else is known."""
PAGE: Final = 500
"""Number of items read at once."""
_Page: TypeAlias = "tuple[str, Sequence[int]]"
_ID: Final = "app_id = ? AND kind = ? AND number = ?"
_MINE: Final = "(? = 1 OR step <> 'untold')"


class BookStatements:
    """The statements over the table `paywright_items`."""

    def __init__(self, table: str, dialect: Dialect) -> None:
        lock, skip = dialect.lock, f"{dialect.lock} SKIP LOCKED" if dialect.lock else ""

        def made(text: str) -> str:
            return dialect.finish(text).replace("{i}", table)

        listed = ", ".join(COLUMNS)
        read = ", ".join((*COLUMNS, "signed", "handled_at"))
        found = f"SELECT {read} FROM {{i}}"
        given = {name: f"excluded.{name}" for name in ("owner", *COLUMNS[3:-1])}
        # What was closed by hand, and is opened again with the same content, begins anew.
        again = "there.status = 'closed' AND there.content = excluded.content AND there.address = excluded.address AND there.key = excluded.key"
        changes = {**given, "version": "there.version + 1"}
        marks, key = ", ".join("?" * (len(COLUMNS) + 1)), ", ".join(ItemId._fields)
        self.insert: str = made(
            dialect.upsert("{i}", f"{listed}, owner", marks, key, changes, f"there.status = '{TOLD}' OR ({again})")
        )
        self.get: str = made(f"{found} WHERE {_ID} AND status <> '{TOLD}'")
        self.numbered: str = made(f"{found} WHERE LOWER(number) = ? ORDER BY app_id, kind, number")
        self.registered: str = made(f"SELECT owner, content, address, key FROM {{i}} WHERE {_ID}") + lock
        self.get_locked: str = self.get + lock
        place = "app_id = ? AND address = ?"
        free = f"{place} AND kind = ? AND {{}} AND {EXPIRED}"
        leased = f"SELECT {read}, hints FROM {{i}} WHERE {free}"

        def first(condition: str, order: str) -> tuple[str, str]:
            """Return the statement that looks for the first item, and the one that locks it too."""
            select = made(f"{leased.replace('{}', condition)}{order}")
            return select, select + (skip if order else lock)

        # Of one whose handler is to be called, only a follower that has it has anything to ask.
        self.due: tuple[str, str] = first(f"due_at <= ? AND {_MINE}", " ORDER BY due_at LIMIT 1")
        self.newest: tuple[str, str] = first(f"due_at <= ? AND {_MINE}", " ORDER BY due_at DESC LIMIT 1")
        self.never: tuple[str, str] = first(f"due_at > ? AND {_MINE}", " ORDER BY due_at DESC LIMIT 1")
        self.one: tuple[str, str] = first("number = ?", "")
        self.next_due: str = made(
            f"SELECT MIN(due_at) FROM {{i}} WHERE {place} AND kind = ? AND due_at IS NOT NULL AND {_MINE}"
        )
        self.has_merchant: str = made(f"SELECT 1 FROM {{i}} WHERE app_id = ? AND status <> '{TOLD}' LIMIT 1")
        # Two seeks: SQLite looks for (app_id, address) > (?, ?) from the first item that has these two on, through all of them.
        beyond = "SELECT * FROM (SELECT app_id, address FROM {i} WHERE %s AND due_at IS NOT NULL ORDER BY 1, 2 LIMIT 1) AS %s"
        there, later = beyond % ("app_id = ? AND address > ?", "there"), beyond % ("app_id > ?", "later")
        self.next_place: str = made(f"{there} UNION ALL {later} ORDER BY 1, 2 LIMIT 1")
        self.due_there: str = made(f"SELECT COUNT(*), MIN(due_at) FROM {{i}} WHERE {place} AND due_at IS NOT NULL")
        self.lease: str = made(
            "UPDATE {i} SET owner = ?, claimed_at = ?, lease_until = ?, due_at = ?, attempts = attempts + 1 "
            f"WHERE {_ID}"
        )
        changed = ", ".join(f"{name} = ?" for name in COLUMNS[4:-2])  # all but its time, which a notice may change
        self.change: str = made(
            f"UPDATE {{i}} SET {changed}, version = version + 1, due_at = ?, signed = ? WHERE {_ID} AND version = ?"
        )
        # Whoever has the lease rewrites what it has read of the memory. With a notice that came meanwhile, the item is due at once.
        kept = (
            f"version = version + 1, owner = NULL, lease_until = 0, signed = {dialect.joined('?', 'SUBSTR(signed, ?)')}, "
            f"due_at = CASE WHEN hints = ? THEN ? ELSE ? END WHERE {_ID} AND version = ? AND owner = ? AND (? = 0 OR hints = ?)"
        )

        @lru_cache(64)
        def keep(names: tuple[str, ...]) -> str:
            """Return the statement that writes these columns: an index on any other is left alone."""
            return made(f"UPDATE {{i}} SET {''.join(f'{name} = ?, ' for name in names)}{kept}")

        self.keep: Callable[[tuple[str, ...]], str] = keep
        self.give_back: str = made(
            "UPDATE {i} SET owner = NULL, lease_until = 0, "
            "due_at = CASE WHEN version = ? AND hints = ? THEN ? WHEN due_at < ? THEN ? ELSE due_at END, attempts = ? "
            f"WHERE {_ID} AND owner = ?"
        )
        opened = "{0} = CASE WHEN status = 'closed' AND ? = 1 THEN '{1}' ELSE {0} END"
        step, status = opened.format("step", "query"), opened.format("status", "open")
        self.hint: str = made(
            f"UPDATE {{i}} SET signed = {dialect.joined('signed', '?')}, hints = hints + 1, due_at = CASE WHEN due_at < ? THEN due_at ELSE ? END, "
            f"{step}, {status} "
            f"WHERE {_ID} AND status <> '{TOLD}'"
        )
        # The memory of an item, registered or not: a state that was signed, and one that had its effect.
        rest = "key, address, status, step, why, opened_at, changed_at, asked, attempts, content, follow, version"
        empty = f"'', '', '{TOLD}', '', '', 0, 0, 0, 0, '', '', 0"
        longer = {"signed": dialect.joined("there.signed", "excluded.signed")}
        unless = "REPLACE(there.signed, excluded.signed, '') = there.signed"
        self.remember: str = made(
            dialect.upsert("{i}", f"{key}, signed, {rest}", f"?, ?, ?, ?, {empty}", key, longer, unless)
        )
        columns, values = f"{key}, signed, handled_at, {rest}", f"?, ?, ?, ?, {dialect.clock or '?'}, {empty}"
        handled = {**longer, "handled_at": "excluded.handled_at"}
        self.moved: str = made(dialect.upsert("{i}", columns, values, key, handled))

        def page(condition: str, *by: str) -> _Page:
            """Return the statement that reads a page of items in an order, and which values of the place before it are its parameters."""
            after, values = dialect.after(order := (*by, *ItemId._fields))
            return made(f"{found} WHERE {condition} AND {after} ORDER BY {', '.join(order)} LIMIT {PAGE}"), values

        since = dialect.ended
        self.page: _Page = page(f"status <> '{TOLD}'")
        self.open_page: _Page = page("status = 'open' AND opened_at < ?", "opened_at")
        self.handled_page: _Page = page(f"status <> '{TOLD}' AND {since} < ?", since)
        self.counts: str = made(f"SELECT status, COUNT(*) FROM {{i}} WHERE status <> '{TOLD}' GROUP BY status")
