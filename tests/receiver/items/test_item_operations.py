"""Every cell of the table of what may happen to an item is so, played with the real follower, receiver and ledger."""

from __future__ import annotations

import re
from itertools import product
from typing import Final, get_args

import pytest

from docs.building.situations import ALL_ROWS, OF_KINDS, OPERATIONS
from paywright_receiver.items.item_operations import (
    RECORD_ROWS,
    SITUATIONS,
    TABLE,
    Cells,
    Operation,
    Situation,
    situation_of,
)
from paywright_receiver.items.ledger import STATUSES
from paywright_runtime.error_text import ADVICE
from tests.receiver.lives.life import KINDS, Thing
from tests.receiver.lives.merchant import Wrong
from tests.receiver.lives.operations import LISTED, Story
from tests.receiver.lives.walk import a_story, told

pytestmark = pytest.mark.usefixtures("unlogged")

BEGINNINGS: Final[dict[Situation, str]] = {
    "unregistered": "call, ok",
    "unknown": "open; call, lost",
    "doubt": "open; call, ok; run, of another amount",
    "place_again": "open; call, gone; run; run",
    "permitted": "open; call, gone; run; run; permission",
    "wait": "open; call, ok; placed",
    "noted": "open; call, ok; placed; note, SUCCESS bare",
    "decide": "open; call, ok; placed; lose the network",
    "untold": "open; call, ok; placed; become, SUCCESS; run, without a receiver",
    "settled": "open; call, ok; placed; note, SUCCESS",
    "closed": "open; call, ok; placed; close",
}
WORDS: Final[dict[str, str]] = {
    "open": "open", "open with other content": "open, otherwise", "correct": "correct, otherwise", "placed": "placed", "hint": "hint",
    "hint settled": "hint, settled", "close": "close", "close as booked": "close, SUCCESS", "permission": "permission",
    "the call with it places it": "use, ok",
    "the call with it places nothing": "use, refused",
    "the call with it has no known end": "use, gone",
    "the call with it finds it there": "use, ok", "the call with it comes too late": "use, ok",
    "a result": "note, SUCCESS", "the same result": "note, SUCCESS", "an older result": "note, SUCCESS",
    "a result that contradicts": "note, CLOSED",
    "a result of another amount": "note, SUCCESS other",
    "a result whose handler fails": "note, SUCCESS fails",
    "a state without an amount": "note, BOUNCEBACK bare",
    "the same state without an amount": "note, SUCCESS bare",
    "the answer shows it open": "run", "the answer shows it paid": "run", "the answer shows it unpaid": "run",
    "the answer does not show it": "run",
    "there is no answer": "run, the gateway is away",
    "move": "move", "move to where it is not": "move", "move as it is": "move, as is", "redeliver": "redeliver",
    "redeliver a result": "redeliver", "discard": "discard", "replay": "replay", "discard a conflict": "discard",
    "accept": "accept", "prune": "prune",
}  # fmt: skip
FIRST: Final = {
    "the same result": "note, SUCCESS", "an older result": "note, BOUNCEBACK", "redeliver a result": "note, SUCCESS",
    "discard": "note, SUCCESS fails", "replay": "note, SUCCESS fails",
    "discard a conflict": "note, SUCCESS; note, CLOSED",
    "the call with it finds it there": "become there",
    "the call with it comes too late": "wait, 5 minutes",
    "move": "become there",
}  # fmt: skip
"""What happened before."""
SAID: Final = {
    "given": "True", "there is none": "raises", "ok": "placed", "refused": "nothing",
    "unknown: connection_lost": "unknown", "unknown: already_placed": "claimed",
}  # fmt: skip
"""What operations answer, in the words of the table."""
ENDINGS: Final = ("places", "no known end", "finds it")
"""How the call with a permission ends, which the next run reads."""
SHOWN: Final = {
    "the answer shows it open": ("PENDING",),
    "the answer shows it paid": ("PENDING", "SUCCESS"),
    "the answer shows it unpaid": ("PENDING", "CLOSED"),
    "the answer does not show it": (),
    "move to where it is not": (),
}


def situation(story: Story) -> Situation:
    (kind,) = story.kinds
    item = story.follower.get(kind, KINDS[kind].number)
    return situation_of(item, None if item is None else story.follower._core.following(item)[0])


def of_kind(kind: str, words: str) -> str:
    """Return what happens with the states of a kind."""
    one = KINDS[kind]
    unpaid = next((end for ends in one.moves.values() for end in ends if end != one.paid), one.paid)
    for of_orders, state in (("SUCCESS", one.paid), ("CLOSED", unpaid), ("PENDING", one.opens)):
        words = re.sub(rf"\b{of_orders}\b", state, words)
    return words


def play(story: Story, operation: str, start: Situation) -> str:
    """Do it, and return what came of it, in the words of the table."""
    (kind,) = story.kinds
    for name in told(of_kind(kind, FIRST.get(operation, ""))):
        if name == "become there":
            story.gateway.arrive(kind)
        else:
            story._do(kind, *name.split(", ", 1))
    if operation in FIRST and start == "closed" and "fails" not in FIRST[operation]:
        story.follower.close(kind, KINDS[kind].number, "by hand")
    if operation in SHOWN:
        story.gateway.things[kind] = Thing(tuple(of_kind(kind, one) for one in SHOWN[operation]), closes_at=1e9)
    if operation.startswith("move"):
        story.address = 1
        story.start_anew()
    kept = story._listed(*LISTED)
    verb, _, how = of_kind(kind, WORDS[operation]).partition(", ")
    try:
        came = story._do(kind, verb, how)
    except Wrong:
        if (operation, start) != ("a result of another amount", "unregistered"):
            raise
        came = "handled"  # who registers no amount believes the one that is notified
        story.look()
    if start == "permitted" and any(words in operation for words in ENDINGS):
        story._do(kind, "run", "")
    if operation in ("discard", "replay", "discard a conflict"):
        return came.removeprefix("['").removesuffix("']") if kept else "nothing"
    if operation in ("accept", "prune"):
        return "done"
    if "answer" in operation:
        return "not asked" if "asked 1" not in came else "handled" if "handled 1" in came else "stored"
    return SAID.get(came, "raises" if came[0] == "!" else came)


def test_the_table_has_each_cell_once_and_each_refusal_its_sentence() -> None:
    cells = [(row.operation, one) for row in ALL_ROWS for one in row.situations.split()]
    assert sorted(cells) == sorted(product(OPERATIONS, SITUATIONS))
    assert {operation for operation, _ in TABLE} == {*get_args(Operation)}
    records = [(row.operation, one) for row in RECORD_ROWS for one in row.situations.split()]
    assert sorted(records) == sorted(product(("discard", "replay"), STATUSES))
    assert all((row.answer == "False") == (row.sentence in ADVICE) for row in RECORD_ROWS)
    assert all((row.answer == "raises") == (row.sentence in ADVICE and row.sentence != "") for row in ALL_ROWS)
    assert {row.then for row in ALL_ROWS} <= {"=", *SITUATIONS}


@pytest.mark.parametrize(
    ("kind", "row", "start"),
    [
        pytest.param(kind, row, start, id=f"{kind}: {row.operation}, {start}")
        for of in OF_KINDS
        for kind in of.kinds.split()
        for row in of.cells
        for start in row.situations.split()
        if start not in {never for other in OF_KINDS if kind in other.kinds.split() for never in other.never.split()}
    ],
)
def test_a_kind_differs_where_the_table_says(kind: str, row: Cells, start: Situation) -> None:
    with a_story(kind) as story:
        begun = told(of_kind(kind, BEGINNINGS[start]))
        for name in begun if KINDS[kind].write else (one for one in begun if not one.startswith(("call", "placed"))):
            story.do(name)
        assert situation(story) == start
        assert (play(story, row.operation, start), situation(story)) == (
            row.answer,
            start if row.then == "=" else row.then,
        )


@pytest.mark.parametrize("start", SITUATIONS)
def test_every_cell_is_as_the_table_says(start: Situation) -> None:
    with a_story("orders") as story:
        for name in told(BEGINNINGS[start].removesuffix("; permission")):
            story.do(name)
        moment = story.moment()
        for row in (each for each in ALL_ROWS if start in each.situations.split()):
            operation, then = row.operation, start if row.then == "=" else row.then
            story.go_back(moment)
            if start == "permitted":
                story.do("permission")  # which cannot be gone back to
            assert situation(story) == start
            came = play(story, operation, start)
            assert (came, situation(story)) == (row.answer, then), operation
