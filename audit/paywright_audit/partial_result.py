"""The mergeable result of auditing one part of the input.

Results can be merged in any order. Counts are exact. Evidence is a sample by a seeded hash, which is the same however
the input was cut.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from hashlib import sha256
from typing import Final, NamedTuple

from paywright_audit.cross_exchange.timing import SLACK
from paywright_audit.input.records import Unreadable
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.values import Showing, shown_value
from paywright_audit.timeline import GRAINS, MOST, Minutes, coarsened, merged_minutes

__all__ = ["Evidence", "Group", "GroupKey", "PartialResult", "Picked", "Settings"]

UNREADABLE_KEPT: Final = 100_000
"""So many unreadable places are named; of more, the first."""


class Settings(NamedTuple):
    """Settings of an audit that affect findings and evidence.

    `names` are the inputs as given. `slack` is by how many seconds the times of the capture may be wrong.
    """

    names: tuple[str, ...]
    kept: int = 10
    seed: str = ""
    showing: Showing = Showing.NOTHING
    slack: float = SLACK


class GroupKey(NamedTuple):
    """What a finding is about, without where it was found."""

    code: str
    operation: str
    part: str
    pattern: str


class Evidence(NamedTuple):
    """One finding of a group, and its place.

    `rank` is the hash by which it was picked, `order` its position among the findings of its exchange. `number` counts
    from the beginning of the range that begins at or before `offset`.
    """

    rank: int
    file: int
    offset: int
    order: int
    number: int
    unit: str
    at: float | None
    pointer: str
    message: str
    value: str | None


class Picked(NamedTuple):
    """A part of the input that could not be read. The first ones are kept."""

    file: int
    offset: int
    number: int
    unit: str
    why: str


class Group:
    """The count of a group, its evidence, and its line of the contract."""

    __slots__ = ("contract", "count", "evidence")

    def __init__(self, contract: str) -> None:
        self.contract = contract
        self.count = 0
        self.evidence: list[Evidence] = []

    def pick(self, evidence: Evidence, kept: int) -> None:
        """Keep a piece of evidence if its hash is among the `kept` smallest."""
        if len(self.evidence) >= kept:
            if not kept or evidence >= self.evidence[-1]:
                return
            self.evidence.pop()
        insort(self.evidence, evidence)


class PartialResult:
    """Counts, groups and evidence of a part of the input. It can be pickled."""

    def __init__(self) -> None:
        self.exchanges = 0
        self.matched = 0
        self.unreadable = 0
        self.unanswered = 0
        self.unjudged = 0
        self.judged = 0
        self.untimed = 0
        self.copies = 0
        self.operations: Counter[str] = Counter()
        self.codes: Counter[tuple[str, str]] = Counter()
        self.signatures: Counter[tuple[str, str]] = Counter()
        self.coverage: Counter[str] = Counter()
        self.groups: dict[GroupKey, Group] = {}
        self.broken: list[Picked] = []
        self.minutes: Minutes = {}
        self.grain = 0
        self.lines: dict[tuple[int, int], int] = {}
        self.units: dict[int, str] = {}

    def find(
        self,
        settings: Settings,
        finding: Finding,
        pattern: str,
        file: int,
        offset: int,
        order: int,
        number: int,
        unit: str,
        at: float | None,
    ) -> None:
        """Count a finding, and keep it as evidence if it is picked."""
        key = GroupKey(finding.code, finding.operation, finding.part, pattern)
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = Group(finding.contract)
        group.count += 1
        rank = _rank(settings, file, offset, order, key)
        kept = group.evidence
        if len(kept) < settings.kept or (kept and rank <= kept[-1].rank):
            value = None
            if finding.value is not None:
                value = shown_value(finding.value, finding.redaction, settings.showing)
            group.pick(
                Evidence(rank, file, offset, order, number, unit, at, finding.pointer, finding.message, value),
                settings.kept,
            )

    def count_time(self, at: float, found: bool) -> None:
        """Count an exchange at a time, and whether it has a finding."""
        bucket = int(at // GRAINS[self.grain])
        counts = self.minutes.get(bucket)
        if counts is None:
            counts = self.minutes[bucket] = [0, 0]
        counts[0] += 1
        counts[1] += found
        if len(self.minutes) > MOST:
            self.minutes, self.grain = coarsened(self.minutes, self.grain)

    def break_off(self, file: int, what: Unreadable) -> None:
        """Count a part of the input that could not be read."""
        self.unreadable += 1
        picked = Picked(file, what.offset, what.number, what.place, what.why)
        if len(self.broken) < UNREADABLE_KEPT or picked < self.broken[-1]:
            insort(self.broken, picked)
            del self.broken[UNREADABLE_KEPT:]

    def merge(self, other: PartialResult, kept: int) -> None:
        """Add another result to this one."""
        for name in ("exchanges", "matched", "unreadable", "unanswered", "unjudged", "judged", "untimed", "copies"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.operations.update(other.operations)
        self.codes.update(other.codes)
        self.signatures.update(other.signatures)
        self.coverage.update(other.coverage)
        for key, group in other.groups.items():
            mine = self.groups.get(key)
            if mine is None:
                mine = self.groups[key] = Group(group.contract)
            mine.count += group.count
            for evidence in group.evidence:
                mine.pick(evidence, kept)
        self.broken = sorted({*self.broken, *other.broken})[:UNREADABLE_KEPT]
        self.lines.update(other.lines)
        self.units.update(other.units)
        self.minutes, self.grain = merged_minutes(self.minutes, self.grain, other.minutes, other.grain)


def _rank(settings: Settings, file: int, offset: int, order: int, key: GroupKey) -> int:
    text = f"{settings.seed}\0{settings.names[file]}\0{offset}\0{order}\0{key.pattern}".encode(errors="surrogateescape")
    return int.from_bytes(sha256(text).digest()[:8], "big")
