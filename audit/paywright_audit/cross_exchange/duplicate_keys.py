"""Keys are used once, and a write is placed again only when it is known not to be there [4.1, 4.3].

The history of one key as an automaton; its table, with a reason for each cell, is in docs/audit.md, "Writes under one key".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final

from paywright.contract import CONTRACT
from paywright_tools.audit.across.rows import ABSENT, EXISTS, LOST, REFUSED, Row
from paywright_tools.audit.across.verdicts import Verdict
from paywright_tools.audit.plan import plan_of

__all__ = ["KeyHistory"]

_INTERVAL: Final = CONTRACT.limits()["not-exist-interval"].seconds or 0


class KeyHistory:
    """The writes under one key, given the rows of its subject in time.

    `used` is the last write that may have been processed. While it is None, `maybe` is one whose answer the capture lost: it may have
    been refused, so that it counts once something shows that the key is there.
    """

    __slots__ = ("_absent", "_earlier", "_maybe", "_recent", "_slack", "_used")

    def __init__(self, slack: float) -> None:
        self._slack = slack
        self._used: Row | None = None
        self._maybe: Row | None = None
        self._absent: list[Row] = []  # the first and the last "not there" since the last write
        self._recent: deque[Row] = deque()  # those of the last `slack` seconds
        self._earlier: tuple[Row, ...] = ()  # those so close before the last write that they may have come after it

    def take(self, row: Row, ahead: Sequence[Row]) -> Iterator[Verdict]:
        """What a row breaks, after those before it; `ahead` are the next ones, at least of `slack` seconds."""
        if row.spelled is None:
            if row.outcome == ABSENT:
                self._absent = [*self._absent[:1], row]
                while self._recent and self._recent[0].until + self._slack < row.at:
                    self._recent.popleft()
                self._recent.append(row)
            elif row.outcome in EXISTS:
                self._used = self._used or self._maybe
                self._forget()
            return
        used = self._used
        if used is not None:
            verdict = self._judge(row, used, ahead)
            if verdict is not None:
                yield verdict
        if row.outcome == REFUSED:
            return
        if row.outcome == LOST and used is None:
            self._maybe = row
        else:
            self._used = row
        earlier = tuple(one for one in self._recent if one.until + self._slack >= row.at)
        self._forget()
        self._earlier = earlier

    def _forget(self) -> None:
        self._absent.clear()
        self._recent.clear()
        self._earlier = ()

    def _judge(self, row: Row, used: Row, ahead: Sequence[Row]) -> Verdict | None:
        permitted = self._permitted(row, ahead)
        if permitted:
            return None
        operation = plan_of(row.operation).operation
        key, unclear = operation.key or "", permitted is None
        if row.spelled != used.spelled:
            words = f"{key} differs only in case from one that was used before; they are compared without it"
            return Verdict("key-reused", words, unclear)
        if _differ(row.content, used.content):
            words = f"{key} was used before, in a request that says something else"
            return Verdict("key-reused", words, unclear)
        words = (
            f"the request was placed before with this {key}, and not shown to be absent since by inquiries {_INTERVAL} "
            "seconds apart"
        )
        return Verdict("placed-again", words, unclear)

    def _permitted(self, row: Row, ahead: Sequence[Row]) -> bool | None:
        """Whether the key was shown to be absent by inquiries far enough apart; None if only with other times than written."""
        resolution = plan_of(row.operation).operation.resolution
        after = resolution.placed_again_after if resolution is not None else None
        if after is None:
            return False
        absent = self._absent
        if absent and absent[-1].until - absent[0].at >= after:
            return True
        close = [one for one in ahead if one.outcome == ABSENT and one.at <= row.at + self._slack]
        possible = [*self._earlier, *absent, *close]
        if len(possible) < 2:
            return False
        span = max(one.until for one in possible) - min(one.at for one in possible)
        return None if span + self._slack >= after else False


def _differ(one: int | None, other: int | None) -> bool:
    """Whether two requests say something else, as far as their contents can be compared."""
    return one is not None and other is not None and one & 1 == other & 1 and one != other
