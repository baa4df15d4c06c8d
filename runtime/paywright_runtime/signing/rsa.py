"""Sign requests and verify responses [5]: RSASSA-PKCS1-v1_5 with SHA-256, in canonical padded Base64.

Only verified bytes are parsed. The types enforce it: the code that reads messages takes `VerifiedBytes`, which only
the verifier of this module makes, and `unsigned` where no signature is asked for. A `Verifier` of your own, such as one that
fetches rotated keys, calls an `RsaVerifier`. A `Signer` of your own may keep its key in an HSM or a key service.
"""

from binascii import a2b_base64, b2a_base64
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from paywright_runtime.errors import ConfigurationError, InvalidArgument, KeyProblem

_PADDING: Final = PKCS1v15()
_HASH: Final = SHA256()
_SIGNATURE_BYTES: Final = 256
_COROUTINE: Final = 0x80  # inspect.CO_COROUTINE


class SignatureProblem(Exception):
    """Raised when a signature does not verify.

    `reason` is a word of `attempts.REASONS`: `not_canonical` or `bad_signature`. It holds neither the signature nor the body.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


_MADE_BY_A_VERIFIER: Final = object()


class VerifiedBytes:
    """Bytes with a verified signature, and the fingerprint of the key that verified it. Only a verifier makes them."""

    __slots__ = ("_key", "_raw")

    def __init__(self, raw: bytes, key: str, made_by: object) -> None:
        if made_by is not _MADE_BY_A_VERIFIER:
            raise InvalidArgument("Only a Verifier makes VerifiedBytes.")
        self._raw = raw
        self._key = key

    def __init_subclass__(cls) -> None:
        raise InvalidArgument("VerifiedBytes has no subclasses: they could be made without a verifier.")

    @property
    def raw(self) -> bytes:
        """Return the bytes, exactly as they were received."""
        return self._raw

    @property
    def key(self) -> str:
        """Return the fingerprint of the public key that verified them."""
        return self._key

    def __repr__(self) -> str:
        return f"<VerifiedBytes: {len(self._raw)} bytes, verified by {self._key}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "VerifiedBytes cannot be pickled: after unpickling, nothing would show that they were verified."
        )


def covering(verified: VerifiedBytes, body: bytes) -> VerifiedBytes:
    """Return `body` as verified by the key that verified a text made from it. For `signing.covered`, which makes that text."""
    return VerifiedBytes(body, verified.key, _MADE_BY_A_VERIFIER)


class Signer(Protocol):
    """An object that signs message bodies, such as `RsaSigner` [5]."""

    def sign(self, body: bytes, /) -> str:
        """Return the signature of exactly these bytes as canonical padded Base64, 344 characters."""
        ...


class Verifier(Protocol):
    """An object that verifies message bodies, such as `RsaVerifier` [5]."""

    def verify(self, body: bytes, signature: str, /) -> VerifiedBytes:
        """Return the body as `VerifiedBytes`. Raises `SignatureProblem` if the signature does not verify."""
        ...


def canonical(signature: str) -> bytes | None:
    """Return the 256 bytes of a signature in canonical padded Base64, 344 characters; None for any other text.

    A lenient decoder would accept line breaks, spaces, and two headers joined by a comma.
    """
    # The last digit before the padding carries two bits. The decoder refuses foreign characters, but ignores four more bits.
    if len(signature) != 344 or signature[341] not in "AQgw":
        return None
    try:
        raw = a2b_base64(signature, strict_mode=True)
    except ValueError:
        return None
    return raw if len(raw) == _SIGNATURE_BYTES else None


def signed(signer: Signer, message: bytes) -> str:
    """Return the signature of a message. Raises `ConfigurationError` if the signer returns other than canonical Base64 of 256 bytes."""
    signature: object = signer.sign(message)
    if type(signer) is RsaSigner and type(signature) is str:
        return signature
    if not isinstance(signature, str) or canonical(signature) is None:
        kind = "a text" if isinstance(signature, str) else type(signature).__name__
        raise ConfigurationError(
            f"{type(signer).__name__}.sign returned {kind}, and not canonical Base64 of 256 bytes as text, 344 characters without line "
            "breaks. Nothing was sent. Return base64.b64encode(signature).decode() of an RSA signature."
        )
    return str.__str__(signature)


class RsaSigner:
    """Sign with an RSA private key of 2048 bits [5]. The same bytes always have the same signature.

    Threads may share it. `repr` shows only the fingerprint of the public key; it cannot be pickled. Raises `KeyProblem`
    for any other key.
    """

    __slots__ = ("_sign", "key", "public")

    def __init__(self, private: RSAPrivateKey) -> None:
        # Here, because a signer of the merchant's own does not need it.
        from paywright_runtime.signing.keys import fingerprint, require_private

        self._sign = require_private(private).sign
        self.public: RSAPublicKey = private.public_key()
        """The public key, which the gateway must have."""
        self.key: str = fingerprint(self.public)

    def sign(self, body: bytes, /) -> str:
        """Return the signature as `Signer.sign`. Raises `InvalidArgument` if the body is not bytes."""
        if not isinstance(body, bytes):
            kind = type(body).__name__
            del body
            raise InvalidArgument(
                f"A signature covers the exact bytes that are sent, not {kind}: write them once and send the same."
            )
        return b2a_base64(self._sign(body, _PADDING, _HASH), newline=False).decode("ascii")

    def __repr__(self) -> str:
        return f"RsaSigner(key={self.key!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A signer cannot be pickled: it holds a private key. Make one in the process that signs.")


class RsaVerifier:
    """Verify with one or more RSA public keys of 2048 bits [5]. A signature by any one of them is accepted.

    Threads may share it. Raises `KeyProblem` for any other key.
    """

    __slots__ = ("_keys", "keys", "public")

    def __init__(self, keys: Sequence[RSAPublicKey]) -> None:
        # Here, because a signer of the merchant's own does not need it.
        from paywright_runtime.signing.keys import fingerprint, require_public

        if not keys:
            raise KeyProblem(
                "gateway_keys is empty: give the gateway's public key, as its dashboard shows it [5]. Nothing was sent.",
                why="empty",
            )
        self._keys = tuple((require_public(key).verify, fingerprint(key)) for key in keys)
        self.keys: tuple[str, ...] = tuple(name for _, name in self._keys)
        self.public: tuple[RSAPublicKey, ...] = tuple(keys)

    def verify(self, body: bytes, signature: str, /) -> VerifiedBytes:
        """Return the body as `Verifier.verify`, if a key verifies it. Raises `InvalidArgument` if the body is not bytes."""
        if not isinstance(body, bytes):
            kind = type(body).__name__
            del body, signature
            raise InvalidArgument(_RAW_BODY.format(kind))
        raw = canonical(signature)
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


def unsigned(body: bytes) -> VerifiedBytes:
    """Return a body without a signature as `VerifiedBytes` whose `key` is `unsigned`, for `unsigned_answers=True` only.

    The specification does not show whether bank-style responses are signed [4.17, 5.4]. Without a signature only the
    TLS connection proves who sent a response.
    """
    return VerifiedBytes(body, "unsigned", _MADE_BY_A_VERIFIER)


_RAW_BODY = (
    "A signature is verified over the raw bytes of the body, not over {}: parsing a body and writing it again changes it. "
    "The raw body is request.get_data() in Flask, request.body in Django and await request.body() in FastAPI."
)


def load_signer(key: Path | str | bytes | Signer, *, name: str) -> Signer:
    """Return the signer of a private key, or `key` itself if it is a signer.

    `key` is a `Path` to a file, key text, or a `Signer`; `name` is the name of the argument, for messages.
    Raises `KeyProblem` for a key that cannot be used, `InvalidArgument` for anything else.
    """
    if isinstance(key, (Path, str, bytes)):
        # Here, because a signer of the merchant's own does not need it.
        from paywright_runtime.signing.key_text import naming_file
        from paywright_runtime.signing.keys import load_private_key

        with naming_file(key):
            return RsaSigner(load_private_key(key))
    sign = getattr(key, "sign", None)
    if not callable(sign):
        raise InvalidArgument(
            f"Nothing was sent: {name} is a Path to a file, key text, or a Signer, which has a method sign."
        )
    if getattr(getattr(sign, "__code__", None), "co_flags", 0) & _COROUTINE:
        raise InvalidArgument(
            f"Nothing was sent: the method sign of {name} is awaited. Only paywright.aio.Client takes such a signer: wrap it, "
            "private_key=paywright.aio.AwaitedSigner(signer)."
        )
    return key


def load_verifier(keys: Sequence[Path | str | bytes] | Verifier, *, own: Signer | None) -> Verifier:
    """Return the verifier of the gateway's public keys, or `keys` itself if it is a verifier.

    `keys` are `Path`s to files or key texts, of which each is accepted, or a `Verifier`; `own` is the merchant's signer, whose
    public key is refused. Raises `KeyProblem` for a key that cannot be used, `InvalidArgument` for anything else.
    """
    if isinstance(keys, (Path, str, bytes)):
        keys = [keys]
    if not isinstance(keys, Sequence):
        if not callable(getattr(keys, "verify", None)):
            raise InvalidArgument(
                "Nothing was sent: gateway_keys is a list of Paths or key texts, or a Verifier, which has a method verify."
            )
        return keys
    from paywright_runtime.signing.key_text import naming_file
    from paywright_runtime.signing.keys import load_public_key

    found = []
    for key in keys:
        with naming_file(key):
            found.append(load_public_key(key))
    verifier = RsaVerifier(found)
    if isinstance(own, RsaSigner) and own.key in verifier.keys:
        raise KeyProblem(
            "One of gateway_keys is your own public key. Give the gateway's public key, as its dashboard shows it [5]; "
            "yours is the one you upload there. Of a sandbox's keys, yours is merchant.key, and gateway.key signs its answers.",
            why="own_key",
        )
    return verifier
