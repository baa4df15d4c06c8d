"""Anybody who reaches the port of `paywright listen` takes a bounded time and a bounded memory."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from paywright import Receiver
from paywright_cli.check_receiver.messages import MessageFactory
from paywright_cli.commands.listen_server import Listener, server_of
from paywright_receiver import MemoryLedger
from paywright_sandbox.http.protocol import HttpProtocol
from paywright_sandbox.http.server import address_of, listen
from paywright_sandbox.init import read_env
from tests.cli.helpers.deliveries import tell


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


def test_a_head_without_end_is_refused_and_not_kept(address: str) -> None:
    with connected(address) as raw:
        raw.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\n")
        sent = 0
        with suppress(OSError):  # it is hung up on
            while sent < 50 * 1024 * 1024:
                raw.sendall(b"X-Filler: " + b"a" * 8000 + b"\r\n")
                sent += 8000
    assert sent < 50 * 1024 * 1024


def test_a_head_that_never_ends_is_given_up(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def given_up(seconds: float) -> bytes:
        monkeypatch.setattr(HttpProtocol, "head_seconds", seconds)
        return answer_to(address, b"POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ye")

    # On a busy machine the time may be over before anything has come; then there is more of it.
    assert any(given_up(seconds).startswith(b"HTTP/1.1 408") for seconds in (0.05, 0.5, 5.0, 50.0))


def test_a_delivery_is_answered_as_before(address: str, messages: MessageFactory) -> None:
    status, _, body = tell(address, messages, messages.transfer("R1"))
    assert (status, json.loads(body)["code"]) == (200, "SUCCESS")
    close = b"POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    assert answer_to(address, close, b"Content-Length: 2\r\n\r\n{}").startswith(b"HTTP/1.1 401")
    assert answer_to(address, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 405")
