"""Check that keys are used once, and that a write is placed again only if it is known not to exist [4.1, 4.3].

The history of one key is an automaton. Its table, with a reason for each cell, is in docs/audit.md, "Writes".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice, takewhile
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.rows import ABSENT, EXISTS, LOST, REFUSED, Row
from paywright_audit.cross_exchange.verdicts import Verdict
from paywright_audit.judging.operation_facts import facts_of

__all__ = ["KeyHistory"]

_INTERVAL: Final = CONTRACT.limits()["not-exist-interval"].seconds or 0


class KeyHistory:
    """The writes under one key. It takes the rows of a subject in order of time.

    `used` is the last write that may have been processed. While it is None, `maybe` is a write whose response the
    capture lost: it may have been refused, so it counts only after a later message shows that the key exists.
    """

    __slots__ = ("_absent", "_earlier", "_maybe", "_recent", "_slack", "_used")

    def __init__(self, slack: float) -> None:
        self._slack = slack
        self._used: Row | None = None
        self._maybe: Row | None = None
        self._absent: list[Row] = []  # the first and the last "absent" since the last write
        self._recent: deque[Row] = deque()  # the "absent" rows of the last `slack` seconds
        self._earlier: tuple[Row, ...] = ()  # those so shortly before the last write that they may have come after it

    def take(self, rows: Sequence[Row], number: int) -> Verdict | None:
        """Return what the row of that number breaks, or None."""
        row = rows[number]
        if row.spelled is None:
            if row.outcome == ABSENT:
                self._absent = [*self._absent[:1], row]
                while self._recent and self._recent[0].until + self._slack < row.at:
                    self._recent.popleft()
                self._recent.append(row)
            elif row.outcome in EXISTS:
                self._used = self._used or self._maybe
                self._forget()
            return None
        used = self._used
        verdict = None if used is None else self._judge(rows, number, used)
        if row.outcome == REFUSED:
            return verdict
        if row.outcome == LOST and used is None:
            self._maybe = row
        else:
            self._used = row
        earlier = tuple(one for one in self._recent if one.until + self._slack >= row.at)
        self._forget()
        self._earlier = earlier
        return verdict

    def _forget(self) -> None:
        self._absent.clear()
        self._recent.clear()
        self._earlier = ()

    def _judge(self, rows: Sequence[Row], number: int, used: Row) -> Verdict | None:
        row = rows[number]
        permitted = self._permitted(rows, number)
        if permitted:
            return None
        operation = facts_of(row.operation).operation
        key, unclear = operation.key or "", permitted is None
        if row.spelled != used.spelled:
            words = f"{key} differs only in case from one that was used before; keys are compared without case"
            return Verdict("key-reused", words, unclear)
        if _differ(row.content, used.content):
            words = f"{key} was used before, in a different request"
            return Verdict("key-reused", words, unclear)
        words = (
            f"the request was placed before with this {key}, and not shown to be absent since by inquiries {_INTERVAL} "
            "seconds apart"
        )
        return Verdict("placed-again", words, unclear)

    def _permitted(self, rows: Sequence[Row], number: int) -> bool | None:
        """Return whether inquiries far enough apart showed the key to be absent; None if that depends on exact times."""
        row = rows[number]
        resolution = facts_of(row.operation).operation.resolution
        after = resolution.placed_again_after if resolution is not None else None
        if after is None:
            return False
        absent = self._absent
        if len(absent) > 1 and absent[-1].until - absent[0].at >= after:
            return True
        ahead = takewhile(lambda one: one.at <= row.at + self._slack, islice(rows, number + 1, None))
        close = [one for one in ahead if one.outcome == ABSENT]
        possible = [*self._earlier, *absent, *close]
        if len(possible) < 2:
            return False
        span = max(one.until for one in possible) - min(one.at for one in possible)
        return None if span + self._slack >= after else False


def _differ(one: int | None, other: int | None) -> bool:
    """Return whether two requests have different contents, as far as these can be compared."""
    return one is not None and other is not None and one & 1 == other & 1 and one != other
