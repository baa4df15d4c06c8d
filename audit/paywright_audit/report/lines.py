"""The report as one JSON document, with the members of `paywright_audit.report.model`, and as JSON lines.

The lines are `finding` and `note` in order of time, then `unreadable`, then `summary`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from paywright_audit.judging.findings import Severity
from paywright_audit.report.model import Evidence, Report
from paywright_audit.report.rule_words import remedy_of, rule_totals

_OF_GROUP: Final = ("operation", "part", "code", "severity", "contract", "new", "by")
_COUNTED: Final = ("id", "severity", "count", "known")


def json_lines(report: Report) -> Iterator[str]:
    """Yield the lines, without line ends."""
    found = [(one.spot, group, one) for group in report.groups for one in group.evidence]
    for _, group, one in sorted(found, key=lambda item: (item[0], item[1].id)):
        kind = "note" if group.severity is Severity.NOTE else "finding"
        yield _line({"type": kind, **_evidence(one), **{name: getattr(group, name) for name in _OF_GROUP}})
    for unread in report.unreadable:
        yield _line({"type": "unreadable", **asdict(unread)})
    groups = [
        {**{name: getattr(group, name) for name in _COUNTED}, "shown": len(group.evidence)} for group in report.groups
    ]
    yield _line({"type": "summary", **_summary(report), **asdict(report.totals), "groups": groups})


def _line(value: dict[str, object]) -> str:
    return json.dumps(value, separators=(",", ":"))


def write_json(report: Report) -> str:
    """Return the document as text, ending with a line break. While `v` is 1, members may be added, and none changes."""
    document = {
        **_summary(report),
        "totals": asdict(report.totals),
        "groups": [{**asdict(group), "evidence": [*map(_evidence, group.evidence)]} for group in report.groups],
        "unreadable": [asdict(one) for one in report.unreadable],
    }
    return json.dumps(document, indent=1) + "\n"


def _summary(report: Report) -> dict[str, object]:
    """Return what both forms say of the whole capture."""
    return {
        "v": 1,
        "tool": report.tool,
        "files": list(report.files),
        "values": report.showing,
        "failOn": report.fail_on,
        "judged": asdict(report.judged),
        "signatures": report.signatures,
        "unverifiable": report.unverifiable,
        "operations": report.operations,
        "rules": [{**asdict(rule), "remedy": remedy_of(rule.code, rule.by)} for rule in rule_totals(report)],
    }


def _evidence(one: Evidence) -> dict[str, object]:
    """Return the members of a finding, `value` and `other` only if there are any."""
    shown = asdict(one)
    del shown["spot"]
    return {name: value for name, value in shown.items() if value is not None}
