"""Give each change its verdicts: on the wire, in Python, in outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from paywright_codegen.diff.names import Break, breaks
from paywright_codegen.diff.search import Party, Proof, Search
from paywright_codegen.diff.table import Level
from paywright_codegen.diff.walk import Change, Walk
from paywright_codegen.model.rules import Rule

__all__ = ["WHO", "DiffReport", "Verdict", "compared", "verdict_of"]

WHO: Final = {
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
    outcome: Level
    proof: Proof = field(default_factory=Proof)
    unshown: str = ""
    breaks: tuple[Break, ...] = ()

    @property
    def python(self) -> Level:
        """Return the highest of its differences in Python."""
        return max((Level.NONE, *(one.level for one in self.breaks)))

    @property
    def level(self) -> Level:
        """Return the highest of the three."""
        return max(self.wire, self.python, self.outcome)


DiffReport = tuple[tuple[Verdict, ...], tuple[Break, ...]]
"""The verdicts, the heaviest first, and what Python shows that belongs to no change."""


def verdict_of(report: DiffReport) -> Level:
    """Return the one verdict of all changes, and of what Python shows apart from them."""
    return max((Level.NONE, *(one.level for part in report for one in part)))


def compared(old: Party, new: Party, patterns: Mapping[str, str]) -> DiffReport:
    """Compare two contracts."""
    walk = Walk(old.contract, new.contract)
    search = Search(old, new, walk, patterns)
    mine: dict[int, list[Break]] = {}
    apart: list[Break] = []
    for one in breaks(old.contract, new.contract) if walk.changes else ():
        fits, number = max((_nearness(one, change), number) for number, change in enumerate(walk.changes))
        mine.setdefault(number, []).append(one) if fits else apart.append(one)
    found = [_judged(change, search, tuple(mine.get(number, ()))) for number, change in enumerate(walk.changes)]
    return tuple(sorted(found, key=lambda one: -one.level)), tuple(apart)


def _nearness(one: Break, change: Change) -> int:
    """Return how much of the name of what differs in Python is that of a change; 0 if it does not follow from it."""
    before, _, after = change.subject.rpartition(" -> ")
    names = (change.subject, before, after, f"{before.rpartition('.')[0]}.{after}")
    return max(
        len(name) * f"{one.subject}.".replace(" ", ".").startswith(f"{name}.".replace(" ", ".")) for name in names
    )


def _judged(change: Change, search: Search, names: tuple[Break, ...]) -> Verdict:
    judged, outcome = change.row.codes is not None, change.row.outcome(change.kind)
    proof = search.prove(change) if judged else Proof()
    wire, unshown = Level.NONE, ""
    if proof.witnesses:
        wire = Level.MAJOR if any(one.effect == "narrowed" for one in proof.witnesses) else Level.MINOR
    elif judged:
        wire, unshown = _unshown(change, proof)
    elif change.row.unshown and change.kind != "renamed":
        wire, unshown = outcome, change.row.unshown
    return Verdict(change, wire, outcome, proof, unshown, names)


def _unshown(change: Change, proof: Proof) -> tuple[Level, str]:
    """Return the level of a change without a witness, and why there is none."""
    rules = [one for one in (change.part, change.old, change.new) if isinstance(one, Rule)]
    if not proof.reached:
        return Level.PATCH, "no message that both contracts have holds it"
    if rules and not any(rule.checked for rule in rules):
        return Level.PATCH, "no validator checks the rule"
    if change.key in ("Struct.fields", "MessageSpec.headers"):
        return Level.PATCH, "it may be left out, and who does not know a member ignores it"
    tried = f"{proof.tried} messages at the limits of both sides are judged alike"
    if proof.complete:
        return Level.PATCH, f"{tried}: other limits and rules say as much"
    return Level.MAJOR, f"{tried}, and the texts of its format are too many to try all"
