"""Guards: what the client refuses to send although the specification does not say so. Other people's messages are not judged by them.

A guard is one sentence, its demands joined by `and`:

    f above 0 | f not below 0

`a.b` is b inside a, and `a{b c}` is a.b and a.c. A member that is absent meets both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from paywright_codegen.marked import Entry, bare_citations, prose_of, split_key
from paywright_codegen.model import Contract, Field, Guard, GuardDemand, GuardKind, Operation, Path
from paywright_codegen.parts import without_questions
from paywright_codegen.problems import Problem

__all__ = ["lint_guards", "parse_guard"]

_PATH = r"[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z][A-Za-z0-9_-]*)*"
_GROUP = re.compile(rf"(?P<head>{_PATH})(?:\{{(?P<tails>[^{{}}]+)\}})?")
_DEMANDS: tuple[tuple[GuardKind, re.Pattern[str]], ...] = (
    ("above", re.compile(r"(?P<f>.+) above 0")),
    ("not below", re.compile(r"(?P<f>.+) not below 0")),
)
_FORMS = "`f above 0` or `f not below 0`, joined by `and`"


def parse_guard(entry: Entry, sections: Sequence[str], problems: list[Problem]) -> Guard:
    """The guard of an entry. A sentence that cannot be read is a problem, and a guard without demands."""
    key = split_key(entry.key.text)
    text, questions = without_questions(" ".join(entry.text.split()))
    demands: list[GuardDemand] = []
    for part in text.split(" and "):
        found = _demand(part)
        if not found:
            problems.append(Problem(entry.place, f"guard `{key.name}`: `{part}` is no demand", f"write {_FORMS}"))
        demands += found
    return Guard(
        place=entry.place,
        prose=prose_of(entry),
        sections=tuple(dict.fromkeys((*(key.sections or sections), *bare_citations(entry)))),
        questions=(*key.questions, *questions),
        id=key.name,
        text=text,
        demands=tuple(demands),
    )


def _demand(text: str) -> list[GuardDemand]:
    for kind, form in _DEMANDS:
        match = form.fullmatch(text)
        if match is None:
            continue
        group = _GROUP.fullmatch(match["f"])
        if group is None:
            return []
        tails = (group["tails"] or "").split()
        return [
            GuardDemand(kind, _path(f"{group['head']}.{tail}" if tail else group["head"])) for tail in tails or [""]
        ]
    return []


def _path(text: str) -> Path:
    return tuple(text.split("."))


def lint_guards(contract: Contract) -> Iterator[Problem]:
    """Whether what guards speak of exists, and can be compared as they say."""
    for operation in contract.operations.values():
        rules = {rule.id for rule in (operation.asks.data or operation.asks.root).rules}
        for guard in operation.guards:
            if guard.id in rules:
                what = f"guard `{guard.id}` is called like one of the rules of `{operation.name}`"
                yield Problem(guard.place, what, "give it a name of its own: names are error codes")
            for demand in guard.demands:
                for what, do in _complaints(contract, operation, demand):
                    yield Problem(guard.place, f"guard `{guard.id}`: {what}", do)


def _complaints(contract: Contract, operation: Operation, demand: GuardDemand) -> Iterator[tuple[str, str]]:
    said, field = ".".join(demand.path), _field(contract, operation, demand.path)
    if field is None:
        yield f"`{said}` is no field of the request", "name a field that stands in no array"
    elif not _amount(contract, field):
        yield f"`{said}` is no number and no amount", "name one that is"


def _amount(contract: Contract, field: Field) -> bool:
    chosen = contract.formats.get(field.type.name) if field.type.kind == "format" else None
    return not field.type.array and (field.type.name == "number" or (chosen is not None and chosen.python == "Decimal"))


def _field(contract: Contract, operation: Operation, path: Path) -> Field | None:
    """The field at a path of the operation's own request, objects only."""
    struct = operation.asks.data or operation.asks.root
    field: Field | None = None
    for i, wire in enumerate(path):
        field = struct.field(wire)
        if field is None or i + 1 == len(path):
            return field
        inner = contract.structs.get(field.type.name)
        if inner is None or field.type.array:
            return None
        struct = inner
    return field
