"""A receiver of notifications (webhooks) in a Starlette application.

app = Starlette(routes=[route(receiver, "/paywright")])
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from paywright_receiver.raw_bodies import not_post, too_large
from paywright_receiver.webhooks.receiver import BaseReceiver
from paywright_receiver.webhooks.reply import Reply
from paywright_runtime.tracebacks import interrupts

__all__ = ["endpoint", "route"]


def route(receiver: BaseReceiver, path: str) -> Route:
    """Make a route with the receiver at this path."""
    return Route(path, endpoint(receiver), methods=["POST"], include_in_schema=False)


def endpoint(receiver: BaseReceiver) -> Callable[[Request], Awaitable[Response]]:
    """Make an endpoint, for a route of your own with `methods=["POST"]`.

    The receiver, with your handlers, runs in a worker thread.
    """

    async def receive(request: Request) -> Response:
        if request.method != "POST":
            return _response(not_post(receiver))
        try:
            body = await _body(request, receiver.max_bytes)
        except ClientDisconnect:
            return Response(status_code=400)  # the client has disconnected
        except RuntimeError as error:
            if interrupts(error):
                raise
            body = b""  # it was streamed before and is gone, which the receiver says
        if body is None:
            return _response(await run_in_threadpool(too_large, receiver))
        return _response(await run_in_threadpool(receiver.receive, body, request.headers.raw))

    return receive


async def _body(request: Request, most: int) -> bytes | None:
    """Return the raw body; None if it has more than `most` bytes.

    Raises `RuntimeError` if it was read before and not kept.
    """
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > most:
            return None
    return bytes(found)


def _response(reply: Reply) -> Response:
    return Response(reply.body, reply.status, dict(reply.headers))
