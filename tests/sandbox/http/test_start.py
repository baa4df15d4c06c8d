"""Starting a sandbox, and what keeps it from going on: a script that waits for it, a key that is none, a disk that is full."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from paywright_cli import main as cli
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.plain import PlainClient
from tests.support.commands import sandbox as main


@contextmanager
def serving(folder: Path, *, largest_file: int | None = None) -> Iterator[int]:
    """The port of a sandbox that is served by a process of its own, whose files may not grow beyond `largest_file` bytes."""

    def bound() -> None:
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    command = [sys.executable, "-m", "paywright_cli", "sandbox", "--dir", str(folder), "--port", "0", "--quiet"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=bound
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:([0-9]+)", process.stdout.readline())
            assert found
            yield int(found[1])
        finally:
            process.terminate()
            process.wait(600)


def test_a_script_waits_for_the_sandbox_it_has_started(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(folder) as port:
        assert (
            cli.main(["sandbox", "wait", "--dir", str(folder), "--url", f"http://127.0.0.1:{port}", "--seconds", "600"])
            == 0
        )
    assert f"http://127.0.0.1:{port} for app_sandbox_1" in capsys.readouterr().out
    assert (
        cli.main(["sandbox", "wait", "--dir", str(folder), "--url", f"http://127.0.0.1:{port}", "--seconds", "1"]) == 2
    )
    assert "No sandbox answers" in capsys.readouterr().err


def test_a_wait_has_a_number_of_seconds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seconds in ("0", "-1", "x", "601", "٣"):
        with pytest.raises(SystemExit):
            cli.main(["sandbox", "wait", "--dir", str(folder), "--seconds", seconds])
        assert "from 1 to 600" in capsys.readouterr().err


@pytest.mark.parametrize(("content", "words"), [("no key at all", ""), (None, ""), ("private", "private key")])
def test_a_key_that_cannot_be_used_is_named_with_its_file_and_merchant(
    folder: Path, content: str | None, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "keys" / "merchant.pub"
    if content is None:
        file.unlink()
    else:
        file.write_text((folder / "keys" / "merchant.key").read_text() if content == "private" else content)
    assert main(["--dir", str(folder), "--port", "0"]) == 2
    said = capsys.readouterr().err
    assert str(file) in said
    assert "app_sandbox_1" in said
    assert words in said


def test_the_gateways_own_key_is_named_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "keys" / "gateway.key").write_text("no key")
    assert main(["--dir", str(folder), "--port", "0"]) == 2
    said = capsys.readouterr().err
    assert str(folder / "keys" / "gateway.key") in said
    assert "[gateway]" in said


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no limit of a file's size here")
def test_a_disk_that_takes_no_more_is_named_with_the_file_and_nothing_is_half_done(folder: Path) -> None:
    with running_sandbox(folder):
        pass  # makes the state file
    size = os.path.getsize(folder / "state.sqlite3") + 100_000
    with serving(folder, largest_file=size) as port:
        plain = PlainClient(port, folder)
        placed, answer = 0, {"code": "APPLY_SUCCESS"}
        while answer["code"] == "APPLY_SUCCESS" and placed < 5000:
            answer = plain.checkout(f"ORD_{placed}")
            placed += answer["code"] == "APPLY_SUCCESS"
        assert (plain.status, answer["code"]) == (500, "SYSTEM_ERROR")
        assert str(folder / "state.sqlite3") in answer["msg"]
        assert "Nothing was saved" in answer["msg"]
        assert plain.query(f"ORD_{placed}")["code"] == "ORDER_NOT_EXIST"
        assert plain.query(f"ORD_{placed - 1}")["code"] == "APPLY_SUCCESS"
        plain.close()
    again: RunningSandbox
    with running_sandbox(folder) as again:
        assert len(again.done("GET", "orders")["orders"]) == min(placed, 200)  # type: ignore[arg-type]  # a list
