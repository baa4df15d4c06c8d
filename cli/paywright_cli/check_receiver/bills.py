"""Checks of the question whether a bill may be paid, and of its response [4.18]."""

from __future__ import annotations

from typing import Final

from paywright_cli.check_receiver.endpoint import EndpointUnderTest, Response
from paywright_cli.check_receiver.messages import written
from paywright_cli.check_receiver.verdicts import Check, CheckResult, accepted, note, ok, refused, worst, wrong

__all__ = ["CHECKS"]

_OPERATION: Final = "merchant.validate_bill_payment"
_WORDS: Final = (
    'answer HTTP 200 with {"code":"SUCCESS","msg":"Success","data":{referenceNo, minAmount, maxAmount, currency, '
    "confirmation Y or N, and failureReason for N}}; amounts are numbers"
)


def _data(response: Response) -> dict[str, object]:
    body = response.body
    data = body.get("data") if isinstance(body, dict) else None
    return dict(data) if isinstance(data, dict) else {}


def _answered(endpoint: EndpointUnderTest, response: Response, reference: str) -> CheckResult:
    """Judge an answer that must decide, by the contract."""
    if not endpoint.asks_bills and response.status != 200:
        return note(
            response.words, "it answers no questions about bills; only bill payments in the Philippines have them"
        )
    result = accepted(endpoint, response, _OPERATION)
    data = _data(response)
    if result.verdict == "wrong":
        return result
    if not data:
        return wrong(response.words, "the answer has no data, so it decides nothing")
    asked = endpoint.messages.question(reference)
    if any(data[name] != value for name, value in asked.items() if name in data and name != "amount"):
        return wrong(response.words, "the answer is about another bill than the question")
    said = "accepted" if data["confirmation"] == "Y" else "refused"
    if said == "refused" and not data.get("failureReason"):
        result = worst([result, note(response.words, "it refuses without a failureReason")])
    return result._replace(response=f"{response.words}, {said}")


def _unknown(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    response = endpoint.ask(endpoint.messages.question(number))
    result = _answered(endpoint, response, number)
    if result.verdict in ("ok", "note") and _data(response).get("confirmation") == "Y":
        return note(result.response, "it accepts an unknown bill")
    return result


def _known(endpoint: EndpointUnderTest) -> CheckResult:
    if endpoint.bill is None:
        return CheckResult("skipped", "", "name a bill that may be paid with --bill REFERENCE:AMOUNT")
    reference, _, amount = endpoint.bill.partition(":")
    response = endpoint.ask(endpoint.messages.question(reference, amount or "10.50"))
    result = _answered(endpoint, response, reference)
    if result.verdict == "wrong" or _data(response).get("confirmation") == "Y":
        return result
    return wrong(response.words, "the bill may be paid, but was refused")


def _again(endpoint: EndpointUnderTest) -> CheckResult:
    question = endpoint.messages.question(endpoint.messages.number())
    first, second = endpoint.ask(question), endpoint.ask(question)
    if not endpoint.asks_bills and first.status != 200:
        return note(first.words, "it answers no questions about bills")
    if _data(first).get("confirmation") != _data(second).get("confirmation") or second.status != first.status:
        return wrong(second.words, "the same question got another decision")
    return ok(second.words)


def _forged(endpoint: EndpointUnderTest) -> CheckResult:
    raw = written(endpoint.messages.question(endpoint.messages.number()))
    response = endpoint.post(raw, [endpoint.messages.other.sign(raw)], to=endpoint.bill_to)
    if response.acknowledged:
        return wrong(response.words, "it answered a question that the gateway did not sign")
    return refused(endpoint, response)


CHECKS: Final = (
    Check("bill", "bills", "a question about an unknown bill", "an invalid answer counts as none, and the payer cannot pay",
          _WORDS, ("4.18", "2.15", "7"), _unknown),
    Check("bill-accepted", "bills", "a question about the bill of --bill", "a refused bill is not paid", _WORDS, ("4.18", "2.15", "8"), _known),
    Check("bill-again", "bills", "the same question twice", "a question has no time, and may be sent again at any time",
          "decide without an effect", ("4.18",), _again),
    Check("bill-forged", "bills", "a question signed with another key", "answers reveal which bills exist",
          "verify it like a notification", ("4.18", "5"), _forged),
)  # fmt: skip
