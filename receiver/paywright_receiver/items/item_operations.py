"""Table of what may be asked of an item: each operation in each situation, with what it answers and the situation that follows.

Whether an item may be opened, hinted at, closed, placed again or moved, and whether a kept notification may be discarded or replayed.
Its law: True, this made it so. False, it was so before. Everything else raises, with what to do. `docs/items.md` shows it, with what
results and answers lead to by `delivery_verdict` and `follow_state`, and a test visits every cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from paywright_receiver.items.state_memory import unheard

if TYPE_CHECKING:
    from paywright_receiver.items.follow_state import FollowState
    from paywright_receiver.items.open_items import Item

Situation: TypeAlias = Literal[
    "unregistered", "unknown", "doubt", "place_again", "permitted", "wait", "noted", "decide", "untold", "settled", "closed",
]  # fmt: skip
SITUATIONS: Final[dict[Situation, str]] = {
    "unregistered": "nobody follows it",
    "unknown": "it is asked whether the gateway has it: its call has an unknown outcome, or is still to be made",
    "doubt": "a person decides: a day of inquiries has not shown whether the gateway has it, or an answer was about another call",
    "place_again": "the gateway has said twice that it does not have it: `permission` gives the permission to place it again",
    "permitted": "a permission to place it again was given, and not used",
    "wait": "the gateway has it, and is asked until its last state is known",
    "noted": "a notification without a result was acknowledged, and the gateway was not asked yet what it means",
    "decide": "a person decides: no answers, or answers that contradict each other or what was signed; it is still asked about",
    "untold": "its last state is known, and no handler has had it: a follower with a receiver hands it over",
    "settled": "its last state is known and had its effect; nothing is asked",
    "closed": "a person has closed it; it is asked about once after its expiry, once a day later, and while the gateway has it open",
}

Operation: TypeAlias = Literal[
    "open", "open with other content", "correct", "placed", "hint", "hint settled", "close", "close as booked", "permission", "move",
    "move to where it is not", "move as it is", "redeliver", "redeliver a result", "discard", "replay",
]  # fmt: skip


class Cells(NamedTuple):
    """Cells that are alike.

    `answer` is True, False, an outcome, or `raises`. `then` is the situation afterwards, `=` for the same. `sentence` is the id of
    what is said.
    """

    operation: str
    situations: str
    answer: str
    then: str
    sentence: str = ""


_OF_AN_ITEM: Final = (
    "correct", "placed", "hint", "hint settled", "close", "close as booked", "permission", "move", "move to where it is not", "move as it is",
    "redeliver", "redeliver a result",
)  # fmt: skip
ROWS: Final[tuple[Cells, ...]] = (
    *(Cells(one, "unregistered", "raises", "=", "unregistered") for one in _OF_AN_ITEM),
    Cells("open", "unregistered closed", "True", "unknown"),
    Cells("open", "unknown doubt place_again permitted wait noted decide untold settled", "False", "="),
    Cells("open with other content", "unregistered", "True", "unknown"),
    Cells("open with other content", "unknown doubt place_again permitted wait noted decide untold settled closed", "raises", "=", "registered"),
    Cells("correct", "unknown doubt place_again", "True", "unknown"),
    Cells("correct", "wait decide closed", "True", "wait"),
    Cells("correct", "noted", "True", "="),
    Cells("correct", "permitted untold settled", "raises", "=", "not_correctable"),
    Cells("placed", "unknown doubt place_again permitted", "True", "wait"),
    Cells("placed", "wait noted decide untold settled", "False", "="),
    Cells("placed", "closed", "True", "wait"),
    Cells("hint", "unknown doubt place_again permitted wait noted decide untold closed", "True", "="),
    Cells("hint", "settled", "False", "="),
    Cells("hint settled", "unknown doubt place_again permitted wait noted decide untold settled closed", "True", "="),
    Cells("close", "unknown doubt place_again permitted wait decide untold settled", "True", "closed"),
    Cells("close", "noted", "raises", "=", "unheard"),
    Cells("close", "closed", "False", "="),
    Cells("close as booked", "unknown doubt place_again permitted wait decide untold settled", "True", "closed"),
    Cells("close as booked", "noted", "raises", "=", "unheard"),
    Cells("close as booked", "closed", "True", "="),
    Cells("permission", "place_again", "True", "permitted"),
    Cells("permission", "unknown", "raises", "wait", "not_placeable"),
    Cells("permission", "doubt permitted wait noted decide untold settled", "raises", "=", "not_placeable"),
    Cells("permission", "closed", "raises", "=", "closed_by_hand"),
    Cells("move", "unknown doubt place_again permitted", "True", "wait"),
    Cells("move", "wait settled closed", "True", "="),
    Cells("move", "noted decide untold", "True", "settled"),
    Cells("move to where it is not", "unknown doubt place_again permitted wait noted decide untold settled closed", "False", "="),
    Cells("move as it is", "unknown wait noted untold settled closed", "True", "="),
    Cells("move as it is", "place_again permitted", "True", "unknown"),
    Cells("move as it is", "decide", "True", "wait"),
    Cells("move as it is", "doubt", "True", "unknown"),
    Cells("redeliver", "settled", "handled", "="),
    Cells("redeliver", "unknown doubt place_again permitted wait noted decide untold closed", "raises", "=", "no_result"),
    Cells("redeliver a result", "unknown doubt place_again permitted wait noted decide untold", "handled", "settled"),
    Cells("redeliver a result", "settled closed", "handled", "="),
)  # fmt: skip
"""`redeliver a result` comes after a result that was handled."""

RECORD_ROWS: Final[tuple[Cells, ...]] = (
    Cells("discard", "failed unhandled unreadable conflict", "True", "done"),
    Cells("discard", "claimed", "False", "=", "handling"),
    Cells("discard", "done stale", "False", "=", "nothing_kept"),
    Cells("replay", "failed unhandled unreadable conflict claimed", "True", "done"),
    Cells("replay", "done stale", "False", "=", "nothing_kept"),
)  # fmt: skip
"""Rows of a record of a notification, by its status in the ledger."""

TABLE: Final[dict[tuple[str, str], Cells]] = {
    (row.operation, one): row._replace(situations=one, then=one if row.then == "=" else row.then)
    for row in (*ROWS, *RECORD_ROWS)
    for one in row.situations.split()
}


def situation_of(item: Item | None, state: FollowState | None) -> Situation:
    """Return the situation of an item, given its state machine; None for one that cannot be read here."""
    if item is None:
        return "unregistered"
    if unheard(item.signed):
        return "noted"
    if item.status != "open":
        return "settled" if item.status == "settled" else "closed"
    unknown = state is not None and state.unknown
    if item.step == "decide":
        return "doubt" if unknown else "decide"
    if item.step in ("untold", "place_again"):
        return "untold" if item.step == "untold" else "place_again"
    if state is None or not unknown:
        return "wait"
    return "permitted" if state.given is not None and not state.used else "unknown"
