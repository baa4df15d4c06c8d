"""`paywright sandbox reset` and `snapshot`, and the snapshots that a sandbox keeps by name."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from paywright_runtime.clock import FixedClock
from paywright_sandbox.faults.rules import rules_of
from paywright_sandbox.testing.inprocess import in_process_sandbox
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.place import place
from tests.support.commands import sandbox as main


@pytest.fixture
def running(folder: Path) -> Iterator[RunningSandbox]:
    with running_sandbox(folder) as sandbox:
        yield sandbox


def placed(running: RunningSandbox, key: str) -> None:
    with running.client() as client:
        place(client, key)


def orders(running: RunningSandbox) -> list[str]:
    found = running.done("GET", "orders")["orders"]
    assert isinstance(found, list)
    return [order["outTradeNo"] for order in found]


def test_reset_says_what_is_gone(running: RunningSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    url = ("--url", running.base_url)
    placed(running, "ORD_1")
    placed(running, "ORD_2")
    assert main(["reset", *url]) == 0
    assert "gone: orders 2, refunds 0, " in capsys.readouterr().out
    assert orders(running) == []
    assert main(["reset", *url, "keepMerchants=true"]) == 0
    assert "gone: orders 0, " in capsys.readouterr().out


def test_snapshots_by_name(running: RunningSandbox, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = ("--url", running.base_url)
    assert main(["snapshot", "list", *url]) == 0
    assert "There is nothing." in capsys.readouterr().out
    placed(running, "ORD_1")
    assert main(["snapshot", "save", "one", *url]) == 0
    assert re.match("name one, at .*, holds: orders 1, ", capsys.readouterr().out)
    placed(running, "ORD_2")
    assert main(["snapshot", "save", *url]) == 0
    assert re.match("name snapshot-1, at .*, holds: orders 2, ", capsys.readouterr().out)
    file = folder / "snapshots" / "one.sqlite3"
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)
    assert main(["snapshot", "save", "one", *url]) == 1
    assert "refused: There is a snapshot one already" in capsys.readouterr().err
    assert main(["snapshot", "restore", "one", *url]) == 0
    assert "holds: orders 1, " in capsys.readouterr().out
    assert orders(running) == ["ORD_1"]
    assert main(["snapshot", "save", "snapshot-1", "replace=true", *url]) == 0
    assert main(["snapshot", "list", *url]) == 0
    assert {line.split()[1].strip(",") for line in capsys.readouterr().out.splitlines()[1:]} == {"snapshot-1", "one"}
    assert main(["snapshot", "remove", "one", *url]) == 0
    assert main(["snapshot", "remove", "one", *url]) == 1
    assert "there is snapshot-1" in capsys.readouterr().err
    assert not file.exists()


def test_named_snapshots_outlive_a_reset_and_a_restart(folder: Path) -> None:
    with running_sandbox(folder) as running:
        placed(running, "ORD_1")
        running.done("POST", "snapshots", {"name": "one"})
        running.done("POST", "reset")
    with running_sandbox(folder) as running:
        assert orders(running) == []
        answer = running.done("POST", "snapshots/one/restore")
        assert answer["name"] == "one"
        assert orders(running) == ["ORD_1"]


def test_a_snapshot_in_a_file(running: RunningSandbox, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url, file = ("--url", running.base_url), tmp_path / "state.sqlite3"
    placed(running, "ORD_1")
    assert main(["snapshot", "save", "--output", str(file), *url]) == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert main(["snapshot", "save", "--output", str(file), *url]) == 2
    assert "replace=true" in capsys.readouterr().err
    assert main(["reset", *url]) == 0
    assert main(["snapshot", "restore", "--input", str(file), *url]) == 0
    assert orders(running) == ["ORD_1"]
    file.write_bytes(b"no snapshot")
    assert main(["snapshot", "restore", "--input", str(file), *url]) == 1
    assert "refused: This is not a snapshot of a sandbox. Nothing was changed." in capsys.readouterr().err
    assert orders(running) == ["ORD_1"]


@pytest.mark.parametrize(
    "words",
    [
        ("snapshot", "restore"),
        ("snapshot", "restore", "one", "--input", "file"),
        ("snapshot", "restore", "--input", "/nowhere"),
        ("snapshot", "save", "one", "--output", "file"),
        ("snapshot", "save", "--output", "/nowhere/file"),
        ("snapshot", "list", "--url", "http://127.0.0.1:9"),
        ("reset", "--url", "http://127.0.0.1:9"),
    ],
)
def test_what_cannot_be_asked_is_told_with_exit_code_2(
    running: RunningSandbox, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    where = [] if "--url" in words else ["--url", running.base_url]
    assert main([*words, *where]) == 2
    assert capsys.readouterr().err.startswith("paywright: ")


@pytest.mark.parametrize("name", ["../one", "a/b", ".hidden", "", "a" * 65, "nul\x00"])
def test_a_name_is_no_path(running: RunningSandbox, folder: Path, name: str) -> None:
    status, answer = running.control("POST", "snapshots", {"name": name})
    assert status == (200 if name == "" else 400), answer
    assert {file.name for file in (folder / "snapshots").glob("*")} <= {"snapshot-1.sqlite3"}
    assert running.control("POST", "snapshots/..%2Fstate/restore")[0] == 404


def test_a_sandbox_in_memory_keeps_its_snapshots_in_memory(made_once: Path, clock: FixedClock) -> None:
    before = {file: file.stat().st_mtime for file in made_once.rglob("*")}
    with in_process_sandbox(made_once, clock=clock) as sandbox:
        sandbox.fault("reset", times=1)
        sandbox.done("POST", "snapshots", {"name": "one"})
        sandbox.done("POST", "reset")
        assert rules_of(sandbox.engine).rules() == []
        sandbox.done("POST", "snapshots/one/restore")
        assert [rule.kind for rule in rules_of(sandbox.engine).rules()] == ["reset"]
    assert {file: file.stat().st_mtime for file in made_once.rglob("*")} == before


def test_a_served_sandbox_is_moved_faulted_and_read_like_one_in_process(running: RunningSandbox) -> None:
    placed(running, "ORD_1")
    running.fault("html", times=1, operation="refunds.query")
    moved = running.advance(86400 * 2)
    assert moved["complete"] is True
    assert b"orderAndPay" in running.log()
    assert running.control("POST", "clock/advance", {"seconds": 1})[0] == 200
