"""Faults on the wire: what a client really sees, and what our own client makes of it."""

import json
import shutil
import socket
import struct
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from paywright import GatewayError, NoAnswer, NotSent, OutcomeUnknown
from paywright_runtime.transport.api import Phase
from paywright_sandbox.faults.rules import rules_of
from paywright_sandbox.faults.vocabulary import ENDS_WHOLE
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.place import place
from tests.sandbox.helpers.plain import PlainClient


@pytest.fixture(autouse=True)
def no_rule_is_left(sandbox: RunningSandbox) -> Iterator[None]:
    yield
    sandbox.control("DELETE", "faults")


def add(sandbox: RunningSandbox, kind: str, **more: Any) -> None:
    status, answer = sandbox.control("POST", "faults", {"kind": kind, "times": 1, **more})
    assert status == 200, answer


@pytest.mark.parametrize(
    ("kind", "more", "reason", "phase"),
    [
        ("reset", {}, "connection_lost", Phase.WAITING),
        ("hang", {"seconds": 600}, "timeout", Phase.WAITING),
        ("hang", {"seconds": 0}, "connection_lost", Phase.WAITING),
        ("cut", {}, "connection_lost", Phase.READING),
        ("drip", {"seconds": 600}, "timeout", Phase.READING),
        ("html", {}, "http_status", "done"),
        ("bad-signature", {}, "bad_signature", "done"),
        ("no-signature", {}, "unsigned", "done"),
    ],
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_our_client_calls_every_broken_answer_unknown(
    sandbox: RunningSandbox, when: str, kind: str, more: dict[str, int], reason: str, phase: str
) -> None:
    if when == "before" and kind in ENDS_WHOLE:
        return  # no such rule: test_faults
    key = f"F_{when}_{kind}_{more.get('seconds', '')}".replace("-", "_")

    def ended(key: str, timeout: float) -> tuple[str, str]:
        """Reason and phase of a call that ends so."""
        add(sandbox, kind, when=when, **more)
        with sandbox.client(timeout=timeout) as client, pytest.raises((OutcomeUnknown, NotSent)) as caught:
            place(client, key)
        return caught.value.reason, caught.value.attempts[-1].phase

    found = ended(key, 1.0 if reason == "timeout" else 3000.0)
    while found != (reason, phase) and reason == "timeout" and len(key) < 60:
        # The machine was so busy that the call did not come so far within its time.
        sandbox.control("DELETE", "faults")
        key += "_again"
        found = ended(key, 4.0 ** key.count("_again"))
    assert found == (reason, phase)
    with sandbox.client(timeout=3000) as client:
        if when == "after":
            assert client.orders.query(out_trade_no=key).status == "PENDING"
        else:
            with pytest.raises(GatewayError) as absent:
                client.orders.query(out_trade_no=key)
            assert absent.value.code == "ORDER_NOT_EXIST"


def test_another_requests_answer_is_not_taken_for_ones_own(sandbox: RunningSandbox) -> None:
    with sandbox.client() as client:
        place(client, "MINE_1")
        add(sandbox, "another-answer")
        with pytest.raises(OutcomeUnknown) as unknown:
            place(client, "MINE_2")
        assert unknown.value.reason == "wrong_echo"
        assert client.orders.query(out_trade_no="MINE_2").status == "PENDING"
        add(sandbox, "another-answer")
        tried = client.orders.query(out_trade_no="MINE_1").answer.attempts
        assert [attempt.reason for attempt in tried] == ["wrong_echo", "answered"]


def test_a_slow_answer_that_comes_in_time_is_an_answer(sandbox: RunningSandbox) -> None:
    add(sandbox, "drip", seconds=0)
    with sandbox.client() as client:
        place(client, "DRIP_1")


def test_a_reset_is_a_reset(sandbox: RunningSandbox) -> None:
    add(sandbox, "reset")
    plain = PlainClient.of(sandbox)
    with pytest.raises(ConnectionResetError):
        plain.query("NONE_1")
    assert plain.query("NONE_1")["code"] == "ORDER_NOT_EXIST"
    plain.close()


def test_clients_that_leave_a_hanging_or_dripping_answer_do_no_harm(sandbox: RunningSandbox) -> None:
    plain = PlainClient.of(sandbox)
    for kind in ("hang", "drip", "cut", "reset"):
        more = {"seconds": 60} if kind in ("hang", "drip") else {}
        add(sandbox, kind, **more)
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        root = {"version": "1.4", "keyVersion": "1", "requestTime": now, "appId": "app_sandbox_1"}
        body = json.dumps({**root, "data": {"outTradeNo": "NONE_2"}}).encode()
        with socket.create_connection(("127.0.0.1", plain.http.port), timeout=600) as raw:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raw.sendall(b"POST /aggregate-pay/api/gateway/paymentOrderQry HTTP/1.1\r\nHost: localhost\r\n")
            raw.sendall(b"Content-Type: application/json\r\n")
            raw.sendall(f"Content-Length: {len(body)}\r\nsign: {plain.sign(body)}\r\n\r\n".encode() + body)
            until = monotonic() + 600
            while not rules_of(sandbox.engine).rules()[-1].struck and monotonic() < until:
                sleep(0.01)
    assert [rule.struck for rule in rules_of(sandbox.engine).rules()] == [1, 1, 1, 1]
    assert plain.query("NONE_2")["code"]
    plain.close()


def test_a_hanging_answer_does_not_hold_up_the_end(made_once: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made_once, tmp_path / "sandbox"))
    with running_sandbox(folder) as running, running.client(timeout=0.5) as client:
        add(running, "hang", seconds=600)
        start = monotonic()
        with pytest.raises((NoAnswer, NotSent)):
            client.orders.query(out_trade_no="NONE_3")
        while not rules_of(running.engine).rules()[-1].struck and monotonic() < start + 300:
            with pytest.raises((NoAnswer, NotSent)):  # a busy machine has not come so far
                client.orders.query(out_trade_no="NONE_3")
    assert monotonic() - start < 600


def test_the_log_has_what_really_left(sandbox: RunningSandbox) -> None:
    plain = PlainClient.of(sandbox)
    for _ in range(120):
        plain.query("NONE_4")
    plain.http.request("GET", "/_sandbox/log", headers={"X-Sandbox": "1"})
    response = plain.http.getresponse()
    assert response.headers["content-type"] == "application/x-ndjson"
    records = [json.loads(line) for line in response.read().splitlines()]
    numbers = [int(record["source"].removeprefix("sandbox#")) for record in records]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert len(numbers) >= 120
    plain.http.request("GET", "/_sandbox/log")
    answer = plain.http.getresponse()
    answer.read()
    assert answer.status == 403
    plain.close()
