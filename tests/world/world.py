"""One world: the gateway, shops of two processes, payers and staff, on one clock, by one seed.

`World(folder, Choices(seed)).run()` plays it to its end and checks `invariants`. A world without a fault raises nothing. What
happened is in `story`, and `Choices.made` replays it.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from paywright import FixedClock, LedgerProblem
from tests.world import invariants
from tests.world.captures import Captures
from tests.world.databases import Database, SqliteDatabase
from tests.world.gateway import Gateway
from tests.world.machines import Process
from tests.world.people import People
from tests.world.post import Post
from tests.world.scheduler import Choices, Program, Scheduler, Violation
from tests.world.shop import Said, Shop

__all__ = ["MEMORY", "Limits", "World"]

MEMORY: Final = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Files that need no disk: a process that dies loses nothing that it had written."""
_START: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
_LONGEST: Final = timedelta(days=40).total_seconds()
_MOST_STEPS: Final = 10_000
"""Of each order. Hundreds are usual; a refund that is not there is asked about for a day."""
_YEAR: Final = 365 * 86_400
_ROUND: Final = 30.0
"""Seconds between two runs of the follower."""
_AWAKE: Final = 3 * 3600.0
"""After so many seconds it runs more and more seldom: most happens before."""


class Limits(NamedTuple):
    """How much happens in a world, and how likely a harm is at each place where there can be one.

    Without `people` each payer pays soon, and nobody else does anything. There are at most so many `harms` in all, and at most so
    many `switches` from a program that could go on to another. There are up to so many `shops`. The gateway contradicts itself if
    it pays an order `after_all` that had failed, answers from a `stale` replica, has a `false` amount in a notification, or
    writes a number otherwise (`spelled`). Harms of the network are `harmful` times as likely as usual. With `server`, the address of a PostgreSQL or MariaDB server, the shops' databases are there. `more` is the share of each of the things that only some worlds have.
    """

    orders: int = 3
    shops: int = 3
    death: float = 0.004
    disk: float = 0.004
    network: bool = True
    harmful: float = 1.0
    throttled: float = 0.005
    lost: float = 0.15
    clocks: float = 0.1
    apart: float = 0.05
    handler: float = 0.02
    forged: float = 0.1
    after_all: float = 0.3
    stale: float = 0.02
    false: float = 0.02
    spelled: float = 0.02
    careless: float = 0.03
    closed: float = 0.05
    more: float = 0.06
    audited: float = 0.05
    audits: int = 1
    pause: float = 0.005
    people: bool = True
    harms: int = 1_000_000
    switches: int = 1_000_000
    server: str = ""


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
        self.absences: dict[tuple[str, str], list[tuple[float, float]]] = {}
        self.shop_changed = False
        self.clock = FixedClock(_START)
        self.gateway = Gateway(self, folder, self.clock)
        self.captures, self.people, self.post = Captures(self), People(self), Post(self)
        self.shops: list[Shop] = []
        self._events: list[tuple[float, int, str, Callable[[], object]]] = []
        self._next = count()
        self._next_run = 0.0
        self._stack = ExitStack()

    # What the parts of the world use

    def now(self) -> datetime:
        return self.clock.now()

    def seconds(self, at: datetime) -> float:
        """Return a time in seconds from the beginning."""
        return (at - _START).total_seconds()

    def tell(self, line: str) -> None:
        """Add a line to the story; what happens again and again is told once."""
        if self.story and self.story[-1].endswith(f" {line}"):
            return
        self.story.append(f"{self.clock.now():%d %H:%M:%S} {line}")

    def seam(self, what: str) -> None:
        self.scheduler.seam(what)

    def at(self, shop: Shop | None, seconds: float, what: str, do: Callable[[], object]) -> None:
        """Have something happen later; with its shop's number in the story if there are several."""
        if shop is not None and shop.number > 1:
            what = f"{what} (shop {shop.number})"
        heappush(self._events, (self.scheduler.elapsed + seconds, next(self._next), what, do))

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

    def disk(self, step: str, error: type[Exception]) -> None:
        """Have the disk fail now and then: before a transaction, or so that nobody knows whether it was committed."""
        if self.scheduler.current() is not None and self.chance("the disk fails", self.limits.disk):
            self.tell(f"the disk fails at a {step}")
            if step == "commit":
                raise LedgerProblem("The ledger's file could not be written: disk I/O error.")
            raise error("database or disk is full")

    def heard(self, shop: Shop, said: Said) -> None:
        self.tell(f"the call for {said.key} ends with {said.error or 'a result'}")
        invariants.check_words(self, shop, said)

    def stop(self, process: Process) -> None:
        """End a process where it stands, and start it again."""
        process.die()
        self._restart(process)

    def processes(self) -> list[Process]:
        return [process for shop in self.shops for process in shop.processes]

    def waiting(self) -> object:
        """Return what is to come, and when."""
        return self.scheduler.elapsed, sorted((at, what) for at, _, what, _ in self._events)

    def left(self) -> object:
        """Return what else decides about the rest."""
        processes = [(process.alive, process.owed) for process in self.processes()]
        return self.harms, self.switches, self.wrong, self._next_run, processes, self.people.left(), self.post.left()

    # Its course

    def run(self) -> None:
        """Play the world to its end. Raises `Violation`."""
        with self._stack:
            made = self.folder = Path(
                self._stack.enter_context(TemporaryDirectory(prefix="paywright-world-", dir=MEMORY))
            )
            shops, limits = self.limits.shops, self.limits
            number = (
                1 + self.pick_by(("one shop", "two shops", "three shops")[:shops], (6, 2, 1)[:shops])
                if shops > 1
                else 1
            )
            self.sandbox = self._stack.enter_context(self.gateway.open(number))
            shares = number > 1 and self.pick_by(("each has a database", "one database for all")) == 1
            retries = self.pick_by(("no retry", "one retry")) if limits.network else 0
            self.captures.wanted = self.chance("an auditor looks", limits.audited)
            self._stack.callback(self._end)
            databases = [self._database(made / f"shop-{one}.db") for one in range(1 if shares else number)]
            for one in range(1, number + 1):
                self.shops.append(Shop(self, one, databases[0 if shares else one - 1], retries))
            self.people.plan()
            if self.chance("the clocks of two hosts are apart", limits.apart):
                off = timedelta(seconds=(4, -4)[self.pick_by(("ahead", "behind"))])
                for shop in self.shops:
                    shop.worker.off = off
            if self.chance("the shop's clock is wrong", limits.clocks):
                self._set_wrong()
            while self._go_on():
                self.counts["steps"] += 1
                if self.counts["steps"] > _MOST_STEPS * limits.orders:
                    raise Violation("it never ends")
                if self.gateway.changed and not self.gateway.away:
                    self.gateway.changed = False
                    self.post.send_notifications()
                if self.shop_changed:
                    self.shop_changed = False
                    invariants.check_step(self)
                self.at_each_step()
            invariants.check_end(self)

    def _database(self, file: Path) -> Database:
        if not self.limits.server:
            database = SqliteDatabase(self, file)
            self._stack.callback(database.close)
            return database
        if self.limits.server.startswith("mariadb:"):
            from tests.world.mariadb import MariaDatabase

            return MariaDatabase(self, self._stack)
        from tests.world.postgres import PostgresDatabase

        return PostgresDatabase(self, self._stack)

    def _set_wrong(self) -> None:
        """Have the shops' clock be wrong for a time; somebody sees to it that the follower runs when it is right again."""
        self.counts["wrong clocks"] += 1
        off = (90, -90, 3600, _YEAR, -_YEAR)[self.pick_by(("fast", "slow", "an hour", "a year ahead", "a year behind"))]
        self.counts["wrong years"] += abs(off) == _YEAR
        times = (30, 900), (3700, 40_000), (0, 5 * 86_400)
        begins, ends = times[self.pick_by(("early", "when orders are placed again", "all the time"))]
        for seconds, by in ((begins, timedelta(seconds=off)), (ends, timedelta(0))):
            self.at(None, seconds, f"the shop's clock is {by} off", partial(setattr, self, "wrong", by))
        for shop in self.shops:
            self.people.run_follower(shop, ends)

    def _end(self) -> None:
        self.scheduler.end()
        for process in self.processes():
            process.ledger.die()

    def _go_on(self) -> bool:
        """Let one program go on, or a process die, or time pass. Return False when all is over."""
        ready = self.scheduler.ready()
        if ready and self._events and self.chance("time passes meanwhile", self.limits.pause):
            self.counts["late"] += 1
            self.tell(f"{ready[0].name} stands still at {ready[0].at}")
            self._pass_time()
            return True  # when no more time is to pass, it goes on
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
        self.stop(process)

    def _restart(self, process: Process) -> None:
        def start() -> None:
            try:
                process.restart()
            except (LedgerProblem, sqlite3.OperationalError):
                self._restart(process)

        self.at(
            None, 5, f"{process.name} starts again", partial(self.start, f"the start of {process.name}", process, start)
        )

    def _pass_time(self) -> bool:
        """Move the clock to what comes next: a person, a timer of the gateway, a pause's end, or what the follower is to ask."""
        elapsed = self.scheduler.elapsed
        waits = [program.until for program in self.scheduler.programs if program.until is not None]
        timer = self.gateway.next_due()
        due = {shop: self.seconds(one - self.wrong) for shop in self.shops if (one := shop.next_due()) is not None}
        asks = [max(min(due.values()), self._next_run)] if due else []
        soonest = min(
            [*waits, *([] if timer is None else [timer]), *asks, *(at for at, *_ in self._events[:1])], default=None
        )
        if soonest is None or elapsed > _LONGEST:
            return False
        if soonest > elapsed:
            self.clock.advance(_START + timedelta(seconds=soonest) - self.clock.now())
            self.scheduler.elapsed = soonest
        if timer is not None and timer <= soonest:
            self.sandbox.engine.run_due_timers()
            self.gateway.changed = True
        happened = False
        while self._events and self._events[0][0] <= self.scheduler.elapsed:
            _, _, what, do = heappop(self._events)
            self.tell(what)
            do()
            happened = True
        if happened:
            return True
        if asks and asks[0] <= self.scheduler.elapsed:
            now = self.scheduler.elapsed
            self._next_run = now + max(_ROUND, (now - _AWAKE) / 5)
            two = self.limits.people and self.pick_by(("one follower", "two"), (0.8, 0.2)) == 1
            for shop in (one for one, at in due.items() if at <= now):
                for process in (shop.worker, shop.web)[: 1 + two]:
                    self.start(f"the follower's run of {process.name}", process, partial(shop.follow, process))
                self.people.look_around(shop)
        elif not waits and timer is None:
            return False
        return True
