"""Describe findings: the contract's line and the found value, without characters that could control a terminal."""

from __future__ import annotations

from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.operation_facts import HeaderFacts, MessageFacts
from paywright_runtime.card_numbers import mask_card_numbers
from paywright_runtime.contract.model import Field, Struct
from paywright_runtime.redaction import redacted
from paywright_runtime.violation import Violation

__all__ = ["finding_of", "line_of", "pattern_of", "plain"]

_LONGEST: Final = 200


def plain(text: str) -> str:
    """Mask and cut text from a message, such as the name of a member, which may contain anything."""
    return redacted(mask_card_numbers(text, checked=False, loosely=True), _LONGEST)


def finding_of(
    operation: str, facts: MessageFacts, headers: HeaderFacts | None, violation: Violation, body: object
) -> Finding:
    """Turn a violation into a finding, with the contract's line and the value found."""
    pointer, code = violation.pointer, violation.code
    if pointer.startswith("@header/"):
        struct = CONTRACT.struct(headers.struct) if headers is not None else None
        field = struct.by_wire.get(pointer[8:]) if struct is not None else None
        line = CONTRACT.place(struct.name, member=field.wire) if struct is not None and field is not None else ""
        return Finding(operation, facts.part, pointer, code, plain(violation.message), line)
    line, redaction = line_of(facts.struct, pointer, code)
    value = _value(body, pointer)
    return Finding(operation, facts.part, plain(pointer), code, plain(violation.message), line, value, redaction)


def line_of(struct: str, pointer: str, code: str) -> tuple[str, str | None]:
    """Return the contract's line for `code`, and the redaction class of the value, which members inherit."""
    where: Struct = CONTRACT.struct(struct)
    field: Field | None = None
    redaction = None
    for step in CONTRACT.at(struct, pointer):
        where, field = step
        redaction = (field.redaction if field is not None else None) or redaction
    inner = CONTRACT.struct(field.of) if field is not None and field.kind == "struct" and field.of else where
    for ruled in (where, inner):
        if ruled.rule(code) is not None:
            return CONTRACT.place(ruled.name, rule=code), redaction
    return CONTRACT.place(where.name, member=field.wire if field is not None else None), redaction


def pattern_of(struct: str | None, pointer: str) -> str:
    """Return a pointer with `*` for indexes and `?` for names that the contract does not have.

    There are at most as many patterns as members in the contract.
    """
    if struct is None or not pointer or pointer.startswith("@"):
        return pointer
    steps = []
    where: Struct | None = CONTRACT.struct(struct)
    within_array = False
    for step in pointer.split("/")[1:]:
        if within_array and step.isdigit():
            steps.append("*")
            within_array = False
            continue
        field = where.by_wire.get(step) if where is not None else None
        if field is None:
            steps.append("?")
            break
        steps.append(step)
        within_array = field.array
        where = CONTRACT.struct(field.of) if field.kind == "struct" and field.of else None
    return "/" + "/".join(steps)


def _value(body: object, pointer: str) -> object:
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(body, dict):
            body = body.get(step)
        elif isinstance(body, list) and step.isdigit() and len(step) < 10 and int(step) < len(body):
            body = body[int(step)]
        else:
            return None
    return body
