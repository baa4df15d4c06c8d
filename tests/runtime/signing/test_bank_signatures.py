"""SNAP signatures: both public forms, computed here a second time by hand, and no secret in sight."""

import base64
import copy
import hashlib
import hmac
import json
import pickle
import traceback

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from hypothesis import given
from hypothesis import strategies as st

from paywright import SnapAsymmetric, SnapSymmetric
from paywright_runtime.errors import ConfigurationError, InvalidArgument
from paywright_runtime.signing.bank_signatures import CallSignature
from paywright_runtime.signing.covered import minify
from paywright_runtime.signing.keys import KeyPair
from paywright_runtime.signing.rsa import RsaSigner

PATH = "/v1.0/debit/status"
AT = "2025-06-01T12:00:00.000+07:00"
BODY = b'{ "merchantId" : "m 1",\n "amount": {"value": 10.50, "currency":"IDR"}, "note": null }'
SMALL = b'{"merchantId":"m 1","amount":{"value":10.50,"currency":"IDR"},"note":null}'
SECRET = "client-secret-8c1f"
TOKEN = "access-token-77aa"


@pytest.mark.parametrize(
    ("body", "small"),
    [
        (BODY, SMALL),
        (SMALL, SMALL),
        (b"", b""),
        (b" \t\r\n", b""),
        (b"[ 1 , 2 ]", b"[1,2]"),
        (b'" a \\" b " : " c "', b'" a \\" b ":" c "'),
        (b'" \\\\" , " \\\\\\" "', b'" \\\\"," \\\\\\" "'),
        ('{ "ü " : "\u00a0 \u2028" }'.encode(), '{"ü ":"\u00a0 \u2028"}'.encode()),
        (b'{"line":"a\n b" }', b'{"line":"a\n b"}'),
        (b'{ "open : 1', b'{"open : 1'),
        (b'{ "a b" : " \\u0020 " , "open : 1', b'{"a b":" \\u0020 ","open : 1'),
        (b'{ "a b" : "   " , "open : 1', b'{"a b":"   ","open : 1'),
        (b'{ "open\\', b'{"open\\'),
        (b"\x0b \x0c", b"\x0b\x0c"),
    ],
)
def test_minify_drops_white_space_outside_strings_and_nothing_else(body: bytes, small: bytes) -> None:
    assert minify(body) == small


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


@given(values, st.sampled_from([None, 1, "\t", " \n "]), st.booleans())
def test_minify_of_any_layout_is_the_compact_text(value: object, indent: int | str | None, escaped: bool) -> None:
    compact = json.dumps(value, separators=(",", ":"), ensure_ascii=escaped).encode()
    assert minify(json.dumps(value, indent=indent, ensure_ascii=escaped).encode()) == compact
    assert minify(compact) == compact


@pytest.mark.parametrize("body", [b'"' + b'\\"' * 300_000, b'"\\' * 300_000, b'" ' * 300_001, b" " * 600_000])
def test_minify_of_hostile_text_ends(body: bytes) -> None:
    """They are so long that what takes quadratic time would not end."""
    assert len(minify(body)) <= len(body)


def test_the_asymmetric_form_is_sha256_with_rsa_over_the_published_text(merchant_keys: KeyPair) -> None:
    strategy: CallSignature = SnapAsymmetric(RsaSigner(merchant_keys.private))
    text = f"POST:{PATH}:{hashlib.sha256(SMALL).hexdigest()}:{AT}"
    signature = strategy.headers("POST", PATH, BODY, AT)["X-SIGNATURE"]
    merchant_keys.public.verify(
        base64.b64decode(signature, validate=True), text.encode(), padding.PKCS1v15(), hashes.SHA256()
    )
    assert strategy.headers("post", PATH, SMALL, AT) == {"X-SIGNATURE": signature}


def test_the_symmetric_form_is_hmac_sha512_over_the_published_text() -> None:
    strategy: CallSignature = SnapSymmetric(SECRET, TOKEN)
    text = f"POST:{PATH}:{TOKEN}:{hashlib.sha256(SMALL).hexdigest()}:{AT}"
    expected = base64.b64encode(hmac.new(SECRET.encode(), text.encode(), hashlib.sha512).digest()).decode()
    assert strategy.headers("POST", PATH, BODY, AT) == {"X-SIGNATURE": expected, "Authorization": f"Bearer {TOKEN}"}


def test_a_token_that_changes_is_asked_once_a_call_and_used_in_both_places() -> None:
    tokens = iter(["first", "second", "third"])
    strategy = SnapSymmetric(SECRET, lambda: next(tokens))
    for token in ("first", "second"):
        headers = strategy.headers("POST", PATH, BODY, AT)
        assert headers["Authorization"] == f"Bearer {token}"
        assert headers == SnapSymmetric(SECRET, token).headers("POST", PATH, BODY, AT)
    assert next(tokens) == "third"


def test_each_signed_part_counts(merchant_keys: KeyPair) -> None:
    changed: list[tuple[str, str, bytes, str]] = [
        ("GET", PATH, BODY, AT),
        ("POST", "/v1.0/debit/cancel", BODY, AT),
        ("POST", PATH, BODY.replace(b"10.50", b"10.5"), AT),
        ("POST", PATH, BODY.replace(b"m 1", b"m  1"), AT),
        ("POST", PATH, BODY, AT.replace("12:00", "12:01")),
    ]
    for strategy in (SnapSymmetric(SECRET, TOKEN), SnapAsymmetric(RsaSigner(merchant_keys.private))):
        signature = strategy.headers("POST", PATH, BODY, AT)["X-SIGNATURE"]
        assert strategy.headers("POST", PATH, SMALL, AT)["X-SIGNATURE"] == signature
        assert signature not in [strategy.headers(*other)["X-SIGNATURE"] for other in changed]
    symmetric = SnapSymmetric(SECRET, TOKEN).headers("POST", PATH, BODY, AT)["X-SIGNATURE"]
    for other in (SnapSymmetric("other", TOKEN), SnapSymmetric(SECRET, "other")):
        assert other.headers("POST", PATH, BODY, AT)["X-SIGNATURE"] != symmetric


def test_secrets_are_neither_shown_nor_pickled() -> None:
    holder = SnapSymmetric(SECRET, TOKEN)
    assert SECRET not in repr(holder) + str(holder)
    assert TOKEN not in repr(holder) + str(holder)
    for leak in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="secret"):
            leak(holder)
    assert not hasattr(holder, "__dict__")


def test_misuse_is_refused(merchant_keys: KeyPair) -> None:
    strategy = SnapAsymmetric(RsaSigner(merchant_keys.private))
    assert repr(strategy) == f"SnapAsymmetric(RsaSigner(key='{merchant_keys.fingerprint}'))"
    with pytest.raises(InvalidArgument, match="leading slash"):
        strategy.headers("POST", "v1.0/debit/status", BODY, AT)
    with pytest.raises(InvalidArgument, match="exact bytes"):
        strategy.headers("POST", PATH, "{}", AT)  # type: ignore[arg-type]  # the misuse under test
    with pytest.raises(ConfigurationError, match="client secret"):
        SnapSymmetric("", TOKEN)
    for token in ("", "two words", "line\nbreak", "ümlaut"):
        with pytest.raises(ConfigurationError, match="access token") as caught:
            SnapSymmetric(SECRET, token).headers("POST", PATH, BODY, AT)
        assert not token or token not in str(caught.value)


class Unreachable:
    """A vault, as a signer and as what has the token, that does not answer."""

    def sign(self, message: bytes, /) -> str:
        raise TimeoutError("the vault")

    def token(self) -> str:
        raise TimeoutError("the vault")


@pytest.mark.parametrize("strategy", [SnapAsymmetric(Unreachable()), SnapSymmetric(SECRET, Unreachable().token)])
def test_an_error_of_a_vault_brings_no_body_in_its_traceback(strategy: CallSignature) -> None:
    with pytest.raises(TimeoutError) as caught:
        strategy.headers("POST", PATH, BODY, AT)
    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    own = [frame for frame in frames if "paywright_runtime" in frame.f_code.co_filename]
    assert own
    assert "merchantId" not in "".join(repr(frame.f_locals) for frame in own)
