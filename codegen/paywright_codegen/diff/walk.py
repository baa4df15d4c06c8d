"""Walk two contracts side by side, key by key, and list what differs, with the places of messages where it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, Literal, TypeVar

from paywright_codegen.diff.table import KEYS, KeyRow, row_of
from paywright_codegen.lookup import header_structs
from paywright_codegen.model.cited import Cited, Prose
from paywright_codegen.model.contract import Contract, Move
from paywright_codegen.model.operations import Decision, MessageSpec, Operation, Resolution
from paywright_codegen.model.rules import Path, Rule
from paywright_codegen.model.types import Field, Format, Set, Struct, TypeRef
from paywright_codegen.reader.printer import print_facets

Kind = Literal["added", "removed", "lowered", "raised", "changed", "renamed"]
T = TypeVar("T")
Both = tuple[T, T]
"""A thing of either side: of the old contract and the new one, or of who writes a message and who reads it."""


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """Place of a message, or of its headers, where documents show a change: a member or a rule of the object at the end of a path."""

    operations: Both[Operation]
    is_answer: bool
    structs: Both[Struct]
    is_header: bool = False
    path: Path = ()
    names: Both[str | None] = (None, None)
    is_rule: bool = False

    @property
    def message(self) -> str:
        """Return the name of the message."""
        return self.operations[1].messages[self.is_answer].name

    @property
    def sent(self) -> bool:
        """Return whether the merchant writes the message."""
        return self.is_answer is self.operations[1].inbound


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
        steps = self.row.says.split("/")
        above = ["/".join(steps[:length]) for length in range(len(steps), 0, -1)]
        old, new = (
            (
                ""
                if part is None
                else str(part.at(f"{above[0]}/{words.partition(' ')[0]}", f"{above[0]}: {words}", *above))
            )
            for part, words in ((self.old, self.before), (self.new, self.after))
        )
        return old, new

    @property
    def sections(self) -> tuple[str, ...]:
        """Sections of the specification that either side cites."""
        return tuple(dict.fromkeys(one for part in (self.old, self.new) if part is not None for one in part.sections))


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
            key, row = each.name, row_of(part, each.name)
            if row is not None:
                here = spot if key != "headers" else self._of_headers(old, new, spot)
                self._compare_values(f"{part}.{key}", row, getattr(old, key), getattr(new, key), here, str(each.type))
        if part == "TypeRef" and old.kind == new.kind and old.kind in _NAMED:
            self._follow(old, new, spot)

    def _compare_values(self, key: str, row: KeyRow, old: Any, new: Any, spot: Spot, annotation: str) -> None:
        moved = key == "Field.values" and old != new and sorted(old) == sorted(new)
        if row.each or _has_parts(old) or _has_parts(new):
            small = key == "MessageSpec.headers"
            self._match(key, row, _by_key(old, small), _by_key(new, small), spot)
        elif isinstance(old, _WITH_KEYS) and new is not None:
            if isinstance(old, MessageSpec):
                spot = self._of_message(old, new, spot)
            self._compare(old, new, self._inside(old, new, spot))
        elif old != new and not moved:
            ruled = key in ("Rule.when", "Rule.demands")
            self._add(key, row, _kind(old, new), spot, *((spot.old, spot.new) if ruled else (old, new)), annotation)

    def _of_message(self, old: MessageSpec, new: MessageSpec, spot: Spot) -> Spot:
        self._seen = {(old.root.name, new.root.name)}
        before, after = spot.old, spot.new
        assert isinstance(before, Operation)
        assert isinstance(after, Operation)
        use = Use((before, after), new.role in ("response", "answer"), (old.root, new.root))
        return Spot(new.name, before, after, [use] if before.inbound is after.inbound else [])

    def _of_headers(self, old: MessageSpec, new: MessageSpec, spot: Spot) -> Spot:
        one, other = (
            side.once(header_structs).get(each.headers) for side, each in zip(self._sides, (old, new), strict=True)
        )
        known = [replace(use, structs=(one, other), is_header=True) for use in spot.uses] if one and other else []
        return replace(spot, subject=f"{spot.subject} header", uses=known)

    def _follow(self, old: TypeRef, new: TypeRef, spot: Spot) -> None:
        """Compare the types that two references name, each pair of objects once in a message."""
        names = old.name, new.name
        if old.kind != "struct" or names not in self._seen:
            self._seen |= {names} if old.kind == "struct" else set()
            before, after = (_NAMED[old.kind](*each) for each in zip(self._sides, names, strict=True))
            self._compare(before, after, self._inside(before, after, replace(spot, subject="")))

    def _inside(self, old: Any, new: Any, spot: Spot) -> Spot:
        """Return the spot of a pair of parts, one of which may be missing."""
        part: Any = new if old is None else old
        if not isinstance(part, Cited):
            return spot
        known = [None if one is None else " ".join(map(said, _key(one))) for one in (old, new)]
        one, other = known[0] or known[1] or "", known[1] or known[0] or ""
        name, uses = one if one == other else f"{one} -> {other}", spot.uses
        if isinstance(part, Struct):
            inner = (
                replace(use, structs=(old, new), path=(*use.path, *filter(None, use.names[1:])), names=(None, None))
                for use in uses
            )
            return Spot(name, old, new, [*inner])
        if isinstance(part, Field | Rule):
            uses = [replace(use, names=(known[0], known[1]), is_rule=isinstance(part, Rule)) for use in uses]
        joint = " rule " if isinstance(part, Rule) else "." if isinstance(part, Field) else " "
        subject = f"{spot.subject}{joint}{name}" if spot.subject else name
        return Spot(subject, old or spot.old, new or spot.new, uses)

    def _match(self, key: str, row: KeyRow, old: _Parts, new: _Parts, spot: Spot) -> None:
        """Pair parts by their keys, and operations by their addresses; the others are added or removed."""
        for name in [name for name in old if name in new and not row.each]:
            self._compare(old[name], new[name], self._inside(old[name], new[name], spot))
        come = [part for name, part in new.items() if name not in old]
        for part in [part for name, part in old.items() if name not in new]:
            address = _address(part)
            same = next((other for other in come if address is not None and _address(other) == address), None)
            if same is None:
                self._add(key, row, "removed", self._inside(part, None, spot), part, None)
            else:
                come.remove(same)
                here = self._inside(part, same, spot)
                self._add(key, row, "renamed", here, part, same)
                self._compare(part, same, here)
        for part in come:
            self._add(key, row, "added", self._inside(None, part, spot), None, part)

    def _add(
        self, key: str, row: KeyRow, kind: Kind, spot: Spot, before: object, after: object, annotation: str = ""
    ) -> None:
        where, words = (spot.subject, spot.old, spot.new), (said(before, annotation), said(after, annotation))
        change = Change(*where, key=key, row=row, kind=kind, before=words[0], after=words[1])
        self._found.setdefault(change, change).uses.extend(spot.uses)


_Parts = dict[object, Any]
_WITH_KEYS: Final = (MessageSpec, Struct, TypeRef, Resolution, Decision)
_NAMED: Final[dict[str, Callable[[Contract, str], Struct | Set | Format]]] = {
    "struct": Contract.struct_named,
    "set": lambda contract, name: contract.sets[name],
    "format": lambda contract, name: contract.formats[name],
}


def _address(part: object) -> object:
    """Return what tells an operation from others when it is called; None if that is nothing, or of another part."""
    if not isinstance(part, Operation) or not (part.post or part.when):
        return None
    fixed = {(each.wire, each.values) for each in part.asks.fields if each.fixed}
    return part.inbound, part.post, part.when, frozenset(fixed)


def _kind(before: Any, after: Any) -> Kind:
    empty = (None, (), False, "")
    if before in empty or after in empty:
        return "added" if before in empty else "removed"
    if isinstance(before, int) and isinstance(after, int):
        return "lowered" if after < before else "raised"
    return "changed"


def _has_parts(value: object) -> bool:
    return isinstance(value, dict) or (isinstance(value, tuple) and bool(value) and isinstance(value[0], Cited))


def _key(part: object) -> tuple[object, ...]:
    return tuple(getattr(part, name, "") for name in KEYS.get(type(part).__name__, ("name",)))


def _by_key(value: Any, small: bool = False) -> _Parts:
    """Return parts by their keys, in small letters if asked. Those that repeat a key have a number; a move is to one state each."""
    found: _Parts = {}
    parts: Iterable[Any] = value.values() if isinstance(value, dict) else value or ()
    for part in parts:
        split: list[Any] = [replace(part, after=(state,)) for state in part.after] if isinstance(part, Move) else [part]
        for one in split:
            key = one.wire.lower() if small else _key(one) if isinstance(one, Cited) else one
            found[key if key not in found else (key, len(found))] = one
    return found


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
