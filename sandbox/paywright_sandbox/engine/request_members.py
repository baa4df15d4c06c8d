"""Find unknown members and empty required texts of a request, and say broken rules in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Final
from urllib.parse import quote

from paywright.contract import CONTRACT
from paywright_runtime.contract.conversion import unknown_members
from paywright_runtime.contract.model import Struct
from paywright_runtime.contract.operation import Operation

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


# A condition that is an open question says nothing to a client: leave it out.
_OPEN: Final = re.compile(r"when \?[a-z0-9-]+, | and \?[a-z0-9-]+| ?\?[a-z0-9-]+")
_NAME: Final = r"([A-Za-z][A-Za-z0-9.]*)"
_PHRASES: Final = (
    (re.compile(rf"\bneed {_NAME}\{{([^}}]*)\}}"), lambda found: f"{found[1]} needs {_listed(found[2], 'and')}"),
    (re.compile(rf"\bneed {_NAME}((?: or {_NAME})*)"), lambda found: f"{found[1]}{found[2]} is required"),
    (re.compile(rf"\brefuse {_NAME}"), lambda found: f"{found[1]} must not be sent"),
    (re.compile(rf"{_NAME} in ((?:[A-Z0-9_]+ ?)+)"), lambda found: f"{found[1]} is {_listed(found[2], 'or')} "),
    (re.compile(rf"{_NAME} max ([0-9]+)"), lambda found: f"{found[1]} has at most {found[2]} characters"),
)  # fmt: skip


def rule_in_words(text: str) -> str:
    """Return a rule in words, such as `outTradeNo or tradeToken is required` for `need outTradeNo or tradeToken ?x`."""
    words = _OPEN.sub("", text)
    for pattern, said in _PHRASES:
        words = pattern.sub(said, words)
    return " ".join(words.split()).replace(" ,", ",")


def _listed(words: str, last: str) -> str:
    *some, end = words.split()
    return f"{', '.join(some)} {last} {end}" if some else end
