"""What a ledger adds to the memory of an item whose state may have changed."""

from __future__ import annotations

from paywright_receiver.items.follow_state import FollowState
from paywright_receiver.items.state_memory import Remembered, with_notice
from paywright_receiver.items.times import micros
from paywright_runtime.clock import Moment

__all__ = ["notice"]


def notice(state: FollowState, now: Moment, says: str | None = None) -> None:
    """The payer came back, or a notification came that names a state ("" if none can be read)."""
    what = Remembered(says or "", "hint" if says is None else "noted", micros(now.wall), "no")
    state.signed = with_notice(state.signed, what)
    state.step(now)  # takes it in
