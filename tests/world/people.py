"""The people of a world: payers, who pay, return, dispute or leave, and staff, who look after what waits for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from paywright import InvalidArgument, PaywrightError
from paywright_receiver.items.ledger import Entry

if TYPE_CHECKING:
    from tests.world.machines import Process
    from tests.world.shop import Shop
    from tests.world.world import World

__all__ = ["People"]

_DAY: Final = 86_400.0
_HOUR: Final = 3600.0
_UNHANDLED: Final = ("failed", "unhandled", "unreadable", "conflict")


class People:
    """Payers and staff. They act by events; what touches a shop runs in a program of one of its processes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._looked_at: set[tuple[int, str]] = set()
        self._tried: dict[str, int] = {}

    def left(self) -> object:
        """Return what else decides about what they will do."""
        return sorted(self._tried.items()), sorted(self._looked_at)

    def plan(self) -> None:
        """Draw what they will do."""
        world = self.world
        for number in range(world.limits.orders):
            shop = world.shops[number % len(world.shops)]
            self._buys(shop, f"ORD_{number // len(world.shops)}", Decimal(1000 + number) / 100, 60.0 * number)
        for what, happens in self._more().items():
            if world.chance(what, world.limits.more):
                world.counts[what] += 1
                happens(world.shops[world.pick_by(["the shop"] * len(world.shops)) if len(world.shops) > 1 else 0])

    def _pick(self, options: Sequence[str], weights: Sequence[float] | None = None) -> int:
        return self.world.pick_by(options, weights) if self.world.limits.people else 0

    def _buys(self, shop: Shop, order: str, amount: Decimal, begins: float) -> None:
        world, web = self.world, shop.web
        at = partial(world.at, shop)
        if self._pick(("at the gateway's page", "by a card"), (5, 1)):
            shop.by_card.add(order)
            amount = (amount, Decimal(15))[self._pick(("the card is good", "it has expired"), (4, 1))]
        at(begins, f"somebody buys {order}", self._page(web, f"placing {order}", shop.place, order, amount))
        if self._pick(("pays", "leaves"), (0.85, 0.15)):
            if world.chance("it is paid after all", world.limits.after_all):
                at(
                    begins + 1900,
                    f"the bank was late with {order}",
                    partial(world.gateway.pay_after_all, shop.app_id, order),
                )
                self._returns(shop, order, begins + 1901)
            return
        pays = (90, 20, 1700)[self._pick(("soon", "at once", "late"), (6, 3, 1))]
        at(begins + pays, f"{order} is paid", self._act(shop, f"orders/{order}/pay"))
        if self._pick(("closes the page", "comes back")):
            at(
                begins + 100,
                f"the payer of {order} is back",
                self._page(web, f"came_back {order}", shop.came_back, order),
            )
        what = self._pick(("is kept", "is given back", "is given back twice at once", "is returned"), (5, 2, 2, 1))
        if what in (1, 2):
            given = (amount, Decimal("1.01"), amount + 1)[
                self._pick(("all", "a part that fails", "too much"), (6, 2, 1))
            ]
            whole = self._pick(("at once", "in two parts"), (3, 1)) == 0 or given != amount
            half = (amount / 2).quantize(amount)
            for part, some in (("", given),) if whole else (("", half), ("_2", amount - half)):
                for _ in range(what):
                    at(7200, f"staff gives {order} back", partial(self._gives_back, shop, order, some, part))
        elif what == 3:
            self._returns(shop, order, (90_000, begins + pays + 1)[self._pick(("a day later", "at once"))])
        if world.chance("a stranger notifies", world.limits.forged):
            at(
                begins + pays - 5,
                f"a stranger says that {order} is paid",
                partial(world.post.forge, shop, order, amount),
            )
        if world.chance("a clerk sends it again", world.limits.careless):
            again = self._page(web, f"placing {order} carelessly", shop.place_carelessly, order, amount)
            at(begins + (2, 400)[self._pick(("at once", "later"))], f"a clerk sends {order} again", again)
        if world.chance("staff closes it by hand", world.limits.closed):
            at(
                begins + (100, 5000)[self._pick(("soon", "later"))],
                f"staff closes {order}",
                partial(self._closes, shop, "orders", order),
            )

    def _returns(self, shop: Shop, order: str, at: float) -> None:
        self.world.at(shop, at, f"the bank returns {order}", self._act(shop, f"orders/{order}/bounce"))

    # What else there is

    def _more(self) -> dict[str, Callable[[Shop], object]]:
        """Return what only some worlds have."""
        return {
            "a link is made": self._link,
            "a plan is made": self._subscribes,
            "money is exchanged": self._exchanges,
            "bills are asked about": self._bills,
            "a payer disputes": self._disputes,
            "somebody asks by hand": self._asks,
            "the gateway's key is changed": self._key_changes,
            "the gateway's address is changed": self._address_changes,
            "a handler comes later": self._handler_comes,
            "the gateway is down for a day": self._gateway_is_down,
            "old records are deleted": self._prunes,
            "the shop's books are restored": self._restores,
        }

    def _link(self, shop: Shop) -> None:
        number, amount, lasts = "LINK_1", Decimal("30.50"), 3000.0
        world, at = self.world, partial(self.world.at, shop)
        until = (world.now() + timedelta(seconds=200 + lasts)).isoformat(timespec="milliseconds")

        def make() -> None:
            made = world.gateway.act(
                "POST", "links", merchant=shop.app_id, merchantLinkId=number, amount=str(amount), currency="USD", country="US",
                description="Tickets", expiresAt=until,
            )  # fmt: skip
            if made:
                for later in (0, 400, 4000):  # until somebody sees that it is followed
                    at(
                        later,
                        f"staff follows {number}",
                        self._page(shop.web, f"following {number}", self._follows_link, shop, number, amount, lasts),
                    )
                world.at(
                    shop,
                    600,
                    f"somebody opens {number}",
                    partial(self._opens, shop, str(made["linkId"]), self._pick(("pays", "leaves"))),
                )

        world.at(shop, 200, f"staff makes {number}", make)

    def _follows_link(self, process: Process, shop: Shop, number: str, amount: Decimal, lasts: float) -> None:
        with self._patient():
            shop.follow_link(process, number, amount, lasts)

    def _opens(self, shop: Shop, link: str, leaves: int) -> None:
        order = self.world.gateway.act("POST", f"links/{link}/open")
        if order and not leaves:
            self.world.gateway.act("POST", f"orders/{order['outTradeNo']}/pay", merchant=shop.app_id)

    def _subscribes(self, shop: Shop) -> None:
        order, amount = "FIRST_1", Decimal("9.90")
        self.world.at(
            shop,
            300,
            "somebody wants a ticket a day",
            self._page(shop.web, "making PLAN_1", shop.subscribe, "PLAN_1", amount, order),
        )
        self.world.at(shop, 420, f"{order} is paid", self._act(shop, f"orders/{order}/pay", card="5555555555554444"))

    def _exchanges(self, shop: Shop) -> None:
        amount = (Decimal("25.00"), Decimal("99999999.00"))[self._pick(("a little", "more than there is"), (3, 1))]
        for at in (350, 360):
            page = self._page(shop.web, "exchanging EXC_1", shop.exchange, "EXC_1", amount)
            self.world.at(shop, at, "staff exchanges EXC_1", page)

    def _bills(self, shop: Shop) -> None:
        def writes() -> None:
            with shop.web.own() as db:
                db.execute(
                    shop.database.sql(
                        "INSERT INTO payments VALUES (?, 'BILL_1', 'bills', '70.00', 'PLACED') ON CONFLICT DO NOTHING"
                    ),
                    (shop.app_id,),
                )

        self.world.at(shop, 200, "staff writes a bill", self._page(shop.web, "writing BILL_1", writes))
        for at, reference, amount in (
            (250, "BILL_1", "70.00"),
            (255, "BILL_2", "70.00"),
            (260, "BILL_1", "71.00"),
            (900, "BILL_1", "70.00"),
        ):
            ask = partial(self.world.post.ask, shop, reference, Decimal(amount))
            self.world.at(shop, at, f"somebody pays the bill {reference}", ask)

    def _disputes(self, shop: Shop) -> None:
        self.world.at(shop, 5000, "the payer of ORD_0 disputes", self._act(shop, "cases", outTradeNo="ORD_0"))

    def _key_changes(self, shop: Shop) -> None:
        at = (80, 1000, 7210)[self._pick(("early", "later", "among refunds"))]
        known = (at - 60, at + 900)[self._pick(("announced", "not announced"))]
        self.world.at(None, at, "the gateway changes its key", self.world.gateway.rotate)
        for one in self.world.shops:
            self.world.at(
                one, known, "staff gives the shop the new key", partial(self._deploys, one, knows_new_key=True)
            )

    def _address_changes(self, shop: Shop) -> None:
        at = (100, 1500)[self._pick(("early", "later"))]
        self.world.at(
            shop, at, "the gateway's address is changed", partial(self._deploys, shop, address="http://localhost:8787")
        )
        self.run_follower(shop, at)

    def run_follower(self, shop: Shop, after: float) -> None:
        """Run the follower now and then, as a loop does whether something is due or not."""
        for later in (_HOUR, *(day * _DAY for day in range(1, 9))):
            run = self._page(shop.worker, "a run of the follower", lambda *_: shop.follow(shop.worker))
            self.world.at(shop, after + later, "the follower runs", run)

    def _handler_comes(self, shop: Shop) -> None:
        kinds, shop.kinds = shop.kinds, ("orders", "payment_links")
        for process in shop.processes:
            process.restart()
        later = partial(self._deploys, shop, kinds=kinds)
        self.world.at(shop, 3 * _HOUR, "the handler of refunds comes", later)
        self._catch_up(shop, 3 * _HOUR)

    def _restores(self, shop: Shop) -> None:
        """The shop's books are lost with a disk, but for the periods of plans; its ledger is not."""
        at = (150, 4000, 2 * _DAY)[self._pick(("early", "later", "days later"))]

        def lose() -> None:
            shop.restored = True
            with shop.web.own() as db:
                db.execute(
                    shop.database.sql("DELETE FROM bookings WHERE app = ? AND kind <> 'periods'"), (shop.app_id,)
                )

        self.world.at(shop, at, "staff restores the books", self._page(shop.web, "restoring", lose))
        self._catch_up(shop, at)

    def _catch_up(self, shop: Shop, after: float) -> None:
        """Have handlers called again for what the ledger knows, and the books do not: once a day, as any try may die."""
        for later in (300, _HOUR, *(day * _DAY for day in range(1, 10))):
            page = self._page(shop.web, "calling handlers again", self._redelivers, shop)
            self.world.at(shop, after + later, "staff compares books and ledger", page)

    def _redelivers(self, process: Process, shop: Shop) -> None:
        now, long = self.world.now(), timedelta(days=400)
        for item in list(process.follower.handled(now - long, now + long)):
            ours = item.id.app_id == shop.app_id and item.id.kind in shop.kinds
            if ours and str(item.effect or item.state) not in shop.booked(item.id.kind, item.key):
                with self._patient():
                    said = process.follower.redeliver(item.id.kind, item.key)
                    self.world.tell(f"the handler of {item.key} is called again: {said.outcome}")

    def _gateway_is_down(self, shop: Shop) -> None:
        at = (30, 130, 7230)[self._pick(("early", "later", "among refunds"))]
        self.world.at(None, at, "the gateway goes down", partial(setattr, self.world.gateway, "away", True))
        self.world.at(None, at + _DAY, "the gateway is back", partial(setattr, self.world.gateway, "away", False))

    def _prunes(self, shop: Shop) -> None:
        for day in (0.1, 9, 10):
            self.world.at(
                shop, day * _DAY, "staff deletes old records", self._page(shop.worker, "deleting", self._delete, shop)
            )

    def _delete(self, process: Process, shop: Shop) -> None:
        process.ledger.prune(self.world.now() - timedelta(hours=1))

    def _deploys(self, shop: Shop, **settings: object) -> None:
        """Start both processes anew with other settings."""
        for name, value in settings.items():
            setattr(shop, name, value)
        for process in shop.processes:
            if process.alive:
                self.world.stop(process)

    # Staff

    def look_around(self, shop: Shop) -> None:
        """Look at what waits for a person: open items, and notifications that were not handled."""
        waiting = [
            item.key
            for item in shop.worker.follower.open_items()
            if item.id.app_id == shop.app_id and item.step in ("place_again", "decide")
        ]
        for key in waiting:
            self._once(shop, key, partial(self._looks_at, shop, key))
        self.look_at_ledger(shop)

    def look_at_ledger(self, shop: Shop) -> None:
        """Look at notifications that were not handled, up to ten times."""
        for entry in shop.worker.ledger.list() if self.world.limits.people else ():
            what = f"{entry.key} {entry.digest[:8]}"
            ours = entry.key.startswith(f"{shop.app_id}/") and entry.status in _UNHANDLED
            if ours and self._tried.get(what, 0) < 10:
                self._once(shop, what, partial(self._looks_at_entry, shop, entry.key, entry.digest, what))

    def _once(self, shop: Shop, what: str, looks: Callable[[], object]) -> None:
        if (shop.number, what) in self._looked_at:
            return
        self._looked_at.add((shop.number, what))

        def look() -> None:
            self._looked_at.discard((shop.number, what))
            looks()

        pause = (_HOUR, _HOUR, _DAY, _DAY, 3 * _DAY)[min(self._tried.get(what, 0), 4)]
        self.world.at(shop, pause, f"staff looks at {what.split()[0]}", look)

    def _looks_at(self, shop: Shop, key: str) -> None:
        """Place an order again that is still wanted, or close what the gateway, asked on the telephone, never had."""
        world = self.world
        kinds = {"REF": "refunds", "LINK": "payment_links", "EXC": "exchanges"}
        kind = kinds.get(key.partition("_")[0], "orders")
        item = shop.worker.follower.get(kind, key)
        if item is None or item.status != "open":
            return
        if (
            kind == "orders"
            and world.pick_by(("is wanted", "is not wanted"), (2, 1)) == 0
            and self._tried.get(key, 0) < 3
        ):
            self._tried[key] = self._tried.get(key, 0) + 1
            ((amount,),) = shop.rows("SELECT amount FROM payments WHERE app = ? AND number = ?", shop.app_id, key)
            process = shop.processes[world.pick_by(("by web", "by worker"))]
            self._page(process, f"placing {key} again", shop.place_again, key, Decimal(amount))()
        elif not world.gateway.has(shop.app_id, key):
            self._closes(shop, kind, key, "never placed")
        elif item.step == "decide":
            self._page(shop.web, f"opening {key} again", self._opens_again, shop, kind, key)()

    def _opens_again(self, process: Process, shop: Shop, kind: str, key: str) -> None:
        """Follow again what was closed, and is there: the gateway shows it."""
        with self._patient():
            process.follower.placed(kind, key)

    def _asks(self, shop: Shop) -> None:
        for at in (5, 6):
            self.world.at(shop, at, "somebody asks about ORD_0", partial(self._asks_by_hand, shop, "ORD_0", 9))

    def _asks_by_hand(self, shop: Shop, order: str, times: int) -> None:
        wanted = "SELECT amount FROM payments WHERE app = ? AND number = ? AND state = 'PLACED'"

        def ask() -> None:
            for (amount,) in shop.rows(wanted, shop.app_id, order):
                with self._patient():
                    wait = shop.ask_by_hand(shop.web, order, Decimal(amount))
                    if wait is not None and times:
                        again = partial(self._asks_by_hand, shop, order, times - 1)
                        self.world.at(shop, wait, f"somebody asks about {order}", again)

        self._page(shop.web, f"asking for {order} by hand", ask)()

    def _looks_at_entry(self, shop: Shop, key: str, digest: str, what: str) -> None:
        """Replay what is true, and discard what the gateway, asked on the telephone, never said."""
        world = self.world
        entry = next((one for one in shop.worker.ledger.list(key=key) if one.digest == digest), None)
        if entry is None or entry.status not in _UNHANDLED:
            return
        self._tried[what] = self._tried.get(what, 0) + 1
        # Whatever becomes of it: if the process dies, its claim looks like somebody's at work.
        if self._tried[what] < 5:
            self._once(shop, what, partial(self._looks_at_entry, shop, key, digest, what))
        false = entry.status == "conflict" and (key, digest) in world.post.contradictions_of(shop)

        def handle() -> None:
            if false:
                shop.web.ledger.discard(key, digest)
                world.tell(f"staff discards {key}")
            else:
                try:
                    reply = shop.web.receiver.replay(key, digest)
                except (InvalidArgument, PaywrightError) as refused:
                    world.tell(f"{key} cannot be replayed: {refused}")
                else:
                    world.tell(f"the replay of {key} is {reply.outcome}")
                    if reply.outcome == "conflict" and self._tried[what] > 2:
                        self._books_by_hand(shop, entry)
            self.look_at_ledger(shop)

        world.start(f"handling {key}", shop.web, handle)

    def _books_by_hand(self, shop: Shop, entry: Entry) -> None:
        """Book what the gateway, asked on the telephone, says is so, and end the conflict."""
        _, kind, number = entry.subject.split("/")
        item = shop.web.follower.get(kind, number)
        state = str(entry.state)
        if item is None or state in shop.booked(kind, item.key):
            return
        facts = self.world.gateway.truth().get((shop.app_id, kind, item.key), ())
        if not facts or facts[-1].state != state:
            return
        with self._patient():
            if item.address != shop.address:  # as the refusal says
                shop.web.follower.move(kind, item.key, as_is=True)
            self._writes_down(shop, kind, item.key, state, item.amount)
            shop.web.follower.close(kind, item.key, "booked by hand", state=state)
            shop.web.ledger.discard(entry.key, entry.digest)
            self.world.tell(f"staff books {item.key} as {state} by hand")

    def _writes_down(self, shop: Shop, kind: str, key: str, state: str, amount: str | None) -> None:
        """Write into the shop's books what is closed as booked by then: whatever dies meanwhile, it is on staff's list."""

        def write() -> None:
            there = shop.web.follower.get(kind, key)
            if there is None or ("booked", state) not in [(one.source, one.state) for one in there.signed]:
                return
            with shop.web.own() as db:
                was = shop.booked(kind, key)
                if state not in was:
                    before, paid = was[-1] if was else None, int("SUCCESS" in state)
                    row = (shop.app_id, kind, key, state, amount, before, paid, "by hand")
                    db.execute(shop.database.sql("INSERT INTO bookings VALUES (?, ?, ?, ?, ?, ?, ?, ?)"), row)

        for later in (60, 300, _DAY):
            self.world.at(shop, later, f"staff writes down {key}", self._page(shop.web, f"writing down {key}", write))

    def move_items(self, shop: Shop) -> None:
        """Move what waits for an inquiry from the old address to the new one."""
        self._once(shop, "items of the old address", self._page(shop.web, "moving items", self._move, shop))

    def _move(self, process: Process, shop: Shop) -> None:
        for item in list(process.follower.items()):
            if item.id.app_id == shop.app_id and item.address != shop.address and item.due_at is not None:
                with self._patient():
                    # What the gateway does not have, or cannot be asked about, is moved by whoever has asked on the telephone.
                    asked = item.id.kind != "subscriptions" and process.follower.move(item.id.kind, item.key)
                    moved = asked or process.follower.move(item.id.kind, item.key, as_is=True)
                    self.world.tell(f"{item.key} is {'moved' if moved else 'left'}")

    @contextmanager
    def _patient(self) -> Iterator[None]:
        """Leave it for the next time if it cannot be done now."""
        try:
            yield
        except (InvalidArgument, PaywrightError) as refused:
            self.world.tell(f"later: {type(refused).__name__}")

    def _closes(self, shop: Shop, kind: str, key: str, why: str = "by mistake") -> None:
        def close() -> None:
            if why == "by mistake":
                shop.closed.add(key)  # even if nobody hears whether that was written
            with self._patient():
                shop.web.follower.close(kind, key, why)

        self.world.start(f"closing {key}", shop.web, close)

    def _gives_back(self, shop: Shop, order: str, amount: Decimal, part: str) -> None:
        if shop.rows("SELECT 1 FROM bookings WHERE app = ? AND number = ? AND state = 'SUCCESS'", shop.app_id, order):
            self._page(shop.web, f"refunding {order}", shop.refund, order, amount, part)()

    # How they act

    def _act(self, shop: Shop, path: str, **body: object) -> Callable[[], object]:
        return partial(self.world.gateway.act, "POST", path, merchant=shop.app_id, **body)

    def _page(self, process: Process, name: str, page: Callable[..., object], *given: object) -> Callable[[], object]:
        """Return what opens a page in a process, whatever that process is by then."""
        return partial(self.world.start, name, process, partial(page, *((process, *given) if given else ())))
