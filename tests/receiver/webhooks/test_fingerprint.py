"""When two notifications say the same, and what a notification must say to be taken: its key, its code."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from paywright import Event, InvalidArgument, Receiver, RsaVerifier
from paywright.contract import CONTRACT
from paywright.models.notifications import PeriodResult, Transfer
from paywright_receiver import MemoryLedger
from paywright_runtime import strict_json
from paywright_runtime.contract.notification_digest import digest
from paywright_runtime.contract.notification_digest import fingerprint as hashing
from tests.receiver.helpers.desk import Desk, order, period, transfer
from tests.receiver.helpers.desk import key as signing_key


def fingerprint(data: Any) -> str:
    """Of what comes off the wire."""
    parsed: Any = strict_json.parse(data if isinstance(data, bytes) else json.dumps(data).encode())
    return hashing(CONTRACT, CONTRACT.struct("Transfer"))(parsed)


def changed(path: str, value: object) -> dict[str, Any]:
    data: dict[str, Any] = deepcopy(transfer()["data"])
    *before, last = path.split("/")
    where = data
    for name in before:
        where = where[name]
    if value is ...:
        where.pop(last, None)
    else:
        where[last] = value
    return data


SAME: dict[str, list[object]] = {
    "paymentDetail/settle/amount": ["10.50", "10.5", "10.500", 10.5, "+10.5"],
    "paymentDetail/settle/fee": ["", None, ...],
    "completeTime": [
        "2025-06-01T12:00:00.000+08:00", "2025-06-01T04:00:00.000Z", "2025-06-01T04:00:00Z", "2025-06-01T04:00:00+0000",
        "2025-06-01T04:00:00 +0000",
    ],
    "requestNo": ["7", 7],
    "paymentDetail/newer": [{"member": 1}, None, ..., "which the contract does not name"],
}  # fmt: skip


@pytest.mark.parametrize("path", SAME)
def test_writings_of_one_value_are_the_same_content(path: str) -> None:
    assert len({fingerprint(changed(path, value)) for value in SAME[path]}) == 1


OTHER: dict[str, list[object]] = {
    "paymentDetail/settle/amount": ["10.50", "10.51", "-10.50", "1050", "", "x"],
    "paymentDetail/trade/amount": ["10.50", "10.49"],
    "paymentDetail/payeeInfo/accountNo": ["1", "01", "1 "],
    "paymentDetail/settle/currency": ["USD", "SGD"],
    "status": ["SETTLED", "REJECTED"],
    "completeTime": ["2025-06-01T12:00:00.000+08:00", "2025-06-01T12:00:00.000Z", "2025-06-01T04:00:00.001Z"],
    "paymentDetail": [{}, "text", ["list"]],
}


@pytest.mark.parametrize("path", OTHER)
def test_other_values_are_other_content(path: str) -> None:
    assert len({fingerprint(changed(path, value)) for value in OTHER[path]}) == len(OTHER[path])


@pytest.mark.parametrize(
    "path", ["requestNo", "completeTime", "paymentDetail", "paymentDetail/settle/amount", "status"]
)
@pytest.mark.parametrize("odd", [{"": 0.5}, [0.5, None], {"a": {"b": [1]}}, True, 0.5, 7, [], {}, "\ud7ff", "\0"])
def test_whatever_stands_where_something_else_should_has_a_fingerprint(path: str, odd: object) -> None:
    assert len(fingerprint(changed(path, odd))) == 64
    assert fingerprint(changed(path, odd)) == fingerprint(changed(path, odd))


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        ({}, "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"),
        (
            {"requestNo": 7, "status": "SETTLED", "completeTime": "2025-06-01T12:00:00.000+08:00"},
            "4e68202c6e70283b26bb9946bc9cdcaeae9274600ee393a4bf4801f6b64b2b24",
        ),
        (
            {"paymentDetail": {"settle": {"amount": "10.50", "fee": ""}, "payeeInfo": "text"}, "requestNo": "7"},
            "8b9d4ee094a657c88a3206e0048131a25329b86bcffc56456629bfe526fd12e9",
        ),
        (["list"], "d3cca28df0a4b4d417723869e5aad6cd6b904d4468be7441d4a96af5922e3fc6"),
    ],
)
def test_a_ledger_that_has_kept_the_hash_of_an_earlier_version_knows_the_content_again(data: object, kept: str) -> None:
    """Otherwise a notification that comes again would contradict itself."""
    assert fingerprint(data) == kept


def test_members_stand_in_any_order() -> None:
    data = transfer()["data"]
    assert fingerprint(data) == fingerprint(dict(reversed(data.items())))
    assert fingerprint(data) != fingerprint({**data, "errorMsg": data["errorCode"] + "x"})


def test_what_the_contract_does_not_show_is_compared_as_it_was_parsed() -> None:
    def of(text: bytes) -> str:
        return digest(strict_json.parse(text))

    same = [b'{"a": 10.50, "b": [1]}', b'{"b": [1.0], "a": 10.5}', b'{"a": 1050e-2, "c": null, "b": [1]}']
    assert len({of(text) for text in same}) == 1
    other = [b'{"a": 10.5}', b'{"a": "10.5"}', b'{"a": 10.51}', b'{"a": [10.5]}', b'{"a": {"\\u0000": "10.5"}}', b"{}"]
    assert len({of(text) for text in other}) == len(other) - 1  # the marker of a fraction is no name that comes


def test_a_failed_notification_may_be_corrected_and_a_done_one_not() -> None:
    desk = Desk(MemoryLedger())
    amounts: list[str] = []
    fails = [True]

    @desk.receiver.on_receive
    def credit(event: Event[Transfer]) -> None:
        if fails[0]:
            raise RuntimeError
        amounts.append(str(event.data.payment_detail.settle.amount))

    def of(amount: str) -> dict[str, Any]:
        body = transfer()
        body["data"]["paymentDetail"]["settle"]["amount"] = amount
        return body

    assert desk.deliver(of("10.00")).outcome == "failed"
    fails[0] = False
    assert desk.deliver(of("9.00")).outcome == "handled"
    assert desk.deliver(of("9.0")).outcome == "duplicate"
    assert desk.deliver(of("10.00")).outcome == "conflict"
    assert amounts == ["9.00"]


# What names the effect


@pytest.mark.parametrize("member", ["requestNo", "status"])
@pytest.mark.parametrize("value", [None, "", ..., {"a": 1}, True, "R\ud83d"])
def test_what_names_its_effect_must_be_there(member: str, value: object) -> None:
    desk = Desk(MemoryLedger())
    desk.receiver.on_receive(lambda event: pytest.fail("nothing names its effect"))
    body = transfer()
    body["data"] = changed(member, value)
    reply = desk.deliver(body)
    assert (reply.status, reply.outcome) == (422, "unreadable")
    assert "sha256:" in (reply.key or "")
    code = "required" if value in (None, "", ...) else "type"
    assert desk.ledger.list()[0].why == f"it cannot be read at /data/{member} ({code})"


def test_an_amount_that_has_come_twice_under_no_name_is_not_credited_twice() -> None:
    """With a weaker key the first would be credited, and the second be a conflict with it."""
    desk = Desk(MemoryLedger())
    desk.receiver.on_kind("PAYMENT", once_per=("outTradeNo", "status"))(lambda event: pytest.fail("it has no name"))
    for body in (order(), order()):
        body["data"]["outTradeNo"] = ""
        assert desk.deliver(body).outcome == "unreadable"
    del (lacking := order())["data"]["status"]
    assert desk.deliver(lacking).outcome == "unreadable"
    assert desk.statuses() == {"unreadable": 2}
    assert {entry.why for entry in desk.ledger.list()} == {
        "it cannot be read at /data/outTradeNo (required)",
        "it cannot be read at /data/status (required)",
    }


# The envelope's code


@pytest.mark.parametrize("code", ["SYSTEM_ERROR", "", None, ...])
@pytest.mark.parametrize("kind", ["transfer", "period"])
def test_a_code_that_denies_what_is_paid_makes_it_unreadable(kind: str, code: object) -> None:
    desk = Desk(MemoryLedger())
    paid: list[str] = []
    desk.receiver.on_receive(lambda event: paid.append(event.data.status))
    desk.receiver.on_subscription_payment(lambda event: paid.append(event.key.rpartition("/")[2]))
    body = transfer() if kind == "transfer" else period()
    if code is ...:
        del body["code"]
    else:
        body["code"] = code
    reply = desk.deliver(body)
    assert (reply.status, reply.outcome, paid) == (422, "unreadable", [])
    assert desk.ledger.list()[0].why == "it cannot be read at /code (contradiction)"
    body["code"] = "APPLY_SUCCESS"
    assert desk.deliver(body).outcome == "handled"


def test_a_failure_code_with_a_state_that_is_not_paid_is_handled() -> None:
    desk = Desk(MemoryLedger())
    events: list[Event[PeriodResult]] = []
    desk.receiver.on_subscription_payment(events.append)
    for number, status in enumerate(("FAILED", "CLOSED", "PENDING", "NEW")):
        assert (
            desk.deliver({**period(index=number, status=status), "code": "BALANCE_INSUFFICIENT"}).outcome == "handled"
        )
    assert [event.body["code"] for event in events] == ["BALANCE_INSUFFICIENT"] * 4


# What was kept under what it says, before anything named it


@pytest.mark.parametrize("kind", ["PAYMENT", "zzz"])
@pytest.mark.parametrize("came", [False, True], ids=["only kept", "came since"])
def test_what_was_kept_without_a_name_is_done_under_both_keys_once_it_has_one(kind: str, came: bool) -> None:
    """Its key of old begins with sha256, which is before or after its name: neither is looked at."""
    ledger = MemoryLedger()
    before = Desk(ledger)
    body = order("zzz" if kind == "zzz" else "ORD_1", kind=kind)
    key = before.deliver(body).key or ""
    assert "sha256:" in key
    assert before.statuses() == {"unhandled": 1}
    after, done = Desk(ledger), list[str]()
    after.receiver.on_kind(kind, once_per=("outTradeNo",))(lambda event: done.append(event.key))
    if came:
        assert after.deliver(body).outcome == "handled"
    reply = after.receiver.replay(key)
    assert (reply.outcome, reply.key != key) == ("duplicate" if came else "handled", True)
    assert done == [reply.key]
    assert after.statuses() == {"done": 2}
    assert ledger.body(key) is None
    (kept,) = ledger.list(key=key)
    assert kept.why == f"replayed as {reply.key}: {reply.outcome}"
    assert [one.source for one in ledger.book.numbered(key.split("/")[2])[0].signed] == ["replayed"]


def test_what_fails_again_under_its_name_is_kept_under_its_old_key_too() -> None:
    ledger = MemoryLedger()
    before = Desk(ledger)
    key = before.deliver(order()).key or ""
    after = Desk(ledger)
    after.receiver.on_kind("PAYMENT", once_per=("outTradeNo",))(lambda event: {}["no such member"])
    assert after.receiver.replay(key).outcome == "failed"
    assert after.statuses() == {"unhandled": 1, "failed": 1}
    assert ledger.body(key) is not None


def test_what_was_kept_for_another_app_is_not_replayed() -> None:
    ledger = MemoryLedger()
    key = Desk(ledger).deliver(order()).key or ""
    other = Receiver(app_id="app_2", ledger=ledger, gateway_keys=RsaVerifier([signing_key().public_key()]))
    other.on_other(lambda event: pytest.fail("it is another app's"))
    with pytest.raises(InvalidArgument, match="cannot be handled by this receiver: its appId is another one than ours"):
        other.replay(key)
    assert [entry.status for entry in ledger.list()] == ["unhandled"]


def test_what_is_kept_and_cannot_be_parsed_any_more_is_refused_in_words() -> None:
    ledger = MemoryLedger()
    key = Desk(ledger).deliver(order()).key or ""
    with pytest.raises(
        InvalidArgument, match="cannot be handled by this receiver: the body is not a strict JSON object"
    ):
        Desk(ledger, max_bytes=20).receiver.replay(key)
