"""Find a message that one side takes and the other refuses because of a change, with the validators of both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product
from typing import Final, Literal, TypeVar, cast

from paywright_codegen.diff.values import endless, values
from paywright_codegen.diff.walk import Change, Target, Walk
from paywright_codegen.examples import examples, field_example, keep_example_rules, struct_example
from paywright_codegen.lookup import closed_values, header_structs, members_on
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Operation
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
T = TypeVar("T")
_Both = tuple[T, T]
"""A thing of the writer of a message, and that of its reader."""


@dataclass(frozen=True, slots=True)
class Party:
    """One side of the comparison: a contract, and its validators."""

    contract: Contract
    judge: Judge


@dataclass(frozen=True, slots=True)
class MessagePair:
    """One message of both contracts, or its headers, with the operation and the object on either side. `sent`: by the merchant."""

    name: str
    sent: bool
    sides: _Both[tuple[Operation, Struct]]
    headers: bool = False


@dataclass(frozen=True, slots=True)
class Witness:
    """A message that one side takes and the other refuses: in `narrowed` the new side refuses it, in `widened` the old one."""

    effect: Effect
    message: MessagePair
    document: Document
    pointer: str
    code: str


@dataclass(frozen=True, slots=True)
class Proof:
    """Witnesses, one for each effect and direction; if all kinds of messages were tried, and if one has the place."""

    witnesses: tuple[Witness, ...] = ()
    complete: bool = True
    reached: bool = True


def _turned(pair: _Both[T], effect: Effect) -> _Both[T]:
    """Return writer and reader of an effect: in `narrowed` the old side writes."""
    return pair if effect == "narrowed" else (pair[1], pair[0])


class Search:
    """Searches for witnesses of the changes of a walk."""

    def __init__(self, old: Party, new: Party, walk: Walk) -> None:
        self.sides = old, new
        self.structs = _structs(old.contract), _structs(new.contract)
        self.rules = {rule.id for side in self.structs for struct in side.values() for rule in struct.rules}
        self._reached: dict[_Both[str], list[tuple[MessagePair, Path]]] = {}
        for message in _messages(old.contract, new.contract, walk):
            self._reach(message)

    def _reach(self, message: MessagePair) -> None:
        """Find each pair of objects that a message reaches, once, with the members on the way to it."""
        before, after = self.structs
        seen: set[_Both[str]] = set()
        waiting: list[tuple[Struct, Struct, Path]] = [(message.sides[0][1], message.sides[1][1], ())]
        for one, other, path in waiting:
            names = one.name, other.name
            if names not in seen:
                seen.add(names)
                self._reached.setdefault(names, []).append((message, path))
                pairs = ((field.wire, field.type, other.field(field.wire)) for field in one.fields)
                waiting += (
                    (before[ref.name], after[same.type.name], (*path, wire))
                    for wire, ref, same in pairs
                    if same is not None and ref.kind == same.type.kind == "struct"
                )

    def prove(self, change: Change) -> Proof:
        """Return witnesses of a change, one for each effect and direction that has one."""
        found: list[Witness] = []
        complete = True
        targets = dict.fromkeys(change.targets)
        places = [(target, *each) for target in targets for each in self._reached.get(target.structs, ())]
        effects: tuple[Effect, ...] = ("narrowed", "widened")
        for effect in effects:
            by_target = {target: _Showing(self, change, target, effect) for target, *_ in places}
            for sent in (True, False):
                same = [each for each in places if each[1].sent is sent][:_MESSAGES]
                shown = (by_target[target].shown_in(message, path) for target, message, path in same)
                found += islice(filter(None, shown), 1)
            complete &= all(one.complete for one in by_target.values())
        return Proof(tuple(found), complete, bool(places))


class _Showing:
    """Place where a change shows, for one effect: a member or a rule of an object of the writer, and of that of the reader."""

    def __init__(self, search: Search, change: Change, target: Target, effect: Effect) -> None:
        self.complete = True
        self._effect: Effect = effect
        self._is_rule = target.rule
        self._codes, self._rules = change.row.codes or (), search.rules
        before, after = (known[name] for known, name in zip(search.structs, target.structs, strict=True))
        self._structs, self._names = _turned((before, after), effect), _turned(target.names, effect)
        self._sides = _turned(search.sides, effect)
        self._writer = self._sides[0].contract

    def shown_in(self, message: MessagePair, path: Path) -> Witness | None:
        """Return a witness in one message, or None."""
        (operation, root), (_, other) = _turned(message.sides, self._effect)
        base = examples(self._writer, operation)[root is not operation.asks.root] if path else {}
        for made in self._objects:
            document = _with(self._writer, root, deepcopy(base), path, made) if path else made
            hit = self._hit((root, other), document, path)
            if hit is not None:
                return Witness(self._effect, message, document, *hit)
        return None

    def _hit(self, structs: _Both[Struct], document: Document, path: Path) -> tuple[str, str] | None:
        """Return the reader's violation that the change causes, if the writer finds none."""
        written, read = (side.judge(one.name, document) for side, one in zip(self._sides, structs, strict=True))
        return None if written else next((one for one in read if self._is_due(one, path)), None)

    def _is_due(self, violation: tuple[str, str], path: Path) -> bool:
        """Return whether the change causes a violation of the reader."""
        pointer, code = violation
        if self._is_rule:
            return code == self._names[1]
        steps = [step for step in pointer.split("/")[1:] if not step.isdecimal()]
        if not self._codes:  # such as another type, by which what stands inside is refused
            steps = steps[: len(path) + 1]
        return code not in self._rules and (not self._codes or code in self._codes) and steps == [*path, self._names[1]]

    @cached_property
    def _objects(self) -> Sequence[Document]:
        """Objects there that the writer takes, and that the reader refuses because of the change."""
        parts = self._of_rule() if self._is_rule else self._of_member()
        made = (self._object(part) for part in parts)
        return [*islice((one for one in made if self._hit(self._structs, one, ()) is not None), _ENOUGH)]

    def _object(self, part: Part) -> Document:
        """Return an example of the object with these values, which keeps its rules."""
        body = struct_example(self._writer, self._structs[0])
        for way, value in part.items():
            body = _with(self._writer, self._structs[0], body, way, value, part)
        return body

    def _of_member(self) -> Iterator[Part]:
        """Yield a member missing, and with each value at the limits of either side."""
        own, read = (struct.field(name or "") for struct, name in zip(self._structs, self._names, strict=True))
        if read is None:
            return  # what a side does not know it does not refuse
        if own is None:
            yield {}
            return
        fields = [(self._writer, own), (self._sides[1].contract, read)]
        self.complete = not endless(fields)
        also: Part = {} if own.also is None else {(own.also,): _MISSING}
        yield {(own.wire,): _MISSING, **also}
        for value in values(fields):
            yield {(own.wire,): value, **also}
            yield from ({(own.wire,): _MISSING, other: value} for other in also)

    def _of_rule(self) -> Iterator[Part]:
        """Yield all combinations of the values by which either side's rule tells objects apart."""
        named = zip(self._structs, self._names, strict=True)
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
        options = {path: _options(self._writer, self._structs[0], path, told[path]) for path in told}
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


def _structs(contract: Contract) -> dict[str, Struct]:
    return {struct.name: struct for struct in (*contract.all_structs(), *header_structs(contract).values())}


def _messages(old: Contract, new: Contract, walk: Walk) -> Iterator[MessagePair]:
    for before, after in walk.operations:
        if before.inbound is after.inbound:
            for one, other in zip(before.messages, after.messages, strict=True):
                sent = (other is after.asks) is not after.inbound
                made = MessagePair(other.name, sent, ((before, one.root), (after, other.root)))
                yield made
                if one.headers and other.headers:
                    roots = header_structs(old)[one.headers], header_structs(new)[other.headers]
                    yield replace(made, sides=((before, roots[0]), (after, roots[1])), headers=True)


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
