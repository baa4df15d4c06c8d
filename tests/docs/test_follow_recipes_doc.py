"""docs/follow.md: its recipes for Django and Celery follow real orders, also when their process is killed."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from decimal import Decimal
from pathlib import Path

import pytest

from paywright_receiver import Follower, SqliteLedger
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.docs.pages import environment
from tests.docs.test_follow_doc import COMMAND, SHOP, TASKS
from tests.docs.test_paid_doc import FILES

NUMBERS = ["ORD_1", "ORD_2", "ORD_3"]
PAID = [(number, "SUCCESS") for number in NUMBERS]
BOOKS = "    event.transaction.execute(change, (event.data.state, event.data.key))\n"
DIES_ONCE = """\
    import os, pathlib, signal
    event.transaction.execute("INSERT INTO effects VALUES (?)", (event.data.key,))
    if (once := pathlib.Path("die")).exists():
        once.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
"""
SETTINGS_OF_CELERY = """\
from tasks import app

app.conf.beat_schedule["follow"]["schedule"] = 0.5
folders = {"data_folder_in": "queue", "data_folder_out": "sent", "control_folder": "control"}
app.conf.update(broker_url="filesystem://", broker_transport_options=folders)
"""
TWICE_AT_ONCE = """\
from concurrent.futures import ThreadPoolExecutor
import tasks

tasks.app.conf.update(task_always_eager=True, task_eager_propagates=True)
with ThreadPoolExecutor(2) as pool:
    for sent in [pool.submit(tasks.follow.delay) for _ in range(4)]:
        assert sent.result().successful()
assert tasks.follow.delay().successful()
"""
CALLED = """\
import sqlite3
import django
from django.core.management import CommandError, call_command

django.setup()
call_command("follow")
call_command("follow")
with sqlite3.connect("shop.db") as db:
    db.execute("DROP TABLE paywright_items")
try:
    call_command("follow")
except CommandError as error:
    print("ended with", error.returncode)
"""


@pytest.fixture(scope="module", name="sandbox")
def paid_unnoticed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("gateway")) as running:
        for number in NUMBERS:
            with running.client() as client:
                client.orders.checkout(
                    out_trade_no=number, subject="A ticket", total_amount=Decimal("10.50"), currency="USD",
                    user_id="user_7001", front_callback_url="https://shop.example/back",
                )  # fmt: skip
            running.pay(number)
        yield running


def ask(folder: Path, query: str) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(folder / "shop.db")) as db, db:
        return db.execute(query).fetchall()


@pytest.fixture
def folder(tmp_path: Path, sandbox: RunningSandbox) -> Path:
    """A shop with both recipes, and three orders that were paid unnoticed."""
    pytest.importorskip("celery")
    assert BOOKS in SHOP
    commands = tmp_path / "shop_app" / "management" / "commands"
    commands.mkdir(parents=True)
    for name in ("queue", "sent", "control"):
        (tmp_path / name).mkdir()
    for path, text in {
        "paid_django.py": FILES["paid_django"],
        "project.py": 'from paid_django import *\n\nINSTALLED_APPS = ["shop_app"]\n',
        "shop_app/__init__.py": "",
        "shop_app/management/commands/follow.py": COMMAND,
        "shop.py": SHOP.replace(BOOKS, BOOKS + DIES_ONCE),
        "tasks.py": TASKS,
        "settled.py": SETTINGS_OF_CELERY,
    }.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    with closing(SqliteLedger(tmp_path / "shop.db")) as ledger, sandbox.client() as client:
        follower = Follower(client, ledger)
        for number in NUMBERS:
            follower.open(None, client.orders.follow(number, total_amount=Decimal("10.50"), currency="USD"))
            follower.hint("orders", number)
    for table in (
        "payments (number TEXT PRIMARY KEY, amount TEXT, state TEXT)",
        "orders (number, state)",
        "effects (number)",
    ):
        ask(tmp_path, f"CREATE TABLE {table}")
    for number in NUMBERS:
        ask(tmp_path, f"INSERT INTO payments VALUES ('{number}', '10.50', 'PLACED')")
        ask(tmp_path, f"INSERT INTO orders VALUES ('{number}', 'PLACED')")
    return tmp_path


@contextmanager
def program(folder: Path, sandbox: RunningSandbox, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    env = environment(folder, **sandbox.env, PYTHONUNBUFFERED="1", DJANGO_SETTINGS_MODULE="project")
    running = subprocess.Popen(
        [sys.executable, *arguments], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield running
    finally:
        running.kill()
        running.wait()


def ran(folder: Path, sandbox: RunningSandbox, *arguments: str) -> str:
    with program(folder, sandbox, *arguments) as running:
        out, _ = running.communicate(timeout=300)
        assert running.returncode == 0, out
        return out


def wait_until(holds: Callable[[], bool], folder: Path, *, beside: subprocess.Popen[str]) -> None:
    """Wait, and hand on each message once it is whole: a worker would take one from the folder while it is written."""
    end = time.monotonic() + 300
    while not holds():
        assert beside.poll() is None, beside.communicate()[0]
        assert time.monotonic() < end
        for message in (folder / "sent").iterdir():
            with suppress(ValueError):
                json.loads(message.read_bytes())
                message.rename(folder / "queue" / message.name)
        time.sleep(0.05)


@pytest.mark.slow
def test_the_django_command_runs_once_with_an_exit_code(folder: Path, sandbox: RunningSandbox) -> None:
    pytest.importorskip("django")
    first, second, last = ran(folder, sandbox, "-c", CALLED).splitlines()
    assert first.startswith("3 asked about, 3 handled; next due ")
    assert second.startswith("0 asked about, 0 handled; next due ")
    assert last == "ended with 1"


@pytest.mark.slow
def test_the_command_of_django_follows_until_it_is_told_to_end(folder: Path, sandbox: RunningSandbox) -> None:
    pytest.importorskip("django")
    with program(folder, sandbox, "-m", "django", "follow", "--every", "1") as running:
        assert running.stdout is not None
        assert running.stdout.readline().startswith("3 asked about, 3 handled; ")
        running.send_signal(signal.SIGTERM)
        out, _ = running.communicate(timeout=300)
        assert running.returncode == 0, out
    assert ask(folder, "SELECT number, state FROM payments ORDER BY number") == PAID


@pytest.mark.slow
def test_a_task_that_is_delivered_five_times_has_each_effect_once(folder: Path, sandbox: RunningSandbox) -> None:
    assert ran(folder, sandbox, "-c", TWICE_AT_ONCE) == ""
    assert ask(folder, "SELECT number, state FROM orders ORDER BY number") == PAID
    assert ask(folder, "SELECT number FROM effects ORDER BY number") == [(number,) for number in NUMBERS]


@pytest.mark.slow
def test_a_worker_that_is_killed_in_a_handler_is_taken_over_by_the_next(folder: Path, sandbox: RunningSandbox) -> None:
    celery = ("-m", "celery", "-A", "settled")
    worker = (*celery, "worker", "--pool", "solo", "--without-gossip", "--without-mingle", "--without-heartbeat")
    (folder / "die").touch()
    with program(folder, sandbox, *celery, "beat") as beat:
        wait_until(lambda: any((folder / "queue").iterdir()), folder, beside=beat)
        with program(folder, sandbox, *worker) as killed:
            wait_until(lambda: killed.poll() is not None, folder, beside=beat)
            assert killed.returncode == -signal.SIGKILL, killed.communicate()[0]
        assert ask(folder, "SELECT number FROM effects") == []
        with program(folder, sandbox, *worker) as running:
            wait_until(lambda: len(ask(folder, "SELECT number FROM effects")) == 2, folder, beside=running)
            # The time of what the first one leased is over.
            ask(folder, "UPDATE paywright_items SET lease_until = 0, due_at = 0 WHERE status = 'open'")
            ask(folder, "UPDATE paywright_notifications SET lease_until = 0 WHERE status = 'claimed'")
            wait_until(lambda: len(ask(folder, "SELECT number FROM effects")) == 3, folder, beside=running)
            running.send_signal(signal.SIGTERM)
            out, _ = running.communicate(timeout=300)
            assert (running.returncode, "Traceback" in out) == (0, False), out
    assert ask(folder, "SELECT number, state FROM orders ORDER BY number") == PAID
    assert ask(folder, "SELECT number FROM effects ORDER BY number") == [(number,) for number in NUMBERS]
