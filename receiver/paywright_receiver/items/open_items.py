"""Open items, which a merchant waits for, as values; `SqlBook` stores them in a ledger's database.

An item is an order, a refund or anything else that the gateway carries out later. It is registered in the merchant's own
transaction, asked about when it is due, and settled together with the effect of its result: both are written in one
transaction. An item is leased to one process at a time, so that no two ask about it at once. If its process dies, the lease
expires.

Leases go by the ledger's clock, as claims do. All other times come from the writer's clock.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from paywright_receiver.items.state_memory import Remembered, effect_of
from paywright_receiver.items.times import at_micros

ItemStatus: TypeAlias = Literal["open", "settled", "closed"]
"""open: its last state is not known; settled: it is known, and one more inquiry may follow; closed: ended by hand."""

ITEM_STATUSES: Final[tuple[ItemStatus, ...]] = get_args(ItemStatus)

_INSTANT: Final = timedelta(microseconds=1)
LONGEST: Final = timedelta(days=1, minutes=1)
"""Latest due time of an item, from now: a day, and the difference of two clocks."""


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


@lru_cache(64)  # a delivery asks more than once
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
    opened_at: datetime
    changed_at: datetime
    content: str
    follow: str = ""
    status: ItemStatus = "open"
    step: str = "wait"
    why: str = ""
    state: str | None = None
    settled_state: str | None = None
    paid: bool | None = None
    amount: str | None = None
    currency: str | None = None
    settled_at: datetime | None = None
    asked: int = 0
    attempts: int = 0
    due_at: datetime | None = None
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

    `row` is the item as it was read, `hints` counts the notices that had come, `length` is that of the memory then. `due_by` is the
    time by which it was leased.
    """

    item: Item
    row: Item
    owner: str
    due_by: datetime
    hints: int
    length: int

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
