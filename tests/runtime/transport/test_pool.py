"""Which connections are used again: those whose last answer was verified, in the process that opened them."""

import gc
import os
import socket
import ssl
import sys
import threading
import time
import warnings
from types import FrameType
from typing import Any

import pytest

from paywright_runtime.errors import ConfigurationError
from paywright_runtime.transport.api import Phase, TransportFailure
from paywright_runtime.transport.blocking import HttpTransport
from paywright_runtime.transport.connection import Connection
from tests.runtime.helpers.transport_kinds import Carrier, only_blocking, open_transport, until_stale
from tests.runtime.helpers.transport_servers import (
    Script,
    Server,
    call,
    echo,
    failure_of,
    http,
    read_request,
    request,
    saying,
    soon,
)
from tests.support.forks import Fork, any_fork, in_child, needs_fork

pytestmark = pytest.mark.usefixtures("kind")

NOBODY = "https://127.0.0.1:9"


def exit_code_of_child(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_kept_connection_carries_the_next_request() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        for number in range(20):
            answer = call(transport, b"%d" % number)
            assert answer.body == b"%d" % number
            answer.release()
        assert server.accepted == 1


def test_a_dropped_connection_is_closed_at_once() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        call(transport).discard()
        assert server.wait_until_ended(1)
        call(transport).release()
        assert server.accepted == 2


def test_a_forgotten_answer_closes_its_connection_without_a_warning() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            call(transport)
            gc.collect()
            assert server.wait_until_ended(1)
        assert not [warning for warning in warned if warning.category is ResourceWarning]


def test_a_forgotten_transport_closes_its_connections_without_a_warning() -> None:
    with Server(echo) as server:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            call(open_transport(server.url)).release()
            transport: Carrier | None = open_transport(server.url)
            assert transport is not None
            call(transport).release()
            transport = None
            gc.collect()
            assert server.wait_until_ended(2)
        assert not [warning for warning in warned if warning.category is ResourceWarning]


def test_an_answer_that_outlives_its_transport_can_still_be_kept() -> None:
    with Server(echo) as server:
        answer = call(open_transport(server.url))
        gc.collect()
        answer.release()
        assert server.wait_until_ended(1)


def test_keeping_or_dropping_twice_does_nothing_more() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        first = call(transport)
        first.release()
        first.release()
        first.discard()
        second, third = call(transport, b"2"), call(transport, b"3")
        assert (second.body, third.body) == (b"2", b"3")
        assert server.accepted == 2


@pytest.mark.parametrize(
    "raw",
    [
        http(b"{}") + b"H",
        http(b"{}") + http(b'{"forged":1}'),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\nHTTP/1.1",
        b"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}",
        http(b"{}", "200 OK", "Connection: close"),
        http(b"{}", "200 OK", "connection: keep-alive, Close"),
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}",
    ],
    ids=[
        "rest", "second answer", "rest after chunks", "204 with a body", "close", "close in a list", "1.0", "1.0 alive",
    ],
)  # fmt: skip
def test_keep_closes_what_cannot_be_used_again(raw: bytes) -> None:
    with Server(saying(raw, then_hold=True)) as server, open_transport(server.url) as transport:
        call(transport).release()
        assert server.wait_until_ended(1)
        call(transport).discard()
        assert server.accepted == 2


def resets(peer: socket.socket) -> None:
    saying(http())(peer)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


@pytest.mark.parametrize("script", [saying(http()), resets], ids=["closed", "reset"])
def test_a_connection_closed_while_idle_is_replaced_unsent(script: Script) -> None:
    """A server that hangs up after each answer, without saying so, never makes an outcome unknown."""
    with Server(script) as server, open_transport(server.url) as transport:
        for number in range(1, 11):
            call(transport).release()
            assert server.wait_until_ended(number)
            until_stale(transport)
        assert server.accepted == 10


def test_a_server_that_goes_away_while_idle_leaves_a_failure_that_sent_nothing() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        call(transport).release()
        server.__exit__()
        assert server.wait_until_ended(1)
        failure = failure_of(transport)
    assert failure.reason == "connection_failed"
    assert not failure.body_started


def test_a_connection_idle_for_too_long_is_replaced() -> None:
    with Server(echo) as server, open_transport(server.url, idle_seconds=0.05) as transport:
        call(transport).release()
        time.sleep(0.1)
        call(transport).release()
        assert server.accepted == 2


def test_what_waits_longer_than_its_deadline_has_sent_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paywright_runtime.transport.pool.LOOK_AGAIN", 60.0)
    with Server(echo) as server, open_transport(server.url, pool_size=2) as transport:
        answers = [call(transport, b"%d" % number) for number in range(2)]
        started = time.monotonic()
        failure = failure_of(transport, within=0.05)
        assert time.monotonic() - started < 60.0
        assert (failure.phase, failure.reason) == (Phase.CONNECTING, "timeout")
        assert failure.detail.endswith(": 2 other requests are under way, as many as pool_size allows")
        assert server.accepted == 2
        for answer in answers:
            answer.release()
        call(transport).release()
        assert server.accepted == 2


@only_blocking
def test_calls_of_more_threads_than_the_pool_holds_wait_in_turn() -> None:
    foreign: list[int] = []
    with Server(echo) as server, open_transport(server.url, pool_size=3) as transport:
        threads = [
            threading.Thread(target=lambda mark=mark: foreign.append(foreign_answers(transport, mark, 6)))
            for mark in (b"thread-%d" % number for number in range(12))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(600)
        assert server.accepted <= 3 + 12  # each thread drops one
    assert foreign == [0] * 12


@only_blocking
def test_a_signal_that_interrupts_a_call_in_its_turn_keeps_no_other_waiting() -> None:
    """Whatever line of waiting it comes at, and though somebody keeps the error with its frames."""

    class Interruption(BaseException):
        pass

    def interrupt(number: int) -> BaseException | None:
        lines = 0

        def trace(frame: FrameType, event: str, _: object) -> Any:
            nonlocal lines
            if frame.f_code.co_filename.endswith(("blocking.py", "pool.py")):
                lines += event == "line"
                if lines == number:
                    sys.settrace(None)
                    raise Interruption
                return trace
            return trace if "paywright_runtime" in frame.f_code.co_filename else None

        sys.settrace(trace)
        try:
            transport.send(request(), soon(0.1)).discard()
        except (Interruption, TransportFailure) as error:
            return error
        finally:
            sys.settrace(None)
        return None

    with Server(echo) as server, open_transport(server.url, pool_size=1) as transport:
        kept: list[BaseException | None] = []
        while not kept or isinstance(kept[-1], Interruption):
            busy = call(transport)
            kept.append(interrupt(len(kept) + 1))
            busy.discard()
            call(transport, within=30).discard()
        assert isinstance(kept[-1], TransportFailure)
        assert len(kept) > 10


@only_blocking
def test_a_connection_that_another_thread_takes_as_soon_as_it_is_kept_is_in_use() -> None:
    taken = []

    class Idle(list[Connection]):
        def append(self, connection: Connection) -> None:
            super().append(connection)
            taken.append(transport._connection_for(request()))

    with Server(echo) as server, HttpTransport(server.url, pool_size=2) as transport:
        transport._idle = Idle()
        call(transport).release()
        assert list(transport._in_use) == taken


@only_blocking
def test_a_handler_of_a_signal_may_call_while_the_authorities_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    made, failures = ssl.create_default_context, list[TransportFailure]()
    with open_transport(NOBODY) as transport:

        def interrupted() -> ssl.SSLContext:
            if not failures:
                monkeypatch.setattr(ssl, "create_default_context", made)
                failures.append(failure_of(transport))
            return made()

        monkeypatch.setattr(ssl, "create_default_context", lambda **_: interrupted())
        thread = threading.Thread(target=lambda: failures.append(failure_of(transport)), daemon=True)
        thread.start()
        thread.join(60)
    assert [failure.phase for failure in failures] == [Phase.CONNECTING] * 2


@pytest.mark.parametrize("end", ["release", "reserve", "discard", "forget"])
def test_an_answer_that_is_kept_or_not_gives_its_place_free(end: str) -> None:
    with Server(echo) as server, open_transport(server.url, pool_size=1) as transport:
        for _ in range(3):
            answer = call(transport)
            if end != "forget":
                getattr(answer, end)()
            del answer
            gc.collect()


def test_connections_that_nothing_has_used_for_long_are_closed_by_the_next() -> None:
    with Server(echo) as server, open_transport(server.url, idle_seconds=0.3) as transport:
        for answer in [call(transport) for _ in range(3)]:
            answer.release()
        while not server.wait_until_ended(2, 0.1):  # the latest is always used again, so that its deadline never comes
            call(transport).release()


def test_a_failed_exchange_closes_its_connection_and_harms_no_other() -> None:
    def script(peer: socket.socket) -> None:
        while True:
            head, body = read_request(peer)
            if not head:
                return
            peer.sendall(http(body) if body != b"bad" else b"garbage\r\n\r\n")

    with Server(script) as server, open_transport(server.url) as transport:
        call(transport).release()
        failure_of(transport, b"bad")
        assert server.wait_until_ended(1)
        assert call(transport, b"good").body == b"good"


def test_close_ends_idle_connections_at_once_and_busy_ones_when_their_answer_is_kept() -> None:
    with Server(echo) as server:
        transport = open_transport(server.url)
        idle, busy = call(transport), call(transport)
        idle.release()
        transport.close()
        assert server.wait_until_ended(1)
        assert server.ended == 1
        busy.release()
        assert server.wait_until_ended(2)
        transport.close()


def test_a_closed_transport_says_that_it_is_closed_and_sent_nothing() -> None:
    with Server(echo) as server:
        with open_transport(server.url) as transport:
            pass
        with pytest.raises(ConfigurationError, match=r"Nothing was sent: this transport is closed\. Make a new one\."):
            call(transport)
        assert server.accepted == 0


def foreign_answers(transport: Carrier, mark: bytes, calls: int) -> int:
    """How many of these calls were answered with what another asked; every seventh answer is dropped."""
    foreign = 0
    for number in range(calls):
        body = b"%s-%d" % (mark, number)
        answer = call(transport, body)
        foreign += answer.body != body
        answer.discard() if number % 7 == 0 else answer.release()
    return foreign


def test_closing_while_threads_send_ends_them_cleanly_and_leaves_nothing_open() -> None:
    surprises: list[BaseException] = []

    def work(transport: Carrier) -> None:
        try:
            while True:
                call(transport).release()
        except ConfigurationError:
            pass
        except BaseException as surprise:  # the test is that there is none
            surprises.append(surprise)

    with Server(echo) as server:
        transport = open_transport(server.url)
        threads = [threading.Thread(target=work, args=(transport,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
        transport.close()
        for thread in threads:
            thread.join(600)
        assert surprises == []
        assert server.wait_until_ended(server.accepted)


@pytest.mark.slow
@needs_fork
@any_fork
def test_a_forked_child_never_uses_its_parents_connections(fork: Fork) -> None:
    """Parent and four children share what was a warm pool, and call at once: nobody gets another's answer."""
    with Server(echo) as server, open_transport(server.url) as transport:
        warm = [call(transport) for _ in range(8)]
        for answer in warm:
            answer.release()
        children = []
        for number in range(4):
            child = fork()
            if child == 0:
                foreign = 1
                try:
                    foreign = foreign_answers(transport, b"child-%d" % number, 200)
                finally:
                    os._exit(1 if foreign else 0)
            children.append(child)
        assert foreign_answers(transport, b"parent", 400) == 0
        assert [exit_code_of_child(child) for child in children] == [0, 0, 0, 0]


@needs_fork
@any_fork
def test_the_parents_connections_outlive_a_child_that_closes_everything(fork: Fork) -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        call(transport).release()
        assert in_child(transport.close, fork) == 0
        assert call(transport, b"after").body == b"after"
        assert server.accepted == 1


@needs_fork
@any_fork
@pytest.mark.parametrize("calls", [0, 1])
def test_an_answer_open_while_forking_is_the_parents(fork: Fork, calls: int) -> None:
    def in_the_child() -> None:
        for _ in range(calls):
            assert call(transport, b"child").body == b"child"
        answer.release()
        assert call(transport, b"child").body == b"child"

    with Server(echo) as server, open_transport(server.url) as transport:
        answer = call(transport)
        assert in_child(in_the_child, fork) == 0
        assert server.accepted == 2 + calls
        answer.release()
        assert call(transport, b"parent").body == b"parent"
        assert server.accepted == 2 + calls


@needs_fork
@any_fork
def test_a_child_makes_the_tls_context_of_its_parent(fork: Fork, monkeypatch: pytest.MonkeyPatch) -> None:
    parent, made = os.getpid(), ssl.create_default_context
    making, goes_on = threading.Event(), threading.Event()

    def slowly(**given: str | None) -> ssl.SSLContext:
        if os.getpid() == parent:
            making.set()
            goes_on.wait(600)
        return made(**given)

    monkeypatch.setattr(ssl, "create_default_context", slowly)
    transport = open_transport(NOBODY)
    thread = threading.Thread(target=failure_of, args=(transport,))
    thread.start()
    assert making.wait(600)
    code = in_child(lambda: failure_of(transport), fork)
    goes_on.set()
    thread.join(600)
    assert code == 0


@pytest.mark.slow
@needs_fork
def test_a_child_forked_while_other_threads_send_is_not_blocked_by_their_locks() -> None:
    stop = threading.Event()

    def work(transport: Carrier) -> None:
        while not stop.is_set():
            call(transport).release()

    with Server(echo) as server, open_transport(server.url) as transport:
        threads = [threading.Thread(target=work, args=(transport,)) for _ in range(4)]
        for thread in threads:
            thread.start()

        def in_the_child() -> None:
            assert not foreign_answers(transport, b"child", 10)

        codes = [in_child(in_the_child) for _ in range(10)]
        stop.set()
        for thread in threads:
            thread.join(600)
    assert codes == [0] * 10
