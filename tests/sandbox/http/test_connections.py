"""Requests in pieces, in rows and with odd heads: the same answers, whichever way they come."""

import json
import logging
import socket
from contextlib import ExitStack
from datetime import UTC, datetime
from threading import Event
from typing import Any

import pytest

from paywright_sandbox.engine.request_checks import Headers
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.testing.served import RunningSandbox
from tests.sandbox.helpers.plain import PlainClient, connected, port_of

pytest.importorskip("httptools")

QUERY = "/aggregate-pay/api/gateway/paymentOrderQry"
CHECKOUT = "/aggregate-pay/api/gateway/orderAndPay"


def head(plain: PlainClient, path: str, body: bytes, *more: str, version: str = "1.1") -> bytes:
    lines = [f"POST {path} HTTP/{version}", "Host: localhost", "Content-Type: application/json", f"sign: {plain.sign(body)}"]  # fmt: skip
    return "\r\n".join([*lines, *more, f"Content-Length: {len(body)}", "", ""]).encode()


def asking(key: str) -> bytes:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    root = {"version": "1.4", "keyVersion": "1", "requestTime": now, "appId": "app_sandbox_1"}
    return json.dumps({**root, "data": {"outTradeNo": key}}).encode()


def placing(key: str) -> bytes:
    data = {
        "outTradeNo": key, "integrate": "Hosted_Checkout", "subject": "Two tickets", "totalAmount": 10.5, "currency": "USD",
        "userId": "user_1", "frontCallbackUrl": "https://shop.example/back",
    }  # fmt: skip
    return json.dumps({**json.loads(asking(key)), "version": "1.5", "data": data}).encode()


def answers(raw: socket.socket, count: int) -> list[tuple[list[str], dict[str, Any]]]:
    """The head lines and the body of so many answers, or of those before the end."""
    found = []
    with raw.makefile("rb") as lines:
        for _ in range(count):
            top = []
            while (line := lines.readline().decode().rstrip("\r\n")) != "":
                top.append(line)
            if not top:
                break
            length = next(int(line.split(":")[1]) for line in top if line.startswith("content-length"))
            found.append((top, json.loads(lines.read(length))))
    return found


def test_a_request_in_any_number_of_pieces_has_the_same_answer(sandbox: RunningSandbox, plain: PlainClient) -> None:
    plain.checkout("PIECES_1")
    body = asking("PIECES_1")
    raw = head(plain, QUERY, body) + body
    split = len(raw) - len(body)
    for cuts in ([], [split], [split + 10], [7, split, split + 10], [split - 2]):
        parts = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
        with connected(sandbox) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for part in parts:
                connection.sendall(part)
                plain.query("PIECES_1")  # what was sent has arrived, and others are served meanwhile
            ((top, answer),) = answers(connection, 1)
        assert top[0] == "HTTP/1.1 200 OK"
        assert {line.partition(":")[0] for line in top[1:]} == {"date", "content-length", "content-type", "sign"}
        assert answer["data"]["outTradeNo"] == "PIECES_1"


def test_requests_sent_without_waiting_are_answered_in_order(sandbox: RunningSandbox, plain: PlainClient) -> None:
    keys = [f"PIPE_{number}" for number in range(8)]
    sent = b""
    for number, key in enumerate(keys):
        body = placing(key)
        sent += head(plain, CHECKOUT, body) + body
        if number == 3:
            sent += b"GET /_sandbox/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connected(sandbox) as connection:
        connection.sendall(sent)
        found = [answer for _, answer in answers(connection, len(keys) + 1)]
    assert [answer.get("data", {}).get("outTradeNo") for answer in found] == [*keys[:4], None, *keys[4:]]
    assert found[4]["status"] == "ok"


def test_who_sends_many_without_waiting_holds_up_no_other(
    sandbox: RunningSandbox, plain: PlainClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    handled: list[str] = []
    arrived, handle = Event(), sandbox.engine.handle

    def looking(method: str, path: str, headers: Headers, body: bytes) -> HttpReply:
        if not handled:
            assert arrived.wait(60)
        handled.append(json.loads(body)["data"]["outTradeNo"])
        return handle(method, path, headers, body)

    monkeypatch.setattr(sandbox.engine, "handle", looking)
    many, other = (head(plain, QUERY, body) + body for body in (asking("NONE_1"), asking("OTHER_1")))
    with ExitStack() as stack:
        addresses = [("127.0.0.1", port_of(sandbox))] * 2
        first, second = (stack.enter_context(socket.create_connection(to, timeout=60)) for to in addresses)
        first.sendall(many * 100)
        second.sendall(other)
        arrived.set()
        assert answers(second, 1)[0][1]["code"] == "ORDER_NOT_EXIST"
        assert len(answers(first, 100)) == 100
    assert handled.index("OTHER_1") < 5


def test_what_follows_a_last_request_never_happens(sandbox: RunningSandbox, plain: PlainClient) -> None:
    first, second = placing("LAST_1"), placing("LAST_2")
    with connected(sandbox) as connection:
        last = head(plain, CHECKOUT, first, "Connection: close") + first
        connection.sendall(last + head(plain, CHECKOUT, second) + second)
        ((top, answer),) = answers(connection, 2)
    assert "connection: close" in top
    assert answer["data"]["outTradeNo"] == "LAST_1"
    assert plain.query("LAST_2")["code"] == "ORDER_NOT_EXIST"


def test_http_1_0_is_answered_and_hung_up_on(sandbox: RunningSandbox, plain: PlainClient) -> None:
    body = asking("NONE_1")
    spaced = head(plain, QUERY, body, version="1.0").replace(b"\r\nContent-L", b" \t\r\nContent-L")  # behind `sign`
    with connected(sandbox) as connection:
        connection.sendall(spaced + body)
        ((_, answer),) = answers(connection, 2)
    assert answer["code"] == "ORDER_NOT_EXIST"


def test_a_client_that_waits_to_be_asked_for_its_body_is_asked(sandbox: RunningSandbox, plain: PlainClient) -> None:
    body = asking("NONE_1")
    with connected(sandbox) as connection:
        connection.sendall(head(plain, QUERY, body, "Expect: 100-continue"))
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert answers(connection, 1)[0][1]["code"] == "ORDER_NOT_EXIST"


def test_an_offer_of_http_2_is_passed_over(sandbox: RunningSandbox, plain: PlainClient) -> None:
    body = asking("NONE_1")
    offer = head(plain, QUERY, body, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAA")
    with connected(sandbox) as connection:
        for pieces in ([offer + body], [offer, body], [offer + body[:40], body[40:]]):  # as Java's HttpClient and Ktor
            for piece in pieces:
                connection.sendall(piece)
                plain.query("NONE_1")  # it has arrived
            assert answers(connection, 1)[0][1]["code"] == "ORDER_NOT_EXIST"


def test_a_failure_of_the_sandbox_itself_is_a_500(
    sandbox: RunningSandbox, plain: PlainClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> HttpReply:
        raise RuntimeError

    with monkeypatch.context() as patched, caplog.at_level(logging.CRITICAL, "uvicorn.error"):
        patched.setattr(sandbox.engine, "handle", broken)
        body = asking("NONE_1")
        for pieces in ([head(plain, QUERY, body) + body], [head(plain, QUERY, body), body]):
            with connected(sandbox) as connection:
                for piece in pieces:
                    connection.sendall(piece)
                    plain.control("GET", "health")  # it has arrived
                with connection.makefile("rb") as answer:
                    assert answer.readline() == b"HTTP/1.1 500 Internal Server Error\r\n"
                    assert answer.read().endswith(b"\r\n\r\nInternal Server Error")
    assert plain.query("NONE_1")["code"] == "ORDER_NOT_EXIST"
