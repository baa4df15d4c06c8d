"""Every change of a field of the model that means something is found, and what the table does not list is major."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from paywright_codegen.diff.report import as_text, compared
from paywright_codegen.diff.table import KEYS, ROWS, Level, row_of
from paywright_codegen.diff.walk import Walk
from paywright_codegen.diff.witnesses import Party
from paywright_codegen.model import cited, contract, types
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec
from paywright_codegen.reader.loader import load
from tests.codegen.diff.model import model_classes
from tests.support.contract import contract as whole
from tests.support.tiny import SPEC, tiny_contract

TRIES = 12
CLASSES = sorted(model_classes(), key=lambda one: one.__name__)


def test_every_row_is_of_a_field_of_the_model() -> None:
    named = {(one.__name__, each.name) for one in CLASSES for each in fields(one)}
    names = {name for _, name in named}
    assert {key for key in ROWS if not (tuple(key.split(".")) in named if "." in key else key in names)} == set()
    assert {one: keys for one, keys in KEYS.items() if not {(one, key) for key in keys} <= named} == {}


def test_what_the_language_gains_is_major_until_a_row_says_otherwise() -> None:
    limit = next(iter(whole().limits.values()))
    gained = dataclasses.make_dataclass("Limit", [("gained", str, "")], bases=(contract.Limit,), frozen=True)
    old, new = (
        replace(whole(), limits={limit.name: gained(limit.place, name=limit.name, gained=word)}) for word in ("a", "b")
    )
    (one,) = compared(*(Party(side, lambda struct, body: ()) for side in (old, new)))[0]
    assert (one.change.key, one.change.before, one.change.after, one.level) == ("Limit.gained", "a", "b", Level.MAJOR)


Step = tuple[str, Any]


def parts(value: Any, path: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Every part of a contract, with the way to it: the field, and the key or number in it."""
    yield path, value
    for field in fields(value):
        unseen = row_of(type(value).__name__, field.name) is None
        if unseen and field.name not in ("structs", "sets", "formats", "data"):
            continue
        inner = getattr(value, field.name)
        if isinstance(inner, dict):
            inside = list(inner.items())
        else:
            inside = list(enumerate(inner)) if isinstance(inner, tuple) else [(None, inner)]
        for key, one in inside:
            if type(one) in CLASSES:
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
    for one in CLASSES
    for field in fields(one)
    if field.name != "_made" and (one.__name__, field.name) not in WHOLE_PARTS
]


def edits(one: type, name: str) -> Iterator[tuple[Contract, Contract]]:
    """Contracts with one field of one part changed: first of parts where the field has a value."""
    found = parts_by_class().get(one, [])
    found.sort(key=lambda each: (getattr(each[2], name) in (None, ()), each[0] is whole()))
    for side, path, part in found:
        names = [*side.sets] if name == "name" and one is types.TypeRef and part.kind == "set" else []
        for other in [each for each in names if each != part.name] or others(getattr(part, name)):
            yield side, put(side, path, replace(part, **{name: other}))


WHOLE = {one for one in CLASSES if not issubclass(one, cited.Cited | Contract | MessageSpec | types.TypeRef)}
"""Compared as a whole: a change of a field is one of what has it."""
UNTOLD_NAMES = {("Struct", "name"), ("Set", "name"), ("Format", "name")}
"""Compared where they are referred to, and in Python."""


def is_key(one: type, name: str) -> bool:
    return name in KEYS.get(one.__name__, ("name",)) or (one.__name__, name) == ("TypeRef", "name")


@pytest.mark.parametrize(("one", "name"), FACETS, ids=lambda one: getattr(one, "__name__", one))
def test_a_change_of_a_field_is_found(one: type, name: str) -> None:
    untold = row_of(one.__name__, name) is None and not is_key(one, name)
    for old, new in islice(edits(one, name), TRIES):
        try:
            found = Walk(old, new).changes
        except KeyError:  # the name of nothing, which the linter refuses
            continue
        if untold:
            assert found == ()
            return
        keys = {change.key for change in found}
        if found and (one in WHOLE or is_key(one, name) or f"{one.__name__}.{name}" in keys):
            assert all(change.places != ("", "") for change in found)
            return
    assert untold or (one.__name__, name) in UNTOLD_NAMES


# What a line of the tiny contract becomes, and what is then said of it.
LINES = {
    "    key: key ignoring case": ("    key: key", "key: ignoring case yes -> no"),
    "      query: goods.query by key": ("      query: goods.query by token", "resolved by: query: by key -> token"),
    "      else: queried again": ("      done when: status in SENT HELD", "new resolved by: done when, status SENT HELD"),
    "      kind: string in NEW OLD": ("      kind: string in NEW OLD USED", "values NEW OLD -> NEW OLD USED"),
    "    when: kind is SENT": ("    when: kind is LEFT", "when kind SENT -> kind LEFT"),
    "    once per: parcelNo state{status} part": ("    once per: parcelNo part", "once per parcelNo state.status part -> parcelNo part"),
    "      no: NO": ("      no: NEVER", "decides: no NO -> NEVER"),
    "      why not: why": ("      why not: note", "decides: why not why -> note"),
    "    address: note": ("    address: zip", "address note -> zip"),
    "    ...: ?colours": ("    04: the fourth", "...: open yes -> no"),
    "    shown by: goods.query by key": ("    shown by: goods.query by token", "shown by: by key -> token"),
    "    amount: paid in colour": ("    amount: paid in currency", "amount: currency colour -> currency"),
}  # fmt: skip


def test_a_change_has_the_words_and_the_place_of_its_line(tmp_path: Path) -> None:
    shutil.copytree(SPEC, tmp_path / "tiny")
    path = tmp_path / "tiny" / "goods.yaml"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(LINES.get(line, (line,))[0] for line in lines), encoding="utf-8")
    sides = (Party(side, lambda struct, body: ()) for side in (tiny_contract(), load(path.parent)))
    text = as_text(compared(*sides), ("old", "new"))
    told = {line.partition("`: ")[2].split(" [")[0]: place.strip() for line, place in pairwise(text)}
    for line, (_, words) in LINES.items():
        place = f"tiny/goods.yaml:{lines.index(line) + 1}"
        assert place in told.get(words, "").split(" -> "), (words, text)
