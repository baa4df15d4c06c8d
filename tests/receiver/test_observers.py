"""Observers of calls, deliveries and followed items: what is none is refused, and one that fails changes nothing."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import anyio
import pytest

from paywright import Client, FixedClock, InvalidArgument, Merchant, Receiver
from paywright_receiver import AsyncFollower, Follower, MemoryLedger
from paywright_sandbox.testing.inprocess import InProcessSandbox, in_process_sandbox
from tests.outcomes.canaries import TOKEN
from tests.runtime.helpers.client_calls import ORDER


@pytest.fixture
def sandbox() -> Iterator[InProcessSandbox]:
    with in_process_sandbox(clock=FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))) as sandbox:
        yield sandbox


class Broken:
    """An observer that fails: always, or once what it follows has begun."""

    def __init__(self, begins: bool) -> None:
        self._begins = begins

    def _begin(self, *given: object) -> Any:
        if not self._begins:
            raise ValueError(TOKEN)
        return self

    call = item = delivery = _begin

    def _fail(self, *given: object) -> None:
        raise ValueError(TOKEN)

    attempt = end = __call__ = _fail


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaited"])
@pytest.mark.parametrize("begins", [False, True])
def test_an_observer_that_fails_changes_nothing(
    sandbox: InProcessSandbox, caplog: pytest.LogCaptureFixture, begins: bool, awaited: bool
) -> None:
    caplog.set_level(logging.INFO)
    broken: Any = Broken(begins)
    ledger, results = MemoryLedger(clock=sandbox.engine.wall), []
    with sandbox.client(observer=broken) as client:
        assert client.orders.checkout(**ORDER).status == "PENDING"
        Follower(client, ledger).open(
            None, client.orders.follow("ORD_1", total_amount=Decimal("10.50"), currency="USD")
        )
    sandbox.pay("ORD_1")
    sandbox.advance(timedelta(hours=1))
    receiver = sandbox.receiver(ledger, observer=broken)
    receiver.on_result("orders")(lambda event: results.append(event.data.state))

    async def followed() -> int:
        async with sandbox.async_client(observer=broken) as client:
            return (await AsyncFollower(client, ledger, receiver=receiver).run_due()).handled

    with sandbox.client(observer=broken) as client:
        handled = anyio.run(followed) if awaited else Follower(client, ledger, receiver=receiver).run_due().handled
    assert (handled, results) == (1, ["SUCCESS"])
    assert "the observer raised ValueError" in caplog.text
    assert TOKEN not in caplog.text


@pytest.mark.parametrize("wrong", [Broken, "otel", print, 5])
def test_what_is_no_observer_is_refused_in_words(merchant: Merchant, wrong: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"observer is an object that follows calls, such as .*Telemetry\(\)"):
        Client(base_url="http://127.0.0.1:1", merchant=merchant, observer=wrong)
    with pytest.raises(
        InvalidArgument, match=r"observer is an object that follows deliveries, such as .*Telemetry\(\)"
    ):
        Receiver(app_id="a", gateway_keys=merchant.verifier, ledger=MemoryLedger(), observer=wrong)
