"""Sign and verify SNAP calls [4.17].

The specification does not show how the text to sign is built [5.7]. These are the two published forms:

Asymmetric: Base64 of SHA256withRSA over `METHOD:path:lowerhex(SHA256(minify(body))):X-TIMESTAMP`. Symmetric: Base64 of
HMAC-SHA512 with the client secret over `METHOD:path:accessToken:lowerhex(SHA256(minify(body))):X-TIMESTAMP`. A caller
whose agreement says otherwise passes a `SnapSignature` of their own.
"""

import hashlib
import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from typing import Final, NoReturn, Protocol

from paywright_runtime.errors import ConfigurationError, InvalidArgument
from paywright_runtime.signing.rsa import SignatureProblem, Signer, Verifier

__all__ = [
    "SnapAsymmetric",
    "SnapAsymmetricVerifier",
    "SnapSignature",
    "SnapSymmetric",
    "SnapSymmetricVerifier",
    "minify",
]


class SnapSignature(Protocol):
    """An object that makes the header `X-SIGNATURE` of a SNAP call, and any other header that belongs to it [4.17]."""

    def headers(self, method: str, path: str, body: bytes, timestamp: str) -> dict[str, str]:
        """Return the headers that sign a call.

        `method` is upper case, `path` the path under the base URL with its leading slash, `body` the exact bytes that
        are sent, and `timestamp` the text of `X-TIMESTAMP`.
        """
        ...


class SnapAsymmetric:
    """The asymmetric form, with the merchant's key in a `Signer` [4.17]."""

    __slots__ = ("_signer",)

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    def sign(self, method: str, path: str, body: bytes, timestamp: str) -> str:
        """Return the text of `X-SIGNATURE`. The arguments are those of `SnapSignature.headers`."""
        return self._signer.sign(_to_sign(method, path, (), body, timestamp))

    def headers(self, method: str, path: str, body: bytes, timestamp: str) -> dict[str, str]:
        """Return the header `X-SIGNATURE`."""
        return {"X-SIGNATURE": self.sign(method, path, body, timestamp)}

    def __repr__(self) -> str:
        return f"SnapAsymmetric({self._signer!r})"


class SnapSymmetric:
    """The symmetric form, with the client secret and the access token of the current session [4.17].

    `access_token` is the token, or a function that returns the current one, called once for each call. Neither secret
    nor token shows in `repr`, and it cannot be pickled.
    """

    __slots__ = ("_secret", "_token")

    def __init__(self, client_secret: str, access_token: str | Callable[[], str]) -> None:
        self._secret = _secret(client_secret)
        self._token = access_token

    def sign(self, method: str, path: str, body: bytes, timestamp: str) -> str:
        """Return the text of `X-SIGNATURE`. The arguments are those of `SnapSignature.headers`."""
        return _mac(self._secret, _to_sign(method, path, (self._current(),), body, timestamp))

    def headers(self, method: str, path: str, body: bytes, timestamp: str) -> dict[str, str]:
        """Return `X-SIGNATURE`, and the access token as `Authorization: Bearer ...`, as the published form does."""
        token = self._current()
        signature = _mac(self._secret, _to_sign(method, path, (token,), body, timestamp))
        return {"X-SIGNATURE": signature, "Authorization": f"Bearer {token}"}

    def _current(self) -> str:
        return _token(self._token if isinstance(self._token, str) else self._token())

    def __repr__(self) -> str:
        return "SnapSymmetric(client_secret=..., access_token=...)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("SnapSymmetric is not pickled: it holds the client secret. Make one in the process that signs.")


class SnapAsymmetricVerifier:
    """Verify what `SnapAsymmetric` signs, with a `Verifier` that has the merchant's public key [4.17]."""

    __slots__ = ("_verifier",)

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier

    def verify(self, method: str, path: str, body: bytes, timestamp: str, signature: str) -> None:
        """Raise `SignatureProblem` unless `signature` is valid. The arguments are those of `SnapSignature.headers`."""
        try:
            self._verifier.verify(_to_sign(method, path, (), body, timestamp), signature)
            return
        except SignatureProblem as caught:
            reason = caught.reason
        del body, signature
        raise SignatureProblem(reason)


class SnapSymmetricVerifier:
    """Verify what `SnapSymmetric` signs, in constant time. Accepts canonical Base64 only [4.17]."""

    __slots__ = ("_secret", "_token")

    def __init__(self, client_secret: str, access_token: str) -> None:
        self._secret = _secret(client_secret)
        self._token = _token(access_token)

    def verify(self, method: str, path: str, body: bytes, timestamp: str, signature: str) -> None:
        """Raise `SignatureProblem` unless `signature` is valid. The arguments are those of `SnapSignature.headers`."""
        from hmac import compare_digest

        expected = _mac(self._secret, _to_sign(method, path, (self._token,), body, timestamp))
        holds = compare_digest(expected.encode(), signature.encode(errors="replace"))
        reason = "bad_signature" if _is_canonical_mac(signature) else "not_canonical"
        del expected, signature, body
        if not holds:
            raise SignatureProblem(reason)

    def __repr__(self) -> str:
        return "SnapSymmetricVerifier(client_secret=..., access_token=...)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("SnapSymmetricVerifier is not pickled: it holds the client secret.")


# An unterminated string extends to the end of the text, so that matching is linear.
_STRINGS_AND_SPACE: Final = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))|[ \t\r\n]+', re.DOTALL)


def minify(body: bytes) -> bytes:
    """Return `body` without the white space outside strings. Order, nulls and spelling of numbers stay as they are."""
    if b"\\" in body:
        return _STRINGS_AND_SPACE.sub(rb"\1", body)
    # Without escapes, splitting at the quotes finds the strings, in a quarter of the time.
    parts = body.split(b'"')
    parts[::2] = [part.translate(None, b" \t\r\n") for part in parts[::2]]
    return b'"'.join(parts)


def _to_sign(method: str, path: str, token: tuple[str, ...], body: bytes, timestamp: str) -> bytes:
    if not isinstance(body, bytes):
        kind = type(body).__name__
        del body
        raise InvalidArgument(f"The exact bytes that are sent are signed, not {kind}: write them once, send the same.")
    if not path.startswith("/"):
        raise InvalidArgument("A SNAP signature covers the path with its leading slash, such as /v1.0/debit/status.")
    digest = hashlib.sha256(minify(body)).hexdigest()
    return ":".join((method.upper(), path, *token, digest, timestamp)).encode()


def _mac(secret: bytes, text: bytes) -> str:
    from hmac import digest

    return b2a_base64(digest(secret, text, "sha512"), newline=False).decode("ascii")


def _is_canonical_mac(signature: str) -> bool:
    try:
        raw = a2b_base64(signature)
    except ValueError:
        return False
    return len(raw) == 64 and b2a_base64(raw, newline=False).decode("ascii") == signature


def _secret(value: str) -> bytes:
    if not isinstance(value, str) or not value:
        raise ConfigurationError("The SNAP client secret is empty or no text. Nothing was sent.")
    return value.encode()


def _token(value: str) -> str:
    if not isinstance(value, str) or not value.isascii() or not value.isprintable() or not value or " " in value:
        del value
        raise ConfigurationError("The SNAP access token is empty or not fit for a header. Nothing was sent.")
    return value
