"""Describe findings: the contract's line and the found value, without characters that could control a terminal."""

from __future__ import annotations

import re
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.input.body_decoding import is_masked
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.operation_facts import MessageFacts
from paywright_runtime.answer import Violation
from paywright_runtime.card_numbers import mask_card_numbers
from paywright_runtime.contract.model import Field, Struct
from paywright_runtime.redaction import redacted

_LONGEST: Final = 200
_MEDIA: Final = re.compile(
    r"(?:application|audio|font|image|message|model|multipart|text|video)/[\w.+-]+\s*(?:;.*)?",
    re.IGNORECASE | re.DOTALL,
).fullmatch


def plain(text: str) -> str:
    """Mask and cut text from a message, such as the name of a member, which may contain anything."""
    return redacted(mask_card_numbers(text, checked=False, loosely=True), _LONGEST)


def finding_of(operation: str, facts: MessageFacts, violation: Violation, body: object) -> Finding:
    """Turn a violation into a finding, with the contract's line and the value found."""
    pointer, code = violation.pointer, violation.code
    if pointer.startswith("@header/"):
        struct = CONTRACT.struct(facts.headers.struct) if facts.headers is not None else None
        field = struct.by_wire.get(pointer[8:]) if struct is not None else None
        line = CONTRACT.place(struct.name, member=field.wire) if struct is not None and field is not None else ""
        return Finding(operation, facts.part, pointer, code, plain(violation.message), line)
    line, redaction = line_of(facts.struct, pointer, code)
    value = _value(body, pointer)
    return Finding(operation, facts.part, plain(pointer), code, plain(violation.message), line, value, redaction)


def line_of(struct: str, pointer: str, code: str) -> tuple[str, str | None]:
    """Return the contract's line for `code`, and the redaction class of the value, which members inherit."""
    passed = list(CONTRACT.at(struct, pointer))
    where, field = passed[-1] if passed else (CONTRACT.struct(struct), None)
    redaction = next((each.redaction for _, each in reversed(passed) if each is not None and each.redaction), None)
    ruled = _ruled(where, field, code)
    if ruled is not None:
        return CONTRACT.place(ruled.name, rule=code), redaction
    return CONTRACT.place(where.name, member=field.wire if field is not None else None), redaction


def is_no_header(wire: str, value: object) -> bool:
    """Return whether a value cannot be that of a header of this name: a mark, or the beginning of one."""
    if wire != "Content-Type" or type(value) is not str:
        return is_masked(value)
    return _MEDIA(value) is None or "application/json".startswith(value.lower())


def is_hidden(struct: str, violation: Violation, body: object) -> bool:
    """Return whether the value at a violation is masked, or another one that the violated rule names."""
    pointer, code = violation.pointer, violation.code
    if is_masked(_value(body, pointer)):
        return True
    passed = list(CONTRACT.at(struct, pointer))
    ruled = _ruled(*passed[-1], code) if passed else None
    rule = None if ruled is None else ruled.rule(code)
    if rule is None:
        return False
    names = rule.text.split()
    # A rule about a whole object points at the object itself.
    objects = (_value(body, pointer.rpartition("/")[0]), _value(body, pointer))
    return any(is_masked(one.get(name)) for one in objects if isinstance(one, dict) for name in names)


def _ruled(where: Struct, field: Field | None, code: str) -> Struct | None:
    """Return the object whose rule has this code: the one with the member, or the member itself; None if it is no rule."""
    inner = CONTRACT.struct(field.of) if field is not None and field.kind == "struct" and field.of else where
    return next((one for one in (where, inner) if one.rule(code) is not None), None)


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
