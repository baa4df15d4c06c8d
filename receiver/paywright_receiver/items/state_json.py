"""A follow as JSON, for another process: inquiries, known state, times, and owner. No body.

It belongs to one merchant at one address, as a stored resolver does: another gateway, or the sandbox, may use the same key for
something else.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from paywright_receiver.items.state import FollowState
from paywright_runtime.clock import Moment
from paywright_runtime.settling.resolution_json import stored, taken_up
from paywright_runtime.settling.stored_document import Owner, StoredKind

if TYPE_CHECKING:
    from paywright_receiver.items.signed import Remembered
    from paywright_runtime.contract.index import Contract

__all__ = ["FOLLOWING", "from_json", "to_json"]

_INSTEAD: Final = "query it yourself and close it with Follower.close"
FOLLOWING: Final = StoredKind("paywright_following", 1, "a follower", "item", _INSTEAD)
_COUNTS: Final = ("asked", "failures", "absences", "stateless", "hinted")
_FLAGS: Final = ("parts_open", "paid", "decide", "disputed")
_TIMES: Final = ("expires_at", "next_at", "asked_at", "hinted_at", "stateless_since", "closed_at")
_TEXTS: Final = ("operation", "last_state", "amount", "currency", "closed_state", "spelled")


def to_json(state: FollowState, owner: Owner) -> str:
    """Write all that another process needs to continue, as JSON."""
    times = {name: getattr(state, name) for name in _TIMES}
    document: dict[str, object] = {
        FOLLOWING.mark: FOLLOWING.version,
        "merchant": dict(owner.merchant),
        "address": owner.address,
        "kind": state.kind,
        "key": state.key,
        "asks": state.asks,
        "content": state.content,
        "started_at": state.started_at.isoformat(),
        **{name: None if time is None else time.isoformat() for name, time in times.items()},
        **{name: getattr(state, name) for name in (*_TEXTS, *_COUNTS, *_FLAGS)},
        "last": state.last,
        "ends": sorted(state.ends),
        "foreign": sorted(state.foreign),
        "resolving": None if state.resolving is None else stored(state.resolving, owner),
    }
    return json.dumps(document)


def from_json(
    contract: Contract, text: str, owner: Owner, ends: frozenset[str] = frozenset(), signed: tuple[Remembered, ...] = ()
) -> FollowState:
    """Read the text that `to_json` wrote. `ends` are states that end the item beside the stored ones, `signed` is its memory.

    Raises `InvalidArgument` for any other text, and for a follow of another merchant or address.
    """
    reader = FOLLOWING.read(text)
    values: dict[str, object] = {name: reader.optional_time(name) for name in _TIMES}
    values |= {name: reader.count(name) for name in _COUNTS} | {name: reader.flag(name) for name in _FLAGS}
    values |= {name: reader.optional_text(name) for name in _TEXTS} | {"last": reader.text("last")}
    started_at = reader.time("started_at")
    resolving = reader.optional_text("resolving")
    reader.check_owner(owner)
    state = FollowState(
        contract,
        reader.text("kind"),
        reader.text("key"),
        Moment(started_at, 0.0),
        operation=reader.optional_text("operation"),
        asks=reader.texts("asks"),
        content=reader.texts("content"),
        ends=ends.union(reader.listed("ends")),
    )
    for name, value in values.items():
        setattr(state, name, value)
    state.foreign = frozenset(reader.listed("foreign"))
    state.signed = signed
    state.resolving = None if resolving is None else taken_up(contract, resolving, owner)
    if state.next_at is None and not (
        state.settled or state.behind or state.resolving is not None or state.query is None or state.closed_at
    ):
        raise FOLLOWING.foreign()  # it would never be asked for again
    return state
