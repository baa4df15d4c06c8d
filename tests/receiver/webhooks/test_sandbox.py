"""End to end with the sandbox: subscription periods, transfers through their three states, bills; twice, late, in another
order, forged, and while the shop is down; received by a real receiver whose ledger is the shop's own database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from paywright import (
    BillPaymentValidationQuestion,
    Event,
    HostedPlan,
    Money,
    NewPlan,
    PeriodRule,
    Receiver,
    TrialDays,
)
from paywright.models.merchant import BillPaymentDecision
from paywright.models.notifications import PeriodResult, Transfer
from paywright_cli.commands.sandbox import notify_at
from paywright_receiver import SqliteLedger
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.place import place

DAY = 86400


class Shop:
    """The merchant: a database, a receiver, and a server."""

    def __init__(self, database: Path, env: dict[str, str]) -> None:
        self.database = database
        self.is_down = False
        self.outcomes: list[str] = []
        self.asked: list[str] = []
        with sqlite3.connect(database) as db:
            db.execute("CREATE TABLE told (number TEXT, state TEXT, amount TEXT)")
        self.ledger = SqliteLedger(database)
        self.receiver = Receiver.from_env(self.ledger, env)
        self.receiver.on_receive(self.transfer)
        self.receiver.on_subscription_payment(self.period)
        self.receiver.on_validate_bill_payment(self.bill)

    def transfer(self, event: Event[Transfer]) -> None:
        data = event.data
        row = (data.request_no, data.status, str(data.payment_detail.trade.amount))
        event.transaction.execute("INSERT INTO told VALUES (?, ?, ?)", row)

    def period(self, event: Event[PeriodResult]) -> None:
        detail = event.data.subscription_payment_detail
        row = (f"period {detail.subscription_index}", detail.payment_status, str(detail.pay_amount.amount))
        event.transaction.execute("INSERT INTO told VALUES (?, ?, ?)", row)

    def bill(self, question: BillPaymentValidationQuestion) -> BillPaymentDecision:
        self.asked.append(question.data.reference_no)
        if question.data.reference_no != "BILL_1":
            return question.refuse("There is no such bill.")
        return question.accept(min_amount=1, max_amount=5000)

    def told(self) -> list[tuple[str, str, str]]:
        with sqlite3.connect(self.database) as db:
            return db.execute("SELECT number, state, amount FROM told ORDER BY rowid").fetchall()


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path / "sandbox") as running:
        assert running.control("POST", "clock/freeze")[0] == 200
        yield running


@pytest.fixture
def shop(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Shop]:
    # The sandbox's clock runs far ahead of ours in these tests; what it tells is then from the future.
    made = Shop(tmp_path / "shop.db", sandbox.env)
    made.receiver.clock = sandbox.engine.clock

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            if made.is_down:
                status, headers, body = 503, (), b""
            else:
                reply = made.receiver.receive(raw, self.headers.items())
                made.outcomes.append(reply.outcome)
                status, headers, body = reply.status, reply.headers, reply.body
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        notify_at(sandbox.engine.settings, f"http://127.0.0.1:{server.server_port}/")
        yield made
        server.shutdown()


def received(sandbox: RunningSandbox, **more: Any) -> str:
    return str(sandbox.done("POST", "transfers", {"amount": "40.00", "currency": "USD", **more})["requestNo"])


def outbox(sandbox: RunningSandbox) -> list[tuple[str, int]]:
    """Status and attempts of all notifications, in the order in which they were made."""
    found = sandbox.done("GET", "notifications")["notifications"]
    assert isinstance(found, list)
    return [(item["status"], item["attempts"]) for item in reversed(found)]


def test_a_transfers_states_are_each_told_once(sandbox: RunningSandbox, shop: Shop) -> None:
    sandbox.fault("duplicate", operation="RECEIVE")
    first, second = received(sandbox), received(sandbox)
    sandbox.advance(0)
    sandbox.done("POST", f"transfers/{first}/settle")
    sandbox.done("POST", f"transfers/{second}/reject", {"why": "no papers"})
    sandbox.advance(0)
    assert shop.told() == [
        (first, "TO_BE_PROVED", "40.00"),
        (second, "TO_BE_PROVED", "40.00"),
        (first, "SETTLED", "40.00"),
        (second, "REJECTED", "40.00"),
    ]
    assert sorted(shop.outcomes) == ["duplicate"] * 4 + ["handled"] * 4
    assert outbox(sandbox) == [("ACKNOWLEDGED", 1)] * 4
    assert {entry.status for entry in shop.ledger.list()} == {"done"}


def test_a_forgery_has_no_effect_and_the_true_one_follows(sandbox: RunningSandbox, shop: Shop) -> None:
    for kind in ("wrong-key", "corrupted"):
        sandbox.fault(kind, operation="RECEIVE", times=1)
        number = received(sandbox, status="SETTLED")
        sandbox.advance(0)
        assert shop.outcomes.pop() == "bad_signature"
        assert number not in {told for told, _, _ in shop.told()}
        sandbox.advance(700)
        assert shop.told()[-1][:2] == (number, "SETTLED")


def test_periods_of_a_subscription_are_each_told_once_in_whatever_order(sandbox: RunningSandbox, shop: Shop) -> None:
    with sandbox.client() as client:
        plan = client.subscriptions.create(
            subscription_request_id="SUB_REQ_1", user_id="user_1",
            callback_url=next(iter(sandbox.engine.settings.merchants[0].addresses.values())),
            subscription_plan=NewPlan(
                subject="A ticket every month", total_periods=3,
                period_rule=PeriodRule(period_unit="M", period_count=1),
                period_amount=Money(amount=Decimal("9.90"), currency="USD"),
                trial_config=TrialDays(trial_amount=Money(amount=Decimal("0.99"), currency="USD"), trial_days=Decimal(7)),
                prices=[],
            ),
        ).subscription_plan.subscription_no  # fmt: skip
        place(client, "ACT_1", total_amount=Decimal("0.99"), subscription_plan=HostedPlan(subscription_no=plan))
    sandbox.done("POST", "orders/ACT_1/pay", {"card": "5555555555554444"})
    sandbox.fault("duplicate", operation="SUBSCRIPTION_PAYMENT")
    sandbox.advance(7 * DAY + 60)
    sandbox.done("POST", f"subscriptions/{plan}/fail-next", {"charges": 4})
    sandbox.advance(32 * DAY)
    sandbox.advance(31 * DAY)
    periods = [row for row in shop.told() if row[0].startswith("period")]
    assert periods == [("period 1", "SUCCESS", "9.90"), ("period 2", "FAILED", "9.90"), ("period 3", "SUCCESS", "9.90")]
    assert shop.outcomes.count("duplicate") == 3
    keys = [entry.key for entry in shop.ledger.list(status="done")]
    assert {key.removeprefix(f"app_sandbox_1/SUBSCRIPTION_PAYMENT/{plan}/") for key in keys} == {
        "1/SUCCESS",
        "2/FAILED",
        "3/SUCCESS",
    }
    # What nobody handles is kept, and comes again: the order's result.
    assert {entry.kind for entry in shop.ledger.list(status="unhandled")} <= {"PAYMENT"}


def test_one_bill_is_paid_and_another_one_refused(sandbox: RunningSandbox, shop: Shop) -> None:
    def bill(reference: str, amount: str) -> tuple[object, object]:
        made = sandbox.done("POST", "bill-payments", {"referenceNo": reference, "amount": amount})
        return made["status"], made["why"]

    assert bill("BILL_1", "150.50") == ("PAID", "the merchant confirmed")
    assert bill("BILL_2", "150.50") == ("REFUSED", "There is no such bill.")
    assert shop.asked == ["BILL_1", "BILL_2"]
    assert shop.outcomes == ["answered", "answered"]
    assert list(shop.ledger.list()) == []  # questions have no effect
