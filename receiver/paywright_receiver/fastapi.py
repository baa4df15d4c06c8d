"""A receiver of notifications (webhooks) in a FastAPI application.

app.include_router(router(receiver, "/paywright"))
"""

from __future__ import annotations

from fastapi import APIRouter

from paywright_receiver.starlette import endpoint  # whose requests and responses are FastAPI's
from paywright_receiver.webhooks.receiver import BaseReceiver

__all__ = ["endpoint", "router"]


def router(receiver: BaseReceiver, *paths: str) -> APIRouter:
    """Make a router with the receiver at these paths, which do not appear in the application's schema."""
    made = APIRouter()
    for path in paths:
        made.add_api_route(path, endpoint(receiver), methods=["POST"], include_in_schema=False, response_model=None)
    return made
