"""The handler is called again with what is known, for a shop whose own tables were restored from a backup."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from paywright import Event, FixedClock, InvalidArgument, ItemResult
from paywright_receiver import Follower, MemoryLedger
from tests.receiver.helpers.desk import NOW, order
from tests.receiver.helpers.shop import Shop
from tests.runtime.helpers.canned_gateway import Gateway

DONE = [("ORD_1", "SUCCESS", "10.5", "inquiry")]


def settle(shop: Shop, number: str = "ORD_1", follower: Follower | None = None) -> None:
    shop.open(number)
    shop.states.shown[number] = ("SUCCESS", "10.5")
    shop.follower.hint("orders", number)
    (follower or shop.follower).run_due()
    assert shop.item(number).status == "settled"


def undone(shop: Shop) -> None:
    """Restore the shop's tables: they have no effect any more."""
    shop.effects.clear()


def test_the_handler_gets_the_result_again_and_the_ledger_stays_as_it_is(shop: Shop) -> None:
    settle(shop)
    before, events = shop.item(), list[Event[ItemResult]]()
    shop.fails = events.append
    for _ in range(2):
        shop.pass_time(minutes=1)
        undone(shop)
        assert shop.follower.redeliver("orders", "ord_1").outcome == "handled"
        assert shop.effects == DONE
    assert [(one.redelivered, one.maybe_repeated, one.data.was) for one in events] == [(True, True, None)] * 2
    assert {one.key.rpartition("/")[2] for one in events} == {"SUCCESS"}
    assert events[0].data.is_paid
    assert shop.item() == before
    assert shop.deliver(order()).outcome == "duplicate"
    assert shop.deliver(order(status="BOUNCEBACK", at=NOW + timedelta(minutes=1))).outcome == "handled"
    assert (events[-1].redelivered, events[-1].data.was) == (False, "SUCCESS")
    undone(shop)
    assert shop.follower.redeliver("orders", "ORD_1").outcome == "handled"
    assert [(key, state) for key, state, *_ in shop.effects] == [("ORD_1", "BOUNCEBACK")]
    assert shop.deliver(order(at=NOW + timedelta(minutes=2))).outcome == "duplicate"


def test_an_amount_that_looks_like_a_card_number_is_handed_over_as_it_was_registered(shop: Shop) -> None:
    amount = "4444333322221111"
    shop.open(amount=amount)
    shop.states.shown["ORD_1"] = ("SUCCESS", amount)
    shop.follower.hint("orders", "ORD_1")
    shop.follower.run_due()
    assert (shop.item().amount, shop.effects) == ("****", [("ORD_1", "SUCCESS", amount, "inquiry")])
    undone(shop)
    assert shop.follower.redeliver("orders", "ORD_1").outcome == "handled"
    assert shop.effects == [("ORD_1", "SUCCESS", amount, "inquiry")]


@pytest.mark.anyio
async def test_the_awaited_follower_does_the_same(shop: Shop) -> None:
    settle(shop)
    undone(shop)
    follower = shop.awaited()
    assert (await follower.redeliver("orders", "ORD_1")).outcome == "handled"
    assert [item.key async for item in follower.handled(NOW, NOW + timedelta(days=36_500))] == ["ORD_1"]
    assert shop.effects == DONE
    await follower._client.aclose()


def test_a_handler_that_fails_leaves_what_was_done_and_may_be_called_again(shop: Shop) -> None:
    settle(shop)
    undone(shop)

    def fails(event: Event[ItemResult]) -> None:
        event.transaction.execute("CREATE TABLE credits (number TEXT)")
        raise LookupError

    for _ in range(2):  # what it wrote is undone
        shop.fails = fails
        assert shop.follower.redeliver("orders", "ORD_1").outcome == "failed"
    assert (shop.item().effect, shop.statuses(), shop.effects) == ("SUCCESS", {"done": 2}, [])
    assert shop.deliver(order()).outcome == "duplicate"
    shop.fails = lambda event: None
    assert shop.follower.redeliver("orders", "ORD_1").outcome == "handled"
    assert shop.effects == DONE


def test_a_process_that_died_in_it_leaves_no_claim_and_no_failure(shop: Shop) -> None:
    settle(shop)

    def dies(event: Event[ItemResult]) -> None:
        raise KeyboardInterrupt

    shop.fails = dies
    acquire = shop.ledger.acquire
    shop.ledger.acquire = lambda request: (lost.append(acquire(request)), "in_progress")[1]  # type: ignore[method-assign]
    lost: list[object] = []
    assert shop.follower.redeliver("orders", "ORD_1").outcome == "in_progress"
    shop.ledger.acquire = acquire  # type: ignore[method-assign]
    assert shop.follower.redeliver("orders", "ORD_1").outcome == "in_progress"
    shop.pass_time(hours=1)
    assert shop.statuses() == {"done": 2}
    (again,) = (entry for entry in shop.ledger.list() if entry.key.endswith("/again"))
    assert (shop.ledger.discard(again.key), shop.ledger.body(again.key)) == (False, None)
    shop.fails = lambda event: None
    assert shop.deliver(order()).outcome == "duplicate"
    assert shop.follower.redeliver("orders", "ORD_1").outcome == "handled"


def test_two_results_of_an_item_are_never_handled_at_once(shop: Shop) -> None:
    settle(shop)
    back = order(status="BOUNCEBACK", at=NOW + timedelta(minutes=1))
    inside: list[str] = []

    def meanwhile(event: Event[ItemResult]) -> None:
        if event.redelivered:
            inside.append(shop.deliver(back).outcome)
            inside.append(shop.follower.redeliver("orders", "ORD_1").outcome)
        else:
            inside.append(shop.follower.redeliver("orders", "ORD_1").outcome)

    shop.fails = meanwhile
    assert shop.follower.redeliver("orders", "ORD_1").outcome == "handled"
    assert inside == ["in_progress", "in_progress"]
    assert shop.deliver(back).outcome == "handled"
    assert inside[2:] == ["in_progress"]


def test_what_a_follower_without_a_receiver_settled_has_its_effect_by_it(shop: Shop) -> None:
    settle(shop, follower=Follower(shop.client, shop.ledger, book_only=True))
    assert (shop.item().effect, shop.effects) == (None, [])
    assert shop.follower.redeliver("orders", "ORD_1").outcome == "handled"
    assert (shop.item().effect, shop.effects) == ("SUCCESS", DONE)
    assert shop.deliver(order()).outcome == "duplicate"
    undone(shop)
    assert shop.follower.redeliver("orders", "ORD_1").outcome == "handled"
    assert shop.effects == DONE


def test_what_no_handler_can_be_told_is_refused_with_words(shop: Shop) -> None:
    shop.open("ORD_1")
    shop.open("ORD_2")
    shop.follower.close("orders", "ORD_2", "by phone")
    settle(shop, "ORD_3")
    undone(shop)
    for follower, key, words in (
        (shop.follower, "ORD_1", "No result of orders 'ORD_1' is known"),
        (shop.follower, "ORD_2", "No result of orders 'ORD_2' is known .*: by phone"),
        (shop.follower, "ORD_4", "rders 'ORD_4' is not registered"),
        (Follower(shop.client, shop.ledger), "ORD_3", "There is no handler of on_result"),
    ):
        with pytest.raises(InvalidArgument, match=words):
            follower.redeliver("orders", key)
    assert shop.effects == []


def test_what_was_handled_since_a_time_is_listed_by_the_ledgers_clock(gateway: Gateway) -> None:
    shop, ends = Shop(MemoryLedger(clock=FixedClock(NOW)), gateway), list[datetime]()
    for number in ("ORD_2", "ORD_1", "ORD_3"):
        settle(shop, number, Follower(shop.client, shop.ledger, book_only=True) if number == "ORD_3" else None)
        shop.pass_time(minutes=10)
        ends.append(shop.clock.now())
    shop.open("ORD_4")
    later = ends[-1] + timedelta(days=1)
    for since, keys in ((NOW, ["ORD_2", "ORD_1", "ORD_3"]), (ends[0], ["ORD_1", "ORD_3"]), (later, [])):
        assert [item.key for item in shop.follower.handled(since, later)] == keys
    assert [item.key for item in shop.follower.handled(NOW, ends[0])] == ["ORD_2"]
    shop.close()
