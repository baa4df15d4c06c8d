"""The shop of the experiment, a naive one beside it, and what both are told."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from paywright import Client, NoAnswer, OutcomeUnknown, UnreadableAnswer
from paywright_receiver import Follower
from tests.outcomes.follow_processes import EFFECTS, Books, new_ledger

__all__ = ["Delivery", "NaivePoller", "Shop", "new_books"]


class Delivery(NamedTuple):
    """A notification on its way."""

    about: str
    raw: bytes
    signature: str

    @property
    def is_paid(self) -> bool:
        """Whether it says that an order was paid."""
        return bool(json.loads(self.raw)["data"]["status"] == "SUCCESS")


class Shop:
    """The shop's own program, in this process: it places, hints and refunds, and writes each item with its order."""

    def __init__(self, client: Client, follower: Follower, connect: Callable[[], Any]) -> None:
        self._client, self._follower, self._connect = client, follower, connect

    def _open(self, follow: Any) -> None:
        with self._connect() as db:
            mark = "?" if isinstance(db, sqlite3.Connection) else "%s"
            db.execute(f"INSERT INTO things VALUES ({mark})", (follow.key,))
            self._follower.open(db, follow)
        db.close()

    def place(self, key: str, amount: Decimal, expires_at: datetime) -> None:
        self._open(
            self._client.orders.follow(key, total_amount=amount, currency="USD", expires_at=expires_at, unknown=True)
        )
        try:
            self._client.orders.checkout(
                out_trade_no=key, subject="Tickets", total_amount=amount, currency="USD", user_id=f"user_{key}",
                front_callback_url="https://shop.example/back", expire_time="1800",
            )  # fmt: skip
        except OutcomeUnknown:
            return  # the follower finds out
        self._follower.placed("orders", key)

    def refund(self, key: str, order: str, amount: Decimal) -> None:
        self._open(self._client.refunds.follow(key, refund_amount=amount, refund_currency="USD", unknown=True))
        try:
            self._client.refunds.create(
                out_refund_no=key, refund_amount=amount, refund_currency="USD", out_trade_no=order
            )
        except OutcomeUnknown:
            return
        self._follower.placed("refunds", key)

    def link(self, key: str) -> None:
        self._open(self._client.payment_links.follow(key))

    def came_back(self, key: str) -> None:
        self._follower.hint("orders", key)


class NaivePoller:
    """Asks for every unpaid order each minute, and credits what it sees paid: it and its endpoint read what was
    credited before they do something, and write without reading again."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.open: set[str] = set()
        self.read: set[str] = set()
        self.credited: dict[str, list[datetime]] = {}

    def begin(self) -> None:
        self.read = set(self.credited)

    def told(self, one: Delivery, now: datetime) -> None:
        if one.is_paid and one.about in self.open and one.about not in self.read:
            self.credited.setdefault(one.about, []).append(now)

    def poll(self, now: datetime) -> None:
        for key in sorted(self.open - self.read):
            try:
                status = self._client.orders.query(out_trade_no=key).status
            except (NoAnswer, UnreadableAnswer):
                continue
            if status is not None and status.is_settled:
                if status.is_paid:
                    self.credited.setdefault(key, []).append(now)
                else:
                    self.open.discard(key)


@contextmanager
def new_books(database: str, folder: Path, env: dict[str, str]) -> Iterator[tuple[Books, Callable[[], Any]]]:
    """The shop's database, with its tables: a file, or a new database of the server with this connection string."""
    if not database:
        books = Books(str(folder / "shop.db"), "", env)

        def connect() -> Any:
            return sqlite3.connect(books.sqlite, timeout=120)

    else:
        import psycopg

        name = f"shop_{folder.name.replace('-', '_').lower()}"
        with psycopg.connect(database, autocommit=True) as server:
            server.execute(f"CREATE DATABASE {name}".encode())
        books = Books("", psycopg.conninfo.make_conninfo(database, dbname=name), env)

        def connect() -> Any:
            return psycopg.connect(books.postgres)

        new_ledger(books).prepare()
    with connect() as db:
        db.execute(EFFECTS)
        db.execute("CREATE TABLE things (key TEXT)")
    db.close()
    yield books, connect
