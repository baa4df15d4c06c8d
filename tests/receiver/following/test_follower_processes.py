"""Followers that are killed between two steps, and several of them beside receivers: every effect once, nothing forgotten."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import pytest

from paywright import Client, Event, ItemResult, Merchant, Receiver, contract
from paywright_receiver import Follower
from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import APP, LONG, key, order, sign
from tests.receiver.helpers.folders import ask, make_shop, store
from tests.receiver.helpers.worker import ledger_in
from tests.runtime.helpers.canned_gateway import Gateway, Reply, Seen

TOP = Path(__file__).resolve().parents[3]
WORKER = Path(__file__).parents[1] / "helpers" / "follow_worker.py"
SEAMS = (
    "after the lease", "before the claim", "after the claim", "within the handler", "before the commit",
    "after the commit",
)  # fmt: skip


def shown(seen: Seen) -> Reply:
    body: Any = contract.example("orders.query.response")
    number = seen.json["data"]["outTradeNo"]  # type: ignore[index]  # every query has data
    body["data"] |= {"outTradeNo": number, "status": "SUCCESS", "trade": {"amount": "10.5", "currency": "USD"}}
    return Reply(body)


@pytest.fixture
def gateway(gateway: Gateway) -> Gateway:
    gateway.reply = shown
    return gateway


@pytest.fixture(params=["sqlite", *LONG])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with keys, and a shop's table of effects beside the ledger and its book."""
    (tmp_path / "merchant.key").write_text(KeyPair(key(1)).private_pem)
    folder = make_shop(request, tmp_path, "CREATE TABLE effects (number TEXT, process INTEGER)")
    ledger_in(tmp_path).close()
    return folder


def start(folder: Path, base_url: str, seam: str = "none") -> subprocess.Popen[str]:
    path = os.pathsep.join(str(TOP / name) for name in ("generated", "runtime", "receiver"))
    return subprocess.Popen(
        [sys.executable, WORKER, folder, base_url, seam],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def opened(folder: Path, base_url: str, numbers: list[str]) -> Any:
    """Open orders that are due, and return the ledger."""
    ledger = ledger_in(folder)
    merchant = Merchant(app_id=APP, private_key=folder / "merchant.key", gateway_keys=[folder / "gateway.pub"])
    with Client(base_url=base_url, merchant=merchant) as client:
        follower = Follower(client, ledger)
        for number in numbers:
            follower.open(None, client.orders.follow(number))
            follower.hint("orders", number)
    return ledger


@pytest.mark.slow
def test_a_killed_follower_is_taken_over(folder: Path, gateway: Gateway, record_property: Any) -> None:
    numbers = [f"ORD_{count}" for count in range(len(SEAMS))]
    ledger = opened(folder, gateway.base_url, numbers)
    for seam in SEAMS:
        killed = start(folder, gateway.base_url, seam)
        assert killed.wait(120) == -signal.SIGKILL, (seam, killed.communicate())
        killed.communicate()
    last = start(folder, gateway.base_url)
    out, err = last.communicate(timeout=240)
    assert last.returncode == 0, err
    assert out.startswith("ready"), err
    assert sorted(number for (number,) in ask(folder, "SELECT number FROM effects")) == sorted(numbers)
    assert ledger.book.counts() == {"open": 0, "settled": len(numbers), "closed": 0}
    assert {entry.status for entry in ledger.list()} == {"done"}
    record_property("counts", f"{len(SEAMS):>8,}  followers killed between two steps")


@pytest.mark.slow
def test_killed_followers_have_each_effect_once(folder: Path, gateway: Gateway, record_property: Any) -> None:
    numbers = [f"ORD_{count}" for count in range(120)]
    ledger = opened(folder, gateway.base_url, numbers)
    random = Random(7)
    workers = [start(folder, gateway.base_url) for _ in range(2)]
    with ThreadPoolExecutor(2) as receivers:
        told = [receivers.submit(receive, folder, numbers[half::4]) for half in (0, 1)]
        for _ in range(6):
            victim = random.randrange(2)
            assert workers[victim].stdout is not None
            workers[victim].stdout.readline()  # it has begun
            workers[victim].kill()
            workers[victim].communicate()
            workers[victim] = start(folder, gateway.base_url)
        outcomes = Counter[str]()
        for one in told:
            outcomes.update(one.result(240))
    for worker in workers:
        _, err = worker.communicate(timeout=240)
        assert worker.returncode == 0, err
    assert set(outcomes) <= {"handled", "duplicate"}
    found = Counter(number for (number,) in ask(folder, "SELECT number FROM effects"))
    assert found == Counter(numbers)
    assert ledger.book.counts() == {"open": 0, "settled": len(numbers), "closed": 0}
    record_property("counts", f"{len(numbers):>8,}  orders of two followers killed at random, and two receivers")


def receive(folder: Path, numbers: list[str]) -> Counter[str]:
    """Receive notifications, each again until it is acknowledged, as the gateway sends them."""
    receiver = Receiver(app_id=APP, gateway_keys=[folder / "gateway.pub"], ledger=ledger_in(folder))

    @receiver.on_result("orders")
    def paid(event: Event[ItemResult]) -> None:
        mark = "?" if store(folder) == "SQLite" else "%s"
        event.transaction.execute(f"INSERT INTO effects VALUES ({mark}, 0)", (event.data.key,))

    outcomes: Counter[str] = Counter()
    for number in numbers:
        raw = json.dumps(order(number, at=datetime.now(UTC))).encode()
        reply = receiver.receive(raw, {"sign": sign(raw)})
        while not reply.acknowledged:
            assert reply.outcome == "in_progress", reply.why
            sleep(0.01)
            reply = receiver.receive(raw, {"sign": sign(raw)})
        outcomes[reply.outcome] += 1
    return outcomes
