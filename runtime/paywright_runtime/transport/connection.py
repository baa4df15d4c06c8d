"""One connection to the gateway, for both transports: it connects, opens the proxy's tunnel, speaks TLS and makes the exchange.

Its methods are generators, which wait for nothing: they yield an `Endpoint` whose addresses they need, or a `Ready`, the socket that
they wait for. A transport finds the addresses and waits, in its thread or its event loop, which the sockets do not belong to.

The connection records the phase of an exchange, which exceptions do not show: by it `api.body_may_have_left` decides whether money may
have moved. The phase changes before each step is tried, so that a
step that partly succeeded counts as done.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import ssl
import time
import weakref
from collections.abc import Callable, Generator
from functools import partial
from typing import Any, Final, Protocol, TypeAlias, cast

from paywright_runtime.tracebacks import errors_ignored, interrupts
from paywright_runtime.transport.api import Phase, RawAnswer, Reason, TransportFailure, body_may_have_left, ignore_phase
from paywright_runtime.transport.endpoint import Address, Endpoint, Proxy, seconds_left, shares
from paywright_runtime.transport.http11 import (
    BLOCK,
    ProtocolError,
    ResponseParser,
    Steps,
    T,
    connect_request,
    read_connect_answer,
)

_UNDER_WAY = (errno.EINPROGRESS, errno.EWOULDBLOCK)
# Where a context has the last session with each name, which spares both sides most of a handshake. It can only be resumed under the
# settings under which its certificate was verified, and holds its context: in a table of its own it would never end.
_SESSIONS: Final = "paywright_sessions"
_MOST_ANSWERS = 1000  # different answers that a connection remembers; then it is closed

FAILURES: Final[tuple[type[Exception], ...]] = (OSError, ProtocolError, MemoryError)
"""Exceptions of a failed exchange: of the system and TLS, of the peer's answer, and of an answer for which there is no memory.

Any other was raised into it, such as a task's time limit, or is a bug: neither says that the connection failed [decision 0006].
"""


class Ready:
    """A socket that is waited for: until it can be written or read, for so many seconds, or until the deadline of the exchange."""

    __slots__ = ("_poll", "seconds", "sock", "writing")

    def __init__(self, sock: socket.socket, *, writing: bool = False, seconds: float | None = None) -> None:
        self.sock: socket.socket = sock
        self.writing: bool = writing
        self.seconds: float | None = seconds
        self._poll: select.poll | None = None  # kept: making one takes longer than asking it; gevent's is one thread's

    def wait(self, seconds: float) -> bool:
        """Wait in this thread, so many seconds at most. Return whether it is ready."""
        if not hasattr(select, "poll"):  # on Windows
            sought = [self.sock]
            return any(select.select([] if self.writing else sought, sought if self.writing else [], sought, seconds))
        if self._poll is None or isinstance(select.poll, type):
            self._poll = select.poll()
            self._poll.register(self.sock, select.POLLOUT if self.writing else select.POLLIN)
        return bool(self._poll.poll(seconds * 1000))


Waits: TypeAlias = Generator["Endpoint | Ready", Any, T]
"""Generator that is sent the addresses of each `Endpoint`, and for each `Ready` whether it is."""


def carried_out(waits: Waits[T], deadline: float) -> T:
    """Wait in this thread for all that a connection waits for, until `deadline`; return its result."""
    found: object = None
    try:
        while True:
            wanted = waits.send(found)
            if isinstance(wanted, Endpoint):
                found = socket.getaddrinfo(wanted.host, wanted.port, 0, socket.SOCK_STREAM)
            else:
                found = wanted.wait(seconds_left(deadline) if wanted.seconds is None else wanted.seconds)
    except StopIteration as done:
        return cast(T, done.value)


class ConnectionPool(Protocol):
    """The pool that connections return to."""

    def take_back(self, connection: Connection, /) -> None:
        """Take back a connection whose answer was verified, so that it may carry another request."""
        ...

    def free(self, connection: Connection, /) -> None:
        """Give the place of a connection that is in use no more to the request that has waited longest."""
        ...


class Connection:
    """A connection to `base`, perhaps through `proxy`; `context` has the TLS settings if it uses TLS.

    `address` stands for the host's own ones. With `loopback_only` only addresses of this machine are tried.

    It returns to the pool `home` with the answers that it has carried. `question` is that of its current or last request. It is
    `reserved` for that question once an answer repeated nothing.
    """

    home: weakref.ref[ConnectionPool] | None = None
    process: int = 0
    idle_since: float = 0.0
    question: int | None = None
    reserved: bool = False
    # Of the class, so that a connection interrupted in its constructor can be closed.
    _sock: socket.socket | None = None
    _tls: ssl.SSLObject | None = None
    _connected = False
    _phase = Phase.CONNECTING
    _reach: Callable[[Phase], None] = staticmethod(ignore_phase)
    _deadline = 0.0
    _answer: ResponseParser | None = None

    def __init__(
        self,
        base: Endpoint,
        proxy: Proxy | None = None,
        context: ssl.SSLContext | None = None,
        *,
        address: str | None = None,
        loopback_only: bool = False,
    ) -> None:
        self._base = base
        self._proxy = proxy
        self._context = context
        first = base if proxy is None else proxy.endpoint
        self._first = first if address is None else first._replace(host=address)
        self._loopback_only = loopback_only
        self._carried: dict[int, int | None] = {}  # the question of each answer by the answer's hash
        self._hash = 0  # of the last answer

    def exchange(
        self, request: memoryview, deadline: float, limit: int, reach: Callable[[Phase], None]
    ) -> Waits[RawAnswer]:
        """Send a request and read its answer, after connecting if necessary. Call `failure` with any exception.

        No frame holds a message in a form that a traceback would show.
        """
        self._reach = reach
        yield from self.open(deadline)
        yield from self.write(request)
        answer = yield from self.read(limit)
        self._reach = ignore_phase  # an idle connection does not keep the call
        return answer

    def open(self, deadline: float) -> Waits[None]:
        """Connect if necessary, until `deadline`. Afterwards a byte of a body may leave."""
        self._answer = None
        self._deadline = deadline
        self._to(Phase.CONNECTING)
        if not self._connected:
            seconds_left(deadline)
            yield from self._connect()
        self._to(Phase.SENDING)
        seconds_left(deadline)
        self._to(Phase.WAITING)

    def write(self, data: memoryview) -> Waits[None]:
        """Send all of the bytes."""
        if self._tls is None:
            yield from self._send(data)
        while data and self._tls is not None:
            data = data[(yield from self._drive(partial(self._tls.write, data))) :]

    def read(self, limit: int) -> Waits[RawAnswer]:
        """Read the answer, with a body of at most `limit` bytes."""
        self._answer = answer = ResponseParser(limit)
        body = yield from self._fed(answer.answer())
        if not answer.reusable:
            self.close()
        self._hash = hash(body)
        surplus = self._carried.get(self._hash, self.question) != self.question
        return RawAnswer(answer.status or 0, answer.headers, body, self, surplus=surplus)

    def failure(self, error: BaseException) -> TransportFailure | None:
        """Return the failure for an exception of `exchange`; None for one that is none of `FAILURES`, or interrupts the program.

        The failure does not refer to the error, which may hold the request.
        """
        if not isinstance(error, FAILURES) or interrupts(error):
            return None
        status = None if self._answer is None else self._answer.status
        reason, detail = _cause(error, body_may_have_left(self._phase), self._deadline)
        return TransportFailure(self._phase, reason, detail, status)

    def close(self) -> None:
        """Close the descriptor. A process that shares it after a fork can continue to use it."""
        self._connected = False
        if self._sock is not None:
            self._sock.close()
        if (home := self._home()) is not None:
            home.free(self)

    def __del__(self) -> None:
        self.close()

    def is_stale(self) -> bool:
        """Return whether the peer has closed the connection or sent bytes without a request."""
        return not self._connected or self._input.wait(0.0)

    def release(self) -> None:
        """Keep the connection for the next request; for the same question only, if its answer came before."""
        self._keep(for_any=self.question is None or self._hash not in self._carried)

    def reserve(self) -> None:
        """Keep the connection for the same question alone."""
        self._keep(for_any=False)

    discard = close

    def _keep(self, *, for_any: bool) -> None:
        self.reserved = self.reserved or not for_any
        session = None if self._carried or self._tls is None else self._tls.session
        if self._context is not None and session is not None and session.has_ticket:  # which has come with the answer
            self._context.__dict__.setdefault(_SESSIONS, {})[self._base.host] = session
        self._carried[self._hash] = self.question
        home = self._home()
        nobody_asks = self.reserved and self.question is None
        kept = self._connected and not (nobody_asks or self._is_unread())
        if home is None or not kept or len(self._carried) >= _MOST_ANSWERS:
            self.close()
        else:
            home.take_back(self)

    def _is_unread(self) -> bool:
        """Return whether bytes were read from the socket that nothing has received yet."""
        return self._tls is not None and bool(self._incoming.pending or self._tls.pending())

    def _home(self) -> ConnectionPool | None:
        return self.home() if self.home is not None else None

    def _to(self, phase: Phase) -> None:
        self._phase = phase
        self._reach(phase)

    def _connect(self) -> Waits[None]:
        self._sock = yield from self._to_one_of((yield self._first))
        self._input = Ready(self._sock)
        if self._context is not None:
            if self._proxy is not None:
                yield from self._send(memoryview(connect_request(self._base, self._proxy)))
                yield from self._fed(read_connect_answer())
            yield from self._shake_hands(self._context)
        self._connected = True

    def _to_one_of(self, found: list[Address]) -> Waits[socket.socket]:
        """Return a socket connected to the first address that accepts within its share of the time."""
        code = errno.ETIMEDOUT
        for (family, kind, protocol, _, address), seconds in shares(
            found, self._deadline, loopback_only=self._loopback_only
        ):
            try:
                sock = self._sock = socket.socket(family, kind, protocol)
                sock.setblocking(False)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                code = sock.connect_ex(address)
            except OSError as refusal:  # of a family that this system lacks
                if interrupts(refusal):
                    raise
                code = refusal.errno or errno.EADDRNOTAVAIL
                continue
            if code in _UNDER_WAY:
                ready = yield Ready(sock, writing=True, seconds=seconds)
                code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) if ready else errno.ETIMEDOUT
            if code == 0:
                return sock
            sock.close()
        raise OSError(code, os.strerror(code))

    def _shake_hands(self, context: ssl.SSLContext) -> Waits[None]:
        """Begin TLS, which proves that the peer is the host of `base`."""
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        host = self._base.host
        session = context.__dict__.get(_SESSIONS, {}).get(host)
        tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host, session=session)
        yield from self._drive(tls.do_handshake)
        if tls.selected_alpn_protocol() not in (None, "http/1.1"):
            raise ProtocolError("tls_failed", "the peer chose another protocol than HTTP/1.1")
        self._tls = tls

    def _fed(self, steps: Steps[T]) -> Waits[T]:
        """Feed a parser with what is received; return its result."""
        next(steps)
        try:
            while True:
                steps.send((yield from self._received()))
        except StopIteration as done:
            return cast(T, done.value)

    def _received(self) -> Waits[bytes]:
        """Return the next bytes, at most BLOCK of them; b"" at the end."""
        if self._tls is None:
            data = yield from self._recv()
        else:
            if not self._is_unread():
                yield from self._fill()
            try:
                data = yield from self._drive(partial(self._tls.read, BLOCK))
            except ssl.SSLEOFError:  # closed without TLS shutdown, as by many servers
                data = b""
        if data and self._phase is Phase.WAITING:
            self._to(Phase.READING)
        return data

    def _drive(self, step: Callable[[], T]) -> Waits[T]:
        """Repeat a step of the TLS machine until it succeeds, passing its bytes in both directions."""
        while True:
            try:
                result = step()
            except ssl.SSLWantReadError:
                yield from self._flush()
                yield from self._fill()
            except ssl.SSLError:
                with errors_ignored():  # if the peer takes its alert without waiting, it knows why
                    cast(socket.socket, self._sock).send(self._outgoing.read())
                raise
            else:
                yield from self._flush()
                return result

    def _fill(self) -> Waits[None]:
        data = yield from self._recv()
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()

    def _flush(self) -> Waits[None]:
        if self._outgoing.pending:
            yield from self._send(memoryview(self._outgoing.read()))

    def _recv(self) -> Waits[bytes]:
        sock = cast(socket.socket, self._sock)
        while True:
            # Wait even if bytes are there, so that a peer that floods keeps out neither other tasks nor the deadline.
            yield self._input
            try:
                return sock.recv(BLOCK)
            except BlockingIOError:
                continue

    def _send(self, data: memoryview) -> Waits[None]:
        sock = cast(socket.socket, self._sock)
        while data:
            try:
                data = data[sock.send(data) :]
            except BlockingIOError:
                yield Ready(sock, writing=True)


def _cause(error: BaseException, body_started: bool, deadline: float) -> tuple[Reason, str]:
    if isinstance(error, ProtocolError) and error.reason != "connection_lost":
        return error.reason, error.detail
    if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
        return "timeout", ""
    if isinstance(error, ProtocolError):
        return error.reason, error.detail
    if isinstance(error, ssl.SSLCertVerificationError):
        return "tls_failed", getattr(error, "verify_message", "") or "certificate"
    if isinstance(error, ssl.SSLError):
        return "tls_failed", getattr(error, "reason", "") or type(error).__name__
    if isinstance(error, MemoryError):
        return "too_large", "out of memory"
    return "connection_lost" if body_started else "connection_failed", _name(error)


def _name(error: BaseException) -> str:
    if isinstance(error, socket.gaierror):
        return "the host name was not found"
    if isinstance(error, OSError) and error.errno is not None:
        return errno.errorcode.get(error.errno, type(error).__name__)
    return type(error).__name__
