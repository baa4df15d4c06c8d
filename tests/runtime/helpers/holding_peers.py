"""Peers that hold an exchange in one phase, until the client hangs up or `OVER`; they say by `HOLDS` that it is there."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.runtime.helpers.transport_servers import http, read_request, until_closed

HOLDS, OVER = threading.Event(), threading.Event()


def greeted(peer: socket.socket) -> None:
    peer.recv(65536)
    HOLDS.set()
    until_closed(peer)


def silent(peer: socket.socket) -> None:
    read_request(peer)
    HOLDS.set()
    until_closed(peer)


def deaf(peer: socket.socket) -> None:
    peer.recv(1)
    HOLDS.set()
    OVER.wait(600)


def half_an_answer(peer: socket.socket) -> None:
    read_request(peer)
    peer.sendall(http(b"z" * 100)[:-50])
    HOLDS.set()
    until_closed(peer)


@contextmanager
def full_port() -> Iterator[int]:
    """A port of which the queue is full, so that connecting to it takes for ever."""
    with ExitStack() as open_, socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port: int = listener.getsockname()[1]
        for _ in range(4):
            one = open_.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        yield port
