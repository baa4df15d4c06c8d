"""Give each change its three verdicts: on the wire, in Python, in outcome."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from paywright_codegen import naming
from paywright_codegen.diff.changes import Break, Change
from paywright_codegen.diff.claims import Level
from paywright_codegen.diff.witness import Effect, Proof, Search
from paywright_codegen.model.rules import Rule

__all__ = ["Verdict", "verdict_of", "verdicts"]

WHO = {
    ("narrowed", True): "merchants who send it: the new contract refuses what the old one allows",
    ("narrowed", False): "merchants who upgrade, while the gateway still sends what the new contract refuses",
    ("widened", True): "merchants who upgrade and send it to a gateway that still refuses it",
    ("widened", False): "merchants who do not upgrade, as soon as the gateway sends what the old contract refuses",
}
"""Those who can break, by effect and by whether the merchant writes the message."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdicts of one change. `unshown` says why there is no witness for the wire; "" if there is one or nothing to show."""

    change: Change
    wire: Level
    python: Level
    outcome: Level
    proof: Proof = field(default_factory=Proof)
    unshown: str = ""
    breaks: tuple[Break, ...] = ()

    @property
    def level(self) -> Level:
        """Return the highest of the three."""
        return max(self.wire, self.python, self.outcome)

    @property
    def who(self) -> tuple[str, ...]:
        """Return who can break on the wire."""
        return tuple(WHO[one.effect, one.message.sent] for one in self.proof.witnesses)


def verdict_of(found: Iterable[Verdict], apart: Sequence[Break] = ()) -> Level:
    """Return the one verdict of all changes, and of what Python shows apart from them."""
    return max((Level.NONE, *(one.level for one in found), *(one.level for one in apart)))


def verdicts(
    changes: Sequence[Change], search: Search, breaks: Sequence[Break] | None
) -> tuple[tuple[Verdict, ...], tuple[Break, ...]]:
    """Judge all changes. Return also what Python shows that belongs to none of them; without `breaks` Python is not compared."""
    mine, apart = _attributed(changes, breaks or ())
    return tuple(
        _judged(change, search, tuple(mine.get(number, ())), breaks is not None)
        for number, change in enumerate(changes)
    ), tuple(apart)


def effects_of(change: Change) -> tuple[Effect, ...]:
    """Return the effects that a change can have on what validators take."""
    if change.claim.codes is None:
        return ()
    if change.kind in ("tightened", "loosened"):
        return ("narrowed",) if change.kind == "tightened" else ("widened",)
    return "narrowed", "widened"


def _judged(change: Change, search: Search, breaks: tuple[Break, ...], compared: bool) -> Verdict:
    effects = effects_of(change)
    proof = search.prove(change, effects) if effects else Proof()
    shown = {one.effect for one in proof.witnesses}
    wire, unshown = Level.NONE, ""
    if shown:
        wire = Level.MAJOR if "narrowed" in shown else Level.MINOR
    elif effects:
        wire, unshown = _unshown(change, effects, proof)
    elif change.claim.unshown:
        wire, unshown = _outcome(change), change.claim.unshown
    python = max((Level.NONE, *(one.level for one in breaks)))
    if change.claim.role == "python" and not compared:
        python = Level.MAJOR
    return Verdict(change, wire, python, _outcome(change), proof, unshown, breaks)


def _outcome(change: Change) -> Level:
    if change.claim.role == "words":
        return Level.PATCH
    if change.claim.outcome is None:
        return Level.NONE
    added, removed, other = change.claim.outcome
    return {"added": added, "tightened": added, "removed": removed, "loosened": removed}.get(change.kind, other)


def _unshown(change: Change, effects: Sequence[Effect], proof: Proof) -> tuple[Level, str]:
    """Return the level of a change without a witness, and why there is none."""
    if not proof.reached:
        return Level.PATCH, "no message that both contracts have holds it"
    rules = [one for one in (change.part, change.old, change.new) if isinstance(one, Rule)]
    if rules and not any(rule.checked for rule in rules):
        return Level.PATCH, "no validator checks the rule"
    if change.facet in ("Struct.fields", "MessageSpec.headers"):
        return Level.PATCH, "it may be left out, and who does not know a member ignores it"
    tried = f"{proof.tried} messages at the limits of both sides are judged alike"
    if proof.complete:
        return Level.PATCH, f"{tried}: other limits and rules say as much"
    level = Level.MAJOR if "narrowed" in effects else Level.MINOR
    return level, f"{tried}, and the texts of its format are too many to try all"


def _names(change: Change) -> tuple[set[str], set[str]]:
    """Return the names of what a change belongs to in Python, and its own."""
    owners: set[str] = set()
    own: set[str] = set()
    for target in change.targets:
        for struct in target.structs:
            parts = struct.split(".")
            owners.add(parts[0] if len(parts) == 1 else f"{naming.resource_class(parts[0])}.{parts[1]}")
        own |= {naming.variable(wire) for wire in target.members if wire is not None}
    for part in (change.old, change.new):
        name = getattr(part, "name", "") or getattr(part, "wire", "")
        if part is not None and name:
            own |= {name, naming.variable(name), *name.split(".")[1:]}
            own |= {naming.member(part)} if hasattr(part, "member") else set()  # type: ignore[arg-type]  # a value has one
    return owners, own


def _attributed(changes: Sequence[Change], breaks: Sequence[Break]) -> tuple[dict[int, list[Break]], list[Break]]:
    """Give each difference in Python to the change that it follows from, by its names."""
    mine: dict[int, list[Break]] = {}
    apart: list[Break] = []
    named = [_names(change) for change in changes]
    for one in breaks:
        words = {*one.path.replace("(", ".").replace(")", "").split("."), *one.words.split("`")[1::2]}
        own = [number for number, (_, names) in enumerate(named) if names & words]
        first = [number for number in own if any(owner in one.path for owner in named[number][0])]
        chosen = (first or own)[:1]
        mine.setdefault(chosen[0], []).append(one) if chosen else apart.append(one)
    return mine, apart
