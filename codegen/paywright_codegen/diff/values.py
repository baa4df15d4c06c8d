"""Make the values by which the two sides of a member can differ: those at the limits of either one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from paywright_codegen.examples import struct_example, text_example
from paywright_codegen.literals import is_text, pattern_of
from paywright_codegen.lookup import closed_values
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field
from paywright_runtime.contract.formats import FORMS

Side = tuple[Contract, Field]
"""A member on one side of a comparison."""

_LONGEST, _STEPS = 4000, 24
_USUAL = (
    "", "A", "a1", "1", "0", "-1", "1.50", "ORD_1", "USD", "true", " ", "é", "漢", "ZZ_OTHER", "https://shop.example/",
)  # fmt: skip
_OTHERS: tuple[object, ...] = (None, 1, 0, 1.5, True, False, {}, [])
_CHARACTERS = "\t\n\r" + "".join(map(chr, range(32, 128))) + "\x80é漢"


def values(sides: Sequence[Side]) -> Iterator[object]:
    """Yield values of a member, at and beyond the limits of both sides."""
    limits = {limit for _, field in sides for limit in (field.min, field.max) if limit is not None}
    sizes = sorted(
        {size for limit in limits for size in (limit - 1, limit, limit + 1) if 0 <= size <= _LONGEST} | {1, 2}
    )
    texts = list(dict.fromkeys(_texts(sides, sizes))) if any(is_text(field) for _, field in sides) else [*_USUAL]
    ones = [*_OTHERS, *_objects(sides), *texts]
    yield from ones
    if any(field.type.array for _, field in sides):
        yield from ([one] for one in ones)
        yield from ([one] * size for size in sizes for one in ones[:400])


def _objects(sides: Sequence[Side]) -> Iterator[object]:
    for contract, field in sides:
        if field.type.kind == "struct":
            struct = contract.struct_named(field.type.name)
            example = struct_example(contract, struct)
            yield from (example, *({**example, one.wire: wrong} for one in struct.fields for wrong in (None, 0, "")))


def _texts(sides: Sequence[Side], sizes: Sequence[int]) -> Iterator[str]:
    """Yield texts: what both sides name, their neighbours of one character where there is a format, and others of these lengths."""
    seeds = [*_USUAL]
    for contract, field in sides:
        made = text_example(contract, field)
        seeds += [*field.examples, *field.values, *closed_values(contract, field), *filter(None, (field.sends, made))]
        if field.type.kind == "set":
            seeds += [value.wire for value in contract.sets[field.type.name].values]
        for edge in field.range or ():
            seeds += [text for number in (edge - 1, edge, edge + 1) for text in (str(number), f"0{number}")]
    named = [*seeds]
    formats = [re.compile(one) for one in dict.fromkeys(_pattern(side) for side in sides) if one is not None]
    if formats:
        seeds += (check.example for check in FORMS.values())
        seeds += (text for each in formats for text in re.findall(r"\w+", each.pattern))
        counts = {
            int(number) + more for each in formats for number in re.findall("[0-9]+", each.pattern) for more in (0, 1)
        }
        counts = {size for size in (*sizes, *counts) if size <= 300}
        steps = [*dict.fromkeys(seeds)]
        for letters in (_CHARACTERS, ""):
            steps = [seed for seed in steps if any(each.fullmatch(seed) for each in formats)]
            near = [text for seed in steps for text in _near(seed, counts, letters)]
            # One of each length that the formats tell apart in the same way, with the same last character.
            kinds = {(len(text), text[-1:], *(each.fullmatch(text) is None for each in formats)): text for text in near}
            steps = [*kinds.values()]
            named += steps
    yield from (*seeds, *named)
    for size in sizes:
        for seed in named[:60]:
            missing = size - len(seed)
            longer = [*(seed + letter * missing for letter in "a1A0"), "0" * missing + seed]
            yield from longer if missing > 0 else [seed[:size]]


def _near(seed: str, counts: Iterable[int], letters: str) -> Iterator[str]:
    """Yield texts that are one step from another: a character less, more, another one, or one repeated."""
    for at in range(min(len(seed), _STEPS) + 1):
        before, one, behind = seed[:at], seed[at : at + 1], seed[at + 1 :]
        for letter in ("", *letters):
            yield from (before + letter + behind, before + letter + one + behind)
        yield from (before + one * count + behind for count in counts)


def _pattern(side: Side) -> str | None:
    contract, field = side
    if field.type.kind != "format":
        return None
    return pattern_of(contract.formats[field.type.name])


def endless(sides: Sequence[Side]) -> bool:
    """Return whether samples are no proof: there are texts of two formats, or of one without an end."""
    one, other = map(_pattern, sides)
    return one != other or any(sign in (one or "") for sign in ("*", "+", ",}"))
