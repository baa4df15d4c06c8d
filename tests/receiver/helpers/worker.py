"""A process that receives: what two of the tests start, and one of them kills.

    receiver_worker.py load FOLDER NUMBER THREADS     delivers FOLDER/NUMBER.jsonl, until all is acknowledged
    receiver_worker.py kill FOLDER SEAM KIND          receives from standard input; dies of SIGKILL at a seam

A handler whose KIND is "one" is in one transaction; in `load` those of processes with odd numbers are.

The ledger is FOLDER/shop.db, or the schema `shop` of the PostgreSQL database that FOLDER/postgres is the connection string of, or the
MariaDB database whose address is in FOLDER/mariadb.
A line of a file of deliveries is `{"raw": Base64, "sign": ...}`. `load` prints what became of them. `kill` writes a line to
FOLDER/acknowledged for each one that it acknowledged, and one to FOLDER/outside for each effect outside of the transaction.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from base64 import b64decode
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from time import sleep
from typing import Any

from paywright import Event, FixedClock, Receiver, RsaVerifier, SystemClock, VerifiedBytes
from paywright.models.notifications import PeriodResult, Transfer
from paywright_receiver import SqliteLedger, in_one_transaction
from paywright_receiver.items.ledger import ClaimRequest, Status
from paywright_runtime.signing.keys import load_public_key

APP = "app_1"


def deliveries(lines: Any) -> Any:
    for line in lines:
        one = json.loads(line)
        yield b64decode(one["raw"]), {"sign": one["sign"]}


def ledger_in(folder: Path) -> Any:
    if (folder / "postgres").exists():
        from paywright_receiver.ledgers.postgres import PostgresLedger

        return PostgresLedger((folder / "postgres").read_text(), schema="shop", timeout=60, most=16)
    if (folder / "mariadb").exists():
        from paywright_receiver.ledgers.mariadb import MariaDbLedger

        return MariaDbLedger((folder / "mariadb").read_text(), timeout=60, most=16)
    return SqliteLedger(folder / "shop.db", timeout=60)


def effect(event: Event[Any], subject: str, state: str, seam: str = "") -> None:
    mark = "?" if isinstance(event.transaction, sqlite3.Connection) else "%s"
    event.transaction.execute(f"INSERT INTO effects VALUES ({mark}, {mark})", (event.key, os.getpid()))
    die(seam == "within the handler")
    event.transaction.execute(f"DELETE FROM subjects WHERE subject = {mark}", (subject,))
    event.transaction.execute(f"INSERT INTO subjects VALUES ({mark}, {mark})", (subject, state))


# Load


def load(folder: Path, number: str, threads: int) -> None:
    now = FixedClock(datetime(2025, 6, 1, 12, 0, tzinfo=UTC))
    receiver = Receiver(
        app_id=APP, gateway_keys=[folder / "gateway.pub"], ledger=ledger_in(folder), clock=now, conflicts="acknowledge"
    )

    declared = in_one_transaction if int(number) % 2 else lambda handler: handler

    @receiver.on_receive
    @declared
    def transfer(event: Event[Transfer]) -> None:
        effect(event, event.data.request_no, event.data.status)

    @receiver.on_subscription_payment
    @declared
    def period(event: Event[PeriodResult]) -> None:
        detail = event.data.subscription_payment_detail
        effect(
            event, f"{event.data.subscription_plan.subscription_no}/{detail.subscription_index}", detail.payment_status
        )

    with (folder / f"{number}.jsonl").open() as file:
        waiting = list(deliveries(file))
    outcomes: Counter[str] = Counter()
    rounds = 0
    with ThreadPoolExecutor(threads) as pool:
        while waiting:  # the service sends again, a little later, what is not acknowledged
            sleep(0.02 * min(rounds, 20))
            rounds += 1
            replies = list(pool.map(lambda one: receiver.receive(*one), waiting))
            outcomes.update(reply.outcome for reply in replies)
            waiting = [one for one, reply in zip(waiting, replies, strict=True) if not reply.acknowledged]
    print(json.dumps({"outcomes": outcomes, "left": len(waiting), "rounds": rounds}))


# Death at a seam


def die(when: bool = True) -> None:
    if when:
        os.kill(os.getpid(), signal.SIGKILL)


class DyingVerifier:
    """Dies when it has verified."""

    def __init__(self, inner: RsaVerifier) -> None:
        self._inner = inner

    def verify(self, body: bytes, signature: str, /) -> VerifiedBytes:
        verified = self._inner.verify(body, signature)
        die()
        return verified


class DyingClaim:
    """Dies before or after the commit."""

    def __init__(self, inner: Any, seam: str) -> None:
        self._inner = inner
        self._seam = seam

    @property
    def attempt(self) -> int:
        return int(self._inner.attempt)

    @property
    def was(self) -> Any:
        return self._inner.was

    @property
    def conflict(self) -> Any:
        return self._inner.conflict

    @property
    def transaction(self) -> Any:
        return self._inner.transaction

    def complete(self, also: Any = None) -> None:
        die(self._seam == "before the commit")
        self._inner.complete(*([also] if also is not None else []))
        die(self._seam == "after the commit")

    def release(self, status: Status, why: str) -> None:
        self._inner.release(status, why)


class DyingLedger:
    """Dies before or after a claim, and passes on what dies later."""

    def __init__(self, inner: Any, seam: str) -> None:
        self._inner = inner
        self._seam = seam

    def acquire(self, request: ClaimRequest, /) -> Any:
        die(self._seam == "before the claim")
        claim = self._inner.acquire(request)
        if isinstance(claim, str):
            return claim
        die(self._seam == "after the claim")
        return DyingClaim(claim, self._seam)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def kill(folder: Path, seam: str, kind: str) -> None:
    verifier: Any = RsaVerifier([load_public_key(folder / "gateway.pub")])
    ledger: Any = DyingLedger(ledger_in(folder), seam)
    receiver = Receiver(
        app_id=APP,
        gateway_keys=DyingVerifier(verifier) if seam == "after verifying" else verifier,
        ledger=ledger,
        lease=0.05,
        clock=SystemClock(),
    )
    acknowledged = os.open(folder / "acknowledged", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    outside = os.open(folder / "outside", os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    @receiver.on_receive
    @(in_one_transaction if kind == "one" else lambda handler: handler)
    def inside_the_transaction(event: Event[Transfer]) -> None:
        effect(event, event.data.request_no, event.data.status, seam)

    @receiver.on_subscription_payment
    def outside_of_it(event: Event[PeriodResult]) -> None:
        die(seam == "within the handler")
        os.write(outside, f"{event.key} {int(event.maybe_repeated)}\n".encode())
        die(seam == "after the effect")

    print("ready", flush=True)
    for raw, headers in deliveries(sys.stdin):
        reply = receiver.receive(raw, headers)
        die(seam == "before the answer")
        if reply.acknowledged:
            os.write(acknowledged, f"{reply.key}\n".encode())
        print(reply.outcome, flush=True)


if __name__ == "__main__":
    what, where = sys.argv[1], Path(sys.argv[2])
    if what == "load":
        load(where, sys.argv[3], int(sys.argv[4]))
    else:
        kill(where, *sys.argv[3:])
