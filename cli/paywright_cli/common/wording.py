"""Name settings, members and commands as users of the command line do, who wrote JSON and environment variables, not Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from shlex import quote
from typing import TYPE_CHECKING, Final

from paywright_cli.common.terminal import Usage
from paywright_runtime.answer import Violation
from paywright_runtime.errors import ContractViolation, InvalidArgument, UnreadableAnswer
from paywright_runtime.redaction import shown_key

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.operation import Operation

_RESOLVER: Final = re.compile(r"client\.(\w+)\.resolve\w*\([^()]*\)")
_PLACE: Final = re.compile(r"^(  [^:]+: )(?:Client|Merchant)\(.*?(?=PAYWRIGHT_)", re.MULTILINE)
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


def words_of(contract: Contract, operation: Operation, error: Exception, values: Mapping[str, object]) -> str:
    """Return the message of a call's error for a user who gave its arguments in JSON, as `values` by wire name.

    The commands in it run as they are printed, with the keys of the call.
    """
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
        resolution, kind = operation.resolution, resolver[1]
        if resolution is None and kind in contract.followed():
            key = _word(values.get(contract.following(kind).by), "KEY")
            return f"`paywright follow open {kind} {key} --unknown --ledger FILE`"
        return f"`{query_command(contract, operation, values)}`"

    return _RESOLVER.sub(instead, message)


def operation_named(contract: Contract, given: str) -> Operation:
    """Return an operation by its name. Raises `InvalidArgument`; for an address `Usage`, which names the operations there."""
    try:
        return contract.operation(given)
    except InvalidArgument:
        paths = {name: contract.operation(name).path for name in contract.operations()}
        last = f"/{given.strip('/')}"
        there = [name for name, path in paths.items() if path and (last.endswith(path) or path.endswith(last))]
        if not there:
            raise
    raise Usage(f"{given} is the address of {' and '.join(there)}: give the name of the operation")


def _word(value: object, otherwise: str) -> str:
    """Return a value as a word of a shell; `otherwise` if there is none, or if it may look like a card number."""
    return quote(value) if isinstance(value, str) and shown_key(value) == value else otherwise


def query_command(contract: Contract, operation: Operation, values: Mapping[str, object]) -> str:
    """Return the command that asks what became of a write; a `...` is what it does not have."""
    resolution = operation.resolution
    if resolution is None or resolution.operation is None:
        return f"paywright call {operation.name}"
    query = contract.operation(resolution.operation)
    fields = contract.struct(query.data or query.request).fields
    asked = [one.wire for one in fields if one.wire == resolution.by or one.python in resolution.asks]
    words = [f"{name}={_word(values.get(name), '...')}" for name in asked]
    return " ".join(["paywright call", resolution.operation, *words])


def in_setting_names(message: str) -> str:
    """Return the message of an error about settings, with environment variables in place of Python arguments."""
    from paywright_runtime.client.settings import COMMON  # start-up: it loads what signs

    setting = rf"^((?:Nothing was sent: )?)({'|'.join(COMMON)})(?= )"
    message = re.sub(setting, lambda found: f"{found[1]}PAYWRIGHT_{found[2].upper()}", message)
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
