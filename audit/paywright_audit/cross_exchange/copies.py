"""Find out which rows of a subject are of one exchange that the capture has more than once, wherever they lie.

The capture may have an exchange of two points of view: one with an answer, one without, one with the answer of a proxy, one
whose body it lost. What was signed, and when, tells exchanges apart. Two sightings that may be one are taken for one: that
the same bytes were sent again, nobody can know.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from typing import Final

from paywright_audit.cross_exchange.rows import BLIND, LOST, UNKNOWN, Row

__all__ = ["without_copies"]

_ANY: Final = "any"
_NONE: Final = "none"


def without_copies(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return one row for each exchange, and those of its other sightings. The rows are those of a subject, in order of time.

    The row of an exchange is the first one with its answer. It took place between the earliest and the latest of all.
    """
    signed: dict[Hashable, list[_Exchange]] = {}
    hidden: list[Row] = []
    exchanges: list[_Exchange] = []
    for row in rows:
        if _is_hidden(row):
            hidden.append(row)
            continue
        # A statement without a time of its own is never another one's: it may be of any time.
        when = row.signed if row.signed is not None else id(row)
        here = signed.setdefault((row.operation, row.spelled, row.content, when), [])
        answer = _answer_of(row)
        found = next((one for one in here if None in (one.answer, answer) or one.answer == answer), None)
        if found is None:
            found = _Exchange()
            here.append(found)
            exchanges.append(found)
        found.add(row)
    writes: dict[Hashable, _Exchange] = {}
    for exchange in exchanges if hidden else ():
        exchange.list_in(writes)
    for row in hidden:
        exchange = next((writes[name] for name in _may_be(row) if name in writes), _Exchange())
        if not exchange.rows:
            exchanges.append(exchange)
        exchange.add(row)
        exchange.list_in(writes)
    if len(exchanges) == len(rows):
        return list(rows), []
    chosen = {id(one.first) for one in exchanges}
    return [one.row() for one in exchanges], [row for row in rows if id(row) not in chosen]


class _Exchange:
    """The sightings of one exchange, and its answer, None while none of them has it."""

    __slots__ = ("answer", "first", "rows")

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.answer: Hashable | None = None
        self.first: Row | None = None

    def add(self, row: Row) -> None:
        """Add a sighting."""
        answer = _answer_of(row)
        better = self.answer is None and answer is not None
        if self.first is None or better or (self.first.content is None and row.content is not None and answer):
            self.first = row
        self.answer = self.answer or answer
        self.rows.append(row)

    def list_in(self, writes: dict[Hashable, _Exchange]) -> None:
        """List a write by all that may be left of one of its sightings."""
        first = self.first
        if first is None or first.spelled is None:
            return
        content = next((row.content for row in self.rows if row.content is not None), _NONE)
        for name in product((first.operation,), (_ANY, content), (_ANY, self.answer or _NONE)):
            writes.setdefault(name, self)

    def row(self) -> Row:
        """Return the row of the exchange."""
        row = self.first
        assert row is not None
        if len(self.rows) == 1:
            return row
        content = next((one.content for one in self.rows if one.content is not None), None)
        signed = next((one.signed for one in self.rows if one.signed is not None), None)
        at, until = min(one.at for one in self.rows), max(one.until for one in self.rows)
        return row._replace(at=at, until=until, content=content, signed=signed)


def _is_hidden(row: Row) -> bool:
    """Return whether the capture does not have what tells a write from others."""
    return row.spelled is not None and (row.signed is None or row.content is None)


def _may_be(row: Row) -> Iterator[Hashable]:
    """Yield what the exchange of a hidden write may be listed as."""
    contents = (_ANY,) if row.content is None else (row.content, _NONE)
    answer = _answer_of(row)
    yield from product((row.operation,), contents, (_ANY,) if answer is None else (answer, _NONE))


def _answer_of(row: Row) -> Hashable | None:
    """Return what tells the answer of an exchange, or what a notification says, from others; None if it is not there."""
    if row.outcome in (UNKNOWN, LOST, BLIND):
        return None
    token = row.token if row.ref is None else None
    if row.spelled is not None:
        return row.outcome, row.state, row.final, token, row.alias
    return row.outcome, row.state, row.final, token, row.alias, row.amount, row.currency, row.began, row.signed
