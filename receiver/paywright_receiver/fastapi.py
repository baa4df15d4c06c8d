"""A receiver in a FastAPI application.

app.include_router(router(receiver, "/paywright"))
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final

from fastapi import APIRouter, Request, Response

from paywright_receiver import starlette
from paywright_receiver.adapting import raw_body
from paywright_runtime.receiver import BaseReceiver

__all__ = ["answer", "endpoint", "router"]

_RAW: Final = "await request.body() of FastAPI's Request"


def router(receiver: BaseReceiver, *paths: str) -> APIRouter:
    """A router with the receiver at these addresses; they are not in the application's schema."""
    made = APIRouter()
    for path in paths:
        made.add_api_route(path, endpoint(receiver), methods=["POST"], include_in_schema=False, response_model=None)
    return made


def endpoint(receiver: BaseReceiver) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint, for a route of your own. The receiver, with your handlers, runs in a worker thread."""
    return starlette.endpoint(receiver, raw=_RAW)


async def answer(
    receiver: BaseReceiver,
    raw: bytes,
    headers: Mapping[str, str] | Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]],
) -> Response:
    """The answer, for an endpoint of your own: its parameter is the `Request`, and no model of the body.

    Raises `InvalidArgument` if `raw` is not the raw body.
    """
    return await starlette.answer(receiver, raw_body(raw, _RAW), headers)
