"""Whatever happens to an item, in whatever order: what a merchant relies on holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from paywright_receiver import MemoryLedger
from paywright_receiver.items.open_items import ItemId
from tests.receiver.lives.merchant import Wrong
from tests.receiver.lives.operations import ENDINGS
from tests.receiver.lives.planted import PLANTED, planted
from tests.receiver.lives.variants import Awaited, InOneTransaction, transcript
from tests.receiver.lives.walk import STARTS, a_story, strolled, told, walked

pytestmark = pytest.mark.usefixtures("unlogged")


SLOW, FULL = pytest.mark.slow, pytest.mark.full
OTHERS = ("refunds", "exchanges", "withdrawals", "payment_links", "subscriptions")


def walks() -> Iterator[Any]:
    """How deep each walk goes, after what, and of which kinds of items in which world."""

    def one(name: str, depth: int, start: str = "", *kinds: str, mark: Any = (), **world: Any) -> Any:
        return pytest.param(depth, start, kinds, world, id=f"{name}-{depth}", marks=mark)

    for first in ("open", *(f"call, {end}" for end in ENDINGS), "wait, 5 minutes"):
        yield one(first, 2, first)
    yield one("anything", 6, mark=FULL)
    yield one("anything, with a refund", 5, "", "orders", "refunds", mark=FULL)
    for name, start in STARTS.items():
        for depth, mark in ((1, ()), (2, SLOW), (3, FULL)):
            yield one(name, depth, start, mark=mark)
    for kind in OTHERS:
        yield one(kind, 2, "", kind)
        yield one(kind, 4, "", kind, mark=FULL)
    yield one("another buyer's payment", 2, theirs=True)  # nobody hears of it
    yield one("another buyer's payment", 4, theirs=True, mark=FULL)
    yield one("reconciled", 4, reconciles=True, mark=FULL)
    for name in (
        "placed",
        "noted",
        "contradicted",
        "closed",
    ):  # a process that dies in one transaction leaves nothing wrong
        yield one(f"{name}, in one transaction", 1, STARTS[name], of=InOneTransaction)
    for depth, mark in ((2, SLOW), (3, FULL)):
        yield one("in one transaction", depth, "open", of=InOneTransaction, mark=mark)
        yield one("in one transaction, reconciled", depth, "open", of=InOneTransaction, reconciles=True, mark=mark)


@pytest.mark.parametrize(("depth", "start", "kinds", "world"), list(walks()))
def test_nothing_is_wrong_within_so_many_operations(
    depth: int, start: str, kinds: tuple[str, ...], world: dict[str, Any], record_property: Any
) -> None:
    with a_story(*kinds, **world) as story:
        found = walked(story, depth, start, most=100)
    assert not found.wrong, found
    record_property("count: states of lives, each once in its walk", found.states)
    record_property("count: operations in them", found.operations)


FOUND = (  # by the long walks
    "open; call, ok; close; note, CLOSED bare; run, note SUCCESS bare; note, CLOSED",
    "open; call, ok; close; run, note SUCCESS bare; close; run, of another amount",
    "open; call, ok; close; run, close; become, SUCCESS; run, of another amount",
    "call, ok; note, CLOSED; open; note, SUCCESS fails; become, BOUNCEBACK; run, without a receiver",
    # Nothing was wrong with these: a webhook tells of that; what nobody could read is known to be about nothing.
    "open; call, ok; close; run; run; become, SUCCESS",
    "call, ok; note, BOUNCEBACK bare; open; close; hint; discard",
)


@pytest.mark.parametrize("life", FOUND)
def test_what_a_long_walk_has_found_is_mended(life: str) -> None:
    with a_story() as story:
        for name in told(life):
            story.do(name)
        story.rest()


# Long lives at random, over other ledgers, and with the awaited follower

LENGTH = 12


def lives(seeds: range) -> list[list[str]]:
    """Lives drawn at random, some of which begin with what often happens."""
    drawn, starts = list[list[str]](), list(STARTS.values())
    with a_story() as story:
        nothing = story.moment()
        for seed in seeds:
            story.go_back(nothing)
            life: list[str] = []
            drawn.append(life)
            try:
                for name in told(starts[seed % len(starts)]):
                    life.append(name)
                    story.do(name)
                for name, _ in strolled(story, seed, LENGTH):
                    life.append(name)
                story.rest()
            except Wrong as wrong:
                pytest.fail(f"{wrong}: {'; '.join(life)}")
    return drawn


@pytest.mark.parametrize(
    "part",
    [0, *(pytest.param(part, marks=[pytest.mark.slow, *[pytest.mark.full] * (part >= 8)]) for part in range(1, 100))],
)
def test_nothing_is_wrong_in_a_long_life(part: int, record_property: Any) -> None:
    found = lives(range(part * 15, part * 15 + 15))
    record_property("count: long lives of items", len(found))


def same_over(seed: int, **other: Any) -> None:
    (life,) = lives(range(seed, seed + 1))
    with a_story() as one:
        expected = transcript(one, life)
    with a_story(**other) as another:
        if isinstance(another.ledger, MemoryLedger):
            another.ledger.clock = another.clock
        assert transcript(another, life) == expected, "; ".join(life)


PARTS = [0, *(pytest.param(part, marks=[pytest.mark.slow, *[pytest.mark.full] * (part >= 5)]) for part in range(1, 10))]


@pytest.mark.parametrize("part", PARTS)
def test_a_life_is_the_same_in_memory_and_awaited(part: int) -> None:
    for seed in range(part * 2, part * 2 + 2):
        same_over(seed, of=Awaited, ledger=MemoryLedger())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "seeds"), [("postgres", 40), ("mariadb", 1), pytest.param("mariadb", 40, marks=pytest.mark.full)]
)
def test_and_on_servers(kind: str, seeds: int, request: pytest.FixtureRequest, schema: str) -> None:
    server: Any = request.getfixturevalue(kind)
    for seed in range(seeds):
        ledger = server.ledger(f"{schema}_{seed}")
        ledger.book.get(ItemId("a", "orders", "made"), make=True)  # the tables, which a life looks at before it begins
        same_over(seed, ledger=ledger)


# Faults put back


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_a_fault_put_back_is_found(name: str) -> None:
    with planted(name) as fault, a_story(**fault.world) as story:
        found = walked(story, fault.depth, STARTS[fault.start])
    assert found.wrong
