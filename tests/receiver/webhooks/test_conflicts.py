"""What contradicts what was done: refused and told, or reconciled by the merchant; and what the hook and the log say."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import timedelta
from time import perf_counter
from typing import Any

import pytest

from paywright import ConfigurationError, Conflict, DeliveryEvent, Event, Ledger
from paywright.models.notifications import Transfer
from paywright_receiver import MemoryLedger
from tests.receiver.helpers.desk import APP, NOW, Desk, bill, order, period, sign, transfer

NewLedger = Callable[[], Ledger]


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
