"""Send a reply over ASGI: whole, in parts, or broken by a fault."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from starlette.types import Receive, Scope, Send

from paywright_sandbox.engine.responses import HttpReply, WireFault

__all__ = ["send_and_drain", "send_reply"]

_PIECES: Final = 20
_MOST_DRAINED: Final = 64 * 1024 * 1024
_DRAIN_SECONDS: Final = 30


async def send_reply(reply: HttpReply, scope: Scope, receive: Receive, send: Send) -> None:
    """Send a reply, or break the connection as its fault says, within the fault's seconds."""
    if reply.fault is not None:
        await _broken(reply, reply.fault, scope, receive, send)
    elif reply.parts is not None:
        await _start(send, reply, None)
        for part in reply.parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
            await asyncio.sleep(0)  # let other requests in between
        await send({"type": "http.response.body", "body": b""})
    else:
        await _start(send, reply, len(reply.body))
        await send({"type": "http.response.body", "body": reply.body})


async def send_and_drain(reply: HttpReply, receive: Receive, send: Send) -> None:
    """Send a reply before the request's body has arrived, and discard the rest of the body.

    A client that sends everything before it reads would otherwise lose connection and reply. Limited in bytes and time.
    """
    await _start(send, reply, len(reply.body))
    await send({"type": "http.response.body", "body": reply.body, "more_body": True})
    taken = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            while taken < _MOST_DRAINED:
                message = await receive()
                taken += len(message.get("body", b""))
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    break
    await send({"type": "http.response.body", "body": b""})


async def _broken(reply: HttpReply, fault: WireFault, scope: Scope, receive: Receive, send: Send) -> None:
    if fault.kind == "drip":
        await _start(send, reply, len(reply.body))
        pieces = _pieces(reply.body)
        for piece in pieces[:-1]:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            if await _gone(receive, fault.seconds / len(pieces)):
                return
        await send({"type": "http.response.body", "body": pieces[-1]})
        return
    if fault.kind == "cut":
        await _start(send, reply, len(reply.body))
        await send({"type": "http.response.body", "body": reply.body[: len(reply.body) // 2], "more_body": True})
    if fault.kind == "hang" and await _gone(receive, fault.seconds):
        return
    connection = scope.get("state", {}).get("connection")
    if isinstance(connection, asyncio.Transport):
        if fault.kind == "reset":
            _reset(connection)
        else:
            connection.close()
        # Wait until uvicorn knows that the connection is gone: else it would send an answer of its own.
        await _gone(receive, 5)


def _reset(connection: asyncio.Transport) -> None:
    """End a connection with RST, as a crashed peer does."""
    found = connection.get_extra_info("socket")
    if found is not None:
        with suppress(OSError):
            found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("hh" if os.name == "nt" else "ii", 1, 0))
    connection.abort()


async def _gone(receive: Receive, seconds: float) -> bool:
    """Wait; return True if the client goes away meanwhile."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while (await receive())["type"] != "http.disconnect":
                pass
            return True
    return False


async def _start(send: Send, reply: HttpReply, length: int | None) -> None:
    """Send the head of a reply. `length` of the body is None if unknown."""
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]
    known = [] if length is None else [(b"content-length", b"%d" % length)]
    await send({"type": "http.response.start", "status": reply.status, "headers": [*known, *headers]})


def _pieces(body: bytes) -> Sequence[bytes]:
    size = max(1, -(-len(body) // _PIECES))
    return [body[at : at + size] for at in range(0, len(body), size)] or [b""]
