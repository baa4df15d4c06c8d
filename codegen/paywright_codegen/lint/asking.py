"""Find queries that generated code could not ask by a key alone, to resolve a write or to follow an item."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Literal

from paywright_codegen import naming
from paywright_codegen.example_rules import Example, broken_rule
from paywright_codegen.examples import text_example
from paywright_codegen.lint.members import all_filled, is_single_text, own
from paywright_codegen.lookup import payload
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Operation
from paywright_codegen.problems import Complaint
from paywright_codegen.python_types import argument_type

__all__ = ["asked_by"]


def asked_by(
    contract: Contract, query: Operation, by: str, verb: Literal["resolve", "follow"], taken: Sequence[str]
) -> Generator[Complaint, None, list[str]]:
    """Yield the reasons why a query cannot be asked by a key alone, and return the names of its other required members."""
    at, said = ("resolved by/query", "is resolved by") if verb == "resolve" else ("shown by", "is followed by")
    field = payload(query.asks, by)
    if field is not None and not is_single_text(field):
        yield at, f"{said} `{by}` of `{query.name}`, which is not a text", "make it a string"
    if field is not None and field.filled:
        yield at, f"{said} `{by}` of `{query.name}`, which the client fills in", "name another field"
    asked = own(query.asks)
    given: Example = {
        each.wire: text_example(contract, each) for each in asked.fields if each.required or each.wire == by
    }
    rule = broken_rule(asked, given)
    if rule is not None:
        what = f"{said} `{query.name}` by `{by}`, and that alone breaks its rule `{rule.id}`"
        yield at, what, f"{verb} it by what the rule asks for, or name another query"
    names: list[str] = []
    for each in asked.fields:
        if not each.required or each.filled or each.wire == by or all_filled(contract, each):
            continue
        name = naming.variable(each.wire)
        if argument_type(contract, each) != "str":
            what = f"{said} `{query.name}`, which also requires `{each.wire}`, no plain text"
            yield at, what, "make that field optional, or name another query"
        elif name in (*taken, *names):
            what = f"{said} `{query.name}`, which also requires `{each.wire}`, and that name is the key's"
            yield at, what, f"{verb} it by that field, or make the field optional"
        names.append(name)
    return names
