"""Types of the contract as structs: fields in order, what `B from A` changes, and the rules of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from paywright_codegen.fields import parse_field
from paywright_codegen.marked import Block, Entry, prose_of, split_key
from paywright_codegen.model import Field, Rule, Struct, TypeKind
from paywright_codegen.problems import Problem
from paywright_codegen.rules import parse_rule


def changed(
    base: Sequence[Field],
    block: Iterable[Entry],
    kinds: Mapping[str, TypeKind],
    sections: Sequence[str],
    problems: list[Problem],
) -> tuple[Field, ...]:
    """The fields of `base` with those of a block in their place or behind them; `name: none` takes one away."""
    fields = {field.wire: field for field in base}
    for entry in block:
        wire = split_key(entry.key.text).name
        if entry.text != "none":
            fields[wire] = parse_field(entry, kinds, sections, problems)
        elif fields.pop(wire, None) is None:
            problems.append(
                Problem(entry.place, f"there is no `{wire}` to drop", "remove the line, or name a field above")
            )
    return tuple(fields.values())


def joined(base: Sequence[Field], more: Sequence[Field]) -> tuple[Field, ...]:
    """Both in order, the later one in the place of the earlier where they share a name."""
    fields = {field.wire: field for field in base}
    fields.update((field.wire, field) for field in more)
    return tuple(fields.values())


def parse_rules(block: Iterable[Entry], sections: Sequence[str], problems: list[Problem]) -> tuple[Rule, ...]:
    return tuple(parse_rule(entry, sections, problems) for entry in block)


def with_rules(rules: Sequence[Rule], more: Sequence[Rule]) -> tuple[Rule, ...]:
    """Both in order, the later one in the place of the earlier where they share an id."""
    named = {rule.id: rule for rule in rules}
    named.update((rule.id, rule) for rule in more)
    return tuple(named.values())


class Structs:
    """Builds the named structs, parents before children."""

    def __init__(self, entries: Sequence[Entry], kinds: Mapping[str, TypeKind], problems: list[Problem]) -> None:
        self._entries = {split_key(entry.key.text).name: entry for entry in entries}
        self._kinds = kinds
        self._problems = problems
        self._done: dict[str, Struct] = {}

    def build(self, rules: Mapping[str, Block]) -> dict[str, Struct]:
        """All of them in the order they are written; `rules` are the blocks of the section `rules:` by type."""
        for name in self._entries:
            for each in reversed(self._line(name)):
                if each not in self._done:
                    self._done[each] = self._struct(each, rules.get(each, ()))
        return {name: self._done[name] for name in self._entries}

    def _line(self, name: str) -> list[str]:
        """A type, its parent, the parent's parent, as far as they can be built."""
        line = [name]
        while (parent := self._parent(line[-1])) is not None and parent not in self._done:
            if parent in line:
                break
            line.append(parent)
        return line

    def _parent(self, name: str) -> str | None:
        parent = split_key(self._entries[name].key.text).parent
        return parent if parent in self._entries else None

    def _struct(self, name: str, rules: Iterable[Entry]) -> Struct:
        entry = self._entries[name]
        key = split_key(entry.key.text)
        parent = None if key.parent is None else self._done.get(key.parent)
        if key.parent is not None and parent is None:
            circle = key.parent in self._entries
            what = f"`{name}` comes from itself" if circle else f"no type is called `{key.parent}`"
            do = "write the fields out" if circle else "name a type that the contract defines, or write the fields out"
            self._problems.append(Problem(entry.place, what, do))
        fields = parent.fields if parent is not None else ()
        inherited = parent.rules if parent is not None else ()
        return Struct(
            place=entry.place,
            prose=prose_of(entry),
            sections=key.sections,
            questions=key.questions,
            name=name,
            fields=changed(fields, entry.block, self._kinds, key.sections, self._problems),
            rules=with_rules(inherited, parse_rules(rules, key.sections, self._problems)),
            parent=parent.name if parent is not None else None,
        )
