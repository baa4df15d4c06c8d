"""Recording around the endpoint for notifications: middleware for WSGI and ASGI applications.

Wrap the application, or what of it serves the notifications: every request that passes is recorded as a notification. What the
application reads and sends stays the same, byte for byte.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from wsgiref.util import request_uri

from paywright_audit.recording.captured import LONGEST, Captured, CapturedMessage, Pairs
from paywright_audit.recording.recorder import Recorder, checked_recorder
from paywright_runtime.tracebacks import interrupts

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

__all__ = ["recorded_asgi", "recorded_wsgi"]

Message: TypeAlias = "Mapping[str, Any]"
ASGIApplication: TypeAlias = (
    "Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]"
)


def _keep_part(kept: bytearray, part: bytes) -> None:
    """Keep a part of a body, up to what is recorded and one more, which shows that it was cut."""
    kept.extend(part[: LONGEST + 1 - len(kept)])


class _Notified:
    """A notification under way, with what has been read and sent so far."""

    def __init__(self, recorder: Recorder, method: str, url: str, headers: Pairs) -> None:
        self._recorder, self._begun, self._at = recorder, (method, url, headers), datetime.now(UTC)
        self.asked, self.answer = bytearray(), bytearray()
        self.status: int | str | None = None
        self.headers: Pairs = ()

    def end(self) -> None:
        method, url, headers = self._begun
        response = None if self.status is None else CapturedMessage(self.headers, bytes(self.answer), self.status)
        seen = Captured(
            "notify", method, url, CapturedMessage(headers, bytes(self.asked)), response, self._at, datetime.now(UTC)
        )
        self._recorder.record(seen)


def recorded_wsgi(app: WSGIApplication, recorder: Recorder) -> WSGIApplication:
    """Return a WSGI application that records what passes through `app`."""
    checked_recorder(recorder)

    def recorded(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            seen = _Notified(recorder, environ["REQUEST_METHOD"], request_uri(environ), _wsgi_headers(environ))
        except Exception as error:  # an environment that WSGI does not allow is for the application to judge
            recorder.lost += 1
            if interrupts(error):
                raise
            return app(environ, start_response)

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Callable[[bytes], object]:
            seen.status, seen.headers = status.partition(" ")[0], tuple(headers)
            write = start_response(status, headers, *more)

            def written(part: bytes) -> object:
                _keep_part(seen.answer, part)
                return write(part)

            return written

        environ["wsgi.input"] = _Input(environ["wsgi.input"], seen.asked)
        try:
            parts = app(environ, start)
        except BaseException:
            seen.end()
            raise
        return _Output(parts, seen)

    return recorded


class _Input:
    """The body of a request, which keeps what is read of it."""

    def __init__(self, inner: Any, kept: bytearray) -> None:
        self._inner, self._kept = inner, kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def read(self, *size: int) -> bytes:
        return self._keep(self._inner.read(*size))

    def readline(self, *size: int) -> bytes:
        return self._keep(self._inner.readline(*size))

    def readlines(self, *hint: int) -> list[bytes]:
        return [self._keep(line) for line in self._inner.readlines(*hint)]

    def __iter__(self) -> Iterator[bytes]:
        return map(self._keep, self._inner)

    def _keep(self, part: bytes) -> bytes:
        _keep_part(self._kept, part)
        return part


class _Output:
    """The parts of a response, which are kept as they pass."""

    def __init__(self, parts: Iterable[bytes], seen: _Notified) -> None:
        self._parts, self._seen = parts, seen

    def __iter__(self) -> Iterator[bytes]:
        for part in self._parts:
            _keep_part(self._seen.answer, part)
            yield part

    def close(self) -> None:
        try:
            close = getattr(self._parts, "close", None)
            if close is not None:
                close()
        finally:
            self._seen.end()


def _wsgi_headers(environ: WSGIEnvironment) -> Pairs:
    named = {"CONTENT_TYPE": "Content-Type", "CONTENT_LENGTH": "Content-Length"}
    return [
        (named.get(name) or name[5:].replace("_", "-"), str(value))
        for name, value in environ.items()
        if name.startswith("HTTP_") or (name in named and value)
    ]


def recorded_asgi(app: ASGIApplication, recorder: Recorder) -> ASGIApplication:
    """Return an ASGI application that records what passes through `app`."""
    checked_recorder(recorder)

    async def recorded(
        scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        headers = _asgi_headers(scope)
        host = {name.lower(): value for name, value in headers}.get("host", "localhost")
        url = f"{scope.get('scheme', 'http')}://{host}{scope['path']}"
        seen = _Notified(recorder, scope["method"], url, headers)

        async def received() -> Message:
            message = await receive()
            _keep_part(seen.asked, message.get("body") or b"")
            return message

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen.status, seen.headers = message["status"], _asgi_headers(message)
            _keep_part(seen.answer, message.get("body") or b"")
            await send(message)

        try:
            await app(scope, received, sent)
        finally:
            seen.end()

    return recorded


def _asgi_headers(message: Message) -> Pairs:
    found = cast("Iterable[tuple[bytes, bytes]]", message.get("headers") or ())
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in found]
