"""Deliveries that come again, late, in another order, or that contradict one another: each effect happens once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from time import sleep
from typing import Final

from paywright_tools.sandbox.conformance.bench import Bench, Came
from paywright_tools.sandbox.conformance.messages import written
from paywright_tools.sandbox.conformance.verdicts import (
    CRASHED,
    OPERATIONS,
    Check,
    Result,
    accepted,
    happened,
    note,
    of_kind,
    ok,
    worst,
    wrong,
)

__all__ = ["CHECKS"]

_TRIES: Final = 10
_REST: Final = 0.2
_COPIES: Final = 32
_AGAIN: Final = (
    "unacknowledged notifications are sent again, and answers get lost: the same one comes twice as a matter of course"
)
_RECORD: Final = (
    "keep a durable record by requestNo and status (or subscriptionNo, index and paymentStatus), written in the transaction of the effect"
)


def _operation(bench: Bench) -> str:
    return OPERATIONS[bench.mint.kind]


def _all_accepted(bench: Bench, came: Sequence[Came]) -> Result:
    return worst([accepted(bench, one, _operation(bench)) for one in came])


def _once(bench: Bench, key: str, result: Result) -> Result:
    """One effect, where it can be seen; a wrong answer weighs more."""
    if result.verdict == "wrong":
        return result
    count = happened(bench, key).effects
    if count is None:
        return result
    if count != 1:
        said = "no effect is there" if count == 0 else f"{count} effects are there"
        return wrong(result.came, f"{said}, and it is one notification")
    return result._replace(came=f"{result.came}; one effect")


def _duplicate(bench: Bench) -> Result:
    number = bench.mint.number()
    raw = written(bench.mint.event(number))
    result = _all_accepted(bench, [bench.deliver(raw) for _ in range(3)])
    return _once(bench, bench.mint.subject(number), result)


def _at_once(bench: Bench) -> Result:
    number = bench.mint.number()
    raw = written(bench.mint.event(number))
    came = bench.at_once(raw, _COPIES)
    crashed = next((one for one in came if one.status in CRASHED), None)
    for _ in range(_TRIES):
        if came[-1].acknowledged:
            break
        sleep(_REST)
        came.append(bench.deliver(raw))
    result = _all_accepted(bench, came[-1:])
    if crashed is not None:
        result = worst([result, note(crashed.words, "at the same moment it looks like an error that nobody caught")])
    return _once(bench, bench.mint.subject(number), result)


def _anew(bench: Bench) -> Result:
    number = bench.mint.number()
    first = bench.mint.event(number, ago=timedelta(seconds=30))
    again = {**first, "notifyTime": bench.mint.time()}
    return _once(bench, bench.mint.subject(number), _all_accepted(bench, [bench.deliver(first), bench.deliver(again)]))


def _before_answer(bench: Bench) -> Result:
    number = bench.mint.number()
    came = bench.deliver(bench.mint.event(number))
    result = accepted(bench, came, _operation(bench))
    count = bench.effects.look(bench.mint.subject(number)).effects if result.verdict != "wrong" else None
    if count == 0:
        return wrong(came.words, "it was acknowledged, and its effect was not there yet")
    return result


def _open_then_final(bench: Bench) -> Result:
    number = bench.mint.number()
    key = bench.mint.subject(number)
    first = bench.deliver(bench.mint.event(number, "open", ago=timedelta(minutes=1)))
    before = None if bench.effects.costly else happened(bench, key).effects
    second = bench.deliver(bench.mint.event(number))
    result = _all_accepted(bench, [first, second])
    look = happened(bench, key)
    if look.effects == 0:
        return wrong(second.words, "its end came, and no effect is there: it was taken for one that had come before")
    if look.state is not None and look.state != bench.mint.final:
        return wrong(second.words, f"its end came, and it is {look.state[:32]} still")
    if look.effects is None or before is None:
        return result
    if look.state is None and look.effects == before:
        return wrong(
            second.words,
            f"{before} before its end and {look.effects} after it: it had its effect too early, or its end had none",
        )
    if look.effects > before + 1:
        return wrong(second.words, f"{look.effects - before} effects are there by its end, and it is one notification")
    return result


def _late(bench: Bench) -> Result:
    number, hour = bench.mint.number(), timedelta(hours=1)
    newer, older = bench.mint.event(number), bench.mint.event(number, "open", ago=hour)
    first, second = bench.deliver(newer), bench.deliver(older)
    result = accepted(bench, first, _operation(bench))
    if result.verdict == "wrong":
        return result
    look = happened(bench, bench.mint.subject(number))
    if look.state is not None and look.state != bench.mint.final:
        return wrong(second.words, f"it is {look.state[:32]} now: the older notification has undone the newer one")
    if look.state is None and look.effects is not None and look.effects > 1:
        return wrong(second.words, "the older notification had an effect after the newer one")
    if second.status is None or second.status in CRASHED:
        return wrong(second.words, "an older state made it fail")
    if not second.acknowledged:
        return note(second.words, "it is not acknowledged, and will come again for nothing")
    return worst([result, accepted(bench, second, _operation(bench))])


def _reordered(bench: Bench) -> Result:
    plan = bench.mint.number()
    came = [bench.deliver(bench.mint.period(plan, index=index)) for index in (2, 1)]
    result = worst([of_kind(bench, one, "SUBSCRIPTION_PAYMENT") for one in came])
    if result.verdict != "ok":
        return result
    return worst([_once(bench, f"{plan}/{index}", result) for index in (1, 2)])


def _conflict(bench: Bench) -> Result:
    number = bench.mint.number()
    first = bench.mint.event(number)
    other = bench.mint.event(number)
    data = other["data"]
    assert isinstance(data, dict)  # our own
    if bench.mint.kind == "RECEIVE":
        data["paymentDetail"] = {**data["paymentDetail"], "trade": {"amount": "9999.00", "currency": "USD"}}
    else:
        detail = data["subscriptionPaymentDetail"]
        data["subscriptionPaymentDetail"] = {**detail, "payAmount": {"amount": 9999, "currency": "USD"}}
    result = accepted(bench, bench.deliver(first), _operation(bench))
    second = bench.deliver(other)
    if second.status is None or second.status in CRASHED:
        return wrong(second.words, "a contradiction made it fail")
    kept = ok(second.words, "look whether somebody hears of it") if result.verdict == "ok" else result
    return _once(bench, bench.mint.subject(number), kept)


def _restart(bench: Bench) -> Result:
    if not bench.effects.restarts:
        return Result("skipped", "", "give --restart COMMAND, or --ask")
    number = bench.mint.number()
    raw = written(bench.mint.event(number))
    key = bench.mint.subject(number)
    first = bench.deliver(raw)
    if not bench.effects.costly:
        result = _once(bench, key, _all_accepted(bench, [first]))
        if result.verdict == "wrong":
            return result
    bench.effects.restart()
    if happened(bench, key).effects == 0:
        return wrong(
            first.words, "its effect is gone after the restart: it was acknowledged, and was kept in memory only"
        )
    return _once(bench, key, _all_accepted(bench, [first, bench.deliver(raw)]))


CHECKS: Final = (
    Check("duplicate", "once", "the same bytes three times", _AGAIN, f"acknowledge it each time, and {_RECORD}", ("4.19", "6.3"), _duplicate),
    Check("duplicate-at-once", "once", "the same bytes 32 times at the same moment", _AGAIN,
          "let the record decide, with a unique key, and not a look before it", ("6.3",), _at_once),
    Check("sent-anew", "once", "the same again with another notifyTime", "whether notifyTime is that of the event or of the delivery is not shown",
          "make the key of what the notification is about, not of its bytes or its time", ("6",), _anew),
    Check("effect-before-answer", "once", "one notification, and at once a look at its effect",
          "what is acknowledged never comes again: a crash after the answer loses it", "commit first, then answer", ("4.19",), _before_answer),
    Check("open-then-final", "once", "an open state, then the final one", "what waits to be proved comes first, and the money only with its end",
          _RECORD, ("3", "6"), _open_then_final),
    Check("late", "once", "a final state, then an older state from an hour ago", "deliveries overtake one another",
          "keep a final state; acknowledge what comes late, and let it change nothing", ("3", "6"), _late),
    Check("reordered", "once", "period 2, then period 1", "deliveries overtake one another",
          "take every period by its own number, in whatever order they come", ("6.2",), _reordered),
    Check("conflict", "once", "the same number and state with another amount", "one of the two is wrong, and the service has signed both",
          "keep the first, call a person, and do not pay twice", ("6",), _conflict),
    Check("restart", "once", "the same again after a restart", "memory ends with the process, and the next process knows nothing",
          _RECORD, ("6.3",), _restart),
)  # fmt: skip
