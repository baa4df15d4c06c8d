"""Check what a request must not ask for although the specification does not forbid it, before anything is sent.

The contract states such demands under `before sending:`. Messages of others are never judged by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from paywright_runtime.contract.violations import within

if TYPE_CHECKING:
    from paywright_runtime.contract.operation import Guard
    from paywright_runtime.contract.violations import Report

__all__ = ["check_guards"]


def check_guards(guards: Iterable[Guard], data: Mapping[str, object], at: str, report: Report) -> None:
    """Report each guard that the wire value `data`, standing at the pointer `at`, does not meet; the code is its id.

    Members that are absent, or of a type that the validator has reported, meet every guard.
    """
    for guard in guards:
        if guard.path[0] not in data:  # as most are, which guard parts that few requests have
            continue
        value = within(data, *guard.path)
        if value is None:
            continue
        amount = _amount(value)
        if amount is None or amount > 0 or (amount == 0 and guard.kind == "not below"):
            continue
        why = "is not above 0, and is not sent" if guard.kind == "above" else "is below 0, and is not sent"
        report.add(f"{at}{guard.pointer}", guard.id, why)


def _amount(value: object) -> Decimal | int | None:
    """Return the amount on the wire as a number, or None where it is none."""
    if type(value) is int or isinstance(value, Decimal):
        return value if not isinstance(value, Decimal) or value.is_finite() else None
    if type(value) is str and len(value) <= 200:
        try:
            amount = Decimal(value)
        except ArithmeticError:
            return None
        return amount if amount.is_finite() else None
    return None
