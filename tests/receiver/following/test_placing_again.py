"""An item that may be placed again: it waits for whoever asks for the permission, in whatever order things come, on every ledger."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from threading import get_ident
from typing import Any, Final, NamedTuple

import anyio
import pytest

from paywright import GatewayError, InvalidArgument, OutcomeUnknown, Permission, TooEarly
from paywright_receiver import Follower
from paywright_receiver.items.open_items import Item
from tests.receiver.helpers.desk import order
from tests.receiver.helpers.shop import Shop, placed
from tests.runtime.helpers.canned_gateway import Reply

CONTENT: Final[dict[str, Any]] = {"total_amount": Decimal("10.50"), "currency": "USD"}


def lost(shop: Shop) -> Item:
    """An order that was opened before its call, and never arrived; the follower runs until it may be placed again."""
    shop.follower.open(None, shop.client.orders.follow("ORD_1", **CONTENT, unknown=True))
    for _ in range(4):
        shop.follower.run_due()
        if shop.item().step == "place_again":
            return shop.item()
        shop.until_due()
        shop.pass_time(seconds=301)  # between processes twice the interval passes
    raise AssertionError(shop.item().why)


def place(shop: Shop, permission: Permission) -> object:
    return shop.client.orders.checkout(
        out_trade_no=permission.key, subject="Tickets", **CONTENT, user_id="u1", again=permission,
        front_callback_url="https://shop.example/back",
    )  # fmt: skip


@pytest.mark.parametrize("first", ["the shop", "the follower"])
@pytest.mark.parametrize("minutes", [0, 4, 5, 6, 30, 600, 10_000])
def test_whoever_asks_gets_the_permission_whenever(minutes: int, first: str, shop: Shop) -> None:
    """The item was a dead end: the follower used up the one question by which a permission could be had."""
    lost(shop)
    passed = 0
    while passed < minutes:
        shop.follower.run_due()
        assert shop.item().step in ("place_again", "decide")
        step = min(1 if passed < 60 else 60, minutes - passed)
        shop.pass_time(minutes=step)
        passed += step
    if first == "the follower":
        shop.follower.run_due()
    # After a day a person says whether it is still wanted; asking for the permission says so.
    assert (shop.item().step == "decide") == (minutes > 24 * 60)
    assert "permission" in shop.item().why
    assert place(shop, shop.follower.permission("orders", "ORD_1"))
    assert shop.states.placed == ["ORD_1"]
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    assert shop.run().asked == 0  # it has read how the call ended
    assert not shop.item().why.startswith("it is time")
    assert shop.run().handled == 1
    assert [one[:2] for one in shop.effects] == [("ORD_1", "SUCCESS")]


class Asked(NamedTuple):
    """What the gateway shows when the permission is asked for, what becomes of the item, and why there is none."""

    shown: Callable[[Shop], object]
    step: str
    effects: int
    words: str


def shows(state: str, amount: str = "10.5") -> Callable[[Shop], object]:
    return lambda shop: shop.states.shown.update({"ORD_1": (state, amount)})


def refuses(code: str) -> Callable[[Shop], object]:
    return lambda shop: shop.states.refusing.update({"ORD_1": code})


def closes(shop: Shop) -> None:
    shop.states.before_answer = lambda number: shop.follower.close("orders", "ORD_1", "by hand")


def is_told(shop: Shop) -> None:
    shop.states.before_answer = lambda number: shop.deliver(order())


def is_hinted(shop: Shop) -> None:
    shop.states.before_answer = lambda number: shop.follower.hint("orders", "ORD_1")


ASKED: Final[dict[str, Asked]] = {
    "it is pending": Asked(shows("PENDING"), "wait", 0, "as PENDING"),
    "it is paid": Asked(shows("SUCCESS"), "settled", 1, "as SUCCESS"),
    "it failed": Asked(shows("FAILED"), "settled", 1, "as FAILED"),
    "another amount": Asked(shows("SUCCESS", "99"), "decide", 0, "totalAmount '99' where"),
    "its time is refused": Asked(refuses("REQ_TIME_OVER_TIME"), "place_again", 0, "REQ_TIME_OVER_TIME"),
    "a refusal": Asked(refuses("TOO_MANY_REQUEST"), "place_again", 0, "TOO_MANY_REQUEST"),
    "closed meanwhile": Asked(closes, "closed", 0, "changed meanwhile"),
    "notified meanwhile": Asked(is_told, "settled", 1, "changed meanwhile"),
    "hinted meanwhile": Asked(is_hinted, "place_again", 0, "or a hint came"),
}


@pytest.mark.parametrize("name", ASKED)
def test_where_the_gateway_shows_it_there_is_none_and_the_item_is_what_was_shown(name: str, shop: Shop) -> None:
    row = ASKED[name]
    lost(shop)
    row.shown(shop)
    with pytest.raises(TooEarly, match=row.words):
        shop.follower.permission("orders", "ORD_1")
    assert (shop.item().step, len(shop.effects), shop.states.placed) == (row.step, row.effects, [])
    shop.states.refusing.clear()
    shop.states.before_answer = lambda number: None
    shop.pass_time(days=1)
    asked = shop.states.asked["ORD_1"]
    shop.follower.run_due()
    assert shop.states.asked["ORD_1"] > asked or row.step in ("settled", "closed")  # the lease was given back


@pytest.mark.parametrize("step", ["place_again", "decide"])
def test_who_comes_back_when_the_refusal_says_gets_it(step: str, shop: Shop) -> None:
    lost(shop)
    for _ in range(8 if step == "place_again" else 20):  # the follower asks more and more seldom
        shop.run()
    assert shop.item().step == step
    refuses("TOO_MANY_REQUEST")(shop)
    with pytest.raises(TooEarly) as early:
        shop.follower.permission("orders", "ORD_1")
    at, now = early.value.come_back_at, shop.clock.now()
    assert at is not None
    assert at - now <= timedelta(minutes=5)
    shop.states.refusing.clear()
    shop.pass_time(seconds=(at - now).total_seconds())
    assert place(shop, shop.follower.permission("orders", "ORD_1"))


@pytest.mark.parametrize("given", [False, True])
def test_who_comes_back_when_each_answer_says_needs_no_follower_that_runs(given: bool, shop: Shop) -> None:
    shop.follower.open(None, shop.client.orders.follow("ORD_1", **CONTENT, unknown=True))
    if given:
        come_back_until_permitted(shop)  # and the call was never made
    assert place(shop, come_back_until_permitted(shop))


def come_back_until_permitted(shop: Shop) -> Permission:
    for _ in range(10):
        try:
            return shop.follower.permission("orders", "ORD_1")
        except TooEarly as early:
            told, at = str(early), early.come_back_at
        assert "`step`" not in told
        assert at is not None
        assert at > shop.clock.now()
        with pytest.raises(TooEarly) as at_once:
            shop.follower.permission("orders", "ORD_1")
        assert at_once.value.come_back_at == at
        shop.pass_time(seconds=(at - shop.clock.now()).total_seconds())
    raise AssertionError(shop.item().why)


def test_of_an_item_that_cannot_be_read_there_is_none_and_nobody_waits_for_it(shop: Shop) -> None:
    item = lost(shop)
    shop.ledger.book.change(item.id, lambda one: one._replace(follow="{}"))  # type: ignore[attr-defined]
    for _ in range(2):  # the second time too, at once: it was given back
        with pytest.raises(InvalidArgument):
            shop.follower.permission("orders", "ORD_1")


def test_of_a_refund_there_is_never_one_and_nobody_is_told_to_come_back(shop: Shop) -> None:
    shop.follower.open(None, shop.client.refunds.follow("REF_1", unknown=True))
    with pytest.raises(TooEarly) as early:
        shop.follower.permission("refunds", "REF_1")
    assert early.value.come_back_at is None


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("asked once", "orders.query does not"),
        ("settled", "the gateway shows 'ORD_1' as SUCCESS"),
        ("closed", "it was closed by hand: sold to another"),
    ],
)
def test_where_its_step_is_another_there_is_none_and_nothing_is_asked(step: str, why: str, shop: Shop) -> None:
    if step == "asked once":
        shop.follower.open(None, shop.client.orders.follow("ORD_1", **CONTENT, unknown=True))
        shop.follower.run_due()
    elif step == "settled":
        shop.open(amount="10.50")
        shop.deliver(order())
    else:
        lost(shop)
        shop.follower.close("orders", "ORD_1", "sold to another")
    asked, item = shop.states.asked["ORD_1"], shop.item()
    with pytest.raises(TooEarly, match=f"again now: {why}.*Nothing was sent") as early:
        shop.follower.permission("orders", "ord_1")
    assert early.value.key == "ORD_1", "as it was registered"
    assert (shop.states.asked["ORD_1"], shop.item()) == (asked, item)
    with pytest.raises(InvalidArgument, match="rders 'ORD_2' is not registered"):
        shop.follower.permission("orders", "ORD_2")


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_who_is_cancelled_while_he_asks_gives_the_item_back(backend: str, shop: Shop) -> None:
    lost(shop)
    item = shop.item()
    shop.cancelled(backend, lambda: shop.awaited().permission("orders", "ORD_1"))
    assert shop.item() == item


def test_while_one_process_asks_another_gets_no_permission(shop: Shop) -> None:
    lost(shop)
    others: list[object] = []

    def meanwhile(number: str) -> None:
        shop.states.before_answer = lambda number: None
        with pytest.raises(TooEarly, match="asked about at this moment"):
            shop.follower.permission("orders", "ORD_1")
        others.append(shop.follower.run_due().taken)

    shop.states.before_answer = meanwhile
    assert place(shop, shop.follower.permission("orders", "ORD_1"))
    assert others == [0]


@pytest.mark.parametrize("called", [False, True])
def test_another_process_asks_from_the_beginning_and_gives_none_too_soon(called: bool, shop: Shop) -> None:
    lost(shop)
    permission = shop.follower.permission("orders", "ORD_1")
    if called:
        shop.states.placing = lambda number: Reply({"code": "CURRENCY_INVALID", "msg": "no"})
        with pytest.raises(GatewayError):
            place(shop, permission)
    other = Follower(shop.client, shop.ledger, receiver=shop.receiver)
    begun = shop.clock.now()
    while shop.item().step != "place_again":
        shop.until_due()
        other.run_due()
    # After the permission's end and the longest call, two answers an interval apart.
    assert (shop.clock.now() - begun).total_seconds() >= 300 + 30 + 300


class Ends(NamedTuple):
    """How the call with the permission ends, and where the item stands in the end."""

    reply: Reply
    step: str


ENDS: Final[dict[str, Ends]] = {
    "refused": Ends(Reply({"code": "CURRENCY_INVALID", "msg": "no"}), "place_again"),
    "unknown": Ends(Reply(b"<html>", status=502), "place_again"),
    "claimed": Ends(Reply({"code": "ORDER_REPEAT", "msg": "no"}), "decide"),
}


@pytest.mark.parametrize("name", ENDS)
def test_how_the_call_ends_is_read_by_the_follower_that_gave_the_permission(name: str, shop: Shop) -> None:
    row = ENDS[name]
    lost(shop)
    permission = shop.follower.permission("orders", "ORD_1")
    shop.states.placing = lambda number: row.reply
    with pytest.raises((GatewayError, OutcomeUnknown)):
        place(shop, permission)
    shop.states.placing = placed
    with pytest.raises(TooEarly):
        place(shop, permission)
    for _ in range(4):
        shop.until_due()
        shop.pass_time(seconds=301)
        shop.follower.run_due()
    assert shop.item().step == row.step


@pytest.mark.parametrize("closes", ["this one", "another process"])
def test_closing_the_item_voids_it_and_it_stays_void_when_the_item_is_opened_again(closes: str, shop: Shop) -> None:
    """The call succeeded, `placed` was True, and nobody ever asked again."""
    lost(shop)
    permission = shop.follower.permission("orders", "ORD_1")
    closer = shop.follower if closes == "this one" else Follower(shop.client, shop.ledger)
    assert closer.close("orders", "ORD_1", "the payer left") is True
    with pytest.raises(TooEarly, match="void"):
        place(shop, permission)
    assert shop.follower.open(None, shop.client.orders.follow("ORD_1", **CONTENT, unknown=True)) is True
    with pytest.raises(TooEarly, match="void"):
        place(shop, permission)
    assert shop.states.placed == []


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_an_awaited_follower_gives_it_alike(backend: str, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    lost(shop)
    follower = shop.awaited()
    threads: list[int] = []
    book = type(shop.ledger.book)
    change = book.change
    monkeypatch.setattr(
        book, "change", lambda *given, **named: (threads.append(get_ident()), change(*given, **named))[1]
    )

    async def main() -> None:
        permission = await follower.permission("orders", "ORD_1")
        async with follower._client as client:
            await client.orders.checkout(
                out_trade_no=permission.key, subject="Tickets", **CONTENT, user_id="u1", again=permission,
                front_callback_url="https://shop.example/back",
            )  # fmt: skip
            with pytest.raises(TooEarly):
                await follower.permission("orders", "ORD_1")

    anyio.run(main, backend=backend)
    assert shop.states.placed == ["ORD_1"]
    assert threads, "it is written that the permission is used"
    assert get_ident() not in threads, "what waits for the database holds no event loop up"
