"""Valid messages, drawn from the contract's model by Hypothesis."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec
from paywright_codegen.model.rules import AnyIs, Demand, Differs, IsGiven, Joined, Need, OneOf, Path, Restrict, Rule
from paywright_codegen.model.types import Field, Struct
from tests.support.contract import closed, inner
from tests.support.reference_rules import Json, at, broken, field_at
from tests.support.tables import table

__all__ = ["documents", "objects", "settle", "smallest"]

_CHARACTERS = st.characters(exclude_categories=["Cs"])
_NUMBERS = st.sampled_from([0, 1, -1, 10.5, 0.1, 10**14, -2.25, 0.01]) | st.integers(-(10**15), 10**15)
_OBJECTS = st.sampled_from([{}, {"k": 1}, {"a": {"b": [1, None, "c"]}}])

FORMATS = table("support/formats.yaml")
FORMATS |= {
    name: FORMATS[there]
    for name, there in (
        ("date", "calendar_date"),
        ("day", "calendar_day"),
        ("time", "request_time"),
        ("utctime", "zoned_time"),
    )
}
"""Texts that each format of the contract takes and refuses."""

_known: dict[tuple[int, str], st.SearchStrategy[Json]] = {}


def documents(contract: Contract, message: MessageSpec) -> st.SearchStrategy[Json]:
    """Bodies of a message that break nothing."""
    return objects(contract, message.root)


def objects(contract: Contract, struct: Struct) -> st.SearchStrategy[Json]:
    """Objects of a struct that break nothing."""
    return _structs(contract, struct).map(lambda body: settle(contract, struct, body))


def _structs(contract: Contract, struct: Struct) -> st.SearchStrategy[Json]:
    key = (id(contract), struct.name)
    if key not in _known:
        _known[key] = st.deferred(lambda: _members(contract, struct))
    return _known[key]


def _members(contract: Contract, struct: Struct) -> st.SearchStrategy[Json]:
    required = {
        field.wire: _values(contract, field) for field in struct.fields if field.required and field.also is None
    }
    optional = {
        field.wire: _values(contract, field) | st.none()
        for field in struct.fields
        if not field.required and field.also is None
    }
    strategy: st.SearchStrategy[Json] = st.fixed_dictionaries(required, optional=optional)
    for field in struct.fields:
        if field.also is not None:
            strategy = st.builds(
                _spelled, strategy, st.sampled_from((field.wire, field.also)), _values(contract, field)
            )
    return strategy


def _spelled(body: Json, name: str, value: object) -> Json:
    return {**body, name: value}


def _values(contract: Contract, field: Field) -> st.SearchStrategy[object]:
    one = _one(contract, field)
    if not field.type.array:
        return one
    least, most = field.min or 0, field.max if field.max is not None else 3
    return st.lists(one, min_size=least, max_size=min(most, least + 2)) | (
        st.lists(one, min_size=most, max_size=most) if most <= 5 else st.nothing()
    )


def _one(contract: Contract, field: Field) -> st.SearchStrategy[object]:
    kind = field.type.kind
    if kind == "struct":
        return _structs(contract, inner(contract, field))
    if kind == "number":
        return _NUMBERS
    if kind == "boolean":
        return st.booleans()
    if kind == "object":
        return _OBJECTS
    return st.sampled_from(tuple(texts(contract, field))) | _free_texts(contract, field)


def _fits(field: Field, text: str) -> bool:
    return field.type.array or (field.min or 0) <= len(text) <= (field.max if field.max is not None else 10**6)


def texts(contract: Contract, field: Field) -> Iterator[str]:
    """A few texts that a field of text takes, its limits among them."""
    values = closed(contract, field)
    candidates: list[str] = [*field.examples, *values]
    if field.range is not None:
        low, high = field.range
        candidates += [str(low), str(high), str((low + high) // 2), f"0{low}", f"00{high}"]
    elif field.type.kind == "format":
        candidates += FORMATS[field.type.name]["good"]
    elif field.type.kind == "set" and not values:
        candidates += [value.wire for value in contract.sets[field.type.name].values]
    if not values and field.range is None and field.type.kind != "format":
        lengths = {
            field.min or 0,
            field.min or 1,
            *([] if field.max is None else [field.max, max(field.max - 1, field.min or 0)]),
        }
        candidates += [character * length for character in "aé漢😀" for length in sorted(lengths)]
    if field.blank:
        candidates.append("")
    fitting = [text for text in candidates if _fits(field, text) or (field.blank and text == "" and not field.min)]
    assert fitting, f"no sample fits {field.place} {field.wire}"
    yield from fitting


def _free_texts(contract: Contract, field: Field) -> st.SearchStrategy[object]:
    if closed(contract, field) or field.range is not None:
        return st.nothing()
    if field.type.kind == "format":
        form = contract.formats[field.type.name]
        if form.pattern is None:
            return st.nothing()
        return st.from_regex(form.pattern, fullmatch=True).filter(
            lambda text: _fits(field, text) and not text.endswith("\n")
        )
    most = 12 if field.max is None or field.type.array else min(field.max, 12)
    least = 0 if field.type.array else field.min or 0
    return st.text(_CHARACTERS, min_size=least, max_size=max(least, most))


def smallest(contract: Contract, field: Field) -> object:
    """One value of a field, with nothing in it that is not due."""
    if field.type.kind == "struct":
        struct = inner(contract, field)
        body: Json = {member.wire: smallest(contract, member) for member in struct.fields if member.required}
        one: object = settle(contract, struct, body)
    elif field.type.kind in ("number", "boolean", "object"):
        one = {"number": 1, "boolean": True, "object": {}}[field.type.kind]
    else:
        one = next((text for text in texts(contract, field) if text), "a")
    return [one] * max(field.min or 0, 1) if field.type.array else one


def settle(contract: Contract, struct: Struct, body: Json) -> Json:
    """The body, changed so that it breaks no rule, in it and in the objects inside it."""
    for field in struct.fields:
        value = body.get(field.wire)
        if field.type.kind == "struct":
            part = inner(contract, field)
            if isinstance(value, dict):
                body = {**body, field.wire: settle(contract, part, value)}
            elif isinstance(value, list):
                body = {
                    **body,
                    field.wire: [settle(contract, part, item) if isinstance(item, dict) else item for item in value],
                }
    for _ in range(10):
        found = next(broken(struct, body), None)
        if found is None:
            return body
        body = _repaired(contract, struct, body, *found)
    raise AssertionError(f"the rules of {struct.name} contradict each other")


def _repaired(contract: Contract, struct: Struct, body: Json, rule: Rule, demand: Demand) -> Json:
    if isinstance(demand, Need):
        path = demand.paths[0]
        _, field = field_at(contract, struct, path)
        assert isinstance(field, Field)
        return put(contract, struct, body, path, smallest(contract, field))
    if isinstance(demand, AnyIs):
        return put(contract, struct, body, demand.choices[0].path, demand.choices[0].values[0])
    if isinstance(demand, Restrict):
        return put(contract, struct, body, demand.path, demand.values[0] if demand.values else "a")
    _, field = field_at(contract, struct, demand.path)
    assert isinstance(field, Field)
    if isinstance(demand, Differs):
        other = at(body, demand.other)
        return put(contract, struct, body, demand.path, next(text for text in texts(contract, field) if text != other))
    if isinstance(demand, Joined):
        return put(contract, struct, body, demand.path, "".join(str(at(body, part)) for part in demand.parts))
    if field.required:  # it cannot go: the condition must
        condition = rule.when[0]
        assert isinstance(condition, IsGiven | OneOf)
        return take(body, condition.path)
    return take(body, demand.path)


def put(contract: Contract, struct: Struct, body: Json, path: Path, value: object) -> Json:
    """The body with a value at a path; objects on the way that are not there are made."""
    if len(path) == 1:
        return {**body, path[0]: value}
    field = struct.field(path[0])
    assert field is not None
    below = body.get(path[0])
    if not isinstance(below, dict):
        made = smallest(contract, field)
        assert isinstance(made, dict)
        below = made
    part = inner(contract, field)
    return {**body, path[0]: settle(contract, part, put(contract, part, below, path[1:], value))}


def take(body: Json, path: Path) -> Json:
    """The body without the member at a path."""
    if len(path) == 1:
        return {name: value for name, value in body.items() if name != path[0]}
    below = body.get(path[0])
    return {**body, path[0]: take(below, path[1:])} if isinstance(below, dict) else body
