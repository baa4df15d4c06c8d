"""Check that the fields of rules and guards exist, and that rules can be met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from paywright_codegen.lint.members import near, own
from paywright_codegen.literals import is_text, objection
from paywright_codegen.lookup import is_decimal, member
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.rules import AnyIs, Differs, Joined, OneOf, Path, Refuse, Restrict, Rule, paths_of
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.problems import Problem

_Complaints = Iterator[tuple[str, str]]


def lint_rules(contract: Contract) -> Iterator[Problem]:
    """Yield the problems of the rules of all types."""
    structs = {struct.name: struct for struct in contract.all_structs()}
    for struct in structs.values():
        for rule in struct.rules:
            for what, do in _Sentence(contract, structs, struct).complaints(rule):
                yield Problem(rule.place, f"rule `{rule.id}`: {what}", do)


class _Sentence:
    """Checks the rules of one struct."""

    def __init__(self, contract: Contract, structs: Mapping[str, Struct], struct: Struct) -> None:
        self._contract = contract
        self._structs = structs
        self._struct = struct

    def complaints(self, rule: Rule) -> _Complaints:
        for part in (*rule.when, *rule.demands):
            if isinstance(part, OneOf | AnyIs):
                for choice in part.choices if isinstance(part, AnyIs) else (part,):
                    yield from self._compared(choice)
            elif isinstance(part, Refuse):
                yield from self._refused(part.path)
            elif isinstance(part, Differs | Joined):
                yield from self._texts(*paths_of(part))
            elif isinstance(part, Restrict):
                yield from self._restricted(part)
            else:
                for path in paths_of(part):
                    yield from self._found(path)[1]

    def _found(self, path: Path) -> tuple[Field | None, list[tuple[str, str]]]:
        """Return the field at a path, or the mistake in the path."""
        struct: Struct | None = self._struct
        field: Field | None = None
        for depth, name in enumerate(path):
            said = ".".join(path[:depth])
            if struct is None:
                return None, [(f"`{said}` is not an object with known fields", "name a field that the contract lists")]
            if field is not None and field.type.array:
                return None, [(f"`{said}` is an array", "write the rule for the type of its elements")]
            field = struct.field(name)
            if field is None:
                do = f"{near(struct, name)}name one of its fields"
                return None, [(f"`{struct.name}` has no field `{name}`", do)]
            struct = self._structs.get(field.type.name) if field.type.kind == "struct" else None
        return field, []

    def _compared(self, one: OneOf) -> _Complaints:
        field, problems = self._found(one.path)
        yield from problems
        if field is None:
            return
        said = ".".join(one.path)
        if field.type.array or not is_text(field):
            yield f"`{said}` is not a text, so that it cannot be compared", "compare a text, or ask whether it is given"
            return
        for value in one.values:
            why = objection(self._contract, field, value)
            if why is not None:
                yield f"`{said}` is never {value}: it {why}", "correct the value"

    def _texts(self, *paths: Path) -> _Complaints:
        """Check that members that are compared with each other are texts."""
        for path in paths:
            field, problems = self._found(path)
            yield from problems
            if field is not None and (field.type.array or not is_text(field)):
                yield f"`{'.'.join(path)}` is not a text, so that it cannot be compared", "compare texts"
        if len(set(paths[:2])) < 2:
            yield f"`{'.'.join(paths[0])}` is compared with itself", "name another member"

    def _refused(self, path: Path) -> _Complaints:
        field, problems = self._found(path)
        yield from problems
        if field is not None and field.required and len(path) == 1:
            yield f"`{path[0]}` is required and refused", "remove the `!` or the demand"

    def _restricted(self, demand: Restrict) -> _Complaints:
        field, problems = self._found(demand.path)
        yield from problems
        if field is None:
            return
        said = ".".join(demand.path)
        if demand.values:
            yield from self._compared(OneOf(demand.path, demand.values))
        if demand.max is not None and not (field.type.array or is_text(field)):
            yield f"`{said}` has no length", "take `max` away"
        elif demand.max is not None and field.max is not None and demand.max >= field.max:
            yield f"max {demand.max} is no less than the max {field.max} of `{said}`", "correct one of them"


def lint_guards(contract: Contract) -> Iterator[Problem]:
    """Yield a problem for each guard whose field does not exist or cannot be compared as it says."""
    for operation in contract.operations.values():
        asked = own(operation.asks)
        for guard in operation.guards:
            if guard.id in {rule.id for rule in asked.rules}:
                what = f"guard `{guard.id}` has the name of a rule of `{operation.name}`"
                yield Problem(guard.place, what, "give it a name of its own: names are error codes")
            for demand in guard.demands:
                said, field = ".".join(demand.path), member(contract, operation.asks, demand.path)
                what, do = f"`{said}` is neither a number nor an amount", "name one that is"
                if field is None:
                    what, do = (
                        f"`{said}` is not a field of the request",
                        f"{near(asked, said)}name a field that stands in no array",
                    )
                if field is None or field.type.array or not is_decimal(contract, field):
                    yield Problem(guard.place, f"guard `{guard.id}`: {what}", do)
