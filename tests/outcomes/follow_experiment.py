"""One run of following: a gateway under its clock, a shop with two followers and two receivers, and what they come to.

Orders are placed, paid or left, some are refunded or returned. A tenth of all answers is harmed, three in ten notifications are
dropped, late, doubled or out of order, and the shop's processes are killed. What is drawn is drawn by key, whoever asks when.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Final

from paywright import FixedClock
from paywright_receiver import Follower
from paywright_sandbox.delivery.outbox import Notification
from paywright_sandbox.delivery.tasks import outgoing_request
from paywright_sandbox.resources.payments.order import PaymentOrder
from paywright_sandbox.resources.refunds import OrderRefund
from paywright_sandbox.testing.inprocess import InProcessSandbox, in_process_sandbox
from tests.outcomes.follow_gateway import Direct, Gateway, Process
from tests.outcomes.follow_processes import Books, follow, new_client, new_ledger, receive
from tests.outcomes.follow_shop import Delivery, NaivePoller, Shop, new_books
from tests.outcomes.follow_tally import FollowTally

__all__ = ["KILLS", "followed"]

_MEMORY: Final = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Files that need no disk: what is tested is the death of processes, which loses nothing that was written."""
_START: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
_ROUND: Final = timedelta(seconds=30)
_AT_ONCE: Final = timedelta(seconds=5)
"""What is delivered so shortly before a round comes while the followers ask."""
_LONGEST: Final = timedelta(days=60)
KILLS: Final = 0.004
"""The part of the questions and deliveries that end with the death of the process."""
LOST: Final = 0.12
"""The part of the notifications that never come."""
REFUNDS: Final = timedelta(seconds=2)
"""How long a refund takes: the sandbox's own policy."""
_POLLED: Final = 0.05
"""The part of the orders that the naive poller has too: it asks every minute."""


def followed(
    orders: int,
    seed: str,
    folder: Path,
    database: str = "",
    *,
    kills: float = KILLS,
    refunds: timedelta = REFUNDS,
    lost: float = LOST,
    planted: str = "",
) -> FollowTally:
    """Run so many orders to their end. `folder` is a sandbox's; `database` is "" for SQLite, or a server's connection string.

    `kills` is the part of questions and deliveries that end with the death of the process, `refunds` how long a refund takes,
    `lost` the part of the notifications that never come. `planted` is SQL that makes the shop a faulty one.
    """
    policies = {
        "refund-settles-after": refunds // timedelta(seconds=1), "refund-fails-at": ["1.01"], "bounce-notice": "payment",
    }  # fmt: skip
    started, clock = time.monotonic(), FixedClock(_START)
    with ExitStack() as stack:
        made = Path(stack.enter_context(TemporaryDirectory(prefix="paywright-follow-", dir=_MEMORY)))
        sandbox = stack.enter_context(in_process_sandbox(folder, policies=policies, clock=clock, seed=seed))
        for merchant in sandbox.engine.merchants.registered:
            merchant.addresses |= dict.fromkeys(("notify-url", "refund-notify-url"), "http://127.0.0.1:9/")
        books, connect = stack.enter_context(new_books(database, made, sandbox.env))
        if planted:
            with connect() as db:
                db.execute(planted)
            db.close()
        run = _Run(sandbox, clock, books, connect, seed, kills, lost)
        stack.callback(run.end)
        run.plan(orders)
        run.run()
        tally = run.judge(orders)
    tally.seconds = time.monotonic() - started
    return tally


class _Run:
    def __init__(
        self,
        sandbox: InProcessSandbox,
        clock: FixedClock,
        books: Books,
        connect: Callable[[], Any],
        seed: str,
        kills: float,
        lost: float,
    ) -> None:
        self._sandbox, self._clock, self._seed, self._kills, self._connect = sandbox, clock, seed, kills, connect
        self._lost = lost
        self._links: dict[str, tuple[Decimal, datetime, bool]] = {}
        self._gateway = Gateway(sandbox, seed)
        self._ledger = new_ledger(books)
        self._client = new_client(books, clock, Direct(self._gateway.through("placing")))
        self._follower = Follower(self._client, self._ledger)
        self._shop = Shop(self._client, self._follower, connect)
        self._naive = NaivePoller(new_client(books, clock, Direct(self._gateway.through("naive"))))
        self._followers = [Process(follow, books) for _ in range(2)]
        self._receivers = [Process(receive, books) for _ in range(2)]
        self._threads = ThreadPoolExecutor(4)
        self._events: list[tuple[datetime, int, Callable[[], object]]] = []
        self._arrived: list[tuple[datetime, list[Delivery]]] = []
        self._lock = Lock()
        self._next = count()
        self._seen = 0
        self._held: list[Delivery] = []
        self._heard: set[str] = set()
        self._dropped: Counter[str] = Counter()
        self._chance = Random(f"{seed}:kills")
        self._outcomes: Counter[str] = Counter()

    def end(self) -> None:
        for process in (*self._followers, *self._receivers):
            process.end()
        self._threads.shutdown()
        self._ledger.close()

    # What happens

    def _at(self, when: datetime, what: Callable[[], object]) -> None:
        heappush(self._events, (when, next(self._next), what))

    def plan(self, orders: int) -> None:
        """Draw what becomes of each order: most are paid within minutes, a tenth is left."""
        for number in range(orders):
            key, random = f"ORD_{number}", Random(f"{self._seed}:plan:{number}")
            placed = _START + timedelta(seconds=random.uniform(0, 7200))
            amount = Decimal(random.randrange(200, 100_000)) / 100
            self._at(placed, partial(self._place, key, amount, placed))
            if random.random() < _POLLED:
                self._at(placed, partial(self._naive.open.add, key))
            if random.random() < 0.1:
                continue
            paid = placed + timedelta(seconds=min(random.lognormvariate(4.3, 0.9), 1700))  # 74 seconds at the median
            self._at(paid, partial(self._sandbox.pay, key))
            if random.random() < 0.6:
                back = paid + timedelta(seconds=random.uniform(1, 5))
                self._at(back, partial(self._shop.came_back, key))
            chance = random.random()
            if chance < 0.3:
                part = Decimal("1.01") if chance < 0.02 else amount if chance < 0.15 else amount / 2
                part = part.quantize(Decimal("0.01"))
                later = paid + timedelta(hours=random.uniform(1, 30))
                self._at(later, partial(self._shop.refund, f"REF_{key}", key, part))
            elif chance < 0.32:
                later = paid + timedelta(days=1)
                self._at(later, partial(self._sandbox.done, "POST", f"orders/{key}/bounce"))

        for number in range(orders // 20):
            random = Random(f"{self._seed}:link:{number}")
            made = _START + timedelta(seconds=random.uniform(0, 7200))
            paid = None if random.random() < 0.3 else made + timedelta(hours=random.uniform(0, 11))
            self._at(made, partial(self._link, f"LINK_{number}", Decimal(random.randrange(200, 9_000)) / 100, paid))

    def _link(self, key: str, amount: Decimal, paid: datetime | None) -> None:
        """Make a payment link, which lasts half a day; its payers come by the cashier alone, and nothing tells of it."""
        until = self._clock.now() + timedelta(hours=12)
        body = {
            "merchantLinkId": key,
            "amount": str(amount),
            "currency": "USD",
            "country": "SG",
            "description": "Tickets",
        }
        link = self._sandbox.done("POST", "links", {**body, "expiresAt": until.isoformat()})
        self._links[key] = amount, until, paid is not None
        self._shop.link(key)
        if paid is not None:
            self._at(paid, partial(self._pay_link, str(link["linkId"])))

    def _pay_link(self, link: str) -> None:
        order = self._sandbox.done("POST", f"links/{link}/open", {"userName": "A Payer"})
        self._sandbox.pay(str(order["outTradeNo"]))

    def _place(self, key: str, amount: Decimal, placed: datetime) -> None:
        self._shop.place(key, amount, placed + timedelta(seconds=1800))

    def _sent(self) -> None:
        """Take new notifications out of the sandbox's outbox, and draw what becomes of each."""
        engine = self._sandbox.engine
        with engine.transaction() as context:
            rows = context.state.select(Notification, "WHERE id > ? ORDER BY id", self._seen)
        for row in rows:
            self._seen = row.id
            if not row.about.startswith(("ORD_", "REF_")):
                continue  # the order of a link is none of the shop's: it follows the link
            headers = dict(outgoing_request(engine, row).headers)
            one = Delivery(row.about, row.body, headers["sign"])
            random = Random(f"{self._seed}:told:{row.about}:{row.body.count(b'BOUNCEBACK')}")
            now, held = self._clock.now(), self._held
            self._held = []
            fate = random.random()
            if fate < self._lost and b"BOUNCEBACK" not in row.body:  # nobody asks for the return of a paid order again
                self._dropped[row.about] += 1
                continue
            fate = random.random()
            if fate < 0.07:
                self._deliver(one, timedelta(minutes=random.uniform(10, 480)))
            elif fate < 0.14:
                self._at(now + timedelta(seconds=3), partial(self._arrive, one, one))
            elif fate < 0.21:
                self._held = [one]
            else:
                self._deliver(one, timedelta(seconds=3))
            for earlier in held:
                self._deliver(earlier, timedelta(seconds=4))

    def _deliver(self, one: Delivery, after: timedelta) -> None:
        self._at(self._clock.now() + after, partial(self._arrive, one))

    def _arrive(self, *copies: Delivery) -> None:
        self._arrived.append((self._clock.now(), list(copies)))

    # Rounds

    def run(self) -> None:
        """Go from round to round, each half a minute or what is due later, until nothing is open or to come."""
        until = _START
        while self._events or self._held or self._follower.counts()["open"]:
            if until > _START + _LONGEST:
                return
            while self._events and self._events[0][0] <= until:
                when, _, what = heappop(self._events)
                if when > self._clock.now():
                    self._clock.advance(when - self._clock.now())
                what()
                self._sent()
            self._clock.advance(until - self._clock.now())
            self._sandbox.engine.run_due_timers()
            self._sent()
            if not self._events:
                for one in self._held:
                    self._deliver(one, timedelta(seconds=4))
                self._held = []
            self._work()
            until = self._next_round(until)

    def _next_round(self, until: datetime) -> datetime:
        with self._sandbox.engine.transaction() as context:
            timer = context.state.next_due()
        waiting = [when for when in (timer, self._follower.next_due()) if when is not None]
        waiting += [when for when, *_ in self._events[:1]]
        waiting += (
            [until + timedelta(seconds=60 - until.second)] if self._naive.open - self._naive.credited.keys() else []
        )
        soonest = min(waiting, default=until)
        return until + _ROUND * max(1, -((until - soonest) // _ROUND))

    def _work(self) -> None:
        """Let both followers and both receivers work at once, until nothing is due at this time."""
        now = self._clock.now()
        early = [copies for at, copies in self._arrived if at <= now - _AT_ONCE]
        late = [copies for at, copies in self._arrived if at > now - _AT_ONCE]
        self._arrived = []
        for lane in self._begin(early):
            lane.result()
        lanes = self._begin(late)
        while True:
            asking = self._gateway.through("follow")
            done = [self._threads.submit(one.do, now, asking, self._dies) for one in self._followers]
            taken = [one.result() for one in done]
            due = self._follower.next_due()
            if due is None or due > now:
                break
            if not any(taken):
                time.sleep(0.05)  # who was killed has left a lease, which ends by the machine's clock
        if now.second == 0:
            self._naive.poll(now)
        for lane in lanes:
            lane.result()

    def _begin(self, arrived: list[list[Delivery]]) -> list[Future[None]]:
        """Begin to deliver, to both receivers at once: what comes twice comes to both."""
        self._naive.begin()
        lanes: tuple[list[Delivery], list[Delivery]] = ([], [])
        for number, copies in enumerate(arrived):
            for place, one in enumerate(copies, number):
                lanes[place % 2].append(one)
        pairs = zip(self._receivers, lanes, strict=True)
        return [self._threads.submit(self._receive, *pair) for pair in pairs if pair[1]]

    def _dies(self) -> str:
        return self._chance.choice(("before", "after")) if self._chance.random() < self._kills else ""

    def _receive(self, process: Process, lane: list[Delivery]) -> None:
        now = self._clock.now()
        for one in lane:
            told = process.do((now, one.raw, one.signature), dies=self._dies)
            if told is not None:
                self._outcomes[told[0]] += 1
            if told is None or not told[1]:
                with self._lock:
                    self._deliver(one, timedelta(minutes=1))
                continue
            self._heard.add(one.about)
            self._naive.told(one, now)

    # The end

    def judge(self, orders: int) -> FollowTally:
        """Compare the shop's effects with what the gateway has."""
        with self._sandbox.engine.transaction() as context:
            orders_placed = context.state.select(PaymentOrder, "ORDER BY id")
            refunds = context.state.select(OrderRefund, "ORDER BY refunds.id")
        truth: dict[tuple[str, str, str], tuple[Decimal, datetime]] = {}
        for key, (amount, until, _) in self._links.items():
            truth["payment_links", key, "EXPIRED"] = amount, until
        for order in orders_placed:
            if not order.out_trade_no.startswith("ORD_"):
                continue  # of a link
            assert order.finished_at is not None
            first = "SUCCESS" if order.bounced_at else order.status
            truth["orders", order.out_trade_no, first] = Decimal(order.amount), order.finished_at
            if order.bounced_at:
                truth["orders", order.out_trade_no, order.status] = Decimal(order.amount), order.bounced_at
        for refund in refunds:
            assert refund.finished_at is not None
            truth["refunds", refund.out_refund_no, refund.status] = Decimal(refund.amount), refund.finished_at
        with self._connect() as db:
            rows = db.execute("SELECT kind, key, state, amount, at, was, paid FROM effects").fetchall()
            things = db.execute("SELECT count(*) FROM things").fetchone()[0]
        db.close()
        effects = [row[:5] for row in rows]
        had = Counter((kind, key, status) for kind, key, status, *_ in effects)
        tally = FollowTally(orders=orders, refunds=len(refunds), links=len(self._links))
        counts = self._follower.counts()
        tally.open, tally.settled = counts["open"], counts["settled"]
        tally.forgotten = things - sum(counts.values())
        tally.twice = sum(had.values()) - len(had)
        tally.not_there = len(had.keys() - truth.keys())
        tally.missing = len(truth.keys() - had.keys())
        for (_, _, status), (amount, _) in truth.items():
            tally.gateway_sums[status] += amount
        for *_, status, told, _ in effects:
            tally.shop_sums[status] += Decimal(told)
        for kind, key, status, _, at in effects:
            if (kind, key, status) in truth and kind == "orders" and status == "SUCCESS":
                tally.minutes.append((datetime.fromisoformat(at) - truth[kind, key, status][1]) / timedelta(minutes=1))
        tally.gateway_balance = sum(
            (Decimal(one.amount) for one in orders_placed if one.status == "SUCCESS"), Decimal(0)
        )
        tally.gateway_balance -= sum(
            (Decimal(one.amount) for one in refunds if one.status == "REFUND_SUCCESS"), Decimal(0)
        )
        self._compare_records(tally, rows)
        self._count_questions(tally, [key for _, key, _ in truth])
        for key, times in self._naive.credited.items():
            paid = truth["orders", key, "SUCCESS"][1]
            tally.naive_minutes.append((times[0] - paid) / timedelta(minutes=1))
            tally.naive_twice += len(times) > 1
        tally.outcomes = self._outcomes
        return tally

    def _compare_records(self, tally: FollowTally, effects: list[Any]) -> None:
        """Compare each item of the book with the last effect of its handler, and add up what the merchant booked."""
        last: dict[tuple[str, str], tuple[str, bool]] = {}
        for kind, key, status, amount, _, was, paid in effects:
            if paid:
                tally.balance += Decimal(amount) * (-1 if kind == "refunds" else 1)
            elif was == "SUCCESS":
                tally.balance -= Decimal(amount)
            if (kind, key) not in last or was is not None:
                last[kind, key] = status, bool(paid)
        for item in self._follower.items():
            known = last.get((item.id.kind, item.key))
            tally.records += known is None or known != (item.state, item.paid) or item.effect != item.state

    def _count_questions(self, tally: FollowTally, keys: list[str]) -> None:
        asked = self._gateway.asked
        # Of what nothing tells, a link, there is no least number of questions.
        ours = {who: number for who, number in asked.items() if who.startswith(("follow:ORD_", "follow:REF_"))}
        tally.questions = sum(ours.values())
        tally.oracle = sum(self._gateway.least(f"follow:{key}") for key in set(keys) - self._heard - self._links.keys())
        polled = {who for who in asked if who.startswith("naive:")}
        tally.naive_questions, tally.naive_orders = sum(asked[who] for who in polled), len(polled)
        tally.answers, tally.harmed = sum(asked.values()), self._gateway.harmed
        tally.dropped = sum(self._dropped.values())
        tally.killed_followers = sum(one.killed for one in self._followers)
        tally.killed_receivers = sum(one.killed for one in self._receivers)
