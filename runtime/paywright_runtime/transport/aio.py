"""The transport of awaited calls: HTTP/1.1 over sockets that anyio watches, under asyncio and trio, with a pool of its own [4].

As in `transport.blocking`, it retries nothing, follows no redirect and decodes nothing. anyio only reports when a socket is ready: the
sockets belong to no event loop. Closing is not awaited, so that a cancelled call ends its connection at once. One deadline applies to
the whole exchange, name resolution included. Needs the extra `async`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Self, cast

from paywright_runtime.errors import ConfigurationError
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest
from paywright_runtime.transport.connection import Connection, Waits
from paywright_runtime.transport.endpoint import Address, Endpoint
from paywright_runtime.transport.http11 import T
from paywright_runtime.transport.pool import TransportBase

try:
    from anyio import CancelScope, Event, current_time, getaddrinfo, move_on_after, wait_readable, wait_writable
    from anyio.lowlevel import current_token
except ModuleNotFoundError as _problem:
    if _problem.name != "anyio":
        raise
    raise ConfigurationError("The awaited client needs an extra: pip install 'paywright[async]'.") from None


async def _carried_out(waits: Waits[T]) -> T:
    """Wait in this task for all that a connection waits for; return its result. The caller must cancel it at the deadline."""
    found: object = None
    try:
        while True:
            wanted = waits.send(found)
            if isinstance(wanted, Endpoint):
                found = await _addresses(wanted.host, wanted.port)
                continue
            wait = wait_writable if wanted.writing else wait_readable
            found = True
            if wanted.seconds is None:
                await wait(wanted.sock)
            else:
                with move_on_after(wanted.seconds) as scope:
                    await wait(wanted.sock)
                found = not scope.cancelled_caught
    except StopIteration as done:
        return cast(T, done.value)


async def _addresses(host: str, port: int) -> list[Address]:
    try:
        return cast("list[Address]", socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM, 0, socket.AI_NUMERICHOST))
    except socket.gaierror:  # a name, which is resolved in a thread
        return cast("list[Address]", await getaddrinfo(host, port, type=socket.SOCK_STREAM))


class _Turn:
    """An event that the task of the request waits for, and that others set, perhaps in another thread."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self._event = Event()
        loop = current_token().native_token
        # What asyncio calls call_soon_threadsafe, and trio run_sync_soon.
        of_trio: object = getattr(loop, "run_sync_soon", None)
        self._soon = cast(Callable[[Callable[[], None]], object], getattr(loop, "call_soon_threadsafe", of_trio))

    async def wait(self, seconds: float) -> None:
        """Wait until it is woken, or for so many seconds."""
        with move_on_after(seconds):
            await self._event.wait()
        self._event = Event()

    def wake(self) -> None:
        """Let the task look, from any thread."""
        with suppress(RuntimeError):  # its event loop has ended
            self._soon(self._event.set)


class AsyncHttpTransport(TransportBase):
    """Sends signed requests to one gateway as `HttpTransport` does, whose arguments it takes.

    Tasks may share it; await `aclose`, or use `async with`.
    Idle connections belong to no event loop: a program that starts one loop after another can reuse them.
    """

    async def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """Send a request and return its complete answer by `deadline`, as `HttpTransport.send` does. Cancellation interrupts it, too."""
        # A view, because printing the locals of a frame must not print the bytes.
        message = memoryview(self._head(request) + request.body)
        connection = self._connection_for(request) or await self._in_turn(request, deadline)
        answer: RawAnswer | None = None
        try:
            left = deadline - monotonic()  # read first, so that a pause between two clocks ends no call early
            with CancelScope(deadline=current_time() + left):
                answer = await _carried_out(
                    connection.exchange(message, deadline, self._max_answer_bytes, request.reach)
                )
            if answer is not None:
                return answer
            raise TimeoutError
        except BaseException as error:
            connection.close()
            failure = connection.failure(error)
            if failure is None:
                raise
        # Raised here, so that the failure has no context whose frames hold the answer.
        try:
            raise self._with_peer(failure)
        finally:
            del failure  # else it and this frame, which holds the message, refer to each other

    async def _in_turn(self, request: SignedRequest, deadline: float) -> Connection:
        request.reach(Phase.CONNECTING)
        turn = _Turn(deadline)
        try:
            self._waiting.append(turn)
            while (connection := self._connection_for(request, turn)) is None:
                await turn.wait(self._seconds_to_wait(deadline))
            return connection
        finally:
            self._end_turn(turn)

    async def aclose(self) -> None:
        """Close the idle connections. One in use closes when its answer is released or discarded."""
        self._closed = True
        self._close_idle()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()
