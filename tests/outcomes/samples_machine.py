"""The documented samples as a Hypothesis state machine: two hosts, crashes, a bad network, and a gateway that counts money.

What is checked after every step: each payment is charged at most once; what a call said is true; what the table says is true.
At the end everything is mended and the job runs on: nothing that was placed may be lost, and nothing that is wanted left open.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Final, Literal

import shop
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from shop import Created, Kind, Payment, PaymentTable, Request

from paywright import AlreadyPlaced, Client, GatewayError, NotSent, OutcomeUnknown, Permission
from tests.outcomes.model_gateway import FATES, Checks, Fate, HostClock, Keys, ModelGateway, Network, TrueTime
from tests.outcomes.processes import Killed, Process, SideBySide

__all__ = ["SEEN", "Habit", "SamplesMachine"]

SEEN: Final[Counter[str]] = Counter()
"""How often what happened, over all runs of this process: a property says nothing of what never happens."""

Habit = Literal["plain", "swallows", "queues"]

_SAMPLES: Final = dict(shop.KINDS)
_HOLD: Final = PaymentTable.HOLD
_FAMILY: Final = {"order": "orders", "refund": "refunds", "exchange": "exchanges"}
_KEYS: Final = (("order", "A"), ("order", "B"), ("refund", "R"), ("exchange", "X"))

_FATES = st.lists(st.sampled_from(("answered", "answered", *FATES)), max_size=4)
_KILLED = st.none() | st.none() | st.integers(0, 25)
_HOSTS = st.sampled_from((0, 1))
_PAYMENTS = st.sampled_from((*_KEYS[:2], *_KEYS))
_SECONDS = st.sampled_from((1.0, 30.0, 61.0, 120.0, 155.0, 299.0, 301.0, 310.0, 620.0))


def _request(kind: str, amount: str) -> Request:
    if kind == "refund":
        return {"out_trade_no": "A", "amount": amount, "currency": "USD"}
    if kind == "exchange":
        return {"amount": amount, "sold": "EUR", "bought": "USD"}
    return {"amount": amount, "currency": "USD", "subject": "Two tickets", "user_id": "u1"}


class SamplesMachine(RuleBasedStateMachine):
    """One run: everything is virtual but the table, which is a real SQLite file."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(mkdtemp(prefix="paywright-machine-"))
        self.database = self.folder / "shop.db"
        self.time = TrueTime()
        self.gateway = ModelGateway(self.time)
        self.network = Network(self.gateway)
        self.ahead = [0.0, 0.0]
        self.habit: Habit = "plain"
        self.words: dict[tuple[str, str], str] = {}
        """How the last call with a key ended."""
        self.forgotten: set[tuple[str, str]] = set()
        self.started = 0
        shop.KINDS.update(
            {name: Kind(self._send(name, kind), kind.resolve, kind.query) for name, kind in _SAMPLES.items()}
        )
        self._process(0).close()

    @initialize(
        checks=st.sampled_from(("keys first", "amounts first")),
        keys=st.sampled_from(("at once", "late", "late")),
        shown_after=st.sampled_from((0.0, 60.0, 150.0, 150.0, 900.0)),
        hold=st.sampled_from((60.0, 300.0)),
        delay=st.sampled_from((1.0, 60.0, 119.0)),
        ahead=st.sampled_from(((0.0, 0.0), (-110.0, 110.0), (-110.0, 110.0), (0.0, 90.0), (-150.0, 140.0))),
    )
    def begin(
        self,
        checks: Checks = "keys first",
        keys: Keys = "at once",
        shown_after: float = 0.0,
        hold: float = 300.0,
        delay: float = 60.0,
        ahead: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        PaymentTable.HOLD = hold
        self.network.delay = delay
        self.gateway.checks, self.gateway.keys, self.gateway.shown_after = checks, keys, shown_after
        self.ahead = list(ahead)
        self.gateway.judges_time = max(map(abs, ahead)) < 120

    # What happens

    @rule(host=_HOSTS, payment=_PAYMENTS, fates=_FATES, killed=_KILLED)
    def click(self, host: int, payment: tuple[str, str], fates: list[Fate], killed: int | None) -> None:
        self._click(host, payment, fates, killed)

    @rule(host=_HOSTS, fates=_FATES, killed=_KILLED)
    def job(self, host: int, fates: list[Fate], killed: int | None) -> None:
        self.network.fates = list(fates)
        self._run(host, killed, lambda process: shop.settle(process.client, process.table))

    @rule(first=st.integers(0, 12), second=st.integers(0, 12), third=st.integers(0, 12), fates=_FATES)
    def two_jobs_at_once(self, first: int, second: int, third: int, fates: list[Fate]) -> None:
        self.network.fates = list(fates)
        made: list[Process] = []

        def run(host: int) -> Callable[[Callable[[], None]], None]:
            def settle(before: Callable[[], None]) -> None:
                made.append(self._process(host, before=before))
                shop.settle(made[-1].client, made[-1].table)

            return settle

        SideBySide([run(0), run(1)]).play([(0, first), (1, second), (0, third)])
        for process in made:
            process.close()

    @rule(seconds=_SECONDS)
    def time_passes(self, seconds: float) -> None:
        end = self.time.seconds + seconds
        while (arrival := self.network.next_arrival) is not None and arrival <= end:
            self.time.seconds = max(arrival, self.time.seconds)
            self.network.arrive()
        self.time.seconds = end

    @rule(payment=st.sampled_from(_KEYS[:2]), host=_HOSTS)
    def an_order_gets_lost_and_is_asked_for(self, payment: tuple[str, str], host: int) -> None:
        """The way to where it may be placed again, which chance alone seldom takes."""
        self._click(host, payment, ["request lost"], None)
        self.time_passes(61)
        self._run(host, None, lambda process: shop.settle(process.client, process.table))
        self.time_passes(310)

    @rule(code=st.sampled_from((None, None, "AMOUNT_LIMIT", "CURRENCY_INVALID")))
    def the_gateway_refuses(self, code: str | None) -> None:
        self.gateway.refuses = code

    @rule(habit=st.sampled_from(("plain", "swallows", "queues")))
    def placing_again_is_done_badly(self, habit: Habit) -> None:
        self.habit = habit

    @rule(payment=_PAYMENTS, amount=st.sampled_from(("10.50", "20.00")), fates=_FATES)
    def a_backup_is_restored_and_it_is_clicked_again(
        self, payment: tuple[str, str], amount: str, fates: list[Fate]
    ) -> None:
        """The row is gone, and what the gateway has under its key is not known to the shop; it is no longer on its way."""
        self.time_passes(901)
        with sqlite3.connect(self.database) as db:
            db.execute("DELETE FROM payments WHERE kind = ? AND key = ?", payment)
        self.forgotten.add(payment)
        self._click(0, payment, fates, None, amount)

    def _click(
        self, host: int, payment: tuple[str, str], fates: list[Fate], killed: int | None, amount: str = "10.50"
    ) -> None:
        self.network.fates = list(fates)
        kind, key = payment
        known = self._payment(payment)
        request = json.loads(known.request) if known is not None else _request(kind, amount)
        self._run(host, killed, lambda process: shop.place(process.client, process.table, kind, key, request))

    def _process(self, host: int, *, steps: int | None = None, before: Callable[[], None] | None = None) -> Process:
        self.started += 1
        clock = HostClock(self.time, self.ahead[host], up_for=977.0 * self.started)
        return Process(self.database, self.network, clock, steps=steps, before=before)

    def _run(self, host: int, killed: int | None, do: Callable[[Process], object]) -> None:
        process = self._process(host, steps=killed)
        try:
            do(process)
        except Killed:
            SEEN["killed"] += 1
        finally:
            process.close()

    # What was said

    def _send(self, name: str, kind: Kind) -> Callable[[Client, str, Request], Created]:
        def send(client: Client, key: str, request: Request, *permission: Permission) -> Created:
            payment = name, key
            row = self._payment(payment)
            again = row is not None and row.state == "unknown"
            if again and self.habit == "queues":
                return None  # type: ignore[return-value]  # what a task queue gives back
            try:
                return self._said(payment, lambda: kind.send(client, key, request, *permission))
            except Exception:
                if again and self.habit == "swallows":
                    return None  # type: ignore[return-value]  # somebody has logged it, and went on
                raise

        return send

    def _said(self, payment: tuple[str, str], call: Callable[[], Created]) -> Created:
        reached, charged = len(self.network.reached), self._charges(payment)
        row = self._payment(payment)
        again = row is not None and row.state == "unknown"
        SEEN["calls"] += 1
        SEEN["placed again"] += again
        self.words[payment] = "unknown"
        try:
            made = call()
        except NotSent:
            assert len(self.network.reached) == reached, f"{payment} was not sent, and it left"
            self.words[payment] = "not sent"
            raise
        except AlreadyPlaced:
            assert self._has(payment), f"{payment} was placed before, and is not there"
            self.words[payment] = "already placed"
            SEEN["placed before"] += 1
            raise
        except OutcomeUnknown:
            raise
        except GatewayError:
            assert self._charges(payment) == charged, f"{payment} was refused, and moved money"
            self.words[payment] = "refused"
            SEEN["refused again"] += again
            raise
        assert self._has(payment), f"{payment} was placed, and is not there"
        self.words[payment] = "placed"
        return made

    def _has(self, payment: tuple[str, str]) -> bool:
        return self.gateway.has(_FAMILY[payment[0]], payment[1])

    def _charges(self, payment: tuple[str, str]) -> int:
        return self.gateway.charges[_FAMILY[payment[0]], payment[1].lower()]

    # What must hold

    def _payment(self, payment: tuple[str, str]) -> Payment | None:
        with sqlite3.connect(self.database) as db:
            row = db.execute("SELECT * FROM payments WHERE kind = ? AND key = ?", payment).fetchone()
        return Payment(*row) if row is not None else None

    @invariant()
    def each_is_charged_at_most_once(self) -> None:
        for (family, key), times in self.gateway.charges.items():
            assert times <= 1, f"{family} {key} was charged {times} times"
        known = {(_FAMILY[kind], key.lower()) for kind, key in _KEYS}
        assert set(self.gateway.charges) <= known, "a key that nobody chose"

    @invariant()
    def what_the_table_says_is_true(self) -> None:
        for payment in _KEYS:
            row, there = self._payment(payment), self._has(payment)
            if row is None:
                assert not there or payment in self.forgotten, f"{payment} is there, and the shop does not know it"
                continue
            SEEN["attention"] += row.attention is not None
            SEEN[f"was {row.state}"] += 1
            if row.state in ("accepted", "done"):
                assert there, f"{row} is not there"
                assert self._same_content(row), f"{row}, and the gateway has other content"
            elif row.state in ("not_sent", "refused"):
                assert not there or payment in self.forgotten, f"{row} is there"
                if row.state == "refused":
                    assert self.words[payment] == "refused", f"{row}, of which {self.words[payment]} was said"

    def _same_content(self, row: Payment) -> bool:
        data = self.gateway.placed[_FAMILY[row.kind], row.key.lower()].data
        shown = next(data[name] for name in ("totalAmount", "refundAmount", "transactionAmount") if name in data)
        return Decimal(str(shown)) == Decimal(json.loads(row.request)["amount"])

    def teardown(self) -> None:
        try:
            self.mend_and_look()
        finally:
            self.clean_up()

    def clean_up(self) -> None:
        shop.KINDS.update(_SAMPLES)
        PaymentTable.HOLD = _HOLD
        rmtree(self.folder)

    def mend_and_look(self) -> None:
        """Mend everything, let the job run on, and look what is left."""
        self.habit, self.gateway.refuses, self.network.fates = "plain", None, []
        for host, times, seconds in ((0, 75, 61.0), (1, 4, 1801.0)):
            process = self._process(host)
            for _ in range(times):
                self.time_passes(seconds)
                if process.table.due():
                    shop.settle(*process.both)
            process.close()
        self.each_is_charged_at_most_once()
        self.what_the_table_says_is_true()
        for payment in _KEYS:
            row = self._payment(payment)
            if row is None or row.state in ("accepted", "done", "not_sent", "refused"):
                continue
            assert row.state == "unknown", f"{row} is left open"
            if self._has(payment):
                assert row.attention, f"{row} is there, the gateway answers, and nobody was told"
            elif row.kind == "order" and row.wanted and payment not in self.forgotten:
                raise AssertionError(f"{row} is wanted, the gateway answers, and it is not there")
