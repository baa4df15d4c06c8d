"""TLS over memory: what is left in it, and what a peer may choose."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from paywright_runtime.transport.aio import TlsStream
from paywright_runtime.transport.http11 import ProtocolError
from tests.runtime.helpers.transport_servers import Authority

pytestmark = pytest.mark.anyio


class Peer:
    """The other side of a TLS connection, in this task: what is sent to it, it handles at once."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._ready = False

    async def send(self, data: memoryview) -> None:
        self._incoming.write(data)
        if not self._ready:
            try:
                self.tls.do_handshake()
            except ssl.SSLWantReadError:
                return
            self._ready = True

    async def receive(self) -> bytes:
        return self._outgoing.read()

    def unread(self) -> bool:
        return False


def trusting(file: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=file)


async def test_a_record_that_came_with_another_is_not_forgotten(authority: Authority) -> None:
    """The socket has nothing more to give then: only the stream knows that something came unasked."""
    peer = Peer(authority.server_context())
    stream = await TlsStream.over(peer, trusting(authority.file), "localhost")
    peer.tls.write(b"asked")
    peer.tls.write(b"unasked")
    assert await stream.receive() == b"asked"
    assert stream.unread()
    assert await stream.receive() == b"unasked"
    assert not stream.unread()


async def test_a_record_larger_than_what_is_read_at_once_is_not_forgotten(authority: Authority) -> None:
    peer = Peer(authority.server_context())
    stream = await TlsStream.over(peer, trusting(authority.file), "localhost")
    peer.tls.write(b"z" * 16_000)
    assert await stream.receive() == b"z" * 16_000
    assert not stream.unread()


async def test_a_peer_that_goes_without_a_goodbye_is_at_its_end(authority: Authority) -> None:
    peer = Peer(authority.server_context())
    stream = await TlsStream.over(peer, trusting(authority.file), "localhost")
    assert await stream.receive() == b""


async def test_a_peer_that_goes_with_a_goodbye_is_at_its_end(authority: Authority) -> None:
    peer = Peer(authority.server_context())
    stream = await TlsStream.over(peer, trusting(authority.file), "localhost")
    peer.tls.write(b"last")
    with pytest.raises(ssl.SSLWantReadError):
        peer.tls.unwrap()
    assert [await stream.receive(), await stream.receive()] == [b"last", b""]


async def test_a_peer_that_chooses_another_protocol_is_refused(authority: Authority) -> None:
    ours, theirs = trusting(authority.file), authority.server_context()
    ours.set_alpn_protocols(["http/1.1", "h2"])
    theirs.set_alpn_protocols(["h2"])
    with pytest.raises(ProtocolError) as caught:
        await TlsStream.over(Peer(theirs), ours, "localhost")
    assert caught.value.reason == "tls_failed"


async def test_a_peer_with_a_certificate_for_another_name_is_refused(authority: Authority) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        await TlsStream.over(Peer(authority.server_context("other.example")), trusting(authority.file), "localhost")
