"""Open items in a database, and which process takes a due one: one class for all databases, over the ledger's own connections."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Any, Final, cast

from paywright_receiver.items.leases import bounds, comes_back
from paywright_receiver.items.ledger import Transaction
from paywright_receiver.items.open_items import ITEM_STATUSES, LONGEST, Elsewhere, Item, ItemId, ItemStatus, Leased
from paywright_receiver.items.state_memory import Remembered, line, read, written
from paywright_receiver.items.times import at_micros, micros
from paywright_receiver.ledgers.sql.open_item_statements import PAGE, BookStatements
from paywright_receiver.ledgers.sql.sql_database import SqlDatabase
from paywright_runtime.errors import InvalidArgument

_LAST: Final = 2**63 - 1
_SIGNED: Final = Item._fields.index("signed")
_PAID: Final = Item._fields.index("paid")
_TIMES: Final = [place for place, name in enumerate(Item._fields) if name.endswith("_at")]
_CHANGING: Final = Item._fields[2 : Item._fields.index("due_at")]
_TIMED: Final = frozenset(Item._fields[place] for place in _TIMES)
_Row = Sequence[object]


class SqlBook:
    """The items of a ledger, in its database. Threads and processes may share them.

    Every method raises `LedgerProblem` if the database cannot be used. A method writes in `within`, a transaction of the
    ledger, or without it in a transaction of its own.
    """

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    def open(self, item: Item, /, transaction: object | None = None) -> Item:
        """Write an item unless its `id` is there already, in the merchant's transaction or one of its own; as `opened`."""
        check, insert, look = self.to_open(item)
        with self._database._writing() if transaction is None else self._database._borrowed(transaction) as db:
            if transaction is not None:
                try:
                    row: object = db.execute(check, ()).fetchone()
                except Exception as error:
                    self.check_id(error)
                    raise
                self.check_id(row)
            db.execute(*insert)
            return self.opened(item, insert[1], db.execute(*look).fetchone())

    def to_open(self, item: Item, /) -> tuple[str, tuple[str, Sequence[object]], tuple[str, Sequence[object]]]:
        """Return the statements of `open`: one that reads the value for `check_id`, one that writes, one that reads for `opened`."""
        sql = self._database._statements(make=True)
        known = self._database.id
        if known is None:
            with self._database._reading() as db:
                self._database.id = _values(db.execute(sql.id, ()).fetchone())[0]
        # The number of rows would not do: on MariaDB it depends on how the merchant's connection was opened.
        return sql.id, (sql.book.insert, (*columns(item), os.urandom(12).hex())), (sql.book.registered, item.id)

    def opened(self, item: Item, given: Sequence[object], row: object) -> Item:
        """Return the item, or if it was there, with content, address and key as they are there. `given` was to be written."""
        owner, content, address, key = cast("Sequence[Any]", _values(row))
        return item if owner == given[-1] else item._replace(content=content, address=address, key=key)

    def check_id(self, found: object) -> None:
        """Raise `InvalidArgument` unless the first of these statements read this ledger's id.

        `found` is its first row or None, or the error that it raised. Any error other than a missing table is ignored.
        """
        if isinstance(found, Exception):
            # The codes of a table or a database that is not there; SQLite has none.
            other = getattr(found, "sqlstate", None) == "42P01" or found.args[:1] in ((1146,), (1049,))
            other = other or "no such table" in str(found)
        else:
            other = _values(found or ("",))[0] != self._database.id
        if other:
            raise InvalidArgument(
                "The transaction is of another database than the ledger, or of another schema. Nothing was written: open the item "
                "in the database that has both, or leave the transaction out."
            )

    def take(
        self, app_id: str, address: str, kind: str, /, now: datetime, lease: float, *, newest: bool = False, untold: bool = False,
        within: Transaction | None = None,
    ) -> Leased | None:  # fmt: skip
        """Lease the due item of a kind that was due first, or with `newest` the one that became due last; None if none is due.

        A due time more than a day ahead comes from a wrong clock: such an item counts as due. One whose last state is known and had
        no effect yet is left out without `untold`.
        """
        sql, place = self._database._statements(make=True).book, (app_id, address, kind)
        due = (sql.newest if newest else sql.due, (*place, micros(now), int(untold)))
        self._database._follows(True)
        return self._leased(
            sql, now, lease, due, (sql.never, (*place, micros(now + LONGEST), int(untold))), within=within
        )

    def rest(self) -> None:
        """End a run, which took items: close what need not stay open until the next one."""
        self._database._follows(False)

    def take_one(self, id: ItemId, address: str, /, now: datetime, lease: float) -> Leased | None:
        """Lease an item, due or not; None if it is not there at that address, or leased to another."""
        sql = self._database._statements(make=True).book
        return self._leased(sql, now, lease, (sql.one, (id.app_id, address, id.kind, id.number)))

    def _leased(
        self, sql: BookStatements, now: datetime, lease: float, *choices: tuple[tuple[str, str], _Row], within: Transaction | None = None,
    ) -> Leased | None:  # fmt: skip
        """Lease the item that the first of some statements finds. Each is given without and with the lock for writing."""
        if within is None:  # a run with nothing due waits for no writer
            with self._database._reading() as db:
                mine = self._database._now(db)
                if not any(db.execute(look, (*wanted, *bounds(mine))).fetchone() for (look, _), wanted in choices):
                    return None
        owner = os.urandom(12).hex()
        with self.transaction(within) as db:
            mine = self._database._now(db)
            rows = (db.execute(lock, (*wanted, *bounds(mine))).fetchone() for (_, lock), wanted in choices)
            row = next((one for one in rows if one is not None), None)
            if row is None:
                return None
            item, text, hints = _item(row[:-1]), cast(str, row[-3]), cast(int, row[-1])
            later = micros(comes_back(now, lease, item.attempts))
            db.execute(sql.lease, (owner, mine, mine + int(lease * 1_000_000), later, *item.id))
        return Leased(item, item, owner, now, hints, len(text))

    def keep(self, lease: Leased, item: Item, /, *, unhinted: bool = False, within: Transaction | None = None) -> bool:
        """End a lease and store the item. Return False, and change nothing, if it was changed or leased to another meanwhile.

        What its memory got during the lease stays, and with a notice the item is due at once. With `unhinted`, a notice during the
        lease counts as a change.
        """
        sql = self._database._statements(make=True).book
        # A notification has opened what would be written as closed.
        unhinted = unhinted or item.status == "closed"
        held = (*lease.item.id, lease.item.version, lease.owner, int(unhinted), lease.hints)
        names, values = _changed(lease.row, item)
        memory = (written(item.signed), lease.length + 1)
        with self.transaction(within) as db:
            given = (*values, *memory, lease.hints, _micros(item.due_at), micros(lease.next_at), *held)
            return db.execute(sql.keep(names), given).rowcount == 1

    def give_back(self, lease: Leased, /, *, within: Transaction | None = None) -> None:
        """End a lease and leave the item as it is."""
        sql, item = self._database._statements(make=True).book, lease.item
        left = (item.version, lease.hints, _micros(item.due_at), *[micros(lease.next_at)] * 2, item.attempts)
        with self.transaction(within) as db:
            db.execute(sql.give_back, (*left, *item.id, lease.owner))

    def change(self, id: ItemId, change: Callable[[Item], Item | None], /, within: Transaction | None = None) -> bool:
        """Change an item by a function, leased or not. Return whether the item is there and was changed."""
        sql = self._database._statements(make=True).book
        with self.transaction(within) as db:
            row = db.execute(sql.get_locked, id).fetchone()
            found = None if row is None else _item(row)
            wanted = None if found is None else change(found)
            if found is None or wanted is None:
                return False
            changing = columns(wanted)[4:-1]
            given = (*changing, written(wanted.signed), *id, found.version)
            return db.execute(sql.change, given).rowcount == 1

    def hint(self, id: ItemId, now: datetime, /, says: str | None = None) -> bool:
        """Remember a notice, and make the item due now. Return whether it was there.

        `says` is the state that a notification names ("" for none), or None for a hint that is no notification. A notification opens
        a closed item again.
        """
        sql, at, signed = self._database._statements(make=True).book, micros(now), int(says is not None)
        notice = line(Remembered(says or "", "noted" if signed else "hint", at, "no"))
        with self._database._writing() as db:
            return db.execute(sql.hint, (notice, at, at, signed, signed, *id)).rowcount == 1

    def remember(self, id: ItemId, signed: Remembered, /) -> None:
        """Add a state to the memory of an item, registered or not, unless it has the same."""
        sql = self._database._statements(make=True).book
        with self._database._writing() as db:
            db.execute(sql.remember, (*id, line(signed)))

    def get(self, id: ItemId, /, *, make: bool = False) -> Item | None:
        """Return an item, or None. With `make`, missing tables are made first."""
        sql = self._database._statements(make=make).book
        with self._database._reading() as db:
            row = db.execute(sql.get, id).fetchone()
        return None if row is None else _item(row)

    def items(self) -> Iterator[Item]:
        """Iterate over all items, in the order of their ids. Read in portions, so that there may be many."""
        return self._pages(self._database._statements().book.page)

    def numbered(self, number: str) -> Sequence[Item]:
        """Return the items of a number, in any letters, of all merchants and kinds. What was never registered has a memory alone."""
        statement = self._database._statements().book.numbered
        with self._database._reading() as db:
            return [_item(row) for row in db.execute(statement, (number.lower(),)).fetchall()]

    def open_items(self, *, before: datetime | None = None) -> Iterator[Item]:
        """Iterate over open items, the oldest first; with `before`, over those registered before that time."""
        until = _LAST if before is None else micros(before)
        return self._pages(self._database._statements().book.open_page, lambda item: item.opened_at, -_LAST, until)

    def handled(self, since: datetime, until: datetime, /) -> Iterator[Item]:
        """Iterate over items whose result was handled last, or that settled without, at `since` or later, and before `until`."""
        page = self._database._statements().book.handled_page
        return self._pages(page, lambda item: item.handled_at or item.settled_at, micros(since), micros(until))

    def transaction(self, within: Transaction | None = None) -> AbstractContextManager[Transaction]:
        """Open a transaction to write in: one of the ledger's own, or the given one, which its owner ends."""
        return self._database._writing() if within is None else nullcontext(within)

    def _pages(
        self, page: tuple[str, Sequence[int]], time: Callable[[Item], datetime | None] = lambda item: None, *between: int
    ) -> Iterator[Item]:  # fmt: skip
        """Iterate over the items that a statement reads in portions, by their ids, or by a time between two."""
        statement, values = page
        last: _Row = (*between[:1], "", "", "")
        while True:
            given = (*between[1:], *(last[at] for at in values))
            with self._database._reading() as db:
                found = [_item(row) for row in db.execute(statement, given).fetchall()]
            yield from found
            if len(found) < PAGE:
                return
            at = _micros(time(found[-1]))
            last = (*([] if at is None else [at]), *found[-1].id)

    def counts(self) -> Mapping[ItemStatus, int]:
        """Return how many items there are of each status, 0 included."""
        sql = self._database._statements().book
        with self._database._reading() as db:
            found = dict(cast("Sequence[tuple[str, int]]", db.execute(sql.counts, ()).fetchall()))
        return {status: found.get(status, 0) for status in ITEM_STATUSES}

    def next_due(
        self, app_id: str, address: str, kinds: Sequence[str], /, *, untold: Sequence[str] = ()
    ) -> datetime | None:
        """Return when the next item of these kinds is due, leased ones included; None if none ever is.

        One whose last state is known and had no effect yet is left out, but for the kinds `untold`.
        """
        sql = self._database._statements().book
        with self._database._reading() as db:
            rows = [db.execute(sql.next_due, (app_id, address, one, int(one in untold))).fetchone() for one in kinds]
        return min(
            (at_micros(cast(int, row[0])) for row in rows if row is not None and row[0] is not None), default=None
        )

    def has_merchant(self, app_id: str, /) -> bool:
        """Return whether there is any item of a merchant app."""
        sql = self._database._statements().book
        with self._database._reading() as db:
            return db.execute(sql.has_merchant, (app_id,)).fetchone() is not None

    def elsewhere(self, app_id: str, address: str, /) -> Sequence[Elsewhere]:
        """Count the items of other merchants and other addresses that wait for an inquiry."""
        sql, found = self._database._statements().book, list[Elsewhere]()
        place = ("", "")
        with self._database._reading() as db:
            while (row := db.execute(sql.next_place, (*place, place[0])).fetchone()) is not None:
                place = cast("tuple[str, str]", row)
                if place != (app_id, address):
                    count, due_at = cast("tuple[int, int]", db.execute(sql.due_there, place).fetchone())
                    found.append(Elsewhere(*place, count, at_micros(due_at)))
        return found


def _values(row: object) -> Sequence[object]:
    """Return the values of a row, which is a mapping on some connections of merchants."""
    return [*row.values()] if isinstance(row, Mapping) else cast("Sequence[object]", row)


def _micros(time: datetime | None) -> int | None:
    return None if time is None else micros(time)


def columns(item: Item) -> tuple[object, ...]:
    """Return the values of `COLUMNS`."""
    values: list[Any] = [*item]
    for at in _TIMES:
        values[at] = _micros(values[at])
    values[_PAID] = None if item.paid is None else int(item.paid)
    return *item.id, *values[1:_SIGNED]


def _changed(before: Item, item: Item) -> tuple[tuple[str, ...], list[object]]:
    """Return the columns in which an item differs from the one that was leased, without its due time, and their values.

    The lease has counted an attempt.
    """
    names, values = list[str](), list[object]()
    both = zip(_CHANGING, before[2:], item[2:], strict=False)
    for name, old, new in cast("Iterator[tuple[str, Any, Any]]", both):
        if new != old or name == "attempts":
            names.append(name)
            values.append(_micros(new) if name in _TIMED else int(new) if new is True or new is False else new)
    return tuple(names), values


def _item(row: _Row) -> Item:
    """Make an item of the values of `COLUMNS`, its memory, and when it was handled."""
    values: list[Any] = [ItemId._make(cast("Sequence[str]", row[:3])), *row[3:]]
    for at in _TIMES:
        values[at] = None if values[at] is None else at_micros(values[at])
    values[_PAID] = None if values[_PAID] is None else bool(values[_PAID])
    values[_SIGNED] = read(values[_SIGNED])
    return Item._make(values)
