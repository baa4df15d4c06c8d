"""What a ledger says it deletes is gone from its file, not only from its tables."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from paywright_receiver import SqliteLedger
from paywright_runtime.clock import FixedClock
from tests.receiver.helpers.desk import NOW, Desk, transfer

LONG = "x" * 6000  # a page of SQLite has 4,096 bytes


class AsBuiltElsewhere(sqlite3.Connection):
    """SQLite as most systems build it: what is deleted stays in the file. Debian's overwrites it by itself."""

    def __init__(self, *values: object, **named: object) -> None:
        super().__init__(*values, **named)  # type: ignore[arg-type]  # whatever `connect` passes on
        self.execute("PRAGMA secure_delete = OFF").fetchone()


@pytest.mark.parametrize("remark", ["", LONG], ids=["in a page", "over pages"])
def test_no_handled_body_is_left_in_the_file(remark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paywright_receiver.ledgers.sqlite_connections.sqlite3.Connection", AsBuiltElsewhere)
    path = tmp_path / "shop.db"
    desk = Desk(SqliteLedger(path, clock=FixedClock(NOW)))

    @desk.receiver.on_receive
    def handled(event: object) -> None:
        if refused:
            raise RuntimeError

    for number in range(20):
        refused = number % 2 == 1
        desk.deliver(transfer(f"R{number}", payerName=f"Canary {number}", remark=remark))
    kept = path.read_bytes() + Path(f"{path}-wal").read_bytes()
    assert kept.count(b"Canary") >= 10  # those that failed are kept for a replay
    for entry in desk.ledger.list(status="failed"):
        desk.ledger.discard(entry.key, entry.digest)
    desk.pass_time(days=100)
    desk.ledger.prune(desk.clock.now() - timedelta(days=1))
    desk.ledger.close()
    assert [path.name for path in tmp_path.iterdir()] == ["shop.db"]
    assert b"Canary" not in path.read_bytes()
