"""The awaited client: the results, errors and rules of the one that blocks, and an answer to cancellation."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import anyio
import pytest

import paywright
from paywright import AttemptEvent, FixedClock, Merchant, OutcomeUnknown, PaywrightError, SnapAsymmetric
from paywright.aio import AsyncHttpTransport, Client
from paywright_runtime.transport.api import RawAnswer, SignedRequest
from tests.runtime.helpers.canned_gateway import Gateway, Reply, Seen
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED, ORDER_FOUND, OUTBOUND, call_everything, example_of
from tests.support.ports import lasting_port

pytestmark = pytest.mark.anyio

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
PATHS = {"payment_tokens.inquire": "/biz", "cases.inquire": "/biz"}


def place(client: Client, key: str = "ORD_1") -> Awaitable[object]:
    return client.orders.checkout(**{**ORDER, "out_trade_no": key})


def query(client: Client) -> Awaitable[object]:
    return client.orders.query(out_trade_no="ORD_1")


async def everything(client: Client) -> dict[str, object]:
    """Each operation of the contract, awaited; the result or the error, by operation."""
    results: dict[str, object] = {}
    calls: Any = call_everything(client)  # type: ignore[arg-type]  # the same names and arguments; what comes is to be awaited
    for name, waiting in calls.items():
        try:
            results[name] = await waiting
        except Exception as error:  # each is looked at by the test
            results[name] = error
    return results


def looks(result: Any) -> object:
    """All that can be seen of a result or an error, but for how long the attempts took."""
    text = re.sub(r"duration=[0-9.]+|after [0-9.]+ s|in [0-9.]+ s", "", f"{result!r} {result}")
    answer = getattr(result, "answer", None)
    return type(result), text, getattr(answer, "raw", None), getattr(answer, "request", None)


@pytest.mark.parametrize("how", ["examples", "refusals", "forged", "nonsense"])
async def test_every_operation_ends_as_with_the_blocking_client(gateway: Gateway, merchant: Merchant, how: str) -> None:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    gateway.reply = {
        "examples": example_of,
        "refusals": Reply({"code": "PARAMS_INVALID", "msg": "no", "responseCode": "4005401", "responseMessage": "no"}),
        "forged": Reply(ORDER_CREATED, signed=False),
        "nonsense": Reply(b"<html>", status=502),
    }[how]
    settings: Any = {
        "base_url": gateway.base_url, "merchant": merchant, "paths": PATHS, "clock": FixedClock(NOON), "retries": 0,
    }  # fmt: skip
    with paywright.Client(**settings) as blocking:
        expected = call_everything(blocking)
    asked = [(seen.path, seen.body) for seen in gateway.seen]
    gateway.seen.clear()
    async with Client(**settings) as client:
        results = await everything(client)
    assert {name: looks(result) for name, result in results.items()} == {
        name: looks(result) for name, result in expected.items()
    }
    assert [(seen.path, seen.body) for seen in gateway.seen] == asked
    assert sorted(results) == sorted(OUTBOUND)
    if how == "examples":
        assert not [result for result in results.values() if isinstance(result, Exception)]
    else:
        assert all(isinstance(result, PaywrightError) for result in results.values())


async def test_no_connection_outlives_a_client(gateway: Gateway, merchant: Merchant) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    async with Client(base_url=gateway.base_url, merchant=merchant) as client:
        await place(client)
        transport = client._transport
    assert isinstance(transport, AsyncHttpTransport)
    assert not transport._idle


# Cancellation


@pytest.fixture
def held(gateway: Gateway) -> Iterator[Gateway]:
    """A gateway that has processed a request and says nothing until the test is over."""
    release = threading.Event()

    def reply(_: Seen) -> Reply:
        release.wait(600)
        return Reply(ORDER_CREATED)

    gateway.reply = reply
    yield gateway
    release.set()


async def processed(gateway: Gateway) -> None:
    while not gateway.seen:
        await anyio.sleep(0.005)


LONG = 3600.0  # a limit of time here ends at once when the gateway has the request, and not before


async def once_processed(work: Callable[[], Awaitable[object]], gateway: Gateway, end: Callable[[], object]) -> None:
    """Awaits the work, beside a task that calls `end` once the gateway has the request."""

    async def wait() -> None:
        await processed(gateway)
        end()

    raised: BaseException | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        try:
            await work()
        except (OutcomeUnknown, TimeoutError) as error:  # out of here, or the group would wrap it
            raised = error
    if raised is not None:
        raise raised


async def by_fail_after(work: Awaitable[object], gateway: Gateway) -> None:
    scopes: list[anyio.CancelScope] = []

    async def limited() -> None:
        with anyio.fail_after(LONG) as scope:
            scopes.append(scope)
            await work

    await once_processed(limited, gateway, lambda: setattr(scopes[0], "deadline", anyio.current_time()))


async def by_scope(work: Awaitable[object], gateway: Gateway) -> None:
    async def limited() -> None:
        with scope:
            await work

    scope = anyio.CancelScope()
    await once_processed(limited, gateway, scope.cancel)


async def by_task(work: Awaitable[object], gateway: Gateway) -> None:
    task = asyncio.ensure_future(work)
    await processed(gateway)
    task.cancel()
    await task


async def by_timeout(work: Awaitable[object], gateway: Gateway) -> None:
    async def limited() -> None:
        async with limit:
            await work

    loop = asyncio.get_running_loop()
    limit = asyncio.timeout(LONG)
    await once_processed(limited, gateway, lambda: limit.reschedule(loop.time()))


ANYWHERE = [by_fail_after, by_scope]
WAYS = [
    *(pytest.param("asyncio", way, id=f"asyncio-{way.__name__}") for way in [*ANYWHERE, by_task, by_timeout]),
    *(pytest.param("trio", way, id=f"trio-{way.__name__}") for way in ANYWHERE),
]  # fmt: skip
Way = Callable[[Awaitable[object], Gateway], Awaitable[None]]


@pytest.mark.parametrize(("anyio_backend", "way"), WAYS)
async def test_cancelled_after_it_left_is_unknown(client: Client, held: Gateway, anyio_backend: str, way: Way) -> None:
    with pytest.raises(OutcomeUnknown) as caught:
        await way(place(client), held)
    unknown = caught.value
    assert (unknown.reason, unknown.key, unknown.resolve_with) == ("cancelled", "ORD_1", "orders.query")
    assert [(attempt.phase, attempt.reason) for attempt in unknown.attempts] == [("waiting", "cancelled")]
    assert "Money may have moved" in str(unknown)
    await anyio.sleep(0.01)  # the cancellation is over: it strikes nothing else
    if anyio_backend == "asyncio":
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
    held.reply = Reply(ORDER_FOUND)
    assert await query(client)


@pytest.mark.parametrize(("anyio_backend", "way"), WAYS)
async def test_a_cancelled_read_is_cancelled(client: Client, held: Gateway, anyio_backend: str, way: Way) -> None:
    ends = {
        by_fail_after: TimeoutError,
        by_timeout: TimeoutError,
        by_task: asyncio.CancelledError,
    }
    if way in ends:
        with pytest.raises(ends[way]):
            await way(query(client), held)
    else:
        await way(query(client), held)
    await anyio.sleep(0.01)
    held.reply = Reply(ORDER_FOUND)
    assert await query(client)
    assert len(held.seen) == 2


async def test_a_call_that_is_cancelled_between_two_attempts_is_cancelled_and_nothing_else(merchant: Merchant) -> None:
    port = lasting_port()
    events: list[AttemptEvent] = []
    scope = anyio.CancelScope()

    def heard(event: AttemptEvent) -> None:
        events.append(event)
        scope.cancel()  # comes to the pause before the next attempt

    async with Client(base_url=f"http://127.0.0.1:{port}", merchant=merchant, retries=10, on_attempt=heard) as client:
        with scope:
            await place(client)
    assert scope.cancelled_caught
    assert {event.outcome for event in events} == {"not_sent"}
    assert [event.attempt.reason for event in events].count("cancelled") == 1
    assert events[-1].attempt.reason == "cancelled"


async def test_a_write_beside_a_failing_sibling_is_named(client: Client, held: Gateway) -> None:
    async def fail() -> None:
        await processed(held)
        raise LookupError

    async def both() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(place, client)
            tasks.start_soon(fail)

    with pytest.raises(BaseExceptionGroup) as caught:
        await both()
    assert {type(error) for error in caught.value.exceptions} == {LookupError, OutcomeUnknown}


class Speechless:
    """A transport of one's own that says nothing of phases."""

    async def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        await anyio.sleep_forever()
        raise AssertionError

    async def aclose(self) -> None:
        pass


async def test_a_transport_that_tells_no_phase_may_have_sent_anything(merchant: Merchant) -> None:
    async with Client(base_url="https://gateway.example", merchant=merchant, transport=Speechless()) as client:
        with pytest.raises(OutcomeUnknown), anyio.move_on_after(0.05):
            await place(client)
