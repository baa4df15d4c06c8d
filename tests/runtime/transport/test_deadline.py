"""One wall-clock deadline ends every exchange, whatever the peer does."""

import socket
import ssl
import threading
import time
from pathlib import Path

import pytest

from paywright_runtime.transport.api import Phase, TransportFailure
from tests.runtime.helpers.holding_peers import silent
from tests.runtime.helpers.transport_kinds import Carrier, open_transport
from tests.runtime.helpers.transport_servers import (
    Authority,
    Script,
    Server,
    call,
    echo,
    failure_of,
    http,
    read_request,
    repeating,
    until_closed,
)
from tests.support.forks import Fork, any_fork, in_child, needs_fork

pytestmark = pytest.mark.usefixtures("kind")

WITHIN = 0.4
LONG = 3600.0  # the peers here never finish, so that only a deadline ends a call


def timed_failure(
    transport: Carrier, body: bytes = b"{}", *, phase: Phase = Phase.WAITING, within: float = WITHIN
) -> TransportFailure:
    """The failure of a call that must end at its deadline, in this phase.

    On a busy machine the deadline may strike before the peer had its turn; then the next one is five times as long.
    """
    started = time.monotonic()
    failure = failure_of(transport, body, within)
    assert time.monotonic() - started >= within
    assert failure.reason == "timeout"
    if failure.phase is not phase and within < LONG:
        return timed_failure(transport, body, phase=phase, within=within * 5)
    assert failure.phase is phase
    assert failure.body_started == (phase in (Phase.WAITING, Phase.READING))
    return failure


def dripping(first: bytes, then: bytes, every: float = 0.002) -> Script:
    """A byte at a time, until the client hangs up."""

    def script(peer: socket.socket) -> None:
        read_request(peer)
        for position in range(len(first)):
            peer.sendall(first[position : position + 1])
            time.sleep(every)
        while True:
            for position in range(len(then)):
                peer.sendall(then[position : position + 1])
                time.sleep(every)

    return script


def part_of_a_record(peer: socket.socket) -> None:
    """The beginning of a TLS record of 16 KiB, a byte at a time."""
    peer.sendall(b"\x16\x03\x03\x40\x00")
    while True:
        peer.sendall(b"z")
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("script", "phase"),
    [
        (silent, Phase.WAITING),
        (repeating(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.01), Phase.READING),
        (dripping(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", every=0.02), Phase.READING),
        (dripping(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", every=0.02), Phase.READING),
        (dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"z"), Phase.READING),
        (dripping(b"HTTP/1.1 200 OK\r\n\r\n", b"z"), Phase.READING),
        (dripping(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nz\r\n"), Phase.READING),
    ],
    ids=["silence", "100-continue", "103", "headers", "body", "body-to-close", "chunks"],
)
def test_a_peer_that_never_finishes_ends_at_the_deadline(script: Script, phase: Phase) -> None:
    with Server(script) as server, open_transport(server.url) as transport:
        timed_failure(transport, phase=phase)


def test_a_body_without_a_length_that_the_deadline_cut_is_no_answer() -> None:
    def script(peer: socket.socket) -> None:
        read_request(peer)
        peer.sendall(b"HTTP/1.1 200 OK\r\n\r\nlooks whole")
        until_closed(peer)

    with Server(script) as server, open_transport(server.url) as transport:
        assert timed_failure(transport, phase=Phase.READING).status == 200


def test_a_peer_that_never_reads_ends_at_the_deadline() -> None:
    ended = threading.Event()

    def deaf(peer: socket.socket) -> None:
        ended.wait(600)

    with Server(deaf) as server, open_transport(server.url) as transport:
        try:
            timed_failure(transport, b"z" * 16 * 1024 * 1024)
        finally:
            ended.set()


def test_a_peer_that_never_accepts_ends_at_the_deadline() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        fill: list[socket.socket] = []
        for _ in range(8):  # beyond the backlog, handshakes are no longer answered
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
            fill.append(filler)
        with open_transport(f"http://127.0.0.1:{port}") as transport:
            timed_failure(transport, phase=Phase.CONNECTING)
        for filler in fill:
            filler.close()


@pytest.mark.parametrize("script", [until_closed, part_of_a_record], ids=["silence", "drip"])
def test_a_tls_handshake_that_hangs_ends_at_the_deadline(script: Script) -> None:
    with Server(script) as server, open_transport(server.url.replace("http:", "https:")) as transport:
        timed_failure(transport, phase=Phase.CONNECTING)


def test_a_tls_peer_that_drips_ends_at_the_deadline(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    script = dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"z")
    with (
        Server(script, authority.server_context()) as server,
        open_transport(server.url, ca_file=authority.file) as transport,
    ):
        timed_failure(transport, phase=Phase.READING)


def test_a_proxy_that_drips_its_answer_ends_at_the_deadline() -> None:
    script = dripping(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", every=0.02)
    with Server(script) as proxy, open_transport("https://gateway.example", proxy=proxy.url) as transport:
        timed_failure(transport, phase=Phase.CONNECTING)


@pytest.mark.parametrize("hang", [until_closed, part_of_a_record], ids=["silence", "drip"])
def test_an_inner_tls_handshake_ends_at_the_deadline(hang: Script, tmp_path: Path) -> None:
    authority = Authority(tmp_path)

    def script(peer: socket.socket) -> None:
        read_request(peer)
        peer.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        peer.recv(1)  # the handshake has begun
        hang(peer)

    with (
        Server(script) as proxy,
        open_transport("https://gateway.example", proxy=proxy.url, ca_file=authority.file) as transport,
    ):
        timed_failure(transport, phase=Phase.CONNECTING)


def test_the_deadline_holds_for_a_connection_that_was_used_before() -> None:
    def script(peer: socket.socket) -> None:
        read_request(peer)
        peer.sendall(http())
        silent(peer)

    with Server(script) as server, open_transport(server.url) as transport:
        call(transport).release()
        timed_failure(transport)
        assert server.accepted == 1


def test_a_deadline_that_never_comes_and_one_far_away_are_fine() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        call(transport, b"a", within=float("inf")).release()
        call(transport, b"b", within=1e12).release()
        assert timed_out_soon_after(transport)


def timed_out_soon_after(transport: Carrier) -> bool:
    with Server(silent) as server, open_transport(server.url) as other:
        del transport
        return timed_failure(other).reason == "timeout"


def test_many_deadlines_at_once_are_all_kept() -> None:
    failures: list[TransportFailure] = []
    with Server(silent) as server, open_transport(server.url) as transport:
        threads = [threading.Thread(target=lambda: failures.append(timed_failure(transport))) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(600)
    assert len(failures) == 16


def test_calls_that_race_their_deadline_never_spoil_the_next_call() -> None:
    """The deadline strikes while answers arrive; a connection that was struck must never be handed out again.

    Each deadline follows the one before, shorter after an answer and longer after a timeout, so that calls stay at the
    edge however fast the machine is.
    """

    def script(peer: socket.socket) -> None:
        while True:
            head, body = read_request(peer)
            if not head:
                return
            time.sleep(0.004)
            peer.sendall(http(body))

    outcomes = {"answered": 0, "timeout": 0}  # any other reason is a KeyError
    within = 0.004
    with Server(script) as server, open_transport(server.url) as transport:
        for number in range(150):
            try:
                answer = call(transport, b"racing-%d" % number, within)
            except TransportFailure as failure:
                outcomes[failure.reason] += 1
                within *= 1.15
            else:
                assert answer.body == b"racing-%d" % number
                answer.release()
                outcomes["answered"] += 1
                within *= 0.85
            calm = call(transport, b"calm-%d" % number)
            assert calm.body == b"calm-%d" % number
            calm.release()
    assert outcomes["answered"] > 0
    assert outcomes["timeout"] > 0


@needs_fork
@any_fork
def test_the_deadline_holds_in_a_forked_child(fork: Fork) -> None:
    with Server(silent) as server, open_transport(server.url) as transport:
        timed_failure(transport)
        assert in_child(lambda: timed_failure(transport), fork) == 0


def test_the_tls_module_is_not_asked_for_a_context_before_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> ssl.SSLContext:
        raise AssertionError("a context was built")

    monkeypatch.setattr(ssl, "create_default_context", refused)
    open_transport("https://gateway.example").close()
    with Server(echo) as server, open_transport(server.url) as transport:
        call(transport).release()
