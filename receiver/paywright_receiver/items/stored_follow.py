"""Open items and the follow stored with each, as JSON for another process: the resolution of its write, known state, times, and owner.

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
from paywright_runtime.settling.inquiry_schedule import ONCE_A_DAY
from paywright_runtime.settling.resolution import Step
from paywright_runtime.settling.stored_document import FIELDS, Form, Owner, StoredKind, take_up, values_of

if TYPE_CHECKING:
    from paywright_receiver.items.state_memory import Remembered
    from paywright_runtime.client.operation_refs import Follow
    from paywright_runtime.contract.index import Contract

_UNTOLD: Final = f"its last state is known, and had no effect yet. {advised('untold')}"
_MORE: Final[Mapping[str, Form]] = {
    "expires_at": "optional_time", "hinted_at": "optional_time", "stateless_since": "optional_time", "closed_at": "optional_time",
    "stateless": "count", "hinted": "count", "parts_open": "flag", "paid": "flag", "disputed": "flag", "last_state": "optional_text",
    "amount": "optional_text", "currency": "optional_text", "closed_state": "optional_text", "ends": "some",
}  # fmt: skip
FOLLOWING: Final = StoredKind(
    "paywright_following", 1, "a follower", "item", "query it yourself and close it with Follower.close",
    {**FIELDS, "kind": "text", "operation": "optional_text", **_MORE},
)  # fmt: skip


def to_json(state: FollowState, owner: Owner) -> str:
    """Write all that another process needs to continue, as JSON."""
    return FOLLOWING.write(owner, {"kind": state.kind, **values_of(state, _MORE)})


def from_json(
    contract: Contract, text: str, owner: Owner | None, ends: frozenset[str] = frozenset(), signed: tuple[Remembered, ...] = (),
) -> tuple[FollowState, Owner]:  # fmt: skip
    """Read the text that `to_json` wrote. `ends` are states that end the item beside the stored ones, `signed` is its memory.

    Raises `InvalidArgument` for any other text, and for a follow of another merchant or address than `owner`; None takes any.
    """
    values, of = FOLLOWING.read(text, owner)
    kind, operation, key, unknown = values["kind"], values["operation"], values["key"], values["unknown"]
    # What holds for all of a kind is found once.
    one = contract.once(
        f"follow of {kind} by {operation}, {unknown}",
        lambda: FollowState(
            contract, kind, key, Moment(values["started_at"], 0.0), operation=operation, unknown=unknown
        ),
    )
    state = one.with_key(key, values["asks"], values["content"])
    take_up(state, FOLLOWING, values, _MORE)
    state.ends, state.signed = ends.union(state.ends), signed
    if state.next_at is None and (
        state.unknown or not (state.settled or state.behind or state.query is None or state.closed_at)
    ):
        raise FOLLOWING.foreign()  # it would never be asked for again
    return state, of


def following_of(
    contract: Contract, item: Item, ends: frozenset[str] = frozenset(), owner: Owner | None = None
) -> tuple[FollowState, Owner]:
    """Read the stored follow of an item, and its owner. Raises `InvalidArgument` as `from_json`."""
    return from_json(contract, item.follow, owner, ends, item.signed)


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

    What the gateway has said stands, and a call with a permission may still be in transit. Raises `InvalidArgument` as `from_json`.
    """
    before, owner = following_of(contract, item, ends)
    state = FollowState(
        contract,
        item.id.kind,
        item.key,
        now,
        operation=before.operation,
        asks=before.asks,
        expires_at=follow.expires_at or before.expires_at,
        content=follow.content,
        unknown=before.unknown,
    )
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
    return item._replace(
        status="closed" if closed else "settled" if settled and not untold else "open",
        step="closed" if closed else step.state,
        why=item.why if closed and item.status == "closed" else step.why,
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
        follow=to_json(state, owner),
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
