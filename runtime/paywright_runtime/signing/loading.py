"""Make signers and verifiers from the arguments of clients and receivers: paths, key texts, or objects of their own [5]."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from paywright_runtime.errors import InvalidArgument, KeyProblem
from paywright_runtime.signing.rsa import RsaSigner, RsaVerifier, Signer, Verifier

_COROUTINE: Final = 0x80  # inspect.CO_COROUTINE


def load_signer(key: Path | str | bytes | Signer, *, name: str) -> Signer:
    """Return the signer of a private key, or `key` itself if it is a signer.

    `key` is a `Path` to a file, key text, or a `Signer`; `name` is the name of the argument, for messages.
    Raises `KeyProblem` for a key that cannot be used, `InvalidArgument` for anything else.
    """
    if isinstance(key, (Path, str, bytes)):
        # Here, because a signer of the merchant's own does not need it.
        from paywright_runtime.signing.keys import load_private_key

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
    from paywright_runtime.signing.keys import load_public_key

    public = [load_public_key(key) for key in keys]
    if not public:
        raise KeyProblem(
            "gateway_keys is empty: give the gateway's public key, as its dashboard shows it [5].", why="empty"
        )
    verifier = RsaVerifier(public)
    if isinstance(own, RsaSigner) and own.key in verifier.keys:
        raise KeyProblem(
            "One of gateway_keys is your own public key. Give the gateway's public key, as its dashboard shows it [5]; "
            "yours is the one you upload there.",
            why="own_key",
        )
    return verifier
