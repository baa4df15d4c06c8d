"""An unknown outcome is settled by the query alone; only an order may be placed again, after the rule of 4.3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from canned_gateway import Gateway, Reply
from client_calls import ORDER, ORDER_CREATED, ORDER_FOUND

from paywright import (
    Client,
    ContractViolation,
    FixedClock,
    GatewayError,
    InvalidArgument,
    Merchant,
    NotSent,
    OutcomeUnknown,
    Resolver,
    SnapAsymmetric,
    Step,
    TooEarly,
    contract,
)
from paywright_runtime.clock import Moment
from paywright_runtime.exchange import Phase, RawAnswer, SignedRequest, TransportFailure
from paywright_runtime.resolving import Resolving

NOT_EXIST = Reply({"code": "ORDER_NOT_EXIST", "msg": ""})
FOUND = Reply(ORDER_FOUND)
FORGED = Reply({"code": "ORDER_NOT_EXIST", "msg": ""}, signed=False)
NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def clock(gateway: Gateway) -> FixedClock:
    """The client's clock, and the gateway's."""
    gateway.clock = clock = FixedClock(NOON)
    return clock


def nowhere(text: str) -> None:
    """Where a test stores a resolver that it does not go on with."""


@pytest.fixture
def shop(gateway: Gateway, merchant: Merchant, clock: FixedClock) -> Iterator[Client]:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    with Client(base_url=gateway.base_url, merchant=merchant, clock=clock, retries=0) as client:
        yield client


def placeable(shop: Client, gateway: Gateway, clock: FixedClock) -> Resolver[object]:
    resolver: Resolver[object] = shop.orders.resolve("ORD_1")  # type: ignore[assignment]  # what it finds is of no matter
    gateway.reply = NOT_EXIST
    resolver.step()
    clock.advance(300)
    assert resolver.step().state == "place_again"
    gateway.seen.clear()
    return resolver


def test_making_a_resolver_sends_nothing_and_its_first_step_asks(shop: Client, gateway: Gateway) -> None:
    resolver = shop.orders.resolve("ORD_1")
    assert resolver.look() == Step("query", NOON, "it is time to ask orders.query")
    assert not gateway.seen
    gateway.reply = FOUND
    assert resolver.step().state == "settled"
    assert resolver.result is not None
    assert resolver.result.status == "SUCCESS"
    assert [seen.json["data"] for seen in gateway.seen] == [{"outTradeNo": "ORD_1"}]
    resolver.step()
    assert len(gateway.seen) == 1


def test_only_a_second_not_exist_five_minutes_later_lets_an_order_be_placed_again(
    shop: Client, gateway: Gateway, clock: FixedClock
) -> None:
    resolver = shop.orders.resolve("ORD_1")
    gateway.reply = NOT_EXIST
    step = resolver.step()
    assert (step.state, step.at) == ("wait", NOON + timedelta(seconds=300))
    clock.advance(299.999)
    assert resolver.step().state == "wait"
    assert len(gateway.seen) == 1
    clock.advance(0.001)
    assert resolver.step().state == "place_again"
    gateway.reply = Reply(ORDER_CREATED)
    created = resolver.place_again(lambda key: shop.orders.checkout(**{**ORDER, "out_trade_no": key}), store=nowhere)
    assert created.redirect_url
    assert [seen.json["data"]["outTradeNo"] for seen in gateway.seen] == ["ORD_1"] * 3  # type: ignore[index]
    assert resolver.step().state == "settled"


def test_the_interval_runs_from_the_first_answer_to_the_second_question() -> None:
    """A question that was asked too early counts for nothing, however late its answer comes."""
    resolving = Resolving(contract.CONTRACT, "orders.checkout", "ORD_1", {}, NOON)

    def at(seconds: float) -> Moment:
        return Moment(NOON + timedelta(seconds=seconds), seconds)

    resolving.absent(at(0), at(10))
    resolving.absent(at(309), at(311))
    assert resolving.step(at(311)).state == "query"
    resolving.absent(at(311), at(312))
    assert resolving.step(at(312)).state == "place_again"


def test_placing_again_before_its_time_sends_nothing(shop: Client, gateway: Gateway, clock: FixedClock) -> None:
    resolver = shop.orders.resolve("ORD_1")
    gateway.reply = NOT_EXIST
    for _ in range(2):
        with pytest.raises(TooEarly) as caught:
            resolver.place_again(lambda key: shop.orders.checkout(**{**ORDER, "out_trade_no": key}), store=nowhere)
        resolver.step()
    assert caught.value.come_back_at == NOON + timedelta(seconds=300)
    assert len(gateway.seen) == 1


def test_a_permission_that_grew_old_is_asked_for_once_more(shop: Client, gateway: Gateway, clock: FixedClock) -> None:
    resolver = placeable(shop, gateway, clock)
    clock.advance(300)
    with pytest.raises(TooEarly):
        resolver.place_again(lambda key: key, store=nowhere)
    assert resolver.step().state == "place_again"
    assert len(gateway.seen) == 1


@pytest.mark.parametrize("reply", [FORGED, Reply(b"<html>", status=502), Reply({"code": "PARAMS_INVALID", "msg": ""})])
def test_anything_but_a_verified_not_exist_counts_for_nothing(
    shop: Client, gateway: Gateway, clock: FixedClock, reply: Reply
) -> None:
    resolver = shop.orders.resolve("ORD_1")
    gateway.reply = reply
    waits = []
    for _ in range(9):
        step = resolver.step()
        assert (step.state, resolver.result) == ("wait", None)
        assert resolver.error is not None
        assert step.at is not None
        waits.append((step.at - clock.now()).total_seconds())
        clock.advance(waits[-1])
    assert waits == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    gateway.reply = NOT_EXIST
    assert resolver.step().state == "wait"


def test_an_order_that_turns_up_between_two_not_exists_is_settled(
    shop: Client, gateway: Gateway, clock: FixedClock
) -> None:
    resolver = shop.orders.resolve("ORD_1")
    gateway.reply = NOT_EXIST
    resolver.step()
    clock.advance(300)
    gateway.reply = FOUND
    assert resolver.step().state == "settled"
    with pytest.raises(TooEarly):
        resolver.place_again(lambda key: key, store=nowhere)


def test_placing_under_another_key_is_refused_before_a_byte_leaves(
    shop: Client, gateway: Gateway, clock: FixedClock
) -> None:
    resolver = placeable(shop, gateway, clock)
    with pytest.raises(InvalidArgument, match="charge the payer twice"):
        resolver.place_again(lambda key: shop.orders.checkout(**{**ORDER, "out_trade_no": key + "_2"}), store=nowhere)
    assert not gateway.seen
    assert resolver.look().state == "place_again"
    gateway.reply = Reply(ORDER_CREATED)
    shop.orders.checkout(**{**ORDER, "out_trade_no": "ORD_1"})  # outside, every key is its caller's business


def test_a_placing_of_unknown_outcome_begins_anew(shop: Client, gateway: Gateway, clock: FixedClock) -> None:
    resolver = placeable(shop, gateway, clock)
    gateway.reply = Reply({"code": "ORDER_REPEAT", "msg": ""})
    with pytest.raises(OutcomeUnknown):
        resolver.place_again(lambda key: shop.orders.checkout(**{**ORDER, "out_trade_no": key}), store=nowhere)
    gateway.reply = NOT_EXIST
    assert resolver.step().state == "wait"  # what was known before the placing counts no longer


def test_a_placing_that_sent_nothing_or_was_refused_may_be_tried_again(
    shop: Client, gateway: Gateway, clock: FixedClock
) -> None:
    resolver = placeable(shop, gateway, clock)
    with pytest.raises(ContractViolation):
        resolver.place_again(
            lambda key: shop.orders.checkout(**{**ORDER, "out_trade_no": key, "currency": "usd"}), store=nowhere
        )
    gateway.reply = Reply({"code": "CURRENCY_INVALID", "msg": ""})
    with pytest.raises(GatewayError):
        resolver.place_again(lambda key: shop.orders.checkout(**{**ORDER, "out_trade_no": key}), store=nowhere)
    assert resolver.look().state == "place_again"


def test_refunds_and_exchanges_are_queried_and_never_repeated(
    shop: Client, gateway: Gateway, clock: FixedClock
) -> None:
    gateway.reply = NOT_EXIST
    for resolver in (shop.refunds.resolve("REF_1"), shop.exchanges.resolve("EXC_1")):
        for _ in range(12):
            step = resolver.step()
            assert step.state == "wait"
            assert step.at is not None
            clock.advance(step.at - clock.now())
        with pytest.raises(TooEarly):
            resolver.place_again(lambda key: key, store=nowhere)
        assert "proves nothing" in resolver.look().why or resolver.look().state == "query"


def test_a_cancel_is_done_only_when_the_status_says_so(shop: Client, gateway: Gateway, clock: FixedClock) -> None:
    resolver = shop.snap.resolve("OPR1", service_code="54")

    def status(code: str) -> Reply:
        shown = {"originalPartnerReferenceNo": "OPR1", "latestTransactionStatus": code}
        return Reply({**contract.CONTRACT.example("snap.status.response"), **shown})

    gateway.reply = status("00")
    step = resolver.step()
    assert (step.state, step.at) == ("decide", NOON + timedelta(hours=1))
    assert "latestTransactionStatus 00, which is final: snap.cancel did not take effect" in step.why
    assert resolver.result is not None
    assert gateway.seen[0].json["serviceCode"] == "54"
    gateway.reply = status("03")
    clock.advance(3600)
    step = resolver.step()
    assert step.state == "wait"
    assert "does not say that snap.cancel took effect" in step.why
    clock.advance(600)
    gateway.reply = status("05")
    assert resolver.step().state == "settled"


def test_what_has_no_query_says_so_and_is_never_placed_again(shop: Client, gateway: Gateway) -> None:
    resolver = shop.subscriptions.resolve("SREQ_1")
    step = resolver.step()
    assert (step.state, step.at) == ("no_query", None)
    assert "no query for subscriptions.create" in step.why
    with pytest.raises(TooEarly):
        resolver.place_again(lambda key: key, store=nowhere)
    assert not gateway.seen


def test_a_resolver_is_stored_without_a_body_and_resumed_elsewhere(
    shop: Client, gateway: Gateway, merchant: Merchant, clock: FixedClock
) -> None:
    resolver = shop.orders.resolve("ORD_1")
    gateway.reply = NOT_EXIST
    resolver.step()
    text = resolver.to_json()
    stored = json.loads(text)
    assert set(stored) == {
        "paywright_resolving", "merchant", "address", "operation", "key", "asks", "content", "started_at", "next_at",
        "absent_at", "absent_dated", "asked", "answers", "failures", "claimed", "settled", "decide", "last",
    }  # fmt: skip
    clock.advance(301)
    with Client(base_url=gateway.base_url, merchant=merchant, clock=clock, retries=0) as elsewhere:
        again = elsewhere.resume(text)
        assert again.step().state == "place_again"
        third = elsewhere.resume(again.to_json())
        assert third.look().state == "query", "a permission is not handed on: it is asked once more, at once"
        assert third.step().state == "place_again"
        gateway.reply = FOUND
        assert elsewhere.resume(text).step().state == "settled"
    snap = shop.snap.resolve("OPR1", service_code="54")
    assert shop.resume(snap.to_json()).to_json() == snap.to_json()


@pytest.mark.parametrize(
    "change",
    [
        {"paywright_resolving": 1},
        {"paywright_resolving": 3},
        {"paywright_resolving": "2"},
        {"merchant": {"app_id": "another"}},
        {"merchant": {}},
        {"address": "http://127.0.0.1:1"},
        {"content": {"totalAmount": 10}},
        {"content": {"subject": "Two tickets"}},
        {"operation": "orders.query"},
        {"operation": "orders.nothing"},
        {"operation": None},
        {"key": ""},
        {"key": 7},
        {"key": "x" * 64},
        {"asks": ["a"]},
        {"asks": {"a": 1}},
        {"started_at": "2025-06-01T12:00:00"},
        {"next_at": None},
        {"absent_at": "yesterday"},
        {"absent_dated": 7},
        {"asked": True},
        {"claimed": 1},
        {"decide": None},
        {"failures": -1},
        {"settled": "no"},
        {"last": None},
        {"operation": "refunds.create", "absent_at": "2025-06-01T12:00:00+00:00"},
    ],
)
def test_what_was_not_stored_by_a_resolver_is_refused(shop: Client, change: dict[str, object]) -> None:
    stored = json.loads(shop.orders.resolve("ORD_1").to_json())
    with pytest.raises(InvalidArgument):
        shop.resume(json.dumps({**stored, **change}))
    for text in ("", "{", "[]", "null", "{}", "[" * 100_000):
        with pytest.raises(InvalidArgument):
            shop.resume(text)


def test_reads_have_nothing_to_resolve_and_keys_are_texts_that_can_be_queried(shop: Client) -> None:
    with pytest.raises(InvalidArgument, match="only reads"):
        shop.resolve("orders.query", "ORD_1")
    with pytest.raises(InvalidArgument, match="at most 63"):
        shop.orders.resolve("x" * 64)
    assert shop.resolve("refunds.create", "REF_1").key == "REF_1"


def test_a_clock_that_went_back_proves_nothing(shop: Client, gateway: Gateway, merchant: Merchant) -> None:
    gateway.reply = NOT_EXIST
    resolver = shop.orders.resolve("ORD_1")
    resolver.step()
    earlier = FixedClock(NOON - timedelta(hours=1))
    with Client(base_url=gateway.base_url, merchant=merchant, clock=earlier) as client:
        again = client.resume(resolver.to_json())
        step = again.step()
        assert step.state == "wait"  # asked within the longest pause, although the stored time is an hour away
        earlier.advance(600)
        gateway.clock = FixedClock(NOON + timedelta(seconds=600))
        assert again.step().state == "place_again"  # the gateway's own clock says how long it took


def test_a_query_that_cannot_be_sent_is_tried_later(shop: Client, merchant: Merchant, clock: FixedClock) -> None:
    class Nowhere:
        def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
            raise TransportFailure(Phase.CONNECTING, "connection_failed")

        def close(self) -> None:
            pass

    with Client(
        base_url="http://127.0.0.1:9", merchant=merchant, clock=clock, transport=Nowhere(), retries=0
    ) as client:
        resolver = client.orders.resolve("ORD_1")
        assert resolver.step().state == "wait"
        assert isinstance(resolver.error, NotSent)
