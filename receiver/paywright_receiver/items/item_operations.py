"""Table of what may happen to an item: each operation in each situation, with what it answers and the situation that follows.

What a person or a program asks for is decided here: whether an item may be opened, hinted at, closed, placed again or moved, and
whether a kept notification may be discarded or replayed. Its law: True, this made it so. False, it was so before. Everything else
raises, with what to do. The rows of results and answers decide nothing: they say what `delivery_verdict` and `follow_state` lead to.
`docs/items.md` shows the table, and a test visits every cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, get_args

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
    "open", "open with other content", "correct", "placed", "hint", "hint settled", "close", "close as booked", "permission",
    "the call with it places it", "the call with it places nothing", "the call with it has no known end",
    "the call with it finds it there", "the call with it comes too late", "a result", "the same result", "an older result",
    "a result that contradicts", "a result of another amount", "a result whose handler fails", "a state without an amount",
    "the same state without an amount", "the answer shows it open", "the answer shows it paid", "the answer shows it unpaid",
    "the answer does not show it", "there is no answer", "move", "move to where it is not", "move as it is", "redeliver", "redeliver a result", "discard", "replay",
    "discard a conflict", "accept", "prune",
]  # fmt: skip
OPERATIONS: Final[tuple[Operation, ...]] = get_args(Operation)


class Cells(NamedTuple):
    """Cells that are alike.

    `answer` is True, False, an outcome, or `raises`. `then` is the situation afterwards, `=` for the same. `sentence` is the id of
    what is said.
    """

    operation: Operation
    situations: str
    answer: str
    then: str
    sentence: str = ""


_NOT_PERMITTED: Final = "unregistered unknown doubt place_again wait noted decide untold settled closed"
_OF_AN_ITEM: Final[tuple[Operation, ...]] = (
    "correct", "placed", "hint", "hint settled", "close", "close as booked", "permission", "move", "move to where it is not", "move as it is",
    "redeliver", "redeliver a result",
)  # fmt: skip
_WITH_A_PERMISSION: Final[tuple[Operation, ...]] = tuple(
    one for one in OPERATIONS if one.startswith("the call with it")
)
_ROWS: Final[tuple[Cells, ...]] = (
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
    Cells("the call with it places it", "permitted", "placed", "wait"),
    Cells("the call with it places nothing", "permitted", "nothing", "unknown"),
    Cells("the call with it has no known end", "permitted", "unknown", "unknown"),
    Cells("the call with it finds it there", "permitted", "claimed", "wait"),
    Cells("the call with it comes too late", "permitted", "raises", "=", "expired"),
    Cells("a result", "unregistered", "handled", "="),
    Cells("a result", "unknown doubt place_again permitted wait noted decide untold closed", "handled", "settled"),
    Cells("a result", "settled", "duplicate", "="),
    Cells("the same result", "unregistered settled", "duplicate", "="),
    Cells("the same result", "unknown doubt place_again permitted wait noted decide untold", "duplicate", "settled"),
    Cells("the same result", "closed", "duplicate", "noted"),
    Cells("an older result", "unregistered", "stale", "="),
    Cells("an older result", "unknown doubt place_again permitted wait noted decide untold", "stale", "settled"),
    Cells("an older result", "closed", "stale", "noted"),
    Cells("an older result", "settled", "duplicate", "="),
    Cells("a result that contradicts", "unregistered", "handled", "="),
    Cells("a result that contradicts", "unknown doubt place_again permitted wait decide closed", "handled", "settled"),
    Cells("a result that contradicts", "noted untold settled", "conflict", "="),
    Cells("a result of another amount", "unregistered", "handled", "="),
    Cells("a result of another amount", "unknown doubt place_again permitted wait decide untold closed", "noted", "noted"),
    Cells("a result of another amount", "noted", "noted", "="),
    Cells("a result of another amount", "settled", "conflict", "="),
    Cells("a result whose handler fails", "unregistered unknown doubt place_again permitted wait noted decide untold", "failed", "="),
    Cells("a result whose handler fails", "closed", "failed", "noted"),
    Cells("a result whose handler fails", "settled", "duplicate", "="),
    Cells("a state without an amount", "unregistered", "unreadable", "="),
    Cells("a state without an amount", "unknown doubt place_again permitted wait decide untold settled closed", "noted", "noted"),
    Cells("a state without an amount", "noted", "noted", "="),
    Cells("the same state without an amount", "unregistered", "unreadable", "="),
    Cells("the same state without an amount", "unknown doubt place_again permitted wait decide untold closed", "noted", "noted"),
    Cells("the same state without an amount", "noted", "noted", "="),
    Cells("the same state without an amount", "settled", "duplicate", "="),
    Cells("the answer shows it open", "unregistered settled", "not asked", "="),
    Cells("the answer shows it open", "unknown doubt place_again permitted", "stored", "wait"),
    Cells("the answer shows it open", "wait decide untold closed", "stored", "="),
    Cells("the answer shows it open", "noted", "stored", "decide"),
    Cells("the answer shows it paid", "unregistered settled", "not asked", "="),
    Cells("the answer shows it paid", "unknown doubt place_again permitted wait noted decide untold", "handled", "settled"),
    Cells("the answer shows it paid", "closed", "stored", "decide"),
    Cells("the answer shows it unpaid", "unregistered settled", "not asked", "="),
    Cells("the answer shows it unpaid", "unknown doubt place_again permitted wait decide", "handled", "settled"),
    Cells("the answer shows it unpaid", "noted untold", "stored", "decide"),
    Cells("the answer shows it unpaid", "closed", "stored", "="),
    Cells("the answer does not show it", "unregistered settled", "not asked", "="),
    Cells("the answer does not show it", "unknown doubt place_again permitted wait decide untold closed", "stored", "="),
    Cells("the answer does not show it", "noted", "stored", "decide"),
    Cells("there is no answer", "unregistered settled", "not asked", "="),
    Cells("there is no answer", "unknown doubt place_again permitted wait noted decide untold closed", "stored", "="),
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
    Cells("discard", "settled", "nothing", "="),
    Cells("discard", "closed", "True", "noted"),
    Cells("discard", "unregistered unknown doubt place_again permitted wait noted decide untold", "True", "="),
    Cells("replay", "settled", "nothing", "="),
    Cells("replay", "unregistered", "handled", "="),
    Cells("replay", "unknown doubt place_again permitted wait noted decide untold closed", "handled", "settled"),
    Cells("discard a conflict", "unregistered settled closed", "True", "="),
    Cells("discard a conflict", "unknown doubt place_again permitted wait noted decide untold", "True", "settled"),
    Cells("accept", "unregistered unknown doubt place_again permitted wait noted decide untold settled closed", "done", "="),
    Cells("prune", "unregistered unknown doubt place_again permitted wait noted decide untold settled closed", "done", "="),
    *(Cells(one, _NOT_PERMITTED, "raises", "=", "void") for one in _WITH_A_PERMISSION),
)  # fmt: skip
ROWS: Final = tuple(sorted(_ROWS, key=lambda row: OPERATIONS.index(row.operation)))
"""In the rows of notifications and of `move`, the gateway has what the call before made of it, and what is notified: SUCCESS first.

How a call with the permission ended is what the next run reads. `redeliver a result` and `discard a conflict` come after a result that
was handled, `discard` and `replay` after one whose handler failed.
"""

RECORD_ROWS: Final[tuple[Cells, ...]] = (
    Cells("discard", "failed unhandled unreadable conflict", "True", "done"),
    Cells("discard", "claimed", "False", "=", "handling"),
    Cells("discard", "done stale", "False", "=", "nothing_kept"),
    Cells("replay", "failed unhandled unreadable conflict claimed", "True", "done"),
    Cells("replay", "done stale", "False", "=", "nothing_kept"),
)  # fmt: skip
"""Rows of a record of a notification, by its status in the ledger."""

TABLE: Final[dict[tuple[Operation, str], Cells]] = {
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
