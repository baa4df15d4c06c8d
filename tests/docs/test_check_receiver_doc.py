"""docs/check-receiver.md: its blocks run and print what it shows, and every check is there as it is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from paywright_cli.check_receiver.command import CHECKS
from tests.cli.helpers.command_line import paywright
from tests.cli.helpers.listening_process import program
from tests.docs.pages import Page
from tests.support.packages import TOP
from tests.support.ports import lasting_port

PAGE = Page("check-receiver")
_TEXT, _COMMANDS = PAGE.text, "".join(PAGE.blocks("sh")).splitlines()


def command(beginning: str, ports: dict[str, str]) -> list[str]:
    """Return the arguments of the one command that begins so, with ports that are free here."""
    (line,) = (line for line in _COMMANDS if line.startswith(beginning))
    for shown, free in ports.items():
        line = line.replace(shown, free)
    return shlex.split(line)[1:]


@pytest.mark.slow
def test_the_three_terminals_show_what_is_shown(tmp_path: Path) -> None:
    ports = {":9000": f":{lasting_port()}"}
    assert paywright(*command("paywright sandbox init", ports), "--port", str(lasting_port()), cwd=tmp_path).code == 0
    shown = re.findall(r"^\d\d:\d\d:\d\d (.*)$", _TEXT, re.MULTILINE)
    port = ports[":9000"].removeprefix(":")
    with (
        program("-m", "paywright_cli", *command("paywright sandbox --dir", ports), cwd=tmp_path) as sandbox,
        program("-m", "paywright_cli", *command("paywright listen", ports), "--port", port, cwd=tmp_path) as listener,
    ):
        for what, line in zip(("receive", "bill"), shown, strict=True):
            assert paywright(*command(f"paywright sandbox trigger {what}", ports), cwd=tmp_path).code == 0
            listener.wait_for(rf"^\d\d:\d\d:\d\d {re.escape(line)}$")
        assert sandbox.stop() == 0
        # Whether one is wrong is for tests/cli/check_receiver: on a busy machine our own receiver is slow.
        checked = paywright(*command("paywright sandbox check-receiver http", ports), cwd=tmp_path)
        assert f"{len(CHECKS)} checks:" in checked.out
        assert checked.code in (0, 1)


def test_what_each_check_sends_is_listed() -> None:
    listed = paywright(*command("paywright sandbox check-receiver --list", {})).out
    assert f"```\n{listed}```" in _TEXT


def test_what_to_do_about_each_check_is_said_as_it_says_it() -> None:
    rows = re.findall(
        r"^\| ((?:`[a-z0-9-]+`(?:, )?)+) \| (.+) \|$", _TEXT.partition("If a check is wrong:")[2], re.MULTILINE
    )
    said = [(name, todo) for names, todo in rows for name in re.findall(r"`([a-z0-9-]+)`", names)]
    assert sorted(said) == sorted((check.name, check.todo) for check in CHECKS)
    assert f"{len(CHECKS)} checks:" in _TEXT


def test_the_fault_that_is_shown_is_one_that_is_reported() -> None:
    (shown,) = (check for check in CHECKS if check.name == "rewritten")
    for line in (f"sent: {shown.sent} [5]", f"why it matters: {shown.why}", f"do: {shown.todo}"):
        assert line in _TEXT


def test_the_changelog_says_how_many_checks_there_are() -> None:
    changelog = (TOP / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"{len(CHECKS)} checks of an endpoint" in changelog
