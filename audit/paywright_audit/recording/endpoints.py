"""Recording around the endpoint for notifications: middleware for WSGI and ASGI applications.

Each request that passes is recorded as a notification, with its answer once all of it went to the server. No byte of them changes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from wsgiref.util import request_uri

from paywright_audit.recording.captured import Captured, Pairs, keep, pairs
from paywright_audit.recording.recorder import Recorder, checked_recorder

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

Message: TypeAlias = "Mapping[str, Any]"
ASGIApplication: TypeAlias = (
    "Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]"
)


def recorded_wsgi(app: WSGIApplication, recorder: Recorder) -> WSGIApplication:
    """Return a WSGI application that records what passes through `app`."""
    checked_recorder(recorder)

    def recorded(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        seen = Captured(recorder, "notify", lambda: _of_environ(environ))

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Callable[[bytes], object]:
            write = start_response(status, headers, *more)
            seen.status, seen.headers = int(status[:3]) if status[:3].isdigit() else None, tuple(headers)

            def written(part: bytes) -> object:
                keep(seen.answer, part)
                return write(part)

            return written

        try:
            if "wsgi.input" in environ:
                environ["wsgi.input"] = _Input(environ["wsgi.input"], seen)
            parts = app(environ, start)
        except BaseException:
            seen.end()
            del environ, start_response  # trackers print locals
            raise
        if not isinstance(parts, (list, tuple)):
            return (_Sized if hasattr(parts, "__len__") else _Output)(parts, seen)
        keep(seen.answer, *parts)
        seen.end(whole=True)
        return parts

    return recorded


def _of_environ(environ: WSGIEnvironment) -> tuple[str, str, Pairs, bytes]:
    named = {"CONTENT_TYPE": "Content-Type", "CONTENT_LENGTH": "Content-Length"}
    headers = [
        (named.get(name) or name[5:].replace("_", "-"), str(value))
        for name, value in environ.items()
        if name.startswith("HTTP_") or (name in named and value)
    ]
    return environ["REQUEST_METHOD"], request_uri(environ), headers, b""


class _Input:
    """The body of a request, which keeps what is read of it."""

    def __init__(self, inner: Any, seen: Captured) -> None:
        self._inner, self._seen = inner, seen

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
        keep(self._seen.asked, part)
        return part


class _Output:
    """The parts of a response, which are kept as they pass."""

    def __init__(self, parts: Iterable[bytes], seen: Captured) -> None:
        self._parts, self._seen = parts, seen

    def __iter__(self) -> Iterator[bytes]:
        self._next = iter(self._parts).__next__
        return self

    def __next__(self) -> bytes:
        try:
            part = self._next()
        except BaseException as raised:
            self._seen.end(whole=isinstance(raised, StopIteration))
            raise
        keep(self._seen.answer, part)
        return part

    def close(self) -> None:
        try:
            getattr(self._parts, "close", bool)()
        finally:
            self._seen.end()


class _Sized(_Output):
    def __len__(self) -> int:  # servers make headers of it
        return len(cast("list[bytes]", self._parts))


def recorded_asgi(app: ASGIApplication, recorder: Recorder) -> ASGIApplication:
    """Return an ASGI application that records what passes through `app`."""
    checked_recorder(recorder)

    async def recorded(
        scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        seen = Captured(recorder, "notify", lambda: _of_scope(scope))

        async def received() -> Message:
            message = await receive()
            keep(seen.asked, message.get("body"))
            return message

        async def sent(message: Message) -> None:
            try:
                await send(message)
                if message["type"] == "http.response.start":
                    seen.status, seen.headers = message["status"], pairs(message.get("headers", ()))
                keep(seen.answer, message.get("body"))
                if message["type"] == "http.response.body" and not message.get("more_body"):
                    seen.end(whole=True)
            except BaseException:
                del message  # trackers print locals
                raise

        try:
            await app(scope, received, sent)
        except BaseException:
            del scope  # as above
            raise
        finally:
            seen.end()

    return recorded


def _of_scope(scope: Message) -> tuple[str, str, Pairs, bytes]:
    headers = pairs(scope["headers"])
    url = f"{scope.get('scheme', 'http')}://{dict(headers).get('host', 'localhost')}{scope['path']}"
    return scope["method"], url, headers, b""
