"""What merchants' Python misses: objects that are gone, and other types where they are read or written."""

from __future__ import annotations

import pytest

from paywright_codegen.diff.claims import Level
from paywright_codegen.diff.python_api import breaks
from tests.codegen.diff.edits import alone
from tests.support.contract import contract

SIDES = (alone(contract(), "orders.checkout"),) * 2
READ = "HostedOrderCreated"
WRITTEN = "EnvInfo"
MODEL = "from dataclasses import dataclass\n\n@dataclass(kw_only=True)\nclass {}:\n    first: str\n{}"
METHOD = "from typing import Literal\n\nclass Orders:\n    def checkout(self, *, key: str{}) -> int: ...\n"

# The package before and after, and what is found, with its level.
TABLE: dict[str, tuple[str, str, dict[str, Level]]] = {
    "what is read may be None": (
        MODEL.format(READ, "    x: str\n"), MODEL.format(READ, "    x: str | None\n"),
        {"p.HostedOrderCreated.x: type was changed: str -> str | None": Level.MAJOR},
    ),
    "what is read is never None": (
        MODEL.format(READ, "    x: str | None\n"), MODEL.format(READ, "    x: str\n"),
        {"p.HostedOrderCreated.x: type was changed: str | None -> str": Level.MINOR},
    ),
    "an argument takes more": (
        METHOD.format(", way: Literal['A'] | None = None"), METHOD.format(", way: Literal['A', 'B'] | None = None"),
        {"p.Orders.checkout(way): type was changed: Literal['A'] | None -> Literal['A', 'B'] | None": Level.MINOR},
    ),
    "an argument takes less": (
        METHOD.format(", way: Literal['A', 'B']"), METHOD.format(", way: Literal['B']"),
        {"p.Orders.checkout(way): type was changed: Literal['A', 'B'] -> Literal['B']": Level.MAJOR},
    ),
    "an argument is required": (
        METHOD.format(""), METHOD.format(", way: str"),
        {"p.Orders.checkout: parameter was added as required `way`": Level.MAJOR},
    ),
    "an argument may be given": (
        METHOD.format(""), METHOD.format(", way: str | None = None"),
        {"p.Orders.checkout: parameter was added as optional `way`": Level.MINOR},
    ),
    "a method is gone": (
        METHOD.format(""), "class Orders: ...\n", {"p.Orders.checkout: public object was removed": Level.MAJOR},
    ),
    "a class is new": ("", MODEL.format(READ, ""), {"p.HostedOrderCreated: new": Level.MINOR}),
    "merchants make no message that they read": (
        MODEL.format(READ, ""), MODEL.format(READ, "    x: str\n"), {"p.HostedOrderCreated.x: new": Level.MINOR},
    ),
    "merchants make what they write": (
        MODEL.format(WRITTEN, ""), MODEL.format(WRITTEN, "    x: str\n"),
        {
            "p.EnvInfo.__init__: parameter was added as required `x`": Level.MAJOR,
            "p.EnvInfo.x: new": Level.MINOR,
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_a_difference_in_python_has_its_level(name: str) -> None:
    old, new, due = TABLE[name]
    found = breaks({"p/__init__.py": old}, {"p/__init__.py": new}, "p", SIDES)
    assert {f"{one.path}: {one.words}": one.level for one in found} == due
