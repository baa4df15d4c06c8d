"""The transport of awaited calls: HTTP/1.1 over sockets that anyio watches, under asyncio and trio, with a pool of its own [4].

As in `transport.blocking` and `transport.connection`, it retries nothing, follows no redirect, decodes nothing, and changes the phase
before each step is tried. anyio only reports when a socket is ready: the sockets belong to no event loop. Closing is not awaited, so
that a cancelled call ends its connection at once. One deadline applies to the whole exchange, name resolution included. Needs the
extra `async`.
"""

from __future__ import annotations

import errno
import os
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import monotonic
from types import TracebackType
from typing import Self, TypeAlias, cast

from paywright_runtime.errors import ConfigurationError
from paywright_runtime.tracebacks import interrupts
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure
from paywright_runtime.transport.endpoint import Address, Endpoint, Proxy, seconds_left, shares
from paywright_runtime.transport.failures import failure_after
from paywright_runtime.transport.http11 import (
    BLOCK,
    ProtocolError,
    ResponseParser,
    Steps,
    T,
    connect_request,
    read_connect_answer,
)
from paywright_runtime.transport.pool import Pooled, TransportBase, look_for_input
from paywright_runtime.transport.tls import ResumingContext

try:
    from anyio import CancelScope, Event, current_time, getaddrinfo, move_on_after, wait_readable, wait_writable
    from anyio.lowlevel import current_token
except ModuleNotFoundError as _problem:
    if _problem.name != "anyio":
        raise
    raise ConfigurationError("The awaited client needs an extra: pip install 'paywright[async]'.") from None

Stream: TypeAlias = "SocketStream | TlsStream"
_UNDER_WAY = (errno.EINPROGRESS, errno.EWOULDBLOCK)


async def connected(host: str, port: int, deadline: float, *, loopback_only: bool) -> socket.socket:
    """Return a socket connected to the first address that accepts within its share of the time until `deadline`.

    With `loopback_only` only addresses of this machine are tried. Raises the OSError of the last address.
    """
    problem: OSError = TimeoutError()
    for (family, kind, protocol, _, address), seconds in shares(
        await _addresses(host, port), deadline, loopback_only=loopback_only
    ):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            code = sock.connect_ex(address)
            if code in _UNDER_WAY:
                code = errno.ETIMEDOUT
                with move_on_after(seconds):
                    await wait_writable(sock)
                    code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code == 0:
                return sock
            sock.close()
            problem = OSError(code, os.strerror(code))
        except BaseException as refusal:
            sock.close()
            if not isinstance(refusal, OSError) or interrupts(refusal):
                raise
            problem = refusal
    raise problem


async def _addresses(host: str, port: int) -> list[Address]:
    try:
        return cast("list[Address]", socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM, 0, socket.AI_NUMERICHOST))
    except socket.gaierror:  # a name, which is resolved in a thread
        return cast("list[Address]", await getaddrinfo(host, port, type=socket.SOCK_STREAM))


class SocketStream:
    """Plain TCP."""

    __slots__ = ("_sock",)

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    async def receive(self) -> bytes:
        """Return the next bytes, at most BLOCK of them; b"" at the end."""
        while True:
            # Wait even if bytes are there, so that a peer that floods blocks neither other tasks nor the deadline.
            await wait_readable(self._sock)
            try:
                return self._sock.recv(BLOCK)
            except BlockingIOError:
                continue

    async def send(self, data: memoryview) -> None:
        """Send all of the bytes."""
        while data:
            try:
                sent = self._sock.send(data)
            except BlockingIOError:
                await wait_writable(self._sock)
            else:
                data = data[sent:]

    def unread(self) -> bool:
        """Return whether bytes were read from the socket that `receive` has not returned yet."""
        return False


class TlsStream:
    """TLS over TCP. Make one with `over`."""

    __slots__ = ("_below", "_incoming", "_outgoing", "tls")

    def __init__(self, below: SocketStream, context: ssl.SSLContext, host: str) -> None:
        self._below = below
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls: ssl.SSLObject = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)

    @classmethod
    async def over(cls, below: SocketStream, context: ssl.SSLContext, host: str) -> TlsStream:
        """Return a stream after the handshake, which proves that the peer is `host`. Raises SSLError, OSError or ProtocolError."""
        stream = cls(below, context, host)
        await stream._drive(stream.tls.do_handshake)
        if stream.tls.selected_alpn_protocol() not in (None, "http/1.1"):
            raise ProtocolError("tls_failed", "the peer chose another protocol than HTTP/1.1")
        return stream

    async def receive(self) -> bytes:
        """Return the next bytes, at most BLOCK of them; b"" at the end."""
        try:
            return await self._drive(partial(self.tls.read, BLOCK))
        except ssl.SSLEOFError:  # closed without TLS shutdown, as by many servers
            return b""

    async def send(self, data: memoryview) -> None:
        """Send all of the bytes."""
        while data:
            data = data[await self._drive(partial(self.tls.write, data)) :]

    def unread(self) -> bool:
        """Return whether bytes were read from the socket that `receive` has not returned yet."""
        return self._incoming.pending > 0 or self.tls.pending() > 0

    async def _drive(self, step: Callable[[], T]) -> T:
        """Repeat a step of the TLS machine until it succeeds, passing its bytes in both directions."""
        while True:
            try:
                result = step()
            except ssl.SSLWantReadError:
                await self._flush()
                data = await self._below.receive()
                if data:
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()
            else:
                await self._flush()
                return result

    async def _flush(self) -> None:
        if self._outgoing.pending:
            await self._below.send(memoryview(self._outgoing.read()))


class AsyncConnection(Pooled):
    """A connection to `base`, perhaps through `proxy`; `context` has the TLS settings if it uses TLS."""

    # Of the class, so that a connection interrupted in its constructor can be closed.
    _sock: socket.socket | None = None
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
            seconds_left(deadline)
            stream = self._stream = await self._connect(deadline)
        to(Phase.SENDING)
        seconds_left(deadline)
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
        stream = SocketStream(self._sock)
        if self._context is None:
            return stream
        if self._proxy is not None:
            await stream.send(memoryview(connect_request(self._base, self._proxy)))
            await _fed(read_connect_answer(), stream)
        return await TlsStream.over(stream, self._context, self._base.host)


async def _fed(steps: Steps[T], stream: Stream, noted: Callable[[bytes], bytes] = bytes) -> T:
    """Feed a parser with the bytes of a stream; return its result."""
    next(steps)
    try:
        while True:
            steps.send(noted(await stream.receive()))
    except StopIteration as done:
        return cast(T, done.value)


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
    """Sends signed requests to one gateway as `HttpTransport` does, whose arguments it takes.

    Tasks may share it; await `aclose`, or use `async with`.
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
        context = self._tls_context() if self._base.scheme == "https" else None
        connection = AsyncConnection(self._base, self._proxy, context)
        connection.belong_to(self)
        return connection
