"""From bytes to an event: one signature, strict JSON, ours, fresh; and what is answered to what is not."""

from __future__ import annotations

import json
import logging
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from paywright import (
    BillPaymentValidationQuestion,
    ConfigurationError,
    Event,
    InvalidArgument,
    KeyProblem,
    MissingSetting,
    PeriodPaymentStatus,
    Receiver,
    RsaVerifier,
    TransferStatus,
    VerifiedBytes,
    validate,
)
from paywright.models.notifications import PeriodResult, Transfer
from paywright_receiver import MemoryLedger
from paywright_receiver.webhooks.reply import OUTCOMES, STATUS, DeliveryEvent
from paywright_runtime.signing.keys import KeyPair
from paywright_runtime.signing.rsa import SignatureProblem
from tests.receiver.helpers.desk import APP, NOW, Desk, bill, key, order, period, sign, transfer, written


def test_a_transfer_is_typed_and_acknowledged(desk: Desk) -> None:
    events: list[Event[Transfer]] = []
    desk.receiver.on_receive(events.append)
    body = transfer(status="SETTLED")
    reply = desk.deliver(body)
    assert (reply.status, reply.outcome, reply.acknowledged) == (200, "handled", True)
    assert reply.body == b'{"msg":"Success","code":"SUCCESS"}'
    assert dict(reply.headers) == {"Content-Type": "application/json"}
    assert validate("notifications.receive", "answer", reply.body) == []
    (event,) = events
    assert (event.kind, event.operation, event.key) == ("RECEIVE", "notifications.receive", reply.key)
    assert event.data.status is TransferStatus.SETTLED
    assert event.data.payment_detail.trade.amount > Decimal(0)
    assert (event.notify_time, event.body["code"]) == (NOW, "APPLY_SUCCESS")
    assert (event.attempt, event.maybe_repeated, event.replayed) == (1, False, False)
    assert event.violations == []
    assert json.loads(event.raw) == body
    assert "R1" in repr(event)


def test_a_period_payment_reaches_its_handler_typed(desk: Desk) -> None:
    events: list[Event[PeriodResult]] = []
    desk.receiver.on_subscription_payment(events.append)
    reply = desk.deliver(period(status="SUCCESS"))
    assert reply.outcome == "handled"
    assert validate("notifications.subscription_payment", "answer", reply.body) == []
    assert reply.body == b'{"code":"SUCCESS","msg":"Success"}'
    assert events[0].data.subscription_payment_detail.payment_status is PeriodPaymentStatus.SUCCESS


def test_what_the_contract_does_not_show_is_a_verified_untyped_event(desk: Desk) -> None:
    named: list[Event[Mapping[str, object]]] = []
    others: list[Event[Mapping[str, object]]] = []
    desk.receiver.on_kind("PAYMENT", once_per=("outTradeNo", "status"))(named.append)
    desk.receiver.on_other(others.append)
    assert desk.deliver(order()).key == f"{APP}/PAYMENT/ORD_1/SUCCESS"
    data = {"outTradeNo": "ORD_1", "status": "SUCCESS", "totalAmount": Decimal("10.5"), "currency": "USD"}
    assert named[0].data == data
    assert (named[0].operation, named[0].violations) == (None, [])
    assert desk.deliver(order(kind="WITHDRAW")).outcome == "handled"
    assert desk.deliver(order(kind="SOMETHING/NEW")).outcome == "handled"
    assert [event.kind for event in others] == ["WITHDRAW", "SOMETHING/NEW"]


@pytest.mark.parametrize("bad", ["none", "twice", "spaces", "other", "changed", "list", "bytes-other"])
def test_nothing_is_parsed_or_done_without_exactly_one_valid_signature(
    desk: Desk, bad: str, caplog: pytest.LogCaptureFixture
) -> None:
    events: list[Event[Transfer]] = []
    desk.receiver.on_receive(events.append)
    raw = json.dumps(transfer()).encode()
    good = sign(raw)
    headers: Any = {
        "none": {},
        "twice": [("sign", good), ("SIGN", good)],
        "spaces": {"sign": f" {good}"},
        "other": {"sign": sign(raw, 1)},
        "changed": {"sign": sign(raw + b" ")},
        "list": {"sign": f"{good},{good}"},
        "bytes-other": [(b"sign", sign(raw, 1).encode())],
    }[bad]
    reply = desk.receiver.receive(raw, headers)
    assert (reply.status, reply.acknowledged, events) == (401, False, [])
    assert json.loads(reply.body)["code"] != "SUCCESS"
    assert desk.ledger.list() == []
    assert lines(caplog) == [f"{reply.outcome}: a delivery"]


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The lines of the receiver's log that one sees where nobody has set a level, up to the reason."""
    heard = [one for one in caplog.records if one.name == "paywright.receiver" and one.levelno >= logging.WARNING]
    return [": ".join(one.getMessage().split(": ")[:2]) for one in heard]


def test_a_flood_of_refused_deliveries_has_ten_lines_a_minute_of_each_outcome(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    raw = json.dumps(transfer()).encode()
    for headers in ({}, {"sign": sign(raw, 1)}) * 25:
        desk.receiver.receive(raw, headers)
    assert Counter(lines(caplog)) == {"unsigned: a delivery": 10, "bad_signature: a delivery": 10}
    desk.clock.advance(timedelta(minutes=1))
    desk.receiver.receive(raw, {})
    assert caplog.messages[-1] == "unsigned: a delivery: there is no header sign (and 15 more before it)"


def test_what_aws_lambda_hands_over_is_taken_or_named(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """Its headers are lists where there may be several, and its body may be Base64."""
    raw = json.dumps(transfer()).encode()
    lists: Any = [{"sign": [sign(raw)]}, {"Sign": [sign(raw)] * 2}, {"sign": []}]
    outcomes = [desk.receiver.receive(raw, headers).outcome for headers in lists]
    assert outcomes == ["unhandled", "several_signatures", "unsigned"]
    for body in (raw, b"{\n" + raw[1:]):
        assert desk.receiver.receive(b64encode(body), {"sign": sign(body)}).outcome == "not_raw"
        assert (
            "the body is in Base64, as AWS Lambda has it with isBase64Encoded: decode it first" in caplog.messages[-1]
        )
    assert desk.receiver.receive(b"ey", {"sign": sign(raw)}).outcome == "bad_signature"


SLIPS: list[tuple[Callable[[bytes], bytes], Callable[[str], str], str]] = [
    (lambda raw: json.dumps(json.loads(raw), separators=(",", ":")).encode(), str, "over the body written without spaces"),
    (lambda raw: raw.decode().encode("gbk"), str, "over the body in GBK, not in UTF-8"),
    (lambda raw: raw, lambda text: quote(text, safe=""), "it is URL-encoded"),
]  # fmt: skip


@pytest.mark.parametrize(("signs", "writes", "words"), SLIPS, ids=[words for _, _, words in SLIPS])
def test_the_merchant_learns_of_a_slip_of_the_gateways_key_and_the_sender_nothing(
    tmp_path: Path,
    signs: Callable[[bytes], bytes],
    writes: Callable[[str], str],
    words: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[DeliveryEvent] = []
    keys = RsaVerifier([key(2).public_key(), key().public_key()])
    desk = Desk(tmp_path / "ledger.db", gateway_keys=keys, hook=told.append)
    raw = json.dumps(transfer(errorMsg="转账 a/b"), ensure_ascii=False).encode()
    signature = writes(sign(signs(raw)))
    slip = desk.receiver.receive(raw, {"sign": signature})
    stranger = desk.receiver.receive(raw, {"sign": writes(sign(raw, 1))})
    assert (slip.outcome, slip.status, slip.headers, slip.body) == (
        stranger.outcome, stranger.status, stranger.headers, stranger.body,
    )  # fmt: skip
    assert slip.status == 401
    assert [words in event.why for event in told] == [True, False]
    assert words in caplog.text
    assert signature not in caplog.text
    assert "转账" not in caplog.text


@pytest.mark.parametrize(("length", "told"), [(4 * 1024, True), (4 * 1024 + 1, False)])
def test_a_long_body_hides_no_slip(length: int, told: bool, desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    assert desk.receiver.receive(json.dumps(transfer()).encode().ljust(length), {"sign": sign(b"")}).status == 401
    assert ("over nothing" in caplog.text) is told


def test_of_a_verifier_of_the_merchants_own_no_slip_is_looked_for() -> None:
    class Refusing:
        def verify(self, body: bytes, signature: str, /) -> VerifiedBytes:
            raise SignatureProblem("bad_signature")

    assert Desk(MemoryLedger(), gateway_keys=Refusing()).deliver(transfer()).outcome == "bad_signature"


@pytest.mark.parametrize("shape", ["mapping", "pairs", "bytes", "upper"])
def test_headers_come_in_whatever_shape_a_framework_has_them(desk: Desk, shape: str) -> None:
    desk.receiver.on_receive(lambda event: None)
    raw = json.dumps(transfer()).encode()
    signature = sign(raw)
    headers: Any = {
        "mapping": {"Sign": signature},
        "pairs": [("content-type", "application/json"), ("sign", signature)],
        "bytes": [(b"content-type", b"application/json"), (b"sign", f"{signature} \t".encode())],  # as from httptools
        "upper": {"SIGN": signature, "X-SIGN": "other"},
    }[shape]
    assert desk.receiver.receive(raw, headers).outcome == "handled"


def test_several_gateway_keys_may_be_live_at_once(tmp_path: Path) -> None:
    keys = RsaVerifier([key(1).public_key(), key(2).public_key()])
    desk = Desk(tmp_path / "ledger.db", gateway_keys=keys)
    desk.receiver.on_receive(lambda event: None)
    for number, outcome in ((1, "handled"), (2, "handled"), (0, "bad_signature")):
        raw = json.dumps(transfer(f"R{number}")).encode()
        assert desk.receiver.receive(raw, {"sign": sign(raw, number)}).outcome == outcome


@pytest.mark.parametrize(
    ("raw", "outcome"),
    [
        (b"", "not_json"),
        (b"{", "not_json"),
        (b"[]", "not_json"),
        (b'{"a": 1, "a": 2}', "not_json"),
        (b'\xef\xbb\xbf{"notifyType": "RECEIVE"}', "not_json"),
        (b'{"notifyType": NaN}', "not_json"),
        (b"{}", "no_kind"),
        (b'{"notifyType": ""}', "no_kind"),
        (b'{"notifyType": ["RECEIVE"]}', "no_kind"),
        (b'{"referenceNo": "A", "amount": 1}', "no_kind"),
        (b'{"notifyType": "RECEIVE"}', "not_ours"),
        (b'{"notifyType": "RECEIVE", "appId": "app_1"}', "no_time"),
        (b'{"notifyType": "RECEIVE", "appId": "app_1", "notifyTime": "2025-06-01T12:00:00"}', "no_time"),
    ],
)
def test_what_is_signed_and_still_is_no_notification_is_refused(desk: Desk, raw: bytes, outcome: str) -> None:
    reply = desk.deliver(raw)
    assert (reply.outcome, reply.acknowledged) == (outcome, False)
    assert desk.ledger.list() == []


def test_what_is_meant_for_another_merchant_is_neither_done_nor_acknowledged(desk: Desk) -> None:
    desk.receiver.on_receive(lambda event: pytest.fail("another merchant's"))
    for change in ({"appId": "app_2"}, {"appId": ""}, {"appId": None}, {"merchantNo": "M2"}):
        reply = desk.deliver({**transfer(), **change})
        assert (reply.status, reply.outcome) == (403, "not_ours")
    assert desk.ledger.list() == []


def test_a_merchant_number_that_is_left_out_says_nothing_against_us(desk: Desk) -> None:
    desk.receiver.on_subscription_payment(lambda event: None)
    body = period()
    del body["merchantNo"]
    assert desk.deliver(body).outcome == "handled"


def test_the_whole_schedule_of_resending_is_fresh(desk: Desk) -> None:
    desk.receiver.on_receive(lambda event: None)
    body = transfer()
    outcomes = []
    for wait in (0, 30, 300, 600, 3600, 43200):
        desk.pass_time(seconds=wait)
        outcomes.append(desk.deliver(body).outcome)
    assert outcomes == ["handled", *["duplicate"] * 5]


def test_real_messages_that_depart_from_the_contract_are_read_and_reported(desk: Desk) -> None:
    events: list[Event[PeriodResult]] = []
    desk.receiver.on_subscription_payment(events.append)
    body = period(index="3")
    body |= {"notifyTime": "2025-06-01T12:00:00Z", "version": "9", "msg": "", "merchantNo": "M100200300"}
    body["data"]["subscriptionPaymentDetail"]["periodStartTime"] = "2025-01-13T15:59:59.000 +0000"
    assert desk.deliver(body).outcome == "handled"
    (event,) = events
    assert event.data.subscription_payment_detail.subscription_index == 3
    assert {violation.code for violation in event.violations} == {"type", "format"}
    assert event.body["version"] == "9"


def test_the_number_of_a_merchant_that_is_a_member_of_an_enum_is_its_text() -> None:
    class Merchants(Enum):
        SHOP = APP

    keys = RsaVerifier([key().public_key()])
    receiver = Receiver(app_id=Merchants.SHOP, ledger=MemoryLedger(), gateway_keys=keys)  # type: ignore[arg-type]  # all the same
    assert (receiver.addressee, repr(receiver)) == (APP, f"Receiver(app_id={APP!r})")


def test_a_time_that_cannot_be_read_is_none_and_reported_and_the_effect_is_had(desk: Desk) -> None:
    events: list[Event[Transfer]] = []
    desk.receiver.on_receive(events.append)
    assert desk.deliver(transfer(transactionUtcTime="2025-06-01T12:00:00", completeTime="")).outcome == "handled"
    (event,) = events
    assert (event.data.transaction_utc_time, event.data.complete_time) == (None, None)
    assert [(one.pointer, one.code) for one in event.violations] == [("/data/transactionUtcTime", "format")]
    assert event.body["data"]["transactionUtcTime"] == "2025-06-01T12:00:00"  # type: ignore[index,call-overload]  # it is a dict


def test_one_index_is_the_same_however_it_is_written(desk: Desk) -> None:
    desk.receiver.on_subscription_payment(lambda event: None)
    keys = {desk.deliver(period(index=index)).key for index in (1, "1", 1.0)}
    assert keys == {f"{APP}/SUBSCRIPTION_PAYMENT/SUB1/1/SUCCESS"}


def test_a_verified_notification_that_cannot_be_read_is_kept_and_not_acknowledged(desk: Desk) -> None:
    desk.receiver.on_receive(lambda event: pytest.fail("it cannot be read"))
    lacking, unnamed, unsettled = transfer(), transfer("R4"), transfer("R5", "SETTLED")
    del lacking["data"]["paymentDetail"]
    unnamed["data"]["paymentDetail"]["payeeInfo"]["accountNo"] = ""
    unsettled["data"]["paymentDetail"]["settle"]["amount"] = ""  # it may be blank until then
    for body in (lacking, {**transfer("R2"), "data": None}, {**transfer("R3"), "data": "text"}, unnamed, unsettled):
        reply = desk.deliver(body)
        assert (reply.status, reply.outcome, reply.acknowledged) == (422, "unreadable", False)
    assert desk.statuses() == {"unreadable": 5}
    assert {f"/data/paymentDetail{one} (required)" for one in ("", "/payeeInfo/accountNo", "/settle/amount")} <= {
        entry.why.removeprefix("it cannot be read at ") for entry in desk.ledger.list()
    }


def test_a_key_that_was_cut_is_refused_and_what_was_signed_is_kept(desk: Desk) -> None:
    desk.receiver.on_receive(lambda event: pytest.fail("nobody knows which"))
    raw = json.dumps(transfer("R \ud83d")).encode()
    assert desk.deliver(raw).outcome == "unreadable"
    (kept,) = desk.ledger.list()
    assert desk.ledger.body(kept.key) == raw


def test_a_parsed_body_is_answered_and_logged(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    for body in ({"notifyType": "RECEIVE"}, "text", None, 5):
        reply = desk.receiver.receive(body, {})  # type: ignore[arg-type]  # what frameworks make of a body
        assert (reply.status, reply.outcome) == (500, "not_raw")
    assert "request.get_data()" in caplog.text
    assert "request.body in Django" in caplog.text
    assert "await request.body()" in caplog.text
    raw = json.dumps(transfer()).encode()
    desk.receiver._handlers.clear()
    assert desk.receiver.receive(bytearray(raw), {"sign": sign(raw)}).outcome == "unhandled"  # type: ignore[arg-type]


def test_a_body_of_any_size_is_bounded(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    raw = b'{"a": "' + b"x" * 1024 * 1024 + b'"}'
    assert desk.receiver.receive(raw, {"sign": "x"}).status == 413
    assert lines(caplog) == ["too_large: a delivery"]


def test_no_log_holds_a_body_or_a_signature(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    @desk.receiver.on_receive
    def failing(event: Event[Transfer]) -> None:
        raise ValueError(f"no account {event.data.payment_detail.payer_info.account_no}")

    body = transfer()
    body["data"]["paymentDetail"]["payerInfo"]["accountNo"] = "4444333322221111"
    reply = desk.deliver(body)
    assert reply.outcome == "failed"
    said = caplog.text + repr(reply) + reply.why + reply.body.decode() + repr(desk.ledger.list())
    said += "".join(entry.why for entry in desk.ledger.list())
    assert "ValueError at test_opening.py" in said
    assert "4444333322221111" not in said
    assert sign(json.dumps(body).encode())[:40] not in said


def test_what_is_answered_is_valid_by_contract_whatever_became_of_the_delivery(desk: Desk) -> None:
    desk.receiver.on_receive(lambda event: None)
    replies = [desk.deliver(transfer()), desk.deliver(transfer()), desk.deliver(b"{}"), desk.receiver.receive(b"", {})]
    replies += [desk.deliver(period()), desk.deliver({**transfer(), "appId": "other"})]
    for reply in replies:
        for operation in ("notifications.receive", "notifications.subscription_payment"):
            assert validate(operation, "answer", reply.body) == []
        assert (json.loads(reply.body)["code"] == "SUCCESS") is reply.acknowledged is (reply.status == 200)


def test_every_outcome_has_a_status() -> None:
    assert set(OUTCOMES) == {*STATUS}


def test_answers_are_signed_where_the_setting_names_a_key(tmp_path: Path) -> None:
    pair = KeyPair(key(3))
    desk = Desk(tmp_path / "ledger.db", sign_answers=pair.private_pem)
    desk.receiver.on_receive(lambda event: None)

    @desk.receiver.on_validate_bill_payment
    def decide(question: BillPaymentValidationQuestion) -> Any:
        return question.accept(min_amount=1, max_amount=100)

    ours = RsaVerifier([pair.public])
    for reply in (desk.deliver(transfer()), desk.deliver(transfer()), desk.deliver(bill()), desk.deliver(b"{}")):
        assert ours.verify(reply.body, dict(reply.headers)["sign"]).raw == reply.body
    with pytest.raises(Exception, match="your own public key"):
        Receiver(app_id=APP, gateway_keys=[pair.public_pem], ledger=MemoryLedger(), sign_answers=pair.private_pem)


def test_a_signer_that_is_awaited_is_refused_before_the_first_answer() -> None:
    class Awaited:
        async def sign(self, body: bytes, /) -> str:
            raise AssertionError("nobody awaits it")

    awaited: Any = Awaited()
    with pytest.raises(InvalidArgument, match="the method sign of sign_answers is awaited"):
        Receiver(app_id=APP, gateway_keys=[KeyPair(key()).public_pem], ledger=MemoryLedger(), sign_answers=awaited)


def test_a_receiver_is_set_up_by_the_environment() -> None:
    pair, service = KeyPair(key(3)), KeyPair(key())
    env = {"PAYWRIGHT_APP_ID": APP, "PAYWRIGHT_GATEWAY_KEYS": service.public_line, "PAYWRIGHT_MERCHANT_NO": "M1"}
    receiver = Receiver.from_env(MemoryLedger(), env)
    assert (receiver.app_id, receiver.merchant_no, receiver.signer) == (APP, "M1", None)
    signing = {**env, "PAYWRIGHT_SIGN_ANSWERS": "yes", "PAYWRIGHT_PRIVATE_KEY": pair.private_pem}
    assert Receiver.from_env(MemoryLedger(), signing).signer is not None
    with pytest.raises(MissingSetting) as missing:
        Receiver.from_env(MemoryLedger(), {"PAYWRIGHT_SIGN_ANSWERS": "yes"})
    assert missing.value.names == ("app_id", "gateway_keys", "private_key")
    assert missing.value.places["app_id"] == "Receiver(app_id=...) or PAYWRIGHT_APP_ID"
    with pytest.raises(KeyProblem):
        Receiver.from_env(MemoryLedger(), {**env, "PAYWRIGHT_GATEWAY_KEYS": "abc"})


def test_a_misspelled_name_is_refused_rather_than_taken_for_no_setting() -> None:
    env = {"PAYWRIGHT_APP_ID": APP, "PAYWRIGHT_GATEWAY_KEYS": KeyPair(key()).public_line}
    with pytest.raises(ConfigurationError, match=r"PAYWRIGHT_SIGN_ANSWERS[?]"):
        Receiver.from_env(MemoryLedger(), {**env, "PAYWRIGHT_SIGN_ANSWER": "yes"})
    # The client's settings stand in the same environment.
    assert Receiver.from_env(MemoryLedger(), {**env, "PAYWRIGHT_TIMEOUT": "5", "PAYWRIGHT_DEBUG": "1"}).app_id == APP


def test_a_time_of_any_offset_is_compared_as_a_moment(desk: Desk) -> None:
    desk.receiver.on_receive(lambda event: None)
    body = {**transfer(), "notifyTime": written(NOW).replace("+00:00", "Z")}
    assert desk.deliver(body).outcome == "handled"
    assert desk.deliver({**transfer("R2"), "notifyTime": "2025-06-01T20:00:00.000+08:00"}).outcome == "handled"
    assert desk.deliver({**transfer("R3"), "notifyTime": "2025-06-01T20:00:00.000Z"}).outcome == "too_new"


class Undecodable(dict[str, str]):
    """Headers as Bottle has them, one of which another server wrote in Latin-1."""

    def items(self) -> Any:
        raise UnicodeDecodeError("utf-8", b"\xe9", 0, 1, "invalid")


@pytest.mark.parametrize(
    ("headers", "outcome", "words"),
    [
        (
            {"sign": f"{sign(b'{}')},{sign(b'{}')}"},
            "several_signatures",
            "more than one header sign, joined by a comma",
        ),
        (Undecodable(), "unsigned", "could not be read as a mapping or pairs: UnicodeDecodeError"),
    ],
    ids=["joined", "undecodable"],
)
def test_what_servers_make_of_headers_is_named(desk: Desk, headers: Any, outcome: str, words: str) -> None:
    reply = desk.receiver.receive(b"{}", headers)
    assert (reply.outcome, words in reply.why) == (outcome, True)
