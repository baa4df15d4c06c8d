"""Signing what is sent and verifying what came [5]: RSASSA-PKCS1-v1_5 with SHA-256, in canonical padded Base64.

Only verified bytes are ever parsed, and the types say so: what reads a message takes `VerifiedBytes`, and nothing but a
verifier of this module makes one; `UnsignedAnswers` is the one that asks for no signature, and says so. A `Verifier` of your own (one that fetches rotated keys, say) hands over to an
`RsaVerifier`. A `Signer` of your own may keep its key in an HSM or a key service.
"""

from binascii import a2b_base64, b2a_base64
from collections.abc import Sequence
from typing import Final, NoReturn, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from paywright_runtime.errors import InvalidArgument, KeyProblem
from paywright_runtime.keys import fingerprint, require_private, require_public

__all__ = [
    "RsaSigner",
    "RsaVerifier",
    "SignatureProblem",
    "Signer",
    "UnsignedAnswers",
    "VerifiedBytes",
    "Verifier",
    "canonical",
]

_PADDING: Final = PKCS1v15()
_HASH: Final = SHA256()
_SIGNATURE_BYTES: Final = 256


class SignatureProblem(Exception):
    """A signature does not hold. `reason` is a word of `errors.REASONS`: `not_canonical` or `bad_signature`.

    It carries neither the signature nor the body.
    """

    reason: str

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


_MADE_BY_A_VERIFIER: Final = object()


class VerifiedBytes:
    """Bytes whose signature holds, and the fingerprint of the key that says so. Only a verifier makes them."""

    __slots__ = ("_key", "_raw")

    def __init__(self, raw: bytes, key: str, made_by: object) -> None:
        if made_by is not _MADE_BY_A_VERIFIER:
            raise InvalidArgument("VerifiedBytes are what a Verifier returns; they are not made by hand.")
        self._raw = raw
        self._key = key

    def __init_subclass__(cls) -> None:
        raise InvalidArgument("VerifiedBytes has no subclasses: they could be made without a verifier.")

    @property
    def raw(self) -> bytes:
        """The bytes, exactly as they came."""
        return self._raw

    @property
    def key(self) -> str:
        """The fingerprint of the public key that verified them."""
        return self._key

    def __len__(self) -> int:
        return len(self._raw)

    def __repr__(self) -> str:
        return f"<VerifiedBytes: {len(self._raw)} bytes, verified by {self._key}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("VerifiedBytes are not pickled: whoever unpickles them could not know that they were verified.")


class Signer(Protocol):
    """Signs a body: `sign` returns the signature of exactly these bytes as canonical padded Base64 [5]."""

    def sign(self, body: bytes, /) -> str: ...


class Verifier(Protocol):
    """Judges a body: `verify` returns it as `VerifiedBytes`, or raises `SignatureProblem` [5]."""

    def verify(self, body: bytes, signature: str, /) -> VerifiedBytes: ...


def canonical(signature: str) -> bytes:
    """The 256 bytes behind a signature in canonical padded Base64, 344 characters; else `SignatureProblem`.

    A lenient decoder takes line breaks, spaces and two headers joined by a comma for the same signature.
    """
    raw = _decoded(signature)
    if raw is None:
        del signature
        raise SignatureProblem("not_canonical")
    return raw


def _decoded(signature: str) -> bytes | None:
    if len(signature) != 344:
        return None
    try:
        raw = a2b_base64(signature)
    except ValueError:
        return None
    # Written again it must be the same text: the decoder overlooks foreign characters and bits set behind the last byte.
    same = len(raw) == _SIGNATURE_BYTES and b2a_base64(raw, newline=False).decode("ascii") == signature
    return raw if same else None


class RsaSigner:
    """Signs with an RSA private key of 2048 bits [5]. Deterministic: the same bytes have the same signature.

    Threads may share it. `repr` shows the fingerprint of the public key alone; it cannot be pickled.
    """

    __slots__ = ("_private", "_sign", "key")

    def __init__(self, private: RSAPrivateKey) -> None:
        self._private = require_private(private)
        self._sign = private.sign
        self.key: str = fingerprint(private.public_key())

    @property
    def public(self) -> RSAPublicKey:
        """The public key, which the gateway must have."""
        return self._private.public_key()

    def sign(self, body: bytes, /) -> str:
        if not isinstance(body, bytes):
            kind = type(body).__name__
            del body
            raise InvalidArgument(
                f"The exact bytes that are sent are signed, not {kind}: write them once, send the same."
            )
        return b2a_base64(self._sign(body, _PADDING, _HASH), newline=False).decode("ascii")

    def __repr__(self) -> str:
        return f"RsaSigner(key={self.key!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A signer is not pickled: it holds a private key. Make one in the process that signs.")


class RsaVerifier:
    """Verifies with one or several live RSA public keys of 2048 bits [5]; any one of them suffices.

    Threads may share it. `verify` raises `SignatureProblem`.
    """

    __slots__ = ("_keys", "keys")

    def __init__(self, keys: Sequence[RSAPublicKey]) -> None:
        if not keys:
            raise KeyProblem("No gateway key is given: answers cannot be verified. Nothing was sent.", why="empty")
        self._keys = tuple((require_public(key).verify, fingerprint(key)) for key in keys)
        self.keys: tuple[str, ...] = tuple(name for _, name in self._keys)

    def verify(self, body: bytes, signature: str, /) -> VerifiedBytes:
        if not isinstance(body, bytes):
            kind = type(body).__name__
            del body, signature
            raise InvalidArgument(_RAW_BODY.format(kind))
        raw = _decoded(signature)
        if raw is None:
            del body, signature
            raise SignatureProblem("not_canonical")
        for verify, name in self._keys:
            try:
                verify(raw, body, _PADDING, _HASH)
            except InvalidSignature:
                continue
            return VerifiedBytes(body, name, _MADE_BY_A_VERIFIER)
        del body, signature, raw
        raise SignatureProblem("bad_signature")

    def __repr__(self) -> str:
        return f"RsaVerifier(keys={list(self.keys)!r})"


class UnsignedAnswers:
    """Lets answers through that carry no signature at all, under the one setting that says so.

    Whether bank-style answers are signed is not shown [4.17, 5.4]. Then the connection alone vouches for the answer; its
    `key` is `unsigned`. An answer that does carry a signature is refused: it is to be verified, not waved through.
    """

    __slots__ = ()

    def verify(self, body: bytes, signature: str, /) -> VerifiedBytes:
        if signature:
            del body, signature
            raise SignatureProblem("bad_signature")
        return VerifiedBytes(body, "unsigned", _MADE_BY_A_VERIFIER)

    def __repr__(self) -> str:
        return "UnsignedAnswers()"


_RAW_BODY = (
    "A signature is verified over the raw bytes of the body, not over {}: whatever parses and writes it again changes it. "
    "The raw body is request.get_data() in Flask, request.body in Django and await request.body() in FastAPI."
)
