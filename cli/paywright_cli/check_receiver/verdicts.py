"""Results of checks, and the judgements that most checks share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, cast

from paywright import validate
from paywright.contract import CONTRACT
from paywright_runtime.contract.operation import Operation
from paywright_runtime.signing.rsa import SignatureProblem
from paywright_sandbox.delivery.attempts import breach_in_words
from paywright_sandbox.delivery.http_client import Answered, Unanswered

if TYPE_CHECKING:
    from paywright import MessageRole, OperationName
    from paywright_cli.check_receiver.endpoint import EndpointUnderTest, Look, Response

Verdict = Literal["ok", "wrong", "note", "skipped"]
CRASHED: Final = (500, 502, 504)
"""Status of servers for an error that nobody caught. 501 and 503 are deliberate."""
OPERATIONS: Final[dict[str, OperationName]] = {
    kind: cast("OperationName", what.name) for kind, what in CONTRACT.kinds().items() if isinstance(what, Operation)
}
"""The kinds that the contract shows."""
_PATIENCE: Final = 3.0
_RANK: Final = ("skipped", "ok", "note", "wrong")


class CheckResult(NamedTuple):
    """A verdict, a short description of the response, and details."""

    verdict: Verdict
    response: str
    detail: str = ""


class Check(NamedTuple):
    """One check: its message, why it matters, what to do if it fails, and the sections that demand it."""

    name: str
    group: str
    sent: str
    why: str
    todo: str
    sections: tuple[str, ...]
    run: Callable[[EndpointUnderTest], CheckResult]


def ok(response: str, detail: str = "") -> CheckResult:
    """Make the result of a check that the endpoint passed."""
    return CheckResult("ok", response, detail)


def note(response: str, detail: str) -> CheckResult:
    """Make the result of a check that found no mistake but something worth knowing."""
    return CheckResult("note", response, detail)


def wrong(response: str, detail: str) -> CheckResult:
    """Make the result of a check that the endpoint failed."""
    return CheckResult("wrong", response, detail)


def worst(results: Sequence[CheckResult]) -> CheckResult:
    """Return the most severe result; the first of equal ones."""
    return max(results, key=lambda result: _RANK.index(result.verdict))


def accepted(
    endpoint: EndpointUnderTest, response: Response, operation: OperationName = "notifications.receive"
) -> CheckResult:
    """Judge a response to a valid message: it must acknowledge, exactly as the contract words it [4.19]."""
    answer = response.answer
    if isinstance(answer, Unanswered):
        return wrong(response.words, "it was not answered")
    if answer.status == 401:
        return wrong(response.words, "a valid one was taken for a forged one: verify the bytes as they were received")
    if answer.status != 200:
        return wrong(response.words, "a valid one was not acknowledged: that takes HTTP status 200")
    part: MessageRole = "response" if operation == "merchant.validate_bill_payment" else "answer"
    violations = validate(operation, part, answer.body)
    if violations:
        return wrong(response.words, breach_in_words(violations[0]))
    if response.code != "SUCCESS":
        return wrong(response.words, "the answer's code is not SUCCESS")
    if not _signed_well(endpoint, answer):
        return wrong(response.words, "the answer has a sign header that is not valid for the merchant's key")
    return _worded(response, answer)


def of_kind(endpoint: EndpointUnderTest, response: Response, kind: str) -> CheckResult:
    """Judge as `accepted` does, but allow a proper refusal of a kind of which none was acknowledged."""
    result = accepted(endpoint, response, OPERATIONS.get(kind, "notifications.receive"))
    if response.acknowledged:
        endpoint.taken.add(kind)
    if kind in (endpoint.messages.kind, *endpoint.taken) or response.status in (None, 200, 401, *CRASHED):
        return result
    return note(
        response.words, f"{kind} is not acknowledged, so it will be sent again: fine if you do not use this kind"
    )


def _worded(response: Response, answer: Answered) -> CheckResult:
    types = [value for name, value in answer.headers if name.lower() == "content-type"]
    if not types or not types[0].lower().startswith("application/json"):
        return note(response.words, "the answer is JSON, but its Content-Type does not say so")
    body = response.body
    msg = body.get("msg") if isinstance(body, dict) else None
    if msg not in (None, "Success"):
        return note(response.words, "the specification's msg is Success")
    if response.seconds > _PATIENCE:
        return note(
            response.words,
            f"it took {response.seconds:.1f} seconds; the specification does not show how long the gateway waits",
        )
    return ok(response.words)


def _signed_well(endpoint: EndpointUnderTest, answer: Answered) -> bool:
    signs = [value for name, value in answer.headers if name.lower() == "sign"]
    if not signs:
        return True
    try:
        endpoint.merchant.verify(answer.body, signs[0])
    except SignatureProblem:
        return False
    return len(signs) == 1


def refused(endpoint: EndpointUnderTest, response: Response, number: str | None = None) -> CheckResult:
    """Judge a response to an invalid message: it must not acknowledge, and there must be no effect."""
    answer = response.answer
    if response.acknowledged:
        return wrong(response.words, "it was acknowledged, so your program accepted it")
    if number is not None:
        count = happened(endpoint, endpoint.messages.subject(number)).effects
        if count:
            return wrong(response.words, "it was refused, but had an effect")
    if isinstance(answer, Unanswered):
        if answer.outcome == "TIMEOUT":
            return wrong(response.words, "it was not answered in time")
        return note(response.words, "the connection was closed without an answer")
    if answer.status in CRASHED:
        return note(response.words, "it was not accepted, but this looks like an uncaught error")
    if answer.status == 200 and response.code is None:
        return note(response.words, "HTTP status 200 without a code: the gateway may count that as received")
    return ok(response.words)


def once(endpoint: EndpointUnderTest, key: str, result: CheckResult) -> CheckResult:
    """Judge that there was one effect, if effects can be looked up. A wrong response takes precedence."""
    if result.verdict == "wrong":
        return result
    count = happened(endpoint, key).effects
    if count is None:
        return result
    if count != 1:
        said = "there is no effect" if count == 0 else f"there are {count} effects"
        return wrong(result.response, f"{said} of one notification")
    return result._replace(response=f"{result.response}; one effect")


def had_effect(endpoint: EndpointUnderTest, number: str, response: Response, kind: str | None = None) -> CheckResult:
    """Judge as `accepted` does, and look up the effect of an acknowledged notification.

    `kind` is that of the notification, None for the chosen one; of another kind only the response is judged.
    """
    kind = kind or endpoint.messages.kind
    result = of_kind(endpoint, response, kind)
    if kind != endpoint.messages.kind:
        return result
    return once(endpoint, endpoint.messages.subject(number), result)


def happened(endpoint: EndpointUnderTest, key: str) -> Look:
    """Return the effects of a number once they no longer change, as far as they can be looked up. Raises `EffectsProblem`."""
    return endpoint.effects.settled(key)
