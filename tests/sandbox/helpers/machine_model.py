"""What must be: an independent account of two merchants' orders, refunds, plans, money and clock, in plain Python.

It is told what was done and what time it is, and works out what follows; the sandbox's tables must say the same. A copy
of it goes with every snapshot.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from typing import TypeVar

DAY = 86400
VISA, MASTERCARD = "444433******1111", "555555******4444"
TOKEN_LASTS = 20 * DAY
CASE_FEE = Decimal("0.10")
WAITING = ("INACTIVE", "ACTIVE_FAILED")

Key = tuple[int, str]


def fold(key: str) -> str:
    return key.lower()  # the keys here are of ASCII


@dataclass
class Thing:
    """What becomes final at `due` by the clock, or before that by an act."""

    merchant: int
    key: str
    created: datetime
    due: datetime
    status: str
    finished: datetime | None = None


@dataclass
class Order(Thing):
    amount: Decimal = Decimal(0)
    currency: str = "USD"
    user: str = "user_1"
    binds: bool = False
    card: str | None = None
    token: Token | None = None
    plan: Plan | None = None
    bounced: datetime | None = None
    refunded: Decimal = Decimal(0)
    disputed: Decimal = Decimal(0)

    @property
    def rest(self) -> Decimal:
        """What neither refunds have taken nor cases dispute, or have lost."""
        return self.amount - self.refunded - self.disputed if self.status == "SUCCESS" else Decimal(0)

    @property
    def returned(self) -> Decimal:
        return self.amount if self.status == "BOUNCEBACK" else Decimal(0)


@dataclass
class Refund(Thing):
    order: Order | None = None
    amount: Decimal = Decimal(0)


@dataclass
class Plan(Thing):
    number: str = ""
    total: int = 1
    days: int = 1
    amount: Decimal = Decimal(0)
    trial: int = 0
    activated: datetime | None = None
    paid_by: str | None = None

    @property
    def opens(self) -> datetime | None:
        return None if self.activated is None else self.activated + timedelta(days=self.trial)

    def heard(self, outcome: str, order: Order, at: datetime) -> None:
        """An order that carries its number has been finished."""
        if self.status not in WAITING or outcome == "closed":
            return
        if outcome == "failed":
            self.status = "ACTIVE_FAILED"
            return
        self.status, self.activated = "ACTIVE", at
        if not self.trial:
            self.paid_by = order.key
            if self.total == 1:
                self.status, self.finished = "FINISH", at


@dataclass
class Moved(Thing):
    """An exchange or a withdraw order: what went when it was made, and what comes when it succeeds."""

    went: tuple[str, Decimal] = ("USD", Decimal(0))
    comes: tuple[str, Decimal] | None = None


@dataclass
class Token(Thing):
    user: str = "user_1"
    card: str = VISA


@dataclass
class Link(Thing):
    number: str = ""
    amount: Decimal = Decimal(0)
    orders: list[Order] = field(default_factory=list)


@dataclass
class Case:
    merchant: int
    key: str
    order: Order
    amount: Decimal
    status: str = "DISPUTE_INQUIRY"
    result: str | None = None

    @property
    def frozen(self) -> Decimal:
        return self.amount + CASE_FEE


class Model:
    """Of one workspace. Keys are (merchant, the merchant's own number)."""

    def __init__(self, first: dict[tuple[int, str], Decimal]) -> None:
        self.now = datetime.min
        self.orders: dict[Key, Order] = {}
        self.refunds: dict[Key, Refund] = {}
        self.plans: dict[Key, Plan] = {}
        self.exchanges: dict[Key, Moved] = {}
        self.withdrawals: dict[Key, Moved] = {}
        self.transfers: dict[str, tuple[int, Decimal, str]] = {}
        self.bills: dict[Key, list[tuple[Decimal, str]]] = defaultdict(list)
        self.cases: dict[Key, Case] = {}
        self.tokens: list[Token] = []
        self.links: dict[Key, Link] = {}
        self.snap_calls: set[tuple[int, str, str]] = set()
        self.balances = dict(first)
        self.told: Counter[tuple[int, str, str]] = Counter()

    # Time

    def catch_up(self, now: datetime) -> None:
        """What has fallen due has happened, each at its own time."""
        self.now = now
        for plan in self.plans.values():  # a plan is older than the orders that would activate it, and ends first
            if plan.status in WAITING and plan.due <= now:
                self.end_plan(plan, "EXPIRED", plan.due)
        for order in self.orders.values():
            if order.status == "PENDING" and order.due <= now:
                self.finish(order, "closed", order.due)
        for refund in self.refunds.values():
            if refund.status == "REFUND_PENDING" and refund.due <= now:
                self.end_refund(refund, True, refund.due)
        for exchange in self.exchanges.values():
            if exchange.status == "PENDING" and exchange.due <= now:
                self.settle(exchange, exchange.due)
        for withdrawal in self.withdrawals.values():
            if withdrawal.status == "PROCESSING" and withdrawal.due <= now:
                self.end_withdrawal(withdrawal, True, withdrawal.due)
        for token in self.tokens:
            if token.status == "Activated" and token.due <= now:
                token.status = "Expired"
        for link in self.links.values():
            if link.status == "ACTIVE" and link.due <= now:
                link.status = "EXPIRED"

    def after(self, seconds: int) -> datetime:
        return self.now + timedelta(seconds=seconds)

    # Orders

    def place(self, order: Order) -> Order:
        assert self.orders.setdefault((order.merchant, fold(order.key)), order) is order
        return order

    def finish(self, order: Order, outcome: str, at: datetime, card: str | None = None) -> None:
        """`paid`, `failed` or `closed`, and what follows from it elsewhere."""
        order.status, order.finished = "SUCCESS" if outcome == "paid" else "FAILED", at
        self.told[order.merchant, "PAYMENT", order.key] += 1
        if outcome == "paid" and order.binds:
            self._save(order, card or order.card or VISA, at)
        if order.plan is not None:
            waited = order.plan.status in WAITING
            order.plan.heard(outcome, order, at)
            if waited and order.plan.status not in WAITING:
                self._close_others(order.plan, at)

    def bounce(self, order: Order, at: datetime) -> None:
        """What was paid goes back; nothing else follows."""
        order.status, order.bounced = "BOUNCEBACK", at

    def end_plan(self, plan: Plan, status: str, at: datetime) -> None:
        waited = plan.status in WAITING
        plan.status, plan.finished = status, at
        if waited:
            self._close_others(plan, at)

    def _close_others(self, plan: Plan, at: datetime) -> None:
        """Nobody can pay any longer for what waits no longer."""
        for other in self.orders.values():
            if other.plan is plan and other.status == "PENDING":
                self.finish(other, "closed", at)

    def _save(self, order: Order, card: str, at: datetime) -> None:
        expires = at + timedelta(seconds=TOKEN_LASTS)
        for token in self.tokens:
            if (token.merchant, token.user, token.card, token.status) == (
                order.merchant,
                order.user,
                card,
                "Activated",
            ):
                token.due = expires
                return
        self.tokens.append(Token(order.merchant, "", at, expires, "Activated", user=order.user, card=card))

    def refund(self, merchant: int, key: str, order: Order, amount: Decimal) -> None:
        order.refunded += amount
        made = Refund(merchant, key, self.now, self.after(2), "REFUND_PENDING", order=order, amount=amount)
        assert self.refunds.setdefault((merchant, key), made) is made

    def end_refund(self, refund: Refund, succeeds: bool, at: datetime) -> None:
        refund.status, refund.finished = "REFUND_SUCCESS" if succeeds else "REFUND_FAILED", at
        if not succeeds and refund.order is not None:
            refund.order.refunded -= refund.amount
        self.told[refund.merchant, "REFUND", refund.key] += 1

    # Money

    def exchange(self, merchant: int, key: str, went: tuple[str, Decimal], comes: tuple[str, Decimal]) -> None:
        self.balances[merchant, went[0]] -= went[1]
        self.exchanges[merchant, key] = Moved(
            merchant, key, self.now, self.after(2), "PENDING", went=went, comes=comes
        )  # fmt: skip

    def settle(self, exchange: Moved, at: datetime) -> None:
        exchange.status, exchange.finished = "SUCCESS", at
        assert exchange.comes is not None
        self.balances[exchange.merchant, exchange.comes[0]] += exchange.comes[1]

    def give_back(self, moved: Moved, at: datetime) -> None:
        moved.status, moved.finished = "FAILED", at
        self.balances[moved.merchant, moved.went[0]] += moved.went[1]

    def withdraw(self, merchant: int, key: str, currency: str, total: Decimal) -> None:
        self.balances[merchant, currency] -= total
        self.withdrawals[merchant, key] = Moved(
            merchant, key, self.now, self.after(2), "PROCESSING", went=(currency, total)
        )  # fmt: skip

    def end_withdrawal(self, withdrawal: Moved, succeeds: bool, at: datetime) -> None:
        if succeeds:
            withdrawal.status, withdrawal.finished = "SUCCESS", at
        else:
            self.give_back(withdrawal, at)
        self.told[withdrawal.merchant, "WITHDRAW", withdrawal.key] += 1


def converted(amount: Decimal, rate: Decimal, currency: str, side: str) -> Decimal:
    """What an amount costs (BUY) or brings (SELL) in another currency, rounded against the client."""
    least = Decimal(1) if currency == "JPY" else Decimal("0.01")
    return (amount * rate).quantize(least, ROUND_UP if side == "BUY" else ROUND_DOWN)


T = TypeVar("T", Order, Refund, Moved, Case)


def meant(things: Mapping[Key, T], key: str, whose: int | None) -> tuple[T | None, int]:
    """The thing that a number means, where several merchants may have one of it; or the status that says why not."""
    named = [thing for (_, number), thing in things.items() if fold(number) == fold(key)]
    of = [thing for thing in named if whose in (None, thing.merchant)]
    if len(of) == 1:
        return of[0], 200
    return None, 409 if of else 404
