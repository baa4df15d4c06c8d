"""Where validators and the exported JSON Schemas judge differently, and must: one table, each line tested.

The schemas are right as far as JSON Schema can speak; the differences are the readers' (Python's `$`), the value models'
(NaN, Decimal, bytes, half a surrogate pair), or lie outside of what a schema sees (equal keys, headers, the clock).
"""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from jsonschema import Draft202012Validator

from paywright import validate
from paywright.contract import CONTRACT
from paywright_codegen.model.rules import Differs, Joined
from tests.support.contract import contract
from tests.support.oracles import by_jsonschema, by_jsonschema_rs, by_validators, is_valid_by_jsonschema_rs, schema

Json = dict[str, object]


def order(**changes: object) -> Json:
    """A valid `orders.checkout` request, with members of its data changed."""
    body = CONTRACT.example("orders.checkout.request")
    data = body["data"]
    assert isinstance(data, dict)
    data.update(changes)
    return body


_NEWLINES = {
    "outTradeNo": ("ORD_1\n", "format"),
    "country": ("S\n", "format"),
    "notifyUrl": ("https://shop.example/\n", "format"),
    "expireTime": ("1800\n", "range"),
}


@pytest.mark.parametrize("name", _NEWLINES)
def test_a_newline_at_the_end_is_refused_though_pythons_dollar_lets_it_through(name: str) -> None:
    text, code = _NEWLINES[name]
    body = order(**{name: text})
    due = {(f"/data/{name}", code)}
    assert by_validators("orders.checkout.request", body) == due
    assert by_jsonschema_rs("orders.checkout.request", body) == due  # the standard's `$` agrees with us
    # Python's `$` sees no newline; "S\n" is caught all the same, because a letter is missing.
    assert Draft202012Validator(schema("orders.checkout.request")).is_valid(body) == (name != "country")


class Text(str):
    """What no JSON text gives."""


@pytest.mark.parametrize(
    ("member", "value", "at", "code"),
    [
        *(("subject", half, "", "json") for half in ("\ud800", "a\udfff", "\udc00\ud800")),
        ("zzNewer", {"deep": ["\ud800"]}, "/deep/0", "json"),
        *(("totalAmount", number, "", "type") for number in map(float, ("nan", "inf", "-inf"))),
        *(("totalAmount", Decimal(number), "", "type") for number in ("NaN", "Infinity")),
        ("currency", Text("USD"), "", "type"),
        *(("totalAmount", Decimal(number), "", "") for number in ("10.50", "1E+400", "1E-400", f"{'123' * 10}.{'123' * 3}", "-0.0")),
        *(("totalAmount", number, "", "") for number in (10**400, -(10**64))),
    ],
)  # fmt: skip
def test_what_jsonschema_takes_is_judged_here_by_its_type(member: str, value: object, at: str, code: str) -> None:
    body = order(**{member: value})
    assert by_validators("orders.checkout.request", body) == ({(f"/data/{member}{at}", code)} if code else frozenset())
    assert by_jsonschema("orders.checkout.request", body) == frozenset()
    assert code != "json" or is_valid_by_jsonschema_rs("orders.checkout.request", body)


@pytest.mark.parametrize("digits", ["1e400", "1" + "0" * 400, "1e-400", "0." + "0" * 100 + "1"])
def test_a_number_too_long_for_money_is_not_strict_json(digits: str) -> None:
    text = json.dumps(order(totalAmount=7)).replace("7}", digits + "}").replace("7,", digits + ",")
    assert [(one.pointer, one.code) for one in validate("orders.checkout", "request", text.encode())] == [("", "json")]
    assert by_jsonschema("orders.checkout.request", json.loads(text)) == frozenset()


def test_members_are_compared_with_one_another_by_us_and_by_no_schema() -> None:
    """JSON Schema has no word for it; the rules are written out beside the schema instead."""
    body = CONTRACT.example("exchanges.create.request")
    data = body["data"]
    assert isinstance(data, dict)
    for change, at, rule in (
        ({"ccyPair": "USDEUR"}, "/data/ccyPair", "pair-of-the-two"),
        ({"ccyPair": "USDUSD", "transactionCcy": "USD"}, "/data/transactionCcy", "two-currencies"),
    ):
        other = {**body, "data": {**data, **change}}
        assert by_validators("exchanges.create.request", other) == {(at, rule)}
        assert by_jsonschema("exchanges.create.request", other) == frozenset()
        assert is_valid_by_jsonschema_rs("exchanges.create.request", other)
    marked = {
        (name, rule)
        for name, struct in ((struct.name, struct) for struct in contract().all_structs())
        for rule in {rule.id for rule in struct.rules if any(isinstance(one, Differs | Joined) for one in rule.demands)}
    }
    assert marked == {
        ("exchanges.create.request.data", "two-currencies"),
        ("exchanges.create.request.data", "pair-of-the-two"),
        ("Rate", "pair-of-the-two"),
    }
    schema = json.dumps(CONTRACT.schema("exchanges.create.request"))
    assert '"x-not-in-schema": {"two-currencies": "transactionCcy differs from targetCcy"' in schema


def test_headers_and_the_clock_are_no_part_of_a_schema() -> None:
    from datetime import UTC, datetime

    body = order()
    found = validate("orders.checkout", "request", body, headers={}, now=datetime(2031, 1, 1, tzinfo=UTC))
    assert {one.pointer for one in found} >= {"/requestTime", "@header/sign"}
    assert by_jsonschema("orders.checkout.request", body) == frozenset()


@pytest.mark.parametrize(
    ("message", "path", "good", "bad"),
    [
        ("orders.checkout.request", "requestTime", "2024-02-29T12:00:00.000Z", "2023-02-29T12:00:00.000Z"),
        ("orders.checkout.request", "requestTime", "2000-02-29T12:00:00.000Z", "1900-02-29T12:00:00.000Z"),
        ("orders.checkout.request", "requestTime", "2025-12-31T23:59:59.999+18:00", "2025-12-31T23:59:60.000Z"),
    ],
)
def test_patterns_hold_the_calendar(message: str, path: str, good: str, bad: str) -> None:
    for text, found in ((good, frozenset()), (bad, frozenset({(f"/{path}", "format")}))):
        body = {**order(), path: text}
        assert by_validators(message, body) == by_jsonschema(message, body) == by_jsonschema_rs(message, body) == found
