"""A number that was used before is never settled by the earlier payment: not by the follower, and not by a webhook."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

import anyio
import pytest

from paywright import BuyerInfo, DropInPaymentDetail, Follow, InvalidArgument, OutcomeUnknown, TooEarly
from paywright_receiver import Follower
from tests.receiver.following.test_placing_again import lost, place
from tests.receiver.helpers.desk import order, refund
from tests.receiver.helpers.shop import Shop, placed
from tests.runtime.helpers.canned_gateway import Gateway, Reply

CONTENT: Final[dict[str, Any]] = {"total_amount": Decimal("10.50"), "currency": "USD"}
PLACING: Final[dict[str, Any]] = {**CONTENT, "subject": "Tickets", "front_callback_url": "https://s.example/b"}

KINDS: Final[dict[str, tuple[str, str, dict[str, object]]]] = {
    "orders": ("ORD_1", "SUCCESS", {"totalAmount": Decimal("10.50"), "currency": "USD", "reference": "prod-900"}),
    "refunds": (
        "REF_1",
        "REFUND_SUCCESS",
        {"refundAmount": Decimal("10.50"), "refundCurrency": "USD", "outTradeNo": "ORD_9"},
    ),
}
SHOWN: Final[dict[str, tuple[str, dict[str, object], bool]]] = {
    # kind, what the data shows otherwise, whether that proves another call
    "an equal reference": ("orders", {"reference": "prod-900"}, False),
    "another reference": ("orders", {"reference": "staging-7"}, True),
    "no reference": ("orders", {}, False),
    "a null reference": ("orders", {"reference": None}, False),
    "a blank reference": ("orders", {"reference": " "}, False),
    "another spelling": ("orders", {"outTradeNo": "Ord_1"}, True),
    "other digits": ("orders", {"totalAmount": 10.500}, False),
    "another amount": ("orders", {"totalAmount": 10.51}, True),
    "another currency": ("orders", {"currency": "EUR"}, True),
    "another order": ("refunds", {"outTradeNo": "ORD_8"}, True),
    "the same order": ("refunds", {"outTradeNo": "ORD_9"}, False),
    "the order in other letters": ("refunds", {"outTradeNo": "ord_9"}, False),
    "another refunded amount": ("refunds", {"refundAmount": 1}, True),
}


def opened(shop: Shop, kind: str) -> str:
    number, state, content = KINDS[kind]
    assert shop.follower.open(None, Follow(kind, number, content=content))
    shop.states.shown[number] = (state, "10.50")
    return number


def shows(shop: Shop, kind: str, other: dict[str, object]) -> Callable[[], None]:
    """Let the inquiry show other values, beside the state."""
    answer = shop.gateway.reply
    assert callable(answer)

    def changed(seen: Any) -> Any:
        body = json.loads(answer(seen).body)
        data = body["data"]
        if kind == "orders":
            data.pop("reference", None)
            trade = {"totalAmount": "amount", "currency": "currency"}
            data["trade"] |= {trade[name]: str(value) for name, value in other.items() if name in trade}
            data |= {name: value for name, value in other.items() if name not in trade}
        else:
            data.pop("outTradeNo", None)
            data |= other
        return Reply(body)

    shop.gateway.reply = changed
    return lambda: setattr(shop.gateway, "reply", answer)


def drop_in(shop: Shop) -> object:
    detail = DropInPaymentDetail(session_key="s", buyer_info=BuyerInfo(client_ip="203.0.113.7", user_agent="M"))
    more: dict[str, Any] = {"country": "US", "terminal_type": "WEB", "payment_detail": detail}
    return shop.client.orders.drop_in(out_trade_no="ORD_1", user_id="u", **PLACING, **more)


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("name", SHOWN)
def test_an_inquiry_that_shows_another_call_settles_nothing(name: str, awaited: bool, shop: Shop) -> None:
    kind, other, foreign = SHOWN[name]
    number = opened(shop, kind)
    shows(shop, kind, other)
    shop.until_due(number, kind)
    if awaited:
        follower = shop.awaited()
        anyio.run(follower.run_due)
    else:
        shop.follower.run_due()
    item = shop.item(number, kind)
    assert (item.status, item.step) == (("open", "decide") if foreign else ("settled", "settled")), item.why
    assert len(shop.effects) == (not foreign)
    if foreign:
        assert "where this call has" in item.why


@pytest.mark.parametrize("before", ["asked", "notified", "closed", "fresh"])
@pytest.mark.parametrize("awaited", [False, True])
def test_a_mistyped_amount_is_corrected_and_the_handler_called_once(before: str, awaited: bool, shop: Shop) -> None:
    def follow(amount: str) -> Follow:
        return shop.client.orders.follow("ORD_1", total_amount=Decimal(amount), currency="USD")

    def corrected(amount: str) -> bool:
        return anyio.run(shop.awaited().correct, follow(amount)) if awaited else shop.follower.correct(follow(amount))

    shop.follower.open(None, follow("10.05"))
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.50")
    if before in ("asked", "closed"):
        shop.run("ORD_1")
        assert (shop.item("ORD_1").step, "--correct" in shop.item("ORD_1").why) == ("decide", True)
    if before == "notified":
        assert shop.deliver(order()).outcome == "noted"
    if before == "closed":
        shop.follower.close("orders", "ORD_1", "the amount was mistyped")
    assert (corrected("10.50"), corrected("10.50"), shop.effects) == (True, False, [])
    shop.run("ORD_1")
    assert (shop.item("ORD_1").status, [one[:2] for one in shop.effects]) == ("settled", [("ORD_1", "SUCCESS")])
    assert shop.deliver(order()).outcome == "duplicate"
    with pytest.raises(InvalidArgument, match="'ORD_1' cannot be corrected: its last state is known"):
        corrected("9.00")
    assert len(shop.effects) == 1


@pytest.mark.parametrize("state", [None, "SUCCESS"])
def test_what_was_booked_by_hand_is_not_corrected(state: str | None, shop: Shop) -> None:
    shop.follower.open(None, shop.follow("ORD_1", amount="10.05"))
    shop.follower.close("orders", "ORD_1", "by hand", state=state)
    if state is None:
        assert shop.follower.correct(shop.follow("ORD_1", amount="10.50")) is True
    else:
        with pytest.raises(InvalidArgument, match="or it had an effect"):
            shop.follower.correct(shop.follow("ORD_1", amount="10.50"))


@pytest.mark.parametrize("left", ["totalAmount", "currency"])
def test_a_correction_that_leaves_out_what_was_registered_is_refused(left: str, shop: Shop) -> None:
    """An answer of any amount would count as a payment of this order."""
    shop.follower.open(None, shop.follow("ORD_1", amount="10.05"))
    content = {"totalAmount": Decimal("10.50"), "currency": "USD"}
    del content[left]
    before = shop.item("ORD_1")
    with pytest.raises(InvalidArgument, match=f"was registered with {left} too"):
        shop.follower.correct(Follow("orders", "ORD_1", content=content))
    assert shop.item("ORD_1") == before


def test_a_correction_keeps_the_call_and_the_time_of_the_item(shop: Shop) -> None:
    shop.gateway.reply = Reply(b"")
    with pytest.raises(OutcomeUnknown) as error:
        drop_in(shop)
    until = datetime(2126, 1, 1, tzinfo=UTC)
    shop.follower.open(None, Follow("orders", "ORD_1", after=error.value, expires_at=until))
    before = shop.item("ORD_1")
    shop.pass_time(seconds=3600)
    assert shop.follower.correct(Follow("orders", "ORD_1", content={"totalAmount": Decimal("9.00")}))
    after = shop.item("ORD_1")
    assert json.loads(after.content)["operation"] == json.loads(before.content)["operation"] == "orders.drop_in"
    assert (after.opened_at, json.loads(after.follow)["unknown"]) == (before.opened_at, True)
    for name in ("expires_at", "started_at"):
        assert json.loads(after.follow)[name] == json.loads(before.follow)[name]


@pytest.mark.parametrize("proven", ["an answer", "a call"])
def test_a_correction_never_leads_to_placing_again_what_the_gateway_had(proven: str, shop: Shop) -> None:
    """It forgot that the gateway had it, and made what was known unknown: two answers "not there" gave the permission."""

    def follow(amount: str) -> Follow:
        return shop.client.orders.follow("ORD_1", total_amount=Decimal(amount), currency="USD", unknown=True)

    shop.follower.open(None, follow("10.05"))
    if proven == "an answer":
        shop.states.shown["ORD_1"] = ("PENDING", "10.50")
        shop.run("ORD_1")
        assert shop.item("ORD_1").step == "decide"
        del shop.states.shown["ORD_1"]
    else:
        shop.follower.placed("orders", "ORD_1")
    assert shop.follower.correct(follow("10.50"))
    assert json.loads(shop.item("ORD_1").follow)["unknown"] is (proven == "an answer")
    for _ in range(4):
        shop.run("ORD_1")
        assert shop.item("ORD_1").step in ("wait", "decide")
        shop.pass_time(seconds=301)
    with pytest.raises(TooEarly):
        shop.follower.permission("orders", "ORD_1")


def test_a_correction_keeps_the_permission_whose_call_may_be_in_transit(shop: Shop) -> None:
    lost(shop)
    permission = shop.follower.permission("orders", "ORD_1")
    shop.follower.close("orders", "ORD_1", "it was mistyped")
    before = json.loads(shop.item("ORD_1").follow)
    assert shop.follower.correct(Follow("orders", "ORD_1", content={"totalAmount": Decimal("9.50"), "currency": "USD"}))
    after = json.loads(shop.item("ORD_1").follow)
    kept = ("given_at", "given_for", "placings", "used")
    assert [after[name] for name in kept] == [before[name] for name in kept]
    with pytest.raises(TooEarly):
        place(shop, permission)


def test_a_correction_keeps_the_key_as_the_gateway_spells_it(shop: Shop) -> None:
    shop.follower.open(None, shop.follow("ORD_1", amount="10.05"))
    shop.follower.placed("orders", "ord_1")
    assert shop.follower.correct(shop.follow("ORD_1", amount="10.50"))
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.50")
    shows(shop, "orders", {"outTradeNo": "ord_1"})
    shop.run("ORD_1")
    assert (shop.item("ORD_1").status, len(shop.effects)) == ("settled", 1)


def test_a_correction_without_a_receiver_keeps_what_ends_the_item(
    new_ledger: Callable[[], Any], gateway: Gateway
) -> None:
    shop = Shop(new_ledger(), gateway, handled=False)
    shop.receiver.on_result("orders", ends=["VOIDED"])(lambda event: None)
    shop.follower.open(None, shop.follow("ORD_1", amount="10.05"))
    assert Follower(shop.client, shop.ledger).correct(shop.follow("ORD_1", amount="10.50"))
    assert json.loads(shop.item("ORD_1").follow)["ends"] == ["VOIDED"]


def test_a_correction_of_another_write_is_the_same_when_it_is_repeated(shop: Shop) -> None:
    shop.gateway.reply = Reply(b"")
    with pytest.raises(OutcomeUnknown) as error:
        drop_in(shop)
    shop.follower.open(None, Follow("orders", "ORD_1", content={"currency": "USD"}, after=error.value))
    again = Follow("orders", "ORD_1", content={"currency": "EUR"})
    assert (shop.follower.correct(again), shop.follower.correct(again)) == (True, False)


@pytest.mark.parametrize("name", SHOWN)
def test_a_webhook_that_shows_another_call_calls_no_handler(name: str, shop: Shop) -> None:
    kind, other, foreign = SHOWN[name]
    opened(shop, kind)
    body = order() if kind == "orders" else refund()
    body["data"] |= other
    assert shop.deliver(body).outcome == ("noted" if foreign else "handled")
    assert len(shop.effects) == (not foreign)


def test_an_inquiry_without_the_amount_does_not_settle_another_call(shop: Shop) -> None:
    number = opened(shop, "orders")
    body = order()
    body["data"]["reference"] = "staging-7"
    assert shop.deliver(body).outcome == "noted"
    back = shows(shop, "orders", {})
    for _ in range(3):
        assert shop.run(number).asked == 1
        assert (shop.item(number).step, shop.effects) == ("decide", [])
    assert shop.deliver(order()).outcome == "noted"  # a webhook without a reference neither
    back()
    shows(shop, "orders", {"reference": "prod-900"})
    for _ in range(2):  # after a hint inquiries keep their distance
        shop.run(number)
    assert (shop.item(number).status, [one[:2] for one in shop.effects]) == ("settled", [("ORD_1", "SUCCESS")])


def test_a_spelling_that_the_answer_to_the_placing_call_showed_is_this_call(shop: Shop) -> None:
    shop.follower.open(None, shop.client.orders.follow("Ord_1", **CONTENT, unknown=True))
    shop.states.placing = lambda number: placed(number.upper())
    made = shop.client.orders.checkout(out_trade_no="Ord_1", user_id="u", **PLACING)
    assert made.out_trade_no == "ORD_1"
    assert shop.follower.placed("orders", made.out_trade_no) is True
    assert shop.follower.placed("orders", made.out_trade_no) is False
    assert shop.deliver(order("ORD_1")).outcome == "handled"
    assert (shop.item("Ord_1").status, shop.effects[0][0]) == ("settled", "Ord_1")
