"""Read a line of the contract, `name!: type facets ?question`, as a Field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.types import Field, Redaction, TypeKind, TypeRef
from paywright_codegen.problems import Problem, meant
from paywright_codegen.reader.document import TreeEntry, bare_citations, prose_of
from paywright_codegen.reader.grammar import EXCLUDED, FACETS, REDACTIONS

BUILTINS: Mapping[str, TypeKind] = {"string": "string", "number": "number", "boolean": "boolean", "object": "object"}
_NO_TYPES = (
    ("(?i:int|integer|int32|int64|long|short)", "the language has no integers", "write `number`, or `string` with a range"),
    ("(?i:float|double|decimal)", "numbers are decimal as JSON writes them", "write `number`, or a format of decimal text"),
    ("(?i:map|dict|record|hash)\\b.*", "the language has no maps", "write `object`, whose members nobody judges"),
    (".+[|].+", "the language has no unions", "write `object`, or a field for each of the types"),
    ("(?i:null|none|nil|any)", "each field has one type, and null means the same as absent", "write its type, without `!`"),
    (r".+\[\].*", "the language has no arrays of arrays", "write an array of a type that has the inner one"),
)  # fmt: skip
"""Types of other languages: what ours does not say, and what to write."""


def parse_field(
    entry: TreeEntry, kinds: Mapping[str, TypeKind], sections: Sequence[str], problems: list[Problem]
) -> Field:
    """Return the field of an entry.

    `sections` are those of its struct or operation, `kinds` the named types. What cannot be understood is left out of
    the field and added to `problems`.
    """
    key = entry.key
    words = _before_comment(entry, problems)
    said, questions = _facets(words[1:], entry.place, problems)
    own = (*key.sections, *bare_citations(entry), *sections)

    def one(facet: str) -> str | None:
        return next(iter(said.get(facet, ())), None)

    def count(facet: str) -> int | None:
        return int(said[facet][0]) if facet in said else None

    return Field(
        place=entry.place,
        prose=prose_of(entry),
        sections=tuple(dict.fromkeys(own)),
        questions=(*key.questions, *questions),
        wire=key.name,
        type=_type(words[0] if words else "", kinds, entry.place, problems),
        required=key.required,
        min=count("min") if "min" in said else count("exactly"),
        max=count("max") if "max" in said else count("exactly"),
        range=cast("tuple[int, int]", tuple(map(int, said["range"]))) if "range" in said else None,
        values=said.get("is", said.get("in", ())),
        fixed="is" in said,
        sends=one("sends"),
        source=one("from"),
        examples=said.get("eg", ()),
        default=one("default"),
        blank="blank" in said,
        also=one("also"),
        redaction=cast(Redaction | None, next((flag for flag in said if flag in REDACTIONS), None)),
    )


def _before_comment(entry: TreeEntry, problems: list[Problem]) -> list[str]:
    """Return the words of a field up to one that runs into a comment, as in `max 3# prose`, which is a problem."""
    words = entry.text.split()
    for at, word in enumerate(words):
        if word.endswith("#") and len(word) > 1:
            do = "write a space before the `#` of a comment"
            problems.append(Problem(entry.place, f"`{word}` ends in `#`", do))
            return [*words[:at], word[:-1]]
    return words


def _type(word: str, kinds: Mapping[str, TypeKind], place: SourcePlace, problems: list[Problem]) -> TypeRef:
    array = word.endswith("[]")
    name = word[:-2] if array else word
    kind = BUILTINS.get(name) or kinds.get(name)
    if kind is None:
        do = "write string, number, boolean, object, or a format or type that the contract defines"
        for pattern, why, advice in _NO_TYPES:
            if re.fullmatch(pattern, name):
                problems.append(Problem(place, f"no type is called `{name}`: {why}", advice))
                return TypeRef("object", "object", array)
        if name.endswith("!"):
            do = "write `!` behind the name of the field: `name!:`"
        problems.append(Problem(place, f"no type is called `{name}`", f"{meant(name, (*BUILTINS, *kinds))}{do}"))
        return TypeRef("object", "object", array)
    return TypeRef(kind, name, array)


def _facets(
    words: Sequence[str], place: SourcePlace, problems: list[Problem]
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Return what stands behind each facet, and the questions."""
    said: dict[str, tuple[str, ...]] = {}
    questions: list[str] = []

    def refuse(what: str, do: str) -> None:
        problems.append(Problem(place, what, do))

    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.startswith("?") and len(word) > 1:
            questions.append(word[1:])
            continue
        if word not in FACETS:
            do = f"{meant(word, sorted(FACETS))}write one of the facets: {', '.join(FACETS)} and ?question"
            refuse(
                f"`{word}` is no facet", do if word != "[]" else "write it behind the type, without a space: `string[]`"
            )
            continue
        if word in said:
            refuse(f"`{word}` stands twice", "write each facet once")
        if word in REDACTIONS and any(flag in said for flag in REDACTIONS):
            refuse("more than one of secret, pan and pii", "keep the strictest")
        kind = FACETS[word]
        most = len(rest) if kind == "values" else 1 if kind else 0
        values: list[str] = []
        while rest and len(values) < most and rest[0] not in FACETS and not rest[0].startswith("?"):
            values.append(rest.pop(0))
        found = _judged(word, kind, values, refuse)
        if found is not None:
            said[word] = found
    for one, other in EXCLUDED:
        if one in said and other in said:
            refuse(f"`{one}` and `{other}` exclude one another", "keep one of them")
    return said, questions


def _judged(facet: str, kind: str, values: Sequence[str], refuse: Callable[[str, str], None]) -> tuple[str, ...] | None:
    """Return what stands behind a facet; None if it cannot."""
    if kind and not values:
        refuse(f"`{facet}` has no value", f"write `{facet}` and its value")
        return None
    if kind == "count" and not _is_count(values[0]):
        refuse(f"`{facet} {values[0]}` is no count", "write a whole number such as 64")
        return None
    if kind == "range":
        ends = values[0].split("..")
        if len(ends) == 2 and all(map(_is_count, ends)):
            return tuple(ends)
        refuse(f"`range {values[0]}` is no range", "write it like 1800..86400")
        return None
    if kind == "values" and len(set(values)) < len(values):
        refuse(f"`{facet}` names a value twice", "name each once")
    for value in values if kind == "values" else ():
        if value.strip("\"',") != value or "|" in value:
            refuse(
                f"`{value}` has a sign that is not a part of a value", "write values apart by spaces, without quotes"
            )
    return tuple(values)


def _is_count(text: str) -> bool:
    """Return whether a text is a count of at most nine digits."""
    return text.isascii() and text.isdecimal() and len(text) <= 9
