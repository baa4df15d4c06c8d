"""How many connections a client opens: one for a question however often it is asked, and none that another answer could come on."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from datetime import UTC, datetime
from inspect import isawaitable
from typing import Any

import anyio
import pytest

from paywright import Client, FixedClock, Merchant, PaywrightError
from paywright.aio import Client as AwaitedClient
from paywright_receiver import AsyncFollower, Follower, MemoryLedger
from paywright_runtime.signing.keys import KeyPair
from paywright_runtime.signing.rsa import RsaSigner
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED, ORDER_FOUND, REFUND
from tests.runtime.helpers.transport_kinds import Kind
from tests.runtime.helpers.transport_servers import Server, http, read_request

AnyClient = Client | AwaitedClient
Ask = Callable[[AnyClient, int], Any]

ABSENT: dict[str, object] = {"code": "ORDER_NOT_EXIST", "msg": ""}
REFUSED: dict[str, object] = {"code": "PARAMS_INVALID", "msg": "words"}
CONTENT: dict[str, Any] = {name: ORDER[name] for name in ("total_amount", "currency")}
NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


class Answering:
    """The script of a server: it answers with `body`, in which the key of each request stands where the answer has one."""

    def __init__(self, keys: KeyPair) -> None:
        self._signer = RsaSigner(keys.private)
        self.body: dict[str, Any] = ABSENT
        self.goes_on = False  # with what it said first on the connection
        self.carried: list[list[str]] = []

    def __call__(self, peer: socket.socket) -> None:
        carried: list[str] = []
        self.carried.append(carried)
        says = self.body
        while (request := read_request(peer))[0]:
            key = json.loads(request[1])["data"].get("outTradeNo", "")
            carried.append(key)
            says = says if self.goes_on and len(carried) > 1 else self.body
            data = says.get("data", {})
            raw = json.dumps({**says, "data": {**data, "outTradeNo": key}} if "outTradeNo" in data else says).encode()
            peer.sendall(http(raw, "200 OK", f"sign: {self._signer.sign(raw)}"))


@pytest.fixture
def answering(gateway_keys: KeyPair) -> Answering:
    return Answering(gateway_keys)


def run(kind: Kind, merchant: Merchant, server: Server, use: Callable[[AnyClient], Any], **more: Any) -> None:
    """Use a client of that kind; what it gives is awaited."""

    async def main() -> None:
        settings: Any = {"base_url": server.url, "merchant": merchant, "timeout": 600, **more}
        if kind == "blocking":
            with Client(**settings) as client:
                await use(client)
        else:
            async with AwaitedClient(**settings) as awaited:
                await use(awaited)

    anyio.run(main, backend="asyncio" if kind == "blocking" else kind)


async def end_of(result: Callable[[], Any]) -> object:
    """The result of a call of either client, or its error."""
    try:
        given = result()
        return await given if isawaitable(given) else given
    except PaywrightError as error:
        return error


def query(client: AnyClient, number: int) -> Any:
    return client.orders.query(out_trade_no="ORD_1")


def place(client: AnyClient, number: int) -> Any:
    return client.orders.checkout(**ORDER | {"out_trade_no": f"ORD_{number}"})


def test_a_keyless_question_goes_on_beside_writes(kind: Kind, answering: Answering, merchant: Merchant) -> None:
    async def use(client: AnyClient) -> None:
        for number in range(1, 6):
            answering.body = ABSENT
            await end_of(lambda: query(client, 0))
            answering.body = ORDER_CREATED
            await end_of(lambda: place(client, number))  # noqa: B023  # called at once

    with Server(answering) as server:
        run(kind, merchant, server, use)
    assert answering.carried == [["ORD_1"] * 5, ["ORD_1", "ORD_2", "ORD_3", "ORD_4", "ORD_5"]]


def test_an_absence_that_counts_has_a_fresh_connection(kind: Kind, answering: Answering, merchant: Merchant) -> None:
    """However many others ask the same meanwhile: an older "not there" of theirs could come in place of the one that counts."""
    clock = FixedClock(NOON)
    states: list[str] = []

    async def use(client: AnyClient) -> None:
        resolver: Any = client.orders.resolve(out_trade_no="ORD_1", **CONTENT)
        for _ in range(2):
            await end_of(lambda: query(client, 0))
            states.append((await end_of(resolver.step)).state)  # type: ignore[attr-defined]  # no error here
            clock.advance(300)

    with Server(answering) as server:
        run(kind, merchant, server, use, clock=clock)
    assert states == ["wait", "place_again"]
    assert answering.carried == [["ORD_1", "ORD_1", "ORD_1"], ["ORD_1"]]


def test_no_older_absence_permits_to_place_an_order_again(kind: Kind, answering: Answering, merchant: Merchant) -> None:
    """A peer goes on saying "not there" on the connection on which it said so before the order arrived."""
    clock = FixedClock(NOON)
    ends: list[object] = []

    async def use(client: AnyClient) -> None:
        resolver: Any = client.orders.resolve(out_trade_no="ORD_1", **CONTENT)
        for answering.body in (ABSENT, ORDER_FOUND):
            ends.append(getattr(await end_of(lambda: query(client, 0)), "code", None))
            ends.append((await end_of(resolver.step)).state)  # type: ignore[attr-defined]  # as above
            clock.advance(300)

    answering.goes_on = True
    with Server(answering) as server:
        run(kind, merchant, server, use, clock=clock)
    # The second question of the shop itself is told what was true before: it proves nothing, and it is no other order's.
    assert ends == ["ORDER_NOT_EXIST", "wait", "ORDER_NOT_EXIST", "settled"]


def test_what_proves_nothing_reuses_the_connection(kind: Kind, answering: Answering, merchant: Merchant) -> None:
    clock = FixedClock(NOON)

    async def use(client: AnyClient) -> None:
        resolver: Any = client.refunds.resolve(out_refund_no=REFUND["out_refund_no"])
        for _ in range(3):
            await end_of(resolver.step)
            clock.advance(300)

    with Server(answering) as server:
        run(kind, merchant, server, use, clock=clock)
        assert server.accepted == 1


def test_a_follower_asks_for_absences_likewise(kind: Kind, answering: Answering, merchant: Merchant) -> None:
    clock = FixedClock(NOON)

    async def use(client: AnyClient) -> None:
        blocking = isinstance(client, Client)
        follower: Any = (
            Follower(client, MemoryLedger(clock=clock))
            if blocking
            else AsyncFollower(client, MemoryLedger(clock=clock))
        )
        opened = follower.open(None, client.orders.follow("ORD_1", unknown=True, **CONTENT))
        assert await opened if isawaitable(opened) else opened
        for _ in range(2):
            await end_of(follower.run_due)
            await end_of(lambda: query(client, 0))
            clock.advance(700)

    with Server(answering) as server:
        run(kind, merchant, server, use, clock=clock)
    assert answering.carried == [["ORD_1", "ORD_1"], ["ORD_1", "ORD_1"]]
