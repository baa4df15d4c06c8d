"""docs/outcomes.md and docs/follow.md: a real worker of Celery ends calls and runs of a follower at its soft time limit."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pytest

from paywright import Client, Merchant
from paywright_receiver import Follower, SqliteLedger
from paywright_receiver.items.open_items import Item
from paywright_runtime.signing.keys import KeyPair
from tests.docs.pages import environment, python
from tests.docs.test_follow_doc import SHOP, TASKS
from tests.runtime.helpers.holding_peers import OVER, deaf, full_port, greeted, half_an_answer, silent
from tests.runtime.helpers.transport_servers import Script, Server

pytestmark = pytest.mark.slow

LIMIT = 10
WORKER = ("worker", "--concurrency", "8", "--without-gossip", "--without-mingle", "--without-heartbeat")
LIMITED = f"""\
import json
import os
from decimal import Decimal
from pathlib import Path

from celery.exceptions import SoftTimeLimitExceeded

import tasks
from paywright import Client, NotSent

app = tasks.app
app.conf.update(broker_url="filesystem://")
app.conf.update(broker_transport_options={{"data_folder_in": "queue", "data_folder_out": "queue", "control_folder": "control"}})
tasks.follow.soft_time_limit = {LIMIT}


def client(url):
    os.environ["PAYWRIGHT_BASE_URL"] = url
    return Client.from_env()


def place(url, size):
    client(url).orders.checkout(
        out_trade_no="ORD_1", subject="A ticket", total_amount=Decimal("10.50"), currency="USD", user_id="user_7001",
        front_callback_url="https://shop.example/back", extra={{"note": "z" * size}},
    )


def query(url, size):
    client(url).orders.query(out_trade_no="ORD_1")


@app.task(name="call", soft_time_limit={LIMIT})
def call(name, work, url, size):
    try:
        {{"place": place, "query": query, "follow": lambda url, size: tasks.follow()}}[work](url, size)
        ended = ["no limit"]
    except SoftTimeLimitExceeded as limit:
        ended = ["limit", *getattr(limit, "__notes__", [])]
    except Exception as error:
        ended = [repr(error)]
    Path(name + ".part").write_text(json.dumps(ended))
    os.replace(name + ".part", name + ".json")


try:
    query("http://127.0.0.1:1", 0)  # so that its children have imported everything
except NotSent:
    pass
"""


class Held(NamedTuple):
    peer: Script | None
    left: bool
    scheme: str = "http"
    size: int = 0


HELD = {
    "connecting": Held(None, False),
    "in_the_handshake": Held(greeted, False, "https"),
    "sending": Held(deaf, True, size=16 * 1024 * 1024),
    "waiting": Held(silent, True),
    "reading": Held(half_an_answer, True),
}


@pytest.fixture
def peers() -> Iterator[dict[str, tuple[str, Server | None]]]:
    """By name, an address and its server, that hold whoever calls them."""
    OVER.clear()
    found: dict[str, tuple[str, Server | None]] = {}
    with ExitStack() as open_:
        for name, held in {**HELD, "query": HELD["waiting"], "follow": HELD["waiting"]}.items():
            server = None if held.peer is None else open_.enter_context(Server(held.peer))
            port = open_.enter_context(full_port()) if server is None else server.port
            found[name] = f"{held.scheme}://127.0.0.1:{port}", server
        yield found
        OVER.set()


def items(folder: Path) -> dict[str, Item]:
    with closing(SqliteLedger(folder / "shop.db")) as ledger:
        return {item.key: item for item in ledger.book.items()}


def wait_until(holds: Callable[[], bool], beside: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 300
    while not holds():
        assert beside.poll() is None, beside.communicate()[0]
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_worker_of_celery_ends_what_it_does_at_its_soft_time_limit(
    tmp_path: Path, peers: dict[str, tuple[str, Server | None]], merchant_keys: KeyPair, gateway_keys: KeyPair
) -> None:
    pytest.importorskip("celery")
    for name in ("queue", "control"):
        (tmp_path / name).mkdir()
    for name, text in {"shop.py": SHOP, "tasks.py": TASKS, "limited.py": LIMITED}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    env = {
        "PAYWRIGHT_APP_ID": "app_1",
        "PAYWRIGHT_TIMEOUT": "600",
        "PAYWRIGHT_BASE_URL": peers["follow"][0],
        "PAYWRIGHT_PRIVATE_KEY": merchant_keys.private_line,
        "PAYWRIGHT_GATEWAY_KEYS": gateway_keys.public_line,
    }
    merchant = Merchant(app_id="app_1", private_key=merchant_keys.private_line, gateway_keys=[gateway_keys.public_line])
    with closing(SqliteLedger(tmp_path / "shop.db")) as ledger:
        client = Client(base_url=peers["follow"][0], merchant=merchant)
        follower = Follower(client, ledger)
        for number in ("ORD_1", "ORD_2"):
            follower.open(None, client.orders.follow(number, total_amount=Decimal("10.50"), currency="USD"))
            follower.hint("orders", number)
    before = items(tmp_path)
    given = environment(tmp_path, **env)
    sent = [(name, "place", url, HELD[name].size) for name, (url, _) in peers.items() if name in HELD]
    sent += [(name, name, peers[name][0], 0) for name in ("query", "follow")]
    python(tmp_path, "-c", f"import limited\nfor one in {sent!r}:\n    limited.call.delay(*one)\n", env=given)
    with subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "limited", *WORKER],
        cwd=tmp_path, env=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as worker:  # fmt: skip
        try:
            wait_until(lambda: len(list(tmp_path.glob("*.json"))) == len(sent), worker)
            worker.send_signal(signal.SIGTERM)
            out, _ = worker.communicate(timeout=300)
        finally:
            worker.kill()
    for name, (_, server) in peers.items():
        ended = json.loads((tmp_path / f"{name}.json").read_text())
        unknown = name in HELD and HELD[name].left
        assert (ended[0], len(ended)) == ("limit", 2 if unknown else 1), (name, ended, out)
        assert all("'ORD_1' has an unknown outcome" in note for note in ended[1:])
        assert server is None or server.accepted == 1
    assert items(tmp_path) == before  # due as before, and nobody has asked for the second
    with closing(sqlite3.connect(tmp_path / "shop.db")) as db:
        assert db.execute("SELECT COUNT(*) FROM paywright_items WHERE lease_until > 0").fetchone() == (0,)
