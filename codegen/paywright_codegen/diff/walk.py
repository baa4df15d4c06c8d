"""Walk two contracts side by side, key by key, and list what differs, with the places of messages where it shows."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import accumulate
from typing import Any, Final, Literal, TypeVar, cast

from paywright_codegen.diff.table import KEYS, KeyRow, row_of
from paywright_codegen.lookup import header_structs
from paywright_codegen.model.cited import Cited, Prose
from paywright_codegen.model.contract import Contract, Move
from paywright_codegen.model.operations import Decision, MessageSpec, Operation, Resolution
from paywright_codegen.model.rules import Path, Rule
from paywright_codegen.model.types import Field, Struct, TypeRef
from paywright_codegen.reader.printer import print_facets

Kind = Literal["added", "removed", "lowered", "raised", "changed", "renamed"]
T = TypeVar("T")
Both = tuple[T, T]
"""A thing of either side: of the old contract and the new one, or of who writes a message and who reads it."""


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """Place of a message, or of its headers, where documents show a change: a member or a rule of the object at the end of a path."""

    message: str
    sent: bool  # by the merchant
    operations: Both[Operation]
    is_answer: bool
    roots: Both[Struct]
    structs: Both[Struct]
    is_header: bool = False
    path: Path = ()
    names: Both[str | None] = (None, None)


@dataclass(frozen=True, slots=True)
class Spot:
    """Place in both contracts: its name for people, the parts that have places, and the places of messages that show it."""

    subject: str = ""
    old: Cited | None = None
    new: Cited | None = None
    uses: list[Use] = field(default_factory=list, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Spot):
    """One difference: its key with the class that has it, what kind it is, and what both sides say."""

    key: str
    row: KeyRow
    kind: Kind
    before: str
    after: str

    @property
    def places(self) -> tuple[str, str]:
        """File and line on both sides; "" where there is none. What a side does not say has the place of what it would stand under."""
        above = [*accumulate(self.row.says.split("/"), "{}/{}".format)][::-1]
        told = []
        for part, words in ((self.old, self.before), (self.new, self.after)):
            exact = f"{above[0]}/{words.partition(' ')[0]}", f"{above[0]}: {words}"
            told.append("" if part is None else str(part.at(*exact, *above)))
        return told[0], told[1]


class Walk:
    """The differences of two contracts, in the order of the model."""

    def __init__(self, old: Contract, new: Contract) -> None:
        self._sides = old, new
        self._found: dict[Change, Change] = {}
        self._seen: set[Both[str]] = set()
        self._compare(old, new, Spot())
        self.changes = tuple(self._found)

    def _compare(self, old: Any, new: Any, spot: Spot) -> None:
        """Compare two parts of one class, key by key."""
        part = type(old).__name__
        for each in fields(old):
            name, row = each.name, row_of(part, each.name)
            if row is None:
                continue
            key, one, other = f"{part}.{name}", getattr(old, name), getattr(new, name)
            parts, others = (_parts(value, row.each, name == "headers") for value in (one, other))
            if parts or others:
                self._match(key, row, parts, others, spot)
            elif one != other and not (key == "Field.values" and sorted(one) == sorted(other)):
                said_by = (spot.old, spot.new) if part == "Rule" and row.codes else (one, other)
                self._add(key, row, _kind(one, other), spot, *(said(value, str(each.type)) for value in said_by))
        if part == "TypeRef" and old.kind == new.kind:
            self._follow(old, new, spot)

    def _match(self, key: str, row: KeyRow, old: _Parts, new: _Parts, spot: Spot) -> None:
        """Pair parts by their keys, and operations by their addresses; the others are added or removed."""
        come = [part for name, part in new.items() if name not in old]
        for name, part in old.items():
            other = new[name] if name in new else next((one for one in come if _address(one) == _address(part)), None)
            here = self._inside(part, other, spot, key)
            if name not in new:
                self._add(key, row, "removed" if other is None else "renamed", here, said(part), said(other))
                come = [each for each in come if each is not other]
            if other is not None and not row.each:
                self._compare(part, other, here)
        for part in come:
            self._add(key, row, "added", self._inside(None, part, spot, key), "", said(part))

    def _follow(self, old: TypeRef, new: TypeRef, spot: Spot) -> None:
        """Compare the types that two references name, each pair of objects once in a message."""
        names = old.name, new.name
        before, after = (
            side.struct_named(ref.name) if ref.kind == "struct" else (side.sets | side.formats).get(ref.name)
            for side, ref in zip(self._sides, (old, new), strict=True)
        )
        if before is not None and after is not None and names not in self._seen:
            self._seen |= {names} if old.kind == "struct" else set()
            self._compare(before, after, self._inside(before, after, replace(spot, subject="")))

    def _inside(self, old: Any, new: Any, spot: Spot, key: str = "") -> Spot:
        """Return the spot of a pair of parts of a key, one of which may be missing."""
        part: Any = next(one for one in (old, new) if one is not None)
        if isinstance(part, MessageSpec):
            self._seen = {(old.root.name, new.root.name)}
            operations, is_answer = cast("Both[Operation]", (spot.old, spot.new)), new.role in ("response", "answer")
            where = new.name, is_answer is operations[1].inbound, operations, is_answer
            heads = _headers(self._sides[0], old), _headers(self._sides[1], new)
            uses = [Use(*where, both, both, both is heads) for both in ((old.root, new.root), heads)]
            return replace(spot, subject=new.name, uses=uses if operations[0].inbound is operations[1].inbound else [])
        if not isinstance(part, Cited):
            return spot
        known = [None if one is None else " ".join(map(said, _key(one))) for one in (old, new)]
        name, uses = " -> ".join(dict.fromkeys(filter(None, known))), spot.uses
        if key in ("MessageSpec.root", "MessageSpec.headers"):
            uses = [use for use in uses if use.is_header is (key == "MessageSpec.headers")]
        if isinstance(part, Struct):
            inner = [replace(use, structs=(old, new), path=(*use.path, *filter(None, use.names[1:]))) for use in uses]
            return Spot(name, old, new, inner)
        if isinstance(part, Field | Rule):
            uses = [replace(use, names=(known[0], known[1])) for use in uses]
        joint = {"Struct.rules": " rule ", "Struct.fields": ".", "MessageSpec.headers": " header."}.get(key, " ")
        return Spot(f"{spot.subject}{joint}{name}" if spot.subject else name, old or spot.old, new or spot.new, uses)

    def _add(self, key: str, row: KeyRow, kind: Kind, spot: Spot, before: str, after: str) -> None:
        change = Change(spot.subject, spot.old, spot.new, key=key, row=row, kind=kind, before=before, after=after)
        self._found.setdefault(change, change).uses.extend(spot.uses)


_Parts = dict[object, Any]
_WITH_KEYS: Final = (MessageSpec, Struct, TypeRef, Resolution, Decision)


def _parts(value: Any, each: bool, small: bool) -> _Parts:
    """Return what is compared key by key in a value, by what tells it from others: in small letters if asked, or each element.

    Those that repeat a key have a number; a move is to one state each.
    """
    if not isinstance(value, dict | tuple):
        return {"": value} if isinstance(value, _WITH_KEYS) else {}
    found: _Parts = {}
    for part in value.values() if isinstance(value, dict) else value:
        if not each and not isinstance(part, Cited):
            return {}
        split: list[Any] = [replace(part, after=(state,)) for state in part.after] if isinstance(part, Move) else [part]
        for one in split:
            key = one.wire.lower() if small else _key(one) if isinstance(one, Cited) else one
            found[key if key not in found else (key, len(found))] = one
    return found


def _headers(contract: Contract, message: MessageSpec) -> Struct:
    """Return the object of a message's headers; one without a name if it has none."""
    return contract.once(header_structs).get(message.headers, Struct(message.root.place))


def _address(part: object) -> object:
    """Return what tells an operation from others when it is called; if that is nothing, and of other parts, the part itself."""
    if not isinstance(part, Operation) or not (part.post or part.when):
        return part
    fixed = {(each.wire, each.values) for each in part.asks.fields if each.fixed}
    return part.inbound, part.post, part.when, frozenset(fixed)


def _kind(before: Any, after: Any) -> Kind:
    has, had = (one not in (None, (), "") and one is not False for one in (after, before))  # 0 is something
    if not has or not had:
        return "added" if has else "removed"
    if isinstance(before, int) and isinstance(after, int):
        return "lowered" if after < before else "raised"
    return "changed"


def _key(part: object) -> tuple[object, ...]:
    return tuple(getattr(part, name, "") for name in KEYS.get(type(part).__name__, ("name",)))


def said(value: object, annotation: str = "") -> str:
    """Return what a value of the model says, for people. Its type in the model tells a path from a list of words."""
    if value is None or isinstance(value, bool):
        return "" if value is None else "yes" if value else "no"
    if isinstance(value, Prose | Rule):
        return value.text
    if isinstance(value, Field):
        return print_facets(value) + (" required" if value.required else "")
    if isinstance(value, Operation):
        return f"{value.post or 'no address'} {value.version or ''}".strip()
    if isinstance(value, tuple):
        is_path = "Path" in annotation and all(isinstance(one, str) for one in value)
        return ("." if is_path else " ").join(said(one, annotation) for one in value)
    if not is_dataclass(value) or isinstance(value, type):
        return str(value)
    name, words = type(value).__name__, [*map(said, _key(value))]
    for each in fields(value):
        row, own = row_of(name, each.name), getattr(value, each.name)
        if row is not None and row.levels != "ppp":
            words.append(each.name if own is True else "" if own is False else said(own, str(each.type)))
    return " ".join(filter(None, words))
