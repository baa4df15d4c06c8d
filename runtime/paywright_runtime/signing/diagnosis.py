"""Explain why a signature does not verify.

The public key recovers the signed digest from an RSA signature. This tells with certainty whether another key signed, or
this key signed other bytes, and often which bytes.
"""

from __future__ import annotations

import hashlib
from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from paywright_runtime.signing.keys import fingerprint
from paywright_runtime.signing.rsa import RsaVerifier, SignatureProblem, canonical
from paywright_runtime.signing.slips import body_variants, signature_variants

__all__ = ["KeyInWords", "why_not"]

# The DER that stands before the digest in a PKCS #1 v1.5 signature (RFC 8017, 9.2).
_SHA256: Final = bytes.fromhex("3031300d060960864801650304020105000420")
_OTHERS: Final = {
    bytes.fromhex("3020300c06082a864886f70d020505000410"): "MD5",
    bytes.fromhex("3021300906052b0e03021a05000414"): "SHA-1",
    bytes.fromhex("302d300d06096086480165030402040500041c"): "SHA-224",
    bytes.fromhex("3041300d060960864801650304020205000430"): "SHA-384",
    bytes.fromhex("3051300d060960864801650304020305000440"): "SHA-512",
}


class KeyInWords(NamedTuple):
    """A public key, and its owner in words."""

    whose: str
    key: RSAPublicKey


def why_not(body: bytes, signatures: Sequence[str], due: KeyInWords, known: Iterable[KeyInWords]) -> str:
    """Explain in one sentence why `signatures` (all `sign` headers) do not verify over `body` with the key `due`.

    `known` are all other public keys here. The sentence holds nothing of body or signature.
    """
    if len(signatures) != 1:
        return "There are several sign headers; send exactly one." if signatures else "There is no sign header."
    try:
        raw = canonical(signatures[0])
    except SignatureProblem:
        return _encoding_fault(body, signatures[0], due.key)
    own = _signed(raw, due.key)
    if own is not None:
        return _other_bytes(body, own)
    for whose, key in known:
        if _signed(raw, key) is not None:
            return f"Another key signed it: {whose}, not {due.whose}."
    if _is_pss(raw, body, due.key):
        return "It is an RSASSA-PSS signature; SHA256WithRSA is RSASSA-PKCS1-v1_5 with SHA-256."
    return (
        f"An unknown key signed it: {due.whose} has the fingerprint {fingerprint(due.key)}. "
        "Sign with the private key of that pair."
    )


def _encoding_fault(body: bytes, signature: str, key: RSAPublicKey) -> str:
    due = "the sign header must be one line of padded standard Base64, 344 characters"
    if not signature.strip():
        return f"The sign header is empty; {due}."
    verifier = RsaVerifier([key])
    for fault, text in signature_variants(signature):
        try:
            verifier.verify(body, text)
        except SignatureProblem:
            continue
        return f"The signature is right, but its encoding is not canonical: {fault}; {due}."
    try:
        a2b_base64(signature, strict_mode=True)
    except (Base64Error, ValueError):
        return f"The signature is not canonical Base64: {due}."
    return f"The signature has the wrong length or stray bits at its end; {due}."


def _signed(raw: bytes, key: RSAPublicKey) -> bytes | None:
    """Return the content of a signature that this key made: the DER of the hash's name, and the digest."""
    try:
        return key.recover_data_from_signature(raw, PKCS1v15(), None)
    except (InvalidSignature, ValueError):
        return None


def _other_bytes(body: bytes, signed: bytes) -> str:
    for prefix, name in _OTHERS.items():
        if signed.startswith(prefix):
            return f"It was made with {name}; use SHA256WithRSA."
    digest = signed.removeprefix(_SHA256)
    if len(digest) != 32 or len(signed) != len(_SHA256) + 32:
        return "The right key signed it, but not a SHA-256 digest in its DER frame: use SHA256WithRSA."
    right = "The right key signed it, but"
    hashed = hashlib.sha256(body)
    if digest in (hashlib.sha256(hashed.digest()).digest(), hashlib.sha256(hashed.hexdigest().encode()).digest()):
        return f"{right} over the SHA-256 of the body: pass the body itself to the signing function, which hashes it."
    if digest == hashlib.sha256(b"").digest():
        return f"{right} over nothing: the body was empty when it was signed."
    for words, text in body_variants(body):
        if hashlib.sha256(text).digest() == digest:
            return f"{right} over the body {words}: send exactly the bytes that were signed."
    return (
        f"{right} over other bytes: the body was changed or rewritten after it was signed, or another body was signed."
    )


def _is_pss(raw: bytes, body: bytes, key: RSAPublicKey) -> bool:
    try:
        key.verify(raw, body, PSS(MGF1(SHA256()), PSS.AUTO), SHA256())
    except (InvalidSignature, UnsupportedAlgorithm):
        return False
    return True
