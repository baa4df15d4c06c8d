"""Check what a request must not ask for although the specification does not forbid it, before anything is sent.

The contract states such demands under `before sending:`. Messages of others are never judged by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from paywright_runtime.violations import within

if TYPE_CHECKING:
    from paywright_runtime.facts import Guard
    from paywright_runtime.violations import Report

__all__ = ["check_guards"]


def check_guards(guards: Iterable[Guard], data: Mapping[str, object], at: str, report: Report) -> None:
    """Report each guard that the wire value `data`, standing at the pointer `at`, does not meet; the code is its id.

    Members that are absent, or of a type that the validator has reported, meet every guard.
    """
    for guard in guards:
        values = [within(data, *pointer[1:].split("/")) for pointer in guard.pointers]
        why = _objection(guard, values)
        if why:
            report.add(f"{at}{guard.pointers[0]}", guard.id, why)


def _objection(guard: Guard, values: list[object]) -> str:
    if guard.kind in ("above", "not below"):
        amount = _amount(values[0])
        if amount is None or amount > 0 or (amount == 0 and guard.kind == "not below"):
            return ""
        return "is not above 0, and is not sent" if guard.kind == "above" else "is below 0, and is not sent"
    if not all(type(value) is str for value in values):
        return ""
    names = [pointer[1:].replace("/", ".") for pointer in guard.pointers[1:]]
    if guard.kind == "differs":
        return f"is the same as {names[0]}, and is not sent" if values[0] == values[1] else ""
    if values[0] == f"{values[1]}{values[2]}":
        return ""
    return f"is not {names[0]} followed by {names[1]}, and is not sent"


def _amount(value: object) -> Decimal | int | None:
    """The amount on the wire as a number, or None where it is none."""
    if type(value) is int or isinstance(value, Decimal):
        return value if not isinstance(value, Decimal) or value.is_finite() else None
    if type(value) is str and len(value) <= 200:
        try:
            amount = Decimal(value)
        except ArithmeticError:
            return None
        return amount if amount.is_finite() else None
    return None
