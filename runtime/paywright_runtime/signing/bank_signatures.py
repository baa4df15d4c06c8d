"""Signatures of calls that the merchant chooses, because the contract has more than one form of them [4.17].

These are the bases of generated classes such as `SnapAsymmetric`, which state what their form covers, by `signatures:`
of the contract; `covered` makes the bytes. A caller whose agreement says otherwise passes a `CallSignature` of their own.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar, NoReturn, Protocol

from paywright_runtime.errors import ConfigurationError
from paywright_runtime.signing.covered import CoveredText
from paywright_runtime.signing.rsa import Signer
from paywright_runtime.tracebacks import strip_frames


class CallSignature(Protocol):
    """An object that makes the header with the signature of a call, and any other header that belongs to it [4.17]."""

    def headers(self, method: str, path: str, body: bytes, timestamp: str) -> dict[str, str]:
        """Return the headers that sign a call.

        `method` is upper case, `path` the path under the base URL with its leading slash, `body` the exact bytes that
        are sent, and `timestamp` the text of the header with the time.
        """
        ...


class _Form:
    """Facts of a form, stated by a generated class: its header, the text it covers, the time's header, and a header beside it."""

    __slots__ = ()

    HEADER: ClassVar[str]
    COVERS: ClassVar[str]
    TIME: ClassVar[str]
    BESIDE: ClassVar[tuple[str, str] | None] = None
    HASH: ClassVar[str] = ""
    _covered: ClassVar[CoveredText]

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "COVERS"):
            cls._covered = CoveredText(cls.COVERS)

    @classmethod
    def text(cls, method: str, path: str, body: bytes, timestamp: str, access_token: str = "") -> bytes:
        """Return the bytes that a signature covers. The arguments are those of `CallSignature.headers`."""
        return cls._covered.of(method, path, body, {cls.TIME.lower(): timestamp, "access_token": access_token})


class KeySignature(_Form):
    """Sign calls with the merchant's key, in a `Signer`."""

    __slots__ = ("_signer",)

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    @strip_frames  # an error of the merchant's signer would expose the locals of frames that it passes
    def headers(self, method: str, path: str, body: bytes, timestamp: str) -> dict[str, str]:
        """Return the signature's header."""
        return {self.HEADER: self._signer.sign(self.text(method, path, body, timestamp))}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._signer!r})"


class SecretSignature(_Form):
    """Sign calls with the client secret and the access token of the current session.

    `access_token` is the token, or a function that returns the current one, called once for each call. Neither secret
    nor token shows in `repr`, and it cannot be pickled.
    """

    __slots__ = ("_secret", "_token")

    @strip_frames
    def __init__(self, client_secret: str, access_token: str | Callable[[], str]) -> None:
        self._secret = _secret(client_secret)
        self._token = access_token

    @strip_frames  # as above: the token may come from a function of the merchant
    def headers(self, method: str, path: str, body: bytes, timestamp: str) -> dict[str, str]:
        """Return the signature's header, and the one that carries the access token."""
        from hmac import digest

        token = _token(self._token if isinstance(self._token, str) else self._token())
        mac = digest(self._secret, self.text(method, path, body, timestamp, token), self.HASH)
        made = {self.HEADER: b2a_base64(mac, newline=False).decode("ascii")}
        if self.BESIDE is not None:
            name, text = self.BESIDE
            made[name] = text.replace("{access_token}", token)
        return made

    def __repr__(self) -> str:
        return f"{type(self).__name__}(client_secret=..., access_token=...)"

    def __reduce__(self) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"{name} cannot be pickled: it holds the client secret. Make one in the process that signs.")


def _secret(value: str) -> bytes:
    if isinstance(value, str) and value:
        with suppress(UnicodeEncodeError):  # the error holds the whole secret
            return value.encode()
    raise ConfigurationError("The client secret of a signature is empty, or not UTF-8 text. Nothing was sent.")


def _token(value: str) -> str:
    if not isinstance(value, str) or not value.isascii() or not value.isprintable() or not value or " " in value:
        del value
        raise ConfigurationError("The access token of a signature is empty or not fit for a header. Nothing was sent.")
    return value
