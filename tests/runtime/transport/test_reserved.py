"""Which connection carries which question: one whose answers repeated nothing is reserved for the question that it answered."""

import threading
import time
from pathlib import Path

import pytest

from paywright_runtime.transport.api import RawAnswer, SignedRequest
from tests.runtime.helpers.transport_kinds import Carrier, only_blocking, open_transport, until_stale
from tests.runtime.helpers.transport_servers import HEADERS, Authority, Server, Tunnel, call, echo, pushing, soon
from tests.support.forks import Fork, any_fork, in_child, needs_fork

pytestmark = pytest.mark.usefixtures("kind")


def ask(transport: Carrier, question: int | None, body: bytes = b"{}", *, fresh: bool = False) -> RawAnswer:
    return transport.send(SignedRequest("/pay", HEADERS, body, question, fresh), soon())


def test_a_reserved_connection_carries_its_question_and_no_other() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        for question, accepted in ((1, 1), (1, 1), (2, 2), (1, 2), (2, 2), (3, 3)):
            ask(transport, question).reserve()
            assert server.accepted == accepted
        call(transport).release()  # nobody said what it asks
        assert server.accepted == 4


def test_a_question_prefers_its_own_then_a_free_connection() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        free, reserved = ask(transport, 1, b"a"), ask(transport, 2, b"b")
        free.release()
        reserved.reserve()
        ask(transport, 2, b"c").reserve()
        ask(transport, 3, b"d").release()
        assert server.accepted == 2
        ask(transport, 4, b"e").reserve()  # the free one
        ask(transport, 5, b"f").release()
        assert server.accepted == 3


def test_a_reserved_connection_stays_so_whatever_comes_on_it() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        ask(transport, 1, b"a").reserve()
        ask(transport, 1, b"b").release()
        ask(transport, 2, b"c").release()
        assert server.accepted == 2


def test_an_answer_that_comes_again_reserves_its_connection() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        for _ in range(3):
            answer = ask(transport, 1, b"a")
            assert not answer.surplus
            answer.release()
        ask(transport, 2, b"b").release()
        assert server.accepted == 2


def test_an_answer_that_came_before_to_another_question_is_surplus() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        for number, surplus in ((1, False), (2, True), (1, False)):
            answer = ask(transport, number, b"a")
            assert answer.surplus is surplus
            answer.discard() if surplus else answer.release()
        assert server.accepted == 2  # what came before on another connection says nothing


def test_a_fresh_request_takes_no_connection_that_carried_another() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        ask(transport, 1, b"a").release()
        for accepted in (2, 3):
            ask(transport, 1, b"b", fresh=True).reserve()
            assert server.accepted == accepted
        assert server.wait_until_ended(1)  # of one question, one connection is kept
        ask(transport, 1, b"c").reserve()
        ask(transport, 2, b"d").reserve()
        assert server.accepted == 3


def test_nothing_is_reserved_for_what_nobody_says() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        call(transport).reserve()
        assert server.wait_until_ended(1)


def test_reserved_connections_give_way_the_longest_idle_first() -> None:
    with Server(echo) as server, open_transport(server.url, pool_size=2) as transport:
        for number in range(3):
            ask(transport, number, b"%d" % number).reserve()
        assert server.wait_until_ended(1)  # that of 0
        ask(transport, 3, b"3").release()
        assert server.wait_until_ended(2)  # that of 1
        ask(transport, 2, b"a").reserve()
        ask(transport, 5, b"b").release()
        assert server.accepted == 4
        assert server.ended == 2


def test_an_old_reserved_connection_closes_with_the_next() -> None:
    with Server(echo) as server, open_transport(server.url, idle_seconds=0.05) as transport:
        ask(transport, 1).reserve()
        time.sleep(0.1)
        ask(transport, 2).reserve()
        assert server.wait_until_ended(1)
        time.sleep(0.1)
        ask(transport, 2).reserve()
        assert server.accepted == 3


@pytest.mark.parametrize("question", [None, 1], ids=["for any", "reserved"])
def test_a_connection_on_which_something_came_unasked_is_replaced(question: int | None) -> None:
    pushed = threading.Event()
    with Server(pushing(pushed)) as server, open_transport(server.url) as transport:
        answer = ask(transport, question)
        answer.release() if question is None else answer.reserve()
        pushed.set()
        until_stale(transport)
        assert ask(transport, question).body == b'"asked"'
        assert server.accepted == 2


def test_close_ends_reserved_connections_too() -> None:
    with Server(echo) as server:
        transport = open_transport(server.url)
        idle, busy = ask(transport, 1), ask(transport, 2)
        idle.reserve()
        transport.close()
        assert server.wait_until_ended(1)
        busy.reserve()
        assert server.wait_until_ended(2)


@needs_fork
@any_fork
def test_a_forked_child_does_not_use_what_its_parent_reserved(fork: Fork) -> None:
    def in_the_child() -> None:
        assert ask(transport, 1, b"child").body == b"child"

    with Server(echo) as server, open_transport(server.url) as transport:
        ask(transport, 1).reserve()
        assert in_child(in_the_child, fork) == 0
        assert server.accepted == 2
        assert ask(transport, 1, b"parent").body == b"parent"
        assert server.accepted == 2


def test_a_connection_is_closed_before_it_knows_too_many_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paywright_runtime.transport.connection._MOST_ANSWERS", 3)
    with Server(echo) as server, open_transport(server.url) as transport:
        for body in (b"a", b"b", b"c", b"d"):
            ask(transport, hash(body), body).release()
        assert server.accepted == 2


@pytest.mark.parametrize("through_a_proxy", [False, True])
def test_tls_connections_are_reserved_like_any_other(tmp_path: Path, through_a_proxy: bool) -> None:
    authority = Authority(tmp_path)
    with Server(echo, authority.server_context()) as gateway, Server(Tunnel()) as proxy:
        through = proxy.url if through_a_proxy else None
        with open_transport(gateway.url, ca_file=authority.file, proxy=through) as transport:
            for question, accepted in ((1, 1), (1, 1), (2, 2), (1, 2)):
                ask(transport, question).reserve()
                assert gateway.accepted == accepted


class Failing:
    """A lease of somebody's own transport."""

    def release(self) -> None:
        raise OSError("gone")

    reserve = discard = release


@only_blocking
def test_a_lease_that_fails_changes_no_outcome() -> None:
    for end in (RawAnswer.release, RawAnswer.reserve, RawAnswer.discard):
        end(RawAnswer(200, (), b"{}", Failing()))
