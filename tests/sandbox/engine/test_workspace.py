"""`paywright sandbox reset` and `snapshot`."""

import stat
from pathlib import Path

import pytest

from paywright_sandbox.testing.served import RunningSandbox
from tests.sandbox.helpers.place import place
from tests.support.commands import sandbox as main


def placed(running: RunningSandbox, key: str) -> None:
    with running.client() as client:
        place(client, key)


def orders(running: RunningSandbox) -> list[str]:
    found = running.done("GET", "orders")["orders"]
    assert isinstance(found, list)
    return [order["outTradeNo"] for order in found]


def test_a_snapshot_in_a_file(running: RunningSandbox, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url, file = ("--url", running.base_url), tmp_path / "state.sqlite3"
    placed(running, "ORD_1")
    assert main(["snapshot", "save", str(file), *url]) == 0
    assert capsys.readouterr().out == f"wrote {file}: {file.stat().st_size} bytes\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert main(["reset", *url]) == 0
    assert (orders(running), capsys.readouterr().out.partition(",")[0]) == ([], "reset true")
    assert main(["snapshot", "restore", str(file), *url]) == 0
    assert orders(running) == ["ORD_1"]
    file.write_bytes(b"no snapshot")
    assert main(["snapshot", "restore", str(file), *url]) == 1
    assert "refused: This is not a snapshot of a sandbox. Nothing was changed." in capsys.readouterr().err
    assert orders(running) == ["ORD_1"]


@pytest.mark.parametrize(
    "words",
    [
        ("snapshot", "restore", "/nowhere"),
        ("snapshot", "save", "/nowhere/file"),
        ("snapshot", "save", "file", "--url", "http://127.0.0.1:9"),
        ("reset", "--url", "http://127.0.0.1:9"),
    ],
)
def test_what_cannot_be_asked_is_told_with_exit_code_2(
    running: RunningSandbox, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    where = [] if "--url" in words else ["--url", running.base_url]
    assert main([*words, *where]) == 2
    assert capsys.readouterr().err.startswith("paywright: ")


def test_a_served_sandbox_is_moved_faulted_and_read_like_one_in_process(running: RunningSandbox) -> None:
    placed(running, "ORD_1")
    running.fault("html", times=1, operation="refunds.query")
    moved = running.advance(86400 * 2)
    assert moved["complete"] is True
    assert b"orderAndPay" in running.log()
    assert running.control("POST", "clock/advance", {"seconds": 1})[0] == 200
