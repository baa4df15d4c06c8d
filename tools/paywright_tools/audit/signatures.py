"""Whether a signature of a capture holds: valid, invalid, absent, or not to be told, and why."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from paywright_runtime.errors import InvalidArgument
from paywright_runtime.signatures import RsaVerifier, SignatureProblem
from paywright_runtime.snap import SnapAsymmetricVerifier
from paywright_tools.audit.bodies import candidates, cut_short
from paywright_tools.audit.records import Exact, Lost, Message, Parsed, Perhaps

__all__ = ["LOST", "Keys", "State", "Verdict"]

State = Literal["valid", "invalid", "unverifiable", "absent"]


class Verdict(NamedTuple):
    """`why` is a word that may be counted, `words` say it."""

    state: State
    why: str = ""
    words: str = ""


LOST: Final[dict[str, str]] = {
    "no_key": "no key of that side was given",
    "body_lost": "the capture does not have the body",
    "body_parsed": "the capture has the parsed body, not the bytes that were signed",
    "bytes_lost": "it does not hold over the text, whose bytes the capture may have changed",
    "reencoded": "the capture shows the body unpacked, not the bytes that came",
    "truncated": "the capture does not have the whole body",
    "symmetric": "the symmetric form needs the client secret and the access token",
    "no_path": "the operation's path, which is signed too, is not known",
}
"""Why a signature cannot be judged."""

_UNVERIFIABLE: Final = {why: Verdict("unverifiable", why, words) for why, words in LOST.items()}
_VALID: Final = Verdict("valid")
_BAD: Final = Verdict("invalid", "bad_signature", "it does not hold over the body under any key given")
_NOT_CANONICAL: Final = Verdict("invalid", "not_canonical", "it is not canonical Base64 of 256 bytes")
_SEVERAL: Final = Verdict("invalid", "several", "there are several sign headers; exactly one is due")
_SEVERAL_SNAP: Final = Verdict(
    "invalid", "several", "there are several X-SIGNATURE or X-TIMESTAMP headers; one each is due"
)
_ABSENT: Final = Verdict("absent", "absent", "there is no sign header")
_ABSENT_SNAP: Final = Verdict("absent", "absent", "there is no X-SIGNATURE header")
_MAC_LENGTH: Final = 88  # an HMAC-SHA512 in Base64, the symmetric form of SNAP
_PADDING: Final = PKCS1v15()
_HASH: Final = SHA256()

_Verify = Callable[[bytes, bytes, PKCS1v15, SHA256], None]


class Keys:
    """The public keys of both sides; each may have several, any one of which suffices."""

    __slots__ = ("_gateway", "_merchant", "_snap")

    def __init__(self, merchant: Sequence[RSAPublicKey], gateway: Sequence[RSAPublicKey]) -> None:
        # RsaVerifier refuses keys that are too short; what it would wrap for a client is not needed here.
        self._snap = SnapAsymmetricVerifier(RsaVerifier(merchant)) if merchant else None
        self._merchant: tuple[_Verify, ...] = tuple(key.verify for key in merchant)
        self._gateway: tuple[_Verify, ...] = tuple(key.verify for key in gateway) if _fit(gateway) else ()

    def judge(self, message: Message, *, by_merchant: bool) -> Verdict:
        """The `sign` header of a message, made by the merchant or by the gateway [5]."""
        signatures = message.get_all("sign")
        if len(signatures) > 1:
            return _SEVERAL
        return self.judge_one(message, signatures[0] if signatures else None, by_merchant=by_merchant)

    def judge_one(self, message: Message, signature: object, *, by_merchant: bool, several: bool = False) -> Verdict:
        """The same, of the header's value if somebody has looked for it already."""
        if signature is None:
            return _ABSENT
        if several:
            return _SEVERAL
        raw = _decoded(signature)
        if raw is None:
            return _NOT_CANONICAL
        body = message.body
        keys = self._merchant if by_merchant else self._gateway
        if keys and type(body) is Exact:
            for verify in keys:
                try:
                    verify(raw, body.raw, _PADDING, _HASH)
                except InvalidSignature:
                    continue
                return _VALID
        if isinstance(body, Lost):
            return _UNVERIFIABLE[body.why]
        if isinstance(body, Parsed):
            return _UNVERIFIABLE["body_parsed"]
        if not keys:
            return _UNVERIFIABLE["no_key"]
        for text in candidates(body, message.headers):
            if _holds(keys, raw, text):
                return _VALID
        return _failed(message, body)

    def judge_snap(self, message: Message, path: str | None) -> Verdict:
        """The X-SIGNATURE header of a bank-style call, in the asymmetric form [4.17]. `path` is signed too."""
        signatures, stamps = message.get_all("x-signature"), message.get_all("x-timestamp")
        if not signatures:
            return _ABSENT_SNAP
        if len(signatures) > 1 or len(stamps) > 1:
            return _SEVERAL_SNAP
        body = message.body
        if len(signatures[0]) == _MAC_LENGTH:
            return _UNVERIFIABLE["symmetric"]
        if _decoded(signatures[0]) is None:
            return _NOT_CANONICAL
        if isinstance(body, Lost):
            return _UNVERIFIABLE[body.why]
        if isinstance(body, Parsed):
            return _UNVERIFIABLE["body_parsed"]
        if self._snap is None:
            return _UNVERIFIABLE["no_key"]
        for text in candidates(body, message.headers):
            try:
                self._snap.verify("POST", path or "", text, "".join(stamps), signatures[0])
                return _VALID
            except SignatureProblem:
                continue
            except InvalidArgument:
                return _UNVERIFIABLE["no_path"]
        return _failed(message, body)


def _failed(message: Message, body: Exact | Perhaps) -> Verdict:
    """What is said of a signature that holds over none of the candidates."""
    if cut_short(message):
        return _UNVERIFIABLE["truncated"]
    return _BAD if isinstance(body, Exact) else _UNVERIFIABLE[body.why]


def _fit(keys: Sequence[RSAPublicKey]) -> bool:
    return bool(keys) and bool(RsaVerifier(keys))


def _holds(keys: Sequence[_Verify], signature: bytes, text: bytes) -> bool:
    for verify in keys:
        try:
            verify(signature, text, _PADDING, _HASH)
        except InvalidSignature:
            continue
        return True
    return False


def _decoded(signature: object) -> bytes | None:
    """The 256 bytes behind canonical Base64, as `paywright_runtime.signatures.canonical` reads it, in half the time."""
    if type(signature) is not str or len(signature) != 344 or signature[341] not in "AQgw":
        return None  # 256 bytes end with one byte alone, in two characters of which the second has four bits to spare
    try:
        raw = a2b_base64(signature, strict_mode=True)
    except ValueError:
        return None
    return raw if len(raw) == 256 else None
