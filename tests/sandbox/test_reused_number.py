"""A staging and a production system on one merchant number: a number that both use is never settled by the other's payment."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

from paywright import AlreadyPlaced, Client, Event, FixedClock, ItemResult
from paywright_receiver import Follower, MemoryLedger
from paywright_sandbox.testing import InProcessSandbox, in_process_sandbox

CONTENT: Final[dict[str, Any]] = {"total_amount": Decimal("10.50"), "currency": "USD"}
PLACING: Final[dict[str, Any]] = {**CONTENT, "subject": "Tickets", "front_callback_url": "https://s.example/b"}


class Production:
    """A system with a ledger of its own, on the merchant number of the staging system."""

    def __init__(self, sandbox: InProcessSandbox, client: Client, clock: FixedClock) -> None:
        self.sandbox, self.client, self.clock, self.told = sandbox, client, clock, list[tuple[str, str]]()
        ledger = MemoryLedger(clock=clock)
        receiver = sandbox.receiver(ledger)
        receiver.on_result("orders")(self._handle)
        self.follower = Follower(client, ledger, receiver=receiver)
        sandbox.deliver_to(receiver)

    def _handle(self, event: Event[ItemResult]) -> None:
        self.told.append((event.data.key, str(event.data.state)))

    def open(self, number: str, reference: str) -> None:
        self.follower.open(None, self.client.orders.follow(number, **CONTENT, reference=reference, unknown=True))

    def run(self) -> None:
        for _ in range(3):
            self.clock.advance(timedelta(minutes=10))
            self.follower.run_due()


@pytest.fixture
def sandbox(made_once: Path, clock: FixedClock) -> Iterator[InProcessSandbox]:
    with in_process_sandbox(made_once, clock=clock) as made:
        yield made


@pytest.fixture
def production(sandbox: InProcessSandbox, clock: FixedClock) -> Iterator[Production]:
    with sandbox.client() as client:
        yield Production(sandbox, client, clock)


def reused(
    production: Production, *, paid: bool, number: str = "ORD_40", reference: str | None = "prod-900"
) -> AlreadyPlaced:
    """Staging placed ORD_40, and production takes the same number, or the same in other letters."""
    client, sandbox = production.client, production.sandbox
    client.orders.checkout(out_trade_no="ORD_40", reference="staging-7", user_id="tester", **PLACING)
    if paid:
        sandbox.pay("ORD_40")
    production.clock.advance(timedelta(days=90) if paid else timedelta(minutes=1))
    production.open(number, "prod-900")
    with pytest.raises(AlreadyPlaced) as caught:
        client.orders.checkout(out_trade_no=number, reference=reference, user_id="buyer_2", **PLACING)
    return caught.value


def test_a_number_that_staging_used_is_for_a_person_and_its_payment_is_nobodys(production: Production) -> None:
    error = reused(production, paid=True)
    step = production.client.orders.resolve(error).step()
    assert (step.state, "reference 'staging-7' where this call has 'prod-900'" in step.why) == ("decide", True)
    production.run()
    item = production.follower.get("orders", "ORD_40")
    assert item is not None
    assert (item.step, production.told) == ("decide", [])
    assert "reference 'staging-7' where this call has 'prod-900'" in item.why


def test_it_is_the_same_where_the_earlier_order_is_paid_later_and_its_webhook_comes(production: Production) -> None:
    reused(production, paid=False)
    production.sandbox.pay("ORD_40")
    production.run()
    assert production.sandbox.deliver() > 0
    production.run()
    assert production.told == []


def test_a_number_in_other_letters_is_another_number(production: Production) -> None:
    error = reused(production, paid=True, number="Ord_40", reference=None)
    step = production.client.orders.resolve(error).step()
    assert (step.state, "outTradeNo 'ORD_40' where this call has 'Ord_40'" in step.why) == ("decide", True)
    production.run()
    assert production.told == []
