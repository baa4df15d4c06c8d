"""The life of an item: what the gateway has, and what payers, staff, processes and time do to it, as operations of a table.

The client, the followers, the receiver and the ledger are real. The gateway is a transport over a dictionary, the clock stands still
between operations, and `Life` can go back to any moment: it writes the rows of that moment into the ledger's file again.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from paywright import Client, Event, ItemResult, Merchant, PeriodResult, Receiver, RsaSigner, RsaVerifier, contract
from paywright_receiver import Follower, SqliteLedger
from paywright_receiver.items.open_items import Item
from paywright_receiver.items.state_memory import read
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure
from tests.receiver.helpers.desk import APP, key
from tests.receiver.lives.merchant import Facts

__all__ = ["KINDS", "Clock", "Kind", "Life", "Moment", "Thing"]

START: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
ADDRESSES: Final = ("https://gateway.example", "https://new.example")
AMOUNT: Final = Decimal("10.50")
LIFETIME: Final = 1800.0
DAY: Final = 86_400.0
REFERENCES: Final = ("prod-900", "staging-7")
"""What the shop writes into its orders, and what another buyer's order has."""


class Kind(NamedTuple):
    """What a kind of item is called, and what it may become.

    `by` names its key, `opens` its first state, `paid` the one with money. `shown` are members of the query's answer, `notified` those
    of a notification, of the word `told_as`. `write` makes it, by `called`, unless it is made elsewhere; `followed` registers it.
    """

    number: str
    by: str
    opens: str
    moves: dict[str, tuple[str, ...]]
    paid: str
    shown: dict[str, Any]
    followed: dict[str, Any]
    told_as: str = ""
    notified: dict[str, Any] = {}
    write: str = ""
    called: dict[str, Any] = {}
    refusal: str = ""
    state: str = "status"
    queried: bool = True


_DOLLARS: Final = {"amount": str(AMOUNT), "currency": "USD"}
_REFUND: Final = {"out_refund_no": "REF_1", "refund_amount": AMOUNT, "refund_currency": "USD", "out_trade_no": "ORD_1"}
_EXCHANGE: Final = {
    "out_trade_no": "EXC_1", "ccy_pair": "EURUSD", "side": "SELL", "transaction_amount": AMOUNT, "transaction_ccy": "EUR", "target_ccy": "USD",
}  # fmt: skip
KINDS: Final = {
    "orders": Kind(
        "ORD_1", "outTradeNo", "PENDING",
        {"PENDING": ("SUCCESS", "CLOSED"), "SUCCESS": ("BOUNCEBACK",), "CLOSED": ("SUCCESS",)}, "SUCCESS",
        {"trade": _DOLLARS},
        {"out_trade_no": "ORD_1", "total_amount": AMOUNT, "currency": "USD", "expires_at": START + timedelta(seconds=LIFETIME),
         "reference": REFERENCES[0], "unknown": True},
        "PAYMENT", {"totalAmount": str(AMOUNT), "currency": "USD"}, "orders.checkout",
        {"out_trade_no": "ORD_1", "subject": "Two tickets", "total_amount": AMOUNT, "currency": "USD", "user_id": "user_1",
         "front_callback_url": "https://shop.example/back", "reference": REFERENCES[0]}, "AMOUNT_LIMIT",
    ),
    "refunds": Kind(
        "REF_1", "outRefundNo", "REFUND_PENDING", {"REFUND_PENDING": ("REFUND_SUCCESS", "REFUND_FAILED")}, "REFUND_SUCCESS",
        {"refundAmount": float(AMOUNT), "refundCurrency": "USD"}, _REFUND | {"unknown": True}, "REFUND",
        {"refundAmount": str(AMOUNT), "refundCurrency": "USD"}, "refunds.create", _REFUND, "REFUND_INSUFFICIENT_BALANCE",
    ),
    "exchanges": Kind(
        "EXC_1", "outTradeNo", "PENDING", {"PENDING": ("SUCCESS", "FAILED")}, "SUCCESS",
        {"transactionAmount": str(AMOUNT), "side": "SELL"}, _EXCHANGE | {"unknown": True}, "", {}, "exchanges.create", _EXCHANGE, "BALANCE_INSUFFICIENT",
    ),
    "withdrawals": Kind(
        "WD_1", "outTradeNo", "PROCESSING", {"PROCESSING": ("SUCCESS", "FAILED")}, "SUCCESS", {"transactionAmount": str(AMOUNT)},
        {"out_trade_no": "WD_1"}, "WITHDRAW", {"transactionAmount": str(AMOUNT), "transactionCurrency": "EUR"},
    ),
    "payment_links": Kind(
        "ML_1", "merchantLinkId", "ACTIVE", {"ACTIVE": ("EXPIRED",)}, "EXPIRED", {"payByLinkInfo": None}, {"merchant_link_id": "ML_1"}, state="linkStatus",
    ),
    "subscriptions": Kind(
        "PLAN_1", "subscriptionRequestId", "PENDING", {"PENDING": ("SUCCESS", "FAILED")}, "SUCCESS", {}, {"subscription_request_id": "PLAN_1"},
        "SUBSCRIPTION_PAYMENT", queried=False,
    ),
}  # fmt: skip


class Thing(NamedTuple):
    """What the gateway has under a key: its states so far, when it closes by itself, and whether another buyer made it."""

    states: tuple[str, ...] = ()
    closes_at: float = 0.0
    theirs: bool = False
    coming: bool = False

    @property
    def state(self) -> str:
        return self.states[-1] if self.states else ""


class Clock:
    """A clock that can be set."""

    seconds = 0.0

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class Cached:
    """Real keys, whose signatures of the same bytes are made and verified once."""

    def __init__(self) -> None:
        self.sign = cache(RsaSigner(key()).sign)
        self.verify = cache(RsaVerifier([key().public_key()]).verify)


KEYS: Final = Cached()


class Gateway:
    """The gateway of all addresses."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.things: dict[str, Thing] = {}
        self.mode, self.amount = "ok", str(AMOUNT)
        self.away = False
        self.asked: list[tuple[str, str]] = []  # kind, and the state that was shown
        self.calls: list[tuple[str, str]] = []
        self.meanwhile: Callable[[], object] | None = None

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        name = PATHS[request.path]
        kind = name.partition(".")[0]
        if self.away:
            raise TransportFailure(Phase.CONNECTING, "connection_failed")
        if name.endswith(".query"):
            answer = self._show(kind)
        else:
            answer = self._make(kind, name)
        date = self.clock.now().strftime("%a, %d %b %Y %H:%M:%S GMT")
        return RawAnswer(200, [("date", date), ("sign", KEYS.sign(answer))], answer)

    def close(self) -> None:
        pass

    def _show(self, kind: str) -> bytes:
        """Answer as it is, and have something happen before the answer arrives."""
        thing, meanwhile = self.things[kind], self.meanwhile
        self.meanwhile = None
        if meanwhile is not None:
            meanwhile()
        self.asked.append(
            (
                kind,
                (
                    thing.state
                    if kind != "orders" or self.amount == str(AMOUNT)
                    else KINDS[kind].opens * len(thing.states[:1])
                ),
            )
        )
        if not thing.states:
            return refusal("ORDER_NOT_EXIST")
        return answer(f"{kind}.query.response", kind, thing.state, thing.theirs, self.amount)

    def _make(self, kind: str, name: str) -> bytes:
        mode = self.mode
        if mode == "not sent":
            raise TransportFailure(Phase.CONNECTING, "connection_failed")
        thing = self.things[kind]
        self.calls.append((kind, mode))
        if mode == "refused":
            return refusal(KINDS[kind].refusal)
        if mode == "late":
            self.things[kind] = thing._replace(coming=True, closes_at=self.clock.seconds + DAY)
        elif mode != "gone":
            if thing.states:
                return refusal("ORDER_REPEAT")
            self.arrive(kind)
        if mode != "ok":
            raise TransportFailure(Phase.WAITING, "connection_lost")
        return answer(f"{name}.response", kind, KINDS[kind].opens)

    def arrive(self, kind: str) -> None:
        thing = self.things[kind]._replace(coming=False)
        if not thing.states:
            thing = thing._replace(states=(KINDS[kind].opens,), closes_at=self.clock.seconds + LIFETIME)
        self.things[kind] = thing

    def become(self, kind: str, state: str) -> None:
        """Have a thing become this, by the moves that lead there; if none does, nothing changes."""
        thing, moves = self.things[kind], KINDS[kind].moves
        for way in ((state,), *((one, state) for one in moves.get(thing.state, ()))):
            if all(then in moves.get(before, ()) for before, then in zip((thing.state, *way), way, strict=False)):
                self.things[kind] = thing._replace(states=(*thing.states, *way))
                return

    def pass_to(self, seconds: float) -> None:
        self.clock.seconds = max(self.clock.seconds, seconds)
        for kind, one in self.things.items():
            if one.coming and self.clock.seconds >= one.closes_at:  # nothing is on its way for longer than a day
                self.things[kind] = one._replace(coming=False)
        thing = self.things.get("orders", Thing())
        if thing.state == "PENDING" and self.clock.seconds >= thing.closes_at:
            self.things["orders"] = thing._replace(states=(*thing.states, "CLOSED"))


@cache
def answer(example: str, kind: str, state: str, theirs: bool = False, amount: str = str(AMOUNT)) -> bytes:
    """Return a success, with what is shown of an item; of an order with another amount, or with none."""
    body: Any = contract.example(example)  # type: ignore[arg-type]  # it has one of these names
    one = KINDS[kind]
    body["data"] |= {one.by: one.number, one.state: state}
    shown = one.shown
    if kind == "orders":
        shown = {"reference": REFERENCES[theirs], "trade": {"amount": amount, "currency": "USD"} if amount else None}
    names = [name for name in shown if name in body["data"] or example.endswith("query.response")]
    body["data"] |= {name: shown[name] for name in names}
    return json.dumps(
        {**body, "data": {name: value for name, value in body["data"].items() if value is not None}}
    ).encode()


@cache
def refusal(code: str) -> bytes:
    return json.dumps({"code": code, "msg": "no"}).encode()


PATHS: Final = {
    contract.CONTRACT.operation(name).path: name
    for kind, one in KINDS.items()
    for name in (f"{kind}.query" * one.queried, one.write)
    if name
}


class Moment(NamedTuple):
    """A moment to go back to, and the operations since then while somebody holds a permission, which cannot be stored."""

    seconds: float
    rows: dict[str, tuple[Any, ...]]
    items: dict[str, Item | None]
    things: dict[str, Thing]
    address: int
    facts: dict[str, Facts]
    since: tuple[str, ...] = ()


class Life:
    """A merchant's shop with one item of each of some kinds.

    `theirs`: another buyer has an order of that number. `reconciles`: there is a handler of conflicts.
    """

    def __init__(
        self, folder: Path, *kinds: str, theirs: bool = False, reconciles: bool = False, ledger: Any = None
    ) -> None:
        self.kinds = kinds
        self.clock = Clock()
        self.gateway = Gateway(self.clock)
        self.gateway.things = {kind: Thing(() if KINDS[kind].write else (KINDS[kind].opens,)) for kind in kinds}
        if theirs:
            self.gateway.things["orders"] = Thing(("PENDING", "SUCCESS"), theirs=True)
        self.facts = {kind: Facts() for kind in kinds}
        self.address, self.permission, self.failing = 0, None, False
        self.given: list[tuple[ItemResult, bool]] = []
        self.taken: list[ItemResult] = []
        self.ledger: Any = SqliteLedger(folder / "ledger.db", clock=self.clock) if ledger is None else ledger
        if isinstance(ledger, SqliteLedger):
            ledger.clock = self.clock
        self.merchant: Any = Merchant(app_id=APP, member_id="member_1", private_key=KEYS, gateway_keys=KEYS)
        self.clients = [
            Client(base_url=one, merchant=self.merchant, clock=self.clock, transport=self.gateway, retries=0)
            for one in ADDRESSES
        ]
        self.receiver = Receiver(app_id=APP, gateway_keys=KEYS, ledger=self.ledger, clock=self.clock)
        for kind in kinds:
            if KINDS[kind].queried:
                self.receiver.on_result(kind)(self.declared(self._handle))
            else:
                self.receiver.on_subscription_payment(self._handle_period)
        if reconciles:
            self.receiver.on_conflict(self.declared(self._take))
        self._followers = [self.made(one, self.receiver) for one in self.clients]
        self._bookkeepers = [self.made(one, None) for one in self.clients]
        self.items: dict[str, Item | None] = {}
        self.rows: dict[str, tuple[Any, ...]] = {}
        self._columns: dict[str, list[str]] = {}
        if ledger is None:
            self._db = sqlite3.connect(folder / "ledger.db", isolation_level=None)
            self._db.execute("PRAGMA synchronous=OFF")
            names = [name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            self._columns = {
                one: [row[1] for row in self._db.execute(f"PRAGMA table_info({one})")]
                for one in names
                if not one.endswith("schema")
            }
        self.look()

    def made(self, client: Client, receiver: Receiver | None) -> Any:
        """Make a follower."""
        return Follower(client, self.ledger, receiver=receiver)

    def declared(self, handler: Any) -> Any:
        """Declare what a handler does."""
        return handler

    @property
    def client(self) -> Client:
        return self.clients[self.address]

    @property
    def follower(self) -> Any:
        return self._followers[self.address]

    @property
    def bookkeeper(self) -> Any:
        """A follower that only keeps what it learns."""
        return self._bookkeepers[self.address]

    def start_anew(self) -> None:
        """Start the process anew: nothing is left of what only it knew."""
        self._followers[self.address] = self.made(self.client, self.receiver)
        self.permission = None

    def _handle(self, event: Event[ItemResult]) -> None:
        if self.failing:
            raise LookupError("There is no stock.")
        self.given.append((event.data, event.redelivered))

    def _handle_period(self, event: Event[PeriodResult]) -> None:
        detail, told = event.data.subscription_payment_detail, self.facts["subscriptions"].told
        state, was = detail.payment_status, told[-1] if told else None
        result: Any = SimpleNamespace(
            kind="subscriptions", state=state, amount=detail.pay_amount.amount, is_paid=state.is_paid, was=was
        )
        if self.failing:
            raise LookupError("There is no stock.")
        self.given.append((result, False))

    def _take(self, event: Event[Any]) -> None:
        if self.failing:
            raise LookupError("There is no stock.")
        self.taken.append(event.data)

    def look(self) -> bool:
        """Read what the ledger has; return whether it is what it was."""
        before = self.rows
        self.rows = self.committed()
        if self.rows == before and self._columns and self.items:
            return True
        self.items = {kind: self.follower.get(kind, KINDS[kind].number) for kind in self.kinds}
        return False

    def committed(self) -> dict[str, tuple[Any, ...]]:
        """Return what is in the file."""
        return {one: tuple(self._db.execute(f"SELECT * FROM {one} ORDER BY 1, 2")) for one in self._columns}

    # Moments

    def moment(self) -> Moment:
        return Moment(
            self.clock.seconds, self.rows, self.items, dict(self.gateway.things), self.address, dict(self.facts)
        )

    def go_back(self, moment: Moment) -> None:
        """Be at a moment again."""
        if self.permission is not None:
            self.start_anew()
        self.write(moment.rows)
        self.items = moment.items
        self.clock.seconds, self.address = moment.seconds, moment.address
        self.gateway.things, self.facts = dict(moment.things), dict(moment.facts)
        for name in moment.since:
            self.do(name)

    def write(self, rows: dict[str, tuple[Any, ...]]) -> None:
        """Have nothing but these rows in the file."""
        changed = [one for one in self._columns if rows[one] != self.rows[one]]
        if changed:
            self._db.execute("BEGIN IMMEDIATE")
            for one in changed:
                self._db.execute(f"DELETE FROM {one}")
                marks = ", ".join("?" * len(self._columns[one]))
                self._db.executemany(f"INSERT INTO {one} VALUES ({marks})", rows[one])
            self._db.execute("COMMIT")
        self.rows = rows

    def do(self, name: str) -> str:
        """Let something happen, and return what came of it."""
        raise NotImplementedError

    def stored(self) -> str:
        """Return what the ledger has, but for names of leases and counters, and with times as they are from now."""
        found: list[object] = []
        for one, rows in self.rows.items():
            kept = [number for number, name in enumerate(self._columns[one]) if name not in PASSING]
            found.append([[_from_now(row[number], self.clock.seconds) for number in kept] for row in rows])
        return repr(found)

    def state(self) -> bytes:
        """Return a hash of all that the rest of this life depends on."""
        things = [
            one._replace(
                states=one.states[-1:],
                closes_at=span(one.closes_at - self.clock.seconds) if one.state == "PENDING" or one.coming else 0,
            )
            for one in self.gateway.things.values()
        ]
        facts = [one.from_now(self.clock.seconds) for one in self.facts.values()]
        held = self.permission is not None
        return blake2b(repr((self.stored(), things, self.address, facts, held)).encode(), digest_size=12).digest()


def _from_now(value: Any, now: float) -> Any:
    if isinstance(value, int) and value > 10**12:
        return span(value / 10**6 - START.timestamp() - now)
    if isinstance(value, bytes):
        return _text_from_now(value.decode(), now)
    if not isinstance(value, str) or len(value) < 20:
        return value
    if value.startswith(
        "["
    ):  # a memory: of alike lines the last one counts, and its time if no inquiry has answered it
        return [one._replace(at=_from_now(one.at, now) if one.answered == "no" else 0) for one in read(value)]
    return _text_from_now(value, now)


@lru_cache(50_000)
def _text_from_now(text: str, now: float) -> str:
    def apart(time: re.Match[str]) -> str:
        return str(span((datetime.fromisoformat(time[0]) - START).total_seconds() - now))

    return TIME(apart, LAST("", text))


def span(seconds: float) -> int:
    """Return about how long this is: times that differ by less lead to the same."""
    if abs(seconds) < 15:
        return 0
    return 1 + sum(seconds > one - 15 for one in SPANS) if seconds > 0 else -1 - sum(-seconds >= one for one in SPANS)


SPANS: Final = (300.0, 1800.0, 86_400.0)
PASSING: Final = {
    "owner", "version", "hints", "asked", "attempts", "claimed_at", "lease_until", "keep_until", "first_at", "why", "changed_at", "opened_at",
    "settled_at", "effect_at", "handled_at", "notify_time", "draft",
}  # fmt: skip
"""Columns that decide nothing here."""
TIME: Final = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00").sub
LAST: Final = re.compile(r'\\?"(last|asked|answers|hinted|stateless|notifyTime)\\?": (\d+|\\?".*?\\?"(?=[,}]))').sub
"""What a stored state machine says in words, and its counters, none of which comes to where it counts here."""
