"""Turn fields and rules into Python expressions that are true when something is wrong.

All conditions of generated validators are made here; templates only place them. In a validator `body` is the object,
`get` is `body.get`, `x` the current member and `at` the object's JSON pointer. Every contract string goes through
`ascii`.
"""

from __future__ import annotations

from paywright_codegen.lookup import closed_values
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
    Restrict,
    Rule,
)
from paywright_codegen.model.types import Field
from paywright_codegen.naming import constant


def failed_text(contract: Contract, field: Field) -> str:
    """Return an expression that is true if a value is no text or breaks a limit of the field."""
    tests = ["type(x) is not str"]
    values = closed_values(contract, field)
    may_be = (*values, "") if field.blank else values
    if not values or field.max is None or any(not (field.min or 0) <= len(value) <= field.max for value in may_be):
        tests += _length(field)
    particular = []
    if values:
        particular.append(f"x not in {_set(values)}")
    if field.range is not None:
        particular.append(f"not in_range(x, {field.range!a})")
    if field.type.kind == "format":
        particular.append(f"not {constant(field.type.name)}(x)")
    if field.blank and particular:
        tests.append(f'(x != "" and ({" or ".join(particular)}))')
    else:
        tests += particular
    return " or ".join(tests)


def _length(field: Field) -> list[str]:
    low, high = field.min, field.max
    if low is not None and low == high:
        return [f"len(x) != {low}"]
    if low is not None and high is not None:
        return [f"not {low} <= len(x) <= {high}"]
    if high is not None:
        return [f"len(x) > {high}"]
    return [] if low is None else [f"len(x) < {low}"]


def _set(values: tuple[str, ...]) -> str:
    return "{" + ", ".join(map(ascii, values)) + "}"


def _value(path: Path) -> str:
    if len(path) == 1:
        return f"get({path[0]!a})"
    return f"within(body, {', '.join(map(ascii, path))})"


def _is(one: OneOf) -> str:
    return (
        f"{_value(one.path)} == {one.values[0]!a}" if len(one.values) == 1 else f"{_value(one.path)} in {one.values!a}"
    )


def _holds(condition: IsGiven | OneOf) -> str:
    if isinstance(condition, OneOf):
        return _is(condition)
    return f"{_value(condition.path)} {'in' if condition.negated else 'not in'} EMPTY"


def _failed(demand: Demand) -> str:
    if isinstance(demand, Need):
        return " and ".join(f"{_value(path)} in EMPTY" for path in demand.paths)
    if isinstance(demand, Refuse):
        return f"{_value(demand.path)} is not None"
    if isinstance(demand, Blank):
        return f"{_value(demand.path)} not in EMPTY"
    if isinstance(demand, AnyIs):
        return " and ".join(
            f"not {_is(choice)}" if len(choice.values) > 1 else _is(choice).replace(" == ", " != ", 1)
            for choice in demand.choices
        )
    if isinstance(demand, Differs):
        return f"same_text({_value(demand.path)}, {_value(demand.other)})"
    if isinstance(demand, Joined):
        return f"not_joined({', '.join(map(_value, (demand.path, *demand.parts)))})"
    return _unrestricted(demand)


def _unrestricted(demand: Restrict) -> str:
    value = _value(demand.path)
    if demand.values:
        return f"{value} is not None and {value} not in {demand.values!a}"
    return f"longer({value}, {demand.max})"


def broken(rule: Rule, demand: Demand) -> str:
    """Return an expression that is true if a rule applies and this demand is not met."""
    conditions = [_holds(condition) for condition in rule.when if isinstance(condition, IsGiven | OneOf)]
    return " and ".join([*conditions, _failed(demand)])
