"""Find a message that one side takes and the other refuses because of a change, with the validators of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product
from typing import Final, Literal, TypeVar

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

    kind: str
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
    """Witnesses, one for each effect and direction; how many messages were tried, if they were all kinds, and if one has the place."""

    witnesses: tuple[Witness, ...] = ()
    tried: int = 0
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
        tried: list[_Showing] = []
        targets = dict.fromkeys(change.targets)
        places = [(target, *each) for target in targets for each in self._reached.get(target.structs, ())]
        effects: tuple[Effect, ...] = ("narrowed", "widened")
        for effect in effects:
            by_target = {target: _Showing(self, change, target, effect) for target, *_ in places}
            tried += by_target.values()
            for sent in (True, False):
                same = [each for each in places if each[1].sent is sent][:_MESSAGES]
                shown = (by_target[target].shown_in(message, path) for target, message, path in same)
                found += islice(filter(None, shown), 1)
        complete = all(one.complete for one in tried)
        return Proof(tuple(found), sum(one.tried for one in tried), complete, bool(places))


class _Showing:
    """Place where a change shows, for one effect: a member or a rule of an object of the writer, and of that of the reader."""

    def __init__(self, search: Search, change: Change, target: Target, effect: Effect) -> None:
        self.tried, self.complete = 0, True
        self._effect: Effect = effect
        self._is_rule = target.rule
        self._codes, self._rules = change.row.codes or (), search.rules
        before, after = (known[name] for known, name in zip(search.structs, target.structs, strict=True))
        self._structs, self._names = _turned((before, after), effect), _turned(target.names, effect)
        self._sides = _turned(search.sides, effect)
        self._writer = self._sides[0].contract

    def shown_in(self, message: MessagePair, path: Path) -> Witness | None:
        """Return a witness of the fewest members in one message, or None."""
        (operation, root), (_, other) = _turned(message.sides, self._effect)
        if message.headers:
            base = struct_example(self._writer, root, operation.version)
        else:
            base = examples(self._writer, operation)[root is not operation.asks.root]
        for part in self._parts:
            document = _placed(self._writer, root, deepcopy(base), path, part)
            hit = self._hit((root, other), document, path)
            if hit is not None:
                document, hit = self._smallest((root, other), document, hit, path)
                return Witness(self._effect, message, document, *hit)
        return None

    def _judged(self, structs: _Both[Struct], document: Document) -> list[Sequence[tuple[str, str]]]:
        self.tried += 1
        return [side.judge(struct.name, document) for side, struct in zip(self._sides, structs, strict=True)]

    def _hit(self, roots: _Both[Struct], document: Document, path: Path) -> tuple[str, str] | None:
        """Return the reader's violation that the change causes, if the writer finds none."""
        written, read = self._judged(roots, document)
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

    def _smallest(
        self, roots: _Both[Struct], document: Document, hit: tuple[str, str], path: Path
    ) -> tuple[Document, tuple[str, str]]:
        """Leave out whatever the witness does not need."""
        for less in _smaller(document):
            other = self._hit(roots, less, path)
            if other is not None:
                return self._smallest(roots, less, other, path)
        return document, hit

    @cached_property
    def _parts(self) -> Sequence[Part]:
        """Parts of the object there that the writer takes, and that the reader refuses because of the change."""
        made = self._of_rule() if self._is_rule else self._of_member()
        return [*islice(filter(self._tells, made), _ENOUGH)]

    def _tells(self, part: Part) -> bool:
        found, read = self._judged(self._structs, _placed(self._writer, self._structs[0], {}, (), part, settled=False))
        if not any(self._is_due(one, ()) for one in read):
            return False
        if self._is_rule:
            return all(code != self._names[0] for _, code in found)
        return all(code in self._rules or (pointer.split("/")[1],) not in part for pointer, code in found)

    def _of_member(self) -> Iterator[Part]:
        """Yield a member missing, and with each value at the limits of either side."""
        own, read = (struct.field(name or "") for struct, name in zip(self._structs, self._names, strict=True))
        if read is None:
            return  # what a side does not know it does not refuse
        if own is None:
            yield {}
            return
        fields = [(self._writer, own), (self._sides[1].contract, read)]
        self.complete = not endless(fields, self._codes)
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


_KINDS: Final = {
    (False, False): ("request", "answer"),
    (True, False): ("notification", "reply"),
    (True, True): ("question", "decision"),
}


def _messages(old: Contract, new: Contract, walk: Walk) -> Iterator[MessagePair]:
    for before, after in walk.operations:
        if before.inbound is after.inbound:
            kinds = _KINDS[after.inbound, after.decides is not None]
            for kind, one, other in zip(kinds, before.messages, after.messages, strict=True):
                made = MessagePair(
                    kind,
                    other.name,
                    (other is after.asks) is not after.inbound,
                    ((before, one.root), (after, other.root)),
                )
                yield made
                if one.headers and other.headers:
                    roots = header_structs(old)[one.headers], header_structs(new)[other.headers]
                    yield replace(made, sides=((before, roots[0]), (after, roots[1])), headers=True)


def _placed(
    contract: Contract, struct: Struct, body: Document, path: Path, part: Part, *, settled: bool = True
) -> Document:
    """Return a document with the values of a part at a path, in which all objects on the way keep their rules if `settled`.

    Objects on the way are made, and of a list the first is meant.
    """
    if path:
        own = struct.field(path[0])
        if own is None or own.type.kind != "struct":
            return body
        inner, value = contract.struct_named(own.type.name), body.get(path[0])
        items = value if isinstance(value, list) else [value]
        first = items[0] if items and isinstance(items[0], dict) else struct_example(contract, inner)
        made: object = _placed(contract, inner, first, path[1:], part, settled=settled)
        if own.type.array:
            made = [made, *items[1:], *(struct_example(contract, inner) for _ in range(len(items), own.min or 1))]
        body = {**body, path[0]: made}
    for way, value in () if path else part.items():
        if len(way) == 1:
            body = {name: one for name, one in body.items() if name != way[0]}
            body |= {} if value is _MISSING else {way[0]: value}
        elif value is not _MISSING or way[0] in body:
            body = _placed(contract, struct, body, way[:-1], {way[-1:]: value}, settled=False)
    if settled:
        ways = (path, *((*path, *way) for way in part))
        keep_example_rules(contract, struct, body, None, {way[:end] for way in ways for end in range(1, len(way) + 1)})
    return body


def _smaller(body: Document) -> Iterator[Document]:
    """Yield documents with one member, or all elements of a list but the first, less."""
    for name, value in body.items():
        yield {other: one for other, one in body.items() if other != name}
        if isinstance(value, dict):
            yield from ({**body, name: less} for less in _smaller(value))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from ({**body, name: [less, *value[1:]]} for less in _smaller(value[0]))
        if isinstance(value, list) and len(value) > 1:
            yield {**body, name: value[:1]}
