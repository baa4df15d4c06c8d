"""Drives the documented samples (`examples/shop.py`) through the experiment: programs that die, jobs that overlap, many intents.

Nothing here decides anything about money. What is added to the samples is watching: whether what a call said was true.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Final, TypeVar

import shop
from shop import Kind, Payment, PaymentTable, Request

from paywright import (
    AlreadyPlaced,
    BuyerInfo,
    Client,
    DropInOrderCreated,
    DropInPaymentDetail,
    NotSent,
    OutcomeUnknown,
    PaywrightError,
    Permission,
    UnreadableAnswer,
)
from paywright_runtime.clock import FixedClock
from paywright_runtime.contract import formats
from tests.outcomes.intents import Belief, Intent
from tests.outcomes.messages import address_of
from tests.outcomes.middle import Middle
from tests.outcomes.processes import Killed, killable
from tests.outcomes.truth import Tally

__all__ = ["SampleShop"]

T = TypeVar("T")
Story = Iterator[datetime]

_SOON: Final = timedelta(seconds=1)
_MINUTE: Final = timedelta(minutes=1)
_LONGEST: Final = timedelta(hours=3)
_KINDS: Final = {"order": "drop_in", "hosted": "order", "refund": "refund", "exchange": "exchange"}
"""The samples' kind of each intent's."""


class SampleShop:
    """Its programs are several: each call of `place` and each run of the job has a connection of its own and any of `clients`.

    A story is a generator that yields when it is to be gone on with. `crash` is the share of programs that die at one of their
    steps.
    """

    def __init__(
        self, clients: list[Client], middle: Middle, tally: Tally, database: Path, *, seed: str, crash: float = 0.1
    ) -> None:
        self._clients = clients
        self._middle = middle
        self._tally = tally
        self._database = database
        self._random = Random(seed)
        self._crash = crash
        self._placers = 0
        self._sends: Counter[tuple[str, str]] = Counter()
        kinds = {**_SAMPLES, "drop_in": Kind(_drop_in, _SAMPLES["order"].resolve, _SAMPLES["order"].query)}
        shop.KINDS.update({name: self._watched(name, kind) for name, kind in kinds.items()})
        with closing(sqlite3.connect(database)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(shop.SCHEMA)

    def stories(self, intents: list[Intent], jobs: int = 3) -> list[Story]:
        """Placing every intent, and `jobs` programs that settle every minute until there is nothing left to find out."""
        self._placers = len(intents)
        return [*map(self._place, intents), *(self._settle() for _ in range(jobs))]

    def _place(self, intent: Intent) -> Story:
        """Call `place` until the payment has left, also after the program died in it."""
        while True:
            died = self._run(
                lambda client, table: shop.place(client, table, _KINDS[intent.kind], intent.key, _request(intent))
            )
            if not died and self._payment(intent).state != "not_sent":
                self._placers -= 1
                return
            yield self._middle.clock.now() + _SOON

    def _settle(self) -> Story:
        until = self._middle.clock.now() + _LONGEST
        while self._placers or (self._waits() and self._middle.clock.now() < until):
            self._run(shop.settle)
            yield self._middle.clock.now() + _MINUTE

    def _run(self, do: Callable[[Client, PaymentTable], object]) -> bool:
        """Run a program to its end, or until it dies. Whether it died."""
        dies = self._random.random() < self._crash
        left = self._random.randrange(1, 30) if dies else None
        with closing(killable(self._database, left)) as db:
            try:
                do(self._random.choice(self._clients), PaymentTable(db, self._middle.clock))
            except Killed:
                return True
        return False

    def _waits(self) -> bool:
        """Whether the job may still find out something: what is never placed again may stay unknown, hosted orders are not paid."""
        with closing(sqlite3.connect(self._database)) as db:
            found = db.execute(
                "SELECT 1 FROM payments WHERE state = 'sending' OR (state = 'unknown' AND kind IN ('order', 'drop_in') AND wanted)"
                " OR (state = 'accepted' AND kind = 'drop_in') LIMIT 1"
            )
            return found.fetchone() is not None or self._middle.next_arrival is not None

    def _payment(self, intent: Intent) -> Payment:
        with closing(sqlite3.connect(self._database)) as db:
            return PaymentTable(db, self._middle.clock).get(_KINDS[intent.kind], intent.key)

    def believe(self, intents: list[Intent]) -> None:
        """Read from the table what the shop believes of each."""
        for intent in intents:
            intent.belief = _belief(self._payment(intent))

    def finish(self, intents: list[Intent], clock: FixedClock) -> None:
        """Long after, with nothing broken: what is unknown and never sent again settles exactly if it is there."""
        self._clients[0]._settings.timeout = 3000.0  # from now on a call has an answer, however busy the machine is
        for _ in range(3):
            clock.advance(2 * 3600)
            for _ in range(10):
                with closing(sqlite3.connect(self._database, isolation_level=None)) as db:
                    table = PaymentTable(db, clock)
                    if not table.due():
                        break
                    shop.settle(self._clients[0], table)
                clock.advance(60)
        for intent in intents:
            if intent.belief == "unknown":
                intent.settled_late = self._payment(intent).state in ("accepted", "done")

    # Watching

    def _watched(self, name: str, kind: Kind) -> Kind:
        def send(client: Client, key: str, request: Request, *again: Permission) -> shop.Created:
            return self._watch_send(name, key, lambda: kind.send(client, key, request, *again))

        def query(client: Client, key: str) -> shop.Found:
            return self._watch(name, key, lambda: kind.query(client, key))

        return Kind(send, kind.resolve, query)

    def _watch_send(self, name: str, key: str, call: Callable[[], T]) -> T:
        earlier = self._sends[name, key]
        self._sends[name, key] += 1
        again = earlier > 0
        self._tally.placed_again += again
        self._tally.misplaced += again and name not in ("order", "drop_in")
        try:
            return self._watch(name, key, call)
        except NotSent as error:
            self._tally.not_sent += 1
            self._sends[name, key] -= 1  # nothing left: it is as if it had not been called
            self._tally.placed_again -= again
            trace = address_of(error.operation), key, formats.write_request_time(self._middle.clock.now())
            self._tally.unsound += self._middle.accepted(trace) > 0
            raise
        except (OutcomeUnknown, UnreadableAnswer) as unknown:
            self._tally.without_key += unknown.key != key
            self._tally.repeats_refused += isinstance(unknown, AlreadyPlaced)
            raise

    def _watch(self, name: str, key: str, call: Callable[[], T]) -> T:
        """Make a call; count an exception of another tree, and an answer about another key."""
        try:
            made = call()
        except PaywrightError:
            raise
        except Exception as error:
            self._tally.strangers.append(f"{type(error).__name__} at {name}")
            raise
        echoed = getattr(made, "out_refund_no" if name == "refund" else "out_trade_no", None)
        self._tally.foreign += echoed is not None and echoed.lower() != key.lower()
        return made


_SAMPLES: Final = dict(shop.KINDS)


def _drop_in(client: Client, key: str, request: Request, again: Permission | None = None) -> DropInOrderCreated:
    return client.orders.drop_in(
        out_trade_no=key, subject="Two tickets", total_amount=Decimal(request["amount"]), currency=request["currency"],
        country="SG", user_id="u1", front_callback_url="https://shop.example/back", terminal_type="WEB",
        payment_detail=DropInPaymentDetail(buyer_info=BuyerInfo(client_ip="203.0.113.7", user_agent="UA")),
        again=again,
    )  # fmt: skip


def _request(intent: Intent) -> Request:
    amount = str(intent.amount)
    if intent.kind == "refund":
        return {"out_trade_no": intent.of or "", "amount": amount, "currency": "USD"}
    if intent.kind == "exchange":
        return {"amount": amount, "sold": "EUR", "bought": "USD"}
    return {"amount": amount, "currency": "USD", "subject": "Two tickets", "user_id": "u1"}


def _belief(payment: Payment) -> Belief:
    if payment.state == "refused":
        return "failed"
    if payment.state in ("not_sent", "sending"):
        return "open"
    if payment.state == "unknown":
        return "unknown"
    if payment.kind != "drop_in":
        return "placed"
    # A drop-in payment has moved money when the query says so, and not before.
    if payment.state == "done":
        return "placed" if payment.status == "SUCCESS" else "failed"
    return "unknown"
