"""The book of open items on every ledger: who registers, who is due, who has the lease, and what becomes of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paywright import FixedClock, InvalidArgument, LedgerProblem
from paywright_receiver import SqliteLedger
from paywright_receiver.items.ledger import ClaimRequest
from paywright_receiver.items.open_items import Item, ItemId, Leased
from paywright_receiver.items.times import at_micros
from paywright_receiver.ledgers.sql.sql_open_items import SqlBook
from tests.receiver.helpers.desk import APP, NOW

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server

NewLedger = Callable[[], Any]
AT = "https://gateway.example:443/"
LEASE = 60.0


def item(number: str = "ord_1", due: float | None = 0, **changes: Any) -> Item:
    """An item that is due so many seconds after NOW."""
    made = Item(ItemId(APP, "orders", number), number.upper(), AT, NOW, NOW, "{}", "{}", why="it was placed")
    changes = {"due_at": None if due is None else NOW + timedelta(seconds=due), **changes}
    return made._replace(**changes)


def at(seconds: float) -> Any:
    return NOW + timedelta(seconds=seconds)


def taken(book: SqlBook, seconds: float = 0) -> str | None:
    lease = book.take(APP, AT, "orders", at(seconds), LEASE)
    return None if lease is None else lease.item.id.number


def passes(ledger: Any, seconds: float) -> None:
    """Let time pass for leases; the server of PostgreSQL cannot be told the time, so there the leases are older."""
    if isinstance(getattr(ledger, "clock", None), FixedClock):
        ledger.clock.advance(seconds)
    else:
        ledger.pass_time(timedelta(seconds=seconds))


def test_an_item_is_kept_as_it_was_given(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    full = item(
        state="SUCCESS", settled_state="SUCCESS", paid=True, amount="10.50", currency="USD", settled_at=NOW, asked=2,
        status="settled", why="SUCCESS – paid", attempts=1, content='{"a": "ü"}', follow='{"b": 1}', due=None,
    )  # fmt: skip
    assert book.open(full) == full
    assert book.get(full.id) == full
    assert book.get(ItemId(APP, "refunds", "ord_1")) is None
    assert list(book.items()) == [full]
    assert book.counts() == {"open": 0, "settled": 1, "closed": 0}
    assert book.next_due(APP, AT, ["orders"]) is None


def test_what_is_there_already_stays_and_its_content_is_returned(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    first = book.open(item())
    there = book.open(item(content='{"other": 1}', due=99)._replace(key="oRD_1", address="https://other.example:443/"))
    assert (there.content, there.key, there.address) == (first.content, first.key, first.address)
    assert book.get(first.id) == first


def test_what_is_due_for_longest_comes_first_and_nothing_before_it_is_due(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    for number, due in (("b", 2), ("a", 3), ("c", 1), ("never", None), ("later", 10)):
        book.open(item(number, due))
    book.open(item("elsewhere", 0, address="https://other.example:443/"))
    book.open(item("of another app", 0)._replace(id=ItemId("app_2", "orders", "x")))
    book.open(item("r", 4)._replace(id=ItemId(APP, "refunds", "r")))
    assert book.next_due(APP, AT, ["orders"]) == book.next_due(APP, AT, ["refunds", "orders"]) == at(1)
    assert book.next_due(APP, AT, ["refunds", "withdrawals"]) == at(4)
    assert [taken(book, 5) for _ in range(4)] == ["c", "b", "a", None]
    assert taken(book, 10) == "later"


def test_an_item_is_in_one_pair_of_hands(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    for number in range(40):
        book.open(item(f"o{number}"))
    with ThreadPoolExecutor(8) as pool:
        found = [number for some in pool.map(lambda _: all_of(book), range(8)) for number in some]
    assert sorted(found) == sorted(f"o{number}" for number in range(40))


def all_of(book: SqlBook) -> list[str]:
    found: list[str] = []
    while (number := taken(book)) is not None:
        found.append(number)
    return found


def test_a_lease_of_a_process_that_died_ends_and_each_time_later(new_ledger: NewLedger) -> None:
    ledger = new_ledger()
    book = ledger.book
    book.open(item("poison"))
    book.open(item("sound", 1))
    assert taken(book, 5) == "poison"
    assert taken(book, 5) == "sound"
    assert taken(book, 5) is None
    assert taken(book, 5 + LEASE) is None  # by the clock of leases nothing has passed
    passes(ledger, LEASE + 1)
    assert taken(book, 5) is None  # it comes back one lease later, by the clock of dues
    assert {taken(book, 5 + LEASE), taken(book, 5 + LEASE)} == {"poison", "sound"}
    passes(ledger, LEASE + 1)
    assert taken(book, 5 + 2 * LEASE) is None  # the second time two leases later
    assert {taken(book, 5 + 3 * LEASE), taken(book, 5 + 3 * LEASE)} == {"poison", "sound"}
    assert book.get(item("poison").id).attempts == 3


def test_who_keeps_a_lease_writes_what_the_item_is_now(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    book.open(item())
    lease = book.take(APP, AT, "orders", NOW, LEASE)
    lease = lease._replace(item=lease.item._replace(why="it was moved"))  # as before it is asked about elsewhere
    assert book.keep(lease, lease.item._replace(state="SUCCESS", status="settled", due_at=at(50))) is True
    found = book.get(lease.item.id)
    assert (found.state, found.due_at, found.version, found.why) == ("SUCCESS", at(50), 1, "it was moved")
    assert book.keep(lease, lease.item) is False  # the lease has ended
    assert taken(book, 49) is None
    assert taken(book, 50) == "ord_1"


def test_a_late_holder_of_a_lease_changes_nothing(new_ledger: NewLedger) -> None:
    ledger = new_ledger()
    book = ledger.book
    book.open(item())
    late = book.take(APP, AT, "orders", NOW, LEASE)
    passes(ledger, LEASE + 1)
    now = book.take(APP, AT, "orders", at(LEASE), LEASE)
    assert book.keep(late, late.item._replace(state="PENDING")) is False
    book.give_back(late)
    assert taken(book, 10 * LEASE) is None  # it ended nobody's lease
    assert book.keep(now, now.item._replace(state="SUCCESS")) is True
    assert book.get(now.item.id).state == "SUCCESS"


def test_a_change_during_a_lease_stands_and_the_holder_writes_nothing(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    book.open(item())
    lease = book.take(APP, AT, "orders", NOW, LEASE)
    assert book.change(lease.item.id, lambda one: one._replace(state="SUCCESS", due_at=None)) is True
    assert book.keep(lease, lease.item._replace(state="PENDING", due_at=at(1))) is False
    assert book.get(lease.item.id).state == "SUCCESS"
    assert book.change(lease.item.id, lambda one: None) is False
    assert book.change(ItemId(APP, "orders", "unknown"), lambda one: one) is False


def test_what_is_given_back_is_as_it_was(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    before = book.open(item(due=3))
    book.give_back(book.take(APP, AT, "orders", at(9), LEASE))
    assert book.get(before.id) == before
    assert taken(book, 3) == "ord_1"


def test_a_hint_makes_an_item_due_and_is_not_lost_during_a_lease(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    id = book.open(item(due=100)).id
    assert book.hint(id, at(5)) is True
    assert taken(book, 4) is None
    lease = book.take(APP, AT, "orders", at(5), LEASE)
    assert noticed(lease) == [("", "hint", at(5))]
    assert book.hint(id, at(6)) is True  # while it is asked about
    assert taken(book, 6) is None
    assert book.keep(lease, lease.item._replace(due_at=at(1000)), unhinted=True) is False
    assert book.get(id).step == lease.item.step
    assert book.keep(lease, lease.item._replace(due_at=at(1000))) is True
    again = book.take(APP, AT, "orders", at(6), LEASE)
    assert noticed(again) == [("", "hint", at(6))]
    assert book.keep(again, again.item._replace(due_at=at(1000)), unhinted=True) is True
    assert (taken(book, 999), taken(book, 1000)) == (None, "ord_1")
    assert book.hint(ItemId(APP, "orders", "unknown"), NOW) is False


def noticed(lease: Leased) -> list[tuple[str, str, datetime]]:
    return [(one.state, one.source, at_micros(one.at)) for one in lease.item.signed if one.answered == "no"]


@pytest.mark.parametrize("heard", [True, False])
def test_each_notice_stays_until_it_is_answered(heard: bool, new_ledger: NewLedger) -> None:
    """The later notification erased the earlier one."""
    book = new_ledger().book
    id = book.open(item()).id
    for seconds, says in enumerate(("BOUNCEBACK", "SUCCESS", None)):
        assert book.hint(id, at(seconds), says=says) is True
    lease = book.take(APP, AT, "orders", at(3), LEASE)
    known = [("BOUNCEBACK", "noted", at(0)), ("SUCCESS", "noted", at(1)), ("", "hint", at(2))]
    assert noticed(lease) == known
    assert book.hint(id, at(4), says="CLOSED") is True
    signed = () if heard else lease.item.signed
    assert book.keep(lease, lease.item._replace(due_at=at(100), signed=signed)) is True
    again = book.take(APP, AT, "orders", at(5), LEASE)
    assert noticed(again) == [*([] if heard else known), ("CLOSED", "noted", at(4))]


def test_a_hint_leaves_a_closed_item_closed_and_a_notification_opens_it(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    id = book.open(item()).id
    book.change(id, lambda one: one._replace(status="closed", due_at=None))
    assert taken(book, 1e6) is None
    assert book.hint(id, NOW) is True
    assert book.counts() == {"open": 0, "settled": 0, "closed": 1}
    assert taken(book, 1) == "ord_1"
    assert book.hint(id, NOW, says="SUCCESS") is True
    assert book.counts() == {"open": 1, "settled": 0, "closed": 0}


def test_what_was_closed_is_opened_again_with_the_same_content_alone(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    first = book.open(item())
    book.hint(first.id, NOW, says="SUCCESS")
    book.change(first.id, lambda one: one._replace(status="closed", due_at=None))
    other = item()._replace(content="other")
    for one in (other, item()._replace(key="oRD_1")):
        assert book.open(one) is not one
        assert book.get(first.id).status == "closed"
    assert book.open(again := item()) is again
    found = book.get(first.id)
    assert (found.status, [one.state for one in found.signed]) == ("open", ["SUCCESS"])
    assert book.open(item()) is not again


def test_items_are_read_in_portions_and_each_once(new_ledger: NewLedger) -> None:
    book = new_ledger().book
    for number in range(1_234):
        book.open(item(f"o{number:05}", opened_at=at(number // 3), settled_at=at(number % 7)))
    assert [one.id.number for one in book.items()] == [f"o{number:05}" for number in range(1_234)]
    assert [one.id.number for one in book.open_items(before=at(100))] == [f"o{number:05}" for number in range(300)]
    assert len(list(book.open_items())) == 1_234
    assert {one.settled_at for one in book.handled(at(2), at(4))} == {at(2), at(3)}
    assert sum(1 for _ in book.handled(at(0), at(7))) == 1_234


def test_the_book_and_the_effect_are_written_in_one_transaction(new_ledger: NewLedger) -> None:
    ledger = new_ledger()
    book = ledger.book
    id = book.open(item()).id

    def settle(within: object) -> None:
        assert book.change(id, lambda one: one._replace(state="SUCCESS", status="settled"), within=within)

    claim = ledger.acquire(request())
    claim.complete(settle)
    found = book.get(id)
    assert (found.state, found.status) == ("SUCCESS", "settled")
    assert [entry.status for entry in ledger.list()] == ["done"]


def test_a_book_that_cannot_be_written_keeps_the_effect_back(new_ledger: NewLedger) -> None:
    ledger = new_ledger()

    def fail(within: object) -> None:
        raise LedgerProblem("no")

    claim = ledger.acquire(request())
    with pytest.raises(LedgerProblem):
        claim.complete(fail)
    claim.release("failed", "the book could not be written")
    assert [entry.status for entry in ledger.list()] == ["failed"]


def request() -> ClaimRequest:
    return ClaimRequest("k", "s", "K", None, raw=b"{}", digest="0" * 64, notify_time=0, lease=60, keep=1)


# In the merchant's own transaction


def test_a_registration_is_there_if_the_order_is_and_only_then(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "shop.db", clock=FixedClock(NOW))
    shop = sqlite3.connect(tmp_path / "shop.db", isolation_level=None)
    shop.row_factory = sqlite3.Row  # as many shops have it
    shop.execute("CREATE TABLE orders (number TEXT PRIMARY KEY)")
    for number, end in (("ord_1", "ROLLBACK"), ("ord_2", "COMMIT")):
        shop.execute("BEGIN")
        shop.execute("INSERT INTO orders VALUES (?)", (number,))
        ledger.book.open(item(number), shop.cursor() if number == "ord_1" else shop)
        shop.execute(end)
    assert [one.id.number for one in ledger.book.items()] == ["ord_2"]
    assert [row["number"] for row in shop.execute("SELECT number FROM orders")] == ["ord_2"]
    shop.close()


def test_a_transaction_of_another_database_is_refused(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "shop.db")
    SqliteLedger(tmp_path / "other.db")
    for path in (str(tmp_path / "other.db"), ":memory:"):
        other = sqlite3.connect(path)
        with pytest.raises(InvalidArgument, match="of another database than the ledger"):
            ledger.book.open(item(), other)
        other.close()
    with pytest.raises(InvalidArgument, match=r"no sqlite3\.Connection was found"):
        ledger.book.open(item(), "shop.db")
    assert list(ledger.book.items()) == []


class _Framework:
    """A session that hands out a connection when it is called, and a connection around the driver's."""

    def __init__(self, driver: object) -> None:
        self._driver = driver

    def connection(self) -> Any:
        outer: Any = type("Connection", (), {})()
        outer.connection = type("Pooled", (), {"driver_connection": self._driver})()
        return outer


def test_the_connection_is_found_in_what_frameworks_call_their_transaction(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "shop.db")
    shop = sqlite3.connect(tmp_path / "shop.db")
    ledger.book.open(item(), _Framework(shop))
    assert list(ledger.book.items()) == []  # it is not committed yet
    shop.commit()
    assert len(list(ledger.book.items())) == 1
    shop.close()


@pytest.mark.slow
def test_a_registration_in_postgresql_is_there_if_the_order_is_and_only_then(postgres: Server, schema: str) -> None:
    import psycopg
    from psycopg.rows import dict_row

    from paywright_receiver.ledgers.postgres import PostgresLedger

    book = PostgresLedger(postgres.conninfo(), schema=schema).book
    with psycopg.connect(postgres.conninfo(), row_factory=dict_row) as shop:
        book.open(item("ord_1"), shop)
        shop.rollback()
        kept = book.open(item("ord_2"), shop.cursor())
        assert book.open(item("ord_2", content="other"), shop) == kept
        assert list(book.items()) == []
        shop.commit()
    assert [one.id.number for one in book.items()] == ["ord_2"]
    with pytest.raises(InvalidArgument, match=r"no psycopg\.Connection was found"):
        book.open(item(), sqlite3.connect(":memory:"))


def test_a_run_with_nothing_due_waits_for_no_writer(tmp_path: Path) -> None:
    book = SqliteLedger(tmp_path / "shop.db").book
    book.open(item(due=10))
    with sqlite3.connect(tmp_path / "shop.db", isolation_level=None) as db:
        db.execute("BEGIN IMMEDIATE")
        assert book.take(APP, AT, "orders", NOW, LEASE) is None


# What is due is found through the index


def plan_of(db: sqlite3.Connection, statement: str, *values: object) -> str:
    return " ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}", values))


def test_what_is_due_and_what_is_open_is_found_through_an_index(tmp_path: Path) -> None:
    from paywright_receiver.ledgers.sql.statements import Statements

    sql = Statements().book
    SqliteLedger(tmp_path / "shop.db").book.open(item())
    with sqlite3.connect(tmp_path / "shop.db") as db:
        for (look, _), sign in ((sql.due, "<"), (sql.newest, "<"), (sql.never, ">")):
            due = plan_of(db, look, APP, AT, "orders", 1, 0, 1, 1)
            assert f"USING INDEX paywright_items_due (app_id=? AND address=? AND kind=? AND due_at{sign}?)" in due
            assert "TEMP B-TREE" not in due  # the order is the index's
        assert "USING COVERING INDEX paywright_items_due" in plan_of(db, sql.next_due, APP, AT, "orders", 0)
        assert "USING COVERING INDEX paywright_items_due" in plan_of(db, sql.due_there, APP, AT)
        place = plan_of(db, sql.next_place, APP, AT, APP)  # past all items of the place before
        assert "USING COVERING INDEX paywright_items_due (app_id=? AND address>?)" in place, place
        assert "USING COVERING INDEX paywright_items_due (app_id>?)" in place, place
        found = plan_of(db, sql.open_page[0], 1, 1, "", "", "")
        assert "USING INDEX paywright_items_open (status=? AND (opened_at,app_id,kind,number)>" in found, found
        assert "TEMP B-TREE" not in found
        found = plan_of(db, sql.page[0], "", "", "")  # by all three: of one merchant, app_id finds nothing
        assert "((app_id,kind,number)>(?,?,?))" in found, found
        assert "TEMP B-TREE" not in found
    db.close()


@pytest.mark.slow
def test_what_is_due_is_found_through_an_index_in_postgresql_too(postgres: Server, schema: str) -> None:
    import psycopg

    from paywright_receiver.ledgers.postgres import PostgresLedger, statements

    PostgresLedger(postgres.conninfo(), schema=schema).prepare()
    sql = statements(schema).book
    with psycopg.connect(postgres.conninfo()) as db:
        db.execute("SET enable_seqscan = off")  # the table is empty: reading all of it would be cheapest
        found = str(db.execute(f"EXPLAIN {sql.due[1]}", (APP, AT, "orders", 1, 0, 1, 1)).fetchall())
        assert "Index Scan using paywright_items_due" in found, found
        assert "Sort" not in found
