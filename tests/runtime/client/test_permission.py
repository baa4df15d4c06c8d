"""A permission to place an order again: who may use it, for what, until when; and what its resolver knows afterwards.

`ENDS` is every way in which a call with it can end, `REFUSED` every call that it does not let leave. Both are visited for both
operations that place an order, blocking and awaited.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from contextlib import nullcontext, suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from threading import Event, Thread
from typing import Any, Final, NamedTuple

import anyio
import pytest

from paywright import (
    Client,
    ContractViolation,
    GatewayError,
    InvalidArgument,
    Merchant,
    NotSent,
    OutcomeUnknown,
    PaywrightError,
    Permission,
    Step,
    TooEarly,
    UnreadableAnswer,
    contract,
)
from paywright.aio import Client as AwaitedClient
from paywright_runtime.signing.keys import KeyPair, load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest
from tests.runtime.helpers.client_calls import DROP_IN, ORDER
from tests.runtime.helpers.table_gateway import AwaitedGateway, TableGateway
from tests.support.forks import Fork, any_fork, in_child, needs_fork

NOON: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
CONTENT: Final[dict[str, Any]] = {"total_amount": Decimal("10.50"), "currency": "USD"}
PLACED: Final[dict[str, Any]] = {**ORDER, "out_trade_no": "KEY_1"}
INTERVAL, LONGEST_CALL = 300.0, 30.0


class TwoClocks:
    """A wall clock and a monotonic one that need not go alike. The gateway reads the same wall clock."""

    def __init__(self) -> None:
        self.wall = NOON
        self.elapsed = 0.0
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.elapsed

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.advance(seconds)

    def advance(self, wall: float, monotonic: float | None = None) -> None:
        self.wall += timedelta(seconds=wall)
        self.elapsed += wall if monotonic is None else monotonic


class Shop:
    """A client, blocking or awaited, and the model gateway behind it; and a resolver whose order may be placed again now."""

    def __init__(self, merchant: Merchant, keys: KeyPair, *, awaited: bool = False, verb: str = "checkout") -> None:
        self.clock = TwoClocks()
        write = contract.operation(f"orders.{verb}")
        self.model = TableGateway(cache(RsaSigner(load_private_key(keys.private_pem)).sign), self.clock, write)
        self.transport = AwaitedGateway(self.model)
        self.awaited, self.verb, self.merchant, self.keys = awaited, verb, merchant, keys
        self.client: Any = self.another(merchant)
        self.resolver: Any = self.client.orders.resolve(out_trade_no="KEY_1", **CONTENT)
        self.stored: list[str] = []
        self.ask("absent")
        self.clock.advance(INTERVAL)
        assert self.ask("absent").state == "place_again"

    def another(self, merchant: Merchant, base_url: str = "http://127.0.0.1:1") -> Any:
        settings: dict[str, Any] = {"base_url": base_url, "merchant": merchant, "clock": self.clock, "retries": 0}
        if self.awaited:
            return AwaitedClient(transport=self.transport, timeout=LONGEST_CALL, **settings)
        return Client(transport=self.model, timeout=LONGEST_CALL, **settings)

    def run(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if not self.awaited:
            return method(*args, **kwargs)

        async def run() -> Any:
            with anyio.CancelScope() as self.transport.scope:
                return await method(*args, **kwargs)

        return anyio.run(run)

    def ask(self, *turns: str) -> Step:
        for turn in turns:
            self.model.turns = [turn]
            step: Step = self.run(self.resolver.step)
        return step

    def permission(self, store: Callable[[str], object] | None = None) -> Permission:
        save = store or self.stored.append

        async def stored(text: str) -> None:
            save(text)

        given: Permission = self.run(self.resolver.permission, store=stored if self.awaited else save)
        return given

    def place(self, again: object, *, client: Any = None, verb: str | None = None, **changes: Any) -> Any:
        verb = verb or self.verb
        arguments = {
            **(PLACED if verb == "checkout" else {**DROP_IN, "out_trade_no": "KEY_1"}),
            **changes,
            "again": again,
        }
        return self.run(getattr((client or self.client).orders, verb), **arguments)

    def ending(self, how: str) -> Shop:
        """The next call ends so."""
        self.model.how, self.model.takes_effect = how, not how.startswith("code")
        return self


@pytest.fixture(params=[False, True], ids=["blocking", "awaited"])
def shop(request: pytest.FixtureRequest, merchant: Merchant, gateway_keys: KeyPair) -> Shop:
    return Shop(merchant, gateway_keys, awaited=request.param)


class Row(NamedTuple):
    """How a call ends, what it raises, what the resolver says then, and why. One call uses the permission up."""

    how: str
    raised: type[PaywrightError] | None
    state: str
    why: str


ENDS: Final[dict[str, Row]] = {
    "a verified yes": Row("", None, "settled", "the gateway has it"),
    "lost while waiting": Row("lost while waiting", OutcomeUnknown, "query", "it left: it is asked from the beginning"),
    "lost while reading": Row("lost while reading", OutcomeUnknown, "query", "as above"),
    "not JSON": Row("not JSON", OutcomeUnknown, "query", "no verified answer"),
    "a bad signature": Row("bad signature", OutcomeUnknown, "query", "whoever wrote it is not the gateway"),
    "a yes that cannot be read": Row("unreadable", UnreadableAnswer, "query", "the gateway has it; it is asked"),
    "the gateway has the key": Row("code ORDER_REPEAT", OutcomeUnknown, "query", "whose it is must be asked"),
    "interrupted": Row("interrupt", OutcomeUnknown, "query", "it had left"),
    "a refusal": Row("code CURRENCY_INVALID", GatewayError, "query", "this attempt placed nothing"),
    "not connected": Row("not connected", NotSent, "query", "no byte left"),
    "lost while sending the head": Row("lost while sending the head", NotSent, "query", "the body did not leave"),
}  # fmt: skip


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaited"])
@pytest.mark.parametrize("verb", ["checkout", "drop_in"])
@pytest.mark.parametrize("name", ENDS)
def test_how_a_call_ends(name: str, verb: str, awaited: bool, merchant: Merchant, gateway_keys: KeyPair) -> None:
    row, shop = ENDS[name], Shop(merchant, gateway_keys, awaited=awaited, verb=verb)
    permission = shop.permission()
    with nullcontext() if row.raised is None else pytest.raises((row.raised, KeyboardInterrupt)):
        shop.ending(row.how).place(permission)
    assert (shop.resolver.look().state, shop.model.sent) == (row.state, ["KEY_1"]), row.why
    with pytest.raises(TooEarly, match="a call was made with this permission"):
        shop.place(permission)
    assert shop.model.sent == ["KEY_1"]


class Refusal(NamedTuple):
    """A call that it does not let leave, and the words that say why."""

    change: Callable[[Shop, Permission], dict[str, Any]]
    raised: type[PaywrightError]
    words: str


def later(wall: float, monotonic: float) -> Callable[[Shop, Permission], dict[str, Any]]:
    def change(shop: Shop, permission: Permission) -> dict[str, Any]:
        shop.clock.advance(wall, monotonic)
        return {}

    return change


def used(shop: Shop, permission: Permission) -> dict[str, Any]:
    with suppress(PaywrightError):
        shop.ending("lost while waiting").place(permission)
    shop.model.sent.clear()
    return {}


def stranger(shop: Shop) -> dict[str, Any]:
    keys = [shop.keys.public_pem]
    return {"client": shop.another(Merchant(app_id="app_9", private_key=shop.merchant.signer, gateway_keys=keys))}


REFUSED: Final[dict[str, Refusal]] = {
    "another key": Refusal(lambda s, p: {"out_trade_no": "KEY_2"}, InvalidArgument, "makes another order"),
    "the key in small letters": Refusal(lambda s, p: {"out_trade_no": "key_1"}, InvalidArgument, "another outTradeNo"),
    "another amount": Refusal(lambda s, p: {"total_amount": Decimal("10.51")}, InvalidArgument, "other content"),
    "another currency": Refusal(lambda s, p: {"currency": "EUR"}, InvalidArgument, "other content"),
    "another merchant": Refusal(lambda s, p: stranger(s), InvalidArgument, "app_9"),
    "another gateway": Refusal(
        lambda s, p: {"client": s.another(s.merchant, "http://127.0.0.1:2")}, InvalidArgument, "a client of"
    ),
    "what is no permission": Refusal(lambda s, p: {"again": p.key}, InvalidArgument, "again is what permission"),
    "a breach of the contract": Refusal(lambda s, p: {"currency": "usd"}, ContractViolation, "currency"),
    "300 s by both clocks": Refusal(later(300, 300), TooEarly, "held 300 seconds, which are over"),
    "300 s by the wall clock": Refusal(later(300, 0), TooEarly, "held 300 seconds, which are over"),
    "300 s by the monotonic clock": Refusal(later(0, 300), TooEarly, "held 300 seconds, which are over"),
    "a clock that was set back": Refusal(later(-1, 1), TooEarly, "held 300 seconds, which are over"),
    "after a call of unknown outcome": Refusal(used, TooEarly, "a call was made with this permission"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_does_not_let_leave(name: str, shop: Shop) -> None:
    row, permission = REFUSED[name], shop.permission()
    changes = row.change(shop, permission)
    again = changes.pop("again", permission)
    with pytest.raises(row.raised, match=row.words) as caught:
        shop.place(again, **changes)
    assert "Nothing was sent" in str(caught.value) or row.raised is ContractViolation
    assert shop.model.sent == []
    if row.raised is not TooEarly:  # whoever repeats the first call, as the words say, may go on
        assert shop.place(permission).trade_token


def test_it_holds_until_its_last_moment_and_for_the_other_operation(shop: Shop) -> None:
    permission = shop.permission()
    shop.clock.advance(299.999)
    assert shop.place(permission, verb="drop_in").trade_token


@needs_fork
@any_fork
def test_a_forked_child_does_not_use_the_permission_of_its_parent(shop: Shop, fork: Fork) -> None:
    def in_the_child() -> None:
        with pytest.raises(TooEarly, match=r"given to the process that forked this one.* Nothing was sent"):
            shop.place(permission)
        assert shop.model.sent == []
        assert shop.ask("absent").state == "wait"  # it begins with the queries anew

    permission = shop.permission()
    assert in_child(in_the_child, fork) == 0
    assert shop.place(permission).trade_token


def test_only_one_call_at_a_time_uses_it(merchant: Merchant, gateway_keys: KeyPair) -> None:
    shop = Shop(merchant, gateway_keys)
    permission, arrived, answer = shop.permission(), Event(), Event()
    inner = shop.model.send

    def slow(request: SignedRequest, deadline: float) -> RawAnswer:
        arrived.set()
        assert answer.wait(60)
        return inner(request, deadline)

    shop.model.send = slow  # type: ignore[method-assign]  # the network is slow
    thread = Thread(target=shop.place, args=(permission,))
    thread.start()
    assert arrived.wait(60)
    with pytest.raises(TooEarly, match="another call uses this permission"):
        shop.place(permission)
    assert shop.resolver.look().state == "query"
    answer.set()
    thread.join(600)
    assert (shop.model.sent, shop.resolver.look().state) == (["KEY_1"], "settled")


def test_giving_uses_it_up_and_what_is_stored_first_asks_from_the_beginning(shop: Shop) -> None:
    shop.permission()
    with pytest.raises(TooEarly, match="it is time to ask"):
        shop.permission()
    (text,) = shop.stored
    assert json.loads(text)["absent_at"] is None
    shop.resolver = shop.client.resume(text)
    shop.clock.advance(INTERVAL + LONGEST_CALL)
    assert shop.ask("absent").state == "wait"
    shop.clock.advance(INTERVAL + 1)
    assert shop.ask("absent").state == "place_again"


def test_what_cannot_be_stored_is_not_given_and_nothing_is_lost(shop: Shop) -> None:
    def full(text: str) -> None:
        raise OSError

    with pytest.raises(OSError):
        shop.permission(full)
    assert shop.resolver.look().state == "place_again"
    assert shop.place(shop.permission()).trade_token


@pytest.mark.parametrize("copies", [copy.copy, copy.deepcopy, pickle.dumps, json.dumps])
def test_it_stays_in_its_process(copies: Callable[[object], object], shop: Shop) -> None:
    with pytest.raises(TypeError):
        copies(shop.permission())


class Counts(NamedTuple):
    """When an answer was asked for after a permission was given, what became of the call, and whether "not there" counts."""

    call: str | None
    asked: float
    counts: bool
    why: str


COUNTS: Final[dict[str, Counts]] = {
    "no call, at once": Counts(None, 0, False, "a call may still be made, and take as long as calls do"),
    "no call, at the end of the permission": Counts(None, INTERVAL, False, "a call may have left at its last moment"),
    "no call, just before the end of the longest": Counts(None, INTERVAL + LONGEST_CALL - 1, False, "as above"),
    "no call, after the longest": Counts(None, INTERVAL + LONGEST_CALL, True, "none can be on its way"),
    "an unknown call, at once": Counts("lost while waiting", 0, True, "it was asked after the call had reported its end"),
    "a refused call, at once": Counts("code CURRENCY_INVALID", 0, True, "it used the permission up"),
    "a claimed call, at once": Counts("code ORDER_REPEAT", 0, True, "it contradicts the claim"),
}  # fmt: skip


@pytest.mark.parametrize("resumed", [False, True], ids=["same process", "another process"])
@pytest.mark.parametrize("name", COUNTS)
def test_a_not_there_counts_once_no_call_can_be_on_its_way(name: str, resumed: bool, shop: Shop) -> None:
    row, permission = COUNTS[name], shop.permission()
    if row.call is not None:
        with suppress(PaywrightError):
            shop.ending(row.call).place(permission)
    text = shop.resolver.to_json()
    if resumed:
        shop.resolver = shop.client.resume(text)
    shop.clock.advance(row.asked)
    shop.ask("absent")
    assert (json.loads(shop.resolver.to_json())["absent_at"] is not None) == row.counts, row.why
    shop.clock.advance(INTERVAL + 1)
    assert (shop.ask("absent").state == "place_again") == (row.counts and row.call != "code ORDER_REPEAT"), row.why


def test_an_absence_asked_for_before_the_end_does_not_count(merchant: Merchant, gateway_keys: KeyPair) -> None:
    shop = Shop(merchant, gateway_keys)
    permission, inner = shop.permission(), shop.model.send

    def crossing(request: SignedRequest, deadline: float) -> RawAnswer:
        shop.model.send = inner  # type: ignore[method-assign]  # once
        shop.clock.advance(1)
        with suppress(PaywrightError):
            shop.ending("lost while waiting").place(permission)
        return inner(request, deadline)

    shop.clock.advance(1)
    shop.model.send = crossing  # type: ignore[method-assign]  # the call leaves and ends while the question is on its way
    permission_ended = shop.ask("absent")
    assert permission_ended.state == "wait"
    assert json.loads(shop.resolver.to_json())["absent_at"] is None


@pytest.mark.parametrize("phase", [Phase.CONNECTING, Phase.SENDING, Phase.WAITING, Phase.READING])
def test_an_awaited_call_that_is_cancelled_uses_it_up(phase: Phase, merchant: Merchant, gateway_keys: KeyPair) -> None:
    shop = Shop(merchant, gateway_keys, awaited=True)
    permission, inner = shop.permission(), shop.transport.send

    async def cancelled(request: SignedRequest, deadline: float) -> RawAnswer:
        request.reach(phase)
        assert shop.transport.scope is not None
        shop.transport.scope.cancel()
        await anyio.sleep_forever()
        raise AssertionError

    shop.transport.send = cancelled  # type: ignore[method-assign]  # the task is cancelled
    with suppress(OutcomeUnknown):
        shop.place(permission)
    shop.transport.send = inner  # type: ignore[method-assign]  # as above
    with pytest.raises(TooEarly):
        shop.place(permission)
    assert shop.resolver.look().state == "query"


def test_whoever_does_not_know_what_was_asked_for_gets_none(shop: Shop) -> None:
    shop.resolver = shop.client.orders.resolve(out_trade_no="KEY_1", currency="USD")
    shop.ask("absent")
    shop.clock.advance(INTERVAL)
    step = shop.ask("absent")
    assert (step.state, "resolve it anew with the totalAmount" in step.why) == ("decide", True)
    with pytest.raises(TooEarly, match="resolve it anew") as caught:
        shop.permission()
    assert caught.value.come_back_at is None
    without, shop.resolver = shop.resolver, shop.client.orders.resolve(out_trade_no="KEY_1", **CONTENT)  # as it says
    shop.ask("absent")
    shop.clock.advance(INTERVAL)
    assert shop.ask("absent").state == "place_again"
    shop.resolver = without
    assert shop.ask("absent").state == "decide"
    shop.clock.advance(INTERVAL)
    assert shop.ask("shown").state == "settled"


@pytest.mark.parametrize(
    ("within", "turns", "state", "slept"),
    [
        (900, ("shown",), "settled", []),
        (900, ("absent", "shown"), "settled", [300]),
        (900, ("absent", "absent"), "place_again", [300]),
        (900, ("nothing", "nothing", "shown"), "settled", [5, 10]),
        (900, ("other",), "decide", []),
        (300, ("absent", "shown"), "settled", [300]),
        (299, ("absent",), "wait", []),
        (14, ("nothing", "nothing"), "wait", [5]),
    ],
)
def test_a_script_waits_for_the_end_and_not_longer_than_it_wants(
    within: float, turns: tuple[str, ...], state: str, slept: list[float], shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def awaited_sleep(seconds: float) -> None:
        shop.clock.sleep(seconds)

    monkeypatch.setattr("paywright_runtime.client.aio.sleep", awaited_sleep)
    shop.resolver = shop.client.orders.resolve(out_trade_no="KEY_1", **CONTENT)
    shop.model.turns = list(turns)
    assert (shop.run(shop.resolver.settle, within=within).state, shop.clock.slept) == (state, slept)
    assert shop.model.turns == []
