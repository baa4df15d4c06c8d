"""Open items of a ledger in memory: for tests and measurements, never for money."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import count
from threading import RLock
from typing import Final

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
    item_of,
)
from paywright_receiver.items.judgement import Effect, expired, had_effect
from paywright_receiver.items.ledger import ClaimRequest, at_micros, micros
from paywright_runtime.errors import ConfigurationError

__all__ = ["MemoryBook"]

_NOBODY: Final = ""


class _Held:
    """An item and its lease."""

    __slots__ = ("claimed_at", "hinted_at", "hints", "item", "lease_until", "owner", "says")

    def __init__(self, item: Item) -> None:
        self.item = item
        self.owner = _NOBODY
        self.claimed_at = self.lease_until = 0
        self.hinted_at: datetime | None = None
        self.says: str | None = None
        self.hints = 0

    def end(self, item: Item, lease: Leased, *, heard: bool) -> None:
        """End the lease. A hint that came during it makes the item due at once."""
        same = self.hints == lease.hints
        self.item = item if same else item._replace(due_at=max(self.hinted_at or lease.next_at, lease.next_at))
        if same and heard:
            self.hinted_at = self.says = None
        self.owner, self.lease_until = _NOBODY, 0


class MemoryBook:
    """The items of a `MemoryLedger`. See `paywright_receiver.items.book.Book`."""

    def __init__(self, lock: RLock, now: Callable[[], int]) -> None:
        self._lock = lock
        self._now = now
        self._items: dict[ItemId, _Held] = {}
        self._effects: dict[ItemId, Effect] = {}
        self._leases = count()

    def open(self, item: Item, /, transaction: object | None = None) -> Item:
        """Write an item unless its `id` is there already, and return the stored one. See `Book.open`."""
        if transaction is not None:
            raise ConfigurationError(
                "MemoryLedger has no transaction: use SqliteLedger, whose file can hold your tables."
            )
        with self._lock:
            there = self._items.get(item.id)
            if there is None:
                self._items[item.id] = _Held(self._with_effect(item))
            return item if there is None else there.item

    def effect(self, id: ItemId) -> Effect | None:
        """Return the last effect of an item, or of something that was never registered."""
        return self._effects.get(id)

    def moved(self, request: ClaimRequest) -> None:
        """Write an effect into the record of its item, registered or not."""
        with self._lock:
            id = item_of(request.about)
            self._effects[id] = had_effect(request, self._effects.get(id))
            held = self._items.get(id)
            if held is not None:
                held.item = self._with_effect(held.item)

    def _with_effect(self, item: Item) -> Item:
        effect = self._effects.get(item.id)
        return item if effect is None else item._replace(effect=effect.state, effect_at=at_micros(effect.notify_time))

    def take(
        self, app_id: str, address: str, kind: str, /, now: datetime, lease: float, *, newest: bool = False
    ) -> Leased | None:
        """Lease the item of a kind that has been due for longest, or became due last. See `Book.take`."""
        with self._lock:
            mine, wanted = self._now(), (app_id, kind, address)
            due = [
                (held.item.due_at, held.item.id)
                for held in self._items.values()
                if (*held.item.id[:2], held.item.address) == wanted
                and held.item.due_at is not None
                and not now < held.item.due_at <= now + LONGEST
                and expired(mine, held.claimed_at, held.lease_until)
            ]
            late = [one for one in due if one[0] <= now] or due
            return self._leased((max if newest else min)(late)[1], now, lease) if late else None

    def take_one(self, id: ItemId, address: str, /, now: datetime, lease: float) -> Leased | None:
        """Lease an item, due or not. See `Book.take_one`."""
        with self._lock:
            held = self._items.get(id)
            if held is None or held.item.address != address:
                return None
            return self._leased(id, now, lease) if expired(self._now(), held.claimed_at, held.lease_until) else None

    def _leased(self, id: ItemId, now: datetime, lease: float) -> Leased:
        with self._lock:
            mine, held = self._now(), self._items[id]
            found = Leased(held.item, f"lease {next(self._leases)}", now, held.hinted_at, held.says, held.hints)
            held.owner = found.owner
            held.claimed_at, held.lease_until = mine, mine + int(lease * 1_000_000)
            held.item = held.item._replace(
                due_at=comes_back(now, lease, held.item.attempts), attempts=held.item.attempts + 1
            )
            return found

    def keep(
        self, lease: Leased, item: Item, /, *, heard: bool = True, unhinted: bool = False, within: Within | None = None
    ) -> bool:
        """End a lease and store the item. See `Book.keep`."""
        with self._lock:
            held = self._items.get(lease.item.id)
            if held is None or held.owner != lease.owner or held.item.version != lease.item.version:
                return False
            if unhinted and held.hints != lease.hints:
                return False
            held.end(self._with_effect(item._replace(version=held.item.version + 1)), lease, heard=heard)
            return True

    def give_back(self, lease: Leased, /) -> None:
        """End a lease and leave the item as it is."""
        with self._lock:
            held = self._items.get(lease.item.id)
            if held is not None and held.owner == lease.owner:
                now = held.item._replace(attempts=lease.item.attempts)
                if now.version == lease.item.version:
                    held.end(now._replace(due_at=lease.item.due_at), lease, heard=False)
                else:
                    held.item, held.owner, held.lease_until = now, _NOBODY, 0

    def change(self, id: ItemId, change: Callable[[Item], Item | None], /, within: Within | None = None) -> bool:
        """Change an item by a function. See `Book.change`."""
        with self._lock:
            held = self._items.get(id)
            wanted = None if held is None else change(held.item)
            if held is None or wanted is None:
                return False
            held.item = self._with_effect(wanted._replace(version=held.item.version + 1))
            return True

    def hint(self, id: ItemId, now: datetime, /, says: str | None = None, within: Within | None = None) -> bool:
        """Make an item due now, unless it is closed. See `Book.hint`."""
        with self._lock:
            held = self._items.get(id)
            if held is None or held.item.status == "closed":
                return False
            held.hinted_at, held.says, held.hints = now, held.says if says is None else says, held.hints + 1
            due_at = held.item.due_at
            held.item = held.item._replace(due_at=now if due_at is None else min(due_at, now))
            return True

    def get(self, id: ItemId, /, *, make: bool = False) -> Item | None:
        """Return an item, or None."""
        with self._lock:
            held = self._items.get(id)
        return None if held is None else held.item

    def items(self) -> Iterator[Item]:
        """Iterate over all items, in the order of their ids."""
        with self._lock:
            found = [self._items[id].item for id in sorted(self._items)]
        return iter(found)

    def open_items(self, *, before: datetime | None = None) -> Iterator[Item]:
        """Iterate over open items, the oldest first."""
        limit = None if before is None else micros(before)
        found = [
            one for one in self.items() if one.status == "open" and (limit is None or micros(one.opened_at) < limit)
        ]
        return iter(sorted(found, key=lambda item: (item.opened_at, item.id)))

    def changed(self, since: datetime, until: datetime, /) -> Iterator[Item]:
        """Iterate over items whose state changed last at `since` or later, and before `until`."""
        first, end = micros(since), micros(until)
        found = [item for item in self.items() if first <= micros(item.changed_at) < end]
        return iter(sorted(found, key=lambda item: (item.changed_at, item.id)))

    def counts(self) -> Mapping[ItemStatus, int]:
        """Return how many items there are of each status, 0 included."""
        found = Counter(item.status for item in self.items())
        return {status: found[status] for status in ITEM_STATUSES}

    def next_due(self, app_id: str, address: str, kinds: Sequence[str], /) -> datetime | None:
        """Return when the next item of these kinds is due; None if none ever is."""
        ours = (item for item in self.items() if (item.id.app_id, item.address) == (app_id, address))
        return min((item.due_at for item in ours if item.due_at is not None and item.id.kind in kinds), default=None)

    def has_merchant(self, app_id: str, /) -> bool:
        """Return whether there is any item of a merchant app."""
        return any(item.id.app_id == app_id for item in self.items())

    def elsewhere(self, app_id: str, address: str, /) -> Sequence[Elsewhere]:
        """Count the items of other merchants and other addresses that wait for an inquiry."""
        found: dict[tuple[str, str], list[datetime]] = {}
        for item in self.items():
            if item.due_at is not None and (item.id.app_id, item.address) != (app_id, address):
                found.setdefault((item.id.app_id, item.address), []).append(item.due_at)
        return [Elsewhere(*place, len(times), min(times)) for place, times in sorted(found.items())]
