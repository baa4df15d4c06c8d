"""One connection to the gateway: urllib3 connects, tunnels and checks certificates; this module makes the exchange.

The connection records the phase of an exchange, which exceptions do not show: `RemoteDisconnected` is raised both before
and after a request was processed. The phase changes before each step is tried, so that a step that partly succeeded
counts as done.
"""

import errno
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from typing import Protocol, cast

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError
from urllib3.util.ssl_match_hostname import CertificateError

from paywright_runtime.forking import ForkSafe
from paywright_runtime.tracebacks import interrupts
from paywright_runtime.transport.api import Phase, RawAnswer, TransportFailure, ignore_phase
from paywright_runtime.transport.endpoint import Address, shares
from paywright_runtime.transport.failures import failure_after
from paywright_runtime.transport.http11 import ProtocolError, ResponseParser, fed, read_connect_answer
from paywright_runtime.transport.pool import Pooled, look_for_input
from paywright_runtime.transport.tls import ResumingContext

_NEVER = float("inf")


class Watchdog(ForkSafe):
    """The watched sockets and the thread that watches them. The sockets are duplicates, closed by their owners only."""

    def __init__(self) -> None:
        self._after_fork()
        self._made_here()

    def _after_fork(self) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._deadlines: dict[socket.socket, float] = {}
        self._wakes_at = -_NEVER
        self._thread: threading.Thread | None = None

    def watch(self, guard: socket.socket, deadline: float) -> None:
        """Shut `guard` down at `deadline`, unless it is released before. Raises OSError if no thread can be started."""
        self._check_process()
        with self._lock:
            if self._thread is None:
                self._start()
            self._deadlines[guard] = deadline
            if deadline < self._wakes_at:
                self._changed.notify()

    def release(self, guard: socket.socket) -> bool:
        """End the watch. Return False if the deadline has passed: then the connection is closed.

        The shutdown happens under the lock, so that after this call it cannot affect a later exchange.
        """
        self._check_process()
        with self._lock:
            return self._deadlines.pop(guard, None) is not None

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="paywright-watchdog", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            if interrupts(error):
                raise
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from None
        self._thread = thread

    def _run(self) -> None:
        with self._lock:
            try:
                while True:
                    now = time.monotonic()
                    self._shut_overdue(now)
                    self._wakes_at = min(self._deadlines.values(), default=_NEVER)
                    pause = min(self._wakes_at - now, threading.TIMEOUT_MAX)
                    self._changed.wait(None if self._wakes_at == _NEVER else pause)
            finally:  # if memory runs out here, the next exchange starts a new thread
                self._wakes_at, self._thread = -_NEVER, None

    def _shut_overdue(self, now: float) -> None:
        for guard in [guard for guard, deadline in self._deadlines.items() if deadline <= now]:
            del self._deadlines[guard]
            with suppress(OSError):  # the peer was faster
                guard.shutdown(socket.SHUT_RDWR)


watchdog: Watchdog = Watchdog()


class _Tls(Protocol):
    def selected_alpn_protocol(self) -> str | None: ...


class _TlsInTls(Protocol):
    incoming: ssl.MemoryBIO
    sslobj: ssl.SSLObject


class Connection(HTTPConnection, Pooled):
    """A connection over plain TCP, and the base of `TlsConnection`.

    The watchdog shuts down a second descriptor of the socket, the guard, because wrapping a socket in TLS detaches the
    descriptor from its object.
    """

    loopback_only = False
    tunnel_request: bytes = b""
    _deadline = 0.0
    _phase = Phase.CONNECTING
    _reach: Callable[[Phase], None] = staticmethod(ignore_phase)
    _guard: socket.socket | None = None
    _watched = False
    _answer: ResponseParser | None = None

    def exchange(self, request: memoryview, deadline: float, limit: int, reach: Callable[[Phase], None]) -> RawAnswer:
        """Send a request and read its answer, after connecting if necessary. Call `failure` with any exception."""
        self._reach = reach
        self.open(deadline)
        self.sock.sendall(request)
        return self.read(limit)

    def open(self, deadline: float) -> None:
        """Connect if necessary. Until an answer has been read, the connection ends at `deadline`."""
        self._answer = None
        self._deadline = deadline
        self._to(Phase.CONNECTING)
        if self._guard is not None:
            self._watch(self._guard)
        else:
            self.connect()
            if self._guard is None or self.tunnel_request:
                raise ProtocolError("connection_failed", "this version of urllib3 connects in an unknown way")
        self._to(Phase.SENDING)
        if time.monotonic() >= deadline:
            raise TimeoutError
        self._to(Phase.WAITING)

    def _to(self, phase: Phase) -> None:
        self._phase = phase
        self._reach(phase)

    def read(self, limit: int) -> RawAnswer:
        """Read the answer, with a body of at most `limit` bytes."""
        self._answer = answer = ResponseParser(limit)
        body = fed(answer.answer(), self._received)
        in_time = self._unwatch()
        if not in_time and answer.ended_by_close:
            raise TimeoutError  # the watchdog ended the connection, not the peer
        if not (in_time and answer.reusable):
            self.close()
        return RawAnswer(answer.status or 0, answer.headers, body, self, surplus=self.is_surplus(body))

    def _received(self, most: int) -> bytes:
        data = self.sock.recv(most)
        if data and self._phase is Phase.WAITING:
            self._to(Phase.READING)
        return data

    def failure(self, error: BaseException) -> TransportFailure | None:
        """Return the failure for an exception of `exchange`; None for one that does not come from the connection."""
        of_urllib3 = HTTPError, HTTPException, CertificateError
        return failure_after(error, self._phase, self._answer, self._deadline, of_urllib3)

    def close(self) -> None:
        """Close the descriptors. A process that shares them after a fork can continue to use them."""
        self._unwatch()
        guard, self._guard, self._look = self._guard, None, None
        if guard is not None:
            guard.close()
        super().close()
        self.leave()

    def abort(self) -> None:
        """End the connection for the peer too, even while a traceback still refers to the socket."""
        guard = self._guard
        if guard is not None:
            with suppress(OSError):  # ended already
                guard.shutdown(socket.SHUT_RDWR)
        self.close()

    def __del__(self) -> None:
        # Without a home it was interrupted in its constructor: it is not open, and lacks attributes that closing needs.
        if self.home is not None:
            self.close()

    def _is_open(self) -> bool:
        return self.sock is not None and not self._unread()

    def _unread(self) -> bool:
        return False

    def _remember_session(self) -> None:
        pass

    def _watch(self, guard: socket.socket) -> None:
        self._watched = True
        watchdog.watch(guard, self._deadline)

    def _unwatch(self) -> bool:
        """End the watch. Return False if the deadline has passed."""
        if not self._watched or self._guard is None:
            return True
        in_time = watchdog.release(self._guard)
        self._watched = False
        return in_time

    def _tunnel(self) -> None:
        # In place of urllib3's, which accepts only 200 and reads it leniently.
        asked, self.tunnel_request = self.tunnel_request, b""
        self.sock.sendall(asked)
        try:
            fed(read_connect_answer(), self.sock.recv)
        except ProtocolError:
            if time.monotonic() >= self._deadline:
                raise TimeoutError from None  # the watchdog ended the connection
            raise

    def _new_conn(self) -> socket.socket:
        # In place of urllib3's, which gives each address the whole timeout. Its SOCKS support uses the same hook.
        problem: OSError = TimeoutError()
        found = cast("list[Address]", socket.getaddrinfo(self._dns_host, self.port, 0, socket.SOCK_STREAM))
        for (family, kind, protocol, _, address), seconds in shares(
            found, self._deadline, loopback_only=self.loopback_only
        ):
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(seconds)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sock.connect(address)
                sock.settimeout(None)
                self._guard = sock.dup()
                self._look = look_for_input(self._guard)
                self._watch(self._guard)
                return sock
            except BaseException as refusal:
                sock.close()
                if not isinstance(refusal, OSError) or interrupts(refusal):
                    raise
                problem = refusal
        raise problem


class TlsConnection(Connection, HTTPSConnection):
    """A connection over TLS: to the gateway, through a proxy's tunnel, or to a proxy that uses TLS itself."""

    def connect(self) -> None:
        """Connect within the deadline, through the proxy if there is one."""
        super().connect()
        if cast(_Tls, self.sock).selected_alpn_protocol() not in (None, "http/1.1"):
            raise ProtocolError("tls_failed", "the peer chose another protocol than HTTP/1.1")

    def _remember_session(self) -> None:
        if isinstance(self.ssl_context, ResumingContext):
            sock = self.sock
            self.ssl_context.remember(sock if isinstance(sock, ssl.SSLSocket) else cast(_TlsInTls, sock).sslobj)

    def _unread(self) -> bool:
        if isinstance(self.sock, ssl.SSLSocket):
            return self.sock.pending() > 0
        tunnel = cast(_TlsInTls, self.sock)
        return tunnel.incoming.pending > 0 or tunnel.sslobj.pending() > 0
