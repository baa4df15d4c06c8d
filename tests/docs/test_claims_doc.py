"""docs/claims.md: its rows are commands that exist, and `make claims` tells one that holds from one that does not."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from docs.building.claims import claims, holds, main
from paywright_cli.main import main as paywright

TOP = Path(__file__).resolve().parents[2]
ROWS = list(claims((TOP / "docs/claims.md").read_text(encoding="utf-8")))


def test_every_row_of_the_table_is_read() -> None:
    text = (TOP / "docs/claims.md").read_text(encoding="utf-8")
    assert len(ROWS) == text.count("\n| ") - 1 > 15


@pytest.mark.parametrize("command", [command for _, command, _ in ROWS])
def test_each_command_exists(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TOP)
    program, *rest = shlex.split(command)
    if program == "make":
        assert re.search(rf"^{rest[0]}:", (TOP / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    elif program == "pytest":
        assert all((TOP / word).exists() for word in rest if "/" in word)
    else:
        assert (program, paywright(rest)) == ("paywright", 0)


@pytest.mark.parametrize(
    ("said", "code", "output", "held"),
    [
        ("13,495 passed", 0, "...\n= 14,000 passed in 3s =", True),
        ("13495 passed", 0, "= 1 failed in 3s =", False),
        ("12 passed", 1, "12 passed, 1 failed", False),
        ("", 0, "", True),
        ("PASSED", 0, "\x1b[32mPASSED\x1b[0m", True),
        ("no violation", 0, "1 worlds: violation", False),
    ],
)
def test_numbers_may_differ_and_nothing_else(said: str, code: int, output: str, held: bool) -> None:
    assert holds(said, code, output) == held


def test_a_row_that_does_not_hold_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "claims.md"
    page.write_text(
        "| a | b | c |\n| it adds | `echo 3` | `4` |\n| it fails | `echo why; false` | `why` |\n| other | `false` | `` |\n"
    )
    assert main(page, "it adds") == 0
    assert main(page, "it ") == 1
    out = capsys.readouterr().out
    assert "NOT echo why; false: it fails\n    why\n" in out
    assert "other" not in out
