"""docs/paid.md: both shops take orders, lose notifications and answers, refund, and know what became of everything."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from textwrap import indent

import pytest

from paywright_receiver.items import inquiry_schedule as schedule
from paywright_sandbox.testing import in_process_sandbox
from tests.docs.pages import Page, environment, python
from tests.support.packages import TOP

PAGE = Page("paid")
_TEXT = PAGE.text
SHOPS = ("paid_django", "paid_fastapi")
FILES = {name: (TOP / "examples" / f"{name}.py").read_text(encoding="utf-8") for name in SHOPS}
FILES["paid_watch"] = PAGE.files["paid_watch.py"]
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


def test_the_page_shows_the_shops_as_they_are() -> None:
    assert all(FILES[name] in _TEXT for name in SHOPS)
    excerpt, *_ = PAGE.blocks("python")
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
    program = TOP / "tests" / "docs" / "paid_shop.py"
    said = python(folder, program, folder / "sandbox", name, env=environment(folder, TOP))
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
        quiet, loud = python(folder, "-c", code, env=environment(folder, **sandbox.env)).splitlines()
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
    text = FILES[name].replace("time.sleep(30)", "time.sleep(0.1)")
    text = text.replace('SqliteLedger("shop.db")', 'SqliteLedger("shop.db", timeout=0.2)')
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    with in_process_sandbox(made_once) as sandbox:
        env, program = environment(folder, **sandbox.env), [sys.executable, f"{name}.py"]
        follows = subprocess.Popen(program, cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
        try:
            assert follows.stdout is not None
            assert follows.stdout.readline() == "followed\n"
            with closing(sqlite3.connect(folder / "shop.db", isolation_level=None)) as db:
                db.execute("INSERT INTO payments VALUES ('ORD_1', '10.50', 'PLACED')")
                code = f"import {name}\n{name}.follower.open(None, {name}.client.orders.follow('ORD_1', unknown=True))"
                python(folder, "-c", code, env=env)
                db.execute("BEGIN IMMEDIATE")
                while "busy" not in (line := follows.stdout.readline()) and "locked" not in line:
                    assert line, "it ended"
                db.execute("COMMIT")
            while follows.stdout.readline() != "followed\n":
                pass
        finally:
            follows.kill()
            follows.communicate()
