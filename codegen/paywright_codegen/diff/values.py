"""Make the values by which a member of two contracts can be told apart: those at the limits of either side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from re import _parser as parser  # type: ignore[attr-defined]  # of all versions of Python; nothing public reads a pattern
from typing import Any

from paywright_codegen.examples import struct_example
from paywright_codegen.literals import CHECKS
from paywright_codegen.lookup import closed_values
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field

__all__ = ["Side", "endless", "values"]

Side = tuple[Contract, Field]
"""A member on one side of a comparison."""

_LONGEST = 4000
_MOST = 400
_USUAL = (
    "A",
    "a1",
    "1",
    "0",
    "-1",
    "1.50",
    "ORD_1",
    "USD",
    "true",
    " ",
    "é",
    "漢",
    "ZZ_OTHER",
    "https://shop.example/",
)
_OTHERS: tuple[object, ...] = (None, 1, 0, 1.5, True, False, {}, [])
_CHARACTERS = "\t\n\r !\"#%&'+,-./0189:;<=>?@AZ[\\]^_`az{|}~\x7f\x80é漢"


def values(sides: Sequence[Side], patterns: Mapping[str, str]) -> Iterator[object]:
    """Yield values of a member, at and beyond the limits of both sides."""
    texts = list(dict.fromkeys(_texts(sides, patterns)))
    ones: list[object] = [*texts, *_OTHERS, *_structs(sides)]
    yield from ones
    if any(field.type.array for _, field in sides):
        sizes = {size for _, field in sides for limit in (field.min, field.max) for size in _around(limit)} | {1, 2}
        kind = next(field.type.kind for _, field in sides if field.type.array)
        firsts: Sequence[object] = ones[len(texts) :] if kind not in ("string", "format", "set") else texts
        yield from ([one] for one in ones)
        for size in sorted(sizes):
            yield from ([one] * size for one in firsts[:_MOST])


def _structs(sides: Sequence[Side]) -> Iterator[object]:
    for contract, field in sides:
        if field.type.kind == "struct":
            struct = contract.struct_named(field.type.name)
            example = struct_example(contract, struct)
            yield from (example, *({**example, one.wire: wrong} for one in struct.fields for wrong in (None, 0, "")))


def _around(limit: int | None) -> tuple[int, ...]:
    return () if limit is None else tuple(size for size in (limit - 1, limit, limit + 1) if 0 <= size <= _LONGEST)


def _texts(sides: Sequence[Side], patterns: Mapping[str, str]) -> Iterator[str]:
    """Yield texts: what both sides name, texts of their formats, and all of these in lengths around the limits."""
    seeds: list[str] = [""]
    for contract, field in sides:
        seeds += [
            *field.examples,
            *field.values,
            *closed_values(contract, field),
            *([field.sends] if field.sends else []),
        ]
        if field.type.kind == "set":
            seeds += [value.wire for value in contract.sets[field.type.name].values]
        for low, high in [field.range] if field.range is not None else ():
            seeds += [
                text
                for number in (low - 1, low, low + 1, high - 1, high, high + 1)
                for text in (str(number), f"0{number}")
            ]
    seeds += _USUAL
    formats = list(dict.fromkeys(filter(None, (_pattern(side, patterns) for side in sides))))
    if formats:
        seeds += (check.example for check in CHECKS.values())
        alphabet = _alphabet(formats)
        for pattern in formats:
            seeds += samples(pattern, alphabet)
    yield from seeds
    lengths = {size for _, field in sides for limit in (field.min, field.max) for size in _around(limit)} | {1}
    for length in sorted(lengths):
        for seed in seeds[:_MOST]:
            if len(seed) < length:
                missing = length - len(seed)
                yield from (seed + letter * missing for letter in "a1A0")
                yield "0" * missing + seed
            elif length:
                yield seed[:length]


def _pattern(side: Side, patterns: Mapping[str, str]) -> str | None:
    contract, field = side
    if field.type.kind != "format":
        return None
    form = contract.formats[field.type.name]
    return form.pattern if form.pattern is not None else patterns.get(form.check or "")


def endless(sides: Sequence[Side], patterns: Mapping[str, str]) -> bool:
    """Return whether a format keeps samples from being a proof: its texts are too many to try, and not all of one length."""
    found = {_pattern(side, patterns) for side in sides}
    if found == {None}:
        return False
    if len(found) > 1:
        return True
    least, most = parser.parse(next(filter(None, found))).getwidth()
    limits = [limit for _, field in sides for limit in (field.max,) if limit is not None]
    return bool(most > min(limits, default=0) or least < max((field.min or 0 for _, field in sides), default=0))


def samples(pattern: str, alphabet: Sequence[str]) -> list[str]:
    """Return texts that a pattern matches: the first of its choices, and each other choice in turn."""
    with suppress(re.error, RecursionError, OverflowError):
        compiled = re.compile(pattern)
        made = dict.fromkeys(_sequence(parser.parse(pattern), alphabet))
        return [text for text in made if compiled.fullmatch(text)][:_MOST]
    return []


def _sequence(tree: Iterable[tuple[Any, Any]], alphabet: Sequence[str]) -> list[str]:
    parts = [_node(str(op), given, alphabet) for op, given in tree]
    firsts = [part[0] for part in parts]
    found = ["".join(firsts)]
    for number, part in enumerate(parts):
        before, behind = "".join(firsts[:number]), "".join(firsts[number + 1 :])
        found += [before + other + behind for other in part[1:]]
    return found[: 4 * _MOST]


def _node(op: str, given: Any, alphabet: Sequence[str]) -> list[str]:
    if op == "LITERAL":
        return [chr(given)]
    if op in ("IN", "ANY", "NOT_LITERAL"):
        return [one for one in alphabet if _takes(op, given, one)] or _first(given)
    if op == "BRANCH":
        return [text for branch in given[1] for text in _sequence(branch, alphabet)]
    if op == "SUBPATTERN":
        return _sequence(given[-1], alphabet)
    if op == "ATOMIC_GROUP":
        return _sequence(given, alphabet)
    if op.endswith("_REPEAT"):
        least, most = int(given[0]), min(int(given[1]), 300)
        inside = _sequence(given[2], alphabet)
        counts = dict.fromkeys(count for count in (least, least + 1, most) if count <= most)
        found = [inside[0] * count for count in counts]
        return found + [other + inside[0] * max(least - 1, 0) for other in inside[1:]] if most else found
    return [""]  # what looks ahead or behind, and the ends: the whole pattern says whether a text fits


def _first(items: Any) -> list[str]:
    return [chr(given if str(op) == "LITERAL" else given[0]) for op, given in items if str(op) in ("LITERAL", "RANGE")][
        :1
    ] or [""]


def _takes(op: str, given: Any, character: str) -> bool:
    if op == "ANY":
        return character != "\n"
    if op == "NOT_LITERAL":
        return bool(ord(character) != given)
    negated = bool(given) and str(given[0][0]) == "NEGATE"
    return negated is not any(_item(str(one), what, character) for one, what in given[negated:])


def _item(op: str, given: Any, character: str) -> bool:
    if op == "LITERAL":
        return bool(ord(character) == given)
    if op == "RANGE":
        return bool(given[0] <= ord(character) <= given[1])
    word = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}.get(str(given).rpartition("_")[2], "")
    return (re.match(word, character) is not None) is ("NOT" not in str(given))


def _alphabet(patterns: Sequence[str]) -> list[str]:
    """Return usual characters, and those at the ends of the ranges of all patterns and beside them."""
    found = dict.fromkeys(_CHARACTERS)
    for pattern in patterns:
        with suppress(re.error, RecursionError, OverflowError):
            for code in _codes(parser.parse(pattern)):
                found |= dict.fromkeys(chr(one) for one in (code - 1, code, code + 1) if 0 <= one < 0xD800)
    return sorted(found, key=lambda one: (not one.isalnum(), one))


def _codes(tree: Any) -> Iterator[int]:
    if isinstance(tree, tuple) and len(tree) == 2 and str(tree[0]) == "LITERAL":
        yield tree[1]
    elif isinstance(tree, tuple) and len(tree) == 2 and str(tree[0]) == "RANGE":
        yield from tree[1]
    elif isinstance(tree, list | tuple) or hasattr(tree, "data"):
        for one in tree:
            yield from _codes(one)
