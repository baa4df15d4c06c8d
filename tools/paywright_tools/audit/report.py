"""Printing what was found, as it is found: text for people, JSON lines for programs. No value of a message is in either."""

from __future__ import annotations

import json
from collections import Counter
from typing import Final, Protocol

from paywright_tools.audit.judging import Finding, Judged
from paywright_tools.audit.records import Unreadable
from paywright_tools.terminal import paint, plain, say

__all__ = ["JsonReport", "Report", "TextReport", "Totals"]

_STATES: Final = ("valid", "invalid", "unverifiable", "absent")


class Totals:
    """What is counted over all files."""

    def __init__(self) -> None:
        self.exchanges = 0
        self.matched = 0
        self.findings = 0
        self.unreadable = 0
        self.unanswered = 0
        self.unjudged = 0
        self.operations: Counter[str] = Counter()
        self.signatures: Counter[str] = Counter()
        self.unverifiable: Counter[str] = Counter()

    def add(self, operation: str, judged: Judged) -> None:
        """Counts a matched exchange."""
        self.matched += 1
        self.operations[operation] += 1
        self.findings += len(judged.findings)
        self.unanswered += judged.unanswered
        self.unjudged += judged.unjudged
        for verdict in judged.signatures:
            self.signatures[verdict.state] += 1
            if verdict.state == "unverifiable":
                self.unverifiable[verdict.words] += 1


class Report(Protocol):
    """Is told of everything in order, and of the totals at the end."""

    def finding(self, file: str, place: str, finding: Finding) -> None: ...

    def unreadable(self, file: str, what: Unreadable) -> None: ...

    def end(self, totals: Totals) -> None: ...


class TextReport:
    """One line a finding, and a summary."""

    def finding(self, file: str, place: str, finding: Finding) -> None:
        what = f"{finding.operation or 'a notification not shown'} {finding.part}"
        where = finding.pointer or "(the whole message)"
        say(f"{_name(file)}, {place}: {what}: {paint(where, 'bold')}: {paint(finding.code, 'red')}: {finding.message}")

    def unreadable(self, file: str, what: Unreadable) -> None:
        say(f"{_name(file)}, {what.place}: {paint('unreadable', 'yellow')}: {what.why}")

    def end(self, totals: Totals) -> None:
        unmatched = totals.exchanges - totals.matched
        say(f"{_count(totals.exchanges, 'exchange')}, {totals.matched} of the contract, {unmatched} of something else")
        for name, number in sorted(totals.operations.items()):
            say(f"  {number:6} {name}")
        say("signatures: " + ", ".join(f"{totals.signatures[state]} {state}" for state in _STATES))
        for words, number in sorted(totals.unverifiable.items()):
            say(f"  {number:6} unverifiable: {words}")
        for number, words in (
            (totals.unanswered, "without an answer"),
            (totals.unjudged, "whose body the capture does not have"),
            (totals.unreadable, "that could not be read"),
        ):
            if number:
                say(f"  {number:6} {words}")
        verdict = _count(totals.findings, "finding") if totals.findings else "no finding"
        say(paint(verdict, "red" if totals.findings else "green"))


class JsonReport:
    """JSON lines: `finding` and `unreadable` as they come, `summary` at the end."""

    def finding(self, file: str, place: str, finding: Finding) -> None:
        _line({"type": "finding", "file": file, "place": place, **finding._asdict()})

    def unreadable(self, file: str, what: Unreadable) -> None:
        _line({"type": "unreadable", "file": file, "place": what.place, "message": what.why})

    def end(self, totals: Totals) -> None:
        _line(
            {
                "type": "summary",
                "v": 1,
                "exchanges": totals.exchanges,
                "matched": totals.matched,
                "unmatched": totals.exchanges - totals.matched,
                "unreadable": totals.unreadable,
                "unanswered": totals.unanswered,
                "unjudged": totals.unjudged,
                "findings": totals.findings,
                "signatures": {state: totals.signatures[state] for state in _STATES},
                "unverifiable": dict(sorted(totals.unverifiable.items())),
                "operations": dict(sorted(totals.operations.items())),
            }
        )


def _line(value: dict[str, object]) -> None:
    say(json.dumps(value, separators=(",", ":")))


def _name(file: str) -> str:
    return "standard input" if file == "-" else plain(file).replace("\n", "\\n")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
