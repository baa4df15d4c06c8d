"""Whether a bill may be paid: the question, and the answer that the contract asks for [4.18]."""

from __future__ import annotations

from typing import Final

from paywright_tools.sandbox.conformance.bench import Bench, Came
from paywright_tools.sandbox.conformance.messages import written
from paywright_tools.sandbox.conformance.verdicts import Check, Result, accepted, note, ok, refused, worst, wrong

__all__ = ["CHECKS"]

_OPERATION: Final = "merchant.validate_bill_payment"
_WORDS: Final = (
    'answer HTTP 200 with {"code":"SUCCESS","msg":"Success","data":{referenceNo, minAmount, maxAmount, currency, '
    "confirmation Y or N, and failureReason for N}}; amounts are numbers"
)


def _data(came: Came) -> dict[str, object]:
    body = came.body
    data = body.get("data") if isinstance(body, dict) else None
    return dict(data) if isinstance(data, dict) else {}


def _answered(bench: Bench, came: Came, reference: str) -> Result:
    """An answer that decides, by the contract."""
    if not bench.asks_bills and came.status != 200:
        return note(came.words, "it answers no questions about bills; only bill payments in the Philippines have them")
    result = accepted(bench, came, _OPERATION)
    data = _data(came)
    if result.verdict == "wrong":
        return result
    if not data:
        return wrong(came.words, "there is no data: it decides nothing")
    if data["referenceNo"] != reference or data["currency"] != "PHP":
        return wrong(came.words, "the answer is about something else than what was asked")
    said = "accepted" if data["confirmation"] == "Y" else "refused"
    if said == "refused" and not data.get("failureReason"):
        result = worst([result, note(came.words, "it refuses without a failureReason")])
    return result._replace(came=f"{came.words}, {said}")


def _unknown(bench: Bench) -> Result:
    number = bench.mint.number()
    came = bench.ask(bench.mint.question(number))
    result = _answered(bench, came, number)
    if result.verdict in ("ok", "note") and _data(came).get("confirmation") == "Y":
        return note(result.came, "it accepts a bill whose number nobody has given out")
    return result


def _known(bench: Bench) -> Result:
    if bench.bill is None:
        return Result("skipped", "", "name a bill that may be paid with --bill REFERENCE:AMOUNT")
    reference, _, amount = bench.bill.partition(":")
    came = bench.ask(bench.mint.question(reference, amount or "10.50"))
    result = _answered(bench, came, reference)
    if result.verdict == "wrong" or _data(came).get("confirmation") == "Y":
        return result
    return wrong(came.words, "the bill may be paid, and it was refused")


def _again(bench: Bench) -> Result:
    question = bench.mint.question(bench.mint.number())
    first, second = bench.ask(question), bench.ask(question)
    if not bench.asks_bills and first.status != 200:
        return note(first.words, "it answers no questions about bills")
    if _data(first).get("confirmation") != _data(second).get("confirmation") or second.status != first.status:
        return wrong(second.words, "the same question was decided another way")
    return ok(second.words)


def _forged(bench: Bench) -> Result:
    raw = written(bench.mint.question(bench.mint.number()))
    came = bench.post(raw, [bench.mint.other.sign(raw)], to=bench.bill_to)
    if came.acknowledged:
        return wrong(came.words, "it answered a question that the service did not sign")
    return refused(bench, came)


CHECKS: Final = (
    Check("bill", "bills", "a question about a bill that nobody has given out", "what is no valid answer is taken for none, and the payer is sent away",
          _WORDS, ("4.18", "2.15", "7"), _unknown),
    Check("bill-accepted", "bills", "a question about the bill of --bill", "what is refused is not paid", _WORDS, ("4.18", "2.15", "8"), _known),
    Check("bill-again", "bills", "the same question twice", "a question carries no time, and may come again at any time",
          "decide without an effect", ("4.18",), _again),
    Check("bill-forged", "bills", "a question that another key signed", "whoever may ask learns which bills there are",
          "verify it like a notification", ("4.18", "5"), _forged),
)  # fmt: skip
