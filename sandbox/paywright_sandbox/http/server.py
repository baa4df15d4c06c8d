"""The engine on HTTP: an ASGI application on uvicorn, one process, one event loop.

The engine runs in the loop itself: an answer is faster than a thread switch, and one transaction runs at a time anyway.
Needs the extra `paywright[sandbox]`.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from threading import Thread
from time import monotonic, sleep
from typing import Final

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.control.api import control, is_binary, refusal, waits
from paywright_sandbox.delivery.worker import worker_of
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.responses import HttpReply, WireFault
from paywright_sandbox.engine.routes import PREFIX
from paywright_sandbox.engine.state.store import MOST_BYTES
from paywright_sandbox.http.protocol import HttpProtocol
from paywright_sandbox.pages import is_page

_PIECES: Final = 20
_MOST_DRAINED: Final = 64 * 1024 * 1024
_DRAIN_SECONDS: Final = 30


async def send_reply(reply: HttpReply, scope: Scope, receive: Receive, send: Send) -> None:
    """Send a reply, or break the connection as its fault says, within the fault's seconds."""
    if reply.fault is not None:
        await _broken(reply, reply.fault, scope, receive, send)
    else:
        await send(_start(reply))
        await send({"type": "http.response.body", "body": reply.body})


async def send_and_drain(reply: HttpReply, receive: Receive, send: Send) -> None:
    """Send a reply before the request's body has arrived, and discard the rest of the body.

    A client that sends everything before it reads would otherwise lose connection and reply. Limited in bytes and time.
    """
    await send(_start(reply))
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
        await send(_start(reply))
        pieces = _pieces(reply.body)
        for piece in pieces[:-1]:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            if await _gone(receive, fault.seconds / len(pieces)):
                return
        await send({"type": "http.response.body", "body": pieces[-1]})
        return
    if fault.kind == "cut":
        await send(_start(reply))
        await send({"type": "http.response.body", "body": reply.body[: len(reply.body) // 2], "more_body": True})
    if fault.kind == "hang" and await _gone(receive, fault.seconds):
        return
    protocol = scope.get("state", {}).get("protocol")
    if isinstance(protocol, HttpProtocol):
        if fault.kind == "reset":
            _reset(protocol.transport)
        else:
            protocol.transport.close()
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


def _start(reply: HttpReply) -> Message:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]
    length = (b"content-length", b"%d" % len(reply.body))
    return {"type": "http.response.start", "status": reply.status, "headers": [length, *headers]}


def _pieces(body: bytes) -> Sequence[bytes]:
    size = max(1, -(-len(body) // _PIECES))
    return [body[at : at + size] for at in range(0, len(body), size)] or [b""]


Log = Callable[[str, HttpReply], None]
"""Called with method and path, and the reply, of every answer."""

_OWN_HOSTS: Final = frozenset(("127.0.0.1", "localhost", "[::1]"))
_BODY_SECONDS: Final = 30
# What a proxy or a tunnel on this machine adds to the request of another one.
_FORWARDED: Final = ("cf-connecting-ip", "forwarded", "via", "x-forwarded-", "x-real-ip")


class _Gone(Exception):
    """The client went away before its request was complete."""


def application(engine: Engine, log: Log | None = None, *, hosts: frozenset[str] = _OWN_HOSTS) -> ASGIApp:
    """Return the ASGI application. `hosts` are the allowed names in a Host header, without port."""
    allowed = hosts | frozenset(map(str.lower, engine.settings.allowed_hosts))

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        # Stripped, because httptools leaves the white space behind a value, which is none of it.
        headers = [(name.decode("latin-1"), value.decode("latin-1").strip(" \t")) for name, value in scope["headers"]]
        path = scope["raw_path"].decode("latin-1")
        try:
            reply = await _reply(engine, allowed, scope, receive, path, headers)
        except _Gone:
            return
        reply.headers = (("date", engine.date()), *reply.headers)
        if _CLOSING in reply.headers and reply.status != 408:
            await send_and_drain(reply, receive, send)
        else:
            await send_reply(reply, scope, receive, send)
        if log is not None:
            log(f"{scope['method']} {path}", reply)

    return answer


async def _reply(
    engine: Engine, hosts: frozenset[str], scope: Scope, receive: Receive, path: str, headers: list[tuple[str, str]]
) -> HttpReply:
    if not _is_for(hosts, headers):
        # Else a web page whose name resolves to this machine would have the same origin.
        given = any(name == "host" for name, _ in headers)  # HTTP/1.0 has none
        said = (
            "The Host header does not name this machine"
            if given
            else "There is no Host header, which names this machine"
        )
        return engine.refuse(421, "HOST_NOT_ALLOWED", f"{said}; see allowed-hosts in sandbox.toml.")
    if path.startswith(PREFIX) and (not _is_loopback(scope) or any(name.startswith(_FORWARDED) for name, _ in headers)):
        return engine.refuse(403, "NOT_LOOPBACK", "The control API answers only this machine.")
    limit = engine.settings.max_body
    if is_binary(engine, scope["method"], path):
        foreign = refusal(engine, scope["method"], path, headers)  # before a large body is read
        if foreign is not None:
            return _unread(foreign)
        limit = MOST_BYTES
    protocol = scope.get("state", {}).get("protocol")
    try:
        if isinstance(protocol, HttpProtocol) and protocol.arrived:  # as often: it needs no timer
            body = await _body(receive, headers, limit)
        else:
            async with asyncio.timeout(_BODY_SECONDS):
                body = await _body(receive, headers, limit)
    except TimeoutError:
        said = "The body took too long to arrive, or is shorter than its Content-Length says."
        return engine.refuse(408, "BODY_TOO_SLOW", said, headers=(_CLOSING,))
    if body is None:
        return _unread(engine.too_large(limit))
    query = scope.get("query_string", b"").decode("latin-1")
    if is_page(path, headers):
        from paywright_sandbox.pages.router import answer_page  # loads the templates: not before the first page

        # In a thread: rendering is slower than an answer, and a form may wait for a merchant's server.
        return await asyncio.to_thread(answer_page, engine, scope["method"], path, query, headers, body)
    if path.startswith(PREFIX):
        if waits(engine, scope["method"], path):  # for a merchant's server, which may call the sandbox meanwhile
            return await asyncio.to_thread(control, engine, scope["method"], path, headers, body)
        return control(engine, scope["method"], path, headers, body)
    return engine.handle(scope["method"], f"{path}?{query}" if query else path, headers, body)


_CLOSING: Final = ("connection", "close")


def _unread(reply: HttpReply) -> HttpReply:
    """Return a reply that closes the connection, because the request's body was not read to its end."""
    reply.headers = (*reply.headers, _CLOSING)
    return reply


async def _body(receive: Receive, headers: list[tuple[str, str]], limit: int) -> bytes | None:
    """Return the whole body, or None as soon as it is known to be too large."""
    length = next((value for name, value in headers if name == "content-length"), "0")
    if length.isdigit() and int(length) > limit:
        return None
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            return None
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?", re.ASCII)


def _is_for(hosts: frozenset[str], headers: list[tuple[str, str]]) -> bool:
    named = [_HOST.fullmatch(value.lower()) for name, value in headers if name == "host"]
    return len(named) == 1 and named[0] is not None and named[0][1] in hosts


def _is_loopback(scope: Scope) -> bool:
    client = scope.get("client")
    try:
        return client is not None and ip_address(client[0]).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes a free one. Raises `ConfigurationError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only on a socket whose protocol is named. Without it every answer waits 40 ms for the
    # client's delayed acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it lets two programs listen on one port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(512)
        return listening
    except OSError as error:
        listening.close()
        raise ConfigurationError(
            f"{host}:{port} cannot be used ({error.strerror or error}). Choose another with --port; 0 takes a free one."
        ) from None


def address_of(listening: socket.socket) -> str:
    """Return the URL of a socket of `listen` on this machine."""
    host, port = listening.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}"


class Server:
    """Server of an engine on a listening socket, until it is stopped: `run` blocks, `start` uses a thread."""

    def __init__(self, engine: Engine, listening: socket.socket, log: Log | None = None) -> None:
        host = listening.getsockname()[0]
        named = frozenset((f"[{host}]" if ":" in host else host,))
        self._engine = engine
        self._socket = listening
        self._delivery = worker_of(engine)
        self._server = uvicorn.Server(
            uvicorn.Config(
                application(engine, log, hosts=_OWN_HOSTS | named),
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                date_header=False,  # every reply has the engine's date, not the machine's
                ws="none",
                http=HttpProtocol,
                proxy_headers=False,
                callback_notify=self._each_second,
                timeout_notify=0,
                loop="asyncio",
                timeout_keep_alive=75,
                timeout_graceful_shutdown=3,
            )
        )
        self._thread: Thread | None = None

    def run(self) -> None:
        """Serve until `stop`, or until SIGINT or SIGTERM in the main thread."""
        self._delivery.start()
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._delivery.stop()

    async def _each_second(self) -> None:
        self._engine.captures.write()

    def start(self) -> None:
        """Start to serve in a thread, and return when it is ready."""
        self._thread = Thread(target=self.run, name="paywright-sandbox", daemon=True)
        self._thread.start()
        until = monotonic() + 10
        while not self._server.started:
            if monotonic() > until or not self._thread.is_alive():
                raise ConfigurationError("The sandbox did not start.")
            sleep(0.005)

    def stop(self) -> None:
        """End `run` or `start`: requests under way are answered, for three seconds at most."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(10)
