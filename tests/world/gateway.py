"""The gateway of a world: the sandbox's engine, all that was ever true there, and how it contradicts itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from paywright import FixedClock
from paywright_runtime import strict_json
from paywright_runtime.signing.keys import load_private_key, load_public_key
from paywright_runtime.signing.rsa import RsaSigner, RsaVerifier
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure
from paywright_sandbox.delivery.outbox import Notification
from paywright_sandbox.engine.merchant import RegisteredMerchant
from paywright_sandbox.resources.bills import judged_bill
from paywright_sandbox.resources.exchanges import CurrencyExchange
from paywright_sandbox.resources.links import Link
from paywright_sandbox.resources.orders.order_moves import finished
from paywright_sandbox.resources.payments.payment_order import PaymentOrder
from paywright_sandbox.resources.refunds import OrderRefund
from paywright_sandbox.resources.subscriptions.periods import Period
from paywright_sandbox.resources.subscriptions.plan_terms import BillingPlan
from paywright_sandbox.testing.inprocess import InProcessSandbox, InProcessTransport, in_process_sandbox
from tests.outcomes.messages import Request, code_of, operation_at
from tests.support.keys import key_pair
from tests.world.network import FOR_EVER

if TYPE_CHECKING:
    from paywright_sandbox.delivery.http_client import Answered
    from tests.world.scheduler import Program
    from tests.world.world import World

__all__ = ["Fact", "Gateway", "Keys"]

_POLICIES: Final = {
    "refund-settles-after": 120, "refund-fails-at": ["1.01"], "bounce-notice": "payment", "link-payments": "one", "settles-after": 30,
}  # fmt: skip
_PRIVATE: Final = load_private_key(key_pair(0).private_pem)
_NEW: Final = RsaSigner(_PRIVATE)


class Keys:
    """The keys of a folder, read once, and the one that the gateway changes to."""

    def __init__(self, folder: Path) -> None:
        self.merchant = RsaSigner(load_private_key(folder / "keys" / "merchant.key"))
        self.public = {side: load_public_key(folder / "keys" / f"{side}.pub") for side in ("merchant", "gateway")}
        self.of_gateway = [self.public["gateway"], _PRIVATE.public_key()]
        self._verifiers = {known: RsaVerifier(self.of_gateway[: 1 + known]) for known in (False, True)}

    def verifier(self, knows_new: bool) -> RsaVerifier:
        return self._verifiers[knows_new]


keys_of = cache(Keys)


class Fact(NamedTuple):
    """A last state that something had at the gateway. `ours` says that a shop asked for it, and so must hear of it."""

    state: str
    amount: Decimal
    paid: bool
    ours: bool = True


Name = tuple[str, str, str]
"""App id, kind and number."""


class Gateway:
    """The gateway. `truth` is what was ever true, in order; `changed` says that something may have changed.

    `placed_by` is, by app id and number, the program whose call made what has it.
    """

    def __init__(self, world: World, folder: Path, clock: FixedClock) -> None:
        self.world, self.keys = world, keys_of(folder)
        self.changed = False
        self.away = self.rotated = False
        self.bills: list[tuple[str, str, Decimal, str]] = []
        self.placed_by: dict[tuple[str, str], Program | None] = {}
        self._folder, self._clock = folder, clock
        self._truth: dict[Name, list[Fact]] = {}
        self._said: dict[tuple[str, str, str], list[RawAnswer]] = {}

    @contextmanager
    def open(self, shops: int) -> Iterator[InProcessSandbox]:
        """Open the sandbox with so many merchants, who have the same keys."""
        with in_process_sandbox(self._folder, policies=_POLICIES, clock=self._clock, seed="world") as sandbox:
            (first,) = sandbox.engine.merchants.registered
            addresses = dict.fromkeys(("notify-url", "refund-notify-url"), "http://127.0.0.1:9/")
            sandbox.engine.settings.merchants = tuple(
                RegisteredMerchant(
                    {name: f"{value[:-1]}{number}" for name, value in first.numbers.items()}, first.public, addresses
                )
                for number in range(1, shops + 1)
            )
            self.sandbox = sandbox
            self._transport = InProcessTransport(sandbox.engine)
            yield sandbox

    # What it says

    def answer(self, app_id: str, request: SignedRequest, *, steady: bool = False) -> RawAnswer:
        """Answer a request, as whoever carries it sees it. Unless it is `steady`, it may refuse what it would do otherwise.

        It may contradict what it said before.
        """
        world = self.world
        world.counts["exchanges"] += 1
        if self.away:
            raise TransportFailure(Phase.CONNECTING, "connection_failed")
        asked = Request(*request[:3])
        if not steady and world.chance("the gateway throttles", world.limits.throttled):
            world.counts["harms"] += 1
            world.tell(f"the gateway throttles what is about {asked.key}")
            return self._signed({"code": "TOO_MANY_REQUEST", "msg": "Too many requests."})
        self.changed = True
        raw = self._transport.send(request, FOR_EVER)
        operation = operation_at(asked.path)
        if operation.write:
            if operation.succeeds is not None and code_of(raw.body) == operation.succeeds[1]:
                self.placed_by.setdefault((app_id, asked.key), world.scheduler.current())
            return raw
        said = self._said.setdefault((app_id, asked.path, asked.key), [])
        older = next((one for one in said if one.body != raw.body), None)
        said.append(raw)
        if older is not None and world.chance("a stale replica answers", world.limits.stale):
            world.counts["stale"] += 1
            world.tell(f"a stale replica answers about {asked.key}")
            return RawAnswer(200, _fresh(older, raw), older.body)
        if world.chance("it spells the number otherwise", world.limits.spelled):
            return self._signed(spelled_otherwise(json.loads(raw.body, parse_float=Decimal)))
        return raw

    def _signed(self, body: dict[str, Any]) -> RawAnswer:
        raw = strict_json.write(body)
        return RawAnswer(200, [("date", self.sandbox.engine.date()), ("sign", self.signer.sign(raw))], raw)

    @property
    def signer(self) -> RsaSigner:
        return self.sandbox.engine.settings.signer

    def rotate(self) -> None:
        """Sign with the other key from now on."""
        self.rotated = True
        self.sandbox.engine.settings.signer = _NEW

    def outbox(self, after: int) -> list[Notification]:
        """Return the notifications that came into the outbox after one."""
        with self.sandbox.engine.transaction() as context:
            return list(context.state.select(Notification, "WHERE id > ? ORDER BY id", after))

    def next_due(self) -> float | None:
        """Return when its next timer is due, in seconds from the beginning."""
        with self.sandbox.engine.transaction() as context:
            at = context.state.next_due()
        return None if at is None else self.world.seconds(at)

    # What happens there

    def act(self, method: str, path: str, **body: object) -> dict[str, object]:
        """Act as a payer, a bank or the gateway's own people; {} if that cannot be."""
        self.changed = True
        if not self.away:
            with suppress(LookupError):
                return self.sandbox.done(method, path, body)
        return {}

    def pay_after_all(self, app_id: str, number: str) -> None:
        """Pay an order that the gateway has reported as failed: the payer's bank was late."""
        self.truth()
        with self.sandbox.engine.transaction() as context:
            order = context.state.find(PaymentOrder, "WHERE merchant = ? AND out_trade_no = ?", app_id, number)
            if order is not None and order.status == "FAILED":
                paid = context.state.change(order, status="SUCCESS", outcome="paid", finished_at=context.now)
                finished(context, paid, "paid")
                self.world.counts["paid after all"] += 1
                self.world.tell(f"{number}, which had failed, is paid after all")
        self.changed = True

    def asks_about(self, reference: str, amount: Decimal) -> tuple[bytes, dict[str, str]]:
        """Return the question whether a bill may be paid, and its headers."""
        raw = strict_json.write({"referenceNo": reference, "amount": amount, "currency": "PHP"})
        return raw, {"sign": self.signer.sign(raw)}

    def hears(self, app_id: str, reference: str, amount: Decimal, answer: Answered) -> None:
        """Pay a bill if the merchant has said yes."""
        status = judged_bill(answer, reference=reference, amount=amount, currency="PHP").status
        self.bills.append((app_id, reference, amount, status))
        self.world.tell(f"the bill {reference} is {status}")

    # What is true there

    def rows(self, kind: type[Any], table: str) -> list[Any]:
        """Return all rows of a kind."""
        with self.sandbox.engine.transaction() as context:
            return list(context.state.select(kind, f"ORDER BY {table}.id"))

    def has(self, app_id: str, number: str) -> bool:
        """Return whether it has an order, a refund or a plan of this number."""
        keys = ((one.merchant, one.out_trade_no) for one in self.rows(PaymentOrder, "orders"))
        refunds = ((one.merchant, one.out_refund_no) for one in self.rows(OrderRefund, "refunds"))
        plans = ((one.merchant, one.request_id) for one in self.rows(BillingPlan, "plans"))
        exchanges = ((one.merchant, one.out_trade_no) for one in self.rows(CurrencyExchange, "exchanges"))
        links = ((one.merchant, one.merchant_link_id) for one in self.rows(Link, "links"))
        return any((app_id, number) in some for some in (keys, refunds, plans, exchanges, links))

    def had_failed(self, app_id: str, number: str) -> bool:
        """Return whether an order was FAILED at some time."""
        return any(fact.state == "FAILED" for fact in self._truth.get((app_id, "orders", number), ()))

    def state(self) -> object:
        """Return all that it has."""
        kinds: dict[type[Any], str] = {PaymentOrder: "orders", OrderRefund: "refunds", Notification: "notifications"}
        return [repr(row) for kind, table in kinds.items() for row in self.rows(kind, table)]

    def truth(self) -> dict[Name, list[Fact]]:
        """Return each last state that anything had, the oldest first."""
        links: dict[int, bool] = {}
        for order in self.rows(PaymentOrder, "orders"):
            if order.link is not None:
                links[order.link] = links.get(order.link, False) or order.outcome == "paid"
            if order.finished_at is not None and order.period is None:
                name = order.merchant, "orders", order.out_trade_no
                ours, amount = order.link is None, Decimal(order.amount)
                if order.bounced_at is not None:
                    self._learn(name, Fact("SUCCESS", amount, True, ours))
                self._learn(name, Fact(order.status, amount, order.status == "SUCCESS", ours))
        for refund in self.rows(OrderRefund, "refunds"):
            if refund.finished_at is not None:
                paid = refund.status == "REFUND_SUCCESS"
                self._learn(
                    (refund.merchant, "refunds", refund.out_refund_no),
                    Fact(refund.status, Decimal(refund.amount), paid),
                )
        for exchange in self.rows(CurrencyExchange, "exchanges"):
            if exchange.finished_at is not None:
                name = exchange.merchant, "exchanges", exchange.out_trade_no
                self._learn(
                    name, Fact(exchange.status, Decimal(exchange.transaction_amount), exchange.status == "SUCCESS")
                )
        for link in self.rows(Link, "links"):
            if link.status == "EXPIRED":
                name = link.merchant, "payment_links", link.merchant_link_id
                self._learn(name, Fact("EXPIRED", Decimal(link.amount), links.get(link.id, False)))
        plans = {plan.id: plan for plan in self.rows(BillingPlan, "plans")}
        for period in self.rows(Period, "periods") if plans else []:
            if period.status in ("SUCCESS", "FAILED"):
                plan = plans[period.plan]
                name = plan.merchant, "periods", f"{plan.subscription_no}/{period.number}"
                self._learn(name, Fact(period.status, Decimal(period.amount), period.status == "SUCCESS"))
        return self._truth

    def _learn(self, name: Name, fact: Fact) -> None:
        known = self._truth.setdefault(name, [])
        if fact not in known:
            known.append(fact)


def spelled_otherwise(body: dict[str, Any]) -> dict[str, Any]:
    """Return a message with the number of its order in small letters: the gateway compares them so [4.1]."""
    data = body.get("data")
    if isinstance(data, dict) and isinstance(data.get("outTradeNo"), str) and "outRefundNo" not in data:
        return {**body, "data": {**data, "outTradeNo": data["outTradeNo"].lower()}}
    return body


def with_another_amount(body: dict[str, Any]) -> dict[str, Any]:
    """Return a notification with one more of the currency."""
    data = dict(body["data"])
    for name in ("totalAmount", "refundAmount"):
        if name in data:
            data[name] = Decimal(str(data[name])) + 1
    return {**body, "data": data}


def resigned(gateway: Gateway, raw: bytes, change: Callable[[dict[str, Any]], dict[str, Any]]) -> tuple[bytes, str]:
    """Return a message of the gateway with a change, and its signature."""
    changed = strict_json.write(change(json.loads(raw, parse_float=Decimal)))
    return changed, gateway.signer.sign(changed)


def _fresh(older: RawAnswer, newer: RawAnswer) -> list[tuple[str, str]]:
    """Return the headers of an old answer that is sent now."""
    now = {name: value for name, value in newer.headers if name.lower() == "date"}
    return [(name, now.get(name, value)) for name, value in older.headers]
