"""Explain why the X-SIGNATURE of a call does not verify."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64encode
from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from paywright.signatures import SnapAsymmetric, SnapSymmetric
from paywright_runtime.contract.formats import read_time
from paywright_runtime.signing.covered import minify
from paywright_runtime.signing.diagnosis import body_variants, signature_variants
from paywright_runtime.signing.keys import fingerprint
from paywright_runtime.signing.rsa import SignatureProblem
from paywright_sandbox.engine.merchant import SECRETS, RegisteredMerchant

_LONGEST: Final = 150  # characters of a responseMessage
_NEAR: Final = 120  # seconds between two calls of which one has the time of the other
_FORMS: Final = {
    "asymmetric": "Due: SHA256withRSA of METHOD:path:hash:X-TIMESTAMP.",
    "symmetric": "Due: HMAC-SHA512 of METHOD:path:accessToken:hash:X-TIMESTAMP.",
}


@dataclass(slots=True, repr=False)
class SnapCall:
    """The parts that an X-SIGNATURE covers. `timestamp` is the text of X-TIMESTAMP; `host` is covered by mistake only."""

    method: str
    path: str
    body: bytes
    timestamp: str
    host: str = ""


def snap_fault(
    due: str, merchant: RegisteredMerchant, call: SnapCall, signatures: Sequence[str], authorizations: Sequence[str]
) -> str | None:
    """Explain in one sentence why the X-SIGNATURE does not verify; None if it does.

    `due` is the value of the policy: either, asymmetric, symmetric or any. `signatures` and `authorizations` are the
    values of all X-SIGNATURE and Authorization headers. The sentence holds no key, secret, token or signature.
    """
    if due == "any":
        return None
    if len(signatures) != 1:
        return "There are several X-SIGNATURE headers; send one." if signatures else "There is no X-SIGNATURE header."
    signature = signatures[0]
    if due in ("either", "asymmetric") and _is_asymmetric(merchant, call, signature):
        return None
    token = merchant.secrets.get("snap-access-token")
    with_secret = due in ("either", "symmetric")
    if token and with_secret and _is_symmetric(merchant, call, signature):
        return _authorization_fault(authorizations, token)
    for words, before in signature_variants(signature):
        if _is_asymmetric(merchant, call, before) or (with_secret and _is_symmetric(merchant, call, before)):
            return f"X-SIGNATURE is right, but {words}: send padded standard Base64 on one line."
    return _why(due, merchant, call, signature)


def _is_asymmetric(merchant: RegisteredMerchant, call: SnapCall, signature: str) -> bool:
    try:
        merchant.verifier.verify(SnapAsymmetric.text(call.method, call.path, call.body, call.timestamp), signature)
        return True
    except SignatureProblem:
        return False


def _is_symmetric(merchant: RegisteredMerchant, call: SnapCall, signature: str) -> bool:
    secret, token = map(merchant.secrets.get, SECRETS)
    if not secret or not token:
        return False
    due = SnapSymmetric(secret, token).headers(call.method, call.path, call.body, call.timestamp)[SnapSymmetric.HEADER]
    return hmac.compare_digest(due.encode(), signature.encode(errors="replace"))


def _authorization_fault(authorizations: Sequence[str], token: str) -> str | None:
    """Return the error of the access token, which the symmetric form needs, or None."""
    if len(authorizations) == 1 and hmac.compare_digest(authorizations[0].encode(), f"Bearer {token}".encode()):
        return None
    what = "names another access token" if authorizations else "is missing"
    return f"X-SIGNATURE is right, but the header Authorization {what}: send Bearer and the signed token."


# Why


def _why(due: str, merchant: RegisteredMerchant, call: SnapCall, signature: str) -> str:
    raw = _decoded(signature)
    if not raw:
        return "X-SIGNATURE is not padded standard Base64 on one line."
    if len(raw) == 32:
        return "X-SIGNATURE has 32 bytes, like HMAC-SHA256: use HMAC-SHA512 or SHA256withRSA."
    if len(raw) == 64:
        if due == "asymmetric":
            return (
                f"X-SIGNATURE is symmetric, but the policy snap-signature requires asymmetric. {_FORMS['asymmetric']}"
            )
        return _why_symmetric(merchant, call, raw)
    if due == "symmetric":
        return f"X-SIGNATURE is asymmetric, but the policy snap-signature requires symmetric. {_FORMS['symmetric']}"
    return _why_asymmetric(merchant, call, raw)


def _decoded(signature: str) -> bytes | None:
    try:
        return a2b_base64(signature, strict_mode=True)
    except (Base64Error, ValueError):
        return None


def _why_symmetric(merchant: RegisteredMerchant, call: SnapCall, raw: bytes) -> str:
    secret, token = map(merchant.secrets.get, SECRETS)
    if not secret or not token:
        return "X-SIGNATURE is symmetric, but this merchant has no snap-client-secret and snap-access-token in sandbox.toml."
    for words, text in _wrong_texts(merchant, call, (token,)):
        if hmac.compare_digest(hmac.digest(secret.encode(), text, "sha512"), raw):
            return _said(f"Right secret, but {words}.", "symmetric")
    return f"X-SIGNATURE: another secret, another token, or another text. {_FORMS['symmetric']}"


def _why_asymmetric(merchant: RegisteredMerchant, call: SnapCall, raw: bytes) -> str:
    try:
        digest = merchant.public.recover_data_from_signature(raw, PKCS1v15(), SHA256())
    except (InvalidSignature, ValueError):
        mark = fingerprint(merchant.public)
        return f"X-SIGNATURE is not SHA256withRSA by this merchant's key, whose fingerprint is {mark}."
    for words, text in _wrong_texts(merchant, call, ()):
        if hashlib.sha256(text).digest() == digest:
            return _said(f"Right key, but {words}.", "asymmetric")
    return f"X-SIGNATURE: right key, but another text. {_FORMS['asymmetric']}"


def _said(why: str, form: str) -> str:
    """Return why, and the form that is due if there is room for it."""
    return f"{why} {_FORMS[form]}" if len(why) + len(_FORMS[form]) < _LONGEST else why


def _wrong_texts(merchant: RegisteredMerchant, call: SnapCall, token: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield wrong texts that programs sign, each after a description of the mistake."""
    small, time = minify(call.body), call.timestamp
    hashed = hashlib.sha256(small).hexdigest()

    def text(*parts: str) -> bytes:
        return ":".join(parts).encode()

    yield "the body was hashed with its white space", text(
        call.method, call.path, *token, hashlib.sha256(call.body).hexdigest(), time
    )
    yield "the hash was in upper case", text(call.method, call.path, *token, hashed.upper(), time)
    yield "the hash was in Base64", text(
        call.method, call.path, *token, b64encode(hashlib.sha256(small).digest()).decode(), time
    )
    yield "the body was not hashed", b":".join((text(call.method, call.path, *token), small, time.encode()))
    yield "the path lacked its first slash", text(call.method, call.path.removeprefix("/"), *token, hashed, time)
    if "?" in call.path:
        yield "the path lacked its query", text(call.method, call.path.partition("?")[0], *token, hashed, time)
    yield "the path lacked its version", text(call.method, call.path.replace("/v1.0", "", 1), *token, hashed, time)
    yield "the method was in lower case", text(call.method.lower(), call.path, *token, hashed, time)
    yield "X-TIMESTAMP was left out", text(call.method, call.path, *token, hashed)
    if token:
        yield "the access token was left out", text(call.method, call.path, hashed, time)
        yield "Bearer stood before the access token", text(call.method, call.path, f"Bearer {token[0]}", hashed, time)
    elif access := merchant.secrets.get("snap-access-token"):
        yield "with an access token, which only the symmetric form has", text(
            call.method, call.path, access, hashed, time
        )
    for scheme in ("https://", "http://", ""):
        if call.host:
            yield "the path had its host", text(call.method, f"{scheme}{call.host}{call.path}", *token, hashed, time)
    for words, body in body_variants(call.body):
        yield f"the hash is over the body {words}", text(
            call.method, call.path, *token, hashlib.sha256(body).hexdigest(), time
        )
    for other in _times_near(time):
        yield "X-TIMESTAMP was that of another call", text(call.method, call.path, *token, hashed, other)
    partner = merchant.numbers.get("snap_partner_id", "")
    yield "over X-PARTNER-ID|X-TIMESTAMP, which asks for an access token", f"{partner}|{time}".encode()
    yield "over the body alone, as the header sign is", call.body


def _times_near(text: str) -> Iterator[str]:
    """Yield the times of calls just before and after, as this one's is written."""
    time = read_time(text)
    if time is None:
        return
    for seconds in range(1, _NEAR):
        for other in (-seconds, seconds):
            near = (time + timedelta(seconds=other)).strftime("%Y-%m-%dT%H:%M:%S")
            yield near + text[len(near) :]
