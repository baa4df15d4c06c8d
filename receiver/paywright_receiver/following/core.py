"""Steps that both followers share, without their runs: register an item, hint at it, close it, move it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, cast

from paywright_receiver.following.inquiry import Inquiry
from paywright_receiver.items.follow_state import FollowState
from paywright_receiver.items.item_operations import TABLE, Operation, Situation, situation_of
from paywright_receiver.items.open_items import Item, ItemId, Leased
from paywright_receiver.items.state_memory import Remembered, covered, with_notice
from paywright_receiver.items.stored_follow import apply_correction, apply_follow, following_of, readable, registered
from paywright_receiver.items.times import micros
from paywright_receiver.webhooks.item_result import ResultFacts
from paywright_runtime.client.attempt_events import quietly
from paywright_runtime.client.operation_refs import Follow
from paywright_runtime.clock import Moment
from paywright_runtime.contract.conversion import read_number
from paywright_runtime.contract.same_content import completed
from paywright_runtime.error_text import ADVICE, refusal
from paywright_runtime.errors import ConfigurationError, InvalidArgument, TooEarly

if TYPE_CHECKING:
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger
    from paywright_receiver.ledgers.sql.sql_open_items import SqlBook
    from paywright_receiver.webhooks.receiver import BaseReceiver
    from paywright_receiver.webhooks.reply import Reply
    from paywright_runtime.client.client import ClientCore
    from paywright_runtime.client.resolver import ResolverContext
    from paywright_runtime.clock import Clock
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.json_value import JSON
    from paywright_runtime.settling.permission import Permission
    from paywright_runtime.settling.stored_document import Owner

_SPARE: Final = 30.0
"""Seconds of a lease beyond the longest call and the longest handler."""


class FollowerCore:
    """The open items and the receiver of a follower, and what it needs of its client but the calls."""

    def __init__(
        self, client: ClientCore[Any], ledger: Ledger, receiver: BaseReceiver | None, lease: float | None, book_only: bool,
    ) -> None:  # fmt: skip
        if not hasattr(ledger, "book"):
            raise InvalidArgument("ledger is a ledger that keeps open items, such as SqliteLedger or PostgresLedger.")
        if book_only and receiver is not None:
            raise InvalidArgument(
                "A follower with book_only only stores results: it has no receiver, whose handlers get them."
            )
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
        self.book: SqlBook = ledger.book
        self.receiver = receiver
        self.book_only: bool = book_only
        self.lease: float = least + _SPARE if lease is None else lease
        self.context: ResolverContext = context
        self.contract: Contract = context.contract
        self.clock: Clock = context.clock
        self.owner: Owner = context.owner
        self.app_id: str = app_id
        self.kinds: tuple[str, ...] = tuple(self.contract.followed())
        self._given: dict[ItemId, Permission] = {}

    def now(self) -> Moment:
        """Return the time of the client's clock."""
        return Moment.of(self.clock)

    def facts(self, kind: str) -> ResultFacts:
        """Return the contract's facts of a kind. Raises `InvalidArgument` for one that is not followed."""
        return self.contract.once(f"facts of {kind!r}", lambda: ResultFacts(self.contract, kind))

    @contextmanager
    def observed(self, item: Item) -> Iterator[None]:
        """Let the client's observer, if it has one, follow what the block does about an item."""
        following = self.contract.following(item.id.kind)
        shown = self.contract.may_show(self.contract.operation(following.operation), following.by)
        observer = self.context.observer
        key = item.key if shown else None
        end = None if observer is None else quietly("observer", observer.item, following.kind, key)
        try:
            yield
        except BaseException as error:
            if end is not None:
                quietly("observer", end, error)
            raise
        if end is not None:
            quietly("observer", end, None)

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
            self.contract, follow.kind, follow.key, now,
            operation=getattr(follow.after, "operation", None), asks=follow.asks, expires_at=follow.expires_at, content=follow.content,
            unknown=follow.unknown or follow.after is not None, ends=self.ends(follow.kind),
        )  # fmt: skip
        if follow.after is not None:
            state.ended_with(follow.after)
        item = Item(id, state.key, self.owner.address, now.wall, now.wall, registered(state))
        return apply_follow(item, state, self.owner, now)

    def is_new(self, wanted: Item, there: Item) -> bool:
        """Return whether an item was registered now, given the stored one. Raises `InvalidArgument` for other content."""
        if there is wanted:
            return self.answer("open", wanted, situation="unregistered")
        if there.address != wanted.address:
            raise self._is_elsewhere(there)
        if there.key != wanted.key:
            raise InvalidArgument(refusal("other_letters", kind=there.id.kind, key=wanted.key, there=there.key))
        operation: Operation = "open" if there.content == wanted.content else "open with other content"
        # `there` has nothing but what the statements of `to_open` read, so that its situation is any but the two that open it.
        return self.answer(operation, there, situation="wait")

    def correct(self, follow: Follow) -> bool:
        """Replace the registered content of an item; see `Follower.correct`."""
        wanted = self.item(follow)

        def change(item: Item) -> Item | None:
            if item.key != wanted.key:
                raise InvalidArgument(refusal("other_letters", kind=item.id.kind, key=wanted.key, there=item.key))
            corrected = apply_correction(self.contract, item, follow, self.now(), self.ends(item.id.kind))
            if item.content == corrected.content:
                return None
            if not self.answer("correct", item) or item.effect is not None:
                raise InvalidArgument(refusal("not_correctable", kind=item.id.kind, key=item.key))
            before, after = (json.loads(one.content)["content"] for one in (item, corrected))
            if dropped := ", ".join(name for name in before if name not in after):
                raise InvalidArgument(refusal("correction_drops", kind=item.id.kind, key=item.key, members=dropped))
            return corrected

        return self.book.change(self._here("correct", follow.kind, follow.key).id, change)

    def answer(self, operation: Operation, item: Item, *, situation: Situation | None = None) -> bool:
        """Return what the table answers to an operation. Raises `InvalidArgument` or `TooEarly` with its sentence."""
        found = readable(self.contract, item, self.ends(item.id.kind))
        cell = TABLE[operation, situation or situation_of(item, found and found[0])]
        if cell.answer != "raises":
            return cell.answer != "False"
        if operation == "permission":
            raise TooEarly(key=item.key, why=ADVICE[cell.sentence].format(why=item.why))
        raise InvalidArgument(refusal(cell.sentence, kind=item.id.kind, key=item.key, why=item.why))

    def tells(self, kind: str) -> bool:
        """Return whether this follower hands the results of a kind over to a handler."""
        return self.receiver is not None and self.receiver.handles_results_of(kind)

    def is_done(self, kind: str) -> bool:
        """Return whether results of a kind are done without a handler: declared so, or the receiver has none for it."""
        return self.book_only or (self.receiver is not None and not self.tells(kind))

    def applied(self, item: Item, state: FollowState, *, done: bool = False) -> Item:
        """Return an item of this gateway updated by its follow."""
        return apply_follow(item, state, self.owner, self.now(), done=done or self.is_done(item.id.kind))

    def _here(self, operation: Operation, kind: str, key: str) -> Item:
        """Return an item of this gateway. Raises `InvalidArgument` for an unknown item, and for one of another gateway."""
        item = self._anywhere(operation, kind, key)
        if item.address != self.owner.address:
            raise self._is_elsewhere(item)
        return item

    def _anywhere(self, operation: Operation, kind: str, key: str) -> Item:
        """Return an item, whatever its address. Raises `InvalidArgument` for an unknown item."""
        item = self.book.get(self.id(kind, key), make=True)
        if item is None:
            raise InvalidArgument(refusal(TABLE[operation, "unregistered"].sentence, kind=kind, key=key))
        return item

    def _is_elsewhere(self, item: Item) -> InvalidArgument:
        places = {"there": item.address, "here": self.owner.address}
        return InvalidArgument(refusal("elsewhere", kind=item.id.kind, key=item.key, **places))

    def close(self, kind: str, key: str, why: str, state: str | None) -> bool:
        """Close an item; see `Follower.close`."""
        if not isinstance(why, str) or not why.strip():
            raise InvalidArgument("why is a text with the reason, which is stored with the item.")
        why = " ".join(why.split())  # an error may have a line for each violation
        now, facts = self.now(), self.facts(kind)
        if state is not None and not facts.is_end(str(state)):
            raise InvalidArgument(f"state is the last state that you have booked, and {state} is none of {kind}.")
        operation: Operation = "close" if state is None else "close as booked"

        def change(item: Item) -> Item | None:
            goes_on = self.answer(operation, item)
            closed = item._replace(status="closed", step="closed", why=why, settled_at=item.settled_at or now.wall)
            found = readable(self.contract, item, self.ends(kind))
            if found is None:  # nobody can ask about it here
                return closed._replace(due_at=None)
            follow, owner = found
            booked = None if state is None else str(state)
            books = [one for one in item.signed if one.source in ("handled", "booked")]
            new = booked is not None and not covered(facts.order, booked, books)
            if not (goes_on or new):
                return None
            follow.close(now, why, booked)
            if booked is not None and new:
                follow.signed = with_notice(follow.signed, Remembered(booked, "booked", micros(now.wall)))
            return apply_follow(closed, follow, owner, now)

        return self.book.change(self._here(operation, kind, key).id, change)

    def hint(self, kind: str, key: str, *, settled: bool) -> bool:
        """Make an item due; see `Follower.hint`."""
        operation: Operation = "hint settled" if settled else "hint"
        goes_on = self.answer(operation, item := self._here(operation, kind, key))
        return goes_on and not self.facts(kind).following.told and self.book.hint(item.id, self.now().wall)

    def placed(self, kind: str, key: str) -> bool:
        """Record that the write of an item was a verified success; see `Follower.placed`."""
        now = self.now()

        def change(item: Item) -> Item | None:
            state, owner = self.following(item)
            new = self.answer("placed", item) or state.unknown or state.disputed
            if not new and key in state.keys:
                return None
            if item.status == "closed" or state.disputed:
                state.open_again(now)
            state.placed(now, key)
            return apply_follow(item, state, owner, now)

        return self.book.change(self._here("placed", kind, key).id, change)

    # Placing again

    def lease_to_place(self, kind: str, key: str) -> Leased:
        """Lease an item to ask whether it may be placed again; see `Follower.permission`. Raises `TooEarly`, `InvalidArgument`."""
        lease = self._lease(self._here("permission", kind, key))
        item = lease.item
        try:
            if item.status == "closed" or not self.following(item)[0].placeable:
                self.answer("permission", item)
            is_due = item.due_at is not None and item.due_at <= self.now().wall
            if item.step in ("place_again", "decide") or is_due:
                return lease
            raise TooEarly(key=item.key, why=item.why, come_back_at=item.due_at)
        except BaseException:
            self.book.give_back(lease)
            raise

    def _lease(self, item: Item) -> Leased:
        lease = self.book.take_one(item.id, item.address, self.now().wall, self.lease)
        if lease is None:
            raise TooEarly(key=item.key, why=ADVICE["asking"])
        return lease

    # Moving

    def lease_to_move(self, kind: str, key: str, as_is: bool) -> tuple[Leased, Inquiry]:
        """Lease an item of another address, to move it to this one. Raises `TooEarly`, `InvalidArgument`."""
        item = self._anywhere("move as it is" if as_is else "move", kind, key)
        if item.address == self.owner.address:
            raise InvalidArgument(refusal("here", kind=kind, key=item.key, here=item.address))
        state, _ = self.following(item)
        if state.query is None and not as_is:
            raise InvalidArgument(refusal("not_shown", kind=kind, key=item.key))
        state.begin_anew(self.now())
        lease = self._lease(item)
        return lease, Inquiry(self.context, state, version=lease.item.version)

    def moved(self, item: Item) -> Item:
        """Return an item at this address. What the other one has not had proves nothing here: its resolution begins anew."""
        state, _ = self.following(item)
        state.begin_anew(self.now())
        return self.applied(item, state)._replace(address=self.owner.address)

    def inquiry(self, lease: Leased, *, ask_now: bool = False) -> Inquiry:
        """Return the inquiry about an item, with the hints since the last one. Raises `InvalidArgument`."""
        given = self._given.get(lease.item.id)
        if given is not None and given.ended is not None:
            del self._given[lease.item.id]
        item = lease.item
        state, _ = following_of(self.contract, item, self.ends(item.id.kind), self.owner)
        if item.step == "untold":
            state.next_at = self.now().wall
        inquiry = Inquiry(self.context, state, given, item.version)
        if ask_now:
            inquiry.state.ask_now(self.now())
        return inquiry

    def following(self, item: Item) -> tuple[FollowState, Owner]:
        """Return the follow and the owner of an item, whatever its address."""
        return following_of(self.contract, item, self.ends(item.id.kind))

    def ends(self, kind: str) -> frozenset[str]:
        """Return the states that end an item of a kind beside those of the contract: the `ends` of its handler."""
        return frozenset() if self.receiver is None else self.receiver.ends_of(kind)

    def give(self, lease: Leased, inquiry: Inquiry) -> Permission:
        """Record that a permission is given, then return it. Raises `TooEarly`."""
        with inquiry.giving() as permission:
            if not self.book.keep(lease, self.applied(lease.item, inquiry.state), unhinted=True):
                why = "the item was changed meanwhile, by hand or by a notification, or a hint came"
                raise TooEarly(key=lease.item.key, why=why)
        self._given[lease.item.id] = permission
        placings = inquiry.state.placings
        permission.holds = lambda: self._use(lease.item.id, placings)
        return permission

    def _use(self, id: ItemId, placings: int) -> str:
        """Record that a permission is used now; return why it must not be, or ""."""

        def change(item: Item) -> Item | None:
            state, owner = self.following(item)
            if state.closed_at is not None or not state.unknown or state.used or state.placings != placings:
                return None
            state.used = True
            return apply_follow(item, state, owner, self.now())

        return "" if self.book.change(id, change) else ADVICE["void"]

    def redeliver(self, kind: str, key: str) -> Reply:
        """Call the handler again with what is known of an item; see `Follower.redeliver`."""
        item = self._anywhere("redeliver", kind, key)
        if self.receiver is None or not self.tells(kind):
            raise InvalidArgument(refusal("no_handler", kind=kind))
        self.answer("redeliver a result" if item.effect else "redeliver", item)
        state = item.effect or str(item.state)
        amount = read_number(item.amount)  # one that looks like a card number is stored masked
        paid = bool(item.paid) and item.state == state
        known = cast("dict[str, JSON]", self.facts(kind).in_state(item.key, state, amount, item.currency, paid=paid))
        follow, _ = self.following(item)
        at = item.effect_at or item.changed_at
        reply = self.receiver.hand_over(kind, self.whole(follow, known), at, redelivered=item.effect is not None)
        if reply is None:
            raise InvalidArgument(refusal("no_end", kind=kind, key=item.key, state=state))
        return reply

    def whole(self, follow: FollowState, shown: dict[str, JSON]) -> dict[str, JSON]:
        """Return what is shown of an item, with what its write asked for where that is left out."""
        write = follow.operation
        return shown if write is None else completed(self.contract.operation(write), follow.content, shown)

    def next_due(self) -> datetime | None:
        """Return when the next item of this merchant at this address is due."""
        untold = [kind for kind in self.kinds if self.tells(kind)]
        return self.book.next_due(self.app_id, self.owner.address, self.kinds, untold=untold)
