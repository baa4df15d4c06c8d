"""Find a message that one side takes and the other refuses because of a change, with the validators of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Final, Literal, cast

from paywright_codegen.diff.walk import Both, Change, Use
from paywright_codegen.examples import examples, field_example, keep_example_rules, likely_texts, struct_example
from paywright_codegen.literals import is_text, pattern_of
from paywright_codegen.lookup import closed_values, field_at
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.rules import Differs, Joined, Path, paths_of
from paywright_codegen.model.types import Field, Struct

Effect = Literal["narrowed", "widened"]
Document = dict[str, object]
Part = dict[Path, object]
"""Values at paths into an object; MISSING if the member is left out."""
Side = tuple[Contract, Field]
"""A member on one side of a comparison."""
Judge = Callable[[str, Document], Sequence[tuple[str, str]]]
"""Gets the name of an object and a document; returns pointer and code of each violation, none if it has no name."""

_MESSAGES: Final = 5
_COMBINATIONS: Final = 4000
_ENOUGH: Final = 60
_LONGEST, _STEPS = 4000, 24
_MISSING: Final = object()
_NOTHING: tuple[object, ...] = (None, "", [], _MISSING)
_USUAL = (
    "", "A", "a1", "1", "0", "-1", "1.50", "ORD_1", "USD", "true", " ", "é", "漢", "ZZ_OTHER", "https://shop.example/",
)  # fmt: skip
_OTHERS: tuple[object, ...] = (None, 1, 0, 1.5, True, False, {}, [])
_CHARACTERS = "\t\n\r" + "".join(map(chr, range(32, 128))) + "\x80é漢"


@dataclass(frozen=True, slots=True)
class Party:
    """One side of the comparison: a contract, and its validators."""

    contract: Contract
    judge: Judge


@dataclass(frozen=True, slots=True)
class Witness:
    """A message that one side takes and the other refuses: in `narrowed` the new side refuses it, in `widened` the old one."""

    effect: Effect
    use: Use
    document: Document
    pointer: str
    code: str


def witnesses(sides: Both[Party], change: Change) -> tuple[tuple[Witness, ...], bool]:
    """Return a witness for each effect and direction that has one, and whether all kinds of values were tried."""
    searches = _Search(sides, change, "narrowed"), _Search(sides[::-1], change, "widened")
    found: list[Witness] = []
    for search in searches:
        for sent in (True, False):
            uses = [one for one in change.uses if one.sent is sent][:_MESSAGES]
            found += islice(filter(None, map(search.witness, uses)), 1)
    return tuple(found), all(search.complete for search in searches)


class _Search:
    """Search for messages that the writer takes and the reader refuses because of a change of a member or a rule."""

    def __init__(self, sides: Sequence[Party], change: Change, effect: Effect) -> None:
        self._writer, self._reader = sides
        self._codes = change.row.codes or ()
        self._effect: Effect = effect
        self._is_rule = "rule" in self._codes
        self._known: dict[object, list[Document]] = {}
        self.complete = True

    def witness(self, found: Use) -> Witness | None:
        """Return a whole message that shows the change in a place; None if there is none."""
        use = found if self._effect == "narrowed" else found.turned
        contract, struct = self._writer.contract, use.structs[0]
        place = *(one.name for one in use.structs), use.names
        if place not in self._known:
            parts = self._of_rule(use) if self._is_rule else self._of_member(use)
            made = (_example(contract, struct, part) for part in parts)
            shown = (one for one in made if self._hit(use, use.structs, one, ()) is not None)
            self._known[place] = [*islice(shown, _ENOUGH)]
        base = examples(contract, use.operations[0])[use.is_answer] if use.path else {}
        for one in self._known[place]:
            document = _example(contract, use.roots[0], {use.path: one}, base) if use.path else one
            hit = self._hit(use, use.roots, document, use.path)
            if hit is not None:
                return Witness(self._effect, found, document, *hit)
        return None

    def _hit(self, use: Use, structs: Both[Struct], document: Document, path: Path) -> tuple[str, str] | None:
        """Return the reader's violation that the change causes, if the writer finds none."""
        if self._writer.judge(structs[0].name, document):
            return None
        for pointer, code in self._reader.judge(structs[1].name, document):
            steps = [step for step in pointer.split("/")[1:] if not step.isdecimal()]
            if "type" in self._codes:  # another type, by which what stands inside is refused
                steps = steps[: len(path) + 1]
            if code == use.names[1] if self._is_rule else code in self._codes and steps == [*path, use.names[1]]:
                return pointer, code
        return None

    def _of_member(self, use: Use) -> Iterator[Part]:
        """Yield a member missing, and with each value at the limits of either side."""
        own, read = (struct.field(name or "") for struct, name in zip(use.structs, use.names, strict=True))
        if read is None:
            return  # what a side does not know it does not refuse
        if own is None:
            yield {}
            return
        fields = [(self._writer.contract, own), (self._reader.contract, read)]
        one, other = _patterns(fields)
        # Samples are no proof where there are texts of two formats, or of one without an end.
        self.complete &= one == other and not any(sign in (one or "") for sign in ("*", "+", ",}"))
        also: Part = {} if own.also is None else {(own.also,): _MISSING}
        for value in (_MISSING, *_values(fields)):
            yield {(own.wire,): value, **also}
            yield from ({(own.wire,): _MISSING, other: value} for other in also)

    def _of_rule(self, use: Use) -> Iterator[Part]:
        """Yield all combinations of the values by which either side's rule tells objects apart."""
        rules = [rule for struct in use.structs for rule in struct.rules if rule.id in use.names]
        said = [
            part for rule in rules for one in (*rule.when, *rule.demands) for part in getattr(one, "choices", (one,))
        ]
        told: dict[Path, list[object]] = {}
        for part in said:
            size = getattr(part, "max", None)
            longer = ["a" * size, "a" * (size + 1)] if size is not None else []
            for path in paths_of(part):
                told.setdefault(path, []).extend([*getattr(part, "values", ()), *longer])
        options = {path: _options(self._writer.contract, use.structs[0], path, told[path]) for path in told}
        options = {path: made for path, made in options.items() if made}
        for number, chosen in enumerate(product(*options.values())):
            if number >= _COMBINATIONS:
                self.complete = False
                return
            made = dict(zip(options, chosen, strict=True))
            yield made
            for one in said:
                if isinstance(one, Differs | Joined) and one.path in options:
                    others = (one.other,) if isinstance(one, Differs) else one.parts
                    yield {**made, one.path: "".join(str(made.get(other)) for other in others)}


def _options(contract: Contract, struct: Struct, path: Path, listed: Sequence[object]) -> list[object]:
    """Return a few values of a member: missing, empty, what is listed, and others that it may have; none if there is none."""
    own = field_at(contract, struct, path, lists=True)
    if own is None:
        return []
    one = replace(own, type=replace(own.type, array=False))
    others = (field_example(contract, each) for each in (one, replace(one, examples=(), sends=None)))
    made = ["", *listed, *closed_values(contract, own)[:3], *others]
    made = [[], *([value] for value in made)] if own.type.array else made
    return [_MISSING, *(value for number, value in enumerate(made) if value not in made[:number])]


def _example(contract: Contract, struct: Struct, part: Part, base: object = None) -> Document:
    """Return an example of an object with values at paths, which keeps its rules as those on the way do. Of a list the first is meant.

    Objects on the way are made, unless all in them is missing. No rule changes a member that is given.
    """
    body = deepcopy(base) if isinstance(base, dict) else struct_example(contract, struct)
    for name in dict.fromkeys(way[0] for way in part):
        inside = {way[1:]: value for way, value in part.items() if way[0] == name}
        field, old = struct.field(name), body.pop(name, _MISSING)
        value = inside.pop((), old)
        is_there = value not in _NOTHING or any(one is not _MISSING for one in inside.values())
        if field is not None and inside and is_there:
            first = value[0] if isinstance(value, list) and value else value
            value = _example(contract, contract.struct_named(field.type.name), inside, first)
        if field is not None and field.type.array and isinstance(value, dict):
            elements = old if isinstance(old, list) and old else cast("list[object]", field_example(contract, field))
            value = [value, *elements[1:]]
        if value is not _MISSING:
            body[name] = value
    keep_example_rules(contract, struct, body, None, {way[:end] for way in part for end in range(1, len(way) + 1)})
    return body


def _values(sides: Sequence[Side]) -> Iterator[object]:
    """Yield values of a member, at and beyond the limits of both sides."""
    limits = {limit for _, field in sides for limit in (field.min, field.max) if limit is not None}
    around = {limit + more for limit in limits for more in (-1, 0, 1)}
    sizes = sorted({1, 2, *(size for size in around if 0 <= size <= _LONGEST)})
    ones = [*_OTHERS]
    for contract, field in sides:
        if field.type.kind == "struct":
            struct = contract.struct_named(field.type.name)
            ones += [struct_example(contract, struct)]
            ones += (dict.fromkeys((one.wire for one in struct.fields), wrong) for wrong in (None, 0, ""))
    ones += dict.fromkeys(_texts(sides, sizes)) if any(is_text(field) for _, field in sides) else _USUAL
    yield from ones
    if any(field.type.array for _, field in sides):
        yield from ([one] for one in ones)
        yield from ([one] * size for size in sizes for one in ones[:400])


def _texts(sides: Sequence[Side], sizes: Sequence[int]) -> Iterator[str]:
    """Yield texts: what both sides name, their neighbours of one character where there is a format, and others of these lengths."""
    named = [*_USUAL, *(text for _, field in sides for text in (*field.examples, *field.values))]
    for contract, field in sides:
        for edge in field.range or ():
            named += [text for number in (edge - 1, edge + 1) for text in (str(number), f"0{number}")]
        named += likely_texts(contract, field)
    patterns = [one for one in dict.fromkeys(_patterns(sides)) if one is not None]
    if patterns:
        formats, whole = [*map(re.compile, patterns)], " ".join(patterns)
        named += re.findall(r"\w+", whole)
        counts = {int(number) + more for number in re.findall("[0-9]+", whole) for more in (0, 1)}
        counts = {size for size in (*sizes, *counts) if size <= 300}
        steps = [*dict.fromkeys(named)]
        for letters in (_CHARACTERS, ""):
            steps = [seed for seed in steps if any(each.fullmatch(seed) for each in formats)]
            near = [text for seed in steps for text in _near(seed, counts, letters)]
            # One of each length that the formats tell apart in the same way, with the same last character.
            kinds = {(len(text), text[-1:], *(each.fullmatch(text) is None for each in formats)): text for text in near}
            steps = [*kinds.values()]
            named += steps
    yield from named
    for size in sizes:
        for seed in named[:60]:
            yield from (seed.ljust(size, letter)[:size] for letter in "a1A0")
            yield seed.rjust(size, "0")[:size]


def _near(seed: str, counts: Iterable[int], letters: str) -> Iterator[str]:
    """Yield texts that are one step from another: a character less, more, another one, or one repeated."""
    for at in range(min(len(seed), _STEPS) + 1):
        before, one, behind = seed[:at], seed[at : at + 1], seed[at + 1 :]
        for letter in ("", *letters):
            yield from (before + letter + behind, before + letter + one + behind)
        yield from (before + one * count + behind for count in counts)


def _patterns(sides: Sequence[Side]) -> list[str | None]:
    return [pattern_of(side.formats[field.type.name]) if field.type.kind == "format" else None for side, field in sides]
