"""Asking that settles nothing ends with a person, who is told why and what to do, and whose next step leads where it says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import product
from typing import Any, Final

import pytest

from paywright import (
    Client,
    FixedClock,
    GatewayError,
    InvalidArgument,
    Merchant,
    NotSent,
    OutcomeUnknown,
    Resolver,
    TooEarly,
    contract,
    operations,
)
from paywright_runtime.clock import Moment
from paywright_runtime.error_text import advised
from paywright_runtime.settling.resolution import ResolutionState, Step
from paywright_runtime.settling.stored_document import Owner, stored, taken_up
from paywright_runtime.signing.keys import KeyPair, load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from tests.runtime.helpers.client_calls import ORDER, REFUND
from tests.runtime.helpers.table_gateway import TableGateway
from tests.support.pairs import one_of

NOON: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
OWNER: Final = Owner({"app_id": "app_1"}, "https://gateway.example:443")
DAY: Final = 24 * 3600
CONTENT: Final = {"totalAmount": "10.50", "currency": "USD"}
KEYS: Final = {
    "orders.checkout": "outTradeNo",
    "refunds.create": "outRefundNo",
    "snap.cancel": "originalPartnerReferenceNo",
}
ASKS: Final = {"snap.cancel": {"serviceCode": "54"}}


class Asked:
    """A resolution, and the seconds since noon."""

    def __init__(self, write: str) -> None:
        content = CONTENT if write == "orders.checkout" else {}
        self.write = write
        self.seconds = 0.0
        self.state = ResolutionState(contract.CONTRACT, write, "KEY_1", ASKS.get(write, {}), NOON, content)

    @property
    def now(self) -> Moment:
        return Moment(NOON + timedelta(seconds=self.seconds), self.seconds)

    def after(self, seconds: float) -> Asked:
        self.seconds += seconds
        return self

    def step(self) -> Step:
        return self.state.step(self.now)

    def resumed(self) -> None:
        """Store it and go on with what was stored, as another process does."""
        self.state = taken_up(contract.CONTRACT, stored(self.state, OWNER), OWNER)

    def shown(self, **changes: object) -> None:
        self.state.found({KEYS[self.write]: "KEY_1", "latestTransactionStatus": "05", **changes}, self.now)


EVENTS: Final[dict[str, Callable[[Asked], object]]] = {
    "absent": lambda one: one.state.absent(one.now, one.now),
    "absent, with data": lambda one: one.state.contradictory("ORDER_NOT_EXIST", one.now),
    "without the key": lambda one: one.state.found({"refundFinishTime": "", "status": "SUCCESS"}, one.now),
    "unreadable": lambda one: one.state.unreadable({}, one.now),
    "unreadable, with the key": lambda one: one.state.unreadable({KEYS[one.write]: "KEY_1"}, one.now),
    "another key": lambda one: one.state.inconclusive("wrong_echo", one.now),
    "refused": lambda one: one.state.inconclusive("SYSTEM_BUSY", one.now, verified=True),
    "throttled": lambda one: one.state.inconclusive("TOO_MANY_REQUEST", one.now, verified=True),
    "not verified": lambda one: one.state.inconclusive("bad_signature", one.now),
    "no answer": lambda one: one.state.inconclusive("timeout", one.now),
    "not sent": lambda one: one.state.inconclusive("connection_failed", one.now),
}
"""All that a question may bring and that settles nothing."""


SILENT: Final = frozenset({"another key", "refused", "throttled", "not verified", "no answer", "not sent"})
"""Of these, what takes no earlier "not there" back."""


@pytest.mark.parametrize("stores", [pytest.param(False, marks=pytest.mark.slow), True], ids=["at once", "stored"])
@pytest.mark.parametrize("write", KEYS)
def test_whatever_settles_nothing_in_whatever_order_is_a_persons_after_a_day(write: str, stores: bool) -> None:
    for first, second, last in product(EVENTS, repeat=3):
        one = Asked(write)
        events: list[str] = []
        for event, seconds in ((first, 0), (second, 602), (last, DAY), (last, 602), (last, 602)):
            one.after(seconds)
            if stores:
                one.resumed()
            EVENTS[event](one)
            events += [] if event in SILENT else [event]
            state = one.step().state
            assert state in ("wait", "decide", "place_again"), (first, second, last)
            if state == "place_again":
                assert (write, events[-2:]) == ("orders.checkout", ["absent", "absent"]), (first, second, last)
        assert state == "decide", (first, second, last)
        before = one.step()
        one.resumed()
        assert one.step() == before
        one.shown()
        assert one.step().state == "settled", (first, second, last)


class Shop:
    """A client of the gateway of the table, and a program that does for days what its resolver's steps say."""

    def __init__(
        self, merchant: Merchant, keys: KeyPair, write: str = "orders.checkout", model: TableGateway | None = None
    ) -> None:
        self.clock = FixedClock(NOON) if model is None else model.clock
        self.model = TableGateway(_signed(keys), self.clock, contract.operation(write)) if model is None else model
        self.client = Client(
            base_url="http://127.0.0.1:1", merchant=merchant, clock=self.clock, retries=0, transport=self.model
        )

    def order(self, *, arrived: bool = False) -> Resolver[Any]:
        """An order whose call was lost, and its resolver."""
        self.model.how, self.model.takes_effect = "lost while waiting", arrived
        with pytest.raises(OutcomeUnknown) as ended:
            self.client.orders.checkout(**ORDER)
        return self.client.orders.resolve(ended.value)

    def run(self, resolver: Resolver[Any], days: float, ends: str | None = None) -> Step:
        """Go on for so many days; `ends` is how each call with a permission ends, None if there is none."""
        until = self.clock.now() + timedelta(days=days)
        while (step := resolver.step()).state != "settled" and self.clock.now() < until:
            if step.state == "place_again" and ends is not None:
                self.model.how, self.model.takes_effect = ends, False
                with pytest.raises((OutcomeUnknown, NotSent, GatewayError)):
                    self.client.orders.checkout(**ORDER, again=resolver.permission(store=lambda text: None))
            at = resolver.look().at
            assert at is not None
            self.clock.advance(max(timedelta(), at - self.clock.now()))
        return step


def _signed(keys: KeyPair) -> Callable[[bytes], str]:
    return cache(RsaSigner(load_private_key(keys.private_pem)).sign)


ENDLESS: Final[dict[str, str | None]] = {
    "each call is lost": "lost while waiting",
    "each call is refused": "code CURRENCY_INVALID",
    "nobody makes one": None,
}
"""How every call with a permission ends."""


@pytest.mark.parametrize("name", one_of(2, reversed(ENDLESS)))
def test_placing_again_without_end_is_a_persons(name: str, merchant: Merchant, gateway_keys: KeyPair) -> None:
    shop, ends = Shop(merchant, gateway_keys), ENDLESS[name]
    resolver = shop.order()
    step = shop.run(resolver, 1.1, ends)
    assert step.state == "decide"
    assert f"it was asked {step.asked} times since 2025-06-01T12:00:00+00:00, and no answer settles it" in step.why
    assert ("The permission to place it again was given" in step.why) == (ends is not None)
    assert advised("decide.not_there") in step.why
    with pytest.raises(TooEarly) as refused:
        resolver.permission(store=lambda text: None)
    assert refused.value.come_back_at is None
    calls = len(shop.model.sent)
    later = shop.run(resolver, 2, ends)
    assert (later.state, len(shop.model.sent), later.asked - step.asked) == ("decide", calls, 48)
    anew = shop.client.resolve(operations.ORDERS_CHECKOUT, key="ORD_1", content=CONTENT)
    assert anew.settle(within=0).state == "wait"
    shop.clock.advance(300)
    assert anew.step().state == "place_again"
    assert shop.client.orders.checkout(**ORDER, again=anew.permission(store=lambda text: None))
    assert (anew.step().state, resolver.look().state) == ("settled", "decide")
    assert shop.run(resolver, 1).state == "settled"
    assert set(shop.model.sent) == {"ORD_1"}


def test_a_day_without_an_answer_is_told(merchant: Merchant, gateway_keys: KeyPair, merchant_keys: KeyPair) -> None:
    wrong = Merchant(
        app_id=merchant.app_id, private_key=gateway_keys.private_pem, gateway_keys=[merchant_keys.public_pem]
    )
    shop = Shop(wrong, gateway_keys)
    resolver = shop.order(arrived=True)
    step = shop.run(resolver, 3)
    assert step.state == "decide"
    assert "the gateway key is not the right one" in step.why
    assert advised("decide.no_answer") in step.why
    assert step.asked < 400
    mended = Shop(merchant, gateway_keys, model=shop.model)
    shop.clock.advance(3600)
    assert mended.client.resume(resolver.to_json()).settle(within=0).state == "settled"


REASONS: Final = {
    "absent": ("refunds.query does not know 'KEY_1'", advised("decide.not_shown")),
    "without the key": ("was answered without the key, which says nothing of 'KEY_1'", advised("decide.not_shown")),
    "unreadable": ("a verified answer that cannot be read", advised("decide.not_shown")),
    "throttled": ("was answered TOO_MANY_REQUEST, which says neither", advised("decide.no_answer")),
    "another key": ("it repeats another key", advised("decide.no_answer")),
    "no answer": ("the deadline passed", advised("decide.no_answer")),
    "not sent": ("no connection could be made", advised("decide.no_answer")),
}  # fmt: skip


@pytest.mark.parametrize("event", REASONS)
def test_the_reason_says_what_was_asked_how_often_and_what_to_do(event: str) -> None:
    one = Asked("refunds.create")
    for seconds in (0, 10, DAY):
        EVENTS[event](one.after(seconds))
    step = one.step()
    assert step.state == "decide"
    for words in ("it was asked 3 times since 2025-06-01T12:00:00+00:00", *REASONS[event]):
        assert words in step.why


def test_a_mistyped_refund_says_so_and_after_a_day(merchant: Merchant, gateway_keys: KeyPair) -> None:
    shop = Shop(merchant, gateway_keys, "refunds.create")
    shop.model.how, shop.model.takes_effect = "foreign code", False  # ORDER_NOT_EXIST
    with pytest.raises(OutcomeUnknown, match="a number in the call may be wrong") as ended:
        shop.client.refunds.create(**REFUND)
    assert ended.value.reason == "foreign_code"
    resolver = shop.client.refunds.resolve(ended.value)
    means = (
        "refunds.create itself was answered ORDER_NOT_EXIST, with which orders.query says that the item does not exist"
        ": if its number in the call is wrong, nothing was given back"
    )
    assert means in resolver.step().why
    step = shop.run(shop.client.resume(resolver.to_json()), 1.1)
    assert step.state == "decide"
    assert means in step.why


@pytest.mark.parametrize("reason", ["foreign_code", "unproven_code"])
def test_a_code_that_proves_nothing_of_any_other_write_leads_to_its_numbers(reason: str) -> None:
    one = Asked("snap.cancel")
    error = OutcomeUnknown(operation="snap.cancel", reason=reason, key="KEY_1", code="4045701")
    assert "a number in the call may be wrong" in str(error)
    one.state.ended_with(error)
    EVENTS["absent"](one)
    assert (
        "snap.cancel itself was answered 4045701, which proves nothing: if it says that something is not there"
        in one.step().why
    )


@pytest.mark.parametrize("within", [-1, -0.001, float("nan"), float("-inf"), "900", None, True, timedelta(minutes=15)])
def test_settle_checks_its_time_first(within: Any, merchant: Merchant, gateway_keys: KeyPair) -> None:
    shop = Shop(merchant, gateway_keys)
    resolver = shop.client.orders.resolve(out_trade_no="ORD_1")
    with pytest.raises(InvalidArgument, match="within is a number of seconds, 0 or more"):
        resolver.settle(within=within)
    assert resolver.look().asked == 0
