"""Table of what may happen to an item: each operation in each situation, with what it answers and the situation that follows.

The follower decides by this table, `docs/items.md` shows it, and a test visits every cell. Its law: True, this made it so. False,
it was so before. Everything else raises, with what to do. What an answer of the gateway means is `state`, what a notification means
is `judgement`; here stands what both lead to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, get_args

from paywright_receiver.items.signed import unheard
from paywright_runtime.advice import refusal

if TYPE_CHECKING:
    from paywright_receiver.items.book import Item
    from paywright_receiver.items.state import FollowState

__all__ = [
    "OPERATIONS",
    "ROWS",
    "SITUATIONS",
    "TABLE",
    "Cell",
    "Cells",
    "Operation",
    "Situation",
    "markdown",
    "situation_of",
]  # fmt: skip

Situation: TypeAlias = Literal[
    "unregistered", "unknown", "place_again", "permitted", "wait", "noted", "decide", "untold", "settled", "closed"
]
SITUATIONS: Final[dict[Situation, str]] = {
    "unregistered": "nobody follows it",
    "unknown": "it is asked whether the gateway has it: its call has an unknown outcome, or is still to be made",
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
    "open", "open with other content", "placed", "hint", "hint settled", "close", "close as booked", "permission",
    "call with the permission", "a result", "the same result", "an older result", "a result that contradicts", "a result of another amount",
    "a result whose handler fails", "a state without an amount", "the same state without an amount",
    "the answer shows it open", "the answer shows it paid", "the answer shows it unpaid", "the answer does not show it", "there is no answer",
    "move", "move as it is",
]  # fmt: skip
OPERATIONS: Final[tuple[Operation, ...]] = get_args(Operation)


class Cells(NamedTuple):
    """Cells that are alike. `then` is the situation afterwards, `=` for the same. `sentence` is the id of what is said."""

    operation: Operation
    situations: str
    answer: str
    then: str
    sentence: str = ""


class Cell(NamedTuple):
    """Answer of an operation: True, False, an outcome, or `raises`, and then the id of its sentence; and where it leads."""

    answer: str
    then: str
    sentence: str = ""


ROWS: Final[tuple[Cells, ...]] = (
    Cells("open", "unregistered closed", "True", "unknown"),
    Cells("open", "unknown place_again permitted wait noted decide untold settled", "False", "="),
    Cells("open with other content", "unregistered", "True", "unknown"),
    Cells("open with other content", "unknown place_again permitted wait noted decide untold settled closed", "raises", "=", "other_content"),
    Cells("placed", "unregistered", "raises", "=", "unregistered"),
    Cells("placed", "unknown place_again permitted", "True", "wait"),
    Cells("placed", "wait noted decide untold settled", "False", "="),
    Cells("placed", "closed", "True", "wait"),
    Cells("hint", "unregistered", "raises", "=", "unregistered"),
    Cells("hint", "unknown place_again permitted wait noted decide untold closed", "True", "="),
    Cells("hint", "settled", "False", "="),
    Cells("hint settled", "unregistered", "raises", "=", "unregistered"),
    Cells("hint settled", "unknown place_again permitted wait noted decide untold settled closed", "True", "="),
    Cells("close", "unregistered", "raises", "=", "unregistered"),
    Cells("close", "unknown place_again permitted wait decide untold settled", "True", "closed"),
    Cells("close", "noted", "raises", "=", "unheard"),
    Cells("close", "closed", "False", "="),
    Cells("close as booked", "unregistered", "raises", "=", "unregistered"),
    Cells("close as booked", "unknown place_again permitted wait decide untold settled", "True", "closed"),
    Cells("close as booked", "noted", "raises", "=", "unheard"),
    Cells("close as booked", "closed", "True", "="),
    Cells("permission", "unregistered", "raises", "=", "unregistered"),
    Cells("permission", "place_again", "True", "permitted"),
    Cells("permission", "unknown", "raises", "wait", "not_placeable"),
    Cells("permission", "permitted wait noted decide untold settled", "raises", "=", "not_placeable"),
    Cells("permission", "closed", "raises", "=", "closed_by_hand"),
    Cells("call with the permission", "permitted", "True", "unknown"),
    Cells("call with the permission", "unregistered unknown place_again wait noted decide untold settled closed", "raises", "=", "void"),
    Cells("a result", "unregistered", "handled", "="),
    Cells("a result", "unknown place_again permitted wait noted decide untold closed", "handled", "settled"),
    Cells("a result", "settled", "duplicate", "="),
    Cells("the same result", "unregistered settled", "duplicate", "="),
    Cells("the same result", "unknown place_again permitted wait noted decide untold", "duplicate", "settled"),
    Cells("the same result", "closed", "duplicate", "noted"),
    Cells("an older result", "unregistered", "stale", "="),
    Cells("an older result", "unknown place_again permitted wait noted decide untold", "stale", "settled"),
    Cells("an older result", "closed", "stale", "noted"),
    Cells("an older result", "settled", "duplicate", "="),
    Cells("a result that contradicts", "unregistered", "handled", "="),
    Cells("a result that contradicts", "unknown place_again permitted wait decide closed", "handled", "settled"),
    Cells("a result that contradicts", "noted untold settled", "conflict", "="),
    Cells("a result of another amount", "unregistered", "handled", "="),
    Cells("a result of another amount", "unknown place_again permitted wait decide untold closed", "noted", "noted"),
    Cells("a result of another amount", "noted", "noted", "="),
    Cells("a result of another amount", "settled", "conflict", "="),
    Cells("a result whose handler fails", "unregistered unknown place_again permitted wait noted decide untold", "failed", "="),
    Cells("a result whose handler fails", "closed", "failed", "noted"),
    Cells("a result whose handler fails", "settled", "duplicate", "="),
    Cells("a state without an amount", "unregistered", "unreadable", "="),
    Cells("a state without an amount", "unknown place_again permitted wait decide untold settled closed", "noted", "noted"),
    Cells("a state without an amount", "noted", "noted", "="),
    Cells("the same state without an amount", "unregistered", "unreadable", "="),
    Cells("the same state without an amount", "unknown place_again permitted wait decide untold closed", "noted", "noted"),
    Cells("the same state without an amount", "noted", "noted", "="),
    Cells("the same state without an amount", "settled", "duplicate", "="),
    Cells("the answer shows it open", "unregistered settled", "not asked", "="),
    Cells("the answer shows it open", "unknown place_again permitted", "stored", "wait"),
    Cells("the answer shows it open", "wait decide untold closed", "stored", "="),
    Cells("the answer shows it open", "noted", "stored", "decide"),
    Cells("the answer shows it paid", "unregistered settled", "not asked", "="),
    Cells("the answer shows it paid", "unknown place_again permitted wait noted decide untold", "handled", "settled"),
    Cells("the answer shows it paid", "closed", "stored", "decide"),
    Cells("the answer shows it unpaid", "unregistered settled", "not asked", "="),
    Cells("the answer shows it unpaid", "unknown place_again permitted wait decide", "handled", "settled"),
    Cells("the answer shows it unpaid", "noted untold", "stored", "decide"),
    Cells("the answer shows it unpaid", "closed", "stored", "="),
    Cells("the answer does not show it", "unregistered settled", "not asked", "="),
    Cells("the answer does not show it", "unknown place_again permitted wait decide untold closed", "stored", "="),
    Cells("the answer does not show it", "noted", "stored", "decide"),
    Cells("there is no answer", "unregistered settled", "not asked", "="),
    Cells("there is no answer", "unknown place_again permitted wait noted decide untold closed", "stored", "="),
    Cells("move", "unregistered", "raises", "=", "unregistered"),
    Cells("move", "unknown", "True", "wait"),
    Cells("move", "place_again permitted", "False", "="),
    Cells("move", "wait settled closed", "True", "="),
    Cells("move", "noted decide untold", "True", "settled"),
    Cells("move as it is", "unregistered", "raises", "=", "unregistered"),
    Cells("move as it is", "unknown wait noted untold settled closed", "True", "="),
    Cells("move as it is", "place_again permitted", "True", "unknown"),
    Cells("move as it is", "decide", "True", "wait"),
)  # fmt: skip
"""In the rows of notifications and of `move`, the gateway has what the call before made of it, and what is notified: SUCCESS first."""

TABLE: Final[dict[tuple[Operation, str], Cell]] = {
    (row.operation, situation): Cell(row.answer, situation if row.then == "=" else row.then, row.sentence)
    for row in ROWS
    for situation in row.situations.split()
}


def situation_of(item: Item | None, state: FollowState | None) -> Situation:
    """Return the situation of an item, given its state machine; None for one that cannot be read here."""
    if item is None:
        return "unregistered"
    if unheard(item.signed):
        return "noted"
    if item.status != "open":
        return "settled" if item.status == "settled" else "closed"
    if item.step in ("untold", "decide", "place_again"):
        return "untold" if item.step == "untold" else "decide" if item.step == "decide" else "place_again"
    if state is None or not state.unknown:
        return "wait"
    return "permitted" if state.given is not None and not state.used else "unknown"


def markdown() -> str:
    """Return the situations and the table as `docs/items.md` shows them."""
    lines = ["| situation | what it means |", "|---|---|"]
    lines += [f"| **{name}** | {words} |" for name, words in SITUATIONS.items()]
    lines += ["", "| operation | in | answers | then |", "|---|---|---|---|"]
    before: Operation | None = None
    for row in ROWS:
        name = "" if row.operation == before else f"**{row.operation}**"
        answer = f"raises: {row.sentence}" if row.answer == "raises" else row.answer
        where = ", ".join(row.situations.split())
        lines.append(f"| {name} | {where} | {answer} | {'as before' if row.then == '=' else row.then} |")
        before = row.operation
    lines += ["", "| it raises | and says |", "|---|---|"]
    named = sorted({row.sentence for row in ROWS if row.sentence})
    lines += [f"| {name} | {refusal(name, kind='orders', key='ORD_1', why='...', seconds=300)} |" for name in named]
    return "\n".join(lines) + "\n"
