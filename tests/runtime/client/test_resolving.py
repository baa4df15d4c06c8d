"""An unknown outcome is settled by the query alone; only an order may be placed again, after the rule of 4.3."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest

from paywright import (
    AlreadyPlaced,
    Client,
    FixedClock,
    InvalidArgument,
    Merchant,
    OutcomeUnknown,
    PaywrightError,
    Resolver,
    SnapAsymmetric,
    Step,
    TooEarly,
    contract,
    operations,
)
from paywright_runtime.clock import Moment
from paywright_runtime.error_text import ADVICE
from paywright_runtime.settling.resolution import ResolutionState
from paywright_runtime.settling.stored_document import RESOLVING, Owner, stored, taken_up
from paywright_runtime.signing.keys import KeyPair
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER, ORDER_FOUND

NOT_EXIST = Reply({"code": "ORDER_NOT_EXIST", "msg": ""})
FOUND = Reply(ORDER_FOUND)
NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def clock(gateway: Gateway) -> FixedClock:
    """The client's clock, and the gateway's."""
    gateway.clock = clock = FixedClock(NOON)
    return clock


CONTENT: dict[str, Any] = {"total_amount": Decimal("10.50"), "currency": "USD"}
ASKED = {"totalAmount": "10.50", "currency": "USD"}


def nowhere(text: str) -> None:
    """Where a test stores a resolver that it does not go on with."""


@pytest.fixture
def shop(gateway: Gateway, merchant: Merchant, clock: FixedClock) -> Iterator[Client]:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    with Client(base_url=gateway.base_url, merchant=merchant, clock=clock, retries=0) as client:
        yield client


def placeable(shop: Client, gateway: Gateway, clock: FixedClock) -> Resolver[object]:
    resolver: Resolver[object] = shop.orders.resolve(out_trade_no="ORD_1", **CONTENT)  # type: ignore[assignment]  # what it finds is of no matter
    gateway.reply = NOT_EXIST
    resolver.step()
    clock.advance(300)
    assert resolver.step().state == "place_again"
    gateway.seen.clear()
    return resolver


def test_only_where_an_absence_counts_it_is_asked_for_over_a_fresh_connection(
    shop: Client, gateway: Gateway, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of two, and each after a permission was given: no older one may come in its place."""
    fresh: list[bool] = []
    send = shop._transport.send
    monkeypatch.setattr(
        shop._transport, "send", lambda request, deadline: fresh.append(request.fresh) or send(request, deadline)
    )
    gateway.reply = NOT_EXIST
    refund = shop.refunds.resolve(out_refund_no="REF_1")
    for _ in range(3):
        refund.step()
        clock.advance(300)
    assert fresh == [False, False, False]
    fresh.clear()
    resolver = placeable(shop, gateway, clock)
    resolver.permission(store=nowhere)
    resolver.step()
    clock.advance(300)
    shop.resume(resolver.to_json()).step()
    assert fresh == [False, True, True, True]


def test_making_a_resolver_sends_nothing_and_its_first_step_asks(shop: Client, gateway: Gateway) -> None:
    resolver = shop.orders.resolve(out_trade_no="ORD_1", **CONTENT)
    assert resolver.look() == Step("query", NOON, "it is time to ask orders.query")
    assert not gateway.seen
    gateway.reply = FOUND
    assert resolver.step().state == "settled"
    assert resolver.result is not None
    assert resolver.result.status == "SUCCESS"
    assert [seen.json["data"] for seen in gateway.seen] == [{"outTradeNo": "ORD_1"}]
    resolver.step()
    assert len(gateway.seen) == 1


def test_the_interval_runs_from_the_first_answer_to_the_second_question() -> None:
    """A question that was asked too early counts for nothing, however late its answer comes."""
    resolving = ResolutionState(contract.CONTRACT, "orders.checkout", "ORD_1", {}, NOON, ASKED)

    def at(seconds: float) -> Moment:
        return Moment(NOON + timedelta(seconds=seconds), seconds)

    resolving.absent(at(0), at(10))
    resolving.absent(at(309), at(311))
    assert resolving.step(at(311)).state == "query"
    resolving.absent(at(311), at(312))
    step = resolving.step(at(312))
    assert (step.state, step.at) == ("place_again", NOON + timedelta(seconds=612))


class Clocks:
    """Moments by the clocks of one host: seconds since noon in truth, and how far its wall clock is off."""

    def __init__(self, off: float = 0.0) -> None:
        self.off = off

    def at(self, seconds: float) -> Moment:
        return Moment(NOON + timedelta(seconds=seconds + self.off), 1000 + seconds)


def dated(seconds: float) -> datetime:
    """What a `Date` header says then: whole seconds."""
    return (NOON + timedelta(seconds=seconds)).replace(microsecond=0)


def order(clocks: Clocks) -> ResolutionState:
    return ResolutionState(contract.CONTRACT, "orders.checkout", "ORD_1", {}, clocks.at(0).wall, ASKED)


def elsewhere(resolving: ResolutionState) -> ResolutionState:
    owner = Owner({"app_id": "app_1"}, "https://gateway.example:443")
    return taken_up(contract.CONTRACT, stored(resolving, owner), owner)


# What happens at which second, how far the wall clock is off then, and whether placing again is permitted afterwards. `dated`: an
# absence that the gateway dates.
CLOCKS: dict[str, list[tuple[str, float, float, bool]]] = {
    "one that leaps does not shorten the interval within a process": [
        ("absent", 0, 0, False), ("absent", 1, 300, False), ("absent", 300, 300, True)],
    "one that goes back does not lengthen a permission": [
        ("absent", 0, 0, False), ("absent", 300, 0, True), ("look", 401, -100, True), ("look", 600, -100, False)],
    "one that leaps ends a permission": [("absent", 0, 0, False), ("absent", 300, 0, True), ("look", 301, 300, False)],
    "one that goes back behind a permission ends it": [
        ("absent", 0, 0, False), ("absent", 300, 0, True), ("look", 350, -100, False)],
    "one that goes back within a process begins the interval anew": [
        ("dated", 0, 0, False), ("look", 50, -100, False), ("dated", 300, 0, False), ("dated", 600, 0, True)],
    "a host that is behind and gets no date begins anew": [
        ("dated", 0, 0, False), ("elsewhere", 0, 0, False), ("absent", 300, -400, False), ("absent", 500, -400, False),
        ("absent", 600, -400, True)],
    "a host that is behind keeps an absence that the gateway dated": [
        ("dated", 0, 0, False), ("elsewhere", 10, -400, False), ("dated", 302, -400, True)],
}  # fmt: skip


@pytest.mark.parametrize("story", CLOCKS.values(), ids=CLOCKS)
def test_a_wall_clock_that_is_wrong_permits_nothing_sooner_or_longer(
    story: list[tuple[str, float, float, bool]],
) -> None:
    resolving = order(Clocks())
    for what, seconds, off, permitted in story:
        now = Clocks(off).at(seconds)
        if what == "elsewhere":
            resolving = elsewhere(resolving)
        elif what != "look":
            resolving.absent(now, now, dated(seconds) if what == "dated" else None)
        assert (resolving.step(now).state == "place_again") is permitted, (what, seconds)


@pytest.mark.parametrize(
    ("asked", "answered", "permitted"),
    [(299.95, 300.0, False), (300.5, 300.95, False), (301.0, 311.2, False), (302.0, 302.0, True)],
)
def test_whole_seconds_and_slow_answers_shorten_nothing(asked: float, answered: float, permitted: bool) -> None:
    """The first answer came at 0.9, and its `Date` says 0; the second's says when it came, and it was asked for before."""
    here, there = Clocks(), Clocks(off=-1)
    first = order(here)
    first.absent(here.at(0.5), here.at(0.9), dated(0.9))
    second = elsewhere(first)
    second.absent(there.at(asked), there.at(answered), dated(answered))
    assert (second.step(there.at(answered)).state == "place_again") == permitted


def test_what_has_no_query_says_so_and_is_never_placed_again(shop: Client, gateway: Gateway) -> None:
    resolver = shop.subscriptions.resolve(subscription_request_id="SREQ_1")
    step = resolver.step()
    assert (step.state, step.at) == ("no_query", None)
    assert "the contract has no query for it" in step.why
    with pytest.raises(TooEarly):
        resolver.permission(store=nowhere)
    assert not gateway.seen


@pytest.mark.parametrize(
    "change",
    [
        {"paywright_resolving": 0}, {"paywright_resolving": 2}, {"paywright_resolving": "1"},
        {"merchant": {"app_id": "another"}},
        {"merchant": {}},
        {"address": "http://127.0.0.1:1"},
        {"content": {"totalAmount": 10}},
        {"content": {"subject": "Two tickets"}},
        {"operation": "orders.query"}, {"operation": "orders.nothing"}, {"operation": None}, {"key": ""}, {"key": 7},
        {"key": "x" * 64},
        {"asks": ["a"]},
        {"asks": {"a": 1}},
        {"started_at": "2025-06-01T12:00:00"}, {"next_at": None}, {"absent_at": "yesterday"}, {"absent_dated": 7},
        {"asked": True}, {"claimed": 1}, {"decide": None}, {"failures": -1}, {"placings": None}, {"code": 7},
        {"unknown": "no"}, {"last": None},
    ],
)  # fmt: skip
def test_what_was_not_stored_by_a_resolver_is_refused(shop: Client, change: dict[str, object]) -> None:
    written = json.loads(shop.orders.resolve(out_trade_no="ORD_1", **CONTENT).to_json())
    with pytest.raises(InvalidArgument):
        shop.resume(json.dumps({**written, **change}))
    for text in ("", "{", "[]", "null", "{}", "[" * 100_000):
        with pytest.raises(InvalidArgument):
            shop.resume(text)


def test_an_absence_that_permits_nothing_was_not_stored_by_a_resolver(shop: Client) -> None:
    written = json.loads(shop.resolve(operations.REFUNDS_CREATE, key="REF_1").to_json())
    assert shop.resume(json.dumps(written)).key == "REF_1"
    with pytest.raises(InvalidArgument):
        shop.resume(json.dumps({**written, "absent_at": "2025-06-01T12:00:00+00:00"}))


def test_reads_have_nothing_to_resolve_and_keys_are_texts_that_can_be_queried(shop: Client) -> None:
    with pytest.raises(InvalidArgument, match="only reads"):
        shop.resolve_by_name("orders.query", key="ORD_1")
    with pytest.raises(InvalidArgument, match="at most 63"):
        shop.orders.resolve(out_trade_no="x" * 64)
    assert shop.resolve(operations.REFUNDS_CREATE, key="REF_1").key == "REF_1"
    assert shop.orders.resolve(out_trade_no="x" * 63).key == "x" * 63


def test_a_clock_that_went_back_proves_nothing(shop: Client, gateway: Gateway, merchant: Merchant) -> None:
    gateway.reply = NOT_EXIST
    resolver = shop.orders.resolve(out_trade_no="ORD_1", **CONTENT)
    resolver.step()
    earlier = FixedClock(NOON - timedelta(hours=1))
    with Client(base_url=gateway.base_url, merchant=merchant, clock=earlier) as client:
        again = client.resume(resolver.to_json())
        step = again.step()
        assert step.state == "wait"  # asked within the longest pause, although the stored time is an hour away
        earlier.advance(600)
        gateway.clock = FixedClock(NOON + timedelta(seconds=600))
        assert again.step().state == "place_again"  # the gateway's own clock says how long it took


def away(gateway: Gateway, merchant: Merchant, clock: FixedClock, **settings: Any) -> Client:
    return Client(**{"base_url": gateway.base_url, "merchant": merchant, "clock": clock, "retries": 0} | settings)


def test_the_gateways_clock_measures(shop: Client, gateway: Gateway, merchant: Merchant, clock: FixedClock) -> None:
    """Another host whose clock is four minutes ahead does not shorten the five minutes."""
    gateway.reply = NOT_EXIST
    resolver = shop.orders.resolve(out_trade_no="ORD_1", **CONTENT)
    resolver.step()
    ahead = FixedClock(NOON + timedelta(seconds=240))
    with away(gateway, merchant, ahead) as other:
        again = other.resume(resolver.to_json())
        for seconds in (60, 60, 119):
            for each in (clock, ahead):
                each.advance(seconds)
            assert again.step().state == "wait"
        for each in (clock, ahead):
            each.advance(62)
        assert again.step().state == "place_again"


def test_without_a_date_it_waits_twice(shop: Client, gateway: Gateway, merchant: Merchant, clock: FixedClock) -> None:
    gateway.reply = Reply({"code": "ORDER_NOT_EXIST", "msg": ""}, headers={"Date": "yesterday"})  # two of them are none
    resolver = shop.orders.resolve(out_trade_no="ORD_1", **CONTENT)
    resolver.step()
    with away(gateway, merchant, clock) as other:
        again = other.resume(resolver.to_json())
        clock.advance(301)
        step = again.step()
        assert (step.state, step.at) == ("wait", NOON + timedelta(seconds=600))
        clock.advance(299)
        assert again.step().state == "place_again"


def test_a_gateways_clock_going_back_begins_anew(shop: Client, gateway: Gateway, clock: FixedClock) -> None:
    gateway.reply = NOT_EXIST
    resolver = shop.orders.resolve(out_trade_no="ORD_1", **CONTENT)
    resolver.step()
    clock.advance(300)
    gateway.clock = FixedClock(NOON - timedelta(seconds=1))
    assert resolver.step().state == "wait"
    clock.advance(300)
    assert resolver.step().state == "place_again"


def test_a_stored_future_time_delays_by_the_longest_pause(shop: Client, gateway: Gateway, clock: FixedClock) -> None:
    written = json.loads(shop.orders.resolve(out_trade_no="ORD_1", **CONTENT).to_json())
    later = (NOON + timedelta(days=400)).isoformat()
    resolver = shop.resume(json.dumps({**written, "started_at": later, "next_at": later}))
    assert resolver.look().at == NOON + timedelta(seconds=600)
    clock.advance(600)
    gateway.reply = FOUND
    assert resolver.step().state == "settled"


def test_a_resolver_belongs_to_a_merchant_and_an_address_and_says_so(
    shop: Client, gateway: Gateway, merchant: Merchant, clock: FixedClock, merchant_keys: KeyPair
) -> None:
    text = shop.orders.resolve(out_trade_no="ORD_1", **CONTENT).to_json()
    stranger = Merchant(app_id="app_9", private_key=merchant_keys.private_pem, gateway_keys=merchant.verifier)
    with (
        away(gateway, stranger, clock) as other,
        pytest.raises(InvalidArgument, match=r"belongs to app_id app_1.* this client is app_id app_9 at http://127"),
    ):
        other.resume(text)
    with (
        away(gateway, merchant, clock, base_url="http://127.0.0.1:1/test") as elsewhere,
        pytest.raises(InvalidArgument, match=r"at http://127.0.0.1:1/test\. .*resolve\(key\)"),
    ):
        elsewhere.resume(text)
    port = gateway.base_url.rpartition(":")[2]
    with away(gateway, merchant, clock, base_url=f"HTTP://127.0.0.1:{port}/") as same:
        assert same.resume(text).look().state == "query"


def test_a_resolver_of_another_version_is_refused_with_words(shop: Client) -> None:
    written = json.loads(shop.orders.resolve(out_trade_no="ORD_1", **CONTENT).to_json())
    with pytest.raises(InvalidArgument, match=r"stored by another version of the library.*resolve"):
        shop.resume(json.dumps({**written, "paywright_resolving": RESOLVING.version + 1}))


@pytest.mark.parametrize("shown", ["ORD_1795877794069", "ord_1795877794069"])
def test_a_key_of_this_program_is_shown_whole_as_its_errors_show_it(shop: Client, gateway: Gateway, shown: str) -> None:
    """Milliseconds have as many digits as a card number."""
    gateway.reply = Reply({**ORDER_FOUND, "data": {**ORDER_FOUND["data"], "outTradeNo": shown}})
    step = shop.orders.resolve(out_trade_no="ORD_1795877794069", total_amount=Decimal("11.00"), currency="USD").step()
    assert f"the gateway shows {shown!r} with" in step.why


@pytest.mark.parametrize(
    "content", [{"subject": "Two"}, {"totalAmount": 10.5}, {"totalAmount": "much"}, {"currency": b"USD"}]
)
def test_content_that_cannot_be_compared_is_refused(shop: Client, content: dict[str, object]) -> None:
    with pytest.raises(InvalidArgument):
        shop.resolve(operations.ORDERS_CHECKOUT, key="ORD_1", content=content)


@pytest.mark.parametrize("key", ["", None, 5, b"ORD_1"])
def test_a_key_is_a_text(shop: Client, key: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"outTradeNo is the text under which orders\.checkout was called"):
        shop.orders.resolve(out_trade_no=key)


def test_the_error_of_another_call_is_refused_and_that_of_this_one_counts(shop: Client, gateway: Gateway) -> None:
    gateway.reply = Reply({"code": "ORDER_REPEAT", "msg": ""})
    with pytest.raises(AlreadyPlaced) as caught:
        shop.orders.checkout(**ORDER)
    with pytest.raises(InvalidArgument, match="the error of the same call"):
        shop.refunds.resolve(caught.value)
    for resolver in (shop.orders.resolve(caught.value), shop.resolve(operations.ORDERS_DROP_IN, caught.value)):
        assert resolver.key == "ORD_1"
        written = json.loads(resolver.to_json())
        assert written["claimed"] is True
        assert written["content"] == {"totalAmount": "10.5", "currency": "USD"}


@pytest.mark.parametrize(
    "given", [("TT1",), (), (PaywrightError("of no call"),)]  # a trade token, say: a text is not the error of a call
)
def test_a_resolver_takes_an_error_or_a_key_by_its_name_and_nothing_else(shop: Client, given: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidArgument, match=r"Nothing was sent|outTradeNo is the text"):
        shop.orders.resolve(*given)


@pytest.mark.parametrize("known", [{"out_trade_no": "ORD_1"}, {"total_amount": Decimal("10.50")}, {"currency": "USD"}])
def test_what_an_error_knows_is_not_given_again(shop: Client, gateway: Gateway, known: dict[str, Any]) -> None:
    gateway.reply = Reply({"code": "SYSTEM_ERROR", "msg": ""})
    with pytest.raises(OutcomeUnknown) as caught:
        shop.orders.checkout(**ORDER)
    with pytest.raises(InvalidArgument, match="nothing that it knows itself"):
        shop.orders.resolve(caught.value, **known)
    stored = pickle.loads(pickle.dumps(caught.value))
    assert shop.orders.resolve(stored).to_json() == shop.orders.resolve(caught.value).to_json()


class Number(StrEnum):
    """A key whose name and text differ."""

    ORDER = "ORD_1"

    def __str__(self) -> str:
        return "order one"


class Labelled(str):
    """A key that prints as something else."""

    def __str__(self) -> str:
        return "order one"


@pytest.mark.parametrize("key", [Number.ORDER, Labelled("ORD_1")])
def test_a_key_is_one_text(shop: Client, gateway: Gateway, caplog: pytest.LogCaptureFixture, key: str) -> None:
    gateway.reply = Reply({"code": "SYSTEM_ERROR", "msg": ""})
    with caplog.at_level("WARNING", "paywright"), pytest.raises(OutcomeUnknown) as caught:
        shop.orders.checkout(**{**ORDER, "out_trade_no": key})
    keys = {caught.value.key, shop.orders.resolve(out_trade_no=key).key, shop.orders.follow(key).key}
    assert keys == {"ORD_1"}
    assert type(caught.value.key) is str
    assert "orders.checkout ORD_1: attempt" in caplog.text
    assert gateway.seen[-1].json["data"]["outTradeNo"] == "ORD_1"


@pytest.mark.parametrize(
    "data", [{"outTradeNo": "ORD_1", "status": "SUCCESS"}, {"status": "SUCCESS"}, {}], ids=["paid", "no key", "empty"]
)
def test_data_voids_an_absence(shop: Client, gateway: Gateway, clock: FixedClock, data: dict[str, object]) -> None:
    resolver = shop.orders.resolve(out_trade_no="ORD_1", **CONTENT)
    gateway.reply = NOT_EXIST
    assert "does not know" in resolver.step().why
    gateway.reply = Reply({"code": "ORDER_NOT_EXIST", "msg": "", "data": data})
    clock.advance(300)
    step = resolver.step()
    assert step.state == "wait"
    assert "with data beside it" in step.why
    gateway.reply = NOT_EXIST
    clock.advance(300)
    assert resolver.step().state == "wait"  # the first absence of two
    clock.advance(300)
    assert resolver.step().state == "place_again"


def at(seconds: float) -> Moment:
    return Clocks().at(seconds)


def test_what_cannot_be_read_has_the_key_only_where_it_shows_it() -> None:
    for payload, claimed in (
        (None, False),
        ({}, False),
        ({"status": "SUCCESS"}, False),
        ({"outTradeNo": ""}, False),
        ({"outTradeNo": None}, False),
        ({"outTradeNo": "ORD_1"}, True),
    ):
        resolving = order(Clocks())
        resolving.unreadable(payload, at(0))
        assert resolving.claimed is claimed, payload
        assert (resolving.asked, resolving.answers, resolving.failures) == (1, 1, 0)


@pytest.mark.parametrize(
    ("shown", "state", "words"),
    [
        ({}, "wait", "shows no latestTransactionStatus, which does not say that snap.cancel took effect"),
        ({"latestTransactionStatus": "03"}, "wait", "which does not say that snap.cancel took effect"),
        ({"latestTransactionStatus": "00"}, "decide", "latestTransactionStatus 00, which is final: snap.cancel did not take effect"),
    ],
)  # fmt: skip
def test_an_answer_without_the_state_that_says_done_settles_nothing(
    shown: dict[str, object], state: str, words: str
) -> None:
    resolving = ResolutionState(contract.CONTRACT, "snap.cancel", "KEY_1", {}, NOON)
    resolving.found({"originalPartnerReferenceNo": "KEY_1", **shown}, at(0))
    step = resolving.step(at(0))
    assert (step.state, step.at, resolving.claimed) == (state, at(5).wall, True)
    assert words in step.why


def test_a_permission_is_not_handed_on_but_asked_for_once_more_at_once() -> None:
    resolving = order(Clocks())
    for seconds in (0, 300):
        resolving.absent(at(seconds), at(seconds))
    assert resolving.step(at(300)).state == "place_again"
    assert elsewhere(resolving).step(at(301)).state == "query"


def test_another_calls_key_is_never_placed_again_when_absent() -> None:
    content = {"totalAmount": "11", "currency": "USD"}
    resolving = ResolutionState(contract.CONTRACT, "orders.checkout", "ORD_1", {}, NOON, content)
    resolving.found(
        {"outTradeNo": "ORD_1", "status": "SUCCESS", "trade": {"amount": "10.50", "currency": "USD"}}, at(0)
    )
    assert (resolving.step(at(0)).state, resolving.claimed) == ("decide", True)
    for seconds in (10, 400, 4000, 90_000):
        resolving.absent(at(seconds), at(seconds))
        assert resolving.step(at(seconds)).state in ("wait", "decide")
    assert resolving.permitted is None


def test_a_day_of_answers_that_settle_nothing_is_for_somebody_to_decide() -> None:
    day = 24 * 3600
    resolving = ResolutionState(contract.CONTRACT, "refunds.create", "REF_1", {}, NOON)
    resolving.absent(at(0), at(0))
    resolving.absent(at(day - 1), at(day - 1))
    resolving.absent(at(day - 0.001), at(day - 0.001))
    assert resolving.step(at(day - 0.001)).state == "wait", "the third answer came within the day"
    resolving.absent(at(day), at(day))
    step = resolving.step(at(day))
    assert (step.state, step.at, step.asked) == ("decide", at(day + 3600).wall, 4)
    assert "it was asked 4 times since 2025-06-01T12:00:00+00:00" in step.why
    assert ADVICE["unknown"] in step.why


def test_a_day_of_few_answers_is_waited_for() -> None:
    day = 24 * 3600
    resolving = ResolutionState(contract.CONTRACT, "refunds.create", "REF_1", {}, NOON)
    for seconds in (day, day + 300):
        resolving.absent(at(seconds), at(seconds))
        assert resolving.step(at(seconds)).state == "wait"
    resolving.inconclusive("timeout", at(day + 600))
    assert resolving.step(at(day + 600)).state == "wait", "what is not verified is no answer"
    resolving.absent(at(day + 900), at(day + 900))
    assert resolving.step(at(day + 900)).state == "decide"


def test_pauses_grow_with_answers_and_start_anew_with_the_first_failure() -> None:
    resolving = ResolutionState(contract.CONTRACT, "refunds.create", "REF_1", {}, NOON)
    pauses = []
    for said in ("absent",) * 3 + ("nothing",) * 3 + ("absent",) * 3:
        if said == "absent":
            resolving.absent(at(0), at(0))
        else:
            resolving.inconclusive("timeout", at(0))
        pauses.append((resolving.next_at - NOON).total_seconds())
    assert pauses == [5, 10, 20, 5, 10, 20, 300, 300, 300]
    assert (resolving.asked, resolving.answers, resolving.failures) == (9, 6, 0)


def test_a_second_order_lives_through_the_same_rule_as_the_first() -> None:
    """Absent, absent, placed with an unknown end, and all of it once more: nothing of the first round counts in the second."""
    resolving = order(Clocks())
    for start in (0, 1000, 2000):
        resolving.absent(at(start), at(start))
        assert resolving.step(at(start)).state == "wait"
        assert resolving.step(at(start + 299.999)).state == "wait"
        assert resolving.step(at(start + 300)).state == "query"
        resolving.absent(at(start + 300), at(start + 300))
        assert resolving.step(at(start + 300)).state == "place_again"
        assert resolving.step(at(start + 599.999)).state == "place_again"
        used = resolving.after_giving(at(start + 400), timedelta(seconds=30))
        used.placed_again("unknown", at(start + 400))
        assert used.step(at(start + 400)).state == "query"
        assert (used.absence, used.permitted, used.failures) == (None, None, 0)
        assert used.asked == resolving.asked
        assert resolving.step(at(start + 400)).state == "place_again", "the copy is another"
        assert resolving.step(at(start + 600)).state == "query"
        resolving = used
    resolving.absent(at(3000), at(3000))
    resolving.found({"outTradeNo": "ORD_1", "trade": {}}, at(3300))
    assert resolving.step(at(3300)).state == "settled"
