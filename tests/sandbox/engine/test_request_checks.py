"""What the sandbox says of requests that break the contract, and of operations that it does not have yet."""

import re
from itertools import combinations
from typing import Any

import pytest

from paywright import contract, validate
from paywright_runtime import strict_json
from paywright_sandbox.engine.settings import BIZ_PATH
from paywright_sandbox.gateway import POLICIES, open_store
from paywright_sandbox.resources import RESOURCES
from tests.sandbox.helpers.desk import PLACE, Desk, checkout_data

OUTBOUND = [name for name in contract.operations() if not contract.operation(name).inbound]


WRONG = {
    "outTradeNo": "bad key!", "currency": "usd", "subject": "S" * 300, "expireTime": "7777777", "totalAmount": "12345.67",
    "userId": 7, "frontCallbackUrl": 7,
}  # fmt: skip


def test_the_first_places_and_reasons_are_named_and_no_value_is(desk: Desk) -> None:
    answer = desk.call("orders.checkout", checkout_data("ORD_1") | WRONG)
    assert answer["code"] == "PARAMS_INVALID"
    assert "/data/outTradeNo must be letters, digits and underscores" in answer["msg"]
    assert "/data/subject has 300 characters, at most 256 are allowed" in answer["msg"]
    assert answer["msg"].endswith("; and 3 more")
    assert answer["msg"].count(" more") == 1
    for value in ("bad key", "usd", "SSS", "7777777", "12345.67"):
        assert value not in answer["msg"]


def test_the_policy_behind_the_places_is_named_whole_however_many_they_are(desk: Desk) -> None:
    lengths = []
    for names in combinations(WRONG, 5):
        data = checkout_data("ORD_1") | {name: WRONG[name] for name in names}
        msg = desk.call("orders.checkout", data, requestTime="2025-06-01T12:00:00Z")["msg"]
        assert msg.endswith(" (policy request-time-format)")
        lengths.append(len(msg))
    assert max(lengths) > 230  # of 256


def test_a_broken_rule_is_named_with_the_wires_own_names(desk: Desk) -> None:
    answer = desk.refund("REF_1", 1)
    assert answer["msg"].startswith("/data")
    assert "breaks the rule which-order: outTradeNo or tradeToken is required" in answer["msg"]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "empty"), (b"{", "not well-formed"), (b"[]", "must be a JSON object"), (b'{"a":1,"a":2}', "same key twice"),
        (b'{"a":NaN}', "NaN"), (b'{"a":"\xff"}', "not UTF-8"), (b"[" * 2000, "nested"), (b'{"a":1e999}', "digits"),
    ],
)  # fmt: skip
def test_a_body_that_is_not_strict_json_is_refused_with_the_reason(desk: Desk, raw: bytes, words: str) -> None:
    answer = desk.raw("orders.checkout", raw, [("sign", desk.signer.sign(raw))])
    assert answer["code"] == "PARAMS_INVALID"
    assert words in answer["msg"]


@pytest.mark.parametrize("integrate", [None, "hosted_checkout", "", 5, {"a": 1}, ["Hosted_Checkout"]])
def test_what_tells_two_operations_apart_must_be_there(desk: Desk, integrate: object) -> None:
    answer = desk.call("orders.checkout", checkout_data("ORD_1", integrate=integrate))
    assert answer["code"] == "PARAMS_INVALID"
    assert "/data/integrate must be Hosted_Checkout or Direct_Payment" in answer["msg"]
    assert (", not an array: " in answer["msg"]) is isinstance(integrate, list)  # as R writes each text
    odd: list[Any] = [None, "{}", [{"integrate": "Hosted_Checkout"}]]
    for data in odd:
        assert "/data must be an object, and its integrate Hosted_" in desk.call("orders.checkout", data)["msg"]


def test_the_content_type_belongs_to_the_contract(desk: Desk) -> None:
    raw = strict_json.write(desk.envelope("orders.checkout", checkout_data("ORD_1")))
    for headers in ([], [("Content-Type", "text/plain")]):
        reply = desk.engine.handle("POST", PLACE, [*headers, ("sign", desk.signer.sign(raw))], raw)
        answer = desk.judged("orders.checkout", reply)
        assert answer["code"] == "PARAMS_INVALID"
        assert "Content-Type" in answer["msg"]


def test_null_and_missing_data_are_refused_where_the_contract_lets_them_pass(desk: Desk) -> None:
    message = desk.envelope("refunds.create", {})
    for sent in ({**message, "data": None}, {name: value for name, value in message.items() if name != "data"}):
        assert desk.send("refunds.create", sent)["code"] == "PARAMS_INVALID"


def test_an_operation_that_nobody_plays_yet_is_refused_with_words_and_a_signature(desk: Desk) -> None:
    others = {name: handler for name, handler in desk.engine.handlers.items() if name != "refunds.create"}
    desk.engine.handlers = others  # as if the contract had got it today
    answer = desk.call(
        "refunds.create", {"outRefundNo": "R1", "refundAmount": 1, "refundCurrency": "USD", "outTradeNo": "O1"}
    )
    assert (answer["code"], "the sandbox does not implement it yet" in str(answer["msg"])) == ("PARAMS_INVALID", True)


def test_no_handler_is_for_an_operation_that_the_contract_does_not_have() -> None:
    assert {name for resource in RESOURCES for name in resource.handlers} <= set(OUTBOUND)


def test_every_policy_answers_a_question_of_the_contract() -> None:
    for policy in POLICIES.values():
        assert policy.question in contract.questions(), policy


def test_codes_that_refuse_prove_it_to_the_sdk() -> None:
    """A refusal before anything happened must not leave the client in doubt whether money moved."""
    assert {str(POLICIES[name].default) for name in POLICIES if name.startswith("refund-") and "-of-" in name} | {
        str(POLICIES["refund-over-rest"].default),
        str(POLICIES["other-currency"].default),
        str(POLICIES["invalid-request"].default),
    } <= contract.operation("refunds.create").refusal_codes
    assert POLICIES["repeat"].default in contract.operation("refunds.create").duplicate_codes
    assert POLICIES["repeat"].default in contract.operation("orders.checkout").duplicate_codes
    assert POLICIES["amount-limit"].default in contract.operation("orders.checkout").refusal_codes
    assert POLICIES["absent"].default in contract.operation("refunds.query").not_found_codes


def test_a_failure_of_the_sandbox_is_signed(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    desk.engine.store.close()
    raw = strict_json.write(desk.envelope("orders.checkout", checkout_data("ORD_SECRET")))
    headers = [("content-type", "application/json"), ("sign", desk.signer.sign(raw))]
    reply = desk.engine.handle("POST", PLACE, headers, raw)
    assert reply.status == 500
    assert desk.judged("orders.checkout", reply)["code"] == "SYSTEM_ERROR"
    assert "ProgrammingError" in caplog.text
    assert "ORD_SECRET" not in caplog.text
    desk.engine.store = open_store()
    assert desk.query("ORD_SECRET")["code"] == "ORDER_NOT_EXIST"


def test_refusals_on_the_level_of_http_are_signed_too(desk: Desk) -> None:
    for method, path, body, status in (
        ("POST", "/nowhere", b"", 404),
        ("POST", PLACE + "/", b"", 404),
        ("GET", PLACE, b"", 405),
        ("POST", PLACE, b" " * (1024 * 1024 + 1), 413),
    ):
        reply = desk.engine.handle(method, path, [], body)
        assert reply.status == status
        assert set(desk.judged(None, reply)) == {"code", "msg"}
        assert validate("orders.query", "response", reply.body, headers=reply.headers) == []


GATEWAY = PLACE.rpartition("/")[0]


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/orderandpay", [PLACE]), (f"{GATEWAY}/orderAndPay/", [PLACE]), (f"{GATEWAY}/ORDERANDPAY", [PLACE]),
        (f"{GATEWAY}/orderPay", [PLACE]),
        ("/aggregate-pay/refundQry", [f"{GATEWAY}/refundQuery", f"{GATEWAY}/refund"]),
        ("/v1/debit/stats", ["/v1.0/debit/status"]),
        (BIZ_PATH + "x", [BIZ_PATH]), ("/", []), ("//", []), ("/nowhere", []), ("/" + "x" * 5000, []),
    ],
)  # fmt: skip
def test_a_nearly_right_address_is_told_the_right_one(desk: Desk, path: str, meant: list[str]) -> None:
    reply = desk.engine.handle("POST", path, [], b"")
    msg = desk.judged(None, reply)["msg"]
    assert reply.status == 404
    assert msg.startswith("No operation has this address")
    for other in desk.engine.paths:
        assert (other in re.split(r"[ ?]", msg)) == (other in meant)


def test_a_reply_names_the_code_that_its_body_has(desk: Desk) -> None:
    assert desk.engine.handle("POST", "/nowhere", [], b"").code == "PATH_NOT_FOUND"
    desk.call("orders.query", {"outTradeNo": "NONE"})
    assert desk.reply.code == "ORDER_NOT_EXIST"
    for operation, member in (("payment_tokens.inquire", "bizCode"), ("snap.status", "responseCode")):
        answer = desk.send(operation, contract.example(f"{operation}.request"))
        assert desk.reply.code == answer[member] != ""
