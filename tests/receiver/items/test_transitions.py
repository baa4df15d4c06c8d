"""Every cell of the table of what may happen to an item is so, played with the real follower, receiver and ledger."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import product
from typing import Final

import pytest

from paywright_receiver.items.transitions import (
    OPERATIONS,
    ROWS,
    SITUATIONS,
    TABLE,
    Operation,
    Situation,
    situation_of,
)
from paywright_runtime.advice import ADVICE
from tests.receiver.lives.life import Thing
from tests.receiver.lives.merchant import Wrong
from tests.receiver.lives.operations import Story
from tests.receiver.lives.walk import a_story, told

BEGINNINGS: Final[dict[Situation, str]] = {
    "unregistered": "call, ok",
    "unknown": "open; call, lost",
    "place_again": "open; call, gone; run; run",
    "permitted": "open; call, gone; run; run; permission",
    "wait": "open; call, ok; placed",
    "noted": "open; call, ok; placed; note, SUCCESS bare",
    "decide": "open; call, ok; placed; lose the network",
    "untold": "open; call, ok; placed; become, SUCCESS; run, without a receiver",
    "settled": "open; call, ok; placed; note, SUCCESS",
    "closed": "open; call, ok; placed; close",
}
WORDS: Final[dict[Operation, str]] = {
    "open": "open",
    "open with other content": "open, otherwise",
    "placed": "placed",
    "hint": "hint",
    "hint settled": "hint, settled",
    "close": "close",
    "close as booked": "close, SUCCESS",
    "permission": "permission",
    "call with the permission": "use, ok",
    "a result": "note, SUCCESS",
    "the same result": "note, SUCCESS",
    "an older result": "note, SUCCESS",
    "a result that contradicts": "note, CLOSED",
    "a result of another amount": "note, SUCCESS other",
    "a result whose handler fails": "note, SUCCESS fails",
    "a state without an amount": "note, BOUNCEBACK bare",
    "the same state without an amount": "note, SUCCESS bare",
    "the answer shows it open": "run",
    "the answer shows it paid": "run",
    "the answer shows it unpaid": "run",
    "the answer does not show it": "run",
    "there is no answer": "run, the gateway is away",
    "move": "move",
    "move as it is": "move, as is",
}
FIRST: Final = {"the same result": "SUCCESS", "an older result": "BOUNCEBACK"}
"""What was notified before."""
SHOWN: Final = {
    "the answer shows it open": ("PENDING",),
    "the answer shows it paid": ("PENDING", "SUCCESS"),
    "the answer shows it unpaid": ("PENDING", "CLOSED"),
    "the answer does not show it": (),
}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """The product warns of what happens here."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(before)


def situation(story: Story) -> Situation:
    item = story.follower.get("orders", "ORD_1")
    return situation_of(item, None if item is None else story.follower._core.following(item)[0])


def play(story: Story, operation: Operation, start: Situation) -> str:
    """Do it, and return what came of it, in the words of the table."""
    if operation in FIRST:
        story._note("orders", FIRST[operation])
        if start == "closed":
            story.follower.close("orders", "ORD_1", "by hand")
    if operation in SHOWN:
        story.gateway.things["orders"] = Thing(SHOWN[operation], closes_at=1e9)
    if operation.startswith("move"):
        story.address = 1
        story.start_anew()
    verb, _, how = WORDS[operation].partition(", ")
    try:
        came = story._do("orders", verb, how)
    except Wrong:
        if (operation, start) != ("a result of another amount", "unregistered"):
            raise
        came = "handled"  # who registers no amount believes the one that is notified
        story.look()
    if "answer" in operation:
        return "not asked" if "asked 1" not in came else "handled" if "handled 1" in came else "stored"
    return {"given": "True", "ok": "True", "there is none": "raises"}.get(came, "raises" if came[0] == "!" else came)


def test_the_table_has_each_cell_once_and_each_refusal_its_sentence() -> None:
    cells = [(row.operation, one) for row in ROWS for one in row.situations.split()]
    assert sorted(cells) == sorted(product(OPERATIONS, SITUATIONS))
    assert all((row.answer == "raises") == (row.sentence in ADVICE and row.sentence != "") for row in ROWS)
    assert {row.then for row in ROWS} <= {"=", *SITUATIONS}


@pytest.mark.parametrize("start", SITUATIONS)
def test_every_cell_is_as_the_table_says(start: Situation) -> None:
    with a_story("orders") as story:
        for name in told(BEGINNINGS[start].removesuffix("; permission")):
            story.do(name)
        moment = story.moment()
        for operation in OPERATIONS:
            story.go_back(moment)
            if start == "permitted":
                story.do("permission")  # which cannot be gone back to
            assert situation(story) == start
            cell = TABLE[operation, start]
            came = play(story, operation, start)
            assert (came, situation(story)) == (cell.answer, cell.then), operation
