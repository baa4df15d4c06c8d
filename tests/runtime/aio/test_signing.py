"""Signing beside the event loop: in threads of its own, or by a signer that is awaited [5]."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import anyio
import pytest

import paywright
from paywright import InvalidArgument, Merchant, NotSent, RsaSigner
from paywright.aio import AwaitedSigner, Client
from paywright_runtime.signing.keys import KeyPair
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED

pytestmark = pytest.mark.anyio


class Held:
    """Signs once it may, and counts how many signatures are under way."""

    def __init__(self, keys: KeyPair) -> None:
        self.may = threading.Event()
        self.done = threading.Event()
        self.most = 0
        self._signer = RsaSigner(keys.private)
        self._lock = threading.Lock()
        self._now = 0

    def sign(self, body: bytes, /) -> str:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        assert self.may.wait(600), "the event loop stood still"
        with self._lock:
            self._now -= 1
        signature = self._signer.sign(body)
        self.done.set()
        return signature


class Vault:
    """A key service: its signatures are awaited."""

    def __init__(self, keys: KeyPair) -> None:
        self.asked = anyio.Event()
        self.may = anyio.Event()
        self.cancelled = False
        self._signer = RsaSigner(keys.private)

    async def sign(self, body: bytes, /) -> str:
        self.asked.set()
        try:
            await self.may.wait()
        except anyio.get_cancelled_exc_class():
            self.cancelled = True
            raise
        return self._signer.sign(body)


def merchant_of(signer: Any, gateway_keys: KeyPair) -> Merchant:
    return Merchant(app_id="app_1", private_key=signer, gateway_keys=[gateway_keys.public_pem])


def order(client: Client, key: str = "ORD_1") -> Any:
    return client.orders.checkout(**{**ORDER, "out_trade_no": key})


def created(seen: Any) -> Reply:
    data = {**ORDER_CREATED["data"], "outTradeNo": seen.json["data"]["outTradeNo"]}  # type: ignore[dict-item]
    return Reply({**ORDER_CREATED, "data": data})


async def test_signing_threads_are_bounded(gateway: Gateway, merchant_keys: KeyPair, gateway_keys: KeyPair) -> None:
    gateway.reply = created
    held = Held(merchant_keys)
    placed: list[str] = []

    async def place(client: Client, key: str) -> None:
        placed.append((await order(client, key)).out_trade_no)

    async with (
        Client(base_url=gateway.base_url, merchant=merchant_of(held, gateway_keys), signing_threads=2) as client,
        anyio.create_task_group() as tasks,
    ):
        for number in range(6):
            tasks.start_soon(place, client, f"ORD_{number}")
        while held.most < 2:  # this task runs although both threads wait
            await anyio.sleep(0.001)
        held.may.set()
    assert sorted(placed) == [f"ORD_{number}" for number in range(6)]
    assert held.most == 2


def test_signing_threads_outlive_event_loops(gateway: Gateway, merchant: Merchant) -> None:
    gateway.reply = created
    client = Client(base_url=gateway.base_url, merchant=merchant, signing_threads=1)

    async def place() -> str:
        return str((await order(client)).status)

    assert [anyio.run(place, backend=loop) for loop in ("asyncio", "asyncio", "trio", "asyncio")] == ["PENDING"] * 4
    anyio.run(client.aclose)


@pytest.mark.parametrize("threads", [0, 1])
async def test_a_signer_that_is_awaited_signs_in_the_event_loop_of_the_call(
    gateway: Gateway, merchant_keys: KeyPair, gateway_keys: KeyPair, threads: int
) -> None:
    gateway.reply = created
    vault = Vault(merchant_keys)
    merchant = merchant_of(AwaitedSigner(vault), gateway_keys)

    async def allow() -> None:
        await vault.asked.wait()
        vault.may.set()

    client = Client(base_url=gateway.base_url, merchant=merchant, signing_threads=threads)
    async with client, anyio.create_task_group() as tasks:
        tasks.start_soon(allow)
        assert (await order(client)).out_trade_no == "ORD_1"
    [seen] = gateway.seen
    assert seen.headers["sign"] == RsaSigner(merchant_keys.private).sign(seen.body)


async def test_cancelled_signing_sends_nothing(gateway: Gateway, merchant_keys: KeyPair, gateway_keys: KeyPair) -> None:
    vault = Vault(merchant_keys)
    async with Client(base_url=gateway.base_url, merchant=merchant_of(AwaitedSigner(vault), gateway_keys)) as client:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(order, client)
                await vault.asked.wait()
                scope.cancel()
    assert scope.cancelled_caught
    assert vault.cancelled
    assert gateway.seen == []


@pytest.mark.parametrize("signed", [False, True], ids=["while it is signed", "just when it was signed"])
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_write_cancelled_while_a_thread_signs_was_not_sent(
    gateway: Gateway, merchant_keys: KeyPair, gateway_keys: KeyPair, signed: bool
) -> None:
    """A task of asyncio does not wait for its thread."""
    held = Held(merchant_keys)
    events: list[paywright.AttemptEvent] = []
    client = Client(
        base_url=gateway.base_url, merchant=merchant_of(held, gateway_keys), signing_threads=1, on_attempt=events.append
    )
    async with client:
        task = asyncio.create_task(order(client))
        while not held.most:
            await anyio.sleep(0.001)
        if signed:
            held.may.set()
            assert held.done.wait(600)
            time.sleep(0.02)  # the event loop has not yet heard of the signature
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        held.may.set()
    assert [(event.outcome, event.attempt.reason) for event in events] == [("not_sent", "cancelled")]
    assert events[0].attempt.phase in ("signing", "connecting")
    assert gateway.seen == []


async def test_a_failing_key_service_leaves_a_call_not_sent(gateway: Gateway, gateway_keys: KeyPair) -> None:
    class Down:
        async def sign(self, body: bytes, /) -> str:
            raise OSError("the key service of CANARY-key-service is down")

    async with Client(base_url=gateway.base_url, merchant=merchant_of(AwaitedSigner(Down()), gateway_keys)) as client:
        with pytest.raises(NotSent) as caught:
            await order(client)
    assert (caught.value.reason, caught.value.attempts[0].detail) == ("signing_failed", "OSError")
    assert "CANARY" not in str(caught.value)
    assert gateway.seen == []


async def test_an_awaited_signer_is_refused_if_blocking(merchant_keys: KeyPair, gateway_keys: KeyPair) -> None:
    with pytest.raises(InvalidArgument, match=r"Use paywright\.aio\.Client"):
        paywright.Client(
            base_url="http://127.0.0.1:1", merchant=merchant_of(AwaitedSigner(Vault(merchant_keys)), gateway_keys)
        )
    with pytest.raises(InvalidArgument, match=r"private_key=paywright\.aio\.AwaitedSigner\(signer\)"):
        merchant_of(Vault(merchant_keys), gateway_keys)
