"""Faults in the engine: what they do to an answer, before and after the commit, how often, and what is kept of it."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from paywright import contract, validate
from paywright_runtime import strict_json
from paywright_runtime.signing.rsa import SignatureProblem
from paywright_sandbox.engine.responses import HttpReply, capped
from paywright_sandbox.faults.definitions import BadRule, key_of, read_rule
from paywright_sandbox.faults.rules import rules_of
from paywright_sandbox.faults.vocabulary import ENDS_WHOLE, KINDS, NOTIFICATION_KINDS
from tests.sandbox.helpers.desk import Desk

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def rule(desk: Desk, kind: str, **more: Any) -> None:
    rules_of(desk.engine).add(read_rule({"kind": kind, **more}), NOW)


def sent(desk: Desk, key: str, operation: str = "orders.checkout", **more: Any) -> HttpReply:
    """The raw reply to one request."""
    data = {"outTradeNo": key, **more}
    if operation == "orders.checkout":
        from tests.sandbox.helpers.desk import checkout_data

        data = checkout_data(key)
    raw = strict_json.write(desk.envelope(operation, data))
    headers = [("content-type", "application/json"), ("sign", desk.signer.sign(raw))]
    return desk.engine.handle("POST", str(contract.operation(operation).path), headers, raw)


def orders(desk: Desk) -> list[str]:
    with desk.engine.store.transaction() as state:
        return [str(row["out_trade_no"]) for row in state.all("SELECT out_trade_no FROM orders ORDER BY id")]


def strikes(desk: Desk) -> list[dict[str, Any]]:
    with desk.engine.store.transaction() as state:
        return [json.loads(bytes(row["detail"])) for row in state.all("SELECT detail FROM events WHERE kind = 'fault.struck'")]  # type: ignore[arg-type]  # a blob


def records(desk: Desk) -> list[dict[str, Any]]:
    return [json.loads(line) for part in desk.engine.captures.lines() for line in part.splitlines()]


@pytest.mark.parametrize("kind", KINDS)
def test_after_the_commit_the_effect_is_there_and_before_it_is_not(open_desk: Callable[[], Desk], kind: str) -> None:
    for when, there in (("after", ["ORD_0", "ORD_1"]), ("before", ["ORD_0"])):
        if when == "before" and kind in ENDS_WHOLE:
            continue
        desk = open_desk()
        sent(desk, "ORD_0")
        rule(desk, kind, when=when, times=1)
        sent(desk, "ORD_1")
        assert orders(desk) == there
        assert [(strike["kind"], strike["when"]) for strike in strikes(desk)] == [(kind, when)]
        # Whatever the client saw, doing the same again tells the truth.
        again = json.loads(sent(desk, "ORD_1").body)["code"]
        assert again == ("ORDER_REPEAT" if when == "after" else "APPLY_SUCCESS")


def test_a_whole_signed_answer_never_says_that_something_happened_that_did_not() -> None:
    """Which kinds may stand before the commit: those whose answer cannot be verified, or says what was true or a failure."""
    before = {
        "reset": True,  # no answer
        "hang": True,  # no answer
        "cut": True,  # half an answer: no signature holds over it
        "drip": False,  # the whole success, for nothing
        "html": True,  # unsigned
        "bad-signature": True,  # cannot be verified
        "no-signature": True,  # cannot be verified
        "another-answer": True,  # what happened for another key, and says so
        "stale-answer": True,  # what was true once
        "code": True,  # a failure
    }
    assert before.keys() == KINDS.keys()
    for kind, allowed in before.items():
        if allowed:
            assert read_rule({"kind": kind, "when": "before"}).when == "before"
        else:
            with pytest.raises(BadRule, match="whole signed answer"):
                read_rule({"kind": kind, "when": "before"})


def test_ids_that_were_told_for_nothing_are_never_given_out_again(desk: Desk) -> None:
    rule(desk, "no-signature", when="before", times=1)
    told = json.loads(sent(desk, "ORD_1").body)["data"]["tradeToken"]
    second = desk.checkout("ORD_2")["data"]["tradeToken"]
    assert told != second
    assert desk.control("POST", "orders/ORD_2/pay")["status"] == "SUCCESS"
    assert desk.refund("REF_1", 1, tradeToken=told)["code"] == "PARAMS_INVALID"  # an order that never was
    rule(desk, "cut", when="before", times=1)
    told = json.loads(sent(desk, "ORD_3").body)["data"]["tradeToken"]  # the engine's reply is whole
    assert told != desk.checkout("ORD_4")["data"]["tradeToken"]


@pytest.mark.parametrize("kind", ["another-answer", "stale-answer"])
def test_a_merchant_is_never_given_what_another_was_told(desk: Desk, kind: str) -> None:
    second = desk.another()
    assert desk.checkout("ORD_1")["code"] == "APPLY_SUCCESS"
    rule(desk, kind, operation="orders.checkout", times=1)
    theirs = second.checkout("ORD_2")
    assert theirs["data"]["outTradeNo"] == "ORD_2"  # it was told nothing before: the rule waits
    assert second.checkout("ORD_3")["data"] == theirs["data"]


def test_another_answer_is_of_another_order_and_not_of_the_same_in_other_letters(desk: Desk) -> None:
    desk.checkout("ORD_a")
    rule(desk, "another-answer", operation="orders.query", times=1)
    assert desk.query("ORD_a")["data"]["outTradeNo"] == "ORD_a"
    assert desk.query("ORD_A")["data"]["outTradeNo"] == "ORD_a"  # that order itself: the rule waits
    desk.checkout("ORD_b")
    assert desk.query("ORD_b")["data"]["outTradeNo"] == "ORD_a"


@pytest.mark.parametrize("kind", ["reset", "hang", "cut", "drip"])
def test_what_only_a_server_can_do_is_ordered_from_it(desk: Desk, kind: str) -> None:
    rule(desk, kind, times=1)
    reply = sent(desk, "ORD_1")
    assert reply.fault is not None
    assert reply.fault.kind == kind
    desk.judged("orders.checkout", reply)  # the answer itself is whole
    (record,) = records(desk)
    if kind in ("reset", "hang"):
        assert record["response"] is None
    else:
        from base64 import b64decode

        body = b64decode(record["response"]["body"]["base64"])
        assert body == (reply.body[: len(reply.body) // 2] if kind == "cut" else reply.body)


def test_a_page_of_a_proxy_is_html_unsigned_and_no_200(desk: Desk) -> None:
    for said, status in (({"status": 500}, 500), ({"status": 599}, 599), ({}, 502)):
        rule(desk, "html", times=1, **said)
        reply = sent(desk, "ORD_1")
        assert (reply.status, dict(reply.headers)["content-type"]) == (status, "text/html")
        assert reply.body.startswith(b"<html>")
        assert "sign" not in dict(reply.headers)


def test_a_bad_signature_is_canonical_and_does_not_hold(desk: Desk) -> None:
    rule(desk, "bad-signature", times=1)
    reply = sent(desk, "ORD_1")
    with pytest.raises(SignatureProblem) as problem:
        desk.verifier.verify(reply.body, dict(reply.headers)["sign"])
    assert problem.value.reason == "bad_signature"
    assert validate("orders.checkout", "response", reply.body, headers=reply.headers) == []


def test_a_signature_can_be_missing(desk: Desk) -> None:
    rule(desk, "no-signature", times=1)
    assert "sign" not in dict(sent(desk, "ORD_1").headers)


def test_another_requests_answer_is_signed_and_of_the_same_operation(desk: Desk) -> None:
    first = sent(desk, "ORD_0")
    rule(desk, "another-answer", times=1)
    reply = sent(desk, "ORD_1")
    assert reply.body == first.body
    assert desk.judged("orders.checkout", reply)["data"]["outTradeNo"] == "ORD_0"


@pytest.mark.parametrize("kind", ["another-answer", "stale-answer"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_an_answer_to_another_key_that_names_none_is_never_given(desk: Desk, kind: str, when: str) -> None:
    """No client could tell that a signed ORDER_REPEAT, or an ORDER_NOT_EXIST, is about another order."""
    desk.checkout("ORD_0")
    assert desk.checkout("ORD_0")["code"] == "ORDER_REPEAT"
    assert desk.query("ORD_9")["code"] == "ORDER_NOT_EXIST"
    rule(desk, kind, when=when)
    for _ in range(2):
        assert desk.query("ORD_0")["data"]["outTradeNo"] == "ORD_0"
    assert desk.judged("orders.checkout", sent(desk, "ORD_1"))["data"]["outTradeNo"] == "ORD_0"


def test_an_earlier_answer_waits_until_there_is_one(desk: Desk) -> None:
    rule(desk, "another-answer", times=1)
    assert desk.judged("orders.checkout", sent(desk, "ORD_0"))["data"]["outTradeNo"] == "ORD_0"
    assert rules_of(desk.engine).rules()[0].seen == 0
    assert desk.judged("orders.checkout", sent(desk, "ORD_1"))["data"]["outTradeNo"] == "ORD_0"


def test_a_stale_answer_is_the_oldest_to_the_same_key(desk: Desk) -> None:
    assert desk.query("ORD_1")["code"] == "ORDER_NOT_EXIST"
    desk.paid("ORD_2")
    desk.query("ORD_2")
    desk.paid("ORD_1")
    assert desk.query("ORD_1")["data"]["status"] == "SUCCESS"
    rule(desk, "stale-answer", times=1, operation="orders.query")
    # The published trap: a signed, stale ORDER_NOT_EXIST for an order that was charged.
    assert desk.query("ORD_1")["code"] == "ORDER_NOT_EXIST"
    assert desk.query("ORD_1")["data"]["status"] == "SUCCESS"


def test_a_struck_answer_is_never_given_as_an_earlier_one(desk: Desk) -> None:
    rule(desk, "bad-signature", times=1)
    sent(desk, "ORD_0")
    rule(desk, "another-answer", times=1)
    desk.judged("orders.checkout", sent(desk, "ORD_1"))
    assert strikes(desk)[-1]["kind"] == "bad-signature"


def test_any_business_code_comes_signed_and_in_the_operations_own_form(desk: Desk) -> None:
    rule(desk, "code", times=1, code="SYSTEM_BUSY")
    answer = desk.judged("orders.checkout", sent(desk, "ORD_1"))
    assert answer["code"] == "SYSTEM_BUSY"
    assert orders(desk) == ["ORD_1"]


def test_a_rule_is_for_an_operation_and_a_key(desk: Desk) -> None:
    rule(desk, "code", operation="orders.query", key="ord_1")
    sent(desk, "ORD_1")
    sent(desk, "ORD_2")
    assert desk.query("ORD_2")["code"] == "APPLY_SUCCESS"
    assert desk.query("ORD_1")["code"] == desk.query("Ord_1")["code"] == "SYSTEM_ERROR"
    assert [(made.seen, made.struck) for made in rules_of(desk.engine).rules()] == [(2, 2)]


def test_it_skips_strikes_and_is_used_up(desk: Desk) -> None:
    rule(desk, "code", skip=2, times=2)
    codes = [desk.query("NONE")["code"] for _ in range(6)]
    assert codes == ["ORDER_NOT_EXIST"] * 2 + ["SYSTEM_ERROR"] * 2 + ["ORDER_NOT_EXIST"] * 2
    assert [made.code for made in rules_of(desk.engine).rules()] == ["SYSTEM_ERROR"]


def test_the_seed_decides_what_is_likely(open_desk: Callable[[], Desk]) -> None:
    def session() -> list[str]:
        desk = open_desk()
        rule(desk, "code", probability="0.3")
        return [desk.query("NONE")["code"] for _ in range(60)]

    codes = session()
    assert session() == codes
    assert 5 < codes.count("SYSTEM_ERROR") < 35


def test_a_request_that_is_refused_anyway_is_struck_by_nothing(desk: Desk) -> None:
    rule(desk, "reset", times=1)
    raw = strict_json.write(desk.envelope("orders.query", {"outTradeNo": "ORD_1"}))
    assert desk.raw("orders.query", raw, [("sign", "x")])["code"] == "SIGN_VERIFY_FAILED"
    assert desk.raw("orders.query", b"{", [("sign", desk.signer.sign(b"{"))])["code"] == "PARAMS_INVALID"
    assert rules_of(desk.engine).rules()[0].seen == 0


def test_the_first_rule_that_strikes_wins(desk: Desk) -> None:
    rule(desk, "code", code="SYSTEM_BUSY", skip=1)
    rule(desk, "code", code="SYSTEM_ERROR")
    assert [desk.query("NONE")["code"] for _ in range(2)] == ["SYSTEM_ERROR", "SYSTEM_BUSY"]


def test_rules_and_their_counts_survive_a_restart(on_disk: Callable[..., Desk]) -> None:
    desk = on_disk()
    rule(desk, "code", times=3)
    desk.query("NONE")
    desk.engine.store.close()
    desk = on_disk()
    assert [made.shown()["struck"] for made in rules_of(desk.engine).rules()] == [1]
    assert [desk.query("NONE")["code"] for _ in range(3)] == ["SYSTEM_ERROR"] * 2 + ["ORDER_NOT_EXIST"]
    desk.engine.store.close()


def test_a_refusal_is_never_longer_than_its_member_may_be() -> None:
    assert [len(capped("x" * length, 150)) for length in (149, 150, 151, 400)] == [149, 150, 150, 150]
    assert capped("x" * 151, 150) == "x" * 147 + "..."


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "kind must be one of"),
        ({"kind": 5}, "kind must be one of"),
        ({"kind": "reset", "operation": "order.query"}, "did you mean"),
        ({"kind": "reset", "operation": "PAYMENT"}, "operation cannot have the fault reset"),
        ({"kind": "late", "operation": "orders.query"}, "operation cannot have the fault late"),
        ({"kind": "late", "when": "before"}, "when must be after"),
        ({"kind": "reset", "seconds": 5}, "seconds belongs to"),
        ({"kind": "hang", "seconds": 601}, "0 to 600"),
        ({"kind": "hang", "seconds": True}, "0 to 600"),
        ({"kind": "reset", "probability": "1.5"}, "from 0 to 1"),
        ({"kind": "reset", "probability": "NaN"}, "from 0 to 1"),
        ({"kind": "reset", "probability": "1e-1000000"}, "from 0 to 1"),
        ({"kind": "reset", "key": "\x1b[31m"}, "key must be text"),
        ({"kind": "html", "status": 200}, "500 to 599"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_with_the_reason(given: dict[str, object], words: str) -> None:
    with pytest.raises(BadRule, match=words):
        read_rule(given)


@pytest.mark.parametrize("kind", [*KINDS, *NOTIFICATION_KINDS])
def test_a_rule_reads_as_it_was_written(kind: str) -> None:
    made = read_rule({"kind": kind, "key": "K", "skip": 1, "times": 2, "probability": "0.25"})
    assert read_rule(made.definition()).definition() == made.definition()


def test_the_key_of_a_request_is_the_merchants_own_number() -> None:
    assert key_of("orders.checkout", {"outTradeNo": "A"}) == "A"
    assert key_of("refunds.create", {"outRefundNo": "R", "outTradeNo": "A"}) == "R"
    assert key_of("refunds.query", {"refundTradeNo": "RT"}) == "RT"
    assert key_of("rates.query", {"x": 1}) is None


def test_they_are_set_and_taken_away_through_the_control_api(desk: Desk) -> None:
    from paywright_sandbox.control.api import control

    def call(method: str, path: str, body: bytes = b"") -> tuple[int, dict[str, Any]]:
        reply = control(desk.engine, method, f"/_sandbox/{path}", [("X-Sandbox", "1")], body)
        return reply.status, json.loads(reply.body)

    status, made = call("POST", "faults", b'{"kind": "code", "code": "SYSTEM_BUSY", "probability": 0.5, "times": 3}')
    assert (status, made["id"], made["probability"]) == (200, 1, "0.5")
    assert call("GET", "faults")[1] == {"faults": [made]}
    status, answer = call("POST", "faults", b'{"kind": "code", "when": "never"}')
    assert status == 400
    assert "when must be" in answer["error"]
    assert call("POST", "faults", b"{}")[0] == 400
    status, refused = call("POST", "faults", b'{"kind": "rest"}')
    assert (status, str(refused["error"]).count("wrong-key"), str(refused["error"])[-10:]) == (400, 1, "corrupted.")
    assert "There is no rule with this number: there is 1" in str(call("DELETE", "faults/99")[1])
    assert call("DELETE", "faults/1")[1] == {"dropped": 1}
    assert call("DELETE", "faults/1")[0] == call("DELETE", "faults/x")[0] == 404
    assert "there are no rules" in str(call("DELETE", "faults/1")[1])
    for _ in range(2):
        call("POST", "faults", b'{"kind": "reset"}')
    assert call("DELETE", "faults")[1] == {"dropped": 2}
    assert desk.query("NONE")["code"] == "ORDER_NOT_EXIST"


@pytest.mark.parametrize(
    ("operation", "code", "member", "answered"),
    [
        ("payment_tokens.inquire", "4099", "bizCode", "4099"),
        ("payment_tokens.inquire", "SYSTEM_ERROR", "bizCode", "5000"),  # no bizCode is as long as that
        ("snap.status", "5045500", "responseCode", "5045500"),
        ("snap.status", "SYSTEM_ERROR", "responseCode", "5005500"),
    ],
)
def test_a_code_stands_where_it_must(desk: Desk, operation: str, code: str, member: str, answered: str) -> None:
    from tests.sandbox.resources.test_snap import Snap
    from tests.sandbox.resources.test_tokens import inquired

    rule(desk, "code", code=code, operation=operation)
    answer = inquired(desk) if operation.startswith("payment") else Snap(desk).status("ORD_1")
    assert answer[member] == answered


# The log


def test_every_exchange_is_kept_byte_for_byte_in_order(desk: Desk) -> None:
    from base64 import b64decode

    first = sent(desk, "ORD_1")
    desk.raw("orders.query", b"\xff not json", [("sign", "x"), ("X-Twice", "a"), ("x-twice", "b")])
    desk.engine.handle("GET", "/nowhere", [], b"")
    one, two, three = records(desk)
    assert set(one) == {"v", "at", "kind", "url", "request", "response", "source"}
    assert (one["v"], one["kind"], one["source"]) == (1, "call", "sandbox#1")
    assert one["at"] == "2025-06-01T12:00:00.000+00:00"
    assert one["url"] == "http://127.0.0.1:8787/aggregate-pay/api/gateway/orderAndPay"
    assert b64decode(one["response"]["body"]["base64"]) == first.body
    length = ["content-length", str(len(first.body))]  # as the server sends it
    assert one["response"]["headers"] == [*map(list, first.headers), length]
    assert b64decode(two["request"]["body"]["base64"]) == b"\xff not json"
    assert two["request"]["headers"][-2:] == [["X-Twice", "a"], ["x-twice", "b"]]
    assert three["response"]["status"] == 404
