"""What the sandbox says of a signature that does not hold [5.3, 7.3], and of a stale requestTime [5.9, 7.4]."""

import base64
import hashlib
import json
import textwrap
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from hypothesis import given
from hypothesis import strategies as st

from paywright_runtime import strict_json
from paywright_runtime.contract import formats
from paywright_runtime.signing.keys import KeyPair, load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.engine.merchant import RegisteredMerchant
from tests.sandbox.helpers.desk import PLACE, Desk, checkout_data
from tests.support.examples import examples
from tests.support.keys import key_pair


@pytest.fixture(scope="module")
def stranger() -> KeyPair:
    return key_pair(2)


@pytest.fixture
def body(desk: Desk) -> bytes:
    return strict_json.write(desk.envelope("orders.checkout", checkout_data("ORD_1", subject="Zwei Plätze / für <2>")))


def refused(desk: Desk, raw: bytes, *signatures: str) -> str:
    """What the sandbox says; and nothing has happened."""
    answer = desk.raw("orders.checkout", raw, [("sign", signature) for signature in signatures])
    assert answer["code"] == "SIGN_VERIFY_FAILED"
    assert desk.policy == "signature-failed"
    assert desk.control("GET", "orders")["orders"] == []
    assert not any(signature in answer["msg"] for signature in signatures if signature)
    return str(answer["msg"])


def test_a_missing_or_repeated_signature_is_said_to_be(desk: Desk, body: bytes) -> None:
    good = desk.signer.sign(body)
    assert "no sign header" in refused(desk, body)
    assert "The header X-Sign has" in desk.raw("orders.checkout", body, [("X-Sign", good)])["msg"]
    asked = desk.engine.handle("POST", f"{PLACE}?sign={quote(good)}", [("content-type", "application/json")], body)
    assert "The query has the signature" in desk.judged("orders.checkout", asked)["msg"]
    assert "a member sign, which counts for nothing" in refused(
        desk, strict_json.write({**_members(body), "sign": good})
    )
    assert "several sign headers" in refused(desk, body, good, good)


@pytest.mark.parametrize(
    ("mangle", "words"),
    [
        (lambda text: text[:100] + " " + text[100:], "white space"),
        (lambda text: text[:76] + "\n" + text[76:], "white space"), (lambda text: text.rstrip("="), "padding"),
        (lambda text: text + ", " + text, "several values"), (lambda text: base64.b64decode(text).hex(), "hexadecimal"),
        *((lambda text, b=by: f"RSA-SHA2-256(body.json)= {base64.b64decode(text).hex(*b)}", "hexadecimal") for by in ("", "-", ":")),
        (lambda text: "\\n".join(textwrap.wrap(text, 60)), "it holds escapes of JSON, it holds white space"),
        (quote, "URL-encoded"), (lambda text: text.replace("+", " "), "became a space"),
        (lambda text: f"sign: {text}", "behind the name of its header"), (lambda text: base64.b64encode(text.encode()).decode(), "Base64 twice"),
        (lambda text: text.replace("=", "\\u003d").replace("/", "\\/"), "escapes of JSON"),
        (lambda text: f"'sign': '{text}',", "other text stands around it"),
        (lambda text: text[:-4], "255 bytes, and one of a 2048-bit RSA key 256"), (lambda text: text[:-3] + "R==", "stray bits"),
        (lambda text: "!" + text[1:], "not canonical Base64"), (lambda _: "", "is empty"),
        (lambda text: base64.urlsafe_b64encode(base64.b64decode(text)).decode().rstrip("="), "encoding is not canonical"),
    ],
)  # fmt: skip
def test_a_noncanonical_signature_is_named(desk: Desk, body: bytes, mangle: Callable[[str], str], words: str) -> None:
    while "+" not in desk.signer.sign(body):  # as one in two hundred
        body += b" "
    said = refused(desk, body, mangle(desk.signer.sign(body)))
    assert words in said
    assert "344 characters" in said


def test_an_unregistered_key_is_told_apart(desk: Desk, body: bytes, stranger: KeyPair, folder: Path) -> None:
    said = refused(desk, body, RsaSigner(stranger.private).sign(body))
    assert "An unknown key signed it, or the signature was changed" in said
    assert desk.engine.settings.merchants[0].verifier.keys[0] in said
    gateway = RsaSigner(load_private_key(folder / "keys" / "gateway.key"))
    assert "the gateway's own" in refused(desk, body, gateway.sign(body))
    other = RegisteredMerchant({"app_id": "app_other"}, stranger.public)
    desk.engine.settings.merchants += (other,)
    assert "that of the merchant app_other" in refused(desk, body, RsaSigner(stranger.private).sign(body))


SENT: list[tuple[str, Callable[[bytes], bytes], str]] = [
    ("spaces", lambda raw: json.dumps(json.loads(raw), ensure_ascii=False).encode(), "with a space after commas"),
    ("ascii", lambda raw: json.dumps(json.loads(raw), separators=(",", ":")).encode(), "escaped to ASCII"),
    ("indent", lambda raw: json.dumps(json.loads(raw), indent=2, ensure_ascii=False).encode(), "indented by 2"),
    ("sorted", lambda raw: json.dumps(json.loads(raw), sort_keys=True).replace("10.5", "10.50").encode(), "members sorted"),
    ("newline", lambda raw: raw + b"\n", "with a newline at its end"), ("crlf", lambda raw: raw + b"\r\n", "with CR LF at its end"),
    ("bom", lambda raw: b"\xef\xbb\xbf" + raw, "byte order mark"), ("slashes", lambda raw: raw.replace(b"/", b"\\/"), "with slashes escaped"),
    ("php", lambda raw: json.dumps(json.loads(raw), indent=4).replace("/", "\\/").encode(), "ASCII, with slashes escaped"),
    ("ksort", lambda raw: strict_json.write(dict(sorted(_members(raw).items()))), "outer members sorted"),
    ("numbers", lambda raw: raw.replace(b"10.50", b"10.5"), "shorter numbers"), ("other", lambda raw: b"POST" + raw, "something else was signed, such as a path with it"),
    ("data", lambda raw: strict_json.write(_members(raw)["data"]), "of its data alone"), ("zero", lambda raw: raw + b"\0", "with a zero byte at its end"),
    ("hash", lambda raw: hashlib.sha256(raw).hexdigest().encode(), "over the SHA-256 of the body"),
    ("hash in capitals", lambda raw: hashlib.sha256(raw).hexdigest().upper().encode(), "over the SHA-256 of the body"),
    ("mojibake", lambda raw: raw.decode("latin-1").encode(), "letters encoded once more"), ("wide", lambda raw: raw.decode().encode("utf-16-le"), "in UTF-16-LE"),
    ("digest", lambda raw: hashlib.sha256(raw).digest(), "over the SHA-256 of the body"), ("nothing", lambda _: b"", "over nothing"),
    ("Encoding.ASCII", lambda raw: raw.decode().encode("ascii", "replace"), "in ASCII"), ("base64", base64.b64encode, "in Base64"),
    ("html", lambda raw: raw.replace(b"<", b"\\u003c").replace(b">", b"\\u003e"), "as \\u003c"),
    ("Encoder of Go", lambda raw: raw.replace(b"<", b"\\u003c").replace(b">", b"\\u003e") + b"\n", "as \\u003c, with a newline"),
    ("MarshalIndent", lambda raw: json.dumps(json.loads(raw), indent="\t").replace("10.5", "10.50").encode(), "by tabs and escaped"),
    ("base64 of hash", lambda raw: base64.b64encode(hashlib.sha256(raw).digest()), "over the SHA-256 of the body"),
    ("pairs", lambda raw: _pairs(raw).encode(), "over the body as sorted name=value pairs"),
    ("string", lambda raw: json.dumps(raw.decode(), ensure_ascii=False).encode(), "as a JSON string"), ("Java", lambda raw: raw.decode().encode("utf-16-be"), "in UTF-16-BE"),
]  # fmt: skip


def _pairs(raw: bytes) -> str:
    values = {name: strict_json.write(of).decode().strip('"') for name, of in sorted(_members(raw).items())}
    return "&".join(f"{name}={text}" for name, text in values.items())


def _members(raw: bytes) -> dict[str, object]:
    value = strict_json.parse(raw)
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize(("signed", "words"), [case[1:] for case in SENT], ids=[case[0] for case in SENT])
def test_a_rewritten_body_is_told(desk: Desk, body: bytes, signed: Callable[[bytes], bytes], words: str) -> None:
    said = refused(desk, body, desk.signer.sign(signed(body)))
    assert words in said
    assert "right key" in said


@examples(60)
@given(data=st.data())
def test_the_right_key_over_other_bytes_is_not_blamed(desk: Desk, body: bytes, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(body) - 1))
    changed = body[:position] + data.draw(st.binary(min_size=0, max_size=3)) + body[position + 1 :]
    if changed != body:
        assert "right key" in refused(desk, body, desk.signer.sign(changed))


def test_numbers_that_look_like_the_marks_of_the_writer_do_not_confuse_it(desk: Desk) -> None:
    data = checkout_data("ORD_1", reference="\x000\x00", subject="\x001\x00")
    body = strict_json.write(desk.envelope("orders.checkout", data))
    assert "over other bytes" in refused(desk, body, desk.signer.sign(b"x"))


def test_a_large_body_is_not_written_anew_in_every_style(desk: Desk) -> None:
    for count, said in ((10, "with a space after commas"), (100_000, "over other bytes")):
        body = strict_json.write({"appId": "app_sandbox_1", "data": [7, *[Decimal("1.5")] * count]})
        assert "with a newline at its end" in refused(desk, body, desk.signer.sign(body + b"\n"))
        spaced = body.replace(b",", b", ").replace(b":", b": ")
        assert said in refused(desk, body, desk.signer.sign(spaced))
        longer = refused(desk, body, desk.signer.sign(body.replace(b"1.5", b"1.50")))
        assert ("two decimals (10.50 for 10.5)" in longer) is (count == 10)


def test_another_algorithm_is_named(desk: Desk, body: bytes, folder: Path) -> None:
    key = load_private_key(folder / "keys" / "merchant.key")

    def made(pad: padding.AsymmetricPadding, algorithm: hashes.HashAlgorithm) -> str:
        return base64.b64encode(key.sign(body, pad, algorithm)).decode()

    for hashed in (hashes.SHA1(), hashes.SHA512()):
        name = hashed.name.upper().replace("SHA", "SHA-")
        assert f"made with {name};" in refused(desk, body, made(padding.PKCS1v15(), hashed))
        for mask, salt in ((hashed, padding.PSS.MAX_LENGTH), (hashes.SHA1(), 20), (hashed, hashed.digest_size)):
            assert "an RSASSA-PSS" in refused(desk, body, made(padding.PSS(padding.MGF1(mask), salt), hashed))
    backwards = key.sign(body, padding.PKCS1v15(), hashes.SHA256())[::-1]
    assert "bytes are in reverse order" in refused(desk, body, base64.b64encode(backwards).decode())
    digest = key.sign(hashlib.sha256(b"x").digest(), padding.PKCS1v15(), Prehashed(hashes.SHA256()))
    assert "over other bytes" in refused(desk, body, base64.b64encode(digest).decode())


def test_nothing_of_the_body_is_read_for_effect_before_the_signature_holds(desk: Desk) -> None:
    message = desk.envelope("orders.checkout", {"outTradeNo": 5}, requestTime="never", version=None)
    raw = strict_json.write(message)
    assert "no sign header" in refused(desk, raw)
    assert desk.raw("orders.checkout", raw, [("sign", desk.signer.sign(raw))])["code"] == "PARAMS_INVALID"


# Whose request it is


def test_an_unknown_app_and_a_foreign_merchant_number_are_refused(desk: Desk) -> None:
    assert desk.call("orders.query", {"outTradeNo": "ORD_1"}, appId="app_9")["code"] == "MERCHANT_APP_INVALID"
    foreign = desk.call("orders.query", {"outTradeNo": "ORD_1"}, merchantNo="MN9")
    assert foreign["code"] == "MERCHANT_APP_INVALID"
    assert "merchantNo" in foreign["msg"]
    for named, words in (({}, "appId is missing"), ({"appId": 5}, "appId must be a string")):
        nobody = desk.send("orders.query", {**named, "data": {"outTradeNo": "ORD_1"}})
        assert (nobody["code"], words in str(nobody["msg"])) == ("PARAMS_INVALID", True)


def test_merchants_do_not_see_each_others_orders(desk: Desk, stranger: KeyPair) -> None:
    desk.engine.settings.merchants += (RegisteredMerchant({"app_id": "app_other"}, stranger.public),)
    token = desk.paid("ORD_1")
    desk.signer = RsaSigner(stranger.private)
    own = {"appId": "app_other", "merchantNo": "MN_OTHER"}
    assert desk.call("orders.query", {"outTradeNo": "ORD_1"}, **own)["code"] == "ORDER_NOT_EXIST"
    data = {"outRefundNo": "REF_1", "refundAmount": 1, "refundCurrency": "USD", "tradeToken": token}
    assert desk.call("refunds.create", data, **own)["code"] == "PARAMS_INVALID"
    assert desk.call("orders.checkout", checkout_data("ORD_1", Decimal("3")), **own)["code"] == "APPLY_SUCCESS"


# The time


@pytest.mark.parametrize(("seconds", "words"), [(-121, "121 s behind"), (121, "121 s ahead"), (-86400, "86400 s behind")])  # fmt: skip
def test_a_request_time_off_by_over_two_minutes_is_refused(desk: Desk, seconds: int, words: str) -> None:
    time = formats.write_request_time(desk.clock.now() + timedelta(seconds=seconds))
    answer = desk.call("orders.query", {"outTradeNo": "ORD_1"}, requestTime=time)
    assert answer["code"] == "REQ_TIME_OVER_TIME"
    assert words in answer["msg"]


@pytest.mark.parametrize("seconds", [-120, 0, 120])
def test_two_minutes_are_allowed_either_way(desk: Desk, seconds: int) -> None:
    time = formats.write_request_time(desk.clock.now() + timedelta(seconds=seconds))
    assert desk.call("orders.query", {"outTradeNo": "ORD_1"}, requestTime=time)["code"] == "ORDER_NOT_EXIST"


def test_how_time_is_judged_is_a_setting(desk: Desk) -> None:
    desk.engine.settings.request_skew_seconds = 10
    stale = formats.write_request_time(desk.clock.now() - timedelta(seconds=11))
    assert desk.call("orders.query", {"outTradeNo": "ORD_1"}, requestTime=stale)["code"] == "REQ_TIME_OVER_TIME"
    desk.engine.settings.judge_request_time = "off"
    assert desk.call("orders.query", {"outTradeNo": "ORD_1"}, requestTime=stale)["code"] == "ORDER_NOT_EXIST"
