"""TLS over memory: what is left in it, and what a peer may choose."""

from __future__ import annotations

import ssl
from typing import Any

import pytest

from paywright_runtime.transport.connection import Connection, Ready, Waits
from paywright_runtime.transport.endpoint import read_base_url
from paywright_runtime.transport.http11 import ProtocolError
from paywright_runtime.transport.pool import authorities
from tests.runtime.helpers.transport_servers import Authority


class Peer:
    """The other side of a TLS connection, and the socket to it: what is sent, it handles at once."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._ready = False

    def send(self, data: memoryview) -> int:
        self._incoming.write(data)
        if not self._ready:
            try:
                self.tls.do_handshake()
                self._ready = True
            except ssl.SSLWantReadError:
                pass
        return len(data)

    def recv(self, most: int) -> bytes:
        return self._outgoing.read(most)

    def close(self) -> None:
        pass


def carried_out(waits: Waits[Any]) -> Any:
    try:
        wanted = next(waits)
        while True:
            assert isinstance(wanted, Ready)
            wanted = waits.send(True)
    except StopIteration as done:
        return done.value


def connected(peer: Peer, context: ssl.SSLContext) -> Connection:
    connection = Connection(read_base_url("https://localhost"), context=context)
    connection._sock = peer  # type: ignore[assignment]  # it has what is called
    connection._input = Ready(peer)  # type: ignore[arg-type]  # as above
    carried_out(connection._shake_hands(context))
    return connection


def received(connection: Connection) -> bytes:
    data = carried_out(connection._received())
    assert type(data) is bytes
    return data


def test_a_record_that_came_with_another_is_not_forgotten(authority: Authority) -> None:
    """The socket has nothing more to give then: only the connection knows that something came unasked."""
    peer = Peer(authority.server_context())
    connection = connected(peer, authorities(authority.file))
    peer.tls.write(b"asked")
    peer.tls.write(b"unasked")
    assert received(connection) == b"asked"
    assert connection._is_unread()
    assert received(connection) == b"unasked"
    assert not connection._is_unread()


def test_a_record_larger_than_what_is_read_at_once_is_not_forgotten(authority: Authority) -> None:
    peer = Peer(authority.server_context())
    connection = connected(peer, authorities(authority.file))
    peer.tls.write(b"z" * 16_000)
    assert received(connection) == b"z" * 16_000
    assert not connection._is_unread()


def test_a_peer_that_goes_without_a_goodbye_is_at_its_end(authority: Authority) -> None:
    peer = Peer(authority.server_context())
    assert received(connected(peer, authorities(authority.file))) == b""


def test_a_peer_that_goes_with_a_goodbye_is_at_its_end(authority: Authority) -> None:
    peer = Peer(authority.server_context())
    connection = connected(peer, authorities(authority.file))
    peer.tls.write(b"last")
    with pytest.raises(ssl.SSLWantReadError):
        peer.tls.unwrap()
    assert [received(connection), received(connection)] == [b"last", b""]


def test_a_peer_that_chooses_another_protocol_is_refused(authority: Authority) -> None:
    ours, theirs = authorities(authority.file), authority.server_context()
    ours.set_alpn_protocols(["http/1.1", "h2"])
    theirs.set_alpn_protocols(["h2"])
    with pytest.raises(ProtocolError) as caught:
        connected(Peer(theirs), ours)
    assert caught.value.reason == "tls_failed"


def test_a_peer_with_a_certificate_for_another_name_is_refused(authority: Authority) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        connected(Peer(authority.server_context("other.example")), authorities(authority.file))
