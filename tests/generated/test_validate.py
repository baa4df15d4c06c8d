"""`paywright.validate`: exact types, text and parsed values, headers, the clock, and what its messages say."""

from __future__ import annotations

import copy
import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from importlib import import_module
from typing import Any, cast

import pytest

import paywright.contract
from paywright import InvalidArgument, Violation, validate
from tests.support.contract import PACKAGE, contract, messages
from tests.support.tables import table

Json = dict[str, object]
Found = list[tuple[str, str]]


def example(name: str) -> Json:
    return paywright.contract.example(name)


def order(**changes: object) -> Json:
    body = example("orders.checkout.request")
    cast(Json, body["data"]).update(changes)
    return body


def judged(body: object) -> Found:
    return [(one.pointer, one.code) for one in validate("orders.checkout", "request", body)]


# Types


@pytest.mark.parametrize(
    ("member", "values", "found"),
    [
        ("totalAmount", (True, False, "10.50", float("nan"), float("inf"), Decimal("NaN"), Decimal("-Infinity"), [], {}, 1j), "type"),
        ("totalAmount", (0, -1, 10.5, Decimal("10.50"), Decimal("1e30"), 10**60), ""),
        ("subject", (True, 1, 1.0, Decimal(1), [], ["USD"], {}, b"USD", bytearray(b"USD"), ("USD",)), "type"),
        ("subject", ("😀" * 256,), ""),  # characters are counted, not bytes and not UTF-16 units
        ("subject", ("😀" * 257,), "max"),
    ],
)  # fmt: skip
def test_numbers_and_texts_are_of_their_type(member: str, values: tuple[object, ...], found: str) -> None:
    for value in values:
        assert judged(order(**{member: value})) == ([(f"/data/{member}", found)] if found else []), repr(value)


@pytest.mark.parametrize("value", ["true", 1, 0, 1.0, [], {}])
def test_what_is_no_boolean_is_refused(value: object) -> None:
    fields = [
        (message.name, field.wire)
        for message in messages().values()
        for field in (message.data or message.root).fields
        if field.type.kind == "boolean" and not field.type.array
    ]
    for name, wire in fields:
        operation, _, role = name.rpartition(".")
        body = example(name)
        cast(Json, body.get("data", body))[wire] = value
        found = [one for one in validate(operation, role, body) if one.pointer.endswith(f"/{wire}")]
        assert [one.code for one in found] == ["type"]


@pytest.mark.parametrize("body", [None, [], "text", 1, True, ()])
def test_a_message_that_is_no_object_is_one_violation_at_the_root(body: object) -> None:
    assert judged(body) == [("", "type")]
    if not isinstance(body, tuple):
        assert judged(json.dumps(body).encode()) == [("", "type")]


def test_a_string_is_a_json_string_and_not_json_text() -> None:
    assert judged(json.dumps(order())) == [("", "type")]


def test_all_violations_are_found_at_once_in_the_contracts_order() -> None:
    body = order(outTradeNo="a b" * 30, subject=5, currency=None, expireTime="1", shippingInfo={})
    del cast(Json, body["data"])["userId"]
    body["version"] = None
    found = judged(body)
    assert found[:2] == [("/version", "required"), ("/data/outTradeNo", "max")]
    assert {("/data/outTradeNo", "format"), ("/data/subject", "type"), ("/data/currency", "required")} <= set(found)
    assert {
        ("/data/userId", "required"),
        ("/data/expireTime", "range"),
        ("/data/shippingInfo/country", "required"),
    } <= set(found)
    assert len(found) == len(set(found))


def test_the_judged_value_is_left_as_it_was() -> None:
    body = order(shippingInfo={}, goodsDetails=[{}, 1])
    before = copy.deepcopy(body)
    judged(body)
    assert body == before


# Text


@pytest.mark.parametrize(
    "raw",
    [
        b"", b" ", b"{", b"nope", b'{"a": 1,}', b"{'a': 1}", b"NaN", b'{"a": NaN}', b'{"a": Infinity}', b"\xff{}",
        b'{"a": "\xff"}', b'{"a": 01}', b'{"a": 1e400}', b'{"a": "\\ud800"}', b'{"a": "\x01"}', b"{} {}", b"\xef\xbb\xbf{}",
        "{}".encode("utf-16"), b'{"a":' * 2000 + b"1" + b"}" * 2000, b"[" * 100000, b'{"a": ' + b"9" * 5000 + b"}",
    ],
)  # fmt: skip
def test_text_that_is_no_strict_json_is_one_violation(raw: bytes) -> None:
    assert judged(raw) == [("", "json")]


def test_a_byte_order_mark_is_named() -> None:
    (violation,) = validate("orders.checkout", "request", b"\xef\xbb\xbf" + json.dumps(order()).encode())
    assert "byte order mark" in violation.message


def test_equal_keys_are_found_wherever_they_stand_once_each() -> None:
    text = json.dumps(order(goodsDetails=[{"id": "1"}]))
    text = text.replace('"currency":', '"currency": "EUR", "currency": "GBP", "currency":')
    text = text.replace('{"id":', '{"\\u0069d": "0", "zz~/": 1, "zz~/": 2, "id":')
    found = [one for one in judged(text.encode()) if one[1] == "duplicate"]
    assert sorted(found) == [
        ("/data/currency", "duplicate"),
        ("/data/goodsDetails/0/id", "duplicate"),
        ("/data/goodsDetails/0/zz~0~1", "duplicate"),
    ]


def test_the_last_of_equal_keys_is_judged_too() -> None:
    text = json.dumps(order()).replace('"currency":', '"currency": "USD", "currency":', 1)
    text = text.replace('"currency": "USD"', '"currency": 5', 2).replace('"currency": 5', '"currency": "USD"', 1)
    assert ("/data/currency", "type") in judged(text.encode())
    assert ("/data/currency", "duplicate") in judged(text.encode())


# Headers

SNAP = {
    "Content-Type": "application/json",
    "X-TIMESTAMP": "2025-06-01T12:00:00.000+07:00",
    "X-SIGNATURE": "c2lnbmF0dXJl", "ORIGIN": "https://shop.example", "X-PARTNER-ID": "p1", "X-EXTERNAL-ID": "123456",
    "CHANNEL-ID": "95221",
}  # fmt: skip


REQUIRED = {field.wire for field in messages()["snap.cancel.request"].headers if field.required}


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        (None, {}),
        ({**SNAP, "Accept": "*/*", "X-Other": "\ud800"}, {}),  # the contract does not know them
        *(({write(name): value for name, value in SNAP.items()}, {}) for write in (str, str.lower, str.upper, str.title)),
        ({}, dict.fromkeys(REQUIRED, "required")),
        *(({name: SNAP[name] for name in SNAP if name != one}, {one: "required"}) for one in REQUIRED),
        *(({**SNAP, name: empty}, {name: "required"}) for name in ("X-SIGNATURE", "CHANNEL-ID", "Content-Type", "X-TIMESTAMP") for empty in ("", " ", " \t ")),
        ({**SNAP, "ORIGIN": " "}, {}),
        ([*SNAP.items(), ("channel-id", "")], {"CHANNEL-ID": "duplicate"}),
        ([*SNAP.items(), ("x-timestamp", SNAP["X-TIMESTAMP"])], {"X-TIMESTAMP": "duplicate"}),
        ({**SNAP, "X-TIMESTAMP": "yesterday"}, {"X-TIMESTAMP": "format"}),
        ({**SNAP, "Content-Type": "text/plain"}, {"Content-Type": "format"}),
    ],
)  # fmt: skip
def test_headers_are_judged_where_given(headers: Any, found: dict[str, str]) -> None:
    for given in (headers, list(headers.items())) if isinstance(headers, dict) else (headers,):
        judged_ones = validate("snap.cancel", "request", example("snap.cancel.request"), headers=given)
        assert {(one.pointer, one.code) for one in judged_ones} == {
            (f"@header/{name}", code) for name, code in found.items()
        }


def test_messages_without_headers_in_the_contract_take_any() -> None:
    assert (
        validate("notifications.receive", "answer", example("notifications.receive.answer"), headers={"x": "y"}) == []
    )


# The clock


def test_the_request_time_is_judged_against_now_alone() -> None:
    now = datetime(2025, 6, 1, 4, 0, tzinfo=UTC)
    for seconds, found in ((0, []), (119, []), (-119, []), (121, ["request-skew"]), (-121, ["request-skew"])):
        moment = (now + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
        body = {**order(), "requestTime": moment}
        assert [one.code for one in validate("orders.checkout", "request", body, now=now)] == found
        assert validate("orders.checkout", "request", body) == []


def test_a_time_that_is_none_is_judged_by_its_form_alone() -> None:
    now = datetime(2025, 6, 1, 4, 0, tzinfo=UTC)
    for value, code in (("soon", "format"), (5, "type"), (None, "required")):
        found = validate("orders.checkout", "request", {**order(), "requestTime": value}, now=now)
        assert [(one.pointer, one.code) for one in found] == [("/requestTime", code)]


# What there is none of


@pytest.mark.parametrize(
    ("name", "near"), [("orders.chekout", "orders.checkout"), ("refund.create", "refunds.create"), ("", "orders.query")]
)
def test_an_unknown_operation_names_the_nearest(name: str, near: str) -> None:
    with pytest.raises(InvalidArgument, match=re.escape(near)):
        validate(name, "request", {})


@pytest.mark.parametrize(
    ("operation", "message", "has"),
    [("orders.query", "answer", "request and response"), ("notifications.receive", "request", "notification and answer")],
)  # fmt: skip
def test_an_unknown_message_names_those_there_are(operation: str, message: str, has: str) -> None:
    with pytest.raises(InvalidArgument, match=has):
        validate(operation, message, {})


# What messages say

CANARY = "Zq7canary"


def _planted(value: object) -> object:
    if isinstance(value, dict):
        return {name: _planted(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_planted(item) for item in value]
    return CANARY * 200


def _wide(name: str) -> Json:
    """A message with every member that the contract knows, at every depth that is due or one below."""
    from tests.support.contract import inner

    def body(struct: object, depth: int) -> Json:
        from paywright_codegen.model.types import Struct

        assert isinstance(struct, Struct)
        out: Json = {}
        for field in struct.fields:
            one: object = (
                body(inner(contract(), field), depth + 1) if field.type.kind == "struct" and depth < 5 else "x"
            )
            out[field.wire] = [one, one] if field.type.array else one
        return out

    return body(messages()[name].root, 0)


@pytest.mark.parametrize("name", sorted(messages()))
def test_no_message_ever_shows_a_value(name: str) -> None:
    operation, _, role = name.rpartition(".")
    body = _planted(_wide(name))
    headers = [(field.wire, CANARY * 200) for field in messages()[name].headers] * 2
    shown = 0
    for judged_body in (
        body,
        json.dumps(body).encode(),
        CANARY,
        [CANARY],
        CANARY.encode(),
        f'{{"a": "{CANARY}'.encode(),
    ):
        for one in validate(operation, role, judged_body, headers=headers, now=datetime(2025, 1, 1, tzinfo=UTC)):
            shown += 1
            assert CANARY not in one.message
            assert CANARY not in str(one)
            assert CANARY not in repr(one)
            assert CANARY not in one.pointer
    assert shown >= 4


@pytest.mark.parametrize("name", sorted(messages()))
def test_every_message_names_the_member_and_its_section(name: str) -> None:
    operation, _, role = name.rpartition(".")
    root = messages()[name].root.name
    for violation in validate(operation, role, _planted(_wide(name))):
        *_, (struct, field) = paywright.contract.CONTRACT.at(root, violation.pointer)
        assert field is not None, violation.pointer
        assert violation.message.startswith(field.python), violation.message
        inner = paywright.contract.struct(field.of) if field.kind == "struct" and field.of else struct
        rule = struct.rule(violation.code) or inner.rule(violation.code)
        assert violation.message.endswith(f" [{', '.join((rule or struct).sections)}]"), violation.message
        # Tools for authors of the contract cite its line.
        holder = inner if rule is not None and struct.rule(violation.code) is None else struct
        cited = {"member": field.wire} if rule is None else {"rule": rule.id}
        file, _, line = paywright.contract.CONTRACT.place(holder.name, **cited).partition(":")
        text = (PACKAGE.parents[1] / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
        assert (field.wire if rule is None else rule.id) in text, violation.message


def test_a_broken_rule_is_told_in_python_names() -> None:
    (violation,) = validate(
        "orders.checkout", "request", order(paymentDetail={"paymentMethodType": "CARD"}, country=None)
    )
    assert (violation.pointer, violation.code) == ("/data/country", "method-needs-country")
    assert "payment_method_type" in violation.message
    assert "[4.1]" in violation.message


def test_violations_are_equal_by_place_and_code() -> None:
    one, same, other = Violation("/a", "max", "x"), Violation("/a", "max", "y"), Violation("/a", "min", "x")
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != ("/a", "max")
    assert str(one) == "/a: max: x"
    assert str(Violation("", "json", "is not JSON")) == "(the whole message): json: is not JSON"


def test_a_parsed_value_that_is_nested_without_end_is_a_violation_and_no_error() -> None:
    endless: list[object] = []
    endless.append(endless)
    found = validate("orders.query", "request", {"data": {"more": endless}})
    assert [one.code for one in found if one.pointer.startswith("/data/more")] == ["json"]


# What the docstrings of writes say


@pytest.mark.parametrize("name", [name for name, one in contract().operations.items() if one.write])
def test_the_key_of_a_write_says_what_another_one_would_do(name: str) -> None:
    resource, _, verb = name.partition(".")
    key = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", str(contract().operations[name].key)).lower()
    home = import_module(f"paywright.resources.{resource}")
    words = " ".join(
        getattr(getattr(home, "".join(part.title() for part in resource.split("_"))), verb).__doc__.split()
    )
    (said,) = re.findall(rf" {key}: (.*?) [a-z_]+: ", words)
    assert "the same again whenever this very" in said, said
    assert "because a" in said, said


# Where the two directions differ


def _with_prices(name: str, price: Json) -> Json:
    body = paywright.contract.CONTRACT.example(name)
    data = body["data"]
    assert isinstance(data, dict)
    plan = data["subscriptionPlan"]
    assert isinstance(plan, dict)
    plan.update(prices=[price], periodRule=None, periodAmount=None)
    return body


def test_the_second_spelling_of_an_answer_is_none_of_a_request() -> None:
    spelled = {"priceID": "P1", "quantity": 1}
    asked = validate("subscriptions.create", "request", _with_prices("subscriptions.create.request", spelled))
    assert [(one.pointer, one.code) for one in asked] == [("/data/subscriptionPlan/prices/0/priceId", "required")]
    assert validate("subscriptions.create", "response", _with_prices("subscriptions.create.response", spelled)) == []


# Times, and what may be empty


@pytest.mark.parametrize(("name", "member", "text", "taken"), table("generated/times.yaml"))
def test_a_time_has_a_form_of_its_section(name: str, member: str, text: str, taken: bool) -> None:
    body = example(name)
    inside = cast(Json, body["data"])
    *way, last = member.split("/")
    for step in way:
        inside = cast(Json, inside.setdefault(step, {}))
    inside[last] = text
    operation, _, role = name.rpartition(".")
    found = [(one.pointer, one.code) for one in validate(operation, role, body)]
    assert found == ([] if taken else [(f"/data/{member}", "format")])


@pytest.mark.parametrize(("code", "found"), [("2005500", []), ("200550", ["exact"]), ("20055000", ["exact"])])
def test_a_response_code_of_the_bank_style_form_has_seven_characters(code: str, found: list[str]) -> None:
    for operation in ("snap.status", "snap.cancel"):
        body = {**example(f"{operation}.response"), "responseCode": code}
        assert [one.code for one in validate(operation, "response", body)] == found


def test_the_code_of_a_case_is_required_in_both_forms() -> None:
    for operation in ("cases.search", "cases.inquire"):
        body = example(f"{operation}.response")
        del body["code"]
        assert [(one.pointer, one.code) for one in validate(operation, "response", body)] == [("/code", "required")]
