"""The table of cells: every type with every facet, required or not, in every place of a message.

It is derived from the grammar: a facet that the reader knows and this table does not fails the test of the table. All cells of
one place stand in one contract, a field each; those that the linter refuses are taken out before anything is generated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from paywright_codegen.lint.linter import check
from tests.codegen.helpers.contract_texts import SHOP, folder_of

# Two values of each type, as a contract writes them.
TYPES: Mapping[str, tuple[str, str]] = {
    "string": ("A", "B"),
    "number": ("1", "2.5"),
    "boolean": ("true", "false"),
    "object": ("A", "B"),
    "code": ("A1", "B2"),
    "address": ("https://shop.example/a", "https://shop.example/b"),
    "amount": ("1.50", "2"),
    "day": ("2025-06-30", "2025-07-01"),
    "moment": ("2025-06-01T12:00:00.000+08:00", "2025-06-02T12:00:00.000+08:00"),
    "zoned": ("2025-06-01T12:00:00 +0800", "2025-06-02T12:00:00 +0800"),
    "Colour": ("R", "B"),
    "Kind": ("NEW", "OLD"),
    "ItemStatus": ("OPEN", "SENT"),
    "Person": ("A", "B"),
}

# Each facet with what stands behind it; `{0}` and `{1}` are values of the type, `{name}` is the field's name.
FACETS: Mapping[str, str] = {
    "": "",
    "min": "min 1", "max": "max 40", "exactly": "exactly 4", "range": "range 5..1200", "in": "in {0} {1}", "is": "is {0}",
    "eg": "eg {1}", "sends": "sends {0}", "from": "from merchant.merchant_no", "default": "default {0}", "blank": "blank",
    "also": "also {name}Too", "secret": "secret", "pan": "pan", "pii": "pii",
}  # fmt: skip

_FORMATS = """\
formats:

  address [1]:  # An address.
    check: http_url
    shown: http:// or https:// and a host

  amount [1]:  # Decimal text.
    pattern: "-?[0-9]+([.][0-9]+)?"
    python: Decimal
    shown: decimal digits

  day [1]:  # A day.
    check: calendar_date
    python: date
    shown: yyyy-MM-dd

  moment [1]:  # A time.
    check: request_time
    python: datetime
    shown: yyyy-MM-dd'T'HH:mm:ss.SSSXXX

  zoned [1]:  # A time with a space before its offset.
    check: zoned_time
    python: datetime
    shown: yyyy-MM-dd'T'HH:mm:ss Z
"""
_KIND = "enums:\n\n  Kind [2]: NEW OLD  # A kind.\n"
_USES = "".join(f"      used{name.title()}: {name}\n" for name in TYPES)

# The line of the shop's contract behind which the fields of a place stand, and how far they are indented.
PLACES: Mapping[str, tuple[str, int]] = {
    "request": ("      note: string max 20\n", 6),
    "response": ("    colour: Colour\n", 4),
    "notification": ("    number!: string\n", 4),
    "answer": ("    code!: string sends OK\n", 4),
    "request headers": ("      sign!: string secret from signature.body\n    request:\n", 6),
    "response headers": ("    response headers:\n      sign!: string secret from signature.body\n", 6),
    "envelope of requests": ("      version!: string from operation.version\n", 6),
    "envelope of responses": ("      code!: string max 8 eg OK\n", 6),
}


@dataclass(frozen=True)
class Cell:
    """One field: its name, and the line that the contract has for it."""

    name: str
    line: str


def cells_of(place: str) -> tuple[Cell, ...]:
    """All cells of a place."""
    cells = []
    combined = product(TYPES.items(), ("", "[]"), FACETS.values(), ("!", ""))
    for number, ((type_, values), array, facet, required) in enumerate(combined):
        name = f"x{number}"
        cells.append(Cell(name, f"{name}{required}: {type_}{array} {facet.format(*values, name=name)}".rstrip()))
    return tuple(cells)


def with_types() -> str:
    """The shop's contract with all types of the table, each in use."""
    text = SHOP.replace("formats:\n", _FORMATS, 1).replace("enums:\n", _KIND, 1)
    return text.replace("      kind: string in NEW OLD\n", f"      kind: string in NEW OLD\n{_USES}", 1)


def contract_of_cells(place: str, cells: tuple[Cell, ...]) -> str:
    """The shop's contract with these fields in a place."""
    return placed(with_types(), place, cells)


def placed(text: str, place: str, cells: tuple[Cell, ...]) -> str:
    """A text with these fields in a place."""
    behind, indent = PLACES[place]
    lines = "".join(f"{' ' * indent}{cell.line}\n" for cell in cells)
    first, *more = behind.splitlines(keepends=True)
    assert text.count(behind) == 1, place
    changed = first + lines + "".join(more) if place == "request headers" else behind + lines
    return text.replace(behind, changed)


def refused_cells(place: str, cells: tuple[Cell, ...], folder: Path) -> dict[str, str]:
    """What the linter says of each cell that it refuses, by name. Assert that it speaks of nothing else."""
    return refused_lines(contract_of_cells(place, cells), {cell.line: cell.name for cell in cells}, folder)


def refused_lines(text: str, named: Mapping[str, str], folder: Path) -> dict[str, str]:
    """What the linter says of the lines of a contract that it refuses, by their names. Assert that each of them has one."""
    lines = [line.strip() for line in text.splitlines()]
    refused: dict[str, str] = {}
    for problem in check(folder_of(folder, text)):
        name = named.get(lines[problem.place.line - 1])
        assert name is not None, str(problem)
        assert problem.what
        assert problem.do
        refused.setdefault(name, problem.what)
    return refused
