"""Check that keys are used once, and that a write is placed again only if it is known not to exist [4.1, 4.3].

The history of one key is an automaton. Its table, with a reason for each cell, is in docs/audit.md, "Writes". Only silence shows
that a write was not refused, or that no inquiry showed its absence: both are errors only in a complete capture. If the gateway
showed that the key exists, and the key was certainly used after that, no missing message could excuse it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from math import inf
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.history.copies import MessageId, may_be_one, message_id
from paywright_audit.cross_exchange.history.rows import (
    ABSENT,
    BLIND,
    EXISTS,
    LOST,
    MADE,
    NOTIFIED,
    REFUSED,
    REPEATED,
    SEEN,
    UNKNOWN,
    Row,
)
from paywright_audit.cross_exchange.rules.timing import CaptureFacts, is_after
from paywright_audit.cross_exchange.rules.verdicts import RuleVerdict
from paywright_audit.judging.operation_facts import facts_of

_INTERVAL: Final = CONTRACT.limits()["not-exist-interval"].seconds or 0
_EFFECTIVE: Final = (MADE, REPEATED)
_MOST: Final = 100  # the last writes under one key that a lost message is compared with


def repeated_writes(rows: Sequence[Row], facts: CaptureFacts) -> Iterator[tuple[Row, RuleVerdict]]:
    """Yield the writes that break these rules. `rows` are those of one subject in order of time."""
    last = max((number for number, row in enumerate(rows) if row.spelled is not None), default=0)
    if not last:  # the first row breaks none
        return
    history = _KeyHistory(facts)
    for number in range(last + 1):
        verdict = history.take(rows, number)
        if verdict is not None:
            yield rows[number], verdict


class _KeyHistory:
    """The writes under one key. It takes the rows of a subject in order of time.

    `used` is the last write that may have been processed. While it is None, `maybe` is a write whose response the
    capture lost: it may have been refused, so it counts only after a later message shows that the key exists. Of the rows that
    show that the key exists, `shown` is the one that ended first. `effective` is the last write that had an effect.
    """

    def __init__(self, facts: CaptureFacts) -> None:
        self._facts = facts
        self._used: Row | None = None
        self._sent: set[MessageId] = set()
        self._writes: deque[Row] = deque(maxlen=_MOST)  # the last writes, but lost ones that may be one of the others
        self._maybe: Row | None = None
        self._shown: Row | None = None
        self._effective: Row | None = None
        self._blind: Row | None = None  # the last inquiry whose answer the capture lost
        self._absent: list[Row] = []  # the first and the last "absent" since the last write
        self._recent: deque[Row] = deque()  # the "absent" rows of the last `slack` seconds
        # "Absent" rows before the last write, or before a row that shows that the key exists, which may have come after it, each with
        # the end of the first such row.
        self._doubtful: list[tuple[Row, float]] = []

    def take(self, rows: Sequence[Row], number: int) -> RuleVerdict | None:
        """Return the verdict on the row of that number, or None."""
        row = rows[number]
        if row.spelled is None:
            if row.outcome == ABSENT:
                self._absent = [*self._absent[:1], row]
                while self._recent and self._recent[0].until + self._facts.slack < row.at:
                    self._recent.popleft()
                self._recent.append(row)
            elif row.outcome in EXISTS:
                self._show(row)
                self._used = self._used or self._maybe
                ended = ((one, min(end, row.until)) for one, end in (*self._doubtful, *self._since()))
                self._doubt(ended, row)
            elif row.outcome == BLIND:
                self._blind = row
            return None
        verdict = self._judge(rows, number)
        message = message_id(row)
        if verdict is not None and self._carried(row, verdict):
            verdict = verdict._replace(missing="whoever carried the first message sent it a second time")
        self._sent.add(message)
        if verdict is None or None not in message:
            self._writes.append(row)
        if row.outcome in _EFFECTIVE:
            self._show(row)
            self._effective = row
        if row.outcome == REFUSED:
            return verdict
        if row.outcome == LOST and self._used is None:
            self._maybe = row
        else:
            self._used = row
        later = (
            (one, end) for one, end in (*self._doubtful, *self._since()) if one.until + self._facts.slack >= row.at
        )
        self._doubt(later, row)
        return verdict

    def _carried(self, row: Row, verdict: RuleVerdict) -> bool:
        """Return whether a write may be an earlier message that came a second time. It was signed before that one came."""
        message = message_id(row)
        if message in self._sent or verdict.code != "placed-again":
            return message in self._sent
        earlier = (one for one in self._writes if may_be_one(message, message_id(one)))
        return any(row.signed is None or row.signed <= one.until + self._facts.slack for one in earlier)

    def _show(self, row: Row) -> None:
        if self._shown is None or row.until < self._shown.until:
            self._shown = row

    def _since(self) -> Iterator[tuple[Row, float]]:
        """Yield the "absent" rows since the last write that nothing contradicts yet."""
        return ((one, inf) for one in (*self._absent[:1], *self._recent))

    def _doubt(self, absent: Iterable[tuple[Row, float]], row: Row) -> None:
        """Let these "absent" rows count only if the times are not exact, as long as that may be, from a row on."""
        found = [(one, end) for one, end in absent if end + self._facts.slack >= row.at]
        self._doubtful = [*found[:1], *found[1:][-_MOST:]]
        self._absent.clear()
        self._recent.clear()

    def _judge(self, rows: Sequence[Row], number: int) -> RuleVerdict | None:
        row, slack = rows[number], self._facts.slack
        used = self._used
        certain = self._certain(row)
        if used is None and certain is None:
            return None
        permitted = self._permitted(rows, number)
        if permitted:
            return None
        before = used if used is not None and (certain is None or used.outcome in _EFFECTIVE) else certain
        assert before is not None
        verdict = _verdict(row, before, used)
        if permitted is None:
            return verdict._replace(unclear=True)
        if certain is not None:
            return verdict
        if not self._facts.silent(row.subject, before.at, row.until):
            words = "the capture lost an answer that refused it, or inquiries that showed its absence"
            return verdict._replace(missing=words)
        if self._blind is not None and self._blind.until + slack >= before.at:
            return verdict._replace(missing="an inquiry whose answer the capture lost showed its absence")
        doubtful = row.outcome in (REFUSED, LOST) and not is_after(row, before, slack)
        return verdict._replace(unclear=doubtful)

    def _certain(self, row: Row) -> Row | None:
        """Return the row that shows that the key existed before a write, whatever the capture lost."""
        if self._shown is not None and is_after(row, self._shown, self._facts.slack):
            return self._shown
        other = self._effective
        if other is None or row.outcome not in _EFFECTIVE:
            return None
        # In so short a time nothing could have permitted the later one of the two.
        short = max(row.until, other.until) - min(row.at, other.at) + 2 * self._facts.slack < _INTERVAL
        return other if short or row.outcome == other.outcome == MADE else None

    def _permitted(self, rows: Sequence[Row], number: int) -> bool | None:
        """Return whether inquiries far enough apart showed that the key is absent; None if that depends on exact times."""
        row, slack = rows[number], self._facts.slack
        resolution = facts_of(row.operation).operation.resolution
        after = resolution.placed_again_after if resolution is not None else None
        if after is None:
            return False
        absent = self._absent
        if len(absent) > 1 and absent[-1].until - absent[0].at >= after:
            return True
        # If clocks contradict each other, this write may have come after rows that follow it, or before some that precede it.
        last = max(row.until, row.at if self._used is None else self._used.until) + slack
        ahead = takewhile(lambda one: one.at <= last, islice(rows, number + 1, None))
        close = [one for one in ahead if one.outcome == ABSENT]
        doubtful = [one for one, end in self._doubtful if end + slack >= row.at]
        possible = [*doubtful, *absent, *close]
        if len(possible) < 2:
            return False
        span = max(one.until for one in possible) - min(one.at for one in possible)
        return None if span + slack >= after else False


def _verdict(row: Row, before: Row, used: Row | None) -> RuleVerdict:
    operation = facts_of(row.operation).operation
    key = operation.key or ""
    if used is not None and row.spelled != used.spelled:
        words = f"{key} differs only in case from one that was used before; keys are compared without case"
        return RuleVerdict("key-reused", words, used)
    if used is not None and None not in (row.content, used.content) and row.content != used.content:
        return RuleVerdict("key-reused", f"{key} was used before, in a different request", used)
    which = "a" if None in (row.content, before.content) else "the same"
    if before.outcome in (SEEN, NOTIFIED):
        known = f"the gateway had shown before that this {key} exists"
    elif before.outcome == MADE:
        known = f"{which} request with this {key} was answered with success before"
    elif before.outcome == REPEATED:
        known = f"the gateway had answered before that this {key} was used"
    else:
        known = f"{which} request with this {key} was sent before, and its outcome was not known"
    resolution = operation.resolution
    again = resolution is not None and resolution.placed_again_after is not None
    if before.outcome in (UNKNOWN, LOST) and again:
        known = f"{known}; no two inquiries {_INTERVAL} seconds apart showed its absence since"
    return RuleVerdict("placed-again", known, before)
