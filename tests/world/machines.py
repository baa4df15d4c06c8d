"""The two processes of a shop, which may die anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event as Signal
from typing import TYPE_CHECKING, Any, Final

from paywright import BillPaymentDecision, Client, Merchant, Receiver
from paywright.receiver import BillPaymentValidationQuestion
from paywright_receiver import Follower
from paywright_receiver.webhooks.bill_questions import DecisionExecutor
from paywright_runtime.client.settings import client_settings_from
from tests.world.databases import ShopClock
from tests.world.network import Wire

if TYPE_CHECKING:
    from tests.world.shop import Shop

__all__ = ["LEASE", "Process"]

TIMEOUT: Final = 30.0
LEASE: Final = 40.0
DECIDES_WITHIN: Final = 3.0


class _Decisions(DecisionExecutor):
    """Decides in a program of its own, and waits for it by the clock of the world."""

    def __init__(self, process: Process) -> None:
        super().__init__(DECIDES_WITHIN)
        self.process = process

    def _ends(self, work: Callable[[], None], done: Signal) -> bool:
        scheduler = self.process.world.scheduler
        scheduler.start("a decision", self.process, work)
        until = scheduler.elapsed + DECIDES_WITHIN
        while not done.is_set() and scheduler.elapsed < until:
            scheduler.sleep(DECIDES_WITHIN / 3)
        return done.is_set()


class Process:
    """One process of a shop. `restart` makes everything in it anew."""

    def __init__(self, shop: Shop, name: str, retries: int) -> None:
        self.shop, self.world, self.name, self.retries = shop, shop.world, name, retries
        self.alive, self.off = False, timedelta(0)
        self.restart()

    def restart(self) -> None:
        """Open the ledger, the client, the receiver and the follower, as at the start of a program."""
        world, shop = self.world, self.shop
        clock = ShopClock(world, self)
        if hasattr(self, "ledger"):
            self.ledger.die()  # somebody may have looked at it since its process died
        self.ledger = shop.database.ledger(self)
        merchant = Merchant(
            app_id=shop.app_id, merchant_no=shop.merchant_no, private_key=world.gateway.keys.merchant,
            gateway_keys=world.gateway.keys.verifier(shop.knows_new_key),
        )  # fmt: skip
        self.client = Client(
            base_url=shop.address, merchant=merchant, timeout=TIMEOUT, retries=self.retries, clock=clock, transport=Wire(self),
            paths=client_settings_from(Merchant, world.sandbox.env).get("paths"),
        )  # fmt: skip
        self.receiver = Receiver(
            app_id=shop.app_id, merchant_no=shop.merchant_no, gateway_keys=merchant.verifier, ledger=self.ledger, lease=LEASE,
            bill_deadline=DECIDES_WITHIN, clock=clock,
        )  # fmt: skip
        for kind in shop.kinds:
            self.receiver.on_result(kind)(shop.book_result)
        self.receiver.on_subscription_payment(shop.book_period)
        self.receiver.on_validate_bill_payment(self._decide)
        self.receiver._processor._decisions = _Decisions(self)
        self.follower = Follower(self.client, self.ledger, receiver=self.receiver, lease=TIMEOUT * 2 + LEASE)
        self.again = ""
        """The order that its next request places again."""
        self.alive = True

    def _decide(self, question: BillPaymentValidationQuestion) -> BillPaymentDecision:
        self.world.seam("a question about a bill")
        if self.world.chance("the decision takes long", self.world.limits.handler):
            self.world.scheduler.sleep(DECIDES_WITHIN * 2)
        return self.shop.decide(question)

    @contextmanager
    def own(self) -> Iterator[Any]:
        """Open a transaction of the shop's own connection."""
        with self.shop.database.own(self.ledger.held) as db:
            yield db

    @property
    def owed(self) -> int:
        """How many claims the process has not given back yet, which nobody else can see."""
        return len(self.ledger._owed)

    def die(self) -> None:
        """End it where it stands, as SIGKILL does."""
        self.alive = False
        for program in self.world.scheduler.kill(self):
            self.shop.database.freed(program)
        self.ledger.die()
