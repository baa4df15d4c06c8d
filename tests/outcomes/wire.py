"""Bytes on a socket, as a proxy that means harm reads and writes them."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from tests.outcomes.messages import Reply, Request

__all__ = ["WRITERS", "Gone", "abort", "read_half", "read_head", "read_rest", "wait_for_the_end", "whole"]

_LONGEST: Final = 1.5


class Gone(Exception):
    """The peer has closed."""


def abort(peer: socket.socket) -> None:
    """Resets the connection."""
    with suppress(OSError):
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def read_head(peer: socket.socket) -> tuple[list[str], bytes]:
    """The lines of the next request's head, and what of the body came with it. Raises `Gone`."""
    data = b""
    while (end := data.find(b"\r\n\r\n")) < 0:
        data += _some(peer, 256)
    return data[:end].decode("latin-1").split("\r\n"), data[end + 4 :]


def read_rest(peer: socket.socket, lines: list[str], body: bytes) -> Request:
    """The whole request. Raises `Gone`."""
    headers = _headers(lines)
    while len(body) < _length(headers):
        body += _some(peer)
    return Request(lines[0].split(" ")[1], tuple(headers), body)


def read_half(peer: socket.socket, lines: list[str], body: bytes) -> None:
    """Reads on to the middle of the body. Raises `Gone`."""
    while 2 * len(body) < _length(_headers(lines)):
        body += _some(peer, 64)


def wait_for_the_end(peer: socket.socket) -> None:
    """Says nothing until the client gives up."""
    peer.settimeout(_LONGEST)
    with suppress(OSError, Gone):
        while True:
            _some(peer)


def head(reply: Reply, *framing: str) -> bytes:
    lines = [f"HTTP/1.1 {reply.status} X", *(f"{name}: {value}" for name, value in reply.headers), *framing, "", ""]
    return "\r\n".join(lines).encode("latin-1")


def whole(peer: socket.socket, reply: Reply) -> None:
    peer.sendall(head(reply, f"Content-Length: {len(reply.body)}") + reply.body)


def _interim(peer: socket.socket, reply: Reply) -> None:
    peer.sendall(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
    whole(peer, reply)


def _cut_length(peer: socket.socket, reply: Reply) -> None:
    peer.sendall(head(reply, f"Content-Length: {len(reply.body)}") + reply.body[: len(reply.body) // 2])


def _cut_without_length(peer: socket.socket, reply: Reply) -> None:
    peer.sendall(head(reply, "Connection: close") + reply.body[: len(reply.body) // 2])


def _cut_chunk(peer: socket.socket, reply: Reply) -> None:
    start = f"{len(reply.body):x}\r\n".encode() + reply.body[: len(reply.body) // 2]
    peer.sendall(head(reply, "Transfer-Encoding: chunked") + start)


def _garbage(peer: socket.socket, reply: Reply) -> None:
    peer.sendall(b"220 mail.example ESMTP ready\r\n")


def _drip(peer: socket.socket, reply: Reply) -> None:
    data = head(reply, f"Content-Length: {len(reply.body)}") + reply.body
    until = time.monotonic() + _LONGEST
    for position in range(len(data)):
        peer.sendall(data[position : position + 1])
        time.sleep(0.02)
        if time.monotonic() > until:
            return


def _reset_in_answer(peer: socket.socket, reply: Reply) -> None:
    _cut_length(peer, reply)
    abort(peer)


WRITERS: Final[dict[str, Callable[[socket.socket, Reply], None]]] = {
    "interim": _interim, "cut length": _cut_length, "cut without length": _cut_without_length, "cut chunk": _cut_chunk,
    "garbage": _garbage, "drip": _drip, "reset in answer": _reset_in_answer,
}  # fmt: skip
"""By a harm's ending. The connection is closed after each."""


def _headers(lines: list[str]) -> list[tuple[str, str]]:
    return [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines[1:])]


def _length(headers: list[tuple[str, str]]) -> int:
    return next(int(value) for name, value in headers if name.lower() == "content-length")


def _some(peer: socket.socket, most: int = 65536) -> bytes:
    data = peer.recv(most)
    if not data:
        raise Gone
    return data
