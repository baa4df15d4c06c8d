"""A shop under uWSGI, which imports it and then forks: what test_uwsgi.py starts, and asks over HTTP.

Client, follower and ledger are used before the fork. A path is the name of a function below, a query its arguments.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable
from decimal import Decimal
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl

from paywright import Client, Event, ItemResult, PaywrightError, RatePair, Receiver
from paywright.models.notifications import Transfer
from paywright_receiver import Follower, SqliteLedger, wsgi_app

ORDER: dict[str, Any] = {
    "subject": "Two tickets",
    "total_amount": Decimal("10.50"),
    "currency": "USD",
    "user_id": "u1",
    "front_callback_url": "https://shop.example/back",
}

client = Client.from_env()
ledger = SqliteLedger(os.environ["SHOP_LEDGER"])
receiver = Receiver.from_env(ledger)
follower = Follower(client, ledger, receiver=receiver)


@receiver.on_receive
def received(event: Event[Transfer]) -> None:
    event.transaction.execute("INSERT INTO effects VALUES (?)", (event.data.request_no,))


@receiver.on_result("orders")
def paid(event: Event[ItemResult]) -> None:
    event.transaction.execute("INSERT INTO effects VALUES (?)", (event.data.key,))


def rate(currency: str) -> str:
    pair = RatePair(side="BUY", transaction_currency=currency, target_currency="USD")
    (found,) = client.rates.query(ccy_pair_list=[pair], product="PAY_IN").currency_list
    return found.ccy_pair


def order(number: str) -> str | None:
    return client.orders.query(out_trade_no=number).out_trade_no


def hint(number: str) -> bool:
    return follower.hint("orders", number)


def run() -> int:
    return follower.run_due().handled


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    if environ["PATH_INFO"] == "/webhooks":
        return wsgi_app(receiver)(environ, start_response)
    named: dict[str, Callable[..., object]] = {"/rate": rate, "/order": order, "/hint": hint, "/run": run}
    asked = named[environ["PATH_INFO"]]
    started = monotonic()
    try:
        answer = asked(**dict(parse_qsl(environ["QUERY_STRING"])))
    except PaywrightError as error:
        answer = type(error).__name__
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"answer": answer, "worker": os.getpid(), "seconds": monotonic() - started}).encode()]


with sqlite3.connect(os.environ["SHOP_LEDGER"]) as db:
    db.execute("CREATE TABLE effects (number TEXT)")
db.close()
client.orders.checkout(out_trade_no="ORD_1", **ORDER)
follower.open(None, client.orders.follow("ORD_1"))
assert (order("ORD_1"), rate("EUR"), run(), ledger.counts()["done"]) == ("ORD_1", "EURUSD", 0, 0)
