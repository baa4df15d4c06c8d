"""One connection to the gateway: urllib3 connects, tunnels and checks certificates; this module makes the exchange.

The connection records the phase of an exchange, which exceptions do not show: `RemoteDisconnected` is raised both before
and after a request was processed. The phase changes before each step is tried, so that a step that partly succeeded
counts as done. So does its deadline: each step on the socket gets the time that is left.
"""

import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from typing import cast

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError
from urllib3.util.ssl_match_hostname import CertificateError

from paywright_runtime.tracebacks import interrupts
from paywright_runtime.transport.api import Phase, RawAnswer, TransportFailure, ignore_phase
from paywright_runtime.transport.endpoint import Address, seconds_left, shares
from paywright_runtime.transport.failures import failure_after
from paywright_runtime.transport.http11 import ProtocolError, ResponseParser, fed, read_connect_answer
from paywright_runtime.transport.pool import Pooled, look_for_input
from paywright_runtime.transport.tls import ResumingContext


class Connection(HTTPConnection, Pooled):
    """A connection over plain TCP, and the base of `TlsConnection`.

    It is ended and looked at by a second descriptor of the socket, the guard, because wrapping a socket in TLS detaches the
    descriptor from its object.
    """

    loopback_only = False
    tunnel_request: bytes = b""
    _deadline = 0.0
    _phase = Phase.CONNECTING
    _reach: Callable[[Phase], None] = staticmethod(ignore_phase)
    _guard: socket.socket | None = None
    _answer: ResponseParser | None = None

    def exchange(self, request: memoryview, deadline: float, limit: int, reach: Callable[[Phase], None]) -> RawAnswer:
        """Send a request and read its answer, after connecting if necessary. Call `failure` with any exception."""
        self._reach = reach
        self.open(deadline)
        self.write(request)
        return self.read(limit)

    def open(self, deadline: float) -> None:
        """Connect if necessary. Every later step ends at `deadline`."""
        self._answer = None
        self._deadline = deadline
        self._to(Phase.CONNECTING)
        if self._guard is None:
            self.connect()
            if self._guard is None or self.tunnel_request:
                raise ProtocolError("connection_failed", "this version of urllib3 connects in an unknown way")
        self._to(Phase.SENDING)
        seconds_left(deadline)
        self._to(Phase.WAITING)

    def read(self, limit: int) -> RawAnswer:
        """Read the answer, with a body of at most `limit` bytes."""
        self._answer = answer = ResponseParser(limit)
        body = fed(answer.answer(), self._received)
        if not answer.reusable:
            self.close()
        return RawAnswer(answer.status or 0, answer.headers, body, self, surplus=self.is_surplus(body))

    def _to(self, phase: Phase) -> None:
        self._phase = phase
        self._reach(phase)

    def write(self, data: bytes | memoryview) -> None:
        """Send all of the bytes."""
        while data:
            self.sock.settimeout(seconds_left(self._deadline))
            data = data[self.sock.send(data) :]

    def _received(self, most: int) -> bytes:
        self.sock.settimeout(seconds_left(self._deadline))
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

    def _tunnel(self) -> None:
        # In place of urllib3's, which accepts only 200 and reads it leniently.
        asked, self.tunnel_request = self.tunnel_request, b""
        self.write(asked)
        fed(read_connect_answer(), self._received)
        self.sock.settimeout(seconds_left(self._deadline))  # for the handshake that follows

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
                sock.settimeout(seconds_left(self._deadline))
                self._guard = sock.dup()
                self._look = look_for_input(self._guard)
                return sock
            except BaseException as refusal:
                sock.close()
                if not isinstance(refusal, OSError) or interrupts(refusal):
                    raise
                problem = refusal
        raise problem


class TlsConnection(Connection, HTTPSConnection):
    """A connection over TLS: to the gateway, or through a proxy's tunnel."""

    def connect(self) -> None:
        """Connect within the deadline, through the proxy if there is one."""
        super().connect()
        if cast(ssl.SSLSocket, self.sock).selected_alpn_protocol() not in (None, "http/1.1"):
            raise ProtocolError("tls_failed", "the peer chose another protocol than HTTP/1.1")

    def _remember_session(self) -> None:
        if isinstance(self.ssl_context, ResumingContext):
            self.ssl_context.remember(cast(ssl.SSLSocket, self.sock))

    def _unread(self) -> bool:
        return cast(ssl.SSLSocket, self.sock).pending() > 0
