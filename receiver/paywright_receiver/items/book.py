"""Open items, which a merchant waits for: the protocol of their store in a ledger's database, and its values.

An item is an order, a refund or anything else that the gateway carries out later. It is registered in the merchant's own
transaction, asked about when it is due, and settled together with the effect of its result: both are written in one
transaction. An item is leased to one process at a time, so that no two ask about it at once. If its process dies, the lease
expires.

Leases go by the ledger's clock, as claims do. All other times come from the writer's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from paywright_receiver.items.signed import Remembered, effect_of
from paywright_receiver.items.times import at_micros

__all__ = [
    "ITEM_STATUSES",
    "LONGEST",
    "Book",
    "Elsewhere",
    "HasBook",
    "Item",
    "ItemId",
    "ItemStatus",
    "Leased",
    "Within",
    "comes_back",
    "folded",
    "folded_key",
    "item_of",
]

ItemStatus: TypeAlias = Literal["open", "settled", "closed"]
"""open: its last state is not known; settled: it is known, and one more inquiry may follow; closed: ended by hand."""

ITEM_STATUSES: Final[tuple[ItemStatus, ...]] = ("open", "settled", "closed")

_INSTANT: Final = timedelta(microseconds=1)
_MOST_LEASES: Final = 30
LONGEST: Final = timedelta(days=1, minutes=1)
"""Latest due time of an item, from now: a day, and the difference of two clocks."""

Within: TypeAlias = object
"""A transaction of the ledger that has begun; `Claim.complete` passes it on."""


class ItemId(NamedTuple):
    """Identity of an item: the merchant app, the kind of thing, and its number.

    `number` is the merchant's key, in lower case where the gateway does not tell capitals from small letters.
    """

    app_id: str
    kind: str
    number: str


def folded(number: str) -> str:
    """Return a number as it is compared where the gateway does not tell capitals from small letters: those of ASCII."""
    return number.lower() if number.isascii() else number


def folded_key(key: str) -> str:
    """Return a key of the ledger with its number folded."""
    steps = key.split("/")
    steps[2:3] = [folded(number).replace("%2f", "%2F") for number in steps[2:3]]
    return "/".join(steps)


def item_of(subject: str) -> ItemId:
    """Return the id for a subject of the ledger: an item, or something of which only the effect is stored."""
    app_id, kind, number = (*subject.split("/", 2), "", "")[:3]
    whole = "/" not in number
    return ItemId(_unescaped(app_id), _unescaped(kind), _unescaped(number) if whole else number)


def _unescaped(step: str) -> str:
    return step.replace("%2F", "/").replace("%25", "%") if "%" in step else step


class Item(NamedTuple):
    """A stored item.

    `id` identifies it, `key` is the merchant's key as written by the merchant, and `address` that of its gateway. `status` is
    one of `ItemStatus`; `step` is the next step (`query`, `wait`, `settled`, `decide`, ...), and `why` the reason in words.

    `state` is the last state that is known, `settled_state` the one in which it settled first. `paid` says whether money
    moved. `amount` (exact digits, as the gateway wrote them) and `currency` are those of the thing itself. All four are None
    until they are known.

    `opened_at` is when it was registered, `changed_at` when its state changed last, `settled_at` when it settled first or was
    closed (None before), `due_at` when it is asked about next (None: never). `asked` counts inquiries, `attempts` the leases
    since the last that had a result. `content` is the registered content, `follow` the stored state machine, both as JSON.
    `version` counts changes.

    `signed` is the memory of all states that were signed, shown or booked. `effect` is the one whose result had its effect last,
    known by a notification or an inquiry, and `effect_at` the gateway's time for it; None before. `handled_at` is the ledger's time
    for it. The ledger writes them in the transaction of the effect.
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
    signed: tuple[Remembered, ...] = ()
    handled_at: datetime | None = None

    @property
    def effect(self) -> str | None:
        """Return the state that had its effect last."""
        one = effect_of(self.signed)
        return None if one is None else one.state

    @property
    def effect_at(self) -> datetime | None:
        """Return the gateway's time for that state."""
        one = effect_of(self.signed)
        return None if one is None else at_micros(one.at)

    def __repr__(self) -> str:
        return f"<Item {self.id.kind} {self.key!r}: {self.status}, {self.step}>"


class Leased(NamedTuple):
    """An item leased to this process.

    `hints` counts the notices that have come, `length` is that of the memory as it was read. `due_by` is the time by which it was
    leased.
    """

    item: Item
    owner: str
    due_by: datetime
    hints: int = 0
    length: int = 0

    @property
    def next_at(self) -> datetime:
        """Return the earliest time when it can be due again: after the run that leased it."""
        return self.due_by + _INSTANT


class Elsewhere(NamedTuple):
    """Count of the items of one merchant at one address that wait for an inquiry, and the earliest due time."""

    app_id: str
    address: str
    items: int
    due_at: datetime


def comes_back(now: datetime, lease: float, attempts: int) -> datetime:
    """Return when an item that is leased now is due again if its process dies.

    Each time it waits one lease longer, up to 30: an item that kills its process holds no other item up.
    """
    return now + timedelta(seconds=lease * min(attempts + 1, _MOST_LEASES))


class Book(Protocol):
    """The items of a ledger. Threads and processes may share them.

    Every method raises `LedgerProblem` if the database cannot be used. A method writes in `within`, a transaction of the
    ledger, or without it in a transaction of its own.
    """

    def open(self, item: Item, /, transaction: object | None = None) -> Item:
        """Write an item unless its `id` is there already, in the merchant's transaction or one of its own; return the stored one."""
        ...

    def to_open(self, item: Item, /) -> tuple[str, tuple[str, Sequence[object]], tuple[str, Sequence[object]]]:
        """Return the statements of `open`, for a connection that is awaited: three, two with parameters.

        The first reads the value for `check_id`, the second writes the item unless it is there, the third reads its content,
        address and key.
        """
        ...

    def check_id(self, found: object, /) -> None:
        """Raise `InvalidArgument` unless the first of these statements read this ledger's id.

        `found` is its first row or None, or the error that it raised. Any error other than a missing table is ignored.
        """
        ...

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
        """Lease the due item of a kind that was due first, or with `newest` the one that became due last; None if none is due.

        A due time more than a day ahead comes from a wrong clock: such an item counts as due. One whose last state is known and had
        no effect yet is left out without `untold`.
        """
        ...

    def rest(self) -> None:
        """End a run, which took items: close what need not stay open until the next one."""
        ...

    def take_one(self, id: ItemId, address: str, /, now: datetime, lease: float) -> Leased | None:
        """Lease an item, due or not; None if it is not there at that address, or leased to another."""
        ...

    def keep(self, lease: Leased, item: Item, /, *, unhinted: bool = False, within: Within | None = None) -> bool:
        """End a lease and store the item. Return False, and change nothing, if it was changed or leased to another meanwhile.

        What its memory got during the lease stays, and with a notice the item is due at once. With `unhinted`, a notice during the
        lease counts as a change.
        """
        ...

    def give_back(self, lease: Leased, /) -> None:
        """End a lease and leave the item as it is."""
        ...

    def change(self, id: ItemId, change: Callable[[Item], Item | None], /, within: Within | None = None) -> bool:
        """Change an item by a function, leased or not. Return whether the item is there and was changed."""
        ...

    def hint(self, id: ItemId, now: datetime, /, says: str | None = None, within: Within | None = None) -> bool:
        """Remember a notice, and make the item due now. Return whether it was there.

        `says` is the state that a notification names ("" for none), or None for a hint that is no notification. A notification opens
        a closed item again.
        """
        ...

    def remember(self, id: ItemId, signed: Remembered, /) -> None:
        """Add a state to the memory of an item, registered or not, unless it has the same."""
        ...

    def get(self, id: ItemId, /, *, make: bool = False) -> Item | None:
        """Return an item, or None. With `make`, missing tables are made first."""
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

    def handled(self, since: datetime, until: datetime, /) -> Iterator[Item]:
        """Iterate over items whose result was handled last, or that settled without, at `since` or later, and before `until`."""
        ...

    def counts(self) -> Mapping[ItemStatus, int]:
        """Return how many items there are of each status, 0 included."""
        ...

    def next_due(
        self, app_id: str, address: str, kinds: Sequence[str], /, *, untold: Sequence[str] = ()
    ) -> datetime | None:
        """Return when the next item of these kinds is due, leased ones included; None if none ever is.

        One whose last state is known and had no effect yet is left out, but for the kinds `untold`.
        """
        ...

    def has_merchant(self, app_id: str, /) -> bool:
        """Return whether there is any item of a merchant app."""
        ...

    def elsewhere(self, app_id: str, address: str, /) -> Sequence[Elsewhere]:
        """Count the items of other merchants and other addresses that wait for an inquiry."""
        ...


@runtime_checkable
class HasBook(Protocol):
    """A ledger with open items."""

    @property
    def book(self) -> Book:
        """Return the items in the ledger's database."""
        ...
