"""The tables of ledgers over versions, and the clocks that leases go by."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paywright import Event, FixedClock, InvalidArgument, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import MemoryLedger, SqliteLedger
from paywright_receiver.items.ledger import ClaimRequest
from tests.receiver.helpers.desk import APP, NOW, Desk, transfer

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server

# As version 1 made them.
_FIRST = """
CREATE TABLE {place}notifications (
    key TEXT NOT NULL, first SMALLINT NOT NULL, digest TEXT NOT NULL, subject TEXT NOT NULL, kind TEXT NOT NULL, state TEXT,
    status TEXT NOT NULL, attempts BIGINT NOT NULL, owner TEXT, lease_until BIGINT NOT NULL, notify_time BIGINT NOT NULL,
    first_at BIGINT NOT NULL, changed_at BIGINT NOT NULL, why TEXT NOT NULL, body {bytes}{more},
    PRIMARY KEY (key, first, digest)
);
CREATE INDEX {index}claimed ON {place}notifications (subject) WHERE status = 'claimed';
CREATE INDEX {index}changed ON {place}notifications (changed_at);
CREATE TABLE {place}subjects (subject TEXT PRIMARY KEY, state TEXT NOT NULL, notify_time BIGINT NOT NULL);
INSERT INTO {place}notifications VALUES
    ('{app}/RECEIVE/R1/SETTLED', 1, 'x1', '{app}/RECEIVE/R1', 'RECEIVE', 'SETTLED', 'done', 1, NULL, 0, 5, 5, {now}, '', NULL{null}),
    ('{app}/RECEIVE/R1/SETTLED', 0, 'x2', '{app}/RECEIVE/R1', 'RECEIVE', 'SETTLED', 'conflict', 0, NULL, 0, 5, 5, {now}, '', {body}{null}),
    ('{app}/RECEIVE/R2/SETTLED', 1, 'x3', '{app}/RECEIVE/R2', 'RECEIVE', 'SETTLED', 'failed', 1, NULL, 0, 5, 5, {now}, '', {body}{null});
INSERT INTO {place}subjects VALUES ('{app}/RECEIVE/R1', 'SETTLED', 5);
"""


def first_version(place: str, now: int, **dialect: str) -> str:
    body = transfer("R2")
    import json

    text = json.dumps(body).encode().hex()
    written = f"X'{text}'" if dialect["bytes"] == "BLOB" else f"'\\x{text}'::bytea"
    return _FIRST.format(place=place, app=APP, now=now, body=written, **dialect)


def brought_up_to_date(desk: Desk) -> None:
    done: list[str] = []
    desk.receiver.on_receive(lambda event: done.append(event.data.request_no))
    assert desk.statuses() == {"done": 1, "conflict": 1, "failed": 1}
    # What its content was is not known any more; that it had its effect is.
    assert desk.deliver(transfer("R1")).outcome == "duplicate"
    assert desk.deliver(transfer("R1", "REJECTED")).outcome == "conflict"
    assert desk.ledger.prune(desk.ledger_now() + timedelta(days=1)) == 0
    assert desk.receiver.replay(f"{APP}/RECEIVE/R2/SETTLED").outcome == "handled"
    assert done == ["R2"]
    desk.ledger.discard(f"{APP}/RECEIVE/R1/SETTLED", "x2")
    desk.ledger.discard(f"{APP}/RECEIVE/R1/REJECTED")
    desk.pass_time(days=9)
    assert desk.ledger.prune(desk.ledger_now()) == 4


def test_tables_of_the_first_version_are_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    micros = (NOW - datetime.fromtimestamp(0, NOW.tzinfo)) // timedelta(microseconds=1)
    with sqlite3.connect(path) as db:
        db.executescript(first_version("paywright_", micros, index="paywright_", bytes="BLOB", more="", null=""))
    for _ in range(2):
        desk = Desk(path)
    brought_up_to_date(desk)


@pytest.mark.full
def test_tables_of_the_first_version_are_brought_up_to_date_in_postgresql(postgres: Server, schema: str) -> None:
    from paywright_receiver.ledgers.postgres import PostgresLedger
    from tests.receiver.helpers.postgres_server import TimedLedger

    micros = (datetime.now(NOW.tzinfo) - datetime.fromtimestamp(0, NOW.tzinfo)) // timedelta(microseconds=1)
    more = ", held_by TEXT CONSTRAINT c REFERENCES {}.paywright_nothing DEFERRABLE INITIALLY DEFERRED"
    for name, by_hand in ((schema, False), (f"{schema}_by_hand", True)):
        postgres.ask(f"CREATE SCHEMA {name}")
        postgres.ask(f"CREATE TABLE {name}.paywright_nothing (owner TEXT PRIMARY KEY CHECK (false))")
        made = first_version(
            f"{name}.paywright_",
            micros,
            index="paywright_",
            bytes="BYTEA",
            more=more.format(name),
            null=", NULL",
        )
        for statement in made.split(";\n"):
            if statement.strip():
                postgres.ask(statement)
        if by_hand:
            postgres.ask(PostgresLedger.upgrade(name, version=1))
        ledger = TimedLedger(postgres, name)
        if not by_hand:
            with pytest.raises(LedgerProblem, match=r"of an older version\. Nothing was changed"):
                ledger.list()
            ledger.prepare()
        brought_up_to_date(Desk(ledger))


def _as_version_2_made_them(place: str) -> str:
    return f"DROP TABLE {place}items; UPDATE {place}schema SET version = 2"


def test_tables_of_the_second_version_get_a_book(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    desk = Desk(path)
    desk.receiver.on_receive(lambda event: None)
    assert desk.deliver(transfer()).outcome == "handled"
    with sqlite3.connect(path) as db:
        db.executescript(_as_version_2_made_them("paywright_"))
    db.close()
    with pytest.raises(LedgerProblem, match=r"of an older version\. Nothing was changed"):
        SqliteLedger(path, create=False)
    for _ in range(2):
        again = Desk(path)
    again.receiver.on_receive(lambda event: None)
    assert again.deliver(transfer()).outcome == "duplicate"
    assert list(SqliteLedger(path, create=False).book.items()) == []


@pytest.mark.full
def test_tables_of_the_second_version_get_a_book_in_postgresql(postgres: Server, schema: str) -> None:
    from paywright_receiver.ledgers.postgres import PostgresLedger

    for by_hand in (False, True):
        PostgresLedger(postgres.conninfo(), schema=schema).prepare()
        postgres.ask(_as_version_2_made_them(f"{schema}.paywright_"))
        ledger = PostgresLedger(postgres.conninfo(), schema=schema)
        with pytest.raises(LedgerProblem, match=r"of an older version\. Nothing was changed"):
            list(ledger.book.items())
        if by_hand:
            postgres.ask(PostgresLedger.upgrade(schema))
        else:
            ledger.prepare()
        assert list(ledger.book.items()) == []
    with pytest.raises(InvalidArgument, match="version is that of the tables there are"):
        PostgresLedger.upgrade(schema, version=3)


@pytest.mark.full
def test_a_role_that_may_not_change_tables_is_told_who_must(postgres: Server, schema: str) -> None:
    from paywright_receiver.ledgers.postgres import PostgresLedger

    postgres.ask(
        f"CREATE SCHEMA {schema}; CREATE ROLE {schema}_role LOGIN; GRANT USAGE ON SCHEMA {schema} TO {schema}_role"
    )
    postgres.ask(f"CREATE TABLE {schema}.paywright_notifications (key TEXT)")
    mine = f"host={postgres.folder} user={schema}_role dbname=postgres"
    with pytest.raises(LedgerProblem, match="of an older version, and this role may not change them"):
        PostgresLedger(mine, schema=schema).prepare()


def newer_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(LedgerProblem) as refused:
        make()
    said = str(refused.value)
    assert "are of version 99, and this paywright knows version 3" in said
    assert "nothing is acknowledged" in said


def test_tables_of_a_newer_version_are_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    SqliteLedger(path).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE paywright_schema SET version = 99")
    newer_refused(lambda: SqliteLedger(path))
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT version FROM paywright_schema").fetchall() == [(99,)]


@pytest.mark.full
def test_tables_of_a_newer_version_are_refused_in_postgresql(postgres: Server, schema: str) -> None:
    from paywright_receiver.ledgers.postgres import PostgresLedger

    PostgresLedger(postgres.conninfo(), schema=schema).prepare()
    postgres.ask(f"UPDATE {schema}.paywright_schema SET version = 99")
    newer_refused(PostgresLedger(postgres.conninfo(), schema=schema).prepare)


# Clocks


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_leases_go_by_the_ledgers_clock_and_not_by_the_receivers(kind: str, tmp_path: Path) -> None:
    """Two hosts' receivers may be minutes apart: who is ahead must not take a claim that is alive."""
    clock = FixedClock(NOW)
    ledger = MemoryLedger(clock=clock) if kind == "memory" else SqliteLedger(tmp_path / "ledger.db", clock=clock)
    receiver_clock = FixedClock(NOW)
    desk = Desk(ledger, lease=30)
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


@pytest.mark.parametrize("ahead", [timedelta(days=365), timedelta(seconds=2)])
def test_a_claim_by_a_clock_that_was_ahead_is_no_live_one(ahead: timedelta, tmp_path: Path) -> None:
    def request() -> ClaimRequest:
        return ClaimRequest(
            "k", "s", "K", None, raw=b"{}", fingerprint=lambda: "0" * 64, notify_time=0, lease=60_000_000, keep=1
        )

    before = SqliteLedger(tmp_path / "ledger.db", clock=FixedClock(NOW + ahead))
    before.acquire(request())
    after = SqliteLedger(tmp_path / "ledger.db", clock=FixedClock(NOW))
    assert [entry.status for entry in after.list()] == ["failed"]
    claim = after.acquire(request())
    assert not isinstance(claim, str)
    assert claim.attempt == 2


def test_a_clock_that_steps_back_a_little_gives_no_live_claim_away(tmp_path: Path) -> None:
    def request() -> ClaimRequest:
        return ClaimRequest(
            "k", "s", "K", None, raw=b"{}", fingerprint=lambda: "0" * 64, notify_time=0, lease=60_000_000, keep=1
        )

    SqliteLedger(tmp_path / "ledger.db", clock=FixedClock(NOW)).acquire(request())
    after = SqliteLedger(tmp_path / "ledger.db", clock=FixedClock(NOW - timedelta(milliseconds=900)))
    assert after.acquire(request()) == "in_progress"
