"""Compose the messages of violations from the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.violation import Violation

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Field, Struct
    from paywright_runtime.contract.violations import Report

__all__ = ["describe_violations"]


def describe_violations(contract: Contract, struct: str, report: Report) -> list[Violation]:
    """Return the violations of a report, with messages; `struct` names the object of the whole message."""
    return [
        Violation(pointer, code, _message(contract, struct, pointer, code, detail))
        for pointer, code, detail in report.found
    ]


def _message(contract: Contract, struct: str, pointer: str, code: str, detail: str) -> str:
    if pointer.startswith("@") or not pointer:
        return detail
    where: Struct = contract.struct(struct)
    field: Field | None = None
    passed = list(contract.at(struct, pointer))
    if passed:
        where, field = passed[-1]
    ruled = [where]
    if field is not None and field.kind == "struct" and field.of:
        ruled.append(contract.struct(field.of))  # a rule about a whole object points at the object itself
    ruled += [outer for outer, _ in reversed(passed[:-1])]  # a rule about a member of an object points at the member
    rule = next(filter(None, (each.rule(code) for each in ruled)), None)
    name = field.python if field is not None else pointer.rsplit("/", 1)[-1]
    if rule is not None:
        return f"{name}: {rule.python}{_cited(rule.sections)}"
    return f"{name} {detail}{_cited(where.sections)}"


def _cited(sections: tuple[str, ...]) -> str:
    return f" [{', '.join(sections)}]" if sections else ""
