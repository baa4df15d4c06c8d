"""The documented samples with a database, a gateway and a network of their own, in virtual time."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import shop
from shop import Payment, Request

from tests.outcomes.model_gateway import HostClock, ModelGateway, Network, TrueTime
from tests.outcomes.processes import Process

__all__ = ["FAMILY", "REQUESTS", "SamplesWorld", "lost_order", "samples_world"]

REQUESTS: Final[dict[str, Request]] = {
    "order": {"amount": "10.50", "currency": "USD", "subject": "Two tickets", "user_id": "u1"},
    "refund": {"out_trade_no": "ORD_1", "amount": "4.25", "currency": "USD"},
    "exchange": {"amount": "100.00", "sold": "EUR", "bought": "USD"},
}
FAMILY: Final = {"order": "orders", "refund": "refunds", "exchange": "exchanges"}
KEY: Final = "KEY_1"


class SamplesWorld:
    """One payment of each kind, `KEY_1`, and as many processes as are wanted."""

    def __init__(self, folder: Path) -> None:
        self.time = TrueTime()
        self.gateway = ModelGateway(self.time)
        self.network = Network(self.gateway)
        self.database = folder / "shop.db"
        self._processes: list[Process] = []

    def process(self, steps: int | None = None, before: Callable[[], None] | None = None) -> Process:
        process = Process(self.database, self.network, HostClock(self.time), steps=steps, before=before)
        self._processes.append(process)
        return process

    def buy(self, kind: str, process: Process) -> Payment:
        return shop.place(process.client, process.table, kind, KEY, REQUESTS[kind])

    def pass_time(self, seconds: float) -> None:
        self.time.seconds += seconds
        self.network.arrive()

    def settle_for(self, seconds: float) -> None:
        """Run the job every minute, in a process of its own, with nothing broken but what `network.fates` still holds."""
        job = self.process()
        for _ in range(int(seconds // 60)):
            self.pass_time(60)
            if job.table.due():
                shop.settle(*job.both)

    def payment(self, kind: str) -> Payment:
        return self.process().table.get(kind, KEY)

    def payments(self) -> list[Payment]:
        return self.process().table.all()

    def execute(self, statement: str) -> None:
        with closing(sqlite3.connect(self.database, isolation_level=None)) as db:
            db.execute(statement)

    def charges(self, kind: str) -> int:
        return self.gateway.charges[FAMILY[kind], KEY.lower()]

    def judge(self, kind: str, *, told: str = "") -> None:
        """After everything has come to rest: charged at most once, and the shop knows it, or says that it does not."""
        charges = self.charges(kind)
        assert sum(self.gateway.charges.values()) <= 1, f"{self.gateway.charges}, {told}"
        payments = [payment for payment in self.payments() if payment.kind == kind]
        assert len(payments) <= 1
        if not payments:
            assert charges == 0, f"the gateway has what the shop has forgotten, {told}"
            return
        (payment,) = payments
        if payment.state in ("accepted", "done"):
            assert charges == 1, f"{payment} and nothing was charged, {told}"
        elif payment.state in ("not_sent", "refused"):
            assert charges == 0, f"{payment} and it was charged, {told}"
        else:
            assert payment.state == "unknown", f"{payment}, {told}"
            assert charges == 0, f"a gateway that answers leaves nothing unknown that it has: {payment}, {told}"
            wanted = kind == "order" and payment.wanted
            assert not wanted, f"an order that is wanted is placed in the end: {payment}, {told}"

    def close(self) -> None:
        for process in self._processes:
            process.close()


@contextmanager
def samples_world(folder: Path) -> Iterator[SamplesWorld]:
    """A world in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    world = SamplesWorld(folder)
    try:
        yield world
    finally:
        world.close()


@contextmanager
def lost_order(folder: Path) -> Iterator[SamplesWorld]:
    """A world whose order got lost on its way, so that its outcome is unknown."""
    with samples_world(folder) as world:
        world.network.fates = ["request lost"]
        assert world.buy("order", world.process()).state == "unknown"
        yield world
