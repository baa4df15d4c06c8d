"""The report as JSON lines: `finding` and `note` in order of time, then `unreadable`, then `summary`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from paywright_audit.judging.findings import Severity
from paywright_audit.report.model import Group, Report
from paywright_audit.report.rule_words import rule_totals

__all__ = ["counted_groups", "json_lines"]


def json_lines(report: Report) -> Iterator[str]:
    """Yield the lines, without line ends."""
    found = [(one.spot, group, one) for group in report.groups if group.suppressed is None for one in group.evidence]
    for _, group, one in sorted(found, key=lambda item: (item[0], item[1].id)):
        line: dict[str, object] = {
            "type": "note" if group.severity is Severity.NOTE else "finding",
            "file": one.file,
            "place": one.place,
            "operation": group.operation,
            "part": group.part,
            "pointer": one.pointer,
            "code": group.code,
            "message": one.message,
            "severity": group.severity,
            "contract": group.contract,
            "at": one.at,
            "new": group.new,
            "by": group.by,
        }
        if one.value is not None:
            line["value"] = one.value
        if one.other is not None:
            line["other"] = asdict(one.other)
        yield _line(line)
    for unread in report.unreadable:
        yield _line({"type": "unreadable", "file": unread.file, "place": unread.place, "message": unread.message})
    totals, judged = report.totals, report.judged
    yield _line(
        {
            "type": "summary",
            "v": 1,
            "judged": {
                "bodies": [judged.bodies, judged.bodies_of],
                "signatures": [judged.signatures, judged.signatures_of],
                "times": [judged.times, judged.times_of],
                "nothing": list(judged.nothing),
                "altered": judged.altered,
                "odd": dict(judged.odd),
                "apart": judged.apart,
                "blind": judged.blind,
            },
            "exchanges": totals.exchanges,
            "matched": totals.matched,
            "unmatched": totals.unmatched,
            "unreadable": totals.unreadable,
            "unanswered": totals.unanswered,
            "unjudged": totals.unjudged,
            "copies": totals.copies,
            "findings": totals.findings,
            "signatures": report.signatures,
            "unverifiable": report.unverifiable,
            "operations": report.operations,
            "errors": totals.errors,
            "warnings": totals.warnings,
            "notes": totals.notes,
            "suppressed": totals.suppressed,
            "known": totals.known,
            "failing": totals.failing,
            "rules": [asdict(rule) for rule in rule_totals(report)],
            "groups": [_counted(group) for group in counted_groups(report)],
        }
    )


def counted_groups(report: Report) -> list[Group]:
    """Return the groups that are not suppressed."""
    return [group for group in report.groups if group.suppressed is None]


def _counted(group: Group) -> dict[str, object]:
    return {
        "id": group.id,
        "severity": group.severity,
        "count": group.count,
        "known": group.known,
        "shown": len(group.evidence),
    }


def _line(value: dict[str, object]) -> str:
    return json.dumps(value, separators=(",", ":"))
