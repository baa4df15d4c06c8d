"""A receiver of notifications (webhooks) as an ASGI application: for any server, or mounted beside an application of yours."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from paywright_receiver.raw_bodies import not_post

if TYPE_CHECKING:
    from paywright_receiver.webhooks.receiver import BaseReceiver
    from paywright_receiver.webhooks.reply import Reply

Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, object]]]
Send: TypeAlias = Callable[[dict[str, object]], Awaitable[None]]
# As Starlette and FastAPI have; asyncio's own are six on two processors, and a bill question would wait.
_THREADS: Final = 40
ASGIApplication: TypeAlias = Callable[[Mapping[str, object], Receive, Send], Awaitable[None]]


def asgi_app(receiver: BaseReceiver) -> ASGIApplication:
    """Make an ASGI application that passes every path to the receiver. Route only the receiver's paths to it.

    The receiver, with your handlers, runs in one of 40 threads of its own. It accepts a server's lifespan events and ignores
    them.
    """
    threads = ThreadPoolExecutor(_THREADS, "paywright")

    async def app(scope: Mapping[str, object], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close"})
        elif scope["method"] != "POST":
            await _answer(send, not_post(receiver))
        else:
            body = await _body(receive, receiver.max_bytes)
            if body is not None:
                headers = cast("list[tuple[bytes, bytes]]", scope["headers"])
                run = partial(receiver.receive, body, headers)
                inside = partial(copy_context().run, run)
                received = asyncio.get_running_loop().run_in_executor(threads, inside)
                await _answer(send, await received)

    return app


async def _body(receive: Receive, most: int) -> bytes | None:
    """Return the body, cut to `most` + 1 bytes if it is longer; None if the client disconnected."""
    body = bytearray()
    rest = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        part = cast(bytes, message.get("body", b""))
        if len(body) <= most:
            body += part
        else:
            # Read the rest, at most as much again, so that the client gets the reply.
            rest += len(part)
        if not message.get("more_body", False) or rest > most:
            return bytes(body[: most + 1])


async def _answer(send: Send, reply: Reply) -> None:
    pairs = [*reply.headers, ("Content-Length", str(len(reply.body)))]
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in pairs]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        what = cast(str, (await receive())["type"])
        await send({"type": f"{what}.complete"})
        if what == "lifespan.shutdown":
            return
