"""The ledger in a real MariaDB: what is its own, beside what all ledgers do alike."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any
from unittest.mock import DEFAULT, Mock
from urllib.parse import quote

import pytest

from paywright import Event, InvalidArgument, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import in_one_transaction
from paywright_receiver.ledgers.sql.open_item_statements import COLUMNS, PAGE
from tests.receiver.helpers.credits import Credits
from tests.receiver.helpers.desk import Desk, transfer
from tests.receiver.ledgers.test_open_items import item

pymysql: Any = pytest.importorskip("pymysql")

from paywright_receiver.ledgers.mariadb import MariaDbLedger  # noqa: E402  # needs pymysql

if TYPE_CHECKING:
    from tests.receiver.helpers.mariadb_server import Server

pytestmark = pytest.mark.slow
ONE = pytest.mark.parametrize("one", [False, True], ids=["claimed before", "in one transaction"])


@pytest.fixture
def shop(mariadb: Server, schema: str) -> Credits:
    return Credits("mariadb", mariadb, schema)


# What a crash or a loss leaves


@ONE
def test_a_branch_whose_session_died_once_it_was_prepared_is_committed_by_another(
    shop: Credits, one: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions, dead, begin = list[Any](), list[int](), shop.ledger.begin
    monkeypatch.setattr(shop.ledger, "begin", lambda **how: sessions.append(begin(**how)) or sessions[-1])

    def dies(event: Event[Transfer]) -> None:
        session, execute = sessions[-1], sessions[-1].execute

        def dying(statement: str, parameters: Any = ()) -> Any:
            if statement.startswith("XA COMMIT"):
                dead.append(session._db.thread_id())
                shop.ledger.id = "dead"  # as its process, which does not look for what it has left
                session._db._force_close()
            return execute(statement, parameters)

        session.execute = dying

    reply = shop.desk(then=dies, one=one).deliver(transfer())
    assert (reply.outcome, reply.acknowledged) == ("ledger_failed", False)
    until = time.monotonic() + 60
    while shop.ask(f"SELECT 1 FROM information_schema.processlist WHERE id = {dead[0]}"):
        assert time.monotonic() < until
    assert len(shop.server.ask("XA RECOVER")) == 1
    assert shop.desk(shop.another(), one=one).outcomes("R1") == ["duplicate"]
    assert shop.written() == ["R1"]
    assert shop.server.ask("XA RECOVER") == []


def test_a_handler_that_is_idle_for_longer_than_the_lease_is_ended(shop: Credits) -> None:
    desk = Desk(shop.ledger, lease=1)

    @desk.receiver.on_receive
    @in_one_transaction
    def idles(event: Event[Transfer]) -> None:
        event.transaction.execute("INSERT INTO credits VALUES ('late')")
        if event.attempt == 1:
            time.sleep(2.5)

    assert desk.deliver(transfer()).acknowledged is False
    assert shop.written() == []
    assert desk.deliver(transfer()).outcome == "handled"


@ONE
def test_a_wait_for_a_lock_of_the_merchants_is_bounded(shop: Credits, one: bool) -> None:
    shop.ask("CREATE TABLE stock (n INT)")
    shop.ask("INSERT INTO stock VALUES (1)")
    ledger = shop.another(timeout=1)
    desk = shop.desk(ledger, lambda event: event.transaction.execute("UPDATE stock SET n = 2"), one=one)
    with closing(shop.connect()) as other, other.cursor() as cursor:
        cursor.execute("UPDATE stock SET n = 3")
        assert desk.deliver(transfer()).outcome == "failed"
        other.rollback()
    assert (desk.deliver(transfer()).outcome, shop.written()) == ("handled", ["R1"])


@pytest.mark.parametrize(("times", "outcome"), [(2, "handled"), (3, "ledger_failed")])
def test_a_deadlocked_claim_is_judged_again(shop: Credits, times: int, outcome: str, monkeypatch: Any) -> None:
    deadlocks = [pymysql.OperationalError(1213, "deadlock")] * times
    monkeypatch.setattr(shop.ledger, "_locked", Mock(wraps=shop.ledger._locked, side_effect=[*deadlocks, DEFAULT]))
    assert shop.desk().deliver(transfer()).outcome == outcome


# What a handler leaves


@ONE
def test_a_handler_learns_by_an_error_that_its_row_was_there_and_goes_on(shop: Credits, one: bool) -> None:
    """So its page says: an upsert returns such a row like a new one, and with some drivers counts it so."""
    shop.ask(f"ALTER TABLE {shop.table} ADD UNIQUE (number(9))")

    def again(event: Event[Transfer]) -> None:
        with pytest.raises(pymysql.err.IntegrityError, match="1062"):
            shop.write(event, event.data.request_no)
        shop.write(event, "more")

    assert shop.desk(then=again, one=one).outcomes("R1", "R1") == ["handled", "duplicate"]
    assert shop.written() == ["more", "R1"]


LEAVES = (
    "SET NAMES latin1", "SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'", "SET SESSION time_zone = '+05:00'", "USE mysql",
    "CREATE TEMPORARY TABLE credits (n INT)", "SELECT GET_LOCK('mine', 0)", "SET SESSION TRANSACTION READ ONLY", "SET @@sql_select_limit = 1",
    "PREPARE mine FROM 'SELECT 1'", "SET ROLE tenant", "SET SESSION innodb_lock_wait_timeout = 1", "SET timestamp = 1",
)  # fmt: skip


@pytest.mark.parametrize("left", LEAVES)
def test_a_handler_finds_nothing_of_the_one_before(shop: Credits, left: str) -> None:
    shop.ask("CREATE ROLE IF NOT EXISTS tenant")
    shop.ask("GRANT tenant TO root@localhost")
    seen: list[object] = []
    state = (
        "SELECT @@character_set_client, @@sql_mode, @@time_zone, DATABASE(), IS_USED_LOCK('mine'), @@tx_isolation, @@tx_read_only, "
        "@@sql_select_limit, CURRENT_ROLE(), @@innodb_lock_wait_timeout, ABS(UNIX_TIMESTAMP() - UNIX_TIMESTAMP(SYSDATE())) < 60"
    )
    ledger = shop.another(most=1)

    def leaves(event: Event[Transfer]) -> None:
        db: Any = event.transaction
        seen.append(db.execute(state).fetchone())
        with pytest.raises(pymysql.Error, match="Unknown prepared statement"):
            db.execute("EXECUTE mine")
        db.execute(left)
        db.decoders.clear()

    assert shop.desk(ledger, leaves).outcomes("R1", "R2", "R3") == ["handled"] * 3
    assert (seen, shop.written()) == ([seen[0]] * 3, ["R1", "R2", "R3"])


# Through the merchant's own connection


@pytest.mark.parametrize("rows", ["found", "changed"])
def test_an_item_is_opened_in_the_merchants_transaction_however_its_rows_count(shop: Credits, rows: str) -> None:
    """SQLAlchemy and Django ask for the rows that were found, for which an UPSERT counts one that stays as it is."""
    flag = pymysql.constants.CLIENT.FOUND_ROWS if rows == "found" else 0
    cursors = pymysql.cursors.DictCursor if rows == "found" else pymysql.cursors.Cursor
    book = shop.ledger.book
    with closing(shop.connect(client_flag=flag, cursorclass=cursors)) as db:
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


@pytest.mark.parametrize("driver", ["pymysql", "MySQLdb"])
def test_an_item_is_opened_in_a_session_of_sqlalchemy(shop: Credits, driver: str) -> None:
    pytest.importorskip(driver, reason="no mysqlclient: pip builds it where libmariadb-dev is")
    sqlalchemy: Any = pytest.importorskip("sqlalchemy")
    orm: Any = pytest.importorskip("sqlalchemy.orm")
    engine = sqlalchemy.create_engine(shop.address.replace("mariadb:", f"mariadb+{driver.lower()}:"))
    with orm.Session(engine) as session:
        session.execute(sqlalchemy.text("INSERT INTO credits VALUES ('gone')"))
        shop.ledger.book.open(item("gone"), session)
        session.rollback()
        session.execute(sqlalchemy.text("INSERT INTO credits VALUES ('order')"))
        assert shop.ledger.book.open(one := item(), session) is one
        assert shop.ledger.book.open(item(), session) == one
        session.commit()
    engine.dispose()
    assert (len(list(shop.ledger.book.items())), shop.written()) == (1, ["order"])


def test_a_connection_to_another_database_is_refused(shop: Credits) -> None:
    other = Credits("mariadb", shop.server, f"{shop.name}_other")
    with closing(other.connect()) as db:
        assert shop.ledger.book.open(one := item(), db) is one, "on one server, a transaction is of all its databases"
    shop.ledger.book.open(item())
    shop.server.ask(f"DROP TABLE {shop.name}.paywright_schema")
    with closing(shop.connect()) as db, pytest.raises(InvalidArgument, match="of another database"):
        shop.ledger.book.open(item(), db)


def test_a_page_of_items_is_read_from_where_the_last_one_ended(shop: Credits) -> None:
    book = shop.ledger.book
    book.open(item())
    columns = ", ".join(f"`{one}`" for one in COLUMNS)
    copied = columns.replace("`number`", "CONCAT(number, seq)")
    shop.ask(f"INSERT INTO paywright_items ({columns}) SELECT {copied} FROM paywright_items, seq_1_to_{4 * PAGE}")
    asked = "SELECT SUM(variable_value) FROM information_schema.global_status WHERE variable_name LIKE 'Handler_read%'"
    (before,) = shop.ask(asked)
    assert len(list(book.items())) == 4 * PAGE + 1
    assert shop.ask(asked)[0] - before < 6 * PAGE


# Keys, sizes, tables and names


def test_keys_that_most_collations_take_for_one_are_apart(shop: Credits) -> None:
    numbers = ["PAY-1", "PAY-1 ", "PÁY-1", "PAY-1\x00", "PAY-1\u200b", "PAY-\u0661", "\uff30AY-1", "pay-ß", "pay-ss"]
    assert shop.desk().outcomes(*numbers) == ["handled"] * len(numbers)
    assert shop.desk().outcomes(*numbers) == ["duplicate"] * len(numbers)
    assert len(shop.written()) == len(numbers)


def test_a_body_too_large_for_a_packet_is_not_acknowledged(shop: Credits, caplog: pytest.LogCaptureFixture) -> None:
    shop.server.ask("SET GLOBAL max_allowed_packet = 1048576")
    try:
        desk = shop.desk(shop.another())
        reply = desk.deliver(transfer(remark="x" * 600_000))
    finally:
        shop.server.ask("SET GLOBAL max_allowed_packet = 16777216")
    assert (reply.outcome, "max_allowed_packet" in caplog.text) == ("ledger_failed", True)
    assert desk.outcomes("R2") == ["handled"]


def test_tables_are_of_innodb_and_compare_each_character_whatever_the_database_does(shop: Credits) -> None:
    shop.server.ask(f"ALTER DATABASE {shop.name} DEFAULT CHARACTER SET latin1")
    shop.ledger.prepare()
    found = "SELECT table_name, engine, table_collation FROM information_schema.tables"
    made = shop.server.ask(f"{found} WHERE table_schema = '{shop.name}' AND table_name LIKE 'paywright%'")
    assert {row[1] for row in made} == {"InnoDB"}
    assert {row[2] for row in made if row[0] != "paywright_locks"} == {"utf8mb4_nopad_bin"}


def test_tables_that_were_begun_are_finished(shop: Credits) -> None:
    """Each is made for itself: whoever dies in between leaves some."""
    for statement in MariaDbLedger.tables(shop.name).split(";\n")[:-3]:
        shop.ask(statement)
    assert shop.desk().outcomes("R1", "R1") == ["handled", "duplicate"]
    assert shop.ask("SHOW INDEX FROM paywright_notifications WHERE key_name = 'paywright_changed'")
    shop.ask("DROP TABLE paywright_notifications")  # which was made last, once
    assert shop.desk(shop.another()).outcomes("R2", "R2") == ["handled", "duplicate"]


def test_a_database_may_be_called_anything(shop: Credits) -> None:
    odd = f"{shop.name} `Odd`; key?"
    shop.server.ask(f"CREATE SCHEMA `{odd.replace('`', '``')}`")
    desk = shop.desk(MariaDbLedger(shop.server.address(quote(odd))))
    assert desk.outcomes("R1", "R1") == ["handled", "duplicate"]


def test_no_handler_has_the_session_that_looked_for_the_tables(shop: Credits, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its branches would not have the ledger's name, by which others commit what a process has left."""
    begun = list[Any]()
    monkeypatch.setattr(shop.ledger, "_begin_with", lambda sql: begun.append(shop.ledger.begin(apart=True)))
    shop.ledger.prepare()
    assert str(shop.ledger.id) in begun[0]._branch
    shop.ledger.end(begun[0], ended=False)


def test_beside_tables_of_another_version_nothing_is_made(shop: Credits) -> None:
    shop.ask("CREATE TABLE paywright_schema (version INTEGER NOT NULL, id TEXT NOT NULL)")
    shop.ask("INSERT INTO paywright_schema VALUES (2, 'x')")
    with pytest.raises(LedgerProblem, match=r"are of version 2, .* Nothing was changed"):
        shop.ledger.prepare()
    assert shop.ask("SHOW TABLES LIKE 'paywright%'") == ["paywright_schema"]


def test_one_process_at_a_time_makes_tables(shop: Credits) -> None:
    with closing(shop.connect()) as other, other.cursor() as cursor:
        cursor.execute("SELECT GET_LOCK('paywright tables', 0)")
        with pytest.raises(LedgerProblem, match="Another process makes the tables of a ledger"):
            shop.another(timeout=1).prepare()
    shop.another().prepare()


def test_a_server_that_will_not_do_is_refused_with_words(shop: Credits) -> None:
    with pytest.raises(LedgerProblem, match="names no database"):
        MariaDbLedger(shop.server.address()).prepare()
    shop.ledger.prepare()
    shop.ask("ALTER TABLE paywright_locks ENGINE = MyISAM")
    with pytest.raises(LedgerProblem, match="not of InnoDB"):
        shop.another().prepare()
