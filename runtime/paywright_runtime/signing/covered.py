"""The text that a signature covers and the form of its header, as the contract's section `signatures:` states both.

`covers` is a text with placeholders in braces: `{body}`, `{body sha256}` (lower-case hex), `{body minified sha256}`, `{method}`,
`{path}`, `{newline}`, `{access_token}`, and `{X-TIMESTAMP}` for the value of a header of the same message. `written` is the
header's text around `{base64 of RSA-SHA256}`, or `base64url` or `hex`. A `Signer` and a `Verifier` always use canonical padded
Base64; `Scheme` converts it to the header's encoding and back, and accepts no other text.
"""

import hashlib
import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from typing import Final

from paywright_runtime.errors import ConfigurationError, InvalidArgument
from paywright_runtime.signing.rsa import SignatureProblem, Signer, VerifiedBytes, Verifier, covering, signed

_PLACE: Final = re.compile(r"\{([^{}]*)\}")
_WRITTEN: Final = re.compile(r"([^{}]*)\{(base64|base64url|hex) of [A-Z0-9-]+\}([^{}]*)").fullmatch
_HEX: Final = re.compile("(?:[0-9a-f]{2})+").fullmatch
_BASE64URL: Final = re.compile("[A-Za-z0-9_-]+").fullmatch


class CoveredText:
    """Makes the bytes that a signature covers from a message. `text` is the contract's."""

    __slots__ = ("_parts", "headers")

    def __init__(self, text: str) -> None:
        self._parts: list[bytes | str | Callable[[bytes], bytes]] = []
        for number, piece in enumerate(_PLACE.split(text.replace("{newline}", "\n"))):
            if number % 2 == 0:
                self._parts.append(piece.encode())
            elif piece.partition(" ")[0] == "body":
                self._parts.append(partial(_changed, [_CHANGES[change] for change in piece.split()[1:]]))
            else:
                self._parts.append(piece)
        named = (part for part in self._parts if isinstance(part, str))
        self.headers: tuple[str, ...] = tuple(name for name in named if name not in ("method", "path", "access_token"))
        """The headers of the message that the signature covers."""

    def of(self, method: str, path: str, body: bytes, values: Mapping[str, str]) -> bytes:
        """Return the bytes to sign. `values` are those of headers by lower-case name, and the `access_token`.

        Raises `InvalidArgument` for a body that is not bytes and for a path without its leading slash.
        """
        if not isinstance(body, bytes):
            kind = type(body).__name__
            del body
            raise InvalidArgument(
                f"A signature covers the exact bytes that are sent, not {kind}: write them once and send the same."
            )
        if not path.startswith("/"):
            raise InvalidArgument("A signature covers the path with its leading slash, such as /v1.0/debit/status.")
        known = {"method": method.upper(), "path": path, **values}
        return b"".join(
            part if isinstance(part, bytes) else known[part.lower()].encode() if isinstance(part, str) else part(body)
            for part in self._parts
        )


def header_values(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the values of headers by lower-case name, without headers that appear more than once."""
    values: dict[str, list[str]] = {}
    for name, value in headers:
        values.setdefault(name.lower(), []).append(value)
    return {name: found[0] for name, found in values.items() if len(found) == 1}


# An unterminated string extends to the end of the text, so that matching is linear.
_STRINGS_AND_SPACE: Final = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))|[ \t\r\n]+', re.DOTALL)


def minify(body: bytes) -> bytes:
    """Return `body` without white space outside strings. Order, nulls and digits of numbers are not changed."""
    return _STRINGS_AND_SPACE.sub(rb"\1", body)


def _changed(changes: Iterable[Callable[[bytes], bytes]], body: bytes) -> bytes:
    return reduce(lambda text, change: change(text), changes, body)


_CHANGES: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "minified": minify,
    "sha256": lambda body: hashlib.sha256(body).hexdigest().encode(),
}


class Scheme:
    """A signature of the contract: the text it covers and the form of its header."""

    __slots__ = ("_after", "_before", "_encoding", "covered", "plain")

    def __init__(self, covers: str, written: str) -> None:
        self.covered: CoveredText = CoveredText(covers)
        found = _WRITTEN(written)
        if found is None:
            raise ConfigurationError("The contract has a form of signature that this version does not know.")
        self._before, self._encoding, self._after = found.groups()
        self.plain: bool = (covers, *found.groups()) == ("{body}", "", "base64", "")
        """True if the header is the Base64 of a signature of the body, as a `Signer` makes it."""

    def sign(self, signer: Signer, method: str, path: str, body: bytes, values: Mapping[str, str]) -> str:
        """Return the header's text. The arguments are those of `CoveredText.of`."""
        signature = signed(signer, self.covered.of(method, path, body, values))
        if self._encoding != "base64":
            raw = a2b_base64(signature)
            signature = raw.hex() if self._encoding == "hex" else _url(raw)
        return f"{self._before}{signature}{self._after}"

    def verify(
        self, verifier: Verifier, signature: str, method: str, path: str, body: bytes, values: Mapping[str, str]
    ) -> VerifiedBytes:
        """Return the body as `VerifiedBytes` if the header's text is a valid signature of the message. Raises `SignatureProblem`."""
        if self.plain:
            return verifier.verify(body, signature)
        if any(name.lower() not in values for name in self.covered.headers):
            raise SignatureProblem("bad_signature")  # a header that it covers is missing
        text = self.covered.of(method, path, body, values)
        return covering(verifier.verify(text, self.canonical(signature)), body)

    def canonical(self, text: str) -> str:
        """Return the canonical Base64 of a signature in the header's text; raises `SignatureProblem` for any other text."""
        end = len(text) - len(self._after)
        inner = text[len(self._before) : end]
        if text == f"{self._before}{inner}{self._after}":
            if self._encoding == "base64":
                return inner
            if self._encoding == "hex" and _HEX(inner):
                return b2a_base64(bytes.fromhex(inner), newline=False).decode("ascii")
            if self._encoding == "base64url" and _BASE64URL(inner) and len(inner) % 4 != 1:
                raw = a2b_base64(inner.translate(_FROM_URL) + "=" * (-len(inner) % 4))
                if _url(raw) == inner:
                    return b2a_base64(raw, newline=False).decode("ascii")
        del text, inner
        raise SignatureProblem("not_canonical")


_FROM_URL: Final = str.maketrans("-_", "+/")
_TO_URL: Final = str.maketrans("+/", "-_", "=")


def _url(raw: bytes) -> str:
    return b2a_base64(raw, newline=False).decode("ascii").translate(_TO_URL)
