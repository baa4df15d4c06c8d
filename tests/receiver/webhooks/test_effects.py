"""Each effect once: repeats, other contents, older states, failures, leases, and the transaction a handler may write in."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from paywright import ConfigurationError, Conflict, DeliveryEvent, Event, InvalidArgument, Ledger, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import MemoryLedger, SqliteLedger
from paywright_receiver.items.ledger import ClaimRequest
from tests.receiver.helpers.desk import APP, NOW, Desk, bill, order, period, sign, transfer

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
        digest="0" * 64,
        notify_time=0, lease=1, keep=1,
    )  # fmt: skip
    claim = ledger.acquire(request)
    assert not isinstance(claim, str)
    claim.complete()
    assert len(done) == 1
    assert desk.statuses() == {"done": 2}


def test_a_conflict_is_reconciled_once_by_the_merchants_own_function(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    desk.receiver.on_receive(lambda event: None)
    found: list[tuple[str, Conflict | None]] = []

    @desk.receiver.on_conflict
    def reconcile(event: Event[object]) -> None:
        assert isinstance(event.data, Transfer)
        found.append((event.data.channel_trade_no, event.conflict))

    key = f"{APP}/RECEIVE/R1/SETTLED"
    assert desk.deliver(transfer(channelTradeNo="A")).outcome == "handled"
    for _ in range(2):
        reply = desk.deliver(transfer(channelTradeNo="B"))
        assert (reply.status, reply.acknowledged) == (200, True)
    assert reply.outcome == "duplicate"
    assert desk.deliver(transfer(status="REJECTED", channelTradeNo="C")).outcome == "handled"
    assert desk.deliver(transfer(status="REJECTED", channelTradeNo="C")).outcome == "duplicate"
    assert found == [("B", Conflict("content", key, "SETTLED", NOW)), ("C", Conflict("state", key, "SETTLED", NOW))]
    # What was there first is still what counts.
    assert desk.deliver(transfer(status="HELD", channelTradeNo="D")).outcome == "handled"
    assert found[2:] == [("D", Conflict("state", key, "SETTLED", NOW))]
    assert desk.deliver(transfer(channelTradeNo="A")).outcome == "duplicate"
    assert desk.deliver(transfer(status="TO_BE_PROVED")).outcome == "stale"
    assert desk.ledger.list(status="conflict") == []


def test_a_program_without_its_handler_of_conflicts_replays_them_when_it_has_one(new_ledger: NewLedger) -> None:
    ledger = new_ledger()
    before = Desk(ledger)
    before.receiver.on_receive(lambda event: None)
    for letter in "ABC":
        before.deliver(transfer(channelTradeNo=letter))
    after, reconciled = Desk(ledger), list[str]()
    after.receiver.on_receive(lambda event: None)
    after.receiver.on_conflict(lambda event: reconciled.append(event.key))
    for entry in ledger.list(status="conflict"):
        assert after.receiver.replay(entry.key, entry.digest).outcome == "handled"
    assert len(reconciled) == 2
    assert after.statuses() == {"done": 3}


def test_one_function_handles_conflicts(desk: Desk) -> None:
    desk.receiver.on_conflict(lambda event: None)
    with pytest.raises(ConfigurationError, match="on_conflict is registered twice"):
        desk.receiver.on_conflict(lambda event: None)


# What is told


def test_the_hook_is_told_of_every_delivery_and_of_no_body() -> None:
    events: list[DeliveryEvent] = []
    began = perf_counter()
    desk = Desk(MemoryLedger(), hook=events.append)
    desk.receiver.on_receive(lambda event: None)
    desk.receiver.on_validate_bill_payment(lambda question: question.refuse("no"))
    desk.deliver(transfer())
    desk.deliver(transfer())
    desk.deliver(transfer(channelTradeNo="B"))
    desk.deliver(bill())
    desk.deliver({**transfer(), "appId": "app_2"})
    desk.deliver(transfer(at=NOW - timedelta(days=30)))
    desk.receiver.receive(b"{}", {"sign": "x"})
    key = f"{APP}/RECEIVE/R1/SETTLED"
    assert [(one.outcome, one.acknowledged, one.kind, one.key) for one in events] == [
        ("handled", True, "RECEIVE", key),
        ("duplicate", True, "RECEIVE", key),
        ("conflict", False, "RECEIVE", key),
        ("answered", True, None, None),
        ("not_ours", False, "RECEIVE", None),
        ("too_old", False, "RECEIVE", None),
        ("not_canonical", False, None, None),
    ]
    assert events[-1].why == "Not taken: the signature is not canonical Base64."
    assert 0 <= sum(one.seconds for one in events) <= perf_counter() - began
    assert "accountName" not in repr(events)


def test_a_hook_that_fails_changes_nothing_and_its_words_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    def fails(event: DeliveryEvent) -> None:
        raise ValueError("SECRET_WORDS")

    desk = Desk(MemoryLedger(), hook=fails)
    desk.receiver.on_receive(lambda event: None)
    assert desk.deliver(transfer()).outcome == "handled"
    assert "the hook raised ValueError; the delivery was handled" in caplog.text
    assert "SECRET_WORDS" not in caplog.text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (transfer(at=NOW - timedelta(days=8)), "too_old: a delivery: its notifyTime is older than 7 days, 0:00:00 (kind RECEIVE"),
        (transfer(at=NOW + timedelta(hours=1)), "too_new: a delivery: its notifyTime is more than 0:05:00 ahead"),
        ({**transfer(), "appId": "app_2"}, "not_ours: a delivery: its appId is another one than ours (kind RECEIVE, notified at"),
        ({**transfer(), "merchantNo": "4444333322221111"}, "its merchantNo is another one than ours"),
        ({**order(), "notifyTime": "soon"}, "no_time: a delivery: its notifyTime is no time with an offset (kind PAYMENT)"),
        ({**order(), "notifyType": "Ada Lovelace\n"}, "handled"),
        ({**order(), "notifyType": "Ada Lovelace\n", "notifyTime": ""}, "(kind that is no word)"),
        ({"notifyTime": "2025-06-01T12:00:00.000Z"}, "no_kind: a delivery: the body has no notifyType"),
        (b"[]", "not_json: a delivery: the body is not a strict JSON object"),
    ],
)  # fmt: skip
def test_what_is_not_taken_is_logged_with_its_reason(body: Any, words: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    desk = Desk(MemoryLedger())
    desk.receiver.on_other(lambda event: None)
    reply = desk.deliver(body)
    if words == "handled":
        assert (reply.outcome, caplog.text) == ("handled", "")
        return
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert words in record.getMessage()
    assert record.getMessage().endswith("it was verified, and not taken")
    for value in ("Lovelace", "4444333322221111", "accountName"):
        assert value not in caplog.text


def test_a_key_that_was_changed_is_heard_of(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(MemoryLedger())
    raw = json.dumps(transfer()).encode()
    assert desk.receiver.receive(raw, {"sign": sign(raw, 1)}).outcome == "bad_signature"
    assert "compare gateway_keys with those of the gateway" in caplog.text


@pytest.mark.parametrize(("whole", "last", "agree"), [
    ("SUCCESS", "SUCCESS", True), ("SUCCESS", "FAILED", False), ("FAILED", "SUCCESS", False), ("FAILED", "FAILED", True),
    ("SUCCESS", "PENDING", True), ("CLOSED", "FAILED", True),
])  # fmt: skip
def test_a_period_whose_last_attempt_says_otherwise_is_handled_and_said(whole: str, last: str, agree: bool) -> None:
    desk, said = Desk(MemoryLedger()), list[str]()

    @desk.receiver.on_subscription_payment
    def handle(event: Event[Any]) -> None:
        said.extend(one.pointer for one in event.violations)

    body = period(status=whole)
    body["data"]["subscriptionPaymentDetail"]["lastPaymentInfo"] |= {"lastPaymentStatus": last, "tradeToken": "TT1"}
    body["code"] = "APPLY_SUCCESS" if whole == "SUCCESS" else "PAYMENT_FAILED"
    assert desk.deliver(body).outcome == "handled"
    pointer = "/data/subscriptionPaymentDetail/lastPaymentInfo/lastPaymentStatus"
    assert (pointer in said) is not agree
