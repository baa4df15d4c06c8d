"""How an audit runs: seen on a terminal, and with processes that die."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from paywright_audit import jobs
from paywright_cli.main import main
from tests.audit.helpers import tools
from tests.audit.helpers.records import Scribe


@pytest.fixture
def file(keys: Path, tmp_path: Path) -> Path:
    scribe = Scribe(keys)
    scribe.call("orders.checkout", {"outTradeNo": "O1", "currency": "US"}, {"outTradeNo": "O1"})
    made = tmp_path / "log.jsonl"
    made.write_bytes(scribe.bytes() * 300)
    return made


def test_a_process_that_dies_ends_it_with_words_and_without_a_report(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(jobs, "_LEAST", 1 << 16)
    monkeypatch.setattr(jobs, "_work", tools.die)
    assert main(["audit", str(file), "--jobs", "2"]) == 3
    out = capsys.readouterr()
    assert out.out == ""
    assert "a process that judged a part of the input has ended" in out.err
    assert "fewer --jobs" in out.err
    assert "Traceback" not in out.err


def test_processes_leave_nothing_behind(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(jobs, "_LEAST", 1 << 16)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    for work in (jobs._work, tools.die):
        monkeypatch.setattr(jobs, "_work", work)
        main(["audit", str(file), "--jobs", "2"])
        assert list((tmp_path / "temporary").iterdir()) == []
    capsys.readouterr()


def run(file: Path, stderr: int, **environment: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join(sys.path)
    command = [sys.executable, "-m", "paywright_cli", "audit", str(file)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=stderr, env={**os.environ, "PYTHONPATH": path, **environment}
    )


def seen(file: Path, **environment: str) -> tuple[bytes, bytes]:
    """What came to standard output, and to the terminal that standard error is."""
    ours, theirs = pty.openpty()
    process = run(file, theirs, **environment)
    os.close(theirs)
    assert process.stdout is not None
    shown, printed, until = b"", b"", time.monotonic() + 600
    while time.monotonic() < until:
        ready, _, _ = select.select([ours, process.stdout], [], [], 1)
        if ours in ready:
            try:
                shown += os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
        if process.stdout in ready:
            printed += os.read(process.stdout.fileno(), 4096)
    printed += process.stdout.read()
    process.stdout.close()
    assert process.wait(600) == 1
    os.close(ours)
    return printed, shown


def test_on_a_terminal_a_bar_is_seen_and_goes_and_the_report_is_the_same(file: Path) -> None:
    pytest.importorskip("rich")
    piped: Any = run(file, subprocess.PIPE)
    plain, silence = piped.communicate(timeout=600)
    assert silence == b""
    printed, shown = seen(file, TERM="xterm-256color", COLUMNS="100")
    assert printed == plain
    assert b"\x1b" not in printed
    assert b"audit" in shown
    assert "\u2501".encode() in shown
    assert shown.rstrip().endswith(b"\x1b[2K")


def test_a_terminal_that_cannot_move_its_cursor_is_left_alone(file: Path) -> None:
    pytest.importorskip("rich")
    _, shown = seen(file, TERM="dumb")
    assert b"\x1b" not in shown
