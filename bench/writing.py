"""What it costs to receive a notification with a handler that writes a row, on SQLite and PostgreSQL, against the same by hand.

By hand is: verify, `json.loads`, `INSERT ... ON CONFLICT DO NOTHING` of the key, the row, COMMIT, as durable as ours. The contenders
take turns, a short batch each; one of them has many records stored. CPU is that of the thread, the database's that of its process.
Repeat it over more records with `python -m bench.writing 500000`.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from threading import local
from time import perf_counter
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

from bench.figures import Figure, Timings, multiply, ratio, table, turns
from bench.receiving import _NOW, Delivery, _deliveries, fed
from paywright import Event, FixedClock, Receiver, RsaSigner, RsaVerifier
from paywright_receiver import SqliteLedger, in_one_transaction

_BATCH = 10
_GOALS = {"SQLite": (2.0, None, 2), "PostgreSQL": (1.8, 2.5, 7)}
"""The most of by hand that the CPU and the database's CPU should be, and the most fdatasyncs or round trips."""
_HAND, _ONE, _CLAIMED, _MANY = "hand", "one", "claimed", "many"
_OURS = {_ONE: "in one transaction", _CLAIMED: "claimed before", _MANY: "in one transaction, many stored"}
_AT_ONCE = 8
Call = Callable[[bytes, dict[str, str]], object]


class Store(NamedTuple):
    """A database: contenders over it, what CPU it has used for one of them, and a connection to the tables of one."""

    name: str
    calls: dict[str, Call]
    used: Callable[[str], float]
    connect: Callable[[str], Any]
    conninfo: str = ""


def _receiver(ledger: Any, key: RSAPrivateKey, mark: str, one: bool) -> Call:
    keys, clock = RsaVerifier([key.public_key()]), FixedClock(_NOW)
    made = Receiver(app_id="app_55d1c0ffee", gateway_keys=keys, ledger=ledger, clock=clock)

    def credit(event: Event[Any]) -> None:
        event.transaction.execute(f"INSERT INTO credits (number) VALUES ({mark})", (event.key,))

    made.on_receive(in_one_transaction(credit) if one else credit)
    return made.receive


def _by_hand(key: RSAPrivateKey, write: Callable[[str], object]) -> Call:
    public = key.public_key()

    def receive(raw: bytes, headers: dict[str, str]) -> object:
        public.verify(b64decode(headers["sign"]), raw, PKCS1v15(), SHA256())
        return write(json.loads(raw)["data"]["requestNo"])

    return receive


@contextmanager
def _sqlite(key: RSAPrivateKey, folder: Path) -> Iterator[Store]:
    mine = local()

    def connect(name: str) -> sqlite3.Connection:
        db = sqlite3.connect(folder / f"{name}.db", isolation_level=None, timeout=60)
        db.execute("PRAGMA journal_mode = WAL").fetchone()
        db.execute("PRAGMA synchronous = FULL")
        return db

    def write(number: str) -> None:
        if not hasattr(mine, "db"):
            mine.db = connect(_HAND)
        mine.db.execute("BEGIN IMMEDIATE")
        if mine.db.execute("INSERT INTO seen VALUES (?) ON CONFLICT DO NOTHING", (number,)).rowcount:
            mine.db.execute("INSERT INTO credits VALUES (?)", (number,))
        mine.db.execute("COMMIT")

    ledgers = {name: SqliteLedger(folder / f"{name}.db", timeout=60) for name in _OURS}
    for name in (_HAND, *ledgers):
        with closing(connect(name)) as db:
            db.execute("CREATE TABLE seen (number TEXT PRIMARY KEY)")
            db.execute("CREATE TABLE credits (number TEXT)")
    calls = {name: _receiver(ledger, key, "?", one=name != _CLAIMED) for name, ledger in ledgers.items()}
    yield Store("SQLite", {_HAND: _by_hand(key, write), **calls}, lambda name: 0.0, connect)
    for ledger in ledgers.values():
        ledger.close()


@contextmanager
def _postgres(key: RSAPrivateKey, conninfo: str, prefix: str = "") -> Iterator[Store]:
    import psycopg

    from paywright_receiver.ledgers.postgres import PostgresLedger

    mine = local()

    def connect(name: str, *, autocommit: bool = True) -> psycopg.Connection[Any]:
        return psycopg.connect(place(name), autocommit=autocommit)

    def place(name: str) -> str:
        return f"{conninfo} application_name={prefix}{name} options='-c search_path={prefix}{name}'"

    for name in (_HAND, *_OURS):
        with connect(name) as db:
            db.execute(f"CREATE SCHEMA {prefix}{name}".encode())
            db.execute("CREATE TABLE credits (number TEXT); CREATE TABLE seen (number TEXT PRIMARY KEY)")

    def write(number: str) -> None:
        if not hasattr(mine, "db"):
            mine.db = connect(_HAND, autocommit=False)
        insert = "INSERT INTO seen VALUES (%s) ON CONFLICT DO NOTHING"
        if mine.db.execute(insert, (number,)).rowcount:
            mine.db.execute("INSERT INTO credits VALUES (%s)", (number,))
        mine.db.commit()

    def used(name: str) -> float:
        with connect("used") as db:
            asked = "SELECT pid FROM pg_stat_activity WHERE application_name = %s"
            found = db.execute(asked, (prefix + name,)).fetchall()
        return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for (pid,) in found) / 1e9

    ledgers = {name: PostgresLedger(place(name)) for name in _OURS}
    calls = {name: _receiver(ledger, key, "%s", one=name != _CLAIMED) for name, ledger in ledgers.items()}
    yield Store("PostgreSQL", {_HAND: _by_hand(key, write), **calls}, used, connect, conninfo)
    for ledger in ledgers.values():
        ledger.close()


def _turns(store: Store, new: Iterator[Delivery], batches: int, **clock: Callable[[str], float]) -> Timings:
    made = list(islice(new, _BATCH * (batches + 1)))
    contenders = {name: fed(call, made) for name, call in store.calls.items()}
    return turns(contenders, batches=batches, batch=_BATCH, **clock)


def _p99(store: Store, new: Iterator[Delivery], rounds: int) -> dict[str, float]:
    """Return the seconds in which 99 of 100 deliveries are answered, of several at once, each on a connection of its own."""
    found: dict[str, list[float]] = {name: [] for name in store.calls}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in range(rounds):
            for name, call in store.calls.items():

                def timed(one: Delivery, call: Call = call) -> float:
                    start = perf_counter()
                    call(*one)
                    return perf_counter() - start

                found[name] += pool.map(timed, [*islice(new, _AT_ONCE * _BATCH)])
    return {name: quantiles(waited, n=100)[98] for name, waited in found.items()}


def _calls(store: Store, name: str) -> float | None:
    """Return how often a delivery waits for the disk, or sends to the server, counted by strace; None where there is none."""
    if shutil.which("strace") is None:
        return None
    kinds = "sendto" if store.conninfo else "fsync,fdatasync"

    def counted(deliveries: int) -> int:
        command = [sys.executable, "-m", "bench.writing", "--once", name, str(deliveries), store.conninfo]
        traced = ["strace", "-f", "-e", f"trace={kinds}", "-o", "/dev/stdout", *command]
        return len(subprocess.run(traced, capture_output=True, text=True, check=True).stdout.splitlines())

    return (counted(3 * _BATCH) - counted(2 * _BATCH)) / _BATCH


def _once(name: str, deliveries: int, conninfo: str) -> None:
    key = generate_private_key(65537, 2048)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        store = _postgres(key, conninfo, f"once_{deliveries}_{name}_") if conninfo else _sqlite(key, folder)
        call = stack.enter_context(store).calls[name]
        for raw, headers in _deliveries(RsaSigner(key), deliveries):
            call(raw, headers)


def _of_store(store: Store, key: RSAPrivateKey, batches: int, many: int) -> list[Figure]:
    new, (cpu, database, few) = _deliveries(RsaSigner(key), 1_000_000), _GOALS[store.name]
    for name, stored in ((_ONE, 1_000), (_MANY, many)):
        store.calls[name](*next(new))
        with closing(store.connect(name)) as db:
            of = {"key": "'k' || n", "subject": "'s' || n", "number": "'k' || n"}
            multiply(db, "paywright_notifications", stored, of)
            multiply(db, "paywright_items", stored, {"number": of["number"]})
    measured = {"CPU": (_turns(store, new, batches), cpu)}
    if database is not None:
        measured["the database's CPU"] = _turns(store, new, batches, clock=store.used), database
    waited, by_hand, found = _p99(store, new, batches // 5), f"by hand, {store.name}", list[Figure]()
    for name in (_ONE, _CLAIMED):
        for what, (spent, goal) in measured.items():
            compared = ratio(spent, name, _HAND), goal if name == _ONE else None
            found.append(Figure(f"{what}, {_OURS[name]}", by_hand, *compared, f"{1e6 * median(spent[name]):.0f} µs"))
        note = f"{1e3 * waited[name]:.1f} and {1e3 * waited[_HAND]:.1f} ms"
        found.append(
            Figure(f"p99 of {_AT_ONCE} at once, {_OURS[name]}", by_hand, waited[name] / waited[_HAND], None, note)
        )
    for name in (_ONE, _CLAIMED, _HAND):
        what = f"{'round trips' if store.conninfo else 'fdatasyncs'}, {_OURS.get(name, 'by hand')}"
        found.append(Figure(what, store.name, _calls(store, name), few if name == _ONE else None))
    for what, (spent, _) in measured.items():
        found.append(Figure(f"{what} with {many:,} stored", f"a thousand, {store.name}", ratio(spent, _MANY, _ONE)))
    return found


def figures(*, quick: bool = False, many: int = 0) -> list[Figure]:
    """Return the lines of the table."""
    key = generate_private_key(65537, 2048)
    batches, many = (20 if quick else 150), many or (5_000 if quick else 100_000)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        found = _of_store(stack.enter_context(_sqlite(key, folder)), key, batches, many)
        try:
            from tests.receiver.helpers.postgres_server import running_postgres

            server = stack.enter_context(running_postgres())
        except BaseException as missing:
            if type(missing).__name__ not in ("Skipped", "ImportError", "ModuleNotFoundError"):
                raise
            return [*found, Figure("on PostgreSQL", "by hand", None, None, str(missing))]
        return found + _of_store(stack.enter_context(_postgres(key, server.conninfo())), key, batches, many)


if __name__ == "__main__":
    if sys.argv[1] == "--once":
        _once(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        print(table("Receiving, with a handler that writes", figures(many=int(sys.argv[1]))))
