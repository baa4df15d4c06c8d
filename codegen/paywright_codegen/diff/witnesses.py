"""Find a message that one side takes and the other refuses because of a change, with the validators of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice, product
from math import prod
from typing import Final, Literal

from paywright_codegen.diff.walk import Both, Change, Use
from paywright_codegen.examples import examples, field_example, keep_example_rules, likely_texts, struct_example
from paywright_codegen.literals import is_text, pattern_of
from paywright_codegen.lookup import closed_values, field_at
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.rules import Condition, Demand, Differs, Joined, Path, paths_of
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
_LONGEST, _STEPS = 4000, 24
_MISSING: Final = object()
_USUAL = (
    "", "A", "a1", "1", "0", "-1", "1.50", "ORD_1", "USD", "true", " ", "é", "漢", "ZZ_OTHER", "https://shop.example/",
)  # fmt: skip
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
    searches = _Search(sides, change, "narrowed"), _Search(sides, change, "widened")
    found: list[Witness] = []
    for search, sent in product(searches, (True, False)):
        uses = [one for one in change.uses if one.sent is sent][:_MESSAGES]
        found += islice(filter(None, map(search.witness, uses)), 1)
    return tuple(found), all(search.complete for search in searches)


class _Search:
    """Search for messages that the writer takes and the reader refuses because of a change of a member or a rule."""

    def __init__(self, sides: Both[Party], change: Change, effect: Effect) -> None:
        self._order = 1 if effect == "narrowed" else -1
        self._writer, self._reader = sides[:: self._order]
        self._codes = change.row.codes or ()
        self._effect: Effect = effect
        self._is_rule = "rule" in self._codes
        self.complete = True

    def witness(self, found: Use) -> Witness | None:
        """Return a message that shows the change in a place: an example of it with other values; None if there is none."""
        pairs = ("operations", "roots", "structs", "names")
        use = replace(found, **{pair: getattr(found, pair)[:: self._order] for pair in pairs})  # first who writes it
        contract, root = self._writer.contract, use.roots[0]
        base = None if use.is_header else examples(contract, use.operations[0])[use.is_answer]
        there: Part = {use.path: struct_example(contract, use.structs[0])} if use.path else {}
        for part in self._of_rule(use) if self._is_rule else self._of_member(use):
            inside = {(*use.path, *way): value for way, value in part.items()}
            document = _example(contract, root, there | inside, base)
            if not self._writer.judge(root.name, document):
                for pointer, code in self._reader.judge(use.roots[1].name, document):
                    if self._is_due(use, pointer, code):
                        return Witness(self._effect, found, document, pointer, code)
        return None

    def _is_due(self, use: Use, pointer: str, code: str) -> bool:
        """Return whether a violation is due to the change."""
        if self._is_rule:
            return code == use.names[1]
        steps = [step for step in pointer.split("/")[1:] if not step.isdecimal()]
        if "type" in self._codes:  # another type, by which what stands inside is refused
            steps = steps[: len(use.path) + 1]
        return code in self._codes and steps == [*use.path, use.names[1]]

    def _of_member(self, use: Use) -> Iterator[Part]:
        """Yield a member missing, and with each value at the limits of either side."""
        own, read = (struct.field(name or "") for struct, name in zip(use.structs, use.names, strict=True))
        if own is None or read is None:
            yield {}  # what a side does not know it neither sends nor refuses
            return
        fields = [(self._writer.contract, own), (self._reader.contract, read)]
        one, other = _patterns(fields)
        # Samples are no proof where there are texts of two formats, or of one without an end.
        self.complete &= one == other and not any(sign in (one or "") for sign in ("*", "+", ",}"))
        spelled: Part = {(name,): _MISSING for name in (own.wire, own.also) if name is not None}
        for value in (_MISSING, *_values(fields)):
            yield from ({**spelled, name: value} for name in spelled)

    def _of_rule(self, use: Use) -> Iterator[Part]:
        """Yield all combinations of the values by which either side's rule tells objects apart."""
        rules = [rule for struct in use.structs for rule in struct.rules if rule.id in use.names]
        said = [
            part for rule in rules for one in (*rule.when, *rule.demands) for part in getattr(one, "choices", (one,))
        ]
        contract, struct = self._writer.contract, use.structs[0]
        fields = {path: field_at(contract, struct, path, lists=True) for rule in rules for path in rule.paths}
        options = {path: _options(contract, own, path, said) for path, own in fields.items() if own is not None}
        self.complete &= prod(map(len, options.values())) <= _COMBINATIONS
        for chosen in islice(product(*options.values()), _COMBINATIONS):
            made = dict(zip(options, chosen, strict=True))
            yield made
            for one in said:
                if isinstance(one, Differs | Joined) and one.path in options:
                    yield {**made, one.path: "".join(str(made.get(other)) for other in paths_of(one)[1:])}


def _options(contract: Contract, field: Field, path: Path, said: Sequence[Condition | Demand]) -> list[object]:
    """Return a few values of a member: missing, empty, by which what is said tells it apart, and others that it may have."""
    about = [one for one in said if path in paths_of(one)]
    sizes = [size + more for one in about if (size := getattr(one, "max", None)) is not None for more in (0, 1)]
    listed = (value for one in about for value in getattr(one, "values", ()))
    one = replace(field, type=replace(field.type, array=False))
    others = (field_example(contract, each) for each in (one, replace(one, examples=(), sends=None)))
    made = ["", *listed, *("a" * size for size in sizes), *closed_values(contract, field)[:3], *others]
    made = [[], *([value] for value in made)] if field.type.array else made
    return [_MISSING, *{repr(value): value for value in made}.values()]


def _example(contract: Contract, struct: Struct, part: Part, base: object = None) -> Document:
    """Return an example of an object with values at paths, which keeps its rules as those on the way do. Of a list the first is meant.

    Objects on the way are made, unless all in them is missing. No rule changes a member that is given.
    """
    body = deepcopy(base) if isinstance(base, dict) else struct_example(contract, struct)
    for name in dict.fromkeys(way[0] for way in part):
        inside = {way[1:]: value for way, value in part.items() if way[0] == name}
        field, value = struct.field(name), inside.pop((), body.pop(name, _MISSING))
        is_there = value not in (None, "", [], _MISSING) or any(one is not _MISSING for one in inside.values())
        if field is not None and inside and is_there:
            first = value[0] if isinstance(value, list) and value else value
            value = _example(contract, contract.struct_named(field.type.name), inside, first)
        if field is not None and field.type.array and isinstance(value, dict):
            value = [value] * max(1, field.min or 1)
        if value is not _MISSING:
            body[name] = value
    keep_example_rules(contract, struct, body, None, {way[:end] for way in part for end in range(1, len(way) + 1)})
    return body


def _values(sides: Sequence[Side]) -> Iterator[object]:
    """Yield values of a member, at and beyond the limits of both sides."""
    limits = {limit for _, field in sides for limit in (field.min, field.max) if limit is not None}
    sizes = sorted({1, 2, *(size for one in limits for size in (one - 1, one, one + 1) if 0 <= size <= _LONGEST)})
    ones: list[object] = [None, 1, 0, 1.5, True, False, {}, []]
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
    beyond = [edge + more for _, field in sides for edge in field.range or () for more in (-1, 1)]
    named = [*_USUAL, *(text for number in beyond for text in (str(number), f"0{number}"))]
    for contract, field in sides:
        named += [*field.examples, *field.values, *likely_texts(contract, field)]
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
        one = seed[at : at + 1]
        made = ("", *letters, *(letter + one for letter in letters), *(one * count for count in counts))
        yield from (seed[:at] + new + seed[at + 1 :] for new in made)


def _patterns(sides: Sequence[Side]) -> list[str | None]:
    return [pattern_of(side.formats[field.type.name]) if field.type.kind == "format" else None for side, field in sides]
