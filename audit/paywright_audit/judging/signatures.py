"""Verify the signatures of a capture, and give each message one verdict of its own evidence.

A signature is valid, invalid, absent or unverifiable, with a reason. What follows for the message is its `MessageVerdict`; no other
module decides it. docs/audit.md has the table: "What is evidence".
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Final, Literal, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from paywright.signatures import SnapAsymmetric
from paywright_audit.input.body_decoding import bytes_of, cut_short, packed, unpacked
from paywright_audit.input.records import Decoded, Exact, Lost, Message, Parsed
from paywright_audit.input.repairs import repaired
from paywright_runtime.errors import InvalidArgument
from paywright_runtime.signing.rsa import RsaVerifier, SignatureProblem

try:
    from paywright_audit.input.typed_bodies import base64_bytes
except ImportError:  # msgspec is not installed

    def base64_bytes(text: str) -> bytes:
        """Return the bytes of a text in Base64."""
        return a2b_base64(text, strict_mode=True)


State = Literal["valid", "invalid", "unverifiable", "absent"]


class MessageVerdict(StrEnum):
    """The verdict on a message, by what the capture itself has of it.

    PARTIAL: its headers or its body were not recorded. PROVEN: a key signed its content, as it is or after undoing what tools
    do. WRONG: exact bytes that no key signed, although nothing is missing. ALTERED: a text or a parsed value that no key signed, or
    a value in place of the signature. UNPROVEN: no key for it was given.
    """

    PARTIAL = "partial"
    PROVEN = "proven"
    WRONG = "wrong"
    ALTERED = "altered"
    UNPROVEN = "unproven"


class SignatureVerdict(NamedTuple):
    """Verdict on a signature. `why` is a stable word for counting; `words` describe it."""

    state: State
    why: str = ""
    words: str = ""

    @property
    def evidence(self) -> MessageVerdict:
        """Return what it makes of the message."""
        if self.state != "unverifiable":
            return MessageVerdict.PROVEN if self.state == "valid" else MessageVerdict.WRONG
        if self.why in _PARTIAL:
            return MessageVerdict.PARTIAL
        return MessageVerdict.UNPROVEN if self.why in _UNPROVEN else MessageVerdict.ALTERED


LOST: Final[dict[str, str]] = {
    "no_key": "no key of that side was given",
    "headers_lost": "the capture does not have the headers, or not all",
    "body_lost": "the capture does not have the body",
    "answer_lost": "the capture does not have the answer",
    "body_parsed": "the capture has the parsed body, not the bytes that were signed",
    "bytes_lost": "it is not valid for the text, whose bytes the capture may have changed",
    "reencoded": "the capture has the unpacked body, not the bytes that were sent",
    "truncated": "the capture does not have the whole body",
    "packed": "the body is compressed in a format that is not supported here",
    "masked": "its recorder hid values",
    "no_signature": "what the sign header has is no signature: the capture hides, cut or changed it",
    "accepted": "it is missing or wrong, but the gateway accepted the message: the capture changed one of the two",
    "other_form": "it is not valid in the asymmetric Bank Indonesia form, and the specification does not show how it is built",
    "no_key_of": "the given keys are for other merchants than the one named",
    "symmetric": "the symmetric form needs the client secret and the access token",
    "no_path": "the operation's path, which is signed too, is not known",
}
"""Reasons why a signature cannot be judged."""

_PARTIAL: Final = frozenset(("headers_lost", "body_lost", "answer_lost", "truncated", "packed", "masked"))
_UNPROVEN: Final = frozenset(("no_key", "no_key_of", "symmetric", "other_form", "no_path"))

_UNVERIFIABLE: Final = {why: SignatureVerdict("unverifiable", why, words) for why, words in LOST.items()}
VALID: Final = SignatureVerdict("valid")
_BAD: Final = SignatureVerdict("invalid", "bad_signature", "it is not valid for the body with any given key")
_SWAPPED: Final = SignatureVerdict(
    "invalid", "swapped", "it is valid for a key that was given for the other side: are the keys swapped?"
)
REFUSED: Final = SignatureVerdict(
    "invalid", "refused", "it does not verify, and the gateway refused the message for its signature"
)
"""A signature that only a repair makes valid, or none, where the gateway proved that it came so."""
ACCEPTED: Final = _UNVERIFIABLE["accepted"]
"""A signature that the gateway accepted, so that the capture must have changed it or its body."""
_SEVERAL: Final = SignatureVerdict("invalid", "several", "there are several sign headers; there must be exactly one")
_SEVERAL_SNAP: Final = SignatureVerdict(
    "invalid", "several", "there are several X-SIGNATURE or X-TIMESTAMP headers; there must be one of each"
)
_ABSENT: Final = SignatureVerdict("absent", "absent", "there is no sign header")
_ABSENT_SNAP: Final = SignatureVerdict("absent", "absent", "there is no X-SIGNATURE header")
_MAC_LENGTH: Final = 88  # an HMAC-SHA512 in Base64, the symmetric form of SNAP
_PADDING: Final = PKCS1v15()
_HASH: Final = SHA256()

_REMEMBERED: Final = 1024  # signatures, of each of two generations
_SHORT: Final = 4096  # bytes of a body

_Verify = Callable[[bytes, bytes, PKCS1v15, SHA256], None]
_Signed = tuple[Sequence[_Verify], str, bytes]
"""Keys of one side, a signature and a body."""


class Keys:
    """The public keys of both sides. A signature by any of a side's keys is valid.

    `last` is the number of the key of the last valid `sign` header, from 1 on, and `repaired` the last body that had to be
    repaired to be valid. Valid signatures of the latest few thousand short bodies are remembered, because answers to polls are
    often equal, byte for byte.

    A key may be `bound` to a merchant, by any name that its messages use (`appId`, `merchantNo`, X-PARTNER-ID): then it
    is valid for no other merchant, and no other key is for this one.
    """

    def __init__(
        self,
        merchant: Sequence[RSAPublicKey],
        gateway: Sequence[RSAPublicKey],
        merchant_of: Mapping[str, Sequence[RSAPublicKey]] | None = None,
        gateway_of: Mapping[str, Sequence[RSAPublicKey]] | None = None,
    ) -> None:
        self._merchant = _SideKeys(merchant, merchant_of or {})
        self._gateway = _SideKeys(gateway, gateway_of or {})
        self.bound: bool = bool(merchant_of or gateway_of)
        self.last: int = 0
        self._valid: dict[_Signed, int] = {}
        self._before: dict[_Signed, int] = {}
        self.repaired: bytes = b""

    @property
    def given(self) -> bool:
        """True if there is any key."""
        return bool(self._merchant.numbers or self._gateway.numbers)

    def judge_one(
        self,
        message: Message,
        signature: object,
        *,
        by_merchant: bool,
        several: bool = False,
        names: Sequence[str] = (),
    ) -> SignatureVerdict:
        """Judge the value of a `sign` header [5]. `names` are those of the merchant.

        If only a repaired body is valid, it is `repaired`.
        """
        body = message.body
        side = self._merchant if by_merchant else self._gateway
        keys = side.every if not side.of else side.keys(names)
        if not several and (type(body) is Exact or type(body) is Decoded) and type(signature) is str:
            signed = keys, signature, body.raw
            known = self._valid.get(signed) or self._before.get(signed)
            if known is not None:
                self.last = known
                return VALID
            raw = _decoded(signature)
            if raw is not None and self._holds(side, keys, raw, body.raw):
                if len(body.raw) <= _SHORT:
                    if len(self._valid) == _REMEMBERED:
                        self._before, self._valid = self._valid, {}
                    self._valid[signed] = self.last
                return VALID
        if signature is None:
            return _ABSENT if message.is_whole() else _UNVERIFIABLE["headers_lost" if keys else "no_key"]
        if isinstance(body, Lost):
            return _UNVERIFIABLE[body.why]
        if not keys:
            return _UNVERIFIABLE["no_key_of" if side.of else "no_key"]
        values = dict.fromkeys(message.get_all("sign"))
        inside = unpacked(message)
        if inside is not None and len(values) == 1:
            raw = _decoded(signature)
            if raw is not None and self._holds(side, keys, raw, inside):
                return VALID
        told = bytes_of(message) if len(values) == 1 else None
        found = None if told is None else repaired(told, [*values], [side.public[id(one)] for one in keys])
        if found is not None:
            self.last = side.numbers[id(keys[found.key])]
            self.repaired = found.body
            words = ["there are several equal sign headers"] * several
            return SignatureVerdict("valid", "repaired", " and ".join([*filter(None, (found.words,)), *words]))
        if len(values) > 1:
            return _SEVERAL
        if isinstance(body, Parsed) and body.redacted:
            return _UNVERIFIABLE["masked"]
        raw = _decoded(signature)
        if raw is None:
            return _UNVERIFIABLE["no_signature"]
        if isinstance(body, Parsed):
            return _UNVERIFIABLE["body_parsed"]
        failed = _failed(message, body)
        other = self._gateway if by_merchant else self._merchant
        return _SWAPPED if failed is _BAD and self._holds(other, other.all(), raw, body.raw) else failed

    def _holds(self, side: _SideKeys, keys: Sequence[_Verify], signature: bytes, text: bytes) -> bool:
        for verify in keys:
            try:
                verify(signature, text, _PADDING, _HASH)
            except InvalidSignature:
                continue
            self.last = side.numbers[id(verify)]
            return True
        return False

    def judge_snap(self, message: Message, path: str | None, *, names: Sequence[str] = ()) -> SignatureVerdict:
        """Judge the X-SIGNATURE header of a bank-style call [4.17]. `path` is signed too.

        The specification does not show how it is built [5.7]. A signature in the asymmetric form of Bank Indonesia that
        verifies is valid; any other is unverifiable.
        """
        signatures, stamps = message.get_all("x-signature"), message.get_all("x-timestamp")
        if not signatures:
            return _ABSENT_SNAP if message.is_whole() else _UNVERIFIABLE["headers_lost" if self.given else "no_key"]
        if len(signatures) > 1 or len(stamps) > 1:
            return _SEVERAL_SNAP
        body = message.body
        if len(signatures[0]) == _MAC_LENGTH:
            return _UNVERIFIABLE["symmetric"]
        if isinstance(body, Lost):
            return _UNVERIFIABLE[body.why]
        snap = self._merchant.snap(names)
        if snap is None:
            return _UNVERIFIABLE["no_key_of" if self._merchant.of else "no_key"]
        if isinstance(body, Parsed):
            return _UNVERIFIABLE["body_parsed"]
        for text in filter(None, (body.raw, unpacked(message))):
            try:
                snap.verify(SnapAsymmetric.text("POST", path or "", text, "".join(stamps)), signatures[0])
                return VALID
            except SignatureProblem:
                continue
            except InvalidArgument:
                return _UNVERIFIABLE["no_path"]
        failed = _failed(message, body)
        return _UNVERIFIABLE["other_form"] if failed is _BAD else failed


class _SideKeys:
    """Keys of one side: `every` is for all merchants, `of` for some merchants by name. `numbers` count them from 1."""

    def __init__(self, every: Sequence[RSAPublicKey], of: Mapping[str, Sequence[RSAPublicKey]]) -> None:
        # RsaVerifier refuses short keys; the keys are then used directly, which is faster.
        self._snaps = {name: RsaVerifier(keys) for name, keys in {"": every, **of}.items() if keys}
        self.public: dict[int, RSAPublicKey] = {}
        self.every: tuple[_Verify, ...] = tuple(map(self._verify, every))
        self.of: dict[str, tuple[_Verify, ...]] = {name: tuple(map(self._verify, keys)) for name, keys in of.items()}
        self.numbers = {id(verify): number for number, verify in enumerate(self.all(), 1)}

    def _verify(self, key: RSAPublicKey) -> _Verify:
        verify = key.verify
        self.public[id(verify)] = key
        return verify

    def keys(self, names: Sequence[str]) -> tuple[_Verify, ...]:
        """Return the keys for a merchant with these names."""
        return next((self.of[name] for name in names if name in self.of), self.every)

    def snap(self, names: Sequence[str]) -> RsaVerifier | None:
        """Return the verifier of bank-style signatures of a merchant with these names; None without a key."""
        return self._snaps.get(next((name for name in names if name in self.of), ""))

    def all(self) -> tuple[_Verify, ...]:
        """Return the keys for all merchants."""
        return (*self.every, *(verify for some in self.of.values() for verify in some))


def _failed(message: Message, body: Exact | Decoded) -> SignatureVerdict:
    """Return the verdict on a well-formed signature that is valid for no repair of the body."""
    if cut_short(message):
        return _UNVERIFIABLE["truncated"]
    if isinstance(body, Exact) and packed(message) and unpacked(message) is None:
        return _UNVERIFIABLE["packed"]
    return _BAD if isinstance(body, Exact) else _UNVERIFIABLE[body.why]


def _decoded(signature: object) -> bytes | None:
    """Decode canonical Base64 of 256 bytes as `paywright_runtime.signing.rsa.canonical` does, in less time."""
    if type(signature) is not str:
        return None
    signature = signature.strip(" \t")  # allowed around the value of a header
    if len(signature) != 344 or signature[341] not in "AQgw":
        return None  # the last of 256 bytes takes two characters; the unused four bits of the second must be 0
    try:
        raw = base64_bytes(signature)
    except ValueError:
        return None
    return raw if len(raw) == 256 else None
