"""X-EXTERNAL-ID is unique within the day [4.17]. Whose day is not shown: it is one where both messages' own offsets say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from paywright.contract import CONTRACT
from paywright_tools.audit.across.rows import Row
from paywright_tools.audit.across.verdicts import Verdict
from paywright_tools.audit.findings import Finding
from paywright_tools.audit.plan import plan_of

__all__ = ["repeated_ids"]


def repeated_ids(rows: Iterable[Row]) -> Iterator[tuple[Row, Finding]]:
    """Every call whose number was used before on its day; of one number, in time."""
    last: datetime | None = None
    for row in rows:
        stamp = _stamp(row.began)
        if stamp is None:
            continue
        if last is not None:
            same = [
                stamp.astimezone(zone).date() == last.astimezone(zone).date() for zone in (stamp.tzinfo, last.tzinfo)
            ]
            if any(same):
                words = "was used before on the same day; it must be unique within a day"
                yield row, _finding(row, Verdict("external-id-reused", words, not all(same)))
        last = stamp


def _stamp(text: str | None) -> datetime | None:
    try:
        stamp = datetime.fromisoformat(text or "")
        stamp.astimezone()
    except (ValueError, OverflowError):
        return None
    return stamp if stamp.tzinfo is not None else None


def _finding(row: Row, verdict: Verdict) -> Finding:
    plan = plan_of(row.operation)
    headers = plan.asked.headers
    assert headers is not None
    struct = CONTRACT.struct(headers.struct)
    line = f"{struct.file}:{struct.by_wire['X-EXTERNAL-ID'].line}"
    code, words = verdict.said
    return Finding(row.operation, plan.asked.part, "@header/X-EXTERNAL-ID", code, words, line)
