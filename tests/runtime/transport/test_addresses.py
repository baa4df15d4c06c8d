"""A name with several addresses: each gets its share of the time, so that one that swallows packets hides no other [4]."""

import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from paywright_runtime.transport.api import Phase, TransportFailure
from paywright_runtime.transport.endpoint import Address, shares
from tests.runtime.helpers.transport_kinds import Carrier, only_blocking, open_transport
from tests.runtime.helpers.transport_servers import BODY, Server, call, echo, failure_of, soon

pytestmark = pytest.mark.usefixtures("kind")


@contextmanager
def swallowing(address: str, port: int = 0) -> Iterator[int]:
    """An address that answers no handshake: its backlog is full, so that the system drops what comes. Gives the port."""
    with socket.socket() as listener:
        listener.bind((address, port))
        listener.listen(0)
        port = listener.getsockname()[1]
        fill = [socket.socket() for _ in range(8)]
        for filler in fill:
            filler.setblocking(False)
            filler.connect_ex((address, port))
        with closing(socket.socket()) as probe:
            probe.settimeout(0.2)
            with pytest.raises(TimeoutError):
                probe.connect((address, port))
        try:
            yield port
        finally:
            for filler in fill:
                filler.close()


def answered(transport: Carrier, body: bytes = BODY) -> bytes:
    """The answer by way of a second address, when the first swallows packets.

    Half of the time goes to the first. On a busy machine the other half may be too short; then there is more of it.
    """
    for within in (4.0, 40.0, 4000.0):
        started = time.monotonic()
        try:
            answer = call(transport, body, within)
        except TransportFailure as failure:
            if failure.reason != "timeout":
                raise
        else:
            assert time.monotonic() - started >= within / 2
            answer.release()
            return answer.body
    raise AssertionError("no answer")


def resolving_to(monkeypatch: pytest.MonkeyPatch, *addresses: tuple[str, int]) -> None:
    """Let the system's resolver give these for `localhost`."""
    real = socket.getaddrinfo

    def several(host: Any, *rest: Any, **named: Any) -> Any:
        if host not in ("localhost", b"localhost"):
            return real(host, *rest, **named)
        if (rest[4:] and rest[4] & socket.AI_NUMERICHOST) or named.get("flags", 0) & socket.AI_NUMERICHOST:
            raise socket.gaierror(socket.EAI_NONAME, "not an address")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", several)


def test_an_address_that_swallows_packets_leaves_time_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(echo) as server, swallowing("127.0.0.2", server.port):
        resolving_to(monkeypatch, ("127.0.0.2", server.port), ("127.0.0.1", server.port))
        with open_transport(f"http://localhost:{server.port}") as transport:
            assert answered(transport, b"ORD_1") == b"ORD_1"
            before = server.accepted
            assert call(transport, b"ORD_2").body == b"ORD_2"  # and the connection is kept as ever
        assert server.accepted == before


def test_addresses_that_refuse_take_nothing_from_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(echo) as server:
        nobody = [(f"127.0.0.{last}", server.port) for last in range(2, 9)]
        resolving_to(monkeypatch, *nobody, ("127.0.0.1", server.port), *nobody)
        with open_transport(f"http://localhost:{server.port}") as transport:
            assert call(transport).status == 200


def test_an_address_of_a_family_that_the_system_lacks_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one of IPv6 does on a machine without it."""
    with Server(echo) as server, open_transport(server.url) as transport:
        found = [(family, socket.SOCK_STREAM, 6, "", ("127.0.0.1", server.port)) for family in (99, socket.AF_INET)]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        assert call(transport).status == 200
        del found[1]
        failure = failure_of(transport)
    assert (failure.phase, failure.reason, failure.body_started) == (Phase.CONNECTING, "connection_failed", False)
    assert failure.detail.endswith(": EAFNOSUPPORT")


def test_two_swallowing_addresses_end_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    with swallowing("127.0.0.2") as port, swallowing("127.0.0.3", port):
        resolving_to(monkeypatch, ("127.0.0.2", port), ("127.0.0.3", port))
        with open_transport(f"http://localhost:{port}") as transport:
            started = time.monotonic()
            failure = failure_of(transport, within=0.6)
            assert time.monotonic() - started >= 0.6
    assert (failure.phase, failure.reason, failure.body_started) == (Phase.CONNECTING, "timeout", False)


def test_the_last_refusal_is_the_reason_when_every_address_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    with swallowing("127.0.0.2") as port:
        resolving_to(monkeypatch, ("127.0.0.2", port), ("127.0.0.3", port))
        with open_transport(f"http://localhost:{port}") as transport:
            failure = failure_of(transport, within=0.6)
            if failure.reason == "timeout":  # a busy machine did not come to the second address
                failure = failure_of(transport, within=600.0)
    assert (failure.reason, failure.body_started) == ("connection_failed", False)
    assert failure.detail.endswith(": ECONNREFUSED")


def test_only_addresses_of_this_machine_share_the_time_of_plain_http(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(echo) as server, swallowing("127.0.0.2", server.port):
        foreign = [(f"192.0.2.{last}", server.port) for last in range(1, 100)]
        resolving_to(monkeypatch, *foreign, ("127.0.0.2", server.port), ("127.0.0.1", server.port))
        with open_transport(f"http://localhost:{server.port}") as transport:
            assert answered(transport) == BODY


@pytest.mark.parametrize(("scheme", "connections"), [("http", 0), ("https", 1)])
def test_plain_http_stays_on_this_machine(monkeypatch: pytest.MonkeyPatch, scheme: str, connections: int) -> None:
    """`0.0.0.0` is an address that is not of this machine by its number, and where this machine answers."""
    with Server(socket.socket.close) as server:
        resolving_to(monkeypatch, ("0.0.0.0", server.port))
        with open_transport(f"{scheme}://localhost:{server.port}") as transport:
            failure = failure_of(transport)
        assert (server.accepted, failure.phase, failure.body_started) == (connections, Phase.CONNECTING, False)


def address(number: int) -> Address:
    return (socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"192.0.2.{number}", 443))


@only_blocking
def test_each_address_gets_an_equal_share_of_what_is_then_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("paywright_runtime.transport.endpoint.time.monotonic", lambda: now[0])
    given = []
    for found, seconds in shares([address(1), address(2), address(1), address(3)], 1030.0, loopback_only=False):
        given.append((found[4][0], seconds))
        now[0] += 1.0 if found == address(2) else seconds  # the second refuses after a second
    # Named twice is tried once; what the second did not use goes to the third.
    assert given == [("192.0.2.1", 10.0), ("192.0.2.2", 10.0), ("192.0.2.3", 19.0)]


@only_blocking
def test_no_address_is_tried_after_the_deadline() -> None:
    with pytest.raises(TimeoutError):
        next(shares([address(1)], time.monotonic(), loopback_only=False))
    (_, seconds), *_ = shares([address(1)], float("inf"), loopback_only=False)
    assert 0 < seconds < float("inf")


@only_blocking
def test_without_an_address_there_is_nothing_to_try() -> None:
    for found in ([], [address(1)]):
        with pytest.raises(OSError, match="no address of this machine"):
            next(shares(found, soon(), loopback_only=True))
