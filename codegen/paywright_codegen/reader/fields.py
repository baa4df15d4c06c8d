"""Read a line of the contract, `name!: type facets ?question`, as a Field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.types import Field, Redaction, TypeKind, TypeRef
from paywright_codegen.problems import Problem, meant
from paywright_codegen.reader.document import TreeEntry, bare_citations, prose_of

BUILTINS: Mapping[str, TypeKind] = {"string": "string", "number": "number", "boolean": "boolean", "object": "object"}
REDACTIONS = ("secret", "pan", "pii")
_NO_TYPES = (
    (
        "(?i:int|integer|int32|int64|long|short)",
        ("the language has no integers", "write `number`, or `string` with a range"),
    ),
    (
        "(?i:float|double|decimal)",
        ("numbers are decimal as JSON writes them", "write `number`, or a format of decimal text"),
    ),
    ("(?i:map|dict|record|hash)\\b.*", ("the language has no maps", "write `object`, whose members nobody judges")),
    (".+[|].+", ("the language has no unions", "write `object`, or a field for each of the types")),
    (
        "(?i:null|none|nil|any)",
        ("each field has one type, and null means the same as absent", "write its type, without `!`"),
    ),
    (r".+\[\].*", ("the language has no arrays of arrays", "write an array of a type that has the inner one")),
)
"""Types of other languages: what ours does not say, and what to write."""

_COUNTED = ("min", "max", "exactly")
_LISTED = ("in", "eg")
_SINGLE = ("is", "sends", "from", "default", "also")
FACETS = frozenset({*_COUNTED, *_LISTED, *_SINGLE, *REDACTIONS, "range", "blank"})
_FACETS_SAID = "min, max, exactly, range, in, is, eg, sends, from, default, blank, also, secret, pan, pii and ?question"
_EXCLUDED = (("is", "in"), ("is", "eg"), ("in", "eg"), ("exactly", "max"), ("exactly", "min"))


@dataclass(slots=True)
class _Facets:
    """The facets after the type."""

    counts: dict[str, int] = field(default_factory=dict)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    single: dict[str, str] = field(default_factory=dict)
    range: tuple[int, int] | None = None
    flags: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [*self.counts, *self.lists, *self.single, *self.flags, *(["range"] if self.range else [])]


def parse_field(
    entry: TreeEntry, kinds: Mapping[str, TypeKind], sections: Sequence[str], problems: list[Problem]
) -> Field:
    """Return the field of an entry.

    `sections` are those of its struct or operation, `kinds` the named types. What cannot be understood is left out of
    the field and added to `problems`.
    """
    key = entry.key
    words = _before_comment(entry, problems)
    facets = _facets(words[1:], entry.place, problems)
    own = (*key.sections, *bare_citations(entry), *sections)
    redactions = [flag for flag in facets.flags if flag in REDACTIONS]
    exact = facets.counts.get("exactly")
    fixed = facets.single.get("is")
    return Field(
        place=entry.place,
        prose=prose_of(entry),
        sections=tuple(dict.fromkeys(own)),
        questions=(*key.questions, *facets.questions),
        wire=key.name,
        type=_type(words[0] if words else "", kinds, entry.place, problems),
        required=key.required,
        min=facets.counts.get("min", exact),
        max=facets.counts.get("max", exact),
        range=facets.range,
        values=facets.lists.get("in", ()) if fixed is None else (fixed,),
        fixed=fixed is not None,
        sends=facets.single.get("sends"),
        source=facets.single.get("from"),
        examples=facets.lists.get("eg", ()),
        default=facets.single.get("default"),
        blank="blank" in facets.flags,
        also=facets.single.get("also"),
        redaction=cast(Redaction, redactions[0]) if redactions else None,
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
        for pattern, advice in _NO_TYPES:
            if re.fullmatch(pattern, name):
                problems.append(Problem(place, f"no type is called `{name}`: {advice[0]}", advice[1]))
                return TypeRef("object", "object", array)
        if name.endswith("!"):
            do = "write `!` behind the name of the field: `name!:`"
        problems.append(Problem(place, f"no type is called `{name}`", f"{meant(name, (*BUILTINS, *kinds))}{do}"))
        return TypeRef("object", "object", array)
    return TypeRef(kind, name, array)


def _facets(words: Sequence[str], place: SourcePlace, problems: list[Problem]) -> _Facets:
    facets = _Facets()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.startswith("?") and len(word) > 1:
            facets.questions.append(word[1:])
            continue
        if word not in FACETS:
            do = f"{meant(word, sorted(FACETS))}write one of the facets: {_FACETS_SAID}"
            if word == "[]":
                do = "write it behind the type, without a space: `string[]`"
            problems.append(Problem(place, f"`{word}` is no facet", do))
            continue
        if word in facets.names:
            problems.append(Problem(place, f"`{word}` stands twice", "write each facet once"))
        if word in REDACTIONS and any(flag in REDACTIONS for flag in facets.flags):
            problems.append(Problem(place, "more than one of secret, pan and pii", "keep the strictest"))
        _take(word, rest, facets, place, problems)
    for one, other in _EXCLUDED:
        if one in facets.names and other in facets.names:
            problems.append(Problem(place, f"`{one}` and `{other}` exclude one another", "keep one of them"))
    return facets


def _take(word: str, rest: list[str], facets: _Facets, place: SourcePlace, problems: list[Problem]) -> None:
    """Move the values of the facet `word` from `rest` to `facets`."""
    if word in REDACTIONS or word == "blank":
        facets.flags.append(word)
        return
    values: list[str] = []
    most = len(rest) if word in _LISTED else 1
    while rest and len(values) < most and rest[0] not in FACETS and not rest[0].startswith("?"):
        values.append(rest.pop(0))
    if not values:
        problems.append(Problem(place, f"`{word}` has no value", f"write `{word}` and its value"))
    elif word in _COUNTED:
        number = _number(values[0])
        if number is None:
            problems.append(Problem(place, f"`{word} {values[0]}` is no count", "write a whole number such as 64"))
        else:
            facets.counts[word] = number
    elif word == "range":
        low, dots, high = values[0].partition("..")
        first, last = _number(low), _number(high)
        if not dots or first is None or last is None:
            problems.append(Problem(place, f"`range {values[0]}` is no range", "write it like 1800..86400"))
        else:
            facets.range = (first, last)
    elif word in _LISTED:
        facets.lists[word] = tuple(values)
        if len(set(values)) < len(values):
            problems.append(Problem(place, f"`{word}` names a value twice", "name each once"))
        for value in values:
            if value.strip("\"',") != value or "|" in value:
                do = "write values apart by spaces, without quotes"
                problems.append(Problem(place, f"`{value}` has a sign that is not a part of a value", do))
    else:
        facets.single[word] = values[0]


def _number(text: str) -> int | None:
    """Return a count of at most nine digits, or None."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 9 else None
