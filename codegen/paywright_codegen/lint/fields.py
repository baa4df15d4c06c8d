"""Check each field: facets that do not fit its type or each other, and values that it may not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from paywright_codegen.directions import Directions
from paywright_codegen.literals import is_text, objection
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Operation
from paywright_codegen.model.types import Field
from paywright_codegen.pattern_cost import cost_of
from paywright_codegen.problems import Problem, meant

_DIGITS = re.compile(r"digits[.][1-9][0-9]?")


def _known_sources(contract: Contract) -> tuple[str, ...]:
    signatures = (f"signature.{each.name}" for each in contract.signatures.values() if each.chosen_by is None)
    return ("clock", "digits.N", *(f"merchant.{name}" for name in contract.numbers), "operation.version", *signatures)


def lint_fields(contract: Contract) -> Iterator[Problem]:
    """Yield the problems of all fields, in types, messages and headers."""
    written = Directions(contract).written
    for struct in contract.all_structs():
        for field in struct.fields:
            yield from _field(contract, field)
            if field.also is not None and struct.name in written:
                what = f"`{field.wire}`: the merchant writes a `{struct.name}`, and `also {field.also}` is for answers"
                yield Problem(
                    field.place, what, "write a type `from` this one for the answers, with the second spelling"
                )
    for operation in contract.operations.values():
        for message in operation.messages:
            for field in message.headers:
                yield from _field(contract, field)
            yield from _sources(contract, operation, message.fields)


def _field(contract: Contract, field: Field) -> Iterator[Problem]:
    for what, do in (
        *_facets(contract, field),
        *_limits(contract, field),
        *_values(contract, field),
        *_set(contract, field),
    ):
        yield Problem(field.place, f"`{field.wire}`: {what}", do)


def _facets(contract: Contract, field: Field) -> Iterator[tuple[str, str]]:
    """Yield facets that do not fit the type or each other."""
    text = is_text(field)
    said = field.type.name + ("[]" if field.type.array else "")
    if not text and not field.type.array and (field.min is not None or field.max is not None):
        yield f"min and max count characters or elements, and a {said} has none", "take them away"
    if field.range is not None and (field.type.kind != "string" or field.type.array):
        yield f"range is for digits in a string, not for a {said}", "remove it, or make the field a string"
    for name, there in (("is" if field.fixed else "in", field.values), ("sends", field.sends), ("from", field.source)):
        if there and not text:
            yield f"`{name}` is for text, not for a {said}", "remove it"
    if field.values and field.type.kind == "set":
        yield f"`{field.type.name}` has its own list of values", "remove the values, or make the field a string"
    if field.blank and not (text and (field.type.kind != "string" or field.values or field.range)):
        yield "`blank` where nothing would refuse the empty string", "remove it"
    if (field.fixed, field.sends is not None, field.source is not None).count(True) > 1:
        yield "more than one of is, sends and from says what we write", "keep one of them"
    if field.default is not None and field.required:
        yield "a required field has a default, which never applies", "remove the `!` or the default"
    if field.default is not None and field.type.array:
        yield "an array has a default", "say it in the prose"
    if field.also == field.wire:
        yield f"`also {field.also}` is its own name", "remove it"


def _limits(contract: Contract, field: Field) -> Iterator[tuple[str, str]]:
    form = contract.formats.get(field.type.name) if field.type.kind == "format" else None
    if form is not None and form.pattern is not None and cost_of(form.pattern) == "power":
        what = f"the pattern of `{form.name}` has repetitions of the same characters in a row, and takes long with a long text"
        if field.type.array:
            yield f"{what}, which no `max` of a list refuses", "write the pattern with one of them"
        elif field.max is None:
            yield what, "write `max`, or the pattern with one of them"
    if field.min is not None and field.max is not None and field.min > field.max:
        yield f"min {field.min} is more than max {field.max}", "change one of them"
    if field.max == 0:
        yield "max 0 leaves nothing to write", "drop the field, or raise the limit"
    if field.range is not None:
        low, high = field.range
        if low > high:
            yield f"the range {low}..{high} begins above its end", "change one of its ends"
        elif field.max is not None and len(str(high)) > field.max:
            yield f"{high}, the end of the range, is longer than max {field.max}", "change one of them"


def _values(contract: Contract, field: Field) -> Iterator[tuple[str, str]]:
    """Yield values in the line itself that the field may not have."""
    name = "is" if field.fixed else "in"
    groups = (
        (name, field.values),
        ("eg", field.examples),
        ("sends", () if field.sends is None else (field.sends,)),
        ("default", () if field.default is None else (field.default,)),
    )
    for facet, values in groups:
        for value in values:
            why = objection(contract, field, value)
            if why is not None:
                yield f"`{facet} {value}` {why}", "correct the value or the limit"


def _set(contract: Contract, field: Field) -> Iterator[tuple[str, str]]:
    """Yield members of the field's value list that its own limits refuse."""
    if field.type.kind != "set" or field.type.array:
        return
    for value in contract.sets[field.type.name].values:
        why = objection(contract, field, value.wire)
        if why is not None:
            yield f"`{value.wire}` of `{field.type.name}` {why}", "correct the value or the limit"


def _sources(contract: Contract, operation: Operation, fields: tuple[Field, ...]) -> Iterator[Problem]:
    known = _known_sources(contract)
    for field in fields:
        if field.source is not None and field.source not in known and _DIGITS.fullmatch(field.source) is None:
            do = f"{meant(field.source, known)}write one of the sources: {', '.join(known)}"
            yield Problem(field.place, f"`{field.wire}`: nothing is called `from {field.source}`", do)
        if field.source == "operation.version" and operation.version is None:
            what = f"`{operation.name}` has no version, and `{field.wire}` is filled with it"
            yield Problem(operation.place, what, "write `version:`")
