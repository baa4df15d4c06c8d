"""A real uWSGI: three workers over a client, a follower and a ledger that were used before it forked them in C."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from paywright_sandbox.testing import RunningSandbox, running_sandbox
from tests.support.ports import lasting_port

TOP = Path(__file__).resolve().parents[3]
# Of this very environment, because it is linked to one Python.
UWSGI = shutil.which("uwsgi", path=str(Path(sys.executable).parent))
WORKERS, TIMEOUT = 3, 4

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(UWSGI is None, reason="there is no uwsgi beside this Python: pip install pyuwsgi"),
]


class Shop:
    """The program under uWSGI."""

    def __init__(self, port: int, ledger: Path) -> None:
        self.port = port
        self.ledger = ledger

    def listens(self) -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", self.port)) == 0

    def send(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60 * TIMEOUT)
        try:
            connection.request("GET" if body is None else "POST", path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def ask(self, path: str) -> dict[str, Any]:
        status, body = self.send(path)
        assert status == 200
        found: dict[str, Any] = json.loads(body)
        return found

    def ask_at_once(self, *paths: str) -> list[dict[str, Any]]:
        """Ask as many workers as there are paths, each of which has one thread."""
        with ThreadPoolExecutor(len(paths)) as pool:
            return list(pool.map(self.ask, paths))

    def effects(self) -> list[str]:
        db = sqlite3.connect(self.ledger)
        try:
            return [number for (number,) in db.execute("SELECT number FROM effects ORDER BY number")]
        finally:
            db.close()


@contextmanager
def served(sandbox: RunningSandbox, folder: Path) -> Iterator[Shop]:
    shop = Shop(lasting_port(), folder / "shop.db")
    settings = {"PAYWRIGHT_TIMEOUT": str(TIMEOUT), "PAYWRIGHT_RETRIES": "0", "SHOP_LEDGER": str(shop.ledger)}
    command = ["--master", "--processes", str(WORKERS), "--enable-threads", "--need-app", "--die-on-term"]
    command += ["--http-socket", f"127.0.0.1:{shop.port}", "--home", sys.prefix, "--pythonpath", str(TOP)]
    command += ["--module", "tests.receiver.helpers.uwsgi_shop"]
    assert UWSGI is not None
    with (folder / "uwsgi.log").open("wb") as log:
        process = subprocess.Popen(
            [UWSGI, *command], env={**os.environ, **sandbox.env, **settings}, stdout=log, stderr=log
        )
    try:
        while not shop.listens():
            assert process.poll() is None
            time.sleep(0.05)
        yield shop
    finally:
        process.terminate()
        process.wait(600)
        print((folder / "uwsgi.log").read_text())


def test_workers_of_uwsgi_keep_deadlines_answers_and_effects(tmp_path: Path) -> None:
    with running_sandbox(tmp_path / "sandbox") as sandbox, served(sandbox, tmp_path) as shop:
        for currencies in (["EUR", "GBP", "JPY"], ["CHF", "SGD", "THB"]):
            sandbox.fault("drip", operation="rates.query", seconds=1, times=WORKERS)
            found = shop.ask_at_once(*(f"/rate?currency={currency}" for currency in currencies))
            assert [one["answer"] for one in found] == [f"{currency}USD" for currency in currencies]
        workers = {one["worker"] for one in found}
        assert len(workers) == WORKERS

        sandbox.fault("hang", operation="orders.query", seconds=600, times=WORKERS)
        hung = shop.ask_at_once(*["/order?number=ORD_1"] * WORKERS)
        assert {one["answer"] for one in hung} == {"NoAnswer"}
        assert {one["worker"] for one in hung} == workers
        assert min(one["seconds"] for one in hung) >= TIMEOUT
        assert [one["answer"] for one in shop.ask_at_once(*["/order?number=ORD_1"] * WORKERS)] == ["ORD_1"] * WORKERS

        told = sandbox.notification("transfer", requestNo="R1", status="SETTLED")
        with ThreadPoolExecutor(2 * WORKERS) as pool:
            sent = [pool.submit(shop.send, "/webhooks", told.body, dict(told.headers)) for _ in range(2 * WORKERS)]
            assert {one.result()[0] for one in sent} <= {200, 503}  # it is handled at this moment
        assert shop.send("/webhooks", told.body, dict(told.headers))[0] == 200
        sandbox.pay("ORD_1")
        assert shop.ask("/hint?number=ORD_1")["answer"] is True
        sandbox.fault("drip", operation="orders.query", seconds=1, times=1)
        handled = [one["answer"] for one in shop.ask_at_once(*["/run"] * WORKERS)]
        assert sorted(handled) == [0, 0, 1]
        assert shop.effects() == ["ORD_1", "R1"]
