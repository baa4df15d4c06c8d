"""Base of both transports: settings, the head of a request, and the pool of connections [4].

An idle connection is free for any request while each of its answers repeated values of its request. Once an answer repeated
none, the connection is reserved for the question that was answered: if that answer arrived again, it could be taken for the
answer to any other question.

At most `pool_size` connections are in use at once; further requests wait in turn. A connection is in use until it is kept or
closed, or is no more: an interruption at any line leaves no place taken.
"""

import os
import re
import ssl
import threading
import time
import weakref
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol
from weakref import WeakSet

from paywright_runtime.argument_types import is_number, is_whole
from paywright_runtime.errors import ConfigurationError
from paywright_runtime.forking import ForkSafe
from paywright_runtime.transport.api import Phase, SignedRequest, TransportFailure
from paywright_runtime.transport.connection import Connection
from paywright_runtime.transport.endpoint import read_base_url, read_proxy_url
from paywright_runtime.transport.http11 import TOKEN

_OURS = {"accept-encoding", "connection", "content-length", "expect", "host", "keep-alive"}
_OURS |= {"proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
_PATH = re.compile(r"/[!-\"$-~]*").fullmatch
_PRINTABLE = bytes(range(0x20, 0x7F))
_KNOWN = 256  # paths and names of headers that are remembered at most

POOL_SIZE: Final = 64
"""Connections in use at once, if nothing else is set."""

LOOK_AGAIN: Final = 1.0
"""Seconds after which a request that waits looks for a place even if nobody has told it of one."""


class Turn(Protocol):
    """A request that waits for a connection, until its deadline at most."""

    deadline: float

    def wake(self) -> None:
        """Let it look whether it may have one."""
        ...


class TransportBase(ForkSafe):
    """Base of both transports, whose settings they say."""

    def __init__(
        self,
        base_url: str,
        *,
        proxy: str | None = None,
        ca_file: Path | str | None = None,
        max_answer_bytes: int = 2 * 1024 * 1024,
        pool_size: int = POOL_SIZE,
        idle_seconds: float = 30.0,
    ) -> None:
        self._base = read_base_url(base_url)
        self._proxy = None if proxy is None else read_proxy_url(proxy, self._base)
        if not (is_whole(max_answer_bytes) and max_answer_bytes >= 1 and is_whole(pool_size) and pool_size >= 1):
            raise ConfigurationError("Nothing was sent: max_answer_bytes and pool_size are ints of at least 1.")
        if not (is_number(idle_seconds) and idle_seconds >= 0):
            raise ConfigurationError("Nothing was sent: idle_seconds is a number of seconds, 0 or more.")
        self._max_answer_bytes = max_answer_bytes
        self._pool_size = pool_size
        self._idle_seconds = idle_seconds
        self._context = None if ca_file is None else authorities(ca_file)
        self._choosing = threading.RLock()  # a signal's handler may call too
        self._in_use: WeakSet[Connection] = WeakSet()
        self._waiting: deque[Turn] = deque()
        self._idle: list[Connection] = []
        self._reserved: dict[int, Connection] = {}  # by question, the latest question last
        self._closed = False
        self._openings: dict[str, bytes] = {}
        self._made_here()

    def _with_peer(self, failure: TransportFailure) -> TransportFailure:
        """Return the failure, with host and port in its detail if no connection could be made."""
        if failure.phase is not Phase.CONNECTING:
            return failure
        through = "" if self._proxy is None else f" through {self._proxy.endpoint.host}:{self._proxy.endpoint.port}"
        peer = f"{self._base.host}:{self._base.port}{through}"
        detail = f"{peer}: {failure.detail}" if failure.detail else peer
        return TransportFailure(failure.phase, failure.reason, detail, failure.status)

    def take_back(self, connection: Connection) -> None:
        """Take back a connection whose answer was verified, so that it may carry another request."""
        now = connection.idle_since = time.monotonic()
        self._make_room(now - self._idle_seconds)
        if connection.process != self._process or not self._has_place():
            connection.close()
            return
        self._in_use.discard(connection)  # first, because another thread may take it as soon as it is kept
        if connection.reserved and connection.question is not None:
            if (another := self._reserved.pop(connection.question, None)) is not None:
                another.close()
            self._reserved[connection.question] = connection
        else:
            self._idle.append(connection)
        self._wake()
        if self._closed:  # checked last, so that no concurrent `close` misses the connection
            self._close_idle()

    def __repr__(self) -> str:
        through = f" through {self._proxy.endpoint.authority}" if self._proxy else ""
        return f"<{type(self).__name__} to {self._base.scheme}://{self._base.authority}{self._base.path}{through}>"

    def free(self, connection: Connection) -> None:
        """Give the place of a connection that is in use no more to the request that has waited longest."""
        self._in_use.discard(connection)
        self._wake()

    def _wake(self) -> None:
        # A turn stays in its place until it has a connection: waking it twice or for nothing does no harm.
        if self._waiting and (turn := self._first_turn()) is not None:
            turn.wake()

    def _first_turn(self) -> Turn | None:
        with suppress(IndexError, ValueError):  # another thread was faster
            while self._waiting:
                turn = self._waiting[0]
                if turn.deadline > time.monotonic():
                    return turn
                self._waiting.remove(turn)  # it was interrupted where it would have left
        return None

    def _connection_for(self, request: SignedRequest, turn: Turn | None = None) -> Connection | None:
        """Return an idle connection that may carry the request, or a new one; None if the request has to wait in turn."""
        self._check_process()
        if self._waiting and self._first_turn() not in (None, turn):
            return None
        with self._choosing:
            if len(self._in_use) >= self._pool_size:
                return None
            connection = None if request.fresh else self._idle_connection(request.question)
            if connection is None:
                connection = self._new_connection()
            self._in_use.add(connection)
        connection.question = request.question
        return connection

    def _seconds_to_wait(self, deadline: float) -> float:
        """Return the seconds after which a waiting request looks again. Raises TransportFailure once its deadline has passed."""
        left = deadline - time.monotonic()
        if left <= 0:
            detail = f"{self._pool_size} other requests are under way, as many as pool_size allows"
            raise self._with_peer(TransportFailure(Phase.CONNECTING, "timeout", detail))
        return min(left, LOOK_AGAIN)

    def _end_turn(self, turn: Turn) -> None:
        """Let the next request look, whether this one has a connection now or has given up."""
        with suppress(ValueError):  # it was interrupted before it had a place
            self._waiting.remove(turn)
        if len(self._in_use) < self._pool_size:
            self._wake()

    def _new_connection(self) -> Connection:
        """Return a connection that belongs to this transport, and is not connected yet."""
        tls = self._base.scheme == "https"
        context = self._tls_context() if tls else None
        connection = Connection(self._base, self._proxy, context, loopback_only=not tls)
        connection.home, connection.process = weakref.ref(self), self._process
        return connection

    def _idle_connection(self, question: int | None) -> Connection | None:
        oldest = time.monotonic() - self._idle_seconds
        while (connection := self._taken(question)) is not None:
            if connection.idle_since >= oldest and not connection.is_stale():
                return connection
            connection.close()
        return None

    def _taken(self, question: int | None) -> Connection | None:
        """Remove and return a connection reserved for the question, else the most recently used free one."""
        if self._reserved and question is not None and (reserved := self._reserved.pop(question, None)) is not None:
            return reserved
        if not self._idle:
            return None
        try:
            return self._idle.pop()
        except IndexError:  # another thread was faster
            return None

    def _has_place(self) -> bool:
        return len(self._idle) + len(self._reserved) < self._pool_size

    def _make_room(self, oldest: float) -> None:
        """Close what nothing has used for long. Where there is no place left, reserved connections give way, the longest idle first."""
        with suppress(IndexError):  # another thread was faster
            while self._idle and self._idle[0].idle_since < oldest:
                self._idle.pop(0).close()
        for question, reserved in list(self._reserved.items()) if self._reserved else ():
            if reserved.idle_since >= oldest and self._has_place():
                break
            if (taken := self._reserved.pop(question, None)) is not None:  # else another thread was faster
                taken.close()

    def _close_idle(self) -> None:
        for question in list(self._reserved):
            if (reserved := self._reserved.pop(question, None)) is not None:
                reserved.close()
        while (connection := self._taken(None)) is not None:
            connection.close()

    def _tls_context(self) -> ssl.SSLContext:
        if self._context is None:
            self._context = authorities(None)
        return self._context

    def _head(self, request: SignedRequest) -> bytes:
        """Return the bytes before the body. Raises ConfigurationError for a closed transport or a path or header that cannot be sent."""
        if self._closed:
            raise ConfigurationError("Nothing was sent: this transport is closed. Make a new one.")
        path, headers, body = request.path, request.headers, request.body
        opening, lines = self._openings.get(path) or self._opening(path), ""
        for name, value in headers:
            if name not in _checked_names:
                _check_name(name)
            lines += f"{name}: {value}\r\n"
        checked = lines.encode(errors="surrogatepass")
        if checked.translate(None, _PRINTABLE) != b"\r\n" * len(headers):
            bad = next(name for name, value in headers if not (value.isascii() and value.isprintable()))
            raise ConfigurationError(f"Nothing was sent: the value of header {bad} is not printable ASCII.")
        return b"%b%bContent-Length: %d\r\n\r\n" % (opening, checked, len(body))

    def _opening(self, path: str) -> bytes:
        """Return the request line and the headers that are the same for every request to this path."""
        if _PATH(path) is None:
            raise ConfigurationError(
                "Nothing was sent: a path must begin with / and be plain ASCII without blanks and #."
            )
        target, authorization = self._base.path + path, ""
        if self._proxy is not None and self._base.scheme == "http":
            target = f"http://{self._base.authority}{target}"
            if self._proxy.authorization:
                authorization = f"Proxy-Authorization: {self._proxy.authorization}\r\n"
        opening = (
            f"POST {target} HTTP/1.1\r\nHost: {self._base.authority}\r\n{authorization}Accept-Encoding: identity\r\n"
        ).encode("ascii")
        if len(self._openings) < _KNOWN:
            self._openings[path] = opening
        return opening

    def _after_fork(self) -> None:
        """Close the idle connections, which are the parent's. Those in use differ in their process."""
        self._choosing = threading.RLock()
        self._in_use, self._waiting = WeakSet(), deque()
        self._close_idle()


_checked_names: set[str] = set()


def _check_name(name: str) -> None:
    if re.fullmatch(TOKEN, name) is None:
        raise ConfigurationError("Nothing was sent: a header's name is not a token.")
    if name.lower() in _OURS:
        raise ConfigurationError(f"Nothing was sent: the transport sets header {name} itself. Leave it out.")
    if len(_checked_names) < _KNOWN:
        _checked_names.add(name)


def authorities(ca_file: Path | str | None) -> ssl.SSLContext:
    """Return a context that trusts the certificates of the file, or those of the system."""
    try:
        context = ssl.create_default_context(cafile=None if ca_file is None else os.fspath(ca_file))
        context.set_alpn_protocols(["http/1.1"])
        return context
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
    which = "The system's certificate authorities" if ca_file is None else f"ca_file {os.fspath(ca_file)!r}"
    raise ConfigurationError(f"{which} cannot be loaded as PEM certificates: {why}. Nothing was sent.")
