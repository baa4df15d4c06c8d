"""A part of a table, chosen so that any two members that stand together in a cell of it do so in one that is chosen.

Most faults show wherever two certain members stand together, whatever the others are. So `make test` visits a part of each table
that says what becomes of money, a tenth where that is not too long, `make test-slow` another tenth, and `make test-full` all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heapreplace
from itertools import combinations
from typing import Protocol, TypeVar

import pytest

__all__ = ["Choose", "another_tenth", "by_pairs", "every", "in_part_or_whole", "one_of"]

Cell = TypeVar("Cell")
Members = Callable[[Cell], Iterable[object]]


class Choose(Protocol):
    """Which cells of a table a test visits: `by_pairs`, `another_tenth` or `every`."""

    def __call__(self, cells: Iterable[Cell], /, *members: Members[Cell], share: int = 10) -> list[Cell]: ...


def every(cells: Iterable[Cell], /, *members: Members[Cell], share: int = 10) -> list[Cell]:
    """Return all of them."""
    return list(cells)


def by_pairs(cells: Iterable[Cell], /, *members: Members[Cell], share: int = 10) -> list[Cell]:
    """Return the chosen cells in their order, the same ones each time: every pair, and then every so many of the others.

    `members` are what a cell is made of, and may be what follows from it, such as the row of the table that says so. Of several
    such functions each has its own pairs. If less than one `share`th of the cells has all pairs, more are taken, evenly.
    """
    table, bits = list(cells), dict[object, int]()
    pairs = []  # of each cell, a bit each
    for cell in table:
        mask = 0
        for number, of in enumerate(members):
            for one, other in combinations(enumerate(of(cell)), 2):
                pair = (number, one, other)
                mask |= bits.get(pair) or bits.setdefault(pair, 1 << len(bits))
        pairs.append(mask)
    left, chosen = (1 << len(bits)) - 1, set[int]()
    # What a cell adds to those before it only becomes less: only the first of the heap is counted anew.
    most = [(-mask.bit_count(), number) for number, mask in enumerate(pairs)]
    heapify(most)
    while left:
        before, number = most[0]
        new = (pairs[number] & left).bit_count()
        if -new == before:
            chosen.add(number)
            left &= ~pairs[number]
            new = 0
        heapreplace(most, (-new, number))
    rest = [number for number in range(len(table)) if number not in chosen]
    missing = len(table) // share - len(chosen)
    if missing > 0:
        chosen.update(rest[:: -(-len(rest) // missing)])
    return [table[number] for number in sorted(chosen)]


def another_tenth(cells: Iterable[Cell], /, *members: Members[Cell], share: int = 10) -> list[Cell]:
    """Return a tenth of the cells, evenly, of those that `by_pairs` leaves out: what it chooses was visited before."""
    table = list(cells)
    before = {id(cell) for cell in by_pairs(table, *members, share=share)}
    left = [cell for cell in table if id(cell) not in before]
    return left[:: max(1, 10 * len(left) // len(table))]


def one_of(share: int, cases: Iterable[object]) -> list[object]:
    """Return cases of `parametrize`, all but one of so many of them slow."""
    rows = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*row, marks=[pytest.mark.slow] * bool(number % share)) for number, row in enumerate(rows)]


in_part_or_whole = pytest.mark.parametrize(
    "choose",
    [
        pytest.param(by_pairs, id="in part"),
        pytest.param(another_tenth, id="another tenth", marks=pytest.mark.slow),
        pytest.param(every, id="all", marks=pytest.mark.full),
    ],
)
