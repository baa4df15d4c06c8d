"""Audit one part of the input: take exchanges, produce a `PartialResult` and rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from paywright_audit.cross_exchange.row_store import OFFSET_BITS, RowStore
from paywright_audit.cross_exchange.rows import rows_of
from paywright_audit.cross_exchange.run_rules import run_rules
from paywright_audit.input.records import Decoded, Exact, Exchange, Message, Parsed, Unreadable
from paywright_audit.judging.coverage import CoverageCounter
from paywright_audit.judging.finding_text import pattern_of
from paywright_audit.judging.findings import Finding, Severity, severity_of
from paywright_audit.judging.judge import Judged, judge_content, judge_signatures
from paywright_audit.judging.matching import Matcher
from paywright_audit.judging.operation_facts import OTHER, facts_of
from paywright_audit.judging.signatures import VALID, Keys, Verdict
from paywright_audit.partial_result import PartialResult, Settings

__all__ = ["UNSHOWN", "Auditor", "add_cross_exchange_findings"]

UNSHOWN = "(notifications not shown)"
"""What exchanges are counted under that are notifications of a type the contract does not show."""

_CROSS_EXCHANGE: Final = 1 << 20  # findings across exchanges sort after those of the exchange itself


_SOME: Final = 16  # exchanges judged together, stage by stage
_LARGE: Final = 1 << 20  # or this many bytes of them


class Auditor:
    """Judges exchanges. `close` returns the result."""

    __slots__ = (
        "_coverage",
        "_file",
        "_keys",
        "_matcher",
        "_operations",
        "_owners",
        "_settings",
        "_store",
        "_valid",
        "_verdicts",
        "partial",
    )  # fmt: skip

    def __init__(self, matcher: Matcher, keys: Keys, settings: Settings, store: RowStore) -> None:
        self._matcher = matcher
        self._keys = keys
        self._settings = settings
        self._store = store
        self._coverage = CoverageCounter()
        self._file = 0
        self._owners = store.owners
        self._verdicts: Counter[Verdict] = Counter()
        self._valid = 0
        self._operations: Counter[tuple[str, str | None]] = Counter()
        self.partial = PartialResult()

    def begin(self, file: int) -> None:
        """Set the number of the input that the following exchanges come from."""
        self._file = file

    def take_all(self, found: Iterable[Exchange | Unreadable]) -> None:
        """Judge exchanges in batches, and count what could not be read."""
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
        # Stage by stage, which uses the processor's caches better. Verifying alone is half of the time.
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
        facts = judged.facts
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
        if facts is None:
            self._operations[UNSHOWN, None] += 1
        else:
            notes = self._coverage.take(facts, judged.asked, judged.answered)
            if notes is not None:
                findings.extend(notes)
            answered = judged.answered
            code = answered.get(facts.code) if type(answered) is dict else None
            if type(code) is not str:
                code = None
            elif code not in facts.codes:
                code = OTHER
            self._operations[facts.name, code] += 1
        at = exchange.at
        if at is None:
            partial.untimed += 1
        else:
            partial.count_time(at, weighty)
            rows = rows_of(exchange, judged, self._file << OFFSET_BITS | exchange.offset, self._owners)
            if rows:
                self._store.add(rows)
        if findings:
            for order, finding in enumerate(findings):
                self._find(finding, exchange.offset, order, exchange.number, exchange.place, at)

    def end(self, start: int, lines: int) -> None:
        """Record how many units (lines, entries, flows) the range of the current input had that begins at `start`."""
        self.partial.lines[self._file, start] = lines

    def close(self) -> PartialResult:
        """Return the result, without the rules across exchanges."""
        partial = self.partial
        partial.coverage.update(self._coverage.coverage())
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
    """Return about how much memory a message takes, in bytes."""
    body = message.body
    if type(body) is Exact or type(body) is Decoded:
        return len(body.raw)
    return _LARGE if type(body) is Parsed else 0


def add_cross_exchange_findings(store: RowStore, partial: PartialResult, settings: Settings) -> None:
    """Run the rules across exchanges, and add their findings to the result."""
    store.consolidate()
    for row, finding in run_rules(store, settings.slack, several=len(settings.names) > 1):
        file, offset = row.spot >> OFFSET_BITS, row.spot & (1 << OFFSET_BITS) - 1
        pattern = pattern_of(_struct(finding), finding.pointer)
        partial.find(settings, finding, pattern, file, offset, _CROSS_EXCHANGE, row.number, partial.units[file], row.at)
    partial.copies += store.dropped()


def _struct(finding: Finding) -> str | None:
    if not finding.operation:
        return None
    facts = facts_of(finding.operation)
    return facts.asked.struct if finding.part == facts.asked.part else facts.answered.struct
