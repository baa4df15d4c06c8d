"""Call a handler again with what is known of an item, for a shop whose own tables were restored."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from paywright_runtime.advice import refusal
from paywright_runtime.contract.request_content import completed
from paywright_runtime.errors import InvalidArgument

if TYPE_CHECKING:
    from paywright_receiver.following.core import FollowerCore
    from paywright_receiver.webhooks.reply import Reply
    from paywright_runtime.json_value import JSON

__all__ = ["redeliver"]


def redeliver(core: FollowerCore[Any], kind: str, key: str) -> Reply:
    """Call the handler again with what is known of an item; see `Follower.redeliver`."""
    item = core.anywhere(core.id(kind, key), key)
    if core.receiver is None or not core.receiver.handles_results_of(kind):
        raise InvalidArgument(
            f"There is no handler of on_result({kind!r}) to call: give the follower the receiver that has it."
        )
    state = item.effect or (item.state if item.status == "settled" else None)
    if state is None:
        raise InvalidArgument(refusal("no_result", kind=kind, key=item.key, why=item.why))
    amount = None if item.amount is None else Decimal(item.amount)
    paid = bool(item.paid) and item.state == state
    known = cast("dict[str, JSON]", core.facts(kind).in_state(item.key, state, amount, item.currency, paid=paid))
    follow, _ = core.following(item)
    if follow.operation is not None:
        known = completed(core.contract.operation(follow.operation), follow.content, known)
    at = item.effect_at or item.changed_at
    reply = core.receiver.hand_over(kind, known, at, redelivered=item.effect is not None)
    if reply is None:
        raise InvalidArgument(
            f"{state} of {kind} {item.key!r} is no last state for the handler: register it with `ends` as before. Nothing was called."
        )
    return reply
