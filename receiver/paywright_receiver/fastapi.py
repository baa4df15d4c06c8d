"""A receiver of notifications (webhooks) in a FastAPI application.

app.include_router(router(receiver, "/paywright"))
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final

from fastapi import APIRouter, Request, Response

from paywright_receiver import starlette
from paywright_receiver.raw_bodies import raw_body
from paywright_receiver.webhooks.receiver import BaseReceiver

__all__ = ["answer", "endpoint", "router"]

_RAW: Final = "await request.body() of FastAPI's Request"


def router(receiver: BaseReceiver, *paths: str) -> APIRouter:
    """Make a router with the receiver at these paths, which do not appear in the application's schema."""
    made = APIRouter()
    for path in paths:
        made.add_api_route(path, endpoint(receiver), methods=["POST"], include_in_schema=False, response_model=None)
    return made


def endpoint(receiver: BaseReceiver) -> Callable[[Request], Awaitable[Response]]:
    """Make an endpoint, for a route of your own. The receiver, with your handlers, runs in a worker thread."""
    return starlette.endpoint(receiver)


async def answer(
    receiver: BaseReceiver,
    raw: bytes,
    headers: Mapping[str, str] | Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]],
) -> Response:
    """Process a delivery in an endpoint of your own, whose parameter is the `Request` and not a model of the body.

    `raw` is `await request.body()`. Raises `InvalidArgument` if it is not bytes.
    """
    return await starlette.answer(receiver, raw_body(raw, _RAW), headers)
