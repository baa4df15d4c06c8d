"""The audit as three functions: judge exchanges, relate rows, merge results.

`judge` turns exchanges into a partial result and rows. `relate` turns the rows of one key into a partial result and perhaps rows
for a later round. `merge` turns partial results into the report. Each depends on its arguments alone, however the exchanges
and the rows are distributed and ordered. `audit_rows` shows how they belong together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from paywright_audit.cross_exchange.evidence.owners import Same
from paywright_audit.cross_exchange.evidence.related_rows import Key, Related, Round, alias_of, key_of, united
from paywright_audit.cross_exchange.evidence.rows import Row, Values
from paywright_audit.cross_exchange.rules.timing import CaptureFacts
from paywright_audit.cross_exchange.run_rules import relate_key
from paywright_audit.input.records import Exchange, Unreadable
from paywright_audit.judging.matching import Matcher
from paywright_audit.judging.signatures import Keys
from paywright_audit.report.build_report import build_report
from paywright_audit.report.model import Report
from paywright_audit.result.partial_result import PartialResult, PlacedFinding, Settings
from paywright_audit.running.auditor import Auditor, add_row_findings
from paywright_audit.settings.audit_settings import AuditInput
from paywright_audit.settings.policy import ReportPolicy

__all__ = ["Part", "RowList", "audit_rows", "facts_in", "judge", "merge", "merge_partials", "owners_in", "relate"]


class Part(NamedTuple):
    """What a part of the input, or the rows of a key, came to.

    `rows` are to be related; `findings` are all findings if they were asked for.
    """

    partial: PartialResult
    rows: Sequence[Related]
    findings: Sequence[PlacedFinding] = ()


class RowList:
    """Keeps the rows of an auditor in a list, with those that tell the gateway's ids of refunds."""

    def __init__(self) -> None:
        self.taken: list[Related] = []

    def number_of(self, file: str) -> str:
        """Return the name itself."""
        return file

    def add(self, rows: Iterable[Values]) -> None:
        """Keep rows."""
        for values in rows:
            row = Row(*values)  # type: ignore[arg-type]  # in the order of its members
            self.taken.append(row)
            alias = alias_of(row)
            if alias is not None:
                self.taken.append(alias)


def judge(records: Iterable[Exchange | Unreadable], given: AuditInput, *, findings: bool = False) -> Part:
    """Judge exchanges, each by itself, against the contract.

    Args:
        records: exchanges in any order. Each names its `file`, and its `place`, `number` and `offset` in it, or none does.
        given: keys, paths and settings.
        findings: whether all findings are returned, too, and not only the evidence in the partial result.

    Returns the partial result, and the rows that the rules across exchanges need, with merchants as the messages name them.
    """
    every: list[PlacedFinding] = []
    rows = RowList()
    matcher, keys = _judges(given)
    auditor = Auditor(matcher, keys, given.settings, rows, every.append if findings else None)
    auditor.take_all(records)
    return Part(auditor.close(), rows.taken, every or ())


def owners_in(partials: Iterable[PartialResult]) -> Same:
    """Return which names of merchants mean one, and which hosts and keys one environment.

    It needs the partial results of the whole input. `united` applies it to a row.
    """
    return _total(partials).same()


def facts_in(partials: Iterable[PartialResult], settings: Settings) -> CaptureFacts:
    """Return what is known of the whole capture: how far its clocks are apart, and whether it is complete.

    It needs the partial results of the whole input.
    """
    return _total(partials).facts(settings)


def _total(partials: Iterable[PartialResult]) -> PartialResult:
    total = PartialResult()
    for partial in partials:
        total.merge(partial, 0)
    return total


def relate(rows: Iterable[Related], settings: Settings, facts: CaptureFacts, *, findings: bool = False) -> Part:
    """Relate all rows of one key, in any order: rows of which `key_of` says the same, after `united`.

    Args:
        rows: the rows of one key.
        settings: those that the exchanges were judged with.
        facts: what `facts_in` says of the whole capture.
        findings: whether all findings are returned, too.

    Returns a partial result with what was found, and the rows that are to be related in later rounds.

    Raises `ValueError` if the rows have several keys.
    """
    rows = list(rows)
    if len({key_of(row) for row in rows}) > 1:
        raise ValueError("rows of several keys are related one key at a time")
    partial = PartialResult()
    every: list[PlacedFinding] = []
    if not rows:
        return Part(partial, ())
    out = relate_key(rows, facts)
    add_row_findings(partial, settings, out.found, every.append if findings else None)
    partial.copies = out.copies
    return Part(partial, out.rows, every or ())


def merge_partials(partials: Iterable[PartialResult], settings: Settings) -> PartialResult:
    """Merge partial results, in any order and in as many steps as needed. Each stays as it is."""
    total = PartialResult()
    for partial in partials:
        total.merge(partial, settings.kept)
    return total


def merge(partials: Iterable[PartialResult], settings: Settings, policy: ReportPolicy) -> Report:
    """Merge the partial results of all parts and all keys, in any order, into the report."""
    return build_report(merge_partials(partials, settings), settings, policy)


def audit_rows(parts: Sequence[Part], settings: Settings, policy: ReportPolicy) -> Report:
    """Relate the rows of all judged parts, round by round, and return the report. All of it is held in memory."""
    partials = [part.partial for part in parts]
    same, facts = owners_in(partials), facts_in(partials, settings)
    waiting: dict[Key, list[Related]] = {}
    for row in chain.from_iterable(part.rows for part in parts):
        row = united(row, same)
        waiting.setdefault(key_of(row), []).append(row)
    for round_ in Round:
        for key in [key for key in waiting if key.round is round_]:
            related = relate(waiting.pop(key), settings, facts)
            partials.append(related.partial)
            for row in related.rows:
                waiting.setdefault(key_of(row), []).append(row)
    return merge(partials, settings, policy)


@lru_cache(maxsize=4)
def _judges(given: AuditInput) -> tuple[Matcher, Keys]:
    return Matcher(dict(given.paths)), given.keys()
