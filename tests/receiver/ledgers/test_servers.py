"""The ledgers of several machines, in a real PostgreSQL and a real MariaDB: what both do alike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from paywright import ConfigurationError, Event, InvalidArgument, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver.items.ledger import ClaimRequest
from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.credits import Credits, fails
from tests.receiver.helpers.desk import APP, Desk, key, sign, transfer

pytestmark = pytest.mark.slow
TOP = Path(__file__).resolve().parents[3]
WAIT = 600
ONE = pytest.mark.parametrize("one", [False, True], ids=["claimed before", "in one transaction"])


@pytest.fixture(params=["postgres", "mariadb"])
def shop(request: pytest.FixtureRequest, schema: str) -> Credits:
    return Credits(request.param, request.getfixturevalue(request.param), schema)


def kind_of(shop: Credits) -> Any:
    """The class of the ledger, as a merchant has it."""
    return type(shop.ledger).__mro__[1]


def at_once(desk: Desk, numbers: range) -> set[str]:
    """The outcomes of transfers that are delivered by eight at once."""
    with ThreadPoolExecutor(8) as pool:
        return set(pool.map(lambda number: desk.deliver(transfer(f"R{number}")).outcome, numbers))


# At once


def test_many_handlers_are_in_their_transactions_at_once(shop: Credits) -> None:
    all_inside = threading.Barrier(8)  # passes only if all eight have begun to write
    assert at_once(shop.desk(then=lambda event: all_inside.wait(WAIT)), range(8)) == {"handled"}
    assert len(shop.written()) == 8


def test_all_connections_in_use_is_no_acknowledgement(shop: Credits) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def hold(event: Event[Transfer]) -> None:
        inside.set()
        assert go_on.wait(WAIT)

    desk = shop.desk(shop.another(most=1, timeout=0.2), hold)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(desk.deliver, transfer("R1"))
        assert inside.wait(WAIT)
        assert desk.outcomes("R2") == ["ledger_failed"]
        go_on.set()
        assert first.result(WAIT).outcome == "handled"
    assert desk.outcomes("R2") == ["handled"]


@pytest.mark.parametrize("newer", [False, True], ids=["the same state", "a newer state"])
def test_who_is_late_but_has_written_is_waited_for(shop: Credits, newer: bool) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def waits(event: Event[Transfer]) -> None:
        if event.data.status == "TO_BE_PROVED":
            inside.set()
            assert go_on.wait(WAIT)

    desk = shop.desk(then=waits, lease=0.05)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(desk.deliver, transfer(status="TO_BE_PROVED"))
        assert inside.wait(WAIT)
        time.sleep(0.1)  # by the server's clock the lease is over; its row is locked by the handler
        second = pool.submit(desk.deliver, transfer(status="SETTLED" if newer else "TO_BE_PROVED"))
        with pytest.raises(TimeoutError):
            second.result(0.3)
        go_on.set()
        assert first.result(WAIT).outcome == "handled"
        assert second.result(WAIT).outcome == ("handled" if newer else "duplicate")
    assert len(shop.written()) == (2 if newer else 1)


def test_one_in_one_transaction_does_not_wait_for_who_is_late(shop: Credits) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def waits(event: Event[Transfer]) -> None:
        inside.set()
        assert go_on.wait(WAIT)

    desk, beside = shop.desk(then=waits, lease=0.05), shop.desk(one=True)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(desk.deliver, transfer())
        assert inside.wait(WAIT)
        time.sleep(0.1)
        second = pool.submit(beside.deliver, transfer())
        wait([second], 20)
        in_time = second.done()
        go_on.set()
        assert (first.result(WAIT).outcome, second.result(WAIT).outcome) == ("handled", "in_progress")
    assert in_time
    assert shop.written() == ["R1"]


# Crashes and losses


@ONE
def test_a_server_that_crashes_leaves_no_half_and_undoes_no_acknowledged_effect(shop: Credits, one: bool) -> None:
    desk = shop.desk(one=one)
    assert at_once(desk, range(10)) == {"handled"}
    shop.server.stop()
    try:
        reply = desk.deliver(transfer("R10"))
        assert (reply.status, reply.outcome, reply.acknowledged) == (503, "ledger_failed", False)
    finally:
        shop.server.start()
    assert desk.outcomes("R9", "R10", "R10") == ["duplicate", "handled", "duplicate"]
    crashing = shop.desk(then=lambda event: shop.crash() if event.attempt == 1 else None, one=one)
    assert crashing.deliver(transfer("R11")).acknowledged is False
    assert len(shop.written()) == 11
    crashing.pass_time(seconds=61)
    assert shop.desk(one=one).outcomes("R11") == ["handled"]
    assert sorted(shop.written()) == sorted(f"R{number}" for number in range(12))


def test_sessions_that_the_server_has_closed_are_replaced(shop: Credits) -> None:
    desk = shop.desk()
    assert at_once(desk, range(16)) == {"handled"}
    shop.kill_sessions()
    assert desk.outcomes("R0", "R16") == ["duplicate", "handled"]


def test_what_was_claimed_is_durable_before_a_handler_begins(shop: Credits) -> None:
    request = ClaimRequest("k", "s", "K", None, raw=b"{}", digest="0", notify_time=0, lease=1, keep=1)
    claim = shop.ledger.acquire(request)
    assert shop.ask(f"SELECT status FROM {shop.name}.paywright_notifications") == ["claimed"]
    claim.release("failed", "no")
    assert shop.ask(f"SELECT why FROM {shop.name}.paywright_notifications") == ["no"]


@pytest.mark.parametrize("fork", ["os.fork()", "ctypes.PyDLL(None).fork()"], ids=["announced", "in C"])
def test_a_forked_child_has_connections_of_its_own(shop: Credits, fork: str) -> None:
    code = f"""
import ctypes, json, os, sys
from datetime import UTC, datetime
from paywright import FixedClock, Receiver
from paywright_receiver import {kind_of(shop).__name__} as Ledger
receiver = Receiver(
    app_id={APP!r}, gateway_keys=[{KeyPair(key()).public_pem!r}], clock=FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC)),
    ledger=Ledger({shop.address!r}),
)
@receiver.on_receive
def write(event):
    event.transaction.execute({shop.insert!r}, (event.data.request_no,))
one, two = [(json.dumps(body).encode(), {{"sign": sign}}) for body, sign in json.loads(sys.stdin.read())]
assert receiver.receive(*one).outcome == "handled"
child = {fork}
if child == 0:
    os._exit(0 if [receiver.receive(*each).outcome for each in (one, two)] == ["duplicate", "handled"] else 2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert receiver.receive(*two).outcome == "duplicate"
"""
    bodies = [transfer(number) for number in ("R1", "R2")]
    given = json.dumps([(body, sign(json.dumps(body).encode())) for body in bodies])
    path = os.pathsep.join(str(TOP / folder) for folder in ("generated", "runtime", "receiver"))
    env = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=given, env=env, capture_output=True, text=True, timeout=WAIT)
    assert done.returncode == 0, done.stderr
    assert shop.written() == ["R1", "R2"]


def test_a_connection_inside_of_a_transaction_is_refused(shop: Credits) -> None:
    def connect() -> Any:
        db = shop.connect()
        db.cursor().execute(f"INSERT INTO {shop.table} VALUES ('mine')")
        return db

    with pytest.raises(LedgerProblem, match="inside of a transaction"):
        kind_of(shop)(connect).prepare()


# Tables, names, rights


def tables_of(shop: Credits) -> list[str]:
    asked = f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{shop.name}' ORDER BY 1"
    return [name for name in shop.ask(asked) if name != "credits"]


def test_tables_are_made_once_whoever_comes_first(shop: Credits) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: shop.another().prepare(), range(8)))
    own = "locks" if shop.kind == "mariadb" else "nothing"
    made = [f"paywright_{name}" for name in sorted(("identities", "items", "notifications", "schema", own))]
    assert tables_of(shop) == made
    assert shop.ask(f"SELECT COUNT(*) FROM {shop.name}.paywright_schema") == [1]


def test_without_the_right_to_make_tables_those_of_a_migration_do(shop: Credits) -> None:
    user, rights = f"{shop.name}_user", "SELECT, INSERT, UPDATE, DELETE ON"
    if shop.kind == "mariadb":
        shop.server.ask(f"CREATE USER {user}@localhost IDENTIFIED BY 'S3CRET'")
        address, grant = shop.address.replace("root@", f"{user}:S3CRET@"), f"{rights} {shop.name}.* TO {user}@localhost"
    else:
        shop.ask(f"CREATE ROLE {user} LOGIN; GRANT USAGE ON SCHEMA {shop.name} TO {user}")
        address, grant = f"{shop.address} user={user}", f"{rights} ALL TABLES IN SCHEMA {shop.name} TO {user}"
    ledger = kind_of(shop)
    with pytest.raises(LedgerProblem, match=r"access denied|InsufficientPrivilege") as refused:
        ledger(address).prepare()
    assert "S3CRET" not in str(refused.value)
    for statement in filter(str.strip, ledger.tables(shop.name).split(";\n")):
        shop.server.ask(statement)
    shop.server.ask(f"GRANT {grant}")
    desk = shop.desk(ledger(address))
    assert desk.outcomes("R1", "R1") == ["handled", "duplicate"]
    later = datetime.now(UTC) + timedelta(days=1)
    assert desk.ledger.prune(later) == 0
    shop.server.ask(f"UPDATE {shop.name}.paywright_notifications SET keep_until = 0")
    assert desk.ledger.prune(later) == 1


def test_a_table_that_is_gone_is_no_acknowledgement(shop: Credits) -> None:
    desk = shop.desk()
    assert desk.outcomes("R1") == ["handled"]
    shop.server.ask(f"DROP TABLE {shop.name}.paywright_items")
    assert desk.outcomes("R2") == ["ledger_failed"]
    assert shop.written() == ["R1"]
    shop.server.ask(f"DROP TABLE {shop.name}.paywright_notifications")
    with pytest.raises(LedgerProblem, match=r"UndefinedTable|1146"):
        desk.ledger.check_whole()


def test_what_a_server_cannot_store_as_text_has_one_effect_all_the_same(shop: Credits) -> None:
    desk, done = Desk(shop.ledger), list[str]()
    desk.receiver.on_receive(lambda event: done.append(event.key))
    for number in ("a\x00b", "x" * 64, "\U0001f4b6" * 64, "%00"):
        assert desk.outcomes(number, number) == ["handled", "duplicate"]
    assert len(done) == 4
    # longer than the contract has it
    longer = ("x" * 20_000, "x" * 19_999 + "y", "\U0001f4b6" * 600)
    assert desk.outcomes(*longer) == ["unreadable"] * 3
    assert desk.statuses() == {"done": 4, "unreadable": 3}
    failing = Desk(shop.ledger)
    failing.receiver.on_receive(fails)
    assert failing.outcomes("\x00" * 64) == ["failed"]
    (entry,) = failing.ledger.list(status="failed")
    assert failing.receiver.replay(entry.key).outcome == "handled"
    assert failing.statuses() == {"done": 5, "unreadable": 3}


def test_a_setting_that_means_nothing_is_refused(shop: Credits) -> None:
    schemas = [{"schema": one} for one in ('a"b', "", "x" * 41) if shop.kind == "postgres"]
    for wrong in [{"timeout": 0}, {"most": 0}, *schemas]:
        with pytest.raises(InvalidArgument):
            kind_of(shop)(shop.address, **wrong)


ADDRESSES = {
    "postgres": ["host=x S3CRET"],
    "mariadb": [
        "postgresql://u:S3CRET@h/x", "mariadb://u:S3CRET@h:port/x", "mariadb://u:S3CRET@h/x?charset=latin1", "mariadb://u:S3CRET@[h/x",
        "S3CRET.db", "mysql://u:S3CRET@h/x?%%",
    ],
}  # fmt: skip
NOBODY = {"postgres": "postgresql://me:S3CRET@127.0.0.1:9/shop", "mariadb": "mariadb://me:S3CRET@127.0.0.1:9/shop"}


def test_no_error_holds_the_password(shop: Credits, caplog: pytest.LogCaptureFixture) -> None:
    for wrong in ADDRESSES[shop.kind]:
        with pytest.raises(ConfigurationError) as refused:
            kind_of(shop)(wrong)
        assert "S3CRET" not in f"{refused.value!r}{refused.value.__cause__!r}{refused.value.__context__!r}"
    desk = shop.desk(kind_of(shop)(NOBODY[shop.kind]))
    reply = desk.deliver(transfer())
    assert reply.outcome == "ledger_failed"
    assert "S3CRET" not in caplog.text + reply.why + repr(desk.ledger)
    assert "OperationalError" in caplog.text
