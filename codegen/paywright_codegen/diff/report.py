"""Give each change its verdicts, and write them: as text, as JSON, and as lines for a changelog, which may leave none out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from paywright_codegen.diff.names import Break, breaks
from paywright_codegen.diff.search import Party, Proof, Search
from paywright_codegen.diff.table import Level
from paywright_codegen.diff.walk import Change, Walk
from paywright_codegen.documents.files import as_json as indented
from paywright_codegen.documents.files import plain_number
from paywright_codegen.model.rules import Rule

_SHOWN: Final = 60
_LEVELS: Final = {"narrowed": Level.MAJOR, "widened": Level.MINOR}

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


def compared(old: Party, new: Party) -> DiffReport:
    """Compare two contracts."""
    walk = Walk(old.contract, new.contract)
    search = Search(old, new, walk)
    mine: dict[int, list[Break]] = {}
    apart: list[Break] = []
    for one in breaks(old.contract, new.contract):
        fits, number = max(((_nearness(one, change), at) for at, change in enumerate(walk.changes)), default=(0, 0))
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
        wire = max(_LEVELS[one.effect] for one in proof.witnesses)
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


def _title(one: Verdict) -> str:
    """Return a change in a line: whose it is, what it is, and what both sides say."""
    change, says = one.change, one.change.row.says
    before, after = change.before, change.after
    if change.row.levels == "ppp" and change.row.codes is None:
        words = f"{says} {change.kind}"
    elif change.kind == "renamed":
        words = f"{says} renamed"
    elif change.row.each:
        words = f"{says} {before} no more" if before else f"{says} {after} too"
    elif change.kind in ("added", "removed"):
        words = f"new {says}, {after}" if after else f"{says} gone, {before}"
    else:
        words = f"{says} {before or 'not said'} -> {after or 'not said'}"
    return f"{change.subject}: {words}"


def _cited(one: Verdict) -> str:
    return f" [{', '.join(one.change.sections)}]" if one.change.sections else ""


def _short(value: object) -> object:
    """Return a document for people: of long texts and lists the beginning, and how long they are."""
    if isinstance(value, dict):
        return {name: _short(one) for name, one in value.items()}
    if isinstance(value, list):
        return [*map(_short, value[:3]), *([f"... {len(value)} elements"] if len(value) > 3 else [])]
    long = isinstance(value, str) and len(value) > _SHOWN
    return f"{value[:8]}... {len(value)} characters" if isinstance(value, str) and long else value


def _wire(one: Verdict) -> Iterator[str]:
    for each in one.proof.witnesses:
        yield f"  on the wire, {_LEVELS[each.effect]}: it can break {WHO[each.effect, each.message.sent]}"
        what = f"{each.message.name}{' headers' if each.message.headers else ''} ({each.message.kind})"
        yield f"    {what}, refused for {each.pointer} ({each.code}):"
        yield f"    {json.dumps(_short(each.document), ensure_ascii=False, default=plain_number)}"
    if one.unshown:
        yield f"  on the wire, {one.wire}: {one.unshown}"


def as_text(report: DiffReport, names: tuple[str, str]) -> list[str]:
    """Return the report as lines. Verdicts that say nothing are left out."""
    found, apart = report
    lines = [f"{names[0]} -> {names[1]}: {verdict_of(report)}, {len(found)} change{'' if len(found) == 1 else 's'}"]
    for one in found:
        lines += ["", f"{one.level}  {_title(one)}{_cited(one)}"]
        lines += [f"  {' -> '.join(place or '(none)' for place in one.change.places)}", *_wire(one)]
        lines += (f"  in Python, {each.level}: {each.path} {each.words}" for each in one.breaks)
        if one.outcome > Level.PATCH:
            lines.append(f"  in outcome, {one.outcome}: it changes {one.change.row.means}")
    if apart:
        lines += ["", *(f"{one.level}  in Python: {one.path} {one.words}" for one in apart)]
    return lines


def as_json(report: DiffReport, names: tuple[str, str]) -> str:
    """Return the report as JSON, with whole messages."""
    found, apart = [_as_object(one) for one in report[0]], [_break(one) for one in report[1]]
    made = {"old": names[0], "new": names[1], "verdict": str(verdict_of(report)), "changes": found, "python": apart}
    return indented(made).rstrip("\n")


def _break(one: Break) -> dict[str, str]:
    return {"path": one.path, "what": one.words, "verdict": str(one.level)}


def _as_object(one: Verdict) -> dict[str, object]:
    change = one.change
    witnesses = [
        {
            "effect": each.effect, "message": each.message.name, "kind": each.message.kind, "headers": each.message.headers,
            "can_break": WHO[each.effect, each.message.sent], "refused": {"pointer": each.pointer, "code": each.code},
            "document": each.document,
        }
        for each in one.proof.witnesses
    ]  # fmt: skip
    return {
        "subject": change.subject, "key": change.key, "kind": change.kind, "old": change.before, "new": change.after,
        "sections": list(change.sections), "places": dict(zip(("old", "new"), change.places, strict=True)),
        "verdict": str(one.level), "wire": {"verdict": str(one.wire), "not_shown": one.unshown, "witnesses": witnesses},
        "python": {"verdict": str(one.python), "differences": [_break(each) for each in one.breaks]},
        "outcome": {"verdict": str(one.outcome), "means": change.row.means},
    }  # fmt: skip


def as_markdown(report: DiffReport) -> list[str]:
    """Return lines for a changelog, the heaviest first. Changes of words are counted only."""
    lines = []
    for one in (one for one in report[0] if one.level > Level.PATCH):
        who = dict.fromkeys(WHO[each.effect, each.message.sent] for each in one.proof.witnesses)
        can = f" Can break: {'; '.join(who)}." if who else ""
        lines.append(f"- **{one.level}** `{one.change.subject}`: {_title(one).partition(': ')[2]}{_cited(one)}.{can}")
    lines += (f"- **{each.level}** `{each.path}` {each.words}." for each in report[1])
    words = len(report[0]) - sum(one.level > Level.PATCH for one in report[0])
    return [*lines, *([f"- {words} more that no program notices: words, questions, places."] if words else [])]


_Version = tuple[int, int, int]
_VERSION: Final = re.compile(r"([0-9]+)\.([0-9]+)\.([0-9]+)")


def newest(tags: Iterable[str]) -> str | None:
    """Return the newest of the tags of versions, such as `v0.1.0`; None if there is none."""
    return max((tag for tag in tags if re.fullmatch(f"v{_VERSION.pattern}", tag)), key=version_in, default=None)


def version_in(name: str) -> _Version:
    """Return the version in the name of a tag or a wheel. Raises ValueError if there is none."""
    match = _VERSION.search(name)
    if match is None:
        raise ValueError(f"{name!r} has no version in its name, such as v0.1.0")
    return int(match[1]), int(match[2]), int(match[3])


def too_little(report: DiffReport, released: str, version: str, changelog: str) -> Sequence[str]:
    """Return what version and changelog leave out of what changed since a release."""
    level, (major, minor, patch) = verdict_of(report), version_in(released)
    # Before 1.0 a minor version may break, and a patch may add.
    step = level - 1 if major == 0 and level > Level.PATCH else level
    wanted = ((major, minor, patch), (major, minor, patch + 1), (major, minor + 1, 0), (major + 1, 0, 0))[step]
    missing: list[str] = []
    if version_in(version) < wanted:
        told = ".".join(map(str, wanted))
        missing.append(f"the version is {version}, and {level} changes since {released} need at least {told}")
    part = re.search(rf"^## {re.escape(version)}\b.*?$(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    due = [(one.change.subject, one.level) for one in report[0] if one.level > Level.PATCH]
    due += ((one.path, one.level) for one in report[1])
    unsaid = ((name, how) for name, how in due if f"`{name}`" not in (part[1] if part else ""))
    return [*missing, *(f"CHANGELOG.md does not name `{name}` under {version}, which is {how}" for name, how in unsaid)]
