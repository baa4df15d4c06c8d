"""Everything that can be done wrong to a valid message, site by site, with what must then be found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec
from paywright_codegen.model.rules import AnyIs, Demand, Differs, IsGiven, Joined, Need, OneOf, Path, Restrict, Rule
from paywright_codegen.model.types import Field, Struct
from tests.support.contract import closed, inner
from tests.support.documents import FORMATS, put, settle, smallest, take
from tests.support.reference_rules import Json, applies, compared_with, field_at, is_met, place
from tests.support.reference_rules import at as at_path

__all__ = ["Mutation", "mutations", "of_struct"]

Step = str | int


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of a document: at `path` a new value, or none. `expected` is what must be found, or None: nothing need be."""

    kind: str
    path: tuple[Step, ...]
    value: object
    expected: tuple[str, str] | None

    def apply(self, body: object) -> object:
        return _changed(body, self.path, self.value)


def _changed(body: object, path: tuple[Step, ...], value: object) -> object:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(body, list) and isinstance(step, int):
        if step >= len(body):
            return body
        return [_changed(item, rest, value) if i == step else item for i, item in enumerate(body)]
    if not isinstance(body, dict):
        return body
    if not rest and value is MISSING:
        return {name: item for name, item in body.items() if name != step}
    return {**body, str(step): _changed(body.get(str(step), {}), rest, value)}


def mutations(contract: Contract, message: MessageSpec, body: Json) -> list[Mutation]:
    """All of them, in a fixed order."""
    return list(of_struct(contract, message.root, body, ()))


def _pointer(path: tuple[Step, ...]) -> str:
    return "".join(f"/{step}" for step in path)


def of_struct(contract: Contract, struct: Struct, body: Json, at: tuple[Step, ...]) -> Iterator[Mutation]:
    """Those of an object at a place."""
    yield Mutation("extra member", (*at, "zzNewer"), {"a": [1, None]}, None)
    yield Mutation("extra member", (*at, "zz~/%"), "x", None)
    for field in struct.fields:
        yield from _of_field(contract, field, body.get(field.wire), (*at, field.wire))
        if field.also is not None:
            yield Mutation("second spelling", (*at, field.also), "other", None)
            yield Mutation("second spelling", (*at, field.also), 5, None)
            yield Mutation("null", (*at, field.wire), None, None)
            yield Mutation("missing", (*at, field.wire), MISSING, None)
    yield from _of_rules(contract, struct, body, at)
    for field in struct.fields:
        value = body.get(field.wire)
        if field.type.kind != "struct":
            continue
        part = inner(contract, field)
        if isinstance(value, dict):
            yield from of_struct(contract, part, value, (*at, field.wire))
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, dict):
                    yield from of_struct(contract, part, item, (*at, field.wire, i))


def _of_field(contract: Contract, field: Field, value: object, path: tuple[Step, ...]) -> Iterator[Mutation]:
    pointer = _pointer(path)
    if field.also is None:
        due = (pointer, "required") if field.required else None
        yield Mutation("missing", path, MISSING, due)
        yield Mutation("null", path, None, due)
    if field.type.array:
        no_arrays: tuple[object, ...] = ("x", 1, True, {}, "")
        for wrong in no_arrays:
            yield Mutation("wrong type", path, wrong, (pointer, "type"))
        good = smallest(contract, field)
        assert isinstance(good, list)
        for wrong in _other_types(field):
            yield Mutation("wrong array element", path, [*good, wrong], (f"{pointer}/{len(good)}", "type"))
        yield Mutation("wrong array element", path, [*good, None], (f"{pointer}/{len(good)}", "required"))
        for code, text in _bad_texts(contract, field):
            if code in ("value", "format"):
                yield Mutation(f"bad element {code}", path, [*good, text], (f"{pointer}/{len(good)}", code))
        if field.max is not None:
            yield Mutation("too many", path, good[:1] * (field.max + 1), (pointer, "max"))
        if field.min:
            yield Mutation("too few", path, good[:1] * (field.min - 1), (pointer, "min"))
        return
    for wrong in _other_types(field):
        if field.also is None:
            yield Mutation("wrong type", path, wrong, (pointer, "type"))
    for code, text in _bad_texts(contract, field):
        yield Mutation(f"bad {code}", path, text, (pointer, code))
    if field.type.kind not in ("struct", "number", "boolean", "object"):
        yield Mutation("empty text", path, "", None)


def _other_types(field: Field) -> tuple[object, ...]:
    kind = field.type.kind
    if kind == "number":
        return ("1", "", True, [], {})
    if kind == "boolean":
        return ("true", 0, 1, [], {})
    if kind in ("object", "struct"):
        return ("{}", "", 1, False, [])
    return (1, 0, 1.5, True, False, [], {}, ["a"])


def _bad_texts(contract: Contract, field: Field) -> Iterator[tuple[str, str]]:
    """(code, text) of texts that break one of the limits of a field."""
    if field.type.kind in ("number", "boolean", "object", "struct"):
        return
    exact = field.min is not None and field.min == field.max
    if field.max is not None:
        for character in "x漢😀":
            yield ("exact" if exact else "max"), character * (field.max + 1)
    if field.min:
        yield ("exact" if exact else "min"), "x" * (field.min - 1)
    values = closed(contract, field)
    if values:
        wrong = {
            "ZZ_OTHER",
            values[0].swapcase(),
            values[0] + " ",
            " " + values[0],
            values[0] + "\x00",
            values[-1][:-1],
        }
        if not field.blank:
            wrong.add("")
        yield from (("value", text) for text in sorted(wrong - set(values)) if text or not field.blank)
    if field.range is not None:
        low, high = field.range
        yield from (
            ("range", text)
            for text in (str(low - 1), str(high + 1), "", "abc", "٣٦٠٠", f"-{low}", f"{low}.0", f" {low}")
        )
    if field.type.kind == "format":
        yield from (("format", text) for text in FORMATS[field.type.name]["bad"] if text or not field.blank)


def _of_rules(contract: Contract, struct: Struct, body: Json, at: tuple[Step, ...]) -> Iterator[Mutation]:
    for rule in struct.rules:
        if not rule.checked:
            continue
        for demand in rule.demands:
            for wrong in breaking(contract, struct, rule, demand, body):
                expected = (_pointer((*at, *place(demand))), rule.id)
                yield Mutation(f"broken rule {rule.id}", at, wrong, expected)


def breaking(contract: Contract, struct: Struct, rule: Rule, demand: Demand, body: Json) -> Iterator[Json]:
    """Bodies in which a rule applies and one of its demands is not met, each in another way."""
    for changed in _conditions(contract, struct, rule, body):
        for wrong in _against(contract, struct, demand, changed):
            if applies(rule, wrong) and not is_met(demand, wrong):
                yield wrong


def _conditions(contract: Contract, struct: Struct, rule: Rule, body: Json) -> Iterator[Json]:
    made = [settle(contract, struct, body)]
    for condition in rule.when:
        following: list[Json] = []
        for one in made:
            if isinstance(condition, OneOf):
                following += [put(contract, struct, one, condition.path, value) for value in condition.values]
            elif isinstance(condition, IsGiven) and condition.negated:
                following += [take(one, condition.path), _emptied(contract, struct, one, condition.path)]
            elif isinstance(condition, IsGiven):
                _, field = field_at(contract, struct, condition.path)
                assert isinstance(field, Field)
                following.append(put(contract, struct, one, condition.path, smallest(contract, field)))
        made = following
    yield from made


def _emptied(contract: Contract, struct: Struct, body: Json, path: Path) -> Json:
    _, field = field_at(contract, struct, path)
    assert isinstance(field, Field)
    return put(contract, struct, body, path, [] if field.type.array else None)


def _against(contract: Contract, struct: Struct, demand: Demand, body: Json) -> Iterator[Json]:
    if isinstance(demand, Need):
        gone = body
        for path in demand.paths:
            gone = take(gone, path)
        yield gone
        for path in demand.paths:
            yield _emptied(contract, struct, gone, path)
            _, field = field_at(contract, struct, path)
            if (
                isinstance(field, Field)
                and field.type.kind not in ("struct", "number", "boolean", "object")
                and not field.type.array
            ):
                yield put(contract, struct, gone, path, "")
    elif isinstance(demand, AnyIs):
        other = body
        for choice in demand.choices:
            other = put(contract, struct, other, choice.path, "GBP")
        yield other
        for choice in demand.choices:
            yield take(other, choice.path)
    elif isinstance(demand, Restrict):
        yield put(contract, struct, body, demand.path, "ZZ_OTHER" if demand.values else "x" * ((demand.max or 0) + 1))
        yield put(contract, struct, body, demand.path, "")
    elif isinstance(demand, Differs | Joined):
        others = [at_path(body, path) for path in compared_with(demand)]
        yield put(contract, struct, body, demand.path, "".join(map(str, reversed(others))))
        yield put(contract, struct, body, demand.path, f"{others[0]}x")
    else:
        path = demand.path  # Refuse and Blank
        _, field = field_at(contract, struct, path)
        assert isinstance(field, Field)
        yield put(contract, struct, body, path, smallest(contract, field))
        yield put(contract, struct, body, path, 0)
        yield put(contract, struct, body, path, {})
