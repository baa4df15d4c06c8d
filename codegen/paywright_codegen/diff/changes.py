"""Walk two contracts side by side, field by field of the model, and list what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from math import inf
from typing import Any, Literal, cast

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
    """Position of the walk: the name for people, the parts that have places, and the members whose documents show it."""

    subject: str
    old: Cited
    new: Cited
    key: str = ""
    targets: tuple[Target, ...] = ()
    uses: list[Target] | None = None


def changes(old: Contract, new: Contract) -> tuple[Change, ...]:
    """Return the differences of two contracts, in the order of the model."""
    walk = _Walk(old, new)
    walk.compare(old, new, None)
    return tuple(dict.fromkeys(_moved(walk.found())))


class _Walk:
    def __init__(self, old: Contract, new: Contract) -> None:
        self._old, self._new = old, new
        self._changes: list[tuple[Change, list[Target] | None]] = []
        self._uses: dict[tuple[type, str, str], list[Target]] = {}

    def found(self) -> list[Change]:
        """Return the changes. Those of a value list or a format have all members that use it as targets."""
        return [
            change if uses is None else replace(change, targets=tuple(dict.fromkeys(uses)))
            for change, uses in self._changes
        ]

    def compare(self, old: Any, new: Any, spot: _Spot | None) -> None:
        """Compare two parts of one class, each field by its claim."""
        for name, claim in claims_of(old).items():
            if claim.role in ("key", "untold"):
                continue
            before: Any = getattr(old, name)
            after: Any = getattr(new, name)
            if claim.role == "reference":
                self._follow(cast("TypeRef", old), cast("TypeRef", new), spot)
                continue
            here = None if spot is None else replace(spot, key=spot.key or _yaml_key(old, name, claim))
            if isinstance(before, dict):
                before, after = tuple(before.values()), tuple(after.values())
            facet = f"{type(old).__name__}.{name}"
            if claim.role == "inside" and isinstance(before, tuple):
                self._match(facet, claim, before, after, here, (old, new))
            elif _is_part(before) and type(before) is type(after):
                self.compare(before, after, self._at(before, after, here))
            elif claim.each:
                assert here is not None
                for one in (*before, *after):
                    if (one in before) is not (one in after):
                        kind: Kind = "removed" if one in before else "added"
                        self._add(
                            facet, claim, kind, here, one if one in before else None, one if one in after else None
                        )
            elif before != after:
                assert here is not None
                texts = (old.text, new.text) if isinstance(old, Rule) else (before, after)
                self._add(facet, claim, _kind(claim, before, after), here, *texts)

    def _follow(self, old: TypeRef, new: TypeRef, spot: _Spot | None) -> None:
        """Compare the types that two references name, each pair of names once."""
        if old.kind != new.kind or old.kind not in ("struct", "set", "format"):
            return
        assert spot is not None
        table: Callable[[Contract, str], Cited] = {
            "struct": Contract.struct_named,
            "set": lambda contract, name: contract.sets[name],
            "format": lambda contract, name: contract.formats[name],
        }[old.kind]
        parts = table(self._old, old.name), table(self._new, new.name)
        pair = (type(parts[0]), old.name, new.name)
        known = pair in self._uses
        uses = self._uses.setdefault(pair, [])
        uses += spot.targets
        if not known:
            self.compare(*parts, self._at(*parts, None, uses))

    def _at(self, old: Any, new: Any, spot: _Spot | None, uses: list[Target] | None = None) -> _Spot | None:
        """Return the spot of a pair of parts."""
        if isinstance(old, MessageSpec):
            return None if spot is None else replace(spot, subject=new.name, key="")
        if isinstance(old, Struct):
            self._uses.setdefault((Struct, old.name, new.name), [])
            return _Spot(_both(old.name, new.name), old, new, "", (Target((old.name, new.name)),))
        if isinstance(old, Set | Format):
            return _Spot(_both(old.name, new.name), old, new, "", (), uses)
        if not isinstance(old, Cited):
            return spot
        targets: tuple[Target, ...] = spot.targets if spot is not None else ()
        names = _label(old), _label(new)
        if isinstance(old, Field):
            targets = tuple(replace(one, members=(old.wire, new.wire)) for one in targets)
        elif isinstance(old, Rule):
            targets = tuple(replace(one, rules=(old.id, new.id)) for one in targets)
        around = "" if spot is None else f"{spot.subject}{_joint(old)}"
        return _Spot(
            f"{around}{_both(*names)}", old, cast("Cited", new), "", targets, spot.uses if spot is not None else None
        )

    def _match(
        self,
        facet: str,
        claim: FacetClaim,
        before: Sequence[Any],
        after: Sequence[Any],
        spot: _Spot | None,
        owners: Any,
    ) -> None:
        """Pair parts by their keys, then by their content; the others are added or removed."""
        if facet == "MessageSpec.headers" and spot is not None and (before or after):
            names = [header_struct(side, one) or "" for side, one in zip((self._old, self._new), owners, strict=True)]
            spot = replace(spot, subject=f"{owners[1].name} header", targets=(Target((names[0], names[1])),))
        old, new = _by_key(before), _by_key(after)
        for key in [key for key in old if key in new]:
            self.compare(old[key], new[key], self._at(old[key], new[key], spot))
        gone = [part for key, part in old.items() if key not in new]
        come = [part for key, part in new.items() if key not in old]
        for part in list(gone):
            alike = [other for other in come if shape(other) == shape(part)]
            if len(alike) == 1 and shape(part) and sum(shape(other) == shape(part) for other in gone) == 1:
                gone.remove(part)
                come.remove(alike[0])
                self._lone(facet, claim, "renamed", spot, part, alike[0])
        for part in gone:
            self._lone(facet, claim, "removed", spot, part, None)
        for part in come:
            self._lone(facet, claim, "added", spot, None, part)

    def _lone(self, facet: str, claim: FacetClaim, kind: Kind, spot: _Spot | None, old: Any, new: Any) -> None:
        """Add the change of a whole part."""
        part = new if old is None else old
        if not isinstance(part, Cited):
            assert spot is not None
            self._add(facet, claim, kind, spot, old, new, part)
            return
        names = None if old is None else _label(old), None if new is None else _label(new)
        targets: tuple[Target, ...] = spot.targets if spot is not None else ()
        if isinstance(part, Field):
            targets = tuple(replace(one, members=names) for one in targets)
        elif isinstance(part, Rule):
            targets = tuple(replace(one, rules=names) for one in targets)
        around = "" if spot is None else f"{spot.subject}{_joint(part)}"
        here = _Spot(
            f"{around}{_both(names[0] or names[1] or '', names[1] or names[0] or '')}",
            old if old is not None else spot.old if spot is not None else None,  # type: ignore[arg-type]  # the whole contract has no place
            new if new is not None else spot.new if spot is not None else None,  # type: ignore[arg-type]  # the same
            "",
            targets,
            spot.uses if spot is not None else None,
        )
        self._add(facet, claim, kind, here, old, new, part)

    def _add(
        self, facet: str, claim: FacetClaim, kind: Kind, spot: _Spot, before: object, after: object, part: object = None
    ) -> None:
        change = Change(
            facet,
            claim,
            kind,
            spot.subject,
            said(before),
            said(after),
            spot.old,
            spot.new,
            spot.key,
            spot.targets,
            part,
        )
        self._changes.append((change, spot.uses))


def shape(part: object) -> tuple[object, ...]:
    """Return what a part says but for its key, its place and its words: parts of one shape differ in name alone."""
    found: list[object] = []
    for name, claim in claims_of(part).items():
        value = getattr(part, name)
        if claim.role in ("inside", "contract") or (claim.role == "reference"):
            if isinstance(value, tuple):
                value = tuple(
                    (
                        (_key(one), shape(one))
                        if type(one) is not str and is_dataclass(one) and claim.role == "inside"
                        else one
                    )
                    for one in value
                )
            elif is_dataclass(value):
                value = (_key(value), shape(value)) if claim.role == "inside" else value
            found.append(value)
    return tuple(found) if any(one not in ((), None, False) for one in found) else ()


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


def _is_part(value: object) -> bool:
    return is_dataclass(value) and not isinstance(value, Prose)


def _key(part: object) -> tuple[object, ...]:
    if not is_dataclass(part):
        return (part,)
    return tuple(getattr(part, name) for name, claim in claims_of(part).items() if claim.role == "key")


def _by_key(parts: Sequence[Any]) -> dict[tuple[object, ...], Any]:
    """Return parts by their keys. Those that repeat a key are told apart by their number."""
    found: dict[tuple[object, ...], Any] = {}
    for part in parts:
        key = _key(part)
        found[key if key not in found else (*key, len(found))] = part
    return found


def _label(part: object) -> str:
    return " ".join(said(one) for one in _key(part))


def _joint(part: object) -> str:
    return " rule " if isinstance(part, Rule) else "." if isinstance(part, Field) else " "


def _both(old: str, new: str) -> str:
    return old if old == new else f"{old} -> {new}"


def _yaml_key(part: object, name: str, claim: FacetClaim) -> str:
    """Return the key under which a contract file says it, as `Cited.at` knows it."""
    return claim.says if isinstance(part, Operation) else ""


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
