"""Read types as structs: fields, each a line `name!: type facets ?question`, what `B from A` changes, and the rules of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import cast

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.rules import AnyIs, Condition, Demand, IsGiven, Need, OneOf, Rule, paths_of
from paywright_codegen.model.types import Field, Redaction, Struct, TypeKind, TypeRef
from paywright_codegen.problems import ContractProblems, Problem, meant
from paywright_codegen.reader.document import TreeBlock, TreeEntry, bare_citations, prose_of
from paywright_codegen.reader.grammar import EXCLUDED, FACETS, REDACTIONS
from paywright_codegen.reader.rules import parse_rule

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
            do = "write it behind the type, without a space: `string[]`" if word == "[]" else do
            refuse(f"`{word}` is no facet", do)
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
            what = f"`{value}` has a sign that is not a part of a value"
            refuse(what, "write values apart by spaces, without quotes")
    return tuple(values)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 9


_MOST_FIELDS = 100_000  # of all types: whatever comes from another has its fields too


def changed(
    base: Sequence[Field],
    block: Iterable[TreeEntry],
    kinds: Mapping[str, TypeKind],
    sections: Sequence[str],
    problems: list[Problem],
) -> tuple[Field, ...]:
    """Return the fields of `base`, replaced or extended by those of a block. `name: none` removes one."""
    fields = {field.wire: field for field in base}
    for entry in block:
        wire = entry.key.name
        if entry.text != "none":
            fields[wire] = parse_field(entry, kinds, sections, problems)
        elif fields.pop(wire, None) is None:
            do = f"{meant(wire, fields)}remove the line, or name a field above"
            problems.append(Problem(entry.place, f"there is no `{wire}` to drop", do))
    return tuple(fields.values())


def joined(base: Sequence[Field], more: Sequence[Field]) -> tuple[Field, ...]:
    """Return both in order. A later field replaces an earlier one with the same name."""
    return tuple({field.wire: field for field in (*base, *more)}.values())


def parse_rules(block: Iterable[TreeEntry], sections: Sequence[str], problems: list[Problem]) -> tuple[Rule, ...]:
    """Return the rules of a block."""
    return tuple(parse_rule(entry, sections, problems) for entry in block)


def with_rules(rules: Sequence[Rule], more: Sequence[Rule], problems: list[Problem]) -> tuple[Rule, ...]:
    """Return both in order. Two rules with the same id are a problem, because ids are the codes of violations."""
    named = {rule.id: rule for rule in rules}
    for rule in more:
        other = named.setdefault(rule.id, rule)
        if other is not rule:
            problems.append(Problem(rule.place, f"`{rule.id}` is also a rule in {other.place}", "give it another id"))
    return tuple(named.values())


def _says_nothing(rule: Rule, dropped: Set[str]) -> bool:
    """Return whether any object without the dropped members keeps a rule: it never applies, or has no other demand."""
    about = (one for one in rule.when if _is_about(one, dropped))
    if any(isinstance(one, OneOf) or (isinstance(one, IsGiven) and not one.negated) for one in about):
        return True
    return all(not isinstance(demand, Need | AnyIs) and _is_about(demand, dropped) for demand in rule.demands)


def _is_about(part: Condition | Demand, dropped: Set[str]) -> bool:
    return any(path[0] in dropped for path in paths_of(part))


class Structs:
    """Builds the named structs, parents before children."""

    def __init__(self, entries: Sequence[TreeEntry], kinds: Mapping[str, TypeKind], problems: list[Problem]) -> None:
        self._entries = {entry.key.name: entry for entry in entries}
        self._kinds = kinds
        self._problems = problems
        self._done: dict[str, Struct] = {}
        self._fields = 0

    def build(self, rules: Mapping[str, TreeBlock]) -> dict[str, Struct]:
        """Return all structs in the order they are written. `rules` are the blocks of the section `rules:` by type.

        Raises ContractProblems if they have too many fields together.
        """
        for name in self._entries:
            for each in reversed(self._line(name)):
                if each not in self._done:
                    self._done[each] = self._struct(each, rules.get(each, ()))
        return {name: self._done[name] for name in self._entries}

    def _line(self, name: str) -> list[str]:
        """Return a type, its parent, the parent's parent and so on, up to one that is built already."""
        line = {name: None}
        while (parent := self._parent(name)) is not None and parent not in self._done and parent not in line:
            line[parent] = None
            name = parent
        return list(line)

    def _parent(self, name: str) -> str | None:
        parent = self._entries[name].key.parent
        return parent if parent in self._entries else None

    def _struct(self, name: str, rules: Iterable[TreeEntry]) -> Struct:
        entry = self._entries[name]
        key = entry.key
        parent = None if key.parent is None else self._done.get(key.parent)
        if key.parent is not None and parent is None:
            circle = key.parent in self._entries
            what = f"`{name}` comes from itself" if circle else f"no type is called `{key.parent}`"
            do = "write the fields out"
            if not circle:
                do = f"{meant(key.parent, self._entries)}name a type that the contract defines, or {do}"
            self._problems.append(Problem(entry.place, what, do))
        fields = parent.fields if parent is not None else ()
        self._fields += len(fields)
        if self._fields > _MOST_FIELDS:
            what = f"the types up to `{name}` have more than {_MOST_FIELDS} fields from others"
            raise ContractProblems([*self._problems, Problem(entry.place, what, "let fewer types come from others")])
        changes = changed(fields, entry.block, self._kinds, key.sections, self._problems)
        dropped = {field.wire for field in fields} - {field.wire for field in changes}
        above = parent.rules if parent is not None else ()
        inherited = tuple(rule for rule in above if not _says_nothing(rule, dropped))
        own = parse_rules(rules, key.sections, self._problems)  # one of a parent's with the same id is replaced
        return Struct(
            place=entry.place,
            prose=prose_of(entry),
            sections=key.sections,
            questions=key.questions,
            name=name,
            fields=changes,
            rules=tuple({rule.id: rule for rule in (*inherited, *own)}.values()),
            parent=parent.name if parent is not None else None,
        )
