"""What a release stores, and what a later one must find in it: one small shop, written and read.

`python -m tests.packaging.stored.world` writes it when a version is released, into the folder of that version. Everything is at one
time, of one merchant of the sandbox.
"""

from __future__ import annotations

import json
import lzma
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import chdir, closing, contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from paywright import Client, Event, FixedClock, ItemResult, OutcomeUnknown, Receiver
from paywright_audit import AuditSettings, Recorder, audit_files, recorded_client, write_baseline, write_report
from paywright_receiver import Follower, SqliteLedger
from paywright_runtime.signing.keys import load_public_key
from paywright_runtime.version import VERSION
from paywright_sandbox.control.snapshot_routes import restore
from paywright_sandbox.engine.settings import SETTINGS_FILE
from paywright_sandbox.testing import InProcessSandbox, InProcessTransport, in_process_sandbox
from tests.packaging.stored.public_names import public_names
from tests.sandbox.helpers.place import place

if TYPE_CHECKING:
    from paywright import Ledger

AT = datetime(2025, 6, 1, 12, tzinfo=UTC)
FOLDER = Path(__file__).resolve().parent
RELEASES = sorted(path.name for path in FOLDER.iterdir() if path.name[0].isdigit())
AMOUNT = Decimal("10.50")
SCHEMA = "stored"
KEYS = ("gateway", "merchant")
"""Public keys, by which the audit verifies the captures."""


@contextmanager
def gateway(folder: Path) -> Iterator[InProcessSandbox]:
    """The sandbox, whose clock stands still; `folder` has its keys."""
    with in_process_sandbox(folder, clock=FixedClock(AT), seed="1") as sandbox:
        yield sandbox


@contextmanager
def later(folder: Path, snapshot: bytes) -> Iterator[InProcessSandbox]:
    """The sandbox five minutes later, with the state of that time."""
    with in_process_sandbox(folder, clock=FixedClock(AT + timedelta(minutes=5)), seed="1") as sandbox:
        restore(sandbox.engine, snapshot)
        yield sandbox


def shop(sandbox: InProcessSandbox, ledger: Ledger, client: Client, effects: list[str]) -> tuple[Receiver, Follower]:
    """The shop's receiver and follower; `effects` begins with the key whose handler fails."""
    receiver = sandbox.receiver(ledger)

    @receiver.on_result("orders")
    def ended(event: Event[ItemResult]) -> None:
        if event.data.key in effects:
            raise LookupError("There is no such order.")
        effects.append(event.data.key)

    return receiver, Follower(client, ledger, receiver=receiver)


def fill(sandbox: InProcessSandbox, ledger: Ledger) -> None:
    """Have an order paid and booked, one whose handler fails, one that is open, and one that is closed by hand."""
    with sandbox.client() as client:
        _, follower = shop(sandbox, ledger, client, ["ORD_FAILS"])
        for number in ("ORD_PAID", "ORD_FAILS", "ORD_OPEN", "ORD_CLOSED"):
            follow = client.orders.follow(number, total_amount=AMOUNT, currency="USD", unknown=number == "ORD_OPEN")
            follower.open(None, follow)
            place(client, number)
        for number in ("ORD_PAID", "ORD_FAILS"):
            sandbox.pay(number)
        sandbox.deliver()
        follower.close("orders", "ORD_CLOSED", "cancelled by phone")


def look(sandbox: InProcessSandbox, ledger: Any) -> None:
    """Find what `fill` left, and go on with it. The sandbox has the state of that time."""
    with sandbox.client() as client:
        effects: list[str] = []
        receiver, follower = shop(sandbox, ledger, client, effects)
        kept = {entry.status: entry for entry in ledger.list()}
        assert sorted(kept) == ["done", "failed"]
        assert "LookupError" in str(kept["failed"].why), kept["failed"].why
        found = {item.key: (item.status, item.state, item.effect) for item in follower.items()}
        assert found == {
            "ORD_CLOSED": ("closed", None, None),
            "ORD_FAILS": ("open", None, None),
            "ORD_OPEN": ("open", None, None),
            "ORD_PAID": ("settled", "SUCCESS", "SUCCESS"),
        }
        assert receiver.replay(kept["failed"].key).outcome == "handled"
        sandbox.pay("ORD_OPEN")
        follower.hint("orders", "ORD_OPEN")
        assert follower.run_due().handled == 1
        assert effects == ["ORD_FAILS", "ORD_OPEN"]
        assert dict(follower.counts()) == {"open": 0, "settled": 3, "closed": 1}


def lose(sandbox: InProcessSandbox, text: Path) -> None:
    """Lose the answers to an order and to the first question about it, and store its resolver."""
    sandbox.fault("reset", when="after", operation="orders.checkout", times=1)
    with sandbox.client() as client:
        try:
            place(client, "ORD_LOST")
        except OutcomeUnknown:
            sandbox.fault("reset", when="before", operation="orders.query", times=3)
            resolver = client.orders.resolve(out_trade_no="ORD_LOST", total_amount=AMOUNT, currency="USD")
            resolver.step()
            text.write_text(resolver.to_json(), encoding="utf-8")


def record(sandbox: InProcessSandbox, folder: Path, into: Path) -> None:
    """Record an order and its query."""
    with Recorder(folder, exact=into.stem == "exact") as recorder:
        transport = InProcessTransport(sandbox.engine)
        with recorded_client(
            Client.from_env(sandbox.env, clock=sandbox.engine.wall, transport=transport), recorder
        ) as client:
            place(client, f"ORD_{into.stem}")
            client.orders.query(out_trade_no=f"ORD_{into.stem}")
    (written,) = folder.glob("*.jsonl")
    into.write_bytes(written.read_bytes())


def audit_settings(folder: Path) -> AuditSettings:
    of_gateway, of_merchant = (load_public_key(folder / f"{name}.pub") for name in KEYS)
    return AuditSettings(merchant_keys=[of_merchant], gateway_keys=[of_gateway])


def report_of(folder: Path) -> Any:
    """The report of a recording whose signatures no given key holds for."""
    with TemporaryDirectory() as made, chdir(folder):
        settings = AuditSettings(gateway_keys=[load_public_key(Path("merchant.pub"))])
        write_report(file := Path(made) / "report.json", audit_files(["exact.jsonl"], settings))
        return json.loads(file.read_text(encoding="utf-8"))


def write(into: Path) -> None:
    """Write a file of each form, into a folder that does not exist: a release is written once."""
    into.mkdir()
    with TemporaryDirectory() as made, gateway(keys := Path(made) / "gateway") as sandbox:
        with closing(SqliteLedger(into / "ledger.db", clock=FixedClock(AT))) as ledger:
            fill(sandbox, ledger)
        lose(sandbox, into / "resolver.json")
        (into / "sandbox.sqlite3.xz").write_bytes(lzma.compress(sandbox.engine.store.snapshot()))
        (into / "log.jsonl").write_bytes(sandbox.log())
        record(sandbox, Path(made) / "exact", into / "exact.jsonl")
        record(sandbox, Path(made) / "redacted", into / "redacted.jsonl")
        for name in KEYS:
            shutil.copy(keys / "keys" / f"{name}.pub", into)
        shutil.copy(keys / SETTINGS_FILE, into)
        write_baseline(into / "baseline.json", {"orders.query response /data/outTradeNo other-key": 2})


def write_postgresql(into: Path) -> None:
    """Write the tables of a ledger in PostgreSQL, whose programs it needs."""
    from paywright_receiver import PostgresLedger
    from tests.receiver.helpers.postgres_server import programs, running_postgres

    found = programs()
    assert found is not None, "PostgreSQL's programs are not installed"
    with TemporaryDirectory() as made, gateway(Path(made) / "gateway") as sandbox, running_postgres() as server:
        with closing(PostgresLedger(server.conninfo(), schema=SCHEMA)) as ledger:
            fill(sandbox, ledger)
        dump = [found / "pg_dump", "--inserts", "--no-owner", "--schema", SCHEMA, server.conninfo()]
        lines = subprocess.run(dump, capture_output=True, text=True, check=True).stdout.splitlines()
    sql = (line for line in lines if line and not line.startswith(("--", "\\", "SET ", "SELECT ")))
    (into / "ledger.sql").write_text("\n".join(sql) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(released := FOLDER / VERSION)
    write_postgresql(released)
    for name, document in (("public", public_names()), ("report", report_of(released))):
        (released / f"{name}.json.xz").write_bytes(lzma.compress(json.dumps(document).encode()))
