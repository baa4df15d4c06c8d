"""A receiver of notifications (webhooks) in a Starlette application.

app = Starlette(routes=[route(receiver, "/paywright")])
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from paywright_receiver.raw_bodies import not_post
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
        body = bytearray()
        try:
            async for part in request.stream():
                body += part
                if len(body) > receiver.max_bytes:
                    break  # the receiver refuses it
        except ClientDisconnect:
            return Response(status_code=400)  # the client has disconnected
        except RuntimeError as error:
            if interrupts(error):
                raise
            body.clear()  # it was streamed before and is gone, which the receiver says
        return _response(await run_in_threadpool(receiver.receive, bytes(body), request.headers.raw))

    return receive


def _response(reply: Reply) -> Response:
    return Response(reply.body, reply.status, dict(reply.headers))
