"""kill -9 at random moments: what was acknowledged is there, nothing is there twice, and what is due is told.

Every run kills a real process while two clients place, pay and refund, and the merchant's server takes notifications; the
next process on the same folder answers for it.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from http.client import HTTPException
from itertools import count
from pathlib import Path
from random import Random
from threading import Thread, Timer
from time import monotonic, sleep
from typing import Any

import pytest

from paywright_sandbox.gateway import open_store
from tests.sandbox.helpers.merchant_server import ACKNOWLEDGED, Got, MerchantServer, merchant_server
from tests.sandbox.helpers.plain import PlainClient

CLIENTS = 2
BROKEN = (OSError, HTTPException)


class Acts:
    """What the clients did: what was begun, and what was acknowledged. Each client has keys of its own."""

    def __init__(self) -> None:
        self.begun: set[str] = set()
        self.orders: dict[str, str] = {}
        self.paid: set[str] = set()
        self.refunds: dict[str, str] = {}
        self.wrong: list[Exception] = []
        self.cut = 0
        self.had_happened = 0

    def copied(self) -> "Acts":
        copy = Acts()
        copy.orders, copy.refunds = dict(self.orders), dict(self.refunds)
        return copy


class Served:
    """A sandbox process on a folder."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "paywright_cli", "sandbox", "--dir", str(folder), "--port", "0", "--quiet"]  # fmt: skip
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env)
        self.watch = Timer(120, self.process.kill)
        self.watch.daemon = True
        self.watch.start()
        assert self.process.stdout is not None
        found = re.match(r"Serving the gateway on http://127\.0\.0\.1:(\d+) ", self.process.stdout.readline())
        assert found
        self.port = int(found[1])

    def kill(self) -> None:
        self.watch.cancel()
        self.process.kill()  # SIGKILL
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


def place(client: PlainClient, key: str, url: str) -> dict[str, Any]:
    return client.checkout(key, notifyUrl=url)


def refund(client: PlainClient, key: str, url: str) -> dict[str, Any]:
    """Refunds half of an order; the refund's key is that of the order and a letter."""
    data = {"outRefundNo": key, "refundAmount": 5.25, "refundCurrency": "USD", "outTradeNo": key[:-1], "refundNotifyUrl": url}  # fmt: skip
    return client.call("refund", "1.5", data)


def shown_refund(client: PlainClient, key: str) -> dict[str, Any]:
    answer = client.call("refundQuery", "1.5", {"outRefundNo": key})
    assert answer["code"] == "APPLY_SUCCESS", answer
    data: dict[str, Any] = answer["data"]
    return data


def work(served: Served, folder: Path, acts: Acts, name: str, url: str, random: Random) -> None:
    """One client: it places orders, pays most and refunds some in one or two parts, until the sandbox is gone."""
    client = PlainClient(served.port, folder)
    try:
        for number in count():
            key = f"{name}_{number}_"
            acts.begun.add(key)
            answer = place(client, key, url)
            assert answer["code"] == "APPLY_SUCCESS", answer
            acts.orders[key] = answer["data"]["tradeToken"]
            if random.random() < 0.3:
                continue
            assert client.control("POST", f"orders/{key}/pay")["status"] == "SUCCESS"
            acts.paid.add(key)
            for part in "ab"[: random.randint(0, 2)]:
                acts.begun.add(key + part)
                answer = refund(client, key + part, url)
                assert answer["code"] == "APPLY_SUCCESS", answer
                acts.refunds[key + part] = answer["data"]["refundTradeNo"]
    except BROKEN:
        acts.cut += 1
    except Exception as error:  # a thread's failure is the test's
        acts.wrong.append(error)
    finally:
        client.close()


def judge(client: PlainClient, acts: Acts, known: Acts) -> None:
    """The next process knows all that was acknowledged since, once, and what was cut off happened wholly or not at all."""
    for key in acts.orders.keys() - known.orders.keys():
        found = client.query(key)
        assert found["code"] == "APPLY_SUCCESS", (key, found)
        assert found["data"]["status"] == "SUCCESS" or key not in acts.paid
        assert client.checkout(key.swapcase())["code"] == "ORDER_REPEAT"
    for key in acts.refunds.keys() - known.refunds.keys():
        assert shown_refund(client, key)["refundTradeNo"] == acts.refunds[key]
        assert client.refund(key, key[:-1], 0.01)["code"] == "ORDER_REPEAT"


def settle(client: PlainClient, acts: Acts, url: str) -> None:
    """What got no answer is done again: it is refused if it had happened, and after that it has in any case."""
    for key in sorted(acts.begun - acts.orders.keys() - acts.refunds.keys()):
        do = place if key.endswith("_") else refund
        code = do(client, key, url)["code"]
        assert code in ("APPLY_SUCCESS", "ORDER_REPEAT")
        acts.had_happened += code == "ORDER_REPEAT"
        assert do(client, key, url)["code"] == "ORDER_REPEAT"
        if do is place:
            acts.orders[key] = ""
        else:
            acts.refunds[key] = shown_refund(client, key)["refundTradeNo"]


def told(shop: MerchantServer) -> Counter[tuple[str, str]]:
    counted: Counter[tuple[str, str]] = Counter()
    for got in list(shop.got):
        body = json.loads(got.raw)
        kind = body["notifyType"]
        counted[kind, body["data"]["outRefundNo" if kind == "REFUND" else "outTradeNo"]] += 1
    return counted


def killed(folder: Path, kills: int, seed: int) -> Counter[str]:
    """One folder, so many kills. Returns what was counted."""
    file = folder / "sandbox.toml"
    # Refunds fall due while the process is dead, and attempts that were cut off or refused come again soon.
    policies = (
        'refund-settles-after = 1\nnotification-schedule = ["0", "1", "2", "3", "5", "8", "13", "21", "34", "60"]\n'
    )
    text, found = re.subn(r"(?m)^\[policies\].*\n", rf"\g<0>{policies}", file.read_text(encoding="utf-8"))
    assert found == 1
    file.write_text(text, encoding="utf-8")
    acts, random, answers = Acts(), Random(seed), Random(seed + 1)
    known = acts.copied()

    def answered(got: Got) -> tuple[int, bytes]:
        sleep(answers.random() * 0.004)  # so that some processes die between sending and keeping what came of it
        return ACKNOWLEDGED if answers.random() < 0.9 else (500, b"")

    with merchant_server(folder / "keys" / "gateway.pub") as shop:
        shop.answers = answered
        served = Served(folder)
        try:
            for kill in range(kills):
                clients = [
                    Thread(
                        target=work,
                        args=(served, folder, acts, f"S{seed}_K{kill}_C{one}", shop.url, Random(random.random())),
                    )
                    for one in range(CLIENTS)
                ]
                for client in clients:
                    client.start()
                sleep(0.02 + random.random() * 0.2)
                served.kill()
                for client in clients:
                    client.join(600)
                    assert not client.is_alive()
                assert acts.wrong == []
                served = Served(folder)
                asking = PlainClient(served.port, folder)
                judge(asking, acts, known)
                settle(asking, acts, shop.url)
                asking.close()
                known = acts.copied()
            due = {("PAYMENT", key) for key in acts.paid} | {("REFUND", key) for key in acts.refunds}
            until = monotonic() + 600
            while due - told(shop).keys() and monotonic() < until:
                sleep(0.1)
            assert sorted(due - told(shop).keys()) == []
            asking = PlainClient(served.port, folder)
            judge(asking, acts, Acts())  # all of it again, from the first kill on
            asking.close()
        finally:
            served.kill()
    nothing_is_there_twice(folder, acts)
    counted = told(shop)
    return Counter(
        {
            "kills": kills,
            "orders": len(acts.orders),
            "refunds": len(acts.refunds),
            "calls cut off": acts.cut,
            "calls cut off that had happened": acts.had_happened,
            "notifications": counted.total(),
            "notifications that came again": sum(1 for times in counted.values() if times > 1),
        }
    )


def nothing_is_there_twice(folder: Path, acts: Acts) -> None:
    store = open_store(folder / "state.sqlite3")
    with store.transaction() as state:
        orders = [str(row["out_trade_no"]) for row in state.all("SELECT out_trade_no FROM orders")]
        refunds = [str(row["out_refund_no"]) for row in state.all("SELECT out_refund_no FROM refunds")]
        events = Counter(
            (str(row["kind"]), str(row["subject"]))
            for row in state.all("SELECT kind, subject FROM events WHERE kind NOT LIKE 'notification.attempted'")
        )
        parts = state.all("SELECT count(*) AS n FROM refunds GROUP BY order_id")
    store.close()
    assert sorted(orders) == sorted(acts.orders)
    assert sorted(refunds) == sorted(acts.refunds)
    assert all(isinstance(part["n"], int) and part["n"] <= 2 for part in parts)
    for key in acts.orders:
        assert events["order.created", key] == 1
        assert events["order.paid", key] <= 1
    for key in acts.refunds:
        assert (events["refund.created", key], events["refund.succeeded", key]) == (1, 1)
        assert events["notification.enqueued", key] == 1


@pytest.mark.parametrize(
    ("kills", "seed"),
    [pytest.param(3, 1, marks=pytest.mark.slow), *(pytest.param(25, seed, marks=pytest.mark.full) for seed in range(2, 10))],
)  # fmt: skip
def test_no_kill_loses_or_doubles_an_effect(folder: Path, record_property: Any, kills: int, seed: int) -> None:
    counted = killed(folder, kills, seed)
    for what, number in counted.items():
        record_property(f"count: sandbox kill -9: {what}", number)
    assert counted["orders"] > counted["kills"]
