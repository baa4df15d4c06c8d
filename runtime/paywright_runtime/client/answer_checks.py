"""Compare a verified answer with its operation's contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from paywright_runtime.contract.conversion import unknown_members
from paywright_runtime.contract.violations import Report
from paywright_runtime.contract.wording import describe_violations

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.operation import Operation
    from paywright_runtime.json_value import JSON
    from paywright_runtime.violation import Violation

__all__ = ["answer_violations", "unknown_answer_members"]


def answer_violations(contract: Contract, operation: Operation, body: Mapping[str, JSON]) -> list[Violation]:
    """Return every place where the whole parsed answer breaks the contract."""
    report = Report()
    contract.validator(operation.response)(dict(body), "", report)
    return describe_violations(contract, operation.response, report)


def unknown_answer_members(contract: Contract, operation: Operation, body: Mapping[str, JSON]) -> list[str]:
    """Return the JSON pointers of the members of an answer that the contract does not name."""
    return unknown_members(contract, contract.struct(operation.response), body)
