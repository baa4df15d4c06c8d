"""Random sessions of a well-behaved merchant with a sandbox in this process, as capture records."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random

from paywright import (
    BuyerInfo,
    Client,
    DropInPaymentDetail,
    GatewayError,
    HostedPaymentDetail,
    Money,
    NewPlan,
    PeriodRule,
    RatePair,
)
from paywright_runtime.clock import FixedClock
from paywright_tools.sandbox.inprocess import InProcessSandbox, in_process_sandbox

__all__ = ["random_session"]


def random_session(keys: Path, steps: int, seed: int = 1) -> bytes:
    """The log of a session of so many steps, each a call or two; about as many records."""
    clock = FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))
    with in_process_sandbox(keys, clock=clock, seed=str(seed)) as sandbox, sandbox.client() as client:
        merchant = _Merchant(sandbox, client, Random(seed))
        for _ in range(steps):
            merchant.step()
        return sandbox.log()


class _Merchant:
    """Does one thing after another, none of which the contract forbids."""

    def __init__(self, sandbox: InProcessSandbox, client: Client, random: Random) -> None:
        self.sandbox = sandbox
        self.client = client
        self.random = random
        self.number = 0
        self.orders: list[str] = []
        self.paid: list[tuple[str, Decimal]] = []
        self.refunds: list[str] = []
        self.exchanges: list[str] = []

    def step(self) -> None:
        actions = [self.order, self.drop_in, self.pay, self.query, self.refund, self.ask_refund, self.exchange]
        actions += [self.ask_exchange, self.look, self.plan, self.bank, self.wait]
        weights = [14, 6, 14, 20, 8, 8, 4, 4, 4, 2, 4, 10]
        (action,) = self.random.choices(actions, weights)
        with suppress(GatewayError):
            action()

    def key(self, what: str) -> str:
        self.number += 1
        return f"{what}_{self.number}"

    def order(self) -> None:
        key = self.key("ORD")
        self.client.orders.checkout(
            out_trade_no=key,
            subject="Two tickets",
            total_amount=Decimal(self.random.randrange(1000, 90000)).scaleb(-2),
            currency="USD",
            user_id=f"user_{self.random.randrange(50)}",
            front_callback_url="https://shop.example/back",
            payment_detail=self.random.choice([None, HostedPaymentDetail(token_for_future_use=True)]),
        )
        self.orders.append(key)

    def drop_in(self) -> None:
        key = self.key("DRP")
        self.client.orders.drop_in(
            out_trade_no=key,
            subject="A ticket",
            total_amount=Decimal("33.10"),
            currency="USD",
            country="SG",
            user_id="user_7001",
            terminal_type="WEB",
            front_callback_url="https://shop.example/back",
            payment_detail=DropInPaymentDetail(
                session_key="s_1", buyer_info=BuyerInfo(client_ip="192.0.2.7", user_agent="Browser")
            ),
        )
        self.orders.append(key)

    def pay(self) -> None:
        if self.orders:
            key = self.orders.pop(self.random.randrange(len(self.orders)))
            with suppress(LookupError):  # it may be paid already
                self.sandbox.pay(key)
            found = self.client.orders.query(out_trade_no=key)
            if found.status == "SUCCESS":
                self.paid.append((key, Decimal(found.trade.amount)))

    def query(self) -> None:
        keys = self.orders + [key for key, _ in self.paid] + ["NONE_1"]
        self.client.orders.query(out_trade_no=self.random.choice(keys))

    def refund(self) -> None:
        if not self.paid:
            return
        place = self.random.randrange(len(self.paid))
        key, rest = self.paid[place]
        part = min(rest, Decimal(self.random.randrange(100, 3000)).scaleb(-2))
        if part > 0:
            number = self.key("REF")
            self.client.refunds.create(
                out_refund_no=number, refund_amount=part, refund_currency="USD", out_trade_no=key
            )
            self.refunds.append(number)
            self.paid[place] = key, rest - part

    def ask_refund(self) -> None:
        if self.refunds:
            self.client.refunds.query(out_refund_no=self.random.choice(self.refunds))

    def exchange(self) -> None:
        key = self.key("EXC")
        self.client.exchanges.create(
            ccy_pair="EURUSD",
            out_trade_no=key,
            side="SELL",
            transaction_amount=Decimal("1.00"),
            transaction_ccy="EUR",
            target_ccy="USD",
        )
        self.exchanges.append(key)

    def ask_exchange(self) -> None:
        if self.exchanges:
            self.client.exchanges.query(out_trade_no=self.random.choice(self.exchanges))

    def look(self) -> None:
        pair = RatePair(side="SELL", transaction_currency="EUR", target_currency="USD")
        self.client.rates.query(ccy_pair_list=[pair], product="PAY_OUT")
        self.client.payment_tokens.list(user_id=f"user_{self.random.randrange(50)}", payment_method_type="CARD")
        self.client.payment_tokens.inquire(user_id="user_7001")
        self.client.accounts.list_authorized(product_type_list=["payin"])

    def plan(self) -> None:
        self.client.subscriptions.create(
            subscription_request_id=self.key("SUB"),
            user_id="user_7001",
            callback_url="https://shop.example/periods",
            subscription_plan=NewPlan(
                subject="A ticket every month",
                total_periods=3,
                period_rule=PeriodRule(period_unit="M", period_count=1),
                period_amount=Money(amount=Decimal("9.90"), currency="USD"),
                prices=[],
            ),
        )

    def bank(self) -> None:
        if self.orders:
            key = self.random.choice(self.orders)
            self.client.snap.status(original_partner_reference_no=key, service_code="54")
            if self.random.random() < 0.2:
                self.orders.remove(key)
                self.client.snap.cancel(original_partner_reference_no=key)
                self.client.snap.status(original_partner_reference_no=key, service_code="54")

    def wait(self) -> None:
        self.sandbox.advance(timedelta(seconds=self.random.choice([1, 20, 400, 4000])))
