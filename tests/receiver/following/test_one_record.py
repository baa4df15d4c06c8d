"""One record of each item: what had its effect and what is known stand in one row, whoever wrote first."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paywright import InvalidArgument
from paywright_receiver import SqliteLedger
from paywright_receiver.items.open_items import ItemId, item_of
from tests.receiver.helpers.desk import APP, NOW, order, refund, transfer
from tests.receiver.helpers.shop import Shop
from tests.runtime.helpers.canned_gateway import Gateway

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server


def test_what_is_told_first_is_part_of_the_item_that_is_opened_later(shop: Shop) -> None:
    """Without address or amount, which nobody knew then; and nothing is listed that was never registered."""
    assert shop.deliver(order()).outcome == "handled"
    assert (list(shop.ledger.book.items()), shop.follower.get("orders", "ORD_1")) == ([], None)
    with pytest.raises(InvalidArgument, match="is not registered"):
        shop.follower.hint("orders", "ORD_1")
    assert dict(shop.follower.counts()) == {"open": 0, "settled": 0, "closed": 0}
    opened = shop.open(amount="10.50")
    assert (opened.effect, opened.effect_at, opened.status, opened.state) == ("SUCCESS", NOW, "open", None)
    assert opened.address == shop.gateway.base_url
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.50")
    assert shop.run().repeated == 1
    item = shop.item()
    assert (item.status, item.state, item.amount, item.effect) == ("settled", "SUCCESS", "10.50", "SUCCESS")
    assert len(shop.effects) == 1


def test_a_handler_that_fails_leaves_neither(shop: Shop) -> None:
    shop.open()
    shop.fails = lambda event: 1 / 0
    assert shop.deliver(order()).outcome == "failed"
    assert (shop.item().effect, shop.item().state) == (None, None)
    shop.fails = lambda event: None
    assert shop.deliver(order()).outcome == "handled"
    assert (shop.item().effect, shop.item().state) == ("SUCCESS", "SUCCESS")


def test_a_result_that_comes_while_its_item_is_leased_stays(shop: Shop) -> None:
    """Whoever asked writes back what it knew before; what had its effect is not its to write."""
    shop.open()
    shop.states.shown["ORD_1"] = ("PENDING", "10.5")
    shop.states.before_answer = lambda key: shop.deliver(order())
    shop.run()
    item = shop.item()
    assert (item.status, item.effect, len(shop.effects)) == ("settled", "SUCCESS", 1)


def test_what_had_its_effect_outlives_the_record_of_its_delivery(shop: Shop) -> None:
    """Pruning forgets deliveries. An order, a refund, and a transfer, which is no item: none has its effect again."""
    told: list[str] = []
    shop.receiver.on_receive(lambda event: told.append(event.data.request_no))
    for body in (order(), refund(), transfer()):
        assert shop.deliver(body).outcome == "handled"
    shop.pass_time(days=30)
    assert shop.ledger.prune(shop.ledger_now() + timedelta(days=1)) == 3
    assert shop.ledger.list() == []
    for body in (order(at=shop.clock.now()), refund(at=shop.clock.now()), transfer(at=shop.clock.now())):
        assert shop.deliver(body).outcome == "duplicate"
    assert (len(shop.effects), told) == (2, ["R1"])
    assert shop.open("REF_1", "refunds").effect == "REFUND_SUCCESS"
    assert list(shop.ledger.book.items()) == [shop.item("REF_1", "refunds")]


@pytest.mark.parametrize("by", ["notification", "inquiry"])
def test_what_on_conflict_has_reconciled_leaves_the_record_as_the_first_one_had_it(by: str, shop: Shop) -> None:
    reconciled: list[str] = []
    shop.receiver.on_conflict(lambda event: reconciled.append(str(event.data.state)))  # type: ignore[attr-defined]
    assert shop.deliver(order()).outcome == "handled"
    shop.open(amount="10.50")
    shop.states.shown["ORD_1"] = ("FAILED", "10.5")
    if by == "notification":
        assert shop.deliver(order(status="FAILED")).outcome == "handled"
        shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    run = shop.run()
    item = shop.item()
    assert (item.status, item.state, item.effect, item.paid, item.due_at) == (
        "settled", "SUCCESS", "SUCCESS", True, None,
    )  # fmt: skip
    assert (reconciled, run.handled, run.conflicts, len(shop.effects)) == (["FAILED"], int(by == "inquiry"), 0, 1)


def test_a_partly_paid_link_stays_paid_after_on_conflict(shop: Shop) -> None:
    shop.receiver.on_conflict(lambda event: None)
    shop.open("L1", "payment_links")
    shop.states.parts["L1"] = ["SUCCESS"]
    for amount in ("10.50", "11"):
        shop.states.shown["L1"] = ("EXPIRED", amount)
        shop.pass_time(seconds=60)
        shop.follower.hint("payment_links", "L1", settled=True)
        assert shop.run("L1", "payment_links").handled == 1
        item = shop.item("L1", "payment_links")
        assert (item.state, item.effect, item.status, item.paid) == ("EXPIRED", "EXPIRED", "settled", True)
        shop.states.parts["L1"] = ["CLOSE"]


def test_an_answer_that_is_older_than_what_had_its_effect_is_no_failure(shop: Shop) -> None:
    assert shop.deliver(order(status="BOUNCEBACK")).outcome == "handled"
    shop.open()
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    run = shop.run()
    item = shop.item()
    assert (run.failed, run.repeated, item.status, item.state) == (0, 1, "settled", "BOUNCEBACK")


def test_what_is_discarded_by_hand_is_written_there_too(shop: Shop) -> None:
    shop.open()
    shop.fails = lambda event: 1 / 0
    reply = shop.deliver(order())
    assert reply.key is not None
    assert shop.ledger.discard(reply.key)
    assert shop.deliver(order()).outcome == "duplicate"
    assert (shop.item().effect, shop.effects) == (None, [])  # no handler took it
    shop.fails = lambda event: None
    assert shop.deliver(order(status="BOUNCEBACK")).outcome == "handled"
    assert [one[1] for one in shop.effects] == ["BOUNCEBACK"]


@pytest.mark.parametrize("number", ["ORD_1", "a/b", "100%", "%2F", "a%25b", "/"])
def test_a_subject_names_its_item_whatever_its_number_holds(number: str, shop: Shop) -> None:
    assert shop.deliver(order(number)).outcome == "handled"
    (entry,) = shop.ledger.list()
    assert item_of(entry.subject) == ItemId(APP, "orders", number.lower())
    assert shop.open(number).effect == "SUCCESS"


def test_a_ledger_apart_from_the_shops_tables_keeps_the_record_all_the_same(tmp_path: Path, gateway: Gateway) -> None:
    """The shop's table is in a file of its own: the order is opened without its transaction."""
    shop = Shop(SqliteLedger(tmp_path / "ledger.db"), gateway)
    with sqlite3.connect(tmp_path / "shop.db") as db:
        db.execute("CREATE TABLE orders (number TEXT)")
        shop.open()
    assert shop.deliver(order()).outcome == "handled"
    assert (shop.item().effect, shop.item().status) == ("SUCCESS", "settled")
    shop.close()


def test_on_sqlite_the_merchants_transaction_keeps_a_result_waiting(tmp_path: Path, gateway: Gateway) -> None:
    shop = Shop(SqliteLedger(tmp_path / "ledger.db", timeout=0.2), gateway)
    with sqlite3.connect(tmp_path / "ledger.db", isolation_level=None) as db:
        db.execute("BEGIN IMMEDIATE")
        shop.follower.open(db, shop.follow())
        assert shop.deliver(order()).outcome == "ledger_failed"  # not acknowledged: it comes again
        db.execute("COMMIT")
    assert shop.deliver(order()).outcome == "handled"
    assert (shop.item().effect, len(shop.effects)) == ("SUCCESS", 1)
    shop.close()


@pytest.mark.slow
@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_a_result_waits_for_a_postgresql_transaction(postgres: Server, schema: str, gateway: Gateway, end: str) -> None:
    import psycopg

    from tests.receiver.helpers.postgres_server import TimedLedger

    shop = Shop(TimedLedger(postgres, schema), gateway)
    shop.ledger.prepare()
    with psycopg.connect(postgres.conninfo()) as db, ThreadPoolExecutor(1) as pool:
        shop.follower.open(db, shop.follow())
        told = pool.submit(shop.deliver, order())
        while postgres.ask("SELECT count(*) FROM pg_locks WHERE NOT granted") == [(0,)]:
            assert not told.done()
        getattr(db, end)()
        assert told.result().outcome == "handled"
    if end == "rollback":
        assert shop.follower.get("orders", "ORD_1") is None
        shop.open()
    assert (shop.item().effect, len(shop.effects)) == ("SUCCESS", 1)
    shop.close()


@pytest.mark.slow
def test_a_postgresql_deadlock_costs_one_and_repeats_nothing(postgres: Server, schema: str, gateway: Gateway) -> None:
    """The merchant opens the item and then writes the row that the handler has written: the server ends one of them."""
    import psycopg

    from tests.receiver.helpers.postgres_server import TimedLedger

    shop = Shop(TimedLedger(postgres, schema), gateway)
    shop.ledger.prepare()
    postgres.ask(f"CREATE TABLE {schema}.credits (number TEXT PRIMARY KEY, times INT)")
    postgres.ask(f"INSERT INTO {schema}.credits VALUES ('ORD_1', 0)")
    credit = f"UPDATE {schema}.credits SET times = times + 1 WHERE number = 'ORD_1'"
    shop.fails = lambda event: event.transaction.execute(credit) and None
    with psycopg.connect(postgres.conninfo()) as db, ThreadPoolExecutor(1) as pool:
        shop.follower.open(db, shop.follow())
        told = pool.submit(shop.deliver, order())
        while postgres.ask("SELECT count(*) FROM pg_locks WHERE NOT granted") == [(0,)]:
            assert not told.done()
        try:
            db.execute(credit)
            db.commit()
            merchants = 1
        except psycopg.errors.DeadlockDetected:
            db.rollback()
            merchants = 0
        first = told.result().outcome
    assert first in ("handled", "failed", "ledger_failed")
    assert (first == "handled") == (merchants == 0)
    if first != "handled":
        assert shop.deliver(order()).outcome == "handled"
    assert postgres.ask(f"SELECT times FROM {schema}.credits") == [(1 + merchants,)]
    shop.close()
