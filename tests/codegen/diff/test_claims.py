"""Every field of the model has a claim, and every change of a field that means something is found."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import islice
from types import ModuleType
from typing import Any

import pytest

from paywright_codegen.diff import claims
from paywright_codegen.diff.changes import changes
from paywright_codegen.diff.claims import CLAIMS, Level, claims_of
from paywright_codegen.model import cited, contract, operations, rules, types
from paywright_codegen.model.cited import Cited
from paywright_codegen.model.contract import Contract
from tests.support.contract import contract as whole
from tests.support.tiny import tiny_contract

TRIES = 12
MODULES: tuple[ModuleType, ...] = (cited, contract, operations, rules, types)
BY_DOCUMENTS = {*(getattr(rules, name) for name in rules.__all__ if inspect.isclass(getattr(rules, name)))} - {
    rules.Rule
}
"""Conditions and demands: a rule is compared as a whole."""
BASES = {Cited, cited.Prose, cited.SourceLine, cited.SourcePlace}


def model_classes() -> set[type]:
    """The dataclasses of the model."""
    found = {one for module in MODULES for _, one in inspect.getmembers(module, is_dataclass)}
    return found - BASES - BY_DOCUMENTS


def test_every_class_and_field_of_the_model_is_claimed_and_no_other() -> None:
    assert set(CLAIMS) == model_classes()
    cited_fields = {field.name for field in fields(Cited)}
    for one, claimed in CLAIMS.items():
        own = {field.name for field in fields(one)} - (cited_fields if issubclass(one, Cited) else set())  # type: ignore[arg-type]  # a dataclass
        assert set(claimed) == own, one.__name__


def test_a_field_that_the_language_gains_fails_until_a_verdict_claims_it(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = next(iter(whole().limits.values()))
    gained = dataclasses.make_dataclass("Limit", [("gained", str, "")], bases=(contract.Limit,), frozen=True)
    monkeypatch.setattr(claims, "CLAIMS", {**CLAIMS, gained: CLAIMS[contract.Limit]})
    with pytest.raises(KeyError, match="gained"):
        claims_of(gained(limit.place))


Step = tuple[str, Any]


def parts(value: Any, path: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Every part of a contract, with the way to it: the field, and the key or number in it."""
    yield path, value
    for field in fields(value):
        if claims_of(value)[field.name].role == "untold" and field.name not in ("structs", "sets", "formats", "data"):
            continue
        inner = getattr(value, field.name)
        if isinstance(inner, dict):
            inside = list(inner.items())
        else:
            inside = list(enumerate(inner)) if isinstance(inner, tuple) else [(None, inner)]
        for key, one in inside:
            if type(one) in CLAIMS:
                yield from parts(one, (*path, (field.name, key)))


@cache
def parts_by_class() -> dict[type, list[tuple[Contract, tuple[Step, ...], Any]]]:
    """The parts of the tiny contract, which is quicker, and of the whole one."""
    found: dict[type, list[tuple[Contract, tuple[Step, ...], Any]]] = {}
    for side in (tiny_contract(), whole()):
        for path, part in parts(side):
            found.setdefault(type(part), []).append((side, path, part))
    return found


def put(value: Any, path: tuple[Step, ...], part: Any) -> Any:
    """The contract with another part at the end of a way."""
    if not path:
        return part
    (name, key), *rest = path
    inner = getattr(value, name)
    if isinstance(inner, dict):
        return replace(value, **{name: {**inner, key: put(inner[key], tuple(rest), part)}})
    if isinstance(inner, tuple):
        made = put(inner[key], tuple(rest), part)
        return replace(value, **{name: (*inner[:key], made, *inner[key + 1 :])})
    return replace(value, **{name: put(inner, tuple(rest), part)})


def others(value: Any) -> Iterator[Any]:
    """Other values of a field, of the same type as far as its value shows it."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, str):
        yield value + "X"
    elif isinstance(value, cited.Prose):
        yield cited.Prose((*value.lines, "More."))
    elif isinstance(value, dict):
        yield {key: one for number, (key, one) in enumerate(value.items()) if number}
    elif isinstance(value, tuple) and value:
        if isinstance(value[0], int):
            yield (value[0], value[1] + 1)
        yield value[1:]
        if len(value) == 2 and isinstance(value[0], str):
            yield (value[0], next(others(value[1])))
    elif isinstance(value, tuple):
        yield ("X",)
    elif value is None or is_dataclass(value):
        yield "X" if value is None else None


WHOLE_PARTS = {("Operation", "asks"), ("Operation", "answers"), ("MessageSpec", "root"), ("Field", "type")}
"""Single parts that are always there: their own fields are changed instead."""
FACETS = [
    (one, field.name)
    for one in CLAIMS
    for field in fields(one)  # type: ignore[arg-type]  # a dataclass
    if field.name != "_found" and (one.__name__, field.name) not in WHOLE_PARTS
]


def edits(one: type, name: str) -> Iterator[tuple[Contract, Contract]]:
    """Contracts with one field of one part changed: first of parts where the field has a value."""
    found = parts_by_class().get(one, [])
    found.sort(key=lambda each: (getattr(each[2], name) in (None, ()), each[0] is whole()))
    for side, path, part in found:
        names = [*side.sets] if name == "name" and one is types.TypeRef and part.kind == "set" else []
        for other in [each for each in names if each != part.name] or others(getattr(part, name)):
            yield side, put(side, path, replace(part, **{name: other}))


@pytest.mark.parametrize(("one", "name"), FACETS, ids=lambda one: getattr(one, "__name__", one))
def test_a_change_of_a_field_is_found(one: type, name: str) -> None:
    role = {**claims._CITED, **CLAIMS[one]}[name].role
    for old, new in islice(edits(one, name), TRIES):
        try:
            found = changes(old, new)
        except KeyError:  # the name of nothing, which the linter refuses
            continue
        if role == "untold":
            assert found == ()
            return
        facets = {change.facet for change in found}
        if found and (role in ("key", "reference") or f"{one.__name__}.{name}" in facets):
            assert all(change.places != ("", "") for change in found)
            return
    assert role == "untold"


def test_levels_are_those_of_a_version() -> None:
    assert [str(level) for level in Level] == ["none", "patch", "minor", "major"]
