"""Walk two contracts side by side, field by field of the model, and list what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from math import inf
from typing import Any, Final, Literal

from paywright_codegen.diff.claims import FacetClaim, Level, claims_of
from paywright_codegen.lookup import header_struct
from paywright_codegen.model.cited import Cited, Prose
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.rules import Rule
from paywright_codegen.model.types import Field, Format, Set, Struct, TypeRef
from paywright_codegen.reader.printer import print_facets

__all__ = ["Break", "Change", "Kind", "Target", "changes"]

Kind = Literal["added", "removed", "tightened", "loosened", "changed", "renamed", "moved"]
_Pair = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Target:
    """Place where documents show a change: a member or a rule of a struct, by its names on both sides."""

    structs: tuple[str, str]
    members: _Pair = (None, None)
    rules: _Pair = (None, None)


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: the field of the model (`Field.max`), whose it is, and what both sides say."""

    facet: str
    claim: FacetClaim
    kind: Kind
    subject: str
    before: str
    after: str
    old: Cited | None
    new: Cited | None
    key: str = ""
    targets: tuple[Target, ...] = ()
    part: object = field(default=None, compare=False, repr=False)  # what was added, or else removed

    @property
    def places(self) -> tuple[str, str]:
        """File and line on both sides; "" where there is none."""
        old, new = (
            "" if part is None else str(part.at(f"{self.key}: {said}", self.key))
            for part, said in ((self.old, self.before), (self.new, self.after))
        )
        return old, new

    @property
    def sections(self) -> tuple[str, ...]:
        """Sections of the specification that either side cites."""
        cited = [part.sections for part in (self.old, self.new) if part is not None]
        return tuple(dict.fromkeys(section for sections in cited for section in sections))


@dataclass(frozen=True, slots=True)
class Break:
    """A difference in Python: the path of an object, and what became of it."""

    path: str
    words: str
    level: Level


@dataclass(frozen=True, slots=True)
class _Spot:
    """Position of the walk: the name for people, the parts that have places, and the members whose documents show it.

    The targets of a value list or a format are a list that grows with its uses.
    """

    subject: str = ""
    old: Cited | None = None
    new: Cited | None = None
    key: str = ""
    targets: tuple[Target, ...] | list[Target] = ()


def changes(old: Contract, new: Contract) -> tuple[Change, ...]:
    """Return the differences of two contracts, in the order of the model."""
    walk = _Walk(old, new)
    walk.compare(old, new, _Spot())
    return tuple(dict.fromkeys(_moved(walk.found())))


class _Walk:
    def __init__(self, old: Contract, new: Contract) -> None:
        self._old, self._new = old, new
        self._changes: list[tuple[Change, _Spot]] = []
        self._uses: dict[tuple[str, str, str], list[Target]] = {}

    def found(self) -> list[Change]:
        """Return the changes, each with all members that show it."""
        return [replace(change, targets=tuple(dict.fromkeys(spot.targets))) for change, spot in self._changes]

    def compare(self, old: Any, new: Any, spot: _Spot) -> None:
        """Compare two parts of one class, each field by its claim."""
        for name, claim in claims_of(old).items():
            if claim.role in ("key", "untold"):
                continue
            facet = f"{type(old).__name__}.{name}"
            if claim.role == "reference":
                self._follow(old, new, spot)
                continue
            before: Any = getattr(old, name)
            after: Any = getattr(new, name)
            # Operations alone say under which key of the file a field stands.
            here = replace(spot, key=claim.says) if facet.startswith("Operation.") else spot
            if claim.role == "inside" and isinstance(before, dict | tuple):
                if name == "headers":
                    names = header_struct(self._old, old) or "", header_struct(self._new, new) or ""
                    here = replace(here, subject=f"{here.subject} header", targets=(Target(names),))
                self._match(facet, claim, _by_key(before), _by_key(after), here)
            elif is_dataclass(before) and type(before) is type(after) and not isinstance(before, Prose):
                self.compare(before, after, self._inside(before, after, here))
            elif claim.each:
                self._match(facet, claim, _by_key(before), _by_key(after), here)
            elif before != after:
                texts = (old.text, new.text) if facet.startswith("Rule.") else (before, after)
                self._add(facet, claim, _kind(claim, before, after), here, *texts)

    def _follow(self, old: TypeRef, new: TypeRef, spot: _Spot) -> None:
        """Compare the types that two references name, each pair of names once."""
        if old.kind != new.kind or old.kind not in _NAMED:
            return
        uses = self._uses.setdefault((old.kind, old.name, new.name), [])
        known, parts = bool(uses), (_NAMED[old.kind](self._old, old.name), _NAMED[new.kind](self._new, new.name))
        uses += spot.targets
        if not known:
            self.compare(*parts, self._inside(*parts, replace(spot, subject="", key="", targets=uses)))

    def _inside(self, old: Any, new: Any, spot: _Spot) -> _Spot:
        """Return the spot of a pair of parts, one of which may be missing."""
        part: Any = new if old is None else old
        if isinstance(part, MessageSpec):
            return replace(spot, subject=part.name, key="")
        if not isinstance(part, Cited):
            return spot
        known = [None if one is None else _label(one) for one in (old, new)]
        names = _both(known[0] or known[1] or "", known[1] or known[0] or "")
        targets = spot.targets
        if isinstance(part, Field):
            targets = tuple(replace(one, members=(known[0], known[1])) for one in targets)
        elif isinstance(part, Rule):
            targets = tuple(replace(one, rules=(known[0], known[1])) for one in targets)
        elif isinstance(part, Struct):
            return _Spot(names, old, new, "", (Target((known[0] or "", known[1] or "")),))
        joint = (
            "" if not spot.subject else " rule " if isinstance(part, Rule) else "." if isinstance(part, Field) else " "
        )
        return _Spot(f"{spot.subject}{joint}{names}", old or spot.old, new or spot.new, "", targets)

    def _match(self, facet: str, claim: FacetClaim, old: _Parts, new: _Parts, spot: _Spot) -> None:
        """Pair parts by their keys, then by their content; the others are added or removed."""
        for key in [key for key in old if key in new and is_dataclass(old[key])]:
            self.compare(old[key], new[key], self._inside(old[key], new[key], spot))
        gone = [part for key, part in old.items() if key not in new]
        come = [part for key, part in new.items() if key not in old]
        pairs: list[tuple[Kind, Any, Any]] = []
        for part in list(gone):
            alike = [other for other in come if shape(other) == shape(part)]
            if len(alike) == 1 and shape(part) and sum(shape(other) == shape(part) for other in gone) == 1:
                gone.remove(part)
                come.remove(alike[0])
                pairs.append(("renamed", part, alike[0]))
        for part in gone:
            pairs.append(("removed", part, None))
        for part in come:
            pairs.append(("added", None, part))
        for kind, before, after in pairs:
            part = before if after is None else after
            self._add(facet, claim, kind, self._inside(before, after, spot), before, after, part)

    def _add(
        self, facet: str, claim: FacetClaim, kind: Kind, spot: _Spot, before: Any, after: Any, part: Any = None
    ) -> None:
        texts = said(before), said(after)
        change = Change(facet, claim, kind, spot.subject, *texts, spot.old, spot.new, spot.key, (), part)
        self._changes.append((change, spot))


_Parts = dict[tuple[object, ...], Any]
_NAMED: Final[dict[str, Callable[[Contract, str], Struct | Set | Format]]] = {
    "struct": Contract.struct_named,
    "set": lambda contract, name: contract.sets[name],
    "format": lambda contract, name: contract.formats[name],
}


def shape(part: object) -> tuple[object, ...]:
    """Return what a part says but for its key, its place and its words; () if that is nothing."""
    if not is_dataclass(part):
        return ()
    found = [
        _shaped(getattr(part, name)) if claim.role == "inside" else getattr(part, name)
        for name, claim in claims_of(part).items()
        if claim.role in ("inside", "contract", "reference")
    ]
    return tuple(found) if any(one not in ((), None, False) for one in found) else ()


def _shaped(value: object) -> object:
    return tuple(map(_shaped, value)) if isinstance(value, tuple) else (_key(value), shape(value))


def _moved(found: Sequence[Change]) -> Iterable[Change]:
    """Join what was removed from one part with the same that was added to another."""
    gone = {
        (change.facet, _key(change.part), shape(change.part)): change
        for change in found
        if change.kind == "removed" and change.part is not None and change.facet in ("Struct.fields", "Struct.rules")
    }
    moved: dict[int, Change] = {}
    for change in found:
        if change.kind == "added" and change.part is not None:
            origin = gone.pop((change.facet, _key(change.part), shape(change.part)), None)
            if origin is not None:
                moved[id(origin)] = moved[id(change)] = replace(
                    change,
                    kind="moved",
                    subject=_both(origin.subject, change.subject),
                    before=origin.before,
                    old=origin.old,
                    targets=(*origin.targets, *change.targets),
                )
    return [moved.get(id(change), change) for change in found]


def _kind(claim: FacetClaim, before: Any, after: Any) -> Kind:
    if claim.looser == "within":
        if _holds(after, before):
            return "loosened"
        return "tightened" if _holds(before, after) else "changed"
    if claim.looser:
        more = _rank(claim, after) > _rank(claim, before)
        return "loosened" if more is (claim.looser == "more") else "tightened"
    empty = (None, (), False, "")
    return "added" if before in empty else "removed" if after in empty else "changed"


def _rank(claim: FacetClaim, value: Any) -> float:
    """Return a limit as a number. Without one, all is allowed."""
    return float(value) if value is not None else inf if claim.looser == "more" else -inf


def _holds(around: Any, inside: Any) -> bool:
    """Return whether a range or a list of values has all that another one has. Without one, all is allowed."""
    if not around or not inside:
        return not around
    if isinstance(around[0], int):
        return bool(around[0] <= inside[0] and inside[1] <= around[1])
    return set(inside) <= set(around)


def _key(part: object) -> tuple[object, ...]:
    if not is_dataclass(part):
        return (part,)
    return tuple(getattr(part, name) for name, claim in claims_of(part).items() if claim.role == "key")


def _by_key(parts: Any) -> _Parts:
    """Return parts by their keys. Those that repeat a key are told apart by their number."""
    found: _Parts = {}
    for part in parts.values() if isinstance(parts, dict) else parts:
        key = _key(part)
        found[key if key not in found else (*key, len(found))] = part
    return found


def _label(part: Cited) -> str:
    return part.name if isinstance(part, Struct | Set | Format) else " ".join(said(one) for one in _key(part))


def _both(old: str, new: str) -> str:
    return old if old == new else f"{old} -> {new}"


def said(value: object) -> str:
    """Return what a value of the model says, for people."""
    if value is None:
        return ""
    if isinstance(value, Prose):
        return value.text
    if isinstance(value, Field):
        return print_facets(value) + (" required" if value.required else "")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        joint = "." if value and all(isinstance(one, str) for one in value) and len(value) > 1 else " "
        return joint.join(said(one) for one in value)
    if isinstance(value, Rule):
        return value.text
    if isinstance(value, Operation):
        return f"{value.post or 'no address'} {value.version or ''}".strip()
    if is_dataclass(value) and not isinstance(value, type):
        names = [name for name, claim in claims_of(value).items() if claim.role in ("key", "contract")]
        values = {name: getattr(value, name) for name in names}
        words = (name if one is True else "" if one is False else said(one) for name, one in values.items())
        return " ".join(filter(None, words))
    return str(value)
