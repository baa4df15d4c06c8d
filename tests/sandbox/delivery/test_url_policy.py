"""Where the sandbox posts to: this machine and what is listed, in spellings that cannot be read in two ways."""

import socket
from dataclasses import replace
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright_runtime.signing.keys import load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_runtime.transport.endpoint import is_loopback_address
from paywright_sandbox.delivery import http_client
from paywright_sandbox.delivery.http_client import Answered, OutgoingRequest, Unanswered, post
from paywright_sandbox.engine.settings import SandboxSettings
from paywright_sandbox.engine.url_policy import NotAllowed, destination_of, read_destination, resolved
from paywright_sandbox.gateway import make_policies
from tests.support.examples import examples
from tests.support.keys import key_pair

SETTINGS = SandboxSettings(
    merchants=(), signer=RsaSigner(load_private_key(key_pair(1).private_pem)), policies=make_policies()
)
PLAIN = [
    "http://127.0.0.1:9000/a", "http://127.8.9.10/", "http://[::1]:9000/a?b=c", "http://localhost:1", "HTTP://LOCALHOST/",
]  # fmt: skip

REFUSED = [
    "http://0x7f.1/", "http://0x7f000001/", "http://2130706433/", "http://017700000001/", "http://127.1/", "http://127.0.1/",
    "http://127.0.0.01/", "http://0177.0.0.1/", "http://127.0.0.1./", "http://0.0.0.0/", "http://0/", "http://[::]/",
    "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::127.0.0.1]/", "http://[2002:7f00:1::]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::1%25lo]/", "http://[fe80::1]/",
    "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://192.168.1.1/", "http://example.com/",
    "http://localhost.example.com/", "http://127.0.0.1.nip.io/", "http://localtest.me/", "http://localhost./",
    "http://127.0.0.1@example.com/", "http://example.com#@127.0.0.1/", "http://127.0.0.1\\@example.com/",
    "http://user:pass@127.0.0.1/", "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:80:80/",
    "https:127.0.0.1/", "//127.0.0.1/", "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "javascript:alert(1)",
    "http://127.0.0.1/\r\nHost: x", "http://127.0.0.1/ x", "http://127.0.0.1/\u00e9", "http://\uff11\uff12\uff17.0.0.1/",
    "http://127.0.0.1/#x", "http://127。0。0。1/", "http://loc\u00adalhost/", "", "http://", "http:///x", "http://%6cocalhost/",
]  # fmt: skip


@pytest.mark.parametrize("url", PLAIN)
def test_this_machine_in_plain_spelling_may_be_posted_to(url: str) -> None:
    assert is_loopback_address(resolved(read_destination(url)))


@pytest.mark.parametrize("url", REFUSED)
def test_every_other_spelling_is_refused_before_anything_is_looked_up(url: str) -> None:
    with pytest.raises(NotAllowed):
        read_destination(url)
    answer = post(OutgoingRequest(url, (), b"{}"), SETTINGS)
    assert isinstance(answer, Unanswered)
    assert answer.outcome == "NOT_ALLOWED"


@examples(30)
@given(st.from_regex(r"https?://[0-9a-fA-FxX.:\[\]@#\\%/]{1,24}(:[0-9]{1,6})?/?", fullmatch=True))
def test_whatever_numbers_are_spelled_only_this_machine_comes_out(url: str) -> None:
    try:
        destination = read_destination(url)
    except NotAllowed:
        return
    assert is_loopback_address(resolved(destination))
    assert is_loopback_address(destination.host)


def test_hosts_of_deliver_to_may_be_posted_to_with_their_port_or_any() -> None:
    assert read_destination("https://hooks.example:8443/a", ["hooks.example"]).listed
    assert read_destination("https://hooks.example:8443/a", ["HOOKS.example:8443"]).authority == "hooks.example:8443"
    assert resolved(read_destination("http://10.0.0.1/", ["10.0.0.1"])) == "10.0.0.1"
    for allowed in (["hooks.example:443"], ["example"], ["sub.hooks.example"], []):
        with pytest.raises(NotAllowed):
            read_destination("https://hooks.example:8443/a", allowed)
    for listed, refused in (((), True), (("hooks.invalid",), False)):
        answer = post(OutgoingRequest("http://hooks.invalid/", (), b"{}"), replace(SETTINGS, deliver_to=listed))
        assert isinstance(answer, Unanswered)
        assert (answer.outcome == "NOT_ALLOWED") is refused


@pytest.mark.parametrize(("scheme", "usual"), [("http", 80), ("https", 443), ("HTTP", 80)])
def test_the_usual_port_of_a_scheme_is_meant_and_left_out_of_the_host_header(scheme: str, usual: int) -> None:
    plain = read_destination(f"{scheme}://127.0.0.1/")
    assert plain == read_destination(f"{scheme}://127.0.0.1:{usual}/")
    assert (plain.port, plain.authority) == (usual, "127.0.0.1")
    assert read_destination(f"{scheme}://[::1]").authority == "[::1]"
    assert read_destination(f"{scheme}://127.0.0.1:{usual - 1}/").authority == f"127.0.0.1:{usual - 1}"
    assert destination_of(f"{scheme}://127.0.0.1/") == destination_of(f"{scheme}://127.0.0.1:{usual}/")


@pytest.mark.parametrize(("port", "there"), [(1, True), (65535, True), (65536, False), (99999, False)])
def test_ports_end_at_65535(port: int, there: bool) -> None:
    url = f"http://127.0.0.1:{port}/"
    if there:
        assert read_destination(url).port == port
    else:
        with pytest.raises(NotAllowed, match=f"127.0.0.1 has the port {port}"):
            read_destination(url)


def test_a_name_that_leads_to_no_servers_address_is_not_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: found)  # no name server belongs to the tests
    with pytest.raises(NotAllowed):
        resolved(read_destination("http://hooks.example/", ["hooks.example"]))
    with pytest.raises(NotAllowed):
        resolved(read_destination("http://localhost/"))


def test_a_server_that_drips_meets_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "attempt_seconds", lambda _: 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            peer, _ = listening.accept()
            with peer:
                peer.recv(65536)
                try:
                    for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 1000:
                        peer.sendall(bytes((byte,)))
                        if stop.wait(0.05):
                            return
                except OSError:
                    return

        from threading import Event

        stop = Event()
        thread = Thread(target=drip, daemon=True)
        thread.start()
        answer = post(OutgoingRequest(f"http://127.0.0.1:{listening.getsockname()[1]}/", (), b"{}"), SETTINGS)
        stop.set()
        thread.join(5)
    assert isinstance(answer, Unanswered)
    assert answer.outcome == "TIMEOUT"


def test_an_answer_comes_back_as_it_is() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        seen: list[bytes] = []

        def answer_once() -> None:
            peer, _ = listening.accept()
            with peer:
                seen.append(peer.recv(65536))
                peer.sendall(b"HTTP/1.1 418 Teapot\r\nContent-Length: 2\r\n\r\nhi")

        thread = Thread(target=answer_once, daemon=True)
        thread.start()
        port = listening.getsockname()[1]
        answer = post(OutgoingRequest(f"http://localhost:{port}?a=b", (("sign", "abc"),), b"{}"), SETTINGS)
        thread.join(5)
    assert isinstance(answer, Answered)
    assert (answer.status, answer.body) == (418, b"hi")
    assert seen[0].startswith(f"POST /?a=b HTTP/1.1\r\nHost: localhost:{port}\r\n".encode())
    assert b"\r\nsign: abc\r\n" in seen[0]
