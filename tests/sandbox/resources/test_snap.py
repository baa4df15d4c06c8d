"""Bank-style status and cancel in the sandbox: own headers, own signature, own codes [4.17, 2.13, 5.7]."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from paywright import FixedClock, SnapAsymmetric, SnapSymmetric
from paywright_runtime import strict_json
from paywright_runtime.contract import formats
from paywright_runtime.signing.keys import load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.gateway import make_engine, open_store, read_settings
from tests.sandbox.helpers.desk import Desk
from tests.support.keys import key_pair

STATUS = "/v1.0/debit/status"
CANCEL = "/v1.0/debit/cancel"
SECRET, TOKEN = "sandbox-client-secret", "sandbox-access-token"
VERSION = {"version": "1.4", "keyVersion": "1"}

numbers = count(1)


class Snap:
    """Makes bank-style calls of a desk; `headers` change what is sent, None leaves one out."""

    def __init__(self, desk: Desk, signature: SnapAsymmetric | SnapSymmetric | None = None) -> None:
        self.desk = desk
        self.signature = signature or SnapAsymmetric(desk.signer)

    def status(self, number: str, headers: dict[str, str | None] | None = None, **more: Any) -> dict[str, Any]:
        body = {"merchantId": "MI0000000000001", "serviceCode": "54", "originalPartnerReferenceNo": number}
        return self.send("snap.status", STATUS, {**body, "additionalInfo": VERSION, **more}, headers)

    def cancel(self, number: str, headers: dict[str, str | None] | None = None, **more: Any) -> dict[str, Any]:
        body = {"originalPartnerReferenceNo": number, "additionalInfo": VERSION, **more}
        return self.send("snap.cancel", CANCEL, body, headers)

    def send(
        self, operation: str, path: str, body: dict[str, Any], change: dict[str, str | None] | None = None
    ) -> dict[str, Any]:
        return self.raw(operation, path, strict_json.write(body), change)

    def raw(self, operation: str, path: str, raw: bytes, change: dict[str, str | None] | None = None) -> dict[str, Any]:
        return self.desk.raw(operation, raw, self.headers(path, raw, change))

    def headers(self, path: str, raw: bytes, change: dict[str, str | None] | None = None) -> list[tuple[str, str]]:
        time = formats.write_request_time(self.desk.clock.now())
        headers: dict[str, str | None] = {
            "X-TIMESTAMP": time,
            "X-PARTNER-ID": "SNAP_PARTNER_1",
            "X-EXTERNAL-ID": str(next(numbers)),
            "CHANNEL-ID": "95221",
            **self.signature.headers("POST", path, raw, time),
            **({"sign": self.desk.signer.sign(raw)} if path == STATUS else {}),
            **(change or {}),
        }
        return [(name, value) for name, value in headers.items() if value is not None]


@pytest.fixture
def snap(desk: Desk) -> Snap:
    return Snap(desk)


# What an order is


def test_a_paid_order_is_00_with_its_time_and_amount(snap: Snap) -> None:
    token = snap.desk.paid("ORD_1", Decimal("10.50"))
    answer = snap.status("ord_1")
    assert (answer["responseCode"], answer["responseMessage"]) == ("2005500", "Successful")
    assert (answer["originalPartnerReferenceNo"], answer["originalReferenceNo"]) == ("ORD_1", token)
    assert (answer["latestTransactionStatus"], answer["paidTime"]) == ("00", "2025-06-01T12:00:00+00:00")
    assert answer["transAmount"] == {"value": Decimal("10.50"), "currency": "USD"}
    assert "refundHistory" not in answer
    assert not {"code", "msg", "data"} & set(answer)


def test_pending_closed_and_failed_are_03_05_and_06(snap: Snap) -> None:
    for key in ("ORD_1", "ORD_2", "ORD_3"):
        snap.desk.checkout(key)
    snap.desk.control("POST", "orders/ORD_2/close")
    snap.desk.control("POST", "orders/ORD_3/fail")
    found = [snap.status(key) for key in ("ORD_1", "ORD_2", "ORD_3")]
    assert [answer["latestTransactionStatus"] for answer in found] == ["03", "05", "06"]
    assert all("paidTime" not in answer for answer in found)
    snap.desk.clock.advance(86400)
    assert snap.status("ORD_1")["latestTransactionStatus"] == "05"


@pytest.mark.parametrize("status", ["00", "05", "06"])
def test_a_returned_order_has_the_policys_status(open_desk: Callable[..., Desk], status: str) -> None:
    """00 is said to be final [2.13], and no code for a return is shown."""
    desk = open_desk(snap_status_of_bounced=status, snap_cancel_of_paid="refund")
    snap = Snap(desk)
    desk.paid("ORD_1", Decimal("10.50"))
    paid = snap.status("ORD_1")
    desk.clock.advance(86400)
    assert desk.control("POST", "orders/ORD_1/bounce")["status"] == "BOUNCEBACK"
    assert snap.status("ORD_1") == paid | {"latestTransactionStatus": status}
    assert desk.policy == "snap-status-of-bounced"
    cancelled = snap.cancel("ORD_1")
    assert cancelled["additionalInfo"] == {"latestTransactionStatus": status}
    assert "refundHistory" not in snap.status("ORD_1")  # nothing was given back once more


def test_the_refund_history_is_that_of_real_refunds(snap: Snap) -> None:
    snap.desk.paid("ORD_1", Decimal("10.50"))
    made = snap.desk.refund("REF_1", Decimal("4.25"), outTradeNo="ORD_1", comments="Too late")["data"]
    snap.desk.clock.advance(2)
    snap.desk.refund("REF_2", Decimal("1.00"), outTradeNo="ORD_1")
    first, second = snap.status("ORD_1")["refundHistory"]
    assert first == {
        "refundNo": made["refundTradeNo"],
        "partnerRefundNo": "REF_1",
        "refundAmount": {"value": Decimal("4.25"), "currency": "USD"},
        "refundStatus": "00",
        "refundDate": "2025-06-01T12:00:02+00:00",
        "reason": "Too late",
    }
    assert (second["refundStatus"], "reason" in second) == ("03", False)


# Cancelling


def test_a_cancel_closes_a_pending_order(snap: Snap) -> None:
    snap.desk.checkout("ORD_1")
    answer = snap.cancel("ORD_1", reason="Changed my mind", originalExternalId="E1")
    assert (answer["responseCode"], answer["additionalInfo"]) == ("2005700", {"latestTransactionStatus": "05"})
    assert (answer["cancelTime"], answer["originalExternalId"]) == ("2025-06-01T12:00:00+00:00", "E1")
    assert snap.status("ORD_1")["latestTransactionStatus"] == "05"
    assert snap.desk.query("ORD_1")["data"]["responseCode"] == "ORDER_CLOSED"
    assert snap.desk.control("POST", "orders/ORD_1/pay")["httpStatus"] == 409
    assert snap.cancel("ORD_1")["additionalInfo"] == {"latestTransactionStatus": "05"}


def test_a_cancel_of_a_paid_order_answers_00_and_keeps_the_money(snap: Snap) -> None:
    snap.desk.paid("ORD_1")
    answer = snap.cancel("ORD_1")
    assert (answer["responseCode"], answer["additionalInfo"]) == ("2005700", {"latestTransactionStatus": "00"})
    assert snap.desk.policy == "snap-cancel-of-paid"
    assert snap.desk.control("GET", "orders/ORD_1")["refundable"] == "10.50"


def test_or_it_refunds_the_rest_once(open_desk: Callable[..., Desk]) -> None:
    snap = Snap(open_desk(snap_cancel_of_paid="refund"))
    snap.desk.paid("ORD_1", Decimal("10.50"))
    snap.desk.refund("REF_1", Decimal("4.00"), outTradeNo="ORD_1")
    for _ in range(2):
        assert snap.cancel("ORD_1", reason="Sold out")["additionalInfo"] == {"latestTransactionStatus": "00"}
    assert Decimal(snap.desk.control("GET", "orders/ORD_1")["refundable"]) == 0
    history = snap.status("ORD_1")["refundHistory"]
    assert [part["refundAmount"]["value"] for part in history] == [Decimal("4.00"), Decimal("6.50")]
    assert history[1]["reason"] == "Sold out"


def test_what_can_be_refunded_no_longer_cannot_be_cancelled_with_a_refund(open_desk: Callable[..., Desk]) -> None:
    snap = Snap(open_desk(snap_cancel_of_paid="refund"))
    snap.desk.paid("ORD_1")
    snap.desk.clock.advance(181 * 86400)
    answer = snap.cancel("ORD_1")
    assert (answer["responseCode"], "180 days" in answer["responseMessage"]) == ("4035715", True)


def test_or_it_is_refused(open_desk: Callable[..., Desk]) -> None:
    snap = Snap(open_desk(snap_cancel_of_paid="refuse"))
    snap.desk.paid("ORD_1")
    assert snap.cancel("ORD_1")["responseCode"] == "4035715"
    assert snap.status("ORD_1")["latestTransactionStatus"] == "00"


# Which orders, and what is refused


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"number": "ORD_9"}, "40401"),
        ({"originalReferenceNo": "TT9"}, "40401"),
        ({"amount": {"value": Decimal("10.49"), "currency": "USD"}}, "40413"),
        ({"amount": {"value": Decimal("10.50"), "currency": "EUR"}}, "40413"),
        ({"amount": {"value": "10.50", "currency": "USD"}}, "40001"),
        ({"additionalInfo": None}, "40002"),
        ({"additionalInfo": {"version": "1.4"}}, "40002"),
        ({"number": "N" * 65}, "40001"),
    ],
)
def test_what_is_not_there_or_not_right_has_its_code(snap: Snap, asked: dict[str, Any], code: str) -> None:
    snap.desk.checkout("ORD_1")
    asked = {"number": "ORD_1", **asked}
    for answer, service in ((snap.status(**asked), "55"), (snap.cancel(**asked), "57")):
        assert answer["responseCode"] == code[:3] + service + code[3:]
    assert snap.desk.query("ORD_1")["data"]["status"] == "PENDING"


def test_the_right_amount_and_number_may_be_said(snap: Snap) -> None:
    token = snap.desk.checkout("ORD_1")["data"]["tradeToken"]
    asked = {"amount": {"value": Decimal("10.5"), "currency": "USD"}, "originalReferenceNo": token}
    assert snap.status("ORD_1", **asked)["responseCode"] == "2005500"


def test_an_external_id_is_used_once_a_day(snap: Snap) -> None:
    snap.desk.checkout("ORD_1")
    once: dict[str, str | None] = {"X-EXTERNAL-ID": "41807553358950093184162180797837"}
    assert snap.status("ORD_9", once)["responseCode"] == "4045501"  # refused: it leaves nothing behind
    assert snap.status("ORD_1", once)["responseCode"] == "2005500"
    assert snap.status("ORD_1", once)["responseCode"] == "4095500"
    assert snap.cancel("ORD_1", once)["responseCode"] == "4095700"
    assert snap.desk.query("ORD_1")["data"]["status"] == "PENDING"
    snap.desk.clock.advance(5 * 3600)  # midnight, seven hours east of here
    assert snap.status("ORD_1", once)["responseCode"] == "2005500"


# The headers


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"X-TIMESTAMP": None}, "40002"), ({"X-EXTERNAL-ID": None}, "40002"), ({"CHANNEL-ID": None}, "40002"),
        ({"X-SIGNATURE": None}, "40002"),
        ({"X-TIMESTAMP": "2025-06-01T12:00:00+00:00"}, "40001"),
        ({"X-TIMESTAMP": "2025-06-01 12:00:00"}, "40001"),
        ({"X-TIMESTAMP": "2025-06-01 12:00:00", "CHANNEL-ID": None}, "40001"),  # of several the first has its code
        ({"X-PARTNER-ID": "SOMEBODY"}, "40100"),
    ],
)  # fmt: skip
def test_headers_are_judged_by_the_contract(snap: Snap, headers: dict[str, str | None], code: str) -> None:
    snap.desk.checkout("ORD_1")
    assert snap.status("ORD_1", headers)["responseCode"] == code[:3] + "55" + code[3:]
    assert snap.cancel("ORD_1", headers)["responseCode"] == code[:3] + "57" + code[3:]
    assert snap.desk.query("ORD_1")["data"]["status"] == "PENDING"


@pytest.mark.parametrize(("times", "code"), [(1, "2005500"), (2, "4005501")])
def test_another_timestamp_form_is_taken_once(open_desk: Callable[..., Desk], times: int, code: str) -> None:
    snap = Snap(open_desk(request_time_format="rfc-3339", snap_signature="any"))
    snap.desk.checkout("ORD_1")
    body = {"merchantId": "MI0000000000001", "serviceCode": "54", "originalPartnerReferenceNo": "ORD_1"}
    raw = strict_json.write({**body, "additionalInfo": VERSION})
    headers = [*snap.headers(STATUS, raw, {"X-TIMESTAMP": None}), *[("X-TIMESTAMP", "2025-06-01T12:00:00Z")] * times]
    answer = snap.desk.raw("snap.status", raw, headers)
    assert answer["responseCode"] == code
    assert times == 1 or "must be RFC 3339 with an offset" in answer["responseMessage"]


def test_a_status_needs_the_header_sign_and_a_cancel_does_not(snap: Snap) -> None:
    snap.desk.checkout("ORD_1")
    assert snap.status("ORD_1", {"sign": None})["responseCode"] == "4015500"
    assert snap.cancel("ORD_1", {"sign": "nonsense"})["responseCode"] == "2005700"


def test_a_stale_timestamp_is_refused(desk: Desk) -> None:
    desk.checkout("ORD_1")
    assert (_late(desk, 121)["responseCode"], desk.policy) == ("4015500", "stale-request-time")


def _late(desk: Desk, seconds: int) -> dict[str, Any]:
    snap = Snap(desk)
    body = {"merchantId": "MI0000000000001", "serviceCode": "54", "originalPartnerReferenceNo": "ORD_1"}
    raw = strict_json.write({**body, "additionalInfo": VERSION})
    time = formats.write_request_time(desk.clock.now() - timedelta(seconds=seconds))
    signed = snap.signature.headers("POST", STATUS, raw, time)
    return snap.raw("snap.status", STATUS, raw, {"X-TIMESTAMP": time, **signed})


# The signature


def test_both_kinds_of_signature_are_taken(snap: Snap) -> None:
    snap.desk.checkout("ORD_1")
    assert snap.status("ORD_1")["responseCode"] == "2005500"
    assert Snap(snap.desk, SnapSymmetric(SECRET, TOKEN)).status("ORD_1")["responseCode"] == "2005500"


@pytest.mark.parametrize(("due", "other"), [("asymmetric", "symmetric"), ("symmetric", "asymmetric")])
def test_which_kind_is_due_is_a_policy(open_desk: Callable[..., Desk], due: str, other: str) -> None:
    desk = open_desk(snap_signature=due)
    desk.checkout("ORD_1")
    kinds = {"asymmetric": SnapAsymmetric(desk.signer), "symmetric": SnapSymmetric(SECRET, TOKEN)}
    assert Snap(desk, kinds[due]).status("ORD_1")["responseCode"] == "2005500"
    answer = Snap(desk, kinds[other]).status("ORD_1")
    assert answer["responseCode"] == "4015500"
    assert f"is {other}, but the policy snap-signature requires {due}" in answer["responseMessage"]


def test_any_signature_is_taken_where_a_policy_says_so(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(snap_signature="any")
    desk.checkout("ORD_1")
    assert Snap(desk).status("ORD_1", {"X-SIGNATURE": "whatever"})["responseCode"] == "2005500"


def hashed(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


Signing = Callable[[bytes, str, str], str]
MISTAKES: dict[str, tuple[str, Signing]] = {  # what is signed of a body and a time; the symmetric form has its token in front
    "white space": ("hashed with its white space", lambda body, time, token: f"POST:{CANCEL}:{token}{hashed(body)}:{time}"),
    "capitals": ("in upper case", lambda body, time, token: f"POST:{CANCEL}:{token}{small(body).upper()}:{time}"),
    "time": ("X-TIMESTAMP was left out", lambda body, time, token: f"POST:{CANCEL}:{token}{small(body)}"),
    "token": ("access token", lambda body, time, token: f"POST:{CANCEL}:{'' if token else f'{TOKEN}:'}{small(body)}:{time}"),
    "path": ("lacked its version", lambda body, time, token: f"POST:/debit/cancel:{token}{small(body)}:{time}"),
    "access token call": ("asks for an access token", lambda body, time, token: f"SNAP_PARTNER_1|{time}"),
    "body": ("over the body alone", lambda body, time, token: body.decode()),
    "other": ("another text", lambda body, time, token: "x"),
}  # fmt: skip


def made(snap: Snap, text: str, symmetric: bool) -> str:
    """A signature of a text, with the secret or by the merchant's key."""
    mac = base64.b64encode(hmac.digest(SECRET.encode(), text.encode(), "sha512")).decode()
    return mac if symmetric else snap.desk.signer.sign(text.encode())


def sent(snap: Snap, raw: bytes, signature: str) -> dict[str, Any]:
    headers: dict[str, str | None] = {
        "X-SIGNATURE": signature,
        "Authorization": f"Bearer {TOKEN}",
        "Host": "gateway.example",
    }
    return snap.raw("snap.cancel", CANCEL, raw, headers)


SEEN = (
    '{"originalPartnerReferenceNo":"ORD_1","additionalInfo":{"version":"1.4","keyVersion":"1"},"reason":"2 für / <3>"}'
)
SLIPS: dict[str, Callable[[str, str], tuple[str, str, str]]] = {
    "escaped to ASCII": lambda body, time: (CANCEL, hashed(compact(body, ensure_ascii=True).encode()), time),
    "with slashes escaped": lambda body, time: (CANCEL, hashed(body.replace("/", "\\/").encode()), time),
    "with < > & as \\u003c": lambda body, time: (CANCEL, hashed(body.replace("<", "\\u003c").replace(">", "\\u003e").encode()), time),
    "without white space in its texts": lambda body, time: (CANCEL, hashed("".join(body.split()).encode()), time),
    "members sorted": lambda body, time: (CANCEL, hashed(compact(body, sort_keys=True).encode()), time),
    "the hash was in Base64": lambda body, time: (CANCEL, base64.b64encode(bytes.fromhex(hashed(body.encode()))).decode(), time),
    "that of another call": lambda body, time: (CANCEL, hashed(body.encode()), time.replace("00:00.000", "00:07.000")),
    "the path had its host": lambda body, time: (f"https://gateway.example{CANCEL}", hashed(body.encode()), time),
}  # fmt: skip


def compact(body: str, *, ensure_ascii: bool = False, sort_keys: bool = False) -> str:
    return json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=ensure_ascii, sort_keys=sort_keys)


@pytest.mark.parametrize("slip", list(SLIPS))
@pytest.mark.parametrize("symmetric", [False, True])
def test_a_slip_of_an_sdk_is_named(snap: Snap, slip: str, symmetric: bool) -> None:
    time = formats.write_request_time(snap.desk.clock.now())
    path, hash, at = SLIPS[slip](SEEN, time)
    text = ":".join(["POST", path, *([TOKEN] if symmetric else []), hash, at])
    message = sent(snap, SEEN.encode(), made(snap, text, symmetric))["responseMessage"]
    assert slip in message
    assert len(message) <= 150


@pytest.mark.parametrize(
    ("spell", "words"),
    [
        (quote, "URL-encoded"), (lambda text: base64.b64decode(text).hex(), "hexadecimal"),
        (lambda text: base64.b64encode(text.encode()).decode(), "Base64 twice"), (lambda text: f"X-SIGNATURE: {text}", "name of its header"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("symmetric", [False, True])
def test_a_rewritten_signature_is_named(snap: Snap, spell: Callable[[str], str], words: str, symmetric: bool) -> None:
    time = formats.write_request_time(snap.desk.clock.now())
    text = ":".join(["POST", CANCEL, *([TOKEN] if symmetric else []), hashed(SEEN.encode()), time])
    message = sent(snap, SEEN.encode(), spell(made(snap, text, symmetric)))["responseMessage"]
    assert f"X-SIGNATURE is right, but it {'is' if words[0] != 'n' else 'stands behind the'} {words}" in message


def small(body: bytes) -> str:
    return hashed(body.replace(b" ", b""))


@pytest.mark.parametrize("mistake", list(MISTAKES))
@pytest.mark.parametrize("symmetric", [False, True])
def test_what_was_signed_in_place_of_the_right_text_is_told(snap: Snap, mistake: str, symmetric: bool) -> None:
    words, signing = MISTAKES[mistake]
    raw = b'{ "originalPartnerReferenceNo": "ORD_1", "additionalInfo": {"version": "1.4", "keyVersion": "1"} }'
    time = formats.write_request_time(snap.desk.clock.now())
    signature = made(snap, signing(raw, time, f"{TOKEN}:" if symmetric else ""), symmetric)
    answer = sent(snap, raw, signature)
    assert (answer["responseCode"], snap.desk.policy) == ("4015700", "snap-signature")
    message = answer["responseMessage"]
    assert words in message
    assert message.endswith(":X-TIMESTAMP.")
    assert len(message) <= 150
    assert not any(secret in message for secret in (SECRET, TOKEN, signature))


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        ("=", "not padded standard Base64"),
        ("%%%", "not padded standard Base64"),
        ("ab" * 128, "not SHA256withRSA by this merchant's key"),
        (base64.b64encode(b"1" * 32).decode(), "HMAC-SHA256"),
        (base64.b64encode(b"1" * 64).decode(), "another secret"),
        (base64.b64encode(b"1" * 256).decode(), "not SHA256withRSA by this merchant's key"),
    ],
)
def test_what_is_no_signature_is_told(snap: Snap, signature: str, words: str) -> None:
    answer = snap.cancel("ORD_1", {"X-SIGNATURE": signature})
    assert answer["responseCode"] == "4015700"
    assert words in answer["responseMessage"]


def test_what_is_signed_is_the_address_that_the_settings_name(folder: Path, clock: FixedClock) -> None:
    settings = read_settings(folder)
    settings.paths = {**settings.paths, "snap.cancel": "/bank/cancel"}
    engine = make_engine(settings, open_store(), address="http://127.0.0.1:8787", clock=clock, wall=clock)
    snap = Snap(Desk(engine, folder, clock))
    snap.desk.checkout("ORD_1")
    raw = strict_json.write({"originalPartnerReferenceNo": "ORD_1", "additionalInfo": VERSION})
    for signed, sent, code, words in (
        (CANCEL, "/bank/cancel", "4015700", "another text"),
        ("/bank/cancel", "/bank/cancel?lang=en", "4015700", "the path lacked its query"),
        ("/bank/cancel?lang=en", "/bank/cancel", "4015700", "another text"),
        ("/bank/cancel?lang=en", "/bank/cancel?lang=en", "2005700", ""),
        ("/bank/cancel", "/bank/cancel", "2005700", ""),
    ):
        headers = [("content-type", "application/json"), *snap.headers(signed, raw)]
        answer = snap.desk.judged("snap.cancel", engine.handle("POST", sent, headers, raw))
        assert answer["responseCode"] == code
        assert words in answer["responseMessage"]


def test_another_key_is_told(snap: Snap) -> None:
    stranger = RsaSigner(load_private_key(key_pair(2).private_pem))
    answer = Snap(snap.desk, SnapAsymmetric(stranger)).cancel("ORD_1")
    assert answer["responseCode"] == "4015700"
    assert "not SHA256withRSA by this merchant's key, whose fingerprint is" in answer["responseMessage"]


@pytest.mark.parametrize(("value", "words"), [(None, "is missing"), ("Bearer other", "names another")])
def test_the_symmetric_form_brings_its_token_along(snap: Snap, value: str | None, words: str) -> None:
    answer = Snap(snap.desk, SnapSymmetric(SECRET, TOKEN)).cancel("ORD_1", {"Authorization": value})
    assert answer["responseCode"] == "4015700"
    assert words in answer["responseMessage"]


def test_without_a_secret_the_symmetric_form_is_no_way_in(snap: Snap) -> None:
    snap.desk.engine.settings.merchants[0].secrets = {}
    answer = Snap(snap.desk, SnapSymmetric(SECRET, TOKEN)).cancel("ORD_1")
    assert answer["responseCode"] == "4015700"
    assert "snap-client-secret" in answer["responseMessage"]
