"""Signatures of the SNAP calls [4.17]. How the text to sign is built is not shown [5.7]; these are the two public forms.

Asymmetric: Base64 of SHA256withRSA over `METHOD:path:lowerhex(SHA256(minify(body))):X-TIMESTAMP`.
Symmetric: Base64 of HMAC-SHA512 with the client secret over
`METHOD:path:accessToken:lowerhex(SHA256(minify(body))):X-TIMESTAMP`.
A caller whose agreement says otherwise gives a `SnapSignature` of their own.
"""

import hashlib
import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from typing import Final, NoReturn, Protocol

from paywright_runtime.errors import ConfigurationError, InvalidArgument
from paywright_runtime.signatures import SignatureProblem, Signer, Verifier

__all__ = [
    "SnapAsymmetric",
    "SnapAsymmetricVerifier",
    "SnapSignature",
    "SnapSymmetric",
    "SnapSymmetricVerifier",
    "SnapVerifier",
    "minify",
]


class SnapSignature(Protocol):
    """Makes the header `X-SIGNATURE` of one SNAP call, and whatever other header belongs to it.

    `path` is the path under the base URL with its leading slash, `timestamp` the text of `X-TIMESTAMP`.
    """

    def headers(self, method: str, path: str, body: bytes, timestamp: str) -> dict[str, str]: ...


class SnapVerifier(Protocol):
    """Judges `X-SIGNATURE` of one SNAP call: raises `SignatureProblem` unless it holds."""

    def verify(self, method: str, path: str, body: bytes, timestamp: str, signature: str) -> None: ...


class SnapAsymmetric:
    """The asymmetric form, with the merchant's key behind a `Signer`."""

    __slots__ = ("_signer",)

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    def sign(self, method: str, path: str, body: bytes, timestamp: str) -> str:
        return self._signer.sign(_to_sign(method, path, (), body, timestamp))

    def headers(self, method: str, path: str, body: bytes, timestamp: str) -> dict[str, str]:
        return {"X-SIGNATURE": self.sign(method, path, body, timestamp)}

    def __repr__(self) -> str:
        return f"SnapAsymmetric({self._signer!r})"


class SnapSymmetric:
    """The symmetric form, with the client secret and the access token of the current session.

    `access_token` is the token, or a function that returns the one in force; it is asked once a call. `headers` also
    carries it as `Authorization: Bearer ...`, as the published form of the symmetric signature does.
    Neither secret nor token shows in `repr`, and it cannot be pickled.
    """

    __slots__ = ("_secret", "_token")

    def __init__(self, client_secret: str, access_token: str | Callable[[], str]) -> None:
        self._secret = _secret(client_secret)
        self._token = access_token

    def sign(self, method: str, path: str, body: bytes, timestamp: str) -> str:
        return _mac(self._secret, _to_sign(method, path, (self._current(),), body, timestamp))

    def headers(self, method: str, path: str, body: bytes, timestamp: str) -> dict[str, str]:
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
    """The counterpart of `SnapAsymmetric`, over a `Verifier` with the merchant's public key."""

    __slots__ = ("_verifier",)

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier

    def verify(self, method: str, path: str, body: bytes, timestamp: str, signature: str) -> None:
        try:
            self._verifier.verify(_to_sign(method, path, (), body, timestamp), signature)
            return
        except SignatureProblem as caught:
            reason = caught.reason
        del body, signature
        raise SignatureProblem(reason)


class SnapSymmetricVerifier:
    """The counterpart of `SnapSymmetric`. Compares in constant time; canonical Base64 only."""

    __slots__ = ("_secret", "_token")

    def __init__(self, client_secret: str, access_token: str) -> None:
        self._secret = _secret(client_secret)
        self._token = _token(access_token)

    def verify(self, method: str, path: str, body: bytes, timestamp: str, signature: str) -> None:
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


# A string that never ends runs to the end of the text, so that no input is read twice.
_STRINGS_AND_SPACE: Final = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))|[ \t\r\n]+', re.DOTALL)


def minify(body: bytes) -> bytes:
    """`body` without the white space outside strings; order, nulls and spelling stay as they are."""
    if b"\\" in body:
        return _STRINGS_AND_SPACE.sub(rb"\1", body)
    # Without escapes the quotes alone tell what is a string, in a quarter of the time.
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
