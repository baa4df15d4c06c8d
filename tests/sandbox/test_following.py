"""What was placed at the sandbox is followed to its last state: each kind, each end, and with few questions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import anyio
import pytest

from paywright import Client, FixedClock, Follow, HostedPlan, InvalidArgument, Merchant, OutcomeUnknown, Permission
from paywright.aio import Client as AsyncClient
from paywright_receiver import AsyncFollower, Follower, MemoryLedger
from paywright_receiver.items.book import Item
from paywright_runtime.client.settings import client_settings_from, merchant_from
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest
from paywright_sandbox.testing import InProcessSandbox, InProcessTransport, in_process_sandbox

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
def client(sandbox: InProcessSandbox) -> Iterator[Client]:
    with sandbox.client() as made:
        yield made


@pytest.fixture
def followed(sandbox: InProcessSandbox, client: Client, clock: FixedClock) -> Followed:
    return Followed(sandbox, client, clock)


def checkout(
    client: Client, *, expires: int | None = 1800, plan: str | None = None, again: Permission | None = None
) -> None:
    client.orders.checkout(
        out_trade_no="ORD_1",
        subject="Two tickets",
        **CONTENT,
        user_id="user_1",
        front_callback_url="https://shop.example/back",
        again=again,
        expire_time=None if expires is None else str(expires),
        subscription_plan=None if plan is None else HostedPlan(subscription_no=plan),
    )


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


def test_a_stale_answer_after_a_notification_is_doubted(followed: Followed) -> None:
    checkout(followed.client)
    followed.sandbox.pay("ORD_1")
    followed.open(followed.client.orders.follow("ORD_1")).run()
    followed.hint("BOUNCEBACK")  # it comes before the inquiry shows it
    for _ in range(2):
        followed.clock.advance(20)
        followed.follower.run_due()
        assert (followed.item.status, followed.item.step) == ("open", "decide")
    followed.sandbox.done("POST", "orders/ORD_1/bounce")
    followed.run()
    assert followed.item.state == "BOUNCEBACK"


def test_many_hints_are_few_questions(followed: Followed) -> None:
    checkout(followed.client)
    at = followed.clock.now() + timedelta(seconds=1800)
    followed.open(followed.client.orders.follow("ORD_1", expires_at=at))
    for _ in range(600):  # a payer who loads the page again and again
        followed.hint()
        followed.follower.run_due()
        followed.clock.advance(3)
    assert followed.item.asked <= 11


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


def test_an_unknown_order_is_resolved_and_then_followed_in_one_life(followed: Followed) -> None:
    followed.sandbox.fault("reset", when="after", operation="orders.checkout", times=1)
    with pytest.raises(OutcomeUnknown) as ended:
        checkout(followed.client)
    followed.open(followed.client.orders.follow("ORD_1", **CONTENT, after=ended.value))
    assert (followed.item.step, followed.item.state) == ("query", None)
    followed.follower.run_due()
    assert (followed.item.step, followed.item.state) == ("wait", "PENDING")
    followed.sandbox.pay("ORD_1")
    followed.hint()
    followed.run()
    assert followed.item.paid


def test_an_order_that_never_arrived_is_placed_again_and_then_followed(followed: Followed) -> None:
    """It was opened before the call, so that it is followed even if the process dies in the next instruction."""
    followed.open(followed.client.orders.follow("ORD_1", **CONTENT, unknown=True))
    followed.run(timedelta(minutes=11))
    assert followed.item.step == "place_again"
    checkout(followed.client, again=followed.follower.permission("orders", "ORD_1"))
    followed.follower.run_due()
    assert followed.item.step == "wait"
    followed.sandbox.pay("ORD_1")
    followed.run()
    assert followed.known[:2] == ("SUCCESS", True)


def test_an_order_that_nobody_places_again_is_asked_for_rarely(followed: Followed) -> None:
    followed.open(followed.client.orders.follow("ORD_1", **CONTENT, unknown=True))
    assert len(followed.run(timedelta(hours=20))) <= 12
    assert followed.item.step == "place_again"
    assert len(followed.run(timedelta(days=7))) <= 12
    assert followed.item.step == "decide"


def test_an_order_that_was_placed_is_no_longer_unknown(followed: Followed) -> None:
    followed.open(followed.client.orders.follow("ORD_1", unknown=True))
    followed.clock.advance(5)
    checkout(followed.client)
    assert followed.follower.placed("orders", "ORD_1")
    assert (followed.item.due_at, followed.item.asked) == (followed.clock.now() + timedelta(minutes=3), 0)


def test_a_notification_proves_that_an_unknown_order_arrived(followed: Followed) -> None:
    followed.open(followed.client.orders.follow("ORD_1", **CONTENT, unknown=True))
    followed.follower.run_due()
    followed.hint("SUCCESS")
    followed.run(timedelta(minutes=11))
    assert followed.item.step == "decide"
    assert "said SUCCESS, and no answer shows that" in followed.item.why


def test_the_money_of_another_call_is_not_taken_for_this_one(followed: Followed) -> None:
    checkout(followed.client)
    followed.sandbox.pay("ORD_1")
    followed.open(followed.client.orders.follow("ORD_1", total_amount=Decimal(11), currency="USD"))
    followed.run(timedelta(minutes=3))
    assert (followed.item.step, "totalAmount" in followed.item.why) == ("decide", True)
    assert (followed.item.paid, followed.item.state) == (None, None)


class Called:
    """A transport that blocks, where an awaited one is asked for."""

    def __init__(self, inner: InProcessTransport) -> None:
        self.inner = inner

    async def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        request.reach(Phase.WAITING)
        return self.inner.send(request, deadline)

    async def aclose(self) -> None:
        self.inner.close()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_awaited_follower_follows_alike(sandbox: InProcessSandbox, clock: FixedClock, backend: str) -> None:
    merchant, base_url = merchant_from(Merchant, sandbox.env)
    paths = client_settings_from(Merchant, sandbox.env).paths

    async def main() -> None:
        transport = Called(InProcessTransport(sandbox.engine))
        async with AsyncClient(
            base_url=base_url, merchant=merchant, paths=paths, clock=clock, transport=transport
        ) as client:
            follower = AsyncFollower(client, MemoryLedger(clock=clock), book_only=True)
            await follower.open(None, client.orders.follow("ORD_1", **CONTENT, unknown=True))
            for _ in range(2):
                await follower.run_due()
                clock.advance(601)
            permission = await follower.permission("orders", "ORD_1")
            await client.orders.checkout(
                out_trade_no="ORD_1", subject="Two tickets", **CONTENT, user_id="user_1", again=permission,
                front_callback_url="https://shop.example/back",
            )  # fmt: skip
            await follower.run_due()
            sandbox.pay("ORD_1")
            await follower.hint("orders", "ORD_1")
            clock.advance(10)
            assert (await follower.run_due()).asked == 1
            item = await follower.get("orders", "ORD_1")
            assert item is not None
            assert (item.status, item.state, item.paid, item.amount) == ("settled", "SUCCESS", True, "10.50")

    anyio.run(main, backend=backend)


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
