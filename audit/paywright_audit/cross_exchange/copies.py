"""Find exchanges that two files have: equal bytes, at nearly the same time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

__all__ = ["Sighting", "copies_of"]


class Sighting(NamedTuple):
    """One row with the bytes of an exchange. `row` is the caller's number of it."""

    digest: int
    at: float
    file: str
    row: int


def copies_of(rows: Iterable[Sighting], slack: float) -> Iterator[int]:
    """Yield the number of every row whose exchange a file with a smaller name has too, at most `slack` seconds apart.

    The rows are ordered by digest and time.
    """
    for _, same in groupby(rows, key=lambda one: one.digest):
        waiting: deque[Sighting] = deque()  # rows waiting until all rows near them in time were read
        near: deque[tuple[str, float]] = deque()  # files in ascending order, each with its last time
        for row in (*same, None):
            while waiting and (row is None or waiting[0].at + slack < row.at):
                first = waiting.popleft()
                while near[0][1] < first.at - slack:
                    near.popleft()
                if near[0][0] < first.file:
                    yield first.row
            if row is not None:
                while near and near[-1][0] >= row.file:
                    near.pop()
                near.append((row.file, row.at))
                waiting.append(row)
