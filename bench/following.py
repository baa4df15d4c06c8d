"""What a book of many open items costs: finding what is due among them, and the memory of the process that follows them.

Only a thousandth of the items is due. The answers come from this process, so that a run costs what the follower does and no
network. `python -m bench.following FILE COUNT` is the process whose memory is measured.
"""

from __future__ import annotations

import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.figures import Figure, Timings, ratio
from paywright import Client, FixedClock, Merchant, RsaSigner, RsaVerifier, contract
from paywright_receiver import Follower, SqliteLedger
from paywright_receiver.items.book import Item
from paywright_receiver.ledgers.sql.sql_book import SqlBook, columns
from paywright_receiver.ledgers.sql.statements import Statements
from paywright_runtime import strict_json
from paywright_runtime.transport.api import RawAnswer, SignedRequest

__all__ = ["figures", "run"]

_NOW = datetime(2025, 6, 1, 4, 0, tzinfo=UTC)
_MANY = 1_000_000
_FEW = 1_000
_DUE = 1_000  # one of so many is due
_SMALL = 100  # megabytes


class _Gateway:
    """Answers that every order is pending."""

    def __init__(self, signer: RsaSigner) -> None:
        self._signer = signer

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        asked: Any = strict_json.parse(request.body)
        body: Any = contract.example("orders.query.response")
        body["data"] |= {"outTradeNo": asked["data"]["outTradeNo"], "status": "PENDING"}
        raw = strict_json.write(body)
        return RawAnswer(200, [("sign", self._signer.sign(raw))], raw)

    def close(self) -> None:
        """Nothing is open."""


def _follower(path: Path) -> tuple[Follower, Client]:
    from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key

    key = generate_private_key(65537, 2048)
    signer = RsaSigner(key)
    merchant = Merchant(app_id="app_55d1c0ffee", private_key=signer, gateway_keys=RsaVerifier([key.public_key()]))
    clock = FixedClock(_NOW)
    client = Client(base_url="https://gateway.example", merchant=merchant, clock=clock, transport=_Gateway(signer))
    return Follower(client, SqliteLedger(path, clock=clock)), client


def _fill(path: Path, count: int) -> None:
    """Write open orders into a new book, of which one in a thousand is due."""
    follower, client = _follower(path)
    follower.open(None, client.orders.follow("O"))
    first = follower.get("orders", "O")
    assert first is not None
    assert first.due_at is not None
    then = first.due_at.isoformat()

    def items() -> Iterator[Item]:
        for number in range(count):
            key = f"ORD_{number:08}"
            due = number % _DUE == 0
            at = _NOW if due else _NOW + timedelta(seconds=1 + number % 86_400)
            text = first.follow.replace('"key": "O"', f'"key": "{key}"').replace(then, at.isoformat())
            yield first._replace(id=first.id._replace(number=key.lower()), key=key, follow=text, due_at=at)

    db = sqlite3.connect(path)
    with db:
        db.executemany(Statements().book.insert, map(columns, items()))
    db.close()


def _taking(book: SqlBook, follower: Follower, rounds: int) -> list[float]:
    """Seconds to find and lease one item."""
    found: list[float] = []
    for _ in range(rounds):
        start = perf_counter()
        lease = book.take("app_55d1c0ffee", "https://gateway.example:443", _NOW, 120.0)
        found.append(perf_counter() - start)
        assert lease is not None
        book.give_back(lease)
    return found


def run(*, quick: bool = False) -> tuple[Timings, int, int]:
    """Seconds to take an item up among few and among many; the megabytes of a run over the many, and how many they are."""
    many = 50_000 if quick else _MANY
    rounds = 50 if quick else 400
    timings: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, count in (("few", _FEW), ("many", many)):
            path = Path(folder) / f"{name}.db"
            _fill(path, count)
            ledger = SqliteLedger(path, clock=FixedClock(_NOW))
            follower, _ = _follower(path)
            timings[name] = _taking(ledger.book, follower, rounds)
            ledger.close()
        done = subprocess.run(
            [sys.executable, "-m", "bench.following", str(Path(folder) / "many.db"), str(many)],
            capture_output=True,
            text=True,
            check=True,
        )
    return timings, int(done.stdout) // 1024, many


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the figures of the table."""
    timings, megabytes, many = run(quick=quick)
    middle = sorted(timings["many"])[len(timings["many"]) // 2]
    return [
        Figure(
            f"finding and leasing what is due among {many:,} open items",
            f"the same among {_FEW:,}",
            ratio(timings, "many", "few"),
            3.0,
            note=f"{1000 * middle:.1f} ms",
        ),
        Figure(
            f"memory of a process that follows {many:,} open items",
            f"{_SMALL} MB",
            megabytes / _SMALL,
            1.0,
            note=f"{megabytes} MB at most",
        ),
    ]


def _child(path: Path, count: int) -> None:
    follower, client = _follower(path)
    done = follower.run_due(100_000)
    assert done.asked > count // (2 * _DUE)
    assert sum(1 for _ in follower.open_items()) == count + 1
    client.close()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    _child(Path(sys.argv[1]), int(sys.argv[2]))
