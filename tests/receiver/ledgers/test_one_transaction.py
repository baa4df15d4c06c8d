"""A handler in one transaction: no claim before it, one record with its effect, and nothing at all if it fails but a failure."""

from __future__ import annotations

import gc
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from paywright import Event, FixedClock
from paywright.models.notifications import Transfer
from paywright_receiver import SqliteLedger, in_one_transaction
from paywright_receiver.items.ledger import ClaimRequest
from paywright_receiver.ledgers.sqlite_connections import GuardedConnection
from tests.receiver.helpers.credits import Credits, File, fails
from tests.receiver.helpers.desk import NOW, Desk, transfer
from tests.support.forks import in_child, needs_fork

WAIT = 600


@pytest.mark.parametrize("one", [True, False])
def test_there_is_no_claim_before_it_and_one_before_any_other(credits: Credits, one: bool) -> None:
    seen = list[list[str]]()
    desk = credits.desk(then=lambda event: seen.append([entry.status for entry in desk.ledger.list()]), one=one)
    assert desk.outcomes("R1", "R1") == ["handled", "duplicate"]
    assert seen == [[] if one else ["claimed"]]
    (entry,) = desk.ledger.list()
    assert (entry.status, entry.attempts, entry.why) == ("done", 1, "")
    assert desk.ledger.body(entry.key) is None
    assert credits.written() == ["R1"]


@pytest.mark.parametrize("one", [True, False])
def test_an_attempt_that_failed_leaves_its_record_and_counts(credits: Credits, one: bool) -> None:
    attempts = list[tuple[int, bool]]()

    def act(event: Event[Transfer]) -> None:
        attempts.append((event.attempt, event.maybe_repeated))
        if len(attempts) < 3:
            raise RuntimeError

    desk = credits.desk(then=act, one=one)
    for number in (1, 2):
        assert desk.deliver(transfer()).outcome == "failed"
        (entry,) = desk.ledger.list(status="failed")
        assert (entry.attempts, "RuntimeError" in entry.why) == (number, True)
        assert desk.ledger.body(entry.key)
        assert credits.written() == []
    assert desk.receiver.replay(entry.key).outcome == "handled"
    assert attempts == [(1, False), (2, True), (3, True)]
    assert desk.statuses() == {"done": 1}
    assert credits.written() == ["R1"]


@pytest.mark.parametrize("state", ["SETTLED", "TO_BE_PROVED"])
@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("theirs", [True, False])
def test_of_two_at_once_one_has_the_effect(credits: Credits, state: str, ours: bool, theirs: bool) -> None:
    """Each in one transaction or with a claim, of the same notification or of another state."""
    inside, go_on = threading.Event(), threading.Event()

    def waits(event: Event[Transfer]) -> None:
        inside.set()
        assert go_on.wait(WAIT)

    desk, beside = credits.desk(then=waits, one=ours), credits.desk(one=theirs)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(desk.deliver, transfer())
        assert inside.wait(WAIT)
        second = pool.submit(beside.deliver, transfer(status=state))
        if not isinstance(desk.ledger, SqliteLedger) and theirs:
            wait([second], WAIT)  # it is answered at once
        threading.Timer(0.05, go_on.set).start()
        assert first.result(WAIT).outcome == "handled"
        late = "duplicate" if state == "SETTLED" else "stale"
        assert second.result(WAIT).outcome in ("in_progress", late)
    assert beside.deliver(transfer(status=state)).outcome in ("duplicate", late)
    assert credits.written() == ["R1"]


@pytest.mark.parametrize("handler", [True, False])
@pytest.mark.parametrize("reconciler", [True, False])
def test_each_handler_declares_for_itself(credits: Credits, handler: bool, reconciler: bool) -> None:
    desk, seen = credits.desk(one=handler), list[list[str]]()

    def reconcile(event: Event[Any]) -> None:
        credits.write(event, f"reconciled {event.attempt}")
        seen.append([entry.status for entry in desk.ledger.list() if entry.status != "done"])
        fails(event)

    desk.receiver.on_conflict(in_one_transaction(reconcile) if reconciler else reconcile)
    assert desk.deliver(transfer()).outcome == "handled"
    other = transfer(channelTradeNo="OTHER")
    assert desk.deliver(other).outcome == "failed"
    assert desk.statuses() == {"done": 1, "conflict": 1}
    assert [desk.deliver(other).outcome for _ in range(2)] == ["handled", "duplicate"]
    assert desk.statuses() == {"done": 2}
    assert seen == ([[], ["conflict"]] if reconciler else [["claimed"]] * 2)
    assert credits.written() == ["R1", "reconciled 2"]


def test_a_handler_that_writes_nothing_is_done_all_the_same(credits: Credits) -> None:
    desk = Desk(credits.ledger)
    desk.receiver.on_receive(in_one_transaction(lambda event: None))
    assert desk.outcomes("R1", "R1") == ["handled", "duplicate"]


def test_an_event_that_was_kept_has_no_transaction_any_more(credits: Credits) -> None:
    kept = list[Event[Transfer]]()
    desk = credits.desk(then=kept.append, one=True)
    assert desk.deliver(transfer()).outcome == "handled"
    with pytest.raises(Exception, match="it has returned"):
        credits.write(kept[0], "late")
    assert desk.deliver(transfer("R2")).outcome == "handled"
    assert credits.written() == ["R1", "R2"]


class Interrupted(BaseException):
    """Such as KeyboardInterrupt."""


def test_an_interrupt_leaves_no_transaction_open(credits: Credits) -> None:
    def stops(event: Event[Transfer]) -> None:
        if event.attempt == 1 and event.data.request_no == "R1":
            raise Interrupted

    desk = credits.desk(then=stops, one=True)
    with pytest.raises(Interrupted):
        desk.deliver(transfer())
    assert desk.deliver(transfer("R2")).outcome == "handled"
    assert desk.deliver(transfer()).outcome == "handled"
    assert credits.written() == ["R1", "R2"]


# SQLite: the only writer of the file


def shop(tmp_path: Path, **settings: Any) -> Desk:
    Credits("sqlite", File(tmp_path / "shop.db"))
    return Desk(SqliteLedger(tmp_path / "shop.db", **settings))


@pytest.mark.parametrize("writes", ["before", "after", "never"])
def test_who_holds_the_file_too_long_is_ended(tmp_path: Path, writes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, ended, end_late = shop(tmp_path, timeout=0.3), list[object](), GuardedConnection.end_late
    monkeypatch.setattr(GuardedConnection, "end_late", lambda db: (ended.append(db), end_late(db)))
    beside = sqlite3.connect(tmp_path / "shop.db", isolation_level=None, timeout=WAIT, check_same_thread=False)

    @desk.receiver.on_receive
    @in_one_transaction
    def slow(event: Event[Transfer]) -> None:
        if event.attempt > 1:
            return
        if writes == "before":
            event.transaction.execute("INSERT INTO credits VALUES ('before')")
        beside.execute("INSERT INTO credits VALUES ('another process')")  # waits until the file is free
        sleep(0.05)
        if writes == "after":
            event.transaction.execute("INSERT INTO credits VALUES ('after')")

    assert desk.deliver(transfer()).outcome == "failed"
    (entry,) = desk.ledger.list(status="failed")
    assert len(ended) == 1
    if writes != "after":
        assert "took longer than the ledger's timeout" in entry.why
    assert beside.execute("SELECT number FROM credits").fetchall() == [("another process",)]
    assert desk.deliver(transfer()).outcome == "handled"
    assert desk.deliver(transfer("R2")).outcome == "failed", "and others are watched as well"
    assert len(ended) == 2
    beside.close()


def test_rows_that_come_slowly_hold_the_file_no_longer(tmp_path: Path) -> None:
    desk, asked = shop(tmp_path, timeout=0.1), list[int]()

    def rows() -> Iterator[tuple[str]]:
        for number in range(20):
            asked.append(number)
            sleep(0.1)
            yield (str(number),)

    @desk.receiver.on_receive
    @in_one_transaction
    def slow(event: Event[Transfer]) -> None:
        if event.attempt == 1:
            event.transaction.executemany("INSERT INTO credits VALUES (?)", rows())

    assert desk.deliver(transfer()).outcome == "failed"
    assert len(asked) < 20
    assert "took longer than the ledger's timeout" in desk.ledger.list()[0].why
    assert desk.deliver(transfer()).outcome == "handled"


def test_an_unwatched_statement_is_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process may have as many threads as it is allowed to have."""
    desk = shop(tmp_path, timeout=0.1)

    @desk.receiver.on_receive
    @in_one_transaction
    def slow(event: Event[Transfer]) -> None:
        if event.attempt == 1:
            sleep(0.5)

    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", start)
        assert desk.deliver(transfer()).outcome == "internal"
    assert desk.outcomes("R1", "R1") == ["failed", "handled"]


def test_a_collected_claim_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt between two steps leaves it open, in a cycle with its traceback."""
    desk, end_late, ended = shop(tmp_path, timeout=0.1), GuardedConnection.end_late, threading.Event()

    def collecting(db: GuardedConnection) -> None:
        held.clear()
        gc.collect()
        end_late(db)
        ended.set()

    monkeypatch.setattr(GuardedConnection, "end_late", collecting)
    known: dict[str, Any] = {"raw": b"", "digest": "0" * 64, "notify_time": 0, "lease": 1, "keep": 1}
    left: list[Any] = [desk.ledger.acquire(ClaimRequest("K", "S", "KIND", None, within=("effect",), **known))]
    left.append(left)
    held = [left]
    del left
    assert ended.wait(20)
    desk.receiver.on_receive(in_one_transaction(lambda event: None))
    assert desk.deliver(transfer()).outcome == "handled"


@needs_fork
@pytest.mark.parametrize("one", [True, False])
def test_on_a_full_disk_an_effect_is_there_if_its_record_is(tmp_path: Path, one: bool) -> None:
    """The child may write no file beyond a size that some deliveries reach: the log, or the file itself."""
    path, bodies = tmp_path / "shop.db", [transfer(f"R{number}") for number in range(30)]

    def opened() -> Desk:
        desk = Desk(SqliteLedger(path, clock=FixedClock(NOW)))

        def write(event: Event[Transfer]) -> None:
            event.transaction.execute("INSERT INTO credits VALUES (?)", (event.data.request_no + " " * 9_000,))

        desk.receiver.on_receive(in_one_transaction(write) if one else write)
        return desk

    def fill() -> None:
        import resource  # not everywhere

        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, -1))
        outcomes = {opened().deliver(body).outcome for body in bodies}
        assert outcomes == {"handled", "ledger_failed"} | (set() if one else outcomes & {"failed"}), outcomes

    with sqlite3.connect(path) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE credits (number TEXT)")
    db.close()
    assert in_child(fill) == 0
    desk = opened()
    with closing(sqlite3.connect(path)) as db:
        written = [number.strip() for (number,) in db.execute("SELECT number FROM credits")]
        assert sorted(written) == sorted(entry.key.split("/")[2] for entry in desk.ledger.list(status="done"))
        assert 0 < len(written) < len(bodies)
        desk.pass_time(hours=1)
        assert {desk.deliver(body).outcome for body in bodies} == {"handled", "duplicate"}
        assert db.execute("SELECT count(*), count(DISTINCT number) FROM credits").fetchone() == (30, 30)
