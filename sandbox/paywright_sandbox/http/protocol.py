"""The sandbox's HTTP protocol: uvicorn's, which bounds heads in size and time, and gives itself to the application."""

from __future__ import annotations

import asyncio
import re
import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as _Http
else:
    try:  # much faster than h11, but compiled, so not available on every platform
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as _Http
    except ModuleNotFoundError:
        from uvicorn.protocols.http.h11_impl import H11Protocol as _Http

_MOST_HEAD: Final = 64 * 1024
_OFFER: Final = re.compile(rb"\A((?:[^\r\n][^\n]*\n)*?)Upgrade:[^\n]*\n", re.IGNORECASE)
_NO_HTTP: Final = (
    "It is not HTTP/1.1{}. A header may hold a line break: write the Base64 of sign on one line, as `openssl base64 -A` does. "
    "Or it is TLS or HTTP/2, which the sandbox does not have: its address begins with http, and clients send HTTP/1.1."
)
_BEHIND: Final = (
    "The request before was handled: its Content-Length may be missing or too small, as it counts bytes, not characters. "
)
_TELLS_HEADS: Final = hasattr(_Http, "on_message_begin")  # h11 limits heads itself


class HttpProtocol(_Http):
    """uvicorn's protocol, which gives up a head that is too large or too slow.

    The application finds it as the state `protocol`: for faults of the wire, and to see that a request has arrived.
    """

    head_seconds: float = 20.0
    """The time limit of a request's head, from the connection or its first byte on."""

    arrived: bool = False
    """True once the last request has arrived whole; h11 does not tell."""

    _in_head = True
    _head_bytes = 0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the class above has it
        """Start the timer of the first request's head."""
        super().connection_made(transport)
        self.app_state: dict[str, Any] = {**self.app_state, "protocol": self}
        self._head_timer = self.loop.call_later(self.head_seconds, self._head_is_late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer of the head."""
        self._end_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse data without an offer of another protocol, and refuse a head that is too large."""
        if (self.cycle is None or not self.cycle.more_body) and b"upgrade:" in data.lower():
            data = _OFFER.sub(rb"\1", data)  # Java's HttpClient offers HTTP/2, and httptools then takes no body
        super().data_received(data)
        if self._in_head and _TELLS_HEADS:
            self._head_bytes += len(data)
            if self._head_bytes > _MOST_HEAD:
                self._refuse_head(b"431 Request Header Fields Too Large")
            elif self._head_timer is None:  # most heads come in one piece and need no timer
                self._head_timer = self.loop.call_later(self.head_seconds, self._head_is_late)

    def on_message_begin(self) -> None:
        """Begin the head of a request."""
        super().on_message_begin()
        self._in_head, self._head_bytes, self.arrived = True, 0, False

    def on_headers_complete(self) -> None:
        """End the head of a request."""
        self._end_head()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """End a request."""
        self.arrived = True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP; say in the answer and in the log what it may be."""
        # The parser's reason: this is called where it is caught. h11's holds the line, which may be the signature.
        words = _NO_HTTP.format(f" ({sys.exc_info()[1]})" if _TELLS_HEADS else "")
        if self.cycle is not None and not self.cycle.more_body and not (_TELLS_HEADS and self.url):
            words = _BEHIND + words  # no request line began: it is the end of a body
        self.logger.warning(words)
        super().send_400_response(f"{msg} {words}\n")

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
