"""A subscription from its creation to its end: a trial, three periods of which one fails, by the clock."""

from __future__ import annotations

from decimal import Decimal

from demo_parts.gateway import DAY, Gateway
from demo_parts.shop import Shop
from demo_parts.words import expect, step, title
from paywright import Client, HostedPlan, Money, NewPlan, PeriodRule, TrialDays

__all__ = ["subscription"]

_PRICE = Decimal("9.90")
_TRIES = 4


def subscription(client: Client, gateway: Gateway, shop: Shop) -> None:
    """Follow a subscription from its trial to its end."""
    title("A subscription, from its trial to its end")
    number = _create(client, shop)
    _activate(client, gateway, number)
    gateway.advance(7 * DAY - 60)
    expect(shop.of("SUBSCRIPTION_PAYMENT") == [], "a trial is not charged")
    gateway.advance(120)
    _told(shop, (1, "SUCCESS"))
    step("the trial of 7 days is over: period 1 was charged, and the shop told of it")
    gateway.post(f"subscriptions/{number}/fail-next", charges=_TRIES)
    gateway.advance(32 * DAY)
    _told(shop, (1, "SUCCESS"), (2, "FAILED"))
    tries = gateway.get(f"subscriptions/{number}")["periods"][1]["tries"]
    expect(tries == _TRIES, "a failed charge is tried again")
    step(f"a month later: period 2 failed, after {tries} tries, and the shop was told once")
    gateway.advance(31 * DAY)
    _told(shop, (1, "SUCCESS"), (2, "FAILED"), (3, "SUCCESS"))
    plan = gateway.get(f"subscriptions/{number}")
    expect(plan["subscriptionStatus"] == "FINISH", "a plan without periods left has finished")
    step(f"another month later: period 3 was charged; the plan is {plan['subscriptionStatus']}")
    _give_back(client, gateway, shop)


def _create(client: Client, shop: Shop) -> str:
    made = client.subscriptions.create(
        subscription_request_id="DEMO_SUB_1",
        user_id="user_7001",
        callback_url=f"{shop.address}/periods",
        subscription_plan=NewPlan(
            subject="A ticket every month",
            total_periods=3,
            period_rule=PeriodRule(period_unit="M", period_count=1),
            period_amount=Money(amount=_PRICE, currency="USD"),
            trial_config=TrialDays(trial_amount=Money(amount=Decimal("0.99"), currency="USD"), trial_days=Decimal(7)),
            prices=[],
        ),
    )
    plan = made.subscription_plan
    expect(plan.subscription_status == "INACTIVE", "a new plan is not active")
    step(f"subscriptions.create: {made.answer.code}; {plan.subscription_no} is {plan.subscription_status}")
    return plan.subscription_no


def _activate(client: Client, gateway: Gateway, number: str) -> None:
    client.orders.checkout(
        out_trade_no="DEMO_ACT_1",
        subject="A ticket every month",
        total_amount=Decimal("0.99"),
        currency="USD",
        user_id="user_7001",
        front_callback_url="https://shop.example/back",
        subscription_plan=HostedPlan(subscription_no=number),
    )
    gateway.post("orders/DEMO_ACT_1/pay", card="5555555555554444")
    status = gateway.get(f"subscriptions/{number}")["subscriptionStatus"]
    expect(status == "ACTIVE", "a paid order with its number activates a plan")
    step(f"its payer paid DEMO_ACT_1, 0.99 USD for the trial: the plan is {status}")


def _told(shop: Shop, *expected: tuple[int, str]) -> None:
    details = [data["subscriptionPaymentDetail"] for data in shop.of("SUBSCRIPTION_PAYMENT")]
    told = [(detail["subscriptionIndex"], detail["paymentStatus"]) for detail in details]
    expect(told == list(expected), f"the shop is told {list(expected)}, not {told}")


def _give_back(client: Client, gateway: Gateway, shop: Shop) -> None:
    last = shop.of("SUBSCRIPTION_PAYMENT")[-1]["subscriptionPaymentDetail"]["lastPaymentInfo"]
    client.refunds.create(
        out_refund_no="DEMO_REF_2", trade_token=last["tradeToken"], refund_amount=_PRICE, refund_currency="USD"
    )
    gateway.advance(3)
    found = client.refunds.query(out_refund_no="DEMO_REF_2")
    expect(found.status == "REFUND_SUCCESS", "a period can be refunded by the token that its notification brought")
    step(f"its last period was given back by the token of its notification: {found.status}")
