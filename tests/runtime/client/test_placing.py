"""Placing an order again: what became of the calls with its key is what counts, whatever `place` returns or raises.

Each row of `ROWS` is one `place`: what the gateway does to its calls, what comes out, what the resolver then says, and why.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import Context, copy_context
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from threading import Event, Thread
from typing import Any, Final, NamedTuple

import anyio
import pytest

from paywright import (
    Client,
    FixedClock,
    GatewayError,
    InvalidArgument,
    Merchant,
    NotPlaced,
    NotSent,
    OutcomeUnknown,
    PaywrightError,
    Resolver,
    Signer,
    Step,
    TooEarly,
    UnreadableAnswer,
    contract,
)
from paywright.aio import Client as AwaitedClient
from paywright_runtime.signing.keys import KeyPair, load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest
from tests.runtime.helpers.client_calls import ORDER
from tests.runtime.helpers.table_gateway import AwaitedGateway, TableGateway

NOON: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
CONTENT: Final[dict[str, Any]] = {"total_amount": Decimal("10.50"), "currency": "USD"}


class Shop:
    """A client, the model gateway behind it, and a resolver whose order may be placed again now."""

    def __init__(self, merchant: Merchant, keys: KeyPair, *, content: bool = False) -> None:
        self.clock = FixedClock(NOON)
        self.sign = cache(RsaSigner(load_private_key(keys.private_pem)).sign)
        self.model = TableGateway(self.sign, self.clock, contract.operation("orders.checkout"))
        self.merchant = merchant
        self.client = self.another(merchant)
        self.pool = ThreadPoolExecutor(1)
        self.pool.submit(int).result()  # its thread is older than any placing, and knows of none
        self.stored: list[str] = []
        self.resolver: Resolver[Any] = self.client.orders.resolve("KEY_1", **(CONTENT if content else {}))
        self.ask("absent")
        self.clock.advance(300)
        assert self.ask("absent").state == "place_again"

    def another(self, merchant: Merchant) -> Client:
        return Client(
            base_url="http://127.0.0.1:1", merchant=merchant, transport=self.model, clock=self.clock, retries=0,
            timeout=3000,
        )  # fmt: skip

    def ask(self, turn: str) -> Step:
        self.model.turns = [turn]
        return self.resolver.step()

    def order(self, key: str, **changes: Any) -> object:
        return self.client.orders.checkout(**{**ORDER, "out_trade_no": key, **changes})

    def ending(self, how: str, *, takes_effect: bool = True) -> Shop:
        """The next call ends so."""
        self.model.how, self.model.takes_effect = how, takes_effect
        return self

    def place(self, place: Callable[[str], object]) -> object:
        return self.resolver.place_again(place, store=self.stored.append)


@pytest.fixture
def shop(merchant: Merchant, gateway_keys: KeyPair) -> Iterator[Shop]:
    shop = Shop(merchant, gateway_keys)
    yield shop
    shop.pool.shutdown()


@pytest.fixture
def knowing(merchant: Merchant, gateway_keys: KeyPair) -> Iterator[Shop]:
    """A shop whose resolver knows what was asked for."""
    shop = Shop(merchant, gateway_keys, content=True)
    yield shop
    shop.pool.shutdown()


def swallowed(call: Callable[[], object]) -> None:
    with suppress(PaywrightError):
        call()


class Row(NamedTuple):
    """One `place`: `raised` is what place_again raises, `state` what the resolver says then, `sent` the keys that left."""

    place: Callable[[Shop, str], object]
    raised: type[Exception] | None
    state: str
    sent: int
    why: str


def twice(shop: Shop, key: str, first: str, second: str) -> None:
    for how in (first, second):
        swallowed(lambda how=how: shop.ending(how, takes_effect=not how.startswith("code")).order(key))


def then_fails(shop: Shop, key: str) -> None:
    shop.order(key)
    raise LookupError


def too_late(shop: Shop, key: str) -> object:
    shop.clock.advance(300)
    return shop.order(key)


def of_another_call(shop: Shop, key: str) -> object:
    shop.model.turns = ["absent"]
    return shop.client.orders.query(out_trade_no="OTHER")


def queried_too(shop: Shop, key: str) -> object:
    shop.model.turns = ["shown"]
    shop.client.orders.query(out_trade_no=key)
    return shop.order(key)


ROWS: Final[dict[str, Row]] = {
    "a verified yes": Row(lambda s, k: s.order(k), None, "settled", 1, "the gateway has it"),
    "a yes, and place fails": Row(then_fails, LookupError, "settled", 1, "the yes is a yes, whatever comes after it"),
    "an unknown outcome": Row(
        lambda s, k: s.ending("lost while waiting").order(k), OutcomeUnknown, "query", 1, "it left: it is asked from the beginning"
    ),
    "an unknown outcome, caught": Row(
        lambda s, k: swallowed(lambda: s.ending("lost while waiting").order(k)), None, "query", 1, "returning is no yes"
    ),
    "a yes that cannot be read": Row(
        lambda s, k: s.ending("unreadable").order(k), UnreadableAnswer, "query", 1, "the gateway has it; it is asked"
    ),
    "a refusal": Row(
        lambda s, k: s.ending("code CURRENCY_INVALID", takes_effect=False).order(k), GatewayError, "place_again", 1,
        "this attempt placed nothing: what was known still holds",
    ),
    "a refusal, caught": Row(
        lambda s, k: swallowed(lambda: s.ending("code CURRENCY_INVALID", takes_effect=False).order(k)), None, "place_again", 1,
        "returning is no yes",
    ),
    "not sent": Row(
        lambda s, k: s.ending("not connected").order(k), NotSent, "place_again", 1, "no byte left: it may be tried again"
    ),
    "refused by us, caught": Row(
        lambda s, k: swallowed(lambda: s.order(k, currency="usd")), None, "place_again", 0, "nothing left"
    ),
    "no call": Row(lambda s, k: None, NotPlaced, "place_again", 0, "queueing it is not placing it"),
    "no call, and place fails": Row(lambda s, k: int("none"), ValueError, "place_again", 0, "what place raised passes on"),
    "another call's error": Row(of_another_call, GatewayError, "place_again", 0, "it says nothing of this key"),
    "another key": Row(lambda s, k: s.order(k + "_2"), InvalidArgument, "place_again", 0, "it would charge the payer twice"),
    "another key, caught": Row(
        lambda s, k: swallowed(lambda: s.order(k + "_2")), NotPlaced, "place_again", 0, "no call with this key was made"
    ),
    "the key in small letters": Row(
        lambda s, k: s.order(k.lower()), InvalidArgument, "place_again", 0, "the gateway takes it for the same; it is to be passed on"
    ),
    "after its time": Row(too_late, TooEarly, "query", 0, "the permission is over: its absences are old"),
    "in a thread, with the key": Row(
        lambda s, k: s.pool.submit(s.order, k).result(), None, "settled", 1, "the key leads to its placing"
    ),
    "in a thread, with a copy of the key": Row(
        lambda s, k: s.pool.submit(s.order, json.loads(json.dumps(k))).result(), None, "settled", 1, "the client knows the key"
    ),
    "refused, then yes": Row(
        lambda s, k: twice(s, k, "code TOO_MANY_REQUEST", ""), None, "settled", 2, "a yes is worth more than a refusal"
    ),
    "unknown, then refused": Row(
        lambda s, k: twice(s, k, "lost while waiting", "code CURRENCY_INVALID"), None, "query", 2, "the first may have arrived"
    ),
    "yes, then unknown": Row(
        lambda s, k: twice(s, k, "", "lost while waiting"), None, "settled", 2, "both have one key, and it stands"
    ),
    "a query with the key beside it": Row(queried_too, None, "settled", 1, "the key is text everywhere"),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("content", [False, True], ids=["content unknown", "content known"])
def test_what_a_placing_comes_to(name: str, content: bool, merchant: Merchant, gateway_keys: KeyPair) -> None:
    row, shop = ROWS[name], Shop(merchant, gateway_keys, content=content)
    shop.model.sent.clear()
    raised: type[Exception] | None = None
    try:
        shop.place(lambda key: row.place(shop, key))
    except Exception as error:
        raised = type(error)
    assert raised is row.raised
    assert (shop.resolver.look().state, shop.model.sent) == (row.state, ["KEY_1"] * row.sent), row.why
    if row.state == "place_again":  # the permission is as good as it was
        shop.model.effects.clear()
        shop.place(shop.order)
        assert shop.resolver.look().state == "settled"


def test_what_is_stored_first_has_no_permission_and_asks_from_the_beginning(shop: Shop) -> None:
    def dies(key: str) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shop.place(dies)
    (text,) = shop.stored
    assert json.loads(text)["absent_at"] is None
    shop.resolver = shop.client.resume(text)
    assert shop.resolver.look().state == "query"
    assert shop.ask("absent").state == "wait"
    shop.clock.advance(300)
    assert shop.ask("absent").state == "place_again"


def test_what_cannot_be_stored_is_not_sent_and_the_permission_stays(shop: Shop) -> None:
    def full(text: str) -> None:
        raise OSError

    with pytest.raises(OSError):
        shop.resolver.place_again(shop.order, store=full)
    assert shop.model.sent == []
    assert shop.resolver.look().state == "place_again"


def test_a_call_after_place_has_returned_is_not_covered(shop: Shop) -> None:
    kept: list[str] = []
    with pytest.raises(NotPlaced, match="nothing is settled"):
        shop.place(kept.append)
    with pytest.raises(TooEarly, match="place_again has returned") as caught:
        shop.order(kept[0])
    assert caught.value.come_back_at is None
    assert shop.model.sent == []
    shop.order("KEY_1")  # a key of one's own is one's own business
    assert shop.model.sent == ["KEY_1"]


def test_a_task_that_outlives_the_placing_may_not_send_its_key_and_may_send_any_other(shop: Shop) -> None:
    contexts: list[Any] = []
    with pytest.raises(NotPlaced):
        shop.place(lambda key: contexts.append(copy_context()))
    with pytest.raises(TooEarly):
        contexts[0].run(shop.order, "KEY_1")
    contexts[0].run(shop.order, "KEY_2")
    assert shop.model.sent == ["KEY_2"]


def test_a_call_that_is_still_on_its_way_is_unknown_and_its_late_yes_settles_nothing(shop: Shop) -> None:
    arrived, answer = Event(), Event()
    inner = shop.model.send

    def slow(request: SignedRequest, deadline: float) -> RawAnswer:
        arrived.set()
        assert answer.wait(600)
        return inner(request, deadline)

    shop.model.send = slow  # type: ignore[method-assign]  # the network is slow
    threads: list[Thread] = []

    def place(key: str) -> None:
        threads.append(Thread(target=shop.order, args=(key,)))
        threads[0].start()
        assert arrived.wait(600)

    shop.place(place)
    assert shop.resolver.look().state == "query"
    answer.set()
    threads[0].join()
    assert shop.resolver.look().state == "query"
    shop.model.send = inner  # type: ignore[method-assign]  # as above
    assert shop.ask("shown").state == "settled"


def test_the_gateway_has_it_already_and_then_does_not_know_it_somebody_decides(shop: Shop) -> None:
    with pytest.raises(OutcomeUnknown):
        shop.place(lambda key: shop.ending("code ORDER_REPEAT", takes_effect=False).order(key))
    assert shop.ask("absent").state == "wait"
    shop.clock.advance(300)
    step = shop.ask("absent")
    assert (step.state, step.asked) == ("decide", 4)
    assert "contradict each other. The gateway's support decides" in step.why
    with pytest.raises(TooEarly) as caught:
        shop.place(shop.order)
    assert caught.value.come_back_at is None
    shop.clock.advance(3600)
    assert shop.ask("shown").state == "settled"


def in_haste(shop: Shop) -> None:
    """From now on its calls do not wait long for a placing to end."""
    shop.client._settings.timeout = 0.2


class Telling:
    """A signer that tells when the order ORD_2 was signed: next it looks for placings of the same content."""

    def __init__(self, inner: Signer, tell: Callable[[], object]) -> None:
        self._inner = inner
        self._tell = tell

    def sign(self, body: bytes, /) -> str:
        signature = self._inner.sign(body)
        if b"ORD_2" in body:
            self._tell()
        return signature


def test_a_thread_that_makes_a_key_of_its_own_is_refused_where_the_content_is_known(knowing: Shop) -> None:
    in_haste(knowing)
    with pytest.raises(InvalidArgument, match="charge the payer twice"):
        knowing.place(lambda key: knowing.pool.submit(knowing.order, "NEW_1").result())
    assert knowing.model.sent == []
    assert knowing.resolver.look().state == "place_again"


def test_a_thread_that_makes_a_key_of_its_own_is_refused_once_the_same_call_was_seen(shop: Shop) -> None:
    in_haste(shop)

    def place(key: str) -> None:
        swallowed(lambda: shop.ending("lost while waiting").order(key))
        with pytest.raises(InvalidArgument, match="charge the payer twice"):
            shop.pool.submit(shop.order, "NEW_1").result()

    shop.place(place)
    assert shop.model.sent == ["KEY_1"]


def test_a_thread_goes_on_with_a_key_of_its_own_where_the_same_call_placed_nothing(shop: Shop) -> None:
    in_haste(shop)

    def place(key: str) -> object:
        swallowed(lambda: shop.ending("code CURRENCY_INVALID", takes_effect=False).order(key))
        shop.ending("")
        return shop.pool.submit(shop.order, "NEW_1").result()

    shop.place(place)
    assert shop.model.sent == ["KEY_1", "NEW_1"]
    assert shop.resolver.look().state == "place_again"


class Beside(NamedTuple):
    """How a placing ends, and what becomes of an order of the same content that was called beside it."""

    place: Callable[[Shop, str], object]
    goes_on: bool
    why: str


BESIDE: Final[dict[str, Beside]] = {
    "a verified yes": Beside(lambda s, k: s.order(k), True, "the order is placed: nobody has a new key made for it"),
    "refused, then yes": Beside(lambda s, k: twice(s, k, "code TOO_MANY_REQUEST", ""), True, "it is placed all the same"),
    "an unknown outcome": Beside(
        lambda s, k: s.ending("lost while waiting").order(k), False, "it may be the same order under a new key"
    ),
    "a yes that cannot be read": Beside(lambda s, k: s.ending("unreadable").order(k), False, "the resolver asks first"),
    "a refusal": Beside(
        lambda s, k: s.ending("code CURRENCY_INVALID", takes_effect=False).order(k), False, "it may be placed again"
    ),
    "not sent": Beside(lambda s, k: s.ending("not connected").order(k), False, "it may be placed again"),
    "no call": Beside(lambda s, k: None, False, "whoever placed nothing may have queued it under a new key"),
    "another key": Beside(lambda s, k: s.order(k + "_2"), False, "in the same thread it is refused at once"),
}  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
def test_what_becomes_of_an_order_of_the_same_content_that_waits_beside_a_placing(name: str, knowing: Shop) -> None:
    row, waits = BESIDE[name], Event()
    knowing.model.sent.clear()
    knowing.merchant.signer = Telling(knowing.merchant.signer, waits.set)
    beside: list[Future[object]] = []

    def place(key: str) -> object:
        beside.append(knowing.pool.submit(knowing.order, "ORD_2"))
        assert waits.wait(600)
        with pytest.raises(TimeoutError):
            beside[0].result(0.05)
        assert knowing.model.sent == []
        placed = row.place(knowing, key)
        knowing.ending("")
        return placed

    swallowed(lambda: knowing.place(place))
    if row.goes_on:
        beside[0].result(600)
    else:
        with pytest.raises(InvalidArgument, match="charge the payer twice"):
            beside[0].result(600)
    assert ("ORD_2" in knowing.model.sent) == row.goes_on, row.why


def test_other_orders_go_on_beside_it(knowing: Shop) -> None:
    def place(key: str) -> object:
        knowing.pool.submit(knowing.order, "ORD_2", total_amount=Decimal("10.51")).result()
        return knowing.order(key)

    knowing.place(place)
    assert knowing.model.sent == ["ORD_2", "KEY_1"]


def test_the_same_request_is_placed_again_and_no_other(knowing: Shop) -> None:
    with pytest.raises(InvalidArgument, match="other content"):
        knowing.place(lambda key: knowing.order(key, total_amount=Decimal("99.00")))
    assert knowing.model.sent == []


def test_another_merchants_client_does_not_place_it(shop: Shop, merchant_keys: KeyPair, gateway_keys: KeyPair) -> None:
    stranger = Merchant(app_id="app_9", private_key=merchant_keys.private_pem, gateway_keys=[gateway_keys.public_pem])
    with pytest.raises(InvalidArgument, match="app_9"):
        shop.place(lambda key: shop.another(stranger).orders.checkout(**{**ORDER, "out_trade_no": key}))
    shop.place(lambda key: shop.another(shop.merchant).orders.checkout(**{**ORDER, "out_trade_no": key}))
    assert shop.resolver.look().state == "settled"


def test_two_resolvers_do_not_place_one_key_at_once(shop: Shop) -> None:
    other: Resolver[Any] = shop.client.resume(shop.resolver.to_json())
    shop.model.turns = ["absent"]
    assert other.step().state == "wait"  # asked within the second: the Date header has not moved
    shop.clock.advance(2)
    shop.model.turns = ["absent"]
    assert other.step().state == "place_again"

    def place(key: str) -> object:
        with pytest.raises(TooEarly, match="at this moment"):
            other.place_again(shop.order, store=shop.stored.append)
        return shop.order(key)

    shop.place(place)
    assert shop.model.sent == ["KEY_1"]


def test_a_key_in_other_letters_is_the_same_key_to_two_resolvers(shop: Shop) -> None:
    other: Resolver[Any] = shop.client.orders.resolve("key_1")
    shop.model.turns = ["absent", "absent"]
    other.step()
    shop.clock.advance(300)
    assert other.step().state == "place_again"
    shop.model.turns = ["absent"]
    assert shop.resolver.step().state == "place_again"

    def place(key: str) -> object:
        with pytest.raises(TooEarly, match="at this moment") as caught:
            other.place_again(shop.order, store=shop.stored.append)
        assert caught.value.key == "key_1"
        return shop.order(key)

    shop.place(place)
    assert shop.model.sent == ["KEY_1"]


def test_the_key_is_plain_text_to_whoever_copies_it(shop: Shop) -> None:
    keys: list[str] = []
    with pytest.raises(NotPlaced):
        shop.place(keys.append)
    again = pickle.loads(pickle.dumps(keys[0]))
    assert type(again) is type(str(keys[0])) is str
    assert again == keys[0] == "KEY_1"


AWAITED: Final = {
    "a verified yes": ("", None, "settled"),
    "an unknown outcome": ("lost while waiting", OutcomeUnknown, "query"),
    "a refusal": ("code CURRENCY_INVALID", GatewayError, "place_again"),
    "not sent": ("not connected", NotSent, "place_again"),
}


@pytest.mark.parametrize("name", [*AWAITED, "no call"])
def test_what_an_awaited_placing_comes_to(name: str, merchant: Merchant, gateway_keys: KeyPair) -> None:
    clock = FixedClock(NOON)
    sign = cache(RsaSigner(load_private_key(gateway_keys.private_pem)).sign)
    model = TableGateway(sign, clock, contract.operation("orders.checkout"))
    stored: list[str] = []

    async def store(text: str) -> None:
        stored.append(text)

    async def run() -> None:
        async with AwaitedClient(
            base_url="http://127.0.0.1:1", merchant=merchant, transport=AwaitedGateway(model), clock=clock, retries=0
        ) as client:
            resolver = client.orders.resolve("KEY_1", **CONTENT)
            model.turns = ["absent", "absent"]
            await resolver.step()
            clock.advance(300)
            assert (await resolver.step()).state == "place_again"
            how, raised, state = AWAITED.get(name, ("", NotPlaced, "place_again"))
            model.how = how
            model.takes_effect = False

            async def place(key: str) -> object:
                return None if name not in AWAITED else await client.orders.checkout(**{**ORDER, "out_trade_no": key})

            if raised is None:
                await resolver.place_again(place, store=store)
            else:
                with pytest.raises(raised):
                    await resolver.place_again(place, store=store)
            assert resolver.look().state == state
            assert len(stored) == 1

    anyio.run(run)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("name", AWAITED)
def test_what_becomes_of_an_awaited_order_of_the_same_content_that_waits_beside_a_placing(
    name: str, backend: str, merchant: Merchant, gateway_keys: KeyPair
) -> None:
    clock = FixedClock(NOON)
    sign = cache(RsaSigner(load_private_key(gateway_keys.private_pem)).sign)
    model = TableGateway(sign, clock, contract.operation("orders.checkout"))
    how, _, state = AWAITED[name]
    ended: list[str] = []

    async def store(text: str) -> None:
        pass

    async def run() -> None:
        waits, begun = anyio.Event(), anyio.Event()
        merchant.signer = Telling(merchant.signer, waits.set)
        async with AwaitedClient(
            base_url="http://127.0.0.1:1", merchant=merchant, transport=AwaitedGateway(model), clock=clock, retries=0,
            timeout=3000,
        ) as client:  # fmt: skip
            resolver = client.orders.resolve("KEY_1", **CONTENT)
            model.turns = ["absent", "absent"]
            await resolver.step()
            clock.advance(300)
            await resolver.step()

            async def beside() -> None:
                await begun.wait()
                try:
                    await client.orders.checkout(**{**ORDER, "out_trade_no": "ORD_2"})
                    ended.append("placed")
                except InvalidArgument:
                    ended.append("refused")

            async def place(key: str) -> object:
                begun.set()
                await waits.wait()
                await anyio.sleep(0.05)
                assert model.sent == []
                model.how = how
                return await client.orders.checkout(**{**ORDER, "out_trade_no": key})

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(beside)
                with suppress(PaywrightError):
                    await resolver.place_again(place, store=store)

    anyio.run(run, backend=backend)
    assert ended == ["placed" if state == "settled" else "refused"]
    assert model.sent == (["KEY_1", "ORD_2"] if state == "settled" else ["KEY_1"])


def test_the_thread_of_a_placing_does_not_wait_for_itself(knowing: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(seconds: float) -> None:
        raise AssertionError("it waits")

    monkeypatch.setattr("paywright_runtime.client.client.sleep", sleep)
    with pytest.raises(InvalidArgument, match="charge the payer twice"):
        knowing.place(lambda key: Context().run(knowing.order, "NEW_1"))
    assert knowing.model.sent == []


def test_what_waits_for_two_placings_goes_on_when_both_are_placed(knowing: Shop) -> None:
    waits = Event()
    other: Resolver[Any] = knowing.client.orders.resolve("KEY_2", **CONTENT)
    for _ in range(2):
        knowing.model.turns = ["absent"]
        other.step()
        knowing.clock.advance(300)
    knowing.model.turns = ["absent", "absent"]
    knowing.resolver.step()
    other.step()
    assert (knowing.resolver.look().state, other.look().state) == ("place_again", "place_again")
    knowing.model.sent.clear()
    knowing.merchant.signer = Telling(knowing.merchant.signer, waits.set)
    beside: list[Future[object]] = []

    def within(key: str) -> object:
        beside.append(knowing.pool.submit(knowing.order, "ORD_2"))
        assert waits.wait(600)
        return knowing.order(key)

    def around(key: str) -> object:
        placed = knowing.order(key)
        Context().run(other.place_again, within, store=knowing.stored.append)
        with pytest.raises(TimeoutError):
            beside[0].result(0.1)
        return placed

    knowing.place(around)
    beside[0].result(600)
    assert knowing.model.sent == ["KEY_1", "KEY_2", "ORD_2"]


def test_a_placing_that_is_interrupted_while_it_waits_is_asked_from_the_beginning(shop: Shop) -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        shop.place(lambda key: shop.ending("interrupt").order(key))
    assert "Money may have moved" in caught.value.__notes__[0]
    assert shop.model.effects == {"KEY_1": 1}
    assert shop.resolver.look().state == "query"
    with pytest.raises(TooEarly):
        shop.place(shop.order)
    assert shop.model.sent == ["KEY_1"]


@pytest.mark.parametrize(
    ("phase", "state"),
    [
        (Phase.CONNECTING, "place_again"),
        (Phase.SENDING, "place_again"),
        (Phase.WAITING, "query"),
        (Phase.READING, "query"),
    ],
)
def test_an_awaited_placing_that_is_cancelled_keeps_its_permission_only_where_nothing_left(
    phase: Phase, state: str, merchant: Merchant, gateway_keys: KeyPair
) -> None:
    clock = FixedClock(NOON)
    model = TableGateway(
        RsaSigner(load_private_key(gateway_keys.private_pem)).sign, clock, contract.operation("orders.checkout")
    )

    class Cancelled(AwaitedGateway):
        async def send(self, request: SignedRequest, deadline: float, reach: Callable[[Phase], None]) -> RawAnswer:
            if self.scope is None:
                return await super().send(request, deadline, reach)
            reach(phase)
            self.scope.cancel()
            await anyio.sleep_forever()
            raise AssertionError

    async def nowhere(text: str) -> None:
        """This one is not gone on with elsewhere."""

    async def run() -> None:
        transport = Cancelled(model)
        async with AwaitedClient(
            base_url="http://127.0.0.1:1", merchant=merchant, transport=transport, clock=clock, retries=0
        ) as client:
            resolver = client.orders.resolve("KEY_1")
            model.turns = ["absent", "absent"]
            await resolver.step()
            clock.advance(300)
            await resolver.step()
            with anyio.CancelScope() as transport.scope, suppress(OutcomeUnknown):
                await resolver.place_again(
                    lambda key: client.orders.checkout(**{**ORDER, "out_trade_no": key}), store=nowhere
                )
            assert resolver.look().state == state

    anyio.run(run)
