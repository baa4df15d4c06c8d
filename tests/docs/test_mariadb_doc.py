"""The shop of docs/paid.md and the task of docs/follow.md on MariaDB, as the pages say: with Django, SQLAlchemy and Celery."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paywright_sandbox.testing.served import RunningSandbox
from tests.docs.pages import environment, python
from tests.docs.test_follow_doc import SHOP, TASKS
from tests.docs.test_follow_recipes_doc import NUMBERS, SETTINGS_OF_CELERY, paid_unnoticed, program, wait_until
from tests.docs.test_paid_doc import FILES, PAGE, WHAT_HAPPENS
from tests.support.packages import TOP

if TYPE_CHECKING:
    from tests.receiver.helpers.mariadb_server import Server

pytestmark = pytest.mark.slow
sandbox = paid_unnoticed
SQLITE = 'SqliteLedger("shop.db")'
DRIVERS = {"pymysql": "import pymysql\npymysql.install_as_MySQLdb()\n", "MySQLdb": ""}
SAID = (
    'With PostgreSQL or MariaDB, write `PostgresLedger("postgresql:///shop")` or `MariaDbLedger("mariadb://shop:PASSWORD@localhost/shop")`\n'
    "for `SqliteLedger`, and `%s` for `?` in the handler; on MariaDB also `ON DUPLICATE KEY UPDATE number = number` for `ON CONFLICT DO NOTHING`,"
)
PLACES = """
from decimal import Decimal
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session
import tasks

engine, client = create_engine({url!r}), tasks.Client.from_env()

@app.task(name="place", ignore_result=True)
def place(number):
    with Session(engine) as session, session.begin():
        session.execute(text("INSERT INTO orders VALUES (:number, 'PLACED')"), {{"number": number}})
        follow = client.orders.follow(number, total_amount=Decimal("10.50"), currency="USD")
        tasks.follower.open(session, follow)
        if number == "ORD_GONE":
            raise RuntimeError("the cart is gone")
    tasks.follower.hint("orders", number)
    tasks.follow.delay()
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    pytest.importorskip("pymysql")
    from tests.receiver.helpers.mariadb_server import running_mariadb

    with running_mariadb() as server:
        yield server


def on_mariadb(text: str, address: str) -> str:
    """What the page says to write for a SQLite file."""
    text = text.replace("SqliteLedger", "MariaDbLedger").replace('("shop.db")', f"({address!r})", 1)
    return text.replace("SET state = ? WHERE number = ?", "SET state = %s WHERE number = %s")


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_django_shop_knows_what_became_of_everything(
    driver: str, server: Server, tmp_path: Path, made_once: Path
) -> None:
    pytest.importorskip(driver, reason="no mysqlclient: pip builds it where libmariadb-dev is")
    assert SAID in PAGE.text
    name = f"django_{driver.lower()}"
    server.ask(f"CREATE DATABASE {name}")
    # As a migration of the merchant's makes it; `rowid` is what SQLite has by itself.
    columns = "number VARCHAR(64) PRIMARY KEY, amount TEXT, state TEXT, rowid INT AUTO_INCREMENT UNIQUE INVISIBLE"
    server.ask(f"CREATE TABLE payments ({columns})", name)
    before, _, after = FILES["paid_django"].partition('with closing(sqlite3.connect("shop.db"))')
    after = after[after.index("client, receiver") :].replace(
        "ON CONFLICT DO NOTHING", "ON DUPLICATE KEY UPDATE number = number"
    )
    database = {"HOST": f"{server.folder}/socket", "USER": "root", "NAME": name}
    old = '"django.db.backends.sqlite3", "NAME": "shop.db"}'
    assert old in before
    before = before.replace(old, f'"django.db.backends.mysql", **{database!r}}}').replace(
        "import os\n", f"import os\n{DRIVERS[driver]}", 1
    )
    (tmp_path / "paid_django.py").write_text(on_mariadb(before + after, server.address(name)), encoding="utf-8")
    shutil.copytree(made_once, tmp_path / "sandbox")
    shows = TOP / "tests" / "docs" / "paid_shop.py"
    said = python(tmp_path, shows, tmp_path / "sandbox", "paid_django", env=environment(tmp_path, TOP))
    assert said == WHAT_HAPPENS.replace("REDIRECT", "302")


def test_workers_of_celery_open_in_a_session_of_sqlalchemy_and_follow(
    server: Server, tmp_path: Path, sandbox: RunningSandbox
) -> None:
    pytest.importorskip("celery")
    pytest.importorskip("sqlalchemy")
    server.ask("CREATE DATABASE celery")
    server.ask("CREATE TABLE orders (number VARCHAR(64) PRIMARY KEY, state TEXT)", "celery")
    for name in ("queue", "sent", "control"):
        (tmp_path / name).mkdir()
    address = server.address("celery")
    placing = SETTINGS_OF_CELERY + PLACES.format(url=address.replace("mariadb:", "mariadb+pymysql:"))
    files = {"shop": on_mariadb(SHOP, address), "tasks": TASKS, "placing": placing, "project": ""}
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    given = environment(tmp_path, **sandbox.env)

    def states() -> dict[str, str]:
        return dict(server.ask("SELECT number, state FROM orders", "celery"))

    worker = ("-m", "celery", "-A", "placing", "worker", "--pool", "prefork", "--concurrency", "2", "--without-gossip")
    with program(tmp_path, sandbox, *worker, "--without-mingle", "--without-heartbeat") as running:
        python(
            tmp_path, "-c", f"import placing\nfor one in {[*NUMBERS, 'ORD_GONE']}: placing.place.delay(one)", env=given
        )
        wait_until(lambda: states() == dict.fromkeys(NUMBERS, "SUCCESS"), tmp_path, beside=running)
        running.send_signal(signal.SIGTERM)
        out, _ = running.communicate(timeout=300)
        assert running.returncode == 0, out
    assert set(states()) == set(NUMBERS)
    assert (out.count("Traceback"), "the cart is gone" in out) == (1, True), out
    assert server.ask("SELECT number, status FROM paywright_items ORDER BY 1", "celery") == [
        (one.lower(), "settled") for one in NUMBERS
    ]
