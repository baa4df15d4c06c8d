"""Kinds, numbers and states come from a body, signed or not: what keys, records and log lines make of them is bounded and masked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paywright_cli.main import main
from paywright_receiver import MemoryLedger, SqliteLedger
from paywright_receiver.webhooks.delivery import LONGEST, shown_key
from tests.receiver.helpers.desk import Desk, order, period, transfer

PAN = "4929123456789019"
MASKED = "492912******9019"
LONG = "9" * 900_000


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (order(kind=LONG), "no_kind"),
        (order(kind="K" * (LONGEST + 1)), "no_kind"),
        (order(kind="K" * LONGEST), "unhandled"),
        (transfer(status=LONG), "unreadable"),
        (transfer(number=LONG), "unreadable"),
        (transfer(number="N" * LONGEST), "handled"),
        (period(plan=LONG), "unreadable"),
        (period(status=LONG), "unreadable"),
        (transfer(status="S" * LONGEST), "handled"),
    ],
    ids=lambda given: given if isinstance(given, str) else None,
)
def test_what_is_no_word_makes_no_long_key_and_no_long_line(
    body: dict[str, Any], outcome: str, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk(MemoryLedger())
    desk.receiver.on_receive(lambda event: None)
    desk.receiver.on_subscription_payment(lambda event: None)
    reply = desk.deliver(body)
    assert reply.outcome == outcome
    for entry in desk.ledger.list(most=10):
        assert len(entry.key) < 4 * LONGEST
        assert len(f"{entry.kind}{entry.state}{entry.why}") < 4 * LONGEST
    assert all(len(record.getMessage()) < 4 * LONGEST for record in caplog.records)


@pytest.mark.parametrize("body", [order(kind=PAN), order(kind=f"K{PAN}"), transfer(status="4929-1234-5678-9019")])
def test_a_card_number_in_a_kind_or_a_state_is_masked_in_the_log_and_the_list(
    body: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Desk(SqliteLedger(tmp_path / "shop.db"))
    reply = desk.deliver(body)
    assert reply.outcome == "unhandled"
    (line,) = [record.getMessage() for record in caplog.records if record.name == "paywright.receiver"]
    assert MASKED in line
    ledger = ("--ledger", str(tmp_path / "shop.db"))
    for form in ("text", "json"):
        assert main(["notifications", "list", *ledger, "--format", form]) == 0
        assert MASKED in (out := capsys.readouterr().out)
        assert PAN not in out.replace("-", "")
    assert main(["notifications", "list", *ledger, "--format", "json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)
    assert main(["notifications", "show", shown["key"], *ledger]) == 0, "a key is named as the list shows it"
    assert MASKED in capsys.readouterr().out.partition("{")[0]
    assert main(["notifications", "discard", shown["key"], *ledger]) == 0
    assert [entry.status for entry in desk.ledger.list(most=2)] == ["done"]


def test_a_number_of_the_merchants_own_stays_whatever_it_looks_like() -> None:
    assert shown_key(f"app_1/RECEIVE/{PAN}/SETTLED") == f"app_1/RECEIVE/{PAN}/SETTLED"
    assert shown_key(f"app_1/LATER/{PAN}") == f"app_1/LATER/{PAN}"
    assert shown_key("app_1") == "app_1"
    assert shown_key(f"app_1/{PAN}/R1/{PAN}") == f"app_1/{MASKED}/R1/{MASKED}"


def test_what_does_not_show_itself_is_written_out_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    Desk(MemoryLedger()).deliver(order(kind="K\x1b[31m\u202e"))
    (line,) = [record.getMessage() for record in caplog.records if record.name == "paywright.receiver"]
    assert "K\\u{1b}[31m\\u{202e}" in line
