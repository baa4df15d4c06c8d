"""Find a message that one side takes and the other refuses because of a change, with the validators of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Final, Literal

from paywright_codegen.diff.changes import Change, Target
from paywright_codegen.diff.documents import (
    MISSING,
    Document,
    assigned,
    edited,
    field_of,
    mentions,
    objects,
    smaller,
    value_at,
)
from paywright_codegen.diff.reach import MessagePair, Reached, reached
from paywright_codegen.diff.values import endless, values
from paywright_codegen.examples import examples, struct_example
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.rules import Differs, Joined, Path, Rule
from paywright_codegen.model.types import Field, Struct

__all__ = ["Effect", "Judge", "Party", "Proof", "Search", "Witness"]

Effect = Literal["narrowed", "widened"]
Judge = Callable[[str, Document], Sequence[tuple[str, str]]]
"""Gets the name of a struct and a document; returns pointer and code of each violation."""

_MESSAGES: Final = 5
_COMBINATIONS: Final = 4000
_SETTLED: Final = 30


@dataclass(frozen=True, slots=True)
class Party:
    """One side of the comparison: a contract, and its validators."""

    contract: Contract
    judge: Judge


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
    """Result of a search: a witness for each effect and direction, how many messages were tried, and whether these were all kinds."""

    witnesses: tuple[Witness, ...] = ()
    tried: int = 0
    complete: bool = True
    reached: bool = True


class Search:
    """Searches for witnesses of the changes between two sides."""

    def __init__(self, old: Party, new: Party, patterns: Mapping[str, str]) -> None:
        self._sides = old, new
        self._patterns = patterns
        self._reached = reached(old.contract, new.contract)
        self._rules = {
            rule.id for side in self._sides for struct in side.contract.all_structs() for rule in struct.rules
        }
        self._taken: dict[tuple[int, str, str], list[object]] = {}
        self._tried = 0
        self._complete = True

    def prove(self, change: Change, effects: Sequence[Effect]) -> Proof:
        """Return witnesses of a change for those effects that have one."""
        self._tried, self._complete = 0, True
        places = [(target, place) for target in change.targets for place in self._reached.get(target.structs, ())]
        found = [self._first(change, places, effect, sent) for effect in effects for sent in (True, False)]
        return Proof(tuple(filter(None, found)), self._tried, self._complete, bool(places))

    def _first(
        self, change: Change, places: Sequence[tuple[Target, Reached]], effect: Effect, sent: bool
    ) -> Witness | None:
        """Return the first witness among the messages of one direction."""
        for target, place in [each for each in places if each[1].message.sent is sent][:_MESSAGES]:
            found = _Attempt(self, change, target, place, effect).find()
            if found is not None:
                return found
        return None


class _Attempt:
    """Search in one message for one effect."""

    def __init__(self, search: Search, change: Change, target: Target, place: Reached, effect: Effect) -> None:
        writes = 0 if effect == "narrowed" else 1
        self._search, self._target, self._place = search, target, place
        self._effect: Effect = effect
        self._writer, self._reader = search._sides[writes], search._sides[1 - writes]
        self._writes = writes
        self._message = place.message
        self._root, self._reading = self._message.roots[writes], self._message.roots[1 - writes]
        self._codes = change.claim.codes or ()
        self._structs = self._message.roots
        if not self._message.headers:
            named = zip(search._sides, target.structs, strict=True)
            old, new = (side.contract.struct_named(name) for side, name in named)
            self._structs = old, new

    def find(self) -> Witness | None:
        """Return a witness of the fewest members, or None."""
        base = self._base()
        if base is None:
            return None
        rules = self._target.rules
        documents = self._of_rule(base) if rules != (None, None) else self._of_member(base)
        for document in documents:
            self._search._tried += 1
            hit = self._hit(document)
            if hit is not None:
                document, hit = self._smallest(document, hit)
                return Witness(self._effect, self._message, document, *hit)
        return None

    def _base(self) -> Document | None:
        """Return an example of the writer's message in which the object of the target stands; None if none is right."""
        contract, operation = self._writer.contract, self._message.operations[self._writes]
        if self._message.headers:
            body: Document = struct_example(contract, self._root, operation.version)
        else:
            asked, answered = examples(contract, operation)
            body = deepcopy(asked if self._root is operation.asks.root else answered)
        body = edited(contract, self._root, body, self._place.path, lambda inner: inner)
        return self._settled(body, ())

    def _found(self, party: Party, root: Struct, document: Document) -> list[tuple[str, str]]:
        return list(party.judge(root.name, document))

    def _hit(self, document: Document) -> tuple[str, str] | None:
        """Return the reader's violation that the change causes, if the writer finds none."""
        if self._found(self._writer, self._root, document):
            return None
        rule, member = self._target.rules[1 - self._writes], self._target.members[1 - self._writes]
        for pointer, code in self._found(self._reader, self._reading, document):
            if rule is not None:
                if code == rule:
                    return pointer, code
            elif code not in self._search._rules and (not self._codes or code in self._codes):
                steps = [step for step in pointer.removeprefix(self._message.base).split("/") if not step.isdecimal()]
                if tuple(steps[1 : len(self._place.path) + 2]) == (*self._place.path, member):
                    return pointer, code
        return None

    def _smallest(self, document: Document, hit: tuple[str, str]) -> tuple[Document, tuple[str, str]]:
        """Leave out whatever the witness does not need."""
        again = True
        while again:
            again = False
            for less in smaller(document):
                other = self._hit(less)
                if other is not None:
                    document, hit, again = less, other, True
                    break
        return document, hit

    def _of_member(self, base: Document) -> Iterator[Document]:
        """Yield documents with the member missing, and with each value at the limits of either side."""
        name, read = self._target.members[self._writes], self._target.members[1 - self._writes]
        if read is None:
            return  # what a side does not know it does not refuse
        yield base
        if name is None:
            return
        contract, path = self._writer.contract, self._place.path
        fields = [
            (side.contract, field)
            for side, struct, wire in zip(self._search._sides, self._structs, self._target.members, strict=True)
            if (field := struct.field(wire or "")) is not None
        ]
        self._search._complete &= not endless(fields, self._search._patterns)
        also = (self._structs[self._writes].field(name) or fields[0][1]).also
        chosen = [MISSING, *values(fields, self._search._patterns)]
        bases, settled = [base], 0
        for value in chosen:
            document = assigned(contract, self._root, base, (*path, name), value)
            yield document
            found = self._found(self._writer, self._root, document)
            if found and settled < _SETTLED and all(code in self._search._rules for _, code in found):
                settled += 1
                other = self._settled(document, ((*path, name),))
                if other is not None:
                    bases.append(other)
                    yield other
            if also is not None:
                without = assigned(contract, self._root, base, (*path, name), MISSING)
                yield assigned(contract, self._root, without, (*path, also), value)
        for other, value in product(bases[1:9], chosen):
            yield assigned(contract, self._root, other, (*path, name), value)

    def _of_rule(self, base: Document) -> Iterator[Document]:
        """Yield documents with all combinations of the values by which either side's rule tells documents apart."""
        rules = [
            rule
            for struct, name in zip(self._structs, self._target.rules, strict=True)
            for rule in struct.rules
            if rule.id == name
        ]
        told: dict[Path, tuple[object, ...]] = {}
        for rule in rules:
            for path, listed in mentions(rule).items():
                told[path] = (*told.get(path, ()), *listed)
        contract, at = self._writer.contract, self._place.path
        struct = self._structs[self._writes]
        told = {path: listed for path, listed in told.items() if field_of(contract, struct, path) is not None}
        options = [self._options(struct, path, listed) for path, listed in told.items()]
        pinned = tuple((*at, *path) for path in told)
        settled = 0
        for number, chosen in enumerate(product(*options)):
            if number >= _COMBINATIONS:
                self._search._complete = False
                return
            document = base
            for path, value in zip(told, chosen, strict=True):
                document = assigned(contract, self._root, document, (*at, *path), value)
            for one in (document, *self._compared(rules, document)):
                yield one
                found = self._found(self._writer, self._root, one)
                if found and settled < _SETTLED and all(code in self._search._rules for _, code in found):
                    settled += 1
                    other = self._settled(one, pinned)
                    if other is not None:
                        yield other

    def _compared(self, rules: Sequence[Rule], document: Document) -> Iterator[Document]:
        """Yield documents in which members that a rule compares are equal, or joined."""
        at = self._place.path
        for demand in (demand for rule in rules for demand in rule.demands):
            if isinstance(demand, Differs | Joined):
                parts = (demand.other,) if isinstance(demand, Differs) else demand.parts
                text = "".join(str(value_at(document, (*at, *part))) for part in parts)
                yield assigned(self._writer.contract, self._root, document, (*at, *demand.path), text)

    def _options(self, struct: Struct, path: Path, listed: Sequence[object]) -> list[object]:
        """Return a few values of a member: missing, empty, what is listed, and others that the writer takes."""
        found = field_of(self._writer.contract, struct, path)
        if found is None:
            return []
        owner, field = found
        key = self._writes, owner.name, field.wire
        if key not in self._search._taken:
            single = replace(field, type=replace(field.type, array=False))
            chosen = values([(self._writer.contract, single)], self._search._patterns)
            self._search._taken[key] = [*islice((one for one in chosen if one and self._takes(owner, field, one)), 4)]
        made = [MISSING, "", *listed, *[one for one in self._search._taken[key] if one not in listed][:2]]
        if field.type.array:
            made = [MISSING, [], *([one] for one in made[1:])]
        return [one for number, one in enumerate(made) if one not in made[:number]]

    def _takes(self, owner: Struct, field: Field, value: object) -> bool:
        """Return whether the writer takes a value of a member, whatever stands beside it."""
        document = {field.wire: [value] if field.type.array else value}
        place = f"{self._message.base}/{field.wire}"
        return not any(
            pointer.startswith(place) and code not in self._search._rules
            for pointer, code in self._writer.judge(owner.name, document)
        )

    def _settled(self, document: Document, pinned: Sequence[Path]) -> Document | None:
        """Return the document, changed outside of the pinned members until the writer takes it; None if that fails."""
        contract = self._writer.contract
        for _ in range(8):
            found = self._found(self._writer, self._root, document)
            if not found:
                return document
            better = next(
                (
                    trial
                    for trial in self._repairs(contract, document, {code for _, code in found}, pinned)
                    if len(self._found(self._writer, self._root, trial)) < len(found)
                ),
                None,
            )
            if better is None:
                return None
            document = better
        return None

    def _repairs(
        self, contract: Contract, document: Document, codes: set[str], pinned: Sequence[Path]
    ) -> Iterator[Document]:
        for at, struct in objects(contract, self._root, document):
            for rule in struct.rules:
                for path, listed in mentions(rule).items() if rule.id in codes else ():
                    whole = (*at, *path)
                    if any(whole[: len(one)] == one or one[: len(whole)] == whole for one in pinned):
                        continue
                    for value in self._options(struct, path, listed):
                        yield assigned(contract, self._root, document, whole, value)
                for demand in rule.demands if rule.id in codes else ():
                    if isinstance(demand, Joined) and (*at, *demand.path) not in pinned:
                        text = "".join(str(value_at(document, (*at, *part))) for part in demand.parts)
                        yield assigned(contract, self._root, document, (*at, *demand.path), text)
