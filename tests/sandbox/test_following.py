"""Items of every kind, followed to their last state against the sandbox under its clock, by both clients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from paywright import (
    Client,
    FixedClock,
    Follow,
    HostedPlan,
    InvalidArgument,
    Merchant,
    Money,
    NewPlan,
    OutcomeUnknown,
    PeriodRule,
    Permission,
    Step,
    TooEarly,
)
from paywright.aio import AsyncFollow
from paywright.aio import Client as AsyncClient
from paywright_runtime import strict_json
from paywright_runtime.client.settings import client_settings_from, merchant_from
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest
from paywright_sandbox.testing import InProcessSandbox, InProcessTransport, in_process_sandbox


@pytest.fixture
def sandbox(made_once: Path, clock: FixedClock) -> Iterator[InProcessSandbox]:
    with in_process_sandbox(made_once, clock=clock) as made:
        yield made


@pytest.fixture
def client(sandbox: InProcessSandbox) -> Iterator[Client]:
    with sandbox.client() as made:
        yield made


CONTENT: dict[str, Any] = {"total_amount": Decimal("10.50"), "currency": "USD"}


def checkout(
    client: Client,
    key: str = "ORD_1",
    *,
    expires: int | None = 1800,
    plan: str | None = None,
    again: Permission | None = None,
) -> None:
    client.orders.checkout(
        out_trade_no=key,
        subject="Two tickets",
        **CONTENT,
        user_id="user_1",
        front_callback_url="https://shop.example/back",
        again=again,
        expire_time=None if expires is None else str(expires),
        subscription_plan=None if plan is None else HostedPlan(subscription_no=plan),
    )


def refund(client: Client, key: str = "REF_1") -> None:
    client.refunds.create(out_refund_no=key, refund_amount=Decimal("4.25"), refund_currency="USD", out_trade_no="ORD_1")


def run(follow: Follow[Any], clock: FixedClock, *, until: timedelta = timedelta(days=60)) -> list[float]:
    """Call `step` whenever it says so, each time in a new process, until it is settled; the minutes of each question."""
    began, minutes = clock.now(), []
    asked = follow.look().asked
    while True:
        step = follow.step()
        if step.asked > asked:
            minutes.append((clock.now() - began) / timedelta(minutes=1))
            asked = step.asked
        if step.state == "settled" or step.at is None or step.at - began > until:
            return minutes
        assert step.at > clock.now(), step
        clock.advance(step.at - clock.now())


def test_an_order_is_known_to_be_paid_by_one_question_after_the_payer_came_back(
    client: Client, sandbox: InProcessSandbox, clock: FixedClock
) -> None:
    checkout(client)
    follow = client.orders.follow("ORD_1", total_amount=Decimal("10.50"), currency="USD")
    assert (follow.kind, follow.key, follow.operation) == ("orders", "ORD_1", "orders.checkout")
    assert follow.step() == Step("wait", clock.now() + timedelta(minutes=3), follow.look().why)
    assert follow.result is None
    clock.advance(95)
    sandbox.pay("ORD_1")
    follow.hint()
    step = follow.step()
    assert (step.state, step.at, step.asked) == ("settled", None, 1)
    assert follow.result is not None
    assert follow.result.status == follow.last_state == "SUCCESS"
    assert (follow.paid, follow.settled, follow.final, follow.unknown) == (True, True, False, False)
    assert (follow.amount, follow.currency) == ("10.50", "USD")
    assert "settled" in repr(follow)


def test_without_any_hint_a_payment_is_known_after_at_most_twice_the_time_that_it_took(
    client: Client, sandbox: InProcessSandbox, clock: FixedClock
) -> None:
    checkout(client)
    follow = client.orders.follow("ORD_1")
    began = clock.now()
    while follow.step().state != "settled":
        at = follow.look().at
        assert at is not None
        if clock.now() < began + timedelta(minutes=7) <= at:
            clock.advance(began + timedelta(minutes=7) - clock.now())
            sandbox.pay("ORD_1")
        clock.advance(at - clock.now())
    assert clock.now() - began == timedelta(minutes=12)
    assert follow.look().asked == 3


def test_an_order_that_nobody_pays_is_asked_for_once_more_when_it_must_be_closed(
    client: Client, clock: FixedClock
) -> None:
    checkout(client)
    follow = client.orders.follow("ORD_1", expires_at=clock.now() + timedelta(seconds=1800))
    assert run(follow, clock) == [3, 6, 12, 31]
    assert (follow.last_state, follow.paid, follow.final) == ("FAILED", False, True)


def test_an_order_without_an_expiry_is_followed_to_the_longest_that_the_contract_allows(
    client: Client, clock: FixedClock
) -> None:
    checkout(client, expires=None)
    assert run(client.orders.follow("ORD_1"), clock) == [3, 6, 12, 24, 48, 96, 192, 384, 744, 1104, 1441]


def test_a_paid_order_is_not_asked_for_again_until_a_notification_says_something_else(
    client: Client, sandbox: InProcessSandbox, clock: FixedClock
) -> None:
    checkout(client)
    sandbox.pay("ORD_1")
    follow = client.orders.follow("ORD_1")
    run(follow, clock)
    stored = follow.to_json()
    clock.advance(timedelta(days=30))
    sandbox.done("POST", "orders/ORD_1/bounce")
    follow = cast(Follow[Any], client.resume(stored))
    assert isinstance(follow, Follow)
    assert follow.step().state == "settled"
    follow.hint("SUCCESS")  # the notification of the payment, once more
    follow.hint()  # the payer, on an old page
    assert follow.step().asked == 1
    follow.hint("BOUNCEBACK")
    assert follow.step().asked == 2
    assert (follow.last_state, follow.paid, follow.final) == ("BOUNCEBACK", False, True)
    assert follow.look().state == "settled"


def test_a_stale_answer_after_a_notification_is_doubted_once(
    client: Client, sandbox: InProcessSandbox, clock: FixedClock
) -> None:
    checkout(client)
    sandbox.pay("ORD_1")
    follow = client.orders.follow("ORD_1")
    run(follow, clock)
    follow.hint("BOUNCEBACK")  # it comes before the inquiry shows it
    clock.advance(10)
    assert follow.step().state == "wait"
    sandbox.done("POST", "orders/ORD_1/bounce")
    run(follow, clock)
    assert follow.last_state == "BOUNCEBACK"


def test_many_hints_are_few_questions(client: Client, clock: FixedClock) -> None:
    checkout(client)
    follow = client.orders.follow("ORD_1", expires_at=clock.now() + timedelta(seconds=1800))
    for _ in range(1800):  # a payer who loads the page once a second
        follow.hint()
        follow.step()
        clock.advance(1)
    assert follow.look().asked <= 11


@pytest.mark.parametrize(("fails", "state"), [(True, "REFUND_FAILED"), (False, "REFUND_SUCCESS")])
def test_a_refund_is_followed_whether_it_succeeds_or_fails(
    client: Client, sandbox: InProcessSandbox, clock: FixedClock, fails: bool, state: str
) -> None:
    checkout(client)
    sandbox.pay("ORD_1")
    refund(client)
    if fails:
        sandbox.done("POST", "refunds/REF_1/fail")
    follow = client.refunds.follow("REF_1", refund_amount=Decimal("4.25"), refund_currency="USD")
    assert run(follow, clock) == [3]
    assert (follow.last_state, follow.paid, follow.final) == (state, not fails, True)
    assert (follow.amount, follow.currency) == ("4.25", "USD")


@pytest.mark.parametrize("ending", ["settle", "fail"])
def test_an_exchange_is_followed(made_once: Path, clock: FixedClock, ending: str) -> None:
    with in_process_sandbox(made_once, clock=clock, policies={"exchange-settles-after": 86400}) as sandbox:
        sandbox.done("POST", "balances", {"currency": "EUR", "amount": "500.00"})
        with sandbox.client() as client:
            client.exchanges.create(
                ccy_pair="EURUSD", out_trade_no="EXC_1", side="SELL", transaction_amount=Decimal("100.00"),
                transaction_ccy="EUR", target_ccy="USD",
            )  # fmt: skip
            follow = client.exchanges.follow("EXC_1", transaction_amount=Decimal(100))
            clock.advance(180)
            assert follow.step().state == "wait"
            sandbox.done("POST", f"exchanges/EXC_1/{ending}")
            assert run(follow, clock) == [3]
            assert (follow.paid, follow.final) == (ending == "settle", True)
            assert (follow.amount, follow.currency) == ("100.00", "EUR")


def test_a_withdrawal_is_followed_and_nothing_of_it_can_be_unknown(
    client: Client, sandbox: InProcessSandbox, clock: FixedClock
) -> None:
    sandbox.done("POST", "balances", {"currency": "USD", "amount": "500.00"})
    body = {"outTradeNo": "WD_1", "transactionCurrency": "USD", "transactionAmount": "100.00"}
    sandbox.done("POST", "withdrawals", body)
    follow = client.withdrawals.follow("WD_1")
    assert run(follow, clock) == [3]
    assert (follow.last_state, follow.paid, follow.amount) == ("SUCCESS", True, "100.00")
    with pytest.raises(InvalidArgument, match="No operation of the contract makes withdrawals"):
        client.follow_by_name("withdrawals", "WD_1", unknown=True)


def test_a_link_is_followed_until_it_and_its_payments_are_finished(
    client: Client, sandbox: InProcessSandbox, clock: FixedClock
) -> None:
    body = {"merchantLinkId": "ML1", "amount": "10.50", "currency": "USD", "country": "SG", "description": "Tickets"}
    link = sandbox.done("POST", "links", body)
    order = sandbox.done("POST", f"links/{link['linkId']}/open", {"userName": "A Payer"})
    follow = client.payment_links.follow("ML1")
    clock.advance(180)
    assert follow.step().state == "wait"
    assert follow.paid is False
    sandbox.pay(str(order["outTradeNo"]))
    follow.hint("SUCCESS")
    clock.advance(10)
    assert follow.step().state == "wait"
    assert (follow.last_state, follow.paid, follow.settled) == ("ACTIVE", True, False)
    ends = follow.state.expires_at
    assert ends is not None
    run(follow, clock)
    assert (follow.last_state, follow.final, follow.amount) == ("EXPIRED", True, "10.50")
    assert clock.now() - ends <= timedelta(minutes=1)


def test_the_periods_of_a_plan_are_told_and_an_overdue_one_is_noticed(
    client: Client, sandbox: InProcessSandbox, clock: FixedClock
) -> None:
    made = client.subscriptions.create(
        subscription_request_id="SREQ_1",
        user_id="user_1",
        callback_url="http://127.0.0.1:9/hook",
        subscription_plan=NewPlan(
            subject="Monthly", total_periods=2, period_rule=PeriodRule(period_unit="M", period_count=1),
            period_amount=Money(amount=Decimal("10.50"), currency="USD"), prices=[],
        ),
    )  # fmt: skip
    follow = client.subscriptions.follow("SREQ_1", expires_at=clock.now() + timedelta(days=1))
    assert follow.step().at == clock.now() + timedelta(days=2)
    checkout(client, "ACT_1", plan=made.subscription_plan.subscription_no)
    sandbox.pay("ACT_1")
    follow.hint()  # nothing can be asked
    assert (follow.step().state, follow.look().asked) == ("wait", 0)
    clock.advance(timedelta(days=40))
    told = 0
    for body in notifications(sandbox, "SUBSCRIPTION_PAYMENT"):
        follow.told(body)
        told += 1
        follow = cast(Follow[Any], client.resume(follow.to_json()))
    assert told >= 1
    assert (follow.last_state, follow.paid, follow.amount, follow.currency) == ("SUCCESS", True, "10.50", "USD")
    assert (follow.settled, follow.look().state) == (False, "wait")
    clock.advance(timedelta(days=300))
    step = follow.step()
    assert (step.state, step.at) == ("decide", None)
    assert "the contract has no query for it" in step.why
    with pytest.raises(InvalidArgument, match="another subscriptionRequestId"):
        client.subscriptions.follow("SREQ_2").told(body)
    with pytest.raises(InvalidArgument, match=r"followed by orders\.query"):
        client.orders.follow("ORD_1").told(body)


def notifications(sandbox: InProcessSandbox, kind: str) -> list[dict[str, Any]]:
    """The bodies of notifications of a kind, the oldest first."""
    sandbox.advance(0)
    listed = cast(list[Mapping[str, Any]], sandbox.done("GET", "notifications")["notifications"])
    bodies = []
    for each in reversed(listed):
        whole = sandbox.done("GET", f"notifications/{each['id']}")
        body = strict_json.parse(str(whole["raw"]).encode())
        if isinstance(body, dict) and body["notifyType"] == kind:
            bodies.append(body)
    return cast(list[dict[str, Any]], bodies)


def test_an_unknown_order_is_resolved_and_then_followed_in_one_life(
    client: Client, sandbox: InProcessSandbox, clock: FixedClock
) -> None:
    sandbox.fault("reset", when="after", operation="orders.checkout", times=1)
    with pytest.raises(OutcomeUnknown) as ended:
        checkout(client)
    follow = client.orders.follow("ORD_1", total_amount=Decimal("10.50"), currency="USD", after=ended.value)
    assert (follow.unknown, follow.look().state) == (True, "query")
    assert follow.step().state == "wait"
    assert (follow.unknown, follow.last_state) == (False, "PENDING")
    sandbox.pay("ORD_1")
    follow = cast(Any, client.resume(follow.to_json()))
    follow.hint()
    run(follow, clock)
    assert follow.paid


def test_an_order_that_never_arrived_is_placed_again_and_then_followed(
    client: Client, sandbox: InProcessSandbox, clock: FixedClock
) -> None:
    """It was opened before the call, so that it is followed even if the process dies in the next instruction."""
    follow = client.orders.follow("ORD_1", **CONTENT, unknown=True)
    with pytest.raises(TooEarly):
        follow.permission(store=str)
    assert follow.step().state == "wait"
    clock.advance(301)
    assert follow.step().state == "place_again"
    stored: list[str] = []
    checkout(client, again=follow.permission(store=stored.append))
    assert (follow.unknown, follow.look().state) == (False, "wait")
    sandbox.pay("ORD_1")
    run(follow, clock)
    assert (follow.paid, follow.last_state) == (True, "SUCCESS")
    with pytest.raises(TooEarly):
        follow.permission(store=stored.append)
    # The process that died after storing finds out by asking: it does not place a third time.
    died = cast(Follow[Any], client.resume(stored[0]))
    assert died.look().state == "query"
    assert died.step().state == "settled"


def test_an_order_that_nobody_places_again_is_asked_for_rarely(client: Client, clock: FixedClock) -> None:
    follow = client.orders.follow("ORD_1", **CONTENT, unknown=True)
    asked, seen = 0, set()
    for _ in range(7 * 24 * 12):
        step = follow.step()
        seen.add(step.state)
        asked = step.asked
        follow = cast(Follow[Any], client.resume(follow.to_json()))
        clock.advance(300)
    assert seen == {"wait", "place_again"}
    assert asked <= 40


def test_an_order_that_was_placed_is_no_longer_unknown(client: Client, clock: FixedClock) -> None:
    follow = client.orders.follow("ORD_1", unknown=True)
    clock.advance(5)
    checkout(client)
    follow.placed()
    assert (follow.unknown, follow.look().at) == (False, clock.now() + timedelta(minutes=3))
    assert follow.look().asked == 0


def test_a_notification_proves_that_an_unknown_order_arrived(client: Client, clock: FixedClock) -> None:
    follow = client.orders.follow("ORD_1", unknown=True)
    follow.step()
    follow.hint("SUCCESS")
    clock.advance(301)
    step = follow.step()
    assert step.state == "decide"
    assert "contradict each other" in step.why


def test_the_money_of_another_call_is_not_taken_for_this_one(
    client: Client, sandbox: InProcessSandbox, clock: FixedClock
) -> None:
    checkout(client)
    sandbox.pay("ORD_1")
    follow = client.orders.follow("ORD_1", total_amount=Decimal(11), currency="USD")
    clock.advance(180)
    step = follow.step()
    assert step.state == "decide"
    assert "totalAmount" in step.why
    assert (follow.paid, follow.last_state) == (False, None)


class Called:
    """A transport that blocks, where an awaited one is asked for."""

    def __init__(self, inner: InProcessTransport) -> None:
        self.inner = inner

    async def send(self, request: SignedRequest, deadline: float, reach: Callable[[Phase], None]) -> RawAnswer:
        reach(Phase.WAITING)
        return self.inner.send(request, deadline)

    async def aclose(self) -> None:
        self.inner.close()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_awaited_client_follows_alike(sandbox: InProcessSandbox, clock: FixedClock, backend: str) -> None:
    merchant, base_url = merchant_from(Merchant, sandbox.env)

    async def place(client: AsyncClient, again: Permission) -> None:
        await client.orders.checkout(
            out_trade_no=again.key, subject="Two tickets", **CONTENT, user_id="user_1", again=again,
            front_callback_url="https://shop.example/back",
        )  # fmt: skip

    async def main() -> None:
        transport = Called(InProcessTransport(sandbox.engine))
        paths = client_settings_from(Merchant, sandbox.env).paths
        async with AsyncClient(
            base_url=base_url, merchant=merchant, paths=paths, clock=clock, transport=transport
        ) as client:
            follow = client.orders.follow("ORD_1", **CONTENT, unknown=True)
            assert isinstance(follow, AsyncFollow)
            await follow.step()
            clock.advance(301)
            assert (await follow.step()).state == "place_again"
            stored: list[str] = []

            async def store(text: str) -> None:
                stored.append(text)

            await place(client, await follow.permission(store=store))
            assert not follow.unknown
            sandbox.pay("ORD_1")
            follow.hint()
            follow = cast(Any, client.resume(follow.to_json()))
            assert isinstance(follow, AsyncFollow)
            clock.advance(10)
            assert (await follow.step()).state == "settled"
            assert follow.result is not None
            assert (follow.result.status, follow.paid, follow.amount) == ("SUCCESS", True, "10.50")

    anyio.run(main, backend=backend)


def test_a_follow_belongs_to_one_merchant_at_one_address(client: Client, sandbox: InProcessSandbox) -> None:
    stored = client.orders.follow("ORD_1").to_json()
    merchant, _ = merchant_from(Merchant, sandbox.env)
    with (
        Client(base_url="https://gateway.example", merchant=merchant) as elsewhere,
        pytest.raises(InvalidArgument, match="This follow belongs to"),
    ):
        elsewhere.resume(stored)


def test_a_time_without_a_zone_and_an_error_of_another_call_are_refused(
    client: Client, sandbox: InProcessSandbox
) -> None:
    with pytest.raises(InvalidArgument, match="aware"):
        client.orders.follow("ORD_1", expires_at=datetime(2025, 6, 1))
    sandbox.fault("reset", when="after", operation="orders.checkout", times=1)
    with pytest.raises(OutcomeUnknown) as ended:
        checkout(client)
    with pytest.raises(InvalidArgument, match="give the error of the same call"):
        client.orders.follow("ORD_2", after=ended.value)
    with pytest.raises(InvalidArgument, match="makes nothing that is followed as refunds"):
        client.refunds.follow("REF_1", after=ended.value)
