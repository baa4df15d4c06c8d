"""Whether a signature of a capture holds: valid, invalid, absent, or not to be told, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from paywright_runtime.errors import InvalidArgument
from paywright_runtime.facts import Operation
from paywright_runtime.signatures import RsaVerifier, SignatureProblem, canonical
from paywright_runtime.snap import SnapAsymmetricVerifier
from paywright_tools.audit.records import Exact, Lost, Message, Parsed, Perhaps

__all__ = ["Keys", "Verdict"]

State = Literal["valid", "invalid", "unverifiable", "absent"]

_WHY = {
    "not_canonical": "it is not canonical Base64 of 256 bytes",
    "bad_signature": "it does not hold over the body under any key given",
}
_MAC_LENGTH = 88  # an HMAC-SHA512 in Base64, the symmetric form of SNAP


class Verdict(NamedTuple):
    """`why` is a word that may be counted, `words` say it."""

    state: State
    why: str = ""
    words: str = ""


_NO_KEY = Verdict("unverifiable", "no_key", "no key of that side was given")


class Keys:
    """The public keys of both sides; each may have several, any one of which suffices."""

    def __init__(self, merchant: Sequence[RSAPublicKey], gateway: Sequence[RSAPublicKey]) -> None:
        self.merchant = RsaVerifier(merchant) if merchant else None
        self.gateway = RsaVerifier(gateway) if gateway else None

    def judge(self, message: Message, *, by_merchant: bool) -> Verdict:
        """The `sign` header of a message, made by the merchant or by the gateway [5]."""
        signatures = message.get_all("sign")
        if not signatures:
            return Verdict("absent", "absent", "there is no sign header")
        if len(signatures) > 1:
            return Verdict("invalid", "several", "there are several sign headers; exactly one is due")
        try:
            canonical(signatures[0])
        except SignatureProblem:
            return Verdict("invalid", "not_canonical", _WHY["not_canonical"])
        verifier = self.merchant if by_merchant else self.gateway
        body = message.body
        if isinstance(body, Lost):
            return Verdict("unverifiable", "body_lost", "the capture does not have the body")
        if isinstance(body, Parsed):
            return Verdict(
                "unverifiable", "body_parsed", "the capture has the parsed body, not the bytes that were signed"
            )
        if verifier is None:
            return _NO_KEY
        try:
            verifier.verify(body.raw, signatures[0])
        except SignatureProblem as problem:
            return _not_holding(body, problem.reason)
        return Verdict("valid")

    def judge_snap(self, message: Message, operation: Operation) -> Verdict:
        """The X-SIGNATURE header of a bank-style call, in the asymmetric form [4.17]."""
        signatures, stamps = message.get_all("x-signature"), message.get_all("x-timestamp")
        if not signatures:
            return Verdict("absent", "absent", "there is no X-SIGNATURE header")
        if len(signatures) > 1 or len(stamps) > 1:
            return Verdict(
                "invalid", "several", "there are several X-SIGNATURE or X-TIMESTAMP headers; one each is due"
            )
        body = message.body
        if len(signatures[0]) == _MAC_LENGTH:
            return Verdict(
                "unverifiable", "symmetric", "the symmetric form needs the client secret and the access token"
            )
        if isinstance(body, Lost):
            return Verdict("unverifiable", "body_lost", "the capture does not have the body")
        if isinstance(body, Parsed):
            return Verdict(
                "unverifiable", "body_parsed", "the capture has the parsed body, not the bytes that were signed"
            )
        if self.merchant is None:
            return _NO_KEY
        try:
            path, stamp = operation.path or "", "".join(stamps)
            SnapAsymmetricVerifier(self.merchant).verify("POST", path, body.raw, stamp, signatures[0])
        except SignatureProblem as problem:
            return _not_holding(body, problem.reason)
        except InvalidArgument:
            return Verdict("unverifiable", "no_path", "the operation's path, which is signed too, is not known")
        return Verdict("valid")


def _not_holding(body: Exact | Perhaps, reason: str) -> Verdict:
    if isinstance(body, Perhaps) and reason == "bad_signature":
        return Verdict(
            "unverifiable", "bytes_lost", "it does not hold over the text, whose bytes the capture may have changed"
        )
    return Verdict("invalid", reason, _WHY[reason])
