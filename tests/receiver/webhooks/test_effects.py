"""Each effect once: repeats, other contents, older states, failures, leases, and the transaction a handler may write in."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from paywright import Event, InvalidArgument, Ledger, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import SqliteLedger
from paywright_receiver.items.ledger import ClaimRequest
from tests.receiver.helpers.desk import NOW, Desk, order, transfer

NewLedger = Callable[[], Ledger]


def counting(desk: Desk) -> list[str]:
    """Registers a handler that notes what it did; returns the notes."""
    done: list[str] = []

    @desk.receiver.on_receive
    def note(event: Event[Transfer]) -> None:
        done.append(f"{event.data.request_no} {event.data.status}")

    return done


# Repeats and what is no repeat


def test_what_is_not_shown_has_one_effect_for_each_content(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    done: list[str] = []
    desk.receiver.on_other(lambda event: done.append(event.key))
    outcomes = [desk.deliver(order(status=status)).outcome for status in ("PENDING", "SUCCESS", "SUCCESS", "PENDING")]
    assert outcomes == ["handled", "handled", "duplicate", "duplicate"]
    assert len(set(done)) == 2


def test_keys_of_different_parts_are_different_whatever_they_hold(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    done = counting(desk)
    keys = {desk.deliver(transfer(number)).key for number in ("A/B", "A%2FB", "A", "%", "A/SETTLED")}
    assert len(keys) == len(done) == 5


# Failures


def test_what_failed_is_kept_and_can_be_replayed(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    broken = True
    replayed: list[bool] = []

    @desk.receiver.on_receive
    def handle(event: Event[Transfer]) -> None:
        replayed.append(event.replayed)
        if broken:
            raise OSError

    key = desk.deliver(transfer()).key or ""
    (entry,) = desk.ledger.list(status="failed")
    assert (entry.key, entry.attempts, entry.kind, entry.state, entry.notify_time) == (
        key, 1, "RECEIVE", "SETTLED", NOW,
    )  # fmt: skip
    desk.pass_time(days=30)  # long after it was fresh
    assert desk.receiver.replay(key).outcome == "failed"
    broken = False
    assert desk.receiver.replay(key).outcome == "handled"
    assert replayed == [False, True, True]
    assert desk.statuses() == {"done": 1}
    assert desk.ledger.body(key) is None
    for gone in (key, "nothing"):
        with pytest.raises(InvalidArgument, match="keeps no notification"):
            desk.receiver.replay(gone)


@pytest.mark.parametrize(("choice", "status"), [("refuse", 501), ("acknowledge", 200)])
def test_without_a_handler_it_is_kept(new_ledger: NewLedger, choice: str, status: int) -> None:
    ledger = new_ledger()
    before = Desk(ledger, unhandled=choice)
    reply = before.deliver(transfer())
    assert (reply.status, reply.outcome) == (status, "unhandled")
    after = Desk(ledger)
    done = counting(after)
    assert after.receiver.replay(reply.key or "").outcome == "handled"
    assert done == ["R1 SETTLED"]


# At the same time


# The transaction


def credits(path: Path) -> list[str]:
    with sqlite3.connect(path) as db:
        return [row[0] for row in db.execute("SELECT number FROM credits ORDER BY number")]


def test_slow_handlers_do_not_keep_others_waiting_before_they_write(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "shop.db")
    all_inside = threading.Barrier(8)

    @desk.receiver.on_receive
    def slow(event: Event[Transfer]) -> None:
        all_inside.wait(600)  # passes only if all eight are in their handlers at once
        event.transaction.execute("CREATE TABLE IF NOT EXISTS credits (number TEXT)")
        event.transaction.execute("INSERT INTO credits VALUES (?)", (event.data.request_no,))

    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda number: desk.deliver(transfer(f"R{number}")), range(8)))
    assert {reply.outcome for reply in replies} == {"handled"}
    assert len(credits(tmp_path / "shop.db")) == 8


def test_a_ledger_that_cannot_be_used_is_no_acknowledgement(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.db", timeout=0.1)
    desk = Desk(ledger)
    done = counting(desk)
    with sqlite3.connect(tmp_path / "ledger.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        reply = desk.deliver(transfer())
        assert (reply.status, reply.outcome, done) == (503, "ledger_failed", [])
        other.execute("ROLLBACK")
    assert desk.deliver(transfer()).outcome == "handled"
    with pytest.raises(LedgerProblem):
        SqliteLedger(tmp_path / "no" / "folder.db")
    (tmp_path / "junk.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(LedgerProblem, match="not a database"):
        SqliteLedger(tmp_path / "junk.db")


def test_what_is_committed_survives_a_loss_of_power_and_readers_do_not_wait(tmp_path: Path) -> None:
    """The settings of every connection, the one that a handler has included."""
    path = tmp_path / "ledger.db"
    desk = Desk(path)
    found: dict[str, object] = {}

    @desk.receiver.on_receive
    def handle(event: Event[Transfer]) -> None:
        for name in ("journal_mode", "synchronous", "foreign_keys"):
            found[name] = event.transaction.execute(f"PRAGMA {name}").fetchone()[0]  # type: ignore[attr-defined]

    assert desk.deliver(transfer()).outcome == "handled"
    full = 2
    assert found == {"journal_mode": "wal", "synchronous": full, "foreign_keys": 1}
    with sqlite3.connect(path) as beside:
        assert beside.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    beside.close()


# What a ledger keeps


def test_bodies_are_kept_no_longer_than_they_are_needed_and_for_the_owner_alone(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "ledger.db")
    desk.receiver.on_receive(lambda event: None)
    body = transfer(channelTradeNo="A-VERY-TELLING-NUMBER")
    desk.deliver(body)
    desk.deliver(transfer(status="TO_BE_PROVED", channelTradeNo="A-VERY-TELLING-NUMBER"))
    with sqlite3.connect(tmp_path / "ledger.db") as db:
        assert db.execute("SELECT count(*) FROM paywright_notifications WHERE body IS NOT NULL").fetchone() == (0,)
    assert (tmp_path / "ledger.db").stat().st_mode & 0o077 == 0


def test_two_apps_may_share_a_ledger(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.db")
    desk = Desk(ledger)
    done = counting(desk)
    desk.deliver(transfer())
    request = ClaimRequest(
        "app_2/RECEIVE/R1/SETTLED", "app_2/RECEIVE/R1", "RECEIVE", "SETTLED", raw=b"{}",
        fingerprint=lambda: "0" * 64,
        notify_time=0, lease=1, keep=1,
    )  # fmt: skip
    claim = ledger.acquire(request)
    assert not isinstance(claim, str)
    claim.complete()
    assert len(done) == 1
    assert desk.statuses() == {"done": 2}
