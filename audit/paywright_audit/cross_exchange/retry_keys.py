"""Find writes that are sent again under another key after an unknown outcome [4.3].

Nobody can then tell whether the first one happened. A user may buy twice, and two partial refunds may be equal. So a
retry is a guess, and a warning. If verified messages of the gateway show both writes, the effect happened twice: an
error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.row_store import RowStore
from paywright_audit.cross_exchange.rows import UNKNOWN, Row
from paywright_audit.cross_exchange.verdicts import Verdict
from paywright_audit.judging.operation_facts import facts_of

__all__ = ["changed_keys"]

_SHORT: Final = CONTRACT.limits()["not-exist-interval"].seconds or 0
"""How long after an unknown outcome the same request under another key is taken for a retry: nothing can be known sooner."""

_MOST: Final = 100  # writes of one content that are compared, the latest


def changed_keys(store: RowStore) -> Iterator[tuple[Row, Verdict]]:
    """Yield every write that repeats one of unknown outcome under another key before that outcome was learned."""
    content: int | None = None
    unknown: dict[str, Row] = {}
    for row in store.uncertain():
        if row.content != content:
            content, unknown = row.content, {}
        for subject, earlier in list(unknown.items()):
            if row.at > earlier.until + _SHORT:
                del unknown[subject]
        # A write sent while the other was still in progress is no retry.
        others = [one for one in unknown.values() if one.subject != row.subject and one.until <= row.at]
        before = next((one for one in reversed(others) if not store.learned(one, row)), None)
        if before is not None:
            yield row, _verdict(store, row, before)
        unknown.pop(row.subject, None)
        if row.outcome == UNKNOWN:
            unknown[row.subject] = row
            if len(unknown) > _MOST:
                del unknown[next(iter(unknown))]


def _verdict(store: RowStore, row: Row, before: Row) -> Verdict:
    key = facts_of(row.operation).operation.key
    seconds = round(row.at - before.at)
    words = (
        f"{seconds} seconds before, the same request but for its {key} was sent under another, had no usable answer and was not "
        "inquired"
    )
    if store.shown(row.subject) and store.shown(before.subject):
        return Verdict("placed-twice", f"{words}; the gateway has both")
    return Verdict("key-changed", f"{words}; if it was a retry, it may have been done twice")
