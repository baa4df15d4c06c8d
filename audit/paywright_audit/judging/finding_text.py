"""Findings put into words: where the contract says it, what stood there, and nothing that could steer a terminal."""

from __future__ import annotations

import re
from typing import Final

from paywright.contract import CONTRACT
from paywright_runtime.facts import Field, Struct
from paywright_runtime.redact import shown
from paywright_runtime.violations import Violation
from paywright_tools.audit.findings import Finding
from paywright_tools.audit.plan import HeaderPlan, MessagePlan

__all__ = ["finding_of", "line_of", "pattern_of", "plain"]

_LONGEST: Final = 200
# Digits of any script, with up to three signs between them, whatever they are: `~1` is how a pointer writes a slash.
_DIGITS: Final = re.compile(r"\d(?:(?:~[01]|[\W_]){0,3}\d){11,}")


def plain(text: str) -> str:
    """Fit for any terminal and for any eye: names of members come from the message, and may be anything."""
    return shown(_DIGITS.sub("****", text), _LONGEST)


def finding_of(
    operation: str, plan: MessagePlan, headers: HeaderPlan | None, violation: Violation, body: object
) -> Finding:
    """A violation as a finding, with the contract's line and the value that stood there."""
    pointer, code = violation.pointer, violation.code
    if pointer.startswith("@header/"):
        struct = CONTRACT.struct(headers.struct) if headers is not None else None
        field = struct.by_wire.get(pointer[8:]) if struct is not None else None
        line = f"{field.file or struct.file}:{field.line}" if struct is not None and field is not None else ""
        return Finding(operation, plan.part, pointer, code, plain(violation.message), line)
    line, redaction = line_of(plan.struct, pointer, code)
    value = _value(body, pointer)
    return Finding(operation, plan.part, plain(pointer), code, plain(violation.message), line, value, redaction)


def line_of(struct: str, pointer: str, code: str) -> tuple[str, str | None]:
    """Where the contract says what `code` is about, and the class of what stands there, which its parents pass on."""
    where: Struct = CONTRACT.struct(struct)
    field: Field | None = None
    redaction = None
    for step in CONTRACT.at(struct, pointer):
        where, field = step
        redaction = (field.redaction if field is not None else None) or redaction
    rule = where.rule(code)
    if rule is None and field is not None and field.kind == "struct" and field.of:
        rule = CONTRACT.struct(field.of).rule(code)
    if rule is not None:
        return f"{rule.file or where.file}:{rule.line}", redaction
    if field is not None:
        return f"{field.file or where.file}:{field.line}", redaction
    return f"{where.file}:{where.line}", redaction


def pattern_of(struct: str | None, pointer: str) -> str:
    """A pointer as a pattern, of which there are no more than the contract has members: `*` for indexes, `?` for names
    that are not the contract's."""
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
