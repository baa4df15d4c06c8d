"""Orders, refunds and exchanges of a shop, each sent once, kept in a table of the shop's own: copy this module and adapt it.

    paywright sandbox init gateway
    paywright sandbox --dir gateway &
    set -a; . gateway/.env; set +a
    python examples/shop.py shop.db order ORD_1 10.50 USD
    python examples/shop.py shop.db refund REF_1 ORD_1 4.25 USD
    python examples/shop.py shop.db settle
    python examples/shop.py shop.db list

`place` may be called twice with the same key, by two processes at once, and after a crash: it sends once. `settle` is for a
job that runs every minute, on several machines if you like. `docs/outcomes.md` explains both.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple
from uuid import uuid4

from paywright import (
    Client,
    Clock,
    ConfigurationError,
    ContractViolation,
    DropInOrderCreated,
    Exchange,
    ExchangeCreated,
    GatewayError,
    HostedOrderCreated,
    InvalidArgument,
    NoAnswer,
    NotSent,
    Order,
    OutcomeUnknown,
    PaywrightError,
    Permission,
    Refund,
    RefundCreated,
    SystemClock,
    UnreadableAnswer,
)

Request = Mapping[str, str]
Created = HostedOrderCreated | DropInOrderCreated | RefundCreated | ExchangeCreated
Found = Order | Refund | Exchange


@dataclass(frozen=True)
class Kind:
    """How one kind of write is sent, how a resolver for it begins (as JSON), and how its status is asked for.

    `send` takes the permission too, where an order is placed again. `resolve` is given what was asked for, so that another call
    under the same key is noticed, and the error that the call met.
    """

    send: Callable[..., Created]
    resolve: Callable[[Client, str, Request, PaywrightError | None], str]
    query: Callable[[Client, str], Found]


SCHEMA = """
CREATE TABLE IF NOT EXISTS payments (
    kind      TEXT NOT NULL,                 -- order, refund, exchange
    key       TEXT NOT NULL COLLATE NOCASE,  -- out_trade_no, out_refund_no: the gateway ignores case, so do we
    request   TEXT NOT NULL,                 -- all that the call says, so that it can be said again; JSON
    state     TEXT NOT NULL,                 -- not_sent, sending, unknown, accepted, refused, done
    status    TEXT,                          -- the gateway's word: SUCCESS, FAILED, ..., or the code of a refusal
    url       TEXT,                          -- where to send the payer
    resolver  TEXT,                          -- while unknown; JSON
    wanted    INTEGER NOT NULL DEFAULT 1,    -- 0: not to be placed again
    attention TEXT,                          -- what a person has to look at
    created   REAL NOT NULL,
    due       REAL NOT NULL,                 -- when the job looks at it; in the future while somebody is at it
    holder    TEXT,                          -- who is at it, or was last
    PRIMARY KEY (kind, key)
)
"""


class Payment(NamedTuple):
    """One row of the table."""

    kind: str
    key: str
    request: str
    state: str
    status: str | None
    url: str | None
    resolver: str | None
    wanted: int
    attention: str | None
    created: float
    due: float
    holder: str | None


class NotHeld(Exception):
    """Somebody else is at this payment now. What was to be written about it has not been written."""


class PaymentTable:
    """The table `payments`. Every method is one statement and one transaction; none is open while the gateway is called."""

    HOLD = 300.0  # seconds: longer than any call takes, `Client(timeout=...)` and one query included

    def __init__(self, connection: sqlite3.Connection, clock: Clock | None = None) -> None:
        self._db = connection
        self._clock = clock or SystemClock()
        self._db.execute(SCHEMA)

    def now(self) -> float:
        """Return the time in seconds."""
        return self._clock.now().timestamp()

    def add(self, kind: str, key: str, request: Request) -> Payment:
        """Insert a payment that is not sent yet, or leave the one that is there. Raises ValueError if that asks for something else."""
        text, now = json.dumps(dict(request), sort_keys=True), self.now()
        self._db.execute(
            "INSERT INTO payments (kind, key, request, state, created, due) VALUES (?, ?, ?, 'not_sent', ?, ?)"
            " ON CONFLICT DO NOTHING",
            (kind, key, text, now, now),
        )
        payment = self.get(kind, key)
        if payment.request != text:
            raise ValueError(f"{kind} {key!r} asks for something else already; another {kind} needs another key")
        return payment

    def get(self, kind: str, key: str) -> Payment:
        """Return a stored payment."""
        row = self._db.execute("SELECT * FROM payments WHERE kind = ? AND key = ?", (kind, key)).fetchone()
        return Payment(*row)

    def begin(self, payment: Payment) -> Payment | None:
        """Take a payment that is not sent for sending it; None if somebody else has taken it, or has sent it."""
        return self._take(payment, "state = 'not_sent'", state="sending")

    def hold(self, payment: Payment) -> Payment | None:
        """Take a payment that is due; None if another job has."""
        return self._take(payment, "state IN ('sending', 'unknown', 'accepted') AND due <= ?", self.now())

    def _take(self, payment: Payment, condition: str, *values: object, state: str | None = None) -> Payment | None:
        holder = uuid4().hex
        taken = self._db.execute(
            f"UPDATE payments SET holder = ?, due = ?, state = coalesce(?, state) WHERE kind = ? AND key = ? AND {condition}",
            (holder, self.now() + self.HOLD, state, payment.kind, payment.key, *values),
        )
        return self.get(payment.kind, payment.key)._replace(holder=holder) if taken.rowcount else None

    def change(self, payment: Payment, **columns: str | float | None) -> None:
        """Change columns of a payment that is still held. Raises `NotHeld` if it is not, and then nothing was changed."""
        names = ", ".join(f"{name} = ?" for name in columns)
        changed = self._db.execute(
            f"UPDATE payments SET {names} WHERE kind = ? AND key = ? AND holder = ?",
            (*columns.values(), payment.kind, payment.key, payment.holder),
        )
        if not changed.rowcount:
            raise NotHeld(f"{payment.kind} {payment.key!r} was taken over")

    def due(self) -> list[Payment]:
        """Return the payments that the job has to look at."""
        rows = self._db.execute(
            "SELECT * FROM payments WHERE state IN ('sending', 'unknown', 'accepted') AND due <= ? ORDER BY due",
            (self.now(),),
        )
        return [Payment(*row) for row in rows.fetchall()]

    def all(self) -> list[Payment]:
        """Return all payments, the oldest first."""
        return [Payment(*row) for row in self._db.execute("SELECT * FROM payments ORDER BY created, key")]


def connect(path: str) -> sqlite3.Connection:
    """Open the database. No transaction is begun behind our back, and what is committed is on the disk."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=30)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def place(client: Client, table: PaymentTable, kind: str, key: str, request: Request) -> Payment:
    """Send a payment, once, however often this is called with its key; return what is known of it.

    `not_sent`: nothing left, call this again. `sending`: somebody else is at it. `unknown`: `settle` finds out, tell the payer to
    wait. `accepted`: the gateway has it; send the payer to `url`. `refused`: the gateway refused it, and there was no earlier call.
    Raises ValueError for a key that asks for something else, and what the call raised where nothing could be sent.
    """
    payment = table.begin(table.add(kind, key, request))  # stored before the call: the program may die in it
    if payment is not None:
        with suppress(NotHeld):  # it took too long: a job has taken it over, and finds out what became of it
            send(client, table, payment)
    return table.get(kind, key)


def send(client: Client, table: PaymentTable, payment: Payment) -> None:
    """Make the first call with this key, and write down how it ended."""
    kind, request = KINDS[payment.kind], json.loads(payment.request)
    try:
        created = kind.send(client, payment.key, request)
    except (OutcomeUnknown, UnreadableAnswer) as unknown:
        resolver = kind.resolve(client, payment.key, request, unknown)
        table.change(payment, state="unknown", resolver=resolver, due=table.now())
    except GatewayError as refused:  # of the only call that was ever made with this key
        table.change(payment, state="refused", status=refused.code)
    except NotSent:
        table.change(payment, state="not_sent")
    except (ContractViolation, ConfigurationError, InvalidArgument) as mistake:
        table.change(payment, state="not_sent", attention=str(mistake))
        raise
    else:
        url = created.redirect_url if isinstance(created, (HostedOrderCreated, DropInOrderCreated)) else None
        table.change(payment, state="accepted", status=created.status, url=url, due=table.now() + SOON)


SOON = 30.0
DAY = 86_400.0


def settle(client: Client, table: PaymentTable) -> None:
    """Look at every payment that is due: for a job that runs every minute. Several may run at once."""
    for listed in table.due():
        payment = table.hold(listed)  # one job a payment; the others go on to the next
        if payment is None:
            continue
        try:
            if payment.state == "accepted":
                look(client, table, payment)
            else:
                resolve(client, table, payment)
        except NotHeld:
            pass  # it took too long: another job has it
        except Exception as error:  # kept for a person; the payments behind this one are looked at all the same
            with suppress(NotHeld):
                table.change(payment, attention=f"{type(error).__name__}: {error}", due=table.now() + 10 * SOON)


def resolve(client: Client, table: PaymentTable, payment: Payment) -> None:
    """Ask what became of a payment whose outcome is unknown; place an order again where the rule of 4.3 allows it."""
    kind, request = KINDS[payment.kind], json.loads(payment.request)
    if payment.resolver is None:  # it is still `sending`: the program that sent it has died, or hangs
        begun = kind.resolve(client, payment.key, request, None)
        table.change(payment, state="unknown", resolver=begun)
        payment = payment._replace(resolver=begun)
    resolver = client.resume(payment.resolver or "")
    step = resolver.step()
    if step.state == "place_again" and payment.wanted:
        # What is stored before the permission is given is that it is to be asked for from the beginning.
        permission = resolver.permission(store=lambda text: table.change(payment, resolver=text))
        try:
            kind.send(client, payment.key, request, permission)
        except (OutcomeUnknown, UnreadableAnswer, NotSent):
            pass  # the resolver reads how the call ended, and asks
        except GatewayError as refused:  # of this attempt alone; the first one may stand: go on asking
            table.change(payment, wanted=0, attention=f"placing it again was refused: {refused.code}")
        step = resolver.look()
    if step.state == "settled":
        table.change(payment, state="accepted", resolver=None, attention=None, due=table.now())
        return
    if step.state in ("decide", "no_query"):  # the gateway gives no answer by itself: a person has to see it
        table.change(payment, attention=step.why)
    at = step.at.timestamp() if step.at is not None else table.now() + DAY
    table.change(payment, resolver=resolver.to_json(), due=max(at, table.now() + 1))


def look(client: Client, table: PaymentTable, payment: Payment) -> None:
    """Ask for the status of a payment that the gateway has, until there is nothing more to ask for."""
    pause = min(max((table.now() - payment.created) / 2, SOON), DAY / 24)
    try:
        found = KINDS[payment.kind].query(client, payment.key)
    except (NoAnswer, NotSent, UnreadableAnswer):
        table.change(payment, due=table.now() + SOON)
        return
    done = found.status is not None and found.status.is_settled
    table.change(
        payment, state="done" if done else "accepted", status=found.status, attention=None, due=table.now() + pause
    )


def checkout(client: Client, key: str, request: Request, again: Permission | None = None) -> HostedOrderCreated:
    """Place a hosted order."""
    return client.orders.checkout(
        out_trade_no=key,
        subject=request["subject"],
        total_amount=Decimal(request["amount"]),
        currency=request["currency"],
        user_id=request["user_id"],
        front_callback_url="https://shop.example/back",
        again=again,
    )


def resolve_order(client: Client, key: str, request: Request, after: PaywrightError | None) -> str:
    """Return the resolver of an order, as text."""
    return client.orders.resolve(
        key, total_amount=Decimal(request["amount"]), currency=request["currency"], after=after
    ).to_json()


def refund(client: Client, key: str, request: Request) -> RefundCreated:
    """Ask for a refund."""
    return client.refunds.create(
        out_refund_no=key,
        out_trade_no=request["out_trade_no"],
        refund_amount=Decimal(request["amount"]),
        refund_currency=request["currency"],
    )


def resolve_refund(client: Client, key: str, request: Request, after: PaywrightError | None) -> str:
    """Return the resolver of a refund, as text."""
    return client.refunds.resolve(
        key,
        out_trade_no=request["out_trade_no"],
        refund_amount=Decimal(request["amount"]),
        refund_currency=request["currency"],
        after=after,
    ).to_json()


def exchange(client: Client, key: str, request: Request) -> ExchangeCreated:
    """Exchange money."""
    return client.exchanges.create(
        out_trade_no=key,
        ccy_pair=request["sold"] + request["bought"],
        side="SELL",
        transaction_amount=Decimal(request["amount"]),
        transaction_ccy=request["sold"],
        target_ccy=request["bought"],
    )


def resolve_exchange(client: Client, key: str, request: Request, after: PaywrightError | None) -> str:
    """Return the resolver of an exchange, as text."""
    return client.exchanges.resolve(
        key,
        ccy_pair=request["sold"] + request["bought"],
        side="SELL",
        transaction_amount=Decimal(request["amount"]),
        transaction_ccy=request["sold"],
        target_ccy=request["bought"],
        after=after,
    ).to_json()


KINDS = {
    "order": Kind(checkout, resolve_order, lambda client, key: client.orders.query(out_trade_no=key)),
    "refund": Kind(refund, resolve_refund, lambda client, key: client.refunds.query(out_refund_no=key)),
    "exchange": Kind(exchange, resolve_exchange, lambda client, key: client.exchanges.query(out_trade_no=key)),
}


def main(database: str, command: str, *words: str) -> int:
    """Run one command of this program."""
    table = PaymentTable(connect(database))
    with Client.from_env() as client:
        match (command, *words):
            case ("order", key, amount, currency):
                request = {"amount": amount, "currency": currency, "subject": "Two tickets", "user_id": "user_7001"}
                show(place(client, table, "order", key, request))
            case ("refund", key, out_trade_no, amount, currency):
                request = {"out_trade_no": out_trade_no, "amount": amount, "currency": currency}
                show(place(client, table, "refund", key, request))
            case ("exchange", key, amount, sold, bought):
                show(place(client, table, "exchange", key, {"amount": amount, "sold": sold, "bought": bought}))
            case ("settle",):
                settle(client, table)
            case ("list",):
                for payment in table.all():
                    show(payment)
            case _:
                sys.exit(__doc__)
    return 0


def show(payment: Payment) -> None:
    """Print how a payment stands."""
    words = (payment.kind, payment.key, payment.state, payment.status, payment.url, payment.attention)
    print(*(word for word in words if word))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
