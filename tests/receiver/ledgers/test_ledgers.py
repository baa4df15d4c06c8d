"""Every ledger, at its own door: its tables, what is discarded, and who is late with another state."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paywright import Event, FixedClock, InvalidArgument, Ledger, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import MemoryLedger, SqliteLedger
from paywright_receiver.items.ledger import ClaimRequest
from paywright_receiver.ledgers.sql.dialect import fit
from paywright_receiver.ledgers.sql.statements import VERSION
from tests.receiver.helpers.desk import NOW, Desk, order, transfer

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server


NewLedger = Callable[[], Ledger]


def test_who_is_late_with_an_older_state_comes_to_no_end_after_a_newer_one(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger(), lease=1)
    inside, go_on = threading.Event(), threading.Event()

    @desk.receiver.on_receive
    def slow(event: Event[Transfer]) -> None:
        if event.data.status == "TO_BE_PROVED":
            inside.set()
            assert go_on.wait(600)

    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(desk.deliver, transfer(status="TO_BE_PROVED"))
        assert inside.wait(600)
        desk.pass_time(seconds=2)
        assert desk.deliver(transfer(status="SETTLED")).outcome == "handled"
        go_on.set()
        assert (late.result(600).outcome, late.result(600).acknowledged) == ("in_progress", False)
    # Nothing went back: what is told from now on is told of SETTLED.
    assert desk.deliver(transfer(status="REJECTED")).outcome == "conflict"
    assert desk.deliver(transfer(status="TO_BE_PROVED")).outcome == "stale"


def test_only_what_is_named_is_discarded(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    desk.receiver.on_receive(lambda event: None)
    key = desk.deliver(transfer(channelTradeNo="A")).key or ""
    assert desk.deliver(transfer(channelTradeNo="B")).outcome == "conflict"
    assert desk.deliver(transfer(channelTradeNo="C")).outcome == "conflict"
    other = desk.deliver(transfer(status="REJECTED")).key or ""
    assert desk.statuses() == {"done": 1, "conflict": 3}
    beside = {entry.digest: entry for entry in desk.ledger.list(status="conflict") if not entry.own}
    assert len(beside) == 2
    one = next(iter(beside))
    assert b'"channelTradeNo": "' in (desk.ledger.body(key, one) or b"")
    assert desk.ledger.discard(key) is False  # the key's own record is done, and nothing beside it is meant
    assert desk.ledger.discard(key, one) is True
    assert desk.statuses() == {"done": 2, "conflict": 2}
    assert desk.ledger.body(key, one) is None
    assert desk.ledger.discard(other) is True
    assert desk.ledger.discard("nothing") is desk.ledger.discard(key, "0" * 64) is False
    assert desk.statuses() == {"done": 3, "conflict": 1}
    with pytest.raises(InvalidArgument, match="keeps no notification"):
        desk.receiver.replay(key, one)


def test_a_duplicate_renews_how_long_its_record_is_kept(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    done: list[str] = []
    desk.receiver.on_other(lambda event: done.append(event.key))
    for _ in range(3):  # sent again by hand, each time with a time of its own
        desk.deliver(order(at=desk.clock.now()))
        desk.pass_time(days=6)
    assert len(done) == 1
    assert desk.ledger.prune(desk.ledger_now()) == 0
    desk.pass_time(days=2)
    assert desk.ledger.prune(desk.ledger_now()) == 1


def test_a_record_beside_which_a_conflict_is_open_is_not_pruned(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    desk.receiver.on_receive(lambda event: None)
    for letter in "AB":
        desk.deliver(transfer(channelTradeNo=letter))
    desk.pass_time(days=30)
    assert desk.ledger.prune(desk.ledger_now()) == 0
    (entry,) = desk.ledger.list(status="conflict")
    desk.ledger.discard(entry.key, entry.digest)
    desk.pass_time(days=1)
    assert desk.ledger.prune(desk.ledger_now()) == 2


def request(key: str = "k", *, lease: int = 60_000_000) -> ClaimRequest:
    return ClaimRequest(key, "s", "K", None, raw=b"{}", digest="0" * 64, notify_time=0, lease=lease, keep=1_000_000)


def test_what_died_at_all_its_tries_is_listed_as_failed(new_ledger: NewLedger) -> None:
    ledger = new_ledger()
    desk = Desk(ledger)
    for attempt in (1, 2):
        claim = ledger.acquire(request())
        assert not isinstance(claim, str)
        assert claim.attempt == attempt
        assert [entry.status for entry in ledger.list()] == ["claimed"]
        assert ledger.discard("k") is False
        desk.pass_time(seconds=61)
    (entry,) = ledger.list(status="failed")
    assert (entry.key, entry.own, entry.attempts) == ("k", True, 2)
    assert entry.why == "its process died or took longer than its lease, 2 times"
    assert ledger.list(status="claimed") == []
    assert ledger.body("k") == b"{}"
    assert ledger.discard("k") is True


@pytest.mark.parametrize("path", ["", ":memory:", "shop\0.db", None, b"shop.db", 5])
def test_a_ledger_in_sqlite_is_a_file(path: object) -> None:
    with pytest.raises(InvalidArgument, match="SqliteLedger is a file"):
        SqliteLedger(path)  # type: ignore[arg-type]


@pytest.mark.parametrize("timeout", [0, -1, None, "10", float("nan"), float("inf"), 10**400])
def test_a_timeout_is_a_number_of_seconds(tmp_path: Path, timeout: object) -> None:
    with pytest.raises(InvalidArgument, match="timeout is in seconds"):
        SqliteLedger(tmp_path / "shop.db", timeout=timeout)  # type: ignore[arg-type]
    postgres = pytest.importorskip("paywright_receiver.ledgers.postgres", reason="it needs psycopg")
    with pytest.raises(InvalidArgument, match="timeout is in seconds"):
        postgres.PostgresLedger("host=127.0.0.1", timeout=timeout)


def test_the_path_of_a_ledger_may_be_any_path(tmp_path: Path) -> None:
    class Place:
        def __fspath__(self) -> str:
            return str(tmp_path / "shop.db")

        __str__ = __fspath__

    SqliteLedger(Place())  # type: ignore[arg-type]
    assert (tmp_path / "shop.db").exists()


def test_a_span_is_a_timedelta(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    desk.deliver(transfer())
    ledger = desk.ledger
    with pytest.raises(InvalidArgument, match="older_than is a span of time"):
        ledger.counts(older_than=5)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="use an aware datetime"):
        ledger.prune(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("error", ["OperationalError", "ConnectionFailure", "UniqueViolation", "IoError"])
def test_no_error_is_told_in_the_words_of_postgresql(error: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    connections = pytest.importorskip("paywright_receiver.ledgers.postgres_connections")
    kind = getattr(psycopg, error, None) or getattr(psycopg.errors, error)
    assert connections.words_of(kind("of a payer")).startswith(error)
    assert "of a payer" not in connections.words_of(kind("of a payer"))


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


@pytest.mark.parametrize("create", [False, True])
def test_a_file_that_is_no_database_may_be_another_one(create: bool, tmp_path: Path) -> None:
    path = tmp_path / "shop.toml"
    path.write_text("[shop]\n" * 100)
    with pytest.raises(LedgerProblem, match="If another file was meant, name that one; otherwise this is damaged"):
        SqliteLedger(path, create=create)


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
