"""The report as one JSON document, with the members of `paywright_audit.report.model`, and as JSON lines.

The lines are `finding` and `note` in order of time, then `unreadable`, then `summary`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Final

from paywright_audit.judging.findings import Severity
from paywright_audit.report.model import Evidence, Group, Report
from paywright_audit.report.rule_words import remedy_of, rule_totals

_OF_GROUP: Final = ("operation", "part", "code", "severity", "contract", "new", "by")


def json_lines(report: Report) -> Iterator[str]:
    """Yield the lines, without line ends."""
    found = [(one.spot, group, one) for group in report.groups for one in group.evidence]
    for _, group, one in sorted(found, key=lambda item: (item[0], item[1].id)):
        line = {
            "type": "note" if group.severity is Severity.NOTE else "finding",
            **_evidence(one),
            **{name: getattr(group, name) for name in _OF_GROUP},
        }
        yield _line(line)
    for unread in report.unreadable:
        yield _line({"type": "unreadable", **asdict(unread)})
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
                "zones": dict(judged.zones),
                "apart": judged.apart,
                "blind": judged.blind,
            },
            **asdict(totals),
            "signatures": report.signatures,
            "unverifiable": report.unverifiable,
            "operations": report.operations,
            "rules": [asdict(rule) for rule in rule_totals(report)],
            "groups": [_counted(group) for group in report.groups],
        }
    )


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


def write_json(report: Report) -> str:
    """Return the document as text, ending with a line break."""
    return json.dumps(as_document(report), indent=1) + "\n"


def as_document(report: Report) -> Mapping[str, object]:
    """Return the document. While `v` is 1, members may be added, and none changes."""
    return {
        "v": 1,
        "tool": report.tool,
        "files": list(report.files),
        "values": report.showing,
        "failOn": report.fail_on,
        "totals": asdict(report.totals),
        "judged": asdict(report.judged),
        "signatures": report.signatures,
        "unverifiable": report.unverifiable,
        "operations": report.operations,
        "rules": [{**asdict(rule), "remedy": remedy_of(rule.code, rule.by)} for rule in rule_totals(report)],
        "groups": [
            {**asdict(group), "evidence": [_evidence(one) for one in group.evidence]} for group in report.groups
        ],
        "unreadable": [asdict(one) for one in report.unreadable],
    }


def _evidence(one: Evidence) -> dict[str, object]:
    """Return the members of a finding, `value` and `other` only if there are any."""
    shown = asdict(one)
    del shown["spot"]
    return {name: value for name, value in shown.items() if value is not None}
