"""Checks with valid notifications, harmless differences and questions about bills [4.18]: all must be accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from paywright import contract
from paywright_cli.check_receiver.endpoint import EndpointUnderTest, Response
from paywright_cli.check_receiver.messages import written
from paywright_cli.check_receiver.verdicts import (
    CRASHED,
    Check,
    CheckResult,
    accepted,
    had_effect,
    note,
    of_kind,
    ok,
    refused,
    worst,
    wrong,
)

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
    if not endpoint.asks_bills and response.status not in (200, 401):
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
    if not endpoint.asks_bills and first.status not in (200, 401):
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


BILLS: Final = (
    Check("bill", "bills", "a question about an unknown bill", "an invalid answer counts as none, and the payer cannot pay",
          _WORDS, ("4.18", "2.15", "7"), _unknown),
    Check("bill-accepted", "bills", "a question about the bill of --bill", "a refused bill is not paid", _WORDS, ("4.18", "2.15", "8"), _known),
    Check("bill-again", "bills", "the same question twice", "a question has no time, and may be sent again at any time",
          "decide without an effect", ("4.18",), _again),
    Check("bill-forged", "bills", "a question signed with another key", "answers reveal which bills exist",
          "verify it like a notification", ("4.18", "5"), _forged),
)  # fmt: skip


_TRANSFER: Final = "RECEIVE"
_PERIOD: Final = "SUBSCRIPTION_PAYMENT"
_WHY: Final = "the gateway sends a notification again until it is acknowledged, and gives up in the end"
_REAL: Final = "real messages differ from the specification like this"
_TAKE: Final = "read what you need and ignore the rest; check types where you use them"


def _transfer(endpoint: EndpointUnderTest) -> CheckResult:
    return of_kind(endpoint, endpoint.deliver(endpoint.messages.transfer(endpoint.messages.number())), _TRANSFER)


def _transfer_moves(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    sent = [endpoint.messages.transfer(number, "TO_BE_PROVED"), endpoint.messages.transfer(number, "REJECTED")]
    return worst([accepted(endpoint, endpoint.deliver(body)) for body in sent])


def _period(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    return had_effect(endpoint, number, endpoint.deliver(endpoint.messages.period(number)), _PERIOD)


def _period_failed(endpoint: EndpointUnderTest) -> CheckResult:
    return of_kind(endpoint, endpoint.deliver(endpoint.messages.period(endpoint.messages.number(), "FAILED")), _PERIOD)


def _other_kinds(endpoint: EndpointUnderTest) -> CheckResult:
    """Send one of every kind that no other check sends."""
    messages = endpoint.messages
    results: list[tuple[str, CheckResult]] = []
    for kind in contract.kinds():
        if kind not in (_TRANSFER, _PERIOD):
            make = messages.unshown if kind in contract.seen() else messages.shown
            results.append((kind, of_kind(endpoint, endpoint.deliver(make(kind, messages.number())), kind)))
    found = worst([result for _, result in results])
    kinds = ", ".join(kind for kind, result in results if result.verdict == found.verdict)
    return found if found.verdict == "ok" else found._replace(detail=f"{kinds}: {found.detail}")


def _differs(
    change: Callable[[EndpointUnderTest, dict[str, object]], object],
) -> Callable[[EndpointUnderTest], CheckResult]:
    """Make a check that sends an event with a difference that a tolerant reader accepts."""

    def run(endpoint: EndpointUnderTest) -> CheckResult:
        number = endpoint.messages.number()
        body = endpoint.messages.event(number)
        change(endpoint, body)
        return had_effect(endpoint, number, endpoint.deliver(body))

    return run


def _inner(body: Mapping[str, object], *path: str) -> dict[str, object]:
    value: object = body
    for step in path:
        assert isinstance(value, dict)  # the messages are our own
        value = value[step]
    assert isinstance(value, dict)
    return value


def _more(endpoint: EndpointUnderTest, body: dict[str, object]) -> None:
    body["traceId"] = "T1"
    _inner(body, "data")["somethingNew"] = {"nested": [1, 2, {"deep": None}]}


def _nothing(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    body = endpoint.messages.period(number)  # a transfer has no optional member
    _inner(body, "data", "subscriptionPaymentDetail")["cardInfo"] = None
    _inner(body, "data", "subscriptionPaymentDetail", "lastPaymentInfo").update(errorCode="", errorMsg=None)
    return had_effect(endpoint, number, endpoint.deliver(body), _PERIOD)


def _other_types(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    body = endpoint.messages.worth(endpoint.messages.event(number), "10.50", other_type=True)
    if endpoint.messages.kind == _PERIOD:
        _inner(body, "data", "subscriptionPaymentDetail")["subscriptionIndex"] = "1"
    return had_effect(endpoint, number, endpoint.deliver(body))


def _charset(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    response = endpoint.deliver(endpoint.messages.event(number), content_type="application/json;charset=UTF-8")
    return had_effect(endpoint, number, response)


def _new_kind(endpoint: EndpointUnderTest) -> CheckResult:
    response = endpoint.deliver(endpoint.messages.unshown("SOMETHING_NEW", endpoint.messages.number()))
    if response.status is None or response.status in CRASHED:
        return wrong(response.words, "an unknown kind caused an error")
    return ok(response.words, "" if response.acknowledged else "not acknowledged: the gateway would send it again")


GATE: Final = Check(
    "transfer",
    "valid",
    "a settled transfer",
    _WHY,
    'verify the raw body with the gateway\'s key, and answer HTTP 200 with {"msg":"Success","code":"SUCCESS"}',
    ("6.1", "4.19"),
    _transfer,
)

CHECKS: Final = (
    Check("transfer-moves", "valid", "a transfer TO_BE_PROVED, then REJECTED", _WHY,
          "accept every state of a transfer; some members are empty until it is settled", ("6.1", "3"), _transfer_moves),
    Check("period-paid", "valid", "a period that was paid", _WHY, "accept it by its notifyType", ("6.2", "4.19"), _period),
    Check("period-failed", "valid", "a period that failed: the code is not APPLY_SUCCESS", _WHY,
          "acknowledge failures too, and decide by paymentStatus", ("6.2",), _period_failed),
    Check("other-kinds", "valid", "one of every other kind, as publicly seen where the specification shows none", _WHY,
          "accept them by their notifyType", ("6.3",), _other_kinds),
    Check("unknown-kind", "valid", "an unknown notifyType", "further kinds may be sent at any time",
          "acknowledge it, or refuse it deliberately with an HTTP status", ("6.3",), _new_kind),
    Check("unknown-members", "differences", "members that the specification does not name", _REAL, _TAKE, ("9",), _differs(_more)),
    Check("other-version", "differences", "another version and keyVersion in the body", _REAL, _TAKE, ("9",),
          _differs(lambda endpoint, body: body.update(version="1.7", keyVersion="2"))),
    Check("empty-msg", "differences", "an empty msg", _REAL, "decide by the data, not by msg", ("6",),
          _differs(lambda endpoint, body: body.update(msg=""))),
    Check("time-without-milliseconds", "differences", "a notifyTime without milliseconds", _REAL,
          "read times with and without milliseconds", ("6",),
          _differs(lambda endpoint, body: body.update(notifyTime=endpoint.messages.now().isoformat(timespec="seconds")))),
    Check("time-with-z", "differences", "a notifyTime that ends with Z", _REAL, "read Z as +00:00", ("6",),
          _differs(lambda endpoint, body: body.update(notifyTime=f"{endpoint.messages.now():%Y-%m-%dT%H:%M:%S.000}Z"))),
    Check("nothing-there", "differences", "null or missing members instead of empty ones", _REAL, _TAKE, ("6",), _nothing),
    Check("other-types", "differences", "numbers as text, or text as numbers", _REAL,
          "read an amount from both, as a decimal and never as a float", ("6",), _other_types),
    Check("beyond-ascii", "differences", "characters beyond ASCII", "the signature covers the bytes: decoding and encoding again changes them",
          "verify the bytes as they were received", ("5",), _differs(lambda endpoint, body: body.update(msg="Success. – 成功 ✓"))),
    Check("charset", "differences", "Content-Type application/json;charset=UTF-8", _REAL,
          "check only the media type of Content-Type, or nothing", ("6",), _charset),
)  # fmt: skip
