"""Give each change its verdicts, and write them for people and for a changelog, which may leave none out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from paywright_codegen.diff.python_breaks import Break, breaks
from paywright_codegen.diff.table import Level
from paywright_codegen.diff.walk import Both, Change, Walk
from paywright_codegen.diff.witnesses import Party, Witness, witnesses
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
    witnesses: tuple[Witness, ...] = ()
    unshown: str = ""

    @property
    def level(self) -> Level:
        """Return the higher of the two."""
        return max(self.wire, self.outcome)


DiffReport = tuple[tuple[Verdict, ...], tuple[Break, ...]]
"""The verdicts, and the differences in Python, the heaviest first."""


def verdict_of(report: DiffReport) -> Level:
    """Return the one verdict of all changes and all differences in Python."""
    return max((Level.NONE, *(one.level for part in report for one in part)))


def compared(old: Party, new: Party) -> DiffReport:
    """Compare two contracts."""
    found = (_judged(change, (old, new)) for change in Walk(old.contract, new.contract).changes)
    python = sorted(breaks(old.contract, new.contract), key=lambda one: -one.level)
    return tuple(sorted(found, key=lambda one: -one.level)), tuple(python)


def _judged(change: Change, sides: Both[Party]) -> Verdict:
    """Return the verdicts of a change, with the messages that show it on the wire, or why there is none."""
    outcome, level = change.row.outcome(change.kind), Level.PATCH
    if change.row.codes is None:
        return Verdict(change, Level.NONE, outcome)
    found, complete = witnesses(sides, change)
    if found:
        return Verdict(change, max(_LEVELS[one.effect] for one in found), outcome, found)
    rules = [one for one in (change.old, change.new) if isinstance(one, Rule)]
    if not change.uses:
        why = "no message that both contracts have holds it"
    elif rules and not any(rule.checked for rule in rules):
        why = "no validator checks the rule"
    elif change.key in ("Struct.fields", "MessageSpec.headers"):
        why = "it may be left out, and who does not know a member ignores it"
    elif complete:
        why = "other limits and rules say as much"
    else:
        why, level = "no message was found, and the texts of its format are too many to try all", Level.MAJOR
    return Verdict(change, level, outcome, unshown=why)


def _words(change: Change) -> str:
    """Return what a change is, and what both sides say."""
    says, before, after = change.row.says.replace("/", ": "), change.before, change.after
    if change.kind == "renamed" or (change.row.levels == "ppp" and change.row.codes is None):
        return f"{says} {change.kind}"
    if change.row.each:
        return f"{says} {before} no more" if before else f"{says} {after} too"
    if before and after:
        return f"{says} {before} -> {after}"
    return f"new {says}, {after}" if after else f"{says} gone, {before}"


def _short(value: object) -> object:
    """Return a document for people: of long texts and lists the beginning, and how long they are."""
    if isinstance(value, dict):
        return {name: _short(one) for name, one in value.items()}
    if isinstance(value, list):
        return [*map(_short, value[:3]), *([f"... {len(value)} elements"] if len(value) > 3 else [])]
    return f"{value[:8]}... {len(value)} characters" if isinstance(value, str) and len(value) > _SHOWN else value


def as_text(report: DiffReport, names: tuple[str, str]) -> list[str]:
    """Return the report as lines, of which those of changes are for a changelog. Verdicts that say nothing are left out."""
    found, python = report
    lines = [f"{names[0]} -> {names[1]}: {verdict_of(report)}, {len(found)} change{'' if len(found) == 1 else 's'}"]
    for one in found:
        sections = dict.fromkeys(name for part in (one.change.old, one.change.new) if part for name in part.sections)
        cited = f" [{', '.join(sections)}]" if sections else ""
        places = " -> ".join(place or "(none)" for place in one.change.places)
        lines += ["", f"- **{one.level}** `{one.change.subject}`: {_words(one.change)}{cited}", f"  {places}"]
        for shown in one.witnesses:
            use, document = shown.use, json.dumps(_short(shown.document), ensure_ascii=False, default=plain_number)
            lines.append(f"  on the wire, {_LEVELS[shown.effect]}: it can break {WHO[shown.effect, use.sent]}")
            what = f"{use.message}{' headers' if use.is_header else ''}"
            lines += [f"    {what}, refused for {shown.pointer} ({shown.code}):", f"    {document}"]
        if one.unshown:
            lines.append(f"  on the wire, {one.wire}: {one.unshown}")
        if one.outcome > Level.PATCH:
            lines.append(f"  in outcome, {one.outcome}: it changes {one.change.row.means}")
    broken = [f"- **{one.level}** `{one.path}`: in Python, {one.words}" for one in python]
    return [*lines, *([""] if broken else []), *broken]


def newest(tags: Iterable[str]) -> str | None:
    """Return the newest of the tags of versions, such as `v0.1.0`; None if there is none."""
    return max((tag for tag in tags if tag.startswith("v") and tag[1:] == version_in(tag)), key=_numbers, default=None)


def version_in(name: str) -> str | None:
    """Return the version in the name of a tag or a wheel; None if there is none."""
    match = re.search(r"[0-9]+\.[0-9]+\.[0-9]+", name)
    return match and match[0]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall("[0-9]+", version)))


def too_little(report: DiffReport, released: str, version: str, changelog: str) -> Sequence[str]:
    """Return what version and changelog leave out of what changed since a release."""
    level, (major, minor, patch) = verdict_of(report), _numbers(released)
    # Before 1.0 a minor version may break, and a patch may add.
    step = level - 1 if major == 0 and level > Level.PATCH else level
    wanted = ((major, minor, patch), (major, minor, patch + 1), (major, minor + 1, 0), (major + 1, 0, 0))[step]
    part = re.search(rf"^## {re.escape(version)}\b.*?$(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    due = [(one.change.subject, one.level) for one in report[0]] + [(one.path, one.level) for one in report[1]]
    missing = [
        f"CHANGELOG.md does not name `{name}` under {version}, which is {how}"
        for name, how in due
        if how > Level.PATCH and f"`{name}`" not in (part[1] if part else "")
    ]
    least = ".".join(map(str, wanted))
    behind = f"the version is {version}, and {level} changes since {released} need at least {least}"
    return missing if _numbers(version) >= wanted else [behind, *missing]
