"""Coverage on the page: the objects and lists of the contract that occurred, and those that did not."""

from __future__ import annotations

from itertools import groupby
from typing import Final, NamedTuple

from paywright_audit.report.model import Member, OperationSeen, Report, ValueSeen

_CELL: Final = 9
_GAP: Final = 3


class ObjectCoverage(NamedTuple):
    """An object of the contract with its members.

    `drawn` and `missing` are SVG paths of a strip with a cell for each member.
    """

    name: str
    members: tuple[Member, ...]
    seen: int
    width: int
    drawn: str
    missing: str


class ListCoverage(NamedTuple):
    """A list of values, with how often each occurred."""

    name: str
    values: tuple[ValueSeen, ...]
    seen: int


class ContractCoverage(NamedTuple):
    """The coverage. `unseen` are objects of which no member occurred. `others` count exchanges of unnamed operations."""

    operations: tuple[OperationSeen, ...]
    operations_seen: int
    others: tuple[tuple[str, int], ...]
    objects: tuple[ObjectCoverage, ...]
    unseen: tuple[ObjectCoverage, ...]
    members: int
    members_seen: int
    states: tuple[ListCoverage, ...]
    states_seen: int
    states_all: int
    lists: tuple[ListCoverage, ...]
    lists_seen: int
    lists_all: int


def coverage_of(report: Report) -> ContractCoverage:
    """Return the coverage in the contract's order."""
    objects = [_object(name, tuple(some)) for name, some in groupby(report.members, key=lambda one: one.struct)]
    listed = [_listed(name, tuple(some)) for name, some in groupby(report.values, key=lambda one: one.set)]
    states = tuple(one for one in listed if one.values[0].state)
    lists = tuple(one for one in listed if not one.values[0].state)
    named = {one.name for one in report.seen}
    return ContractCoverage(
        report.seen,
        sum(one.exchanges > 0 for one in report.seen),
        tuple((name, number) for name, number in report.operations.items() if name not in named),
        tuple(one for one in objects if one.seen),
        tuple(one for one in objects if not one.seen),
        len(report.members),
        sum(one.seen for one in objects),
        states,
        sum(one.seen for one in states),
        sum(len(one.values) for one in states),
        lists,
        sum(one.seen for one in lists),
        sum(len(one.values) for one in lists),
    )


def _object(name: str, members: tuple[Member, ...]) -> ObjectCoverage:
    step = _CELL + _GAP
    return ObjectCoverage(
        name,
        members,
        sum(one.count > 0 for one in members),
        len(members) * step - _GAP,
        "".join(f"M{place * step} 0h{_CELL}v{_CELL}h-{_CELL}z" for place, one in enumerate(members) if one.count),
        "".join(
            f"M{place * step + 0.5} 0.5h{_CELL - 1}v{_CELL - 1}h-{_CELL - 1}z"
            for place, one in enumerate(members)
            if not one.count
        ),
    )


def _listed(name: str, values: tuple[ValueSeen, ...]) -> ListCoverage:
    return ListCoverage(name, values, sum(one.count > 0 for one in values))
