"""Open items in a database: one class for SQLite and PostgreSQL, over the ledger's own connections."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Any, Final, cast

from paywright_receiver.items.book import (
    ITEM_STATUSES,
    LONGEST,
    Elsewhere,
    Item,
    ItemId,
    ItemStatus,
    Leased,
    Within,
    comes_back,
)
from paywright_receiver.items.judgement import LEEWAY
from paywright_receiver.items.signed import Remembered, line, read, written
from paywright_receiver.items.times import at_micros, micros
from paywright_receiver.ledgers.sql.book_statements import PAGE, BookStatements
from paywright_receiver.ledgers.sql.claim_rules import Runs
from paywright_runtime.errors import InvalidArgument

__all__ = ["SqlBook", "columns"]

_LAST: Final = 2**63 - 1
_Row = Sequence[object]


class SqlBook:
    """The items in a ledger's database. See `paywright_receiver.items.book.Book`.

    `reading` and `writing` begin transactions of the ledger, `statements` returns the statements and makes the tables first if
    it is given True, `now` reads the ledger's clock in microseconds, `borrowed` runs statements on a merchant's connection, and
    `id` is the statement that reads the identity of the ledger. `follows` is told when a run takes items, and when it ends.
    """

    def __init__(
        self,
        *,
        reading: Callable[[], AbstractContextManager[Runs]],
        writing: Callable[[], AbstractContextManager[Runs]],
        statements: Callable[[bool], BookStatements],
        now: Callable[[Runs], int],
        borrowed: Callable[[object], AbstractContextManager[Runs]],
        id: Callable[[], str],
        follows: Callable[[bool], None],
    ) -> None:
        self._reading = reading
        self._writing = writing
        self._statements = statements
        self._now = now
        self._borrowed = borrowed
        self._select_id = id
        self._follows = follows
        self._id: object = None

    def open(self, item: Item, /, transaction: object | None = None) -> Item:
        """Write an item unless its `id` is there already, and return the stored one. See `Book.open`."""
        sql = self._statements(True)
        if transaction is not None:
            self._know_id()
        with self._writing() if transaction is None else self._borrowed(transaction) as db:
            if transaction is not None:
                try:
                    row: object = db.execute(self._select_id(), ()).fetchone()
                except Exception as error:
                    self.check_id(error)
                    raise
                self.check_id(row)
            if db.execute(sql.insert, columns(item)).rowcount == 1:
                return item
            there = db.execute(sql.get, item.id).fetchone()
        return item if there is None else _item(there)

    def to_open(self, item: Item, /) -> tuple[str, tuple[str, Sequence[object]], tuple[str, Sequence[object]]]:
        """Return the statements of `open`, for a connection that is awaited. See `Book.to_open`."""
        sql = self._statements(True)
        self._know_id()
        return self._select_id(), (sql.insert, columns(item)), (sql.registered, item.id)

    def check_id(self, found: object) -> None:
        """Raise `InvalidArgument` unless the first of these statements read this ledger's id. See `Book`."""
        if isinstance(found, Exception):
            # PostgreSQL's code of a table that is not there; SQLite has none.
            other = getattr(found, "sqlstate", None) == "42P01" or "no such table" in str(found)
        else:
            row = found.values() if isinstance(found, Mapping) else cast("Sequence[object]", found or ("",))
            other = next(iter(row)) != self._id
        if other:
            raise InvalidArgument(
                "The transaction is of another database than the ledger, or of another schema. Nothing was written: open the item "
                "in the database that has both, or leave the transaction out."
            )

    def _know_id(self) -> None:
        if self._id is None:
            with self._reading() as db:
                self._id = cast("Sequence[object]", db.execute(self._select_id(), ()).fetchone())[0]

    def take(
        self,
        app_id: str,
        address: str,
        kind: str,
        /,
        now: datetime,
        lease: float,
        *,
        newest: bool = False,
        untold: bool = False,
    ) -> Leased | None:
        """Lease the item of a kind that has been due for longest, or became due last. See `Book.take`."""
        sql, place = self._statements(True), (app_id, address, kind)
        due = (sql.newest if newest else sql.due, (*place, micros(now), int(untold)))
        self._follows(True)
        return self._leased(sql, now, lease, due, (sql.never, (*place, micros(now + LONGEST), int(untold))))

    def rest(self) -> None:
        """End a run. See `Book.rest`."""
        self._follows(False)

    def take_one(self, id: ItemId, address: str, /, now: datetime, lease: float) -> Leased | None:
        """Lease an item, due or not. See `Book.take_one`."""
        sql = self._statements(True)
        return self._leased(sql, now, lease, (sql.one, (id.app_id, address, id.kind, id.number)))

    def _leased(
        self, sql: BookStatements, now: datetime, lease: float, *choices: tuple[tuple[str, str], _Row]
    ) -> Leased | None:
        """Lease the item that the first of some statements finds. Each is given without and with the lock for writing."""
        with self._reading() as db:
            mine = self._now(db)
            if not any(db.execute(look, (*wanted, mine, mine + LEEWAY)).fetchone() for (look, _), wanted in choices):
                return None
        owner = os.urandom(12).hex()
        with self._writing() as db:
            mine = self._now(db)
            rows = (db.execute(lock, (*wanted, mine, mine + LEEWAY)).fetchone() for (_, lock), wanted in choices)
            row = next((one for one in rows if one is not None), None)
            if row is None:
                return None
            item, text, hints = _item(row[:-1]), cast(str, row[-3]), cast(int, row[-1])
            later = micros(comes_back(now, lease, item.attempts))
            db.execute(sql.lease, (owner, mine, mine + int(lease * 1_000_000), later, *item.id))
        return Leased(item, owner, now, hints, len(text))

    def keep(self, lease: Leased, item: Item, /, *, unhinted: bool = False, within: Within | None = None) -> bool:
        """End a lease and store the item. See `Book.keep`."""
        sql = self._statements(True)
        # A notification has opened what would be written as closed.
        unhinted = unhinted or item.status == "closed"
        held = (*lease.item.id, lease.item.version, lease.owner, int(unhinted), lease.hints)
        *columns, due_at = _changes(item)
        memory = (written(item.signed), lease.length + 1)
        with self._within(within) as db:
            given = (*columns, *memory, lease.hints, due_at, micros(lease.next_at), *held)
            return db.execute(sql.keep, given).rowcount == 1

    def give_back(self, lease: Leased, /) -> None:
        """End a lease and leave the item as it is."""
        sql, item = self._statements(True), lease.item
        left = (item.version, lease.hints, _micros(item.due_at), micros(lease.next_at), item.attempts)
        with self._writing() as db:
            db.execute(sql.give_back, (*left, *item.id, lease.owner))

    def change(self, id: ItemId, change: Callable[[Item], Item | None], /, within: Within | None = None) -> bool:
        """Change an item by a function. See `Book.change`."""
        sql = self._statements(True)
        with self._within(within) as db:
            row = db.execute(sql.get_locked, id).fetchone()
            found = None if row is None else _item(row)
            wanted = None if found is None else change(found)
            if found is None or wanted is None:
                return False
            given = (*_changes(wanted), written(wanted.signed), *id, found.version)
            return db.execute(sql.change, given).rowcount == 1

    def hint(self, id: ItemId, now: datetime, /, says: str | None = None, within: Within | None = None) -> bool:
        """Remember a notice, and make the item due now. See `Book.hint`."""
        sql, at, signed = self._statements(True), micros(now), int(says is not None)
        notice = line(Remembered(says or "", "noted" if signed else "hint", at, "no"))
        with self._within(within) as db:
            return db.execute(sql.hint, (notice, at, at, signed, signed, *id)).rowcount == 1

    def remember(self, id: ItemId, signed: Remembered, /) -> None:
        """Add a state to the memory of an item, registered or not, unless it has the same."""
        sql = self._statements(True)
        with self._writing() as db:
            db.execute(sql.remember, (*id, line(signed)))

    def get(self, id: ItemId, /, *, make: bool = False) -> Item | None:
        """Return an item, or None."""
        sql = self._statements(make)
        with self._reading() as db:
            row = db.execute(sql.get, id).fetchone()
        return None if row is None else _item(row)

    def items(self) -> Iterator[Item]:
        """Iterate over all items, in the order of their ids."""
        sql = self._statements(False)
        return self._pages(sql.page, (), lambda item: tuple(item.id), ("", "", ""))

    def open_items(self, *, before: datetime | None = None) -> Iterator[Item]:
        """Iterate over open items, the oldest first."""
        sql, limit = self._statements(False), _LAST if before is None else micros(before)
        return self._pages(
            sql.open_page, (limit,), lambda item: (micros(item.opened_at), *item.id), (-_LAST, "", "", "")
        )

    def changed(self, since: datetime, until: datetime, /) -> Iterator[Item]:
        """Iterate over items whose state changed last at `since` or later, and before `until`."""
        sql = self._statements(False)
        first = (micros(since), "", "", "")
        return self._pages(sql.changed_page, (micros(until),), lambda item: (micros(item.changed_at), *item.id), first)

    def handled(self, since: datetime, until: datetime, /) -> Iterator[Item]:
        """Iterate over items whose result was handled last, or that settled without, at `since` or later, and before `until`."""
        sql, first = self._statements(False), (micros(since), "", "", "")

        def place(item: Item) -> tuple[object, ...]:
            return (micros(item.handled_at or item.settled_at or since), *item.id)

        return self._pages(sql.handled_page, (micros(until),), place, first)

    def _within(self, transaction: Within | None) -> AbstractContextManager[Runs]:
        """Return a transaction to write in: the given one, which its owner ends, or one of the ledger's own."""
        return self._writing() if transaction is None else nullcontext(cast(Runs, transaction))

    def _pages(
        self, statement: str, limits: tuple[int, ...], place: Callable[[Item], tuple[object, ...]], first: _Row
    ) -> Iterator[Item]:
        at: _Row = first
        while True:
            with self._reading() as db:
                found = [_item(row) for row in db.execute(statement, (*limits, *at)).fetchall()]
            yield from found
            if len(found) < PAGE:
                return
            at = place(found[-1])

    def counts(self) -> Mapping[ItemStatus, int]:
        """Return how many items there are of each status, 0 included."""
        sql = self._statements(False)
        with self._reading() as db:
            found = dict(cast("Sequence[tuple[str, int]]", db.execute(sql.counts, ()).fetchall()))
        return {status: found.get(status, 0) for status in ITEM_STATUSES}

    def next_due(
        self, app_id: str, address: str, kinds: Sequence[str], /, *, untold: Sequence[str] = ()
    ) -> datetime | None:
        """Return when the next item of these kinds is due; None if none ever is. See `Book.next_due`."""
        sql = self._statements(False)
        with self._reading() as db:
            rows = [db.execute(sql.next_due, (app_id, address, one, int(one in untold))).fetchone() for one in kinds]
        return min(
            (at_micros(cast(int, row[0])) for row in rows if row is not None and row[0] is not None), default=None
        )

    def has_merchant(self, app_id: str, /) -> bool:
        """Return whether there is any item of a merchant app."""
        sql = self._statements(False)
        with self._reading() as db:
            return db.execute(sql.has_merchant, (app_id,)).fetchone() is not None

    def elsewhere(self, app_id: str, address: str, /) -> Sequence[Elsewhere]:
        """Count the items of other merchants and other addresses that wait for an inquiry."""
        sql, found = self._statements(False), list[Elsewhere]()
        place = ("", "")
        with self._reading() as db:
            while (row := db.execute(sql.next_place, place).fetchone()) is not None:
                place = cast("tuple[str, str]", row)
                if place != (app_id, address):
                    count, due_at = cast("tuple[int, int]", db.execute(sql.due_there, place).fetchone())
                    found.append(Elsewhere(*place, count, at_micros(due_at)))
        return found


def _micros(time: datetime | None) -> int | None:
    return None if time is None else micros(time)


def columns(item: Item) -> tuple[object, ...]:
    """Return the values of `COLUMNS`."""
    return (*item.id, item.key, *_changes(item), item.version)


def _changes(item: Item) -> tuple[object, ...]:
    """Return the values of the columns that change, in the order of `COLUMNS`."""
    return (
        item.address,
        item.status,
        item.step,
        item.why,
        item.state,
        item.settled_state,
        None if item.paid is None else int(item.paid),
        item.amount,
        item.currency,
        micros(item.opened_at),
        micros(item.changed_at),
        _micros(item.settled_at),
        item.asked,
        item.attempts,
        item.content,
        item.follow,
        _micros(item.due_at),
    )


def _item(row: _Row) -> Item:
    """Make an item of the values of `COLUMNS`, and its memory."""
    (
        app_id, kind, number, key, address, status, step, why, state, settled_state, paid, amount, currency, opened_at,
        changed_at, settled_at, asked, attempts, content, follow, due_at, version, signed, handled_at,
    ) = cast("Sequence[Any]", row)  # fmt: skip
    return Item(
        id=ItemId(app_id, kind, number),
        key=key,
        address=address,
        status=status,
        step=step,
        why=why,
        state=state,
        settled_state=settled_state,
        paid=None if paid is None else bool(paid),
        amount=amount,
        currency=currency,
        opened_at=at_micros(opened_at),
        changed_at=at_micros(changed_at),
        settled_at=None if settled_at is None else at_micros(settled_at),
        due_at=None if due_at is None else at_micros(due_at),
        asked=asked,
        attempts=attempts,
        content=content,
        follow=follow,
        version=version,
        signed=read(signed),
        handled_at=None if handled_at is None else at_micros(handled_at),
    )
