"""What the service did not sign, or not for this merchant, or not now: none of it is to be believed [5]."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from paywright_tools.sandbox.conformance.bench import Bench
from paywright_tools.sandbox.conformance.messages import written
from paywright_tools.sandbox.conformance.verdicts import Check, Result, note, refused, worst, wrong

__all__ = ["CHECKS"]

Forge = Callable[[Bench, bytes, str], tuple[bytes, list[str]]]

_WHY: Final = "anybody who knows the address can send this, and money follows from what is believed"
_VERIFY: Final = "verify the one header sign over the raw bytes with the gateway's key, before anything is parsed"
_SHARED: Final = "one key of the service may sign for every merchant"


def _forgery(make: Forge) -> Callable[[Bench], Result]:
    """A valid event, of which bytes or signatures were changed."""

    def run(bench: Bench) -> Result:
        number = bench.mint.number()
        raw = written(bench.mint.event(number))
        changed, signs = make(bench, raw, bench.mint.signer.sign(raw))
        return refused(bench, bench.post(changed, signs), number)

    return run


def _wrong_key(bench: Bench, raw: bytes, sign: str) -> tuple[bytes, list[str]]:
    return raw, [bench.mint.other.sign(raw)]


def _corrupted(bench: Bench, raw: bytes, sign: str) -> tuple[bytes, list[str]]:
    changed = raw.replace(b"10.5", b"90.5")
    assert changed != raw  # the examples have that amount
    return changed, [sign]


def _rewritten(bench: Bench, raw: bytes, sign: str) -> tuple[bytes, list[str]]:
    return json.dumps(json.loads(raw), indent=2).encode(), [sign]


def _longer(bench: Bench, raw: bytes, sign: str) -> tuple[bytes, list[str]]:
    return raw + b"\n", [sign]


def _of_another(bench: Bench, raw: bytes, sign: str) -> tuple[bytes, list[str]]:
    return raw, [bench.mint.signer.sign(written(bench.mint.event(bench.mint.number())))]


def _two_signs(bench: Bench) -> Result:
    results = []
    for good_first in (True, False):
        number = bench.mint.number()
        raw = written(bench.mint.event(number))
        signs = [bench.mint.signer.sign(raw), bench.mint.other.sign(raw)]
        came = bench.post(raw, signs if good_first else signs[::-1])
        result = refused(bench, came, number)
        if came.acknowledged:
            place = "first" if good_first else "last"
            result = wrong(came.words, f"it took the {place} of two signatures, one of which is forged")
        results.append(result)
    return worst(results)


def _not_canonical(bench: Bench) -> Result:
    results = []
    for mangle in (_with_space, _without_padding, _url_safe):
        number = bench.mint.number()
        raw = written(bench.mint.event(number))
        came = bench.post(raw, [mangle(bench.mint.signer.sign(raw))])
        if came.acknowledged:
            results.append(
                note(came.words, "it takes more than one spelling of a signature: harmless until one is compared")
            )
        else:
            results.append(refused(bench, came, number))
    return worst(results)


def _with_space(sign: str) -> str:
    return f"{sign[:60]} {sign[60:]}"


def _without_padding(sign: str) -> str:
    return sign.rstrip("=")


def _url_safe(sign: str) -> str:
    return sign[:100] + "-_" + sign[100:]


def _foreign_app(bench: Bench) -> Result:
    number = bench.mint.number()
    came = bench.deliver({**bench.mint.event(number), "appId": "app_of_another"})
    result = refused(bench, came, number)
    return wrong(came.words, "it took what is meant for another merchant") if came.acknowledged else result


def _foreign_merchant(bench: Bench) -> Result:
    number = bench.mint.number()
    came = bench.deliver({**bench.mint.event(number), "merchantNo": "MN9999999999999"})
    if came.acknowledged:
        return note(came.words, "the appId was yours and the merchantNo another's: well, if your app has several")
    return refused(bench, came, number)


def _at(ago: timedelta, words: str) -> Callable[[Bench], Result]:
    def run(bench: Bench) -> Result:
        number = bench.mint.number()
        came = bench.deliver(bench.mint.event(number, ago=ago))
        return note(came.words, words) if came.acknowledged else refused(bench, came, number)

    return run


CHECKS: Final = (
    Check("wrong-key", "forged", "a notification that another key signed", _WHY, _VERIFY, ("5",), _forgery(_wrong_key)),
    Check("corrupted", "forged", "a signed notification whose amount was changed", _WHY, _VERIFY, ("5",), _forgery(_corrupted)),
    Check("rewritten", "forged", "the same JSON, written anew with white space", "a signature covers bytes: who verifies a text of his own making verifies another message",
          "verify the bytes as they came, and not what your framework makes of them", ("5",), _forgery(_rewritten)),
    Check("longer", "forged", "a signed notification with a line break behind it", "what is cut off before verifying is verified by nobody",
          _VERIFY, ("5",), _forgery(_longer)),
    Check("sign-of-another", "forged", "the signature of another notification", _WHY, _VERIFY, ("5",), _forgery(_of_another)),
    Check("no-sign", "forged", "no header sign", _WHY, "refuse what is not signed", ("5", "6"), _forgery(lambda bench, raw, sign: (raw, []))),
    Check("empty-sign", "forged", "an empty header sign", _WHY, "refuse what is not signed", ("5", "6"), _forgery(lambda bench, raw, sign: (raw, [""]))),
    Check("two-signs", "forged", "two headers sign, of which one holds", "which one was meant nobody can say: a proxy may judge one, and your program the other",
          "take exactly one header sign; ask your framework for all of that name", ("5", "6"), _two_signs),
    Check("not-canonical", "forged", "signatures with a blank, without padding, in another alphabet", "lenient decoders take many texts for one signature",
          "decode strictly, encode again, and compare", ("5",), _not_canonical),
    Check("foreign-app", "forged", "a valid signature, and the appId of another merchant", _SHARED, "compare appId with your own after verifying", ("6.1", "6.2"), _foreign_app),
    Check("foreign-merchant", "forged", "a valid signature, and another merchantNo", _SHARED, "compare merchantNo with your own after verifying", ("6.1", "6.2"), _foreign_merchant),
    Check("old", "forged", "a notifyTime of 30 days ago", "a signature holds for ever: whoever has an old notification can send it again",
          "refuse what is older than your record of what was handled", ("6",), _at(timedelta(days=30), "well, if your record of what was handled goes back further")),
    Check("ahead", "forged", "a notifyTime of tomorrow", "it would stay fresh after your record has forgotten it",
          "refuse what is ahead of your clock by more than a few minutes", ("6",), _at(-timedelta(days=1), "it believes a time that has not come")),
)  # fmt: skip
