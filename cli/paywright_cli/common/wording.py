"""Name settings, members and commands as users of the command line do, who wrote JSON and environment variables, not Python."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from paywright_runtime.answer import Violation
from paywright_runtime.environment import COMMON
from paywright_runtime.errors import ContractViolation, UnreadableAnswer

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.operation import Operation

_RESOLVER: Final = re.compile(r"client\.(\w+)\.resolve\w*\([^()]*\)")
_PLACE: Final = re.compile(r"^(  [^:]+: )(?:Client|Merchant)\(.*?(?=PAYWRIGHT_)", re.MULTILINE)
_SETTING: Final = re.compile(rf"^((?:Nothing was sent: )?)({'|'.join(COMMON)})(?= )")
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


def words_of(contract: Contract, operation: Operation, error: Exception) -> str:
    """Return the message of a call's error for a user who gave its arguments in JSON."""
    message = str(error)
    if isinstance(error, ContractViolation):
        prefix = "".join(f"/{name}" for name in operation.payload_paths[0])
        for violation in error.violations:
            said = in_json_names(contract, operation.request, violation)
            message = message.replace(str(violation), str(replace(said, pointer=said.pointer.removeprefix(prefix))))
    elif isinstance(error, UnreadableAnswer):
        message = message.replace(" The bytes are in .raw.", "")
        for violation in error.violations:
            message = message.replace(str(violation), str(in_json_names(contract, operation.response, violation)))
    message = message.replace("The resolver compares what", "Compare what")

    def instead(resolver: re.Match[str]) -> str:
        if operation.resolution is None and resolver[1] in contract.followed():
            return f"`paywright follow open {resolver[1]} KEY --unknown`"
        query = operation.resolution.operation if operation.resolution is not None else None
        return f"`paywright call {query or operation.name}`"

    return _RESOLVER.sub(instead, message)


def in_setting_names(message: str) -> str:
    """Return the message of an error about settings, with environment variables in place of Python arguments."""
    message = _SETTING.sub(lambda found: f"{found[1]}PAYWRIGHT_{found[2].upper()}", message)
    return _PLACE.sub(r"\1", message)


def json_row(record: object, names: str) -> dict[str, object]:
    """Return members of a record for JSON: their names in camel case, and times as text."""
    row: dict[str, object] = {}
    for name in names.split():
        value = getattr(record, name)
        row[re.sub("_(.)", lambda found: found[1].upper(), name)] = (
            value.isoformat() if isinstance(value, datetime) else value
        )
    return row
