"""How far a failed exchange got: only what failed before the first byte of the body may be called unsent."""

import errno
import gc
import pickle
import socket
import ssl
import struct
import tracemalloc
from collections.abc import Callable

import pytest

from paywright_runtime.transport.api import Phase, TransportFailure
from paywright_runtime.transport.connection import Connection
from paywright_runtime.transport.http11 import ResponseParser
from tests.runtime.helpers.transport_kinds import only_blocking, open_transport
from tests.runtime.helpers.transport_servers import (
    BODY,
    Server,
    call,
    failure_of,
    http,
    read_request,
    repeating,
    saying,
    transport_to,
    until_closed,
)
from tests.support.ports import lasting_port
from tests.support.time_limits import TimeLimit

pytestmark = pytest.mark.usefixtures("kind")

MIB = 1024 * 1024


def failure_after(raw: bytes, *, max_answer_bytes: int = MIB) -> TransportFailure:
    with transport_to(saying(raw), max_answer_bytes=max_answer_bytes) as transport:
        return failure_of(transport)


def verdict(failure: TransportFailure) -> tuple[str, str, bool, int | None]:
    return failure.phase, failure.reason, failure.body_started, failure.status


def reset(peer: socket.socket) -> None:
    """Closes with a reset instead of an orderly end."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def refused_port() -> int:
    return lasting_port()


def test_a_refused_connection_sent_nothing() -> None:
    port = refused_port()
    with open_transport(f"http://127.0.0.1:{port}") as transport:
        failure = failure_of(transport)
    assert verdict(failure) == (Phase.CONNECTING, "connection_failed", False, None)
    assert failure.detail == f"127.0.0.1:{port}: ECONNREFUSED"
    assert "nothing of the request's body was sent" in str(failure)


@only_blocking  # an event loop keeps what its last task raised
def test_a_refused_connection_leaves_nothing_that_only_the_garbage_collector_frees() -> None:
    """Such as an error and a frame that refer to each other, with the request in a frame above."""
    gc.collect()
    gc.disable()
    earlier = [one for one in gc.get_objects() if isinstance(one, Connection)]  # of other tests
    try:
        with open_transport(f"http://127.0.0.1:{refused_port()}") as transport:
            failure_of(transport)
            assert [one for one in gc.get_objects() if isinstance(one, Connection)] == earlier
    finally:
        gc.enable()


def test_a_name_that_does_not_resolve_sent_nothing() -> None:
    with open_transport("https://no-such-host.invalid") as transport:
        failure = failure_of(transport)
    assert verdict(failure) == (Phase.CONNECTING, "connection_failed", False, None)
    assert failure.detail == "no-such-host.invalid:443: the host name was not found"


def test_a_deadline_already_past_sends_nothing() -> None:
    with transport_to(saying(http())) as transport:
        failure = failure_of(transport, within=-1.0)
    assert verdict(failure) == (Phase.CONNECTING, "timeout", False, None)


def test_a_deadline_past_before_a_warm_connection_is_used_sends_nothing() -> None:
    bodies: list[bytes] = []

    def script(peer: socket.socket) -> None:
        while True:
            head, body = read_request(peer)
            if not head:
                return
            bodies.append(body)
            peer.sendall(http())

    with transport_to(script) as transport:
        call(transport).release()
        failure = failure_of(transport, b"late", within=-1.0)
    assert verdict(failure) == (Phase.SENDING, "timeout", False, None)
    assert b"late" not in bodies


def test_a_connection_closed_without_an_answer_may_have_been_processed() -> None:
    with transport_to(lambda peer: read_request(peer) and None) as transport:
        failure = failure_of(transport)
    assert verdict(failure) == (Phase.WAITING, "connection_lost", True, None)
    assert "the request may have been processed" in str(failure)


@pytest.mark.parametrize("body", [BODY, b"z" * (16 * MIB)], ids=["whole", "in part"])
def test_a_reset_once_the_request_has_left_may_have_been_processed(body: bytes) -> None:
    def script(peer: socket.socket) -> None:
        _ = read_request(peer) if body == BODY else peer.recv(100)
        reset(peer)

    with transport_to(script) as transport:
        failure = failure_of(transport, body)
    assert verdict(failure) == (Phase.WAITING, "connection_lost", True, None)


@pytest.mark.parametrize(
    "raw",
    [b"HTTP/1.1 200 OK\r\nContent-Le", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"],
)
def test_an_answer_cut_within_its_head_is_a_lost_connection(raw: bytes) -> None:
    assert verdict(failure_after(raw)) == (Phase.READING, "connection_lost", True, None)


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nonly this",
        b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
    ],
)
def test_a_cut_body_is_a_lost_connection_and_never_an_answer(raw: bytes) -> None:
    assert verdict(failure_after(raw)) == (Phase.READING, "connection_lost", True, 200)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"garbage\r\n\r\n", None),
        (b"\x16\x03\x01\x02\x00", None),
        (b"HTTP/2 200 OK\r\n\r\n", None),
        (b"HTTP/1.1 2000 OK\r\n\r\n", None),
        (b"HTTP/1.1 \xb2\xb2\xb2 OK\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\nContent-Length: 0\n\n", None),
        (b"HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\r\nA: b\r\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\r\nA: b\0\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\r\nA b\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\r\nA : b\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\r\n: b\r\n\r\n", None),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", None),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", None),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\n{}", None),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}", None),
        (b"HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\n{}", None),
        (b"HTTP/1.1 200 OK\r\nContent-Length: \xb2\r\n\r\n{}", None),
        (b"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n{}", None),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", None),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n{}", None),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", None),
        (b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n{}", 200),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n", 200),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n 2\r\n{}\r\n0\r\n\r\n", 200),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1_0\r\n{}\r\n0\r\n\r\n", 200),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n{}\r\n0\r\n\r\n", 200),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}X\r\n0\r\n\r\n", 200),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n", 200),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 5000, 200),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n", 200),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\nC: d\r\n\r\n", 200),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 5000, None),
    ],
)
def test_whatever_leaves_something_to_guess_is_malformed(raw: bytes, status: int | None) -> None:
    assert verdict(failure_after(raw)) == (Phase.READING, "malformed_http", True, status)


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("head", "block", "status"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\n", b"z" * 65536, 200),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999999999\r\n\r\n", b"z" * 65536, 200),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"z" * 65536, 200),
        (CHUNKED, b"10000\r\n" + b"z" * 65536 + b"\r\n", 200),
        (CHUNKED + b"fffffffffffffff\r\n", b"z" * 65536, 200),
        (CHUNKED, b"1\r\nz\r\n" * 10000, 200),
        (CHUNKED + b"0\r\n", b"Trailer: value\r\n" * 1000, 200),
        (b"HTTP/1.1 200 OK\r\n", b"X-Header: value\r\n" * 1000, None),
        (b"HTTP/1.1 200 OK\r\nX-Header: ", b"z" * 65536, None),
    ],
)
def test_an_endless_answer_is_refused_in_bounded_memory(head: bytes, block: bytes, status: int | None) -> None:
    with transport_to(repeating(head, block), max_answer_bytes=64 * 1024) as transport:
        tracemalloc.start()
        try:
            failure = failure_of(transport, within=300.0)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert verdict(failure) == (Phase.READING, "too_large", True, status)
    assert peak < 4 * MIB


def test_the_limit_itself_is_no_excess() -> None:
    with transport_to(saying(http(b"z" * 1000)), max_answer_bytes=1000) as transport:
        assert len(call(transport).body) == 1000
    assert failure_after(http(b"z" * 1001), max_answer_bytes=1000).reason == "too_large"


class Interrupt(KeyboardInterrupt):
    """Stands for the user's Ctrl-C."""


def raising(error: BaseException) -> Callable[..., bytes]:
    def failing(*_: object) -> bytes:
        raise error

    return failing


@pytest.mark.parametrize(
    ("error", "reason", "detail"),
    [
        (OSError(errno.EIO, "body"), "connection_lost", "EIO"),
        (ConnectionResetError("body"), "connection_lost", "ConnectionResetError"),
        (TimeoutError("body"), "timeout", ""),
        (ssl.SSLError("body"), "tls_failed", "SSLError"),
        (ssl.SSLCertVerificationError("body"), "tls_failed", "certificate"),
        (MemoryError(), "too_large", "out of memory"),
    ],
)
def test_a_system_error_stays_out(monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str, detail: str) -> None:
    monkeypatch.setattr(ResponseParser, "answer", raising(error))
    with transport_to(saying(http())) as transport:
        failure = failure_of(transport)
    assert (failure.reason, failure.detail, failure.body_started) == (reason, detail, True)
    assert failure.__cause__ is None
    assert failure.__context__ is None
    assert "body'" not in str(failure) + repr(failure)


@pytest.mark.parametrize("error", [Interrupt(), TimeLimit(), RuntimeError("a defect"), ValueError(), EOFError()])
def test_whatever_else_is_raised_closes_the_connection(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    with Server(saying(http(), then_hold=True)) as server, open_transport(server.url) as transport:
        with monkeypatch.context() as patch:
            patch.setattr(ResponseParser, "answer", raising(error))
            with pytest.raises(type(error)) as caught:
                call(transport)
        assert caught.value is error
        assert server.wait_until_ended(1)
        call(transport).discard()
        assert server.accepted == 2


def test_a_failure_that_is_pickled_says_the_same() -> None:
    failure = failure_after(b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nonly this")
    copy = pickle.loads(pickle.dumps(failure))
    assert (verdict(copy), str(copy)) == (verdict(failure), str(failure))
    assert "only this" not in repr(failure)


def test_no_frame_of_a_failure_holds_the_answer_or_the_head() -> None:
    failure = failure_after(b"HTTP/1.1 200 OK\r\nsign: SECRET\r\nContent-Length: 20\r\n\r\nSECRET")
    frame = failure.__traceback__
    while frame is not None:
        assert not any(
            "SECRET" in repr(value) for value in frame.tb_frame.f_locals.values() if value is not failure_after
        )
        frame = frame.tb_next


def test_an_interrupted_tls_handshake_ends_for_the_peer_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise Interrupt

    monkeypatch.setattr(ssl.SSLObject, "do_handshake", interrupted)
    with Server(until_closed) as server, open_transport(server.url.replace("http:", "https:")) as transport:
        with pytest.raises(Interrupt) as held:
            call(transport)
        assert server.wait_until_ended(1)
        assert held.tb is not None
