"""docs/recording.md: its program records, and the audit reads the folder as the command says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import paywright_audit
from paywright_cli.main import main
from paywright_sandbox.testing import running_sandbox
from tests.docs.pages import Page
from tests.sandbox.helpers.place import place

PAGE = Page("recording")
PROGRAM, COMMANDS = PAGE.block("python"), PAGE.blocks("", "paywright ")


@pytest.mark.parametrize(
    ("program", "command"),
    [(PROGRAM, COMMANDS[0]), (PROGRAM.replace('"captures"', '"captures", exact=True'), COMMANDS[1])],
    ids=["redacted", "exact"],
)
def test_the_program_records_and_the_audit_reads_its_folder(
    program: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    given: dict[str, object] = {}
    exec(program, given)
    with running_sandbox(tmp_path / "shop") as sandbox:
        for name, value in sandbox.env.items():
            monkeypatch.setenv(name, value)
        with given["new_client"]() as client:  # type: ignore[operator]  # a function
            place(client, "ORD_1")
    given["recorder"].close()  # type: ignore[attr-defined]  # a recorder
    (file,) = Path("captures").iterdir()
    assert main(command.replace("captures/*.jsonl", str(file)).split()[1:]) == 0  # as a shell expands it
    assert "2 of 2 bodies" in capsys.readouterr().out


def test_every_name_of_the_page_exists() -> None:
    named = set(re.findall(r"\b(Recorder|recorded_\w+)\(", PAGE.text))
    assert len(named) == 4
    assert all(hasattr(paywright_audit, name) for name in named)
