"""What it costs to receive a notification with a handler that writes a row, on SQLite and PostgreSQL, against the same by hand.

By hand is: verify, `json.loads`, `INSERT ... ON CONFLICT DO NOTHING` of the key, the row, COMMIT, as durable as ours. The contenders
take turns, a short batch each. CPU is that of the thread, the database's that of its process. Repeat the figures over many stored
records with `python -m bench.writing 500000`.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import local
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

from bench.figures import Figure, Timings, ratio, table, turns
from bench.receiving import _NOW, Delivery, _deliveries, fed
from paywright import Event, FixedClock, Receiver, RsaSigner, RsaVerifier
from paywright_receiver import SqliteLedger, in_one_transaction

_BATCH = 10
_GOALS = {"SQLite": (2.0, None, 2), "PostgreSQL": (1.8, 2.5, 7)}
"""The most of by hand that the CPU and the database's CPU should be, and the most fdatasyncs or round trips."""
_ONE, _CLAIMED, _HAND = "in one transaction", "claimed before", "by hand"
Call = Callable[[bytes, dict[str, str]], object]


class Store(NamedTuple):
    """A database: contenders over it, what CPU it has used for one of them, and what runs statements of its own."""

    name: str
    calls: dict[str, Call]
    used: Callable[[str], float]
    ask: Callable[[str], object]
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

    def connect(path: Path) -> sqlite3.Connection:
        db = sqlite3.connect(path, isolation_level=None, timeout=60)
        db.execute("PRAGMA journal_mode = WAL").fetchone()
        db.execute("PRAGMA synchronous = FULL")
        return db

    def write(number: str) -> None:
        if not hasattr(mine, "db"):
            mine.db = connect(folder / "hand.db")
        mine.db.execute("BEGIN IMMEDIATE")
        if mine.db.execute("INSERT INTO seen VALUES (?) ON CONFLICT DO NOTHING", (number,)).rowcount:
            mine.db.execute("INSERT INTO credits VALUES (?)", (number,))
        mine.db.execute("COMMIT")

    ledgers = {name: SqliteLedger(folder / f"{name}.db", timeout=60) for name in ("one", "claimed")}
    for name in ("hand", *ledgers):
        with closing(connect(folder / f"{name}.db")) as db:
            db.execute("CREATE TABLE seen (number TEXT PRIMARY KEY)")
            db.execute("CREATE TABLE credits (number TEXT)")
    calls = {
        _HAND: _by_hand(key, write),
        _ONE: _receiver(ledgers["one"], key, "?", one=True),
        _CLAIMED: _receiver(ledgers["claimed"], key, "?", one=False),
    }

    def ask(text: str) -> None:
        with closing(connect(folder / "one.db")) as db:
            db.execute(text)

    yield Store("SQLite", calls, lambda name: 0.0, ask)
    for ledger in ledgers.values():
        ledger.close()


@contextmanager
def _postgres(key: RSAPrivateKey, conninfo: str, prefix: str = "") -> Iterator[Store]:
    import psycopg

    from paywright_receiver.ledgers.postgres import PostgresLedger

    mine, schemas = local(), {_HAND: f"{prefix}hand", _ONE: f"{prefix}one", _CLAIMED: f"{prefix}claimed"}

    def ask(text: str) -> list[tuple[object, ...]]:
        with psycopg.connect(conninfo, autocommit=True) as db:
            found = db.execute(text.encode())
            return found.fetchall() if found.description else []

    def place(name: str) -> str:
        return f"{conninfo} application_name={schemas[name]} options='-c search_path={schemas[name]}'"

    for schema in schemas.values():
        ask(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.credits (number TEXT)")
        ask(f"CREATE TABLE {schema}.seen (number TEXT PRIMARY KEY)")

    def write(number: str) -> None:
        if not hasattr(mine, "db"):
            mine.db = psycopg.connect(place(_HAND))
        insert = "INSERT INTO seen VALUES (%s) ON CONFLICT DO NOTHING"
        if mine.db.execute(insert, (number,)).rowcount:
            mine.db.execute("INSERT INTO credits VALUES (%s)", (number,))
        mine.db.commit()

    def used(name: str) -> float:
        found = ask(f"SELECT pid FROM pg_stat_activity WHERE application_name = '{schemas[name]}'")
        return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for (pid,) in found) / 1e9

    ledgers = {name: PostgresLedger(place(name)) for name in (_ONE, _CLAIMED)}
    calls = {name: _receiver(ledger, key, "%s", one=name == _ONE) for name, ledger in ledgers.items()}
    yield Store("PostgreSQL", {_HAND: _by_hand(key, write), **calls}, used, ask, conninfo)
    for ledger in ledgers.values():
        ledger.close()


def _turns(store: Store, new: Iterator[Delivery], batches: int, **clock: Callable[[str], float]) -> Timings:
    made = list(islice(new, _BATCH * (batches + 1)))
    contenders = {name: fed(call, made) for name, call in store.calls.items()}
    return turns(contenders, batches=batches, batch=_BATCH, **clock)


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
        store = _postgres(key, conninfo, f"once_{deliveries}_{name.split()[0]}_") if conninfo else _sqlite(key, folder)
        call = stack.enter_context(store).calls[name]
        for raw, headers in _deliveries(RsaSigner(key), deliveries):
            call(raw, headers)


def _stored(store: Store, many: int) -> None:
    """Multiply what is stored, in the tables of the ledger in one transaction."""
    place, numbers = (
        "",
        f"WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {many}) SELECT n FROM s",
    )
    if store.name == "PostgreSQL":
        place, numbers = "one.", f"SELECT n FROM generate_series(1, {many}) AS s(n)"
    copied = {
        "notifications": {"key": "'k' || n", "subject": "'s' || n", "owner": "NULL", "body": "NULL"},
        "items": {"number": "'k' || n"},
    }
    same = {
        "notifications": "written, first, digest, kind, state, status, attempts, lease_until, notify_time, first_at, changed_at, "
        "why, conflicting, claimed_at, keep_until",
        "items": "app_id, kind, key, address, status, step, why, opened_at, changed_at, asked, attempts, content, follow, version, "
        "signed, handled_at",
    }
    for name, changed in copied.items():
        store.ask(
            f"INSERT INTO {place}paywright_{name} ({', '.join(changed)}, {same[name]}) "
            f"SELECT {', '.join(changed.values())}, {same[name]} "
            f"FROM ({numbers}) AS many, (SELECT * FROM {place}paywright_{name} LIMIT 1) AS one"
        )


def _of_store(store: Store, key: RSAPrivateKey, batches: int, many: int) -> list[Figure]:
    new = _deliveries(RsaSigner(key), 1_000_000)
    mine, theirs = _turns(store, new, batches), _turns(store, new, batches, clock=store.used)
    cpu, database, few = _GOALS[store.name]
    by_hand = f"by hand, {store.name}"
    found = [Figure(f"CPU, {_ONE}", by_hand, ratio(mine, _ONE, _HAND), cpu, f"{1e6 * median(mine[_ONE]):.0f} µs")]
    found.append(Figure(f"CPU, {_CLAIMED}", by_hand, ratio(mine, _CLAIMED, _HAND)))
    if database is not None:
        found.append(Figure(f"the database's CPU, {_ONE}", by_hand, ratio(theirs, _ONE, _HAND), database))
        found.append(Figure(f"the database's CPU, {_CLAIMED}", by_hand, ratio(theirs, _CLAIMED, _HAND)))
    for name in (_ONE, _CLAIMED, _HAND):
        what = "round trips" if database is not None else "fdatasyncs"
        found.append(Figure(f"{what}, {name}", store.name, _calls(store, name), few if name == _ONE else None))
    before = median(mine[_ONE])
    _stored(store, many)
    after = _turns(store._replace(calls={_ONE: store.calls[_ONE]}), new, batches)
    found.append(Figure(f"CPU with {many:,} more stored", "without", median(after[_ONE]) / before))
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
