"""Anybody who reaches the port of `paywright listen` takes a bounded time and a bounded memory."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from paywright import Receiver
from paywright_cli.commands.listen_server import Listener, server_of
from paywright_receiver import MemoryLedger
from paywright_sandbox.http.protocol import HttpProtocol
from paywright_sandbox.http.server import address_of, listen
from paywright_sandbox.init import read_env


@pytest.fixture(scope="module")
def address(shop: Path) -> Iterator[str]:
    receiver = Receiver.from_env(MemoryLedger(), read_env(shop))
    receiver.on_receive(lambda event: None)
    server = server_of(Listener(receiver, lambda *_: None))
    with listen("127.0.0.1", 0) as listening:
        thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        yield address_of(listening)
        server.should_exit = True
        thread.join(60)


def connected(address: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=600)


def answer_to(address: str, *parts: bytes) -> bytes:
    """All that comes back until the connection is closed."""
    answer = b""
    with connected(address) as raw, suppress(ConnectionError):
        for part in parts:
            raw.sendall(part)
        while part := raw.recv(65536):
            answer += part
    return answer


def test_a_head_that_never_ends_is_given_up(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def given_up(seconds: float) -> bytes:
        monkeypatch.setattr(HttpProtocol, "head_seconds", seconds)
        return answer_to(address, b"POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ye")

    # On a busy machine the time may be over before anything has come; then there is more of it.
    assert any(given_up(seconds).startswith(b"HTTP/1.1 408") for seconds in (0.05, 0.5, 5.0, 50.0))
