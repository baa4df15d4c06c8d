"""docs/paid.md: both shops take orders, lose notifications and answers, refund, and know what became of everything."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from textwrap import indent

import pytest

from paywright_runtime.settling import schedule
from paywright_sandbox.testing import in_process_sandbox
from tests.support.packages import PACKAGES

TOP = Path(__file__).resolve().parents[2]
_TEXT = (TOP / "docs" / "paid.md").read_text(encoding="utf-8")
SHOPS = ("paid_django", "paid_fastapi")
(_WATCH,) = re.findall(r"^```python\n(# paid_watch[.]py\n.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
FILES = {
    **{name: (TOP / "examples" / f"{name}.py").read_text(encoding="utf-8") for name in SHOPS},
    "paid_watch": _WATCH,
}
WHAT_HAPPENS = """\
asked 1 handled 1 SUCCESS
told late 200 200 SUCCESS
told 200 SUCCESS SUCCESS
asked 0
refund REDIRECT /back/REF
refund REDIRECT /back/REF
asked 1 handled 1 SUCCESS SUCCESS REFUND_SUCCESS
lost answer /back/ORD PLACED
asked 1 PENDING wait
refused REFUSED closed
died REFUSED open
no such 404 {'open': 2, 'settled': 3, 'closed': 1}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    return tmp_path


def run(folder: Path, *arguments: object, **env: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAYWRIGHT_", "DJANGO_"))}
    path = os.pathsep.join((str(folder), PACKAGES, str(TOP)))
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder, env={**kept, "PYTHONPATH": path, **env}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_page_shows_the_shops_as_they_are() -> None:
    assert all(FILES[name] in _TEXT for name in SHOPS)
    excerpt, *_ = re.findall(r"^```python\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
    assert indent(excerpt, "    ") in FILES["paid_fastapi"]
    assert _TEXT.count("```") == 2 * len((excerpt, *FILES))


@pytest.mark.parametrize("name", SHOPS)
def test_a_shop_is_short(name: str) -> None:
    assert sum(1 for line in FILES[name].splitlines() if line.strip()) <= 131


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOPS)
def test_the_shop_knows_what_became_of_everything(name: str, folder: Path, made_once: Path) -> None:
    pytest.importorskip(name.removeprefix("paid_"))
    shutil.copytree(made_once, folder / "sandbox")
    said = run(folder, TOP / "tests" / "docs" / "paid_shop.py", folder / "sandbox", name)
    assert said == WHAT_HAPPENS.replace("REDIRECT", "302" if "django" in name else "303")


@pytest.mark.slow
def test_what_is_watched_is_found(folder: Path, made_once: Path) -> None:
    pytest.importorskip("fastapi")
    code = (
        "from datetime import UTC, datetime, timedelta\nimport paid_watch as watch\nfrom paid_fastapi import client\n"
        "watch.follower.open(None, client.orders.follow('ORD_1'))\n"
        "now = datetime.now(UTC)\nprint(watch.alarms(now))\nprint(watch.alarms(now + timedelta(minutes=20)))"
    )
    with in_process_sandbox(made_once) as sandbox:
        quiet, loud = run(folder, "-c", code, **sandbox.env).splitlines()
    assert quiet == "[]"
    assert "orders ORD_1: wait" in loud


def test_the_times_of_the_page_are_those_of_the_schedule() -> None:
    assert f"after {schedule.FIRST // timedelta(minutes=1)} minutes at the earliest" in _TEXT
    assert f"a distance of {schedule.GAP // timedelta(seconds=1)} seconds" in _TEXT


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOPS)
def test_what_follows_goes_on_when_the_database_was_locked(name: str, folder: Path, made_once: Path) -> None:
    """Run as the page says, with nothing else in the environment: for Django no settings either."""
    pytest.importorskip(name.removeprefix("paid_"))
    text = (
        FILES[name]
        .replace("time.sleep(30)", "time.sleep(0.1)")
        .replace('SqliteLedger("shop.db")', 'SqliteLedger("shop.db", timeout=0.2)')
    )
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    with in_process_sandbox(made_once) as sandbox:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PAYWRIGHT_", "DJANGO_"))}
        path = os.pathsep.join((str(folder), PACKAGES))
        follows = subprocess.Popen(
            [sys.executable, f"{name}.py"],
            cwd=folder, env={**kept, "PYTHONPATH": path, **sandbox.env}, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert follows.stdout is not None
            assert follows.stdout.readline() == "followed\n"
            with closing(sqlite3.connect(folder / "shop.db", isolation_level=None)) as db:
                db.execute("INSERT INTO payments VALUES ('ORD_1', '10.50', 'PLACED')")
                code = f"import {name}\n{name}.follower.open(None, {name}.client.orders.follow('ORD_1', unknown=True))"
                run(folder, "-c", code, **sandbox.env)
                db.execute("BEGIN IMMEDIATE")
                while "busy" not in (line := follows.stdout.readline()) and "locked" not in line:
                    assert line, "it ended"
                db.execute("COMMIT")
            while follows.stdout.readline() != "followed\n":
                pass
        finally:
            follows.kill()
            follows.communicate()
