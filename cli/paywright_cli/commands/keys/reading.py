"""Read keys of either kind from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from paywright_cli.common.terminal import read_input

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

__all__ = ["any_key", "read_key"]

_MOST: Final = 64 * 1024


def any_key(name: str) -> tuple[bool, RSAPublicKey]:
    """Return whether the key of a file is private, and its public key. Raises `KeyProblem`."""
    from paywright_runtime.errors import KeyProblem
    from paywright_runtime.signing.keys import load_private_key, load_public_key

    raw = read_key(name)
    try:
        return True, load_private_key(raw).public_key()
    except KeyProblem as error:
        if error.why not in ("public", "certificate"):
            raise
    return False, load_public_key(raw)


def read_key(name: str) -> bytes:
    """Return the text of a key's file, or of standard input for `-`. Raises `Usage`."""
    return read_input(name, _MOST)
