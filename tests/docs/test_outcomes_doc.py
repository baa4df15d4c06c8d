"""docs/outcomes.md: its code, run against a sandbox that breaks at the worst moments, charges every order once."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright import AttemptEvent, Client, FixedClock
from paywright_tools.sandbox.inprocess import InProcessSandbox, in_process_sandbox

TOP = Path(__file__).resolve().parents[2]
_TEXT = (TOP / "docs" / "outcomes.md").read_text(encoding="utf-8")
PLACING, SETTLING, TRACING = re.findall(r"^```python\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
AMOUNT = Decimal("10.50")


def code() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(PLACING + SETTLING, "docs/outcomes.md", "exec"), names)
    return names


def run(sandbox: InProcessSandbox, client: Client, clock: FixedClock, keys: list[str]) -> dict[str, str]:
    place: Callable[..., None] = code()["place"]
    settle: Callable[..., None] = code()["settle"]
    orders: dict[str, str] = {}
    for key in keys:
        place(client, orders, key, AMOUNT)
    for _ in range(20):
        settle(client, orders, dict.fromkeys(keys, AMOUNT))
        clock.advance(60)
    return orders


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
        assert orders == {"ORD_1": "placed", "ORD_2": "placed", "ORD_3": "placed: PENDING"}
        for key in keys:
            assert client.orders.query(out_trade_no=key).status == "PENDING"


def test_a_refusal_is_kept_as_one(clock: FixedClock) -> None:
    with in_process_sandbox(clock=clock) as sandbox, sandbox.client(clock=clock) as client:
        sandbox.fault("code", code="AMOUNT_LIMIT", when="before", operation="orders.checkout", times=1)
        assert run(sandbox, client, clock, ["ORD_1"]) == {"ORD_1": "refused: AMOUNT_LIMIT"}


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
        code()["checkout"](client, "ORD_1", AMOUNT)
    ((name, start, end, attributes),) = spans
    assert (name, start) == ("orders.checkout", int(clock.now().timestamp() * 1e9))
    assert end > start
    assert attributes == {"paywright.outcome": "answered", "paywright.phase": "done"}
