"""Keys are used once, and a write is placed again only when it is known not to be there [4.1, 4.3]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from paywright.contract import CONTRACT
from paywright_tools.audit.across.rows import ABSENT, REFUSED, Row
from paywright_tools.audit.findings import Finding
from paywright_tools.audit.plan import plan_of

__all__ = ["Placing"]

_INTERVAL: Final = CONTRACT.limits()["not-exist-interval"].seconds or 0


class Placing:
    """Told the rows of one subject in time."""

    __slots__ = ("_absent_from", "_absent_until", "_last")

    def __init__(self) -> None:
        self._last: Row | None = None
        self._absent_from: float | None = None
        self._absent_until = 0.0

    def tell(self, row: Row) -> Iterator[Finding]:
        """What a row breaks, after those before it."""
        if row.spelled is None:
            if row.outcome == ABSENT:
                if self._absent_from is None:
                    self._absent_from = row.at
                self._absent_until = row.at
            elif row.state is not None:
                self._absent_from = None
            return
        last = self._last
        if last is not None and not self._known_absent(row):
            yield _finding(row, last)
        if row.outcome != REFUSED or last is None:
            self._last = row if row.outcome != REFUSED else None
        self._absent_from = None

    def _known_absent(self, row: Row) -> bool:
        resolution = plan_of(row.operation).operation.resolution
        after = resolution.placed_again_after if resolution is not None else None
        since = self._absent_from
        return after is not None and since is not None and self._absent_until - since >= after


def _finding(row: Row, last: Row) -> Finding:
    plan = plan_of(row.operation)
    operation = plan.operation
    key = operation.key or ""
    line = f"{operation.file}:{operation.line}"
    pointer = f"/data/{key}" if operation.data else f"/{key}"
    if row.spelled != last.spelled:
        words = f"{key} differs only in case from one that was used before; they are compared without it"
        code = "key-reused"
    elif row.content != last.content:
        words = f"{key} was used before, in a request that says something else"
        code = "key-reused"
    else:
        words = f"the request was placed before with this {key}, and not shown to be absent since by inquiries {_INTERVAL} seconds apart"
        code = "placed-again"
    return Finding(row.operation, plan.asked.part, pointer, code, words, line, row.spelled)
