"""Kinds, numbers and states come from a body, signed or not: what keys, records and log lines make of them is bounded and masked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from paywright import FixedClock
from paywright_cli.main import main
from paywright_receiver import MemoryLedger, SqliteLedger
from paywright_receiver.webhooks.delivery import LONGEST, shown_ledger_key
from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import NOW, Desk, bill, key, order, period, sign, transfer
from tests.receiver.helpers.shop import Shop
from tests.runtime.helpers.canned_gateway import Gateway

PAN = "4929123456789015"
MASKED = "492912******9015"
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
def test_no_word_makes_no_long_key(body: dict[str, Any], outcome: str, caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(MemoryLedger())
    desk.receiver.on_receive(lambda event: None)
    desk.receiver.on_subscription_payment(lambda event: None)
    reply = desk.deliver(body)
    assert reply.outcome == outcome
    for entry in desk.ledger.list(most=10):
        assert len(entry.key) < 4 * LONGEST
        assert len(f"{entry.kind}{entry.state}{entry.why}") < 4 * LONGEST
    assert all(len(record.getMessage()) < 4 * LONGEST for record in caplog.records)


@pytest.mark.parametrize("body", [order(kind=PAN), order(kind=f"K{PAN}"), transfer(status="4929-1234-5678-9015")])
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
    assert main(["show", shown["key"], *ledger]) == 0, "a key is named as the list shows it"
    assert MASKED in capsys.readouterr().out.partition("{")[0]
    assert main(["notifications", "discard", shown["key"], *ledger]) == 0
    assert [entry.status for entry in desk.ledger.list(most=2)] == ["done"]


def test_a_number_of_the_merchants_own_stays_whatever_it_looks_like() -> None:
    assert shown_ledger_key(f"app_1/RECEIVE/{PAN}/SETTLED") == f"app_1/RECEIVE/{PAN}/SETTLED"
    assert shown_ledger_key(f"app_1/LATER/{PAN}") == f"app_1/LATER/{PAN}"
    assert shown_ledger_key("app_1") == "app_1"
    assert shown_ledger_key(f"app_1/{PAN}/R1/{PAN}") == f"app_1/{MASKED}/R1/{MASKED}"


def test_what_does_not_show_itself_is_written_out_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    Desk(MemoryLedger()).deliver(order(kind="K\x1b[31m\u202e"))
    (line,) = [record.getMessage() for record in caplog.records if record.name == "paywright.receiver"]
    assert "K\\u{1b}[31m\\u{202e}" in line


# As a stranger may spell a card number.
SPELLED = [
    PAN, f"K{PAN}.K", "4929-1234-5678-9015", "4929_1234.5678_9015", "4929/1234/5678/9015",
    "4929\u00a01234\u200b5678 9015",
]  # fmt: skip


def deliveries(word: str) -> Iterator[tuple[str, Any, dict[str, str]]]:
    """What brings a word to the receiver, with a name, and headers beside those of the service."""
    old = NOW - timedelta(days=40)
    data = transfer("R2")["data"]
    yield "of another merchant", order(kind=word) | {"appId": "app_2"}, {}
    yield "of a merchant of that name", order() | {"appId": word, "merchantNo": word}, {}
    yield "without a time", order(kind=word) | {"notifyTime": word}, {}
    yield "too old", order(kind=word, at=old), {}
    yield "of no kind", order() | {"notifyType": {word: word}}, {}
    yield "of a kind", order(kind=word), {}
    yield "of a state", transfer(status=word), {}
    yield "again, with another state", transfer(status=f"{word}2"), {}
    yield "of a period", period(status=word), {}
    yield "unreadable", transfer() | {"data": data | {"status": {word: word}, "amount": word, word: word}}, {}
    yield "unreadable period", period(index=word), {}
    yield "with unknown members", transfer() | {"data": data | {word: {word: word}}}, {}
    yield "a question", {word: word, **bill(word)}, {}
    yield "an unreadable question", bill(amount=word), {}
    yield "forged", order(kind=word), {"sign": word}
    yield "encoded", order(kind=word), {
        "sign": sign(b""),
        "Content-Encoding": word,
        "Content-Type": f"text/{word}; charset={word}",
    }
    yield "no JSON", f"{{{word}".encode(), {}
    yield "a result", order(status=word), {}
    yield "of another amount", order(status="SUCCESS") | {"data": {**order()["data"], "currency": word}}, {}


@pytest.mark.parametrize("word", SPELLED)
def test_no_line_of_receiver_and_follower_shows_a_card_number(word: str, caplog: pytest.LogCaptureFixture) -> None:
    def fails(event: Any) -> None:
        raise KeyError(word)

    caplog.set_level(1)
    gateway = Gateway(KeyPair(key()))
    for handled in (False, True):
        shop = Shop(MemoryLedger(clock=FixedClock(NOW)), gateway, handled=handled, max_age=timedelta(days=30))
        shop.fails = fails
        if handled:
            for register in (shop.receiver.on_receive, shop.receiver.on_subscription_payment, shop.receiver.on_other):
                register(fails)
        shop.open(amount="10.50")
        for _, body, headers in deliveries(word):
            shop.deliver(body, **headers)
        for number, (state, amount) in enumerate([(word, "10.50"), ("SUCCESS", word), ("SUCCESS", "11"), (word, None)]):
            shop.open(f"ITEM_{number}", amount="10.50")
            shop.states.shown[f"ITEM_{number}"] = state, amount
        shop.states.refusing["REFUSED"] = word
        shop.open("REFUSED", amount="10.50")
        shop.pass_time(hours=1)
        shop.follower.run_due()
        shop.close()
    gateway.close()
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) > 20
    assert [line for line in lines if PAN[6:12] in "".join(filter(str.isdigit, line))] == []
