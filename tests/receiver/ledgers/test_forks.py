"""Forks, and files that go away: nothing that was acknowledged is lost, whoever forks when."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from paywright import Event, Ledger, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import SqliteLedger
from paywright_receiver.ledgers.sqlite_connections import SqliteConnections
from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import SERVERS, Desk, key, sign, transfer
from tests.support.forks import in_child, needs_fork

TOP = Path(__file__).resolve().parents[3]
PROCESS = Path(__file__).parents[1] / "helpers" / "forking_process.py"
FOLDERS = (".", "generated", "runtime", "receiver")


class Forked:
    """The process, and then its child, at the other end of two pipes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def deliver(self, number: str) -> str:
        raw = json.dumps(transfer(number)).encode()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"raw": b64encode(raw).decode(), "sign": sign(raw)}) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


@contextmanager
def forking(folder: Path, where: str) -> Iterator[Forked]:
    (folder / "gateway.pub").write_text(KeyPair(key()).public_pem)
    with sqlite3.connect(folder / "shop.db") as db:
        db.execute("CREATE TABLE credits (number TEXT)")
    db.close()
    path = os.pathsep.join(str(TOP / one) for one in FOLDERS)
    process = subprocess.Popen(
        [sys.executable, PROCESS, folder, where],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    with process:
        yield Forked(process)
        assert process.stdin is not None
        process.stdin.close()


def credits(path: Path) -> list[str]:
    """What anybody else finds in the file: a connection of its own, opened and closed."""
    db = sqlite3.connect(path)
    try:
        return [row[0] for row in db.execute("SELECT number FROM credits ORDER BY rowid")]
    finally:
        db.close()


@pytest.mark.parametrize("where", ["before the first delivery", "after a delivery"])
def test_a_child_whose_parent_has_ended_loses_nothing_while_others_open_the_file(tmp_path: Path, where: str) -> None:
    """Whoever opens the file as the first, by SQLite's locks, resets its log; a child must hold locks of its own."""
    with forking(tmp_path, where) as forked:
        acknowledged = []
        if where == "after a delivery":
            assert forked.deliver("FIRST") == "handled"
            acknowledged.append("FIRST")
        outcome = forked.deliver("R0")  # by the child
        assert outcome == "handled"
        acknowledged.append("R0")
        assert forked.process.wait(600) == 0  # the parent is gone
        for number in range(1, 60):
            assert forked.deliver(f"R{number}") == "handled"
            acknowledged.append(f"R{number}")
            credits(tmp_path / "shop.db")
    assert credits(tmp_path / "shop.db") == acknowledged


def test_a_child_that_a_handler_forked_writes_nothing_and_says_why(tmp_path: Path) -> None:
    with forking(tmp_path, "within a handler") as forked:
        assert forked.process.stdin is not None
        raw = [json.dumps(transfer(number)).encode() for number in ("FIRST", "R1")]
        for one in raw:
            forked.process.stdin.write(json.dumps({"raw": b64encode(one).decode(), "sign": sign(one)}) + "\n")
        out, err = forked.process.communicate(timeout=600)
    # R1 in the child; FIRST as the child's copy of the handler ends; FIRST in the parent.
    assert out.split() == ["ledger_failed", "ledger_failed", "handled"]
    assert "Start processes outside of handlers" in err
    assert "End such a child with os._exit" in err
    assert credits(tmp_path / "shop.db") == ["FIRST"]
    ledger = SqliteLedger(tmp_path / "shop.db")
    assert [(entry.status, entry.subject[-5:]) for entry in ledger.list()] == [("done", "FIRST")]


def test_nothing_is_open_after_the_ledger_is_made(tmp_path: Path) -> None:
    SqliteLedger(tmp_path / "shop.db")
    open_files = [os.readlink(f"/proc/self/fd/{one}") for one in os.listdir("/proc/self/fd") if one.isdigit()
                  and os.path.lexists(f"/proc/self/fd/{one}")]  # fmt: skip
    assert not [one for one in open_files if str(tmp_path) in one]


@needs_fork
@pytest.mark.parametrize("used", [False, True])
def test_a_child_that_ends_deletes_no_log_of_another_process(tmp_path: Path, used: bool) -> None:
    """A connection that is closed as the last one, by SQLite's locks, deletes the log. The child's locks are not real."""
    code = f"""
import ctypes, os, signal, sqlite3, sys
from pathlib import Path
from paywright import LedgerProblem
from paywright_receiver import SqliteLedger
from paywright_receiver.ledgers.sqlite_connections import SqliteConnections
from paywright_receiver.ledgers.sqlite_connections import SqliteConnections

path = Path({str(tmp_path / "shop.db")!r})
SqliteLedger(path)
connections = SqliteConnections(path, timeout=60)
connections.delivers()
connections.give(connections.take())
ends, end = os.pipe()
child = ctypes.PyDLL(None).fork()
if child == 0:
    os.close(end)
    os.read(ends, 1)
    if {used}:
        try:
            connections.take()
        except LedgerProblem:
            pass
    sys.exit()
connections.close()
if os.fork() == 0:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("CREATE TABLE credits (number TEXT)")
    db.execute("INSERT INTO credits VALUES ('R1')")
    os.kill(os.getpid(), signal.SIGKILL)
os.wait()
os.close(end)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    path = os.pathsep.join(str(TOP / one) for one in FOLDERS)
    assert subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}).returncode == 0
    assert credits(tmp_path / "shop.db") == ["R1"]


def held(desk: Desk) -> tuple[threading.Thread, threading.Event]:
    """The thread of a handler that is in its transaction, and what lets it go on."""
    inside, go_on = threading.Event(), threading.Event()

    @desk.receiver.on_receive
    def slow(event: Event[Transfer]) -> None:
        event.transaction.execute("CREATE TABLE IF NOT EXISTS credits (number TEXT)")
        if event.data.request_no == "R1":
            inside.set()
            assert go_on.wait(600)
            desk.ledger.list()  # one more connection for who has one is no deadlock
        event.transaction.execute("INSERT INTO credits VALUES (?)", (event.data.request_no,))

    handling = threading.Thread(target=desk.deliver, args=(transfer("R1"),))
    handling.start()
    assert inside.wait(600)
    return handling, go_on


def test_a_fork_waits_for_the_handlers_of_other_threads(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "shop.db")

    def handles() -> None:
        assert desk.deliver(transfer("R2")).outcome == "handled"

    handling, go_on = held(desk)
    threading.Timer(0.2, go_on.set).start()
    assert in_child(handles) == 0
    handling.join(600)
    assert desk.deliver(transfer("R3")).outcome == "handled"
    assert credits(tmp_path / "shop.db") == ["R1", "R2", "R3"]


def test_a_child_of_an_endless_handler_refuses(tmp_path: Path) -> None:
    desk = Desk(SqliteLedger(tmp_path / "shop.db", timeout=0.2))

    def refused() -> None:
        assert desk.deliver(transfer("R2")).outcome == "ledger_failed"
        with pytest.raises(LedgerProblem, match="outside of handlers"):
            SqliteLedger(tmp_path / "shop.db")  # nor through another one
        other = Desk(tmp_path / "other.db")
        other.receiver.on_receive(lambda event: None)
        assert other.deliver(transfer()).outcome == "handled"

    handling, go_on = held(desk)
    assert in_child(refused) == 0
    go_on.set()
    handling.join(600)
    assert desk.deliver(transfer("R2")).outcome == "handled"
    assert credits(tmp_path / "shop.db") == ["R1", "R2"]


@pytest.mark.parametrize("kind", ["sqlite", *SERVERS])
@pytest.mark.parametrize("looked", [True, False], ids=["in its transaction", "before it"])
@pytest.mark.parametrize("fails", [True, False], ids=["fails", "returns"])
def test_a_copy_of_a_handler_in_a_forked_child_ends_nothing(
    tmp_path: Path, request: pytest.FixtureRequest, kind: str, looked: bool, fails: bool
) -> None:
    if kind == "sqlite":
        ledger: Ledger = SqliteLedger(tmp_path / "shop.db", timeout=1)
    else:
        ledger = request.getfixturevalue(kind).ledger(request.getfixturevalue("schema"))
    desk = Desk(ledger)
    parent = os.getpid()
    ends: list[int] = []

    @desk.receiver.on_receive
    def forks(event: Event[Transfer]) -> None:
        if looked:
            event.transaction.execute("SELECT 1")
        if event.data.request_no != "R1":
            return
        child = os.fork()
        if child == 0:
            if fails:
                raise RuntimeError
            return
        ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        event.transaction.execute("SELECT 1")

    reply = None
    try:
        reply = desk.deliver(transfer())
    finally:
        if os.getpid() != parent:
            os._exit(0 if reply is not None and reply.outcome == "ledger_failed" else 3)
    assert ends == [0]
    assert (reply.outcome, desk.statuses()) == ("handled", {"done": 1})
    assert desk.deliver(transfer("R2")).outcome == "handled"


def test_a_child_ends_no_connection_that_it_inherited(tmp_path: Path) -> None:
    """As where a signal's handler forks while the ledger writes."""
    SqliteLedger(tmp_path / "shop.db")
    connections = SqliteConnections(tmp_path / "shop.db", 1)
    db = connections.take()
    db.own.execute("BEGIN IMMEDIATE")

    def ends_it() -> None:
        assert not connections.drop(db)
        assert db.in_transaction

    assert in_child(ends_it) == 0
    assert connections.drop(db)


# Files that go away


@pytest.mark.parametrize("used", [False, True], ids=["before the first use", "in use"])
@pytest.mark.parametrize("how", ["moved", "deleted", "replaced", "folder moved"])
def test_a_file_that_went_away_is_noticed_and_no_empty_ledger_is_made(tmp_path: Path, how: str, used: bool) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    path = folder / "shop.db"
    desk = Desk(path)
    done: list[str] = []
    desk.receiver.on_receive(lambda event: done.append(event.key))
    if used:
        assert desk.deliver(transfer("R0")).outcome == "handled"
    if how in ("moved", "replaced"):
        path.rename(folder / "away.db")
    elif how == "folder moved":
        folder.rename(tmp_path / "away")
    else:
        path.unlink()
    if how == "replaced":
        SqliteLedger(path)
    for number in ("R0", "R1"):
        reply = desk.deliver(transfer(number))
        assert (reply.outcome, reply.acknowledged) == ("ledger_failed", False)
    assert path.exists() == (how == "replaced")
    assert len(done) == used
    with pytest.raises(LedgerProblem, match="moved, deleted or replaced"):
        desk.ledger.list()
    if how == "moved":
        (folder / "away.db").rename(path)
        assert desk.outcomes("R0", "R1") == ["duplicate" if used else "handled", "handled"]
        # None of what failed is taken for a connection in use.
        assert in_child(desk.ledger.counts) == 0


def test_a_file_that_goes_away_under_a_handler_is_no_acknowledgement(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    desk = Desk(path)

    @desk.receiver.on_receive
    def moves(event: Event[Transfer]) -> None:
        event.transaction.execute("CREATE TABLE IF NOT EXISTS credits (number TEXT)")
        event.transaction.execute("INSERT INTO credits VALUES ('lost')")
        if event.attempt == 1:
            path.rename(tmp_path / "away.db")

    assert desk.deliver(transfer()).outcome == "ledger_failed"
    (tmp_path / "away.db").rename(path)
    desk.pass_time(seconds=61)
    assert desk.deliver(transfer()).outcome == "handled"
    assert credits(path) == ["lost"]


def test_a_relative_path_is_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    desk = Desk(Path("odd ? # %41 name.db"))
    desk.receiver.on_receive(lambda event: None)
    monkeypatch.chdir("/")
    assert desk.deliver(transfer()).outcome == "handled"
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".db"] == ["odd ? # %41 name.db"]
