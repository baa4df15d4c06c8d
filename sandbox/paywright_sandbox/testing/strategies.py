"""Strategies for Hypothesis: documents that the contract allows, and documents that break it in one known place.

    from hypothesis import given
    from paywright_sandbox.testing import broken, requests

    @given(requests("refunds.create"))
    def test_my_parser_reads_every_refund(body): ...

A document is a parsed JSON object. Rules between members hold by construction; only texts of a pattern are filtered, by length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, cast

from paywright.contract import CONTRACT
from paywright_runtime.contract.index import nearest
from paywright_runtime.errors import ConfigurationError, InvalidArgument
from paywright_sandbox.testing.message_schema import (
    MISSING,
    Document,
    MessageSchema,
    ObjectSchema,
    Path,
    Schema,
    change,
    kind_of,
    message_of,
)
from paywright_sandbox.testing.notification import operation_of_kind

try:
    from hypothesis import strategies as st
except ModuleNotFoundError:
    raise ConfigurationError("The strategies need an extra: pip install 'paywright[testing]'.") from None

_CENTS: Final = st.integers(1, 10**11)
_NUMBERS: Final = st.integers(-(10**15), 10**15) | st.sampled_from([0, 0.1, 10.5, -2.25, 0.01])
_TEXT: Final = st.characters(exclude_categories=["Cs"])
_ALL_KINDS: Final[Mapping[str, Sequence[object]]] = {
    "string": (1, True, [], {}),
    "number": ("1", True, [], {}),
    "boolean": ("true", 0, [], {}),
    "object": ("{}", 1, False, []),
    "array": ("x", 1, True, {}),
}
"""Values of other types, by the type that a member should have."""


@dataclass(frozen=True)
class Broken:
    """A document that breaks the contract at one place.

    `message` is its name, such as `refunds.create.request`. A validator must report `code` at `pointer`, a JSON pointer;
    what it reports besides follows from the same mistake.
    """

    message: str
    body: Document
    pointer: str
    code: str

    def __repr__(self) -> str:
        return f"<Broken {self.message}: {self.code} at {self.pointer}>"


def requests(operation: str) -> st.SearchStrategy[Document]:
    """Return a strategy for requests of an operation, such as `refunds.create`, that the client would send.

    Raises `InvalidArgument` for an unknown operation, with the nearest.
    """
    return _documents(message_of(f"{operation}.{CONTRACT.operation(operation).roles[0]}"))


def answers(operation: str) -> st.SearchStrategy[Document]:
    """Return a strategy for answers of an operation, good and bad; of a notification, for the merchant's answers.

    Raises `InvalidArgument` for an unknown operation, with the nearest.
    """
    return _documents(message_of(f"{operation}.{CONTRACT.operation(operation).roles[1]}"))


def notifications(kind: str) -> st.SearchStrategy[Document]:
    """Return a strategy for notifications of a kind that the contract shows: `transfer` or `period`.

    Raises `InvalidArgument` for an unknown kind, with the nearest.
    """
    return requests(operation_of_kind(kind).name)


def broken(name: str) -> st.SearchStrategy[Broken]:
    """Return a strategy for documents that break the contract in one place, each with what must be found there.

    `name` is an operation (its requests are broken, or its notifications) or a message, such as `refunds.query.response`.
    Raises `InvalidArgument` for an unknown name, with the nearest.
    """
    names = {
        f"{one}.{role}": f"{one}.{role}" for one in CONTRACT.operations() for role in CONTRACT.operation(one).roles
    }
    names |= {one: f"{one}.{CONTRACT.operation(one).roles[0]}" for one in CONTRACT.operations()}
    if name not in names:
        raise InvalidArgument(f"The contract has no operation or message {name!r}.{nearest(name, names)}")
    message = message_of(names[name])
    return _documents(message).flatmap(lambda body: _one_mistake(message, body))


@cache
def _documents(message: MessageSchema) -> st.SearchStrategy[Document]:
    return _objects(message.root)


@cache
def _objects(part: ObjectSchema) -> st.SearchStrategy[Document]:
    """Return objects that break nothing."""
    required: dict[str, st.SearchStrategy[object]] = {}
    optional: dict[str, st.SearchStrategy[object]] = {}
    for name, schema in part.members.items():
        where = required if name in part.required else optional
        values = _values(part, name, schema)
        where[name] = values if name in part.required else values | st.none()
    drawn: st.SearchStrategy[Document] = st.fixed_dictionaries(required, optional=optional)
    return drawn.map(part.settled)


def _values(part: ObjectSchema, name: str, schema: Schema) -> st.SearchStrategy[object]:
    message, field = part.message, part.field(name)
    if "items" in schema:
        least, most = cast(int, schema.get("minItems", 0)), cast(int, schema.get("maxItems", 10))
        one = _one(message, cast(Schema, schema["items"]))
        return cast("st.SearchStrategy[object]", st.lists(one, min_size=least, max_size=min(most, least + 2)))
    ours = message.role in ("request", "notification")
    version = CONTRACT.operation(message.operation).version if field.source == "operation.version" else field.sends
    if ours and version is not None:
        return st.just(version)
    if message.role == "request" and field.kind == "number":  # a client sends no amount of zero or less
        return cast("st.SearchStrategy[object]", _CENTS.map(lambda cents: cents / 100))
    if message.role == "request" and field.kind == "decimal":
        return cast("st.SearchStrategy[object]", _CENTS.map(lambda cents: f"{cents // 100}.{cents % 100:02}"))
    return _one(message, schema)


def _one(message: MessageSchema, schema: Schema) -> st.SearchStrategy[object]:
    kind = kind_of(schema)
    if kind == "object":
        if "$ref" in schema:
            return cast("st.SearchStrategy[object]", st.deferred(lambda: _objects(message.part(schema))))
        return st.sampled_from([{}, {"k": 1}, {"a": {"b": [1, None, "c"]}}])
    if kind != "string":
        return st.booleans() if kind == "boolean" else cast("st.SearchStrategy[object]", _NUMBERS)
    texts = st.sampled_from(message.samples(schema))
    least, most = cast(int, schema.get("minLength", 0)), cast(int, schema.get("maxLength", 10**6))
    if "enum" in schema:
        return texts
    if "pattern" not in schema:
        return texts | st.text(_TEXT, min_size=least, max_size=max(least, min(most, 12)))
    pattern = str(schema["pattern"]).removeprefix("^").removesuffix("$")
    return texts | st.from_regex(pattern, fullmatch=True).filter(lambda text: least <= len(text) <= most)


# One mistake


@dataclass(frozen=True)
class _Mistake:
    """At `path` a value, or `MISSING`; a validator must report `code` at the pointer of `place`."""

    kind: str
    path: Path
    value: object
    place: Path
    code: str


def _one_mistake(message: MessageSchema, body: Document) -> st.SearchStrategy[Broken]:
    """Choose a kind of mistake first: there are far more ways to give a wrong type than to break a rule."""
    kinds: dict[str, list[_Mistake]] = {}
    for mistake in _of_part(message.root, body, ()):
        kinds.setdefault(mistake.kind, []).append(mistake)

    def made(mistake: _Mistake) -> Broken:
        changed = cast(Document, change(body, mistake.path, mistake.value))
        return Broken(message.name, changed, "".join(f"/{step}" for step in mistake.place), mistake.code)

    return st.sampled_from(sorted(kinds)).flatmap(lambda kind: st.sampled_from(kinds[kind])).map(made)


def _of_part(part: ObjectSchema, body: Document, at: Path) -> Iterator[_Mistake]:
    for name, schema in part.members.items():
        path, value = (*at, name), body.get(name)
        if part.field(name).also is not None:
            continue  # the other spelling may stand in for it
        if name in part.required:
            yield _Mistake("missing", path, MISSING, path, "required")
            yield _Mistake("null", path, None, path, "required")
        for wrong in _ALL_KINDS[kind_of(schema)]:
            yield _Mistake("type", path, wrong, path, "type")
        if "items" in schema:
            yield from _of_array(part, name, schema, path)
        else:
            yield from _of_text(part.message, schema, path)
        if "$ref" in schema and isinstance(value, dict):
            yield from _of_part(part.message.part(schema), value, path)
        elif isinstance(value, list) and "$ref" in cast(Schema, schema["items"]):
            inner = part.message.part(cast(Schema, schema["items"]))
            for step, one in enumerate(value):
                yield from _of_part(inner, one, (*path, step))
    for rule in part.rules:
        for wrong_body in rule.broken(body):
            if not rule.met(wrong_body):
                yield _Mistake(f"rule {rule.id}", at, wrong_body, (*at, *rule.at), rule.id)


def _of_array(part: ObjectSchema, name: str, schema: Schema, path: Path) -> Iterator[_Mistake]:
    good = cast("list[object]", part.smallest(name))
    last = (*path, len(good))
    element = cast(Schema, schema["items"])
    for wrong in _ALL_KINDS[kind_of(element)]:
        yield _Mistake("type", path, [*good, wrong], last, "type")
    yield _Mistake("null", path, [*good, None], last, "required")
    for mistake in _of_text(part.message, element, last):
        yield _Mistake(mistake.kind, path, [*good, mistake.value], last, mistake.code)
    if "maxItems" in schema:
        yield _Mistake("length", path, good[:1] * (cast(int, schema["maxItems"]) + 1), path, "max")
    if "minItems" in schema:
        yield _Mistake("length", path, [], path, "min")


def _of_text(message: MessageSchema, schema: Schema, path: Path) -> Iterator[_Mistake]:
    least, most = cast(int, schema.get("minLength", 0)), cast("int | None", schema.get("maxLength"))
    if most is not None:
        for one in "x漢😀":
            yield _Mistake("length", path, one * (most + 1), path, "exact" if least == most else "max")
    if least:
        yield _Mistake("length", path, "x" * (least - 1), path, "exact" if least == most else "min")
    good = message.samples(schema)[0]
    others = (f"{good} ", f" {good}", f"{good}\n", "ZZ_OTHER", "?", good.swapcase(), "٣", "")
    if "enum" in schema:
        values = cast("Sequence[str]", schema["enum"])
        yield from (_Mistake("value", path, text, path, "value") for text in others if text not in values)
    elif "pattern" in schema:
        fits = re.compile(str(schema["pattern"]).removesuffix("$")).fullmatch
        code = "format" if "x-shown" in schema else "range"
        yield from (_Mistake("format", path, text, path, code) for text in others if not fits(text))
