"""What both followers share beside their runs: whose items they are, and how one is registered, hinted at and closed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from paywright_receiver.items.book import Book, HasBook, Item, ItemId, ItemStatus, OpensByStatements
from paywright_receiver.items.items import after, following_of
from paywright_receiver.webhooks.result import ResultFacts
from paywright_runtime.clock import Moment
from paywright_runtime.errors import (
    ConfigurationError,
    InvalidArgument,
)

if TYPE_CHECKING:
    from paywright_receiver.items.ledger import Ledger
    from paywright_receiver.webhooks.receiver import BaseReceiver
    from paywright_runtime.client.client import ClientCore
    from paywright_runtime.client.follow import FollowBase

__all__ = ["FollowerCore"]

C = TypeVar("C", bound="ClientCore[Any]")
R = TypeVar("R")
_SPARE: Final = 30.0
"""Seconds of a lease beyond the longest call and the longest handler."""


class FollowerCore(Generic[C]):
    """The book, the client and the receiver of a follower."""

    def __init__(
        self, client: C, ledger: Ledger, *, receiver: BaseReceiver | None = None, lease: float | None = None
    ) -> None:
        if not isinstance(ledger, HasBook):
            raise InvalidArgument("ledger is a ledger with a book, such as SqliteLedger or PostgresLedger.")
        context = client.context
        if receiver is not None and receiver.ledger is not ledger:
            raise InvalidArgument(
                "The receiver has another ledger than the follower: what both tell would have two effects. Give both the same."
            )
        main, app_id = next(iter(context.owner.merchant.items()), ("number", None))
        if app_id is None:
            raise ConfigurationError(f"The client's merchant has no {main}, by which the book tells merchants apart.")
        if receiver is not None and receiver.addressee != app_id:
            raise InvalidArgument(
                f"The receiver is of another {main} than the client: their results are not the same ones."
            )
        least = client.timeout + (0.0 if receiver is None else receiver.lease)
        if lease is not None and lease <= least:
            raise InvalidArgument(
                f"lease is longer than a call and a handler take, which is {least:g} seconds here: an item whose lease ends while "
                "it is asked about would be asked about twice at once."
            )
        self.client: C = client
        self.book: Book = ledger.book
        self.receiver = receiver
        self.lease: float = least + _SPARE if lease is None else lease
        self.contract = context.contract
        self.clock = context.clock
        self.owner = context.owner
        self.app_id: str = app_id
        self._facts: dict[str, ResultFacts] = {}

    def now(self) -> Moment:
        """Now, by the client's clock."""
        return Moment.of(self.clock)

    def facts(self, kind: str) -> ResultFacts:
        """Return what the contract says of a kind. Raises `InvalidArgument` for one that is not followed."""
        found = self._facts.get(kind)
        if found is None:
            found = self._facts[kind] = ResultFacts(self.contract, kind)
        return found

    # Items

    def id(self, kind: str, key: str) -> ItemId:
        """Return the id of an item. Raises `InvalidArgument` for a kind that is not followed, and for what can be no key."""
        facts = self.facts(kind)
        id = facts.item(self.app_id, key) if isinstance(key, str) else None
        if id is None:
            raise InvalidArgument(f"The key of {kind} is the text that its query takes as {facts.following.by}.")
        return id

    def item(self, follow: FollowBase[R]) -> Item:
        """Return the item to register. Raises `InvalidArgument` for what is no follow of this client."""
        state = getattr(follow, "state", None)
        if state is None or not hasattr(follow, "hint"):
            raise InvalidArgument("Give what client.orders.follow(...) returns, or the follow of another resource.")
        text = follow.to_json()
        _, owner = following_of(self.contract, text)
        if not owner.same(self.owner):
            raise InvalidArgument(
                f"The follow belongs to {owner}, and this follower to {self.owner}. Nothing was written."
            )
        now = self.now()
        registered = {"operation": state.operation, "asks": state.asks, "content": state.content}
        return after(
            Item(
                id=self.id(state.kind, state.key),
                key=state.key,
                address=self.owner.address,
                status="open",
                step="wait",
                why="",
                state=None,
                settled_state=None,
                paid=None,
                amount=None,
                currency=None,
                opened_at=now.wall,
                changed_at=now.wall,
                settled_at=None,
                due_at=None,
                asked=0,
                attempts=0,
                content=json.dumps(registered, sort_keys=True),
                follow="",
            ),
            state,
            owner,
            now,
        )

    def is_new(self, wanted: Item, there: Item) -> bool:
        """Return whether an item was registered now, given what the book has. Raises `InvalidArgument` for other content."""
        if (there.content, there.address) == (wanted.content, wanted.address):
            return there is wanted
        what = "another gateway" if there.address != wanted.address else "other content"
        raise InvalidArgument(
            f"The book has {wanted.id.kind} {wanted.key!r} already, registered for {what}. Nothing was written: a key stands for "
            "one thing for ever. Use a new key for a new one, and the same arguments for the same one."
        )

    def statements_to_open(self, item: Item) -> tuple[tuple[str, Sequence[object]], tuple[str, Sequence[object]]]:
        """Return the statements that register an item, for a connection that is awaited. Raises `ConfigurationError`."""
        if not isinstance(self.book, OpensByStatements):
            raise ConfigurationError("This ledger has no transaction to be awaited: leave the transaction out.")
        return self.book.to_open(item)

    def closed(self, item: Item, why: str) -> Item:
        """Return the item closed by hand."""
        now = self.now().wall
        return item._replace(status="closed", step="closed", why=why, due_at=None, settled_at=item.settled_at or now)

    def close(self, kind: str, key: str, why: str) -> bool:
        """Close an item; see `Follower.close`."""
        if not isinstance(why, str) or not why.strip():
            raise InvalidArgument("why says in words why nobody waits for it any more: it stays in the book.")
        id = self.id(kind, key)
        if self.book.get(id, make=True) is None:
            raise self.unknown(kind, key)
        return self.book.change(id, lambda one: None if one.status == "closed" else self.closed(one, why))

    def hint(self, kind: str, key: str, *, settled: bool) -> bool:
        """Make an item due; see `Follower.hint`."""
        id = self.id(kind, key)
        item = self.book.get(id)
        if item is None:
            raise self.unknown(kind, key)
        # Of an open item only a notification may say that its state changed: it proves that the gateway has it.
        says = "" if settled and item.status == "settled" else None
        return self.book.hint(id, self.now().wall, says=says)

    def placed(self, kind: str, key: str) -> bool:
        """Record that the write of an item was a verified success; see `Follower.placed`."""
        id, now = self.id(kind, key), self.now()
        if self.book.get(id, make=True) is None:
            raise self.unknown(kind, key)

        def change(item: Item) -> Item | None:
            state, owner = following_of(self.contract, item.follow)
            if not state.unknown:
                return None
            state.placed(now)
            return after(item, state, owner, now)

        return self.book.change(id, change)

    def save(self, item: Item, text: str) -> Item:
        """Write a following that went on elsewhere; see `Follower.save`."""
        state, owner = following_of(self.contract, text)
        if not owner.same(self.owner) or self.id(state.kind, state.key) != item.id:
            raise InvalidArgument(f"The follow is not the one of {item.id.kind} {item.key!r}. Nothing was written.")
        wanted = after(item, state, owner, self.now())
        if not self.book.change(item.id, lambda there: wanted if there.version == item.version else None):
            raise InvalidArgument(
                f"The item {item.id.kind} {item.key!r} was changed meanwhile, or is not in the book: another process went on with "
                "it. Nothing was written. Get it again."
            )
        return wanted._replace(version=item.version + 1)

    def unknown(self, kind: str, key: str) -> InvalidArgument:
        """Build the error for an item that the book does not have."""
        return InvalidArgument(
            f"The book has no {kind} {key!r}: it was never registered with follower.open, or its transaction was rolled back."
        )

    def counts(self) -> Mapping[ItemStatus, int]:
        """Return how many items there are of each status."""
        return self.book.counts()

    def next_due(self) -> datetime | None:
        """Return when the next item of this merchant at this address is due."""
        return self.book.next_due(self.app_id, self.owner.address)
