"""The audit as three functions: judge exchanges, relate rows, merge results.

`judge` makes a partial result and rows from exchanges. `relate` makes a partial result, and perhaps rows for a later round, from
the rows of one key. `merge` makes the report from partial results. Each depends on its arguments alone, not on the distribution
or order of exchanges and rows. `audit_rows` shows how to combine them.
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
    """Result of judging a part of the input, or of relating the rows of a key.

    `rows` must be related next; `findings` are all findings if they were asked for.
    """

    partial: PartialResult
    rows: Sequence[Related]
    findings: Sequence[PlacedFinding] = ()


class RowList:
    """Keeps the rows of an auditor in a list, with the `AliasRow`s of refunds."""

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
        records: exchanges in any order. Each has its `file`, and its `place`, `number` and `offset` in it, or none has them.
        given: keys, paths and settings.
        findings: True to return all findings, not only the evidence in the partial result.

    Returns the partial result, and the rows that the rules across exchanges need, with merchants as the messages name them.
    """
    every: list[PlacedFinding] = []
    rows = RowList()
    matcher, keys = _judges(given)
    auditor = Auditor(matcher, keys, given.settings, rows, every.append if findings else None)
    auditor.take_all(records)
    return Part(auditor.close(), rows.taken, every or ())


def owners_in(partials: Iterable[PartialResult]) -> Same:
    """Return the names of merchants that mean the same one, and the hosts and keys of the same environment.

    It needs the partial results of the whole input. `united` applies it to a row.
    """
    return _total(partials).same()


def facts_in(partials: Iterable[PartialResult], settings: Settings) -> CaptureFacts:
    """Return facts about the whole capture: by how much its clocks differ, and whether it is complete.

    It needs the partial results of the whole input.
    """
    return _total(partials).facts(settings)


def _total(partials: Iterable[PartialResult]) -> PartialResult:
    total = PartialResult()
    for partial in partials:
        total.merge(partial, 0)
    return total


def relate(rows: Iterable[Related], settings: Settings, facts: CaptureFacts, *, findings: bool = False) -> Part:
    """Relate all rows of one key, in any order.

    Args:
        rows: the rows with the same `key_of`, after `united`.
        settings: those with which the exchanges were judged.
        facts: the result of `facts_in` for the whole capture.
        findings: True to return all findings.

    Returns a partial result with the findings, and the rows for later rounds.

    Raises `ValueError` if the rows have several keys.
    """
    rows = list(rows)
    if len({key_of(row) for row in rows}) > 1:
        raise ValueError("relate the rows of one key at a time")
    partial = PartialResult()
    every: list[PlacedFinding] = []
    if not rows:
        return Part(partial, ())
    out = relate_key(rows, facts)
    add_row_findings(partial, settings, out.found, every.append if findings else None)
    partial.copies = out.copies
    return Part(partial, out.rows, every or ())


def merge_partials(partials: Iterable[PartialResult], settings: Settings) -> PartialResult:
    """Merge partial results, in any order and in any number of steps. The arguments are not changed."""
    total = PartialResult()
    for partial in partials:
        total.merge(partial, settings.kept)
    return total


def merge(partials: Iterable[PartialResult], settings: Settings, policy: ReportPolicy) -> Report:
    """Merge the partial results of all parts and all keys, in any order, into the report."""
    return build_report(merge_partials(partials, settings), settings, policy)


def audit_rows(parts: Sequence[Part], settings: Settings, policy: ReportPolicy) -> Report:
    """Relate the rows of all judged parts, round by round, and return the report. All rows are held in memory."""
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
