"""Check that the fields of rules and guards exist, and that rules can be met."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping

from paywright_codegen.lint.members import is_single_text, near
from paywright_codegen.literals import is_text, objection
from paywright_codegen.lookup import field_at, is_decimal, told
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.rules import AnyIs, Differs, Joined, OneOf, Path, Refuse, Restrict, Rule, paths_of
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.problems import Problem

_Advice = Iterator[tuple[str, str]]
_NO_TEXT = "is not a text, so that it cannot be compared"


def lint_rules(contract: Contract) -> Iterator[Problem]:
    """Yield the problems of the rules of all types, and of the guards of all operations."""
    structs = {struct.name: struct for struct in contract.all_structs()}
    for struct in structs.values():
        for rule in struct.rules:
            for what, do in _Sentence(contract, structs, struct).complaints(rule):
                yield Problem(rule.place, f"rule `{rule.id}`: {what}", do)
    for operation in contract.operations.values():
        asked = told(contract, operation.asks)
        for guard in operation.guards:
            if guard.id in {rule.id for rule in asked.rules}:
                what = f"guard `{guard.id}` has the name of a rule of `{operation.name}`"
                yield Problem(guard.place, what, "give it a name of its own: names are error codes")
            for demand in guard.demands:
                said, field = ".".join(demand.path), field_at(contract, asked, demand.path)
                what, do = f"`{said}` is neither a number nor an amount", "name one that is"
                if field is None:
                    what, do = f"`{said}` is not a field of the request", "name a field that stands in no array"
                    do = f"{near(asked, said)}{do}"
                if field is None or field.type.array or not is_decimal(contract, field):
                    yield Problem(guard.place, f"guard `{guard.id}`: {what}", do)


class _Sentence:
    """Checks the rules of one struct."""

    def __init__(self, contract: Contract, structs: Mapping[str, Struct], struct: Struct) -> None:
        self._contract, self._structs, self._struct = contract, structs, struct

    def complaints(self, rule: Rule) -> _Advice:
        for part in (*rule.when, *rule.demands):
            if isinstance(part, OneOf | AnyIs):
                for choice in part.choices if isinstance(part, AnyIs) else (part,):
                    yield from self._compared(choice)
            elif isinstance(part, Refuse):
                field = yield from self._found(part.path)
                if field is not None and field.required and len(part.path) == 1:
                    yield f"`{part.path[0]}` is required and refused", "remove the `!` or the demand"
            elif isinstance(part, Differs | Joined):
                yield from self._texts(*paths_of(part))
            elif isinstance(part, Restrict):
                yield from self._restricted(part)
            else:
                for path in paths_of(part):
                    yield from self._found(path)
        for path in dict.fromkeys(rule.paths):
            field = field_at(self._contract, self._struct, path, lists=True)
            if field is not None and field.also is not None:
                what = f"`{'.'.join(path)}` has a second spelling, which rules do not see"
                yield what, "say it in the prose, or remove `also`"

    def _found(self, path: Path) -> Generator[tuple[str, str], None, Field | None]:
        """Yield the mistake in a path, and return the field at its end."""
        struct: Struct | None = self._struct
        field: Field | None = None
        for depth, name in enumerate(path):
            said = ".".join(path[:depth])
            if struct is None:
                yield f"`{said}` is not an object with known fields", "name a field that the contract lists"
                return None
            if field is not None and field.type.array:
                yield f"`{said}` is an array", "write the rule for the type of its elements"
                return None
            field = struct.field(name)
            if field is None:
                yield f"`{struct.name}` has no field `{name}`", f"{near(struct, name)}name one of its fields"
                return None
            struct = self._structs.get(field.type.name) if field.type.kind == "struct" else None
        return field

    def _compared(self, one: OneOf) -> _Advice:
        field, said = (yield from self._found(one.path)), ".".join(one.path)
        if field is not None and not is_single_text(field):
            yield f"`{said}` {_NO_TEXT}", "compare a text, or ask whether it is given"
        elif field is not None:
            for value in one.values:
                why = objection(self._contract, field, value)
                if why is not None:
                    yield f"`{said}` is never {value}: it {why}", "correct the value"

    def _texts(self, *paths: Path) -> _Advice:
        """Check that members that are compared with each other are texts."""
        for path in paths:
            field = yield from self._found(path)
            if field is not None and not is_single_text(field):
                yield f"`{'.'.join(path)}` {_NO_TEXT}", "compare texts"
        if len(set(paths[:2])) < 2:
            yield f"`{'.'.join(paths[0])}` is compared with itself", "name another member"

    def _restricted(self, demand: Restrict) -> _Advice:
        field, said = (yield from self._found(demand.path)), ".".join(demand.path)
        if field is not None and demand.values:
            yield from self._compared(OneOf(demand.path, demand.values))
        if demand.max is None:
            return
        end = field_at(self._contract, self._struct, demand.path, lists=True)
        if end is not None and end.type.array:
            yield f"`max` of the array `{said}`", "write `max` behind the field itself"
        if field is not None and not (field.type.array or is_text(field)):
            yield f"`{said}` has no length", "take `max` away"
        elif field is not None and field.max is not None and demand.max >= field.max:
            yield f"max {demand.max} is no less than the max {field.max} of `{said}`", "correct one of them"
