"""The forms of signatures that the merchant chooses."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.signing.bank_signatures import KeySignature, SecretSignature

if TYPE_CHECKING:
    from typing import ClassVar


class SnapAsymmetric(KeySignature):
    """The asymmetric form, with the merchant's key in a `Signer` [4.17, 5.7].

    Base64 of RSA-SHA256 over `{method}:{path}:{body minified sha256}:{X-TIMESTAMP}`, in the header `X-SIGNATURE`.
    """

    __slots__ = ()

    HEADER: ClassVar[str] = "X-SIGNATURE"
    COVERS: ClassVar[str] = "{method}:{path}:{body minified sha256}:{X-TIMESTAMP}"
    TIME: ClassVar[str] = "X-TIMESTAMP"


class SnapSymmetric(SecretSignature):
    """The symmetric form, with the client secret and the access token of the session [4.17, 5.7].

    Base64 of HMAC-SHA512 over `{method}:{path}:{access_token}:{body minified sha256}:{X-TIMESTAMP}`, in the header
    `X-SIGNATURE`. Beside it stands `Authorization: Bearer {access_token}`.
    """

    __slots__ = ()

    HEADER: ClassVar[str] = "X-SIGNATURE"
    COVERS: ClassVar[str] = "{method}:{path}:{access_token}:{body minified sha256}:{X-TIMESTAMP}"
    TIME: ClassVar[str] = "X-TIMESTAMP"
    HASH: ClassVar[str] = "sha512"
    BESIDE: ClassVar[tuple[str, str] | None] = ("Authorization", "Bearer {access_token}")
