"""docs/outcomes.md: its code, run against a sandbox that breaks at the worst moments, charges every order once."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright import AttemptEvent, Client, FixedClock, OutcomeUnknown, Permission
from paywright_sandbox.testing.inprocess import in_process_sandbox
from tests.support.recorded import findings_of

TOP = Path(__file__).resolve().parents[2]
_TEXT = (TOP / "docs" / "outcomes.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
(TRACING,) = [block for block in BLOCKS if "on_attempt" in block]
(SETTLING,) = [block for block in BLOCKS if "go_on" in block]
(WAITING,) = [block for block in BLOCKS if "settle(within" in block]
(FOLLOWING,) = [block for block in BLOCKS if "until_known" in block]


def checkout(client: Client, key: str, again: Permission | None = None) -> object:
    return client.orders.checkout(
        out_trade_no=key, subject="Two tickets", total_amount=Decimal("10.50"), currency="USD", user_id=key,
        front_callback_url="https://shop.example/back", again=again,
    )  # fmt: skip


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("kind", ["reset", "cut", "html", "bad-signature", "no-signature"])
def test_the_code_of_the_page_places_each_order_once(kind: str, when: str, clock: FixedClock) -> None:
    names: dict[str, Any] = {}
    exec(compile(SETTLING, "docs/outcomes.md", "exec"), names)
    stored: dict[str, str] = {}
    with in_process_sandbox(clock=clock) as sandbox, sandbox.client(clock=clock) as client:
        sandbox.fault(kind, when=when, operation="orders.checkout", times=3)  # the third is placed again
        for key in ("ORD_1", "ORD_2"):
            with pytest.raises(OutcomeUnknown) as ended:
                checkout(client, key)
            resolver = client.orders.resolve(ended.value)
            stored[key] = resolver.to_json()
        for key in stored:
            for _ in range(60):
                step = names["go_on"](
                    client,
                    stored[key],
                    lambda text, key=key: stored.update({key: text}),
                    lambda again, key=key: checkout(client, key, again),
                )
                if step.state == "settled":
                    break
                clock.advance(60)
            assert step.state == "settled"
            assert client.orders.query(out_trade_no=key).status == "PENDING"
        if kind == "reset":  # the others break the contract themselves
            assert findings_of(sandbox.log(), sandbox.directory) == []


@pytest.mark.parametrize(
    ("kind", "when", "says"),
    [("", "after", "placed http"), ("reset", "after", "settled "), ("reset", "before", "place_again ")],
)
def test_the_first_script_of_the_page_says_how_its_order_stands(
    kind: str, when: str, says: str, clock: FixedClock
) -> None:
    names: dict[str, Any] = {}
    exec(compile(WAITING, "docs/outcomes.md", "exec"), names)
    with in_process_sandbox(clock=clock) as sandbox, sandbox.client(clock=clock) as client:
        if kind:
            sandbox.fault(kind, when=when, operation="orders.checkout")
        assert names["place"](client, "ORD_1").startswith(says)


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
        checkout(client, "ORD_1")
    ((name, start, end, attributes),) = spans
    assert (name, start) == ("orders.checkout", int(clock.now().timestamp() * 1e9))
    assert end > start
    assert attributes == {"paywright.outcome": "answered", "paywright.phase": "done"}


def test_the_script_of_the_page_knows_that_an_order_was_paid(clock: FixedClock) -> None:
    names: dict[str, Any] = {}
    exec(compile(FOLLOWING, "docs/outcomes.md", "exec"), names)
    times: list[datetime] = []
    with in_process_sandbox(clock=clock) as sandbox, sandbox.client(clock=clock) as client:
        checkout(client, "ORD_1")

        def sleep_until(at: datetime) -> None:
            times.append(at)
            if len(times) == 2:
                sandbox.pay("ORD_1")
            clock.advance(max(timedelta(), at - clock.now()))

        assert names["until_known"](client, client.orders.follow("ORD_1"), sleep_until) == "SUCCESS"
        assert len(times) == 2
        assert names["until_known"](client, client.orders.follow("ORD_2", unknown=True), sleep_until) is None
