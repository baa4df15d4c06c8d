"""A server that imports a program and then forks its workers unannounced, as uWSGI does: ledger and follower work in each."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from paywright import Event, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import SqliteLedger
from tests.receiver.helpers.desk import NOW, transfer
from tests.receiver.helpers.shop import Shop
from tests.runtime.helpers.canned_gateway import Gateway
from tests.support.forks import Fork, any_fork, in_child, needs_fork, unannounced_fork
from tests.support.pairs import one_of

pytestmark = needs_fork


def opened(path: Path, gateway: Gateway) -> Shop:
    """A shop whose handler writes into the ledger's file."""
    shop = Shop(SqliteLedger(path, timeout=60), gateway)

    @shop.receiver.on_receive
    def credit(event: Event[Transfer]) -> None:
        event.transaction.execute("INSERT INTO credits VALUES (?)", (event.data.request_no,))

    db = sqlite3.connect(path)
    db.execute("CREATE TABLE credits (number TEXT)")
    db.close()
    return shop


def imported(shop: Shop, use: str) -> None:
    """Use ledger and follower as a program may while its modules are imported."""
    if use == "looked at":
        assert shop.ledger.counts()["done"] == len(shop.ledger.list()) == shop.ledger.prune(NOW) == 0
        shop.ledger.check_whole()
    elif use != "idle":
        shop.open(amount="10.50")
    if use in ("followed", "settled"):
        shop.until_due()
    assert shop.follower.run_due().handled == (use == "settled")


@pytest.mark.parametrize("use", one_of(2, ["settled", "looked at", "followed", "opened", "idle"]))
def test_workers_of_an_unannounced_fork_have_each_effect_once(tmp_path: Path, gateway: Gateway, use: str) -> None:
    path = tmp_path / "shop.db"

    def in_a_worker() -> None:
        assert [shop.deliver(transfer("R1")).outcome for _ in range(2)] == ["handled", "duplicate"]
        if use in ("opened", "followed"):
            assert shop.run().asked == 1

    shop = opened(path, gateway)
    shop.states.shown = {"ORD_1": ("SUCCESS" if use == "settled" else "PENDING", "10.50")}
    imported(shop, use)
    assert in_child(in_a_worker, unannounced_fork) == 0
    assert shop.outcomes("R1", "R2") == ["duplicate", "handled"]
    db = sqlite3.connect(path)
    assert db.execute("SELECT number FROM credits").fetchall() == [("R1",), ("R2",)]
    db.close()


def test_a_ledger_used_before_the_fork_refuses_in_workers(tmp_path: Path, gateway: Gateway) -> None:
    def in_a_worker() -> None:
        assert shop.deliver(transfer("R2")).outcome == "ledger_failed"
        with pytest.raises(LedgerProblem, match="lazy-apps = true"):
            shop.ledger.counts()

    shop = opened(tmp_path / "shop.db", gateway)
    assert shop.deliver(transfer("R1")).outcome == "handled"
    assert in_child(in_a_worker, unannounced_fork) == 0
    assert shop.deliver(transfer("R2")).outcome == "handled"


@any_fork
@pytest.mark.parametrize("end", ["give", "drop", "close"])
def test_a_child_closes_no_connection_of_its_parent(tmp_path: Path, fork: Fork, end: str) -> None:
    """SQLite allows that to nobody but the process that opened it."""
    from paywright_receiver.ledgers.sqlite_connections import SqliteConnections

    def in_the_child() -> None:
        if end == "close":
            connections.close()
        else:
            assert getattr(connections, end)(used) is False
        assert used.total_changes == 0  # a closed one raises
        assert fork is not unannounced_fork or idle.total_changes == 0
        with pytest.raises(LedgerProblem, match="when this process was forked"):
            connections.take()

    SqliteLedger(tmp_path / "shop.db")
    connections = SqliteConnections(tmp_path / "shop.db", timeout=60)
    connections.delivers()
    used, idle = connections.take(), connections.take()
    connections.give(idle)
    assert in_child(in_the_child, fork) == 0
    assert connections.give(used) is True
