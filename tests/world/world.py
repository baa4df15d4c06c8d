"""One world: the gateway, a shop of two processes, payers and staff, on one clock, by one seed.

`World(folder, Choices(seed)).run()` plays it to its end and checks `invariants`. A world without a fault raises nothing. What
happened is in `story`, and `Choices.made` replays it.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from paywright import FixedClock, LedgerProblem
from paywright_runtime.transport.api import RawAnswer, SignedRequest
from paywright_sandbox.delivery.outbox import Notification
from paywright_sandbox.delivery.tasks import outgoing_request
from paywright_sandbox.resources.payments.order import PaymentOrder
from paywright_sandbox.resources.refunds import OrderRefund
from paywright_sandbox.testing.inprocess import InProcessTransport, in_process_sandbox
from tests.outcomes.spoils import STRANGER
from tests.world import invariants
from tests.world.network import FOR_EVER
from tests.world.scheduler import Choices, Lock, Program, Scheduler, Violation
from tests.world.shop import LEASE, Process, Said, Shop

__all__ = ["MEMORY", "Limits", "World"]

MEMORY: Final = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Files that need no disk: a process that dies loses nothing that it had written."""
_START: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
_LONGEST: Final = timedelta(days=40).total_seconds()
_MOST_STEPS: Final = 30_000
"""Hundreds are usual; a refund that is not there is asked about every five minutes for a day."""
_ROUND: Final = 30.0
"""Seconds between two runs of the follower."""
_MOST_SENT: Final = 12
_PATIENCE: Final = 60.0
"""Seconds after which the gateway sends a notification again that was not acknowledged."""


class Limits(NamedTuple):
    """How much happens in a world, and how likely a harm is at each place where there can be one.

    Without `people` each payer pays soon, and nobody else does anything. There are at most so many
    `harms` in all, and at most so many `switches` from a program that could go on to another.
    """

    orders: int = 3
    death: float = 0.004
    disk: float = 0.004
    network: bool = True
    lost: float = 0.15
    clocks: float = 0.1
    handler: float = 0.02
    forged: float = 0.1
    audited: float = 0.05
    pause: float = 0.005
    people: bool = True
    harms: int = 1_000_000
    switches: int = 1_000_000


@dataclass
class _Sent:
    """A delivery: how often it was sent, and whether the shop has acknowledged it."""

    times: int = 0
    acknowledged: bool = False


class World:
    """A world before its end. `folder` is a sandbox's."""

    def __init__(self, folder: Path, choices: Choices, limits: Limits) -> None:
        self.limits = limits
        self.story: list[str] = []
        self.scheduler = Scheduler(choices, self.tell)
        self.pick_by = choices.pick
        self.harms, self.switches = limits.harms, limits.switches
        self.at_each_step: Callable[[], object] = lambda: None
        self.wrong = timedelta(0)
        self.counts: Counter[str] = Counter()
        self.gateway_changed = self.shop_changed = False
        self.folder = folder
        self._events: list[tuple[float, int, str, Callable[[], object]]] = []
        self._next = count()
        self._next_run = 0.0
        self._seen = 0
        self._looked_at: set[str] = set()
        self._tried: Counter[str] = Counter()
        self._sent: dict[int, _Sent] = {}
        self._stack = ExitStack()

    # What the parts of the world use

    def now(self) -> datetime:
        return self.clock.now()

    def tell(self, line: str) -> None:
        """Add a line to the story; what happens again and again is told once."""
        if self.story and self.story[-1].endswith(f" {line}"):
            return
        self.story.append(f"{self.clock.now():%d %H:%M:%S} {line}")

    def seam(self, what: str) -> None:
        self.scheduler.seam(what)

    def start(self, name: str, owner: object, work: Callable[[], object]) -> None:
        """Start a program. It may end with a ledger that cannot be used, as a page does with an error."""

        def run() -> None:
            try:
                work()
            except (LedgerProblem, sqlite3.OperationalError) as problem:
                self.tell(f"{name} ends: {problem}")
            except Violation:
                raise
            except Exception as error:
                raise Violation(f"{name} broke off with {type(error).__name__}: {error}") from error

        if isinstance(owner, Process) and not owner.alive and not name.startswith("the start"):
            return self.tell(f"{name} is refused: {owner.name} is down")
        self.tell(f"{name} begins")
        return self.scheduler.start(name, owner, run)

    def pick(self, what: str, options: Sequence[str], weights: Sequence[float] | None = None) -> int:
        """Pick what becomes of something that can be harmed; the first option is that it is not."""
        if self.harms == 0:
            return 0
        picked = self.pick_by(options, weights)
        self.harms -= picked > 0
        return picked

    def chance(self, what: str, share: float) -> bool:
        """Return whether something happens that seldom does."""
        happens = share > 0 and self.harms > 0 and self.pick_by(("no", what), (1 - share, share)) == 1
        self.harms -= happens
        return happens

    def disk(self, step: str) -> None:
        """Have the disk fail now and then: before a transaction, or so that nobody knows whether it was committed."""
        if self.scheduler.current() is not None and self.chance("the disk fails", self.limits.disk):
            self.tell(f"the disk fails at a {step}")
            if step == "commit":
                raise LedgerProblem("The ledger's file could not be written: disk I/O error.")
            raise sqlite3.OperationalError("database or disk is full")

    def answer(self, request: SignedRequest) -> RawAnswer:
        """Have the gateway answer a request."""
        self.counts["exchanges"] += 1
        self.gateway_changed = True
        return self._gateway.send(request, FOR_EVER)

    def heard(self, said: Said) -> None:
        self.tell(f"the call for {said.key} ends with {said.error or 'a result'}")
        invariants.check_words(self, said)

    def orders(self) -> list[PaymentOrder]:
        """Return the gateway's orders."""
        with self.sandbox.engine.transaction() as context:
            return list(context.state.select(PaymentOrder, "ORDER BY id"))

    def refunds(self) -> list[OrderRefund]:
        """Return the gateway's refunds."""
        with self.sandbox.engine.transaction() as context:
            return list(context.state.select(OrderRefund, "ORDER BY refunds.id"))

    def rows(self, question: str) -> list[Any]:
        """Ask the shop's database."""
        db = sqlite3.connect(self.file)
        try:
            return db.execute(question).fetchall()
        finally:
            db.close()

    def gateway_state(self) -> object:
        """Return what the gateway has."""
        with self.sandbox.engine.transaction() as context:
            kinds = {PaymentOrder: "orders", OrderRefund: "refunds", Notification: "notifications"}
            return [
                repr(row) for kind, table in kinds.items() for row in context.state.select(kind, f"ORDER BY {table}.id")
            ]

    def waiting(self) -> object:
        """Return what is to come, and when."""
        return self.scheduler.elapsed, sorted((at, what) for at, _, what, _ in self._events)

    def left(self) -> object:
        """Return what else decides about the rest."""
        return (
            self.harms,
            self.switches,
            self.wrong,
            self.web.alive,
            self.worker.alive,
            self._next_run,
            sorted(self._tried.items()),
            [(sent.times, sent.acknowledged) for sent in self._sent.values()],
            [process.owed for process in (self.web, self.worker)],
        )

    # Its course

    def run(self) -> None:
        """Play the world to its end. Raises `Violation`."""
        with self._stack:
            made = self._stack.enter_context(TemporaryDirectory(prefix="paywright-world-", dir=MEMORY))
            self.file = Path(made) / "shop.db"
            self.file.touch(0o600)
            self.clock = FixedClock(_START)
            policies = {"refund-settles-after": 120, "refund-fails-at": ["1.01"], "bounce-notice": "payment"}
            self.sandbox = self._stack.enter_context(
                in_process_sandbox(self.folder, policies=policies, clock=self.clock, seed="world")
            )
            for merchant in self.sandbox.engine.merchants.registered:
                merchant.addresses |= dict.fromkeys(("notify-url", "refund-notify-url"), "http://127.0.0.1:9/")
            self._gateway = InProcessTransport(self.sandbox.engine)
            self.lock = Lock()
            retries = self.pick_by(("no retry", "one retry")) if self.limits.network else 0
            self.web, self.worker = Process(self, "web", retries), Process(self, "worker", retries)
            self.shop = Shop(self)
            self._stack.callback(self._end)
            self._plan()
            while self._go_on():
                self.counts["steps"] += 1
                if self.counts["steps"] > _MOST_STEPS:
                    raise Violation("it never ends")
                if self.gateway_changed:
                    self.gateway_changed = False
                    self._send_notifications()
                if self.shop_changed:
                    self.shop_changed = False
                    invariants.check_step(self)
                self.at_each_step()
            invariants.check_end(self)

    def _end(self) -> None:
        self.scheduler.end()
        for process in (self.web, self.worker):
            process.ledger.die()

    def _at(self, seconds: float, what: str, do: Callable[[], object]) -> None:
        heappush(self._events, (self.scheduler.elapsed + seconds, next(self._next), what, do))

    def _plan(self) -> None:
        """Draw what people will do."""
        for number in range(self.limits.orders):
            order, amount, begins = f"ORD_{number}", Decimal(1000 + number) / 100, 60.0 * number
            place = partial(self.start, f"placing {order}", self.web, partial(self.shop.place, self.web, order, amount))
            self._at(begins, f"somebody buys {order}", place)
            if self._people(("pays", "leaves"), (0.85, 0.15)):
                continue
            pays = (90, 20, 1700)[self._people(("soon", "at once", "late"), (6, 3, 1))]
            self._at(begins + pays, f"{order} is paid", partial(self._pay, order))
            if self._people(("closes the page", "comes back")):
                self._at(begins + 100, f"the payer of {order} is back", partial(self._page, "came_back", order))
            what = self._people(
                ("is kept", "is given back", "is given back twice at once", "is returned"), (5, 2, 2, 1)
            )
            if what in (1, 2):
                given = Decimal("1.01") if self._people(("all", "a part that fails"), (4, 1)) else amount
                for _ in range(what):
                    self._at(7200, f"staff gives {order} back", partial(self._refund, order, given))
            elif what == 3:
                returns = (90_000, begins + pays + 1)[self._people(("a day later", "at once"))]
                self._at(returns, f"the bank returns {order}", partial(self._bounce, order))
            if self.chance("a stranger notifies", self.limits.forged):
                self._at(
                    begins + pays - 5, f"a stranger says that {order} is paid", partial(self._forge, order, amount)
                )
        if self.chance("the shop's clock is wrong", self.limits.clocks):
            self.counts["wrong clocks"] += 1
            off = (90, -90, 3600)[self.pick_by(("fast", "slow", "an hour"))]
            for seconds, by in ((30, timedelta(seconds=off)), (900, timedelta(0))):
                self._at(seconds, f"the shop's clock is {by} off", partial(setattr, self, "wrong", by))

    def _people(self, options: Sequence[str], weights: Sequence[float] | None = None) -> int:
        return self.pick_by(options, weights) if self.limits.people else 0

    def _pay(self, order: str) -> None:
        self.gateway_changed = True
        with suppress(LookupError):  # it is not there, or over
            self.sandbox.pay(order)

    def _bounce(self, order: str) -> None:
        self.gateway_changed = True
        with suppress(LookupError):
            self.sandbox.done("POST", f"orders/{order}/bounce")

    def _forge(self, order: str, amount: Decimal) -> None:
        """Deliver what a stranger signed."""
        env = self.sandbox.env
        data = {"outTradeNo": order, "totalAmount": str(amount), "currency": "USD", "status": "SUCCESS"}
        names = {"appId": env["PAYWRIGHT_APP_ID"], "merchantNo": env["PAYWRIGHT_MERCHANT_NO"]}
        body = {
            "notifyType": "PAYMENT",
            "code": "APPLY_SUCCESS",
            "data": data,
            **names,
            "notifyTime": self.now().isoformat(),
        }
        raw = json.dumps(body).encode()
        self.start(
            f"a forged notification about {order}",
            self.web,
            lambda: self.web.receiver.receive(raw, {"sign": STRANGER.sign(raw)}),
        )

    def _page(self, what: str, order: str) -> None:
        self.start(f"{what} {order}", self.web, partial(getattr(self.shop, what), self.web, order))

    def _refund(self, order: str, amount: Decimal) -> None:
        if self.rows(f"SELECT 1 FROM bookings WHERE number = '{order}' AND state = 'SUCCESS'"):
            self.start(f"refunding {order}", self.web, partial(self.shop.refund, self.web, order, amount))

    def _go_on(self) -> bool:
        """Let one program go on, or a process die, or time pass. Return False when all is over."""
        ready = self.scheduler.ready()
        if ready and self._events and self.chance("time passes meanwhile", self.limits.pause):
            self.counts["late"] += 1
            self.tell(f"{ready[0].name} stands still at {ready[0].at}")
            return self._pass_time()
        if ready:
            ready.sort(key=lambda one: one is not self.scheduler.last)
            number = self.pick_by([one.name for one in ready]) if len(ready) > 1 and self.switches else 0
            program = ready[number]
            if number and ready[0] is self.scheduler.last:
                self.switches -= 1
            if isinstance(program.owner, Process) and self.chance(f"{program.owner.name} dies", self.limits.death):
                self._die(program.owner, program)
            else:
                self.scheduler.resume(program)
            return True
        return self._pass_time()

    def _die(self, process: Process, program: Program) -> None:
        self.tell(f"{process.name} is killed: {program.name} was at {program.at}")
        self.counts["deaths"] += 1
        process.die()
        self._restart(process)

    def _restart(self, process: Process) -> None:
        def start() -> None:
            try:
                process.restart()
            except (LedgerProblem, sqlite3.OperationalError):
                self._restart(process)

        self._at(5, f"{process.name} starts again", partial(self.start, f"the start of {process.name}", process, start))

    def _pass_time(self) -> bool:
        """Move the clock to what comes next: a person, a timer of the gateway, a pause's end, or what the follower is to ask."""
        elapsed = self.scheduler.elapsed
        waits = [program.until for program in self.scheduler.programs if program.until is not None]
        with self.sandbox.engine.transaction() as context:
            timer = context.state.next_due()
        timers = [] if timer is None else [(timer - _START).total_seconds()]
        due = self.worker.follower.next_due()
        asks = [] if due is None else [max((due - self.wrong - _START).total_seconds(), self._next_run)]
        soonest = min([*waits, *timers, *asks, *(at for at, *_ in self._events[:1])], default=None)
        if soonest is None or elapsed > _LONGEST:
            return False
        if soonest > elapsed:
            self.clock.advance(_START + timedelta(seconds=soonest) - self.clock.now())
            self.scheduler.elapsed = soonest
        if timers and timers[0] <= soonest:
            self.sandbox.engine.run_due_timers()
            self.gateway_changed = True
        happened = False
        while self._events and self._events[0][0] <= self.scheduler.elapsed:
            _, _, what, do = heappop(self._events)
            self.tell(what)
            do()
            happened = True
        if happened:
            return True
        if asks and asks[0] <= self.scheduler.elapsed:
            self._next_run = self.scheduler.elapsed + _ROUND
            for process in (self.worker, self.web)[: 1 + self._people(("one follower", "two"), (0.8, 0.2))]:
                self.start(f"the follower's run of {process.name}", process, partial(self.shop.follow, process))
            self._look_after_items()
        elif not waits and not timers:
            return False
        return True

    def _look_after_items(self) -> None:
        """Staff looks each day at what waits for a person."""
        waiting = [item.key for item in self.worker.follower.open_items() if item.step in ("place_again", "decide")]
        for key in waiting:
            if key not in self._looked_at:
                self._looked_at.add(key)
                self._at(3600, f"staff looks at {key}", partial(self._look_at, key))

    def _look_at(self, key: str) -> None:
        """Place an order again that is still wanted, or close what the gateway, asked on the telephone, never had."""
        self._looked_at.discard(key)
        kind = "refunds" if key.startswith("REF_") else "orders"
        item = self.worker.follower.get(kind, key)
        if item is None or item.status != "open":
            return
        there = {order.out_trade_no for order in self.orders()} | {one.out_refund_no for one in self.refunds()}
        if kind == "orders" and self.pick_by(("is wanted", "is not wanted"), (2, 1)) == 0 and self._tried[key] < 3:
            self._tried[key] += 1
            again = partial(self.shop.place_again, self.web, key, Decimal(1000 + int(key[4:])) / 100)
            self.start(f"placing {key} again", self.web, again)
        elif key not in there:
            self.start(f"closing {key}", self.web, partial(self.web.follower.close, kind, key, "never placed"))

    # Notifications

    def _send_notifications(self) -> None:
        """Take new notifications out of the gateway's outbox, and draw what becomes of each."""
        engine = self.sandbox.engine
        with engine.transaction() as context:
            rows = list(context.state.select(Notification, "WHERE id > ? ORDER BY id", self._seen))
        for row in rows:
            self._seen = row.id
            headers = dict(outgoing_request(engine, row).headers)
            fates = ("comes", "comes twice", "comes late", "comes a day late", "is lost")
            lost = 0.0 if b"BOUNCEBACK" in row.body else self.limits.lost  # nobody asks for the return of a paid order
            share = self.limits.lost
            fate = (
                self.pick("notification", fates, (1.0 - 2 * share, share / 2, share / 3, share / 6, lost))
                if share
                else 0
            )
            self.tell(f"a notification about {row.about} {fates[fate]}")
            for wait in ((2.0,), (2.0, 2.0), (4000.0,), (100_000.0,), ())[fate]:
                self._at(
                    wait,
                    f"a notification about {row.about} arrives",
                    partial(self._deliver, row.about, row.body, headers),
                )

    def _deliver(self, about: str, raw: bytes, headers: dict[str, str]) -> None:
        """Deliver a notification; what is not acknowledged is sent again."""
        sent = self._sent[len(self._sent)] = _Sent()

        def receive() -> None:
            reply = self.web.receiver.receive(raw, {"sign": headers["sign"]})
            self.tell(f"the receiver says {reply.outcome} of {about}")
            sent.acknowledged = sent.acknowledged or reply.acknowledged

        def send() -> None:
            if not sent.acknowledged and sent.times < _MOST_SENT:
                sent.times += 1
                self._at(_PATIENCE + LEASE, f"the gateway looks after the notification about {about}", send)
                self.start(f"receiving {about}", self.web, receive)

        send()
