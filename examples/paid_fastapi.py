"""A shop with FastAPI: its pages, its receiver of webhooks, and a process that follows its orders and refunds.

`uvicorn paid_fastapi:app` serves it, `python paid_fastapi.py` follows. The client and the receiver are configured by the environment;
SHOP_URL is the shop's own address.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TypeVar
from uuid import uuid4

from fastapi import FastAPI
from fastapi.responses import PlainTextResponse, RedirectResponse

from paywright import (
    Client,
    Event,
    ItemResult,
    LedgerProblem,
    OutcomeUnknown,
    PaywrightError,
    Receiver,
)
from paywright_receiver import Follower, SqliteLedger
from paywright_receiver.fastapi import router

PRICE = Decimal("10.50")
T = TypeVar("T")
ledger = SqliteLedger("shop.db")  # the database of your own tables; made here, only its owner can read it
with closing(sqlite3.connect("shop.db")) as db, db:  # a migration of yours does this
    db.execute("CREATE TABLE IF NOT EXISTS payments (number TEXT PRIMARY KEY, amount TEXT, state TEXT)")
client, receiver = Client.from_env(), Receiver.from_env(ledger)
follower = Follower(client, ledger, receiver=receiver)
hints = ThreadPoolExecutor(1)  # so that no page waits while the database is locked


def ended(event: Event[ItemResult]) -> None:
    """Write the last state of an order or a refund: called once for each, however it became known."""
    change = "UPDATE payments SET state = ? WHERE number = ?"
    if event.transaction.execute(change, (event.data.state, event.data.key)).rowcount != 1:
        raise LookupError("There is no such payment.")  # not acknowledged, and kept for a person


receiver.on_result("orders")(ended)
receiver.on_result("refunds")(ended)


def send(kind: str, number: str, call: Callable[[], T]) -> T | None:
    """Make the only call with this number; return its result, or None."""
    try:
        result = call()
    except OutcomeUnknown:
        return None  # the follower finds out
    except PaywrightError as error:  # the only call was refused, or not sent
        with closing(sqlite3.connect("shop.db")) as db, db:
            db.execute("UPDATE payments SET state = 'REFUSED' WHERE number = ? AND state = 'PLACED'", (number,))
        follower.close(kind, number, str(error))
        return None
    follower.placed(kind, number)
    return result


app = FastAPI()
app.include_router(router(receiver, "/paywright"))


@app.post("/order")
def order() -> RedirectResponse:
    """Place an order, and send the payer to its page."""
    number, amount, until = f"ORD_{uuid4().hex}", PRICE, datetime.now(UTC) + timedelta(minutes=30)
    with closing(sqlite3.connect("shop.db")) as db, db:  # the order and its following together, or neither
        db.execute("INSERT INTO payments VALUES (?, ?, 'PLACED')", (number, f"{amount:f}"))
        follower.open(
            db, client.orders.follow(number, total_amount=amount, currency="USD", expires_at=until, unknown=True)
        )
    placed = send(
        "orders",
        number,
        lambda: client.orders.checkout(
            out_trade_no=number,
            subject="A ticket",
            total_amount=amount,
            currency="USD",
            user_id="user_7001",
            expire_time="1800",
            front_callback_url=f"{os.environ['SHOP_URL']}/back/{number}",
        ),
    )
    return RedirectResponse(placed.redirect_url if placed and placed.redirect_url else f"/back/{number}", 303)


@app.post("/refund/{order}")
def refund(order: str) -> RedirectResponse:
    """Refund an order: for your staff only."""
    with closing(sqlite3.connect("shop.db")) as db, db:
        db.execute("BEGIN IMMEDIATE")
        amount = Decimal(db.execute("SELECT amount FROM payments WHERE number = ?", (order,)).fetchone()[0])
        tried = "SELECT count(*) FROM payments WHERE number LIKE ? AND state IN ('REFUSED', 'REFUND_FAILED')"
        # A second click finds the first one's number. After a refund that gave nothing back there is a new one.
        number = f"REF_{order}_{db.execute(tried, (f'REF_{order}_%',)).fetchone()[0]}"
        db.execute("INSERT INTO payments VALUES (?, ?, 'PLACED') ON CONFLICT DO NOTHING", (number, f"{amount:f}"))
        is_new = follower.open(
            db,
            client.refunds.follow(
                number, refund_amount=amount, refund_currency="USD", out_trade_no=order, unknown=True
            ),
        )
    if is_new:
        send(
            "refunds",
            number,
            lambda: client.refunds.create(
                out_refund_no=number, refund_amount=amount, refund_currency="USD", out_trade_no=order
            ),
        )
    return RedirectResponse(f"/back/{number}", 303)


@app.get("/back/{number}")
def back(number: str) -> PlainTextResponse:
    """Show how an order stands. Anybody may load this page: it proves nothing."""
    with closing(sqlite3.connect("shop.db")) as db:
        row = db.execute("SELECT state FROM payments WHERE number = ?", (number,)).fetchone()
    if row is None:
        return PlainTextResponse("There is no such order.", 404)
    hints.submit(follower.hint, "orders" if number.startswith("ORD_") else "refunds", number)
    return PlainTextResponse(row[0])


if __name__ == "__main__":  # the process that follows
    while True:
        try:
            print(follower.run_due().stopped or "followed", flush=True)
        except LedgerProblem as problem:  # such as a locked database: what is due waits
            print(problem, flush=True)
        time.sleep(30)
