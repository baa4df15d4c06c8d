"""The report for a terminal: the judged parts, the first findings, a table by rule with remedies, and the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from paywright_audit.judging.clocks import NEAR
from paywright_audit.judging.findings import Severity
from paywright_audit.report.model import Evidence, Group, Report
from paywright_audit.report.rule_words import remedy_of, rule_totals

Paint: TypeAlias = Callable[[str, str], str]
"""Function that paints a text: bold, dim, red, green or yellow."""

_LINES: Final = 40  # lines of findings
_EACH: Final = 10  # of one group
_UNREADABLE: Final = 20
_TOLD: Final = ("evidence-missing", "signature-unverifiable", "capture-changed")
"""Notes with something to do about them."""
_COLOURS: Final = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}
_NOTHING: Final = {
    "exchanges": "no exchange belongs to the contract",
    "bodies": "the capture has none as it was sent",
    "signatures": "none of them could be verified",
    "times": "they have no time, which rules across exchanges need",
}


def _unpainted(text: str, _colour: str) -> str:
    return text


def text_lines(report: Report, paint: Paint = _unpainted) -> Iterator[str]:
    """Yield the report line by line, without line ends. Only `paint` adds control characters."""
    yield _judged(report, paint)
    groups = report.groups
    shown = [(group, one) for group in groups for one in group.evidence[:_EACH]][:_LINES]
    for group, one in shown:
        yield _finding(group, one, paint)
    left = sum(group.count for group in groups) - len(shown) - sum(not group.evidence for group in groups)
    for group in groups:
        if not group.evidence:
            yield f"{paint(group.code, _COLOURS[group.severity])}: {group.message}"
    for unread in report.unreadable[:_UNREADABLE]:
        yield f"{', '.join(filter(None, (unread.file, unread.place)))}: {paint('unreadable', 'yellow')}: {unread.message}"
    if len(report.unreadable) > _UNREADABLE:
        yield f"... and {report.totals.unreadable - _UNREADABLE} more unreadable places: --write lists them"
    if left > 0:
        yield f"... and {left} more: --format json, or --write with .json, shows them"
    yield from _rules(report, paint)
    yield from _counts(report)
    yield _verdict(report, paint)


def _judged(report: Report, paint: Paint) -> str:
    judged = report.judged
    said = [
        f"{number} of {total} {what}"
        for number, total, what in (
            (judged.bodies, judged.bodies_of, "bodies"),
            (judged.signatures, judged.signatures_of, "signatures"),
            (judged.times, judged.times_of, "exchanges by their time"),
        )
    ]
    line = f"judged: {', '.join(said)}"
    doubts = doubts_of(report)
    if doubts:
        line = f"{line}. {paint(doubts, 'yellow')}"
    missing = missing_of(report)
    return f"{line}. {paint('NOT PROVEN', 'red' if judged.required else 'yellow')}: {missing}" if missing else line


def missing_of(report: Report) -> str:
    """Return the parts that could not be judged at all, with reasons; "" if there are none."""
    said = [f"{name}: {_NOTHING[name]}" for name in report.judged.nothing]
    if report.judged.swapped:
        said.append("the keys of the two sides look swapped")
    return "; ".join(said)


def doubts_of(report: Report) -> str:
    """Return what the capture altered, what of it is not understood, how far its clocks differ, and why it is not complete."""
    judged, said = report.judged, []
    if judged.altered:
        said.append(f"{_count(judged.altered, 'message')} altered by the capture")
    if judged.odd:
        said.append(f"not understood: {', '.join(f'the {name} of {number}' for name, number in judged.odd.items())}")
    for zone, number in judged.zones.items():
        hours, minutes = divmod(abs(zone) // 60, 60)
        name = f"{'-' if zone < 0 else '+'}{hours:02}:{minutes:02}"
        said.append(f"the times of {_count(number, 'exchange')} are another zone's ({name}), and were corrected")
    if judged.apart > NEAR + max(map(abs, judged.zones), default=0):
        far = f"clocks differ by up to {round(judged.apart)} seconds"
        said.append(f"{far}, and each exchange's time may be wrong by as much")
    if judged.complete and (judged.blind or report.totals.unreadable):
        lost = _count(judged.blind + report.totals.unreadable, "exchange")
        said.append(f"not complete: the capture lost the subject of {lost}")
    return "; ".join(said)


def _rules(report: Report, paint: Paint) -> Iterator[str]:
    totals = rule_totals(report)
    if not totals:
        return
    width = max(len(one.code) for one in totals)
    yield "by rule:"
    for one in totals:
        known = f", {one.known} of them known" if one.known else ""
        where = f" in {one.operations} operations" if one.operations > 1 else ""
        by = f" by the {one.by}" if one.by else ""
        code = paint(one.code.ljust(width) if by or where or known else one.code, _COLOURS[one.severity])
        yield f"  {one.count:6} {one.severity:7} {code}{by}{where}{known}"
        remedy = remedy_of(one.code, one.by)
        if remedy and (one.severity is not Severity.NOTE or one.code in _TOLD):
            yield f"         {remedy}"


def _finding(group: Group, one: Evidence, paint: Paint) -> str:
    what = f"{group.operation} {group.part}" if group.operation else "notification of an unknown kind"
    where = paint(one.pointer or "(the whole message)", "bold")
    code = paint(group.code, _COLOURS[group.severity])
    weight = "" if group.severity is Severity.ERROR else f" ({group.severity})"
    value = "" if one.value is None else f" [{one.value}]"
    line = f" ({group.contract})" if group.contract and group.contract not in one.message else ""
    known = "" if group.new else " (known)"
    place = ", ".join(filter(None, (one.file, one.place))) or one.at or "without a place"
    by = f" by the {group.by}" if group.by else ""
    other = "" if one.other is None else f"; the other exchange: {one.other}"
    return f"{place}: {what}: {where}: {code}{weight}{by}: {one.message}{line}{value}{other}{known}"


def _counts(report: Report) -> Iterator[str]:
    totals = report.totals
    unmatched = f"{totals.unmatched} of something else"
    yield f"{_count(totals.exchanges, 'exchange')}, {totals.matched} of the contract, {unmatched}"
    for name, number in report.operations.items():
        yield f"  {number:6} {name}"
    yield "signatures: " + ", ".join(f"{number} {state}" for state, number in report.signatures.items())
    for words, number in report.unverifiable.items():
        yield f"  {number:6} unverifiable: {words}"
    for number, words in (
        (totals.unanswered, "without an answer"),
        (totals.unjudged, "whose body the capture does not have, or changed"),
        (totals.untimed, "without a time, which rules across exchanges need"),
        (totals.copies, "in the capture more than once, counted once across exchanges"),
        (totals.unreadable, "that could not be read"),
        (totals.known, "findings that the baseline has"),
    ):
        if number:
            yield f"  {number:6} {words}"


def _verdict(report: Report, paint: Paint) -> str:
    totals = report.totals
    notes = f", {_count(totals.notes, 'note')}" if totals.notes else ""
    if not totals.findings:
        return (paint("nothing proven", "red") if report.judged.required else paint("no finding", "green")) + notes
    kinds = f": {_count(totals.errors, 'error')}, {_count(totals.warnings, 'warning')}"
    return paint(_count(totals.findings, "finding"), "red" if totals.failing else "yellow") + kinds + notes


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
