"""Find a message that one side takes and the other refuses because of a change, with the validators of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Final, Literal, TypeVar

from paywright_codegen.diff.values import endless, values
from paywright_codegen.diff.walk import Change, Target, Walk
from paywright_codegen.examples import examples, field_example, keep_example_rules, struct_example
from paywright_codegen.lookup import closed_values, header_structs
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

_EFFECTS: Final[tuple[Effect, ...]] = ("narrowed", "widened")
_MESSAGES: Final = 5
_COMBINATIONS: Final = 4000
_ENOUGH: Final = 60
_MISSING: Final = object()
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Party:
    """One side of the comparison: a contract, and its validators."""

    contract: Contract
    judge: Judge


@dataclass(frozen=True, slots=True)
class MessagePair:
    """One message of both contracts, or its headers. `sent` is True if the merchant writes it."""

    kind: str
    name: str
    sent: bool
    operations: tuple[Operation, Operation]
    roots: tuple[Struct, Struct]
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


@dataclass(frozen=True, slots=True)
class _Showing:
    """Place where a change shows in a message, for one effect. Of pairs the first is the writer's, the second the reader's."""

    effect: Effect
    message: MessagePair
    target: Target
    path: Path
    codes: tuple[str, ...]
    sides: tuple[Party, Party]
    operation: Operation
    roots: tuple[Struct, Struct]
    structs: tuple[Struct, Struct]
    names: tuple[str | None, str | None]


class Search:
    """Searches for witnesses of the changes of a walk."""

    def __init__(self, old: Party, new: Party, walk: Walk) -> None:
        self._sides = old, new
        self._reached = _reached(old.contract, new.contract, walk)
        structs = (struct for side in self._sides for struct in side.contract.all_structs())
        self._rules = {rule.id for struct in structs for rule in struct.rules}
        self._known: dict[object, list[Part]] = {}
        self._tried, self._complete = 0, True

    def prove(self, change: Change) -> Proof:
        """Return witnesses of a change, one for each effect and direction that has one."""
        self._tried, self._complete = 0, True
        places = [(target, *each) for target in change.targets for each in self._reached.get(target.structs, ())]
        found: list[Witness] = []
        for effect, sent in product(_EFFECTS, (True, False)):
            same = [each for each in places if each[1].sent is sent][:_MESSAGES]
            shown = (self._shown(self._place(effect, change.row.codes or (), *each)) for each in same)
            found += islice(filter(None, shown), 1)
        return Proof(tuple(found), self._tried, self._complete, bool(places))

    def _place(
        self, effect: Effect, codes: tuple[str, ...], target: Target, message: MessagePair, path: Path
    ) -> _Showing:
        old, new = self._sides
        structs = message.roots
        if not message.headers:
            structs = old.contract.struct_named(target.structs[0]), new.contract.struct_named(target.structs[1])
        sides, operation = _turned(self._sides, effect), _turned(message.operations, effect)[0]
        roots, structs, names = _turned(message.roots, effect), _turned(structs, effect), _turned(target.names, effect)
        return _Showing(effect, message, target, path, codes, sides, operation, roots, structs, names)

    def _shown(self, place: _Showing) -> Witness | None:
        """Return a witness of the fewest members in one message, or None."""
        writer, root = place.sides[0].contract, place.roots[0]
        if place.message.headers:
            base = struct_example(writer, root, place.operation.version)
        else:
            base = examples(writer, place.operation)[root is not place.operation.asks.root]
        for part in self._parts(place):
            whole = {(*place.path, *path): value for path, value in part.items()}
            document = _with(writer, root, _edited(writer, root, deepcopy(base), place.path, dict), whole)
            _settle(writer, root, document, place.path, whole)
            self._tried += 1
            hit = self._hit(place, document)
            if hit is not None:
                document, hit = self._smallest(place, document, hit)
                return Witness(place.effect, place.message, document, *hit)
        return None

    def _hit(self, place: _Showing, document: Document) -> tuple[str, str] | None:
        """Return the reader's violation that the change causes, if the writer finds none."""
        written, read = (side.judge(root.name, document) for side, root in zip(place.sides, place.roots, strict=True))
        return None if written else next((one for one in read if self._is_due(place, one, place.path)), None)

    def _is_due(self, place: _Showing, violation: tuple[str, str], path: Path) -> bool:
        """Return whether the change causes a violation of the reader."""
        pointer, code = violation
        if place.target.rule:
            return code == place.names[1]
        steps = [step for step in pointer.split("/")[1:] if not step.isdecimal()]
        if not place.codes:  # such as another type, by which what stands inside is refused
            steps = steps[: len(path) + 1]
        return code not in self._rules and (not place.codes or code in place.codes) and steps == [*path, place.names[1]]

    def _smallest(self, place: _Showing, document: Document, hit: tuple[str, str]) -> tuple[Document, tuple[str, str]]:
        """Leave out whatever the witness does not need."""
        for less in _smaller(document):
            other = self._hit(place, less)
            if other is not None:
                return self._smallest(place, less, other)
        return document, hit

    def _parts(self, place: _Showing) -> Sequence[Part]:
        """Return parts of the object there that the writer takes, and that the reader refuses because of the change."""
        key = place.effect, place.target, place.codes
        if key not in self._known:
            made = self._of_rule(place) if place.target.rule else self._of_member(place)
            self._known[key] = [*islice((part for part in made if self._tells(place, part)), _ENOUGH)]
        return self._known[key]

    def _tells(self, place: _Showing, part: Part) -> bool:
        self._tried += 1
        known = _with(place.sides[0].contract, place.structs[0], {}, part)
        found, read = (side.judge(one.name, known) for side, one in zip(place.sides, place.structs, strict=True))
        if not any(self._is_due(place, one, ()) for one in read):
            return False
        if place.target.rule:
            return all(code != place.names[0] for _, code in found)
        return all(code in self._rules or (pointer.split("/")[1],) not in part for pointer, code in found)

    def _of_member(self, place: _Showing) -> Iterator[Part]:
        """Yield a member missing, and with each value at the limits of either side."""
        own, read = (struct.field(name or "") for struct, name in zip(place.structs, place.names, strict=True))
        if read is None:
            return  # what a side does not know it does not refuse
        if own is None:
            yield {}
            return
        fields = [(place.sides[0].contract, own), (place.sides[1].contract, read)]
        self._complete &= not endless(fields, place.codes)
        also: Part = {} if own.also is None else {(own.also,): _MISSING}
        yield {(own.wire,): _MISSING, **also}
        for value in values(fields):
            yield {(own.wire,): value, **also}
            yield from ({(own.wire,): _MISSING, other: value} for other in also)

    def _of_rule(self, place: _Showing) -> Iterator[Part]:
        """Yield all combinations of the values by which either side's rule tells objects apart."""
        named = zip(place.structs, place.names, strict=True)
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
        options = {path: _options(place.sides[0].contract, place.structs[0], path, told[path]) for path in told}
        options = {path: made for path, made in options.items() if made}
        for number, chosen in enumerate(product(*options.values())):
            if number >= _COMBINATIONS:
                self._complete = False
                return
            made = dict(zip(options, chosen, strict=True))
            yield made
            for one in said:
                if isinstance(one, Differs | Joined) and one.path in options:
                    others = (one.other,) if isinstance(one, Differs) else one.parts
                    yield {**made, one.path: "".join(str(made.get(other)) for other in others)}


def _turned(pair: tuple[T, T], effect: Effect) -> tuple[T, T]:
    """Return writer and reader of an effect: in `narrowed` the old side writes."""
    return pair if effect == "narrowed" else (pair[1], pair[0])


def _options(contract: Contract, struct: Struct, path: Path, listed: Sequence[object]) -> list[object]:
    """Return a few values of a member: missing, empty, what is listed, and others that it may have; none if there is none."""
    for name in path[:-1]:
        outer = struct.field(name)
        if outer is None or outer.type.kind != "struct":
            return []
        struct = contract.struct_named(outer.type.name)
    own = struct.field(path[-1])
    if own is None:
        return []
    one = replace(own, type=replace(own.type, array=False))
    others = (field_example(contract, each) for each in (one, replace(one, examples=(), sends=None)))
    made = ["", *listed, *closed_values(contract, own)[:3], *others]
    made = [[], *([value] for value in made)] if own.type.array else made
    return [_MISSING, *(value for number, value in enumerate(made) if value not in made[:number])]


def _settle(contract: Contract, root: Struct, document: Document, path: Path, part: Part) -> None:
    """Change a document beside a part until it keeps the rules of all objects on the way to a path."""
    struct, at = root, document
    for depth in range(len(path) + 1):
        if depth:
            own, value = struct.field(path[depth - 1]), at[path[depth - 1]]
            value = value[0] if isinstance(value, list) else value
            if own is None or not isinstance(value, dict):
                return
            struct, at = contract.struct_named(own.type.name), value
        pinned = {one[depth:end] for one in (path, *part) for end in range(depth + 1, len(one) + 1)}
        keep_example_rules(contract, struct, at, None, pinned)


def _reached(old: Contract, new: Contract, walk: Walk) -> dict[tuple[str, str], list[tuple[MessagePair, Path]]]:
    """Return the messages that reach each pair of objects, once a message, with the members on the way to it."""
    found: dict[tuple[str, str], list[tuple[MessagePair, Path]]] = {}
    for message in _messages(old, new, walk):
        seen: set[tuple[str, str]] = set()
        waiting: list[tuple[Struct, Struct, Path]] = [(*message.roots, ())]
        for before, after, path in waiting:
            if (before.name, after.name) in seen:
                continue
            seen.add((before.name, after.name))
            found.setdefault((before.name, after.name), []).append((message, path))
            for one in before.fields:
                other = after.field(one.wire)
                if other is not None and one.type.kind == other.type.kind == "struct":
                    inner = old.struct_named(one.type.name), new.struct_named(other.type.name)
                    waiting.append((*inner, (*path, one.wire)))
    return found


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
                sent = (other is after.asks) is not after.inbound
                made = MessagePair(kind, other.name, sent, (before, after), (one.root, other.root))
                yield made
                if one.headers and other.headers:
                    roots = header_structs(old)[one.headers], header_structs(new)[other.headers]
                    yield replace(made, roots=roots, headers=True)


def _with(contract: Contract, struct: Struct, body: Document, part: Part) -> Document:
    """Return a document with the values of a part."""
    for path, value in part.items():

        def edit(inner: Document, name: str = path[-1], value: object = value) -> Document:
            rest = {other: one for other, one in inner.items() if other != name}
            return rest if value is _MISSING else {**inner, name: value}

        if value is not _MISSING or len(path) == 1 or path[0] in body:
            body = _edited(contract, struct, body, path[:-1], edit)
    return body


def _edited(
    contract: Contract, struct: Struct, body: Document, path: Path, edit: Callable[[Document], Document]
) -> Document:
    """Return a document whose object at a path is edited. Objects on the way are made, and of a list the first is meant."""
    if not path:
        return edit(body)
    one = struct.field(path[0])
    if one is None or one.type.kind != "struct":
        return body
    inner, value = contract.struct_named(one.type.name), body.get(path[0])
    items = value if isinstance(value, list) else [value]
    first = items[0] if items and isinstance(items[0], dict) else struct_example(contract, inner)
    made: object = _edited(contract, inner, first, path[1:], edit)
    if one.type.array:
        made = [made, *items[1:], *(struct_example(contract, inner) for _ in range(len(items), one.min or 1))]
    return {**body, path[0]: made}


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
