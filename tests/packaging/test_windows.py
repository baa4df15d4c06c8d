"""Everything runs where Python has not what it has on POSIX alone: no real Windows, but what it lacks is taken away."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from paywright_sandbox.init import read_env
from tests.cli.helpers.command_line import paywright
from tests.cli.helpers.listening_process import listening, program
from tests.support.packages import PACKAGES
from tests.support.tiny import SPEC

AWAY = os.pathsep.join([str(Path(__file__).parent / "windows"), PACKAGES])
# Texts are not UTF-8 by themselves there. PYTHONUTF8 is of the helper.
WINDOWS = {"PYTHONPATH": AWAY, "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252", "PYTHONWARNDEFAULTENCODING": "1"}

SHOP = """
from paywright import Event, ItemResult, Receiver, Transfer
from paywright_receiver import SqliteLedger

receiver = Receiver.from_env(SqliteLedger("shop.db"))


@receiver.on_result("orders")
def ended(event: Event[ItemResult]) -> None:
    print("ended:", event.data.key, event.data.state)


@receiver.on_receive
def transfer(event: Event[Transfer]) -> None:
    print("received:", event.data.status)
"""

BUY = """
import asyncio, os, sqlite3
from contextlib import closing
from decimal import Decimal
from paywright import Client
from paywright_receiver import Follower
from paywright.aio import Client as AwaitedClient
from paywright_audit import Recorder, recorded_client
from shop import receiver

order = {
    "subject": "Tickets \\u0e1a\\u0e31\\u0e15\\u0e23", "total_amount": Decimal("10.50"), "currency": "USD",
    "user_id": "user_7001", "front_callback_url": "https://shop.example/back",
}

async def awaited():
    async with AwaitedClient.from_env() as client:
        print(await client.orders.checkout(out_trade_no="ORD_2", **order))

recorder = Recorder("seen")
with closing(recorder), recorded_client(Client.from_env(), recorder) as client:
    with closing(sqlite3.connect("shop.db")) as db, db:
        Follower(client, receiver.ledger, receiver=receiver).open(db, client.orders.follow("ORD_1", total_amount=Decimal("10.50"), currency="USD"))
    client.orders.checkout(out_trade_no="ORD_1", **order)
    print(client.orders.query(out_trade_no="ORD_1").status)
asyncio.run(awaited())
"""

LACKS = {
    "a module": "import fcntl",
    "a function": "import os; os.fork",
    "a folder opened": "import os; os.open('.', os.O_RDONLY)",
    "a signal": "import signal; signal.signal(1, signal.SIG_IGN)",
    "a handler in a loop": "import asyncio\nasync def main(): asyncio.get_running_loop().add_signal_handler(2, print)\nasyncio.run(main())",
    "poll": "import select; select.poll()",
    "select on a pipe": "import os, select; select.select(os.pipe()[:1], [], [], 0)",
    "a file replaced while it is open": "import os; one = open('one', 'w'); open('two', 'w').close(); os.replace('two', 'one')",
    "a file removed while it is open": "import os; one = open('one', 'w'); os.remove('one')",
    "a temporary file opened twice": "import tempfile; one = tempfile.NamedTemporaryFile(); open(one.name)",
    "a read-only file removed": "import os; open('one', 'w').close(); os.chmod('one', 0o400); os.remove('one')",
    "a colon in a name": "open('12:30', 'w')",
    "any text printed": "print('\\u0e1a')",
}


@pytest.mark.slow
@pytest.mark.parametrize("code", LACKS.values(), ids=LACKS)
def test_it_is_taken_away(code: str, tmp_path: Path) -> None:
    tried = f"try:\n    exec({code!r})\nexcept Exception:\n    print('refused')"
    for env, refused in ((WINDOWS, True), ({}, False)):
        folder = tmp_path / str(refused)
        folder.mkdir()
        assert ("refused" in paywright("-c", tried, program=(), cwd=folder, env=env).out) == refused


@pytest.mark.slow
def test_a_shop_its_sandbox_its_follower_and_its_audit_run_without_it(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP, encoding="utf-8")
    (tmp_path / "buy.py").write_text(BUY, encoding="utf-8")
    env = dict(WINDOWS)

    def run(*arguments: str, code: int = 0, program: tuple[str, ...] = ("-m", "paywright_cli")) -> str:
        done = paywright(*arguments, program=program, cwd=tmp_path, env=env)
        assert done.code == code, (arguments, done)
        return done.out + done.err

    assert "mode" not in run("keys", "generate", "--dir", "other"), "nobody is kept out by it"
    run("sandbox", "init", "shop")
    env.update(read_env(tmp_path / "shop"))
    keys = ("--merchant-key", "shop/keys/merchant.pub", "--gateway-key", "shop/keys/gateway.pub")
    with listening("--receiver", "shop:receiver", cwd=tmp_path, env=env) as shop:
        command = ("-m", "paywright_cli", "sandbox", "--dir", "shop", "--port", "0", "--notify", shop.url)
        with program(*command, cwd=tmp_path, env=env) as sandbox:
            env["PAYWRIGHT_BASE_URL"] = sandbox.url
            at = ("--url", sandbox.url)
            assert "PENDING" in run("buy.py", program=())
            run("sandbox", "snapshot", "save", "before.sqlite", *at)
            run("sandbox", "trigger", "pay", "ORD_1", *at)
            shop.wait_for("ended: ORD_1 SUCCESS")
            run("sandbox", "trigger", "receive", "amount=40.00", "currency=USD", *at)
            shop.wait_for("received: TO_BE_PROVED")
            assert shop.stop() == 0
            run("sandbox", "trigger", "pay", "ORD_2", *at)
            for action in (
                ("open", "orders", "ORD_2", "totalAmount=10.50", "currency=USD"),
                ("hint", "orders", "ORD_2"),
            ):
                run("follow", action[0], "--receiver", "shop:receiver", *action[1:])
            command = ("-m", "paywright_cli", "follow", "run", "--every", "5m", "--receiver", "shop:receiver")
            with program(*command, cwd=tmp_path, env=env, first="ended: ORD_2 SUCCESS") as follower:
                follower.wait_for("nothing is open")
                assert follower.stop() == 0
            assert "PAYMENT" in run("notifications", "list", "--ledger", "shop.db")
            run("doctor", "--ledger", "shop.db")
            for name in ("log.jsonl", "log.jsonl"):
                assert ": 0 exchanges" not in run("sandbox", "log", "--output", name, *at)
            for name in ("report.html", "report.html", "report.jsonl"):
                run("audit", "log.jsonl", *keys, "--jobs", "2", "--write", name)
            run("audit", *(f"seen/{name}" for name in os.listdir(tmp_path / "seen")), *keys, "--require", "exchanges")
            run("sandbox", "snapshot", "restore", "before.sqlite", *at)
            run("sandbox", "snapshot", "save", "before.sqlite", *at)
            assert sandbox.stop() == 0


@pytest.mark.slow
def test_a_package_is_generated_without_it(tmp_path: Path) -> None:
    command = ("contract", "generate", "--spec", SPEC, "--out", tmp_path, "--package", "tinypay")
    assert paywright(*command, env=WINDOWS).code == 0
    (tmp_path / "tinypay" / "client.py").unlink()
    assert "client.py" in paywright(*command, env=WINDOWS).out
    for name in ("check", "lint", "coverage"):
        assert paywright("contract", name, env=WINDOWS).code == 0
