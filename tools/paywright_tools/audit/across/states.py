"""A state that nothing follows is not followed, and notifications and inquiries say the same [3, 6]."""

from __future__ import annotations

from collections.abc import Iterator

from paywright.contract import CONTRACT
from paywright_tools.audit.across.amounts import same_amount
from paywright_tools.audit.across.rows import ABSENT, MADE, TOLD, Row
from paywright_tools.audit.across.subjects import returns, trail_of
from paywright_tools.audit.findings import Finding
from paywright_tools.audit.plan import plan_of

__all__ = ["States"]


class States:
    """Told the rows of one subject in time."""

    __slots__ = ("_amounts", "_exists", "_final", "_placed", "_told")

    def __init__(self) -> None:
        self._final: Row | None = None
        self._told: Row | None = None
        self._exists: Row | None = None
        self._placed = False
        self._amounts: dict[bool, tuple[str | None, str | None]] = {}

    def tell(self, row: Row) -> Iterator[Finding]:
        """What a row breaks, after those before it."""
        told = row.outcome == TOLD
        if row.spelled is not None and (self._placed or row.outcome != MADE):
            return  # that it was placed twice is said elsewhere
        self._placed = self._placed or row.spelled is not None
        if row.outcome == ABSENT:
            if self._exists is not None and row.at >= self._exists.until:
                yield _finding(row, "state-moved-back", "is said not to exist, but was known to before")
            return
        if self._exists is None:
            self._exists = row
        yield from self._agreement(row, told)
        if row.state is None:
            if row.operation == "snap.cancel":
                self._final = self._told = None
            return
        other = self._final if told else self._told
        same = self._told if told else self._final
        if same is not None and (same.state, row.state) in returns():
            same = None  # a move that the contract knows
        if other is not None and {(other.state, row.state), (row.state, other.state)} & returns():
            other = None  # a notification may also come late
        if other is not None and row.state != other.state and (row.final or (not told and row.at >= other.until)):
            whose = "an inquiry" if told else "a notification"
            yield _finding(row, "notification-disagrees", f"the state is not the one that {whose} told as final")
        elif same is not None and row.state != same.state and row.at >= same.until and (row.final or not told):
            yield _finding(row, "state-moved-back", f"the state is another one after {same.state}, which is final")
        if row.final and same is None:
            if told:
                self._told = row
            else:
                self._final = row

    def _agreement(self, row: Row, told: bool) -> Iterator[Finding]:
        amount, currency = self._amounts.get(not told, (None, None))
        if row.amount is not None and amount is not None and not same_amount(row.amount, amount):
            yield _finding(row, "notification-disagrees", "the amount is not the one that was told otherwise")
        elif row.currency is not None and currency is not None and row.currency != currency:
            yield _finding(row, "notification-disagrees", "the currency is not the one that was told otherwise")
        if row.amount is not None and told not in self._amounts:
            self._amounts[told] = (row.amount, row.currency)


def _finding(row: Row, code: str, words: str) -> Finding:
    if not row.operation:
        return Finding("", "notification", "/data", code, words, "", row.state)
    plan = plan_of(row.operation)
    operation = plan.operation
    told = row.outcome == TOLD
    trail = trail_of(row.operation)
    pointer = "/data" if trail is None or trail.answered_data else ""
    if row.outcome == ABSENT and trail is not None:
        pointer = f"/{trail.code}"
    struct = CONTRACT.struct(operation.asks if told else operation.answers)
    part = plan.asked.part if told else plan.answered.part
    return Finding(row.operation, part, pointer, code, words, f"{struct.file}:{struct.line}", row.state)
