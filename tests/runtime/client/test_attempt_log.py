"""The log of a call names the merchant's own key, whatever it looks like: an unknown outcome is settled by it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from paywright import AttemptEvent, Client, OutcomeUnknown, TooEarly
from paywright_runtime.attempts import Attempt
from paywright_runtime.client.attempt_events import log_attempt
from paywright_runtime.clock import SystemClock
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER


def logged(key: str, caplog: pytest.LogCaptureFixture) -> str:
    attempt = Attempt(number=1, started_at=SystemClock().now(), phase="done", duration=0.1, reason="late")
    log_attempt(AttemptEvent(operation="o.p", key=key, attempt=attempt, outcome="unknown", code=None, pause=None))
    return caplog.records[-1].getMessage().removeprefix("o.p ").partition(": attempt 1")[0]


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("ORD_20250601120000123456", "ORD_20250601120000123456"),
        ("2025-06-01 12:00:00", "2025-06-01 12:00:00"),
        ("4444333322221111", "444433******1111"),
        ("REF_4444333322221111_1", "REF_444433******1111_1"),
        ("4444 3333-2222.1111", "444433******1111"),
        ("4444333322221112", "4444333322221112"),
        ("line\nbreak\u202e", "line\\u{a}break\\u{202e}"),
        ("K" * 100, "K" * 61 + "..."),
    ],
)
def test_a_key_is_logged_so_that_it_is_found(key: str, shown: str, caplog: pytest.LogCaptureFixture) -> None:
    assert logged(key, caplog) == shown


def test_an_unknown_outcome_logs_its_key(client: Client, gateway: Gateway, caplog: pytest.LogCaptureFixture) -> None:
    gateway.reply = Reply({"code": "4444333322221111"})
    with pytest.raises(OutcomeUnknown):
        client.orders.checkout(**{**ORDER, "out_trade_no": "1234567890123456"})
    (record,) = [one for one in caplog.records if one.levelno == logging.WARNING]
    assert record.getMessage().startswith("orders.checkout 1234567890123456: attempt 1 unknown")
    assert record.getMessage().endswith("code ****)")


@pytest.mark.parametrize(
    ("dates", "skew"), [(["12:00:37 GMT"], 7.0), ([], None), (["12:00:37 GMT"] * 2, None), (["soon"], None)]
)
def test_the_clocks_are_compared_when_the_answer_came(dates: list[str], skew: float | None) -> None:
    """The gateway took half a minute, and its clock is 7 seconds ahead: that is the skew, and not 37."""
    noon = datetime(2025, 6, 1, 12, tzinfo=UTC)
    attempt = Attempt(number=1, started_at=noon, phase="done", duration=30.0, reason="answered")
    headers = [("date", f"Sun, 01 Jun 2025 {one}") for one in dates]
    event = AttemptEvent(
        operation="o.q", key=None, attempt=attempt, outcome="answered", code=None, pause=None, dates=headers
    )
    assert event.clock_skew == skew


def test_of_a_key_that_is_a_card_number_a_message_shows_no_more_than_the_log() -> None:
    key = "4444333322221111"
    unknown = OutcomeUnknown(operation="orders.checkout", key=key, reason="timeout")
    for error in (unknown, TooEarly(key=key, why="it is too early")):
        assert ("'444433******1111'" in str(error), key in str(error), error.key) == (True, False, key)


def test_warnings_are_seen_from_import_on_where_nobody_has_set_up_logging() -> None:
    """Before the first call and after it: the receiver's, and the client's own."""
    program = """
from paywright import Client, Merchant, NotSent, Receiver
from paywright_receiver import MemoryLedger
from tests.support.keys import key_pair
gateway = [key_pair(1).public_pem]
keys = dict(private_key=key_pair(0).private_pem, gateway_keys=gateway)
receiver = Receiver(app_id="app_1", gateway_keys=gateway, ledger=MemoryLedger())
receiver.receive(b"{}", {})
try:
    Client(merchant=Merchant(app_id="app_1", **keys), base_url="http://127.0.0.1:9").orders.query(out_trade_no="ORD_1")
except NotSent:
    receiver.receive(b"{}", {})
"""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.stderr.splitlines() == ["unsigned: a delivery: there is no header sign"] * 2
