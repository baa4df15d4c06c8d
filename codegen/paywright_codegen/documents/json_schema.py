"""Write JSON Schema 2020-12 of every message, and the objects of the OpenAPI document; both accept the same messages as the validators.

What JSON Schema cannot express (that two members differ, that a string has no lone surrogate) is listed in
`tests/generated/test_known_differences.py`; rules that it cannot express are listed under `x-not-in-schema`. An optional scalar is `type: [T,
"null"]`, because null counts as absent. `x-sent-decimals` is the largest number of decimals that the client sends; no message
is judged by it.

The objects of the OpenAPI document have a form that generators of clients can read: rules stand as sentences, because no generator makes
anything of conditions, and an optional object is `anyOf` it or null. What viewers show is in the descriptions, and stands beside them for
programs: `x-states`, `x-class`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from paywright_codegen.lookup import closed_values, corrected_at, is_decimal, sent_decimals
from paywright_codegen.model import rules as model
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec
from paywright_codegen.model.types import MARKS, Field, Set, Struct, Value
from paywright_codegen.python_types import Directions
from paywright_runtime.contract.formats import FORMS

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
    demands += [
        _conditional(rule, demand) for rule, demand in checked if not isinstance(demand, model.Differs | model.Joined)
    ]
    if demands:
        schema["allOf"] = demands
    beyond = [rule for rule, demand in checked if isinstance(demand, model.Differs | model.Joined)]
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
        return prose | _array(field, one_value(contract, field, refs, True))
    return prose | one_value(contract, field, refs, field.required and field.also is None)


def _array(field: Field, items: Schema) -> Schema:
    bounds = {name: size for name, size in (("minItems", field.min), ("maxItems", field.max)) if size is not None}
    return {"type": _type("array", field.required), "items": items, **bounds}


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
        pattern = FORMS[form.check or ""].pattern if form.pattern is None else portable(form.pattern)
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
    spans: list[str] = []
    while low <= high:
        free = 0  # digits at the end that may be any: `low` ends in as many zeros
        while low and low % 10 ** (free + 1) == 0 and low + 10 ** (free + 1) - 1 <= high:
            free += 1
        first = low // 10**free
        last = min(first - first % 10 + 9, (high + 1) // 10**free - 1)
        digit = str(first % 10) if first == last else f"[{first % 10}-{last % 10}]"
        tail = "" if not free else "[0-9]" if free == 1 else f"[0-9]{{{free}}}"
        spans.append(f"{str(first)[:-1]}{digit}{tail}")
        low = (last + 1) * 10**free
    return f"0*(?:{'|'.join(spans)})"


def _conditional(rule: model.Rule, demand: model.Demand) -> Schema:
    conditions = [_holds(condition) for condition in rule.when if isinstance(condition, model.IsGiven | model.OneOf)]
    met: Schema = {**_met(demand), "x-rule": rule.id, "x-at": corrected_at(demand)}
    # If the value is not an object, its `type` alone must reject it.
    applies: Schema = {"type": "object", **({"allOf": conditions} if conditions else {})}
    return {"if": applies, "then": met}


def _inside(path: model.Path, schema: Schema, required: bool) -> Schema:
    for name in reversed(path):
        schema = {"properties": {name: schema}, **({"required": [name]} if required else {}), "type": "object"}
    return schema


def _given(path: model.Path) -> Schema:
    return _inside(path, {"not": {"enum": _EMPTY}}, True)


def _is(one: model.OneOf) -> Schema:
    return _inside(one.path, {"enum": list(one.values)}, True)


def _holds(condition: model.IsGiven | model.OneOf) -> Schema:
    if isinstance(condition, model.OneOf):
        return _is(condition)
    return {"not": _given(condition.path)} if condition.negated else _given(condition.path)


def _met(demand: model.Demand) -> Schema:
    if isinstance(demand, model.Need):
        return {"anyOf": [_given(path) for path in demand.paths]}
    if isinstance(demand, model.Refuse):
        return {"not": _inside(demand.path, {"not": {"type": "null"}}, True)}
    if isinstance(demand, model.Blank):
        return {"not": _given(demand.path)}
    if isinstance(demand, model.AnyIs):
        return {"anyOf": [_is(choice) for choice in demand.choices]}
    assert isinstance(demand, model.Restrict)  # JSON Schema cannot compare members
    if demand.values:
        return {"not": _inside(demand.path, {"not": {"enum": [None, *demand.values]}}, True)}
    return {"not": _inside(demand.path, {"type": "string", "minLength": (demand.max or 0) + 1}, True)}


REFS: Final = "#/components/schemas/"

_CLASSES: Final = {
    "secret": "Secret: never log it.",
    "pan": "A card number: never log or keep it.",
    "pii": "A person's data: do not log it.",
}
_MARK_WORDS: Final = {"final": "final", "settled": "settled", "paid": "money moved", "returned": "money moved back"}


class Components:
    """The schemas of objects under `components`, made as they are referred to: what nothing refers to is not there."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._sent = Directions(contract).sent
        self._decimals = sent_decimals(contract)
        self._versions = {one.asks.root.name: one.version for one in contract.operations.values() if one.version}
        self._names = component_names(contract.all_structs())
        self._made: dict[str, Schema] = {}

    def schemas(self) -> dict[str, Schema]:
        """Return what was referred to, by name."""
        return dict(sorted(self._made.items()))

    def ref(self, struct: Struct) -> Schema:
        """Return a reference to an object, and make its schema."""
        name = self._names[struct.name]
        if name not in self._made:
            self._made[name] = {}  # an object may contain itself
            self._made[name] = self._object(self._contract.struct_named(struct.name))
        return {"$ref": f"{REFS}{name}"}

    def value(self, field: Field, struct: Struct | None = None) -> Schema:
        """Return the schema of a member, or of a header."""
        sent = struct is not None and struct.name in self._sent
        version = self._versions.get(struct.name) if struct is not None else None
        if field.type.array:
            made = _array(field, self._one(field, True))
        else:
            made = self._one(field, field.required and field.also is None)
        shown = list(field.examples) or self._shown(field, version)
        if shown and field.type.kind not in ("struct", "object", "boolean") and not field.type.array:
            made["examples"] = [Decimal(one) for one in shown] if field.type.kind == "number" else shown
        if field.redaction is not None:
            made["x-class"] = field.redaction
        if field.also is not None:
            made["x-also"] = field.also  # no member of its own: PHP takes names of two cases for one
        chosen = self._contract.sets.get(field.type.name) if field.type.kind == "set" else None
        if chosen is not None and chosen.states:
            made["x-states"] = marked(chosen)
        decimal = is_decimal(self._contract, field)
        if decimal and sent and self._decimals is not None:
            made["x-sent-decimals"] = self._decimals
        words = " ".join(self._words(field, chosen, decimal))
        return {**({"description": words} if words else {}), **made}

    def _one(self, field: Field, required: bool) -> Schema:
        kind = field.type.kind
        if kind == "struct":
            ref = self.ref(self._contract.struct_named(field.type.name))
            return ref if required else {"anyOf": [ref, {"type": "null"}]}
        if kind == "object":
            return {"type": _type("object", required), "additionalProperties": True}
        made = one_value(self._contract, field, "", required)
        return {name: value for name, value in made.items() if name != "x-shown"}

    def _shown(self, field: Field, version: str | None) -> list[str]:
        """Return what a member is sent with, or the values of an open list."""
        if field.source == "operation.version" and version is not None:
            return [version]
        if field.sends is not None:
            return [field.sends]
        if field.type.kind == "set" and not closed_values(self._contract, field):
            return [value.wire for value in self._contract.sets[field.type.name].values]
        return []

    def _words(self, field: Field, chosen: Set | None, decimal: bool) -> Iterable[str]:
        if field.prose.text:
            yield _sentence(field.prose.text)
        if field.type.kind == "format" and (shown := self._contract.formats[field.type.name].shown):
            yield _sentence(f"Form: {shown}")
        if field.also is not None:
            yield f"Where it is absent, `{field.also}` is read instead."
        if decimal:
            yield "An exact decimal: no binary float."
        if chosen is not None:
            values = "; ".join(map(_value_words, chosen.values))
            yield f"{values}{'; other values may come' if chosen.open else ''}."
        if field.redaction is not None:
            yield _CLASSES[field.redaction]

    def _object(self, struct: Struct) -> Schema:
        # The questions behind a rule's text are those of the contract's writers.
        rules = {rule.id: re.sub(r" \?[\w-]+", "", rule.text) for rule in struct.rules if rule.checked}
        properties = {field.wire: self.value(field, struct) for field in struct.fields}
        for field in struct.fields:
            if field.also is not None and field.required:
                rules[f"{field.wire}-or-{field.also}"] = f"need {field.wire} or {field.also}"
        said = [_sentence(struct.prose.text)] if struct.prose.text else []
        said += [f"Rule: {text}." for text in rules.values()]
        required = [field.wire for field in struct.fields if field.required and field.also is None]
        return {
            "type": "object",
            **({"description": "\n\n".join(said)} if said else {}),
            "properties": properties,
            **({"required": required} if required else {}),
            **({"x-rules": rules} if rules else {}),
        }


def component_names(structs: Iterable[Struct]) -> dict[str, str]:
    """Return a name without dots for each object, unlike the names that generators derive from operations.

    `orders.checkout.request` is `OrdersCheckoutRequestMessage`, and what it carries `OrdersCheckoutRequestData`.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for struct in sorted(structs, key=lambda one: "." in one.name):  # named ones keep their names
        name = struct.name
        if "." in name:
            name = "".join(word[:1].upper() + word[1:] for word in name.replace(".", "_").split("_"))
            name += "" if struct.name.endswith(".data") else "Message"
        while name in taken:
            name += "_"
        taken.add(name)
        names[struct.name] = name
    return names


def marked(chosen: Set) -> Schema:
    """Return which states of a list are final, settled, paid and returned."""
    found = {mark: [value.wire for value in chosen.values if mark in value.marks] for mark in MARKS}
    return {"open": chosen.open, **{mark: values for mark, values in found.items() if values}}


def _value_words(value: Value) -> str:
    text = f"`{value.wire}`" + (f" ({', '.join(map(_MARK_WORDS.__getitem__, value.marks))})" if value.marks else "")
    return f"{text}: {value.prose.text}" if value.prose.text else text


def _sentence(text: str) -> str:
    """Return a text with a full stop, so that others can stand behind it."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
