"""Deliveries to several merchants' servers at once: a silent one holds up nobody else, and what happened is no race."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest

from paywright_runtime.clock import FixedClock
from paywright_sandbox.control.clock_routes import advance
from paywright_sandbox.control.snapshot_routes import reset, restore
from paywright_sandbox.delivery import http_client
from paywright_sandbox.delivery.http_client import attempt_seconds
from paywright_sandbox.delivery.worker import worker_of
from paywright_sandbox.engine.url_policy import destination_of
from paywright_sandbox.faults.definitions import read_rule
from paywright_sandbox.faults.rules import rules_of
from paywright_sandbox.gateway import make_policies, open_store
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.desk import Desk
from tests.sandbox.helpers.merchant_server import ACKNOWLEDGED, Got, MerchantServer, merchant_server
from tests.sandbox.helpers.place import place


@pytest.fixture
def deaf() -> Iterator[socket.socket]:
    """A server that takes connections and never says a word; closing it ends them."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


@pytest.fixture
def silent(deaf: socket.socket) -> str:
    return f"http://127.0.0.1:{deaf.getsockname()[1]}/"


def paid(desk: Desk, key: str, url: str) -> None:
    desk.checkout(key, Decimal("10.50"), notifyUrl=url)
    assert desk.control("POST", f"orders/{key}/pay")["httpStatus"] == 200


def told(merchant: MerchantServer) -> list[str]:
    return [got.body["data"]["outTradeNo"] for got in merchant.got]


def attempts(desk: Desk) -> list[tuple[str, str]]:
    with desk.engine.store.transaction() as state:
        sql = "SELECT about, outcome FROM attempts JOIN notifications ON notifications.id = notification ORDER BY attempts.id"
        return [(str(row["about"]), str(row["outcome"])) for row in state.all(sql)]


def served(sandbox: RunningSandbox, key: str, url: str) -> None:
    with sandbox.client() as client:
        place(client, key, notify_url=url)
    sandbox.pay(key)


def test_a_silent_one_holds_no_other(folder: Path, merchant: MerchantServer, deaf: socket.socket, silent: str) -> None:
    with running_sandbox(folder) as sandbox:
        served(sandbox, "S_0", silent)
        served(sandbox, "S_1", silent)
        for number in range(5):
            served(sandbox, f"F_{number}", merchant.url)
        merchant.wait_for(5)
        assert told(merchant) == [f"F_{number}" for number in range(5)]
        # What is asked for on demand waits for nobody either.
        number = next(row["id"] for row in listed(sandbox) if row["about"] == "F_0")
        assert worker_of(sandbox.engine).redeliver(number).outcome == "ACKNOWLEDGED"
        # The first of the silent one's is still under way.
        assert [row["attempts"] for row in listed(sandbox) if row["about"].startswith("S_")] == [0, 0]
        deaf.close()


def listed(sandbox: RunningSandbox) -> list[dict[str, Any]]:
    found: Any = sandbox.control("GET", "notifications")[1]["notifications"]
    return list(found)


def test_an_attempts_longest_time(open_desk: Callable[..., Desk], silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for given, seconds in ((5, 5.0), (1, 1.0), (0, 1.0)):
        assert attempt_seconds(make_policies({"attempt-seconds": given})) == seconds
    monkeypatch.setattr(http_client, "attempt_seconds", attempt_seconds)
    desk = open_desk(attempt_seconds=1)
    paid(desk, "ORD_1", silent)
    advance(desk.engine, timedelta(0))
    assert attempts(desk) == [("ORD_1", "TIMEOUT")]


def test_each_destination_gets_its_own_in_order(open_desk: Callable[..., Desk], folder: Path) -> None:
    def played(seed: int) -> tuple[list[list[str]], list[tuple[str, str]], list[dict[str, Any]]]:
        desk, random = open_desk(), Random(seed)

        def slowly(got: Got) -> tuple[int, bytes]:
            sleep(random.random() * 0.01)
            return ACKNOWLEDGED if got.body["data"]["outTradeNo"][-1] != "3" else (500, b"")

        rules_of(desk.engine).add(read_rule({"kind": "duplicate", "probability": "0.3"}), desk.clock.now())
        rules_of(desk.engine).add(read_rule({"kind": "reordered", "probability": "0.2"}), desk.clock.now())
        rules_of(desk.engine).add(read_rule({"kind": "late", "probability": "0.2", "seconds": 40}), desk.clock.now())
        with ExitStack() as stack:
            shops = [stack.enter_context(merchant_server(folder / "keys" / "gateway.pub")) for _ in range(3)]
            for shop in shops:
                shop.answers = slowly
            for number in range(24):
                paid(desk, f"ORD_{number}", shops[number % 3].url)
            happened = advance(desk.engine, timedelta(hours=1))
            assert happened["complete"]
            events: Any = happened["happened"]
            return [told(shop) for shop in shops], attempts(desk), list(events)

    first, second = played(1), played(2)
    assert [sorted(set(keys)) for keys in first[0]] == [
        sorted(f"ORD_{number}" for number in range(24) if number % 3 == which) for which in range(3)
    ]
    assert second[:2] == first[:2]
    assert [event["kind"] for event in second[2]] == [event["kind"] for event in first[2]]


def test_nothing_begins_after_the_time_that_a_caller_has(desk: Desk, merchant: MerchantServer) -> None:
    paid(desk, "ORD_1", merchant.url)
    assert worker_of(desk.engine).deliver_due(until=monotonic()) == 0
    paid(desk, "ORD_2", merchant.url)
    assert worker_of(desk.engine).deliver_due(most=1) == 1
    assert attempts(desk) == [("ORD_1", "ACKNOWLEDGED")]


def test_what_is_put_back_is_delivered_although_nothing_was_due(folder: Path, merchant: MerchantServer) -> None:
    with running_sandbox(folder) as sandbox:
        with worker_of(sandbox.engine).alone():
            served(sandbox, "ORD_1", merchant.url)
            undelivered = sandbox.engine.store.snapshot()
        merchant.wait_for(1)
        restore(sandbox.engine, undelivered)
        merchant.wait_for(2)


def test_what_nobody_heard_acknowledged_is_delivered_again(desk: Desk, merchant: MerchantServer) -> None:
    """As after kill -9 at the moment at which the merchant has the notification."""
    states: list[bytes] = []

    def answered(got: Got) -> tuple[int, bytes]:
        states.append(desk.engine.store.snapshot())
        return ACKNOWLEDGED

    paid(desk, "ORD_1", merchant.url)
    merchant.answers = answered
    assert worker_of(desk.engine).deliver_due() == 1
    restore(desk.engine, states[0])
    assert worker_of(desk.engine).deliver_due() == 1
    assert merchant.got[0].raw == merchant.got[1].raw


def test_what_a_reset_overtakes_is_recorded_nowhere(desk: Desk, merchant: MerchantServer) -> None:
    def answered(got: Got) -> tuple[int, bytes]:
        reset(desk.engine, keep_merchants=False)
        paid(desk, "ORD_9", "http://127.0.0.1:9/")  # which has the same number in the outbox
        return ACKNOWLEDGED

    paid(desk, "ORD_1", merchant.url)
    merchant.answers = answered
    assert worker_of(desk.engine).redeliver(1).outcome == "ACKNOWLEDGED"
    assert attempts(desk) == []


def test_an_end_begins_nothing(folder: Path, deaf: socket.socket, silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paywright_sandbox.delivery.worker.attempt_seconds", lambda _: 600.0)
    with running_sandbox(folder) as sandbox:
        for number in range(20):
            served(sandbox, f"S_{number}", silent)
        delivery_worker = worker_of(sandbox.engine)

        def hang_up_when_it_ends() -> None:
            while not delivery_worker.ending:
                sleep(0.01)
            deaf.close()

        ending = Thread(target=hang_up_when_it_ends)
        ending.start()
    ending.join(600)
    with closing(open_store(folder / "state.sqlite3")) as store, store.transaction() as state:
        tried = [row["about"] for row in state.all("SELECT about FROM notifications WHERE attempts > 0")]
    assert tried in ([], ["S_0"])


@pytest.mark.parametrize(
    ("url", "destination"),
    [
        ("http://127.0.0.1:9/a?b", "127.0.0.1:9"),
        ("http://127.0.0.1/", "127.0.0.1:80"),
        ("HTTPS://Shop.Example", "shop.example:443"),
        ("http://[::1]:8/x", "[::1]:8"), ("http://user@127.0.0.1/", ""), ("javascript:alert(1)", ""),
        ("http://127.0.0.1/" + "x" * 3000, ""),
    ],
)  # fmt: skip
def test_a_destination_is_host_and_port(url: str, destination: str) -> None:
    assert destination_of(url) == destination


def test_a_clock_that_stands_still_lets_what_is_due_be_delivered(folder: Path, merchant: MerchantServer) -> None:
    clock = FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))
    with running_sandbox(folder, wall=clock) as sandbox:
        sandbox.control("POST", "clock/freeze")
        with sandbox.client(clock=clock) as client:
            place(client, "ORD_1", notify_url=merchant.url)
        sandbox.pay("ORD_1")
        merchant.wait_for(1)
