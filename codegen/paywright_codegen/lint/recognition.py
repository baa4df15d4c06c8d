"""Check that every notification and question can be recognised when it comes in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from paywright_codegen.example_rules import Example, broken_rule
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Operation
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.problems import Complaints, Problem, problems_of

__all__ = ["lint_recognition"]


def lint_recognition(contract: Contract) -> Iterator[Problem]:
    """Yield a problem for each notification that no handler would get, and each question that could be taken for another."""
    notifications = [
        operation
        for operation in contract.operations.values()
        if operation.inbound and operation.asks.role == "notification"
    ]
    asked = [
        operation for operation in contract.operations.values() if operation.inbound and operation.decides is not None
    ]
    for operation in notifications:
        yield from problems_of(operation, f"`{operation.name}` ", _unrecognised(contract, operation, notifications))
        yield from _acknowledged(contract, operation)
    members = {operation.when[0] for operation in notifications if operation.when is not None}
    for number, operation in enumerate(asked):
        yield from problems_of(operation, f"`{operation.name}` ", _mistaken(operation, members, asked, number))


def _mistaken(operation: Operation, members: Set[str], asked: Sequence[Operation], number: int) -> Complaints:
    """Yield the reasons why a question could be taken for a notification or another question."""
    needed = {field.wire for field in operation.asks.root.fields if field.required}
    for field in operation.asks.root.fields:
        if field.wire in members:
            yield field, f"asks with `{field.wire}`, which tells notifications apart", "rename the field"
    for other in asked:
        if other is not operation and needed <= {field.wire for field in other.asks.root.fields}:
            what = f"requires nothing that `{other.name}` could not have, so that nothing tells them apart"
            yield "request", what, "require a field that only one of them has"
    for other in asked[:number]:
        if other.asks.result == operation.asks.result:
            yield "request", f"asks with the type of `{other.name}`", "give it a type of its own"


def _constants(contract: Contract, struct: Struct, missing: list[Field], above: tuple[str, ...] = ()) -> Example:
    """Return the constants of an acknowledgement; required members without one are added to `missing`."""
    constants: Example = {}
    for field in struct.fields:
        constant = field.sends if field.sends is not None else field.values[0] if field.fixed else None
        inner = contract.structs.get(field.type.name) if not field.type.array else None
        if inner is not None and inner.name not in above:
            lacking: list[Field] = []
            said = _constants(contract, inner, lacking, (*above, struct.name))
            if said and not lacking:  # else it is left out as a whole
                constants[field.wire] = said
                continue
        elif constant is not None:
            constants[field.wire] = constant
        if constant is None and field.required:
            missing.append(field)
    return constants


def _acknowledged(contract: Contract, operation: Operation) -> Iterator[Problem]:
    """Yield a problem for an acknowledgement that needs more than constants."""
    struct = contract.structs.get(operation.answers.root.name, operation.answers.root)
    missing: list[Field] = []
    constants = _constants(contract, struct, missing)
    for field in missing:
        what = f"`{field.wire}` is what `{operation.name}` is acknowledged with, and nothing says its value"
        yield Problem(field.place, what, "write `is` or `sends`, or make it optional")
    rule = broken_rule(struct, constants)
    if rule is not None:
        what = f"rule `{rule.id}` is broken by what `{operation.name}` is acknowledged with"
        yield Problem(rule.place, what, "remove the rule, or write what keeps it with `is` or `sends`")


def _root(contract: Contract, operation: Operation) -> Struct:
    return contract.structs.get(operation.asks.root.name, operation.asks.root)


def _unrecognised(contract: Contract, operation: Operation, notifications: Iterable[Operation]) -> Complaints:
    if operation.when is None:
        yield "when", "has nothing to be recognised by, so its handler would never be called", "write `when: FIELD is VALUE`"
        return
    root = _root(contract, operation)
    when = root.field(operation.when[0])
    if when is not None and not when.required:
        yield when, f"is recognised by `{operation.when[0]}`, which may be left out", "mark the field with `!`"
    for other in notifications:
        if other is operation or other.when is None:
            continue
        if other.when[0] != operation.when[0]:
            yield "when", f"is recognised by `{operation.when[0]}`, and `{other.name}` by `{other.when[0]}`", "use one field for both"
        elif other.when == operation.when:
            yield "when", f"is recognised like `{other.name}`, whatever the address", "give each a value of its own"
    for field in operation.asks.headers:
        if field.source == "clock":
            what = f"has its time in the header `{field.wire}`, and the language reads times of the body alone"
            yield field, what, "mark a field of the whole message with `from clock`"
    addressed = [f"merchant.{name}" for name in contract.numbers]
    main = [f"merchant.{number.name}" for number in contract.numbers.values() if number.required]
    for source, what in (("clock", "the time by which it is fresh"), *((one, "its addressee") for one in main)):
        found = [field for field in root.fields if field.source == source]
        if len(found) > 1:
            yield found[1], f"has more than one field `from {source}`, {what}", "keep one"
        elif source == "clock" and not found:
            yield "notification", "does not say when it was sent", "mark a field of the whole message with `from clock`"
        elif source == "clock" and not found[0].required:
            yield found[0], f"may leave out `{found[0].wire}`, the time by which it is fresh", "mark the field with `!`"
    for source in ("clock", *addressed):
        mine = {field.wire: field for field in root.fields if field.source == source}
        named = {
            one.name for one in notifications if any(each.source == source for each in _root(contract, one).fields)
        }
        if source in main and not mine and named:
            what = f"does not name its addressee, `{source}`, as `{min(named)}` does, and would never be taken for ours"
            yield "notification", what, f"write a field `from {source}`"
        for other in notifications:
            theirs = {field.wire for field in _root(contract, other).fields if field.source == source}
            if mine and theirs and mine.keys() != theirs:
                at = next(iter(mine.values()))
                yield at, f"and `{other.name}` have different fields `from {source}`", "use one field for both"
