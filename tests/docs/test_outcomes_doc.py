"""docs/outcomes.md: its code, run against a sandbox that breaks at the worst moments, charges every order once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from paywright import Client, FixedClock, OutcomeUnknown, Permission
from paywright_sandbox.testing.inprocess import in_process_sandbox
from tests.docs.pages import Page
from tests.support.recorded import findings_of


def program(containing: str) -> dict[str, Any]:
    """The names of the one program of the page that contains a text."""
    names: dict[str, Any] = {}
    exec(compile(Page("outcomes").block("python", containing), "docs/outcomes.md", "exec"), names)
    return names


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
    names = program("go_on")
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
                    client, stored[key], partial(stored.__setitem__, key), partial(checkout, client, key)
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
def test_the_first_script_says_how_an_order_stands(kind: str, when: str, says: str, clock: FixedClock) -> None:
    names = program("settle(within")
    with in_process_sandbox(clock=clock) as sandbox, sandbox.client(clock=clock) as client:
        if kind:
            sandbox.fault(kind, when=when, operation="orders.checkout")
        assert names["place"](client, "ORD_1").startswith(says)


def test_the_script_of_the_page_knows_that_an_order_was_paid(clock: FixedClock) -> None:
    names = program("until_known")
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
