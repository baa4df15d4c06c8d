"""The sandbox on HTTP: who may talk to it, and what malformed requests do to it (nothing)."""

import asyncio
import json
import logging
import socket
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from paywright_sandbox.http import server
from paywright_sandbox.http.protocol import HttpProtocol
from paywright_sandbox.http.server import _is_for  # the one function that decides which Host passes
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.plain import PlainClient, connected

PLACE = "/aggregate-pay/api/gateway/orderAndPay"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1", "[::2]", "", "127.0.0.1:80@evil.example"],
)
@pytest.mark.parametrize("path", [PLACE, "/_sandbox/orders", "/_sandbox/health"])
def test_a_foreign_host_header_is_refused(plain: PlainClient, host: str, path: str) -> None:
    answer = plain.request("POST", path, b"{}", {"Host": host, "X-Sandbox": "1"})
    assert (plain.status, answer["code"]) == (421, "HOST_NOT_ALLOWED")


@pytest.mark.parametrize(
    "header",
    ["X-Forwarded-For", "X-Forwarded-Host", "x-forwarded-proto", "Forwarded", "Via", "X-Real-IP", "CF-Connecting-IP"],
)
def test_the_control_api_refuses_what_was_forwarded(plain: PlainClient, header: str) -> None:
    for path in ("/_sandbox/health", "/_sandbox/snapshot", "/_sandbox/openapi.json"):
        answer = plain.request("GET", path, b"", {"X-Sandbox": "1", header: "127.0.0.1"})
        assert (plain.status, answer["code"]) == (403, "NOT_LOOPBACK")
    plain.request("POST", PLACE, b"{}", {header: "203.0.113.7"})
    assert plain.status == 200, "the gateway may be called through a tunnel"


def test_no_request_is_in_the_log_of_the_server(
    made_once: Path, folder: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("uvicorn.access"), "propagate", True)  # an earlier server has changed it
    caplog.set_level(logging.INFO)
    with running_sandbox(folder) as running:
        plain = PlainClient.of(running)
        for path in (f"{PLACE}?token=S3cr3t", "/S3cr3t"):
            plain.request("POST", path, b"{}")
        plain.close()
    assert [record.getMessage() for record in caplog.records if "S3cr3t" in record.getMessage()] == []


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:99"])
def test_a_host_header_that_names_this_machine_passes(plain: PlainClient, host: str) -> None:
    plain.control("GET", "health", Host=host)
    assert plain.status == 200


def test_the_name_in_a_host_header_is_read_without_its_port() -> None:
    passes = {
        "a:1": True, "[::1]:2": True, "[::1]": True, "A": True, "": False, "a:b@c": False, "127.0.0.1:80@evil.example": False,
        "localhost:80:90": False, "localhost:": False, "localhost#": False, "[::1]evil.example": False, "localhost/": False,
        "localhost:123456": False, "localhost,evil.example": False,
    }  # fmt: skip
    hosts = frozenset(("a", "[::1]", "localhost", "127.0.0.1"))
    assert {host: _is_for(hosts, [("host", host)]) for host in passes} == passes


def test_a_folder_can_allow_further_hosts(made_once: Path, folder: Path) -> None:
    file = folder / "sandbox.toml"
    file.write_text(file.read_text().replace("allowed-hosts = []", 'allowed-hosts = ["sandbox.test"]'))
    with running_sandbox(folder) as running:
        plain = PlainClient.of(running)
        plain.control("GET", "health", Host="Sandbox.Test:80")
        assert plain.status == 200
        plain.close()


def test_unknown_addresses_and_methods_are_refused_signed(plain: PlainClient) -> None:
    for method, path, status in (
        ("POST", "/", 404),
        ("POST", PLACE + "//", 404),
        ("POST", "/aggregate-pay/api/gateway/orderAndPay%2F", 404),
        ("GET", PLACE, 405),
        ("PUT", PLACE, 405),
        ("DELETE", PLACE, 405),
    ):
        answer = plain.request(method, path, b"{}")
        assert (plain.status, set(answer)) == (status, {"code", "msg"})


def test_a_body_that_is_too_large_is_refused_before_it_is_read(plain: PlainClient) -> None:
    plain.http.putrequest("POST", PLACE)
    plain.http.putheader("Content-Length", str(10**9))
    plain.http.endheaders()
    response = plain.http.getresponse()
    assert (response.status, json.loads(response.read())["code"]) == (413, "BODY_TOO_LARGE")
    assert response.headers["connection"] == "close"


def test_a_snapshot_of_somebody_else_is_refused_before_it_is_read(sandbox: RunningSandbox, plain: PlainClient) -> None:
    plain.http.putrequest("PUT", "/_sandbox/snapshot")
    plain.http.putheader("Content-Length", str(200 * 1024 * 1024))
    plain.http.endheaders()
    response = plain.http.getresponse()
    assert response.status == 403
    assert b"Send the header X-Sandbox: 1." in response.read()
    head = b"PUT /_sandbox/snapshot HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n"
    with connected(sandbox) as raw:
        raw.sendall(head + b" " * 20_000_000)  # whoever sends all before it reads is told, too
        assert raw.recv(65536).startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize("size", [2 * 1024 * 1024, 20 * 1024 * 1024])
def test_a_client_that_only_sends_is_told_it_was_too_much(sandbox: RunningSandbox, size: int) -> None:
    head = f"POST {PLACE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n".encode()
    with connected(sandbox) as raw:
        raw.sendall(head + b" " * size)  # raises where the connection is broken meanwhile
        answer = b""
        while part := raw.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"BODY_TOO_LARGE" in answer


def test_a_head_without_end_is_refused_and_not_kept(sandbox: RunningSandbox) -> None:
    with connected(sandbox) as raw:
        raw.sendall(f"POST {PLACE} HTTP/1.1\r\nHost: localhost\r\n".encode())
        sent = 0
        with suppress(OSError):  # it is hung up on
            while sent < 50 * 1024 * 1024:
                raw.sendall(b"X-Filler: " + b"a" * 8000 + b"\r\n")
                sent += 8000
        assert sent < 50 * 1024 * 1024


@pytest.mark.parametrize("begun", [b"", b"POST / HTTP/1.1\r\n", b"POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ye"])
def test_an_endless_head_is_given_up(sandbox: RunningSandbox, begun: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def given_up(seconds: float) -> bytes:
        monkeypatch.setattr(HttpProtocol, "head_seconds", seconds)
        with connected(sandbox) as raw:
            raw.sendall(begun)
            answer = b""
            while part := raw.recv(65536):
                answer += part
        return answer

    if begun:
        # On a busy machine the time may be over before anything has come; then there is more of it.
        assert any(given_up(seconds).startswith(b"HTTP/1.1 408") for seconds in (0.05, 0.5, 5.0, 50.0))
    else:
        assert given_up(0.05) == b""


def test_a_second_head_has_the_same_time(sandbox: RunningSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    health = b"GET /_sandbox/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connected(sandbox) as raw:
        raw.sendall(health)
        answer = b""
        while not answer.endswith(b"}"):  # head and body may come apart
            answer += raw.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200")
        monkeypatch.setattr(HttpProtocol, "head_seconds", 0.05)
        raw.sendall(health[:20])
        assert raw.recv(65536).startswith(b"HTTP/1.1 408")


def test_a_body_may_be_slow(sandbox: RunningSandbox, plain: PlainClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def answered(seconds: float) -> bool:
        monkeypatch.setattr(HttpProtocol, "head_seconds", seconds)
        with connected(sandbox) as raw:
            raw.sendall(f"POST {PLACE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{".encode())
            sleep(1.1 * seconds)
            try:
                raw.sendall(b"}")
                return raw.recv(65536).startswith(b"HTTP/1.1 200")
            except OSError:  # it was hung up on
                return False

    assert plain.request("POST", PLACE, b"{}")["code"] == "PARAMS_INVALID"
    assert any(answered(seconds) for seconds in (0.5, 5.0, 50.0))  # the longer where the head took too long to come


def test_a_chunked_body_that_is_too_large_is_refused(sandbox: RunningSandbox) -> None:
    with connected(sandbox) as raw:
        raw.sendall(f"POST {PLACE} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        with suppress(OSError):  # it is hung up on
            for _ in range(40):
                raw.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
        assert raw.recv(65536).startswith(b"HTTP/1.1 413")


def test_a_chunked_request_is_as_good_as_any(plain: PlainClient) -> None:
    body = json.dumps({"appId": "app_sandbox_1", "data": {"outTradeNo": "CHUNKED_1"}}).encode()
    headers = {"Content-Type": "application/json", "sign": plain.sign(body)}
    plain.http.request("POST", PLACE, iter([body[:10], body[10:]]), headers, encode_chunked=True)
    answer: dict[str, Any] = json.loads(plain.http.getresponse().read())
    assert answer["code"] == "PARAMS_INVALID"  # and not SIGN_VERIFY_FAILED


@pytest.mark.parametrize(
    "request_bytes",
    [
        *(b"POST / HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n{}" for head in (b"", b"Content-Length: 1\r\n")),
        b"\r\n\r\n", b"GARBAGE\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"POST / HTTP/9.9\r\n\r\n",
        b"POST / HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", b"POST / HTTP/1.1\r\nHost: localhost\r\nsign: YQ\nYg==\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000 + b"\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        *(begin + b"POST / HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n" for begin in (b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")),
        b"POST /\xff\xfe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", b"POST http://localhost/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ncut short",
    ],
)  # fmt: skip
def test_malformed_http_does_no_harm(sandbox: RunningSandbox, plain: PlainClient, request_bytes: bytes) -> None:
    with connected(sandbox) as raw:
        answer = b""
        with suppress(ConnectionError):  # it may be hung up on
            raw.sendall(request_bytes)
            with suppress(OSError):
                raw.shutdown(socket.SHUT_WR)
            while part := raw.recv(65536):
                answer += part
    assert answer == b"" or answer.split(b" ")[1][:1] == b"4"
    assert (b" 400 Bad Request" in answer) == (b"it is TLS or HTTP/2" in answer and b"(None)" not in answer)
    assert (b"The request before was handled: its Content-Length" in answer) is request_bytes.endswith(b"{}")
    assert (b"There is no Host header" in answer) is (request_bytes == b"POST / HTTP/1.1\r\n\r\n")
    assert plain.query("NOTHING_1")["code"] == "ORDER_NOT_EXIST"


def test_a_request_cut_short_has_no_effect(sandbox: RunningSandbox, plain: PlainClient) -> None:
    before = plain.control("GET", "orders")
    for _ in range(5):
        with connected(sandbox) as raw:
            raw.sendall(f"POST {PLACE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 400\r\n\r\n{{".encode())
    assert plain.control("GET", "orders") == before


def test_slow_clients_do_not_hold_up_others(sandbox: RunningSandbox, plain: PlainClient) -> None:
    slow = [connected(sandbox) for _ in range(60)]
    for number, connection in enumerate(slow):
        connection.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n12345"[: 5 + number])
    assert plain.query("NOTHING_2")["code"] == "ORDER_NOT_EXIST"
    for connection in slow:
        connection.close()


def test_a_body_that_takes_too_long_is_refused(sandbox: RunningSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_BODY_SECONDS", 0.2)
    with connected(sandbox) as raw:
        raw.sendall(f"POST {PLACE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 400\r\n\r\n{{".encode())
        answer = raw.recv(65536)
        while part := raw.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"or is shorter than its Content-Length says" in answer


# The control API


@pytest.mark.parametrize(("peer", "status"), [("127.0.0.1", 200), ("::1", 200), ("10.0.0.1", 403), ("", 403)])
def test_the_control_api_answers_this_machine_alone(sandbox: RunningSandbox, peer: str, status: int) -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "path": "/_sandbox/orders", "raw_path": b"/_sandbox/orders",
        "headers": [(b"host", b"localhost"), (b"x-sandbox", b"1")],
        "client": (peer, 1),
    }  # fmt: skip
    asyncio.run(server.application(sandbox.engine)(scope, receive, send))
    assert sent[0]["status"] == status


def test_the_control_api_asks_for_its_header(plain: PlainClient) -> None:
    for method, path in (("GET", "orders"), ("POST", "orders/ORD_1/pay"), ("GET", "orders/ORD_1")):
        answer = plain.control(method, path, **{"X-Sandbox": "0"})
        assert plain.status == 403
        assert "X-Sandbox: 1" in answer["error"]


def test_a_page_of_another_origin_cannot_call_it(sandbox: RunningSandbox, plain: PlainClient) -> None:
    for origin in ("https://evil.example", "null", "http://localhost:1"):
        plain.control("GET", "orders", Origin=origin)
        assert plain.status == 403
    named = sandbox.base_url.replace("127.0.0.1", "localhost")  # the name of this machine that a browser was given
    for origin in (sandbox.base_url, named):
        plain.control("GET", "orders", Origin=origin, Host=origin.removeprefix("http://"))
        assert plain.status == 200


def test_what_is_not_there_is_said_to_be(plain: PlainClient) -> None:
    for method, path, status in (
        ("POST", "orders/NONE/pay", 404), ("GET", "orders/NONE", 404), ("POST", "orders/NONE/explode", 404),
        ("GET", "orders/NONE/pay", 405), ("POST", "orders", 405), ("POST", "health", 405), ("GET", "nothing", 404),
        ("GET", "", 404), ("GET", "orders/%00%ff/pay", 405),
    ):  # fmt: skip
        assert "error" in plain.control(method, path)
        assert plain.status == status


def test_health_tells_where_and_for_whom(sandbox: RunningSandbox, plain: PlainClient) -> None:
    plain.http.request("GET", "/_sandbox/health")
    health = json.loads(plain.http.getresponse().read())
    assert (health["status"], health["address"], health["merchants"]) == ("ok", sandbox.base_url, ["app_sandbox_1"])
