"""The shop of a world: two processes over one database, as the samples have them, and what its people do."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from paywright import (
    Client,
    Event,
    InvalidArgument,
    ItemResult,
    LedgerProblem,
    Merchant,
    OutcomeUnknown,
    PaywrightError,
    Receiver,
    TooEarly,
)  # fmt: skip
from paywright_receiver import Follower, SqliteLedger
from paywright_receiver.webhooks.environment import settings_from
from paywright_runtime.client.settings import client_settings_from, merchant_from
from tests.world.network import Wire

if TYPE_CHECKING:
    from tests.world.world import World

__all__ = ["LEASE", "Process", "Said", "Shop"]

TIMEOUT: Final = 30.0
LEASE: Final = 40.0
_TABLES: Final = """
CREATE TABLE payments (number TEXT PRIMARY KEY, kind TEXT, amount TEXT, state TEXT);
CREATE TABLE bookings (kind TEXT, number TEXT, state TEXT, amount TEXT, was TEXT, paid INTEGER);
"""


class Said(NamedTuple):
    """What a call said of itself when it ended: its key, the error's class ("" for a result), and whether money may have moved."""

    key: str
    error: str
    may_have_moved: bool


class ProcessClock:
    """The clock of the shop's machine, which may be wrong."""

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

    def __init__(self, process: Process) -> None:
        self._world = world = process.world
        self.held: list[sqlite3.Connection] = []
        process.ledger = self  # whose process may die while it is opened
        super().__init__(world.file, timeout=0.001, clock=ProcessClock(world))

    def begin(self, *, guarded: bool = False) -> sqlite3.Connection:
        self._world.seam("the ledger, before a transaction")
        self._world.disk("begin")
        mine = self._world.scheduler.hold(self._world.lock)
        try:
            db = super().begin(guarded=guarded)
        except BaseException:
            if mine:
                self._world.lock.holder = None
            raise
        self.held.append(db)
        self._world.seam("the ledger, in a transaction")
        return db

    def end(self, db: sqlite3.Connection, *, broken: bool = False) -> None:
        self.held.remove(db)
        super().end(db, broken=broken)
        self._world.lock.holder = None
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
    """One process of the shop. `restart` makes everything in it anew."""

    def __init__(self, world: World, name: str, retries: int) -> None:
        self.world, self.name, self.retries = world, name, retries
        self.alive = False
        self.restart()

    def restart(self) -> None:
        """Open the ledger, the client, the receiver and the follower, as at the start of a program."""
        world = self.world
        env, clock = world.sandbox.env, ProcessClock(world)
        self.ledger = WorldLedger(self)
        merchant, base_url = merchant_from(Merchant, env)
        self.client = Client(
            base_url=base_url, merchant=merchant, timeout=TIMEOUT, paths=client_settings_from(Merchant, env).paths, retries=self.retries,
            clock=clock, transport=Wire(world),
        )  # fmt: skip
        found = settings_from(Merchant, Receiver.NUMBERS, env)
        self.receiver = Receiver(
            gateway_keys=found.gateway_keys, ledger=self.ledger, lease=LEASE, clock=clock, **found.numbers
        )
        for kind in ("orders", "refunds"):
            self.receiver.on_result(kind)(self._book)
        self.follower = Follower(self.client, self.ledger, receiver=self.receiver, lease=TIMEOUT * 2 + LEASE)
        self.alive = True

    def _book(self, event: Event[ItemResult]) -> None:
        """Book what became of an order or a refund."""
        data = event.data
        was = None if data.was is None else str(data.was)
        row = (data.kind, data.key, str(data.state), str(data.amount), was, int(data.is_paid))
        if self.world.chance("the handler raises", self.world.limits.handler):
            raise RuntimeError("the shop's stock is away")
        event.transaction.execute("INSERT INTO bookings VALUES (?, ?, ?, ?, ?, ?)", row)
        self.world.seam("a handler, after its effect")

    @property
    def owed(self) -> int:
        """How many claims the process has not given back yet, which nobody else can see."""
        return len(self.ledger.releases._owed)

    def die(self) -> None:
        """End it where it stands, as SIGKILL does."""
        self.alive = False
        for program in self.world.scheduler.kill(self):
            if self.world.lock.holder is program:
                self.world.lock.holder = None
        self.ledger.die()


class Shop:
    """What the shop's pages and people do, each in a program of one of its processes."""

    def __init__(self, world: World) -> None:
        self.world = world
        with self.own() as db:
            db.executescript(_TABLES)
        self.said: list[Said] = []

    @contextmanager
    def own(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction of the shop's own connection."""
        world = self.world
        world.seam("the shop's tables")
        world.scheduler.hold(world.lock)
        db = sqlite3.connect(world.file, timeout=0.001, isolation_level=None)
        program = world.scheduler.current()
        if program is not None and isinstance(program.owner, Process):
            program.owner.ledger.held.append(db)
        try:
            db.execute("BEGIN IMMEDIATE") if world.file.stat().st_size else None
            yield db
            if db.in_transaction:
                db.execute("COMMIT")
        finally:
            if program is not None and isinstance(program.owner, Process) and db in program.owner.ledger.held:
                program.owner.ledger.held.remove(db)
            db.close()
            world.lock.holder = None
        world.seam("the shop's tables, written")

    def _send(self, process: Process, kind: str, number: str, call: Callable[[], object]) -> None:
        """Make the only call with this number, as the samples do."""
        try:
            call()
        except OutcomeUnknown as error:
            self._say(number, error)
            return
        except PaywrightError as error:
            self._say(number, error)
            with self.own() as db:
                db.execute("UPDATE payments SET state = 'REFUSED' WHERE number = ? AND state = 'PLACED'", (number,))
            process.follower.close(kind, number, type(error).__name__)
            return
        self._say(number, None)
        process.follower.placed(kind, number)

    def _say(self, number: str, error: PaywrightError | None) -> None:
        said = Said(
            number, "" if error is None else type(error).__name__, error is None or error.call_may_have_moved_money
        )
        self.said.append(said)
        self.world.heard(said)

    def place(self, process: Process, number: str, amount: Decimal) -> None:
        """Write an order with its following, and place it."""
        follow = process.client.orders.follow(
            number, total_amount=amount, currency="USD", unknown=True,
            expires_at=self.world.now() + timedelta(minutes=30),
        )  # fmt: skip
        with self.own() as db:
            db.execute("INSERT INTO payments VALUES (?, 'orders', ?, 'PLACED')", (number, str(amount)))
            process.follower.open(db, follow)
        self._send(process, "orders", number, lambda: self.checkout(process, number, amount))

    def checkout(self, process: Process, number: str, amount: Decimal, **more: object) -> object:
        return process.client.orders.checkout(
            out_trade_no=number, subject="Tickets", total_amount=amount, currency="USD", user_id="user_7001",
            front_callback_url="https://shop.example/back", expire_time="1800", **more,
        )  # type: ignore[arg-type]  # fmt: skip

    def place_again(self, process: Process, number: str, amount: Decimal) -> None:
        """A person still wants an order of which nobody knows whether it is there."""
        try:
            permission = process.follower.permission("orders", number)
        except (TooEarly, InvalidArgument, PaywrightError):
            return
        try:
            self.checkout(process, number, amount, again=permission)
        except PaywrightError as error:
            self._say(number, error)
        else:
            self._say(number, None)

    def refund(self, process: Process, order: str, amount: Decimal) -> None:
        """A person gives an order back; a second click finds the number of the first."""
        number = f"REF_{order}"
        follow = process.client.refunds.follow(
            number, refund_amount=amount, refund_currency="USD", out_trade_no=order, unknown=True
        )
        with self.own() as db:
            there = db.execute("SELECT 1 FROM payments WHERE number = ?", (number,)).fetchone() is not None
            if not there:
                db.execute("INSERT INTO payments VALUES (?, 'refunds', ?, 'PLACED')", (number, str(amount)))
            is_new = process.follower.open(db, follow)
        if is_new:
            self._send(
                process, "refunds", number,
                lambda: process.client.refunds.create(
                    out_refund_no=number, refund_amount=amount, refund_currency="USD", out_trade_no=order
                ),
            )  # fmt: skip

    def came_back(self, process: Process, number: str) -> None:
        """The payer is back on the shop's page, which proves nothing."""
        with suppress(InvalidArgument):
            process.follower.hint("orders", number)

    def follow(self, process: Process) -> None:
        """Ask about what is due."""
        with suppress(LedgerProblem):
            process.follower.run_due()
