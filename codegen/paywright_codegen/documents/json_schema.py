"""Write JSON Schema 2020-12 of every message, which accepts the same messages as the generated validators.

What JSON Schema cannot express (that two members differ, that a string has no lone surrogate) is listed in
`tests/generated/test_known_differences.py`; rules that it cannot express are listed under `x-not-in-schema`. An optional scalar is `type: [T,
"null"]`, because null counts as absent. `x-sent-decimals` is the largest number of decimals that the client sends; no message
is judged by it.
"""

from __future__ import annotations

import re

from paywright_codegen.lookup import closed_values, corrected_at, is_decimal, sent_decimals
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec
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
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.python_types import Directions
from paywright_runtime.contract.patterns import PATTERNS

Schema = dict[str, object]

_EMPTY: list[object] = [None, "", []]


def message_schema(contract: Contract, message: MessageSpec) -> Schema:
    """Return the schema of a whole message, with the structs it uses under `$defs`."""
    root = component(contract, message.root, "#/$defs/")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": message.name,
        **({"description": message.root.prose.text} if message.root.prose.text else {}),
        "type": "object",
        **{key: value for key, value in root.items() if key != "description"},
        "$defs": {
            name: component(contract, struct, "#/$defs/")
            for name, struct in contract.reached_from(message.root).items()
            if struct is not message.root
        },
    }


def component(contract: Contract, struct: Struct, refs: str) -> Schema:
    """Return a struct without its `type`, so that an optional member can add `["object", "null"]`."""
    decimals = sent_decimals(contract) if struct.name in contract.once(Directions).sent else None
    properties = {
        field.wire: {
            **_property(contract, field, refs),
            **({"x-sent-decimals": decimals} if decimals is not None and is_decimal(contract, field) else {}),
        }
        for field in struct.fields
    }
    schema: Schema = {**({"description": struct.prose.text} if struct.prose.text else {}), "properties": properties}
    required = [field.wire for field in struct.fields if field.required and field.also is None]
    if required:
        schema["required"] = required
    demands = [_second_spelling(contract, field, refs) for field in struct.fields if field.also is not None]
    checked = [(rule, demand) for rule in struct.rules if rule.checked for demand in rule.demands]
    demands += [_conditional(rule, demand) for rule, demand in checked if not isinstance(demand, Differs | Joined)]
    if demands:
        schema["allOf"] = demands
    beyond = [rule for rule, demand in checked if isinstance(demand, Differs | Joined)]
    if beyond:
        schema["x-not-in-schema"] = {rule.id: rule.text for rule in beyond}
    return schema


def _second_spelling(contract: Contract, field: Field, refs: str) -> Schema:
    """Return the schema for a member with two names: the second counts if the first is absent or null."""
    assert field.also is not None
    second: Schema = {"properties": {field.also: one_value(contract, field, refs, field.required)}}
    if field.required:
        second["required"] = [field.also]
    absent: Schema = {"type": "object", "properties": {field.wire: {"type": "null"}}}
    return {"if": absent, "then": {"anyOf": [second], "x-at": field.wire}}


def _property(contract: Contract, field: Field, refs: str) -> Schema:
    prose: Schema = {"description": field.prose.text} if field.prose.text else {}
    if field.type.array:
        bounds: Schema = {}
        if field.min is not None:
            bounds["minItems"] = field.min
        if field.max is not None:
            bounds["maxItems"] = field.max
        return {
            **prose,
            "type": _type("array", field.required),
            "items": one_value(contract, field, refs, True),
            **bounds,
        }
    return {**prose, **one_value(contract, field, refs, field.required and field.also is None)}


def _type(name: str, required: bool) -> object:
    return name if required else [name, "null"]


def one_value(contract: Contract, field: Field, refs: str, required: bool) -> Schema:
    """Return the schema of a value of a field, or of one element of an array. `refs` is where structs stand."""
    kind = field.type.kind
    if kind == "struct":
        return {"type": _type("object", required), "$ref": f"{refs}{field.type.name}"}
    if kind in ("number", "boolean", "object"):
        return {"type": _type(kind, required)}
    schema: Schema = {"type": _type("string", required)}
    if not field.type.array:
        if field.min is not None:
            schema["minLength"] = field.min
        if field.max is not None:
            schema["maxLength"] = field.max
    values = closed_values(contract, field)
    if values:
        schema["enum"] = [*values, *([""] if field.blank else []), *([] if required else [None])]
    pattern = None
    if field.range is not None:
        pattern = range_pattern(*field.range)
    elif kind == "format":
        form = contract.formats[field.type.name]
        pattern = PATTERNS[form.check or ""] if form.pattern is None else portable(form.pattern)
        schema["x-shown"] = form.shown
    if pattern is not None:
        schema["pattern"] = f"^(?:{pattern}{'|' if field.blank else ''})$"
    if field.examples:
        schema["examples"] = list(field.examples)
    if field.default is not None:
        schema["default"] = field.default
    return schema


_DOT = re.compile(
    r"\\.|\[\^?(?:\\.|[^\\\]])*+(?:\]|\\?\Z)|[.]", re.S
)  # a class without an end has the rest, so that it is read once


def portable(pattern: str) -> str:
    """Return the pattern, with a class for each `.`: for ECMA 262 a dot is no carriage return and no separator of lines or paragraphs."""
    return _DOT.sub(lambda match: r"[^\n]" if match[0] == "." else match[0], pattern)


def range_pattern(low: int, high: int) -> str:
    """Return a regular expression for digits, with leading zeros allowed, whose value is from `low` to `high`."""
    return f"0*(?:{'|'.join(_spans(low, high))})"


def _spans(low: int, high: int) -> list[str]:
    edge = 10 ** len(str(low))
    if high >= edge:
        return _equally_long(str(low), str(edge - 1)) + _spans(edge, high)
    return _equally_long(str(low), str(high))


def _equally_long(low: str, high: str) -> list[str]:
    # Digits before the first difference are fixed. For that digit, any value strictly between both ends leaves the rest free.
    if not low:
        return [""]
    if low[0] == high[0]:
        return [low[0] + rest for rest in _equally_long(low[1:], high[1:])]
    free = len(low) - 1
    first, last = int(low[0]), int(high[0])
    before: list[str] = []
    after: list[str] = []
    if low[1:] != "0" * free:
        before = [low[0] + rest for rest in _equally_long(low[1:], "9" * free)]
        first += 1
    if high[1:] != "9" * free:
        after = [high[0] + rest for rest in _equally_long("0" * free, high[1:])]
        last -= 1
    tail = "" if not free else "[0-9]" if free == 1 else f"[0-9]{{{free}}}"
    between = [] if first > last else [(str(first) if first == last else f"[{first}-{last}]") + tail]
    return before + between + after


def _conditional(rule: Rule, demand: Demand) -> Schema:
    conditions = [_holds(condition) for condition in rule.when if isinstance(condition, IsGiven | OneOf)]
    met: Schema = {**_met(demand), "x-rule": rule.id, "x-at": corrected_at(demand)}
    # If the value is not an object, its `type` alone must reject it.
    applies: Schema = {"type": "object", **({"allOf": conditions} if conditions else {})}
    return {"if": applies, "then": met}


def _inside(path: Path, schema: Schema, required: bool) -> Schema:
    for name in reversed(path):
        schema = {"properties": {name: schema}, **({"required": [name]} if required else {}), "type": "object"}
    return schema


def _given(path: Path) -> Schema:
    return _inside(path, {"not": {"enum": _EMPTY}}, True)


def _is(one: OneOf) -> Schema:
    return _inside(one.path, {"enum": list(one.values)}, True)


def _holds(condition: IsGiven | OneOf) -> Schema:
    if isinstance(condition, OneOf):
        return _is(condition)
    return {"not": _given(condition.path)} if condition.negated else _given(condition.path)


def _met(demand: Demand) -> Schema:
    if isinstance(demand, Need):
        return {"anyOf": [_given(path) for path in demand.paths]}
    if isinstance(demand, Refuse):
        return {"not": _inside(demand.path, {"not": {"type": "null"}}, True)}
    if isinstance(demand, Blank):
        return {"not": _given(demand.path)}
    if isinstance(demand, AnyIs):
        return {"anyOf": [_is(choice) for choice in demand.choices]}
    assert isinstance(demand, Restrict)  # JSON Schema cannot compare members
    if demand.values:
        return {"not": _inside(demand.path, {"not": {"enum": [None, *demand.values]}}, True)}
    return {"not": _inside(demand.path, {"type": "string", "minLength": (demand.max or 0) + 1}, True)}
