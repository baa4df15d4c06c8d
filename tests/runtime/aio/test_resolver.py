"""An unknown outcome is settled by awaiting as it is by blocking: the same machine, asked by another driver."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from paywright import FixedClock, InvalidArgument, Merchant, OutcomeUnknown, Permission, TooEarly, Transport
from paywright.aio import AsyncResolver, Client
from paywright_runtime.client.settings import client_settings_from, merchant_from
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure
from paywright_sandbox.testing.handle import SandboxHandle
from paywright_sandbox.testing.inprocess import InProcessTransport, in_process_sandbox
from paywright_sandbox.testing.served import running_sandbox
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED

pytestmark = pytest.mark.anyio

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
CONTENT: dict[str, Any] = {name: ORDER[name] for name in ("total_amount", "currency")}
NOT_EXIST = Reply({"code": "ORDER_NOT_EXIST", "msg": ""})


class Called:
    """A transport that blocks, where an awaited one is asked for. It fails first, if it is told to."""

    def __init__(self, inner: Transport, *failures: TransportFailure) -> None:
        self.inner = inner
        self.failures = list(failures)

    async def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        request.reach(Phase.WAITING)
        if self.failures:
            raise self.failures.pop(0)
        return self.inner.send(request, deadline)

    async def aclose(self) -> None:
        self.inner.close()


def client_of(sandbox: SandboxHandle, clock: FixedClock, transport: Called | None = None) -> Client:
    merchant, base_url = merchant_from(Merchant, sandbox.env)
    paths = client_settings_from(Merchant, sandbox.env).paths
    return Client(base_url=base_url, merchant=merchant, paths=paths, clock=clock, transport=transport)


async def place(client: Client, again: Permission | None = None) -> object:
    return await client.orders.checkout(**ORDER, again=again)


async def nowhere(text: str) -> None:
    """Where a test stores a resolver that it does not go on with."""


async def test_a_lost_order_is_placed_again_after_the_rule_of_4_3(gateway: Gateway, merchant: Merchant) -> None:
    clock = gateway.clock = FixedClock(NOON)
    async with Client(base_url=gateway.base_url, merchant=merchant, clock=clock) as client:
        resolver = client.orders.resolve(out_trade_no="ORD_1", **CONTENT)
        assert isinstance(resolver, AsyncResolver)
        gateway.reply = NOT_EXIST
        step = await resolver.step()
        assert (step.state, step.at) == ("wait", NOON + timedelta(seconds=300))
        with pytest.raises(TooEarly, match="`step` asks"):
            await resolver.permission(store=nowhere)
        assert len(gateway.seen) == 1
        stored = resolver.to_json()
        clock.advance(301)
        resumed = client.resume(stored)
        assert (await resumed.step()).state == "place_again"
        gateway.reply = Reply(ORDER_CREATED)
        assert await place(client, again=await resumed.permission(store=nowhere))
        assert (await resumed.step()).state == "settled"
    assert [seen.json["data"]["outTradeNo"] for seen in gateway.seen] == ["ORD_1"] * 3  # type: ignore[index]  # an object


async def test_the_time_of_settle_is_checked_before_anything_is_asked(gateway: Gateway, merchant: Merchant) -> None:
    async with Client(base_url=gateway.base_url, merchant=merchant) as client:
        resolver = client.orders.resolve(out_trade_no="ORD_1", **CONTENT)
        with pytest.raises(InvalidArgument, match="within is a number of seconds, 0 or more"):
            await resolver.settle(within=float("nan"))
        assert not gateway.seen
        gateway.reply = NOT_EXIST
        assert (await resolver.settle(within=0)).state == "wait"


@pytest.mark.parametrize("arrived", [True, False])
async def test_an_outcome_is_settled_against_a_sandbox_in_this_process(arrived: bool) -> None:
    """Whether the order that seemed lost had arrived or not, in the end there is one, and it is known."""
    clock = FixedClock(NOON)
    with in_process_sandbox(clock=clock, wall=clock) as sandbox:
        lost = TransportFailure(Phase.WAITING, "connection_lost")
        transport = Called(InProcessTransport(sandbox.engine), *([] if arrived else [lost]))
        if arrived:
            sandbox.fault("reset", when="after", times=1)
        async with client_of(sandbox, clock, transport) as client:
            with pytest.raises(OutcomeUnknown) as caught:
                await place(client)
            resolver = client.orders.resolve(out_trade_no=caught.value.key or "", **CONTENT)
            step = await resolver.step()
            if not arrived:
                assert step.state == "wait"
                clock.advance(300)
                assert (await resolver.step()).state == "place_again"
                await place(client, again=await resolver.permission(store=nowhere))
            sandbox.pay("ORD_1")
            order = await client.orders.query(out_trade_no="ORD_1")
            assert order.status == "SUCCESS"
            assert (await resolver.step()).state == "settled"


async def test_an_outcome_is_settled_against_a_served_sandbox() -> None:
    clock = FixedClock(NOON)
    with running_sandbox(clock=clock, wall=clock) as sandbox:
        async with client_of(sandbox, clock) as client:
            sandbox.fault("reset", when="after", times=1)
            with pytest.raises(OutcomeUnknown):
                await place(client)
            resolver = client.orders.resolve(out_trade_no="ORD_1", **CONTENT)
            await resolver.step()
            sandbox.pay("ORD_1")
            clock.advance(600)
            assert (await resolver.step()).state == "settled"
            assert resolver.result is not None
            assert resolver.result.out_trade_no == "ORD_1"
