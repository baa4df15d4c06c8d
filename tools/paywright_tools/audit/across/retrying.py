"""After an unknown outcome the same write is not sent under another key: nobody could tell whether it happened [4.3]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from paywright.contract import CONTRACT
from paywright_tools.audit.across.ledger import Ledger
from paywright_tools.audit.across.rows import UNKNOWN, Row
from paywright_tools.audit.findings import Finding
from paywright_tools.audit.plan import plan_of

__all__ = ["changed_keys"]

_SHORT: Final = CONTRACT.limits()["not-exist-interval"].seconds or 0
"""How long after an unknown outcome the same request under another key is taken for a retry: nothing can be known sooner."""


def changed_keys(ledger: Ledger) -> Iterator[tuple[Row, Finding]]:
    """Every write that repeats one of unknown outcome under another key, before anything was learned of that one."""
    content: int | None = None
    unknown: dict[str, Row] = {}
    for row in ledger.uncertain():
        if row.content != content:
            content, unknown = row.content, {}
        for subject, earlier in list(unknown.items()):
            if row.at > earlier.until + _SHORT:
                del unknown[subject]
        before = next((one for one in reversed(unknown.values()) if one.subject != row.subject), None)
        if before is not None and not ledger.learned(before.subject, before, row):
            yield row, _finding(row)
        if row.outcome == UNKNOWN:
            unknown.pop(row.subject, None)
            unknown[row.subject] = row
            if len(unknown) > 2:  # the latest of two subjects suffice: one of them is another than any next one's
                del unknown[next(iter(unknown))]
        else:
            unknown.pop(row.subject, None)


def _finding(row: Row) -> Finding:
    plan = plan_of(row.operation)
    operation = plan.operation
    words = (
        f"the same request was sent before under another {operation.key}, with an unknown outcome that was not inquired"
    )
    pointer = f"/data/{operation.key}" if operation.data else f"/{operation.key}"
    return Finding(
        row.operation, plan.asked.part, pointer, "key-changed", words, f"{operation.file}:{operation.line}", row.spelled
    )
