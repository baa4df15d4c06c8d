"""Read keys of either kind from files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from paywright_cli.common.terminal import read_input

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey

__all__ = ["any_key", "private_key", "public_key", "read_key"]

_MOST: Final = 64 * 1024
_UNNAMED: Final = frozenset(("base64", "cut", "damaged", "encoding"))
Key = TypeVar("Key")


def any_key(name: str) -> tuple[bool, RSAPublicKey]:
    """Return whether the key of a file is private, and its public key. Raises `KeyProblem`."""
    from paywright_runtime.errors import KeyProblem

    raw = read_key(name)
    try:
        return True, private_key(raw).public_key()
    except KeyProblem as error:
        if error.why not in ("public", "certificate"):
            raise
    return False, public_key(raw)


def private_key(raw: bytes) -> RSAPrivateKey:
    """Return the private key in the bytes of a file. Raises `KeyProblem`, which names the form of a key that is not read."""
    from paywright_runtime.signing.keys import load_private_key

    return _read(load_private_key, raw, private=True)


def public_key(raw: bytes) -> RSAPublicKey:
    """Return the public key in the bytes of a file. Raises the same."""
    from paywright_runtime.signing.keys import load_public_key

    return _read(load_public_key, raw, private=False)


def _read(load: Callable[[bytes], Key], raw: bytes, *, private: bool) -> Key:
    from paywright_cli.commands.keys.key_forms import form_of
    from paywright_runtime.errors import KeyProblem
    from paywright_runtime.signing.key_text import PRIVATE, PUBLIC, problem

    try:
        return load(raw)
    except KeyProblem as error:
        form = form_of(raw, private=private) if error.why in _UNNAMED else None
        if form is None:
            raise
    raise problem(PRIVATE if private else PUBLIC, "form", f"it is {form}")


def read_key(name: str) -> bytes:
    """Return the text of a key's file, or of standard input for `-`. Raises `Usage`."""
    return read_input(name, _MOST)
