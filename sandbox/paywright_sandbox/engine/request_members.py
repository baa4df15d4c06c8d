"""Unknown members of a request, and empty required texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Final
from urllib.parse import quote

from paywright.contract import CONTRACT
from paywright_runtime.contract.conversion import unknown_members
from paywright_runtime.contract.model import Struct
from paywright_runtime.contract.operation import Operation

__all__ = ["empty_texts", "listed", "nearest_member", "unknown_in"]

_MOST: Final = 8
_LONGEST: Final = 100


def unknown_in(operation: Operation, body: Mapping[str, object]) -> list[str]:
    """Return the pointers of all members of a request that are not in the contract."""
    return unknown_members(CONTRACT, CONTRACT.struct(operation.request), body)


def empty_texts(operation: Operation, body: Mapping[str, object]) -> list[str]:
    """Return the pointers of all required texts of a request that are empty or only white space."""
    return list(_empty(CONTRACT.struct(operation.request), body, ""))


def _empty(struct: Struct, body: Mapping[str, object], at: str) -> Iterable[str]:
    texts, structs = _texts_and_structs(struct)
    for name in texts:
        value = body.get(name)
        if type(value) is str and (not value or value.isspace()):
            yield f"{at}/{name}"
    for name, inner in structs:
        value = body.get(name)
        if type(value) is dict:
            yield from _empty(inner, value, f"{at}/{name}")
        elif type(value) is list:
            for number, item in enumerate(value):
                if type(item) is dict:
                    yield from _empty(inner, item, f"{at}/{name}/{number}")


@cache
def _texts_and_structs(struct: Struct) -> tuple[Sequence[str], Sequence[tuple[str, Struct]]]:
    fields = struct.fields
    texts = [one.wire for one in fields if one.kind == "text" and one.required and not one.array and not one.blank]
    structs = [(one.wire, CONTRACT.struct(one.of)) for one in fields if one.kind == "struct" and one.of]
    return texts, structs


def nearest_member(operation: Operation, pointer: str) -> str | None:
    """Return the known member that an unknown one resembles, or None."""
    *_, (struct, _) = CONTRACT.at(operation.request, pointer)
    known = {wire.lower(): wire for wire in struct.by_wire}
    near = get_close_matches(pointer.rpartition("/")[2].lower(), known, 1, 0.75)
    return known[near[0]] if near else None


def listed(pointers: Sequence[str]) -> str:
    """Return pointers as one line of ASCII, for a header or a message: the first few and the number of the others."""
    shown = [quote(pointer, safe="/~-._")[:_LONGEST] for pointer in pointers[:_MOST]]
    more = len(pointers) - len(shown)
    return ", ".join([*shown, f"and {more} more"] if more else shown)
