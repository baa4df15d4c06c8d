"""Find a message that one side takes and the other refuses because of a change, with the validators of both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Final, Literal, cast

from paywright_codegen.diff.values import endless, values
from paywright_codegen.diff.walk import Both, Change, Use
from paywright_codegen.examples import examples, field_example, keep_example_rules, struct_example
from paywright_codegen.lookup import closed_values, members_on
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.rules import Differs, Joined, Path, paths_of
from paywright_codegen.model.types import Struct

Effect = Literal["narrowed", "widened"]
Document = dict[str, object]
Part = dict[Path, object]
"""Values at paths into an object; MISSING if the member is left out."""
Judge = Callable[[str, Document], Sequence[tuple[str, str]]]
"""Gets the name of an object and a document; returns pointer and code of each violation."""

_MESSAGES: Final = 5
_COMBINATIONS: Final = 4000
_ENOUGH: Final = 60
_MISSING: Final = object()


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
    found: list[Witness] = []
    complete = True
    effects: tuple[Effect, ...] = ("narrowed", "widened")
    for writer, effect in enumerate(effects):
        known: dict[object, _Showing] = {}
        for sent in (True, False):
            for use in [one for one in change.uses if one.sent is sent][:_MESSAGES]:
                place = *(one.name for one in use.structs), use.names
                known[place] = known.get(place) or _Showing(sides, change, use, writer)
                hit = known[place].shown_in(use)
                if hit is not None:
                    found.append(Witness(effect, use, *hit))
                    break
        complete &= all(one.complete for one in known.values())
    return tuple(found), complete


class _Showing:
    """Objects that the writer takes and the reader refuses because of a change of a member or a rule. The writer's side is 0 or 1."""

    def __init__(self, sides: Both[Party], change: Change, use: Use, writer: int) -> None:
        self._own, self._other = writer, 1 - writer
        self._writer, self._reader = sides[self._own], sides[self._other]
        self._struct, self._read = use.structs[self._own], use.structs[self._other]
        self._name, self._due = use.names[self._own], use.names[self._other]
        self._codes, self._is_rule = change.row.codes or (), use.is_rule
        self.complete = True
        made = map(self._object, self._of_rule() if self._is_rule else self._of_member())
        shown = (one for one in made if self._hit((self._struct.name, self._read.name), one, ()) is not None)
        self._objects = [*islice(shown, _ENOUGH)]

    def shown_in(self, use: Use) -> tuple[Document, str, str] | None:
        """Return a whole message that shows the change, with the reader's violation; None if there is none."""
        operation, contract = use.operations[self._own], self._writer.contract
        roots = [one.messages[use.is_answer].root for one in use.operations]
        names = (roots[self._own].name, roots[self._other].name) if use.path else (self._struct.name, self._read.name)
        base = examples(contract, operation)[use.is_answer] if use.path else {}
        for made in self._objects:
            document = _with(contract, roots[self._own], deepcopy(base), use.path, made) if use.path else made
            hit = self._hit(names, document, use.path)
            if hit is not None:
                return document, *hit
        return None

    def _hit(self, structs: Both[str], document: Document, path: Path) -> tuple[str, str] | None:
        """Return the reader's violation that the change causes, if the writer finds none."""
        if self._writer.judge(structs[0], document):
            return None
        return next((one for one in self._reader.judge(structs[1], document) if self._is_due(one, path)), None)

    def _is_due(self, violation: tuple[str, str], path: Path) -> bool:
        """Return whether the change causes a violation of the reader."""
        pointer, code = violation
        if self._is_rule:
            return code == self._due
        steps = [step for step in pointer.split("/")[1:] if not step.isdecimal()]
        if "type" in self._codes:  # another type, by which what stands inside is refused
            steps = steps[: len(path) + 1]
        return code in self._codes and steps == [*path, self._due]

    def _object(self, part: Part) -> Document:
        """Return an example of the object with these values, which keeps its rules."""
        body = struct_example(self._writer.contract, self._struct)
        for way, value in part.items():
            body = _with(self._writer.contract, self._struct, body, way, value, part)
        return body

    def _of_member(self) -> Iterator[Part]:
        """Yield a member missing, and with each value at the limits of either side."""
        own, read = self._struct.field(self._name or ""), self._read.field(self._due or "")
        if read is None:
            return  # what a side does not know it does not refuse
        if own is None:
            yield {}
            return
        fields = [(self._writer.contract, own), (self._reader.contract, read)]
        self.complete = not endless(fields)
        also: Part = {} if own.also is None else {(own.also,): _MISSING}
        yield {(own.wire,): _MISSING, **also}
        for value in values(fields):
            yield {(own.wire,): value, **also}
            yield from ({(own.wire,): _MISSING, other: value} for other in also)

    def _of_rule(self) -> Iterator[Part]:
        """Yield all combinations of the values by which either side's rule tells objects apart."""
        named = (self._struct, self._name), (self._read, self._due)
        rules = [rule for struct, name in named for rule in struct.rules if rule.id == name]
        said = [
            part for rule in rules for one in (*rule.when, *rule.demands) for part in getattr(one, "choices", (one,))
        ]
        told: dict[Path, list[object]] = {}
        for part in said:
            size = getattr(part, "max", None)
            longer = ["a" * size, "a" * (size + 1)] if size is not None else []
            for path in paths_of(part):
                told.setdefault(path, []).extend([*getattr(part, "values", ()), *longer])
        options = {path: _options(self._writer.contract, self._struct, path, told[path]) for path in told}
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
    found = members_on(contract, struct, path)
    if len(found) < len(path):
        return []
    own = found[-1][1]
    one = replace(own, type=replace(own.type, array=False))
    others = (field_example(contract, each) for each in (one, replace(one, examples=(), sends=None)))
    made = ["", *listed, *closed_values(contract, own)[:3], *others]
    made = [[], *([value] for value in made)] if own.type.array else made
    return [_MISSING, *(value for number, value in enumerate(made) if value not in made[:number])]


def _with(
    contract: Contract, struct: Struct, body: Document, way: Path, value: object, pinned: Collection[Path] = ()
) -> Document:
    """Return an object with a value at a path, which keeps its rules as those on the way do. Of a list the first is meant.

    Objects on the way are made, unless the value is missing. No member that is pinned is changed by a rule.
    """
    name, *rest = way
    own, inner = struct.field(name), body.get(name)
    elements = inner if isinstance(inner, list) else []
    if rest and own is not None and (inner or value is not _MISSING):
        inside = contract.struct_named(own.type.name)
        first = elements[0] if elements else inner
        first = first if isinstance(first, dict) else struct_example(contract, inside)
        value = _with(contract, inside, first, tuple(rest), value, [one[1:] for one in pinned if one[0] == name])
    if own is not None and own.type.array and isinstance(value, dict):
        value = [value, *(elements or cast("list[object]", field_example(contract, own)))[1:]]
    made = {**body, name: value}
    if value is _MISSING:
        del made[name]
    whole = {one[:end] for one in (way, *pinned) for end in range(1, len(one) + 1)}
    keep_example_rules(contract, struct, made, None, whole)
    return made
