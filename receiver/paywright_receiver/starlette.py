"""A receiver in a Starlette application.

app = Starlette(routes=[route(receiver, "/paywright")])
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from paywright_receiver.adapting import NOT_POST, consumed, raw_body, too_large
from paywright_runtime.receiver import BaseReceiver
from paywright_runtime.reply import Reply

__all__ = ["answer", "endpoint", "route"]

_RAW: Final = "await request.body() of Starlette"


def route(receiver: BaseReceiver, path: str) -> Route:
    """A route with the receiver at this address."""
    return Route(path, endpoint(receiver), methods=["POST"], include_in_schema=False)


def endpoint(receiver: BaseReceiver, *, raw: str = _RAW) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint, for a route of your own with `methods=["POST"]`. The receiver, with your handlers, runs in a worker thread.

    `raw` is how the framework's accessor of the raw body is called in errors.
    """

    async def receive(request: Request) -> Response:
        if request.method != "POST":
            return _response(NOT_POST)
        try:
            body = await _body(request, receiver.max_bytes)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody reads it
        except RuntimeError:
            consumed(raw)
        if body is None:
            return _response(await run_in_threadpool(too_large, receiver))
        return await answer(receiver, body, request.headers.raw)

    return receive


async def _body(request: Request, most: int) -> bytes | None:
    """The raw body; None if it has more than `most` bytes. Raises `RuntimeError` where it was read before and not kept."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > most:
            return None
    return bytes(found)


async def answer(
    receiver: BaseReceiver,
    raw: bytes,
    headers: Mapping[str, str] | Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]],
) -> Response:
    """The answer, for an endpoint of your own. Raises `InvalidArgument` if `raw` is not the raw body."""
    return _response(await run_in_threadpool(receiver.receive, raw_body(raw, _RAW), headers))


def _response(reply: Reply) -> Response:
    return Response(reply.body, reply.status, dict(reply.headers))
