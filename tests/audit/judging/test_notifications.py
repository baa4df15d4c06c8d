"""Notifications and bank-style calls in the audit: matched by what they say, signed by the other side."""

import gzip
import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from paywright import SnapAsymmetric, contract
from paywright_audit.input.records import Exact, Exchange, Message
from paywright_audit.judging.judge import KnownAnswers, judge, judge_content, judge_signatures
from paywright_audit.judging.matching import Match, Matcher
from paywright_audit.judging.signatures import Keys
from paywright_runtime.signing.keys import load_private_key, load_public_key
from paywright_runtime.signing.rsa import RsaSigner

JSON = ("Content-Type", "application/json")


@pytest.fixture
def gateway(keys: Path) -> RsaSigner:
    return RsaSigner(load_private_key(keys / "keys" / "gateway.key"))


@pytest.fixture
def merchant(keys: Path) -> RsaSigner:
    return RsaSigner(load_private_key(keys / "keys" / "merchant.key"))


@pytest.fixture
def both(keys: Path) -> Keys:
    return Keys([load_public_key(keys / "keys" / "merchant.pub")], [load_public_key(keys / "keys" / "gateway.pub")])


def matched(exchange: Exchange) -> Match:
    match = Matcher().match(exchange)
    assert match is not None
    return match


def notified(gateway: RsaSigner, value: object, answer: object, url: str = "https://shop.example/hook") -> Exchange:
    body = json.dumps(value).encode()
    request = Message([JSON, ("sign", gateway.sign(body))], Exact(body))
    return Exchange("line 1", url, request, Message([JSON], Exact(json.dumps(answer).encode()), 200), "notify")


@pytest.mark.parametrize("name", ["notifications.receive", "notifications.subscription_payment"])
def test_a_notification_is_matched_by_its_type_wherever_it_went(gateway: RsaSigner, both: Keys, name: str) -> None:
    sent = notified(gateway, contract.example(f"{name}.notification"), contract.example(f"{name}.answer"))
    match = matched(sent)
    assert match.operation is not None
    assert match.operation.name == name
    judged = judge(sent, match, both)
    assert judged.findings == []
    assert [verdict.state for verdict in judged.signatures] == ["valid"]


def test_an_answer_to_a_notification_is_judged(gateway: RsaSigner, both: Keys) -> None:
    sent = notified(gateway, contract.example("notifications.receive.notification"), {"code": 5})
    match = matched(sent)
    found = judge(sent, match, both).findings
    assert ("answer", "/code", "type") in [(finding.part, finding.pointer, finding.code) for finding in found]


def test_an_unshown_notification_is_judged_by_signature(gateway: RsaSigner, merchant: RsaSigner, both: Keys) -> None:
    for signer, codes in ((gateway, []), (merchant, ["signature-invalid"])):
        sent = notified(signer, {"notifyType": "PAYMENT", "data": {}}, {"code": "SUCCESS"})
        match = matched(sent)
        assert match.operation is None
        assert [finding.code for finding in judge(sent, match, both).findings] == codes


def test_a_bill_payment_is_known_by_its_members(gateway: RsaSigner, both: Keys) -> None:
    name = "merchant.validate_bill_payment"
    sent = notified(gateway, contract.example(f"{name}.request"), contract.example(f"{name}.response"))
    match = matched(sent)
    assert match.operation is not None
    assert match.operation.name == name
    assert judge(sent, match, both).findings == []


def snap_call(merchant: RsaSigner, gateway: RsaSigner, *, stamp: str = "2025-06-01T12:00:00.000+07:00") -> Exchange:
    body = json.dumps(contract.example("snap.status.request")).encode()
    signed = SnapAsymmetric(merchant).headers("POST", "/v1.0/debit/status", body, stamp)
    headers = [JSON, ("sign", merchant.sign(body)), ("X-TIMESTAMP", stamp), *signed.items()]
    headers += [("X-PARTNER-ID", "P"), ("X-EXTERNAL-ID", "1"), ("CHANNEL-ID", "95221")]
    answer = json.dumps(contract.example("snap.status.response")).encode()
    response = Message([JSON, ("sign", gateway.sign(answer))], Exact(answer), 200)
    return Exchange(
        "line 1", "https://x.example/api/v1.0/debit/status", Message(headers, Exact(body)), response, "call"
    )


def test_both_signatures_of_a_bank_style_call_are_judged(merchant: RsaSigner, gateway: RsaSigner, both: Keys) -> None:
    call = snap_call(merchant, gateway)
    match = matched(call)
    judged = judge(call, match, both)
    assert judged.findings == []
    assert [verdict.state for verdict in judged.signatures] == ["valid"] * 3
    call.request.headers = [
        (name, "2025-06-01T12:00:01.000+07:00" if name == "X-TIMESTAMP" else value)
        for name, value in call.request.headers
    ]
    assert [(finding.pointer, finding.code) for finding in judge(call, match, both).findings] == [
        ("@header/X-SIGNATURE", "signature-unverifiable")
    ]


def test_an_equal_answer_is_read_once_and_its_signature_is_judged_each_time(
    merchant: RsaSigner, gateway: RsaSigner, both: Keys
) -> None:
    call, known = snap_call(merchant, gateway), KnownAnswers(lambda key: [])
    first, second = (judge_content(call, matched(call), known) for _ in range(2))
    assert first.read[1] is second.read[1] is not None
    assert call.response is not None
    call.response.headers = [JSON, ("sign", merchant.sign(b"{}"))]
    third = judge_content(call, matched(call), known)
    judge_signatures(third, both)
    assert [finding.code for finding in third.findings] == ["signature-invalid"]
    call.response.body = Exact(gzip.compress(json.dumps(first.answered, default=float).encode()))
    for headers, wrapped in (([JSON, ("content-encoding", "gzip")], ""), ([JSON], "unpacked")):
        call.response.headers = headers
        reading = judge_content(call, matched(call), known).read[1]
        assert reading is not None
        assert reading.wrapped == wrapped


def test_the_symmetric_form_is_not_to_be_told(merchant: RsaSigner, gateway: RsaSigner, both: Keys) -> None:
    call = snap_call(merchant, gateway)
    mac = b64encode(bytes(64)).decode()
    call.request.headers = [(name, mac if name == "X-SIGNATURE" else value) for name, value in call.request.headers]
    match = matched(call)
    judged = judge(call, match, both)
    assert [(finding.pointer, finding.code) for finding in judged.findings] == [
        ("@header/X-SIGNATURE", "signature-unverifiable")
    ]
    assert [verdict.why for verdict in judged.signatures] == ["", "symmetric", ""]


@pytest.mark.parametrize("sign", ["***", "ab****11", "a\u2022\u2022\u2022b", "[REDACTED]"])
def test_a_signature_that_was_hidden_is_not_to_be_told(gateway: RsaSigner, both: Keys, sign: str) -> None:
    exchange = notified(gateway, contract.example("notifications.receive.notification"), {})
    exchange.request.headers = [JSON, ("sign", sign)]
    match = matched(exchange)
    assert [verdict.why for verdict in judge(exchange, match, both).signatures][:1] == ["no_signature"]


@pytest.mark.parametrize(
    ("raw", "signed", "judged"),
    [(b"{}", b"", 1), (b"[]", b"", 1), (b"\xff", b"", 1), (b'{"data":', b'{"data":', 1), (b"[REDACTED]", b"", 1)],
)
def test_what_can_be_judged_is_counted(merchant: RsaSigner, both: Keys, raw: bytes, signed: bytes, judged: int) -> None:
    call = call_to("http://h/aggregate-pay/api/gateway/refund", {})
    call.request.headers, call.request.body = [JSON, ("sign", merchant.sign(signed))], Exact(raw)
    match = matched(call)
    found = judge(call, match, both)
    assert (found.bodies.count(True), found.bodies.count(False)) == (judged, 1 - judged)


def call_to(url: str, value: object) -> Exchange:
    return Exchange(
        "line 1",
        url,
        Message([("Host", "h"), ("Content-Length", "2")], Exact(json.dumps(value).encode())),
        None,
        "call",
    )


@pytest.mark.parametrize(
    ("url", "body", "name"),
    [
        ("http://h/aggregate-pay/api/gateway/orderAndPay", {"data": {"integrate": "Direct_Payment"}}, "orders.drop_in"),
        ("http://h/aggregate-pay/api/gateway/orderAndPay", {"data": {"integrate": "?"}}, "orders.checkout"),
        ("http://h/aggregate-pay/api/gateway/orderAndPay", [], "orders.checkout"),
        ("/prefix/aggregate-pay/api/gateway/refund?x#y", {}, "refunds.create"),
        ("http://h/anything", {"bizType": "caseSearch"}, "cases.inquire"),
        ("http://h/anything", {"bizType": "inquirePaymentToken"}, "payment_tokens.inquire"),
        ("http://h/aggregate-pay/api/gateway/refunds", {}, None),
        ("http://h/xaggregate-pay/api/gateway/refund", {}, None),
        ("http://h?/aggregate-pay/api/gateway/refund", {}, None),
        ("http://[::1", {}, None),
        ("", {}, None),
        ("http://h/anything", {"notifyType": "RECEIVE"}, None),
    ],
)
def test_calls_are_matched_by_their_address_and_what_tells_them_apart(url: str, body: object, name: str | None) -> None:
    match = Matcher().match(call_to(url, body))
    assert (match and match.operation and match.operation.name) == name


def test_an_address_can_be_given(both: Keys) -> None:
    found = Matcher({"cases.inquire": "/cases"}).match(call_to("https://h/api/cases", {}))
    assert found is not None
    assert found.operation is not None
    assert found.operation.name == "cases.inquire"


def test_what_is_wrong_with_a_request_is_said_once_for_each_place(merchant: RsaSigner, both: Keys) -> None:
    value: dict[str, Any] = {"appId": "a"}
    call = call_to("http://h/aggregate-pay/api/gateway/refund", value)
    match = matched(call)
    found = judge(call, match, both).findings
    places = [(finding.pointer, finding.code) for finding in found]
    assert len(places) == len(set(places))
    assert ("@header/sign", "signature-absent") in places
