"""The report that every writer gets: plain values.

Severities, suppressions and the baseline are applied, places are those in the files as given, and it contains only the
values of messages that may be shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from paywright_audit.judging.findings import Severity

__all__ = [
    "Bucket",
    "Evidence",
    "Group",
    "Judged",
    "Member",
    "OperationSeen",
    "OtherExchange",
    "Report",
    "Suppression",
    "Totals",
    "Unread",
    "ValueSeen",
]


@dataclass(frozen=True, slots=True)
class OtherExchange:
    """The place and time of the exchange that a finding across exchanges is about too; each "" if it is not known."""

    file: str
    place: str
    at: str

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.file, self.place, self.at)))


@dataclass(frozen=True, slots=True)
class Evidence:
    """One finding and its place, such as `line 7`; `file` and `place` are "" if the input has no places.

    `at` is the time of the exchange in UTC, "" if the capture does not say. `value` is None unless values were asked
    for. `spot` orders evidence by time, and at equal times by place and content. `other` is None of one exchange alone.
    """

    file: str
    place: str
    at: str
    pointer: str
    message: str
    value: str | None
    spot: tuple[float, str, int, int, int]
    other: OtherExchange | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """All findings of one code at one place of the contract. `count` is exact; `evidence` is a sample, in order.

    `id` names it in baselines. `known` is how many of them the baseline has; `new` is False if that is all of them.
    `suppressed` is the reason if it is suppressed. `operation` is "" if it belongs to none. `contract` is
    `spec/file.yaml:line`, or "". `by` is who broke the rule, `merchant` or `gateway`; "" if nobody did.
    """

    id: str
    code: str
    severity: Severity
    operation: str
    part: str
    pattern: str
    count: int
    new: bool
    known: int
    suppressed: str | None
    message: str
    contract: str
    evidence: tuple[Evidence, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class Totals:
    """Exact counts.

    `findings` are errors and warnings that are not suppressed; `notes` are not counted as findings; `failing` are those
    that make the audit fail.
    """

    exchanges: int
    matched: int
    unmatched: int
    unreadable: int
    unanswered: int
    unjudged: int
    untimed: int
    copies: int
    findings: int
    errors: int
    warnings: int
    notes: int
    suppressed: int
    known: int
    failing: int


@dataclass(frozen=True, slots=True)
class Judged:
    """How much was judged, of how much there was: bodies, signatures, and exchanges with a time.

    Rules across exchanges need times. `nothing` lists which of `exchanges`, `bodies`, `signatures` and `times` could
    not be judged at all; `required` those of them that had to be. If one had to be, nothing is proven and the audit
    fails. `swapped` is how many signatures are valid under a key that was given for the other side, if these are more than
    those that are valid.

    `apart` is by how many seconds the clocks of an exchange differed at the most. `complete` says that the capture was said to be
    complete, and `blind` how many exchanges there are of which the capture lost what they are about: with any, nothing follows
    from silence.
    """

    bodies: int
    bodies_of: int
    signatures: int
    signatures_of: int
    times: int
    times_of: int
    swapped: int
    nothing: tuple[str, ...]
    required: tuple[str, ...]
    apart: float = 0.0
    complete: bool = False
    blind: int = 0


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of the input that could not be read. The first hundred thousand are kept."""

    file: str
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class OperationSeen:
    """An operation of the contract, how many exchanges of it there were, and how often each code was the response."""

    name: str
    exchanges: int
    codes: dict[str, int]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object of the contract, and how often it occurred."""

    struct: str
    name: str
    required: bool
    count: int


@dataclass(frozen=True, slots=True)
class ValueSeen:
    """A value of a list of the contract (`state` if they are states), and how often it occurred."""

    set: str
    value: str
    state: bool
    count: int


@dataclass(frozen=True, slots=True)
class Bucket:
    """A span of time that begins at `at`, and how many exchanges began in it.

    `bad` of them had an error or a warning by default.
    """

    at: str
    exchanges: int
    found: int


@dataclass(frozen=True, slots=True)
class Suppression:
    """A suppression of the configuration, and how many findings it suppressed."""

    code: str
    operation: str | None
    part: str | None
    pointer: str | None
    reason: str
    until: str
    expired: bool
    count: int


@dataclass(frozen=True, slots=True)
class Report:
    """The whole report.

    Groups are sorted by severity, then by the weight of their rule, then by operation; evidence by time; the rest is in the order of the input or contract.
    """

    tool: str
    files: tuple[str, ...]
    totals: Totals
    judged: Judged
    signatures: dict[str, int]
    unverifiable: dict[str, int]
    operations: dict[str, int]
    groups: tuple[Group, ...]
    unreadable: tuple[Unread, ...]
    seen: tuple[OperationSeen, ...]
    members: tuple[Member, ...]
    values: tuple[ValueSeen, ...]
    bucket_seconds: int
    timeline: tuple[Bucket, ...]
    suppressions: tuple[Suppression, ...]
    showing: str
    fail_on: Severity
