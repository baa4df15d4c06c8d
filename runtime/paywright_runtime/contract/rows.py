"""Make the contract's values of the rows in its JSON: each class by its members, lists as tuples, codes as sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paywright_runtime.contract.model import Field, Following, Limit, Move, Question, Rule, Set, Struct
from paywright_runtime.contract.operation import (
    Amount,
    Decision,
    GivesBack,
    Guard,
    Listed,
    Operation,
    Resolution,
    SeenNotification,
    Shown,
)

__all__ = ["followed", "limits", "moves", "operation", "questions", "seen", "struct", "value_list"]

Row = Mapping[str, Any]

_PARTS: Mapping[str, type[Any]] = {
    "amount": Amount, "decision": Decision, "gives_back": GivesBack, "guards": Guard, "lists": Listed, "resolution": Resolution,
    "shows": Shown,
}  # fmt: skip


def _plain(value: Any) -> Any:
    """Return a value with its lists as tuples."""
    return tuple(map(_plain, value)) if type(value) is list else value


def _members(row: Row) -> dict[str, Any]:
    return {name: _plain(value) for name, value in row.items()}


def _with_parts(row: Row) -> dict[str, Any]:
    """Return the members of an operation: those of `_PARTS` are values of their classes, codes are sets."""
    made: dict[str, Any] = {}
    for name, value in row.items():
        part = _PARTS.get(name)
        if part is not None:
            made[name] = (
                tuple(part(**_members(one)) for one in value) if type(value) is list else part(**_members(value))
            )
        else:
            made[name] = frozenset(value) if name.endswith("_codes") else _plain(value)
    return made


def operation(name: str, row: Row) -> Operation:
    """Return an operation."""
    return Operation(name, **_with_parts(row))


def struct(name: str, row: Row) -> Struct:
    """Return an object on the wire."""
    rules = tuple(Rule(**_members(one)) for one in row.get("rules", ()))
    return Struct(name, *(Field(**one) for one in row["fields"]), sections=tuple(row.get("sections", ())), rules=rules)


def value_list(name: str, row: Row) -> Set:
    """Return a value list."""
    return Set(name, **_members(row))


def limits(rows: Mapping[str, Row]) -> dict[str, Limit]:
    """Return the limits by their names."""
    return {name: Limit(name, **_members(row)) for name, row in rows.items()}


def moves(rows: list[Row]) -> tuple[Move, ...]:
    """Return the moves."""
    return tuple(Move(**_members(row)) for row in rows)


def followed(rows: Mapping[str, Row]) -> dict[str, Following]:
    """Return the followings by their resources."""
    return {kind: Following(kind, **_members(row)) for kind, row in rows.items()}


def questions(rows: Mapping[str, Row]) -> dict[str, Question]:
    """Return the questions by their names."""
    return {name: Question(name, **_members(row)) for name, row in rows.items()}


def seen(rows: Mapping[str, Row]) -> dict[str, SeenNotification]:
    """Return the notifications that were seen elsewhere, by their kinds."""
    return {kind: SeenNotification(kind, **_with_parts(row)) for kind, row in rows.items()}
