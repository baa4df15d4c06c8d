"""What only the awaited transport has: tasks, cancellation, event loops. All else is tested with the blocking one."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from traceback import walk_tb
from typing import Any

import anyio
import pytest

from paywright_runtime.transport.aio import AsyncHttpTransport
from paywright_runtime.transport.api import Phase, RawAnswer, TransportFailure
from tests.runtime.helpers.holding_peers import half_an_answer, silent
from tests.runtime.helpers.transport_servers import (
    Script,
    Server,
    echo,
    http,
    read_request,
    repeating,
    request,
    soon,
    until_closed,
)
from tests.support.forks import in_child

pytestmark = pytest.mark.anyio

only_asyncio = pytest.mark.parametrize("anyio_backend", ["asyncio"])
LONG = 3600.0


async def call(transport: AsyncHttpTransport, body: bytes, within: float = 600.0) -> RawAnswer:
    return await transport.send(request(body), soon(within))


async def echoed(transport: AsyncHttpTransport, body: bytes) -> None:
    answer = await call(transport, body)
    assert answer.body == body
    answer.release()


def open_sockets() -> int:
    """How many sockets this process has; without a /proc, none are counted."""
    found = 0
    for name in os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []:
        try:
            found += os.readlink(f"/proc/self/fd/{name}").startswith("socket:")
        except OSError:  # closed in between
            continue
    return found


@pytest.fixture
def ended() -> Iterator[threading.Event]:
    """Set when a call has ended; then `deaf` reads what there is."""
    event = threading.Event()
    yield event
    event.set()


def deaf(ended: threading.Event) -> Script:
    """Reads nothing before the call has ended."""

    def script(peer: socket.socket) -> None:
        ended.wait(600)
        until_closed(peer)

    return script


def cancelling(scope: anyio.CancelScope, last: Phase, told: list[Phase]) -> Callable[[Phase], None]:
    """Hears of the phases, and cancels the scope a little after the last one has begun."""

    def reach(phase: Phase) -> None:
        told.append(phase)
        if phase is last:
            scope.deadline = anyio.current_time() + 0.05

    return reach


@pytest.mark.parametrize(
    ("peer", "body", "phase"),
    [
        (lambda _: silent, b"{}", Phase.WAITING),
        (deaf, b"z" * 16 * 1024 * 1024, Phase.WAITING),
        (lambda _: half_an_answer, b"{}", Phase.READING),
    ],
    ids=["silence", "deaf", "half"],
)
async def test_a_cancelled_exchange_closes_its_connection_and_passes_the_cancellation_on(
    peer: Callable[[threading.Event], Script], body: bytes, phase: Phase, ended: threading.Event
) -> None:
    told: list[Phase] = []
    with Server(peer(ended)) as server:
        async with AsyncHttpTransport(server.url) as transport:
            with anyio.CancelScope() as scope:
                await transport.send(request(body)._replace(reach=cancelling(scope, phase, told)), soon())
            assert scope.cancelled_caught
            assert told[-1] is phase
            ended.set()
            assert await anyio.to_thread.run_sync(server.wait_until_ended, 1)
            assert not transport._idle


async def test_cancelled_within_a_tls_handshake_nothing_was_sent() -> None:
    told: list[Phase] = []
    greeted = threading.Event()

    def script(peer: socket.socket) -> None:
        peer.recv(65536)
        greeted.set()
        until_closed(peer)

    with Server(script) as server:
        async with AsyncHttpTransport(server.url.replace("http:", "https:")) as transport:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(transport.send, request()._replace(reach=told.append), soon())
                assert await anyio.to_thread.run_sync(greeted.wait, 60)
                tasks.cancel_scope.cancel()
            assert told == [Phase.CONNECTING]
            assert await anyio.to_thread.run_sync(server.wait_until_ended, 1)


async def test_a_name_that_resolves_slowly_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo
    over = threading.Event()

    def slow(host: Any, port: Any, *rest: Any, **named: Any) -> Any:
        if host in ("gateway.example", b"gateway.example"):
            flags = rest[3] if len(rest) > 3 else named.get("flags", 0)
            if flags & socket.AI_NUMERICHOST:
                raise socket.gaierror(socket.EAI_NONAME, "no address")
            over.wait(LONG)
            raise socket.gaierror(socket.EAI_AGAIN, "nobody knows")
        return real(host, port, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    async with AsyncHttpTransport("https://gateway.example") as transport:
        started = time.monotonic()
        try:
            with pytest.raises(TransportFailure) as caught:
                await call(transport, b"{}", within=0.2)
        finally:
            over.set()
        assert time.monotonic() - started >= 0.2
    assert (caught.value.phase, caught.value.reason) == (Phase.CONNECTING, "timeout")


@pytest.mark.parametrize(
    "script",
    [
        repeating(b"HTTP/1.1 200 OK\r\n\r\n", b"z" * 65536),
        repeating(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", (b"1;" + b"x" * 1000 + b"\r\nz\r\n") * 60),
    ],
    ids=["body", "chunks"],
)
async def test_a_peer_that_floods_keeps_neither_other_tasks_nor_the_deadline_out(script: Script) -> None:
    turns = 0

    async def other() -> None:
        """Ends the call below after six turns."""
        nonlocal turns
        while turns < 6:
            await anyio.sleep(0.005)
            turns += 1
        tasks.cancel_scope.cancel()

    with Server(script) as server:
        async with AsyncHttpTransport(server.url, max_answer_bytes=1024**4) as transport:
            with pytest.raises(TransportFailure) as caught:
                await call(transport, b"{}", within=0.5)
            assert caught.value.reason == "timeout"
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(other)
                await call(transport, b"{}", within=LONG)
    assert turns == 6


async def test_a_burst_opens_as_many_connections_as_the_pool_holds() -> None:
    with Server(echo) as server:
        async with AsyncHttpTransport(server.url, pool_size=4) as transport, anyio.create_task_group() as tasks:
            for number in range(100):
                tasks.start_soon(echoed, transport, b"%d" % number)
        assert server.accepted == 4


async def test_a_task_that_is_cancelled_in_its_turn_gives_it_to_the_next() -> None:
    done: list[int] = []
    with Server(echo) as server:
        async with AsyncHttpTransport(server.url, pool_size=1) as transport, anyio.create_task_group() as tasks:
            scopes = [anyio.CancelScope() for _ in range(4)]

            async def work(number: int) -> None:
                with scopes[number]:
                    (await call(transport, b"%d" % number)).release()
                    done.append(number)

            busy = await call(transport, b"busy")
            for number in range(4):
                tasks.start_soon(work, number)
                await anyio.wait_all_tasks_blocked()
            scopes[0].cancel()
            busy.release()
            scopes[1].cancel()  # woken or not
        assert done == [2, 3]


def hesitant(delays: random.Random) -> Script:
    """Echoes, sometimes at once, sometimes in two pieces, sometimes late."""

    def script(peer: socket.socket) -> None:
        while True:
            head, body = read_request(peer)
            if not head:
                return
            answer = http(body)
            time.sleep(delays.choice((0.0, 0.0, 0.002, 0.005)))
            middle = delays.randrange(len(answer))
            peer.sendall(answer[:middle])
            time.sleep(delays.choice((0.0, 0.001)))
            peer.sendall(answer[middle:])

    return script


async def cancelled_by_scope(work: Callable[[], Any], after: float) -> None:
    with anyio.move_on_after(after):
        await work()


async def cancelled_by_task(work: Callable[[], Any], after: float) -> None:
    task = asyncio.ensure_future(work())
    await asyncio.sleep(after)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@pytest.mark.slow
@pytest.mark.parametrize(
    ("anyio_backend", "cancelled"),
    [("asyncio", cancelled_by_task), ("asyncio", cancelled_by_scope), ("trio", cancelled_by_scope)],
    ids=["asyncio-task", "asyncio-scope", "trio-scope"],
)
async def test_1000_cancelled_tasks_leave_no_foreign_answer_and_no_socket(
    anyio_backend: str, cancelled: Callable[..., Any], record_property: Callable[[str, object], None]
) -> None:
    delays = random.Random(4)
    foreign = answered = steady = cut = 0
    moment = 0.015  # when to cancel, on the average: later after a cancellation, sooner after an answer

    async def one(body: bytes) -> None:
        nonlocal foreign, answered, cut, moment
        try:
            answer = await call(transport, body)
        except TransportFailure:
            raise
        except BaseException:
            cut += 1
            moment *= 1.1
            raise
        foreign += answer.body != body
        answered += 1
        moment *= 0.9
        answer.release()

    async def steadily(mark: int) -> None:
        nonlocal foreign, steady
        for number in range(60):
            body = b"steady-%d-%d" % (mark, number)
            answer = await call(transport, body)
            foreign += answer.body != body
            steady += 1
            answer.release()

    async def batch(first: int) -> None:
        for number in range(first, first + 50):
            await cancelled(lambda body=b"cancelled-%d" % number: one(body), delays.expovariate(1 / moment))

    before = open_sockets()
    with Server(hesitant(delays)) as server:
        async with AsyncHttpTransport(server.url) as transport:
            async with anyio.create_task_group() as tasks:
                for mark in range(4):
                    tasks.start_soon(steadily, mark)
                for first in range(0, 1000, 50):
                    tasks.start_soon(batch, first)
            assert (foreign, steady) == (0, 240)
            assert answered + cut == 1000
            assert answered > 10
            assert cut > 10
            assert len(transport._idle) <= 24  # tasks at once
            assert not any(connection.is_stale() for connection in transport._idle)
            for number in range(20):  # whatever is left in the pool still answers what it is asked
                body = b"after-%d" % number
                answer = await call(transport, body)
                assert answer.body == body
                answer.release()
        assert await anyio.to_thread.run_sync(server.wait_until_ended, server.accepted)
    record_property("count: tasks cancelled within an exchange", cut)
    gc.collect()
    assert open_sockets() <= before + 4  # the event loop's threads may have some of their own


async def test_nothing_is_left_unclosed_and_no_task_outlives_a_call() -> None:
    others = len(anyio.get_running_tasks())
    gc.collect()  # what other tests left: Python 3.13 warns of their database connections
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with Server(half_an_answer) as server:
            transport = AsyncHttpTransport(server.url)
            with anyio.CancelScope() as scope:
                await transport.send(request()._replace(reach=cancelling(scope, Phase.READING, [])), soon())
            with pytest.raises(TransportFailure):
                await call(transport, b"{}", within=0.5)
            assert len(anyio.get_running_tasks()) == others
            del transport
            gc.collect()
            assert await anyio.to_thread.run_sync(server.wait_until_ended, server.accepted)
    assert not [warning for warning in warned if issubclass(warning.category, ResourceWarning)]


async def test_no_frame_of_a_cancellation_shows_what_was_sent_or_what_came(ended: threading.Event) -> None:
    def script(peer: socket.socket) -> None:
        read_request(peer)
        peer.sendall(http(b"SECRET" * 100)[:-1])
        until_closed(peer)

    for body in (b"SECRET", b"SECRET" * 3_000_000):
        with Server(script if len(body) < 100 else deaf(ended)) as server:
            async with AsyncHttpTransport(server.url) as transport:
                seen: BaseException | None = None
                with anyio.CancelScope() as scope:
                    last = Phase.READING if len(body) < 100 else Phase.WAITING
                    try:
                        await transport.send(request(body)._replace(reach=cancelling(scope, last, [])), soon())
                    except BaseException as cancellation:
                        seen = cancellation
                        raise
                assert seen is not None
                own = [frame for frame, _ in walk_tb(seen.__traceback__)][1:]  # the first is the test's
                assert len(own) >= 2
                assert not any("SECRET" in repr(value) for frame in own for value in frame.f_locals.values())


def test_connections_belong_to_no_event_loop() -> None:
    """Loops that came and went, of either kind, leave warm connections which the next one uses and answers with its own."""
    with Server(echo) as server:
        transport = AsyncHttpTransport(server.url)
        for number in range(6):
            anyio.run(echoed, transport, b"%d" % number, backend=("asyncio", "trio")[number % 2])
        assert server.accepted == 1
        anyio.run(transport.aclose)
        assert server.wait_until_ended(1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@only_asyncio
async def test_a_child_forked_within_a_loop_uses_no_connection_of_its_parent(anyio_backend: str) -> None:
    """Neither the idle one nor the one that an exchange of the parent is using."""

    asked, forked = threading.Event(), threading.Event()

    def script(peer: socket.socket) -> None:
        while True:
            head, body = read_request(peer)
            if not head:
                return
            if body == b"slow":
                asked.set()
                forked.wait(600)
            peer.sendall(http(body))

    async def slow() -> bytes:
        answer = await call(transport, b"slow")
        answer.release()
        return answer.body

    async def in_the_child() -> None:
        answer = await call(transport, b"child")
        assert answer.body == b"child"

    with Server(script) as server:
        async with AsyncHttpTransport(server.url) as transport:
            warm = await call(transport, b"warm")
            under_way = asyncio.ensure_future(slow())
            assert await anyio.to_thread.run_sync(asked.wait, 60)
            warm.release()
            assert in_child(lambda: asyncio.run(in_the_child())) == 0
            forked.set()
            assert await under_way == b"slow"
            assert (await call(transport, b"after")).body == b"after"
            assert server.accepted == 3  # two of the parent's, one of the child's
