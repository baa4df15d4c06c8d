"""A shop that follows its orders: a gateway on loopback that shows what a test says, a client, a receiver and a follower."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from copy import deepcopy
from datetime import datetime
from decimal import Decimal
from typing import Any

import anyio

from paywright import Client, Event, FixedClock, Follow, ItemResult, Merchant, contract
from paywright.aio import Client as AwaitedClient
from paywright_receiver import AsyncFollower, Follower, FollowRun
from paywright_receiver.items.open_items import Item
from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import APP, Desk, key
from tests.runtime.helpers.canned_gateway import Gateway, Reply, Seen

KEYS = {
    "orders": "outTradeNo", "refunds": "outRefundNo", "exchanges": "outTradeNo", "withdrawals": "outTradeNo",
    "payment_links": "merchantLinkId",
}  # fmt: skip
QUERIES = {contract.operation(f"{kind}.query").path: kind for kind in KEYS}


def placed(number: str) -> Reply:
    """What the gateway answers to an order that it takes."""
    body: dict[str, Any] = deepcopy(contract.example("orders.checkout.response"))
    body["data"] |= {"outTradeNo": number, "status": "PENDING"}
    return Reply(body)


class States:
    """What the gateway shows: by key its state and amount; `None` for a key that it does not know."""

    def __init__(self, gateway: Gateway, clock: FixedClock) -> None:
        gateway.reply = self._reply
        gateway.clock = clock
        self.shown: dict[str, tuple[str, str | None] | None] = {}
        self.parts: dict[str, list[str]] = {}
        """The states of what payers have paid of a link, by its key."""
        self.asked: Counter[str] = Counter()
        self.refusing: dict[str, str] = {}
        """A code by key, or by `*` for all: what is answered instead."""
        self.unsigned: set[str] = set()
        """Keys whose answers have no signature."""
        self.before_answer: Callable[[str], object] = lambda key: None
        self.placed: list[str] = []
        self.placing: Callable[[str], Reply] = placed
        """What a call that places an order is answered."""

    def _reply(self, seen: Seen) -> Reply:
        if seen.path == contract.operation("orders.checkout").path:
            number = str(seen.json["data"]["outTradeNo"])  # type: ignore[index]  # it has data
            self.placed.append(number)
            return self.placing(number)
        kind = QUERIES[seen.path]
        key = str(seen.json["data"][KEYS[kind]])  # type: ignore[index]  # every query has data
        self.asked[key] += 1
        self.before_answer(key)
        refused = self.refusing.get(key) or self.refusing.get("*")
        if refused is not None:
            return Reply({"code": refused, "msg": "no"})
        if key in self.unsigned:
            return Reply({"code": "ORDER_NOT_EXIST", "msg": ""}, signed=False)
        one = self.shown.get(key)
        if one is None:
            return Reply({"code": "ORDER_NOT_EXIST", "msg": "no such key"})
        body: dict[str, Any] = deepcopy(contract.example(f"{kind}.query.response"))
        state, amount = one
        body["data"] |= {KEYS[kind]: key, "linkStatus" if kind == "payment_links" else "status": state}
        if key in self.parts:
            body["data"]["payByLinkInfo"] = [{"status": part} for part in self.parts[key]]
        if amount is None:  # which an answer may leave out
            for name in ("trade", "refundAmount", "refundCurrency"):
                body["data"].pop(name, None)
        elif kind == "orders":
            body["data"]["trade"] = {"amount": amount, "currency": "USD"}
        elif kind == "refunds":
            body["data"] |= {"refundAmount": float(amount), "refundCurrency": "USD"}
        elif kind == "payment_links":
            body["data"] |= {"totalAmount": amount}
        return Reply(body)


class Shop(Desk):
    """A desk whose ledger has a book, beside a table of effects, and a gateway that is asked."""

    def __init__(self, ledger: Any, gateway: Gateway, *, handled: bool = True, **settings: Any) -> None:
        super().__init__(ledger, **settings)
        self.gateway = gateway
        self.states = States(gateway, self.clock)
        self.effects: list[tuple[str, str, str, str]] = []
        self.fails: Callable[[Event[ItemResult]], object] = lambda event: None
        if handled:
            for kind in KEYS:
                self.receiver.on_result(kind)(self._handle)
        self.client = Client(**self.settings())
        self.follower = Follower(self.client, ledger, receiver=self.receiver)

    def settings(self) -> dict[str, Any]:
        pair = KeyPair(key(1))
        merchant = Merchant(
            app_id=APP, private_key=pair.private_pem, gateway_keys=[KeyPair(key()).public_pem], member_id="member_1"
        )
        return {"base_url": self.gateway.base_url, "merchant": merchant, "clock": self.clock, "retries": 0}

    def awaited(self, **settings: Any) -> AsyncFollower:
        return AsyncFollower(AwaitedClient(**self.settings(), **settings), self.ledger, receiver=self.receiver)

    def cancelled(self, backend: str, call: Callable[[], Awaitable[object]]) -> None:
        """Cancel a call while its inquiry is at the gateway."""
        asked, over = threading.Event(), threading.Event()

        def holds(number: str) -> None:
            asked.set()
            over.wait(600)

        async def run() -> None:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call)
                await anyio.to_thread.run_sync(asked.wait)
                tasks.cancel_scope.cancel()

        self.states.before_answer = holds
        try:
            anyio.run(run, backend=backend)
        finally:
            over.set()

    def _handle(self, event: Event[ItemResult]) -> None:
        one = event.data
        self.fails(event)
        self.effects.append((one.key, str(one.state), str(one.amount), event.by))

    def follow(self, number: str = "ORD_1", kind: str = "orders", amount: str | None = None) -> Follow:
        content = {} if amount is None else {"totalAmount": Decimal(amount), "currency": "USD"}
        return Follow(kind, number, content=content)

    def open(self, number: str = "ORD_1", kind: str = "orders", amount: str | None = None) -> Item:
        assert self.follower.open(None, self.follow(number, kind, amount)) is True
        return self.item(number, kind)

    def item(self, number: str = "ORD_1", kind: str = "orders") -> Item:
        found = self.follower.get(kind, number)
        assert found is not None
        return found

    def until_due(self, number: str = "ORD_1", kind: str = "orders") -> datetime:
        """Let time pass until the item is due."""
        due = self.item(number, kind).due_at
        assert due is not None
        if due > self.clock.now():
            self.pass_time(seconds=(due - self.clock.now()).total_seconds())
        return due

    def run(self, number: str = "ORD_1", kind: str = "orders") -> FollowRun:
        """Let time pass until the item is due, and ask about all that are."""
        self.until_due(number, kind)
        return self.follower.run_due()

    def close(self) -> None:
        self.client.close()


def database(path: Any) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def text(value: object) -> str:
    return json.dumps(value)
