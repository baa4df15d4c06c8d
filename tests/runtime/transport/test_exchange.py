"""What one exchange sends and what it brings back."""

import select
import socket
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest
from tests.runtime.helpers.transport_kinds import ALL_PHASES, open_transport
from tests.runtime.helpers.transport_servers import (
    BODY,
    Server,
    call,
    echo,
    http,
    read_request,
    request,
    saying,
    soon,
    transport_to,
)

pytestmark = pytest.mark.usefixtures("kind")


def answer_to(raw: bytes) -> RawAnswer:
    with transport_to(saying(raw)) as transport:
        return call(transport)


def test_the_request_carries_exactly_its_own_headers_and_the_framing() -> None:
    heads: list[tuple[bytes, bytes]] = []

    def script(peer: socket.socket) -> None:
        heads.append(read_request(peer))
        peer.sendall(http())

    with Server(script) as server, open_transport(server.url) as transport:
        call(transport)
        port = server.port
    assert heads[0][0].decode() == (
        f"POST /pay HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept-Encoding: identity\r\nContent-Type: application/json\r\n"
        f"sign: c2lnbmF0dXJl\r\nUser-Agent: paywright/test\r\nContent-Length: {len(BODY)}"
    )
    assert heads[0][1] == BODY


def test_the_phases_are_told_before_they_are_tried() -> None:
    told: list[Phase] = []
    with transport_to(echo) as transport:
        for _ in range(2):  # the second over a warm connection
            transport.send(request()._replace(reach=told.append), soon()).release()
    assert told == ALL_PHASES * 2


def test_the_prefix_of_the_base_url_comes_before_the_path() -> None:
    seen: list[bytes] = []

    def script(peer: socket.socket) -> None:
        seen.append(read_request(peer)[0])
        peer.sendall(http())

    with Server(script) as server, open_transport(server.url + "/gateway/v1/") as transport:
        transport.send(request(path="/pay?x=1"), soon())
    assert seen[0].startswith(b"POST /gateway/v1/pay?x=1 HTTP/1.1\r\n")


def test_the_answer_keeps_every_header_as_it_came() -> None:
    answer = answer_to(http(b"{}", "200 OK", "sign: one", "X-Other:  spaced\t", "SIGN: two"))
    assert answer.get_all("Sign") == ["one", "two"]
    assert answer.get_all("absent") == []
    assert list(answer.headers)[:3] == [("sign", "one"), ("X-Other", "spaced"), ("SIGN", "two")]
    assert (answer.status, answer.body) == (200, b"{}")


@pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 404, 429, 500, 503])
def test_every_status_is_an_answer_and_no_redirect_is_followed(status: int) -> None:
    with Server(saying(http())) as elsewhere:
        answer = answer_to(http(b"no", f"{status} Whatever", f"Location: {elsewhere.url}/pay"))
        assert (answer.status, answer.body) == (status, b"no")
        assert elsewhere.accepted == 0


def test_a_compressed_body_is_handed_over_as_it_is() -> None:
    bomb = zlib.compress(bytes(50_000_000), 9)
    answer = answer_to(http(bomb, "200 OK", "Content-Encoding: deflate"))
    assert answer.body == bomb


def test_interim_answers_are_passed_over() -> None:
    interim = (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\nContent-Length: 9\r\n\r\n"
    )
    answer = answer_to(interim + http(b'{"a":1}'))
    assert (answer.status, answer.body) == (200, b'{"a":1}')


@pytest.mark.parametrize(
    "chunks",
    [b"3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n", b"07;name=value\r\nabcdefg\r\n000\r\nTrailer: x\r\nsign: forged\r\n\r\n"],
)
def test_a_chunked_body_is_put_together_and_its_trailers_are_no_headers(chunks: bytes) -> None:
    answer = answer_to(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n" + chunks)
    assert answer.body == b"abcdefg"
    assert answer.get_all("sign") == []


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_body_without_a_length_ends_with_the_connection(version: str) -> None:
    answer = answer_to(f"HTTP/{version} 200 OK\r\nServer: old\r\n\r\nall there is".encode())
    assert answer.body == b"all there is"


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
def test_a_status_without_a_body_has_none_whatever_its_headers_say(status: str) -> None:
    answer = answer_to(f"HTTP/1.1 {status}\r\nContent-Length: 500\r\n\r\n".encode())
    assert answer.body == b""


@pytest.mark.parametrize("size", [0, 1, 65_536, 1_000_000])
def test_bodies_of_every_size_come_back_whole_both_ways(size: int) -> None:
    body = b"z" * size

    def script(peer: socket.socket) -> None:
        peer.sendall(http(read_request(peer)[1]))

    with transport_to(script) as transport:
        assert call(transport, body).body == body


def test_nothing_printed_shows_a_body_or_a_header_value() -> None:
    secret = SignedRequest("/pay", (("sign", "SECRET-1"),), b"SECRET-2")
    answer = RawAnswer(200, [("sign", "SECRET-3")], b"SECRET-4")
    for text in (repr(secret), str(secret), f"{secret}", repr(answer), str(answer)):
        assert "SECRET" not in text
    assert repr(secret) == "SignedRequest(path='/pay', headers=<sign>, body=<8 bytes>)"


class PollOfGevent:
    """Waits by the event loop of the thread that made it."""

    def __init__(self, made: type[select.poll] = select.poll) -> None:
        self._thread, self._poll = threading.get_ident(), made()

    def __getattr__(self, name: str) -> object:
        assert threading.get_ident() == self._thread
        return getattr(self._poll, name)


def test_a_thread_waits_by_no_poll_of_another_ones_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "poll", PollOfGevent)
    with transport_to(echo) as transport, ThreadPoolExecutor() as other:
        call(transport).release()
        other.submit(lambda: call(transport).release()).result()
