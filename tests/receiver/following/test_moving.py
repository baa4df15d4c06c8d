"""Moving an item to another address: what this gateway shows as it was registered, and what the merchant says is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from paywright import Client, GatewayError, InvalidArgument, TooEarly
from paywright_receiver import AsyncFollower, Follower
from tests.receiver.helpers.desk import NOW
from tests.receiver.helpers.shop import Shop

Move = Callable[..., bool]


def at_once(shop: Shop, new: dict[str, Any]) -> Move:
    return Follower(Client(**new), shop.ledger, receiver=shop.receiver).move


def awaited(shop: Shop, new: dict[str, Any]) -> Move:
    from paywright.aio import Client as AwaitedClient

    async def move(*args: str, **named: bool) -> bool:
        async with AwaitedClient(**new) as client:
            return await AsyncFollower(client, shop.ledger, receiver=shop.receiver).move(*args, **named)

    return lambda *args, **named: asyncio.run(move(*args, **named))


@pytest.fixture(params=[at_once, awaited])
def move(request: pytest.FixtureRequest, shop: Shop) -> Move:
    """Moves an item of the shop to its gateway's other name."""
    found: Move = request.param(shop, shop.settings() | {"base_url": other(shop)})
    return found


def other(shop: Shop) -> str:
    return shop.gateway.base_url.replace("127.0.0.1", "localhost")


@pytest.mark.parametrize(
    ("shown", "as_is", "moved"),
    [
        (("PENDING", "10.50"), False, True),
        (("SUCCESS", "10.50"), False, True),
        (("PENDING", "9.00"), False, False),  # another order of that key: a sandbox, say
        (("PENDING", "9.00"), True, True),
        (None, False, False),
        (None, True, True),
    ],
)
def test_an_open_item_is_moved(shown: tuple[str, str] | None, as_is: bool, moved: bool, move: Move, shop: Shop) -> None:
    before = shop.open(amount="10.50")
    shop.states.shown["ORD_1"] = shown
    assert move("orders", "ORD_1", as_is=as_is) is moved
    assert shop.states.asked["ORD_1"] == (not as_is)
    now = shop.item()
    paid = shown == ("SUCCESS", "10.50")  # what it shows is handed over
    assert (now.address, now.status) == (other(shop) if moved else before.address, "settled" if paid else "open")
    assert len(shop.effects) == paid
    if moved and not paid:
        there = Follower(Client(**shop.settings() | {"base_url": other(shop)}), shop.ledger, receiver=shop.receiver)
        assert now.due_at is not None
        shop.pass_time(seconds=(now.due_at - shop.clock.now()).total_seconds())
        assert as_is is (now.due_at == shop.clock.now() == NOW)
        shop.states.shown["ORD_1"] = ("SUCCESS", "10.50")
        assert (there.run_due().handled, shop.effects) == (1, [("ORD_1", "SUCCESS", "10.50", "inquiry")])
        with pytest.raises(InvalidArgument, match=r"already\. Nothing was written"):
            there.move("orders", "ORD_1")
    elif not moved:
        assert now == before


@pytest.mark.parametrize("status", ["settled", "closed"])
def test_what_nobody_waits_for_is_moved_and_stays_as_it_is(status: str, move: Move, shop: Shop) -> None:
    shop.open(amount="10.50")
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.50")
    if status == "closed":
        shop.follower.close("orders", "ORD_1", "by hand", state="SUCCESS")
    else:
        shop.run()
    before = shop.item()
    assert move("orders", "ORD_1") is True
    after = shop.item()
    assert (after.address, after.status, after.step, after.why) == (other(shop), status, before.step, before.why)
    assert (after.due_at is None) == (status == "settled")


def test_a_plan_for_which_there_is_no_query_is_moved_as_it_is(move: Move, shop: Shop) -> None:
    before = shop.open("SUB_1", "subscriptions")
    with pytest.raises(InvalidArgument, match="move it with as_is"):
        move("subscriptions", "SUB_1")
    assert shop.item("SUB_1", "subscriptions") == before
    assert move("subscriptions", "SUB_1", as_is=True) is True
    after = shop.item("SUB_1", "subscriptions")
    assert (after.address, after.status, after.due_at) == (other(shop), "open", before.due_at)


def test_an_item_that_cannot_be_moved_is_left_for_the_next_who_asks(move: Move, shop: Shop) -> None:
    with pytest.raises(InvalidArgument, match="rders 'ORD_1' is not registered"):
        move("orders", "ORD_1")
    before = shop.open(amount="10.50")
    shop.states.refusing["*"] = "SYSTEM_ERROR"
    with pytest.raises(GatewayError):
        move("orders", "ORD_1")
    assert shop.item() == before
    lease = shop.ledger.book.take_one(before.id, before.address, shop.clock.now() + timedelta(days=1), 60)
    assert lease is not None  # it was given back
    with pytest.raises(TooEarly):
        move("orders", "ORD_1")
