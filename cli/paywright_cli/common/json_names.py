"""Word violations with the names of a message in JSON, for users who wrote JSON and not Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from paywright_runtime.answer import Violation

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract

_QUESTION: Final = re.compile(r" \?[a-z0-9-]+")  # a rule of the contract may refer to an open point


def in_json_names(contract: Contract, struct: str, violation: Violation) -> Violation:
    """Return a violation whose message has wire names; `struct` names the object of the whole message."""
    passed = list(contract.at(struct, violation.pointer))
    if not passed or (field := passed[-1][1]) is None:
        return violation
    about = [passed[-1][0], *([contract.struct(field.of)] if field.kind == "struct" and field.of else [])]
    message = field.wire + violation.message.removeprefix(field.python)
    if violation.code == "type" and "not a Python" in message:
        message = f"{field.wire} must be an object"  # and not an instance of its class
    for rule in filter(None, (each.rule(violation.code) for each in about)):
        message = message.replace(rule.python, _QUESTION.sub("", rule.text))
    return Violation(violation.pointer, violation.code, message)
