"""Signatures: exactly what was signed verifies, in exactly one spelling, and nothing secret shows."""

import base64
import copy
import pickle
import traceback
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any
from urllib.parse import quote

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from hypothesis import given
from hypothesis import strategies as st

from paywright_runtime.attempts import REASONS
from paywright_runtime.errors import InvalidArgument, KeyProblem
from paywright_runtime.signing import diagnosis, keys
from paywright_runtime.signing.keys import KeyPair
from paywright_runtime.signing.rsa import RsaSigner, RsaVerifier, SignatureProblem, VerifiedBytes, Verifier, canonical
from tests.support.examples import examples
from tests.support.keys import key_pair

BODY = b'{"code":"APPLY_SUCCESS"}'
VECTORS = files("cryptography_vectors") / "asymmetric" / "RSA" / "FIPS_186-2"


@pytest.fixture(scope="module")
def signer(gateway_keys: KeyPair) -> RsaSigner:
    return RsaSigner(gateway_keys.private)


@pytest.fixture(scope="module")
def verifier(gateway_keys: KeyPair) -> RsaVerifier:
    return RsaVerifier([gateway_keys.public])


def reason(verifier: Verifier, body: bytes, signature: str) -> str:
    with pytest.raises(SignatureProblem) as caught:
        verifier.verify(body, signature)
    return caught.value.reason


# --- the NIST vectors for PKCS#1 v1.5 with SHA-256 and 2048 bits


def records(file: str) -> Iterator[dict[str, str]]:
    """Each message of a CAVS response file with all that was said before it (modulus, exponents)."""
    known: dict[str, str] = {}
    for line in (VECTORS / file).read_text().splitlines():
        name, equals, value = line.strip("[]").partition(" = ")
        if not equals:
            continue
        known[name] = value
        if name == "SHAAlg":
            known.pop("S", None)
        if ("Result" in known and name == "Result") or (file.startswith("SigGen") and name == "S"):
            yield dict(known)


def of_our_kind(record: dict[str, str]) -> bool:
    return record["mod"] == "2048" and record["SHAAlg"] == "SHA256"


def public_key(record: dict[str, str]) -> rsa.RSAPublicKey:
    return rsa.RSAPublicNumbers(int(record["e"], 16), int(record["n"], 16)).public_key()


GENERATED = [record for record in records("SigGen15_186-3.rsp") if of_our_kind(record)]
JUDGED = [record for record in records("SigVer15_186-3.rsp") if of_our_kind(record)]


def test_the_vectors_are_there() -> None:
    assert len(GENERATED) == 10
    assert len(JUDGED) == 18
    safe = [record for record in JUDGED if int(record["e"], 16) >= 65537]
    assert sorted({record["Result"][0] for record in safe}) == ["F", "P"]


@pytest.mark.parametrize("record", GENERATED + JUDGED)
def test_our_verifier_judges_as_nist_does(record: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    message = bytes.fromhex(record["Msg"])
    signature = base64.b64encode(bytes.fromhex(record["S"])).decode()
    if int(record["e"], 16) < 65537:
        with pytest.raises(KeyProblem, match="exponent"):
            RsaVerifier([public_key(record)])
        # Most vectors have a small exponent, which we refuse; what follows can be judged all the same.
        monkeypatch.setattr(keys, "_LEAST_EXPONENT", 3)
    verifier = RsaVerifier([public_key(record)])
    if record.get("Result", "P").startswith("P"):
        assert verifier.verify(message, signature).raw == message
    else:
        assert reason(verifier, message, signature) == "bad_signature"


@pytest.mark.parametrize("record", [record for record in JUDGED if record["Result"].startswith("P")])
def test_our_signer_agrees_with_nist(record: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_LEAST_EXPONENT", 3)
    n, e, d, p, q = (int(record[name], 16) for name in "nedpq")
    numbers = rsa.RSAPrivateNumbers(
        p, q, d, rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q), rsa.RSAPublicNumbers(e, n)
    )
    signature = RsaSigner(numbers.private_key()).sign(bytes.fromhex(record["Msg"]))
    assert signature == base64.b64encode(bytes.fromhex(record["S"])).decode()


# --- exactly what was signed


@examples(40)
@given(st.binary(max_size=4000))
def test_any_bytes_can_be_signed_and_verified(body: bytes) -> None:
    pair = key_pair(0)
    verified = RsaVerifier([pair.public]).verify(body, RsaSigner(pair.private).sign(body))
    assert verified.raw == body
    assert verified.key == pair.fingerprint


def test_every_single_bit_of_the_body_counts(signer: RsaSigner, verifier: RsaVerifier) -> None:
    signature = signer.sign(BODY)
    for bit in range(len(BODY) * 8):
        body = bytearray(BODY)
        body[bit // 8] ^= 1 << bit % 8
        assert reason(verifier, bytes(body), signature) == "bad_signature"
    assert verifier.verify(BODY, signature).raw == BODY


def test_every_single_bit_of_the_signature_counts(signer: RsaSigner, verifier: RsaVerifier) -> None:
    raw = canonical(signer.sign(BODY)) or b""
    for bit in range(len(raw) * 8):
        changed = bytearray(raw)
        changed[bit // 8] ^= 1 << bit % 8
        assert reason(verifier, BODY, base64.b64encode(changed).decode()) == "bad_signature"


MANGLED: dict[str, Callable[[str], str]] = {
    "a space before": lambda s: " " + s,
    "a space behind": lambda s: s + " ",
    "a space inside": lambda s: s[:100] + " " + s[100:],
    "a line break inside": lambda s: s[:76] + "\n" + s[76:],
    "a folded header": lambda s: s[:76] + "\r\n " + s[76:],
    "a line break behind": lambda s: s + "\n",
    "two headers joined": lambda s: f"{s}, {s}",
    "two headers joined closely": lambda s: f"{s},{s}",
    "twice": lambda s: s + s,
    "no padding": lambda s: s.rstrip("="),
    "half the padding": lambda s: s[:-1],
    "too much padding": lambda s: s + "=",
    "padding inside": lambda s: s[:100] + "==" + s[100:-2],
    "URL-safe alphabet": lambda s: ("-" + s[1:]),
    "a percent escape": lambda s: s.replace("=", "%3D"),
    "quotes": lambda s: f'"{s}"',
    "an algorithm before": lambda s: f"SHA256withRSA {s}",
    "hexadecimal": lambda s: base64.b64decode(s).hex(),
    "base64 twice": lambda s: base64.b64encode(s.encode()).decode(),
    "unused bits set": lambda s: s[:-3] + chr(ord(s[-3]) + 1) + "==",
    "nothing": lambda s: "",
    "blank": lambda s: " " * 344,
    "padding only": lambda s: "=" * 344,
    "cut by a group": lambda s: s[:-4],
    "a group of zeros before": lambda s: "AAAA" + s,
    "a NUL behind": lambda s: s + "\0",
    "a NUL inside": lambda s: s[:10] + "\0" + s[11:],
    "a letter of another script": lambda s: "\u0410" + s[1:],
    "full-width": lambda s: "".join(chr(ord(c) + 0xFEE0) for c in s),
    "half a surrogate pair": lambda s: "\ud800" + s[1:],
    "one character less, one junk more": lambda s: s[:50] + "*" + s[50:-1],
    "257 bytes": lambda s: base64.b64encode(b"\0" + base64.b64decode(s)).decode(),
    "255 bytes": lambda s: base64.b64encode(base64.b64decode(s)[1:]).decode(),
}


@pytest.mark.parametrize("name", MANGLED)
def test_one_spelling_of_a_signature_and_no_other(name: str, signer: RsaSigner, verifier: RsaVerifier) -> None:
    signature = signer.sign(BODY)
    mangled = MANGLED[name](signature)
    assert mangled != signature
    assert reason(verifier, BODY, mangled) == "not_canonical"


@given(
    st.binary(min_size=256, max_size=256),
    st.lists(st.tuples(st.integers(0, 343), st.sampled_from("ABgw/+=-_* \n\0é")), max_size=3),
)
def test_canonical_text_is_what_its_bytes_encode_to(raw: bytes, changes: list[tuple[int, str]]) -> None:
    letters = list(base64.b64encode(raw).decode())
    for place, letter in changes:
        letters[place] = letter
    text = "".join(letters)
    try:
        lenient = base64.b64decode(text)
        due = lenient if len(lenient) == 256 and base64.b64encode(lenient).decode() == text else None
    except ValueError:
        due = None
    assert canonical(text) == due


def test_the_modulus_added_to_a_signature_does_not_make_a_second_one(signer: RsaSigner, verifier: RsaVerifier) -> None:
    number = int.from_bytes(canonical(signer.sign(BODY)) or b"")
    other = number + signer.public.public_numbers().n
    if other < 1 << 2048:
        assert reason(verifier, BODY, base64.b64encode(other.to_bytes(256)).decode()) == "bad_signature"
    else:
        assert number + (1 << 2048) > other


# --- keys


def test_several_live_keys_verify_and_the_one_that_did_is_named(gateway_keys: KeyPair, merchant_keys: KeyPair) -> None:
    both = RsaVerifier([merchant_keys.public, gateway_keys.public])
    assert both.keys == (merchant_keys.fingerprint, gateway_keys.fingerprint)
    for pair in (gateway_keys, merchant_keys):
        assert both.verify(BODY, RsaSigner(pair.private).sign(BODY)).key == pair.fingerprint


def test_keys_of_other_kinds_never_get_in() -> None:
    small = rsa.generate_private_key(65537, 1024)
    with pytest.raises(KeyProblem, match="1024 bits"):
        RsaSigner(small)
    with pytest.raises(KeyProblem, match="1024 bits"):
        RsaVerifier([small.public_key()])
    with pytest.raises(KeyProblem, match="not an RSA public key"):
        RsaVerifier([small])  # type: ignore[list-item]  # the misuse under test


# --- what cannot be done, and what does not show


def test_verified_bytes_come_from_a_verifier_alone(signer: RsaSigner, verifier: RsaVerifier) -> None:
    with pytest.raises(InvalidArgument, match="Only a Verifier makes"):
        VerifiedBytes(BODY, "key", object())
    with pytest.raises(InvalidArgument, match="no subclasses"):
        type("Mine", (VerifiedBytes,), {})
    verified = verifier.verify(BODY, signer.sign(BODY))
    with pytest.raises(AttributeError):
        verified.raw = b"other"  # type: ignore[misc]  # the misuse under test
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(verified)
    assert "APPLY_SUCCESS" not in repr(verified)
    assert str(len(BODY)) in repr(verified)


@pytest.mark.parametrize("body", ["text", {"code": "x"}, bytearray(b"{}"), None])
def test_only_bytes_are_signed_and_verified(body: object, signer: RsaSigner, verifier: RsaVerifier) -> None:
    with pytest.raises(InvalidArgument, match="exact bytes") as caught:
        signer.sign(body)  # type: ignore[arg-type]  # the misuse under test
    frames = [frame.f_locals for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert not [held for held in frames[1:] if "body" in held]
    with pytest.raises(InvalidArgument, match=r"Flask.*Django.*FastAPI"):
        verifier.verify(body, "")  # type: ignore[arg-type]  # the misuse under test


def test_a_signer_shows_its_fingerprint_and_nothing_else(signer: RsaSigner, gateway_keys: KeyPair) -> None:
    assert repr(signer) == f"RsaSigner(key='{gateway_keys.fingerprint}')"
    for leak in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="private key"):
            leak(signer)
    assert not hasattr(signer, "__dict__")


@pytest.mark.parametrize("mangle", [lambda s: s[:50] + "A" * 50 + s[100:], lambda s: s[:-1], lambda s: s + " "])
def test_a_failure_shows_no_signature(mangle: Callable[[str], str], signer: RsaSigner, verifier: RsaVerifier) -> None:
    signature = mangle(signer.sign(BODY))
    with pytest.raises(SignatureProblem) as caught:
        verifier.verify(BODY, signature)
    error = caught.value
    assert error.reason in REASONS
    assert error.__context__ is None
    assert signature[:40] not in str(error) + repr(error)
    assert signature[:40].encode() not in pickle.dumps(error)
    assert pickle.loads(pickle.dumps(error)).reason == error.reason
    own = [
        frame for frame, _ in traceback.walk_tb(error.__traceback__) if "paywright_runtime" in frame.f_code.co_filename
    ]
    assert own
    held = "".join(repr(frame.f_locals) for frame in own)
    assert signature[:40] not in held
    assert "APPLY_SUCCESS" not in held


class CountedKey:
    """A public key that counts what is done with it."""

    def __init__(self, public: rsa.RSAPublicKey) -> None:
        self.public = public
        self.count = 0

    def __getattr__(self, name: str) -> object:
        self.count += 1
        return getattr(self.public, name)


@pytest.mark.parametrize("writes", [str, quote, str.swapcase, lambda text: f'"{text.rstrip("=")}", "{text}"'])
def test_a_signature_of_another_key_costs_three_operations_and_no_variant_of_the_body(
    merchant_keys: KeyPair, gateway_keys: KeyPair, monkeypatch: pytest.MonkeyPatch, writes: Callable[[str], str]
) -> None:
    monkeypatch.setattr(diagnosis, "body_variants", None)
    counted: Any = CountedKey(merchant_keys.public)
    signature = writes(RsaSigner(gateway_keys.private).sign(b"{}"))
    assert diagnosis.slip_of(b"{}", signature, counted) is None
    assert counted.count <= 3
