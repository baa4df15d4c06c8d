"""Bill payments: the merchant's function decides, in time, and whatever goes wrong is a refusal [4.18]."""

from __future__ import annotations

import gc
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright import BillPaymentDecision, BillPaymentValidationQuestion, Reply, validate
from paywright.contract import CONTRACT
from paywright.models.merchant import BillPaymentAnswer
from paywright_receiver import MemoryLedger
from paywright_receiver.webhooks.bill_questions import impossible
from tests.receiver.helpers.desk import APP, MERCHANT, Desk, bill, sign, transfer
from tests.support.forks import Fork, any_fork, in_child, needs_fork

Question = BillPaymentValidationQuestion


@pytest.fixture
def desk() -> Desk:
    return Desk(MemoryLedger(), bill_deadline=600)


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


def test_the_whole_answer_may_be_returned_in_place_of_its_data() -> None:
    desk = Desk(MemoryLedger(), bill_deadline=600)

    def decide(question: Question) -> Any:
        return BillPaymentAnswer(data=question.accept(min_amount=1, max_amount=20))

    answer = data(decided(desk, decide))
    assert (answer["confirmation"], answer["minAmount"], answer["maxAmount"]) == ("Y", 1, 20)


def no_thread(thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_without_a_thread_there_is_a_refusal_and_its_place_is_free_again(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(MemoryLedger(), bill_deadline=600)
    desk.receiver.on_validate_bill_payment(lambda question: question.accept(min_amount=1, max_amount=20))
    monkeypatch.setattr("paywright_receiver.webhooks.bill_questions._AT_ONCE", 3)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", no_thread)
        for _ in range(4):  # one more than may run at once
            reply = desk.deliver(bill())
            assert data(reply)["confirmation"] == "N"
            assert reply.why == "no thread could be started"
    assert data(desk.deliver(bill()))["confirmation"] == "Y"


def test_a_decision_keeps_no_process_from_its_end(desk: Desk) -> None:
    threads: list[threading.Thread] = []

    def decide(question: Question) -> BillPaymentDecision:
        threads.append(threading.current_thread())
        return question.accept(min_amount=1, max_amount=20)

    assert data(decided(desk, decide))["confirmation"] == "Y"
    assert [thread.daemon for thread in threads] == [True]


def test_a_limit_is_written_by_its_value_with_all_its_digits(desk: Desk) -> None:
    """No currency has nine decimals, and the payer is not refused for a limit that was divided."""

    class Shown(Decimal):
        __str__ = __repr__ = lambda self: "9"

        def __format__(self, specification: str) -> str:
            return "9"

    answer = data(decided(desk, lambda question: question.accept(min_amount=1, max_amount=Shown("5000.123456789"))))
    assert (answer["confirmation"], answer["maxAmount"]) == ("Y", Decimal("5000.123456789"))


def test_a_no_says_why_and_allows_no_amount(desk: Desk) -> None:
    answer = data(decided(desk, lambda question: question.refuse("It is paid already.")))
    assert (answer["confirmation"], answer["failureReason"]) == ("N", "It is paid already.")
    assert (answer["minAmount"], answer["maxAmount"], answer["referenceNo"]) == (0, 0, "BILL1")


def test_a_long_reason_is_cut_to_the_limit_of_the_contract(desk: Desk) -> None:
    assert data(decided(desk, lambda question: question.refuse("x" * 300)))["failureReason"] == "x" * 255


def failing(question: Question) -> BillPaymentDecision:
    raise KeyError(question.data.reference_no)


OVER = threading.Event()


def late(question: Question) -> BillPaymentDecision:
    OVER.wait(600)
    return question.accept(min_amount=1, max_amount=1)


def other(question: Question) -> BillPaymentDecision:
    yes = question.accept(min_amount=1, max_amount=1)
    yes.reference_no = "BILL2"
    return yes


def other_before(question: Question) -> BillPaymentDecision:
    yes = question.accept(min_amount=1, max_amount=1)
    yes.reference_no = "BILL0"
    return yes


def other_currency(question: Question) -> BillPaymentDecision:
    yes = question.accept(min_amount=1, max_amount=1)
    yes.currency = "USD"
    return yes


WRONG: dict[str, tuple[Callable[[Question], Any], str]] = {
    "fails": (failing, "the function failed with KeyError at test_bill_questions.py:"),
    "late": (late, "no decision within 0.3 seconds. Give"),
    "other": (other, "its decision is about another referenceNo than what was asked"),
    "other before it": (other_before, "its decision is about another referenceNo than what was asked"),
    "other currency": (other_currency, "its decision is about another currency than what was asked"),
    "none": (lambda question: None, "the function returned None"),
    "an answer alone": (lambda question: BillPaymentAnswer(), "its answer decides nothing: it has no confirmation"),
    "true": (lambda question: True, "the function returned a bool"),
    "float": (lambda question: question.accept(min_amount=1.5, max_amount=2), "/data/minAmount (type)"),  # type: ignore[arg-type]
    "nan": (lambda question: question.accept(min_amount=Decimal("NaN"), max_amount=2), "/data/minAmount"),
    "bool": (lambda question: question.accept(min_amount=True, max_amount=2), "/data/minAmount (type)"),
    "no reason": (lambda question: question.refuse(None), ""),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("function", "why"), WRONG.values(), ids=WRONG)
def test_all_faults_refuse(function: Callable[[Question], Any], why: str, caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(MemoryLedger(), bill_deadline=0.3 if function is late else 600)
    OVER.clear()
    reply = decided(desk, function)
    OVER.set()
    assert data(reply)["confirmation"] == "N"
    assert reply.why
    assert why in reply.why
    assert "merchant.validate_bill_payment was refused" in caplog.text
    assert "BILL1" not in caplog.text


Limits = tuple[Any, Any]
IMPOSSIBLE: dict[str, tuple[Limits, str]] = {
    "the least is above the most": ((20, 5), "its minAmount is above its maxAmount"),
    "a least below 0": ((-1, 5), "its minAmount is negative"),
    "a most below 0": ((0, Decimal("-0.01")), "its maxAmount is negative"),
    "infinite": ((1, Decimal("Infinity")), "/data/maxAmount"),
    "not a number": ((Decimal("NaN"), 5), "/data/minAmount"),
    "a signalling one": ((Decimal("sNaN"), 5), "/data/minAmount"),
    "a huge exponent": ((1, Decimal("1e400")), "a number has too many digits"),
    "too many digits": ((1, 10**400), "a number has too many digits"),
    "a yes below its least": ((11, 20), "it says Y to an amount that is not from its minAmount to its maxAmount"),
    "a yes above its most": ((1, Decimal("10.49")), "it says Y to an amount that is not from its minAmount"),
    "none at all": ((None, 5), "/data/minAmount"),
}


@pytest.mark.parametrize(("limits", "why"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_limits_are_refused(desk: Desk, limits: Limits, why: str, caplog: pytest.LogCaptureFixture) -> None:
    reply = decided(desk, lambda question: question.accept(min_amount=limits[0], max_amount=limits[1]))
    answer = data(reply)
    assert (answer["confirmation"], answer["minAmount"], answer["maxAmount"]) == ("N", 0, 0)
    assert why in reply.why
    assert reply.why in caplog.text


@pytest.mark.parametrize("limits", [{}, {"minAmount": 9}, {"maxAmount": 1}, {"minAmount": "x", "maxAmount": -1}])
def test_a_decision_that_does_not_have_both_limits_is_not_judged_by_them(limits: dict[str, object]) -> None:
    decides = CONTRACT.operation("merchant.validate_bill_payment").decision
    assert decides is not None
    assert impossible(decides, {"amount": 5}, {"confirmation": "Y", **limits}) == ""
    without = replace(decides, within=None)  # of a question that knows no limits
    assert impossible(without, {"amount": 5}, {"confirmation": "Y", "minAmount": 9, "maxAmount": 1}) == ""


POSSIBLE: dict[str, tuple[object, Limits]] = {
    "exactly the amount": (10.5, (Decimal("10.50"), Decimal("10.5"))),
    "from the amount": (10, (10, 5000)),
    "up to the amount": (10, (0, 10)),
    "an amount as text": ("10.50", (1, 20)),
    "nothing for nothing": (0, (0, 0)),
}


@pytest.mark.parametrize(("amount", "limits"), POSSIBLE.values(), ids=POSSIBLE)
def test_limits_around_the_amount_are_answered(desk: Desk, amount: object, limits: Limits) -> None:
    reply = decided(
        desk, lambda question: question.accept(min_amount=limits[0], max_amount=limits[1]), bill(amount=amount)
    )
    assert data(reply)["confirmation"] == "Y"


@pytest.mark.parametrize("limits", [(11, 20), (1, Decimal("10.49"))], ids=["below", "above"])
@pytest.mark.parametrize("amount", ["10.50", "+10.5", "0010.500", 10.5])
def test_an_amount_is_compared_however_it_is_written(amount: object, limits: Limits) -> None:
    desk = Desk(MemoryLedger(), bill_deadline=600)
    reply = decided(
        desk, lambda question: question.accept(min_amount=limits[0], max_amount=limits[1]), bill(amount=amount)
    )
    assert data(reply)["confirmation"] == "N"
    assert "it says Y to an amount that is not from its minAmount to its maxAmount" in reply.why


def test_a_refusal_may_name_limits_that_can_be(desk: Desk) -> None:
    limits: list[Limits] = [(100, 200), (200, 100)]

    def refuse(question: Question) -> BillPaymentDecision:
        no = question.refuse("Too little.")
        no.min_amount, no.max_amount = limits.pop(0)
        return no

    desk.receiver.on_validate_bill_payment(refuse)
    first, second = desk.deliver(bill()), desk.deliver(bill())
    assert (data(first)["minAmount"], data(first)["failureReason"]) == (100, "Too little.")
    assert (data(second)["minAmount"], data(second)["failureReason"]) == (0, "It cannot be decided now.")
    assert "its minAmount is above its maxAmount" in second.why


async def later() -> None: ...


@pytest.mark.parametrize(
    ("wrong", "named"),
    [(None, "None"), (True, "a bool"), (later, "a coroutine"), ({}, "a dict")],
    ids=["None", "True", "a coroutine", "a dict"],
)
def test_what_is_no_decision_is_named(desk: Desk, wrong: Any, named: str, recwarn: pytest.WarningsRecorder) -> None:
    reply = decided(desk, lambda question: wrong() if wrong is later else wrong)
    assert data(reply)["confirmation"] == "N"
    assert reply.why == f"the function returned {named}"
    gc.collect()
    assert not [one for one in recwarn if "never awaited" in str(one.message)]


class Hanging:
    """Decisions that hang until they are let go; others are quick."""

    def __init__(self, deadline: float) -> None:
        self.desk = Desk(MemoryLedger(), bill_deadline=deadline)
        self.go_on = threading.Event()
        self.begun = threading.Semaphore(0)
        self.ended = threading.Semaphore(0)
        self.desk.receiver.on_validate_bill_payment(self.decide)

    def decide(self, question: Question) -> BillPaymentDecision:
        if question.data.reference_no.startswith("HANGS"):
            self.begun.release()
            self.go_on.wait(600)
            self.ended.release()
        return question.accept(min_amount=1, max_amount=20)

    def ask(self, reference: str) -> Reply:
        return self.desk.deliver(bill(reference))


def test_forty_decisions_that_hang_do_not_keep_a_quick_one_from_its_answer(caplog: pytest.LogCaptureFixture) -> None:
    hanging = Hanging(0.05)
    try:
        replies = [hanging.ask(f"HANGS{number}") for number in range(40)]
        assert {data(reply)["confirmation"] for reply in replies} == {"N"}
        assert "no decision within 0.05 seconds" in replies[-1].why
        assert "timeout below bill_deadline" in caplog.text
        hanging.desk.receiver._processor._decisions._deadline = 600  # how long a quick one may take on a busy machine
        assert data(hanging.ask("QUICK"))["confirmation"] == "Y"
    finally:
        hanging.go_on.set()


def test_hanging_bill_decisions_are_bounded(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paywright_receiver.webhooks.bill_questions._AT_ONCE", 3)
    hanging = Hanging(0.05)
    try:
        for number in range(3):
            hanging.ask(f"HANGS{number}")
        reply = hanging.ask("QUICK")
        assert data(reply)["confirmation"] == "N"
        assert "no decision was begun: 3 are still running" in reply.why
        assert [record.levelname for record in caplog.records] == ["ERROR"] * 4
        assert "restart the process" in caplog.text
    finally:
        hanging.go_on.set()
    for _ in range(3):
        assert hanging.ended.acquire(timeout=600)
    hanging.desk.receiver._processor._decisions._deadline = 600
    until = time.monotonic() + 600
    while data(hanging.ask("QUICK"))["confirmation"] == "N":  # the threads take a moment to end
        assert time.monotonic() < until


@needs_fork
@any_fork
def test_what_a_process_decides_does_not_count_in_a_forked_child(fork: Fork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paywright_receiver.webhooks.bill_questions._AT_ONCE", 3)
    hanging = Hanging(600)
    with ThreadPoolExecutor(3) as pool:
        for number in range(3):
            pool.submit(hanging.ask, f"HANGS{number}")
            assert hanging.begun.acquire(timeout=600)
        assert "3 are still running" in hanging.ask("QUICK").why
        code = in_child(lambda: data(hanging.ask("QUICK")), fork)
        hanging.go_on.set()
    assert code == 0


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
    desk.receiver.on_validate_bill_payment(lambda question: question.accept(min_amount=1, max_amount=90))
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


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({}, "answered"),
        ({"appId": APP, "merchantNo": MERCHANT}, "answered"),
        ({"appId": "app_2"}, "not_ours"),
        ({"merchantNo": "M9"}, "not_ours"),
    ],
)
def test_a_question_that_names_another_merchant_is_not_answered(desk: Desk, more: dict[str, str], outcome: str) -> None:
    desk.receiver.on_validate_bill_payment(lambda question: question.accept(min_amount=1, max_amount=50))
    assert desk.deliver({**bill(), **more}).outcome == outcome
