"""The report for people at a terminal: each finding that is shown, and a summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from paywright_tools.audit.findings import Severity
from paywright_tools.audit.report.lines import counted_groups
from paywright_tools.audit.report.model import Evidence, Group, Report
from paywright_tools.terminal import paint

__all__ = ["text_lines"]

_STATES: Final = ("valid", "invalid", "unverifiable", "absent")
_COLOURS: Final = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def text_lines(report: Report) -> Iterator[str]:
    """Line by line; nothing in it could steer a terminal."""
    groups = counted_groups(report)
    found = [(one.spot, group.id, group, one) for group in groups for one in group.evidence]
    for _, _, group, one in sorted(found, key=lambda item: item[:2]):
        yield _finding(group, one)
    for group in groups:
        if not group.evidence:
            yield f"{paint(group.code, _COLOURS[group.severity])}: {group.message}"
    for unread in report.unreadable:
        yield f"{unread.file}, {unread.place}: {paint('unreadable', 'yellow')}: {unread.message}"
    for group in groups:
        if 0 < len(group.evidence) < group.count:
            yield f"  {group.count:6} in all, of which {len(group.evidence)} are shown: {group.id}"
    yield from _counts(report)
    yield _verdict(report)


def _finding(group: Group, one: Evidence) -> str:
    what = f"{group.operation or 'a notification not shown'} {group.part}"
    where = paint(one.pointer or "(the whole message)", "bold")
    code = paint(group.code, _COLOURS[group.severity])
    weight = "" if group.severity is Severity.ERROR else f" ({group.severity})"
    value = "" if one.value is None else f" [{one.value}]"
    line = f" ({group.contract})" if group.contract and group.contract not in one.message else ""
    known = "" if group.new else " (known)"
    return f"{one.file}, {one.place}: {what}: {where}: {code}{weight}: {one.message}{line}{value}{known}"


def _counts(report: Report) -> Iterator[str]:
    totals = report.totals
    unmatched = f"{totals.unmatched} of something else"
    yield f"{_count(totals.exchanges, 'exchange')}, {totals.matched} of the contract, {unmatched}"
    for name, number in report.operations.items():
        yield f"  {number:6} {name}"
    yield "signatures: " + ", ".join(f"{report.signatures[state]} {state}" for state in _STATES)
    for words, number in report.unverifiable.items():
        yield f"  {number:6} unverifiable: {words}"
    for number, words in (
        (totals.unanswered, "without an answer"),
        (totals.unjudged, "whose body the capture does not have"),
        (totals.untimed, "without a time, which no rule across exchanges can judge"),
        (totals.unreadable, "that could not be read"),
        (totals.suppressed, "findings that are suppressed"),
        (totals.known, "findings that the baseline has"),
    ):
        if number:
            yield f"  {number:6} {words}"


def _verdict(report: Report) -> str:
    totals = report.totals
    notes = f", {_count(totals.notes, 'note')}" if totals.notes else ""
    if not totals.findings:
        return paint("no finding", "green") + notes
    kinds = f": {_count(totals.errors, 'error')}, {_count(totals.warnings, 'warning')}"
    return paint(_count(totals.findings, "finding"), "red" if totals.failing else "yellow") + kinds + notes


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
