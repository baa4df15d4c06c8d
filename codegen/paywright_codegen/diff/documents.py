"""Change documents of a contract, and find where objects and rules stand in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from paywright_codegen.examples import struct_example
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.rules import AnyIs, Path, Restrict, Rule, paths_of
from paywright_codegen.model.types import Field, Struct

__all__ = ["MISSING", "Document", "assigned", "edited", "field_of", "mentions", "objects", "smaller", "value_at"]

Document = dict[str, object]
MISSING = object()
"""The value of a member that is left out."""


def edited(
    contract: Contract, struct: Struct, body: Document, path: Sequence[str], edit: Callable[[Document], Document]
) -> Document:
    """Return a document whose object at a path is edited. Objects on the way are made, and of a list the first is meant."""
    if not path:
        return edit(body)
    field = struct.field(path[0])
    assert field is not None
    if field.type.kind != "struct":
        return body
    inner, value = contract.struct_named(field.type.name), body.get(path[0])
    items = value if isinstance(value, list) else [value]
    first = items[0] if items and isinstance(items[0], dict) else struct_example(contract, inner)
    made: object = edited(contract, inner, first, path[1:], edit)
    if field.type.array:
        spare = [struct_example(contract, inner) for _ in range(len(items), field.min or 1)]
        made = [made, *items[1:], *spare]
    return {**body, path[0]: made}


def assigned(contract: Contract, struct: Struct, body: Document, path: Sequence[str], value: object) -> Document:
    """Return a document with a value at a path, or without the member if the value is MISSING."""

    def edit(inner: Document) -> Document:
        without = {name: one for name, one in inner.items() if name != path[-1]}
        return without if value is MISSING else {**without, path[-1]: value}

    if value is MISSING and value_at(body, path) is None:
        return body
    return edited(contract, struct, body, path[:-1], edit)


def value_at(body: object, path: Sequence[str]) -> object:
    """Return the value at a path; None if there is none."""
    for name in path:
        body = body[0] if isinstance(body, list) and body else body
        body = body.get(name) if isinstance(body, dict) else None
    return body


def field_of(contract: Contract, struct: Struct, path: Sequence[str]) -> tuple[Struct, Field] | None:
    """Return the field at the end of a path of objects, and the object that has it."""
    for name in path[:-1]:
        outer = struct.field(name)
        if outer is None or outer.type.kind != "struct":
            return None
        struct = contract.struct_named(outer.type.name)
    field = struct.field(path[-1])
    return None if field is None else (struct, field)


def mentions(rule: Rule) -> dict[Path, tuple[object, ...]]:
    """Return the members that a rule names, each with the values by which it tells documents apart."""
    found: dict[Path, tuple[object, ...]] = {}
    for one in (*rule.when, *rule.demands):
        for part in one.choices if isinstance(one, AnyIs) else (one,):
            for path in paths_of(part):
                told: tuple[object, ...] = getattr(part, "values", ())
                if isinstance(part, Restrict) and part.max is not None:
                    told = ("a" * part.max, "a" * (part.max + 1))
                found[path] = (*found.get(path, ()), *told)
    return found


def objects(
    contract: Contract, struct: Struct, body: Mapping[str, object], at: Path = ()
) -> Iterator[tuple[Path, Struct]]:
    """Yield each object of a document with the path to it; of a list the first."""
    yield at, struct
    for field in struct.fields:
        value = body.get(field.wire)
        value = value[0] if isinstance(value, list) and value else value
        if field.type.kind == "struct" and isinstance(value, dict):
            yield from objects(contract, contract.struct_named(field.type.name), value, (*at, field.wire))


def smaller(body: Document) -> Iterator[Document]:
    """Yield documents with one member, or all elements of a list but the first, less."""
    for name, value in body.items():
        yield {other: one for other, one in body.items() if other != name}
        if isinstance(value, dict):
            yield from ({**body, name: less} for less in smaller(value))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from ({**body, name: [less, *value[1:]]} for less in smaller(value[0]))
        if isinstance(value, list) and len(value) > 1:
            yield {**body, name: value[:1]}
