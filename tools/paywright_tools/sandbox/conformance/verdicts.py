"""What a check finds, and the judgements that most checks share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from paywright import validate
from paywright_runtime.signatures import SignatureProblem
from paywright_tools.sandbox.posting import Answered, Unanswered

if TYPE_CHECKING:
    from paywright_tools.sandbox.conformance.bench import Bench, Came
    from paywright_tools.sandbox.conformance.effects import Look

__all__ = [
    "CRASHED",
    "OPERATIONS",
    "Check",
    "Result",
    "Verdict",
    "accepted",
    "happened",
    "note",
    "of_kind",
    "ok",
    "refused",
    "worst",
    "wrong",
]

Verdict = Literal["ok", "wrong", "note", "skipped"]
CRASHED: Final = (500, 502, 504)
"""What servers answer for an error that nobody caught. 501 and 503 are said on purpose."""
OPERATIONS: Final = {
    "RECEIVE": "notifications.receive",
    "SUBSCRIPTION_PAYMENT": "notifications.subscription_payment",
}
"""The kinds that the contract shows."""
_PATIENCE: Final = 3.0
_RANK: Final = ("skipped", "ok", "note", "wrong")


class Result(NamedTuple):
    """A verdict, what came in a few words, and what is to be said of it."""

    verdict: Verdict
    came: str
    detail: str = ""


class Check(NamedTuple):
    """One check: what is sent, why it matters, what to do where it goes wrong, and the sections that say so."""

    name: str
    group: str
    sent: str
    why: str
    todo: str
    sections: tuple[str, ...]
    run: Callable[[Bench], Result]


def ok(came: str, detail: str = "") -> Result:
    return Result("ok", came, detail)


def note(came: str, detail: str) -> Result:
    return Result("note", came, detail)


def wrong(came: str, detail: str) -> Result:
    return Result("wrong", came, detail)


def worst(results: Sequence[Result]) -> Result:
    """The one that weighs most; of equal ones the first."""
    return max(results, key=lambda result: _RANK.index(result.verdict))


def accepted(bench: Bench, came: Came, operation: str = "notifications.receive") -> Result:
    """It must have been acknowledged, exactly as the contract words it [4.19]."""
    answer = came.answer
    if isinstance(answer, Unanswered):
        return wrong(came.words, "it was not answered")
    if answer.status != 200:
        return wrong(came.words, "a valid one was not acknowledged: that takes HTTP status 200")
    part = "response" if operation == "merchant.validate_bill_payment" else "answer"
    violations = validate(operation, part, answer.body)
    if violations:
        first = violations[0]
        return wrong(came.words, f"the answer breaks the contract at {first.pointer or 'its root'}: {first.code}")
    if came.code != "SUCCESS":
        return wrong(came.words, "the answer's code is not SUCCESS")
    if not _signed_well(bench, answer):
        return wrong(came.words, "the answer has a header sign that does not hold with the merchant's key")
    return _worded(came, answer)


def of_kind(bench: Bench, came: Came, kind: str) -> Result:
    """As `accepted`; but a kind that the checks are not made with may be refused in order: not everybody takes it."""
    result = accepted(bench, came, OPERATIONS.get(kind, "notifications.receive"))
    if kind == bench.mint.kind or came.acknowledged or came.status in (None, 200, *CRASHED):
        return result
    return note(came.words, f"{kind} is not acknowledged, and will come again: well, if you take no such kind")


def _worded(came: Came, answer: Answered) -> Result:
    types = [value for name, value in answer.headers if name.lower() == "content-type"]
    if not types or not types[0].lower().startswith("application/json"):
        return note(came.words, "the answer is JSON, but its Content-Type does not say so")
    body = came.body
    msg = body.get("msg") if isinstance(body, dict) else None
    if msg not in (None, "Success"):
        return note(came.words, "the contract's word in msg is Success")
    if came.seconds > _PATIENCE:
        return note(came.words, f"it took {came.seconds:.1f} seconds; how long the service waits is not shown")
    return ok(came.words)


def _signed_well(bench: Bench, answer: Answered) -> bool:
    signs = [value for name, value in answer.headers if name.lower() == "sign"]
    if not signs or bench.merchant is None:
        return True
    try:
        bench.merchant.verify(answer.body, signs[0])
    except SignatureProblem:
        return False
    return len(signs) == 1


def refused(bench: Bench, came: Came, number: str | None = None) -> Result:
    """It must not have been acknowledged, nor have had an effect."""
    answer = came.answer
    if came.acknowledged:
        return wrong(came.words, "it was acknowledged: your program believed it")
    if number is not None and not bench.effects.costly:
        count = happened(bench, bench.mint.subject(number)).effects
        if count:
            return wrong(came.words, "it was refused, but its effect is there")
    if isinstance(answer, Unanswered):
        if answer.outcome == "TIMEOUT":
            return wrong(came.words, "it was not answered in time")
        return note(came.words, "the connection was closed without an answer")
    if answer.status in CRASHED:
        return note(came.words, "nothing was taken, but this looks like an error that nobody caught")
    if answer.status == 200 and came.code is None:
        return note(came.words, "HTTP status 200 without a code: the service may take that for received")
    return ok(came.words)


def happened(bench: Bench, key: str) -> Look:
    """The effects of a number once they have come to rest, as far as they can be seen. Raises `EffectsProblem`."""
    return bench.effects.settled(key)
