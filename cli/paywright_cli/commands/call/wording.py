"""Word the errors of a call for the command line: with names of JSON, and with commands in place of Python methods."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from paywright_cli.common.json_names import in_json_names
from paywright_runtime.contract.index import Contract
from paywright_runtime.contract.operation import Operation
from paywright_runtime.errors import ContractViolation, UnreadableAnswer

_RESOLVER: Final = re.compile(r"client\.(\w+)\.resolve\w*\([^()]*\)")


def words_of(error: Exception, contract: Contract, operation: Operation) -> str:
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
