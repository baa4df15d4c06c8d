"""The book of open items: what a merchant waits for, in the database of the ledger. The protocol, and what it holds.

An item is an order, a refund or anything else that the gateway carries out later. It is registered in the merchant's own
transaction, asked about when it is due, and settled together with the effect of its result: both are written in one
transaction. An item is leased to one process at a time, so that nothing is asked twice at once; a lease ends by itself if its
process dies.

Leases go by the ledger's clock, as claims do. All other times are those of whoever writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

__all__ = [
    "ITEM_STATUSES",
    "LONGEST",
    "Book",
    "Elsewhere",
    "HasBook",
    "Item",
    "ItemId",
    "ItemStatus",
    "Lease",
    "OpensByStatements",
    "Within",
    "comes_back",
    "item_of",
]

ItemStatus: TypeAlias = Literal["open", "settled", "closed"]
"""open: its last state is not known; settled: it is known, and may be asked about once more; closed: ended by hand."""

ITEM_STATUSES: Final[tuple[ItemStatus, ...]] = ("open", "settled", "closed")

_INSTANT: Final = timedelta(microseconds=1)
_MOST_LEASES: Final = 30
LONGEST: Final = timedelta(days=1, minutes=1)
"""Ahead of now, beyond which no item is due: a day, and what two clocks may differ by."""

Within: TypeAlias = object
"""A transaction of the ledger that has begun, as `Claim.complete` hands it over."""


class ItemId(NamedTuple):
    """What identifies an item: the merchant app, the kind of thing, and its number.

    `number` is the merchant's key, in lower case where the gateway does not tell capitals from small letters.
    """

    app_id: str
    kind: str
    number: str


def item_of(subject: str) -> ItemId:
    """Return the record that belongs to a subject of the ledger: an item, or something of which only its effect is kept."""
    app_id, kind, number = (*subject.split("/", 2), "", "")[:3]
    whole = "/" not in number
    return ItemId(_unescaped(app_id), _unescaped(kind), _unescaped(number) if whole else number)


def _unescaped(step: str) -> str:
    return step.replace("%2F", "/").replace("%25", "%") if "%" in step else step


class Item(NamedTuple):
    """An item as the book has it.

    `id` identifies it, `key` is the merchant's key as he writes it, and `address` the gateway at which it is. `status` is one of
    `ItemStatus`; `step` is what its following does next (`query`, `wait`, `settled`, `decide`, ...), and `why` says so in words.

    `state` is the last state that is known, `settled_state` the one in which it settled first. `paid` says whether money
    moved. `amount` (exact digits, as the gateway wrote them) and `currency` are those of the thing itself. All four are None
    until they are known.

    `opened_at` is when it was registered, `changed_at` when its state changed last, `settled_at` when it settled first or was
    closed (None before), `due_at` when it is asked about next (None: never). `asked` counts questions, `attempts` how often it
    was taken up since the last time that this led to something. `content` is what was registered, `follow` its following, both
    as JSON. `version` counts changes.

    `effect` is the state whose result had its effect last, by whichever way it became known, and `effect_at` the time that the
    gateway gave for it; None before. The ledger writes both in the transaction of the effect.
    """

    id: ItemId
    key: str
    address: str
    status: ItemStatus
    step: str
    why: str
    state: str | None
    settled_state: str | None
    paid: bool | None
    amount: str | None
    currency: str | None
    opened_at: datetime
    changed_at: datetime
    settled_at: datetime | None
    due_at: datetime | None
    asked: int
    attempts: int
    content: str
    follow: str
    version: int = 0
    effect: str | None = None
    effect_at: datetime | None = None

    def __repr__(self) -> str:
        return f"<Item {self.id.kind} {self.key!r}: {self.status}, {self.step}>"


class Lease(NamedTuple):
    """An item that this process alone asks about now.

    `hinted_at` is when something said that there is news, or None; `says` is the state that a notification named, "" if it named
    none, and None if no notification said so. `hints` counts them. `due_by` is the time by which it was taken up.
    """

    item: Item
    owner: str
    due_by: datetime
    hinted_at: datetime | None
    says: str | None = None
    hints: int = 0

    @property
    def next_at(self) -> datetime:
        """Return when it can be due again at the earliest: after the run that took it up."""
        return self.due_by + _INSTANT


class Elsewhere(NamedTuple):
    """How many items of a merchant are to be asked about at an address, and when the first of them is or was due."""

    app_id: str
    address: str
    items: int
    due_at: datetime


def comes_back(now: datetime, lease: float, attempts: int) -> datetime:
    """Return when an item that is leased now is due again if its process dies.

    Each time it waits one lease longer, up to 30: an item that kills whoever takes it up holds no other one up.
    """
    return now + timedelta(seconds=lease * min(attempts + 1, _MOST_LEASES))


class Book(Protocol):
    """The book of a ledger. Threads and processes may share it.

    Every method raises `LedgerProblem` if the database cannot be used. `within` is a transaction of the ledger in which the
    method writes; without one it uses a transaction of its own.
    """

    def open(self, item: Item, /, transaction: object | None = None) -> Item:
        """Write an item unless its `id` is there already, in the merchant's transaction or one of its own; return what is there."""
        ...

    def take(
        self, app_id: str, address: str, kind: str, /, now: datetime, lease: float, *, newest: bool = False
    ) -> Lease | None:
        """Lease the item of a kind that has been due for longest, or with `newest` the one that became due last; None if none is due.

        It is leased for so many seconds. An item that would be due in more than a day was written by a clock that was wrong, and
        is due.
        """
        ...

    def take_one(self, id: ItemId, address: str, /, now: datetime, lease: float) -> Lease | None:
        """Lease an item, due or not; None if it is not there at that address, or leased to another."""
        ...

    def keep(
        self, lease: Lease, item: Item, /, *, heard: bool = True, unhinted: bool = False, within: Within | None = None
    ) -> bool:
        """End a lease with what the item is now. Return False, and change nothing, if the item was changed or leased to another meanwhile.

        A hint that came during the lease stays: the item is due at once. An earlier one stays too unless it was `heard`. With
        `unhinted`, one that came during the lease counts as a change.
        """
        ...

    def give_back(self, lease: Lease, /) -> None:
        """End a lease and leave the item as it is now."""
        ...

    def change(self, id: ItemId, change: Callable[[Item], Item | None], /, within: Within | None = None) -> bool:
        """Let a function change an item, leased or not. Return whether the item is there and was changed."""
        ...

    def hint(self, id: ItemId, now: datetime, /, says: str | None = None, within: Within | None = None) -> bool:
        """Make an item due now, unless it is closed. Return whether it was there and not closed.

        `says` is the state that a notification names ("" for none), or None for a hint that is no notification.
        """
        ...

    def get(self, id: ItemId, /, *, make: bool = False) -> Item | None:
        """Return an item, or None. With `make`, tables that are not there are made first."""
        ...

    def items(self) -> Iterator[Item]:
        """Iterate over all items, in the order of their ids. Read in portions, so that there may be many."""
        ...

    def open_items(self, *, before: datetime | None = None) -> Iterator[Item]:
        """Iterate over open items, the oldest first; with `before`, over those registered before that time."""
        ...

    def changed(self, since: datetime, until: datetime, /) -> Iterator[Item]:
        """Iterate over items whose state changed last at `since` or later, and before `until`."""
        ...

    def counts(self) -> Mapping[ItemStatus, int]:
        """Return how many items there are of each status, 0 included."""
        ...

    def next_due(self, app_id: str, address: str, kind: str, /) -> datetime | None:
        """Return when the next item of a kind is due, leased ones included; None if none ever is."""
        ...

    def has_merchant(self, app_id: str, /) -> bool:
        """Return whether there is any item of a merchant app."""
        ...

    def elsewhere(self, app_id: str, address: str, /) -> Sequence[Elsewhere]:
        """Return what is to be asked about as another merchant, or at another address."""
        ...


@runtime_checkable
class OpensByStatements(Protocol):
    """A book that says by which statements it opens an item, for connections that are awaited."""

    def to_open(self, item: Item, /) -> tuple[str, tuple[str, Sequence[object]], tuple[str, Sequence[object]]]:
        """Return three statements, two with parameters.

        One reads what `check_id` takes, one writes the item unless it is there, one reads its content and address.
        """
        ...

    def check_id(self, found: object, /) -> None:
        """Raise `InvalidArgument` unless what the first of these statements read is this ledger's.

        `found` is its first row or None, or the error that it raised; of any other error than a missing table nothing is said.
        """
        ...


@runtime_checkable
class HasBook(Protocol):
    """A ledger with a book."""

    @property
    def book(self) -> Book:
        """Return the book in the ledger's database."""
        ...
