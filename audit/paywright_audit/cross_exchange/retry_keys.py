"""After an unknown outcome the same write is not sent under another key: nobody could tell whether it happened [4.3].

A user may buy twice, and two partial refunds may be equal: that it was a retry is a guess, and a warning. Where the gateway, verified,
shows both, it was done twice: an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from paywright.contract import CONTRACT
from paywright_tools.audit.across.ledger import Ledger
from paywright_tools.audit.across.rows import UNKNOWN, Row
from paywright_tools.audit.across.verdicts import Verdict
from paywright_tools.audit.plan import plan_of

__all__ = ["changed_keys"]

_SHORT: Final = CONTRACT.limits()["not-exist-interval"].seconds or 0
"""How long after an unknown outcome the same request under another key is taken for a retry: nothing can be known sooner."""

_MOST: Final = 100  # so many of one content are held, the latest


def changed_keys(ledger: Ledger) -> Iterator[tuple[Row, Verdict]]:
    """Every write that repeats one of unknown outcome under another key, before anything was learned of that one."""
    content: int | None = None
    unknown: dict[str, Row] = {}
    for row in ledger.uncertain():
        if row.content != content:
            content, unknown = row.content, {}
        for subject, earlier in list(unknown.items()):
            if row.at > earlier.until + _SHORT:
                del unknown[subject]
        # One whose answer was still awaited is no retry.
        others = [one for one in unknown.values() if one.subject != row.subject and one.until <= row.at]
        before = next((one for one in reversed(others) if not ledger.learned(one, row)), None)
        if before is not None:
            yield row, _verdict(ledger, row, before)
        unknown.pop(row.subject, None)
        if row.outcome == UNKNOWN:
            unknown[row.subject] = row
            if len(unknown) > _MOST:
                del unknown[next(iter(unknown))]


def _verdict(ledger: Ledger, row: Row, before: Row) -> Verdict:
    key = plan_of(row.operation).operation.key
    seconds = round(row.at - before.at)
    words = (
        f"{seconds} seconds before, the same request but for its {key} was sent under another, had no usable answer and was not "
        "inquired"
    )
    if ledger.shown(row.subject) and ledger.shown(before.subject):
        return Verdict("placed-twice", f"{words}; the gateway has both")
    return Verdict("key-changed", f"{words}; if it was a retry, it may have been done twice")
