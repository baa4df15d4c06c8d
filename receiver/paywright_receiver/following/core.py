"""Steps that both followers share, without their runs: register an item, hint at it, close it, move it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from paywright_receiver.following.inquiry import Inquiry
from paywright_receiver.items.book import Book, HasBook, Item, ItemId, ItemStatus, Leased
from paywright_receiver.items.items import apply_follow, following_of
from paywright_receiver.items.state import FollowState
from paywright_receiver.items.state_json import from_json
from paywright_receiver.webhooks.result import ResultFacts
from paywright_runtime.client.attempt_event import quietly
from paywright_runtime.client.follow import Follow
from paywright_runtime.clock import Moment
from paywright_runtime.contract.request_content import completed
from paywright_runtime.errors import ConfigurationError, InvalidArgument, TooEarly

if TYPE_CHECKING:
    from paywright_receiver.items.ledger import Ledger
    from paywright_receiver.webhooks.receiver import BaseReceiver
    from paywright_receiver.webhooks.reply import Reply
    from paywright_runtime.client.client import ClientCore
    from paywright_runtime.client.permission import Permission
    from paywright_runtime.client.resolver import ResolverContext
    from paywright_runtime.clock import Clock
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.json_value import JSON
    from paywright_runtime.settling.stored_document import Owner

__all__ = ["FollowerCore"]

C = TypeVar("C", bound="ClientCore[Any]")
_SPARE: Final = 30.0
"""Seconds of a lease beyond the longest call and the longest handler."""


class FollowerCore(Generic[C]):
    """The open items, the client and the receiver of a follower."""

    def __init__(
        self, client: C, ledger: Ledger, *, receiver: BaseReceiver | None = None, lease: float | None = None
    ) -> None:
        if not isinstance(ledger, HasBook):
            raise InvalidArgument("ledger is a ledger that keeps open items, such as SqliteLedger or PostgresLedger.")
        context = client.context
        if receiver is not None and receiver.ledger is not ledger:
            raise InvalidArgument(
                "The receiver has another ledger than the follower: a result that both learn would have two effects. Give both the same."
            )
        main, app_id = next(iter(context.owner.merchant.items()), ("number", None))
        if app_id is None:
            raise ConfigurationError(
                f"The client's merchant has no {main}, by which the ledger distinguishes merchants."
            )
        if receiver is not None and receiver.addressee != app_id:
            raise InvalidArgument(
                f"The receiver belongs to another {main} than the client: their results are not the same."
            )
        least = client.timeout + (0.0 if receiver is None else receiver.lease)
        if lease is not None and lease <= least:
            raise InvalidArgument(
                f"lease is longer than a call and a handler take, {least:g} seconds here: with a shorter one two processes "
                f"could ask about an item at once."
            )
        self.client: C = client
        self.book: Book = ledger.book
        self.receiver = receiver
        self.lease: float = least + _SPARE if lease is None else lease
        self.context: ResolverContext = context
        self.contract: Contract = context.contract
        self.clock: Clock = context.clock
        self.owner: Owner = context.owner
        self.app_id: str = app_id
        self.kinds: tuple[str, ...] = tuple(self.contract.followed())
        self._facts: dict[str, ResultFacts] = {}
        self._given: dict[ItemId, Permission] = {}

    def now(self) -> Moment:
        """Return the time of the client's clock."""
        return Moment.of(self.clock)

    def facts(self, kind: str) -> ResultFacts:
        """Return the contract's facts of a kind. Raises `InvalidArgument` for one that is not followed."""
        found = self._facts.get(kind) if isinstance(kind, str) else None
        if found is None:
            found = self._facts[kind] = ResultFacts(self.contract, kind)
        return found

    @contextmanager
    def observed(self, item: Item) -> Iterator[None]:
        """Let the client's observer follow what the block does about an item."""
        observer, end = self.context.observer, None
        if observer is not None:
            following = self.contract.following(item.id.kind)
            shown = self.contract.may_show(self.contract.operation(following.operation), following.by)
            end = quietly("observer", observer.item, following.kind, item.key if shown else None)
        error: BaseException | None = None
        try:
            yield
        except BaseException as raised:
            error = raised
            raise
        finally:
            if end is not None:
                quietly("observer", end, error)
            del error  # else the error and this frame refer to each other

    # Items

    def id(self, kind: str, key: str) -> ItemId:
        """Return the id of an item. Raises `InvalidArgument` for a kind that is not followed, and for an impossible key."""
        facts = self.facts(kind)
        id = facts.item(self.app_id, key) if isinstance(key, str) else None
        if id is None:
            raise InvalidArgument(f"The key of {kind} is the text that its query takes as {facts.following.by}.")
        return id

    def item(self, follow: Follow) -> Item:
        """Return the item to register. Raises `InvalidArgument` if it cannot be followed."""
        if not isinstance(follow, Follow):
            raise InvalidArgument("Give what client.orders.follow(...) returns, or the follow of another resource.")
        id, now = self.id(follow.kind, follow.key), self.now()
        state = FollowState(
            self.contract,
            follow.kind,
            follow.key,
            now,
            operation=getattr(follow.after, "operation", None),
            asks=follow.asks,
            expires_at=follow.expires_at,
            content=follow.content,
            unknown=follow.unknown or follow.after is not None,
            ends=self.ends(follow.kind),
        )
        if follow.after is not None:
            state.ended_with(follow.after)
        registered = {"operation": state.operation, "asks": state.asks, "content": state.content}
        return apply_follow(
            Item(
                id=id,
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
            self.owner,
            now,
        )

    def is_new(self, wanted: Item, there: Item) -> bool:
        """Return whether an item was registered now, given the stored one. Raises `InvalidArgument` for other content."""
        if (there.content, there.address) == (wanted.content, wanted.address):
            return there is wanted
        if there.address != wanted.address:
            raise self._is_elsewhere(there)
        raise InvalidArgument(
            f"{wanted.id.kind} {wanted.key!r} is registered already, with other content. Nothing was written: a key stands "
            f"for one thing for ever. Use a new key for a new thing, and the same arguments for the same thing."
        )

    def _here(self, id: ItemId, key: str) -> Item:
        """Return an item of this gateway. Raises `InvalidArgument` for an unknown item, and for one of another gateway."""
        item = self._anywhere(id, key)
        if item.address != self.owner.address:
            raise self._is_elsewhere(item)
        return item

    def _anywhere(self, id: ItemId, key: str) -> Item:
        item = self.book.get(id, make=True)
        if item is None:
            raise self.unknown(id.kind, key)
        return item

    def _is_elsewhere(self, item: Item) -> InvalidArgument:
        return InvalidArgument(
            f"{item.id.kind} {item.key!r} is registered for {item.address}, and this client asks {self.owner.address}. "
            f"Nothing was written. If both are addresses of one gateway, `paywright follow move` moves its open items here."
        )

    def closed(self, item: Item, why: str) -> Item:
        """Return the item closed by hand."""
        now = self.now().wall
        return item._replace(status="closed", step="closed", why=why, due_at=None, settled_at=item.settled_at or now)

    def close(self, kind: str, key: str, why: str) -> bool:
        """Close an item; see `Follower.close`."""
        if not isinstance(why, str) or not why.strip():
            raise InvalidArgument("why is a text with the reason, which is stored with the item.")
        id = self.id(kind, key)
        self._here(id, key)
        return self.book.change(id, lambda one: None if one.status == "closed" else self.closed(one, why))

    def hint(self, kind: str, key: str, *, settled: bool) -> bool:
        """Make an item due; see `Follower.hint`."""
        id = self.id(kind, key)
        item = self._here(id, key)
        # Of an open item only a notification may say that its state changed: it proves that the gateway has it.
        says = "" if settled and item.status == "settled" else None
        return self.book.hint(id, self.now().wall, says=says)

    def placed(self, kind: str, key: str) -> bool:
        """Record that the write of an item was a verified success; see `Follower.placed`."""
        id, now = self.id(kind, key), self.now()
        self._here(id, key)

        def change(item: Item) -> Item | None:
            state, owner = self.following(item)
            if not state.unknown and key in (state.key, state.spelled):
                return None
            state.placed(now, key)
            return apply_follow(item, state, owner, now)

        return self.book.change(id, change)

    def redeliver(self, kind: str, key: str) -> Reply:
        """Call the handler again with what is known of an item; see `Follower.redeliver`."""
        item = self._anywhere(self.id(kind, key), key)
        if self.receiver is None or not self.receiver.handles_results_of(kind):
            raise InvalidArgument(
                f"There is no handler of on_result({kind!r}) to call: give the follower the receiver that has it."
            )
        state = item.effect or (item.state if item.status == "settled" else None)
        if state is None:
            raise InvalidArgument(
                f"No result of {kind} {item.key!r} is known that its handler could be called with: {item.why}. Nothing was called."
            )
        amount = None if item.amount is None else Decimal(item.amount)
        paid = bool(item.paid) and item.state == state
        known = cast("dict[str, JSON]", self.facts(kind).in_state(item.key, state, amount, item.currency, paid=paid))
        follow, _ = self.following(item)
        if follow.operation is not None:
            known = completed(self.contract.operation(follow.operation), follow.content, known)
        at = item.effect_at or item.changed_at
        reply = self.receiver.hand_over(kind, known, at, redelivered=item.effect is not None)
        if reply is None:
            raise InvalidArgument(
                f"{state} of {kind} {item.key!r} is no last state for the handler: register it with `ends` as before. Nothing was called."
            )
        return reply

    # Placing again

    def lease_to_place(self, kind: str, key: str) -> Leased:
        """Lease an item to ask whether it may be placed again; see `Follower.permission`. Raises `TooEarly`, `InvalidArgument`."""
        lease = self._lease(self._here(self.id(kind, key), key))
        item = lease.item
        try:
            placeable = self.following(item)[0].placeable
        except InvalidArgument:
            self.book.give_back(lease)
            raise
        is_due = item.due_at is not None and item.due_at <= self.now().wall
        if item.step == "place_again" or (placeable and (item.step == "decide" or is_due)):
            return lease
        self.book.give_back(lease)
        why = f"it was closed by hand: {item.why}" if item.status == "closed" else item.why
        raise TooEarly(key=key, why=why, come_back_at=item.due_at if placeable else None)

    def _lease(self, item: Item) -> Leased:
        lease = self.book.take_one(item.id, item.address, self.now().wall, self.lease)
        if lease is None:
            raise TooEarly(key=item.key, why="it is being asked about at this moment")
        return lease

    # Moving

    def lease_to_move(self, kind: str, key: str, as_is: bool) -> tuple[Leased, Inquiry]:
        """Lease an item of another address, to move it to this one. Raises `TooEarly`, `InvalidArgument`."""
        item = self._anywhere(self.id(kind, key), key)
        if item.address == self.owner.address:
            raise InvalidArgument(f"{kind} {key!r} is at {item.address} already. Nothing was written.")
        state, _ = self.following(item)
        if state.query is None and not as_is:
            raise InvalidArgument(
                f"No query can show {kind} {key!r} here: move it with as_is if you know that it is here."
            )
        return self._lease(item), Inquiry(self.context, state)

    def move(self, lease: Leased) -> bool:
        """Move a leased item to this address. Return False if it was changed meanwhile."""
        item, now = lease.item, self.now()
        state, _ = self.following(item)
        if state.resolving is None and state.query is not None and item.status == "open":
            state.next_at = now.wall
        moved = apply_follow(item, state, self.owner, now)._replace(address=self.owner.address)
        return self.book.keep(lease, moved, heard=False)

    def inquiry(self, lease: Leased, *, ask_now: bool = False) -> Inquiry:
        """Return the inquiry about an item, with the hints since the last one. Raises `InvalidArgument`."""
        given = self._given.get(lease.item.id)
        if given is not None and given.ended is not None:
            del self._given[lease.item.id]
        state = from_json(self.contract, lease.item.follow, self.owner, self.ends(lease.item.id.kind))
        inquiry = Inquiry(self.context, state, given)
        if lease.hinted_at is not None:
            inquiry.hint(lease.says)
        if ask_now:
            inquiry.ask_now()
        return inquiry

    def following(self, item: Item) -> tuple[FollowState, Owner]:
        """Return the follow and the owner of an item, whatever its address."""
        return following_of(self.contract, item.follow, self.ends(item.id.kind))

    def ends(self, kind: str) -> frozenset[str]:
        """Return the states that end an item of a kind beside those of the contract: the `ends` of its handler."""
        return frozenset() if self.receiver is None else self.receiver.ends_of(kind)

    def give(self, lease: Leased, inquiry: Inquiry) -> Permission:
        """Record that a permission is given, then return it. Raises `TooEarly`."""
        permission, before = inquiry.use_up()
        if not self.book.keep(lease, apply_follow(lease.item, inquiry.state, self.owner, self.now()), unhinted=True):
            inquiry.take_back(before)
            why = "the item was changed meanwhile, by hand or by a notification, or a hint came"
            raise TooEarly(key=lease.item.key, why=why)
        self._given[lease.item.id] = permission
        return permission

    def unknown(self, kind: str, key: str) -> InvalidArgument:
        """Build the error for an unknown item."""
        return InvalidArgument(
            f"There is no {kind} {key!r}: it was never registered with follower.open, or its transaction was rolled back."
        )

    def counts(self) -> Mapping[ItemStatus, int]:
        """Return how many items there are of each status."""
        return self.book.counts()

    def next_due(self) -> datetime | None:
        """Return when the next item of this merchant at this address is due."""
        return self.book.next_due(self.app_id, self.owner.address, self.kinds)
