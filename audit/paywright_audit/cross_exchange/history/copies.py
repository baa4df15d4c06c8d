"""Find the rows of one exchange that the capture has more than once, in any place.

The capture may have an exchange from several points of view: with an answer, without one, with the answer of a proxy, or
without its body. Signed content and time distinguish exchanges. Two sightings that may be one exchange count as one, because
nothing shows whether the same bytes were sent again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import inf
from typing import Final, TypeAlias

from paywright_audit.cross_exchange.history.related_rows import in_time
from paywright_audit.cross_exchange.history.rows import BLIND, LOST, UNKNOWN, Row

MessageId: TypeAlias = tuple[float | None, int | None]

_MOST: Final = 1000
"""The most writes of one subject that are searched for the exchange of a hidden one."""


def without_copies(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return one row for each exchange, and the rows of other sightings, both in order of time.

    `rows` are those of one subject in order of time. The row of an exchange is the first one with its answer, with the earliest and
    the latest time of all its sightings.
    """
    if len({row.signed for row in rows}) == len(rows) and not any(map(_is_hidden, rows)):
        return list(rows), []  # the usual case
    signed: dict[Hashable, list[_Exchange]] = {}
    hidden: list[Row] = []
    exchanges: list[_Exchange] = []
    for row in rows:
        if _is_hidden(row):
            hidden.append(row)
            continue
        # A statement without a signed time may be of any time, and is never merged with another.
        when = row.signed if row.signed is not None else id(row)
        here = signed.setdefault((row.operation, row.spelled, row.content, when), [])
        answer = _answer_of(row)
        found = next((one for one in here if None in (one.answer, answer) or one.answer == answer), None)
        if found is None:
            found = _Exchange()
            here.append(found)
            exchanges.append(found)
        found.add(row, answer)
    for same in signed.values():
        # The same signed bytes with several answers: an intermediary sent them again, or some of the answers are a stranger's.
        early, late = min(one.at for one in same), max(one.until for one in same)
        for one in same:
            one.at, one.until = early, late
    writes = [one for one in exchanges if one.rows[0].spelled is not None] if hidden else []
    for row in hidden:
        mine = [one for one in writes[:_MOST] if one.may_have(row)]
        if not mine:
            mine = [_Exchange()]
            exchanges += mine
            writes += mine
        if len(mine) == 1:
            mine[0].add(row, _answer_of(row))
        else:
            mine[0].rows.append(row)
        for one in mine:  # it may belong to any of them
            one.at, one.until = min(one.at, row.at), max(one.until, row.until)
    for one in (one for one in writes if one.content is None):
        # A sighting without an answer that was merged into another exchange may belong to this one.
        for row in (row for row in rows if row.spelled is not None and _answer_of(row) is None):
            one.at, one.until = min(one.at, row.at), max(one.until, row.until)
    chosen = {id(one.first) for one in exchanges}
    return in_time(one.row() for one in exchanges), [row for row in rows if id(row) not in chosen]


class _Exchange:
    """The sightings of one exchange, and its answer, None while none of them has it."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.answer: Hashable | None = None
        self.first: Row | None = None
        self.content: int | None = None
        self.at, self.until = inf, -inf

    def add(self, row: Row, answer: Hashable | None) -> None:
        """Add a sighting with its answer."""
        better = self.answer is None and answer is not None
        if self.first is None or better or (self.first.content is None and row.content is not None and answer):
            self.first = row
        self.answer = self.answer or answer
        self.content = row.content if self.content is None else self.content
        self.at, self.until = min(self.at, row.at), max(self.until, row.until)
        self.rows.append(row)

    def may_have(self, row: Row) -> bool:
        """Return whether a write without signed content may be a sighting of this exchange."""
        answer = _answer_of(row)
        return (
            self.rows[0].operation == row.operation
            and may_be_one((self.rows[0].signed, self.content), message_id(row))
            and (None in (self.answer, answer) or self.answer == answer)
        )

    def row(self) -> Row:
        """Return the row of the exchange."""
        row = self.first
        assert row is not None
        signed = next((one.signed for one in self.rows if one.signed is not None), None)
        return row._replace(at=self.at, until=self.until, content=self.content, signed=signed)


def _is_hidden(row: Row) -> bool:
    """Return whether the capture lost the content or time that distinguishes a write."""
    return row.spelled is not None and None in message_id(row)


def message_id(row: Row) -> MessageId:
    """Return the signed time and the content of a write, which tell it from others; each None if the capture lost it."""
    return row.signed, row.content


def may_be_one(one: MessageId, other: MessageId) -> bool:
    """Return whether two writes may be the same message."""
    return all(None in pair or pair[0] == pair[1] for pair in zip(one, other, strict=True))


def _answer_of(row: Row) -> Hashable | None:
    """Return the values that distinguish an answer or a notification from others; None without an answer."""
    if row.outcome in (UNKNOWN, LOST, BLIND):
        return None
    token = row.token if row.ref is None else None
    if row.spelled is not None:
        return row.outcome, row.state, row.final, token, row.alias
    return row.outcome, row.state, row.final, token, row.alias, row.amount, row.currency, row.began, row.signed
