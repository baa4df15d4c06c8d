"""Write the verdicts as text, as JSON, and as lines for a changelog; and say what a changelog leaves out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from paywright_codegen.diff.names import Break
from paywright_codegen.diff.table import Level
from paywright_codegen.diff.verdicts import WHO, DiffReport, Verdict, verdict_of
from paywright_codegen.documents.files import as_json as indented
from paywright_codegen.documents.files import plain_number

__all__ = ["as_json", "as_markdown", "as_text", "newest", "too_little", "version_in"]

_SHOWN: Final = 60


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
        level = Level.MAJOR if each.effect == "narrowed" else Level.MINOR
        yield f"  on the wire, {level}: it can break {WHO[each.effect, each.message.sent]}"
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
    for one in report[0]:
        if one.level > Level.PATCH and f"`{one.change.subject}`" not in (part[1] if part else ""):
            missing.append(f"CHANGELOG.md does not name `{one.change.subject}` under {version}, which is {one.level}")
    return missing
