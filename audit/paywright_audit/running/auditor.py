"""The steps of every audit: judge exchanges, and relate the rows that they leave. Each makes a `PartialResult`; these are merged.

What they come to depends on their input alone, not on how it is cut and ordered: one process, several, and an engine call them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import cache
from typing import Final, Protocol, TypeAlias

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.history.owners import Environments, Owners
from paywright_audit.cross_exchange.history.related_rows import Related, Round, alias_of, moment_of
from paywright_audit.cross_exchange.history.row_store import RowStore
from paywright_audit.cross_exchange.history.rows import Names, Row, rows_of
from paywright_audit.cross_exchange.history.subjects import listed_specs_of, seen_spec_of, subject_kind, subject_spec_of
from paywright_audit.cross_exchange.run_rules import Whole, relate_key, rounds
from paywright_audit.input.records import Decoded, Exact, Exchange, Message, Parsed, Unreadable
from paywright_audit.judging.finding_text import pattern_of
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.judge import KnownAnswers, judge_content, judge_signatures, judge_times
from paywright_audit.judging.judged_exchange import JudgedExchange
from paywright_audit.judging.matching import KIND, Matcher
from paywright_audit.judging.memo import Memo
from paywright_audit.judging.operation_facts import Path, facts_of
from paywright_audit.judging.signatures import Keys
from paywright_audit.judging.values import Showing, shown_value
from paywright_audit.result.partial_result import PartialResult, Place, PlacedFinding
from paywright_audit.settings.audit_settings import AuditSettings
from paywright_runtime.contract.value_checks import within

UNSHOWN = "(notifications not shown)"
"""Name under which notifications of an unknown kind are counted."""

OnFinding: TypeAlias = Callable[[PlacedFinding], None]
"""Function that is called with every finding."""


_SOME: Final = 32  # exchanges judged together
_LARGE: Final = 1 << 20  # or this many bytes of them


class RowSink(Protocol):
    """Receiver of rows: a store, or what hands them to an engine."""

    def add(self, rows: Iterable[Related]) -> None:
        """Take rows."""


class Auditor:
    """Judges exchanges; `partial` is the result. `every`, if given, is called with every finding."""

    def __init__(
        self, matcher: Matcher, keys: Keys, settings: AuditSettings, store: RowSink, every: OnFinding | None = None
    ) -> None:
        self._matcher = matcher
        self._keys = keys
        self._settings = settings
        self._store = store
        self._every = every
        self.partial: PartialResult = PartialResult()
        self._known: KnownAnswers = Memo(lambda key: [])
        self._names = Names(Owners(self.partial.learn), Environments(self.partial.learn_environment))

    def take_all(self, found: Iterable[Exchange | Unreadable], name: str = "") -> None:
        """Judge exchanges, some at a time, and count unreadable parts. `name` is that of their input, unless they name their own."""
        some: list[Exchange] = []
        size = 0
        for one in found:
            if isinstance(one, Unreadable):
                self.partial.break_off(one.file or name, one)
                continue
            some.append(one)
            size += _size(one.request) + _size(one.response)
            if len(some) == _SOME or size > _LARGE:
                self._take(some, name)
                some, size = [], 0
        self._take(some, name)

    def _take(self, some: Sequence[Exchange], name: str) -> None:
        # Stage by stage, which uses the processor's caches better: it saves a fifth.
        judged: list[tuple[Exchange, JudgedExchange]] = []
        for one in some:
            self.partial.units[one.file or name] = one.place
            matched = self._matcher.match(one)
            if matched is not None:
                judged.append((one, judge_content(one, matched, self._known)))
            elif KIND in one.odd:
                self.partial.odd[KIND] += 1
        for _, result in judged:
            judge_signatures(result, self._keys)
        for exchange, result in judged:
            judge_times(result, exchange)
            self._count(exchange, result, exchange.file or name)
        self.partial.exchanges += len(some)
        self.partial.matched += len(judged)

    def _count(self, exchange: Exchange, judged: JudgedExchange, file: str) -> None:
        partial, facts, bodies, findings = self.partial, judged.facts, judged.bodies, judged.findings
        if exchange.odd:
            partial.odd.update(exchange.odd)
        partial.operations[UNSHOWN if facts is None else facts.name] += 1
        partial.unanswered += judged.unanswered
        partial.judged += bodies.count(True)
        partial.unjudged += bodies.count(False)
        for side, evidence in enumerate(judged.evidence):
            if evidence is not None:
                partial.sides[judged.senders[side], evidence] += 1
        for state, why, _ in judged.signatures:
            partial.signatures[state, why] += 1
        if judged.times is None:
            partial.untimed += 1
        elif judged.apart or judged.ahead:
            partial.apart, partial.ahead = max(partial.apart, judged.apart), max(partial.ahead, judged.ahead)
            if judged.zone:
                partial.zones[judged.zone] += 1
        if facts is not None and judged.unknown:
            another = facts.answered.part if judged.stray else ""
            findings.extend(one for one in judged.unknown if one.part != another)
        at = None if judged.times is None else judged.times.seen
        rows = rows_of(exchange, judged, file, self._names)
        if rows:
            self._store.add(rows)
            for row in rows:
                partial.learn_row(row)
                if row.alias is not None:
                    self._store.add(alias_of(row))
        elif rows is None and facts is not None:
            partial.lose(subject_kind(facts.name), at)
        if findings:
            place, every = Place(file, exchange.number, exchange.place), self._every
            about = place, at, key_of_exchange(judged) if every is not None else ""
            for finding in findings:
                _find(partial, self._settings, finding, about, every)


def _size(message: Message | None) -> int:
    """Return the approximate size of the body of a message in memory, in bytes."""
    body = message.body if message is not None else None
    return len(body.raw) if isinstance(body, (Exact, Decoded)) else _LARGE * isinstance(body, Parsed)


def auditor_of(settings: AuditSettings, store: RowSink, every: OnFinding | None = None) -> Auditor:
    """Return the auditor with the keys and paths of an audit."""
    return Auditor(Matcher(settings.paths), settings.keys(), settings, store, every)


def relate(
    store: RowStore, round_: Round, whole: Whole, settings: AuditSettings, sink: RowSink, every: OnFinding | None = None
) -> PartialResult:
    """Relate the rows of a round in a store, key by key; rows for later rounds go to `sink`, which may be the store."""
    partial = PartialResult()
    for rows in store.groups(round_, whole.same):
        out = relate_key(rows, whole)
        partial.copies += out.copies
        partial.early += out.early
        spelled = (row for row in rows if isinstance(row, Row) and row.spelled) if every is not None else ()
        first = min(spelled, key=moment_of, default=None)
        for row, finding in out.found:
            key = key_of_subject(row.subject, (first or row).spelled) if every is not None else ""
            about = Place(row.file, row.number, None), row.seen, key
            _find(partial, settings, finding, about, every)
        sink.add(out.rows)
    return partial


def relate_all(store: RowStore, total: PartialResult, settings: AuditSettings, every: OnFinding | None = None) -> None:
    """Relate the rows of a whole capture, round by round, and add what is found to the merged result of all its parts."""
    whole = total.whole(settings)
    for round_ in rounds(whole.wanted):
        total.merge(relate(store, round_, whole, settings, store, every), settings.evidence)


def _find(
    partial: PartialResult,
    settings: AuditSettings,
    finding: Finding,
    about: tuple[Place, float | None, str],
    every: OnFinding | None,
) -> None:
    """Count a finding `about` a place, a time and a key."""
    if finding.value is not None:
        shown = shown_value(finding.value, finding.redaction, settings.showing)
        finding = finding._replace(value=shown)
    found = PlacedFinding(*about, pattern_of(_struct(finding), finding.pointer), finding)
    partial.find(found, settings.evidence)
    if every is not None:
        every(found)


def _struct(finding: Finding) -> str | None:
    if not finding.operation:
        return None
    facts = facts_of(finding.operation)
    return facts.asked.struct if finding.part == facts.asked.part else facts.answered.struct


def key_of_exchange(judged: JudgedExchange) -> str:
    """Return the key that the request of an exchange names; "" if there is none that may be shown."""
    facts, asked = judged.facts, judged.seen
    if facts is None:
        seen = seen_spec_of(asked)
        return "" if seen is None else " ".join(filter(None, (_shown(within(asked, path)) for path in seen.key)))
    return " ".join(filter(None, (_shown(within(asked, path)) for path in _paths(facts.name))))


def key_of_subject(subject: str, spelled: str | None) -> str:
    """Return the key of a subject of a row, as its first write `spelled` it; "" if it may not be shown."""
    kind, _, key = subject.split("\0", 2)
    return "" if kind in _secret() else _shown(spelled or key.replace("\0", " "))


@cache
def _secret() -> frozenset[str]:
    """Return the kinds of listed subjects whose key is a secret, such as tokens of payment methods."""
    found = set[str]()
    for name in CONTRACT.operations():
        operation = CONTRACT.operation(name)
        for each in operation.lists:
            _, items = list(CONTRACT.at(operation.response, each.items))[-1]
            if items is not None and items.of and CONTRACT.struct(items.of).by_wire[each.key].redaction == "secret":
                found.add(each.states)
    return frozenset(found)


@cache
def _paths(name: str) -> tuple[Path, ...]:
    """Return the paths of a key in a request or a notification: one member, or several that together are the key."""
    operation, spec = CONTRACT.operation(name), subject_spec_of(name)
    if operation.inbound:
        return next((listed.key for listed in listed_specs_of(name)), ())
    key = spec.key if spec is not None else operation.echoes[0] if operation.echoes else None
    return () if key is None else ((*operation.payload_paths[0], key),)


def _shown(value: object) -> str:
    """Return a key as text, without control characters, and masked if it looks like a card number."""
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        return ""
    return shown_value(value, None, Showing.REDACTED) or ""
