"""`paywright follow`: the real command, in processes of its own, over a real ledger and against the sandbox on loopback."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paywright_receiver import SqliteLedger
from paywright_runtime.error_text import ADVICE, advised
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.cli.helpers.command_line import Ended, paywright
from tests.receiver.helpers.desk import APP
from tests.sandbox.helpers.place import place
from tests.support.packages import PACKAGES

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server
from paywright_receiver.items.open_items import Item, ItemId

_NUMBERS = count()
READING = (["list"], ["list", "--status", "all"], ["report"])
CHANGING = (
    ["run", "--book-only"],
    ["open", "orders", "O"],
    ["hint", "orders", "O"],
    ["close", "orders", "O", "--why", "x"],
    ["move"],
)
# The shop's module: a handler that writes its effect in the ledger's transaction, and waits if a file says so.
SHOP = """\
from pathlib import Path
from time import sleep

from paywright import Event, ItemResult, Receiver
from paywright_receiver import SqliteLedger

receiver = Receiver.from_env(SqliteLedger("shop.db", timeout=0.2))
nothing = 7


@receiver.on_result("orders")
def ended(event: Event[ItemResult]) -> None:
    event.transaction.execute("INSERT INTO effects VALUES (?, ?)", (event.data.key, event.data.state))
    if Path("hold").exists():
        Path("in hand").touch()
        for _ in range(6_000):
            if Path("go on").exists():
                return
            sleep(0.01)
"""


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("gateway")) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A shop with a ledger and a table of effects in one database."""
    SqliteLedger(tmp_path / "shop.db").close()
    (tmp_path / "shop.py").write_text(SHOP)
    with closing(sqlite3.connect(tmp_path / "shop.db")) as db:
        db.execute("CREATE TABLE effects (key TEXT, state TEXT)")
    return tmp_path


def follow(folder: Path, *arguments: str | Path, env: Mapping[str, str] | None = None) -> Ended:
    return paywright("follow", *arguments, path=PACKAGES, cwd=folder, env=env)


def here(folder: Path) -> tuple[str, Path]:
    return "--ledger", folder / "shop.db"


def effects(folder: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(folder / "shop.db")) as db:
        return db.execute("SELECT key, state FROM effects ORDER BY key").fetchall()


def placed(sandbox: RunningSandbox, *, paid: bool = True) -> str:
    """Place an order, and pay it."""
    number = f"CMD_{next(_NUMBERS)}"
    with sandbox.client() as client:
        place(client, number)
    if paid:
        sandbox.pay(number)
    return number


def due(folder: Path, sandbox: RunningSandbox, *numbers: str) -> None:
    """Have orders followed, and due."""
    for number in numbers:
        words = ("orders", number, "totalAmount=10.50", "currency=USD")
        assert follow(folder, "open", *here(folder), *words, env=sandbox.env).code == 0
        assert follow(folder, "hint", *here(folder), "orders", number, env=sandbox.env).code == 0


@contextmanager
def started(folder: Path, *arguments: str, env: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAYWRIGHT_")}

    def take_signals() -> None:  # a shell has its background jobs ignore Ctrl-C, and the suite may be one
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    process = subprocess.Popen(
        [sys.executable, "-m", "paywright_cli", "follow", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**kept, "PYTHONPATH": PACKAGES, **env},
        preexec_fn=take_signals,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def line_with(stream: Any, text: str) -> str:
    """Read lines until one has the text. A process that ends without it fails the test."""
    for line in stream:
        if text in line:
            return str(line)
    raise AssertionError(f"it ended without saying {text!r}")


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    while not path.exists():
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.05)


# Running


@pytest.mark.slow
def test_a_run_calls_the_handlers_of_the_receiver_once(folder: Path, sandbox: RunningSandbox) -> None:
    number, later = placed(sandbox), placed(sandbox, paid=False)
    due(folder, sandbox, number, later)
    first = follow(folder, "run", "--receiver", "shop:receiver", env=sandbox.env)
    assert (first.code, first.err) == (0, "")
    assert f"SUCCESS  orders {number}  10.50 USD\n2 asked about, 1 handled; next due " in first.out
    again = follow(folder, "run", "--receiver", "shop:receiver", env=sandbox.env)
    # The order that is not paid may be due again by now.
    assert (again.code, re.match("[01] asked about, 0 handled; next due ", again.out) is not None) == (0, True)
    refused = follow(folder, "hint", *here(folder), "orders", number, env=sandbox.env)
    assert (refused.code, "is settled: it is not asked about. With --settled it is, once" in refused.err) == (1, True)
    noted = follow(folder, "hint", *here(folder), "orders", number, "--settled", env=sandbox.env)
    assert (noted.code, noted.out) == (0, f"noted  orders {number}  The next run asks about it.\n")
    assert effects(folder) == [(number, "SUCCESS")]
    (row,) = json.loads(follow(folder, "list", *here(folder), "--format", "json").out)
    assert (row["key"], row["state"], row["paid"], row["amount"]) == (later, "PENDING", False, "10.50")


@pytest.mark.slow
def test_a_run_without_a_receiver_is_refused(folder: Path, sandbox: RunningSandbox) -> None:
    number = placed(sandbox)
    due(folder, sandbox, number)
    refused = follow(folder, "run", *here(folder), env=sandbox.env)
    assert (refused.code, "no handler would record it in your shop" in refused.err) == (2, True)
    both = follow(folder, "run", "--receiver", "shop:receiver", "--book-only", env=sandbox.env)
    assert (both.code, "leave out --receiver" in both.err) == (2, True)
    ended = follow(folder, "run", *here(folder), "--book-only", "--format", "json", env=sandbox.env)
    result, run = map(json.loads, ended.out.splitlines())
    assert result == {
        "result": {
            "kind": "orders", "key": number, "state": "SUCCESS", "paid": True, "amount": "10.50", "currency": "USD"
        }
    }  # fmt: skip
    assert run["run"] == {
        "taken": 1, "asked": 1, "unanswered": 0, "handled": 0, "repeated": 0, "conflicts": 0, "failed": 0, "stopped": "", "nextDue": None,
        "elsewhere": [],
    }  # fmt: skip
    assert effects(folder) == []
    settled = follow(folder, "list", *here(folder), "--status", "settled")
    assert settled.out.startswith(f"settled     orders {number}  SUCCESS  10.50 USD  since ")


@pytest.mark.slow
def test_a_run_without_an_answer_says_so_by_its_exit_code(folder: Path, sandbox: RunningSandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    env = {**sandbox.env, "PAYWRIGHT_BASE_URL": address, "PAYWRIGHT_RETRIES": "0"}
    for number in ("A", "B", "C", "D", "E"):
        assert follow(folder, "open", *here(folder), "orders", number, env=env).code == 0
        assert follow(folder, "hint", *here(folder), "orders", number, env=env).code == 0
    ended = follow(folder, "run", "--receiver", "shop:receiver", "--limit", "1", env=env)
    assert (ended.code, ended.err) == (1, "")
    assert ended.out.startswith(
        "1 asked about, 0 handled, 1 without an answer and asked again later: `paywright follow"
    )
    assert "has no usable answer" in follow(folder, "list", *here(folder), env=env).out
    report = follow(folder, "report", *here(folder), "--older", "0s")
    assert "next: due since " in report.out
    assert "no `paywright follow run` is running" in report.out
    ended = follow(folder, "run", "--receiver", "shop:receiver", env=env)
    assert (ended.code, "the gateway gives no verified answer" in ended.err) == (1, True)
    assert "The rest stays due" in ended.err
    assert ended.out.startswith("4 asked about, 0 handled, 4 without an answer and asked again later: ")


@pytest.mark.slow
def test_a_handler_that_fails_is_named_and_tried_again(folder: Path, sandbox: RunningSandbox) -> None:
    (folder / "shop.py").write_text(SHOP.replace("INSERT INTO effects", "INSERT INTO nowhere"))
    due(folder, sandbox, placed(sandbox))
    ended = follow(folder, "run", "--receiver", "shop:receiver", env=sandbox.env)
    assert (ended.code, "1 failed and tried again later" in ended.out) == (1, True)
    assert "its result was not handled" in follow(folder, "list", *here(folder)).out


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_loop_ends_after_the_item_in_hand(number: signal.Signals, folder: Path, sandbox: RunningSandbox) -> None:
    orders = [placed(sandbox), placed(sandbox)]
    due(folder, sandbox, *orders)
    (folder / "hold").touch()
    with started(folder, "run", "--receiver", "shop:receiver", "--every", "1h", env=sandbox.env) as process:
        line_with(process.stdout, "following every 3600 seconds")
        wait_for(folder / "in hand", process)
        process.send_signal(number)
        (folder / "go on").touch()
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert out.endswith("ended by a signal, after the item in hand\n")
    assert effects(folder) == [(orders[0], "SUCCESS")]
    (row,) = json.loads(follow(folder, "list", *here(folder), "--format", "json").out)
    assert (row["key"], row["asked"]) == (orders[1], 0)


@pytest.mark.slow
def test_a_single_run_that_a_signal_ends_says_so_by_its_exit_code(folder: Path, sandbox: RunningSandbox) -> None:
    due(folder, sandbox, placed(sandbox), placed(sandbox))
    (folder / "hold").touch()
    with started(folder, "run", "--receiver", "shop:receiver", env=sandbox.env) as process:
        wait_for(folder / "in hand", process)
        process.send_signal(signal.SIGTERM)
        (folder / "go on").touch()
        out, _ = process.communicate(timeout=120)
    assert (process.returncode, "1 asked about, 1 handled" in out) == (143, True)


def test_a_loop_that_waits_ends_at_once(folder: Path, sandbox: RunningSandbox) -> None:
    with started(folder, "run", "--receiver", "shop:receiver", "--every", "30d", env=sandbox.env) as process:
        line_with(process.stdout, "following every")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert out.endswith("ended by a signal, after the item in hand\n")


@pytest.mark.slow
def test_a_loop_waits_for_a_database_that_is_away(folder: Path, sandbox: RunningSandbox) -> None:
    number = placed(sandbox)
    due(folder, sandbox, number)
    with (
        closing(sqlite3.connect(folder / "shop.db", timeout=60, isolation_level=None)) as other,
        started(folder, "run", "--receiver", "shop:receiver", "--every", "1s", env=sandbox.env) as process,
    ):
        line_with(process.stdout, f"SUCCESS  orders {number}")
        other.execute("ALTER TABLE paywright_items RENAME TO away")
        assert "paywright: " in line_with(process.stderr, "It is tried again.")
        other.execute("ALTER TABLE away RENAME TO paywright_items")
        later = placed(sandbox)
        due(folder, sandbox, later)
        line_with(process.stdout, f"SUCCESS  orders {later}")
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
    assert effects(folder) == sorted([(number, "SUCCESS"), (later, "SUCCESS")])


# Items


def test_what_is_open_is_reported_with_an_exit_code_for_monitoring(folder: Path, sandbox: RunningSandbox) -> None:
    assert follow(folder, "report", *here(folder)).out == "ok  0 open for 0:30:00 or longer, at most 0\n"
    ledger = SqliteLedger(folder / "shop.db")
    ledger.book.open(item("due", None, "1", status="open", step="wait", why="it was placed", due_at=TIMES["on"]))
    ledger.book.open(item("undecided", None, None, status="open", step="decide", why="it was asked for a week"))
    ledger.book.open(item("again", None, None, status="open", step="place_again", why="the gateway does not have it"))
    ledger.book.open(item("young", None, None, status="open", opened_at=datetime.now(UTC)))
    ledger.book.open(item("settled"))
    ended = follow(folder, "report", *here(folder), "--older", "30m")
    assert (ended.code, ended.out.splitlines()[-1]) == (
        1,
        "above  3 open for 0:30:00 or longer, at most 0 (1 decide, 1 place_again, 1 wait)",
    )
    assert (
        "decide      orders undecided  no state shown  amount not shown  since 2026-11-22T12:00:00+00:00  at https://gateway.example:443\n"
        in ended.out
    )
    assert "            it was asked for a week\n" in ended.out
    assert "a person decides, as the reason says; nothing more is asked" in ended.out
    assert "next: due since 2026-11-22T12:00:00+00:00; if this stays so, no `paywright follow run`" in ended.out
    assert ADVICE["place_again"] in ended.out
    short = follow(folder, "report", *here(folder), "--at-most", "3", "--most", "1", "--format", "json")
    found = json.loads(short.out)
    assert (short.code, found["open"], found["atMost"], len(found["items"])) == (0, 3, 3, 1)
    assert found["steps"] == {"wait": 1, "decide": 1, "place_again": 1}
    other = follow(folder, "report", *here(folder), "--app-id", APP, "--older", "9000d")
    assert (other.code, other.out.startswith("ok  0 open")) == (0, True)


def test_items_are_listed_by_status_kind_and_key(folder: Path) -> None:
    book = SqliteLedger(folder / "shop.db").book
    for number, status in (("A", "open"), ("B", "settled"), ("C", "closed")):
        book.open(item(number, status=status, why=f"it is {number}\x1b[2J"))

    def listed(*arguments: str) -> list[str]:
        return [
            row["key"] for row in json.loads(follow(folder, "list", *here(folder), "--format", "json", *arguments).out)
        ]

    assert listed() == ["A"]
    assert listed("--status", "all") == ["A", "B", "C"]
    assert listed("--kind", "refunds") == []
    text = follow(folder, "list", *here(folder), "--status", "all", "--most", "1").out
    assert "it is A\\u{1b}[2J" in text
    assert text.endswith("more are there: --most N lists more\n")
    assert follow(folder, "list", *here(folder), "--kind", "refunds").out == "nothing\n"


@pytest.mark.slow
def test_an_item_is_opened_once_and_closed_once(folder: Path, sandbox: RunningSandbox) -> None:
    def done(*arguments: str) -> tuple[int, str]:
        ended = follow(folder, arguments[0], *here(folder), *arguments[1:], env=sandbox.env)
        return ended.code, ended.out or ended.err

    code, said = done("open", "orders", "O_1", "totalAmount=-10.50")
    assert (code, "total_amount is not below 0" in said) == (2, True)
    first = done("open", "orders", "O_1", "totalAmount=10.50", "--expires", "2126-01-01T00:00:00+00:00")
    assert (first[0], first[1].startswith("opened  orders O_1  It is asked about at ")) == (0, True)
    assert done("open", "orders", "O_1", "totalAmount=10.50")[1].startswith("open already  orders O_1")
    code, said = done("open", "orders", "O_1", "totalAmount=11")
    assert (code, "is registered already, with other content" in said) == (2, True)
    assert re.search(r"`paywright follow open --correct --ledger \S+` for arguments that were mistyped", said)
    assert done("open", "orders", "O_1", "totalAmount=11", "--correct")[1].startswith(
        "corrected  orders O_1  It is asked"
    )
    assert done("open", "orders", "O_1", "totalAmount=11", "--correct")[1].startswith("correct already  orders O_1")
    assert done("open", "orders", "O_2", "totalAmount=11", "--correct")[0] == 2
    code, said = done("open", "orders", "O_1", "--correct", "--expires", "2126-02-01T00:00:00+00:00")
    assert (code, "with totalAmount too" in said) == (2, True), "an answer of any amount would count"
    code, said = done("close", "orders", "O_1", "--why", "by phone")
    assert (code, advised("closed") in said) == (0, True)
    assert done("close", "orders", "o_1", "--why", "again") == (
        1,
        "paywright: orders 'O_1' is closed already: by phone\n",
    )
    assert said.endswith(" If it moved money, record that by hand, and say so with --state.\n")
    code, said = done("close", "orders", "O_1", "--why", "by phone", "--state", "SUCCESS")
    assert (code, said.endswith(" A webhook or an answer with SUCCESS has no effect any more.\n")) == (0, True)
    assert done("hint", "orders", "O_1")[0] == 0  # it is asked about once more, and stays closed
    code, said = done("close", "orders", "O_2", "--why", "x")
    assert (code, "orders 'O_2' is not registered" in said) == (1, True)
    assert done("close", "orders", "O_1", "--why", " ")[0] == 2
    assert done("open", "subscriptions", "P_1")[0] == 0
    code, said = done("hint", "subscriptions", "P_1", "--settled")
    assert (code, "is not asked about: no query shows it" in said) == (1, True)


# Bad input


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["open", "cards", "O"], "cards"),
        (["open", "orders", "O", "totalAmount"], "'totalAmount' is not NAME=VALUE"),
        (["open", "orders", "O", "currency=USD", "currency=USD"], "is there twice"),
        (["open", "orders", "O", "totalAmount=ten"], "totalAmount is a number in plain digits"),
        (["open", "orders", "O", "colour=red"], "not 'colour'"),
        (["open", "orders", "O", "--expires", "2026-11-22"], "argument --expires: a time with its offset"),
        (["run", "--book-only", "--every", "0s"], "--every is a second or more"),
        (["run", "--book-only", "--every", "soon"], "write it as 90d"),
        (["run", "--book-only", "--limit", "0"], "--limit is 1 or more"),
        (["redeliver", "orders", "O"], "name --receiver MODULE:RECEIVER"),
    ],
)
def test_bad_input_is_refused(arguments: list[str], says: str, folder: Path, sandbox: RunningSandbox) -> None:
    ended = follow(folder, arguments[0], *here(folder), *arguments[1:], env=sandbox.env)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err


@pytest.mark.slow
def test_what_does_not_fit_together_is_refused_with_words(folder: Path, sandbox: RunningSandbox) -> None:
    cases: list[tuple[list[str | Path], dict[str, str], str]] = [
        (["run", "--receiver", "shop:nothing"], {}, "--receiver shop:nothing: it is a int, not a paywright.Receiver"),
        (["run", "--receiver", "nowhere:receiver"], {}, "--receiver: there is no module nowhere"),
        (["list"], {}, "name either --ledger FILE or --receiver"),
        (["hint", *here(folder), "orders", "O"], {"PAYWRIGHT_BASE_URL": ""}, "PAYWRIGHT_BASE_URL"),
        (["list", *here(folder), "--schema", "s"], {}, "--schema needs a postgresql:// ledger"),
    ]
    for arguments, env, says in cases:
        ended = follow(folder, *arguments, env={**sandbox.env, **env})
        assert (ended.code, says in ended.err) == (2, True), ended


# Reading makes nothing


@pytest.mark.parametrize("action", [*READING, *CHANGING], ids=lambda action: action[0])
def test_no_command_makes_a_ledger(action: list[str], tmp_path: Path, sandbox: RunningSandbox) -> None:
    ended = follow(tmp_path, *action, "--ledger", "none.db", env=sandbox.env)
    assert (ended.code, "there is no ledger" in ended.err) == (2, True)
    assert list(tmp_path.iterdir()) == []
    with closing(sqlite3.connect(tmp_path / "shop.db")) as db:
        db.execute("CREATE TABLE orders (number TEXT)")
    before = (tmp_path / "shop.db").read_bytes()
    ended = follow(tmp_path, *action, *here(tmp_path), env=sandbox.env)
    code = 3 if action[0] == "report" else 1
    assert (ended.code, "There is no ledger" in ended.err) == (code, True)
    assert (tmp_path / "shop.db").read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["shop.db"]


@pytest.mark.slow
@pytest.mark.parametrize("action", [*READING, *CHANGING], ids=lambda action: action[0])
def test_no_command_makes_a_schema_or_tables_in_postgresql(
    action: list[str], tmp_path: Path, sandbox: RunningSandbox, postgres: Server, schema: str
) -> None:
    address = f"postgresql:///postgres?host={postgres.folder}&user=paywright"
    postgres.ask(f"CREATE SCHEMA empty_{schema}")
    for name in (schema, f"empty_{schema}"):
        ended = follow(tmp_path, *action, "--ledger", address, "--schema", name, env=sandbox.env)
        assert (ended.code in (1, 3), f"There is no ledger in the schema {name}" in ended.err) == (True, True)
    assert postgres.ask(f"SELECT count(*) FROM pg_namespace WHERE nspname = '{schema}'") == [(0,)]
    where = f"relnamespace = 'empty_{schema}'::regnamespace"
    assert postgres.ask(f"SELECT count(*) FROM pg_class WHERE {where}") == [(0,)]


# Other addresses, other merchants


def renamed(sandbox: RunningSandbox) -> dict[str, str]:
    """The settings after the gateway's address has changed: the same one, under another name."""
    found = {name: value.replace("127.0.0.1", "localhost") for name, value in sandbox.env.items()}
    assert found != sandbox.env
    return found


@pytest.mark.slow
def test_handlers_are_called_again_for_one_item_or_for_a_counted_number(folder: Path, sandbox: RunningSandbox) -> None:
    numbers = placed(sandbox), placed(sandbox)
    due(folder, sandbox, *numbers)

    def redeliver(*arguments: str) -> tuple[int, str]:
        ended = follow(folder, "redeliver", "--receiver", "shop:receiver", *arguments, env=sandbox.env)
        return ended.code, ended.out or ended.err

    assert redeliver("orders", numbers[0])[0] == 1  # nothing is known of it yet
    assert follow(folder, "run", "--receiver", "shop:receiver", env=sandbox.env).code == 0
    booked = [(number, "SUCCESS") for number in numbers]
    with closing(sqlite3.connect(folder / "shop.db")) as db, db:
        db.execute("DELETE FROM effects")  # a backup of before was put in place
    assert redeliver("orders", numbers[0].lower()) == (0, f"handled  orders {numbers[0]}  SUCCESS\n")
    assert effects(folder) == booked[:1]
    with closing(sqlite3.connect(folder / "shop.db")) as db, db:
        db.execute("DELETE FROM effects")
    since = ("--since", "2025-01-01T00:00:00+00:00")
    for code, confirm in ((0, ()), (1, ("--confirm", "3"))):
        found, said = redeliver(*since, *confirm)
        assert (found, said.count("SUCCESS  orders"), effects(folder)) == (code, 2, [])
        assert said.endswith("2 results. No handler was called. To call the handlers: --confirm 2\n")
    assert redeliver(*since, "--confirm", "2")[1].endswith("2 handled again, 0 not\n")
    assert effects(folder) == booked
    assert redeliver("--since", "2125-01-01T00:00:00+00:00", "--confirm", "0") == (0, "0 handled again, 0 not\n")
    code, said = redeliver("--since", "2125-01-01T00:00:00+00:00")
    assert (code, said) == (0, "nothing was handled since then: there is nothing to call a handler with\n")
    for words in ((*since, "orders", numbers[0]), ("orders",), ()):
        assert redeliver(*words) == (2, "paywright: name KIND and KEY, or --since TIME\n")


@pytest.mark.slow
def test_another_address_is_said_and_what_this_gateway_shows_is_moved(folder: Path, sandbox: RunningSandbox) -> None:
    paid, gone = placed(sandbox), "NEVER_PLACED"
    due(folder, sandbox, paid, gone)
    now, old = renamed(sandbox), sandbox.env["PAYWRIGHT_BASE_URL"]
    run = follow(folder, "run", "--receiver", "shop:receiver", env=now)
    assert (run.code, "nothing else is open" in run.out) == (0, True)
    assert f"Open items of {now['PAYWRIGHT_APP_ID']} that belong to {old} and" in run.err
    assert ": 2. If that" in run.err
    assert "paywright follow move" in run.err
    as_json = follow(folder, "run", "--receiver", "shop:receiver", "--format", "json", env=now)
    assert json.loads(as_json.out)["run"]["elsewhere"] == [
        {"appId": now["PAYWRIGHT_APP_ID"], "address": old, "items": 2}
    ]
    for words in (["hint"], ["close", "--why", "x"], ["open"]):
        refused = follow(folder, words[0], *here(folder), "orders", paid, *words[1:], env=now)
        assert (refused.code, "`paywright follow move --ledger" in refused.err) == (2, True), refused
    with closing(sqlite3.connect(folder / "shop.db")) as db, db:
        db.execute("UPDATE paywright_items SET due_at = due_at - 90000000000")
    assert follow(folder, "run", "--receiver", "shop:receiver", env=now).code == 1  # nobody has asked for a day
    listed = follow(folder, "list", *here(folder)).out
    assert (f"at {old}" in listed, "10.50 USD registered" in listed) == (True, True)
    assert follow(folder, "open", *here(folder), "orders", "HERE", env=now).code == 0
    report = follow(folder, "report", *here(folder), "--older", "0s")
    assert f"2 at {old}, 1 at {now['PAYWRIGHT_BASE_URL']}" in report.out
    assert follow(folder, "close", *here(folder), "orders", "HERE", "--why", "for the report", env=now).code == 0
    moved = follow(folder, "move", *here(folder), env=now)
    assert (moved.code, f"moved  orders {paid}" in moved.out, f"left   orders {gone}" in moved.out) == (1, True, True)
    assert follow(folder, "run", "--receiver", "shop:receiver", env=now).out.startswith(f"SUCCESS  orders {paid}")
    assert effects(folder) == [(paid, "SUCCESS")]
    again = follow(folder, "move", *here(folder), "--as-is", gone.lower(), env=now)
    assert (again.code, "1 moved to" in again.out) == (0, True)
    assert follow(folder, "move", *here(folder), env=now).out == "nothing waits at another address\n"
    assert follow(folder, "run", "--receiver", "shop:receiver", env=now).err == ""
    # What is settled moves if it is named.
    back = follow(folder, "move", *here(folder), "--as-is", paid, env=sandbox.env)
    assert (f"moved  orders {paid}" in back.out, f"left   orders {gone}" in back.out) == (True, True)
    assert follow(folder, "hint", *here(folder), "orders", paid, "--settled", env=sandbox.env).code == 0


def test_a_merchant_of_whom_the_book_has_nothing_is_no_good_news(folder: Path) -> None:
    for action in ("list", "report"):
        ended = follow(folder, action, *here(folder), "--app-id", "typo")
        assert (ended.code, "there are no items of the merchant app 'typo'" in ended.err) == (1, True)
    ended = follow(folder, "list", *here(folder), "--kind", "order")
    assert (ended.code, "nothing to follow that is called 'order'" in ended.err) == (2, True)


@pytest.mark.slow
def test_a_ledger_that_is_damaged_is_said_by_both_monitoring_commands(folder: Path) -> None:
    file = folder / "shop.db"
    ledger = SqliteLedger(file)
    for number in range(300):
        ledger.book.open(item(f"N{number}"))
    ledger.close()
    raw = bytearray(file.read_bytes())
    raw[-4 * 4096 :] = bytes(4 * 4096)
    file.write_bytes(raw)
    for words in (("follow", "report"), ("notifications", "check")):
        ended = paywright(*words, *here(folder), path=PACKAGES, cwd=folder)
        assert (ended.code, "It is damaged. Stop every process that uses it" in ended.err) == (3, True), ended
        assert "acknowledged" not in ended.err


AT = "https://gateway.example:443"
TIMES = {
    "before": datetime(2026, 11, 20, 12, tzinfo=UTC),
    "first": datetime(2026, 11, 22, tzinfo=UTC),
    "on": datetime(2026, 11, 22, 12, tzinfo=UTC),
    "later on": datetime(2026, 11, 22, 23, 59, 59, 999_999, tzinfo=UTC),
    "next": datetime(2026, 11, 23, tzinfo=UTC),
    "after": datetime(2026, 11, 25, 12, tzinfo=UTC),
}


def item(number: str, state: str | None = "SUCCESS", amount: str | None = "10.50", **changes: Any) -> Item:
    made = Item(
        ItemId(APP, "orders", number.lower()), number, AT, TIMES["on"], TIMES["on"], "{}", "{}", "settled", "settled", "", state, state,
        None if state is None else state in ("SUCCESS", "REFUND_SUCCESS"), amount, None if amount is None else "USD", TIMES["on"], 1,
    )  # fmt: skip
    return made._replace(**changes)
