"""The facts of the contract's entries, as `spec/coverage.yaml` records them, and whether the specification states them.

    facts:
      Order.outTradeNo: required, string, max 64; ours eg ORD_0001
      limits.refund-window: 180 d; ours [8], [4.13], ?refund-window-start

What stands first is in a statement that the entry covers; the rest is ours. Prose is recorded by its numbers and codes, and by four
digits of the hash of its words. Facts are recorded with the specification at hand, words of prose without it too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from paywright_codegen.documents.statements import Statement
from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.problems import Problem
from paywright_codegen.reader.document import Document, TreeEntry
from paywright_codegen.reader.fields import BUILTINS, FACETS

__all__ = ["FACTS", "FactEntry", "changed_facts", "contradictions", "entries_of", "facts_text", "restated", "reworded"]

FACTS = "facts"
"""Key of `spec/coverage.yaml` under which the facts stand."""

_NAMED_BY_SECTION = ("rules", "moves", "follows", "limits", "versions", "questions")
_FOLDED = ("enums", "states", "moves", "questions")
_CODES = ("refuses", "repeats", "absent", "stale", "echoes")
_NO_FACTS = "nothing"
_FLAGS = ("secret", "pan", "pii", "blank")
_OF_PROSE = re.compile(r"\b(?:[0-9]+(?:[.:][0-9]+)*|[A-Z][A-Z0-9_]{2,})\b")
_WORDS_OF_PROSE = re.compile(r" ~[0-9a-f]{4}\b")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "s": 1, "min": 60, "h": 3600, "d": 86400}
_COUNTS = {"one": 1, "two": 2, "three": 3, "five": 5, "ten": 10, "fifteen": 15, "thirty": 30}
_DURATION = re.compile(rf"\b([0-9]+|{'|'.join(_COUNTS)})[ -](second|minute|hour|day|s|min|h|d)s?\b")
_WORD = re.compile(r"[A-Za-z0-9_.-]*[A-Za-z0-9_]")
_LENGTH = re.compile(r"\b(?:max|at most|exactly|1 to|(?:yes|no),(?! 1 to)) ([0-9]+)\b")
_MEMBERS = re.compile(r"((?:[A-Za-z][\w.-]*, )*[A-Za-z][\w.-]*)`? \(([^()]*)\)")
_NESTED = re.compile(r"\([^()]*\)|\{[^{}]*\}")
_NEED = re.compile(r"(?:(yes|required)|no|optional)(?: \(max [0-9]+\))?")
_ALL = re.compile(r"\b[Aa]ll (?:strings, )?(required|optional)\b")
_BASE = re.compile(r"string|number|boolean|object|array")


@dataclass(frozen=True, slots=True)
class FactEntry:
    """An entry of the contract with its facts, in order. `base` is the JSON type of a field, "" of anything else.

    `places` has the lines of facts that do not stand in the line of the entry.
    """

    name: str
    place: SourcePlace
    facts: tuple[str, ...]
    base: str = ""
    asked: bool = False
    places: Mapping[str, SourcePlace] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Stated:
    """Facts that a statement gives of a field; None where it gives none."""

    base: str | None
    required: bool | None
    length: str | None


def entries_of(documents: Sequence[Document]) -> Sequence[FactEntry]:
    """Return the entries of a contract, by name. A value list is one entry; so are the moves of one, and a question."""
    bases = dict(BUILTINS)
    for document in documents:
        for section in document.block:
            for entry in section.block:
                if section.key.text in ("types", "formats", "enums", "states"):
                    bases[entry.key.name] = "object" if section.key.text == "types" else "string"
    found: list[FactEntry] = []
    for document in documents:
        for section in document.block:
            kind = section.key.text
            for entry in section.block:
                name = f"{kind}.{entry.key.name}" if kind in _NAMED_BY_SECTION else entry.key.name
                if kind in _FOLDED:
                    found.append(_folded(entry, name))
                else:
                    found += _entries(entry, name, bases, is_field=False, fields=kind == "types")
    return sorted(found, key=lambda one: one.name)


def _statements_of(name: str, claimed: Mapping[str, Sequence[Statement]]) -> Sequence[Statement]:
    """Return the statements that an entry, those around it and the values in it cover."""
    around = name.split(".")
    above = [".".join(around[:length]) for length in range(len(around), 0, -1)]
    inner = [other for other in claimed if other.startswith(f"{name}.")]
    return [one for key in (*above, *inner) for one in claimed.get(key, ())]


def facts_text(entry: FactEntry, claimed: Mapping[str, Sequence[Statement]]) -> str:
    """Return the facts of an entry: those that a statement states, and then ours."""
    statements = _statements_of(entry.name, claimed)
    stated = [fact for fact in entry.facts if any(_states(one, entry, fact) for one in statements)]
    ours = [fact for fact in entry.facts if fact not in stated]
    parts = (", ".join(stated), f"ours {', '.join(ours)}" if ours else "")
    return "; ".join(filter(None, parts)) or _NO_FACTS


def changed_facts(recorded: Iterable[TreeEntry], entries: Iterable[FactEntry]) -> Iterator[Problem]:
    """Find each entry whose facts are not those that were recorded, and those that are new or gone."""
    known = {entry.key.text: entry for entry in recorded}
    do = "correct the contract, or record it with `paywright contract coverage SPECIFICATION --write`"
    do_of_words = "record the words with `paywright contract coverage --write`"
    for entry in entries:
        line = known.pop(entry.name, None)
        if line is None:
            yield Problem(entry.place, f"`{entry.name}` is not among the recorded facts", do)
            continue
        now, then = _counted(", ".join(entry.facts)), _counted(line.text)
        if now != then:
            more, less = (", ".join((one - other).elements()) or "nothing" for one, other in ((now, then), (then, now)))
            place = next((entry.places[fact] for fact in now - then if fact in entry.places), entry.place)
            yield Problem(
                place,
                f"`{entry.name}` has `{more}` where {line.place} recorded `{less}`",
                do if reworded(entry, line.text) is None else do_of_words,
            )
    for name, line in known.items():
        yield Problem(line.place, f"`{name}` was recorded, and the contract has no such entry", do)


def reworded(entry: FactEntry, recorded: str) -> str | None:
    """Return the recorded text with the words of prose as they are now; None if more than words changed."""
    now = {_WORDS_OF_PROSE.sub("", fact): fact for fact in _counted(", ".join(entry.facts))}
    then = {_WORDS_OF_PROSE.sub("", fact): fact for fact in _counted(recorded)}
    if now.keys() != then.keys():
        return None
    for fact, was in then.items():
        recorded = recorded.replace(was, now[fact])
    return recorded


def restated(
    recorded: Iterable[TreeEntry], entries: Iterable[FactEntry], claimed: Mapping[str, Sequence[Statement]]
) -> Iterator[Problem]:
    """Find each recorded line that is divided otherwise: a fact that is ours by the record is stated, or the other way round."""
    known = {entry.key.text: entry for entry in recorded}
    for entry in entries:
        line, text = known.get(entry.name), facts_text(entry, claimed)
        if line is not None and line.text != text and _counted(line.text) == _counted(text):
            what = f"`{entry.name}` is recorded as `{line.text}`, and by the specification it is `{text}`"
            yield Problem(line.place, what, "look at it, then record it with `--write`")


def contradictions(
    recorded: Iterable[TreeEntry], entries: Iterable[FactEntry], claimed: Mapping[str, Sequence[Statement]]
) -> Iterator[Problem]:
    """Find each fact that was recorded as stated, is stated still, and gone from the contract; and each field that is not what its row says.

    A new question excuses an entry. One that was recorded excuses what was recorded with it.
    """
    known = {entry.key.text: entry.text for entry in recorded}
    for entry in entries:
        text = known.get(entry.name, "")
        now, then = _counted(", ".join(entry.facts)), _counted(text)
        if any(fact[0] == "?" for fact in now - then):
            continue
        statements = _statements_of(entry.name, claimed)
        lost = list(_lost(entry, "" if text.startswith("ours ") else text.split("; ours ")[0], now))
        gone = [(one, fact) for fact in lost for one in statements if _states(one, entry, fact)][:1]
        for one, fact in gone:
            yield _contradiction(entry, one, ", ".join(now - then) or "nothing", fact)
        if gone or not entry.base or (entry.asked and now == then):
            continue
        lengths = [fact for fact in entry.facts if fact.split()[0] in ("max", "exactly")]
        for one in statements:
            stated = _stated_of(one, entry.name.rpartition(".")[2])
            if stated is None:
                continue
            if stated.base is not None and stated.base != entry.base:
                yield _contradiction(entry, one, entry.base, stated.base)
            if stated.required is not None and stated.required != (entry.facts[0] == "required"):
                yield _contradiction(entry, one, entry.facts[0], "required" if stated.required else "optional")
            if stated.length is not None and stated.length not in [fact.split()[1] for fact in lengths]:
                yield _contradiction(entry, one, ", ".join(lengths) or "no max", f"max {stated.length}")


def _contradiction(entry: FactEntry, one: Statement, ours: str, theirs: str) -> Problem:
    what = (
        f"`{entry.name}` has `{ours}`, and statement {one.place} of the specification (line {one.line}) says `{theirs}`"
    )
    return Problem(
        entry.place, what, "correct the contract, or add a `?question` if the specification contradicts itself"
    )


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
    prose = _of_prose(entry)
    asked = any(fact.startswith("?") for fact in facts)
    if facts or prose or not entry.block.entries:
        yield FactEntry(name, entry.place, (*facts, *prose), base, asked)
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
    places: dict[str, SourcePlace] = {}
    for inner in entry.block:
        questions = [word for word in inner.text.split() if word.startswith("?")]
        prose = _marks(" ".join((inner.text, *inner.comments)))
        places[" ".join((inner.key.text, *questions, *prose))] = inner.place
    facts = (*_of_key(entry), *entry.text.split(), *places, *_of_prose(entry))
    return FactEntry(name, entry.place, facts, places=places)


def _of_prose(entry: TreeEntry) -> Sequence[str]:
    marks = _marks(" ".join(entry.comments))
    return [f"prose {' '.join(marks)}"] if marks else []


def _marks(text: str) -> Sequence[str]:
    """Return the numbers and codes of a text, and the mark of its words; nothing if it is empty."""
    words = " ".join(text.split())
    return [*_OF_PROSE.findall(words), f"~{sha256(words.encode()).hexdigest()[:4]}"] if words else []


def _counted(facts: str) -> Counter[str]:
    return Counter(part for part in re.split(r", |; ours |^ours ", facts) if part not in ("", _NO_FACTS))


def _lost(entry: FactEntry, stated: str, now: Counter[str]) -> Iterator[str]:
    """Yield the facts that an entry had, and has no more; of a value in a list only its name counts."""
    kept = {fact.split()[0] for fact in now} if entry.places else ()
    yield from (fact for fact in _counted(stated) - now if fact.split()[0] not in kept)


def _states(one: Statement, entry: FactEntry, fact: str) -> bool:
    """Return whether a statement has a fact: the field in its row or list, the words in its text, or a time of that length."""
    stated = _stated_of(one, entry.name.rpartition(".")[2]) if entry.base else None
    if fact in ("required", "optional"):
        every = _ALL.search(one.text)
        return (every is not None and every[1] == fact) or (
            stated is not None and stated.required == (fact == "required")
        )
    if fact[0] in "[?" or fact.startswith("prose ") or fact in _FLAGS:
        return False
    if entry.places:
        return fact.split()[0] in {*_WORD.findall(one.text)} - {"none", "any"}
    if entry.base and fact == entry.facts[1]:
        return f"{entry.base}s" in one.text or (stated is not None and stated.base == entry.base)
    if stated is not None and stated.length is not None and fact.startswith(("max ", "exactly ")):
        return stated.length == fact.split()[1]
    times = _times(fact)
    if times:
        return times <= _times(one.text)
    words = [word for word in _WORD.findall(fact.replace("..", " ")) if word not in FACETS]
    return bool(words) and set(words) <= set(_WORD.findall(one.text))


def _times(text: str) -> set[int]:
    return {
        (_COUNTS[count] if count in _COUNTS else int(count)) * _SECONDS[unit] for count, unit in _DURATION.findall(text)
    }


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
    return _Stated(found and found[0], need and need[1] is not None, long and long[1])
