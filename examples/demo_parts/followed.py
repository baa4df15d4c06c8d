"""An order that is paid while the shop's server is down, in a gateway of its own whose clock is moved: the follower learns of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from demo_parts.shop import Shop
from demo_parts.words import expect, step, title
from paywright import FixedClock
from paywright_receiver import Follower
from paywright_sandbox.testing import in_process_sandbox

__all__ = ["followed"]

_KEY = "DEMO_LOST"
_AMOUNT = Decimal("10.50")


def followed(shop: Shop, folder: Path) -> None:
    """Have an order become paid by a follower, because its notification is lost."""
    title("An order whose notification is lost")
    clock = FixedClock(datetime.now(UTC))
    shop.is_down = True
    with in_process_sandbox(folder, clock=clock) as sandbox, sandbox.client() as client:
        follower = Follower(client, shop.receiver.ledger, receiver=shop.receiver)
        with (
            closing(sqlite3.connect(shop.database)) as db,
            db,
        ):  # the order and its following: both are there, or neither
            db.execute("CREATE TABLE orders (number TEXT)")
            db.execute("INSERT INTO orders VALUES (?)", (_KEY,))
            follower.open(db, client.orders.follow(_KEY, total_amount=_AMOUNT, currency="USD", unknown=True))
        client.orders.checkout(
            out_trade_no=_KEY,
            subject="Two tickets",
            total_amount=_AMOUNT,
            currency="USD",
            user_id="user_7001",
            front_callback_url="https://shop.example/back",
        )
        follower.placed("orders", _KEY)
        sandbox.pay(_KEY)
        moved = sandbox.advance(60)
        lost = [one for one in moved["happened"] if one["kind"] == "notification.attempted"]  # type: ignore[attr-defined]  # JSON
        expect(bool(lost) and shop.results("orders", _KEY) == [], "the notification came while the shop was down")
        step(f"{_KEY} is paid; the shop is down: its notification was answered with 503 {len(lost)} times")
        begun = clock.now() - timedelta(seconds=60)
        while (due := follower.next_due()) is not None:
            sandbox.advance(max(due - clock.now(), timedelta(0)))
            run = follower.run_due()
            expect(not run.stopped and run.failed == 0, f"the follower asks: {run}")
        minutes = (clock.now() - begun) / timedelta(minutes=1)
        expect(shop.results("orders", _KEY) == [("SUCCESS", "inquiry")], "its handler is called once")
        step(f"Follower.run_due, {minutes:.0f} minutes after it was placed: the handler of on_result was told SUCCESS")
        expect(follower.counts()["open"] == 0, "nothing is open")
    shop.is_down = False
