"""The table of rules: every demand under every condition, about a member of every kind, at every path.

The forms stand beside the classes of the model that they are read into, so that a new class without a form fails the test of
the table. Each cell has members and a rule of its own; all cells of one place stand in one contract.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import get_args

from paywright_codegen.model.rules import (
    AnyIs,
    Blank,
    Condition,
    Demand,
    Differs,
    IsGiven,
    Joined,
    Need,
    OneOf,
    Refuse,
    Restrict,
    Unknowable,
)
from tests.codegen.cells.table import TYPES, Cell, refused_lines, with_types

# `{a}` is the member that the rule is about, with the values `{v}` and `{w}`; `{b}` and `{c}` are texts beside it.
DEMANDS: Mapping[type, tuple[str, ...]] = {
    Need: ("need {a}", "need {b} or {a}", "need {b} and {a}"),
    Refuse: ("refuse {a}", "refuse {b} and {a}"),
    Blank: ("{a} is empty",),
    AnyIs: ("{a} is {v}", "{a} is {v} or {b} in A B"),
    Restrict: ("{a} in {v} {w}", "{a} max 1"),
    Differs: ("{a} differs from {b}",),
    Joined: ("{a} is {b} then {c}", "{b} is {a} then {c}"),
}
CONDITIONS: Mapping[type, tuple[str, ...]] = {
    IsGiven: ("{a} is given", "{a} is empty", "{a} is not empty and {b} is given"),
    OneOf: ("{a} is {v}", "{a} in {v} {w}"),
    Unknowable: ("?repeats",),
}

# The line behind which the members of a place stand, how far they are indented, and where its rules stand.
PLACES: Mapping[str, tuple[str, int, str, int]] = {
    "request": ("      note: string max 20\n", 6, "      note-of-old [1.1]:", 6),
    "response": ("    colour: Colour\n", 4, "    colour-of-sent [2]:", 4),
    "envelope of requests": ("      version!: string from operation.version # flat\n", 6, "    request rules:\n", 6),
    "envelope of responses": ("      code!: string max 8 eg OK\n", 6, "      success-has-data [1]:", 6),
}
# Members of an envelope's request are given by arguments where it has no `data`.
_FLAT = """\
envelopes:

  flat [1]:  # No wrapper.
    headers:
      sign!: string secret from signature.body
    request:
      version!: string from operation.version # flat
    request rules:
      whole [1]: need version
    response headers:
      sign!: string secret from signature.body
    response:
      code!: string eg OK
    succeeds: code is OK
"""
_LOOK = """
  # Look at goods.
  goods.look [1.3]:
    post: /look
    version: 1.0
    envelope: flat
    request:
      at: string
    response: Item

notifications:
"""


def forms_of(table: Mapping[type, tuple[str, ...]], grammar: object) -> list[str]:
    """The forms of a table, which must have one for each class of the grammar and no other."""
    assert set(table) == set(get_args(grammar)), set(get_args(grammar)) ^ set(table)
    return [form for forms in table.values() for form in forms]


def rules_of() -> tuple[tuple[Cell, ...], ...]:
    """All cells: the lines of the members of each, the line of its rule last."""
    conditions = ["", *forms_of(CONDITIONS, Condition)]
    demands = forms_of(DEMANDS, Demand)
    kinds = [(f"{type_}{array}", values, "") for (type_, values), array in product(TYPES.items(), ("", "[]"))]
    kinds += [("code blank", TYPES["code"], ""), ("string", TYPES["string"], ".a"), ("Part[]", ("A", "B"), ".a")]
    kinds += [("ItemStatus", TYPES["ItemStatus"], ".state"), ("string", TYPES["string"], ".inner.a")]
    cells = []
    for number, ((type_, values, path), condition, demand) in enumerate(product(kinds, conditions, demands)):
        name = f"r{number}"
        line = f"{name}: {'Part' if path and '[]' not in type_ else type_}"
        words = {"a": f"{name}{path}", "b": f"{name}B", "c": f"{name}C", "v": values[0], "w": values[1]}
        sentence = demand.format(**words) if not condition else f"when {condition}, {demand}".format(**words)
        beside = tuple(Cell(f"{name}{one}", f"{name}{one}: string") for one in "BC" if f"{name}{one}" in sentence)
        cells.append((Cell(name, line), *beside, Cell(f"cell-{number}", f"cell-{number} [1.1]: {sentence}")))
    return tuple(cells)


def contract_of_rules(place: str, cells: Iterable[tuple[Cell, ...]]) -> str:
    """The shop's contract with the members and rules of these cells in a place."""
    return ruled(with_parts(with_types()), place, cells)


def with_parts(text: str) -> str:
    """A text with the types that paths lead into, and an operation whose envelope has no `data`."""
    text = text.replace("\nnotifications:\n", _LOOK, 1).replace("envelopes:\n", _FLAT, 1)
    text = text.replace("      kind: string in NEW OLD\n", "      kind: string in NEW OLD\n      usedPart: Part\n", 1)
    return text.replace(
        "types:\n",
        "types:\n\n  Part [2]:  # A part.\n    a: string\n    state: ItemStatus\n    inner: Inner\n\n"
        "  Inner [2]:  # What is inside.\n    a: string\n",
        1,
    )


def ruled(text: str, place: str, cells: Iterable[tuple[Cell, ...]]) -> str:
    """A text with the members and rules of these cells in a place."""
    behind, indent, before, of_rules = PLACES[place]
    cells = tuple(cells)
    members = "".join(f"{' ' * indent}{one.line}\n" for *given, _ in cells for one in given)
    rules = "".join(f"{' ' * of_rules}{one.line}\n" for *_, one in cells)
    assert text.count(behind) == text.count(before) == 1, place
    text = text.replace(behind, behind + members)
    return text.replace(before, before + rules if before.endswith("\n") else rules + before)


def refused_rules(place: str, cells: tuple[tuple[Cell, ...], ...], folder: Path) -> dict[str, str]:
    """What the linter says of each rule that it refuses, by name. Assert that it speaks of nothing else."""
    return refused_lines(contract_of_rules(place, cells), {rule.line: rule.name for *_, rule in cells}, folder)
