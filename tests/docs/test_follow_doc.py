"""docs/follow.md: its commands run as they stand there, and print what the page shows."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from paywright_receiver import SqliteLedger
from paywright_sandbox.testing.served import RunningSandbox
from tests.cli.helpers.command_line import Ended, paywright
from tests.docs.pages import Page
from tests.support.packages import PACKAGES

PAGE = Page("follow")
SHOP, COMMAND, TASKS = PAGE.blocks("python")
RUN, REPORT, BY_HAND = PAGE.blocks("sh")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SHOP)
    SqliteLedger(tmp_path / "shop.db").close()
    with closing(sqlite3.connect(tmp_path / "shop.db")) as db:
        db.execute("CREATE TABLE orders (number TEXT PRIMARY KEY, state TEXT)")
    return tmp_path


def typed(folder: Path, text: str, sandbox: RunningSandbox | None = None) -> list[Ended]:
    """Run each line as a shell would."""
    found = []
    for line in text.splitlines():
        program, *arguments = shlex.split(line)
        assert program == "paywright"
        env = {} if sandbox is None else sandbox.env
        found.append(paywright(*arguments, path=PACKAGES, cwd=folder, env=env))
    return found


@pytest.mark.slow
def test_the_commands_run_as_they_stand_there(folder: Path, sandbox: RunningSandbox) -> None:
    opened, hinted, listed, closed = typed(folder, BY_HAND, sandbox)
    assert [one.code for one in (opened, hinted, listed, closed)] == [0, 0, 0, 0]
    assert "orders ORD_1" in listed.out
    (ran,) = typed(folder, RUN, sandbox)
    assert ran.code == 0
    assert ran.out.startswith("1 asked about, 0 handled; next due ")  # the hint was not answered before it was closed
    assert [one.code for one in typed(folder, REPORT)] == [0, 0]


@pytest.mark.slow
def test_cron_and_systemd_commands_need_no_environment(folder: Path, sandbox: RunningSandbox) -> None:
    """Neither has the variables or the path of a shell; the shop has a virtual environment, and a file of settings."""
    cron, unit = PAGE.block("crontab"), PAGE.block("ini")
    parser = configparser.ConfigParser()
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # as systemd does
    parser.read_string(unit)
    service = parser["Service"]
    assert re.match(r"(\S+ ){5}cd /srv/shop && ", cron)
    program = folder / ".venv" / "bin" / "paywright"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{PACKAGES}" exec "{sys.executable}" -m paywright_cli "$@"\n')
    program.chmod(0o700)
    (folder / ".env").write_text("".join(f"{name}={shlex.quote(value)}\n" for name, value in sandbox.env.items()))
    once = service["ExecStart"].replace(" --every 30s", "")
    assert once != service["ExecStart"]
    for command in (cron.split(maxsplit=5)[5], f"cd {service['WorkingDirectory']} && {once}"):
        line = command.replace("/srv/shop", str(folder))
        ended = subprocess.run(["env", "-i", "/bin/sh", "-c", line], capture_output=True, text=True, timeout=120)
        assert (ended.returncode, ended.stdout) == (0, "0 asked about, 0 handled; nothing is open\n"), ended.stderr
    if shutil.which("systemd-analyze"):
        (folder / "follow.service").write_text(unit.replace("/srv/shop", str(folder)))
        verified = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", folder / "follow.service"], capture_output=True, text=True
        )
        assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")
