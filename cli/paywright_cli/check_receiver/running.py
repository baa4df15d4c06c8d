"""List the checks, and run them one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from paywright_cli.check_receiver import accepted, bills, forged, idempotency, malformed
from paywright_cli.check_receiver.effects import EffectsProblem
from paywright_cli.check_receiver.endpoint import EndpointUnderTest
from paywright_cli.check_receiver.verdicts import Check, CheckResult

__all__ = ["CHECKS", "Gone", "Unconfigured", "run"]

CHECKS: Final[tuple[Check, ...]] = (
    accepted.GATE,
    *accepted.CHECKS,
    *idempotency.CHECKS,
    *forged.CHECKS,
    *malformed.CHECKS,
    *bills.CHECKS,
    malformed.LAST,
)
"""All checks, in the order in which they run."""


_GONE: Final = "since this check the endpoint no longer answers, not even a valid notification"


class Unconfigured(Exception):
    """Raised when no valid notification was accepted, so that refusals prove nothing. `result` is the first one's."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result.response)
        self.result = result


class Gone(Exception):
    """Raised when the endpoint no longer answers even a valid notification. `left` counts the checks that were not made."""

    def __init__(self, check: str, left: int) -> None:
        super().__init__(check)
        self.check = check
        self.left = left


def run(endpoint: EndpointUnderTest, names: Sequence[str] = ()) -> Iterator[tuple[Check, CheckResult]]:
    """Run the checks with these names, or all. The first valid notification is always sent.

    An endpoint that accepts periods and no transfers is checked with periods. Raises `Unconfigured`, `EffectsProblem`, and
    `Gone` once the endpoint no longer responds.
    """
    gate, *others = CHECKS
    first = gate.run(endpoint)
    if first.verdict == "wrong":
        endpoint.messages.kind = "SUBSCRIPTION_PAYMENT"
        period = next(check for check in accepted.CHECKS if check.name == "period-paid")
        if period.run(endpoint).verdict == "wrong":  # once that kind is chosen, its refusal is wrong
            endpoint.messages.kind = "RECEIVE"
            raise Unconfigured(first)
        first = CheckResult(
            "note", first.response, "it does not accept transfers [6.1]; the other checks use periods [6.2]"
        )
    if not names or gate.name in names:
        yield gate, first
    chosen = [check for check in others if not names or check.name in names]
    if endpoint.messages.kind != "RECEIVE":
        chosen = [check for check in chosen if check.name != "transfer-moves"]
    for at, check in enumerate(chosen, 1):
        endpoint.unanswered = False
        result = _ran(check, endpoint)
        if endpoint.unanswered and endpoint.gone():
            yield check, CheckResult("wrong", result.response, _GONE)
            raise Gone(check.name, len(chosen) - at)
        yield check, result


def _ran(check: Check, endpoint: EndpointUnderTest) -> CheckResult:
    try:
        return check.run(endpoint)
    except EffectsProblem as problem:
        endpoint.unanswered = True  # the endpoint may not be running
        return CheckResult("skipped", "", str(problem))
