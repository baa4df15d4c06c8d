"""Checks with notifications that are forged, for other merchants, or too old: none may be accepted [5]."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from paywright_cli.check_receiver.endpoint import EndpointUnderTest
from paywright_cli.check_receiver.messages import written
from paywright_cli.check_receiver.verdicts import Check, CheckResult, note, refused, worst, wrong

__all__ = ["CHECKS"]

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


def _wrong_key(endpoint: EndpointUnderTest, raw: bytes, sign: str) -> tuple[bytes, list[str]]:
    return raw, [endpoint.messages.other.sign(raw)]


def _corrupted(endpoint: EndpointUnderTest, raw: bytes, sign: str) -> tuple[bytes, list[str]]:
    changed = raw.replace(b"10.5", b"90.5")
    assert changed != raw  # the examples have that amount
    return changed, [sign]


def _rewritten(endpoint: EndpointUnderTest, raw: bytes, sign: str) -> tuple[bytes, list[str]]:
    return json.dumps(json.loads(raw), indent=2).encode(), [sign]


def _longer(endpoint: EndpointUnderTest, raw: bytes, sign: str) -> tuple[bytes, list[str]]:
    return raw + b"\n", [sign]


def _of_another(endpoint: EndpointUnderTest, raw: bytes, sign: str) -> tuple[bytes, list[str]]:
    return raw, [endpoint.messages.signer.sign(written(endpoint.messages.event(endpoint.messages.number())))]


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
    for mangle in (_with_space, _without_padding, _url_safe):
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


def _with_space(sign: str) -> str:
    return f"{sign[:60]} {sign[60:]}"


def _without_padding(sign: str) -> str:
    return sign.rstrip("=")


def _url_safe(sign: str) -> str:
    return sign[:100] + "-_" + sign[100:]


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


CHECKS: Final = (
    Check("wrong-key", "forged", "a notification signed with another key", _WHY, _VERIFY, ("5",), _forgery(_wrong_key)),
    Check("corrupted", "forged", "a signed notification whose amount was changed", _WHY, _VERIFY, ("5",), _forgery(_corrupted)),
    Check("rewritten", "forged", "the same JSON, formatted differently", "the signature covers the bytes: text that was parsed and written again is another message",
          "verify the bytes as they were received, not what your framework makes of them", ("5",), _forgery(_rewritten)),
    Check("longer", "forged", "a signed notification followed by a line break", "bytes that are removed before verifying are not verified",
          _VERIFY, ("5",), _forgery(_longer)),
    Check("sign-of-another", "forged", "the signature of another notification", _WHY, _VERIFY, ("5",), _forgery(_of_another)),
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
