"""docs/check-receiver.md names every check as it is, and shows what is printed."""

from __future__ import annotations

import re
from pathlib import Path

from paywright_cli.check_receiver.running import CHECKS

_TEXT = (Path(__file__).resolve().parents[2] / "docs" / "check-receiver.md").read_text(encoding="utf-8")


def test_every_check_is_described_as_it_is_and_no_other() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (.+) \| (.+) \|$", _TEXT, re.MULTILINE)
    expected = {(check.name, f"{check.sent} [{', '.join(check.sections)}]", check.todo) for check in CHECKS}
    assert set(rows) == expected
    assert f"{len(CHECKS)} checks:" in _TEXT


def test_the_fault_that_is_shown_is_one_that_is_reported() -> None:
    (shown,) = (check for check in CHECKS if check.name == "rewritten")
    for line in (f"sent: {shown.sent} [5]", f"why it matters: {shown.why}", f"do: {shown.todo}"):
        assert line in _TEXT


def test_the_changelog_says_how_many_checks_there_are() -> None:
    changelog = (Path(__file__).resolve().parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"{len(CHECKS)} checks of an endpoint" in changelog
