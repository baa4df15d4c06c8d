"""The transport of awaited calls: HTTP/1.1 over sockets that anyio watches, under asyncio and trio, with a pool of its own [4].

As in `paywright_runtime.transport.blocking`, it retries nothing, follows no redirect and decodes nothing. One deadline applies
to the whole exchange, name resolution included. A connection is reused only after its last answer was verified, by the rules
of `pool`. A forked child starts with an empty pool.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from types import TracebackType
from typing import Self, cast

from anyio import CancelScope, Event, current_time, move_on_after
from anyio.lowlevel import current_token

from paywright_runtime.transport.aio.connection import AsyncConnection
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest
from paywright_runtime.transport.pool import TransportBase

__all__ = ["AsyncHttpTransport"]


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


class AsyncHttpTransport(TransportBase[AsyncConnection]):
    """Sends signed requests to one gateway over HTTP/1.1. Tasks may share it; await `aclose`, or use `async with`.

    `base_url` is `https://host[:port][/prefix]`, or `http://` to this machine. Certificates are always verified, by the
    system's authorities or by those of `ca_file` (PEM) alone. `proxy` is `http://` or `https://[user:password@]host:port`;
    no environment variable names one. An answer's body has at most `max_answer_bytes`. At most `pool_size` connections are
    in use at once, and further calls wait in turn; between calls as many stay open, for at most `idle_seconds` each. Each
    address of a host gets an equal share of the remaining time. Raises ConfigurationError for settings that cannot work.

    Idle connections belong to no event loop: a program that starts one loop after another can reuse them.
    """

    async def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """Send a request and return its complete answer, of any status, by `deadline` on `time.monotonic()`.

        Raises TransportFailure if no complete answer came, and ConfigurationError for a closed transport or a header that
        cannot be sent; then nothing was sent. Cancellation, and whatever else interrupts it, passes after the connection was
        closed.
        """
        # A view, because printing the locals of a frame must not print the bytes.
        message = memoryview(self._head(request) + request.body)
        connection = self._connection_for(request) or await self._in_turn(request, deadline)
        answer: RawAnswer | None = None
        try:
            with CancelScope(deadline=current_time() + (deadline - monotonic())):
                answer = await connection.exchange(message, deadline, self._max_answer_bytes, request.reach)
            if answer is not None:
                return answer
            raise TimeoutError
        except BaseException as error:
            connection.close()
            failure = connection.failure(error, deadline)
            if failure is None:
                raise
        # Raised here, so that the failure has no context whose frames hold the answer.
        try:
            raise self._with_peer(failure)
        finally:
            del failure  # else it and this frame, which holds the message, refer to each other

    async def _in_turn(self, request: SignedRequest, deadline: float) -> AsyncConnection:
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

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def _new_connection(self) -> AsyncConnection:
        first = self._base if self._proxy is None else self._proxy.endpoint
        context = self._tls_context() if "https" in (self._base.scheme, first.scheme) else None
        connection = AsyncConnection(self._base, self._proxy, context)
        connection.belong_to(self)
        return connection
