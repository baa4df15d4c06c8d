"""Awaited streams to a peer: sockets that do not block, and TLS over them or over TLS.

anyio only reports when a socket is ready. The sockets belong to no event loop: closing one is not awaited, and nothing is
read before `receive` is called.
"""

import errno
import os
import socket
import ssl
from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar, cast

from anyio import getaddrinfo, move_on_after, wait_readable, wait_writable

from paywright_runtime.tracebacks import interrupts
from paywright_runtime.transport.addresses import Address, shares
from paywright_runtime.transport.http11 import BLOCK, ProtocolError

T = TypeVar("T")

_UNDER_WAY = (errno.EINPROGRESS, errno.EWOULDBLOCK)


class Stream(Protocol):
    """A stream of bytes to and from a peer."""

    async def receive(self) -> bytes:
        """Return the next bytes, at most BLOCK of them; b"" at the end."""
        ...

    async def send(self, data: memoryview) -> None:
        """Send all of the bytes."""
        ...

    def unread(self) -> bool:
        """Return whether bytes were read from the socket that `receive` has not returned yet."""
        ...


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
    """TLS over another stream. Make one with `over`."""

    __slots__ = ("_below", "_incoming", "_outgoing", "tls")

    def __init__(self, below: Stream, context: ssl.SSLContext, host: str) -> None:
        self._below = below
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls: ssl.SSLObject = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)

    @classmethod
    async def over(cls, below: Stream, context: ssl.SSLContext, host: str) -> "TlsStream":
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
        return self._incoming.pending > 0 or self.tls.pending() > 0 or self._below.unread()

    async def _drive(self, step: Callable[[], T]) -> T:
        """Repeat a step of the TLS machine until it succeeds, passing its bytes in both directions."""
        while True:
            try:
                result = step()
            except ssl.SSLWantReadError:
                await self._flush()
                self._feed(await self._below.receive())
            else:
                await self._flush()
                return result

    async def _flush(self) -> None:
        if self._outgoing.pending:
            await self._below.send(memoryview(self._outgoing.read()))

    def _feed(self, data: bytes) -> None:
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()
