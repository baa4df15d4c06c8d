"""Signatures as contracts of other gateways state them: the bytes each form covers, and its header's text and no other."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from paywright_runtime.signing.covered import Scheme, header_values
from paywright_runtime.signing.rsa import RsaSigner, RsaVerifier, SignatureProblem
from tests.support.keys import key_pair

PAIR = key_pair(0)
SIGNER, VERIFIER = RsaSigner(PAIR.private), RsaVerifier([PAIR.public])
BODY = b'{ "a": 1 }'
MESSAGE = ("post", "/v1/pay", BODY, {"x-time": "12:00", "x-partner": "P1"})
FORMS = {
    "base64": ("{method} {path}{newline}{body}", "{base64 of RSA-SHA256}", b"POST /v1/pay\n" + BODY),
    "base64url": (
        "{body minified sha256}:{X-TIME}", "v1={base64url of RSA-SHA256};", hashlib.sha256(b'{"a":1}').hexdigest().encode() + b":12:00"
    ),
    "hex": ("{path}|{X-TIME}|{X-Partner}", "{hex of RSA-SHA256}", b"/v1/pay|12:00|P1"),
    "the body alone": ("{body}", "v1={hex of RSA-SHA256}", BODY),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_form_covers_its_text_and_says_so_in_its_encoding(form: str) -> None:
    covers, written, text = FORMS[form]
    scheme = Scheme(covers, written)
    header = scheme.sign(SIGNER, *MESSAGE)
    before, encoding, after = re.fullmatch(r"(.*)\{(\w+) of RSA-SHA256\}(.*)", written).groups()  # type: ignore[union-attr]
    assert header.startswith(before)
    assert header.endswith(after)
    inner = header[len(before) : len(header) - len(after)]
    raw = (
        bytes.fromhex(inner)
        if encoding == "hex"
        else base64.urlsafe_b64decode(inner.translate({43: 45, 47: 95}) + "==")
    )
    PAIR.public.verify(raw, text, padding.PKCS1v15(), hashes.SHA256())
    assert scheme.verify(VERIFIER, header, *MESSAGE).raw == BODY


def changed(at: int, value: object) -> tuple[object, ...]:
    return (*MESSAGE[:at], value, *MESSAGE[at + 1 :])


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("base64", changed(0, "get")),
        ("base64", changed(1, "/v1/pays")),
        ("base64", changed(2, BODY + b" ")),
        ("base64url", changed(2, b'{ "a": 2 }')),
        ("base64url", changed(3, {"x-time": "12:01"})),
        ("hex", changed(3, {"x-time": "12:00", "x-partner": "P2"})),
        ("hex", changed(3, {"x-time": "12:00"})),
        ("hex", changed(3, {})),
    ],
)
def test_what_a_form_covers_cannot_be_changed_or_left_out(form: str, message: tuple[object, ...]) -> None:
    scheme = Scheme(*FORMS[form][:2])
    with pytest.raises(SignatureProblem) as caught:
        scheme.verify(VERIFIER, scheme.sign(SIGNER, *MESSAGE), *message)  # type: ignore[arg-type]
    assert caught.value.reason == "bad_signature"


@pytest.mark.parametrize(
    ("form", "other"),
    [
        ("hex", str.upper),
        ("hex", lambda header: header[:-1]),
        ("hex", lambda header: ""),
        ("hex", lambda header: base64.urlsafe_b64encode(bytes.fromhex(header)).decode().rstrip("=")),
        ("base64url", lambda header: header[:-1]),
        ("base64url", lambda header: header[1:]),
        ("base64url", lambda header: f"{header[:-1]}==;"),
        ("base64url", lambda header: f"{header[:-1]}AAA;"),
        ("base64url", lambda header: f"{header[:-2]}{chr(ord(header[-2]) + 1)};"),
    ],
)
def test_a_headers_text_has_one_spelling(form: str, other: object) -> None:
    scheme = Scheme(*FORMS[form][:2])
    with pytest.raises(SignatureProblem) as caught:
        scheme.verify(VERIFIER, other(scheme.sign(SIGNER, *MESSAGE)), *MESSAGE)  # type: ignore[operator]
    assert caught.value.reason == "not_canonical"


def test_a_header_that_is_sent_twice_covers_nothing() -> None:
    assert header_values([("X-Time", "1"), ("X-Partner", "P1"), ("x-time", "1")]) == {"x-partner": "P1"}
