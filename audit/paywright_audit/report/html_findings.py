"""The findings on the page, by severity and operation; each group has a limited amount of evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from paywright_audit.judging.findings import Severity
from paywright_audit.report.model import Evidence, Group, Report, Suppression
from paywright_audit.report.rule_words import remedy_of

_MOST: Final = 10_000  # pieces of evidence on one page
_OPENED: Final = 8  # the most severe groups, which are shown open
UNFOLDED: Final = 40
"""With more groups, those of one operation are collapsed."""
_NO_OPERATION: Final = "no operation"


class ShownGroup(NamedTuple):
    """A group, its shown evidence, and the columns that add something to the heading.

    `excerpt` is the outline of the message: lines with their depth, and whether it is the line of the finding. `remedy` is
    what to do.
    """

    group: Group
    evidence: tuple[Evidence, ...]
    excerpt: tuple[tuple[int, str, bool], ...]
    remedy: str
    opened: bool
    pointers: bool
    messages: bool
    values: bool
    times: bool
    others: bool
    suppression: Suppression | None


class OperationFindings(NamedTuple):
    """The groups of one operation. `id` is the target of links; `known` is True if nothing in it is new."""

    id: str
    name: str
    total: int
    known: bool
    opened: bool
    groups: tuple[ShownGroup, ...]


class SeverityFindings(NamedTuple):
    """All findings of one severity, or all suppressed ones."""

    id: str
    title: str
    words: str
    total: int
    known: bool
    blocks: tuple[OperationFindings, ...]


class OverviewRow(NamedTuple):
    """One row of the overview: an operation, and for each severity the count and its link ("" for none)."""

    name: str
    counts: tuple[tuple[int, str], ...]


_WEIGHTS: Final[tuple[tuple[str, str, str, Callable[[Group], bool]], ...]] = (
    ("error", "Errors", "They break the contract.", lambda group: group.severity is Severity.ERROR),
    ("warning", "Warnings", "They are suspicious.", lambda group: group.severity is Severity.WARNING),
    ("note", "Notes", "They are information, not findings.", lambda group: group.severity is Severity.NOTE),
)


def shown_findings(report: Report) -> tuple[SeverityFindings, ...]:
    """Return the sections that are not empty."""
    counted = [group for group in report.groups if group.suppressed is None]
    hidden = [group for group in report.groups if group.suppressed is not None]
    each = max(1, _MOST // max(1, len(report.groups)))
    opened = frozenset(group.id for group in counted[:_OPENED])
    made = [
        _weight(report, name, title, words, filter(within, counted), each, opened)
        for name, title, words, within in _WEIGHTS
    ]
    words = "The configuration suppresses them."
    made.append(_weight(report, "suppressed", "Suppressed", words, hidden, each, frozenset()))
    return tuple(one for one in made if one.blocks)


def tallies(weights: tuple[SeverityFindings, ...]) -> tuple[OverviewRow, ...]:
    """Return the overview: the operations with findings, by name, with the counts of each severity."""
    names = sorted(
        {block.name for weight in weights for block in weight.blocks}, key=lambda name: (name == _NO_OPERATION, name)
    )
    found = {(weight.id, block.name): block for weight in weights for block in weight.blocks}
    return tuple(
        OverviewRow(
            name,
            tuple(
                (block.total, block.id) if (block := found.get((weight.id, name))) is not None else (0, "")
                for weight in weights
            ),
        )
        for name in names
    )


def suppression_of(report: Report, group: Group) -> Suppression | None:
    """Return the suppression of a group: the first one in force that covers it, in the order of the configuration."""
    if group.suppressed is None:
        return None
    for one in report.suppressions:
        if not one.expired and one.code == group.code:
            given = ((one.operation, group.operation), (one.part, group.part), (one.pointer, group.pattern))
            if all(asked in (None, there) for asked, there in given):
                return one
    return None


def _weight(
    report: Report, name: str, title: str, words: str, groups: Iterable[Group], each: int, opened: frozenset[str]
) -> SeverityFindings:
    blocks = []
    by_operation: dict[str, list[Group]] = {}
    for group in groups:
        by_operation.setdefault(group.operation, []).append(group)
    for operation, some in by_operation.items():
        shown = tuple(_shown(report, group, each, opened) for group in some)
        blocks.append(
            OperationFindings(
                f"{name}-{operation or 'none'}",
                operation or _NO_OPERATION,
                sum(one.group.count for one in shown),
                not any(one.group.new for one in shown),
                any(one.opened for one in shown),
                shown,
            )
        )
    total = sum(block.total for block in blocks)
    return SeverityFindings(name, title, words, total, all(block.known for block in blocks), tuple(blocks))


def excerpt_of(pattern: str, value: str | None) -> tuple[tuple[int, str, bool], ...]:
    """Return the outline of a message down to a pointer: each line with its depth, and whether it is the place itself.

    Of the message it contains only the value, if values are shown.
    """
    if pattern.startswith("@"):
        kind, _, name = pattern[1:].partition("/")
        said = f"{name or kind}:" if value is None else f"{name or kind}: {value}"
        return ((0, said, True),)
    steps = pattern.split("/")[1:]
    shown = "…" if value is None else value
    if not steps:
        return ((0, shown, True),)
    lines = [(0, "{", False)]
    for depth, step in enumerate(steps, 1):
        last = depth == len(steps)
        name = "[ any element:" if step == "*" else f'"{step}":'
        within = "" if last else " [" if steps[depth] == "*" else " {"
        lines.append((depth, f"{name} {shown}" if last else f"{name}{within}", last))
    return tuple(lines)


def _shown(report: Report, group: Group, each: int, opened: frozenset[str]) -> ShownGroup:
    kept = group.evidence
    return ShownGroup(
        group,
        kept[:each],
        excerpt_of(group.pattern, kept[0].value if kept else None) if group.part != "configuration" else (),
        remedy_of(group.code, group.by),
        group.id in opened,
        any(one.pointer != group.pattern for one in kept),
        any(one.message != group.message for one in kept),
        any(one.value is not None for one in kept),
        any(one.at for one in kept),
        any(one.other is not None for one in kept),
        suppression_of(report, group),
    )
