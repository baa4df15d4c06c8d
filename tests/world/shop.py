"""A shop of a world: two processes over one database, as the samples have them, and what its pages do."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from paywright import (
    BillPaymentDecision,
    BuyerInfo,
    DropInPaymentDetail,
    Event,
    HostedPlan,
    InvalidArgument,
    ItemResult,
    LedgerProblem,
    Money,
    NewPlan,
    OutcomeUnknown,
    PaywrightError,
    PeriodResult,
    PeriodRule,
    Permission,
    TooEarly,
)  # fmt: skip
from paywright.receiver import BillPaymentValidationQuestion
from tests.world.machines import Process
from tests.world.scheduler import Violation

if TYPE_CHECKING:
    from tests.world.databases import Database
    from tests.world.world import World

__all__ = ["Said", "Shop"]

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS payments (app TEXT, number TEXT, kind TEXT, amount TEXT, state TEXT, PRIMARY KEY (app, number));
CREATE TABLE IF NOT EXISTS resolvers (app TEXT, number TEXT, document TEXT);
CREATE TABLE IF NOT EXISTS bookings (app TEXT, kind TEXT, number TEXT, state TEXT, amount TEXT, was TEXT, paid INTEGER, event TEXT);
"""


class Said(NamedTuple):
    """What a call said of itself when it ended: its key, the error's class ("" for a result), and whether money may have moved."""

    key: str
    error: str
    may_have_moved: bool


class Shop:
    """A shop. Its pages and people each run in a program of one of its processes.

    `kinds` are those whose results have a handler, `knows_new_key` says that it has the key that the gateway changes to, and
    `address` is where it looks for the gateway. `closed` are the numbers that somebody closed by mistake, `twice` those that
    a clerk sent again, and `by_card` those that are paid by a card that the shop's page asked for. Its
    books are `restored` once they were lost.
    """

    def __init__(self, world: World, number: int, database: Database, retries: int) -> None:
        self.world, self.number, self.database = world, number, database
        self.app_id, self.merchant_no = f"app_sandbox_{number}", f"MN000000000000{number}"
        self.kinds = ("orders", "refunds", "exchanges", "payment_links")
        self.knows_new_key = False
        self.address = world.sandbox.base_url
        self.closed: set[str] = set()
        self.twice: set[str] = set()
        self.restored = False
        self.by_card: set[str] = set()
        self.said: list[Said] = []
        self._due: tuple[int, datetime | None] | None = None
        database.make(_TABLES)
        name = "" if number == 1 else f" {number}"
        self.web, self.worker = Process(self, f"web{name}", retries), Process(self, f"worker{name}", retries)
        self.processes = self.web, self.worker

    def now(self) -> datetime:
        """Return what the shop's clock says."""
        return self.world.now() + self.world.wrong

    def late(self, key: str) -> str:
        """Name a write that is still on its way when its sender no longer waits for it."""
        return f"a late write of shop {self.number} about {key}"

    def rows(self, question: str, *values: object) -> list[Any]:
        """Ask the shop's database."""
        return self.database.rows(question, *values)

    def has_written(self, number: str) -> bool:
        """Return whether its tables have an order or the like."""
        return bool(self.rows("SELECT 1 FROM payments WHERE app = ? AND number = ?", self.app_id, number))

    def booked(self, kind: str, key: str) -> list[str]:
        """Return the states of something in its books, the oldest first."""
        rows = "SELECT state FROM bookings WHERE app = ? AND kind = ? AND number = ? ORDER BY rowid"
        return [state for (state,) in self.rows(rows, self.app_id, kind, key)]

    # Its handlers

    def book_result(self, event: Event[ItemResult]) -> None:
        """Book what became of an order, a refund or a link."""
        data = event.data
        was = None if data.was is None else str(data.was)
        if event.redelivered or self.restored:  # books alone tell what was before
            booked = self.booked(data.kind, data.key)
            if event.redelivered and str(data.state) in booked:
                return
            was = booked[-1] if booked else None
        self._book(event, (data.kind, data.key, str(data.state), str(data.amount), was, int(data.is_paid)))

    def book_period(self, event: Event[PeriodResult]) -> None:
        """Book a period of a plan."""
        plan, detail = event.data.subscription_plan, event.data.subscription_payment_detail
        number, amount = f"{plan.subscription_no}/{detail.subscription_index}", detail.pay_amount.amount
        paid = int(str(detail.payment_status) == "SUCCESS")
        self._book(event, ("periods", number, str(detail.payment_status), str(amount), None, paid))

    def _book(self, event: Event[Any], row: tuple[object, ...]) -> None:
        world = self.world
        if world.chance("the handler raises", world.limits.handler):
            raise RuntimeError("the shop's stock is away")
        insert = self.database.sql("INSERT INTO bookings VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        event.transaction.execute(insert, (self.app_id, *row, event.key))
        world.seam("a handler, after its effect")
        if world.chance("the handler raises after its effect", world.limits.handler):
            raise RuntimeError("the shop's stock went away")

    def decide(self, question: BillPaymentValidationQuestion) -> BillPaymentDecision:
        """Say yes to a bill that the shop knows, within its limits."""
        data = question.data
        known = self.rows(
            "SELECT amount FROM payments WHERE app = ? AND number = ? AND kind = 'bills'",
            self.app_id,
            data.reference_no,
        )
        if self.world.chance("the handler raises", self.world.limits.handler):
            raise RuntimeError("the shop's stock is away")
        if not known or Decimal(known[0][0]) != data.amount:
            return question.refuse("no such bill")
        return question.accept(min_amount=1, max_amount=10_000)

    # Its pages

    def _send(self, process: Process, kind: str, number: str, call: Callable[[], object]) -> None:
        """Make the only call with this number, as the samples do."""
        try:
            self._answers(number, call())
        except OutcomeUnknown as error:
            self._say(number, error)
            return
        except PaywrightError as error:
            self._say(number, error)
            with process.own() as db:
                db.execute(
                    self.database.sql(
                        "UPDATE payments SET state = 'REFUSED' WHERE app = ? AND number = ? AND state = 'PLACED'"
                    ),
                    (self.app_id, number),
                )
            process.follower.close(kind, number, type(error).__name__)
            return
        self._say(number, None)
        process.follower.placed(kind, number)

    def _answers(self, number: str, made: Any) -> None:
        if (
            said := getattr(made, "out_refund_no" if number.startswith("REF_") else "out_trade_no")
        ).lower() != number.lower():
            raise Violation(f"the call for {number} returned what is about {said}")

    def _say(self, number: str, error: PaywrightError | None) -> None:
        if isinstance(error, OutcomeUnknown) and error.key != number:
            raise Violation(f"nobody knows what became of {number}, and the error names {error.key}")
        said = Said(
            number, "" if error is None else type(error).__name__, error is None or error.call_may_have_moved_money
        )
        self.said.append(said)
        self.world.heard(self, said)

    def _write(self, db: Any, number: str, kind: str, amount: Decimal) -> None:
        db.execute(
            self.database.sql("INSERT INTO payments VALUES (?, ?, ?, ?, 'PLACED') ON CONFLICT DO NOTHING"),
            (self.app_id, number, kind, str(amount)),
        )

    def place(self, process: Process, number: str, amount: Decimal, **more: object) -> None:
        """Write an order with its following, and place it."""
        follow = process.client.orders.follow(
            number, total_amount=amount, currency="USD", unknown=True,
            expires_at=self.now() + timedelta(minutes=30),
        )  # fmt: skip
        with process.own() as db:
            self._write(db, number, "orders", amount)
            process.follower.open(db, follow)
        self._send(process, "orders", number, lambda: self._order(process, number, amount, **more))

    def _order(self, process: Process, number: str, amount: Decimal, **more: object) -> object:
        return (self.drop_in if number in self.by_card else self.checkout)(process, number, amount, **more)

    def drop_in(self, process: Process, number: str, amount: Decimal, **more: object) -> object:
        """Place an order whose payer has given a card on the shop's page: the money moves with the call."""
        detail = DropInPaymentDetail(buyer_info=BuyerInfo(client_ip="203.0.113.7", user_agent="UA"))
        return self.checkout(process, number, amount, country="SG", terminal_type="WEB", payment_detail=detail, **more)

    def checkout(self, process: Process, number: str, amount: Decimal, **more: object) -> object:
        given: dict[str, Any] = {"subject": "Tickets", **more}
        orders = process.client.orders
        return (orders.drop_in if "payment_detail" in more else orders.checkout)(
            out_trade_no=number, total_amount=amount, currency="USD", user_id="user_7001",
            front_callback_url="https://shop.example/back", expire_time="1800", **given,
        )  # fmt: skip

    def place_again(self, process: Process, number: str, amount: Decimal) -> None:
        """A person still wants an order of which nobody knows whether it is there."""
        world, step = self.world, getattr(process.follower.get("orders", number), "step", "")
        harms, stale = world.counts["harms"], world.counts["stale"]
        began, wrong = self.now() + process.off, world.wrong
        try:
            permission = process.follower.permission("orders", number)
        except TooEarly as early:
            if wrong == world.wrong and early.come_back_at is not None and early.come_back_at <= began:
                raise Violation(
                    f"whoever asks for the permission of {number} is to come back in the past: {early}"
                ) from None
            whole = (
                (harms, stale) == (world.counts["harms"], world.counts["stale"])
                and not world.gateway.away
                and not world.wrong
                and self.knows_new_key >= world.gateway.rotated
            )
            if (
                step == "place_again"
                and whole
                and not re.search("moment|meanwhile|REQ_TIME_OVER_TIME", str(early))  # it stood still on its way
                and not world.gateway.has(self.app_id, number)
                and number not in self.closed | self.twice  # staff may have been faster
            ):
                raise Violation(
                    f"{number} waits to be placed again, and whoever asks for it is refused: {early}"
                ) from None
            return
        except (InvalidArgument, PaywrightError):
            return
        self._places_again(process, number, amount, permission)

    def ask_by_hand(self, process: Process, number: str, amount: Decimal) -> float | None:
        """Find out with `resolve` whether an order is there, and place it again; several people have copies of the resolver.

        Return the seconds until it is worth going on.
        """
        world, client = self.world, process.client
        copy = world.pick_by(("the last copy", "an older one"), (4, 1))
        self.world.counts["asked by hand"] += 1

        def store(document: str) -> None:
            with process.own() as db:
                db.execute(self.database.sql("INSERT INTO resolvers VALUES (?, ?, ?)"), (self.app_id, number, document))

        stored = self.rows(
            "SELECT document FROM resolvers WHERE app = ? AND number = ? ORDER BY rowid DESC", self.app_id, number
        )
        resolver: Any = (
            client.resume(stored[min(copy, len(stored) - 1)][0]) if stored
            else client.orders.resolve(out_trade_no=number, total_amount=amount, currency="USD")
        )  # fmt: skip
        step = resolver.step()
        if step.state == "place_again":
            with suppress(TooEarly):
                self._places_again(process, number, amount, resolver.permission(store=store))
            step = resolver.look()
        store(resolver.to_json())
        waits = step.at is not None and step.state != "settled"
        return max(0.0, (step.at - self.now()).total_seconds()) if waits else None

    def _places_again(self, process: Process, number: str, amount: Decimal, permission: Permission) -> None:
        world = self.world
        world.counts["placed again"] += 1
        if world.limits.people:
            world.at(
                self,
                0.5,
                f"{number} is paid at once",
                lambda: world.gateway.act("POST", f"orders/{number}/pay", merchant=self.app_id),
            )
        process.again = number
        self._call(number, lambda: self._order(process, number, amount, again=permission))
        process.again = ""

    def place_carelessly(self, process: Process, number: str, amount: Decimal) -> None:
        """A clerk sends an order a second time, asks nobody, and looks after it."""
        world = self.world
        had = world.gateway.has(self.app_id, number) and not world.wrong
        harms = world.counts["harms"]
        world.counts["careless"] += 1
        self.twice.add(number)
        self._call(number, lambda: self.checkout(process, number, amount, subject="The same again"))
        world.counts["placed twice"] += had and harms == world.counts["harms"] and not world.gateway.away

    def _call(self, number: str, call: Callable[[], object]) -> None:
        try:
            self._answers(number, call())
        except PaywrightError as error:
            self._say(number, error)
        else:
            self._say(number, None)

    def exchange(self, process: Process, number: str, amount: Decimal) -> None:
        """Change money that the gateway holds."""
        with process.own() as db:
            self._write(db, number, "exchanges", amount)
            follow = process.client.exchanges.follow(number, transaction_amount=amount, unknown=True)
            is_new = process.follower.open(db, follow)
        if is_new:
            self._send(
                process, "exchanges", number,
                lambda: process.client.exchanges.create(
                    out_trade_no=number, ccy_pair="EURUSD", side="SELL", transaction_amount=amount, transaction_ccy="EUR", target_ccy="USD"
                ),
            )  # fmt: skip

    def refund(self, process: Process, order: str, amount: Decimal, part: str = "") -> None:
        """A person gives an order back; a second click finds the number of the first."""
        number = f"REF_{order}{part}"
        follow = process.client.refunds.follow(
            number, refund_amount=amount, refund_currency="USD", out_trade_no=order, unknown=True
        )
        with process.own() as db:
            self._write(db, number, "refunds", amount)
            is_new = process.follower.open(db, follow)
        if is_new:
            self._send(
                process, "refunds", number,
                lambda: process.client.refunds.create(
                    out_refund_no=number, refund_amount=amount, refund_currency="USD", out_trade_no=order
                ),
            )  # fmt: skip

    def subscribe(self, process: Process, number: str, amount: Decimal, order: str) -> None:
        """Make a plan of three days, and place the order that pays the first of them."""
        with process.own() as db:
            process.follower.open(db, process.client.subscriptions.follow(number))
        plan = NewPlan(
            subject="A ticket a day", total_periods=3, period_rule=PeriodRule(period_unit="D", period_count=1),
            period_amount=Money(amount=amount, currency="USD"), prices=[],
        )  # fmt: skip
        try:
            made = process.client.subscriptions.create(
                subscription_request_id=number,
                user_id="user_7001",
                callback_url="http://127.0.0.1:9/periods",
                subscription_plan=plan,
            )
        except PaywrightError as error:
            self._say(number, error)
            process.follower.close("subscriptions", number, type(error).__name__)
            return
        self._say(number, None)
        self.place(
            process, order, amount, subscription_plan=HostedPlan(subscription_no=made.subscription_plan.subscription_no)
        )

    def follow_link(self, process: Process, number: str, amount: Decimal, until: float) -> None:
        """Follow a link that somebody made in the gateway's console."""
        with process.own() as db:
            self._write(db, number, "payment_links", amount)
            process.follower.open(
                db, process.client.payment_links.follow(number, expires_at=self.now() + timedelta(seconds=until))
            )

    def came_back(self, process: Process, number: str) -> None:
        """The payer is back on the shop's page, which proves nothing."""
        with suppress(InvalidArgument):
            process.follower.hint("orders", number)

    def next_due(self) -> datetime | None:
        """Return when the next item is due, by the clock that is off for the whole shop alone."""
        if self._due is None or self._due[0] != self.database.changes:
            self._due = self.database.changes, self.worker.follower.next_due()
        at = self._due[1]
        return None if at is None else at - self.worker.off

    def follow(self, process: Process) -> None:
        """Ask about what is due. Staff hears of items that no run asks about."""
        with suppress(LedgerProblem):
            run = process.follower.run_due()
            if run.elsewhere:
                self.world.people.move_items(self)
