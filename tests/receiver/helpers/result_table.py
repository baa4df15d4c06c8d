"""What becomes of a result that is told twice, by a notification or an inquiry: the table, as plain data.

`VERDICTS` says what follows from what was told first and what is told next, whichever way. The first row that fits counts. A
crash between any two steps, and a second process that goes on, change nothing of it: `cells` has them all.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

TOLD = ("PENDING", "SUCCESS", "SUCCESS of 11", "FAILED", "BOUNCEBACK")
WAYS = ("notification", "inquiry")
ITEMS = ("registered", "unknown to the book", "closed")
SEAMS = {
    "notification": ("no crash", "before the claim", "after the claim", "after the handler", "after the commit"),
    "inquiry": (
        "no crash", "after the lease", "before the claim", "after the claim", "after the handler", "after the commit",
    ),
}  # fmt: skip
_ENDS = frozenset(TOLD) - {"PENDING"}


class Verdict(NamedTuple):
    first: frozenset[str]
    next: frozenset[str]
    verdict: str
    reason: str


def _of(*told: str) -> frozenset[str]:
    return frozenset(told)


_PAID = _of("SUCCESS", "SUCCESS of 11")

VERDICTS = (
    Verdict(frozenset(TOLD), _of("PENDING"), "nothing", "It is no last state, and has no effect."),
    Verdict(_of("PENDING"), _ENDS, "handled", "It is the first last state."),
    Verdict(_of("SUCCESS"), _of("SUCCESS"), "nothing", "It was told before."),
    Verdict(_of("SUCCESS of 11"), _of("SUCCESS of 11"), "nothing", "It was told before."),
    Verdict(_of("FAILED"), _of("FAILED"), "nothing", "It was told before."),
    Verdict(_of("BOUNCEBACK"), _of("BOUNCEBACK"), "nothing", "It was told before."),
    Verdict(_PAID, _PAID, "conflict", "One key was paid with two amounts: a person decides which."),
    Verdict(_PAID, _of("BOUNCEBACK"), "handled", "What was paid may be returned: the contract's moves say so."),
    Verdict(_of("BOUNCEBACK"), _PAID, "nothing", "It is older than what is known."),
    Verdict(_of("FAILED"), _PAID, "handled", "A paid state after an unpaid end is money."),
    Verdict(frozenset(TOLD), _of("FAILED", "BOUNCEBACK"), "conflict", "Two ends cannot both be true."),
)  # fmt: skip


class Cell(NamedTuple):
    """One case: what is told first and next, by which way, of what item; where the process dies that is told next."""

    item: str
    first: str
    first_way: str
    next: str
    next_way: str
    seam: str


class Expected(NamedTuple):
    """The effects in their order, how many conflicts the ledger keeps, and the item: state, status, and whether a person decides."""

    effects: tuple[str, ...]
    conflicts: int
    item: tuple[str | None, str, bool] | None


def cells() -> Iterator[Cell]:
    for item, first, first_way, told, way in product(ITEMS, TOLD, WAYS, TOLD, WAYS):
        if item != "registered" and "inquiry" in (first_way, way):
            continue  # what is not open is not asked about
        for seam in SEAMS[way]:
            yield Cell(item, first, first_way, told, way, seam)


def verdict_of(first: str, told: str) -> Verdict:
    return next(row for row in VERDICTS if first in row.first and told in row.next)


def expected(cell: Cell) -> Expected:
    verdict = verdict_of(cell.first, cell.next).verdict
    handled = [cell.first] if cell.first in _ENDS else []
    handled += [cell.next] if verdict == "handled" else []
    if cell.item == "unknown to the book":
        item = None
    else:  # what is told of a closed item opens it again
        undecided = verdict == "conflict" and cell.next_way == "inquiry"
        item = (_state(handled[-1]) if handled else "PENDING", "settled" if handled else "open", undecided)
    return Expected(tuple(handled), int(verdict == "conflict"), item)


def _state(told: str) -> str:
    return told.partition(" ")[0]
