"""Read guards: requests that the client refuses to send although the specification allows them.

Received messages are not checked by guards. A guard is one sentence, its demands joined by `and`:

    f above 0 | f not below 0

`a.b` is b inside a, and `a{b c}` is a.b and a.c. An absent member meets both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from paywright_codegen.model.operations import Guard, GuardDemand, GuardKind
from paywright_codegen.problems import Problem
from paywright_codegen.reader.document import TreeEntry, bare_citations, prose_of
from paywright_codegen.reader.rules import spread
from paywright_codegen.reader.small_sections import without_questions

__all__ = ["parse_guard"]

_DEMANDS: tuple[tuple[GuardKind, re.Pattern[str]], ...] = (
    ("above", re.compile(r"(?P<f>.+) above 0")),
    ("not below", re.compile(r"(?P<f>.+) not below 0")),
)
_FORMS = "`f above 0` or `f not below 0`, joined by `and`"


def parse_guard(entry: TreeEntry, sections: Sequence[str], problems: list[Problem]) -> Guard:
    """Return the guard of an entry. An unreadable sentence is a problem, and becomes a guard without demands."""
    key = entry.key
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
        return [GuardDemand(kind, path) for path in spread(match["f"])]
    return []
