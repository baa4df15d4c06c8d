"""Generate a package from a contract, import it, and compare all that judges or carries a document of it."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from pathlib import Path
from random import Random

import jsonschema_rs

from paywright_codegen.documents.files import render_documents
from paywright_codegen.lint.linter import check
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec
from paywright_codegen.model.rules import Differs, Joined
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.problems import Problem
from paywright_codegen.reader.loader import load
from paywright_codegen.render.renderer import render_python
from paywright_runtime.contract.conversion import read
from paywright_runtime.contract.index import Contract as GeneratedContract
from paywright_runtime.contract.validation import judge
from paywright_runtime.contract.value_checks import Report
from tests.codegen.cells.exercise import exercise, same_model
from tests.codegen.cells.table import TYPES
from tests.support.reference_rules import applies, is_met

_numbers = count(1)

VALUES: tuple[object, ...] = (
    None, "", "A", "B", "10.50", "2025-06-30", "x" * 70, "\u00fc", 1, 0, 2.5, True, False, [], ["A"], [""], [1], [True],
    [{}], [None], ["A"] * 6, {}, {"a": 1},
)  # fmt: skip
_MISSING = object()
Structs = Mapping[str, Struct]


@dataclass(frozen=True)
class Visited:
    """What became of a cell: the problems that the linter finds, or how many documents were judged alike."""

    refused: tuple[Problem, ...]
    documents: int = 0
    calls: int = 0


def visit(folder: Path, out: Path, extra: int = 60, mixed: int = 0) -> Visited:
    """Refuse the contract in a folder, or generate, import and judge documents of it. Assert that all judges agree.

    `extra` is how many documents there are at most for each member, `mixed` how many with values of all members drawn.
    """
    problems = check(folder)
    if problems:
        for problem in problems:
            assert problem.what
            assert problem.do
        return Visited(problems)
    package = f"cell{next(_numbers)}"
    whole = load(folder)
    generate(whole, out, package)
    sys.path.insert(0, str(out))
    try:
        importlib.invalidate_caches()
        contract: GeneratedContract = importlib.import_module(f"{package}.contract").CONTRACT
        return Visited((), _judged(whole, contract, out, extra, mixed), exercise(whole, contract, package))
    finally:
        sys.path.remove(str(out))
        for name in [name for name in sys.modules if name.split(".")[0] == package]:
            del sys.modules[name]


def generate(whole: Contract, out: Path, package: str) -> None:
    """Write the unformatted package under `out`, each module compiled first."""
    files = {one.path: one.text for one in render_python(whole, package)}
    files.update(render_documents(whole, package))
    for path, text in files.items():
        if path.endswith(".py"):
            compile(text, path, "exec")
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text, encoding="utf-8")


def _judged(whole: Contract, contract: GeneratedContract, out: Path, extra: int, mixed: int) -> int:
    for path in sorted((out / contract.package).rglob("*.py")):
        name = ".".join(path.relative_to(out).with_suffix("").parts)
        importlib.import_module(name.removesuffix(".__init__"))
    named = {struct.name: struct for struct in whole.all_structs()}
    documents = 0
    for operation in whole.operations.values():
        for message in operation.messages:
            example = contract.example(message.name)
            assert _found(contract, message.name, example) == frozenset(), f"the example of {message.name}: {example}"
            exact = json.loads(json.dumps(example), parse_float=Decimal)
            _round_trip(contract, message.name, exact)
            judges = _Judges(contract, message, named)
            parts: list[tuple[Struct, dict[str, object], bool]] = [(message.root, example, False)]
            if message.data is not None and isinstance(inner := example.get("data"), dict):
                parts.append((message.data, inner, True))
            for struct, part, inside in parts:
                names = [field.wire for field in struct.fields]
                for body in (*_changed(part, names, extra), *_rotated(part, names), *_mixed(named, struct, mixed)):
                    judges.compare({**example, "data": body} if inside else body)
                    documents += 1
    return documents


def _changed(body: dict[str, object], names: list[str], extra: int) -> Iterator[dict[str, object]]:
    """The document with each member, in turn, missing or of every other value."""
    made = 0
    for value in (_MISSING, *VALUES):
        for name in names:
            made += 1
            if made > extra * max(1, len(names)):
                return
            other = deepcopy(body)
            other.pop(name, None)
            if value is not _MISSING:
                other[name] = value
            yield other


def _rotated(body: dict[str, object], names: list[str]) -> Iterator[dict[str, object]]:
    """As many documents as there are values, in which every member has every value once."""
    for step in range(len(VALUES)):
        yield {**body, **{name: VALUES[(number + step) % len(VALUES)] for number, name in enumerate(names)}}


def _mixed(named: Structs, struct: Struct, count: int) -> Iterator[dict[str, object]]:
    """Documents whose members have values that are mostly of their type, and mostly among those that rules speak of."""
    chance = Random(struct.name)
    for _ in range(count):
        yield _likely(named, struct, chance)


def _likely(named: Structs, struct: Struct, chance: Random) -> dict[str, object]:
    body = {field.wire: _likely_value(named, field, chance) for field in struct.fields}
    return {name: value for name, value in body.items() if value is not _MISSING}


def _likely_value(named: Structs, field: Field, chance: Random) -> object:
    roll = chance.random()
    if roll < 0.3:
        return chance.choice((_MISSING, None, "", []))
    if roll < 0.35:
        return chance.choice(VALUES)
    values: tuple[object, ...] = TYPES.get(field.type.name, ("A", "B"))
    if field.type.kind == "struct":
        values = (_likely(named, named[field.type.name], chance),)
    elif field.type.kind == "object":
        values = ({}, {"a": 1})
    elif field.type.kind == "number":
        values = (0, 1, 2.5)
    elif field.type.kind == "boolean":
        values = (True, False)
    elif field.type.kind == "string":
        values = ("A", "B", "AB", "BA")
    return [chance.choice(values)] if field.type.array else chance.choice(values)


def _found(contract: GeneratedContract, message: str, body: object) -> frozenset[str]:
    operation, _, role = message.rpartition(".")
    return frozenset(one.pointer for one in judge(contract, operation, role, body))


class _Judges:
    """The validators and the exported schema of one message."""

    def __init__(self, contract: GeneratedContract, message: MessageSpec, named: Structs) -> None:
        self._contract, self._message, self._named = contract, message, named
        self._schema = contract.schema(message.name)
        self._reader = jsonschema_rs.Draft202012Validator(self._schema)

    def compare(self, body: object) -> None:
        """Compare verdict and places, and those of rules that no schema can say with the reference."""
        ours = _found(self._contract, self._message.name, body)
        theirs = {self._place(error) for error in self._reader.iter_errors(body)}
        theirs.update(_beyond(self._named, self._message.root, body, ""))
        assert ours == theirs, f"{self._message.name}: validators {sorted(ours)}, schema {sorted(theirs)}: {body!r}"

    def _place(self, error: jsonschema_rs.ValidationError) -> str:
        where: object = self._schema
        for step in error.schema_path[:-1]:
            where = where[step]  # type: ignore[index]  # a path through a schema
        assert isinstance(where, dict)
        at = "".join(f"/{step}" for step in error.instance_path)
        if "x-at" in where:
            return f"{at}/{where['x-at']}"
        if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Required):
            return f"{at}/{error.kind.property}"
        return at


def _beyond(named: Structs, struct: Struct, body: object, at: str) -> Iterator[str]:
    """Where an object breaks a rule that compares members, which no schema can say."""
    if not isinstance(body, dict):
        return
    for rule in struct.rules:
        for demand in rule.demands if applies(rule, body) else ():
            if isinstance(demand, Differs | Joined) and not is_met(demand, body):
                yield f"{at}/{'/'.join(demand.path)}"
    for field in struct.fields:
        if field.type.kind == "struct":
            value = body.get(field.wire)
            inner = named[field.type.name]
            for step, each in enumerate(value) if isinstance(value, list) else [(None, value)]:
                yield from _beyond(named, inner, each, f"{at}/{field.wire}" + ("" if step is None else f"/{step}"))


def _round_trip(contract: GeneratedContract, message: str, example: dict[str, object]) -> None:
    """Read what has a class into its model and write it again: nothing changes but the writing of numbers."""
    operation, _, role = message.rpartition(".")
    root = contract.struct(contract.operation(operation).message(role) or "")
    parts = [(root, example)]
    data = root.by_wire.get("data")
    inner = example.get("data")
    if data is not None and data.kind == "struct" and isinstance(inner, dict):
        parts.append((contract.struct(data.of or ""), inner))
    for struct, body in parts:
        if contract.model(struct.name) is not None:
            trouble = Report()
            model = read(contract, struct, body, "", trouble)
            assert not trouble.found, f"{message}: the example cannot be read: {trouble.found}"
            same_model(contract, struct, model, body)
