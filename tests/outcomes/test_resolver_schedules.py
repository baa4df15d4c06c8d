"""Whatever happens in whatever order, an order is placed again only after the rule of 4.3, and nothing else ever is.

A schedule interleaves programs that share nothing but stored JSON, of which each may hold an old copy; the clock runs, leaps
and goes back; queries are answered truly, falsely or not at all, with a `Date` of the gateway's or without one.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright import (
    Client,
    GatewayError,
    NotSent,
    OutcomeUnknown,
    PaywrightError,
    Permission,
    Resolver,
    Step,
    TooEarly,
)
from paywright_runtime.signing.keys import KeyPair
from tests.outcomes.schedules import SAYINGS, Saying, Scripted, TurnedClock, Witness, scripted_client
from tests.sandbox.helpers.place import place
from tests.support.examples import examples

Write = Literal["order", "refund", "exchange", "cancel", "subscription"]

seconds = st.sampled_from(
    [0.0, 0.5, 4.0, 5.0, 60.0, 150.0, 299.0, 299.999, 300.0, 300.001, 301.0, 599.0, 600.0, 3600.0]
)
back = st.sampled_from([0.001, 1.0, 100.0, 300.0, 301.0, 86400.0])
holders = st.integers(0, 3)
ACTIONS = st.one_of(
    st.tuples(st.just("step"), holders, st.sampled_from(SAYINGS), seconds),
    st.tuples(st.just("step"), holders, st.just("absent"), st.just(0.0)),
    st.tuples(st.just("run"), seconds),
    st.tuples(st.just("until due"), holders),
    st.tuples(st.just("back"), back),
    st.tuples(st.just("back while asking"), holders, back),
    st.tuples(st.just("store and resume"), holders, holders),
    st.tuples(st.just("crash"), holders),
    st.tuples(st.just("permit"), holders),
    st.tuples(st.just("place"), holders, st.sampled_from(SAYINGS)),
)
LEAP = st.tuples(st.just("leap"), st.sampled_from([1.0, 299.0, 300.0, 3600.0]))


class World:
    """One key, and the programs that hold a resolver for it."""

    def __init__(self, keys: KeyPair, write: Write, *, truly: bool, dated: bool = True) -> None:
        self.clock = TurnedClock()
        self.witness = Witness()
        self.transport = Scripted(keys, self.clock, self.witness)
        self.client = scripted_client(keys, self.clock, self.transport)
        self.transport.dated = dated
        self.write = write
        self.truly = truly
        first = self._resolver()
        self.stored = [first.to_json()] * 4
        self.held: list[Resolver[Any]] = [self.client.resume(text) for text in self.stored]
        self.permissions: dict[int, tuple[Resolver[Any], Permission]] = {}
        self.placings = 0

    def _resolver(self) -> Resolver[Any]:
        if self.write == "cancel":
            return self.client.snap.resolve(original_partner_reference_no="KEY_1", service_code="54")
        if self.write == "subscription":
            return self.client.subscriptions.resolve(subscription_request_id="KEY_1")
        if self.write == "refund":
            return self.client.refunds.resolve(out_refund_no="KEY_1")
        if self.write == "exchange":
            return self.client.exchanges.resolve(out_trade_no="KEY_1")
        return self.client.orders.resolve(out_trade_no="KEY_1", total_amount=Decimal("10.50"), currency="USD")

    def do(self, action: tuple[Any, ...]) -> None:
        what, *rest = action
        getattr(self, what.replace(" ", "_"))(*rest)

    def step(self, holder: int, saying: Saying, takes: float) -> None:
        self.transport.saying, self.transport.takes = saying, takes
        self._look(self.held[holder], self.held[holder].step())

    def back_while_asking(self, holder: int, by: float) -> None:
        self.transport.turns = -by
        self.step(holder, "absent", 0.0)
        self.transport.turns = 0.0

    def run(self, by: float) -> None:
        self.clock.true += timedelta(seconds=by)

    def until_due(self, holder: int) -> None:
        at = self.held[holder].look().at
        if at is not None and at > self.clock.now():
            self.clock.true += at - self.clock.now()

    def back(self, by: float) -> None:
        self.clock.off -= timedelta(seconds=by)

    def leap(self, by: float) -> None:
        self.clock.off += timedelta(seconds=by)

    def store_and_resume(self, holder: int, other: int) -> None:
        self.stored[holder] = self.held[holder].to_json()
        self.held[other] = self.client.resume(self.stored[holder])
        assert self.held[other].to_json() == self.stored[holder]

    def crash(self, holder: int) -> None:
        self.held[holder] = self.client.resume(self.stored[holder])

    def permit(self, holder: int) -> None:
        resolver = self.held[holder]
        before, earlier, stored = resolver.look(), list(self.transport.sent), list[str]()
        try:
            self.permissions[holder] = resolver, resolver.permission(store=stored.append)
        except TooEarly:
            assert (before.state != "place_again", stored) == (True, [])
        else:
            self._look(resolver, before)
            assert (before.state, resolver.look().state) == ("place_again", "query")
            assert self.client.resume(stored[0]).look().state == "query"
        assert self.transport.sent == earlier, "nothing was sent"

    def place(self, holder: int, saying: Saying) -> None:
        """Use the permission that was given last, now or much later, whatever became of its resolver meanwhile."""
        if holder not in self.permissions:
            return
        resolver, permission = self.permissions[holder]
        self.transport.saying, self.transport.takes = saying, 0.0
        earlier = list(self.transport.sent)
        try:
            order(self.client, "KEY_1", permission)
        except PaywrightError as error:
            ended: PaywrightError | None = error
        else:
            ended = None
        if isinstance(ended, TooEarly):
            assert self.transport.sent == earlier
            return
        self._allowed()
        self.placings += 1
        assert {key for _, key in self.transport.sent[len(earlier) :]} <= {"KEY_1"}
        after = resolver.look()
        if ended is None:
            assert after.state == "settled"
        elif isinstance(ended, (NotSent, GatewayError)) and not isinstance(ended, OutcomeUnknown):
            assert permission.ended is not None, "one call uses it up, however it ends"
            assert permission.ended[0] == "nothing"
        else:
            assert isinstance(ended, OutcomeUnknown)
            assert permission.ended is not None
            assert after.state != "place_again", "it left: all is to be asked for anew"

    def _look(self, resolver: Resolver[Any], step: Step) -> None:
        """The property."""
        if step.state == "place_again":
            self._allowed()
        if self.write == "subscription":
            assert step.state == "no_query"
            assert not self.transport.sent
        assert resolver.key == "KEY_1"

    def _allowed(self) -> None:
        assert self.write == "order"
        now = self.clock.now()
        allowed = self.witness.allows(now, truly=True) or (not self.truly and self.witness.allows(now, truly=False))
        assert allowed, f"at {now} after {self.witness.absences}"


def order(client: Client, key: str, again: Permission | None = None) -> object:
    return place(client, key, again=again)


def play(keys: KeyPair, write: Write, actions: list[tuple[Any, ...]], *, truly: bool, dated: bool = True) -> World:
    world = World(keys, write, truly=truly, dated=dated)
    for action in actions:
        world.do(action)
    for resolver in world.held:
        world._look(resolver, resolver.look())
    return world


def schedules(extra: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    return st.lists(ACTIONS if extra is None else ACTIONS | extra, min_size=4, max_size=25)


def truthful(keys: KeyPair, write: Write, actions: list[tuple[Any, ...]], dated: bool) -> None:
    """A clock that only ever goes back: then the five minutes have truly passed, whether the answers have a `Date` or not."""
    play(keys, write, actions, truly=True, dated=dated)


def with_leaps(keys: KeyPair, actions: list[tuple[Any, ...]], dated: bool) -> None:
    """A clock that also leaps forward: the gateway's `Date` shows it. Without one they have passed by that clock, twice."""
    play(keys, "order", actions, truly=dated, dated=dated)


WRITES: st.SearchStrategy[Write] = st.sampled_from(
    ["order", "order", "order", "order", "refund", "exchange", "cancel", "subscription"]
)


@examples(250)
@given(write=WRITES, actions=schedules(), dated=st.booleans())
def test_nothing_is_placed_again_before_five_minutes_have_truly_passed(
    gateway_keys: KeyPair, write: Write, actions: list[tuple[Any, ...]], dated: bool
) -> None:
    truthful(gateway_keys, write, actions, dated)


@examples(250)
@given(actions=schedules(LEAP), dated=st.booleans())
def test_five_minutes_of_leaping_clocks(gateway_keys: KeyPair, actions: list[tuple[Any, ...]], dated: bool) -> None:
    with_leaps(gateway_keys, actions, dated)


@pytest.mark.full
@examples(10_000)
@given(write=WRITES, actions=schedules(), dated=st.booleans())
def test_ten_thousand_schedules_in_true_time(
    gateway_keys: KeyPair, write: Write, actions: list[tuple[Any, ...]], dated: bool
) -> None:
    truthful(gateway_keys, write, actions, dated)


@pytest.mark.full
@examples(10_000)
@given(actions=schedules(LEAP), dated=st.booleans())
def test_ten_thousand_with_leaping_clocks(gateway_keys: KeyPair, actions: list[tuple[Any, ...]], dated: bool) -> None:
    with_leaps(gateway_keys, actions, dated)


def test_schedules_do_come_to_place_again_so_that_the_property_says_something(gateway_keys: KeyPair) -> None:
    world = play(
        gateway_keys,
        "order",
        [
            ("step", 0, "absent", 1.0), ("store and resume", 0, 1), ("step", 2, "forged", 0.0), ("until due", 1),
            ("run", 5.0), ("step", 1, "absent", 0.5), ("permit", 0), ("place", 0, "found"), ("permit", 1),
            ("place", 1, "lost"), ("place", 1, "found"), ("step", 1, "absent", 0.0), ("until due", 1),
            ("step", 1, "absent", 0.0), ("permit", 1), ("place", 1, "found"), ("place", 1, "refused"), ("permit", 1),
        ],
        truly=True,
    )  # fmt: skip
    assert world.placings == 2
    assert world.held[1].look().state == "settled"
