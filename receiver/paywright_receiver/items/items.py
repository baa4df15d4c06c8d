"""Update an open item from the follow stored with it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from paywright_receiver.items.state_json import FOLLOWING, from_json, to_json
from paywright_runtime.advice import advised
from paywright_runtime.errors import InvalidArgument
from paywright_runtime.settling.resolution import Step
from paywright_runtime.settling.schedule import ONCE_A_DAY

if TYPE_CHECKING:
    from paywright_receiver.items.book import Item
    from paywright_receiver.items.state import FollowState
    from paywright_runtime.clock import Moment
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.settling.stored_document import Owner

__all__ = ["apply_follow", "apply_notification", "following_of", "of_another_call", "readable"]

_UNTOLD: Final = f"its last state is known, and had no effect yet. {advised('untold')}"


def following_of(contract: Contract, item: Item, ends: frozenset[str] = frozenset()) -> tuple[FollowState, Owner]:
    """Read the stored follow of an item, and its owner. Raises `InvalidArgument` for any other text."""
    owner = FOLLOWING.read(item.follow).owner
    return from_json(contract, item.follow, owner, ends, item.signed), owner


def readable(contract: Contract, item: Item, ends: frozenset[str] = frozenset()) -> tuple[FollowState, Owner] | None:
    """Read the stored follow of an item; None for one that cannot be read here, such as one of another version."""
    try:
        return following_of(contract, item, ends)
    except InvalidArgument:
        return None


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
    contract: Contract,
    item: Item,
    payload: Mapping[str, object],
    now: Moment,
    ends: frozenset[str] = frozenset(),
    *,
    asked: bool = False,
) -> Item | None:
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
