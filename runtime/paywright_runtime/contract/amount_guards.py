"""Refuse amounts that the client must not send although the specification does not forbid them.

The contract states such demands under `before sending:`, and the most decimals of a number under `limits:`. They apply to our
own requests only. How many decimals a currency has is the gateway's to decide (`questions.yaml`); `conversion` writes an amount's digits as
they were given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from paywright_runtime.contract.value_checks import Report, within

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.operation import Guard

_Numbers: TypeAlias = "dict[str, _Numbers | None]"
"""Members of a struct that are numbers or decimal text (None), and those that hold objects with such members."""


class Guards:
    """Demands on the object `struct` before it is sent: the guards of its operation, and the decimals of its numbers."""

    __slots__ = ("_decimals", "_guards", "_numbers")

    def __init__(self, contract: Contract, struct: str, guards: Iterable[Guard] = ()) -> None:
        self._guards = tuple(guards)
        self._decimals = next((limit for limit in contract.limits().values() if limit.decimals is not None), None)
        self._numbers: _Numbers = {} if self._decimals is None else _numbers(contract, struct, {})

    def check(self, data: Mapping[str, object], at: str, report: Report) -> None:
        """Report the demands that `data`, at the pointer `at`, does not meet; the code is the name of the guard or limit.

        Absent members, and those of a type that the validator has reported, meet every guard.
        """
        for guard in self._guards:
            if guard.path[0] not in data:  # the usual case: most guards are about optional parts
                continue
            value = within(data, guard.path)
            if value is None:
                continue
            amount = _amount(value)
            if amount is None or amount > 0 or (amount == 0 and guard.kind == "not below"):
                continue
            why = "is not above 0, and is not sent" if guard.kind == "above" else "is below 0, and is not sent"
            report.add(f"{at}{guard.pointer}", guard.id, why)
        if self._numbers:
            self._check_decimals(self._numbers, data, at, report)

    def _check_decimals(self, numbers: _Numbers, data: Mapping[str, object], at: str, report: Report) -> None:
        assert self._decimals is not None  # without a limit there are no numbers
        assert self._decimals.decimals is not None
        for name, inner in numbers.items():
            value = data.get(name)
            if value is None:
                continue
            for step, one in enumerate(value) if type(value) is list else ((None, value),):
                place = f"{at}/{name}" if step is None else f"{at}/{name}/{step}"
                if inner is None and (count := _decimals(one)) > self._decimals.decimals:
                    why = f"has {count} decimals, and at most {self._decimals.decimals} are sent: round it, or make it from text, not from a float"
                    report.add(place, self._decimals.name, why)
                elif inner is not None and type(one) is dict:
                    self._check_decimals(inner, one, place, report)


def _numbers(contract: Contract, struct: str, known: dict[str, _Numbers]) -> _Numbers:
    if struct in known:
        return known[struct]
    found = known[struct] = {}
    for field in contract.struct(struct).fields:
        if field.kind in ("number", "decimal"):
            found[field.wire] = None
        elif field.kind == "struct":
            inner = _numbers(contract, field.of or "", known)
            if inner:
                found[field.wire] = inner
    return found


def _decimals(value: object) -> int:
    """Return the count of decimals in a number or decimal text, as written; 0 for anything else."""
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        return -exponent if isinstance(exponent, int) else 0
    return len(value.partition(".")[2]) if type(value) is str else 0


def _amount(value: object) -> Decimal | int | None:
    """Return a value on the wire as a number; None if it is none."""
    if type(value) is str and len(value) <= 200:
        with suppress(ArithmeticError):
            value = Decimal(value)
    return value if type(value) is int or (isinstance(value, Decimal) and value.is_finite()) else None
