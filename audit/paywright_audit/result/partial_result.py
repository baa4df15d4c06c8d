"""The mergeable result of auditing one part of the input.

Results can be merged in any order. Counts are exact. Evidence is the first by time, which does not depend on how the input was cut.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from math import inf
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from paywright_audit.cross_exchange.history.owners import (
    AMBIGUOUS,
    MOST_OWNERS,
    NOBODY,
    Same,
    same_environments,
    same_owners,
)
from paywright_audit.cross_exchange.history.related_rows import AliasRow, PaidRow, TokenRow, WriteRow
from paywright_audit.cross_exchange.history.rows import BY_ALIAS, UNKNOWN, Row
from paywright_audit.cross_exchange.history.subjects import REFUNDS
from paywright_audit.cross_exchange.rules.timing import MINUTE, CaptureFacts
from paywright_audit.cross_exchange.run_rules import Whole
from paywright_audit.input.errors import OtherVersion
from paywright_audit.input.records import Unreadable
from paywright_audit.judging.clocks import NEAR
from paywright_audit.judging.findings import Finding, GroupKey
from paywright_audit.settings.audit_settings import AuditSettings
from paywright_runtime.version import VERSION

_FORM: Final = 1
"""The version of a pickled partial result. Raise it with every change in the members of `PartialResult` or in merging."""

UNREADABLE_KEPT: Final = 100_000
"""The most unreadable places that are named; of more, the first."""

_NUMBERS: Final = (
    "exchanges", "matched", "unreadable", "unanswered", "unjudged", "judged", "untimed", "copies", "rows", "early"
)  # fmt: skip
_COUNTERS: Final = ("zones", "blind", "operations", "signatures", "sides", "odd")


Spot: TypeAlias = tuple[float, str, int, bool, str, str, str, str, str]


class Place(NamedTuple):
    """Place of an exchange in the input: its file ("" if it has none), and the number of a line or entry in it.

    `unit` is "" if the input has no places, and None if it is the unit of the file's other exchanges.
    """

    file: str
    number: int
    unit: str | None


class PlacedFinding(NamedTuple):
    """One finding and its place.

    `at` is the time of the exchange. `key` is the merchant's own id of the subject, "" if the messages name none that may be shown.
    `pattern` is its pointer with `*` for indexes. The finding's value is the one that may be shown, or None.
    """

    place: Place
    at: float | None
    key: str
    pattern: str
    finding: Finding

    @property
    def group(self) -> GroupKey:
        """Return the key of its group."""
        found = self.finding
        return GroupKey(found.code, found.operation, found.part, self.pattern)

    @property
    def spot(self) -> Spot:
        """Return the sort key of findings: by time and place, those across exchanges last, then by all that reports show of them."""
        place, found = self.place, self.finding
        shown = found.part, found.pointer, found.message, f"{found.value}", f"{found.other}"
        return inf if self.at is None else self.at, place.file, place.number, place.unit is None, *shown


class Picked(NamedTuple):
    """A part of the input that could not be read. The first ones are kept, equal ones once."""

    file: str
    number: int
    unit: str
    why: str


class Group:
    """The count of a group, its first findings, and its line of the contract."""

    __slots__ = ("contract", "count", "evidence")

    def __init__(self, contract: str) -> None:
        self.contract: str = contract
        self.count: int = 0
        self.evidence: list[PlacedFinding] = []

    def pick(self, found: PlacedFinding, kept: int) -> None:
        """Keep a finding if it is among the first `kept`."""
        if len(self.evidence) >= kept:
            if not kept or found.spot >= self.evidence[-1].spot:
                return
            self.evidence.pop()
        insort(self.evidence, found, key=attrgetter("spot"))


class PartialResult:
    """Counts, groups and evidence of a part of the input.

    It can be pickled, and unpickled only by the same release, because another one may count differently: it raises
    `OtherVersion`.
    """

    def __init__(self) -> None:
        self.exchanges: int = 0
        self.matched: int = 0
        self.unreadable: int = 0
        self.unanswered: int = 0
        self.unjudged: int = 0
        self.judged: int = 0
        self.untimed: int = 0
        self.copies: int = 0
        self.early: int = 0
        self.zones: Counter[int] = Counter()
        self.blind: Counter[tuple[str, int | None]] = Counter()
        self.apart: float = 0.0
        self.ahead: float = 0.0
        self.operations: Counter[str] = Counter()
        self.signatures: Counter[tuple[str, str]] = Counter()
        self.sides: Counter[tuple[str, str]] = Counter()
        self.odd: Counter[str] = Counter()
        self.groups: dict[GroupKey, Group] = {}
        self.broken: list[Picked] = []
        self.units: dict[str, str] = {}
        self.owners: set[str] = set()
        self.nameless: set[str] = set()
        self.environments: dict[int, str] = {}
        self.rows: int = 0
        self.wanted: set[str] = set()

    def __getstate__(self) -> tuple[int, str, dict[str, object]]:
        return _FORM, VERSION, self.__dict__

    def __setstate__(self, state: object) -> None:
        made = state[:2] if isinstance(state, tuple) and len(state) == 3 else (0, "another release")
        if made != (_FORM, VERSION):
            raise OtherVersion(
                f"a partial result of the audit was made by paywright {made[1]} (form {made[0]}), and this is {VERSION} (form "
                f"{_FORM}): they cannot be merged. Judge all parts with one release."
            )
        assert isinstance(state, tuple)
        self.__dict__.update(state[2])

    def find(self, found: PlacedFinding, kept: int) -> None:
        """Count a finding, which is evidence if it is among the first `kept` of its group."""
        group = self.groups.get(found.group)
        if group is None:
            group = self.groups[found.group] = Group(found.finding.contract)
        group.count += 1
        group.pick(found, kept)

    def learn(self, owner: str) -> None:
        """Remember the name of a merchant in a message. Of more than a hundred thousand it only records that they are too many."""
        if len(self.owners) <= MOST_OWNERS:
            self.owners.add(owner)

    def learn_environment(self, number: int, said: str) -> None:
        """Remember a host, and the key that verified its answer; at most the first hundred thousand."""
        if len(self.environments) <= MOST_OWNERS:
            self.environments[number] = said

    def whole(self, settings: AuditSettings) -> Whole:
        """Return what the rules across exchanges need to know of the whole input, of which this must be the result.

        If a part of the input could not be read, the capture is not complete.
        """
        same = same_owners(self.owners)
        parts = (subject.split("\0", 2) for subject in self.nameless)
        nameless = {(kind, key) for kind, owner, key in parts if same.get(owner, "").endswith(AMBIGUOUS)}
        known = not self.unreadable and max(map(len, (self.owners, self.blind, nameless))) <= MOST_OWNERS
        known = known and not any(key.startswith(BY_ALIAS) for _, key in nameless)
        untimed = any(minute is None for _, minute in self.blind)
        blind: dict[str, list[int]] = {}
        for kind, minute in sorted((kind, minute) for kind, minute in self.blind if minute is not None):
            blind.setdefault(kind, []).append(minute)
        apart, ahead = (far if far > NEAR else 0.0 for far in (self.apart, self.ahead))
        facts = CaptureFacts(
            settings.clock_slack, apart, ahead, settings.complete and known and not untimed, blind, nameless
        )
        return Whole(Same(same, same_environments(self.environments)), facts, frozenset(self.wanted))

    def learn_row(self, row: Row) -> None:
        """Count a row, and remember which kinds of rows it may be related to in later rounds, and that it names no merchant."""
        self.rows += 1
        kind, owner, key = row.subject.split("\0", 2)
        if owner in NOBODY:
            self.learn_nameless(row.subject)
        if key.startswith(BY_ALIAS):
            self.wanted.add(AliasRow.__name__)
        if row.outcome == UNKNOWN:
            self.wanted.add(WriteRow.__name__)
        if kind in REFUNDS:
            self.wanted.add(PaidRow.__name__)
            if row.ref is None and row.token is not None:
                self.wanted.add(TokenRow.__name__)

    def learn_nameless(self, subject: str) -> None:
        """Remember the subject of a message that names no merchant; at most the first hundred thousand."""
        if len(self.nameless) <= MOST_OWNERS:
            self.nameless.add(subject)

    def lose(self, kind: str, at: float | None) -> None:
        """Count an exchange whose subject or time the capture lost."""
        if len(self.blind) <= MOST_OWNERS:
            self.blind[kind, None if at is None else int(at // MINUTE)] += 1

    def break_off(self, file: str, what: Unreadable) -> None:
        """Count a part of the input that could not be read."""
        self.unreadable += 1
        picked = Picked(file, what.number, what.place, what.why)
        at = bisect_left(self.broken, picked)
        if at < UNREADABLE_KEPT and self.broken[at : at + 1] != [picked]:
            self.broken.insert(at, picked)
            del self.broken[UNREADABLE_KEPT:]

    def merge(self, other: PartialResult, kept: int) -> None:
        """Add another result to this one."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))
        self.apart, self.ahead = max(self.apart, other.apart), max(self.ahead, other.ahead)
        for key, group in other.groups.items():
            mine = self.groups.get(key)
            if mine is None:
                mine = self.groups[key] = Group(group.contract)
            mine.count += group.count
            for evidence in group.evidence:
                mine.pick(evidence, kept)
        self.broken = sorted({*self.broken, *other.broken})[:UNREADABLE_KEPT]
        for owner in other.owners:
            self.learn(owner)
        for number, said in other.environments.items():
            self.learn_environment(number, said)
        for subject in other.nameless:
            self.learn_nameless(subject)
        self.wanted |= other.wanted
        self.units.update(other.units)
