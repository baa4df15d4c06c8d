"""Checks with requests that are no notifications: they must get a proper response, and not delay others."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from typing import Final

from paywright_cli.check_receiver.endpoint import JSON, EndpointUnderTest
from paywright_cli.check_receiver.messages import written
from paywright_cli.check_receiver.verdicts import (
    CRASHED,
    OPERATIONS,
    Check,
    CheckResult,
    accepted,
    note,
    ok,
    refused,
    worst,
    wrong,
)
from paywright_sandbox.delivery.http_client import Unanswered

__all__ = ["CHECKS", "LAST"]

_HUGE: Final = 8 * 1024 * 1024
_SLOW: Final = 2.4
_PIECES: Final = 12
_PARSE: Final = "parse strictly after verifying, and refuse unreadable bodies with a deliberate HTTP status"


def _get(endpoint: EndpointUnderTest) -> CheckResult:
    response = endpoint.post(b"", [], content_type=None, method="GET")
    if response.acknowledged:
        return wrong(response.words, "a GET was acknowledged")
    if response.status is None or response.status in CRASHED:
        return note(response.words, "a GET made it fail")
    return ok(response.words)


def _text(endpoint: EndpointUnderTest) -> CheckResult:
    response = endpoint.deliver(endpoint.messages.event(endpoint.messages.number()), content_type="text/plain")
    if response.status is None or response.status in CRASHED:
        return wrong(response.words, "a signed body with another Content-Type caused an error")
    return ok(response.words)


def _signed(make: Callable[[EndpointUnderTest, bytes], bytes]) -> Callable[[EndpointUnderTest], CheckResult]:
    """Make a check that sends a body that is no notification, signed with the right key."""

    def run(endpoint: EndpointUnderTest) -> CheckResult:
        response = endpoint.deliver(make(endpoint, written(endpoint.messages.event(endpoint.messages.number()))))
        if response.acknowledged:
            return wrong(response.words, "it acknowledged a body that it cannot have read")
        return refused(endpoint, response)

    return run


def _twice(endpoint: EndpointUnderTest) -> CheckResult:
    raw = written(endpoint.messages.event(endpoint.messages.number()))
    response = endpoint.deliver(b'{"data":{},' + raw[1:])
    if response.acknowledged:
        return note(response.words, "it used one of the two: another program of yours may use the other")
    return refused(endpoint, response)


def _huge(endpoint: EndpointUnderTest) -> CheckResult:
    head = written(endpoint.messages.event(endpoint.messages.number()))[:-1]
    raw = head + b',"more":"' + b"x" * _HUGE + b'"}'
    response = endpoint.post(raw, [endpoint.messages.other.sign(b"")])
    if isinstance(response.answer, Unanswered) and response.answer.outcome in ("LOST", "BAD_ANSWER"):
        return ok("the connection was closed")  # while the body was still being sent, which is as good as a response
    return refused(endpoint, response)


def _slow(endpoint: EndpointUnderTest) -> CheckResult:
    with ThreadPoolExecutor(1) as threads:
        dripping = threads.submit(
            endpoint.deliver,
            endpoint.messages.event(endpoint.messages.number()),
            content_type=JSON,
            pieces=_PIECES,
            over=_SLOW,
        )
        sleep(0.3)
        meanwhile = endpoint.deliver(endpoint.messages.event(endpoint.messages.number()))
        slow = dripping.result()
    if not meanwhile.acknowledged or meanwhile.seconds > _SLOW * 0.6:
        said = f"another notification had to wait {meanwhile.seconds:.1f} seconds for it"
        return wrong(
            meanwhile.words, said if meanwhile.acknowledged else "another notification was not accepted meanwhile"
        )
    if slow.acknowledged:
        return ok(slow.words)
    return note(slow.words, f"it does not wait for a body that takes {_SLOW:g} seconds")


def _still_there(endpoint: EndpointUnderTest) -> CheckResult:
    sent = [endpoint.messages.event(endpoint.messages.number()) for _ in range(2)]
    return worst([accepted(endpoint, endpoint.deliver(body), OPERATIONS[endpoint.messages.kind]) for body in sent])


CHECKS: Final = (
    Check("cut-json", "shape", "a truncated JSON text, signed", "a signed body can still be broken", _PARSE, ("6",),
          _signed(lambda endpoint, raw: raw[: len(raw) // 2])),
    Check("no-object", "shape", "a JSON list, signed", "a signed body can still be broken", _PARSE, ("6",),
          _signed(lambda endpoint, raw: b"[" + raw + b"]")),
    Check("nothing-in-it", "shape", "an empty object, signed", "a signed body can still be broken",
          "look for notifyType, and refuse what has none", ("6",), _signed(lambda endpoint, raw: b"{}")),
    Check("deep-json", "shape", "a list 20,000 levels deep, signed", "recursive parsers run out of stack",
          "limit the depth of JSON that you parse", ("6",), _signed(lambda endpoint, raw: b"[" * 20_000 + b"]" * 20_000)),
    Check("repeated-member", "shape", "a repeated member, signed", "parsers differ in which one they use",
          "refuse JSON with a repeated member", ("6",), _twice),
    Check("get", "shape", "a GET", "notifications are sent by POST; scanners use other methods", "answer 405", ("6",), _get),
    Check("text-plain", "shape", "a valid body as text/plain", "the signature does not cover this header",
          "accept or refuse it, without an error", ("6",), _text),
    Check("huge", "shape", f"{_HUGE // 1024 // 1024} MiB, not signed", "anybody can send it, and memory is limited",
          "limit the body that you read, such as to 1 MiB, and answer 413", ("5",), _huge),
    Check("slow", "shape", f"a body that takes {_SLOW:g} seconds, and another notification meanwhile",
          "one slow sender must not delay the others", "serve several requests at a time, behind a proxy that buffers bodies", ("6",), _slow),
)  # fmt: skip

LAST: Final = Check(
    "still-there", "shape", "two valid notifications, after all the others", "an endpoint that has crashed receives nothing",
    "find out why it crashed", ("4.19",), _still_there,
)  # fmt: skip
"""The check that runs last."""
