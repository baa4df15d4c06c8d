"""A part of a table, chosen so that any two members that stand together in a cell of it do so in one that is chosen.

Most faults show wherever two certain members stand together, whatever the others are. So `make test` visits a part of each table
that says what becomes of money, a tenth where that is not too long, `make test-slow` a third, and `make test-full` all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heapreplace
from itertools import combinations
from typing import Protocol, TypeVar

import pytest

__all__ = ["Choose", "a_third", "by_pairs", "every", "in_part_or_whole"]

Cell = TypeVar("Cell")
Members = Callable[[Cell], Iterable[object]]


class Choose(Protocol):
    """Which cells of a table a test visits: `by_pairs`, `a_third` or `every`."""

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


def a_third(cells: Iterable[Cell], /, *members: Members[Cell], share: int = 10) -> list[Cell]:
    """Return what `by_pairs` does, with as many others as make a third."""
    return by_pairs(cells, *members, share=3)


in_part_or_whole = pytest.mark.parametrize(
    "choose",
    [
        pytest.param(by_pairs, id="in part"),
        pytest.param(a_third, id="a third", marks=pytest.mark.slow),
        pytest.param(every, id="all", marks=pytest.mark.full),
    ],
)
