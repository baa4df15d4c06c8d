"""docs/faults.md: its commands run against a sandbox, its test passes, and its kinds are those of the command."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.helpers.command_line import paywright
from tests.cli.helpers.listening_process import program
from tests.docs.pages import Page
from tests.support.ports import lasting_port

PAGE = Page("faults")


def run(line: str, folder: Path) -> str:
    done = paywright(*shlex.split(line)[1:], cwd=folder)
    assert done.code == 0, f"{line}: {done.out}{done.err}"
    return done.out


@pytest.mark.slow
def test_the_commands_do_what_they_are_shown_for(tmp_path: Path) -> None:
    run(f"paywright sandbox init shop --port {lasting_port()}", tmp_path)
    with program("-m", "paywright_cli", "sandbox", "--dir", "shop", cwd=tmp_path):
        lines = [line for text in PAGE.blocks("sh") for line in text.splitlines()]
        # There is nothing to audit in a log of no calls, and the audit says so.
        said = {line: run(line, tmp_path) for line in lines if not line.startswith("paywright audit")}
    (listed,) = (text for line, text in said.items() if "fault list" in line)
    assert [kind in listed for kind in ("reset", "code", "stale-answer")] == [True] * 3
    assert (tmp_path / "session.jsonl").exists()


def test_the_kinds_are_those_that_the_command_lists() -> None:
    assert PAGE.block("", "kinds:\n") in paywright("sandbox", "fault", "add", "--help", env={"COLUMNS": "200"}).out
