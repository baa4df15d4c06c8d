"""The processes of a shop that follows: followers and receivers, which the experiment kills with SIGKILL.

Each is told what to do through a pipe, and sends its requests to the gateway through it: whoever holds the other end answers them,
harms the answer, or ends the process while it waits. Their clock is what they are told.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import datetime
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple

from paywright import Client, Event, FixedClock, ItemResult, Merchant, Receiver
from paywright_receiver import Follower, SqliteLedger
from paywright_receiver.webhooks.environment import settings_from
from paywright_runtime.client.settings import client_settings_from, merchant_from
from paywright_runtime.transport.api import Phase, RawAnswer, Reason, SignedRequest, Transport, TransportFailure

__all__ = ["EFFECTS", "Books", "Failure", "follow", "new_client", "new_ledger", "receive"]

EFFECTS: Final = (
    "CREATE TABLE effects (kind TEXT, key TEXT, state TEXT, amount TEXT, currency TEXT, at TEXT, was TEXT, paid INTEGER)"
)
TIMEOUT: Final = 2.0
LEASE: Final = 1.0


class Books(NamedTuple):
    """Where the shop's tables are, a file or a connection string, and the settings of its client and receiver."""

    sqlite: str
    postgres: str
    env: Mapping[str, str]


class Failure(NamedTuple):
    """A failure of the transport, on its way through the pipe."""

    phase: str
    reason: Reason


class ToldClock:
    """The time that the process was told last."""

    def __init__(self) -> None:
        self.told: FixedClock | None = None

    def now(self) -> datetime:
        assert self.told is not None, "the time is told first"
        return self.told.now()

    def monotonic(self) -> float:
        return self.now().timestamp()

    def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody waits")


class PipeTransport:
    """Sends requests through the pipe."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        self._pipe.send(("ask", tuple(request)))
        answer = self._pipe.recv()
        if isinstance(answer, Failure):
            raise TransportFailure(Phase(answer.phase), answer.reason)
        return RawAnswer(*answer)

    def close(self) -> None:
        """Nothing is open."""


def new_ledger(books: Books) -> Any:
    """The ledger of the shop, in the database of its tables."""
    if books.sqlite:
        return SqliteLedger(books.sqlite, timeout=120)
    from paywright_receiver.ledgers.postgres import PostgresLedger

    return PostgresLedger(books.postgres, timeout=120)


def new_client(books: Books, clock: Any, transport: Transport) -> Client:
    """A client that makes one request a call: what is repeated is counted as a question of its own."""
    merchant, base_url = merchant_from(Merchant, books.env)
    return Client(
        base_url=base_url, merchant=merchant, timeout=TIMEOUT, paths=client_settings_from(Merchant, books.env).paths, retries=0,
        clock=clock, transport=transport,
    )  # fmt: skip


def _receiver(books: Books, ledger: Any, clock: ToldClock) -> Receiver:
    found = settings_from(Merchant, Receiver.NUMBERS, books.env)
    receiver = Receiver(
        gateway_keys=found.gateway_keys, ledger=ledger, lease=LEASE, clock=clock, **found.numbers
    )  # fmt: skip

    def effect(event: Event[ItemResult]) -> None:
        told = event.data
        mark = ", ".join(["?" if isinstance(event.transaction, sqlite3.Connection) else "%s"] * 8)
        was = None if told.was is None else str(told.was)
        row = (
            told.kind,
            told.key,
            str(told.state),
            str(told.amount),
            told.currency,
            clock.now().isoformat(),
            was,
            int(told.is_paid),
        )
        event.transaction.execute(f"INSERT INTO effects VALUES ({mark})", row)

    for kind in ("orders", "refunds", "payment_links"):
        receiver.on_result(kind)(effect)
    return receiver


def follow(pipe: Connection, books: Books) -> None:
    """Run what is due, whenever it is told the time."""
    clock, ledger = ToldClock(), new_ledger(books)
    with new_client(books, clock, PipeTransport(pipe)) as client:
        follower = Follower(client, ledger, receiver=_receiver(books, ledger, clock), lease=TIMEOUT + LEASE + 0.1)
        for now in iter(pipe.recv, None):
            clock.told = FixedClock(now)
            pipe.send(("done", follower.run_due().taken))


def receive(pipe: Connection, books: Books) -> None:
    """Receive what is delivered, each with the time at which it comes."""
    clock, ledger = ToldClock(), new_ledger(books)
    receiver = _receiver(books, ledger, clock)
    for now, raw, signature in iter(pipe.recv, None):
        clock.told = FixedClock(now)
        reply = receiver.receive(raw, {"sign": signature})
        pipe.send(("done", (reply.outcome, reply.acknowledged)))
