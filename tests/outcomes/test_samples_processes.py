"""The documented samples in processes of the system that end at once, with a served sandbox and a database on the disk."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import shop

from paywright import Client, FixedClock
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.support.packages import PACKAGES

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

# Ends after so many statements, with no handler, no buffer and no transaction of Python's having its say.
_PROGRAM = """
import os, sqlite3, sys
import shop
database, key, left = sys.argv[1], sys.argv[2], int(sys.argv[3])

class Connection(sqlite3.Connection):
    def execute(self, *arguments):
        global left
        if left == 0:
            os._exit(9)
        left -= 1
        return super().execute(*arguments)

connection = sqlite3.connect(database, isolation_level=None, timeout=30, factory=Connection)
table = shop.PaymentTable(connection)
with shop.Client.from_env() as client:
    shop.place(client, table, "order", key, {"amount": "10.50", "currency": "USD", "subject": "Two tickets", "user_id": "user_7001"})
"""


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("gateway")) as running:
        yield running


@pytest.mark.slow
def test_a_process_that_ends_at_any_statement_leaves_what_the_job_can_settle(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    database = tmp_path / "shop.db"
    ended = [run(sandbox, database, f"EXIT_{left}", left) for left in range(1, 9)]
    assert set(ended) == {0, 9}
    later = FixedClock(datetime.now(UTC) + timedelta(seconds=shop.PaymentTable.HOLD + 60))
    with closing(shop.connect(str(database))) as connection, Client.from_env(sandbox.env) as client:
        shop.settle(client, shop.PaymentTable(connection, later))
        found = {payment.key: payment.state for payment in shop.PaymentTable(connection).all()}
    for left, code in enumerate(ended, start=1):
        key = f"EXIT_{left}"
        there = sandbox.control("GET", f"orders/{key}")[0] == 200
        assert found.get(key) in (("accepted",) if there else (None, "not_sent", "unknown")), f"{key} ended with {code}"
    assert "unknown" in found.values(), "one ended between storing and sending"
    assert sum(state == "accepted" for state in found.values()) > 1, "one ended between sending and storing"


@pytest.mark.slow
def test_processes_at_once_place_one_order(sandbox: RunningSandbox, tmp_path: Path) -> None:
    database = tmp_path / "shop.db"
    processes = [start(sandbox, database, "AT_ONCE", 10_000) for _ in range(4)]
    assert {process.wait() for process in processes} == {0}
    with closing(shop.connect(str(database))) as connection:
        (payment,) = shop.PaymentTable(connection).all()
    assert payment.state == "accepted"
    assert payment.url is not None


def start(sandbox: RunningSandbox, database: Path, key: str, left: int) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(EXAMPLES), PACKAGES])
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(database), key, str(left)],
        env={**os.environ, "PYTHONPATH": path, **sandbox.env},
    )


def run(sandbox: RunningSandbox, database: Path, key: str, left: int) -> int:
    return start(sandbox, database, key, left).wait()
