"""A resolver as JSON, for another process: operation, key, requested values, times and owner. No body.

It belongs to one merchant at one address: a "not there" of another gateway, or of the sandbox, proves nothing about this one.
A permission to place again is not stored; the process that continues queries once more first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from paywright_runtime.settling.resolution import ResolutionState
from paywright_runtime.settling.schedule import Absence, GivenPermission
from paywright_runtime.settling.stored_document import Form, Owner, StoredKind

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.settling.stored_document import Reader

__all__ = ["FIELDS", "RESOLVING", "stored", "take_up", "taken_up", "values_of"]

_INSTEAD: Final = "start a new one with resolve(key), which asks from the beginning"
RESOLVING: Final = StoredKind("paywright_resolving", 1, "Resolver.to_json", "resolver", _INSTEAD)
FIELDS: Final[Mapping[str, Form]] = {
    "started_at": "time", "since": "time", "next_at": "optional_time", "asked_at": "optional_time", "asked": "count", "answers": "count",
    "failures": "count", "absences": "count", "placings": "count", "unknown": "flag", "claimed": "flag", "decide": "flag", "used": "flag",
    "keys": "listed", "foreign": "listed", "code": "optional_text", "last": "text",
}  # fmt: skip
"""The members that are stored as they are, and their forms."""


def values_of(state: ResolutionState, fields: Mapping[str, Form] = FIELDS) -> dict[str, object]:
    """Return what is stored of a state, for `take_up`."""
    absence, given = state.absence, state.given
    return {
        "operation": state.operation,
        "key": state.key,
        "asks": state.asks,
        "content": state.content,
        "absent_at": absence and absence.at,
        "absent_dated": absence and absence.dated,
        "given_at": given and given.at,
        "given_for": 0 if given is None else math.ceil(given.span.total_seconds()),
        **{name: getattr(state, name) for name in fields},
    }


def take_up(state: ResolutionState, reader: Reader, fields: Mapping[str, Form] = FIELDS) -> None:
    """Read into a state what `values_of` returned of it."""
    values = {name: reader.value(name, form) for name, form in fields.items()}
    absent_at, dated = reader.optional_time("absent_at"), reader.optional_time("absent_dated")
    given_at, given_for = reader.optional_time("given_at"), reader.count("given_for")
    if absent_at is not None:
        if not state.permitted_for and not values["claimed"]:
            raise reader.kind.foreign()
        state.absence = Absence(absent_at, dated, None)
    if given_at is not None:
        state.given = GivenPermission(given_at, None, timedelta(seconds=given_for))
    for name, value in values.items():
        setattr(state, name, value)
    state.foreign = frozenset(state.foreign)


def stored(state: ResolutionState, owner: Owner) -> str:
    """Return the resolution as JSON, for `taken_up`."""
    again = {} if state.permitted is None else {"next_at": state.permitted.wall}
    return RESOLVING.write(owner, values_of(state) | again)


def taken_up(contract: Contract, text: str, owner: Owner) -> ResolutionState:
    """Read what `stored` wrote. Raises `InvalidArgument` for anything else: a wrong time could place an order twice."""
    reader = RESOLVING.read(text)
    reader.check_owner(owner)
    asks, content = reader.texts("asks"), reader.texts("content")
    state = ResolutionState(
        contract, reader.text("operation"), reader.text("key"), asks, reader.time("started_at"), content
    )
    take_up(state, reader)
    if state.next_at is None:
        raise RESOLVING.foreign()
    return state
