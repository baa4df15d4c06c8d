"""A follow as JSON, for another process: the resolution of its write, known state, times, and owner. No body.

It belongs to one merchant at one address, as a stored resolver does: another gateway, or the sandbox, may use the same key for
something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from paywright_receiver.items.state import FollowState
from paywright_runtime.clock import Moment
from paywright_runtime.settling.resolution_json import FIELDS, take_up, values_of
from paywright_runtime.settling.stored_document import Form, Owner, StoredKind

if TYPE_CHECKING:
    from paywright_receiver.items.signed import Remembered
    from paywright_runtime.contract.index import Contract

__all__ = ["FOLLOWING", "from_json", "to_json"]

FOLLOWING: Final = StoredKind(
    "paywright_following", 1, "a follower", "item", "query it yourself and close it with Follower.close"
)
_FIELDS: Final[Mapping[str, Form]] = {
    **FIELDS, "expires_at": "optional_time", "hinted_at": "optional_time", "stateless_since": "optional_time", "closed_at": "optional_time",
    "stateless": "count", "hinted": "count", "parts_open": "flag", "paid": "flag", "disputed": "flag", "last_state": "optional_text",
    "amount": "optional_text", "currency": "optional_text", "closed_state": "optional_text", "ends": "listed",
}  # fmt: skip


def to_json(state: FollowState, owner: Owner) -> str:
    """Write all that another process needs to continue, as JSON."""
    return FOLLOWING.write(owner, {"kind": state.kind, **values_of(state, _FIELDS)})


def from_json(
    contract: Contract,
    text: str,
    owner: Owner | None,
    ends: frozenset[str] = frozenset(),
    signed: tuple[Remembered, ...] = (),
) -> FollowState:
    """Read the text that `to_json` wrote. `ends` are states that end the item beside the stored ones, `signed` is its memory.

    Raises `InvalidArgument` for any other text, and for a follow of another merchant or address than `owner`; None takes any.
    """
    reader = FOLLOWING.read(text)
    reader.check_owner(owner or reader.owner)
    state = FollowState(
        contract,
        reader.text("kind"),
        reader.text("key"),
        Moment(reader.time("started_at"), 0.0),
        operation=reader.optional_text("operation"),
        asks=reader.texts("asks"),
        content=reader.texts("content"),
        unknown=reader.flag("unknown"),
    )
    take_up(state, reader, _FIELDS)
    state.ends, state.signed = ends.union(state.ends), signed
    if state.next_at is None and (
        state.unknown or not (state.settled or state.behind or state.query is None or state.closed_at)
    ):
        raise FOLLOWING.foreign()  # it would never be asked for again
    return state
