"""The ledger in a real MariaDB: what is its own, beside what all ledgers do alike."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paywright import ConfigurationError, Event, InvalidArgument, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import in_one_transaction
from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import APP, Desk, key, sign, transfer
from tests.receiver.ledgers.test_book import item

pymysql: Any = pytest.importorskip("pymysql")

from paywright_receiver.ledgers.mariadb import MariaDbLedger  # noqa: E402  # needs pymysql

if TYPE_CHECKING:
    from tests.receiver.helpers.mariadb_server import Server

pytestmark = pytest.mark.slow
TOP = Path(__file__).resolve().parents[3]
ONE = pytest.mark.parametrize("one", [False, True], ids=["claimed before", "in one transaction"])


@pytest.fixture
def shop(mariadb: Server, schema: str) -> Shop:
    return Shop(mariadb, schema)


class Shop:
    """A database with a table of the merchant's, and the ledger beside it."""

    def __init__(self, server: Server, name: str) -> None:
        self.server, self.name = server, name
        self.ledger: Any = server.ledger(name)
        self.ask("CREATE TABLE credits (number TEXT CHARACTER SET utf8mb4)")

    def ask(self, query: str) -> list[Any]:
        return [row[0] for row in self.server.ask(query, self.name)]

    def credits(self) -> list[str]:
        return self.ask("SELECT number FROM credits ORDER BY number")

    def desk(self, ledger: Any = None, then: Callable[[Event[Transfer]], object] = id, one: bool = False) -> Desk:
        desk = Desk(ledger or self.ledger)

        def write(event: Event[Transfer]) -> None:
            event.transaction.execute("INSERT INTO credits VALUES (%s)", (event.data.request_no,))
            then(event)

        desk.receiver.on_receive(in_one_transaction(write) if one else write)
        return desk

    def connect(self, **more: Any) -> Any:
        return self.server.connect(self.name, **more)


def outcomes(desk: Desk, *numbers: str) -> list[str]:
    return [desk.deliver(transfer(number)).outcome for number in numbers]


# What a crash or a loss leaves


@ONE
def test_a_branch_whose_session_died_once_it_was_prepared_is_committed_by_another(shop: Shop, one: bool) -> None:
    desk = shop.desk(one=one)
    assert outcomes(desk, "R0") == ["handled"]
    shop.ledger.close()

    def dies(event: Event[Transfer]) -> None:
        session = claims[-1]
        execute = session.execute

        def dying(statement: str, parameters: Any = ()) -> Any:
            if statement.startswith("XA COMMIT"):
                session._db._force_close()
            return execute(statement, parameters)

        session.execute = dying

    claims: list[Any] = []
    begin = shop.ledger.begin

    def noted(**how: Any) -> Any:
        claims.append(begin(**how))
        return claims[-1]

    shop.ledger.begin = noted
    dying = shop.desk(then=dies, one=one)
    reply = dying.deliver(transfer("R1"))
    assert (reply.outcome, reply.acknowledged) == ("ledger_failed", False)
    shop.ledger.begin = begin
    shop.ledger.close()
    until = time.monotonic() + 60
    while (again := desk.deliver(transfer("R1")).outcome) in ("in_progress", "ledger_failed"):
        assert time.monotonic() < until
    assert again == "duplicate"
    assert shop.credits() == ["R0", "R1"]
    assert shop.server.ask("XA RECOVER") == []


@ONE
def test_a_server_that_crashes_leaves_no_half_and_undoes_no_acknowledged_effect(shop: Shop, one: bool) -> None:
    desk = shop.desk(one=one)
    assert outcomes(desk, *(f"R{number}" for number in range(10))) == ["handled"] * 10
    shop.server.stop(signal.SIGKILL)
    try:
        assert desk.deliver(transfer("R10")).outcome == "ledger_failed"
    finally:
        shop.server.start()
    assert outcomes(desk, "R9", "R10", "R10") == ["duplicate", "handled", "duplicate"]

    def crash(event: Event[Transfer]) -> None:
        if event.attempt == 1:
            shop.server.stop(signal.SIGKILL)
            shop.server.start()

    crashing = shop.desk(then=crash, one=one)
    assert crashing.deliver(transfer("R11")).acknowledged is False
    assert len(shop.credits()) == 11
    crashing.pass_time(seconds=61)
    assert outcomes(shop.desk(one=one), "R11") == ["handled"]
    assert sorted(shop.credits()) == sorted(f"R{number}" for number in range(12))


def test_sessions_that_the_server_has_closed_are_replaced(shop: Shop) -> None:
    desk = shop.desk()
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda n: desk.deliver(transfer(f"R{n}")).outcome, range(16))) == {"handled"}
    for (session,) in shop.server.ask("SELECT id FROM information_schema.processlist WHERE command = 'Sleep'"):
        shop.server.ask(f"KILL {session}")
    assert outcomes(desk, "R0", "R16") == ["duplicate", "handled"]


def test_a_handler_that_is_idle_for_longer_than_the_lease_is_ended(shop: Shop) -> None:
    desk = Desk(shop.ledger, lease=1)

    @desk.receiver.on_receive
    @in_one_transaction
    def idles(event: Event[Transfer]) -> None:
        event.transaction.execute("INSERT INTO credits VALUES ('late')")
        if event.attempt == 1:
            time.sleep(2.5)

    assert desk.deliver(transfer()).acknowledged is False
    assert shop.credits() == []
    assert desk.deliver(transfer()).outcome == "handled"


@ONE
def test_a_wait_for_a_lock_of_the_merchants_is_bounded(shop: Shop, one: bool) -> None:
    shop.ask("CREATE TABLE stock (n INT)")
    shop.ask("INSERT INTO stock VALUES (1)")
    ledger = shop.server.ledger(shop.name, timeout=1)
    desk = shop.desk(ledger, lambda event: event.transaction.execute("UPDATE stock SET n = 2"), one)
    with closing(shop.connect(autocommit=False)) as other, other.cursor() as cursor:
        cursor.execute("UPDATE stock SET n = 3")
        assert desk.deliver(transfer()).outcome == "failed"
        other.rollback()
    assert (desk.deliver(transfer()).outcome, shop.credits()) == ("handled", ["R1"])


# What a handler leaves


LEAVES = (
    "SET NAMES latin1", "SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'", "SET SESSION time_zone = '+05:00'", "USE mysql",
    "CREATE TEMPORARY TABLE credits (n INT)", "SELECT GET_LOCK('mine', 0)", "SET SESSION TRANSACTION READ ONLY", "SET @@sql_select_limit = 1",
    "PREPARE mine FROM 'SELECT 1'", "SET ROLE tenant", "SET SESSION innodb_lock_wait_timeout = 1", "SET timestamp = 1",
)  # fmt: skip


@pytest.mark.parametrize("left", LEAVES)
def test_a_handler_finds_nothing_of_the_one_before(shop: Shop, left: str) -> None:
    shop.ask("CREATE ROLE IF NOT EXISTS tenant")
    shop.ask("GRANT tenant TO root@localhost")
    seen: list[object] = []
    state = (
        "SELECT @@character_set_client, @@sql_mode, @@time_zone, DATABASE(), IS_USED_LOCK('mine'), @@tx_isolation, @@tx_read_only, "
        "@@sql_select_limit, CURRENT_ROLE(), @@innodb_lock_wait_timeout, ABS(UNIX_TIMESTAMP() - UNIX_TIMESTAMP(SYSDATE())) < 60"
    )
    ledger = shop.server.ledger(shop.name, most=1)

    def leaves(event: Event[Transfer]) -> None:
        db: Any = event.transaction
        seen.append(db.execute(state).fetchone())
        with pytest.raises(pymysql.Error, match="Unknown prepared statement"):
            db.execute("EXECUTE mine")
        db.execute(left)
        db.decoders.clear()

    assert outcomes(shop.desk(ledger, leaves), "R1", "R2", "R3") == ["handled"] * 3
    assert (seen, shop.credits()) == ([seen[0]] * 3, ["R1", "R2", "R3"])


# Through the merchant's own connection


@pytest.mark.parametrize("rows", ["found", "changed"])
def test_an_item_is_opened_in_the_merchants_transaction_however_its_rows_count(shop: Shop, rows: str) -> None:
    """SQLAlchemy and Django ask for the rows that were found, for which an UPSERT counts one that stays as it is."""
    flag = pymysql.constants.CLIENT.FOUND_ROWS if rows == "found" else 0
    cursors = pymysql.cursors.DictCursor if rows == "found" else pymysql.cursors.Cursor
    book = shop.ledger.book
    with closing(shop.connect(client_flag=flag, cursorclass=cursors, autocommit=False)) as db:
        book.open(first := item("ord_1"), db)
        assert list(book.items()) == []
        db.rollback()
        assert book.open(first, db) is first
        assert book.open(item("ord_1"), db.cursor()) == first
        assert book.open(again := item("ord_1"), db) is not again
        db.commit()
    assert [one.id.number for one in book.items()] == ["ord_1"]
    with pytest.raises(InvalidArgument, match="no connection of PyMySQL or mysqlclient"):
        book.open(item("ord_2"), object())


def test_an_item_is_opened_in_a_session_of_sqlalchemy(shop: Shop) -> None:
    sqlalchemy: Any = pytest.importorskip("sqlalchemy")
    orm: Any = pytest.importorskip("sqlalchemy.orm")
    engine = sqlalchemy.create_engine("mariadb+pymysql://", creator=shop.connect)
    with orm.Session(engine) as session:
        session.execute(sqlalchemy.text("INSERT INTO credits VALUES ('order')"))
        assert shop.ledger.book.open(one := item(), session) is one
        assert shop.ledger.book.open(item(), session) == one
        session.commit()
    engine.dispose()
    assert (len(list(shop.ledger.book.items())), shop.credits()) == (1, ["order"])


def test_a_connection_to_another_database_is_refused(shop: Shop) -> None:
    other = Shop(shop.server, f"{shop.name}_other")
    with closing(other.connect()) as db:
        assert shop.ledger.book.open(one := item(), db) is one, "on one server, a transaction is of all its databases"
    shop.ledger.book.open(item())
    shop.server.ask(f"DROP TABLE {shop.name}.paywright_schema")
    with closing(shop.connect()) as db, pytest.raises(InvalidArgument, match="of another database"):
        shop.ledger.book.open(item(), db)


# Keys, sizes, tables and names


def test_keys_that_most_collations_take_for_one_are_apart(shop: Shop) -> None:
    numbers = ["PAY-1", "PAY-1 ", "PÁY-1", "PAY-1\x00", "PAY-1\u200b", "PAY-\u0661", "\uff30AY-1", "pay-ß", "pay-ss"]
    assert outcomes(shop.desk(), *numbers) == ["handled"] * len(numbers)
    assert outcomes(shop.desk(), *numbers) == ["duplicate"] * len(numbers)
    assert len(shop.credits()) == len(numbers)


def test_a_body_that_does_not_fit_into_a_packet_is_not_acknowledged_and_says_so(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    shop.server.ask("SET GLOBAL max_allowed_packet = 1048576")
    try:
        desk = shop.desk(shop.server.ledger(shop.name))
        reply = desk.deliver(transfer(remark="x" * 600_000))
    finally:
        shop.server.ask("SET GLOBAL max_allowed_packet = 16777216")
    assert (reply.outcome, "max_allowed_packet" in caplog.text) == ("ledger_failed", True)
    assert outcomes(desk, "R2") == ["handled"]


def test_tables_are_made_once_whoever_comes_first_and_are_all_of_innodb(shop: Shop) -> None:
    shop.server.ask(f"DROP DATABASE {shop.name}")
    shop.server.ask(f"CREATE DATABASE {shop.name} DEFAULT CHARACTER SET latin1")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: shop.server.ledger(shop.name).prepare(), range(8)))
    found = (
        "SELECT table_name, engine, table_collation FROM information_schema.tables WHERE table_schema = '{}' ORDER BY 1"
    )
    made = shop.server.ask(found.format(shop.name))
    assert [row[0].removeprefix("paywright_") for row in made] == [
        "identities", "items", "locks", "notifications", "schema",
    ]  # fmt: skip
    assert {row[1] for row in made} == {"InnoDB"}
    assert {row[2] for row in made if row[0] != "paywright_locks"} == {"utf8mb4_nopad_bin"}
    assert shop.ask("SELECT COUNT(*) FROM paywright_schema") == [1]


def test_tables_that_were_begun_are_finished(shop: Shop) -> None:
    """Each is made for itself: whoever dies in between leaves some."""
    for statement in MariaDbLedger.tables(shop.name).split(";\n")[:5]:
        shop.ask(statement)
    assert outcomes(shop.desk(), "R1", "R1") == ["handled", "duplicate"]


def test_tables_of_a_migration_do_without_the_right_to_make_them(shop: Shop) -> None:
    user = f"{shop.name}_user"
    shop.ask(f"CREATE USER {user}@localhost IDENTIFIED BY 'S3CRET'")
    address = shop.server.address(shop.name).replace("root@", f"{user}:S3CRET@")
    with pytest.raises(LedgerProblem, match="access denied") as refused:
        MariaDbLedger(address).prepare()
    assert "S3CRET" not in str(refused.value)
    for statement in MariaDbLedger.tables(shop.name).split(";\n"):
        if statement.strip():
            shop.ask(statement)
    shop.ask(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {shop.name}.* TO {user}@localhost")
    desk = shop.desk(MariaDbLedger(address))
    assert outcomes(desk, "R1", "R1") == ["handled", "duplicate"]


def test_two_ledgers_in_one_database_are_apart(shop: Shop) -> None:
    for prefix in ("one_", "two_"):
        assert outcomes(shop.desk(shop.server.ledger(shop.name, prefix=prefix)), "R1", "R1") == ["handled", "duplicate"]
    assert shop.credits() == ["R1", "R1"]


@pytest.mark.parametrize(
    "wrong",
    [
        "postgresql://h/x",
        "mariadb://h:port/x",
        "mariadb://h/x?charset=latin1",
        "mariadb://[h/x",
        "shop.db",
        "mysql://h/x?%%",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_without_its_words(wrong: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        MariaDbLedger(wrong.replace("://", "://u:S3CRET@", 1))
    assert "S3CRET" not in f"{refused.value!r}{refused.value.__cause__!r}{refused.value.__context__!r}"


@pytest.mark.parametrize("wrong", [{"prefix": "a b"}, {"prefix": "x" * 41}, {"timeout": 0}, {"most": 0}])
def test_a_setting_that_means_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        MariaDbLedger("mariadb://h/x", **wrong)


def test_a_server_that_will_not_do_is_refused_with_words(shop: Shop) -> None:
    with pytest.raises(LedgerProblem, match="names no database"):
        MariaDbLedger(shop.server.address()).prepare()

    def begun() -> Any:
        db = shop.connect(autocommit=False)
        db.cursor().execute("INSERT INTO credits VALUES ('mine')")
        return db

    with pytest.raises(LedgerProblem, match="inside of a transaction"):
        MariaDbLedger(begun).prepare()


def test_a_forked_child_has_sessions_of_its_own(shop: Shop) -> None:
    code = f"""
import json, os, sys
from datetime import UTC, datetime
from paywright import FixedClock, Receiver
from paywright_receiver import MariaDbLedger
receiver = Receiver(
    app_id={APP!r}, gateway_keys=[{KeyPair(key()).public_pem!r}], clock=FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC)),
    ledger=MariaDbLedger({shop.server.address(shop.name)!r}),
)
@receiver.on_receive
def write(event):
    event.transaction.execute("INSERT INTO credits VALUES (%s)", (event.data.request_no,))
one, two = [(json.dumps(body).encode(), {{"sign": sign}}) for body, sign in json.loads(sys.stdin.read())]
assert receiver.receive(*one).outcome == "handled"
child = os.fork()
if child == 0:
    os._exit(0 if [receiver.receive(*each).outcome for each in (one, two)] == ["duplicate", "handled"] else 2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert receiver.receive(*two).outcome == "duplicate"
"""
    bodies = [transfer(number) for number in ("R1", "R2")]
    given = json.dumps([(body, sign(json.dumps(body).encode())) for body in bodies])
    path = os.pathsep.join(str(TOP / folder) for folder in ("generated", "runtime", "receiver"))
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", code], input=given, env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert shop.credits() == ["R1", "R2"]
