"""A task's time limit, or whatever else the library did not raise, ends a follower's run: nothing is asked after it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from paywright import Client
from paywright_receiver import Follower
from paywright_receiver.items.open_items import Item
from tests.receiver.helpers.shop import Shop
from tests.support.time_limits import TimeLimit, needs_signals, strike, strike_until, time_limit

NUMBERS = ("ORD_1", "ORD_2", "ORD_3")


@pytest.fixture
def due(shop: Shop) -> Shop:
    """The shop with three orders that are due, and paid."""
    for number in NUMBERS:
        shop.open(number)
        shop.states.shown[number] = ("SUCCESS", "10.5")
    shop.until_due(NUMBERS[-1])
    return shop


@pytest.fixture
def before(due: Shop) -> dict[str, Item]:
    """The items, before anything else is done."""
    return items(due)


def items(shop: Shop) -> dict[str, Item]:
    return {item.key: item for item in shop.follower.items()}


def all_are_handled_by_the_next_run(shop: Shop) -> None:
    shop.states.before_answer = shop.fails = lambda _: None
    assert shop.follower.run_due().handled == 3
    assert sorted(effect[0] for effect in shop.effects) == list(NUMBERS)


@needs_signals
@pytest.mark.parametrize("kind", [TimeLimit, TimeoutError])
def test_a_time_limit_in_an_inquiry_ends_the_run(due: Shop, before: dict[str, Item], kind: type[Exception]) -> None:
    due.states.before_answer = lambda number: strike_until(raised)
    with time_limit(kind, once=True) as raised, pytest.raises(kind, match="the task's time is over"):
        due.follower.run_due()
    assert due.states.asked == {"ORD_1": 1}
    assert items(due) == before
    all_are_handled_by_the_next_run(due)


@needs_signals
@pytest.mark.parametrize("kind", [TimeLimit, TimeoutError])
def test_a_time_limit_in_a_handler_ends_the_run(due: Shop, before: dict[str, Item], kind: type[Exception]) -> None:
    due.fails = strike
    with time_limit(kind), pytest.raises(kind, match="the task's time is over"):
        due.follower.run_due()
    assert (due.states.asked, due.effects) == ({"ORD_1": 1}, [])
    assert due.item("ORD_2") == before["ORD_2"]
    late = due.item("ORD_1")
    assert (late.attempts, late.why) == (1, f"its result was not handled: {kind.__name__} ended the run")
    (entry,) = due.ledger.list()
    assert (entry.status, entry.why) == ("failed", f"the handler was ended by {kind.__name__}")
    due.fails = lambda _: None
    assert due.follower.run_due().handled == 2
    due.until_due("ORD_1")
    assert due.follower.run_due().handled == 1
    assert [effect[0] for effect in due.effects] == ["ORD_2", "ORD_3", "ORD_1"]


class Observer:
    """Strikes, or fails, when an item is begun."""

    def __init__(self, fails: Callable[..., Any]) -> None:
        self.item = fails

    def call(self, *_: object) -> Any:
        return self

    def attempt(self, *_: object) -> None:
        """Hear of an attempt."""

    end = attempt


@needs_signals
@pytest.mark.parametrize("kind", [TimeLimit, TimeoutError])
def test_a_time_limit_in_an_observer_ends_the_run(due: Shop, before: dict[str, Item], kind: type[Exception]) -> None:
    follower = Follower(Client(**due.settings(), observer=Observer(strike)), due.ledger, receiver=due.receiver)
    with time_limit(kind), pytest.raises(kind, match="the task's time is over"):
        follower.run_due()
    assert items(due) == before
    all_are_handled_by_the_next_run(due)


def test_a_defect_holds_no_item_up(due: Shop, before: dict[str, Item], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor can it be told from a limit that no signal brings."""
    real, defect = due.follower._core.inquiry, KeyError("a defect")

    def inquiry(lease: Any, **more: Any) -> Any:
        if lease.item.key == "ORD_1":
            raise defect
        return real(lease, **more)

    monkeypatch.setattr(due.follower._core, "inquiry", inquiry)
    with pytest.raises(KeyError) as caught:
        due.follower.run_due()
    assert caught.value is defect
    assert (due.item("ORD_1").attempts, due.item("ORD_1").why) == (1, "it could not be asked about: KeyError")
    assert due.follower._core.following(due.item("ORD_1"))[0].last == before["ORD_1"].why  # it is not lost
    assert due.item("ORD_2") == before["ORD_2"]
    assert due.follower.run_due().handled == 2


# Awaited


@needs_signals
def test_a_time_limit_ends_the_event_loop_and_the_items_are_due_as_before(due: Shop, before: dict[str, Item]) -> None:
    due.states.before_answer = lambda number: strike_until(raised)
    with time_limit(once=True) as raised, pytest.raises(TimeLimit):
        asyncio.run(due.awaited().run_due(at_once=1))
    assert due.states.asked == {"ORD_1": 1}
    assert items(due) == before
    all_are_handled_by_the_next_run(due)


@needs_signals
def test_a_time_limit_in_one_of_several_inquiries_ends_all_of_them(due: Shop, before: dict[str, Item]) -> None:
    begun: list[str | None] = []
    over = threading.Event()

    def strikes_at_the_second(kind: str, key: str | None) -> Any:
        begun.append(key)
        return strike() if len(begun) == 2 else lambda error: None

    due.states.before_answer = lambda number: over.wait(600)
    try:
        with time_limit(), pytest.raises(TimeLimit):
            asyncio.run(due.awaited(observer=Observer(strikes_at_the_second)).run_due(at_once=2))
    finally:
        over.set()
    assert len(begun) == 2
    assert items(due) == before
    all_are_handled_by_the_next_run(due)


@pytest.mark.parametrize("awaited", [False, True])
def test_a_run_that_ends_by_an_error_gives_back_what_it_has_leased_ahead(shop: Shop, awaited: bool) -> None:
    for number in range(10):  # more than there are kinds, in whose turn each is leased
        shop.open(f"ORD_{number}")
        shop.states.shown[f"ORD_{number}"] = ("PENDING", "10.5")
    shop.until_due("ORD_9")

    def stop() -> bool:
        if shop.states.asked.total() == 8:
            raise LookupError("a defect")
        return False

    def run() -> Any:
        return (
            asyncio.run(shop.awaited().run_due(at_once=1, stop=stop)) if awaited else shop.follower.run_due(stop=stop)
        )

    with pytest.raises(LookupError):
        run()
    assert shop.follower.run_due().asked == 2


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_run_that_is_cancelled_gives_its_items_back(due: Shop, before: dict[str, Item], backend: str) -> None:
    due.cancelled(backend, lambda: due.awaited().run_due())
    assert items(due) == before
    all_are_handled_by_the_next_run(due)
