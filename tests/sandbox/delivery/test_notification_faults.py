"""Faults of notifications: twice, late, in another order, signed by another key, changed; and the log of deliveries."""

import base64
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from paywright_cli.main import main
from paywright_runtime.signing.keys import require_public
from paywright_sandbox.delivery.attempts import foreign_signer
from paywright_sandbox.faults.definitions import read_rule
from paywright_sandbox.faults.rules import rules_of
from tests.sandbox.helpers.desk import Desk
from tests.sandbox.helpers.merchant_server import ACKNOWLEDGED, Got, MerchantServer, merchant_server


class Eager(MerchantServer):
    """Acknowledges whatever comes, and says later whether its signature holds."""

    def take(self, got: Got) -> tuple[int, bytes]:
        self.got.append(got)
        return ACKNOWLEDGED

    def holds(self, got: Got) -> bool:
        try:
            self.key.verify(base64.b64decode(got.headers["sign"], validate=True), got.raw, PKCS1v15(), SHA256())
        except InvalidSignature:
            return False
        return True


@pytest.fixture
def merchant(folder: Path) -> Iterator[Eager]:
    with merchant_server(folder / "keys" / "gateway.pub") as server:
        server.__class__ = Eager
        assert isinstance(server, Eager)
        yield server


def rule(desk: Desk, kind: str, **more: Any) -> None:
    rules_of(desk.engine).add(read_rule({"kind": kind, **more}), desk.clock.now())


def advance(desk: Desk, seconds: int) -> None:
    assert desk.control("POST", "clock/advance", {"seconds": seconds})["httpStatus"] == 200


def paid(desk: Desk, merchant: Eager, key: str) -> None:
    desk.checkout(key, Decimal("10.50"), notifyUrl=merchant.url)
    assert desk.control("POST", f"orders/{key}/pay")["httpStatus"] == 200


def told(merchant: Eager) -> list[str]:
    return [got.body["data"]["outTradeNo"] for got in merchant.got]


def test_a_duplicate_is_the_same_bytes_twice(desk: Desk, merchant: Eager) -> None:
    rule(desk, "duplicate", operation="PAYMENT", times=1)
    paid(desk, merchant, "ORD_1")
    paid(desk, merchant, "ORD_2")
    advance(desk, 0)
    assert told(merchant) == ["ORD_1", "ORD_1", "ORD_2"]
    assert merchant.got[0].raw == merchant.got[1].raw
    assert all(map(merchant.holds, merchant.got))


def test_delivering_by_hand_uses_up_no_rule_that_would_have_held_it_back(desk: Desk, merchant: Eager) -> None:
    paid(desk, merchant, "ORD_1")
    advance(desk, 0)
    rule(desk, "late", operation="PAYMENT", seconds=90, times=1)
    assert desk.control("POST", "notifications/1/redeliver")["attempt"]["outcome"] == "ACKNOWLEDGED"
    (late,) = rules_of(desk.engine).rules()
    assert (late.seen, late.struck) == (0, 0)
    paid(desk, merchant, "ORD_2")
    advance(desk, 0)
    assert told(merchant) == ["ORD_1", "ORD_1"]
    advance(desk, 90)
    assert told(merchant) == ["ORD_1", "ORD_1", "ORD_2"]


def test_a_notification_is_held_back_once_whoever_delivers_it_meanwhile(desk: Desk) -> None:
    rule(desk, "late", operation="PAYMENT", seconds=600)
    desk.checkout("ORD_1", Decimal("10.50"), notifyUrl="http://127.0.0.1:9/nobody")
    assert desk.control("POST", "orders/ORD_1/pay")["httpStatus"] == 200
    advance(desk, 0)
    assert desk.control("POST", "notifications/1/redeliver")["attempt"]["outcome"] == "UNREACHABLE"
    for seconds, attempts in ((599, 0), (1, 1), (30, 2), (870, 4)):  # by the schedule, never held back again
        advance(desk, seconds)
        assert desk.control("GET", "notifications/1")["attempts"] == attempts
    assert [struck.struck for struck in rules_of(desk.engine).rules()] == [1]


def test_a_late_one_waits_once_and_comes(desk: Desk, merchant: Eager) -> None:
    rule(desk, "late", key="ord_1", seconds=90)
    paid(desk, merchant, "ORD_1")
    paid(desk, merchant, "ORD_2")
    advance(desk, 89)
    assert told(merchant) == ["ORD_2"]
    advance(desk, 1)
    assert told(merchant) == ["ORD_2", "ORD_1"]
    items = desk.control("GET", "notifications")["notifications"]
    assert [(item["status"], item["attempts"]) for item in items] == [("ACKNOWLEDGED", 1)] * 2


@pytest.mark.parametrize("kind", ["late", "reordered"])
def test_one_due_while_stopped_waits_from_the_restart(desk: Desk, merchant: Eager, kind: str) -> None:
    paid(desk, merchant, "ORD_1")
    rule(desk, kind, seconds=20)
    desk.clock.advance(53)  # nothing runs meanwhile
    advance(desk, 19)
    assert told(merchant) == []
    advance(desk, 1)
    assert told(merchant) == ["ORD_1"]


def test_one_that_is_asked_for_on_demand_is_held_back_by_nothing(desk: Desk, merchant: Eager) -> None:
    rule(desk, "late", seconds=90)
    paid(desk, merchant, "ORD_1")
    desk.control("POST", "notifications/1/redeliver")
    assert told(merchant) == ["ORD_1"]
    (item,) = desk.control("GET", "notifications")["notifications"]
    assert item["status"] == "ACKNOWLEDGED"


def test_reordered_ones_change_places(desk: Desk, merchant: Eager) -> None:
    rule(desk, "reordered", times=1)
    for key in ("ORD_1", "ORD_2", "ORD_3"):
        paid(desk, merchant, key)
    advance(desk, 1)
    assert told(merchant)[:2] == ["ORD_2", "ORD_1"] or told(merchant) == ["ORD_2", "ORD_3", "ORD_1"]
    assert sorted(told(merchant)) == ["ORD_1", "ORD_2", "ORD_3"]


def test_one_changes_places_with_one_that_is_due_later(desk: Desk, merchant: Eager) -> None:
    def fail_first(got: Got) -> tuple[int, bytes]:
        merchant.got.append(got)
        return ACKNOWLEDGED if len(merchant.got) > 2 else (500, b"")

    merchant.take = fail_first  # type: ignore[method-assign]
    for key in ("ORD_1", "ORD_2"):
        paid(desk, merchant, key)
        advance(desk, 10)
    rule(desk, "reordered", times=1)
    advance(desk, 60)
    assert told(merchant) == ["ORD_1", "ORD_2", "ORD_2", "ORD_1"]


def test_one_that_has_nothing_to_change_places_with_is_late(desk: Desk, merchant: Eager) -> None:
    rule(desk, "reordered", times=1, seconds=7)
    paid(desk, merchant, "ORD_1")
    advance(desk, 6)
    assert told(merchant) == []
    advance(desk, 1)
    assert told(merchant) == ["ORD_1"]


def test_the_wrong_key_is_a_valid_key_of_its_own(desk: Desk, merchant: Eager) -> None:
    rule(desk, "wrong-key", times=1)
    paid(desk, merchant, "ORD_1")
    paid(desk, merchant, "ORD_2")
    advance(desk, 0)
    assert [merchant.holds(got) for got in merchant.got] == [False, True]
    foreign_signer().public.verify(
        base64.b64decode(merchant.got[0].headers["sign"]), merchant.got[0].raw, PKCS1v15(), SHA256()
    )
    require_public(foreign_signer().public)


def test_a_corrupted_one_differs_from_what_was_signed(desk: Desk, merchant: Eager) -> None:
    rule(desk, "corrupted", times=1)
    paid(desk, merchant, "ORD_1")
    advance(desk, 0)
    assert [merchant.holds(got) for got in merchant.got] == [False]
    with desk.engine.store.transaction() as state:
        body = state.one("SELECT body FROM notifications")
    assert body is not None
    stored = body["body"]
    assert isinstance(stored, bytes)
    assert sum(a != b for a, b in zip(stored, merchant.got[0].raw, strict=True)) == 1


def test_a_rule_of_answers_strikes_no_notification_and_the_reverse(desk: Desk, merchant: Eager) -> None:
    rule(desk, "duplicate", operation="notifications.receive")
    rule(desk, "bad-signature", operation="refunds.query")
    paid(desk, merchant, "ORD_1")
    advance(desk, 0)
    assert told(merchant) == ["ORD_1"]
    assert [made.seen for made in rules_of(desk.engine).rules()] == [0, 0]


def test_every_delivery_is_logged_and_the_audit_finds_what_was_planted(
    desk: Desk, folder: Path, merchant: Eager, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule(desk, "corrupted", key="ORD_2")
    for key in ("ORD_1", "ORD_2"):
        paid(desk, merchant, key)
    advance(desk, 0)
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"".join(desk.engine.captures.lines()))
    records = [json.loads(line) for line in file.read_bytes().splitlines()]
    notified = [record for record in records if record["kind"] == "notify"]
    assert [base64.b64decode(record["request"]["body"]["base64"]) for record in notified] == [
        got.raw for got in merchant.got
    ]
    assert [base64.b64decode(record["response"]["body"]["base64"]) for record in notified] == [ACKNOWLEDGED[1]] * 2
    assert notified[0]["url"] == merchant.url
    keys = folder / "keys"
    options = ["--merchant-key", str(keys / "merchant.pub"), "--gateway-key", str(keys / "gateway.pub"), "--format", "json"]  # fmt: skip
    assert main(["audit", str(file), *options]) == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["part"], line["code"]) for line in found[:-1]] == [("notification", "signature-invalid")]
    assert found[-1]["matched"] == len(records)
