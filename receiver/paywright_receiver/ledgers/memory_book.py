"""The book of open items of a ledger in memory: for tests and measurements, never for money."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import count
from threading import RLock
from typing import Final

from paywright_receiver.items.book import ITEM_STATUSES, Item, ItemId, ItemStatus, Lease, Within, comes_back, item_of
from paywright_receiver.items.judgement import Effect, expired, had_effect
from paywright_receiver.items.ledger import ClaimRequest, at_micros
from paywright_runtime.errors import ConfigurationError

__all__ = ["MemoryBook"]

_NOBODY: Final = ""


class _Held:
    """An item, and what the book has of its lease."""

    __slots__ = ("claimed_at", "hinted_at", "hints", "item", "lease_until", "owner", "says")

    def __init__(self, item: Item) -> None:
        self.item = item
        self.owner = _NOBODY
        self.claimed_at = self.lease_until = 0
        self.hinted_at: datetime | None = None
        self.says: str | None = None
        self.hints = 0

    def end(self, item: Item, lease: Lease, *, heard: bool) -> None:
        """End the lease. A hint that came during it makes the item due at once."""
        same = self.hints == lease.hints
        self.item = item if same else item._replace(due_at=self.hinted_at)
        if same and heard:
            self.hinted_at = self.says = None
        self.owner, self.lease_until = _NOBODY, 0


class MemoryBook:
    """The book of a `MemoryLedger`. See `paywright_receiver.items.book.Book`."""

    def __init__(self, lock: RLock, now: Callable[[], int]) -> None:
        self._lock = lock
        self._now = now
        self._items: dict[ItemId, _Held] = {}
        self._effects: dict[ItemId, Effect] = {}
        self._leases = count()

    def open(self, item: Item, /, transaction: object | None = None) -> Item:
        """Write an item unless its `id` is there already, and return what is there. See `Book.open`."""
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
        """Return what had its effect last, of an item or of something that was never registered."""
        return self._effects.get(id)

    def moved(self, request: ClaimRequest) -> None:
        """Write what had its effect into the record of its item, registered or not."""
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
        self, app_id: str, address: str, /, now: datetime, lease: float, *, only: ItemId | None = None
    ) -> Lease | None:
        """Lease the item that has been due for longest, or only that one; None if there is none. See `Book.take`."""
        with self._lock:
            mine = self._now()
            due = [
                (held.item.due_at or now, held.item.id)
                for held in self._items.values()
                if (held.item.id.app_id, held.item.address) == (app_id, address)
                and (_is_due(held.item, now) if only is None else held.item.id == only)
                and expired(mine, held.claimed_at, held.lease_until)
            ]
            if not due:
                return None
            held = self._items[min(due)[1]]
            found = Lease(held.item, f"lease {next(self._leases)}", held.hinted_at, held.says, held.hints)
            held.owner = found.owner
            held.claimed_at, held.lease_until = mine, mine + int(lease * 1_000_000)
            held.item = held.item._replace(
                due_at=comes_back(now, lease, held.item.attempts), attempts=held.item.attempts + 1
            )
            return found

    def keep(self, lease: Lease, item: Item, /, *, heard: bool = True, within: Within | None = None) -> bool:
        """End a lease with what the item is now. See `Book.keep`."""
        with self._lock:
            held = self._items.get(lease.item.id)
            if held is None or held.owner != lease.owner or held.item.version != lease.item.version:
                return False
            held.end(self._with_effect(item._replace(version=held.item.version + 1)), lease, heard=heard)
            return True

    def give_back(self, lease: Lease, /) -> None:
        """End a lease and leave the item as it is now."""
        with self._lock:
            held = self._items.get(lease.item.id)
            if held is not None and held.owner == lease.owner:
                now = held.item._replace(attempts=lease.item.attempts)
                if now.version == lease.item.version:
                    held.end(now._replace(due_at=lease.item.due_at), lease, heard=False)
                else:
                    held.item, held.owner, held.lease_until = now, _NOBODY, 0

    def change(self, id: ItemId, change: Callable[[Item], Item | None], /, within: Within | None = None) -> bool:
        """Let a function change an item. See `Book.change`."""
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
        found = [item for item in self.items() if item.status == "open" and (before is None or item.opened_at < before)]
        return iter(sorted(found, key=lambda item: (item.opened_at, item.id)))

    def changed(self, since: datetime, until: datetime, /) -> Iterator[Item]:
        """Iterate over items whose state changed last at `since` or later, and before `until`."""
        found = [item for item in self.items() if since <= item.changed_at < until]
        return iter(sorted(found, key=lambda item: (item.changed_at, item.id)))

    def counts(self) -> Mapping[ItemStatus, int]:
        """Return how many items there are of each status, 0 included."""
        found = Counter(item.status for item in self.items())
        return {status: found[status] for status in ITEM_STATUSES}

    def next_due(self, app_id: str, address: str, /) -> datetime | None:
        """Return when the next item is due; None if none ever is."""
        ours = (item.due_at for item in self.items() if (item.id.app_id, item.address) == (app_id, address))
        return min((at for at in ours if at is not None), default=None)


def _is_due(item: Item, now: datetime) -> bool:
    return item.due_at is not None and item.due_at <= now
