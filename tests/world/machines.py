"""The machines of a shop: its clock, its database, and the two processes over it, which may die anywhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from threading import Event as Signal
from typing import TYPE_CHECKING, Final

from paywright import BillPaymentDecision, Client, Merchant, Receiver
from paywright.receiver import BillPaymentValidationQuestion
from paywright_receiver import Follower, SqliteLedger
from paywright_receiver.webhooks.questions import DecisionExecutor
from paywright_runtime.client.settings import client_settings_from
from tests.world.network import Wire

if TYPE_CHECKING:
    from tests.world.shop import Shop
    from tests.world.world import World

__all__ = ["LEASE", "Process"]

TIMEOUT: Final = 30.0
LEASE: Final = 40.0
DECIDES_WITHIN: Final = 3.0


class ProcessClock:
    """The clock of the shop's machines, which may be wrong."""

    def __init__(self, world: World) -> None:
        self._world = world

    def now(self) -> datetime:
        return self._world.now() + self._world.wrong

    def monotonic(self) -> float:
        return self._world.scheduler.elapsed

    def sleep(self, seconds: float) -> None:
        self._world.scheduler.sleep(seconds)


class WorldLedger(SqliteLedger):
    """The ledger, with a seam wherever it meets its file, and the file's lock for all processes of the world."""

    _PAUSE = 0.0

    def __init__(self, process: Process) -> None:
        self._world = world = process.world
        self._lock = process.shop.lock
        self.held: list[sqlite3.Connection] = []
        process.ledger = self  # whose process may die while it is opened
        super().__init__(process.shop.file, timeout=0.001, clock=ProcessClock(world))

    def begin(self, *, guarded: bool = False) -> sqlite3.Connection:
        self._world.seam("the ledger, before a transaction")
        self._world.disk("begin")
        mine = self._world.scheduler.hold(self._lock)
        try:
            db = super().begin(guarded=guarded)
        except BaseException:
            if mine:
                self._lock.holder = None
            raise
        self.held.append(db)
        self._world.seam("the ledger, in a transaction")
        return db

    def end(self, db: sqlite3.Connection, *, broken: bool = False) -> None:
        self.held.remove(db)
        super().end(db, broken=broken)
        self._lock.holder = None
        if not broken:
            self._world.shop_changed = True
            self._world.seam("the ledger, after a commit")
            self._world.disk("commit")

    def die(self) -> None:
        """Close what is open, as the system does when a process ends: what was not committed is undone."""
        for db in self.held:
            with suppress(sqlite3.Error):
                db.close()
        self.held.clear()
        with suppress(AttributeError):  # it was not open yet
            self.close()


class Process:
    """One process of a shop. `restart` makes everything in it anew."""

    def __init__(self, shop: Shop, name: str, retries: int) -> None:
        self.shop, self.world, self.name, self.retries = shop, shop.world, name, retries
        self.alive = False
        self.restart()

    def restart(self) -> None:
        """Open the ledger, the client, the receiver and the follower, as at the start of a program."""
        world, shop = self.world, self.shop
        clock = ProcessClock(world)
        self.ledger = WorldLedger(self)
        merchant = Merchant(
            app_id=shop.app_id, merchant_no=shop.merchant_no, private_key=world.gateway.keys.merchant,
            gateway_keys=world.gateway.keys.verifier(shop.knows_new_key),
        )  # fmt: skip
        self.client = Client(
            base_url=shop.address, merchant=merchant, timeout=TIMEOUT, retries=self.retries, clock=clock, transport=Wire(shop),
            paths=client_settings_from(Merchant, world.sandbox.env).paths,
        )  # fmt: skip
        self.receiver = Receiver(
            app_id=shop.app_id, merchant_no=shop.merchant_no, gateway_keys=merchant.verifier, ledger=self.ledger, lease=LEASE,
            bill_deadline=DECIDES_WITHIN, clock=clock,
        )  # fmt: skip
        for kind in shop.kinds:
            self.receiver.on_result(kind)(shop.book_result)
        self.receiver.on_subscription_payment(shop.book_period)
        self.receiver.on_validate_bill_payment(self._decide)
        self.receiver._processor._decisions = DecisionExecutor(DECIDES_WITHIN, self._beside)
        self.follower = Follower(self.client, self.ledger, receiver=self.receiver, lease=TIMEOUT * 2 + LEASE)
        self.alive = True

    def _decide(self, question: BillPaymentValidationQuestion) -> BillPaymentDecision:
        self.world.seam("a question about a bill")
        if self.world.chance("the decision takes long", self.world.limits.handler):
            self.world.scheduler.sleep(DECIDES_WITHIN * 2)
        return self.shop.decide(question)

    def _beside(self, work: Callable[[], None], done: Signal, deadline: float) -> bool:
        """Decide in a program of its own, and wait for it by the clock of the world."""
        self.world.scheduler.start("a decision", self, work)
        until = self.world.scheduler.elapsed + deadline
        while not done.is_set() and self.world.scheduler.elapsed < until:
            self.world.scheduler.sleep(deadline / 3)
        return done.is_set()

    @contextmanager
    def own(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction of the shop's own connection."""
        with self.shop.own(self.ledger.held) as db:
            yield db

    @property
    def owed(self) -> int:
        """How many claims the process has not given back yet, which nobody else can see."""
        return len(self.ledger.releases._owed)

    def die(self) -> None:
        """End it where it stands, as SIGKILL does."""
        self.alive = False
        for program in self.world.scheduler.kill(self):
            if self.shop.lock.holder is program:
                self.shop.lock.holder = None
        self.ledger.die()
