"""What a ledger adds to the memory of an item whose state may have changed, and how it stores an item."""

from __future__ import annotations

from paywright import contract
from paywright_receiver.items.follow_state import FollowState
from paywright_receiver.items.open_items import Item, ItemId
from paywright_receiver.items.state_memory import Remembered, with_notice
from paywright_receiver.items.stored_follow import apply_follow, following_of, registered
from paywright_receiver.items.times import micros
from paywright_runtime.clock import Moment
from paywright_runtime.settling.stored_document import Owner

__all__ = ["OWNER", "notice", "stored_item", "taken_up_from"]

OWNER = Owner({"app_id": "app_1", "merchant_no": "M1"}, "https://gateway.example:443")


def notice(state: FollowState, now: Moment, says: str | None = None) -> None:
    """The payer came back, or a notification came that names a state ("" if none can be read)."""
    what = Remembered(says or "", "hint" if says is None else "noted", micros(now.wall), "no")
    state.signed = with_notice(state.signed, what)
    state.step(now)  # takes it in


def stored_item(state: FollowState, now: Moment) -> Item:
    opened_at = state.started_at
    made = Item(
        ItemId("app_1", state.kind, state.key), state.key, OWNER.address, opened_at, opened_at, registered(state)
    )
    return apply_follow(made, state, OWNER, now)


def taken_up_from(item: Item, owner: Owner = OWNER) -> FollowState:
    return following_of(contract.CONTRACT, item, owner=owner)[0]
