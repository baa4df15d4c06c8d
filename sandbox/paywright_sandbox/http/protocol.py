"""The sandbox's HTTP protocol: uvicorn's, with an immediate answer to requests that have arrived whole.

A whole request to the gateway is answered in the parser, in one write: a task, ASGI messages and a second write would
take as long as handling it. Everything else (slow bodies, the control API, pages, faults of the connection, clients that
do not read) uses ASGI, and so does everything if httptools is not installed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from starlette.types import ASGIApp, Receive, Scope, Send

from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.http.asgi_response import head_of, send_reply

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import STATUS_LINE
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as _Http
else:
    try:  # much faster than h11, but compiled, so not available on every platform
        from uvicorn.protocols.http.httptools_impl import STATUS_LINE
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as _Http
    except ModuleNotFoundError:
        from uvicorn.protocols.http.h11_impl import H11Protocol as _Http

__all__ = ["AtOnce", "HttpProtocol"]

_MOST_HEAD: Final = 64 * 1024
_TELLS_HEADS: Final = hasattr(_Http, "on_message_begin")  # h11 limits heads itself

Pairs = Sequence[tuple[bytes, bytes]]


class AtOnce(Protocol):
    """An ASGI application that can answer some requests immediately."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request over ASGI."""

    def at_once(self, method: bytes, url: bytes, headers: Pairs, body: bytes) -> HttpReply | None:
        """Return the response; None, without any effect, if the request needs ASGI."""


class HttpProtocol(_Http):
    """Protocol that serves an `AtOnce`, is strict about malformed requests, and gives the application the connection."""

    head_seconds: float = 20.0
    """The time limit of a request's head, from the connection or its first byte on."""

    _held: bytes | None = None
    """The body so far of a request that may still be answered immediately."""

    _in_head = True
    _head_bytes = 0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the class above has it
        """Start the timer of the first request's head."""
        super().connection_made(transport)
        self.app_state: dict[str, Any] = {**self.app_state, "connection": transport}
        self._head_timer = self.loop.call_later(self.head_seconds, self._head_is_late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer of the head."""
        self._end_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse data, and refuse a head that is too large."""
        super().data_received(data)
        if self._held is not None:  # the body is incomplete
            self._go_on()
        if self._in_head and _TELLS_HEADS:
            self._head_bytes += len(data)
            if self._head_bytes > _MOST_HEAD:
                self._refuse_head(b"431 Request Header Fields Too Large")
            elif self._head_timer is None:  # most heads come in one piece and need no timer
                self._head_timer = self.loop.call_later(self.head_seconds, self._head_is_late)

    def on_message_begin(self) -> None:
        """Begin the head of a request."""
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0

    def _end_head(self) -> None:
        self._in_head = False
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self._in_head and (_TELLS_HEADS or self.cycle is None):
            self._refuse_head(b"408 Request Timeout" if self._head_bytes else b"")

    def _refuse_head(self, status: bytes) -> None:
        """Close the connection; send `status` first, unless another answer is being sent."""
        if self.transport.is_closing():
            return
        if status and (self.cycle is None or self.cycle.response_complete):
            self.transport.write(b"HTTP/1.1 %b\r\ncontent-length: 0\r\nconnection: close\r\n\r\n" % status)
        self.transport.close()

    def on_headers_complete(self) -> None:
        """End the head of a request, and hold back its body if it may be answered immediately."""
        self._end_head()
        idle = self.cycle is None or self.cycle.response_complete
        if idle and not self.flow.write_paused:
            self._held = b""
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Keep a part of a held body, or pass it on."""
        if self._held is None:
            super().on_body(body)
        else:
            self._held += body

    def on_message_complete(self) -> None:
        """Answer a request immediately if possible, or pass it on."""
        if self._held is not None:
            if self.transport.is_closing():
                self._held = None  # an earlier answer was the connection's last: ignore this request
                return
            parser = self.parser
            assert parser is not None  # it is parsing
            try:
                reply = cast(AtOnce, self.config.app).at_once(parser.get_method(), self.url, self.headers, self._held)
            except Exception as error:
                self._go_on(_failing(error))
            else:
                if reply is not None and reply.fault is None and reply.parts is None:
                    self._held = None
                    self._answer(reply, lasts=parser.should_keep_alive())
                    return
                self._go_on(None if reply is None else _sending(reply))
        super().on_message_complete()

    def _go_on(self, app: ASGIApp | None = None) -> None:
        """Pass a held request on to ASGI, or to `app`."""
        body, self._held = self._held, None
        if self.transport.is_closing():  # malformed after its head
            return
        own = self.app
        if app is not None:
            self.app = app
        super().on_headers_complete()
        self.app: ASGIApp = own
        if body:
            super().on_body(body)

    def _answer(self, reply: HttpReply, *, lasts: bool) -> None:
        headers = [*self.server_state.default_headers, *head_of(reply, len(reply.body))]
        if not lasts:
            headers.append((b"connection", b"close"))
        lines = [b"%b: %b\r\n" % pair for pair in headers]
        self.transport.write(b"".join([STATUS_LINE[reply.status], *lines, b"\r\n", reply.body]))
        if not lasts:
            self.transport.close()
        self.on_response_complete()


def _sending(reply: HttpReply) -> ASGIApp:
    async def send_it(scope: Scope, receive: Receive, send: Send) -> None:
        await send_reply(reply, scope, receive, send)

    return send_it


def _failing(error: Exception) -> ASGIApp:
    async def fail(scope: Scope, receive: Receive, send: Send) -> None:
        raise error  # uvicorn logs it, and answers with 500

    return fail
