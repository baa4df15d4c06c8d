"""Check that X-EXTERNAL-ID is unique within the day [4.17].

The specification does not name the day's time zone. Two calls are certainly on one day if they are so in the offsets of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.history.rows import Row
from paywright_audit.cross_exchange.rules.verdicts import RuleVerdict, other_of
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.operation_facts import facts_of


def repeated_ids(rows: Iterable[Row]) -> Iterator[tuple[Row, Finding]]:
    """Yield every call whose number was used before on its day. `rows` are those of one number in order of time."""
    last: datetime | None = None
    before: Row | None = None
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
                yield row, _finding(row, RuleVerdict("external-id-reused", words, before, not all(same)))
        last, before = stamp, row


def _stamp(text: str | None) -> datetime | None:
    try:
        stamp = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    # In the first and the last year that there are, another offset may leave them.
    return stamp if stamp.tzinfo is not None and 1 < stamp.year < 9999 else None


def _finding(row: Row, verdict: RuleVerdict) -> Finding:
    facts = facts_of(row.operation)
    headers = facts.asked.headers
    assert headers is not None
    line = CONTRACT.place(headers.struct, member="X-EXTERNAL-ID")
    code, words = verdict.said
    other = other_of(verdict.other)
    return Finding(row.operation, facts.asked.part, "@header/X-EXTERNAL-ID", code, words, line, other=other)
