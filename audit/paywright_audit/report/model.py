"""The report as plain values, for all writers.

Severities and the baseline are applied, and places are those in the given files. Of messages it contains only
values that may be shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from paywright_audit.judging.findings import Severity


@dataclass(frozen=True, slots=True)
class OtherExchange:
    """The place and time of the other exchange of a finding across exchanges; each "" if unknown."""

    file: str
    place: str
    at: str

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.file, self.place, self.at)))


@dataclass(frozen=True, slots=True)
class Evidence:
    """One finding and its place, such as `line 7`; `file` and `place` are "" if the input has no places.

    `at` is the time of the exchange in UTC, "" if unknown. `value` is None unless values were asked for. `spot` orders
    evidence by time, and at equal times by place and content. `other` is None for a rule about one exchange.
    """

    file: str
    place: str
    at: str
    pointer: str
    message: str
    value: str | None
    spot: tuple[float | int | str, ...]
    other: OtherExchange | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """All findings of one code at one place of the contract. `count` is exact; `evidence` are the first.

    `id` names it in baselines. `known` is the number of findings that the baseline has; `new` is False if it has all.
    `operation` is "" if it belongs to none. `contract` is `spec/file.yaml:line`, or "". `by` is who broke the rule, `merchant` or `gateway`; "" if nobody did.
    """

    id: str
    code: str
    severity: Severity
    by: str
    operation: str
    part: str
    pattern: str
    count: int
    new: bool
    known: int
    message: str
    contract: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Totals:
    """Exact counts.

    `findings` are errors and warnings; `notes` are not counted as findings; `failing` are those
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
    known: int
    failing: int


@dataclass(frozen=True, slots=True)
class Judged:
    """Judged parts of the capture and their totals (`_of`): bodies, signatures, and exchanges with a time.

    Rules across exchanges need times. `nothing` lists those of `exchanges`, `bodies`, `signatures` and `times` that could
    not be judged at all; `required` those of them that had to be. If there is one, nothing is proven and the audit fails.
    `swapped` is the number of signatures that are valid under a key of the other side, if they outnumber the valid ones.

    `apart` is the largest difference between the clocks of an exchange in seconds. `complete` is True if the user said that the
    capture is complete. `blind` is the number of exchanges whose subject the capture lost: with any, silence proves nothing. `altered` is
    the number of messages that the capture altered, `zones` are the seconds by which its times are another time zone's with the number of corrected exchanges, `odd` what it says and nobody understands: headers, statuses, times.
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
    altered: int = 0
    zones: Mapping[int, int] = field(default_factory=dict)
    odd: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of the input that could not be read. The first hundred thousand are kept."""

    file: str
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """The whole report.

    Groups are sorted by severity, then by the rank of their rule, then by operation; evidence by time. The rest is in the order
    of the input or contract.
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
    showing: str
    fail_on: Severity
