"""Judged messages, and the generated examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paywright import InvalidArgument, validate
from paywright.contract import CONTRACT
from tests.support.contract import PACKAGE, messages
from tests.support.oracles import by_jsonschema, by_jsonschema_rs, by_validators

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("examples.jsonl").read_text(encoding="utf-8").splitlines()
    if line.strip()
]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_judged_message_is_judged_alike(case: dict[str, object]) -> None:
    headers = case.get("headers")
    assert headers is None or isinstance(headers, dict)
    for body in (case["body"], json.dumps(case["body"]).encode()):
        found = {one.pointer for one in validate(str(case["operation"]), str(case["message"]), body, headers=headers)}
        if case["valid"]:
            assert found == set()
            continue
        due = case["fails_at"]
        assert isinstance(due, list)
        if case.get("fails_at_mode") == "any":
            assert found & set(due)
        else:
            assert set(due) <= found


def test_there_are_judged_messages_of_both_kinds() -> None:
    assert {case["valid"] for case in CASES} == {True, False}
    assert len(CASES) >= 120


@pytest.mark.parametrize("name", sorted(messages()))
def test_the_example_of_a_message_is_valid(name: str) -> None:
    body = CONTRACT.example(name)
    raw = json.dumps(body).encode()
    assert by_validators(name, raw) == by_validators(name, body) == frozenset()
    assert by_jsonschema(name, body) == frozenset()
    assert by_jsonschema_rs(name, body) == frozenset()


@pytest.mark.parametrize("file", ["examples.json", "schemas.json"])
def test_every_message_has_an_example_and_a_schema_and_nothing_else_has(file: str) -> None:
    assert sorted(json.loads((PACKAGE / file).read_text(encoding="utf-8"))) == sorted(messages())


def test_a_message_that_does_not_exist_is_named_with_the_nearest() -> None:
    with pytest.raises(InvalidArgument, match=r"Did you mean refunds\.create\.request"):
        CONTRACT.schema("refunds.create.requests")
