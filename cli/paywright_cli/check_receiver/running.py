"""List the checks, run them one after the other, and print results as text or JSON lines. Bodies of responses are never printed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from paywright_cli.check_receiver import accepted, idempotency, refused
from paywright_cli.check_receiver.endpoint import EffectsProblem, EndpointUnderTest
from paywright_cli.check_receiver.verdicts import Check, CheckResult
from paywright_cli.common.terminal import paint, say, say_json

_COLOURS: Final = {"ok": "green", "wrong": "red", "note": "yellow", "skipped": "dim"}
_WIDTH: Final = 26


class CheckReport:
    """Prints each result as it comes, as text or, with `lines`, as a JSON object."""

    def __init__(self, *, lines: bool) -> None:
        self._lines = lines
        self.verdicts: Counter[str] = Counter()

    def add(self, check: Check, result: CheckResult) -> None:
        """Print a result."""
        self.verdicts[result.verdict] += 1
        if self._lines:
            self._print(
                {
                    "check": check.name,
                    "group": check.group,
                    "verdict": result.verdict,
                    "sent": check.sent,
                    "came": result.response,
                    "detail": result.detail,
                    "why": check.why,
                    "do": check.todo,
                    "sections": list(check.sections),
                }
            )
            return
        verdict = paint(f"{result.verdict:<8}", _COLOURS[result.verdict])
        tail = f"; {result.detail}" if result.detail and result.verdict in ("ok", "skipped") else ""
        say(f"{verdict}{check.name:<{_WIDTH}}{result.response + tail}".rstrip("; ").replace("  ; ", "  "))
        if result.verdict in ("wrong", "note"):
            pad = " " * 8
            say(f"{pad}sent: {check.sent} [{', '.join(check.sections)}]")
            say(f"{pad}{paint('found:', 'bold')} {result.detail}")
            if result.verdict == "wrong":
                say(f"{pad}why it matters: {check.why}")
                say(f"{pad}do: {check.todo}")

    def end(self, trouble: str = "") -> None:
        """Print the summary."""
        counts = {name: self.verdicts[name] for name in ("ok", "wrong", "note", "skipped")}
        if self._lines:
            self._print({"checks": sum(counts.values()), **counts, **({"trouble": trouble} if trouble else {})})
            return
        words = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        say("", f"{sum(counts.values())} checks: {words or 'none was made'}.")

    @staticmethod
    def _print(record: dict[str, object]) -> None:
        say_json(json.dumps(record, ensure_ascii=False))


CHECKS: Final[tuple[Check, ...]] = (
    accepted.GATE,
    *accepted.CHECKS,
    *idempotency.CHECKS,
    *refused.FORGED,
    *refused.MALFORMED,
    *accepted.BILLS,
    refused.LAST,
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
