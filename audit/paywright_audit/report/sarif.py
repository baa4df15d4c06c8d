"""The report as SARIF 2.1.0, for tools that show findings beside code: one result for each group.

The count of each result is exact (`occurrenceCount`), and a later run finds the same result again
(`partialFingerprints`). The evidence is its location and related locations.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from paywright_audit.judging.findings import severity_of
from paywright_audit.report.model import Evidence, Group, Report
from paywright_audit.report.rule_words import remedy_of, words_of
from paywright_audit.report.visible import visible

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_FINGERPRINT: Final = "paywrightGroup/v1"
_MOST_UNREAD: Final = 1000  # nobody reads a longer log
_INPUT: Final = "standard input"
_LINE: Final = re.compile(r"line ([1-9][0-9]{0,17})")

Json = dict[str, object]


def write_sarif(report: Report) -> str:
    """Return the log as text, ending with a line break. The same report gives the same bytes."""
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report)]}, indent=1) + "\n"


def _run(report: Report) -> Json:
    codes = sorted({group.code for group in report.groups})
    numbers = {code: number for number, code in enumerate(codes)}
    files = {name: number for number, name in enumerate(dict.fromkeys(report.files))}
    compared = any(not group.new for group in report.groups)
    name, _, version = report.tool.partition(",")[0].partition(" ")
    return {
        "tool": {
            "driver": {
                "name": f"{name} audit",
                "version": version,
                "shortDescription": {"text": "Judges captured traffic of payments against the gateway's contract."},
                "rules": list(map(_rule, codes)),
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report, files)],
        "artifacts": [{"location": _artifact(name), "roles": [_role(name)]} for name in files],
        "results": [_result(group, numbers[group.code], files, compared) for group in report.groups],
        "properties": {
            "exchanges": report.totals.exchanges,
            "matched": report.totals.matched,
            "failing": report.totals.failing,
            "failOn": report.fail_on.value,
            "values": report.showing,
            "signatures": report.signatures,
            "unverifiable": report.unverifiable,
        },
    }


def _rule(code: str) -> Json:
    words = words_of(code)
    return {
        "id": code,
        "shortDescription": {"text": _text(words.short)},
        "help": {"text": _text(words.help)},
        "defaultConfiguration": {"level": severity_of(code).value},
        "properties": {"contract": list(words.lines)},
    }


def _result(group: Group, rule: int, files: dict[str, int], compared: bool) -> Json:
    made: Json = {
        "ruleId": group.code,
        "ruleIndex": rule,
        "level": group.severity.value,
        "message": {"text": _message(group)},
        "occurrenceCount": group.count,
        "partialFingerprints": {_FINGERPRINT: visible(group.id)},
        # Every result has it, because its absence would mean unknown.
        "suppressions": list(_suppressions(group)),
        "properties": {
            "operation": group.operation,
            "part": group.part,
            "pattern": visible(group.pattern),
            "contract": group.contract,
            "by": group.by,
        },
    }
    if compared:
        made["baselineState"] = "new" if group.new else "unchanged"
    if group.evidence:
        first, *others = group.evidence
        made["locations"] = [_location(group, first, files)]
        related = [*_other(first, files)]
        for one in others:
            related += [{**_location(group, one, files), "message": {"text": _evidence(one)}}, *_other(one, files)]
        if related:
            made["relatedLocations"] = [{"id": number, **one} for number, one in enumerate(related, 1)]
    return made


def _message(group: Group) -> str:
    where = f"{group.operation or 'no operation'} {group.part}, {group.pattern or 'the whole message'}"
    line = f" ({group.contract})" if group.contract and group.contract not in group.message else ""
    first = f" First shown at {_evidence(group.evidence[0])}" if group.evidence else ""
    by, remedy = f"By the {group.by}: " if group.by else "", remedy_of(group.code, group.by)
    return f"{_text(f'{where}: {group.message}{line}')}{first}{_text(f' {by}{remedy}'.rstrip())}"


def _evidence(one: Evidence) -> str:
    at = f", {one.at}" if one.at else ""
    value = "" if one.value is None else f" [{one.value}]"
    return _text(f"{one.place or 'without a place'}{at}: {one.pointer or 'the whole message'}: {one.message}{value}")


def _location(group: Group, one: Evidence, files: dict[str, int]) -> Json:
    return {
        **_physical(one.file, files, one.place),
        "logicalLocations": [
            {
                "name": visible(one.pointer) or group.part,
                "fullyQualifiedName": f"{group.operation or '-'} {group.part} {visible(one.pointer)}".rstrip(),
                "kind": "member",
            }
        ],
    }


def _other(one: Evidence, files: dict[str, int]) -> Iterator[Json]:
    """Yield the location of the other exchange of a finding."""
    if one.other is None:
        return
    text = _text(f"the other exchange of {one.place or one.at or 'the finding'}: {one.other}")
    yield {**_physical(one.other.file, files, one.other.place), "message": {"text": text}}


def _physical(file: str, files: dict[str, int], place: str = "") -> Json:
    """Return the location of a place in a file, without a region if it is no line; {} without a file of the report."""
    if file not in files:
        return {}
    line = _LINE.fullmatch(place)
    region = {} if line is None else {"region": {"startLine": int(line[1])}}
    return {"physicalLocation": {"artifactLocation": {**_artifact(file), "index": files[file]}, **region}}


def _suppressions(group: Group) -> Iterator[Json]:
    if group.suppressed is not None:
        until = {"until": group.until}
        yield {
            "kind": "external",
            "status": "accepted",
            "justification": visible(group.suppressed),
            "properties": until,
        }


def _invocation(report: Report, files: dict[str, int]) -> Json:
    unread: list[Json] = [
        {
            "level": "error",
            "message": {"text": _text(f"{one.place} could not be read: {one.message}")},
            "locations": [_physical(one.file, files)] if one.file else [],
        }
        for one in report.unreadable[:_MOST_UNREAD]
    ]
    left = report.totals.unreadable - len(unread)
    if left > 0:
        unread.append({"level": "error", "message": {"text": f"and {left} more places could not be read"}})
    return {"executionSuccessful": not report.totals.unreadable, "toolExecutionNotifications": unread}


def _artifact(name: str) -> Json:
    if name == _INPUT:
        return {"description": {"text": name}}
    path = name.replace("\\", "/") if os.name == "nt" else name
    absolute = path.startswith("/") or (os.name == "nt" and path[1:3] == ":/")
    return {"uri": f"file://{'' if path[:1] == '/' else '/'}{quote(path)}" if absolute else quote(path)}


def _role(name: str) -> str:
    return "standardStream" if name == _INPUT else "analysisTarget"


def _text(text: str) -> str:
    """Escape braces, which make placeholders, and brackets, which make links."""
    return visible(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")
