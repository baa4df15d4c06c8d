"""Make an example of each message: its required members, those for which the contract gives a value, and the states in answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import cast

from paywright_codegen.example_rules import Example, broken_rule, keep_rules
from paywright_codegen.literals import CHECKS, is_text, objection
from paywright_codegen.lookup import closed_values, each_echo, is_decimal, is_state, sent_decimals, told
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.rules import Path
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.problems import Problem


def examples(contract: Contract, operation: Operation) -> tuple[Example, Example]:
    """Return a valid request of an operation, and a valid response that means success."""
    asked = struct_example(contract, operation.asks.root, operation.version, payload=operation.asks.payload)
    if operation.when is not None:
        asked[operation.when[0]] = operation.when[1]
        keep_example_rules(contract, operation.asks.root, asked, operation.version)
    lists, payload = not operation.inbound, operation.answers.payload
    answer = struct_example(contract, operation.answers.root, operation.version, lists=lists, payload=payload)
    if operation.succeeds is not None and not operation.inbound:
        path, yes = operation.succeeds
        answer = _with_success(contract, operation.answers.root, answer, path.split("."), yes)
        keep_example_rules(contract, operation.answers.root, answer, operation.version)
    request, result = _payload(operation.asks, asked), _payload(operation.answers, answer)
    if isinstance(result, dict) and not operation.inbound:
        _show_meaning(contract, operation, result)
    if isinstance(request, dict) and isinstance(result, dict):
        result.update((name, request[name]) for name in operation.echoes if name in request)
        for elements, member, among in map(each_echo, operation.each_echoes):
            # Where the request has a list, it is the first of its elements that the answer shows.
            first = next(iter(cast("list[object]", request.get(among) or [])), request)
            value = first.get(member, asked.get(member)) if isinstance(first, dict) else first
            for each in cast("list[Example]", result.get(elements) or []):
                each.update({} if value is None else {member: value})
    return asked, answer


def _show_meaning(contract: Contract, operation: Operation, result: Example) -> None:
    """Add what an answer says of money though it may lack it: the amount that a query shows, and the gateway's own id."""
    struct = told(contract, operation.answers)
    paths = [operation.gateway_id] if operation.gateway_id is not None else []
    if operation.amount is not None and not operation.write:
        paths += [operation.amount.member, operation.amount.currency]
    for field in (struct.field(path[0]) for path in paths):
        if field is not None and field.wire not in result:
            result[field.wire] = field_example(contract, field, operation.version)


def lint_examples(contract: Contract) -> Iterator[Problem]:
    """Yield a problem for each field for which no valid example can be made."""
    for struct in contract.all_structs():
        for field in struct.fields:
            always = field.required or field.examples or field.sends is not None
            if always and is_text(field) and text_example(contract, field) is None:
                what = f"`{field.wire}`: no value is shown for the example"
                yield Problem(field.place, what, "write `eg` and a value, or correct the limits")


def lint_whole_examples(contract: Contract) -> Iterator[Problem]:
    """Yield a problem for each example that its own contract refuses. The contract must have no other problem."""
    for operation in contract.operations.values():
        bodies = examples(contract, operation)
        for message, body in zip(operation.messages, bodies, strict=True):
            sent = message is operation.asks and not operation.inbound
            decimals = sent_decimals(contract) if sent else None
            yield from _refused(contract, message.name, message.root, body, decimals)
        yield from _held_back(operation, bodies[0])


def _held_back(operation: Operation, asked: Example) -> Iterator[Problem]:
    """Yield a problem for each guard that keeps the client from sending the example."""
    for guard in operation.guards:
        for demand in guard.demands:
            value: object = _payload(operation.asks, asked)
            for name in demand.path:
                value = value.get(name) if isinstance(value, dict) else None
            amount = Decimal(str(value)) if isinstance(value, str | int | Decimal) else None
            if amount is not None and (amount < 0 or (demand.kind == "above" and amount == 0)):
                what = f"guard `{guard.id}` would not send the example of `{operation.name}`, with {'.'.join(demand.path)} {value}"
                yield Problem(guard.place, what, "correct the value that `eg` shows")


def _refused(contract: Contract, name: str, struct: Struct, body: Example, decimals: int | None) -> Iterator[Problem]:
    """Yield the mistakes of an example. `decimals` is the limit of decimals of its numbers, if the client sends it."""
    rule = broken_rule(struct, body)
    if rule is not None:
        what = f"rule `{rule.id}`: no example of `{name}` was found that keeps it"
        yield Problem(rule.place, what, "correct the rule, or the values that `eg` shows")
    for field in struct.fields:
        value = body.get(field.wire)
        for each in value if isinstance(value, list) else [value]:
            why = objection(contract, field, each) if isinstance(each, str) and is_text(field) else None
            if why is not None and not (field.blank and each == ""):
                what = f"`{field.wire}`: the example of `{name}` repeats {each} of the request, and that {why}"
                yield Problem(field.place, what, "give both fields the same limits")
            text = format(each, "f") if isinstance(each, Decimal) else str(each)
            if decimals is not None and is_decimal(contract, field) and len(text.partition(".")[2]) > decimals:
                what = f"`{field.wire}`: the example of `{name}` has {text}, and at most {decimals} decimals are sent"
                yield Problem(field.place, what, "correct the value, or the limit")
            if isinstance(each, dict) and field.type.kind == "struct":
                yield from _refused(contract, name, contract.struct_named(field.type.name), each, decimals)


def keep_example_rules(
    contract: Contract, struct: Struct, body: Example, version: str | None, pinned: Collection[Path] = ()
) -> None:
    """Change an example until it keeps the rules of its object, as far as possible, and no member that is pinned."""
    keep_rules(
        struct,
        body,
        lambda field: field_example(contract, field, version),
        lambda field: (
            contract.struct_named(field.type.name) if field.type.kind == "struct" and not field.type.array else None
        ),
        pinned,
        lambda field: (
            (*closed_values(contract, field), field_example(contract, replace(field, examples=()))) if pinned else ()
        ),
    )


def _payload(message: MessageSpec, body: Example) -> object:
    return body if message.payload is None else body.get(message.payload, body)


def _with_success(contract: Contract, struct: Struct, body: Example, path: Sequence[str], yes: str) -> Example:
    """Return an example whose member at `path` says yes, in the order of the struct's members."""
    said: dict[str, object] = {}
    for field in struct.fields:
        value = body.get(field.wire)
        if field.wire == path[0]:
            inner = value if isinstance(value, dict) else {}
            value = (
                _with_success(contract, contract.struct_named(field.type.name), inner, path[1:], yes)
                if path[1:]
                else yes
            )
        if value is not None:
            said[field.wire] = value
    return said


def struct_example(
    contract: Contract, struct: Struct, version: str | None = None, *, lists: bool = False, payload: str | None = None
) -> Example:
    """Return an example of an object of a message.

    It has the required members, those with an `eg`, the payload, in responses states and lists of objects, and what the rules then need.
    """
    body = {
        field.wire: field_example(contract, field, version, lists)
        for field in struct.fields
        if field.required
        or field.examples
        or field.sends is not None
        or field.fixed
        or field.wire == payload
        or (lists and (is_state(contract, field) or (field.type.array and field.type.kind == "struct")))
    }
    keep_example_rules(contract, struct, body, version)
    return body


def field_example(contract: Contract, field: Field, version: str | None = None, lists: bool = False) -> object:
    """Return an example of the value of a field."""
    one = _one(contract, field, version, lists)
    return [one] * max(1, field.min or 1) if field.type.array else one


def _one(contract: Contract, field: Field, version: str | None, lists: bool) -> object:
    kind = field.type.kind
    if kind == "struct":
        return struct_example(contract, contract.struct_named(field.type.name), version, lists=lists)
    shown = field.examples[:1] or field.values[:1] or ((field.sends,) if field.sends else ())
    if kind == "number":
        return Decimal(shown[0]) if shown else 1
    if kind == "boolean":
        return field.default == "true"
    if kind == "object":
        return {}
    if field.source == "operation.version" and version is not None:
        return version
    return text_example(contract, field) or ""


def text_example(contract: Contract, field: Field) -> str | None:
    """Return a valid value of a text field: one from the contract, or a made one; None if neither is valid."""
    return next((text for text in _texts(contract, field) if objection(contract, field, text) is None), None)


def _texts(contract: Contract, field: Field) -> Iterator[str]:
    shown = field.examples[:1] or field.values[:1] or ((field.sends,) if field.sends else ())
    yield from shown
    if field.range is not None:
        low, high = field.range
        yield str(low)
        yield str(high)
        yield str(low).zfill(field.min or 0)
    if field.type.kind == "set":
        yield from (value.wire for value in contract.sets[field.type.name].values)
    text = f"{field.wire}-1"
    if field.type.kind == "format":
        check = CHECKS.get(contract.formats[field.type.name].check or "")
        yield "1" if check is None else check.example
    else:
        yield text[-field.max :] if field.max is not None else text
    length = field.min or field.max or 1
    yield from (letter * count for count in (length, *range(1, 9)) for letter in "1Aa")
    for start in ("https://shop.example/", "2001:db8::", "0."):
        yield start.ljust(length, "1")
