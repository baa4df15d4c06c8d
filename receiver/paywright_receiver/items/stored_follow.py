"""Open items and the follow stored with each: what another process needs and no column says, such as times, and its owner, as JSON.

It has no body. It belongs to one merchant at one address, as a stored resolver does: another gateway, or the sandbox, may use the
same key for something else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from paywright_receiver.items.follow_state import FollowState
from paywright_receiver.items.open_items import Item
from paywright_runtime.clock import Moment
from paywright_runtime.error_text import advised
from paywright_runtime.errors import InvalidArgument
from paywright_runtime.settling.resolution import ONCE_A_DAY, Step
from paywright_runtime.settling.stored_document import FIELDS, Form, Owner, StoredKind, parsed

if TYPE_CHECKING:
    from paywright_runtime.client.operation_refs import Follow
    from paywright_runtime.contract.index import Contract

_UNTOLD: Final = f"its last state is known, and had no effect yet. {advised('untold')}"
_REGISTERED: Final[Mapping[str, Form]] = {
    "address": "text",
    "operation": "optional_text",
    "asks": "texts",
    "content": "texts",
}
_MORE: Final[Mapping[str, Form]] = {
    "expires_at": "optional_time", "hinted_at": "optional_time", "stateless_since": "optional_time", "closed_at": "optional_time",
    "stateless": "count", "hinted": "count", "parts_open": "flag", "disputed": "flag", "closed_state": "optional_text", "ends": "some",
}  # fmt: skip
FOLLOWING: Final = StoredKind(
    "paywright_following", 1, "a follower", "item", "query it yourself and close it with Follower.close",
    {**_REGISTERED, **FIELDS, **_MORE}, frozenset(_REGISTERED),
)  # fmt: skip


def to_json(item: Item, state: FollowState, owner: Owner, why: str) -> str:
    """Write all that another process needs to continue, and no column of the item will say, as JSON. `why` will be its reason."""
    return FOLLOWING.write(state, owner, _usual(item, why))


def following_of(
    contract: Contract, item: Item, ends: frozenset[str] = frozenset(), owner: Owner | None = None
) -> tuple[FollowState, Owner]:
    """Read the stored follow of an item, and its owner. `ends` are states that end the item beside the stored ones.

    Raises `InvalidArgument` for any text that `to_json` did not write, and for an item of another merchant or address than `owner`;
    None takes any.
    """
    document = {**parsed(item.follow), **parsed(item.content), "address": item.address}
    FOLLOWING.check_year("opened_at", item.opened_at)
    values, of = FOLLOWING.read(document, owner, _usual(item, item.why))
    kind, operation, unknown, at = item.id.kind, values["operation"], values["unknown"], Moment(item.opened_at, 0.0)
    # What holds for all of a kind is found once.
    one = contract.once(
        f"follow of {kind} by {operation}, {unknown}",
        lambda: FollowState(contract, kind, item.key, at, operation=operation, unknown=unknown),
    )
    state = one.with_key(item.key, values["asks"], values["content"])
    FOLLOWING.take_up(state, values)
    state.asked, state.last_state, state.paid = item.asked, item.state, bool(item.paid)
    state.amount, state.currency = item.amount, item.currency
    state.ends, state.signed = ends.union(state.ends), item.signed
    if state.next_at is None and (
        state.unknown or not (state.settled or state.behind or state.query is None or state.closed_at)
    ):
        raise FOLLOWING.foreign()  # it would never be asked for again
    return state, of


def _usual(item: Item, why: str) -> dict[str, object]:
    """Return what most documents leave out because a column says it."""
    return {"started_at": item.opened_at, "since": item.opened_at, "last": why, "keys": (item.key,)}


def readable(contract: Contract, item: Item, ends: frozenset[str] = frozenset()) -> tuple[FollowState, Owner] | None:
    """Read the stored follow of an item; None for one that cannot be read here, such as one of another version."""
    try:
        return following_of(contract, item, ends)
    except InvalidArgument:
        return None


def registered(state: FollowState) -> str:
    """Return what is registered of an item, as JSON: it never changes, but by a correction."""
    return json.dumps({"operation": state.operation, "asks": state.asks, "content": state.content}, sort_keys=True)


def apply_correction(contract: Contract, item: Item, follow: Follow, now: Moment, ends: frozenset[str]) -> Item:
    """Return the item with the content of another follow, to be asked about anew.

    What the gateway has said stands, and a call with a permission may still be in transit. Raises `InvalidArgument` as `following_of`.
    """
    before, owner = following_of(contract, item, ends)
    state = FollowState(
        contract, item.id.kind, item.key, now,
        operation=before.operation, asks=before.asks, expires_at=follow.expires_at or before.expires_at, content=follow.content,
        unknown=before.unknown,
    )  # fmt: skip
    state.begin_anew(now)
    for name in ("started_at", "claimed", "signed", "keys", "ends", "given", "placings", "used"):
        setattr(state, name, getattr(before, name))
    if follow.after is not None:
        state.ended_with(follow.after)
    made = Item(item.id, item.key, item.address, item.opened_at, now.wall, registered(state))
    return apply_follow(made, state, owner, now)


def apply_follow(item: Item, state: FollowState, owner: Owner, now: Moment, *, done: bool = False) -> Item:
    """Return the item updated by its follow.

    A last state counts as settled once it had its effect; with `done`, also without one, and then it stays so.
    """
    done = done or (item.status == "settled" and item.state == state.last_state)
    step = state.step(now)
    moved = (state.last_state, state.paid or None) != (item.state, item.paid or None)
    settled, closed = state.settled, state.closed_at is not None
    untold = settled and not closed and not done and not state.told
    if untold:
        step = Step("untold", step.at or now.wall, _UNTOLD)
    why = item.why if closed and item.status == "closed" else step.why
    return item._replace(
        status="closed" if closed else "settled" if settled and not untold else "open",
        step="closed" if closed else step.state,
        why=why,
        state=state.last_state,
        settled_state=item.settled_state or (state.last_state if settled else None),
        paid=None if state.last_state is None else state.paid,
        amount=state.amount,
        currency=state.currency,
        changed_at=now.wall if moved else item.changed_at,
        settled_at=item.settled_at or (now.wall if settled else None),
        due_at=_due(step.at, now.wall),
        asked=state.asked,
        attempts=0,
        follow=to_json(item, state, owner, why),
        signed=state.signed,
    )


def apply_notification(
    contract: Contract, item: Item, payload: Mapping[str, object], now: Moment, ends: frozenset[str] = frozenset(), *, asked: bool =
    False,
) -> Item | None:  # fmt: skip
    """Return the item updated by a verified notification, given as the `payload` that an inquiry would show.

    If it was `asked` for, and the item was closed meanwhile, it is the answer about a closed item, which alone opens nothing.
    A contradiction to the registered values or to an earlier state leaves the item to a person. Returns None if the stored follow
    cannot be read here, such as one of another version: the item stays as it is, and its follower reports it.
    """
    found = readable(contract, item, ends)
    if found is None:
        return None
    state, owner = found
    if asked and state.closed_at is not None:
        state.found(payload, now)
    else:
        state.notified(payload, now)
    return apply_follow(item, state, owner, now)


def of_another_call(contract: Contract, item: Item, payload: Mapping[str, object]) -> str:
    """Return what shows that a payload is about another call than the item's, in words; "" if nothing does."""
    found = readable(contract, item)
    return "" if found is None else found[0].of_another_call(payload)


def _due(at: datetime | None, now: datetime) -> datetime | None:
    """Return when to look at an item again: at the latest in a day, so that no clock that was wrong puts it off for longer."""
    return None if at is None else min(max(at, now), now + ONCE_A_DAY)
