"""What following costs with many open items, in SQLite on disk: a run with nothing due, and a question beside its floor.

A question's floor is its signature, the check of the answer's and one durable update. What the gateway takes is taken off.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import thread_time
from typing import Any

from bench.call import Sides
from bench.figures import Figure, multiply, ratio, turns
from paywright import Client, FixedClock, RawAnswer, RsaSigner, RsaVerifier, SignedRequest
from paywright.contract import CONTRACT
from paywright_receiver import Follower, SqliteLedger

_BATCH = 25


class _Gateway:
    """A transport that answers every question: the order is still pending."""

    def __init__(self, sides: Sides) -> None:
        self.answer: dict[str, Any] = dict(CONTRACT.example("orders.query.response"))
        self.sides, self.spent = sides, 0.0

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        start = thread_time()
        key = json.loads(request.body)["data"]["outTradeNo"]
        money = {"amount": "5", "currency": "USD"}
        told = {"outTradeNo": key, "status": "PENDING", "trade": money, "source": money, "destination": money}
        text = json.dumps(self.answer | {"data": self.answer["data"] | told})
        made = RawAnswer(200, self.sides.headers_of(text), text.encode())
        self.spent += thread_time() - start
        return made

    def close(self) -> None:
        """Nothing is open."""


def _measured(folder: Path, items: int, rounds: int) -> tuple[float, float]:
    """Return the seconds of CPU of a run with nothing due, and of a question divided by its floor."""
    sides, clock, path = Sides(), FixedClock(datetime(2025, 6, 1, 12, 0, tzinfo=UTC)), folder / f"{items}.db"
    gateway, ledger = _Gateway(sides), SqliteLedger(path)
    client = Client(base_url="https://gateway.example", merchant=sides.merchant, clock=clock, transport=gateway)
    follower = Follower(client, ledger)
    follower.open(None, client.orders.follow("ORD_0", total_amount=Decimal(5), currency="USD"))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        changed = {"number": "'ord_' || n", "key": "'ORD_' || n", "why": "replace(why, 'ORD_0', 'ORD_' || n)"}
        multiply(db, "paywright_items", items - 1, changed)
        follower.run_due()
        idle = turns({"idle": follower.run_due}, batches=10 * rounds, batch=1)["idle"]
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE floor (number INTEGER PRIMARY KEY, state TEXT)")
        db.execute("INSERT INTO floor VALUES (1, '')")
        (sign,), body = [value for name, value in sides.headers if name == "sign"], sides.answer.encode()
        signer, verifier = RsaSigner(sides.key), RsaVerifier([sides.gateway])

        def floor() -> None:
            for _ in range(_BATCH):
                signer.sign(body)
                verifier.verify(body, sign)
                db.execute("UPDATE floor SET state = state || '1'")

        clock.advance(600)
        contenders = {"asked": lambda: follower.run_due(_BATCH), "floor": floor}
        asked = turns(contenders, batches=rounds, batch=1, clock=lambda name: thread_time() - gateway.spent)
    ledger.close()
    return median(idle), ratio(asked, "asked", "floor")


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the lines of the table."""
    few, many, rounds = 1_000, 10_000 if quick else 100_000, 10 if quick else 39
    with TemporaryDirectory(prefix="paywright-bench-") as made:
        small, large = (_measured(Path(made), items, rounds) for items in (few, many))
    return [
        Figure(f"a run with nothing due, {many:,} open items", f"{few:,} open items", large[0] / small[0], 1.5),
        Figure(f"a question, {few:,} open items", "its floor", small[1], 2.2),
        Figure(f"the same, {many:,}", "its floor", large[1], 2.5),
    ]
