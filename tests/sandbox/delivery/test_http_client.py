"""The HTTP client of the tools: what a peer can do to a request, and what is returned then."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from paywright_sandbox.delivery.http_client import Answered, Unanswered, at_once, request
from paywright_sandbox.engine.url_policy import Destination, read_destination


@contextmanager
def serving(script: Callable[[socket.socket], None]) -> Iterator[Destination]:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            peer, _ = listening.accept()
            with peer:
                script(peer)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield read_destination(f"http://127.0.0.1:{listening.getsockname()[1]}/a")
        thread.join(600)


def test_a_peer_that_answers_and_closes_before_it_has_read_the_body_has_answered() -> None:
    def refuse(peer: socket.socket) -> None:
        peer.recv(1)
        peer.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")

    with serving(refuse) as to:
        answer = request(to, "POST", (), b"x" * (8 * 1024 * 1024), seconds=600)
    assert isinstance(answer, Answered)
    assert (answer.status, answer.body) == (413, b"no")


def test_localhost_is_each_address_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs listen on one of the two: Flask on 127.0.0.1, and those of Node.js on the first of localhost."""

    def say(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    with serving(say) as to:
        both = [(socket.AF_INET6, 1, 6, "", ("::1", to.port, 0, 0)), (socket.AF_INET, 1, 6, "", ("127.0.0.1", to.port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda host, *_: both if host == "localhost" else both[:1])
        assert isinstance(request(to._replace(host="localhost"), "POST", (), b"{}", seconds=600), Answered)


def test_a_host_without_an_address_is_unreachable() -> None:
    to = read_destination("http://no-such-shop.invalid/a", ("no-such-shop.invalid",))
    for answer in (request(to, "POST", (), b"{}", seconds=600), *at_once(to, (), b"{}", seconds=600, copies=3)):
        assert isinstance(answer, Unanswered)
        assert (answer.outcome, answer.why) == ("UNREACHABLE", "no-such-shop.invalid was not found")


@pytest.mark.parametrize(
    ("said", "outcome", "why"),
    [
        (b"", "LOST", "the connection was closed before the answer was complete (closed without an answer)"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "LOST", "(closed within the body)"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", "BAD_ANSWER", "the answer is too large (more than 9 bytes)"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "BAD_ANSWER", "the answer is not HTTP/1.1"), (b"HTTP/1.0 200 OK\n\n{}", "BAD_ANSWER", "in LF without CR"),
    ],
)  # fmt: skip
def test_what_is_no_answer_has_an_outcome_and_a_reason(said: bytes, outcome: str, why: str) -> None:
    def say(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.sendall(said)

    with serving(say) as to:
        answer = request(to, "POST", (), b"{}", seconds=600, limit=9)
    assert isinstance(answer, Unanswered)
    assert answer.outcome == outcome
    assert why in answer.why


def test_a_body_is_spread_over_its_time_and_copies_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = list[float]()
    monkeypatch.setattr("paywright_sandbox.delivery.http_client.sleep", slept.append)

    def answer(peer: socket.socket) -> None:
        got = b""
        while not got.endswith(b"x" * 8):
            got += peer.recv(65536)
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    for asks in (
        lambda to: [request(to, "POST", (), b"x" * 8, seconds=600, pieces=4, over=2.0)],
        lambda to: at_once(to, (), b"x" * 8, seconds=600, copies=1),
    ):
        with serving(answer) as to:
            (answered,) = asks(to)
        assert isinstance(answered, Answered)
    assert slept == [0.5] * 4
