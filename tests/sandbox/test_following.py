"""What was placed at the sandbox is followed to its last state: each kind, each end, and with few questions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright import Client, FixedClock, Follow, InvalidArgument, OutcomeUnknown
from paywright_receiver import Follower, MemoryLedger
from paywright_receiver.items.book import Item
from paywright_sandbox.testing import InProcessSandbox, in_process_sandbox

CONTENT: dict[str, Any] = {"total_amount": Decimal("10.50"), "currency": "USD"}


class Followed:
    """A script that follows one item, without a database."""

    def __init__(self, sandbox: InProcessSandbox, client: Client, clock: FixedClock) -> None:
        self.sandbox, self.client, self.clock = sandbox, client, clock
        self.follower = Follower(client, MemoryLedger(clock=clock), book_only=True)

    def open(self, follow: Follow) -> Followed:
        self.kind, self.key = follow.kind, follow.key
        assert self.follower.open(None, follow)
        return self

    @property
    def item(self) -> Item:
        found = self.follower.get(self.kind, self.key)
        assert found is not None
        return found

    @property
    def known(self) -> tuple[str | None, bool | None, str | None, str | None]:
        return self.item.state, self.item.paid, self.item.amount, self.item.currency

    def hint(self, says: str | None = None) -> None:
        """The payer came back, or a notification came that names a state."""
        self.follower._core.book.hint(self.item.id, self.clock.now(), says=says)

    def run(self, until: timedelta = timedelta(days=60)) -> list[float]:
        """Run whenever something is due, until nothing is; the minutes of each question."""
        began, minutes = self.clock.now(), list[float]()
        while (due := self.follower.next_due()) is not None and due - began <= until:
            self.clock.advance(max(timedelta(), due - self.clock.now()))
            if self.follower.run_due().asked:
                minutes.append((self.clock.now() - began) / timedelta(minutes=1))
        return minutes


@pytest.fixture
def sandbox(made_once: Path, clock: FixedClock) -> Iterator[InProcessSandbox]:
    with in_process_sandbox(made_once, clock=clock) as made:
        yield made


@pytest.fixture
def followed(sandbox: InProcessSandbox, client: Client, clock: FixedClock) -> Followed:
    return Followed(sandbox, client, clock)


def checkout(client: Client, *, expires: int | None = 1800) -> None:
    client.orders.checkout(
        out_trade_no="ORD_1", subject="Two tickets", **CONTENT, user_id="user_1",
        front_callback_url="https://shop.example/back", expire_time=None if expires is None else str(expires),
    )  # fmt: skip


def test_an_order_is_known_to_be_paid_by_one_question_after_the_payer_came_back(followed: Followed) -> None:
    checkout(followed.client)
    followed.open(followed.client.orders.follow("ORD_1", **CONTENT))
    assert (followed.item.step, followed.item.due_at) == ("wait", followed.clock.now() + timedelta(minutes=3))
    followed.clock.advance(95)
    followed.sandbox.pay("ORD_1")
    followed.hint()
    assert followed.run() == [0]
    assert (followed.item.status, followed.known) == ("settled", ("SUCCESS", True, "10.50", "USD"))


def test_a_payment_is_known_after_at_most_twice_its_time(followed: Followed) -> None:
    checkout(followed.client)
    followed.open(followed.client.orders.follow("ORD_1"))
    assert followed.run(timedelta(minutes=6)) == [3, 6]
    followed.clock.advance(60)
    followed.sandbox.pay("ORD_1")
    assert followed.run() == [5]  # at 12 minutes
    assert followed.item.status == "settled"


@pytest.mark.parametrize(
    ("expires", "minutes"),
    [(1800, [3, 6, 12, 31]), (None, [3, 6, 12, 24, 48, 96, 192, 384, 744, 1104, 1441])],
    ids=["expiry given", "the longest of the contract"],
)
def test_an_unpaid_order_is_asked_for_at_its_end(expires: int | None, minutes: list[float], followed: Followed) -> None:
    checkout(followed.client, expires=expires)
    at = None if expires is None else followed.clock.now() + timedelta(seconds=expires)
    assert followed.open(followed.client.orders.follow("ORD_1", expires_at=at)).run() == minutes
    assert (followed.item.status, followed.known[:2]) == ("settled", ("FAILED", False))


def test_a_paid_order_is_asked_for_only_after_a_notification(followed: Followed) -> None:
    checkout(followed.client)
    followed.sandbox.pay("ORD_1")
    followed.open(followed.client.orders.follow("ORD_1")).run()
    followed.clock.advance(timedelta(days=30))
    followed.sandbox.done("POST", "orders/ORD_1/bounce")
    assert followed.follower.hint("orders", "ORD_1") is False  # the payer, on an old page
    assert followed.run() == []
    followed.hint("BOUNCEBACK")
    assert followed.run() == [0]
    assert followed.known[:2] == ("BOUNCEBACK", False)


@pytest.mark.parametrize(("fails", "state"), [(True, "REFUND_FAILED"), (False, "REFUND_SUCCESS")])
def test_a_refund_is_followed_whether_it_succeeds_or_fails(fails: bool, state: str, followed: Followed) -> None:
    checkout(followed.client)
    followed.sandbox.pay("ORD_1")
    given = {"refund_amount": Decimal("4.25"), "refund_currency": "USD"}
    followed.client.refunds.create(out_refund_no="REF_1", out_trade_no="ORD_1", **given)
    if fails:
        followed.sandbox.done("POST", "refunds/REF_1/fail")
    assert followed.open(followed.client.refunds.follow("REF_1", **given)).run() == [3]
    assert followed.known == (state, not fails, "4.25", "USD")


@pytest.mark.parametrize("ending", ["settle", "fail"])
def test_an_exchange_is_followed(made_once: Path, clock: FixedClock, ending: str) -> None:
    with (
        in_process_sandbox(made_once, clock=clock, policies={"settles-after": 86400}) as sandbox,
        sandbox.client() as client,
    ):
        followed = Followed(sandbox, client, clock)
        sandbox.done("POST", "balances", {"currency": "EUR", "amount": "500.00"})
        client.exchanges.create(
            ccy_pair="EURUSD", out_trade_no="EXC_1", side="SELL", transaction_amount=Decimal("100.00"),
            transaction_ccy="EUR", target_ccy="USD",
        )  # fmt: skip
        followed.open(client.exchanges.follow("EXC_1", transaction_amount=Decimal(100)))
        assert followed.run(timedelta(minutes=3)) == [3]
        sandbox.done("POST", f"exchanges/EXC_1/{ending}")
        assert followed.run() == [3]
        assert followed.known[1:] == (ending == "settle", "100.00", "EUR")


def test_a_withdrawal_is_followed_and_nothing_of_it_can_be_unknown(followed: Followed) -> None:
    followed.sandbox.done("POST", "balances", {"currency": "USD", "amount": "500.00"})
    body = {"outTradeNo": "WD_1", "transactionCurrency": "USD", "transactionAmount": "100.00"}
    followed.sandbox.done("POST", "withdrawals", body)
    assert followed.open(followed.client.withdrawals.follow("WD_1")).run() == [3]
    assert followed.known[:3] == ("SUCCESS", True, "100.00")
    with pytest.raises(InvalidArgument, match="No operation of the contract makes withdrawals"):
        followed.open(Follow("withdrawals", "WD_2", unknown=True))


def test_a_link_is_followed_until_it_and_its_payments_are_finished(followed: Followed) -> None:
    body = {"merchantLinkId": "ML1", "amount": "10.50", "currency": "USD", "country": "SG", "description": "Tickets"}
    link = followed.sandbox.done("POST", "links", body)
    order = followed.sandbox.done("POST", f"links/{link['linkId']}/open", {"userName": "A Payer"})
    followed.open(followed.client.payment_links.follow("ML1"))
    assert followed.run(timedelta(minutes=3)) == [3]
    assert followed.item.paid is False
    followed.sandbox.pay(str(order["outTradeNo"]))
    followed.hint("SUCCESS")
    assert followed.run(timedelta(seconds=10))
    assert (followed.item.status, followed.known[:2]) == ("open", ("ACTIVE", True))
    followed.run()
    assert (followed.item.status, followed.item.state, followed.item.amount) == ("settled", "EXPIRED", "10.50")


def test_a_plan_of_which_nothing_is_told_is_for_a_person_when_a_day_has_passed(followed: Followed) -> None:
    at = followed.clock.now() + timedelta(days=1)
    followed.open(followed.client.subscriptions.follow("SREQ_1", expires_at=at))
    assert (followed.item.step, followed.item.due_at) == ("wait", at)  # it is looked at each day
    followed.hint()  # nothing can be asked
    assert followed.run() == []
    assert (followed.item.step, followed.item.due_at, followed.item.asked) == ("decide", None, 0)
    assert "the contract has no query for it" in followed.item.why


def test_a_time_without_a_zone_and_an_error_of_another_call_are_refused(followed: Followed) -> None:
    orders = followed.client.orders
    with pytest.raises(InvalidArgument, match="aware"):
        followed.open(orders.follow("ORD_1", expires_at=datetime(2025, 6, 1)))
    followed.sandbox.fault("reset", when="after", operation="orders.checkout", times=1)
    with pytest.raises(OutcomeUnknown) as ended:
        checkout(followed.client)
    with pytest.raises(InvalidArgument, match="give the error of the same call"):
        followed.open(orders.follow("ORD_2", after=ended.value))
    with pytest.raises(InvalidArgument, match="makes nothing that is followed as refunds"):
        followed.open(followed.client.refunds.follow("REF_1", after=ended.value))
