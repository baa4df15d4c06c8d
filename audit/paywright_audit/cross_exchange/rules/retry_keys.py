"""Find writes that are sent again under another key after an unknown outcome [4.3].

It is then unknown whether the first one happened. A user may buy twice, and two partial refunds may be equal, so that a
retry is only a guess: a warning. If verified messages of the gateway show both writes, the effect happened twice: an
error. Only silence shows that the first one had no answer and no inquiry, so that both need a complete capture.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.history.related_rows import WriteRow, moment_of
from paywright_audit.cross_exchange.history.rows import BLIND, EXISTS, REFUSED, UNKNOWN, Row
from paywright_audit.cross_exchange.rules.timing import CaptureFacts
from paywright_audit.cross_exchange.rules.verdicts import RuleVerdict
from paywright_audit.judging.operation_facts import facts_of

_SHORT: Final = CONTRACT.limits()["not-exist-interval"].seconds or 0
"""Seconds after an unknown outcome within which the same request under another key counts as a retry: no outcome is known sooner."""

_MOST: Final = 100  # the latest writes of one content, which are compared


def write_rows(rows: Sequence[Row], slack: float) -> Sequence[WriteRow]:
    """Return the writes of one subject, to be compared with writes of the same content under other keys.

    `rows` are those of the subject in order of time. Each write has the moment at which its outcome was learned.
    """
    shown = any(row.proven and row.outcome in EXISTS for row in rows)
    found: list[WriteRow] = []
    last, settled = -inf, 0  # the end of the last row that shows an outcome, and the number of writes that were learned
    for row in rows:
        close = last + slack >= row.at
        if row.outcome in EXISTS or row.outcome in (REFUSED, BLIND):
            last, learned = max(last, row.until), moment_of(row)
            while settled < len(found) and moment_of(found[settled].row) < learned:
                found[settled] = found[settled]._replace(learned=learned)
                settled += 1
        if row.content is not None:
            found.append(WriteRow(row.content, row, None, shown, close))
    return found


def changed_keys(writes: Iterable[WriteRow], facts: CaptureFacts) -> Iterator[tuple[Row, RuleVerdict]]:
    """Yield every write that repeats one of unknown outcome under another key before that outcome was learned.

    The writes are of one content, in order of time.
    """
    unknown: dict[str, WriteRow] = {}
    for write in writes:
        row = write.row
        for subject, earlier in list(unknown.items()):
            if row.at > earlier.row.until + _SHORT:
                del unknown[subject]
        # A write sent while the other was still in progress is no retry.
        others = [one for one in unknown.values() if one.row.subject != row.subject and one.row.until <= row.at]
        before = next((one for one in reversed(others) if not _learned(one, row)), None)
        if before is not None:
            yield row, _verdict(write, before, facts)
        unknown.pop(row.subject, None)
        if row.outcome == UNKNOWN:
            unknown[row.subject] = write
            if len(unknown) > _MOST:
                del unknown[next(iter(unknown))]


def _learned(write: WriteRow, row: Row) -> bool:
    return write.learned is not None and write.learned < moment_of(row)


def _verdict(write: WriteRow, before: WriteRow, facts: CaptureFacts) -> RuleVerdict:
    row, other = write.row, before.row
    key = facts_of(row.operation).operation.key
    seconds = round(row.at - other.at)
    words = (
        f"{seconds} second{'' if seconds == 1 else 's'} before, the same request but for its {key} was sent under another, and no "
        "answer had shown its outcome until this one was sent"
    )
    code, end = "key-changed", "if it was a retry, it may have been done twice"
    if write.shown and before.shown:
        code, end = "placed-twice", "the gateway has both"
    silent = facts.silent(other.subject, other.at, row.until)
    learned_close = before.learned is not None and before.learned[0] - facts.slack <= row.at
    return RuleVerdict(
        code,
        f"{words}; {end}",
        other,
        unclear=before.close or learned_close or row.at < other.until + facts.slack,
        missing="" if silent else "the capture lost an answer that showed its outcome",
    )
