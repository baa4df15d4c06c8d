"""The shop of docs/paid.md in the experiment: orders, refunds and exchanges through a follower's book, by programs that die.

Nothing here decides anything about money. What is added to the shop is watching: whether what a call said was true.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

from paywright import (
    AlreadyPlaced,
    BuyerInfo,
    Client,
    DropInPaymentDetail,
    Follow,
    GatewayError,
    NotSent,
    OutcomeUnknown,
    PaywrightError,
    Permission,
    TooEarly,
)
from paywright_receiver import Follower, SqliteLedger
from paywright_receiver.items.book import Item
from paywright_runtime.clock import FixedClock
from paywright_runtime.contract import formats
from tests.outcomes.intents import Belief, Intent
from tests.outcomes.messages import address_of
from tests.outcomes.middle import Middle
from tests.outcomes.truth import Tally

__all__ = ["SampleShop"]

Story = Iterator[datetime]

_SOON: Final = timedelta(seconds=1)
_MINUTE: Final = timedelta(minutes=1)
_LONGEST: Final = timedelta(hours=3)
_RESOURCES: Final = {"order": "orders", "hosted": "orders", "refund": "refunds", "exchange": "exchanges"}


class Killed(BaseException):
    """The program has ended. Whatever it still tries raises it again, as if it were not there."""


class _Steps(threading.local):
    """How many steps the program of this thread lives; None for one that does not die."""

    left: int | None = None

    def __call__(self) -> None:
        if self.left is not None:
            if self.left <= 0:
                raise Killed
            self.left -= 1


class _Stepping:
    """An object each of whose calls is a step: before it and after it, the program may die."""

    def __init__(self, inner: Any, steps: _Steps) -> None:
        self._inner, self._steps = inner, steps

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def called(*args: Any, **kwargs: Any) -> Any:
            self._steps()
            made = found(*args, **kwargs)
            self._steps()
            return made

        return called


class _Ledger:
    def __init__(self, book: Any) -> None:
        self.book = book


class SampleShop:
    """Its programs are several, each with any of `clients`.

    A story is a generator that yields when it is to be gone on with. `crash` is the share of programs that die at one of their
    steps.
    """

    def __init__(
        self, clients: list[Client], middle: Middle, tally: Tally, database: Path, *, seed: str, crash: float = 0.1
    ) -> None:
        self._middle = middle
        self._tally = tally
        self._random = Random(seed)
        self._crash = crash
        self._steps = _Steps()
        self._placers = 0
        self._intents: dict[tuple[str, str], Intent] = {}
        self._unwanted: set[Intent] = set()
        self._sends: Counter[Intent] = Counter()
        book = _Stepping(SqliteLedger(database, clock=middle.clock).book, self._steps)
        for client in clients:
            client._transport = _Stepping(client._transport, self._steps)
        self._shops = [(client, Follower(client, _Ledger(book))) for client in clients]  # type: ignore[arg-type]  # a book is enough

    def stories(self, intents: list[Intent], jobs: int = 3) -> list[Story]:
        """Placing every intent, and `jobs` programs that follow every minute until there is nothing left to find out."""
        self._placers = len(intents)
        self._intents |= {(_RESOURCES[intent.kind], intent.key.lower()): intent for intent in intents}
        return [*map(self._place, intents), *(self._follow() for _ in range(jobs))]

    def _place(self, intent: Intent) -> Story:
        """Buy until the call has left, also after the program died in it."""
        while not self._run(lambda client, follower: self._buy(client, follower, intent)):
            yield self._middle.clock.now() + _SOON
        self._placers -= 1

    def _buy(self, client: Client, follower: Follower, intent: Intent) -> bool:
        """Write and open first, then call. Whether there is nothing more to do: it is settled, or the follower finds out."""
        if not follower.open(None, _follow_of(client, intent)):
            return True  # clicked once more: the first one may have left
        while True:
            try:
                self._send(client, intent)
            except NotSent:
                continue  # no earlier call with this key can have left
            except OutcomeUnknown:
                return True
            except GatewayError as refused:  # of the only call with this key
                follower.close(_RESOURCES[intent.kind], intent.key, str(refused))
                return True
            follower.placed(_RESOURCES[intent.kind], intent.key)
            return True

    def _follow(self) -> Story:
        until = self._middle.clock.now() + _LONGEST
        while self._placers or (self._waits() and self._middle.clock.now() < until):
            self._run(self._job)
            yield self._middle.clock.now() + _MINUTE

    def _job(self, client: Client, follower: Follower) -> bool:
        follower.run_due()
        for item in list(follower.open_items()):
            intent = self._intents[item.id.kind, item.key.lower()]
            if item.step == "place_again" and intent not in self._unwanted:
                self._place_again(client, follower, intent)
        return True

    def _place_again(self, client: Client, follower: Follower, intent: Intent) -> None:
        try:
            self._send(client, intent, follower.permission("orders", intent.key))
        except (TooEarly, OutcomeUnknown, NotSent):
            return  # the follower reads how the call ended, or asks
        except GatewayError:  # of this attempt alone: the first one may stand
            self._unwanted.add(intent)
            return
        follower.placed("orders", intent.key)

    def _run(self, do: Callable[[Client, Follower], bool]) -> bool:
        """Run a program to its end, or until it dies. What it returned; False if it died."""
        self._steps.left = self._random.randrange(1, 30) if self._random.random() < self._crash else None
        try:
            return do(*self._random.choice(self._shops))
        except Killed:
            return False
        finally:
            self._steps.left = None

    def _waits(self) -> bool:
        """Whether following may still find out something: what is never placed again may stay unknown, hosted orders are not paid."""
        return self._middle.next_arrival is not None or any(
            item.id.kind == "orders"
            and intent not in self._unwanted
            and (intent.kind == "order" or not _is_known(item))
            for item in self._shops[0][1].open_items()
            for intent in [self._intents[item.id.kind, item.key.lower()]]
        )

    def _item(self, intent: Intent) -> Item | None:
        return self._shops[0][1].get(_RESOURCES[intent.kind], intent.key)

    def believe(self, intents: list[Intent]) -> None:
        """Read from the book what the shop believes of each."""
        for intent in intents:
            intent.belief = _belief(intent, self._item(intent))

    def finish(self, intents: list[Intent], clock: FixedClock) -> None:
        """Long after, with nothing broken: what is unknown and never sent again settles exactly if it is there."""
        client, follower = self._shops[0]
        client._settings.timeout = 3000.0  # from now on a call has an answer, however busy the machine is
        for _ in range(60):
            clock.advance(3600)
            follower.run_due()
        for intent in intents:
            if intent.belief == "unknown":
                item = self._item(intent)
                intent.settled_late = item is not None and _is_known(item)

    # Watching

    def _send(self, client: Client, intent: Intent, again: Permission | None = None) -> None:
        """Make a call; count an exception of another tree, and an answer about another key."""
        self._sends[intent] += 1
        repeated = self._sends[intent] > 1
        self._tally.placed_again += repeated
        self._tally.misplaced += repeated and not intent.is_order
        try:
            made = _call(client, intent, again)
        except NotSent as error:
            self._tally.not_sent += 1
            self._sends[intent] -= 1  # nothing left: it is as if it had not been called
            self._tally.placed_again -= repeated
            trace = address_of(error.operation), intent.key, formats.write_request_time(self._middle.clock.now())
            self._tally.unsound += self._middle.accepted(trace) > 0
            raise
        except OutcomeUnknown as unknown:
            self._tally.without_key += unknown.key != intent.key
            self._tally.repeats_refused += isinstance(unknown, AlreadyPlaced)
            raise
        except PaywrightError:
            raise
        except Exception as error:
            self._tally.strangers.append(f"{type(error).__name__} at {intent.kind}")
            raise
        echoed = getattr(made, "out_refund_no" if intent.kind == "refund" else "out_trade_no", None)
        self._tally.foreign += echoed is not None and echoed.lower() != intent.key.lower()


def _follow_of(client: Client, intent: Intent) -> Follow:
    if intent.kind == "refund":
        asked = {"refund_amount": intent.amount, "refund_currency": "USD", "out_trade_no": intent.of}
        return client.refunds.follow(intent.key, **asked, unknown=True)  # type: ignore[arg-type]  # a refund has an order
    if intent.kind == "exchange":
        return client.exchanges.follow(intent.key, transaction_amount=intent.amount, unknown=True)
    return client.orders.follow(intent.key, total_amount=intent.amount, currency="USD", unknown=True)


def _call(client: Client, intent: Intent, again: Permission | None) -> object:
    if intent.kind == "refund":
        return client.refunds.create(
            out_refund_no=intent.key, out_trade_no=intent.of, refund_amount=intent.amount, refund_currency="USD"
        )
    if intent.kind == "exchange":
        return client.exchanges.create(
            out_trade_no=intent.key, ccy_pair="EURUSD", side="SELL", transaction_amount=intent.amount,
            transaction_ccy="EUR", target_ccy="USD",
        )  # fmt: skip
    asked: dict[str, Any] = {
        "out_trade_no": intent.key, "subject": "Two tickets", "total_amount": intent.amount, "currency": "USD",
        "user_id": "u1", "front_callback_url": "https://shop.example/back", "again": again,
    }  # fmt: skip
    if intent.kind == "hosted":
        return client.orders.checkout(**asked)
    detail = DropInPaymentDetail(buyer_info=BuyerInfo(client_ip="203.0.113.7", user_agent="UA"))
    return client.orders.drop_in(**asked, country="SG", terminal_type="WEB", payment_detail=detail)


def _is_known(item: Item) -> bool:
    """Whether the gateway is known to have it."""
    return item.status != "closed" and json.loads(item.follow)["resolving"] is None


def _belief(intent: Intent, item: Item | None) -> Belief:
    if item is None:
        return "open"
    if item.status == "closed":
        return "failed"
    if not _is_known(item):
        return "unknown"
    if intent.kind != "order":
        return "placed"
    # A drop-in payment has moved money when the query says so, and not before.
    if item.status != "settled":
        return "unknown"
    return "placed" if item.paid else "failed"
