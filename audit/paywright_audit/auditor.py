"""The audit of one part of the input: exchanges in, a `Partial` and a ledger of rows out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from paywright_tools.audit.across.ledger import OFFSET_BITS, Ledger
from paywright_tools.audit.across.rows import rows_of
from paywright_tools.audit.across.run_rules import run_rules
from paywright_tools.audit.census import Census
from paywright_tools.audit.findings import Finding, Severity, severity_of
from paywright_tools.audit.judging import Judged, judge_content, judge_signatures
from paywright_tools.audit.matching import Matcher
from paywright_tools.audit.partial import Partial, Settings
from paywright_tools.audit.plan import OTHER, plan_of
from paywright_tools.audit.records import Exact, Exchange, Message, Parsed, Perhaps, Unreadable
from paywright_tools.audit.signatures import VALID, Keys, Verdict
from paywright_tools.audit.wording import pattern_of

__all__ = ["UNSHOWN", "Auditor", "settle_ledger"]

UNSHOWN = "(notifications not shown)"
"""What exchanges are counted under that are notifications of a type the contract does not show."""

_ACROSS: Final = 1 << 20  # the order of findings across exchanges: behind those of the exchange itself


_SOME: Final = 16  # exchanges that are judged stage by stage
_LARGE: Final = 1 << 20  # or so many bytes of them


class Auditor:
    """Judges exchanges. What it came to is in `partial` after `close`."""

    __slots__ = (
        "_census", "_file", "_keys", "_ledger", "_matcher", "_operations", "_owners", "_settings", "_valid", "_verdicts",
        "partial",
    )  # fmt: skip

    def __init__(self, matcher: Matcher, keys: Keys, settings: Settings, ledger: Ledger) -> None:
        self._matcher = matcher
        self._keys = keys
        self._settings = settings
        self._ledger = ledger
        self._census = Census()
        self._file = 0
        self._owners = ledger.owners
        self._verdicts: Counter[Verdict] = Counter()
        self._valid = 0
        self._operations: Counter[tuple[str, str | None]] = Counter()
        self.partial = Partial()

    def begin(self, file: int) -> None:
        """What follows is of the input of that number."""
        self._file = file

    def take_all(self, found: Iterable[Exchange | Unreadable]) -> None:
        """Judges exchanges, some at a time, and counts what could not be read."""
        some: list[Exchange] = []
        size = 0
        for one in found:
            if isinstance(one, Unreadable):
                self.partial.break_off(self._file, one)
                continue
            some.append(one)
            body, answer = one.request.body, one.response
            size += len(body.raw) if type(body) is Exact else _size(one.request)
            if answer is not None:
                body = answer.body
                size += len(body.raw) if type(body) is Exact else _size(answer)
            if len(some) == _SOME or size > _LARGE:
                self._take(some)
                some.clear()
                size = 0
        self._take(some)

    def _take(self, some: Sequence[Exchange]) -> None:
        # Stage by stage: each then finds its code and data in the processor's caches, and verifying alone is half of all.
        if some:
            self.partial.units[self._file] = some[0].place
        match, keys = self._matcher.match, self._keys
        judged: list[tuple[Exchange, Judged]] = []
        for exchange in some:
            matched = match(exchange)
            if matched is not None:
                judged.append((exchange, judge_content(exchange, matched)))
        for _, one in judged:
            judge_signatures(one, keys)
        self.partial.exchanges += len(some)
        self.partial.matched += len(judged)
        for exchange, one in judged:
            self._count(exchange, one)

    def _count(self, exchange: Exchange, judged: Judged) -> None:
        partial = self.partial
        plan = judged.plan
        if judged.unanswered:
            partial.unanswered += 1
        partial.unjudged += judged.unjudged
        partial.judged += judged.judged
        for verdict in judged.signatures:
            if verdict is VALID:
                self._valid += 1
            else:
                self._verdicts[verdict] += 1
        findings = judged.findings
        weighty = bool(findings) and any(severity_of(one.code) is not Severity.NOTE for one in findings)
        if plan is None:
            self._operations[UNSHOWN, None] += 1
        else:
            notes = self._census.take(plan, judged.asked, judged.answered)
            if notes is not None:
                findings.extend(notes)
            answered = judged.answered
            code = answered.get(plan.code) if type(answered) is dict else None
            if type(code) is not str:
                code = None
            elif code not in plan.codes:
                code = OTHER
            self._operations[plan.name, code] += 1
        at = exchange.at
        if at is None:
            partial.untimed += 1
        else:
            partial.count_time(at, weighty)
            rows = rows_of(exchange, judged, self._file << OFFSET_BITS | exchange.offset, self._owners)
            if rows:
                self._ledger.add(rows)
        if findings:
            for order, finding in enumerate(findings):
                self._find(finding, exchange.offset, order, exchange.number, exchange.place, at)

    def end(self, start: int, lines: int) -> None:
        """The range of the current input that begins at `start` had so many units."""
        self.partial.lines[self._file, start] = lines

    def close(self) -> Partial:
        """What it all came to, but for the rules across exchanges."""
        partial = self.partial
        partial.coverage.update(self._census.coverage())
        if self._valid:
            self._verdicts[VALID] += self._valid
            self._valid = 0
        for verdict, number in self._verdicts.items():
            partial.signatures[verdict.state, verdict.why] += number
        for (operation, code), number in self._operations.items():
            partial.operations[operation] += number
            if code is not None:
                partial.codes[operation, code] += number
        return partial

    def _find(self, finding: Finding, offset: int, order: int, number: int, unit: str, at: float | None) -> None:
        pattern = pattern_of(_struct(finding), finding.pointer)
        self.partial.find(self._settings, finding, pattern, self._file, offset, order, number, unit, at)


def _size(message: Message) -> int:
    """About how much memory a message takes."""
    body = message.body
    if type(body) is Exact or type(body) is Perhaps:
        return len(body.raw)
    return _LARGE if type(body) is Parsed else 0


def settle_ledger(ledger: Ledger, partial: Partial, settings: Settings) -> None:
    """Adds what the rules across exchanges find to what the exchanges themselves came to."""
    ledger.settle()
    for row, finding in run_rules(ledger, settings.slack, several=len(settings.names) > 1):
        file, offset = row.spot >> OFFSET_BITS, row.spot & (1 << OFFSET_BITS) - 1
        pattern = pattern_of(_struct(finding), finding.pointer)
        partial.find(settings, finding, pattern, file, offset, _ACROSS, row.number, partial.units[file], row.at)
    partial.copies += ledger.dropped()


def _struct(finding: Finding) -> str | None:
    if not finding.operation:
        return None
    plan = plan_of(finding.operation)
    return plan.asked.struct if finding.part == plan.asked.part else plan.answered.struct
