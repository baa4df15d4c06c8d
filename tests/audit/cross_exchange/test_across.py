"""Rules across exchanges that no table has: whose keys are one, what is a note, and what is told twice."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from paywright import SnapAsymmetric
from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.evidence.subjects import listed_specs_of, subject_spec_of
from tests.audit.helpers.records import START, Scribe, findings

DAY = 86400


@pytest.fixture
def scribe(keys: Path) -> Scribe:
    return Scribe(keys)


@pytest.fixture
def found(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    return lambda *options: findings(scribe.audit(tmp_path, capsys, *options))


def order(scribe: Scribe, key: str = "O1", at: float = 0, told: dict[str, Any] | None = None, **more: Any) -> None:
    data = {"outTradeNo": key, "totalAmount": 10.5, "currency": "USD", **more.pop("data", {})}
    scribe.call("orders.checkout", data, {"outTradeNo": key, "tradeToken": f"T{key}", **(told or {})}, at=at, **more)


def ask(scribe: Scribe, key: str = "O1", at: float = 0, status: str = "PENDING", **more: Any) -> None:
    told = {"outTradeNo": key, "status": status, "trade": {"amount": "10.50", "currency": "USD"}, **more.pop("told", {})}  # fmt: skip
    told |= {"transactionUtcTime": "2025-06-01T12:00:00.000Z", "responseCode": "", "responseMsg": ""}
    scribe.call("orders.query", {"outTradeNo": key}, told, at=at, **more)


def refund(scribe: Scribe, key: str, amount: float, at: float = 0, **more: Any) -> None:
    data = {"outRefundNo": key, "refundAmount": amount, "refundCurrency": "USD", "outTradeNo": "O1", "tradeToken": None}
    told = {"outRefundNo": key, "status": "REFUND_PENDING"}
    scribe.call("refunds.create", {**data, **more.pop("data", {})}, told, at=at, **more)


KEY = "/data/outTradeNo"


def test_a_key_is_used_once(scribe: Scribe, found: Any) -> None:
    order(scribe)
    order(scribe, at=5, data={"subject": "Something else"})
    order(scribe, "o1", at=9)
    order(scribe, at=20, app="app_2")
    order(scribe, at=30, app="a" * 128)
    order(scribe, at=40, app="b" * 128)
    assert found() == [
        ("line 2", "orders.checkout", "request", KEY, "key-reused"),
        ("line 3", "orders.checkout", "request", KEY, "key-reused"),
    ]


def test_keys_of_refunds_are_told_apart_by_case(scribe: Scribe, found: Any) -> None:
    refund(scribe, "R1", 1)
    refund(scribe, "r1", 1, at=1)
    refund(scribe, "R1", 1, at=2)
    assert found() == [("line 3", "refunds.create", "request", "/data/outRefundNo", "placed-again")]


def test_an_order_may_be_asked_for_in_another_case_and_a_refund_may_not(scribe: Scribe, found: Any) -> None:
    order(scribe)
    ask(scribe, "o1", at=10, told={"outTradeNo": "O1"})
    refund(scribe, "R1", 1, at=20)
    scribe.call("refunds.query", {"outRefundNo": "r1"}, {"outRefundNo": "R1", "status": "REFUND_PENDING"}, at=30)
    assert found() == [("line 4", "refunds.query", "response", "/data/outRefundNo", "echo")]


def test_the_same_again_is_no_retry_once_the_first_is_known_or_long_ago_or_another(scribe: Scribe, found: Any) -> None:
    order(scribe, "O1", answered=False)
    ask(scribe, "O1", at=5)
    order(scribe, "O2", at=20)
    order(scribe, "O3", at=30, answered=False, data={"userId": "u9"})
    order(scribe, "O4", at=600, data={"userId": "u9"})
    order(scribe, "O5", at=700, answered=False)
    order(scribe, "O6", at=710, data={"subject": "Another"})
    assert found() == []


def test_a_return_asked_for_does_not_contradict_the_payment(scribe: Scribe, found: Any) -> None:
    order(scribe)
    scribe.notify(notice("SUCCESS"), at=5)
    ask(scribe, at=10, status="BOUNCEBACK")
    scribe.notify(notice("SUCCESS"), at=20)  # again, and late
    assert found() == []


def notice(status: str, amount: str = "10.50") -> dict[str, Any]:
    data = {"outTradeNo": "O1", "status": status, "totalAmount": amount, "currency": "USD"}
    return {"notifyType": "PAYMENT", "appId": "app_1", "code": "APPLY_SUCCESS", "data": data}


def test_unknown_members_are_notes(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order(scribe, told={"newThing": {"a": 1}, "status": "LATER"})
    record = scribe.records[0]
    body = json.loads(b64decode(record["request"]["body"]["base64"]))
    body["version"] = "1.4"
    raw = json.dumps(body).encode()
    record["request"]["body"]["base64"] = b64encode(raw).decode()
    record["request"]["headers"][1][1] = scribe.merchant.sign(raw)
    lines = scribe.audit(tmp_path, capsys)
    assert findings(lines) == []
    assert sorted((line["pointer"], line["code"]) for line in lines if line["type"] == "note") == [
        ("/data/newThing", "unknown-field"),
        ("/data/status", "unknown-value"),
        ("/version", "other-version"),
    ]
    assert lines[-1]["notes"] == 3


def test_two_notifications_of_one_transfer_end_it_once(scribe: Scribe, found: Any) -> None:
    for at, status in enumerate(("TO_BE_PROVED", "SETTLED", "SETTLED", "TO_BE_PROVED", "REJECTED")):
        body = CONTRACT.example("notifications.receive.notification")
        body["data"] |= {"requestNo": "N1", "status": status}
        scribe.notify(body, at=at)
    assert found() == [("line 5", "notifications.receive", "notification", "/data", "state-moved-back")]


def test_every_state_that_the_contract_tells_is_held_against_others() -> None:
    for name in CONTRACT.operations():
        operation = CONTRACT.operation(name)
        structs = [operation.request if operation.inbound else str(operation.result)]
        final = []
        while structs:
            for field in CONTRACT.struct(structs.pop()).fields:
                if field.kind == "struct" and field.of:
                    structs.append(field.of)
                elif field.kind == "set" and field.of and CONTRACT.set(field.of).final:
                    final.append(field.wire)
        subject_spec = subject_spec_of(name)
        known = [listed_spec.state[-1] for listed_spec in listed_specs_of(name)] + (
            [subject_spec.state] if subject_spec is not None else []
        )
        # A cancellation and a creation that nothing can be asked about tell nothing to hold against anything; and what was
        # tried before is history, inside a period's result.
        if name not in ("snap.cancel", "subscriptions.create"):
            assert sorted(set(final) - {"lastPaymentStatus"}) == sorted(one for one in known if one in final)


def test_an_external_id_is_used_once_a_day(scribe: Scribe, found: Any) -> None:
    for at, number, partner in ((0, "1", "P"), (5, "2", "P"), (9, "1", "Q"), (20, "1", "P"), (DAY, "1", "P")):
        body = json.dumps(CONTRACT.example("snap.cancel.request")).encode()
        stamp = (START + timedelta(seconds=at)).isoformat(timespec="milliseconds")
        path = str(CONTRACT.operation("snap.cancel").path)
        sign = SnapAsymmetric(scribe.merchant).sign("POST", path, body, stamp)
        headers = [["X-TIMESTAMP", stamp], ["X-PARTNER-ID", partner], ["X-EXTERNAL-ID", number], ["CHANNEL-ID", "1"]]
        record = scribe.notify({}, at=at)
        record |= {"kind": "call", "url": f"https://gw.example{path}", "response": None}
        record["request"]["headers"] = [["Content-Type", "application/json"], *headers, ["X-SIGNATURE", sign]]
        record["request"]["body"] = {"base64": b64encode(body).decode()}
    assert [one for one in found() if one[4] == "external-id-reused"] == [
        ("line 4", "snap.cancel", "request", "@header/X-EXTERNAL-ID", "external-id-reused")
    ]
