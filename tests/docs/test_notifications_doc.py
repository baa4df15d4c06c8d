"""docs/notifications.md: its examples, pasted into files, served as the page says, and delivered to."""

from __future__ import annotations

import json
import re
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright_receiver import SqliteLedger
from paywright_receiver.webhooks import bill_questions
from paywright_receiver.webhooks.reply import STATUS
from paywright_runtime.signing.keys import KeyPair
from paywright_sandbox.testing import running_sandbox
from tests.cli.helpers.deliveries import post
from tests.docs.pages import Page, environment, python
from tests.receiver.helpers.delivery_table import cells, markdown
from tests.receiver.helpers.desk import APP, MERCHANT, bill, key, period, sign, transfer
from tests.support.ports import lasting_port

PAGE = Page("notifications")
_TEXT, FILES, GRANTS = PAGE.text, PAGE.files, PAGE.block("sql")
(KEEPING,) = [text for text in PAGE.blocks("python") if text not in FILES.values()]
COMMANDS, MONITORING = map(str.splitlines, PAGE.blocks("sh"))
SERVED = {
    "flask": ["-m", "flask", "--app", "shop_flask", "run", "--port"],
    "django": ["-m", "django", "runserver", "--noreload", "--settings", "shop_settings"],
    "fastapi": ["-m", "uvicorn", "shop_fastapi:app", "--port"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of the page, and what a merchant has beside them."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "gateway.pub").write_text(KeyPair(key()).public_pem)
    (tmp_path / "shop_settings.py").write_text(
        "ROOT_URLCONF = 'urls'\nALLOWED_HOSTS = ['127.0.0.1']\nSECRET_KEY = 'x'\n"
    )
    return tmp_path


def env(folder: Path) -> dict[str, str]:
    settings = {"APP_ID": APP, "MERCHANT_NO": MERCHANT, "GATEWAY_KEY_FILES": str(folder / "gateway.pub")}
    return environment(folder, **{f"PAYWRIGHT_{name}": value for name, value in settings.items()})


@contextmanager
def served(folder: Path, name: str) -> Iterator[int]:
    port = lasting_port()
    address = f"127.0.0.1:{port}" if name == "django" else str(port)
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, *SERVED[name], address], cwd=folder, env=env(folder), stdout=log, stderr=log
        )
    try:
        until = time.monotonic() + 600
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert server.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < until
                time.sleep(0.05)
        yield port
    finally:
        server.terminate()
        server.wait(600)


def deliver(port: int, body: dict[str, Any] | bytes, signature: str | None = None) -> tuple[int, dict[str, Any]]:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    status, _, answer = post(f"http://127.0.0.1:{port}/paywright", raw, signature or sign(raw))
    return status, json.loads(answer)


def credits(folder: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(folder / "shop.db") as db:
        return db.execute("SELECT number, amount FROM credits ORDER BY number").fetchall()


@pytest.mark.slow
@pytest.mark.parametrize("name", SERVED)
def test_the_example_receives(folder: Path, name: str) -> None:
    now = datetime.now(UTC)
    with served(folder, name) as port:
        for _ in range(3):
            assert deliver(port, transfer("R1", at=now)) == (200, {"msg": "Success", "code": "SUCCESS"})
        assert deliver(port, transfer("R1", "TO_BE_PROVED", at=now))[0] == 200
        assert deliver(port, transfer("R2", "REJECTED", at=now))[0] == 200
        for _ in range(2):
            assert deliver(port, period("SUB1", 3, at=now))[0] == 200
        raw = json.dumps(transfer("R3", at=now)).encode()
        assert deliver(port, raw.replace(b"R3", b"R4"), sign(raw))[0] == 401
        assert deliver(port, {**transfer("R3", at=now), "appId": "app_2"})[0] == 403
        status, answer = deliver(port, bill("BILL_1"))
        assert (status, answer["data"]["confirmation"], answer["data"]["maxAmount"]) == (200, "Y", 5000)
        status, answer = deliver(port, bill("BILL_2"))
        assert (status, answer["data"]["confirmation"]) == (200, "N")
    assert [number for number, _ in credits(folder)] == ["R1", "SUB1/3"]


@pytest.mark.slow
def test_what_failed_is_replayed_by_the_commands_of_the_page(folder: Path) -> None:
    with served(folder, "flask") as port:
        with sqlite3.connect(folder / "shop.db") as db:
            db.execute("DROP TABLE credits")
        assert deliver(port, transfer("R1", at=datetime.now(UTC)))[0] == 500
    # The page's own program makes the table again when it is imported.
    assert "failed     1" in run(folder, MONITORING[1])
    assert "above  failed 1" in run(folder, MONITORING[0].removesuffix(" --older 10m"), code=1)
    assert "ok  failed 0" in run(folder, MONITORING[0])
    listed, replayed = (run(folder, command) for command in COMMANDS)
    assert f"{APP}/RECEIVE/R1/SETTLED" in listed
    assert "handled" in replayed
    assert [number for number, _ in credits(folder)] == ["R1"]


def run(folder: Path, command: str, code: int = 0) -> str:
    program, *words = command.split()
    assert program == "paywright"
    return python(folder, "-m", "paywright_cli", *words, env=env(folder), code=code)


def test_what_is_kept_ends_by_the_code_of_the_page(folder: Path) -> None:
    now = datetime.now(UTC)
    with served(folder, "flask") as port:
        for number, status in (("A", 200), ("B", 409)):
            assert deliver(port, transfer("R1", at=now, channelTradeNo=number))[0] == status
    ledger = SqliteLedger(folder / "shop.db")
    assert {entry.status for entry in ledger.list()} == {"done", "conflict"}
    assert "other content for its key" in python(folder, "-c", KEEPING, env=env(folder))
    assert {entry.status for entry in ledger.list()} == {"done"}
    with sqlite3.connect(folder / "shop.db") as db:
        assert db.execute("SELECT count(*) FROM paywright_notifications WHERE body IS NOT NULL").fetchone() == (0,)


def test_the_tables_of_every_case_are_those_that_the_ledgers_are_tested_by() -> None:
    assert markdown() in _TEXT
    assert sum(1 for _ in cells()) > 17_000


def test_a_conflict_is_reconciled_by_the_function_of_the_page(folder: Path) -> None:
    bodies = [transfer("R1", at=datetime.now(UTC), channelTradeNo=one) for one in "ABB"]
    signed = [[json.dumps(body), sign(json.dumps(body).encode())] for body in bodies]
    code = (
        "import json, sys\nimport payments_conflicts\nfrom payments import receiver\n"
        "print([receiver.receive(raw.encode(), {'sign': sign}).outcome for raw, sign in json.load(sys.stdin)])"
    )
    said = python(folder, "-c", code, env=env(folder), given=json.dumps(signed))
    assert said == "['handled', 'handled', 'duplicate']\n"
    key = f"{APP}/RECEIVE/R1/SETTLED"
    with sqlite3.connect(folder / "shop.db") as db:
        assert db.execute("SELECT * FROM disputes").fetchall() == [(key, key, "content")]


def test_the_hook_of_the_page_hears_of_failures(folder: Path) -> None:
    raw = json.dumps(transfer("R1", at=datetime.now(UTC)))
    code = (
        "import sys\nfrom payments_watched import outcomes, receiver\n"
        f"receiver.receive(sys.stdin.buffer.read(), {{'sign': {sign(raw.encode())!r}}})\nprint(dict(outcomes))"
    )
    said = python(folder, "-c", code, env=env(folder), given=raw)
    line = FILES["payments_watched.py"].splitlines().index('    raise LookupError("no stock")') + 1
    place = f"the handler raised LookupError at payments_watched.py:{line}"
    assert said == f"{APP}/RECEIVE/R1/SETTLED {place} LookupError\n{{'failed': 1}}\n"


def test_the_table_of_outcomes_is_whole() -> None:
    rows = re.findall(r"^\| (\d+) \| (`[a-z_`, ]+) \| (.+) \|$", _TEXT, re.MULTILINE)
    listed = [(name, int(status), meaning) for status, names, meaning in rows for name in re.findall(r"[a-z_]+", names)]
    assert {name: status for name, status, _ in listed} == STATUS
    assert len(listed) == len(STATUS)
    by_choice = {name for name, _, meaning in listed if re.search(r"; 200 with `\w+=\"acknowledge\"`", meaning)}
    assert by_choice == {"conflict", "unhandled"}


def test_the_shop_of_the_page_follows_its_orders(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with running_sandbox(folder / "sandbox") as sandbox:
        for name, value in sandbox.env.items():
            monkeypatch.setenv(name, value)
        names: dict[str, Any] = {}
        exec(compile(FILES["payments_results.py"], "docs/notifications.md", "exec"), names)
        for number in ("ORD_1", "ORD_2"):
            assert names["place"](number, Decimal("10.50")).startswith(sandbox.base_url)
        sandbox.pay("ORD_1")
        for number in ("ORD_1", "ORD_2"):
            names["came_back"](number)
        names["run"]()
        names["client"].close()
    with sqlite3.connect(folder / "shop.db") as db:
        found = db.execute("SELECT number, amount, state FROM orders ORDER BY number").fetchall()
    assert found == [("ORD_1", "10.50", "SUCCESS"), ("ORD_2", "10.50", "PLACED")]
    assert names["follower"].counts() == {"open": 1, "settled": 1, "closed": 0}
    assert names["follower"].get("orders", "ORD_2").state == "PENDING"


@pytest.mark.slow
def test_the_example_on_postgresql(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    from tests.receiver.helpers.postgres_server import running_postgres

    with running_postgres() as server:
        server.ask("CREATE DATABASE shop")
        server.ask("CREATE ROLE shop LOGIN", "shop")
        server.ask("CREATE TABLE credits (number TEXT, amount NUMERIC)", "shop")
        server.ask("GRANT INSERT ON credits TO shop", "shop")
        server.ask("CREATE SCHEMA paywright", "shop")
        from paywright_receiver import PostgresLedger

        server.ask(PostgresLedger.tables("paywright"), "shop")
        server.ask(GRANTS, "shop")
        for name, value in {**env(folder), "PGHOST": str(server.folder), "PGUSER": "shop"}.items():
            monkeypatch.setenv(name, value)
        names: dict[str, Any] = {}
        exec(compile(FILES["payments_postgres.py"], "docs/notifications.md", "exec"), names)
        receive: Callable[..., Any] = names["receiver"].receive
        _receives_once(server, receive)


def _receives_once(server: Any, receive: Callable[..., Any]) -> None:
    raw = json.dumps(transfer("R1", at=datetime.now(UTC))).encode()
    assert [receive(raw, {"sign": sign(raw)}).outcome for _ in range(3)] == ["handled", "duplicate", "duplicate"]
    assert server.ask("SELECT number FROM credits", "shop") == [("R1",)]


def test_the_most_decisions_about_bills_are_as_the_page_says() -> None:
    assert f"with {bill_questions._AT_ONCE} decisions still running" in PAGE.text
