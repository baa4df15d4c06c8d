"""The testing kit's gateway: receivers and awaited clients in the same process, signed notifications, and what it has seen."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from paywright import (
    BillPaymentDecision,
    BillPaymentValidationQuestion,
    Event,
    GatewayError,
    InvalidArgument,
    OutcomeUnknown,
    Receiver,
    validate,
)
from paywright.models.notifications import Transfer
from paywright_receiver import MemoryLedger
from paywright_runtime import strict_json
from paywright_runtime.clock import FixedClock
from paywright_sandbox.testing import InProcessSandbox, in_process_sandbox
from tests.sandbox.helpers.place import place


@pytest.fixture
def sandbox(made_once: Path, clock: FixedClock) -> Iterator[InProcessSandbox]:
    with in_process_sandbox(made_once, clock=clock) as sandbox:
        yield sandbox


def booking(receiver: Receiver) -> list[tuple[str, str]]:
    """Register a handler that books transfers, and return its book."""
    booked: list[tuple[str, str]] = []

    @receiver.on_receive
    def transfer(event: Event[Transfer]) -> None:
        booked.append((event.data.request_no, str(event.data.status)))

    return booked


def test_a_receiver_in_process_gets_what_the_gateway_sends_once(sandbox: InProcessSandbox) -> None:
    booked = booking(sandbox.receiver())
    sandbox.fault("duplicate", times=1)
    number = sandbox.done("POST", "transfers", {"amount": "10.50", "currency": "USD", "status": "SETTLED"})["requestNo"]
    assert booked == []
    assert sandbox.deliver() == 1
    assert booked == [(number, "SETTLED")]
    assert sandbox.deliver() == 0
    assert [one["requestNo"] for one in sandbox.items("transfers")] == [number]
    assert "notifications.receive" in sandbox.transcript()
    assert sandbox.breaches() == []


def test_a_move_of_the_clock_delivers_and_a_refusal_is_sent_again(sandbox: InProcessSandbox) -> None:
    tried: list[str] = []

    @sandbox.receiver(MemoryLedger(clock=sandbox.engine.wall)).on_receive
    def transfer(event: Event[Transfer]) -> None:
        tried.append(event.data.request_no)
        if len(tried) < 3:
            raise RuntimeError("the database is away")

    sandbox.done("POST", "transfers", {"amount": "1", "currency": "USD"})
    sandbox.advance(timedelta(hours=1))
    assert len(tried) == 3


def test_questions_are_asked_of_the_receiver(sandbox: InProcessSandbox) -> None:
    @sandbox.receiver().on_validate_bill_payment
    def bill(question: BillPaymentValidationQuestion) -> BillPaymentDecision:
        return question.accept(min_amount=1, max_amount=50)

    assert sandbox.done("POST", "bill-payments", {"amount": "10", "referenceNo": "B1"})["status"] == "PAID"
    assert sandbox.done("POST", "bill-payments", {"amount": "60", "referenceNo": "B2"})["status"] == "REFUSED"


@pytest.mark.parametrize("fault", [None, "reset", "cut", "bad-signature"])
def test_an_awaited_client_gets_what_a_blocking_one_gets(sandbox: InProcessSandbox, fault: str | None) -> None:
    async def order() -> str:
        async with sandbox.async_client(strict_answers=True) as client:
            placed = await client.orders.checkout(
                out_trade_no="ORD_1", subject="s", total_amount=10, currency="USD", user_id="u",
                front_callback_url="https://shop.example/back",
            )  # fmt: skip
            return str(placed.status)

    if fault is None:
        assert asyncio.run(order()) == "PENDING"
        return
    sandbox.fault(fault, when="after", times=1)
    with pytest.raises(OutcomeUnknown) as awaited:
        asyncio.run(order())
    sandbox.fault(fault, when="after", times=1)
    with sandbox.client() as client, pytest.raises(OutcomeUnknown) as blocking:
        place(client, "ORD_2")
    assert awaited.value.reason == blocking.value.reason


@pytest.mark.parametrize(
    ("kind", "members", "outcome"),
    [
        ("transfer", {"status": "SETTLED", "request_no": "RV_1"}, "handled"),
        ("transfer", {"status": "REJECTED", "remark": "漢"}, "handled"),
        ("period", {"subscriptionNo": "SUB_1", "paymentStatus": "PENDING", "amount": 7.25}, "unhandled"),
        ("payment", {"status": "SUCCESS", "out_trade_no": "ORD_1"}, "unhandled"),
        ("refund", {"status": "REFUND_SUCCESS"}, "unhandled"),
        ("withdraw", {"status": "SUCCESS"}, "unhandled"),
    ],
)
def test_a_notification_of_now(sandbox: InProcessSandbox, kind: str, members: dict[str, object], outcome: str) -> None:
    receiver = sandbox.receiver()
    booking(receiver)
    sandbox.advance(timedelta(days=30))
    made = sandbox.notification(kind, **members)
    assert receiver.receive(made.body, made.headers).outcome == outcome
    data = str(strict_json.parse(made.body))
    assert all(str(value) in data for value in members.values())
    assert "sign" in made.headers
    assert repr(made) == f"<SignedNotification of {len(made.body)} bytes>"


def test_members_are_the_outermost_of_that_name(sandbox: InProcessSandbox) -> None:
    body = strict_json.parse(sandbox.notification("transfer", code="OTHER", amount="7.00").body)
    assert isinstance(body, dict)
    assert body["code"] == "OTHER"
    assert validate("notifications.receive", "notification", body) == []
    detail = body["data"]["paymentDetail"]  # type: ignore[index,call-overload]  # an object
    assert (detail["settle"]["amount"], detail["trade"]["amount"]) == ("7.00", "10.50")  # type: ignore[index,call-overload]


@pytest.mark.parametrize(
    ("kind", "members", "words"),
    [
        ("transfers", {}, "Did you mean transfer"),
        ("transfer", {"requestNr": "1"}, "has no member 'requestNr'. Did you mean requestNo"),
        ("transfer", {"status": "PAID"}, "allows no such notification: status must be one of"),
    ],
)
def test_a_wrong_one_is_refused(sandbox: InProcessSandbox, kind: str, members: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        sandbox.notification(kind, **members)


def test_any_body_can_be_signed(sandbox: InProcessSandbox) -> None:
    receiver = sandbox.receiver()
    for body, outcome in ((b"{", "not_json"), ({"amount": Decimal("1.50")}, "no_kind")):
        made = sandbox.signed(body)  # type: ignore[arg-type]  # bytes or an object
        assert receiver.receive(made.body, made.headers).outcome == outcome


class _Careless:
    """A merchant's endpoint that answers with something else."""

    status, headers, body = 200, (("Content-Type", "application/json"),), b'{"ok":true}'

    def receive(self, raw: bytes, headers: object) -> "_Careless":
        return self


def test_what_breaks_the_contract_is_kept_with_its_place_and_without_its_values(sandbox: InProcessSandbox) -> None:
    with sandbox.client(validation="off") as client:
        with pytest.raises(GatewayError):
            place(client, "ORD_1", currency="usd")
        place(client, "ORD_2")
    sandbox.deliver_to(_Careless())  # type: ignore[arg-type]  # it has the one method
    sandbox.done("POST", "transfers", {"amount": "1", "currency": "USD"})
    sandbox.deliver()
    request, answer = sandbox.breaches()
    assert "/data/currency" in request
    assert "code is required" in answer
    sandbox.fault("reset", when="before", times=1)
    with sandbox.client() as client, pytest.raises(OutcomeUnknown):
        place(client, "ORD_3")
    lines = sandbox.transcript().splitlines()
    assert lines[-1] == "12:00:00  orders.checkout ORD_3 -> no answer   (fault: reset before)"
    assert "orders.checkout ORD_2 -> 200 APPLY_SUCCESS" in lines[1]
    assert "Two tickets" not in sandbox.transcript()


def test_before_anything_is_sent_the_transcript_says_so(sandbox: InProcessSandbox) -> None:
    assert sandbox.transcript() == "Nothing was sent."
    with pytest.raises(LookupError, match="orders"):
        sandbox.items("order")
