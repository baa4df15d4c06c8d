"""The rules of the contract, read a second time: slowly, from the model, sharing nothing with the generator.

Tests repair and break documents with it, and compare what it says with what generated code says.
"""

from __future__ import annotations

from collections.abc import Iterator

from paywright_codegen.model.contract import Contract
from paywright_codegen.model.rules import (
    AnyIs,
    Blank,
    Demand,
    Differs,
    IsGiven,
    Joined,
    Need,
    OneOf,
    Path,
    Refuse,
    Rule,
    Unknowable,
)
from paywright_codegen.model.types import Struct

Json = dict[str, object]


def at(body: object, path: Path) -> object:
    for name in path:
        if not isinstance(body, dict):
            return None
        body = body.get(name)
    return body


def is_given(value: object) -> bool:
    return not (value is None or value == "" or value == [])


def applies(rule: Rule, body: Json) -> bool:
    for condition in rule.when:
        if isinstance(condition, Unknowable):
            return False
        value = at(body, condition.path)
        if isinstance(condition, IsGiven):
            holds = is_given(value) != condition.negated
        else:
            holds = isinstance(value, str) and value in condition.values
        if not holds:
            return False
    return True


def is_met(demand: Demand, body: Json) -> bool:
    if isinstance(demand, Need):
        return any(is_given(at(body, path)) for path in demand.paths)
    if isinstance(demand, AnyIs):
        return any(_is(choice, body) for choice in demand.choices)
    value = at(body, demand.path)
    if isinstance(demand, Refuse):
        return value is None
    if isinstance(demand, Blank):
        return not is_given(value)
    if isinstance(demand, Differs | Joined):
        compared = [value, *(at(body, path) for path in compared_with(demand))]
        if not all(isinstance(one, str) and is_given(one) for one in compared):
            return True
        return value != compared[1] if isinstance(demand, Differs) else value == "".join(map(str, compared[1:]))
    if demand.values:
        return value is None or (isinstance(value, str) and value in demand.values)
    return not isinstance(value, str) or demand.max is None or len(value) <= demand.max


def _is(one: OneOf, body: Json) -> bool:
    value = at(body, one.path)
    return isinstance(value, str) and value in one.values


def compared_with(demand: Differs | Joined) -> tuple[Path, ...]:
    """The members that the first one is compared with."""
    return (demand.other,) if isinstance(demand, Differs) else demand.parts


def place(demand: Demand) -> Path:
    """Where the correction is due."""
    if isinstance(demand, Need):
        return demand.paths[0]
    return demand.choices[0].path if isinstance(demand, AnyIs) else demand.path


def broken(struct: Struct, body: Json) -> Iterator[tuple[Rule, Demand]]:
    for rule in struct.rules:
        if applies(rule, body):
            yield from ((rule, demand) for demand in rule.demands if not is_met(demand, body))


def field_at(contract: Contract, struct: Struct, path: Path) -> tuple[Struct, object]:
    """The struct that holds the last step of a path, and the field there."""
    from tests.support.contract import inner

    for name in path[:-1]:
        field = struct.field(name)
        assert field is not None
        struct = inner(contract, field)
    return struct, struct.field(path[-1])
