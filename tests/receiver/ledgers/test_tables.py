"""The tables of ledgers over versions, and the clocks that leases go by."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paywright import Event, FixedClock, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import MemoryLedger, SqliteLedger
from paywright_receiver.ledgers.sql.dialect import fit
from paywright_receiver.ledgers.sql.statements import VERSION
from tests.receiver.helpers.desk import NOW, Desk, transfer

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server


def other_refused(make: Callable[[], Any], version: int) -> None:
    with pytest.raises(LedgerProblem) as refused:
        make()
    said = str(refused.value)
    assert f"are of version {version}, and this paywright knows version {VERSION}" in said
    assert "Nothing was changed" in said
    assert "Use the paywright that made them" in said


@pytest.mark.parametrize("version", [0, VERSION + 1, 99])
def test_tables_of_another_version_are_refused_and_left_alone(version: int, tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    SqliteLedger(path).close()
    change = f"UPDATE paywright_schema SET version = {version}" if version else "DROP TABLE paywright_schema"
    with sqlite3.connect(path) as db:
        db.execute(change)
        before = db.execute("SELECT name, sql FROM sqlite_master").fetchall()
    other_refused(lambda: SqliteLedger(path), version)
    other_refused(lambda: SqliteLedger(path, create=False), version)
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT name, sql FROM sqlite_master").fetchall() == before


@pytest.mark.slow
@pytest.mark.parametrize("version", [0, VERSION + 1])
def test_tables_of_another_version_are_refused_in_postgresql(version: int, postgres: Server, schema: str) -> None:
    from paywright_receiver.ledgers.postgres import PostgresLedger

    PostgresLedger(postgres.conninfo(), schema=schema).prepare()
    change = f"UPDATE {schema}.paywright_schema SET version = {version}"
    postgres.ask(change if version else f"DROP TABLE {schema}.paywright_schema")
    other_refused(PostgresLedger(postgres.conninfo(), schema=schema).prepare, version)
    other_refused(lambda: PostgresLedger(postgres.conninfo(), schema=schema).list(), version)


# Clocks


def test_a_long_key_is_stored_as_ever_and_only_once_cut() -> None:
    long = "k" * 513
    cut = f"{'k' * 432}...sha256:{sha256(long.encode()).hexdigest()}"
    assert [fit(text, 512) for text in (long, cut, long[1:], "a\0")] == [cut, cut, long[1:], "a%00"]


def test_leases_go_by_the_ledgers_clock_and_not_by_the_receivers() -> None:
    """Two hosts' receivers may be minutes apart: who is ahead must not take a claim that is alive."""
    clock = FixedClock(NOW)
    receiver_clock = FixedClock(NOW)
    desk = Desk(MemoryLedger(clock=clock), lease=30)
    desk.receiver.clock = receiver_clock
    inside: list[str] = []

    @desk.receiver.on_receive
    def handle(event: Event[Transfer]) -> None:
        if not inside:
            inside.append("first")
            receiver_clock.advance(timedelta(hours=1))
            inside.append(desk.deliver(transfer()).outcome)
            clock.advance(31)
            inside.append(desk.deliver(transfer()).outcome)

    assert desk.deliver(transfer()).outcome == "in_progress"
    assert inside == ["first", "in_progress", "handled"]


@pytest.mark.parametrize("at", [2**63 - 1, -(2**63), 0])
def test_a_time_that_is_in_no_year_hides_no_other_record(at: int, tmp_path: Path) -> None:
    desk = Desk(tmp_path / "ledger.db")
    desk.receiver.on_receive(lambda event: None)
    for number in ("R1", "R2"):
        assert desk.deliver(transfer(number)).outcome == "handled"
    with sqlite3.connect(tmp_path / "ledger.db") as db, db:
        db.execute("UPDATE paywright_notifications SET notify_time = ? WHERE key LIKE '%R1%'", (at,))
    db.close()
    assert len(desk.ledger.list()) == 2
