"""A write of the ledger that fails half-way leaves nothing: no half of it, no open transaction, and no connection in use.

The database refuses a change of the ledger's own tables, as when a disk is full or a right was taken away.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from paywright import LedgerProblem
from paywright_receiver import SqliteLedger
from paywright_receiver.items.open_items import ItemId
from tests.receiver.helpers.desk import APP, NOW, SERVERS
from tests.receiver.ledgers.test_ledgers import request
from tests.receiver.ledgers.test_open_items import AT, LEASE, item
from tests.support.forks import in_child

TABLES = ("notifications", "items", "identities")
CHANGES = ("INSERT", "UPDATE", "DELETE")


class Database:
    """A ledger, its tables, and whether they take changes; `idle` tells whether others could write at once."""

    def __init__(self, ledger: Any, ask: Callable[[str], list[Any]], idle: Callable[[], bool], trigger: str) -> None:
        self.ledger = ledger
        self.idle = idle
        self._ask = ask
        self._trigger = trigger

    def refuses(self) -> None:
        for table in TABLES:
            for change in CHANGES:
                self._ask(self._trigger.format(name=f"no_{change}_{table}", change=change, table=f"paywright_{table}"))

    def takes(self) -> None:
        for table in TABLES:
            for change in CHANGES:
                on = f" ON paywright_{table}" if type(self.ledger).__name__ == "PostgresLedger" else ""
                self._ask(f"DROP TRIGGER no_{change}_{table}{on}")

    def rows(self) -> list[list[Any]]:
        return [sorted(self._ask(f"SELECT * FROM paywright_{table}"), key=str) for table in TABLES]


@pytest.fixture(params=["sqlite", *SERVERS])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    if request.param == "sqlite":
        path = tmp_path / "ledger.db"

        def ask(query: str) -> list[Any]:
            with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as db:
                return db.execute(query).fetchall()

        trigger = "CREATE TRIGGER {name} BEFORE {change} ON {table} BEGIN SELECT RAISE(ABORT, 'no'); END"
        ledger = SqliteLedger(path, timeout=0.2)
        yield Database(ledger, ask, lambda: ask("BEGIN IMMEDIATE") == [], trigger)
        ledger.close()
        return
    server: Any = request.getfixturevalue(request.param)
    name = f"failing_{request.getfixturevalue('schema')}"
    asks: Callable[[str], list[Any]] = lambda query: server.ask(query, name)  # noqa: E731
    if request.param == "mariadb":
        made = server.ledger(name, most=1, timeout=5)
        made.prepare()
        trigger = "CREATE TRIGGER {name} BEFORE {change} ON {table} FOR EACH ROW SIGNAL SQLSTATE '45000'"
        joined = "innodb_trx JOIN information_schema.processlist ON id = trx_mysql_thread_id"
        open_ones = f"SELECT 1 FROM information_schema.{joined} WHERE db = '{name}'"
        yield Database(made, asks, lambda: asks(open_ones) == [], trigger)
        made.close()
        return
    from paywright_receiver.ledgers.postgres import PostgresLedger

    server.ask(f"CREATE DATABASE {name}")
    asks("CREATE FUNCTION refused() RETURNS trigger AS $$ BEGIN RAISE 'no'; END $$ LANGUAGE plpgsql")
    open_ones = f"SELECT 1 FROM pg_stat_activity WHERE datname = '{name}' AND state LIKE 'idle in transaction%'"
    trigger = "CREATE TRIGGER {name} BEFORE {change} ON {table} FOR EACH ROW EXECUTE FUNCTION refused()"
    made = PostgresLedger(server.conninfo(name), most=1, timeout=5)
    made.prepare()
    yield Database(made, asks, lambda: asks(open_ones) == [], trigger)
    made.close()


def claimed(ledger: Any, key: str = "k") -> Any:
    claim = ledger.acquire(request(key))
    assert not isinstance(claim, str)
    return claim


def within(ledger: Any) -> Any:
    one = request()
    one.within = ("effect",)
    return ledger.acquire(one)


def done(ledger: Any) -> None:
    old = request()
    old.keep = -(10**12)
    claim = ledger.acquire(old)
    claim.complete()


def failed(ledger: Any) -> None:
    claimed(ledger).release("failed", "for the table")


def opened(ledger: Any) -> ItemId:
    return ledger.book.open(item()).id  # type: ignore[no-any-return]  # of any ledger


def leased(ledger: Any) -> Any:
    opened(ledger)
    return ledger.book.take(APP, AT, "orders", NOW, LEASE)


# What is there before, and the write.
WRITES: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], object]]] = {
    "acquire": (lambda ledger: None, lambda ledger, _: ledger.acquire(request())),
    "one transaction": (lambda ledger: None, lambda ledger, _: within(ledger).complete()),
    "complete": (claimed, lambda ledger, claim: claim.complete()),
    "complete with the book": (
        lambda ledger: (opened(ledger), claimed(ledger)),
        lambda ledger, both: both[1].complete(
            lambda within: ledger.book.change(both[0], lambda one: one._replace(state="PAID"), within=within)
        ),
    ),
    "discard": (failed, lambda ledger, _: ledger.discard("k")),
    "release by hand": (claimed, lambda ledger, _: ledger.release("k")),
    "prune": (done, lambda ledger, _: ledger.prune(NOW.replace(year=2100))),
    "identity": (lambda ledger: None, lambda ledger, _: ledger.identity("K", "number")),
    "forget_identity": (lambda ledger: ledger.identity("K", "n"), lambda ledger, _: ledger.forget_identity("K")),
    "open": (lambda ledger: None, lambda ledger, _: opened(ledger)),
    "take": (opened, lambda ledger, _: ledger.book.take(APP, AT, "orders", NOW, LEASE)),
    "take_one": (opened, lambda ledger, id: ledger.book.take_one(id, AT, NOW, LEASE)),
    "keep": (leased, lambda ledger, lease: ledger.book.keep(lease, lease.item)),
    "give_back": (leased, lambda ledger, lease: ledger.book.give_back(lease)),
    "change": (opened, lambda ledger, id: ledger.book.change(id, lambda one: one._replace(state="PAID"))),
    "hint": (opened, lambda ledger, id: ledger.book.hint(id, NOW)),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_that_fails_leaves_nothing_and_may_be_repeated(name: str, database: Database) -> None:
    prepare, write = WRITES[name]
    claimed(database.ledger, "first").complete()  # with the first delivery connections begin to stay open
    given = prepare(database.ledger)
    before = database.rows()
    database.refuses()
    for _ in range(2):  # what the first one left behind would end the second one otherwise
        with pytest.raises(LedgerProblem) as caught:
            write(database.ledger, given)
        assert "within a transaction" not in str(caught.value)
        assert "in use" not in str(caught.value)
        assert database.idle()
        assert database.rows() == before
    database.takes()
    write(database.ledger, given)
    assert database.rows() != before
    assert database.idle()
    assert usable_after_a_fork(database.ledger)


def usable_after_a_fork(ledger: Any) -> bool:
    """Whether no connection is taken for one in use: on SQLite a child of such a process may not use the file."""
    return not isinstance(ledger, SqliteLedger) or in_child(ledger.counts) == 0


class Stopped(BaseException):
    """Such as an interrupt."""


def test_whatever_ends_a_change_leaves_the_item_and_the_ledger_as_they_were(database: Database) -> None:
    def stop(_: Any) -> Any:
        raise Stopped

    book, id = database.ledger.book, opened(database.ledger)
    before = database.rows()
    for _ in range(2):
        with pytest.raises(Stopped):
            book.change(id, stop)
        assert database.idle()
        assert database.rows() == before
    assert book.change(id, lambda one: one._replace(state="PAID"))


def test_a_claim_whose_release_fails_is_released_by_the_next_delivery(database: Database) -> None:
    claim = claimed(database.ledger)
    database.refuses()
    with pytest.raises(LedgerProblem):
        claim.release("failed", "no")
    assert database.idle()
    database.takes()
    database.ledger.acquire(request("another"))
    assert {entry.key: entry.status for entry in database.ledger.list()} == {"k": "failed", "another": "claimed"}


def test_a_file_that_is_busy_or_cannot_be_read_leaves_no_connection_in_use(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.db", timeout=0.1)
    claimed(ledger).complete()
    with closing(sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerProblem, match="locked"):
            ledger.identity("K", "number")
        other.execute("ROLLBACK")
        assert usable_after_a_fork(ledger)
        other.execute("ALTER TABLE paywright_notifications RENAME TO elsewhere")
        with pytest.raises(LedgerProblem, match="no such table"):
            ledger.counts()
        other.execute("ALTER TABLE elsewhere RENAME TO paywright_notifications")
    assert usable_after_a_fork(ledger)
    assert ledger.identity("K", "number") == "number"


def test_who_waits_too_long_for_another_thread_is_told_so(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.db", timeout=0.1)
    db = ledger.begin()
    with ThreadPoolExecutor(1) as pool, pytest.raises(LedgerProblem, match="another thread has written"):
        pool.submit(ledger.identity, "K", "number").result()
    ledger.end(db, ended=True)
    assert ledger.identity("K", "number") == "number"


def test_connections_that_cannot_be_opened_are_none_in_use() -> None:
    postgres = pytest.importorskip("paywright_receiver.ledgers.postgres", reason="it needs psycopg")
    opened: list[int] = []

    def fail() -> Any:
        opened.append(1)
        raise postgres.psycopg.OperationalError("nobody is there")

    ledger = postgres.PostgresLedger(fail, most=1, timeout=0.2)
    for count in (1, 2, 3):
        with pytest.raises(LedgerProblem, match="OperationalError"):
            ledger.prepare()
        assert len(opened) == count
