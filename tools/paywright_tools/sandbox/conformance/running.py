"""Which checks there are, and running them one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from paywright_tools.sandbox.conformance import bills, forged, once, shape, valid
from paywright_tools.sandbox.conformance.bench import Bench
from paywright_tools.sandbox.conformance.effects import EffectsProblem
from paywright_tools.sandbox.conformance.verdicts import Check, Result

__all__ = ["CHECKS", "Unconfigured", "run"]

CHECKS: Final[tuple[Check, ...]] = (
    valid.GATE,
    *valid.CHECKS,
    *once.CHECKS,
    *forged.CHECKS,
    *shape.CHECKS,
    *bills.CHECKS,
    shape.LAST,
)
"""In the order in which they are run."""


class Unconfigured(Exception):
    """No valid notification was accepted: that others are refused would say nothing. `result` is the first one's."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.came)
        self.result = result


def run(bench: Bench, names: Sequence[str] = ()) -> Iterator[tuple[Check, Result]]:
    """Runs the checks of these names, all of them where there are none; the first valid notification goes always.

    An endpoint that takes periods and no transfers is checked with periods. Raises `Unconfigured`, `EffectsProblem`.
    """
    gate, *others = CHECKS
    first = gate.run(bench)
    if first.verdict == "wrong":
        bench.mint.kind = "SUBSCRIPTION_PAYMENT"
        period = next(check for check in valid.CHECKS if check.name == "period-paid")
        if period.run(bench).verdict == "wrong":  # with that kind chosen, no refusal is forgiven
            bench.mint.kind = "RECEIVE"
            raise Unconfigured(first)
        first = Result("note", first.came, "it takes no transfers [6.1]; the other checks are made with periods [6.2]")
    if not names or gate.name in names:
        yield gate, first
    for check in others:
        if (not names or check.name in names) and not (bench.mint.kind != "RECEIVE" and check.name == "transfer-moves"):
            yield check, _ran(check, bench)


def _ran(check: Check, bench: Bench) -> Result:
    try:
        return check.run(bench)
    except EffectsProblem as problem:
        return Result("skipped", "", str(problem))
