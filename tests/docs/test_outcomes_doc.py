"""docs/outcomes.md: its code, run against a sandbox that breaks at the worst moments, charges every order once."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import shop

from paywright import AttemptEvent, Client, FixedClock, OrderStatus
from paywright_sandbox.testing.inprocess import InProcessSandbox, in_process_sandbox
from tests.support.recorded import findings_of

TOP = Path(__file__).resolve().parents[2]
_TEXT = (TOP / "docs" / "outcomes.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
(TRACING,) = [block for block in BLOCKS if "on_attempt" in block]
(FOLLOWING,) = [block for block in BLOCKS if "until_known" in block]
ORDER = {"amount": "10.50", "currency": "USD", "subject": "Two tickets", "user_id": "u1"}


def run(sandbox: InProcessSandbox, client: Client, clock: FixedClock, keys: list[str]) -> dict[str, shop.Payment]:
    """Place orders with the code of the page, and run its job every minute for half an hour."""
    table = shop.PaymentTable(sqlite3.connect(":memory:", isolation_level=None), clock)
    for key in keys:
        shop.place(client, table, "order", key, ORDER)
    for _ in range(30):
        shop.settle(client, table)
        clock.advance(60)
    return {payment.key: payment for payment in table.all()}


def test_the_page_shows_the_module_as_it_is() -> None:
    source = (TOP / "examples" / "shop.py").read_text(encoding="utf-8")
    shown = [block for block in BLOCKS if block not in (TRACING, FOLLOWING)]
    assert len(shown) == 4
    for block in shown:
        for piece in block.split("\n\n\n"):
            assert piece.strip() in source


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("kind", ["reset", "cut", "html", "bad-signature", "no-signature"])
def test_the_code_of_the_page_places_each_order_once(kind: str, when: str, clock: FixedClock) -> None:
    with in_process_sandbox(clock=clock) as sandbox, sandbox.client(clock=clock) as client:
        sandbox.fault(kind, when=when, operation="orders.checkout", times=2)
        keys = ["ORD_1", "ORD_2", "ORD_3"]
        orders = run(sandbox, client, clock, keys)
        assert {payment.state for payment in orders.values()} == {"accepted"}
        assert {payment.attention for payment in orders.values()} == {None}
        assert orders["ORD_3"].url is not None
        for key in keys:
            assert client.orders.query(out_trade_no=key).status == "PENDING"


def test_a_refusal_is_kept_as_one(clock: FixedClock) -> None:
    with in_process_sandbox(clock=clock) as sandbox, sandbox.client(clock=clock) as client:
        sandbox.fault("code", code="AMOUNT_LIMIT", when="before", operation="orders.checkout", times=1)
        payment = run(sandbox, client, clock, ["ORD_1"])["ORD_1"]
        assert (payment.state, payment.status) == ("refused", "AMOUNT_LIMIT")


def test_an_order_that_is_paid_is_done(clock: FixedClock) -> None:
    with in_process_sandbox(clock=clock) as sandbox, sandbox.client(clock=clock) as client:
        table = shop.PaymentTable(sqlite3.connect(":memory:", isolation_level=None), clock)
        placed = shop.place(client, table, "order", "ORD_1", ORDER)
        assert (placed.state, placed.status) == ("accepted", "PENDING")
        sandbox.pay("ORD_1")
        clock.advance(60)
        shop.settle(client, table)
        paid = table.get("order", "ORD_1")
        assert paid.state == "done"
        assert OrderStatus(paid.status).is_paid
        assert findings_of(sandbox.log(), sandbox.directory) == []


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_the_code_of_the_page_does_about_a_lost_answer_breaks_no_rule(when: str, clock: FixedClock) -> None:
    with in_process_sandbox(clock=clock) as sandbox, sandbox.client(clock=clock) as client:
        sandbox.fault("reset", when=when, operation="orders.checkout", times=2)
        table = shop.PaymentTable(sqlite3.connect(":memory:", isolation_level=None), clock)
        for number in range(3):
            shop.place(client, table, "order", f"ORD_{number}", {**ORDER, "user_id": f"u{number}"})
        for _ in range(30):
            shop.settle(client, table)
            clock.advance(60)
        assert {payment.state for payment in table.all()} == {"accepted"}
        assert findings_of(sandbox.log(), sandbox.directory) == []


def test_the_hook_of_the_page_makes_a_span_of_every_attempt(clock: FixedClock) -> None:
    spans: list[tuple[str, int, int, dict[str, str]]] = []

    class Tracer:
        def start_span(self, name: str, start_time: int) -> Span:
            return Span(name, start_time)

    class Span:
        def __init__(self, name: str, start: int) -> None:
            self.name, self.start = name, start
            self.attributes: dict[str, str] = {}

        def set_attribute(self, name: str, value: str) -> None:
            self.attributes[name] = value

        def end(self, end_time: int) -> None:
            spans.append((self.name, self.start, end_time, self.attributes))

    names: dict[str, Any] = {"tracer": Tracer()}
    exec(compile(TRACING, "docs/outcomes.md", "exec"), names)
    hook: Callable[[AttemptEvent], None] = names["on_attempt"]
    with in_process_sandbox(clock=clock) as sandbox, sandbox.client(clock=clock) as client:
        client._on_attempt = hook
        shop.checkout(client, "ORD_1", ORDER)
    ((name, start, end, attributes),) = spans
    assert (name, start) == ("orders.checkout", int(clock.now().timestamp() * 1e9))
    assert end > start
    assert attributes == {"paywright.outcome": "answered", "paywright.phase": "done"}


def test_the_script_of_the_page_knows_that_an_order_was_paid(clock: FixedClock) -> None:
    names: dict[str, Any] = {}
    exec(compile(FOLLOWING, "docs/outcomes.md", "exec"), names)
    times: list[datetime] = []
    with in_process_sandbox(clock=clock) as sandbox, sandbox.client(clock=clock) as client:
        shop.checkout(client, "ORD_1", ORDER)

        def sleep_until(at: datetime) -> None:
            times.append(at)
            if len(times) == 2:
                sandbox.pay("ORD_1")
            clock.advance(max(timedelta(), at - clock.now()))

        assert names["until_known"](client, client.orders.follow("ORD_1"), sleep_until) == "SUCCESS"
        assert len(times) == 2
        assert names["until_known"](client, client.orders.follow("ORD_2", unknown=True), sleep_until) is None
