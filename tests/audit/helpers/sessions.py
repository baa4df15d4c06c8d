"""Random sessions of a well-behaved merchant with a sandbox in this process, as capture records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    Order,
    OutcomeUnknown,
    PeriodRule,
    Permission,
    RatePair,
    Resolver,
)
from paywright_runtime.clock import FixedClock
from paywright_sandbox.testing.inprocess import InProcessSandbox, in_process_sandbox

__all__ = ["Shopping", "random_session"]


def random_session(keys: Path, steps: int, seed: int = 1, *, faults: bool = False) -> bytes:
    """The log of a session of so many steps, each a call or two; about as many records. With `faults` answers are lost, and the
    merchant settles what became of its writes by the book."""
    clock = FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))
    with in_process_sandbox(keys, clock=clock, seed=str(seed)) as sandbox, sandbox.client() as client:
        merchant = Shopping(sandbox, client, Random(seed), faults)
        for _ in range(steps):
            merchant.step()
        return sandbox.log()


_DROPPED_IN = Decimal("33.10")


def _amount(told: Random) -> Decimal:
    return Decimal(told.randrange(1000, 90000)).scaleb(-2)


class Shopping:
    """Does one thing after another, none of which the contract forbids. `strikes` are the faults that it may meet."""

    strikes: Sequence[str] = ("reset", "cut", "html", "bad-signature")

    def __init__(
        self, sandbox: InProcessSandbox, client: Client, random: Random, faults: bool, prefix: str = ""
    ) -> None:
        self.faults = faults
        self.prefix = prefix
        self.sandbox = sandbox
        self.client = client
        self.random = random
        self.number = 0
        self.orders: list[str] = []
        self.paid: list[tuple[str, Decimal]] = []
        self.refunds: list[str] = []
        self.exchanges: list[str] = []
        self.place, self.part = 0, Decimal(0)
        self.stored: list[str] = []

    def step(self) -> None:
        actions = [self.order, self.drop_in, self.pay, self.query, self.refund, self.ask_refund, self.exchange]
        actions += [self.ask_exchange, self.look, self.plan, self.bank, self.wait]
        weights = [14, 6, 14, 20, 8, 8, 4, 4, 4, 2, 4, 10]
        if self.faults:
            actions.append(self.strike)
            weights.append(10)
        (action,) = self.random.choices(actions, weights)
        try:
            action()
        except GatewayError:
            pass
        except OutcomeUnknown as unknown:
            self._unknown(unknown)

    def key(self, what: str) -> str:
        self.number += 1
        return f"{self.prefix}{what}_{self.number}"

    def order(self) -> None:
        self._order(self.key("ORD"))

    def _order(self, key: str, again: Permission | None = None) -> None:
        told = Random(key)  # the same of one key
        self.client.orders.checkout(
            out_trade_no=key, subject="Two tickets", total_amount=_amount(told), currency="USD",
            user_id=f"user_{told.randrange(50)}", front_callback_url="https://shop.example/back",
            payment_detail=told.choice([None, HostedPaymentDetail(token_for_future_use=True)]),
            again=again,
        )  # fmt: skip
        self.orders.append(key)

    def strike(self) -> None:
        """Has the answer of one of the next writes lost, before or after it is done."""
        kind = self.random.choice(self.strikes)
        operation = self.random.choice(["orders.checkout", "orders.checkout", "orders.drop_in", "refunds.create"])
        self.sandbox.fault(kind, when=self.random.choice(["before", "after"]), operation=operation, times=1)

    def _unknown(self, unknown: OutcomeUnknown) -> None:
        key = str(unknown.key)
        if "REF" in key:
            # Its amount is not given out again before it is known what became of it; here it never is.
            paid, rest = self.paid[self.place]
            self.paid[self.place] = paid, rest - self.part
            for _ in range(3):
                self.sandbox.advance(400)
                with suppress(GatewayError):
                    self.client.refunds.query(out_refund_no=key)
        elif "ORD" in key:
            self._settle(
                self.client.orders.resolve(out_trade_no=key, total_amount=_amount(Random(key)), currency="USD"),
                self._order,
            )
        elif "DRP" in key:
            self._settle(
                self.client.orders.resolve(out_trade_no=key, total_amount=_DROPPED_IN, currency="USD"), self._drop_in
            )

    def _settle(self, resolver: Resolver[Order], place: Callable[[str, Permission], None]) -> None:
        for _ in range(20):
            step = resolver.step()
            if step.state == "settled":
                self.orders.append(resolver.key)
                return
            if step.state == "place_again":
                with suppress(OutcomeUnknown):
                    place(resolver.key, resolver.permission(store=self.stored.append))
                    return
                continue
            self.sandbox.advance(400)

    def drop_in(self) -> None:
        self._drop_in(self.key("DRP"))

    def _drop_in(self, key: str, again: Permission | None = None) -> None:
        self.client.orders.drop_in(
            out_trade_no=key, subject="A ticket", total_amount=_DROPPED_IN, currency="USD", country="SG",
            user_id="user_7001", terminal_type="WEB", front_callback_url="https://shop.example/back",
            payment_detail=DropInPaymentDetail(session_key="s_1", buyer_info=BuyerInfo(client_ip="192.0.2.7", user_agent="Browser")),
            again=again,
        )  # fmt: skip
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
            self.place, self.part = place, part
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
            ccy_pair="EURUSD", out_trade_no=key, side="SELL", transaction_amount=Decimal("1.00"), transaction_ccy="EUR",
            target_ccy="USD",
        )  # fmt: skip
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
            subscription_request_id=self.key("SUB"), user_id="user_7001", callback_url="https://shop.example/periods",
            subscription_plan=NewPlan(
                subject="A ticket every month", total_periods=3, period_rule=PeriodRule(period_unit="M", period_count=1),
                period_amount=Money(amount=Decimal("9.90"), currency="USD"), prices=[],
            ),
        )  # fmt: skip

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
