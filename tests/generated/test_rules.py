"""Every rule of the contract that is checked: documents that it takes and documents that it refuses, written by hand.

The documents stand in `rules.yaml`. Beside them, every rule, also one that has none yet, is put to documents made from the
contract: its members absent, empty, and with the values that they may have.
"""

from __future__ import annotations

from itertools import product
from typing import Any, cast

import pytest

import paywright.contract
from paywright_codegen.model.rules import AnyIs, OneOf, Path, Restrict, Rule
from paywright_codegen.model.types import Field, Struct
from paywright_runtime.contract.value_checks import Report
from tests.support.contract import contract
from tests.support.documents import put, smallest, take
from tests.support.reference_rules import broken, field_at
from tests.support.tables import table

Json = dict[str, object]

EXAMPLES: list[dict[str, Any]] = table("generated/rules.yaml")


def _structs() -> dict[str, Struct]:
    return {struct.name: struct for struct in contract().all_structs()}


def _found(struct: str, body: Json) -> set[tuple[str, str]]:
    report = Report()
    paywright.contract.CONTRACT.validator(struct)(body, "", report)
    return {(pointer, code) for pointer, code, _ in report.found}


def _smallest(struct: Struct, change: Json) -> Json:
    body = {field.wire: smallest(contract(), field) for field in struct.fields if field.required}
    for rule in struct.rules:  # what rules ask for is said by the table alone
        for path in (path for demand in rule.demands for path in getattr(demand, "paths", ())):
            field = struct.field(path[0])
            if field is not None and not field.required:
                body.pop(path[0], None)
    return {**body, **change}


RULES = [(struct.name, rule.id) for struct in contract().all_structs() for rule in struct.rules if rule.checked]


def _values(struct: Struct, rule: Rule, path: Path) -> list[object]:
    """Values of one member: those that the rule names, some that it does not, nothing, and more than any limit allows."""
    named = [
        value
        for part in (*rule.when, *rule.demands)
        for choice in (part.choices if isinstance(part, AnyIs) else (part,))
        if isinstance(choice, (OneOf, Restrict)) and choice.path == path
        for value in choice.values
    ]
    field = field_at(contract(), struct, path)[1]
    assert isinstance(field, Field)
    if field.type.array or field.type.kind in ("struct", "object", "number", "boolean"):
        return [None, smallest(contract(), field), *([[]] if field.type.array else [])]
    lengths = ["x" * 200] if any(isinstance(part, Restrict) and part.path == path for part in rule.demands) else []
    return [None, "", *named[:6], "EUR", "USD", "EURUSD", *lengths]


@pytest.mark.parametrize(("name", "rule_id"), RULES)
def test_every_rule_is_read_alike_over_documents_made_from_the_contract(name: str, rule_id: str) -> None:
    struct = _structs()[name]
    rule = next(one for one in struct.rules if one.id == rule_id)
    paths = list(dict.fromkeys(rule.paths))
    least = _smallest(struct, {})
    verdicts = set()
    for values in product(*(_values(struct, rule, path) for path in paths)):
        body = least
        for path, value in zip(paths, values, strict=True):
            body = take(body, path) if value is None else put(contract(), struct, body, path, value)
        expected = rule_id in {one.id for one, _ in broken(struct, body)}
        assert (rule_id in {code for _, code in _found(name, body)}) == expected, body
        verdicts.add(expected)
    assert verdicts == {True, False}, "one that is taken and one that is refused"


def test_every_line_has_a_rule_and_both_sides() -> None:
    assert {(struct, line["rule"]) for line in EXAMPLES for struct in line["of"]} <= set(RULES)
    assert all(line["takes"] and line["refuses"] for line in EXAMPLES)


@pytest.mark.parametrize(
    ("struct", "line"),
    [pytest.param(one, line, id=f"{one}-{line['rule']}") for line in EXAMPLES for one in line["of"]],
)
def test_a_rule_takes_what_it_should_and_refuses_what_it_should(struct: str, line: dict[str, Any]) -> None:
    rule, model = line["rule"], _structs()[struct]
    for change in line["takes"]:
        body = _smallest(model, change)
        assert rule not in {code for _, code in _found(struct, body)}, f"refused: {change}"
        assert rule not in {one.id for one, _ in broken(model, body)}
    for change in line["refuses"]:
        body = _smallest(model, change)
        assert (f"/{line['at']}", rule) in _found(struct, body), f"taken: {change}"
        assert rule in {one.id for one, _ in broken(model, body)}


def test_a_rule_that_no_field_tells_is_documented_and_never_checked() -> None:
    unchecked = {
        (struct.name, rule.id) for struct in contract().all_structs() for rule in struct.rules if not rule.checked
    }
    assert unchecked
    for struct, rule in unchecked:
        told = paywright.contract.CONTRACT.struct(struct).rule(rule)
        assert told is not None
        assert told.checked is False
        source = cast(object, paywright.contract.CONTRACT.validator(struct)).__code__.co_consts  # type: ignore[attr-defined]  # a function
        assert rule not in source
