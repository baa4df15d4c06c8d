"""Look up the members, queries and limits that a key names, and check that each is what it must be."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Literal, NamedTuple

from paywright_codegen import naming
from paywright_codegen.examples import Example, broken_rule, text_example
from paywright_codegen.literals import is_text, objection
from paywright_codegen.lookup import all_filled, field_at, is_decimal, is_state, told
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.rules import Path
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.problems import Complaint, Complaints, meant
from paywright_codegen.python_types import argument_type


class Wanted(NamedTuple):
    """Demand on a member; else the words say that it `is not`, with `{role}` for its message, and what to `do`."""

    holds: Callable[[Contract, Field], bool]
    is_not: str
    do: str


def is_single_text(field: Field | None) -> bool:
    """Return whether a field is a single text."""
    return field is not None and is_text(field) and not field.type.array


def _is_plain(contract: Contract, field: Field) -> bool:
    return not field.type.array and field.type.kind not in ("struct", "object", "boolean")


def _is_number(contract: Contract, field: Field) -> bool:
    return not field.type.array and is_decimal(contract, field) and field.also is None


FIELD = Wanted(lambda _, field: True, "is not a field of its {role}", "name one of its fields")
GIVEN = Wanted(lambda _, field: field.required, "its {role} may leave out", "mark the field with `!`")
OURS = Wanted(lambda _, field: not field.filled, "the client fills in", "let the merchant give it")
TEXT = Wanted(lambda _, field: is_single_text(field), "is not a text of its {role}", "name one of its fields")
ANY_TEXT = TEXT._replace(is_not="is not a text", do="name a text")
PLAIN = Wanted(_is_plain, "is not a text or number of its {role}", "name one of its fields")
NUMBER = Wanted(_is_number, "is not a number or decimal text of its {role}", "name one of its fields")
SPELT_ONCE = Wanted(lambda _, field: field.also is None, "has a second spelling", "remove `also`")
COMPARED = (TEXT, SPELT_ONCE)


def fits(
    contract: Contract, at: str, said: str, field: Field | None, *wanted: Wanted, role: str = "", near: str = ""
) -> Complaints:
    """Yield why a member that a key names is not what is wanted; of one that is not there, why not the first."""
    for one in wanted[:1] if field is None else wanted:
        if field is None or not one.holds(contract, field):
            yield at, f"{said}, which {one.is_not.format(role=role)}", f"{near if one is wanted[0] else ''}{one.do}"


def near(struct: Struct | None, wire: str) -> str:
    """Return the beginning of an advice: the nearest name of a field."""
    return meant(wire, () if struct is None else (field.wire for field in struct.fields))


def named(
    contract: Contract, at: str, said: str, message: MessageSpec, path: Path, *wanted: Wanted
) -> Generator[Complaint, None, Field | None]:
    """Yield why the member at a path into a message's payload is not what is wanted of it, and return it."""
    struct = told(contract, message)
    field, advice = field_at(contract, struct, path), near(struct, path[0])
    yield from fits(contract, at, f"{said} `{'.'.join(path)}`", field, *wanted, role=message.role, near=advice)
    return field


def value_named(contract: Contract, at: str, said: str, field: Field | None, value: str) -> Complaints:
    """Yield why a member can never have a value."""
    why = "is not a field" if field is None else objection(contract, field, value)
    if why is not None:
        yield at, f"{said} {value}, and that {why}", "correct the field or the value"


def query_named(
    contract: Contract, at: str, said: str, name: str, *, shows_state: bool = False
) -> Generator[Complaint, None, Operation | None]:
    """Yield why a name is not that of a query, and return the query."""
    query = contract.operations.get(name)
    if query is None:
        yield at, f"{said} `{name}`, which is not an operation", f"{meant(name, contract.operations)}name a query"
    elif query.write or query.inbound:
        yield at, f"{said} `{name}`, which is not a query", "name an operation without a key"
        return None
    elif shows_state and not any(is_state(contract, field) for field in told(contract, query.answers).fields):
        yield at, f"{said} `{name}`, which shows no state", "name another query"
    return query


def span_named(contract: Contract, at: str, said: str, name: str, like: str) -> Complaints:
    """Yield why a name is not that of a span of time."""
    spans = [known.name for known in contract.limits.values() if known.seconds is not None]
    if name not in spans:
        yield at, f"{said} `{name}`, which is not a span of time in `limits:`", f"{meant(name, spans)}name one, such as {like}"


def asked_by(
    contract: Contract, query: Operation, by: str, verb: Literal["resolve", "follow"], taken: Sequence[str]
) -> Generator[Complaint, None, list[str]]:
    """Yield the reasons why a query cannot be asked by a key alone, and return the names of its other required members."""
    at, said = ("resolved by/query", "is resolved by") if verb == "resolve" else ("shown by", "is followed by")
    asked = told(contract, query.asks)
    field = asked.field(by)
    if field is not None and not is_single_text(field):
        yield at, f"{said} `{by}` of `{query.name}`, which is not a text", "make it a string"
    if field is not None and field.filled:
        yield at, f"{said} `{by}` of `{query.name}`, which the client fills in", "name another field"
    needed = (each for each in asked.fields if each.required or each.wire == by)
    given: Example = {each.wire: text_example(contract, each) for each in needed}
    rule = broken_rule(asked, given)
    if rule is not None:
        what = f"{said} `{query.name}` by `{by}`, and that alone breaks its rule `{rule.id}`"
        yield at, what, f"{verb} it by what the rule asks for, or name another query"
    names: list[str] = []
    for each in asked.fields:
        if each.required and not each.filled and each.wire != by and not all_filled(contract, each):
            name, requires = naming.variable(each.wire), f"{said} `{query.name}`, which also requires `{each.wire}`"
            if argument_type(contract, each) != "str":
                yield at, f"{requires}, no plain text", "make that field optional, or name another query"
            elif name in (*taken, *names):
                yield at, f"{requires}, and that name is the key's", f"{verb} it by that field, or make the field optional"
            names.append(name)
    return names
