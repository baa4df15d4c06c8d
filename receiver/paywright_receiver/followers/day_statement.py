"""What a day amounts to, from the book of open items alone: what settled, what changed since, and what is not settled.

Nothing is asked of the gateway. An item belongs to the day on which it settled first, or was closed by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Context, Decimal, Inexact
from typing import TYPE_CHECKING, Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_runtime.contract.conversion import read_number
from paywright_runtime.contract.followed_states import followed_states
from paywright_runtime.errors import InvalidArgument
from paywright_runtime.webhooks.book import ItemId

if TYPE_CHECKING:
    from paywright_runtime.webhooks.book import Book, Item, ItemStatus

__all__ = ["DayChange", "DayLine", "DayStatement", "day_of", "day_statement", "state_is_paid"]

_EXACT: Final = Context(prec=256, traps=[Inexact])
"""An amount has 64 digits before and 64 after its point at most: no sum of amounts is ever rounded."""
_BEGINNING: Final = datetime.min.replace(tzinfo=UTC)
_END: Final = datetime.max.replace(tzinfo=UTC)


class DayLine(NamedTuple):
    """The items of one kind, state and currency, of one merchant at one gateway.

    `status` is `settled`, `open`, or `closed` for what was closed by hand before its last state was known. `state` is None if the gateway has shown none, and `paid` says whether money moved in it (None: not known). `items` counts them, and `total` has the
    exact digits of the sum of their amounts, without those of `without_amount` items, whose amount is not known.
    """

    app_id: str
    address: str
    kind: str
    status: ItemStatus
    state: str | None
    paid: bool | None
    currency: str | None
    items: int
    total: Decimal
    without_amount: int


class DayChange(NamedTuple):
    """An item that had settled and changed afterwards: it `was` in one state and is `now` in another one, since `at`.

    With `refund`, it is an order for which that refund, which names it, has settled as paid; `was` and `now` are its own states.
    """

    item: Item
    was: str | None
    now: str | None
    at: datetime
    refund: Item | None = None


class DayStatement(NamedTuple):
    """What the day from `since` until before `until` amounts to.

    `settled` counts what settled on this day, in the state in which it was at the day's end. `changed` has those that changed
    after the day, and `earlier` has changes on this day of what had settled before it. `unsettled` counts what had been
    registered and had not settled at the day's end, in the state in which it is now. `disputed` had settled by the day's end, and
    waits for a person, because the gateway has shown something else since. `complete` says whether the day was over.
    """

    since: datetime
    until: datetime
    complete: bool
    settled: tuple[DayLine, ...]
    changed: tuple[DayChange, ...]
    earlier: tuple[DayChange, ...]
    unsettled: tuple[DayLine, ...]
    disputed: tuple[Item, ...]


def day_of(day: date, offset: timedelta = timedelta(0)) -> tuple[datetime, datetime]:
    """Return the first moment of a day, and that of the next one, at an offset from UTC. Raises `InvalidArgument`."""
    try:
        since = datetime.combine(day, time(), timezone(offset))
        return since, since + timedelta(days=1)
    except (ValueError, OverflowError, TypeError):
        raise InvalidArgument("day is a date, and offset less than a day: timedelta(hours=7) for UTC+07:00.") from None


def day_statement(
    book: Book,
    day: date,
    *,
    offset: timedelta = timedelta(0),
    now: datetime | None = None,
    app_id: str | None = None,
) -> DayStatement:
    """Say what a day amounts to, from the book alone.

    Args:
        book: the book of a ledger, `ledger.book`.
        day: the day.
        offset: of the day's midnight from UTC; 0 is UTC.
        now: the time; by default that of this machine. It only says whether the day is over.
        app_id: only items of this merchant app; by default all that the book has, each in lines of its own.

    Sums never cross a currency, a merchant or a gateway. Reads what settled since that day began, so that an old day takes longer.
    Raises `InvalidArgument` for a day that is none, and `LedgerProblem` if the book cannot be read.
    """
    since, until = day_of(day, offset)
    settled, unsettled = _Lines(), _Lines()
    changed: list[DayChange] = []
    earlier: list[DayChange] = []
    disputed: list[Item] = []
    for item in _of(book.settled(since, until), app_id):
        closed = item.settled_state is None
        state = item.state if closed or item.changed_at < until else item.settled_state
        settled.add(item, "closed" if closed else "settled", state)
        if state != item.state:
            changed.append(DayChange(item, state, item.state, item.changed_at))
        earlier.extend(_refunded(book, item, _BEGINNING, since))
    for item in _of(book.open_items(before=until), app_id):
        if item.settled_at is not None and item.settled_at < until:
            disputed.append(item)
        else:
            unsettled.add(item, "open", item.state)
    for item in _of(book.settled(until, _END), app_id):
        if item.opened_at < until and item.status != "open":  # those were counted above
            unsettled.add(item, "open", item.state)
        changed.extend(_refunded(book, item, since, until))
    for item in _of(book.changed(since, until), app_id):
        if item.settled_at is not None and item.settled_at < since and item.settled_state not in (None, item.state):
            earlier.append(DayChange(item, item.settled_state, item.state, item.changed_at))
    complete = (datetime.now(UTC) if now is None else now) >= until
    return DayStatement(
        since, until, complete, settled.made(), tuple(changed), tuple(earlier), unsettled.made(), tuple(disputed)
    )


def state_is_paid(item: Item, state: str | None) -> bool | None:
    """Return whether money had moved when the item was in that state: what the book knows, else what the contract says."""
    if state == item.state or state is None:
        return item.paid if state == item.state else None
    try:
        return state in followed_states(CONTRACT, CONTRACT.following(item.id.kind)).paid
    except InvalidArgument:  # a kind of a later version
        return None


def _of(items: Iterable[Item], app_id: str | None) -> Iterator[Item]:
    return (item for item in items if app_id is None or item.id.app_id == app_id)


def _refunded(book: Book, refund: Item, since: datetime, until: datetime) -> Iterator[DayChange]:
    """Yield the order that a paid refund names, if it settled in that time, and the refund was registered with the order's key."""
    if refund.id.kind != "refunds" or not refund.paid or refund.settled_at is None:
        return
    registered = json.loads(refund.content).get("content")
    number = registered.get(CONTRACT.following("orders").by) if isinstance(registered, dict) else None
    order = book.get(ItemId(refund.id.app_id, "orders", number)) if isinstance(number, str) else None
    if order is not None and order.settled_at is not None and since <= order.settled_at < until:
        yield DayChange(order, order.settled_state, order.state, refund.settled_at, refund)


class _Lines:
    """Counts items and adds their amounts, a line for each kind, state and currency."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, ...], DayLine] = {}

    def add(self, item: Item, status: ItemStatus, state: str | None) -> None:
        """Count an item as it was in a status and a state."""
        amount = read_number(item.amount)
        id, paid = item.id, None if status == "closed" else state_is_paid(item, state)
        place = (id.app_id, item.address, id.kind, status, state or "", item.currency or "", str(paid))
        line = self._lines.get(place) or DayLine(
            id.app_id, item.address, id.kind, status, state, paid, item.currency, 0, Decimal(0), 0
        )
        self._lines[place] = line._replace(
            items=line.items + 1,
            total=line.total if amount is None else _EXACT.add(line.total, amount),
            without_amount=line.without_amount + (amount is None),
        )

    def made(self) -> tuple[DayLine, ...]:
        """Return the lines in the order of merchant, gateway, kind, state and currency."""
        return tuple(self._lines[place] for place in sorted(self._lines))
