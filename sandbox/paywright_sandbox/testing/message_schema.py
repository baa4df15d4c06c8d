"""The schema of one message of the contract, as the strategies of the testing kit read it: members, rules and examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final, TypeAlias, cast

from paywright.contract import CONTRACT
from paywright_runtime.contract.model import Field, Struct

Document: TypeAlias = dict[str, object]
Path: TypeAlias = "tuple[str | int, ...]"
Schema: TypeAlias = Mapping[str, object]

MISSING: Final = object()
"""The value of a member that is not there."""
_EMPTY: Final[tuple[object, ...]] = (None, "", [])
_SAMPLES: Final = (
    "USD", "SG", "10.50", "2025-06-01T12:00:00.000+08:00", "2025-06-01T12:00:00+08:00", "2025-06-01T12:00:00 +0800", "2025-06-01",
    "20250601", "https://shop.example/back", "203.0.113.7", "3600", "EUR", "a", "é", "漢", "😀",
)  # fmt: skip
_DIFFERS: Final = re.compile(r"(\w+) differs from (\w+)(?: \?.*)?").fullmatch
_JOINED: Final = re.compile(r"(\w+) is (\w+) then (\w+)(?: \?.*)?").fullmatch


def change(body: object, path: Path, value: object) -> object:
    """Return a copy of a document with another value at a path, or without the member there for `MISSING`."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(body, list) and isinstance(step, int):
        return [change(one, rest, value) if at == step else one for at, one in enumerate(body)]
    members = dict(body) if isinstance(body, dict) else {}
    if not rest and value is MISSING:
        return {name: one for name, one in members.items() if name != step}
    return {**members, cast(str, step): change(members.get(cast(str, step)), rest, value)}


def holds(schema: Schema, value: object) -> bool:
    """Return whether a value is valid by a schema, of the keywords that rules use."""
    return all(_KEYWORDS[name](cast(Schema, want), value) for name, want in schema.items() if name in _KEYWORDS)


def _is_type(name: str, value: object) -> bool:
    return value is None if name == "null" else isinstance(value, {"object": dict, "string": str}[name])


_KEYWORDS: Final[Mapping[str, Callable[[Schema, object], bool]]] = {
    "type": lambda name, value: _is_type(str(name), value),
    "enum": lambda values, value: any(type(one) is type(value) and one == value for one in values),
    "not": lambda schema, value: not holds(schema, value),
    "allOf": lambda all_of, value: all(holds(cast(Schema, one), value) for one in all_of),
    "anyOf": lambda any_of, value: any(holds(cast(Schema, one), value) for one in any_of),
    "required": lambda names, value: not isinstance(value, dict) or all(name in value for name in names),
    "properties": lambda members, value: not isinstance(value, dict)
    or all(holds(cast(Schema, one), value[name]) for name, one in members.items() if name in value),
}  # fmt: skip


def _member(schema: Schema) -> tuple[Path, Schema]:
    """Return the member that a part of a rule is about, and what it says of it."""
    at: Path = ()
    while "properties" in schema:
        ((name, schema),) = cast("Mapping[str, Schema]", schema["properties"]).items()
        at = (*at, name)
    return at, schema


def _wanted(schema: Schema) -> object:
    """Return a value that a part of a rule wants; None if it wants any that is not empty."""
    return cast("Sequence[object]", schema["enum"])[0] if "enum" in schema else "a" if "type" in schema else None


@dataclass(frozen=True)
class SchemaRule:
    """A rule about the members of one object: `id`, and the member `at` which its violation is reported.

    `met` judges an object; `mended` are objects of which one meets it, `broken` some that may not.
    """

    id: str
    at: Path
    met: Callable[[Document], bool]
    mended: Callable[[Document], Iterator[Document]]
    broken: Callable[[Document], Iterator[Document]]


class ObjectSchema:
    """An object of a message: its members' schemas and fields, and its rules."""

    def __init__(self, message: MessageSchema, name: str, schema: Schema) -> None:
        self.message = message
        self.struct: Struct = CONTRACT.struct(name)
        self.members: Mapping[str, Schema] = cast("Mapping[str, Schema]", schema["properties"])
        self.required: frozenset[str] = frozenset(cast("Sequence[str]", schema.get("required", ())))
        self.rules: list[SchemaRule] = [self._rule(one) for one in cast("Sequence[Schema]", schema.get("allOf", ()))]
        for rule in self.struct.rules:
            if differs := _DIFFERS(rule.text):
                self.rules.append(self._differs(rule.id, differs[1], differs[2]))
            elif joined := _JOINED(rule.text):
                self.rules.append(self._joined(rule.id, joined[1], (joined[2], joined[3])))

    def field(self, wire: str) -> Field:
        """Return the contract's entry of a member."""
        return self.struct.by_wire[wire]

    def smallest(self, wire: str) -> object:
        """Return a valid value of a member, with nothing in it that is not required."""
        schema = self.members[wire]
        if "items" not in schema:
            return self.message.smallest(schema)
        least = max(cast(int, schema.get("minItems", 0)), 1)
        return [self.message.smallest(cast(Schema, schema["items"]))] * least

    def settled(self, body: Document) -> Document:
        """Return the object, changed so that it meets its rules."""
        for _ in range(10):
            rule = next((rule for rule in self.rules if not rule.met(body)), None)
            if rule is None:
                return body
            body = next(filter(rule.met, rule.mended(body)))
        raise AssertionError(f"the rules of {self.struct.name} contradict each other")

    def put(self, body: Document, path: Path, value: object = None) -> Document:
        """Return the object with a value at a path, the smallest for None, or none for `MISSING`.

        Objects on the way are made and settled.
        """
        name, rest = cast(str, path[0]), path[1:]
        if not rest:
            wanted = self.smallest(name) if value is None else value
            return cast(Document, change(body, path, wanted))
        inner = self.message.part(self.members[name])
        below = body.get(name)
        if value is MISSING and not isinstance(below, dict):
            return body
        part = inner.put(below if isinstance(below, dict) else cast(Document, self.smallest(name)), rest, value)
        return {**body, name: inner.settled(part)}

    def _is_required(self, path: Path) -> bool:
        part = self
        for step, _ in pairwise(path):
            part = self.message.part(part.members[cast(str, step)])
        return path[-1] in part.required

    def _rule(self, schema: Schema) -> SchemaRule:
        """Read `when <conditions>, <demand>` from its form in the schema."""
        when, then = cast(Schema, schema["if"]), cast(Schema, schema["then"])
        conditions = [_member(one) for one in cast("Sequence[Schema]", when.get("allOf", ())) if "not" not in one]
        absent = [_member(cast(Schema, one["not"]))[0] for one in cast("Sequence[Schema]", when.get("allOf", ())) if "not" in one]  # fmt: skip
        needs = [_member(one) for one in cast("Sequence[Schema]", then.get("anyOf", ()))]
        refused, allowed = _member(cast(Schema, then.get("not", {})))
        only = [one for one in cast("Sequence[object]", cast(Schema, allowed.get("not", {})).get("enum", ())) if one]

        def mended(body: Document) -> Iterator[Document]:
            for path, wanted in needs[:1]:
                yield self.put(body, path, _wanted(wanted))
            if refused:
                if not self._is_required(refused):
                    yield self.put(body, refused, MISSING)
                for value in (*only, "", []):
                    yield self.put(body, refused, value)
            for path, _ in conditions:
                yield self.put(body, path, MISSING)

        def broken(body: Document) -> Iterator[Document]:
            for path, wanted in conditions:
                body = self.put(body, path, _wanted(wanted))
            for path in absent:
                body = self.put(body, path, MISSING)
            if refused:
                yield self.put(body, refused)
                if only:
                    yield cast(Document, change(body, refused, "ZZ_OTHER"))
            else:
                for path, wanted in needs:
                    body = (
                        cast(Document, change(body, path, "GBP")) if "enum" in wanted else self.put(body, path, MISSING)
                    )
                yield body

        place = tuple(str(then["x-at"]).split("/"))
        return SchemaRule(str(then.get("x-rule", "required")), place, lambda body: not holds(when, body) or holds(then, body), mended, broken)  # fmt: skip

    def _differs(self, rule: str, name: str, other: str) -> SchemaRule:
        def met(body: Document) -> bool:
            return body.get(name) in _EMPTY or body.get(name) != body.get(other)

        def mended(body: Document) -> Iterator[Document]:
            yield from ({**body, name: text} for text in self.message.samples(self.members[name]))

        return SchemaRule(rule, (name,), met, mended, lambda body: iter([{**body, name: body.get(other)}]))

    def _joined(self, rule: str, name: str, parts: tuple[str, str]) -> SchemaRule:
        def met(body: Document) -> bool:
            return any(body.get(one) in _EMPTY for one in (name, *parts)) or body[name] == _together(body)

        def _together(body: Document) -> str:
            return "".join(str(body.get(part)) for part in parts)

        def mended(body: Document) -> Iterator[Document]:
            yield {**body, name: _together(body)}

        return SchemaRule(rule, (name,), met, mended, lambda body: iter([{**body, name: _together(body)[::-1]}]))


class MessageSchema:
    """A message of the contract by its name, such as `refunds.create.request`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.operation: str
        self.role: str
        self.operation, _, self.role = name.rpartition(".")
        schema = CONTRACT.schema(name)
        self._schemas = cast("Mapping[str, Schema]", schema.get("$defs", {}))
        self._parts: dict[str, ObjectSchema] = {}
        facts = CONTRACT.operation(self.operation)
        root = facts.request if self.role == facts.roles[0] else facts.response
        self.root: ObjectSchema = ObjectSchema(self, root, schema)

    def part(self, schema: Schema) -> ObjectSchema:
        """Return the object that a member refers to."""
        name = str(schema["$ref"]).rpartition("/")[2]
        if name not in self._parts:
            self._parts[name] = ObjectSchema(self, name, self._schemas[name])
        return self._parts[name]

    def samples(self, schema: Schema) -> list[str]:
        """Return some valid texts of a member, without the empty one where there is another."""
        if "enum" in schema:
            return [one for one in cast("Sequence[str]", schema["enum"]) if one]
        least, most = cast(int, schema.get("minLength", 0)), cast(int, schema.get("maxLength", 10**6))
        examples = cast("Sequence[str]", schema.get("examples", ()))
        fits = re.compile(str(schema.get("pattern", "(?s).*")).removesuffix("$")).fullmatch
        filled = () if "pattern" in schema else tuple(one * length for one in "a漢😀" for length in {least or 1, min(most, 10**4)})  # fmt: skip
        return [text for text in (*examples, *_SAMPLES, *filled) if least <= len(text) <= most and fits(text)]

    def smallest(self, schema: Schema) -> object:
        """Return a valid value of a member or element, with nothing in it that is not required."""
        kind = kind_of(schema)
        if kind == "object" and "$ref" in schema:
            part = self.part(schema)
            return part.settled({name: part.smallest(name) for name in part.members if name in part.required})
        return self.samples(schema)[0] if kind == "string" else {"object": {}, "number": 1, "boolean": True}[kind]


def kind_of(schema: Schema) -> str:
    """Return the JSON type of a member, null aside."""
    kinds = schema["type"]
    return kinds if isinstance(kinds, str) else str(cast("Sequence[str]", kinds)[0])


@cache
def message_of(name: str) -> MessageSchema:
    """Return a message by its name. Raises `InvalidArgument` for an unknown one, with the nearest."""
    return MessageSchema(name)
