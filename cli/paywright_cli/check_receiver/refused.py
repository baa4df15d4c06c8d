"""Checks with notifications that are forged, for other merchants or too old [5], and with requests that are none.

None may be accepted. Each must get a proper response, and not delay others.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
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

Forge = Callable[[EndpointUnderTest, bytes, str], tuple[bytes, list[str]]]

_WHY: Final = "anybody who knows the URL can send this, and accepting it may move money"
_VERIFY: Final = "verify the one header sign over the raw bytes with the gateway's key, before anything is parsed"
_SHARED: Final = "the gateway may sign for all merchants with one key"


def _forgery(make: Forge) -> Callable[[EndpointUnderTest], CheckResult]:
    """Make a check that sends a valid event with changed bytes or signatures."""

    def run(endpoint: EndpointUnderTest) -> CheckResult:
        number = endpoint.messages.number()
        raw = written(endpoint.messages.event(number))
        changed, signs = make(endpoint, raw, endpoint.messages.signer.sign(raw))
        return refused(endpoint, endpoint.post(changed, signs), number)

    return run


def _corrupted(endpoint: EndpointUnderTest, raw: bytes, sign: str) -> tuple[bytes, list[str]]:
    changed = raw.replace(b"10.5", b"90.5")
    assert changed != raw  # the examples have that amount
    return changed, [sign]


def _two_signs(endpoint: EndpointUnderTest) -> CheckResult:
    results = []
    for good_first in (True, False):
        number = endpoint.messages.number()
        raw = written(endpoint.messages.event(number))
        signs = [endpoint.messages.signer.sign(raw), endpoint.messages.other.sign(raw)]
        response = endpoint.post(raw, signs if good_first else signs[::-1])
        result = refused(endpoint, response, number)
        if response.acknowledged:
            place = "first" if good_first else "last"
            result = wrong(response.words, f"it used the {place} of two signatures, one of which is forged")
        results.append(result)
    return worst(results)


def _not_canonical(endpoint: EndpointUnderTest) -> CheckResult:
    results = []
    for mangle in _SPELLINGS:
        number = endpoint.messages.number()
        raw = written(endpoint.messages.event(number))
        response = endpoint.post(raw, [mangle(endpoint.messages.signer.sign(raw))])
        if response.acknowledged:
            results.append(
                note(
                    response.words,
                    "it accepts several spellings of a signature: harmless unless signatures are compared",
                )
            )
        else:
            results.append(refused(endpoint, response, number))
    return worst(results)


_SPELLINGS: Final[tuple[Callable[[str], str], ...]] = (
    lambda sign: f"{sign[:60]} {sign[60:]}",
    lambda sign: sign.rstrip("="),
    lambda sign: f"{sign[:100]}-_{sign[100:]}",
)


def _foreign_app(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    response = endpoint.deliver({**endpoint.messages.event(number), "appId": "app_of_another"})
    result = refused(endpoint, response, number)
    return wrong(response.words, "it accepted a notification for another merchant") if response.acknowledged else result


def _foreign_merchant(endpoint: EndpointUnderTest) -> CheckResult:
    number = endpoint.messages.number()
    response = endpoint.deliver({**endpoint.messages.event(number), "merchantNo": "MN9999999999999"})
    if response.acknowledged:
        return note(
            response.words, "your appId with another merchantNo was accepted: fine if your app has several merchants"
        )
    return refused(endpoint, response, number)


def _at(ago: timedelta, words: str) -> Callable[[EndpointUnderTest], CheckResult]:
    def run(endpoint: EndpointUnderTest) -> CheckResult:
        number = endpoint.messages.number()
        response = endpoint.deliver(endpoint.messages.event(number, ago=ago))
        return note(response.words, words) if response.acknowledged else refused(endpoint, response, number)

    return run


FORGED: Final = (
    Check("wrong-key", "forged", "a notification signed with another key", _WHY, _VERIFY, ("5",),
          _forgery(lambda endpoint, raw, sign: (raw, [endpoint.messages.other.sign(raw)]))),
    Check("corrupted", "forged", "a signed notification whose amount was changed", _WHY, _VERIFY, ("5",), _forgery(_corrupted)),
    Check("rewritten", "forged", "the same JSON, formatted differently", "the signature covers the bytes: text that was parsed and written again is another message",
          "verify the bytes as they were received, not what your framework makes of them", ("5",),
          _forgery(lambda endpoint, raw, sign: (json.dumps(json.loads(raw), indent=2).encode(), [sign]))),
    Check("longer", "forged", "a signed notification followed by a line break", "bytes that are removed before verifying are not verified",
          _VERIFY, ("5",), _forgery(lambda endpoint, raw, sign: (raw + b"\n", [sign]))),
    Check("sign-of-another", "forged", "the signature of another notification", _WHY, _VERIFY, ("5",),
          _forgery(lambda endpoint, raw, sign: (raw, [endpoint.messages.signer.sign(written(endpoint.messages.event(endpoint.messages.number())))]))),
    Check("no-sign", "forged", "no header sign", _WHY, "refuse notifications without a signature", ("5", "6"), _forgery(lambda endpoint, raw, sign: (raw, []))),
    Check("empty-sign", "forged", "an empty header sign", _WHY, "refuse notifications without a signature", ("5", "6"), _forgery(lambda endpoint, raw, sign: (raw, [""]))),
    Check("two-signs", "forged", "two sign headers, one of them valid", "it is unclear which one counts: a proxy may check one, and your program the other",
          "accept exactly one sign header; get all headers of that name from your framework", ("5", "6"), _two_signs),
    Check("not-canonical", "forged", "signatures with a space, without padding, in another alphabet", "lenient decoders accept many spellings of one signature",
          "decode strictly, encode again, and compare", ("5",), _not_canonical),
    Check("foreign-app", "forged", "a valid signature, and the appId of another merchant", _SHARED, "compare appId with your own after verifying", ("6.1", "6.2"), _foreign_app),
    Check("foreign-merchant", "forged", "a valid signature, and another merchantNo", _SHARED, "compare merchantNo with your own after verifying", ("6.1", "6.2"), _foreign_merchant),
    Check("old", "forged", "a notifyTime of 30 days ago", "a signature stays valid for ever: anybody who has an old notification can send it again",
          "refuse notifications older than your record of handled ones", ("6",), _at(timedelta(days=30), "fine if your record of handled notifications goes back further")),
    Check("ahead", "forged", "a notifyTime of tomorrow", "it would still be fresh after your record of it was deleted",
          "refuse notifications that are more than a few minutes ahead of your clock", ("6",), _at(-timedelta(days=1), "it accepts a time in the future")),
)  # fmt: skip


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


MALFORMED: Final = (
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
