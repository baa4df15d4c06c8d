"""The whole report as one JSON document. Its members are those of `paywright_audit.report.model`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

from paywright_audit.report.model import Evidence, Report
from paywright_audit.report.rule_words import remedy_of, rule_totals

__all__ = ["as_document", "write_json"]


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
        "rules": [{**asdict(rule), "remedy": remedy_of(rule.code, rule.by)} for rule in rule_totals(report)],
        "groups": [
            {
                "id": group.id,
                "code": group.code,
                "severity": group.severity,
                "by": group.by,
                "operation": group.operation,
                "part": group.part,
                "pattern": group.pattern,
                "count": group.count,
                "new": group.new,
                "known": group.known,
                "suppressed": group.suppressed,
                "message": group.message,
                "contract": group.contract,
                "evidence": [_evidence(one) for one in group.evidence],
            }
            for group in report.groups
        ],
        "coverage": {
            "operations": [asdict(one) for one in report.seen],
            "members": [asdict(one) for one in report.members],
            "values": [asdict(one) for one in report.values],
        },
        "timeline": {"seconds": report.bucket_seconds, "buckets": [asdict(one) for one in report.timeline]},
        "unreadable": [asdict(one) for one in report.unreadable],
        "suppressions": [asdict(one) for one in report.suppressions],
    }


def _evidence(one: Evidence) -> dict[str, object]:
    shown: dict[str, object] = {
        "file": one.file,
        "place": one.place,
        "at": one.at,
        "pointer": one.pointer,
        "message": one.message,
    }
    if one.value is not None:
        shown["value"] = one.value
    if one.other is not None:
        shown["other"] = asdict(one.other)
    return shown
