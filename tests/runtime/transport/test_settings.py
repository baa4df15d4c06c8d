"""Settings and headers that cannot work are refused before anything is sent, with the reason."""

import os
import socket
import subprocess
import sys
from typing import Any

import pytest

from paywright_runtime.errors import ConfigurationError
from paywright_runtime.transport.api import SignedRequest
from paywright_runtime.transport.endpoint import read_base_url
from tests.runtime.helpers.transport_kinds import only_blocking, open_transport
from tests.runtime.helpers.transport_servers import Server, call, echo, failure_of, soon

pytestmark = pytest.mark.usefixtures("kind")


@pytest.mark.parametrize(
    ("url", "authority"),
    [
        ("https://gateway.example", "gateway.example"),
        ("https://gateway.example:443/v1", "gateway.example"),
        ("HTTPS://Gateway.Example:8443", "gateway.example:8443"),
        ("https://[2001:db8::1]:9", "[2001:db8::1]:9"),
        ("http://127.0.0.1", "127.0.0.1"),
        ("http://127.255.3.4:80/", "127.255.3.4"),
        ("http://localhost:8787", "localhost:8787"),
        ("http://[::1]:8787/a/b/", "[::1]:8787"),
    ],
)
def test_a_base_url_is_https_or_on_this_machine(url: str, authority: str) -> None:
    assert read_base_url(url).authority == authority
    open_transport(url).close()


@pytest.mark.parametrize(
    "url",
    [
        "http://gateway.example", "http://10.0.0.1", "http://127.0.0.1.example", "http://127.1", "http://127.0.0.256",
        "http://0x7f.1", "http://2130706433", "http://0177.0.0.1", "http://localhost.example",
        "http://[::ffff:127.0.0.1]", "http://[::2]", "http://0.0.0.0",
    ],
)  # fmt: skip
def test_plain_http_to_anywhere_else_is_refused_and_says_why(url: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r"would send signed orders unencrypted over the network\. Use https://"
    ):
        open_transport(url)


@pytest.mark.parametrize(
    "url",
    [
        "", "gateway.example", "//gateway.example", "ftp://gateway.example", "https://", "https:///path",
        "https://gate way.example", "https://gateway.example\\@other.example", "https://gateway.example/\r\nX: y",
        "https://gateway.example\n", "https://gäteway.example", "https://gateway.example:port",
        "https://gateway.example:0", "https://gateway.example:65536", "https://gateway.example?x=1",
        "https://gateway.example/v1?x=1", "https://gateway.example#top", "https://-gateway.example",
        "https://gateway..example", f"https://{'g' * 64}.example", "https://gateway.example.:", "https://[::1",
        "https://user@gateway.example", "https://user:SECRET@gateway.example",
        "https://user:SECRET@gateway.example/v1?SECRET",
    ],
)  # fmt: skip
def test_a_base_url_that_is_something_else_is_refused_without_being_shown(url: str) -> None:
    with pytest.raises(ConfigurationError, match="base_url") as caught:
        open_transport(url)
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(
    ("proxy", "why"),
    [
        ("proxy.example:3128", r"proxy is not a URL of the form http://\[user:password@\]host:port"),
        ("https://user:SECRET@proxy.example", "proxy is not a URL"),
        ("socks5://user:SECRET@proxy.example", "proxy is not a URL"),
        ("http://user:SECRET@proxy.example/path", "without a path"),
        ("http://user:SECRET@proxy.example?x", "a query"),
        ("http://user:SECRET@proxy.example:0", "port 0"),
    ],
)
def test_a_proxy_that_is_something_else_is_refused_without_being_shown(proxy: str, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why) as caught:
        open_transport("https://gateway.example", proxy=proxy)
    assert "SECRET" not in str(caught.value)


def test_plain_http_leaves_this_machine_through_no_proxy_either() -> None:
    with pytest.raises(ConfigurationError, match=r"the proxy proxy\.example is not"):
        open_transport("http://127.0.0.1:8787", proxy="http://proxy.example:3128")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("max_answer_bytes", value) for value in (0, -1, "2", None, 1.5, True)),
        *(("pool_size", value) for value in (0, -1, "10", None, 1.0)),
        *(("idle_seconds", value) for value in (-1, "30", None, float("nan"), float("inf"))),
    ],
)
def test_a_size_or_time_that_is_none_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ConfigurationError, match=name):
        open_transport("https://gateway.example", **{name: value})


@pytest.mark.parametrize(
    "header",
    [
        *(("sign", value) for value in ("one\r\nX-Forged: 1", "one\ntwo", "one\rtwo", "nul\0", "tab\t", "ümlaut")),
        *((name, "one") for name in ("sign\r\nX", "si gn", "sign:", "", "sïgn")),
        ("Host", "other.example"), ("content-length", "0"), ("Transfer-Encoding", "chunked"), ("Connection", "close"),
        ("EXPECT", "100-continue"), ("Proxy-Authorization", "Basic eA=="), ("accept-encoding", "gzip"),
    ],
)  # fmt: skip
def test_a_header_that_could_change_the_request_is_refused_unsent(header: tuple[str, str]) -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        with pytest.raises(ConfigurationError, match=r"^Nothing was sent: ") as caught:
            transport.send(SignedRequest("/pay", (header,), b"{}"), soon())
        assert "X-Forged" not in str(caught.value)
        assert server.accepted == 0


@pytest.mark.parametrize("path", ["", "pay", "/pay HTTP/1.1\r\nX: y", "/p ay", "/pay#x", "/päy", "/pay\n"])
def test_a_path_that_could_change_the_request_is_refused_unsent(path: str) -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        with pytest.raises(ConfigurationError, match=r"^Nothing was sent: a path"):
            transport.send(SignedRequest(path, (), b"{}"), soon())
        assert server.accepted == 0


def test_a_refused_header_costs_no_warm_connection() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        call(transport).release()
        with pytest.raises(ConfigurationError):
            transport.send(SignedRequest("/pay", (("Host", "x"),), b"{}"), soon())
        call(transport).release()
        assert server.accepted == 1


def test_ipv6_loopback_works() -> None:
    try:
        server = Server(echo, address="::1")
    except OSError:
        pytest.skip("this machine has no IPv6")
    with server, open_transport(f"http://[::1]:{server.port}") as transport:
        assert call(transport, b"six").body == b"six"


def test_localhost_is_only_ever_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Should a resolver say otherwise, plain HTTP still goes nowhere else."""

    def elsewhere(*_: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 80))]

    monkeypatch.setattr(socket, "getaddrinfo", elsewhere)
    with open_transport("http://localhost:8787") as transport:
        failure = failure_of(transport)
    assert (failure.reason, failure.body_started) == ("connection_failed", False)
    assert failure.detail.endswith(": EADDRNOTAVAIL")


def test_many_paths_do_not_fill_the_memory() -> None:
    with Server(echo) as server, open_transport(server.url) as transport:
        for number in range(400):
            transport._head(SignedRequest(f"/orders/{number}", (), b""))
        assert len(transport._openings) <= 256


@only_blocking
def test_importing_the_transport_loads_nothing_beyond_tls_and_this_package() -> None:
    program = (
        "import sys, atexit, pathlib, ssl, threading, weakref, urllib.parse, paywright_runtime.errors; before = set(sys.modules); import paywright_runtime.transport.blocking;"
        "print([name for name in set(sys.modules) - before if not name.startswith('paywright_runtime')])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
