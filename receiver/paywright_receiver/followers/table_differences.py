"""The differences between a table of the merchant's own and what the gateway has shown, by the book of open items.

The gateway shows no settlement file. If it ever gives one, a function that yields a `TableRow` for each of its lines is all that is
missing: `differences` compares any table, and `source` names it in what is said.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from paywright.contract import CONTRACT
from paywright_receiver.followers.day_statement import state_is_paid
from paywright_runtime.contract.conversion import read_number
from paywright_runtime.errors import InvalidArgument
from paywright_runtime.redaction import redacted
from paywright_runtime.webhooks.result import ResultFacts

if TYPE_CHECKING:
    from paywright_runtime.webhooks.book import Book, Item, ItemId

__all__ = ["Difference", "TableRow", "differences", "read_table"]

What: TypeAlias = Literal["not in the book", "not in the table", "twice in the table", "state", "amount", "currency"]

_COLUMNS: Final = ("key", "amount", "currency", "state")


class TableRow(NamedTuple):
    """One row of a table: an order, a refund or the like, as the merchant's own books have it.

    `kind` is the resource (`orders`, `refunds`, ...), `key` the merchant's key. `amount` and `currency` are None where the table
    has none. `state` is the gateway's word (`SUCCESS`), or `paid`, `unpaid` or `open`. `line` says where the row stands.
    """

    kind: str
    key: str
    amount: Decimal | None
    currency: str | None
    state: str
    line: int | None = None


class Difference(NamedTuple):
    """One difference between a table and what the gateway has shown.

    `table` and `gateway` are the two values, None where there is none, and `why` says the difference in words. `query` is the
    operation that shows what the gateway says now, and `arguments` are the members of its request.
    """

    what: What
    kind: str
    key: str
    table: str | None
    gateway: str | None
    why: str
    query: str
    arguments: Mapping[str, str]


def read_table(lines: Iterable[str], *, kind: str = "orders") -> Iterator[TableRow]:
    """Read a table of CSV: a line of names, then a row a line, with commas or semicolons between.

    The columns are `key`, `amount`, `currency` and `state`, in any order, and `kind` where the table has more kinds than the one
    given; others are ignored. An amount is written in plain digits, with a point: 1234.50. An empty amount or currency is none.
    Raises `InvalidArgument`, with the number of the line, for what is no such table.
    """
    rest = iter(lines)
    first = next(rest, "").removeprefix("\ufeff")
    delimiter = ";" if ";" in first and "," not in first else ","
    reader = csv.reader(chain([first], rest), delimiter=delimiter, strict=True)
    try:
        names = [name.strip().lower() for name in next(reader, [])]
        missing = [name for name in _COLUMNS if names.count(name) != 1]
        if missing:
            raise _unreadable(
                1, f"its first line names the columns key, amount, currency and state; it lacks {', '.join(missing)}"
            )
        for cells in reader:
            if cells:
                yield _row(
                    dict(zip(names, map(str.strip, cells), strict=False)),
                    len(cells) == len(names),
                    reader.line_num,
                    kind,
                )
    except csv.Error as error:
        raise _unreadable(reader.line_num, f"it is no CSV: {error}") from None


def _row(cells: Mapping[str, str], whole: bool, line: int, kind: str) -> TableRow:
    if not whole:
        raise _unreadable(line, "it has not as many columns as the first line")
    kind = cells.get("kind") or kind
    _compared(kind, line)
    amount = read_number(cells["amount"])
    if amount is None and cells["amount"]:
        raise _unreadable(line, f"the amount {redacted(cells['amount'], 32)!r} is not in plain digits, such as 1234.50")
    if not cells["key"] or not cells["state"]:
        raise _unreadable(line, "it has no key, or no state")
    return TableRow(kind, cells["key"], amount, cells["currency"] or None, cells["state"], line)


def differences(
    book: Book,
    table: Iterable[TableRow],
    *,
    app_id: str,
    since: datetime,
    until: datetime,
    kinds: Collection[str] = ("orders",),
    source: str = "the shop's table",
) -> Iterator[Difference]:
    """Compare a table with what the gateway has shown, and yield each difference.

    Args:
        book: the book of a ledger, `ledger.book`.
        table: the rows. Each is compared with the item of its key, whatever its day: its state, and once it has settled, amount
            and currency. Amounts are compared as numbers: 10.5 is 10.50.
        app_id: the merchant app to which the table belongs.
        since: the beginning of a day, as `day_of` returns it, or of any other span.
        until: its end. What settled in it in a state in which money moved, or has lost that state since, must be in the table.
        kinds: which kinds the table has, beside those of its rows.
        source: what the table is called in what is said.

    Keeps the keys of the table in memory, and no more. Raises `InvalidArgument` for a kind that the gateway is not asked about,
    and `LedgerProblem` if the book cannot be read.
    """
    seen: dict[ItemId, int | None] = {}
    facts: dict[str, ResultFacts] = {kind: _compared(kind) for kind in kinds}
    for row in table:
        one = facts.get(row.kind) or facts.setdefault(row.kind, _compared(row.kind, row.line))
        id = one.item(app_id, row.key)
        item = None if id is None else book.get(id)
        if id is not None and id in seen:
            why = f"{source} has it twice{_lines(seen[id], row.line)}"
            yield _difference("twice in the table", one, row.key, item, row.state, None, why)
            continue
        if id is not None:
            seen[id] = row.line
        yield from _compare(row, one, item, source)
    for item in book.settled(since, until):
        kind = item.id.kind
        moved = item.paid or state_is_paid(item, item.settled_state)
        if item.id.app_id == app_id and kind in facts and moved and item.id not in seen:
            why = f"the gateway shows {item.state}, and {source} does not have it"
            yield _difference("not in the table", facts[kind], item.key, item, None, item.state, why)


def _compare(row: TableRow, facts: ResultFacts, item: Item | None, source: str) -> Iterator[Difference]:
    if item is None:
        why = f"{source} has it as {row.state}, and it was never registered to be followed: nobody has asked about it"
        yield _difference("not in the book", facts, row.key, item, row.state, None, why)
        return
    is_now = _plain(item)
    if row.state.lower() not in (is_now, (item.state or is_now).lower()):
        shown = "has shown no state of it" if item.state is None else f"shows {item.state}"
        by_hand = f"; it was closed by hand: {item.why}" if item.status == "closed" else ""
        why = f"{source} has {row.state}, and the gateway {shown} ({is_now}){by_hand}"
        yield _difference("state", facts, row.key, item, row.state, item.state, why)
    if item.settled_state is None:
        return
    amount = read_number(item.amount)
    if row.amount != amount or (amount is None and item.amount is not None):  # which cannot be read
        ours = None if row.amount is None else format(row.amount, "f")
        why = f"{source} has {ours or 'no amount'}, and the gateway shows {item.amount or 'none'}"
        yield _difference("amount", facts, row.key, item, ours, item.amount, why)
    if row.currency != item.currency:
        why = f"{source} has {row.currency or 'no currency'}, and the gateway shows {item.currency or 'none'}"
        yield _difference("currency", facts, row.key, item, row.currency, item.currency, why)


def _plain(item: Item) -> str:
    """Return what the state of an item amounts to: `paid`, `unpaid`, `open`, or `closed` where that is not known."""
    if item.status == "open":
        return "open"
    if item.status == "closed" and item.settled_state is None:
        return "closed"
    return "paid" if item.paid else "unpaid"


def _difference(
    what: What, facts: ResultFacts, key: str, item: Item | None, table: str | None, gateway: str | None, why: str
) -> Difference:
    asks = {} if item is None else json.loads(item.content).get("asks") or {}
    arguments = {facts.following.by: key if item is None else item.key, **asks}
    return Difference(what, facts.kind, key, table, gateway, why, facts.following.operation, arguments)


def _compared(kind: str, line: int | None = None) -> ResultFacts:
    """Return the facts of a kind. Raises `InvalidArgument` for one that no query shows."""
    known = [one.kind for one in CONTRACT.followed().values() if not one.told]
    if kind not in known:
        raise _unreadable(line, f"there is no kind {redacted(kind, 32)!r} to compare; there are {', '.join(known)}")
    return ResultFacts(CONTRACT, kind)


def _lines(first: int | None, second: int | None) -> str:
    return "" if first is None or second is None else f", in lines {first} and {second}"


def _unreadable(line: int | None, why: str) -> InvalidArgument:
    where = "The table" if line is None else f"Line {line} of the table"
    return InvalidArgument(f"{where} cannot be compared: {why}. Nothing was changed.")
