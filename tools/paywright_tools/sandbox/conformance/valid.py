"""Valid notifications of every kind, and those that differ from the specification as real ones do: all are to be taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from paywright_tools.sandbox.conformance.bench import Bench
from paywright_tools.sandbox.conformance.verdicts import (
    CRASHED,
    OPERATIONS,
    Check,
    Result,
    accepted,
    of_kind,
    ok,
    worst,
    wrong,
)

__all__ = ["CHECKS", "GATE"]

_PERIOD: Final = "SUBSCRIPTION_PAYMENT"
_WHY: Final = "what is not acknowledged is sent again, and at last not any more"
_REAL: Final = "real messages differ so from the specification"
_TAKE: Final = "read what you need and ignore the rest; check types where you use them"


def _transfer(bench: Bench) -> Result:
    return accepted(bench, bench.deliver(bench.mint.transfer(bench.mint.number())))


def _transfer_moves(bench: Bench) -> Result:
    number = bench.mint.number()
    sent = [bench.mint.transfer(number, "TO_BE_PROVED"), bench.mint.transfer(number, "REJECTED")]
    return worst([accepted(bench, bench.deliver(body)) for body in sent])


def _period(bench: Bench) -> Result:
    return of_kind(bench, bench.deliver(bench.mint.period(bench.mint.number())), _PERIOD)


def _period_failed(bench: Bench) -> Result:
    return of_kind(bench, bench.deliver(bench.mint.period(bench.mint.number(), "FAILED")), _PERIOD)


def _unshown(kind: str) -> Callable[[Bench], Result]:
    def run(bench: Bench) -> Result:
        return of_kind(bench, bench.deliver(bench.mint.unshown(kind, bench.mint.number())), kind)

    return run


def _differs(change: Callable[[Bench, dict[str, object]], object]) -> Callable[[Bench], Result]:
    """An event of the chosen kind with a difference that readers survive."""

    def run(bench: Bench) -> Result:
        body = bench.mint.event(bench.mint.number())
        change(bench, body)
        return accepted(bench, bench.deliver(body), OPERATIONS[bench.mint.kind])

    return run


def _inner(body: Mapping[str, object], *path: str) -> dict[str, object]:
    value: object = body
    for step in path:
        assert isinstance(value, dict)  # the messages are our own
        value = value[step]
    assert isinstance(value, dict)
    return value


def _more(bench: Bench, body: dict[str, object]) -> None:
    body["traceId"] = "T1"
    _inner(body, "data")["somethingNew"] = {"nested": [1, 2, {"deep": None}]}


def _without_milliseconds(bench: Bench, body: dict[str, object]) -> None:
    body["notifyTime"] = bench.mint.now().isoformat(timespec="seconds")


def _with_z(bench: Bench, body: dict[str, object]) -> None:
    body["notifyTime"] = f"{bench.mint.now():%Y-%m-%dT%H:%M:%S.000}Z"


def _nothing(bench: Bench) -> Result:
    body = bench.mint.period(bench.mint.number())  # a transfer has no member that may be absent
    _inner(body, "data", "subscriptionPaymentDetail")["cardInfo"] = None
    _inner(body, "data", "subscriptionPaymentDetail", "lastPaymentInfo").update(errorCode="", errorMsg=None)
    return of_kind(bench, bench.deliver(body), _PERIOD)


def _other_types(bench: Bench, body: dict[str, object]) -> None:
    if bench.mint.kind == "RECEIVE":
        _inner(body, "data", "paymentDetail", "trade")["amount"] = Decimal("10.50")
    else:
        detail = _inner(body, "data", "subscriptionPaymentDetail")
        detail["subscriptionIndex"] = "1"
        _inner(detail, "payAmount")["amount"] = "10.50"


def _charset(bench: Bench) -> Result:
    body = bench.mint.event(bench.mint.number())
    came = bench.deliver(body, content_type="application/json;charset=UTF-8")
    return accepted(bench, came, OPERATIONS[bench.mint.kind])


def _beyond_ascii(bench: Bench) -> Result:
    body = bench.mint.event(bench.mint.number())
    body["msg"] = "Success. – 成功 ✓"
    return accepted(bench, bench.deliver(body), OPERATIONS[bench.mint.kind])


def _new_kind(bench: Bench) -> Result:
    came = bench.deliver(bench.mint.unshown("SOMETHING_NEW", bench.mint.number()))
    if came.status is None or came.status in CRASHED:
        return wrong(came.words, "a kind that it does not know made it fail")
    return ok(came.words, "" if came.acknowledged else "not acknowledged: it would come again")


GATE: Final = Check(
    "transfer",
    "valid",
    "a transfer that is settled [6.1]",
    _WHY,
    'verify the raw body with the gateway\'s key, and answer HTTP 200 with {"msg":"Success","code":"SUCCESS"}',
    ("6.1", "4.19"),
    _transfer,
)

CHECKS: Final = (
    Check("transfer-moves", "valid", "a transfer TO_BE_PROVED, then REJECTED", _WHY,
          "take every state of a transfer; some members are empty until it is settled", ("6.1", "3"), _transfer_moves),
    Check("period-paid", "valid", "a period that was paid", _WHY, "take it by its notifyType", ("6.2", "4.19"), _period),
    Check("period-failed", "valid", "a period that failed: the code is not APPLY_SUCCESS", _WHY,
          "a failure is news too: judge paymentStatus, and acknowledge it", ("6.2",), _period_failed),
    Check("order-result", "valid", "an order's result (PAYMENT)", _WHY, "take it by its notifyType", ("6.3",), _unshown("PAYMENT")),
    Check("refund-result", "valid", "a refund's result (REFUND)", _WHY, "take it by its notifyType", ("6.3",), _unshown("REFUND")),
    Check("withdraw-result", "valid", "a withdraw order's end (WITHDRAW)", _WHY, "take it by its notifyType", ("6.3",), _unshown("WITHDRAW")),
    Check("unknown-kind", "valid", "a notifyType that nobody has shown", "further kinds may be sent at any time",
          "answer it in order: acknowledge it, or refuse it with a status on purpose", ("6.3",), _new_kind),
    Check("unknown-members", "differences", "members that the specification does not name", _REAL, _TAKE, ("9",), _differs(_more)),
    Check("other-version", "differences", "another version and keyVersion in the body", _REAL, _TAKE, ("9",),
          _differs(lambda bench, body: body.update(version="1.7", keyVersion="2"))),
    Check("empty-msg", "differences", "an empty msg", _REAL, "decide by the data, not by msg", ("6",),
          _differs(lambda bench, body: body.update(msg=""))),
    Check("time-without-milliseconds", "differences", "a notifyTime without milliseconds", _REAL,
          "read times with and without milliseconds", ("6",), _differs(_without_milliseconds)),
    Check("time-with-z", "differences", "a notifyTime that ends with Z", _REAL, "read Z as +00:00", ("6",), _differs(_with_z)),
    Check("nothing-there", "differences", "null or nothing where there is nothing to say", _REAL, _TAKE, ("6",), _nothing),
    Check("other-types", "differences", "numbers as text, or text as numbers", _REAL,
          "read an amount from both, as a decimal and never as a float", ("6",), _differs(_other_types)),
    Check("beyond-ascii", "differences", "characters beyond ASCII", "the signature covers bytes: whoever decodes and encodes anew loses it",
          "verify the bytes as they came", ("5",), _beyond_ascii),
    Check("charset", "differences", "Content-Type application/json;charset=UTF-8", _REAL,
          "look at the media type alone, or not at all", ("6",), _charset),
)  # fmt: skip
