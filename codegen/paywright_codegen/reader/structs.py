"""Read types as structs: fields in order, what `B from A` changes, and the rules of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from paywright_codegen.model.rules import AnyIs, Condition, Demand, IsGiven, Need, OneOf, Rule, paths_of
from paywright_codegen.model.types import Field, Struct, TypeKind
from paywright_codegen.problems import ContractProblems, Problem, meant
from paywright_codegen.reader.document import TreeBlock, TreeEntry, prose_of
from paywright_codegen.reader.fields import parse_field
from paywright_codegen.reader.rules import parse_rule

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
