"""The members without which a message is not believed: what carries identity, state or money (`Field.needed`).

The generator derives them from the contract, once for whoever reads an answer, a notification or a question. Any other member
reads as blank if it is missing or cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from paywright_runtime.contract.value_checks import EMPTY, Report, within

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Field, Struct


class Due(NamedTuple):
    """Members that may be blank at first, and are needed once money has moved for good: once `state` is one of `ends`.

    `members` are paths from the object with the state.
    """

    state: str
    ends: frozenset[str]
    members: tuple[tuple[str, ...], ...]


def holds_needed(contract: Contract, struct: Struct, seen: frozenset[str] = frozenset()) -> bool:
    """Return whether an object, or one inside it, has a needed member."""
    if struct.name in seen:
        return False
    below = (contract.struct(field.of or "") for field in struct.fields if field.kind == "struct")
    return any(field.needed for field in struct.fields) or any(
        holds_needed(contract, inner, seen | {struct.name}) for inner in below
    )


def needed_texts(contract: Contract, struct: Struct, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of needed texts: they may not be empty, though no limit of the contract says so."""
    for field in struct.fields:
        if field.required and field.kind == "struct" and not field.array:
            yield from needed_texts(contract, contract.struct(field.of or ""), (*at, field.wire))
        elif field.required and field.needed and field.kind == "text" and not (field.blank or field.array):
            yield (*at, field.wire)


def due_members(contract: Contract, struct: Struct) -> Due | None:
    """Return the members of an object, and of those in it, that are needed in the end; None if there are none."""
    state = _state(contract, struct)
    if state is None:
        return None
    listed = contract.set(state.of or "")
    ends, members = frozenset(listed.paid).intersection(listed.final), tuple(_blank(contract, struct, ()))
    return Due(state.wire, ends, members) if ends and members else None


def _state(contract: Contract, struct: Struct) -> Field | None:
    fields = (field for field in struct.fields if field.kind == "set" and not field.array)
    return next((field for field in fields if contract.set(field.of or "").states), None)


def _blank(contract: Contract, struct: Struct, at: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for field in struct.fields:
        if field.required and field.blank and field.needed:
            yield (*at, field.wire)
        elif field.required and field.kind == "struct" and not field.array:
            inner = contract.struct(field.of or "")
            if _state(contract, inner) is None:  # else it has an end of its own
                yield from _blank(contract, inner, (*at, field.wire))


def report_due(due: Due | None, wire: Mapping[str, object], at: str, report: Report) -> None:
    """Report members that are blank though they are needed by now."""
    state = None if due is None else wire.get(due.state)
    if due is None or type(state) is not str or state not in due.ends:
        return
    for path in due.members:
        if within(wire, path) in EMPTY:
            pointer = "/".join((at, *path))
            if not any(pointer.startswith(f"{one}/") for one, _, _ in report.found):
                report.add(pointer, "required", f"is required once {due.state} is {state}")
