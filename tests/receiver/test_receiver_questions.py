"""Bill payments: the merchant's function decides, in time, and whatever goes wrong is a refusal [4.18]."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from receiver_desk import APP, Desk, bill, sign, transfer

from paywright import BillPaymentDecision, BillPaymentValidationQuestion, Reply, validate
from paywright_receiver import MemoryLedger

Question = BillPaymentValidationQuestion


@pytest.fixture
def desk() -> Desk:
    return Desk(MemoryLedger(), bill_deadline=0.3)


def decided(desk: Desk, function: Callable[[Question], Any], question: dict[str, Any] | None = None) -> Reply:
    desk.receiver.on_validate_bill_payment(function)
    return desk.deliver(bill() if question is None else question)


def data(reply: Reply) -> dict[str, Any]:
    assert (reply.status, reply.outcome, reply.acknowledged) == (200, "answered", True)
    assert validate("merchant.validate_bill_payment", "response", reply.body) == []
    body = json.loads(reply.body, parse_float=Decimal)
    assert body["code"] == "SUCCESS"
    assert isinstance(body["data"], dict)
    return body["data"]


def test_a_yes_names_the_limits_and_repeats_what_was_asked(desk: Desk) -> None:
    asked: list[Question] = []

    def decide(question: Question) -> BillPaymentDecision:
        asked.append(question)
        return question.accept(min_amount=1, max_amount=Decimal("5000.50"))

    assert data(decided(desk, decide)) == {
        "referenceNo": "BILL1",
        "minAmount": 1,
        "maxAmount": Decimal("5000.50"),
        "currency": "PHP",
        "confirmation": "Y",
    }
    assert (asked[0].data.reference_no, asked[0].data.amount, asked[0].data.currency) == (
        "BILL1",
        Decimal("10.5"),
        "PHP",
    )
    assert json.loads(asked[0].raw) == bill()
    assert "BILL1" not in repr(asked[0])


def test_a_no_says_why_and_allows_no_amount(desk: Desk) -> None:
    answer = data(decided(desk, lambda question: question.refuse("It is paid already.")))
    assert (answer["confirmation"], answer["failureReason"]) == ("N", "It is paid already.")
    assert (answer["minAmount"], answer["maxAmount"], answer["referenceNo"]) == (0, 0, "BILL1")


def test_a_long_reason_is_cut_to_the_limit_of_the_contract(desk: Desk) -> None:
    assert data(decided(desk, lambda question: question.refuse("x" * 300)))["failureReason"] == "x" * 255


def failing(question: Question) -> BillPaymentDecision:
    raise KeyError(question.data.reference_no)


def late(question: Question) -> BillPaymentDecision:
    time.sleep(2)
    return question.accept(min_amount=1, max_amount=1)


def other(question: Question) -> BillPaymentDecision:
    yes = question.accept(min_amount=1, max_amount=1)
    yes.reference_no = "BILL2"
    return yes


def other_currency(question: Question) -> BillPaymentDecision:
    yes = question.accept(min_amount=1, max_amount=1)
    yes.currency = "USD"
    return yes


@pytest.mark.parametrize(
    "function",
    [
        failing,
        late,
        other,
        other_currency,
        lambda question: None,
        lambda question: True,
        lambda question: question.accept(min_amount=1.5, max_amount=2),
        lambda question: question.accept(min_amount=Decimal("NaN"), max_amount=2),
        lambda question: question.accept(min_amount=True, max_amount=2),
        lambda question: question.refuse(None),
    ],
    ids=["fails", "late", "other", "other currency", "none", "true", "float", "nan", "bool", "no reason"],
)
def test_whatever_goes_wrong_is_a_refusal_in_time(
    desk: Desk, function: Callable[[Question], Any], caplog: pytest.LogCaptureFixture
) -> None:
    started = time.monotonic()
    reply = decided(desk, function)
    assert data(reply)["confirmation"] == "N"
    assert reply.why
    assert time.monotonic() - started < 4
    assert "merchant.validate_bill_payment was refused" in caplog.text
    assert "BILL1" not in caplog.text


def test_slow_decisions_do_not_pile_up_without_end() -> None:
    desk = Desk(MemoryLedger(), bill_deadline=0.05)
    go_on = threading.Event()

    def stuck(question: Question) -> BillPaymentDecision:
        go_on.wait(20)
        return question.refuse("late")

    desk.receiver.on_validate_bill_payment(stuck)
    before = sum(thread.name == "paywright-question" for thread in threading.enumerate())
    try:
        replies = [desk.deliver(bill(f"B{number}")) for number in range(40)]
        assert {data(reply)["confirmation"] for reply in replies} == {"N"}
        assert "under way already" in replies[-1].why
        assert sum(thread.name == "paywright-question" for thread in threading.enumerate()) <= before + 32
    finally:
        go_on.set()


def test_without_anybody_to_ask_there_is_no_answer_that_decides(desk: Desk) -> None:
    reply = desk.deliver(bill())
    assert (reply.status, reply.outcome, reply.acknowledged) == (501, "unhandled", False)
    assert validate("merchant.validate_bill_payment", "response", reply.body) == []
    assert json.loads(reply.body)["code"] != "SUCCESS"


def test_a_question_is_verified_like_everything_else(desk: Desk) -> None:
    desk.receiver.on_validate_bill_payment(lambda question: pytest.fail("it is not signed"))
    raw = json.dumps(bill()).encode()
    assert desk.receiver.receive(raw, {"sign": sign(raw, 1)}).status == 401


def test_a_question_is_read_tolerantly_and_one_that_cannot_be_read_is_not_decided(desk: Desk) -> None:
    desk.receiver.on_validate_bill_payment(lambda question: question.accept(min_amount=1, max_amount=9))
    assert data(desk.deliver({**bill(amount="10.50"), "extra": 1}))["confirmation"] == "Y"
    wrongs: list[dict[str, Any]] = [{"amount": "much"}, {"amount": None}, {"referenceNo": {}}]
    for wrong in wrongs:
        reply = desk.deliver({**bill(), **wrong})
        assert (reply.status, reply.outcome, reply.acknowledged) == (422, "unreadable", False)
    too_long = desk.deliver(bill("B" * 65))
    assert (too_long.outcome, too_long.acknowledged) == ("unreadable", False)


def test_a_notification_is_never_taken_for_a_question_nor_the_reverse(desk: Desk) -> None:
    desk.receiver.on_validate_bill_payment(lambda question: pytest.fail("no question"))
    desk.receiver.on_receive(lambda event: None)
    assert desk.deliver({**transfer(), **bill()}).outcome == "handled"
    assert desk.deliver({**bill(), "notifyType": "BILL", "appId": APP}).outcome == "no_time"


def test_a_question_has_no_effect_in_the_ledger(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "ledger.db")
    desk.receiver.on_validate_bill_payment(lambda question: question.refuse("no"))
    for _ in range(3):
        assert desk.deliver(bill()).outcome == "answered"
    assert desk.ledger.list() == []
