"""Tokens, links and plans over real HTTP with the generated client, its validation of every answer being strict."""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from paywright import (
    Client,
    FixedClock,
    GatewayError,
    HostedPaymentDetail,
    HostedPlan,
    Money,
    NewPlan,
    OutcomeUnknown,
    PeriodRule,
)
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.place import place


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))


@pytest.fixture
def sandbox(folder: Path, clock: FixedClock) -> Iterator[RunningSandbox]:
    with running_sandbox(folder, clock=clock, wall=clock) as running:
        yield running


@pytest.fixture
def client(sandbox: RunningSandbox, clock: FixedClock) -> Iterator[Client]:
    with sandbox.client(strict_answers=True, clock=clock) as made:
        yield made


def checkout(
    client: Client, key: str, detail: HostedPaymentDetail | None = None, plan: HostedPlan | None = None
) -> None:
    order = place(client, key, total_amount=Decimal("9.90"), payment_detail=detail, subscription_plan=plan)
    assert not order.answer.violations


def test_a_token_is_saved_listed_and_paid_with(sandbox: RunningSandbox, client: Client) -> None:
    checkout(client, "ORD_1", HostedPaymentDetail(token_for_future_use=True))
    sandbox.pay("ORD_1")
    (token,) = client.payment_tokens.list(user_id="user_1", payment_method_type="CARD").token_list or []
    (same,) = client.payment_tokens.inquire(user_id="user_1").token_list or []
    assert token.payment_token_id == same.payment_token_id
    assert (token.card_info, token.target_org) == ("444433******1111", "")
    checkout(client, "ORD_2", HostedPaymentDetail(payment_token_id=token.payment_token_id, merchant_initiated=True))
    assert client.orders.query(out_trade_no="ORD_2").status == "SUCCESS"
    assert sandbox.control("POST", f"tokens/{token.payment_token_id}/delete")[0] == 200
    with pytest.raises(GatewayError) as refused:
        checkout(client, "ORD_3", HostedPaymentDetail(payment_token_id=token.payment_token_id))
    assert refused.value.code == "PAYMENT_METHOD_NOT_EXIST"


def test_a_link_is_made_opened_paid_and_queried(sandbox: RunningSandbox, client: Client) -> None:
    body = {"merchantLinkId": "ML1", "amount": "10.50", "currency": "USD", "country": "SG", "description": "Tickets"}
    status, link = sandbox.control("POST", "links", body)
    assert status == 200
    _, order = sandbox.control("POST", f"links/{link['linkId']}/open", {"userName": "A Payer"})
    sandbox.pay(str(order["outTradeNo"]))
    found = client.payment_links.query(merchant_link_id="ML1")
    assert not found.answer.violations
    (transaction,) = found.pay_by_link_info or []
    assert transaction.status is not None
    assert transaction.status.is_paid
    assert transaction.user_info is not None
    assert transaction.user_info.user_name == "A Payer"


def test_a_plan_lives_from_its_creation_to_its_end(sandbox: RunningSandbox, client: Client, clock: FixedClock) -> None:
    def plan() -> str:
        made = client.subscriptions.create(
            subscription_request_id="SREQ_1",
            user_id="user_1",
            callback_url="http://127.0.0.1:9/hook",
            subscription_plan=NewPlan(
                subject="Monthly",
                total_periods=3,
                period_rule=PeriodRule(period_unit="M", period_count=1),
                period_amount=Money(amount=Decimal("9.90"), currency="USD"),
                prices=[],
            ),
        )
        assert not made.answer.violations
        assert made.subscription_plan.subscription_status == "INACTIVE"
        return made.subscription_plan.subscription_no

    number = plan()
    with pytest.raises(OutcomeUnknown):
        plan()
    checkout(client, "ACT_1", plan=HostedPlan(subscription_no=number))
    sandbox.pay("ACT_1")
    sandbox.control("POST", f"subscriptions/{number}/fail-next", {"charges": 4})
    clock.advance(100 * 86400)
    _, found = sandbox.control("GET", f"subscriptions/{number}")
    assert found["subscriptionStatus"] == "FINISH"
    periods = found["periods"]
    assert isinstance(periods, list)
    assert [(period["status"], period["tries"]) for period in periods] == [
        ("SUCCESS", 1),
        ("FAILED", 4),
        ("SUCCESS", 1),
    ]
    refund = client.refunds.create(
        out_refund_no="REF_1",
        refund_amount=Decimal("9.90"),
        refund_currency="USD",
        trade_token=periods[2]["tradeToken"],
    )
    assert refund.status == "REFUND_PENDING"
