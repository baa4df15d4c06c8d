"""Checks with repeated, late, reordered and contradictory deliveries: each effect must happen once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from time import sleep
from typing import TYPE_CHECKING, Final

from paywright_cli.check_receiver.endpoint import EndpointUnderTest, Response
from paywright_cli.check_receiver.messages import written
from paywright_cli.check_receiver.verdicts import (
    CRASHED,
    OPERATIONS,
    Check,
    CheckResult,
    accepted,
    happened,
    note,
    of_kind,
    ok,
    once,
    worst,
    wrong,
)

if TYPE_CHECKING:
    from paywright import OperationName

_TRIES: Final = 10
_REST: Final = 0.2
_COPIES: Final = 32
_AGAIN: Final = "unacknowledged notifications are sent again, and answers get lost: repeated deliveries are normal"
_RECORD: Final = (
    "keep a durable record by requestNo and status (or subscriptionNo, index and paymentStatus), written in the transaction of the effect"
)


def _operation(endpoint: EndpointUnderTest) -> OperationName:
    return OPERATIONS[endpoint.messages.kind]


def _all_accepted(endpoint: EndpointUnderTest, response: Sequence[Response]) -> CheckResult:
    return worst([accepted(endpoint, one, _operation(endpoint)) for one in response])


def _duplicate(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    raw = written(endpoint.messages.event(number))
    result = _all_accepted(endpoint, [endpoint.deliver(raw) for _ in range(3)])
    return once(endpoint, endpoint.messages.subject(number), result)


def _at_once(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    raw = written(endpoint.messages.event(number))
    response = endpoint.at_once(raw, _COPIES)
    crashed = next((one for one in response if one.status in CRASHED), None)
    for _ in range(_TRIES):
        if response[-1].acknowledged:
            break
        sleep(_REST)
        response.append(endpoint.deliver(raw))
    result = _all_accepted(endpoint, response[-1:])
    if crashed is not None:
        result = worst([result, note(crashed.words, "simultaneous deliveries look like they caused an uncaught error")])
    return once(endpoint, endpoint.messages.subject(number), result)


def _anew(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    first = endpoint.messages.event(number, ago=timedelta(seconds=30))
    again = {**first, "notifyTime": endpoint.messages.time()}
    return once(
        endpoint,
        endpoint.messages.subject(number),
        _all_accepted(endpoint, [endpoint.deliver(first), endpoint.deliver(again)]),
    )


def _before_answer(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    response = endpoint.deliver(endpoint.messages.event(number))
    result = accepted(endpoint, response, _operation(endpoint))
    count = endpoint.effects.look(endpoint.messages.subject(number)).effects if result.verdict != "wrong" else None
    if count == 0:
        return wrong(response.words, "it was acknowledged before it had its effect")
    return result


def _open_then_final(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    key = endpoint.messages.subject(number)
    first = endpoint.deliver(endpoint.messages.event(number, "open", ago=timedelta(minutes=1)))
    before = happened(endpoint, key).effects
    second = endpoint.deliver(endpoint.messages.event(number))
    result = _all_accepted(endpoint, [first, second])
    look = happened(endpoint, key)
    if look.effects == 0:
        return wrong(second.words, "its final state came and had no effect: it was mistaken for a repeat")
    if look.state is not None and look.state != endpoint.messages.final:
        return wrong(second.words, f"its final state response, but it is still {look.state[:32]}")
    if look.effects is None or before is None:
        return result
    if look.state is None and look.effects == before:
        return wrong(
            second.words,
            f"{before} before its final state and {look.effects} after it: it had its effect too early, or the final state had none",
        )
    if look.effects > before + 1:
        return wrong(second.words, f"its final state had {look.effects - before} effects")
    return result


def _late(endpoint: EndpointUnderTest) -> CheckResult:
    number, hour = endpoint.messages.number(), timedelta(hours=1)
    newer, older = endpoint.messages.event(number), endpoint.messages.event(number, "open", ago=hour)
    first, second = endpoint.deliver(newer), endpoint.deliver(older)
    result = accepted(endpoint, first, _operation(endpoint))
    if result.verdict == "wrong":
        return result
    look = happened(endpoint, endpoint.messages.subject(number))
    if look.state is not None and look.state != endpoint.messages.final:
        return wrong(second.words, f"it is {look.state[:32]} now: the older notification undid the newer one")
    if look.state is None and look.effects is not None and look.effects > 1:
        return wrong(second.words, "the older notification had an effect after the newer one")
    if second.status is None or second.status in CRASHED:
        return wrong(second.words, "an older state caused an error")
    if not second.acknowledged:
        return note(second.words, "it is not acknowledged, so the gateway will send it again in vain")
    return worst([result, accepted(endpoint, second, _operation(endpoint))])


def _reordered(endpoint: EndpointUnderTest) -> CheckResult:
    plan = endpoint.messages.number()
    response = [endpoint.deliver(endpoint.messages.period(plan, index=index)) for index in (2, 1)]
    result = worst([of_kind(endpoint, one, "SUBSCRIPTION_PAYMENT") for one in response])
    if result.verdict != "ok":
        return result
    return worst([once(endpoint, f"{plan}/{index}", result) for index in (1, 2)])


def _conflict(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    first = endpoint.messages.event(number)
    other = endpoint.messages.event(number)
    other = endpoint.messages.worth(other, "9999.00")
    result = accepted(endpoint, endpoint.deliver(first), _operation(endpoint))
    second = endpoint.deliver(other)
    if second.status is None or second.status in CRASHED:
        return wrong(second.words, "a contradiction caused an error")
    kept = ok(second.words, "check that a person is alerted") if result.verdict == "ok" else result
    return once(endpoint, endpoint.messages.subject(number), kept)


def _restart(endpoint: EndpointUnderTest) -> CheckResult:
    if not endpoint.effects.restarts:
        return CheckResult("skipped", "", "give --restart COMMAND")
    number = endpoint.messages.number()
    raw = written(endpoint.messages.event(number))
    key = endpoint.messages.subject(number)
    first = endpoint.deliver(raw)
    result = once(endpoint, key, _all_accepted(endpoint, [first]))
    if result.verdict == "wrong":
        return result
    endpoint.effects.restart()
    if happened(endpoint, key).effects == 0:
        return wrong(first.words, "its effect is gone after the restart: it was acknowledged, but kept in memory only")
    return once(endpoint, key, _all_accepted(endpoint, [first, endpoint.deliver(raw)]))


CHECKS: Final = (
    Check("duplicate", "once", "the same bytes three times", _AGAIN, f"acknowledge it each time, and {_RECORD}", ("4.19", "6.3"), _duplicate),
    Check("duplicate-at-once", "once", "the same bytes 32 times at the same moment", _AGAIN,
          "let a unique key of the record decide, not a query before the insert", ("6.3",), _at_once),
    Check("sent-anew", "once", "the same again with another notifyTime", "the specification does not show whether notifyTime is the time of the event or of the delivery",
          "identify the notification by its subject and state, not by its bytes or time", ("6",), _anew),
    Check("effect-before-answer", "once", "one notification, whose effect is looked up at once",
          "an acknowledged notification is not sent again: a crash after the answer loses it", "commit first, then answer", ("4.19",), _before_answer),
    Check("open-then-final", "once", "an open state, then the final one", "a transfer to be proved comes first, and the money only with its final state",
          _RECORD, ("3", "6"), _open_then_final),
    Check("late", "once", "a final state, then an older state from an hour ago", "deliveries may arrive in another order",
          "keep the final state; acknowledge older states without an effect", ("3", "6"), _late),
    Check("reordered", "once", "period 2, then period 1", "deliveries may arrive in another order",
          "handle every period by its own number, in any order", ("6.2",), _reordered),
    Check("conflict", "once", "the same number and state with another amount", "one of the two is wrong, and the gateway signed both",
          "keep the first, alert a person, and do not pay twice", ("6",), _conflict),
    Check("restart", "once", "the same again after a restart", "memory is lost with the process",
          _RECORD, ("6.3",), _restart),
)  # fmt: skip
