"""Which checks there are, and running them one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from paywright_tools.sandbox.conformance import bills, forged, once, shape, valid
from paywright_tools.sandbox.conformance.bench import Bench
from paywright_tools.sandbox.conformance.effects import EffectsProblem
from paywright_tools.sandbox.conformance.verdicts import Check, Result

__all__ = ["CHECKS", "Gone", "Unconfigured", "run"]

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


_GONE: Final = "the endpoint answers nothing any more since this check, not even a valid notification"


class Unconfigured(Exception):
    """No valid notification was accepted: that others are refused would say nothing. `result` is the first one's."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.came)
        self.result = result


class Gone(Exception):
    """The endpoint answers nothing any more, not even a valid notification. `left` is how many checks were not made."""

    def __init__(self, check: str, left: int) -> None:
        super().__init__(check)
        self.check = check
        self.left = left


def run(bench: Bench, names: Sequence[str] = ()) -> Iterator[tuple[Check, Result]]:
    """Runs the checks of these names, all of them where there are none; the first valid notification goes always.

    An endpoint that takes periods and no transfers is checked with periods. Raises `Unconfigured`, `EffectsProblem`, and
    `Gone` behind the check since which the endpoint does not answer.
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
    chosen = [check for check in others if not names or check.name in names]
    if bench.mint.kind != "RECEIVE":
        chosen = [check for check in chosen if check.name != "transfer-moves"]
    for at, check in enumerate(chosen, 1):
        bench.unanswered = False
        result = _ran(check, bench)
        if bench.unanswered and bench.gone():
            yield check, Result("wrong", result.came, _GONE)
            raise Gone(check.name, len(chosen) - at)
        yield check, result


def _ran(check: Check, bench: Bench) -> Result:
    try:
        return check.run(bench)
    except EffectsProblem as problem:
        bench.unanswered = True  # it may be the endpoint that is not there
        return Result("skipped", "", str(problem))
