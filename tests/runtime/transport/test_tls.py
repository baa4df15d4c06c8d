"""TLS is always verified, and proxies carry it without seeing into it."""

import gc
import socket
import ssl
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from paywright_runtime.client.retrying import may_retry
from paywright_runtime.errors import ConfigurationError
from paywright_runtime.transport.api import Phase, TransportFailure
from tests.runtime.helpers.transport_kinds import open_transport
from tests.runtime.helpers.transport_servers import (
    Authority,
    Server,
    Tunnel,
    call,
    echo,
    failure_of,
    http,
    read_request,
    saying,
    until_closed,
)
from tests.support.ports import lasting_port

pytestmark = pytest.mark.usefixtures("kind")

BASIC = "Basic dXNlcjpwQHNz"  # user:p@ss


@pytest.fixture
def gateway(authority: Authority) -> Iterator[Server]:
    with Server(echo, authority.server_context()) as server:
        yield server


def is_tls_failure_before_sending(failure: TransportFailure) -> bool:
    return (failure.phase, failure.reason, failure.body_started) == (Phase.CONNECTING, "tls_failed", False)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_certificate_of_the_given_authority_is_accepted(authority: Authority, gateway: Server, host: str) -> None:
    with open_transport(f"https://{host}:{gateway.port}", ca_file=authority.file) as transport:
        for number in range(5):
            answer = call(transport, b"%d" % number)
            assert answer.body == b"%d" % number
            answer.release()
    assert gateway.accepted == 1


def test_a_certificate_of_an_unknown_authority_is_refused(gateway: Server) -> None:
    with open_transport(gateway.url) as transport:
        failure = failure_of(transport)
    assert is_tls_failure_before_sending(failure)
    assert "certificate" in failure.detail


def test_a_certificate_for_another_name_is_refused(authority: Authority) -> None:
    with (
        Server(echo, authority.server_context("other.example")) as server,
        open_transport(server.url, ca_file=authority.file) as transport,
    ):
        failure = failure_of(transport)
    assert is_tls_failure_before_sending(failure)
    assert "127.0.0.1" in failure.detail


@pytest.mark.parametrize(
    ("name", "known", "alert"),
    [("127.0.0.1", False, "TLSV1_ALERT_UNKNOWN_CA"), ("other.example", True, "SSLV3_ALERT_BAD_CERTIFICATE")],
)
def test_a_peer_is_told_why_its_certificate_is_refused(
    authority: Authority, name: str, known: bool, alert: str
) -> None:
    told: list[str | None] = []
    context = authority.server_context(name)

    def script(peer: socket.socket) -> None:
        try:
            context.wrap_socket(peer, server_side=True)
        except ssl.SSLError as error:
            told.append(error.reason)

    with Server(script) as server:
        url = server.url.replace("http:", "https:")
        with open_transport(url, ca_file=authority.file if known else None) as transport:
            assert is_tls_failure_before_sending(failure_of(transport))
        assert server.wait_until_ended(1)
    assert told == [alert]


def test_a_peer_that_speaks_no_tls_is_refused() -> None:
    def plain(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.sendall(http())
        until_closed(peer)

    with Server(plain) as server, open_transport(server.url.replace("http:", "https:")) as transport:
        failure = failure_of(transport)
    assert (failure.phase, failure.reason, failure.body_started) == (Phase.CONNECTING, "tls_failed", False)


def test_a_peer_that_hangs_up_in_the_handshake_sent_nothing() -> None:
    with (
        Server(lambda peer: peer.close()) as server,
        open_transport(server.url.replace("http:", "https:")) as transport,
    ):
        failure = failure_of(transport)
    assert failure.phase is Phase.CONNECTING
    assert failure.reason in ("tls_failed", "connection_failed")
    assert not failure.body_started


def test_a_tls_connection_cut_after_the_request_may_have_been_processed(authority: Authority) -> None:
    with (
        Server(lambda peer: read_request(peer) and None, authority.server_context()) as server,
        open_transport(server.url, ca_file=authority.file) as transport,
    ):
        failure = failure_of(transport)
    assert (failure.phase, failure.reason, failure.body_started) == (Phase.WAITING, "connection_lost", True)


@pytest.mark.parametrize("raw", [http(b"{}") + b"more", http(b"{}", "200 OK", "Connection: close")])
def test_a_tls_connection_with_a_rest_is_not_kept(authority: Authority, raw: bytes) -> None:
    with (
        Server(saying(raw, then_hold=True), authority.server_context()) as server,
        open_transport(server.url, ca_file=authority.file) as transport,
    ):
        call(transport).release()
        assert server.wait_until_ended(1)


def test_large_bodies_pass_through_tls_whole(authority: Authority, gateway: Server) -> None:
    body = bytes(range(256)) * 4000
    with open_transport(gateway.url, ca_file=authority.file) as transport:
        assert call(transport, body).body == body


def test_no_protocol_but_http_1_1_is_offered(authority: Authority) -> None:
    chosen: list[str | None] = []

    def script(peer: socket.socket) -> None:
        assert isinstance(peer, ssl.SSLSocket)
        chosen.append(peer.selected_alpn_protocol())
        echo(peer)

    context = authority.server_context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with Server(script, context) as server, open_transport(server.url, ca_file=authority.file) as transport:
        call(transport).discard()
    assert chosen == ["http/1.1"]


def test_one_context_serves_all_connections_of_a_transport(authority: Authority, gateway: Server) -> None:
    with open_transport(gateway.url, ca_file=authority.file) as transport:
        answers = [call(transport) for _ in range(4)]
        context = transport._tls_context()
        assert gateway.accepted == 4
        assert transport._tls_context() is context
        del answers


@pytest.mark.parametrize("through", [False, True])
def test_the_next_connection_resumes_the_session_of_the_last(authority: Authority, through: bool) -> None:
    resumed: list[bool | None] = []

    def script(peer: socket.socket) -> None:
        assert isinstance(peer, ssl.SSLSocket)
        resumed.append(peer.session_reused)
        echo(peer)

    with Server(script, tls=authority.server_context()) as server, Server(Tunnel()) as tunnel:
        proxy = tunnel.url if through else None
        with open_transport(server.url, ca_file=authority.file, proxy=proxy, idle_seconds=0) as transport:
            for _ in range(3):
                call(transport).release()
            context = weakref.ref(transport._tls_context())
        del transport
    assert resumed == [False, True, True]
    gc.collect()
    assert context() is None, "each client would leave the certificates of all authorities behind"


def test_https_goes_through_a_tunnel_that_sees_neither_path_nor_body(authority: Authority, gateway: Server) -> None:
    tunnel = Tunnel()
    with Server(tunnel) as proxy:
        url = proxy.url.replace("//", "//user:p%40ss@")
        with open_transport(gateway.url, proxy=url, ca_file=authority.file) as transport:
            for number in range(3):
                answer = call(transport, b"%d" % number)
                assert answer.body == b"%d" % number
                answer.release()
            shown = repr(transport)
        assert proxy.accepted == 1
    assert len(tunnel.heads) == 1
    assert tunnel.heads[0].startswith(f"CONNECT 127.0.0.1:{gateway.port} HTTP/1.".encode())
    assert f"Proxy-Authorization: {BASIC}".encode() in tunnel.heads[0]
    assert b"sign" not in tunnel.heads[0]
    assert "user" not in shown
    assert "p%40ss" not in shown


def test_a_proxy_without_credentials_is_sent_none(authority: Authority, gateway: Server) -> None:
    tunnel = Tunnel()
    with Server(tunnel) as proxy, open_transport(gateway.url, proxy=proxy.url, ca_file=authority.file) as transport:
        call(transport)
    assert b"authorization" not in tunnel.heads[0].lower()


def test_the_certificate_behind_a_tunnel_is_verified_too(gateway: Server, tmp_path: Path) -> None:
    other = Authority(tmp_path)
    with Server(Tunnel()) as proxy, open_transport(gateway.url, proxy=proxy.url, ca_file=other.file) as transport:
        assert is_tls_failure_before_sending(failure_of(transport))


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("401 Unauthorized", "proxy_refused"),
        ("403 Forbidden", "proxy_refused"),
        ("407 Proxy Authentication Required", "proxy_refused"),
        ("502 Bad Gateway", "connection_failed"),
    ],
)
def test_a_proxy_that_refuses_the_tunnel_sent_nothing(gateway: Server, status: str, reason: str) -> None:
    tunnel = Tunnel(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
    with Server(tunnel) as proxy, open_transport(gateway.url, proxy=proxy.url) as transport:
        failure = failure_of(transport)
    assert (failure.phase, failure.reason, failure.body_started) == (Phase.CONNECTING, reason, False)
    assert may_retry(write=True, sent=False, reason=reason) is (reason == "connection_failed")
    assert failure.detail.endswith(f": the proxy answered {status[:3]}")
    assert gateway.accepted == 0


@pytest.mark.parametrize("raw", [b"", b"garbage\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"z" * 200_000])
def test_a_proxy_that_answers_nonsense_sent_nothing(gateway: Server, raw: bytes) -> None:
    with Server(Tunnel(raw or b"\r\n")) as proxy, open_transport(gateway.url, proxy=proxy.url) as transport:
        failure = failure_of(transport)
    assert (failure.phase, failure.reason, failure.body_started) == (Phase.CONNECTING, "connection_failed", False)


@pytest.mark.parametrize(
    ("opening", "opens"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", True),
        (b"HTTP/1.0 200 Connection established\r\nVia: a\r\n\r\n", True),
        (b"HTTP/1.1 204 No Content\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", True),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\n\r\nbehind", False),
        (b"HTTP/1.1 200 OK\n\n", False),
        (b"HTTP/1.1 200 OK\r\nfolded\r\n line\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", False),
        (b"HTTP/2 200 OK\r\n\r\n", False),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", False),
        (b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", False),
    ],
)
def test_every_client_opens_a_tunnel_alike(authority: Authority, gateway: Server, opening: bytes, opens: bool) -> None:
    tunnel = Tunnel(opening=opening)
    with Server(tunnel) as proxy, open_transport(gateway.url, proxy=proxy.url, ca_file=authority.file) as transport:
        if opens:
            assert call(transport).status == 200
        else:
            failure = failure_of(transport)
            assert (failure.phase, failure.reason) == (Phase.CONNECTING, "connection_failed")
            assert ": the proxy" in failure.detail


def test_a_proxy_that_is_not_there_sent_nothing(gateway: Server) -> None:
    port = lasting_port()
    with open_transport(gateway.url, proxy=f"http://127.0.0.1:{port}") as transport:
        failure = failure_of(transport)
    assert (failure.phase, failure.reason, failure.body_started) == (Phase.CONNECTING, "connection_failed", False)


def test_plain_http_on_this_machine_goes_through_a_proxy_with_the_whole_address() -> None:
    heads: list[bytes] = []

    def script(peer: socket.socket) -> None:
        heads.append(read_request(peer)[0])
        peer.sendall(http())
        until_closed(peer)

    with Server(script) as proxy:
        url = proxy.url.replace("//", "//user:p%40ss@")
        with open_transport("http://localhost:8787/base", proxy=url) as transport:
            assert call(transport).status == 200
    lines = heads[0].decode().split("\r\n")
    assert lines[:3] == [
        "POST http://localhost:8787/base/pay HTTP/1.1",
        "Host: localhost:8787",
        f"Proxy-Authorization: {BASIC}",
    ]


def test_no_proxy_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with Server(echo) as server, open_transport(server.url) as transport:
        assert call(transport, b"direct").body == b"direct"


@pytest.mark.parametrize(
    "content", [None, b"", b"not PEM", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_an_authority_file_that_cannot_be_used_is_refused_at_once(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"ca_file '.*ca\.pem' cannot be loaded as PEM certificates: "):
        open_transport("https://gateway.example", ca_file=file)
