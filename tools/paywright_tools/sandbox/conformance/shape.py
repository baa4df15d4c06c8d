"""Requests and bodies that are not what a notification is: answered in order, and nobody else has to wait for it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from typing import Final

from paywright_tools.sandbox.conformance.bench import JSON, Bench
from paywright_tools.sandbox.conformance.messages import written
from paywright_tools.sandbox.conformance.verdicts import (
    CRASHED,
    OPERATIONS,
    Check,
    Result,
    accepted,
    note,
    ok,
    refused,
    worst,
    wrong,
)
from paywright_tools.sandbox.posting import Unanswered

__all__ = ["CHECKS", "LAST"]

_HUGE: Final = 8 * 1024 * 1024
_SLOW: Final = 2.4
_PIECES: Final = 12
_PARSE: Final = "parse strictly after verifying, and answer what cannot be read with a status of your own"


def _get(bench: Bench) -> Result:
    came = bench.post(b"", [], content_type=None, method="GET")
    if came.acknowledged:
        return wrong(came.words, "a GET was acknowledged")
    if came.status is None or came.status in CRASHED:
        return note(came.words, "a GET made it fail")
    return ok(came.words)


def _text(bench: Bench) -> Result:
    came = bench.deliver(bench.mint.event(bench.mint.number()), content_type="text/plain")
    if came.status is None or came.status in CRASHED:
        return wrong(came.words, "a signed body under another Content-Type made it fail")
    return ok(came.words)


def _signed(make: Callable[[Bench, bytes], bytes]) -> Callable[[Bench], Result]:
    """A body that is no notification, signed by the right key."""

    def run(bench: Bench) -> Result:
        came = bench.deliver(make(bench, written(bench.mint.event(bench.mint.number()))))
        if came.acknowledged:
            return wrong(came.words, "it acknowledged what it cannot have read")
        return refused(bench, came)

    return run


def _twice(bench: Bench) -> Result:
    raw = written(bench.mint.event(bench.mint.number()))
    came = bench.deliver(b'{"data":{},' + raw[1:])
    if came.acknowledged:
        return note(came.words, "it took one of the two: another program of yours may take the other one")
    return refused(bench, came)


def _huge(bench: Bench) -> Result:
    head = written(bench.mint.event(bench.mint.number()))[:-1]
    raw = head + b',"more":"' + b"x" * _HUGE + b'"}'
    came = bench.post(raw, [bench.mint.other.sign(b"")])
    if isinstance(came.answer, Unanswered) and came.answer.outcome in ("LOST", "BAD_ANSWER"):
        return ok("the connection was closed")  # while it was still coming: as good as an answer
    return refused(bench, came)


def _slow(bench: Bench) -> Result:
    with ThreadPoolExecutor(1) as threads:
        dripping = threads.submit(
            bench.deliver, bench.mint.event(bench.mint.number()), content_type=JSON, pieces=_PIECES, over=_SLOW
        )
        sleep(0.3)
        meanwhile = bench.deliver(bench.mint.event(bench.mint.number()))
        slow = dripping.result()
    if not meanwhile.acknowledged or meanwhile.seconds > _SLOW * 0.6:
        said = f"another one had to wait {meanwhile.seconds:.1f} seconds for it"
        return wrong(meanwhile.words, said if meanwhile.acknowledged else "another one was not taken meanwhile")
    if slow.acknowledged:
        return ok(slow.words)
    return note(slow.words, f"a body that takes {_SLOW:g} seconds is not waited for")


def _still_there(bench: Bench) -> Result:
    sent = [bench.mint.event(bench.mint.number()) for _ in range(2)]
    return worst([accepted(bench, bench.deliver(body), OPERATIONS[bench.mint.kind]) for body in sent])


CHECKS: Final = (
    Check("cut-json", "shape", "half of a JSON text, signed", "what is signed can still be broken", _PARSE, ("6",),
          _signed(lambda bench, raw: raw[: len(raw) // 2])),
    Check("no-object", "shape", "a JSON list, signed", "what is signed can still be broken", _PARSE, ("6",),
          _signed(lambda bench, raw: b"[" + raw + b"]")),
    Check("nothing-in-it", "shape", "an empty object, signed", "what is signed can still be broken",
          "look for notifyType, and refuse what has none", ("6",), _signed(lambda bench, raw: b"{}")),
    Check("deep-json", "shape", "a list 20,000 levels deep, signed", "parsers that call themselves run out of stack",
          "bound the depth of what you parse", ("6",), _signed(lambda bench, raw: b"[" * 20_000 + b"]" * 20_000)),
    Check("repeated-member", "shape", "a member that stands twice, signed", "two parsers take two different ones for the true one",
          "refuse JSON in which a member stands twice", ("6",), _twice),
    Check("get", "shape", "a GET", "notifications are POSTed; scanners are not", "answer 405", ("6",), _get),
    Check("text-plain", "shape", "a valid body as text/plain", "the header is no part of what is signed",
          "take it or refuse it, in order", ("6",), _text),
    Check("huge", "shape", f"{_HUGE // 1024 // 1024} MiB that nobody signed", "anybody can send it, and memory ends",
          "bound what you read, at 1 MiB say, and answer 413", ("5",), _huge),
    Check("slow", "shape", f"a body that takes {_SLOW:g} seconds, and another notification meanwhile",
          "one slow caller must not hold up all others", "serve several requests at a time, behind a proxy that buffers bodies", ("6",), _slow),
)  # fmt: skip

LAST: Final = Check(
    "still-there", "shape", "two valid ones, after all of that", "an endpoint that is gone gets nothing any more",
    "look what ended it", ("4.19",), _still_there,
)  # fmt: skip
"""At the very end."""
