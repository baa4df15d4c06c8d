"""A key pair that is not the gateway's, for the fault `wrong-key`.

It is not secret and protects nothing: it is printed here, the same for every sandbox.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from cryptography.hazmat.primitives.asymmetric import rsa

from paywright_runtime.signing.rsa import RsaSigner

__all__ = ["foreign_signer"]

_E: Final = 65537
_P: Final = int(
    "eae09a36fe6f14a31f48520962108ef9e1536931c9517b35b6d331d48f2f23ade33bffb483e7c8f70a43f64cf517563b"
    "b2ad7671df007f56c3f82b48c65d505b54eca231f64f032edac64dc09a27b1e529819f69eb9d5888dfd674035703a7a8"
    "778932fa65ce0dcd60799ab8a637943912d118ba42e360db70ad99f933bda30b",
    16,
)
_Q: Final = int(
    "e5dc7f5123dce18c13eb2ef92a6f69375f9ceac3e2d316845b0491dcf3f2041f8b613d8bf6217076679b594abf6c1042"
    "14d79dc6d514181627a55ec9a4a72d72f5c821a80d18836157ddf6efad19be3b1e80cf075687ce2a510843d4addd99d1"
    "03dfb509430b954370b55ba559bc936db437de398d12377c3297488017b1979b",
    16,
)


@cache
def foreign_signer() -> RsaSigner:
    """Return the signer of the foreign key, a valid RSA key of 2048 bits."""
    d = pow(_E, -1, (_P - 1) * (_Q - 1))
    public = rsa.RSAPublicNumbers(_E, _P * _Q)
    numbers = rsa.RSAPrivateNumbers(_P, _Q, d, d % (_P - 1), d % (_Q - 1), rsa.rsa_crt_iqmp(_P, _Q), public)
    return RsaSigner(numbers.private_key())
