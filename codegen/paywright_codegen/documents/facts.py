"""The facts of the contract's entries, and where statements of the specification say otherwise.

A fact is a facet, a value, a code or a citation. Of a field, its row or the parentheses behind its name say type, length and whether it
is required; of a list, the values; of a limit, the time. All else is for people to compare: the digest of an entry, prose included, tells
when it has changed since.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from paywright_codegen.documents.statements import Statement
from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.problems import Problem
from paywright_codegen.reader.document import Document, TreeEntry
from paywright_codegen.reader.grammar import FACETS
from paywright_codegen.reader.structs import BUILTINS

_NAMED_BY_SECTION = ("rules", "moves", "follows", "limits", "questions")
_FOLDED = ("enums", "states", "moves", "questions")
_CODES = ("refuses", "repeats", "absent", "stale", "echoes")
_FLAGS = ("secret", "pan", "pii", "blank")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "s": 1, "min": 60, "h": 3600, "d": 86400}
_COUNTS = {"one": 1, "two": 2, "three": 3, "five": 5, "ten": 10, "fifteen": 15, "thirty": 30}
_DURATION = re.compile(rf"\b([0-9]+|{'|'.join(_COUNTS)})[ -](second|minute|hour|day|s|min|h|d)s?\b")
_WORD = re.compile(r"[A-Za-z0-9_.-]*[A-Za-z0-9_]")
_LENGTH = re.compile(r"\b(?:max|at most|exactly|1 to|(?:yes|no),(?! 1 to)) ([0-9]+)\b")
_MEMBERS = re.compile(r"((?:[A-Za-z][\w.-]*, )*[A-Za-z][\w.-]*)`? \(([^()]*)\)")
_NESTED = re.compile(r"\([^()]*\)|\{[^{}]*\}")
_NEED = re.compile(r"(?:(yes|required)|no|optional)(?: \(max [0-9]+\))?")
_NO_VALUES = ("...", "none", "any")
_SHAPES = [re.compile(shape) for shape in ("[A-Z][A-Z0-9_]*", "[A-Z][a-z]+", "[0-9]{2}")]
_CLAUSE = re.compile(r"[;:.|()`=]")
_ITEM = re.compile(r",? (?:or|and) |, ?|/")
_BASE = re.compile(r"string|number|boolean|object|array")


@dataclass(frozen=True, slots=True)
class FactEntry:
    """An entry of the contract with its facts, in order. `base` is the JSON type of a field, "" of anything else.

    `prose` are its words, `values` those of a list with their places; `asked` says that a `?question` stands there, `is_heading` that
    nothing does but the entries under it.
    """

    name: str
    place: SourcePlace
    facts: tuple[str, ...]
    base: str = ""
    prose: str = ""
    asked: bool = False
    values: Mapping[str, SourcePlace] = field(default_factory=dict)
    is_heading: bool = False

    @property
    def digest(self) -> str:
        """The first four digits of the hash of its facts and words."""
        return sha256(", ".join((*self.facts, self.prose)).encode()).hexdigest()[:4]


_Stated = tuple[str | None, bool | None, str | None]
"""Type, need and length that a statement gives of a field; None where it gives none."""


def entries_of(documents: Sequence[Document]) -> Sequence[FactEntry]:
    """Return the entries of a contract, by name. A value list is one entry; so are the moves of one, and a question."""
    every = [(section.key.text, entry) for one in documents for section in one.block for entry in section.block]
    json = {"types": "object", "formats": "string", "enums": "string", "states": "string"}
    bases = {**BUILTINS, **{entry.key.name: json[kind] for kind, entry in every if kind in json}}
    found: list[FactEntry] = []
    for kind, entry in every:
        name = f"{kind}.{entry.key.name}" if kind in _NAMED_BY_SECTION else entry.key.name
        if kind in _FOLDED:
            found.append(_folded(entry, name))
        else:
            found += _entries(entry, name, bases, is_field=False, fields=kind == "types")
    return sorted(found, key=lambda one: one.name)


def contradictions(entries: Iterable[FactEntry], claimed: Mapping[str, Sequence[Statement]]) -> Iterator[Problem]:
    """Find what statements say otherwise than the entries that they cover. A `?question` excuses its entry."""
    for entry in entries:
        if entry.asked:
            continue
        around = entry.name.split(".")
        above = [".".join(around[:length]) for length in range(len(around), 0, -1)]
        inside = (name for name in claimed if name.startswith(f"{entry.name}."))
        own = [one for name in (entry.name, *inside) for one in claimed.get(name, ())]
        yield from _field(entry, [one for name in above for one in claimed.get(name, ())])
        yield from _values(entry, own)
        yield from _durations(entry, own)


def _field(entry: FactEntry, statements: Iterable[Statement]) -> Iterator[Problem]:
    """Compare type, length and need of a field with its row, or with the parentheses behind its name."""
    if not entry.base:
        return
    lengths = [fact for fact in entry.facts if fact.split()[0] in ("max", "exactly")]
    for one in statements:
        stated = _stated_of(one, entry.name.rpartition(".")[2])
        base, required, length = stated or (None, None, None)
        if base is not None and base != entry.base:
            yield _contradiction(entry, one, entry.base, base)
        if required is not None and required != (entry.facts[0] == "required"):
            yield _contradiction(entry, one, entry.facts[0], "required" if required else "optional")
        if length is not None and length not in [fact.split()[1] for fact in lengths]:
            yield _contradiction(entry, one, ", ".join(lengths) or "no max", f"max {length}")


def _values(entry: FactEntry, statements: Sequence[Statement]) -> Iterator[Problem]:
    """Compare a list of values with the lists in the statements that name two of them or more."""
    values = dict(entry.values) or {fact[3:]: entry.place for fact in entry.facts if fact.startswith("in ")}
    values = {value: place for value, place in values.items() if value not in _NO_VALUES}
    shape = next((shape for shape in _SHAPES if values and all(map(shape.fullmatch, values))), None)
    lists = [(one, run) for one in statements for run in _listed(one.text) if len(set(run) & set(values)) > 1]
    if shape is None or not lists:
        return
    for one, run in lists:
        for word in run:
            if word not in values and shape.fullmatch(word):
                yield _contradiction(entry, one, f"no {word}", word)
    stated = {word for one in statements for word in _WORD.findall(one.text)}
    for value, place in values.items():
        if value not in stated:
            yield _contradiction(entry, lists[0][0], value, f"nothing of {value}", place)


def _listed(text: str) -> Iterator[list[str]]:
    """Yield the words of each list in a text: `SUCCESS, FAILED or PENDING`. Its first item ends in a word of it, its last begins with one."""
    for clause in _CLAUSE.split(text):
        items = [item.split() for item in _ITEM.split(clause) if item.strip()]
        if len(items) > 1:
            yield [items[0][-1], *(item[0] for item in items[1:])]


def _durations(entry: FactEntry, statements: Sequence[Statement]) -> Iterator[Problem]:
    """Compare the times of an entry with those of its statements, if they have any."""
    own = _times(entry.facts[0] if entry.facts else "")
    stated = {time for one in statements for time in _times(one.text)}
    if own and stated and not own <= stated:
        one = next(one for one in statements if _times(one.text))
        yield _contradiction(entry, one, entry.facts[0], f"{min(_times(one.text))} s")


def _contradiction(
    entry: FactEntry, one: Statement, ours: str, theirs: str, place: SourcePlace | None = None
) -> Problem:
    what = f"`{entry.name}` has `{ours}`, and {one.place} of the specification (line {one.line}) says `{theirs}`"
    do = "correct the contract, or add a `?question` if the specification contradicts itself"
    return Problem(place or entry.place, what, do)


def _entries(
    entry: TreeEntry, name: str, bases: Mapping[str, str], *, is_field: bool, fields: bool
) -> Iterator[FactEntry]:
    words = entry.text.split()
    facts: list[str] = []
    base = ""
    if is_field and words and words != ["none"]:
        base = "array" if words[0].endswith("[]") else bases.get(words[0], "")
        facts = ["required" if entry.key.required else "optional", *_facets(words)]
    else:
        facts = ["required"] if entry.key.required else []
        facts += words if entry.key.name in _CODES else [" ".join(words)] if words else []
    facts += _of_key(entry)
    prose = " ".join(entry.comments)
    asked = any(word.startswith("?") for word in (*words, *facts))
    is_heading = not (facts or prose) and bool(entry.block.entries)
    yield FactEntry(name, entry.place, tuple(facts), base, prose, asked, is_heading=is_heading)
    for inner in entry.block:
        opens = inner.key.name.split()[-1] in ("request", "response", "headers")
        yield from _entries(inner, f"{name}.{inner.key.name}", bases, is_field=fields, fields=opens)


def _facets(words: Sequence[str]) -> Iterator[str]:
    """Yield the facts of a field's text: each facet with its argument, each value of a list with the name of the list."""
    facet = ""
    for word in words:
        if word in _FLAGS or word.startswith("?"):
            yield word
        elif word in FACETS:
            facet = word
        else:
            yield f"{facet} {word}".strip()


def _of_key(entry: TreeEntry) -> Sequence[str]:
    key = entry.key
    parent = [f"from {key.parent}"] if key.parent else []
    return [*parent, *(f"[{section}]" for section in key.sections), *(f"?{question}" for question in key.questions)]


def _folded(entry: TreeEntry, name: str) -> FactEntry:
    """Return an entry that has the facts of those under it, one each."""
    values = {inner.key.name.split()[0]: inner.place for inner in entry.block}
    inside = [f"{inner.key.text} {inner.text}".strip() for inner in entry.block]
    facts = (*_of_key(entry), *entry.text.split(), *inside)
    prose = " ".join(line for one in (entry, *entry.block) for line in one.comments)
    asked = any(fact.startswith("?") for fact in (*_of_key(entry), *entry.text.split()))
    return FactEntry(name, entry.place, facts, prose=prose, asked=asked, values=values)


def _times(text: str) -> set[int]:
    found = _DURATION.findall(text)
    return {(_COUNTS[count] if count in _COUNTS else int(count)) * _SECONDS[unit] for count, unit in found}


def _stated_of(one: Statement, field: str) -> _Stated | None:
    """Return what a statement says of a field: in its own row, or in parentheses behind its name; None if it says nothing."""
    cells = dict(zip(one.columns, one.cells, strict=False))
    if cells and field in [name.rpartition(".")[2] for name in one.cells[0].split(", ")]:
        need = next((cells[title] for title in ("Req", "Required") if title in cells), "")
        return _said(cells.get("Type", ""), [need], _NESTED.sub("", one.cells[-1]))
    for names, said in _MEMBERS.findall(one.text):
        every = names.split(", ")
        if field in (every if "each" in said or said.startswith("strings") else every[-1:]):
            return _said(said, re.split("[,;:] ?", said), said)
    return None


def _said(base: str, needs: Iterable[str], length: str) -> _Stated:
    found, long = _BASE.match(base), _LENGTH.search(length)
    need = next((match for match in map(_NEED.fullmatch, needs) if match is not None), None)
    return found and found[0], need and need[1] is not None, long and long[1]
