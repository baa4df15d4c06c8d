"""Write the verdicts as text, as JSON, and as lines for a changelog."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from paywright_codegen.diff.changes import Break
from paywright_codegen.diff.claims import Level
from paywright_codegen.diff.verdicts import WHO, Verdict, verdict_of
from paywright_codegen.diff.witness import Witness
from paywright_codegen.documents.files import as_json as indented
from paywright_codegen.documents.files import plain_number

__all__ = ["DiffReport", "as_json", "as_markdown", "as_text", "title"]

_SHOWN: Final = 60
DiffReport = tuple[tuple[Verdict, ...], tuple[Break, ...]]
"""The verdicts, and what Python shows that belongs to no change."""


def _ordered(report: DiffReport) -> list[Verdict]:
    return sorted(report[0], key=lambda one: -one.level)


def title(one: Verdict) -> str:
    """Return a change in a line: whose it is, what it is, and what both sides say."""
    change = one.change
    values = {"added": change.after, "removed": change.before}.get(change.kind, f"{change.before} -> {change.after}")
    if change.kind in ("renamed", "moved"):
        values = change.after
    if change.claim.role == "words":
        values = ""
    return f"{change.subject}: {change.claim.says} {change.kind}{f', {values}' if values.strip() else ''}"


def _document(witness: Witness) -> str:
    return json.dumps(_short(witness.document), ensure_ascii=False, default=plain_number)


def _short(value: object) -> object:
    """Return a document for people: of long texts and lists the beginning, and how long they are."""
    if isinstance(value, dict):
        return {name: _short(one) for name, one in value.items()}
    if isinstance(value, list):
        return [*map(_short, value[:3]), *([f"... {len(value)} elements"] if len(value) > 3 else [])]
    if isinstance(value, str) and len(value) > _SHOWN:
        return f"{value[:8]}... {len(value)} characters"
    return value


def _witness(witness: Witness) -> str:
    takes, refuses = ("old", "new") if witness.effect == "narrowed" else ("new", "old")
    what = f"{witness.message.name}{' headers' if witness.message.headers else ''}"
    return f"{what} ({witness.message.kind}): {takes} takes, {refuses} refuses {witness.pointer} ({witness.code})"


def as_text(report: DiffReport, names: tuple[str, str]) -> list[str]:
    """Return the report as lines."""
    found, apart = _ordered(report), report[1]
    lines = [f"{names[0]} -> {names[1]}: {verdict_of(found, apart)}, {_count(found)}"]
    for one in found:
        cited = f" [{', '.join(one.change.sections)}]" if one.change.sections else ""
        lines += ["", f"{one.level}  {title(one)}{cited}"]
        lines.append(f"  places      {' -> '.join(place or '(none)' for place in one.change.places)}")
        lines.append(f"  on the wire {one.wire}{f': {one.unshown}' if one.unshown else ''}")
        for witness in one.proof.witnesses:
            lines += [f"    can break: {WHO[witness.effect, witness.message.sent]}", f"    {_witness(witness)}"]
            lines.append(f"    {_document(witness)}")
        lines.append(f"  in Python   {one.python}")
        lines += [f"    {each.path}: {each.words}" for each in one.breaks]
        lines.append(f"  in outcome  {one.outcome}")
    if apart:
        lines += ["", "in Python, of no single change:", *(f"  {one.level}  {one.path}: {one.words}" for one in apart)]
    return lines


def _count(found: Sequence[Verdict]) -> str:
    return f"{len(found)} change{'' if len(found) == 1 else 's'}"


def as_json(report: DiffReport, names: tuple[str, str]) -> str:
    """Return the report as JSON."""
    found, apart = _ordered(report), report[1]
    return indented(
        {
            "old": names[0],
            "new": names[1],
            "verdict": str(verdict_of(found, apart)),
            "changes": [_as_object(one) for one in found],
            "python": [_break(one) for one in apart],
        }
    ).rstrip("\n")


def _break(one: Break) -> dict[str, str]:
    return {"path": one.path, "what": one.words, "verdict": str(one.level)}


def _as_object(one: Verdict) -> dict[str, object]:
    change = one.change
    return {
        "subject": change.subject,
        "facet": change.facet,
        "kind": change.kind,
        "old": change.before,
        "new": change.after,
        "sections": list(change.sections),
        "places": dict(zip(("old", "new"), change.places, strict=True)),
        "verdict": str(one.level),
        "wire": {
            "verdict": str(one.wire),
            "not_shown": one.unshown,
            "witnesses": [
                {
                    "effect": each.effect,
                    "message": each.message.name,
                    "kind": each.message.kind,
                    "headers": each.message.headers,
                    "can_break": WHO[each.effect, each.message.sent],
                    "refused": {"pointer": each.pointer, "code": each.code},
                    "document": each.document,
                }
                for each in one.proof.witnesses
            ],
        },
        "python": {"verdict": str(one.python), "differences": [_break(each) for each in one.breaks]},
        "outcome": {"verdict": str(one.outcome)},
    }


def as_markdown(report: DiffReport) -> list[str]:
    """Return lines for a changelog, the heaviest first. Changes of words are counted only."""
    lines = list(_lines(report))
    words = sum(one.level <= Level.PATCH for one in report[0])
    return [*lines, *([f"- {words} more that no program notices: words, questions, places."] if words else [])]


def _lines(report: DiffReport) -> Iterator[str]:
    for one in _ordered(report):
        if one.level > Level.PATCH:
            cited = f" [{', '.join(one.change.sections)}]" if one.change.sections else ""
            who = f" Can break: {'; '.join(dict.fromkeys(one.who))}." if one.who else ""
            yield f"- **{one.level}** `{one.change.subject}`: {title(one).partition(': ')[2]}{cited}.{who}"
    for each in report[1]:
        if each.level > Level.PATCH:
            yield f"- **{each.level}** `{each.path}`: {each.words}."
