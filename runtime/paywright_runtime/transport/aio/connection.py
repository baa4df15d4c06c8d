"""One awaited connection to the gateway: connects, tunnels, and makes one exchange after another.

As in `paywright_runtime.transport.connection`, the phase changes before each step is tried. Closing is not awaited, so that a
cancelled call ends its connection at once.
"""

import time
from collections.abc import Callable
from socket import socket
from typing import cast

from paywright_runtime.transport.aio.streams import SocketStream, Stream, TlsStream, connected
from paywright_runtime.transport.api import Phase, RawAnswer, TransportFailure
from paywright_runtime.transport.endpoint import Endpoint, Proxy
from paywright_runtime.transport.failures import failure_after
from paywright_runtime.transport.http11 import ResponseParser, Steps, T
from paywright_runtime.transport.pool import Pooled, look_for_input
from paywright_runtime.transport.tls import ResumingContext
from paywright_runtime.transport.tunnel import connect_request, read_connect_answer


class AsyncConnection(Pooled):
    """A connection to `base`, perhaps through `proxy`; `context` has the TLS settings if either uses TLS."""

    # Of the class, so that a connection interrupted in its constructor can be closed.
    _sock: socket | None = None
    _stream: Stream | None = None

    def __init__(self, base: Endpoint, proxy: Proxy | None, context: ResumingContext | None) -> None:
        self._base = base
        self._proxy = proxy
        self._context = context
        self._phase = Phase.CONNECTING
        self._answer: ResponseParser | None = None

    async def exchange(
        self, request: memoryview, deadline: float, limit: int, reach: Callable[[Phase], None]
    ) -> RawAnswer:
        """Send a request and read its answer, after connecting if necessary. Call `failure` with any exception.

        The caller must cancel it at the deadline. No frame holds a message in a form that a traceback would show.
        """

        def to(phase: Phase) -> None:
            self._phase = phase
            reach(phase)

        def noted(data: bytes) -> bytes:
            if data and self._phase is Phase.WAITING:
                to(Phase.READING)
            return data

        self._answer = None
        to(Phase.CONNECTING)
        stream = self._stream
        if stream is None:
            _in_time(deadline)
            stream = self._stream = await self._connect(deadline)
        to(Phase.SENDING)
        _in_time(deadline)
        to(Phase.WAITING)
        await stream.send(request)
        answer = self._answer = ResponseParser(limit)
        body = await _fed(answer.answer(), stream, noted)
        if not answer.reusable:
            self.close()
        return RawAnswer(answer.status or 0, answer.headers, body, self, surplus=self.is_surplus(body))

    def failure(self, error: BaseException, deadline: float) -> TransportFailure | None:
        """Return the failure for an exception of `exchange`; None for one that does not come from the connection."""
        return failure_after(error, self._phase, self._answer, deadline)

    def close(self) -> None:
        """Close the descriptor. A process that shares it after a fork can continue to use it."""
        self._stream = self._look = None
        if self._sock is not None:
            self._sock.close()
        self.leave()

    def __del__(self) -> None:
        self.close()

    def _remember_session(self) -> None:
        if self._context is not None and isinstance(self._stream, TlsStream):
            self._context.remember(self._stream.tls)

    def _is_open(self) -> bool:
        return self._stream is not None and not self._stream.unread()

    async def _connect(self, deadline: float) -> Stream:
        first = self._base if self._proxy is None else self._proxy.endpoint
        self._sock = await connected(first.host, first.port, deadline, loopback_only=self._base.scheme == "http")
        self._look = look_for_input(self._sock)
        stream: Stream = SocketStream(self._sock)
        if self._context is not None and first.scheme == "https":
            stream = await TlsStream.over(stream, self._context, first.host)
        if self._context is not None and self._proxy is not None and self._base.scheme == "https":
            await stream.send(memoryview(connect_request(self._base, self._proxy)))
            await _fed(read_connect_answer(), stream)
            stream = await TlsStream.over(stream, self._context, self._base.host)
        return stream


def _in_time(deadline: float) -> None:
    if time.monotonic() >= deadline:
        raise TimeoutError


async def _fed(steps: Steps[T], stream: Stream, noted: Callable[[bytes], bytes] = bytes) -> T:
    """Feed a parser with the bytes of a stream; return its result."""
    next(steps)
    try:
        while True:
            steps.send(noted(await stream.receive()))
    except StopIteration as done:
        return cast(T, done.value)
