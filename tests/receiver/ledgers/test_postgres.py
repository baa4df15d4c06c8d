"""The ledger in a real PostgreSQL: what is its own, beside what all ledgers do alike (test_effects.py)."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paywright import ConfigurationError, Event, InvalidArgument, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import in_one_transaction
from paywright_receiver.items.ledger import ClaimRequest
from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import APP, Desk, key, sign, transfer

psycopg: Any = pytest.importorskip("psycopg")

from paywright_receiver.ledgers import postgres_connections  # noqa: E402  # needs psycopg
from paywright_receiver.ledgers.postgres import PostgresLedger  # noqa: E402  # needs psycopg
from tests.receiver.helpers.postgres_server import TimedLedger  # noqa: E402  # needs psycopg

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server

pytestmark = pytest.mark.slow
TOP = Path(__file__).resolve().parents[3]


@pytest.fixture
def shop(postgres: Server, schema: str) -> Shop:
    return Shop(postgres, schema)


class Shop:
    """A database with a table of the merchant's, and the ledger beside it."""

    def __init__(self, server: Server, schema: str) -> None:
        self.server = server
        self.schema = schema
        self.ask(f"CREATE SCHEMA {schema}")
        self.ask(f"CREATE TABLE {schema}.credits (number TEXT)")

    def ask(self, query: str) -> list[Any]:
        return [row[0] for row in self.server.ask(query)]

    def credits(self) -> list[str]:
        return self.ask(f"SELECT number FROM {self.schema}.credits ORDER BY number")

    def ledger(self, **settings: Any) -> PostgresLedger:
        return TimedLedger(self.server, self.schema, **settings)

    def desk(self, ledger: PostgresLedger | None = None, **settings: Any) -> Desk:
        return Desk(ledger or self.ledger(), **settings)

    def writing(
        self, desk: Desk, then: Callable[[Event[Transfer]], object] = lambda event: None, *, one: bool = False
    ) -> None:
        def write(event: Event[Transfer]) -> None:
            event.transaction.execute(f"INSERT INTO {self.schema}.credits VALUES (%s)", (event.data.request_no,))
            then(event)

        desk.receiver.on_receive(in_one_transaction(write) if one else write)


def fails(event: Event[Transfer]) -> None:
    if event.attempt == 1:
        raise RuntimeError


# The transaction


def test_a_failed_statement_that_was_swallowed_is_told_of(shop: Shop) -> None:
    desk = shop.desk()

    def spoil(event: Event[Transfer]) -> None:
        db: Any = event.transaction
        with suppress(psycopg.Error):
            db.execute("SELECT 1/0")

    shop.writing(desk, spoil)
    assert desk.deliver(transfer()).outcome == "failed"
    assert "use a savepoint" in desk.ledger.list()[0].why
    assert shop.credits() == []


def test_a_handler_may_use_savepoints_cursors_and_rows_of_its_own(shop: Shop) -> None:
    def connect() -> Any:
        return psycopg.connect(shop.server.conninfo(), row_factory=psycopg.rows.dict_row)

    desk = shop.desk(PostgresLedger(connect, schema=shop.schema))

    def more(event: Event[Transfer]) -> None:
        db: Any = event.transaction
        with suppress(ZeroDivisionError), db.transaction():
            db.execute(f"INSERT INTO {shop.schema}.credits VALUES ('undone')")
            raise ZeroDivisionError
        assert db.execute("SELECT 1 AS one").fetchone() == {"one": 1}
        with db.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {shop.schema}.credits VALUES (%s)", [("a",), ("b",)])

    shop.writing(desk, more)
    assert desk.deliver(transfer()).outcome == "handled"
    assert desk.deliver(transfer()).outcome == "duplicate"
    assert shop.credits() == ["R1", "a", "b"]


@pytest.mark.parametrize("one", [False, True], ids=["claimed before", "in one transaction"])
def test_a_handlers_things_and_a_ledgers_connections_are_freed(shop: Shop, one: bool) -> None:
    had: list[weakref.ref[Any]] = []
    desk = shop.desk()
    shop.writing(desk, lambda event: had.append(weakref.ref(event.transaction)), one=one)
    for number in ("R1", "R2"):
        assert desk.deliver(transfer(requestNo=number)).outcome == "handled"
    gc.collect()
    assert [one() for one in had] == [None, None]
    ledger = shop.ledger()
    ledger.prepare()
    gone = weakref.ref(ledger)
    gc.disable()
    try:
        del ledger
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("newer", [False, True], ids=["the same state", "a newer state"])
def test_who_is_late_but_has_written_is_waited_for(shop: Shop, newer: bool) -> None:
    desk = shop.desk(lease=0.05)
    inside, go_on = threading.Event(), threading.Event()

    def wait(event: Event[Transfer]) -> None:
        if event.data.status == "TO_BE_PROVED":
            inside.set()
            assert go_on.wait(600)

    shop.writing(desk, wait)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(desk.deliver, transfer(status="TO_BE_PROVED"))
        assert inside.wait(600)
        time.sleep(0.1)  # by the server's clock the lease is over; its row is locked by the handler
        second = pool.submit(desk.deliver, transfer(status="SETTLED" if newer else "TO_BE_PROVED"))
        with pytest.raises(TimeoutError):
            second.result(0.3)
        go_on.set()
        assert first.result(600).outcome == "handled"
        assert second.result(600).outcome == ("handled" if newer else "duplicate")
    assert len(shop.credits()) == (2 if newer else 1)


def test_one_in_one_transaction_does_not_wait_for_who_is_late(shop: Shop) -> None:
    desk, beside = shop.desk(lease=0.05), shop.desk()
    inside, go_on = threading.Event(), threading.Event()

    def waits(event: Event[Transfer]) -> None:
        inside.set()
        assert go_on.wait(600)

    shop.writing(desk, waits)
    shop.writing(beside, one=True)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(desk.deliver, transfer())
        assert inside.wait(600)
        time.sleep(0.1)
        second = pool.submit(beside.deliver, transfer())
        wait([second], 20)
        at_once = second.done()
        go_on.set()
        assert (first.result(600).outcome, second.result(600).outcome) == ("handled", "in_progress")
    assert at_once
    assert shop.credits() == ["R1"]


@pytest.mark.parametrize("after", ["and writes", "and returns"])
def test_one_that_is_idle_for_too_long_is_ended_and_told_what_to_do(shop: Shop, after: str) -> None:
    desk, again = shop.desk(lease=0.3), shop.desk()

    def idles(event: Event[Transfer]) -> None:
        db: Any = event.transaction
        while shop.ask(f"SELECT 1 FROM pg_stat_activity WHERE pid = {db.info.backend_pid}"):
            time.sleep(0.05)
        if after == "and writes":
            db.execute("SELECT 1")

    shop.writing(desk, idles, one=True)
    shop.writing(again, one=True)
    assert desk.deliver(transfer()).outcome == "failed"
    assert "sent the database nothing for longer than the receiver's lease" in desk.ledger.list()[0].why
    assert shop.credits() == []
    assert again.deliver(transfer()).outcome == "handled"
    assert shop.credits() == ["R1"]


def test_many_handlers_are_in_their_transactions_at_once(shop: Shop) -> None:
    desk = shop.desk()
    all_inside = threading.Barrier(8)
    shop.writing(desk, lambda event: all_inside.wait(600))  # passes only if all eight have begun to write
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda number: desk.deliver(transfer(f"R{number}")), range(8)))
    assert {reply.outcome for reply in replies} == {"handled"}
    assert len(shop.credits()) == 8


@pytest.mark.parametrize("one", [False, True])
@pytest.mark.parametrize("level", [r"read\ committed", r"repeatable\ read", "serializable"])
def test_other_isolation_by_default_changes_nothing(shop: Shop, level: str, one: bool) -> None:
    def connect() -> Any:
        return psycopg.connect(shop.server.conninfo(), options=f"-c default_transaction_isolation={level}")

    desk = shop.desk(PostgresLedger(connect, schema=shop.schema, most=16))
    shop.writing(desk, one=one)
    body = transfer()
    with ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(lambda _: desk.deliver(body), range(64)))
    assert {reply.outcome for reply in replies} <= {"handled", "duplicate", "in_progress"}
    assert shop.credits() == ["R1"]
    desk.ledger.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("one", [False, True])
def test_a_proxy_may_lend_connections_for_a_transaction(shop: Shop, one: bool) -> None:
    """PgBouncer, with fewer connections than there are handlers at once."""
    with pooled(shop.server) as conninfo:
        desk = shop.desk(PostgresLedger(conninfo, schema=shop.schema))

        def leaves(event: Event[Transfer]) -> None:
            event.transaction.execute("SET search_path TO pg_catalog")
            if event.data.request_no == "R3":
                fails(event)

        shop.writing(desk, leaves, one=one)
        bodies = [transfer(f"R{number}") for number in range(20)] * 2
        with ThreadPoolExecutor(8) as threads:
            replies = list(threads.map(desk.deliver, bodies))
        assert {reply.outcome for reply in replies} <= {"handled", "duplicate", "in_progress", "failed"}
        assert {desk.deliver(body).outcome for body in bodies} <= {"handled", "duplicate"}
        desk.ledger.close()  # type: ignore[attr-defined]
    assert sorted(shop.credits()) == sorted(f"R{number}" for number in range(20))


@pytest.mark.parametrize(
    ("change", "after"),
    [
        ("SELECT 1", 6),
        ("ALTER TABLE {schema}.paywright_notifications ALTER COLUMN attempts TYPE INTEGER", 0),
        ("DROP INDEX {schema}.paywright_changed", 6),
    ],
)
def test_statements_are_prepared_once_a_session(shop: Shop, change: str, after: int) -> None:
    desk, seen = shop.desk(shop.ledger(most=1)), list[tuple[int, int]]()

    def count(event: Event[Transfer]) -> None:
        db: Any = event.transaction
        found = "SELECT count(*), count(DISTINCT statement) FROM pg_prepared_statements WHERE name LIKE 'paywright%'"
        seen.append(db.execute(found).fetchone())

    shop.writing(desk, count)
    for number in range(8):  # from the sixth on, the server keeps the plans
        assert desk.deliver(transfer(f"R{number}")).outcome == "handled"
    shop.ask(change.format(schema=shop.schema))
    assert [desk.deliver(transfer(number)).outcome for number in ("R8", "R9", "R8")] == [
        "handled",
        "handled",
        "duplicate",
    ]
    assert (seen[:8], seen[-1]) == ([(6, 6)] * 8, (after, after))


def test_a_function_that_takes_the_prepared_statements_away_costs_one_attempt(shop: Shop) -> None:
    desk = shop.desk(shop.ledger(most=1))
    shop.ask(
        f"CREATE FUNCTION {shop.schema}.forget() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$"
    )
    shop.writing(desk, lambda event: event.transaction.execute(f"SELECT {shop.schema}.forget()"), one=True)
    assert desk.deliver(transfer()).outcome == "ledger_failed"
    assert shop.credits() == []
    assert [desk.deliver(transfer(number)).outcome for number in ("R1", "R2", "R1")] == [
        "handled",
        "handled",
        "duplicate",
    ]
    assert shop.credits() == ["R1", "R2"]


def test_a_failure_after_the_commit_is_none_of_the_commit(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, pids = shop.desk(shop.ledger(most=1)), list[int]()
    shop.writing(desk, lambda event: pids.append(event.transaction.info.backend_pid))
    monkeypatch.setattr(postgres_connections, "_CLEANING", "SELECT 1 / 0")
    for number in ("R1", "R2"):
        assert [desk.deliver(transfer(number)).outcome for _ in range(2)] == ["handled", "duplicate"]
    assert shop.credits() == ["R1", "R2"]
    assert len(set(pids)) == 2, "what could not be reset is not used again"


@contextmanager
def pooled(server: Server) -> Iterator[str]:
    """PgBouncer before a server. Skips the test where it is not installed."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("PgBouncer is not installed")
    settings = {
        "pool_mode": "transaction", "default_pool_size": 3, "auth_type": "any", "unix_socket_dir": server.folder,
        "listen_port": 6432, "logfile": server.folder / "pgbouncer.log",
    }  # fmt: skip
    lines = ["[databases]", f"* = host={server.folder} user=paywright", "[pgbouncer]"]
    lines += [f"{name} = {value}" for name, value in settings.items()]
    (server.folder / "pgbouncer.ini").write_text("\n".join(lines))
    process = server._started(program, server.folder / "pgbouncer.ini")
    conninfo = f"{server.conninfo()} port=6432"
    try:
        until = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(conninfo).close()
                break
            except psycopg.OperationalError:
                assert time.monotonic() < until, (server.folder / "pgbouncer.log").read_text()
                time.sleep(0.05)
        yield conninfo
    finally:
        process.terminate()
        process.wait(60)


# Durability and lost connections


def test_every_commit_is_durable_also_where_the_database_is_told_not_to_wait(shop: Shop) -> None:
    """A trigger that fires at the commit notes whether it waits for the disk."""
    shop.ask(f"CREATE TABLE {shop.schema}.waits (told TEXT)")
    shop.ask(
        f"CREATE FUNCTION {shop.schema}.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"INSERT INTO {shop.schema}.waits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$"
    )
    ledger = shop.ledger()
    ledger.prepare()
    for table in ("credits", "paywright_notifications"):
        shop.ask(
            f"CREATE CONSTRAINT TRIGGER note AFTER INSERT OR UPDATE ON {shop.schema}.{table} "
            f"DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {shop.schema}.note()"
        )

    def connect() -> Any:
        return psycopg.connect(shop.server.conninfo(), options="-c synchronous_commit=off", autocommit=True)

    desk = shop.desk(PostgresLedger(connect, schema=shop.schema))
    shop.writing(desk, lambda event: event.transaction.execute("SET LOCAL synchronous_commit = off"))
    assert desk.deliver(transfer()).outcome == "handled"
    assert len(shop.ask(f"SELECT told FROM {shop.schema}.waits")) >= 4
    assert set(shop.ask(f"SELECT told FROM {shop.schema}.waits")) == {"on"}


def test_connections_that_were_lost_are_replaced_and_nothing_is_said_in_between(shop: Shop) -> None:
    desk = shop.desk()
    shop.writing(desk)
    with ThreadPoolExecutor(8) as pool:
        assert {reply.outcome for reply in pool.map(lambda n: desk.deliver(transfer(f"R{n}")), range(16))} == {
            "handled"
        }
    shop.server.stop()
    try:
        reply = desk.deliver(transfer("R99"))
        assert (reply.status, reply.outcome, reply.acknowledged) == (503, "ledger_failed", False)
    finally:
        shop.server.start()
    assert desk.deliver(transfer("R99")).outcome == "handled"
    with ThreadPoolExecutor(8) as pool:
        assert {reply.outcome for reply in pool.map(lambda n: desk.deliver(transfer(f"R{n}")), range(16))} == {
            "duplicate"
        }
    shop.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'paywright'")
    assert desk.deliver(transfer("R100")).outcome == "handled"
    assert len(shop.credits()) == 18


def test_a_crash_of_the_server_is_no_acknowledgement(shop: Shop) -> None:
    desk = shop.desk(lease=1)
    crashed: list[int] = []

    def crash(event: Event[Transfer]) -> None:
        if event.attempt == 1:
            shop.server.stop(signal.SIGQUIT)
            shop.server.start()
            crashed.append(event.attempt)

    shop.writing(desk, crash)
    assert desk.deliver(transfer("R0")).acknowledged is False
    assert shop.credits() == []
    desk.pass_time(seconds=2)
    assert desk.deliver(transfer("R0")).outcome == "handled"
    assert shop.credits() == ["R0"]
    assert crashed == [1]


def test_a_commit_whose_answer_is_lost_is_not_acknowledged_and_has_one_effect(shop: Shop) -> None:
    """The connection dies with the commit: whoever asks cannot know, and the next delivery finds what is so."""
    desk = shop.desk(lease=1)
    desk.deliver(b"")
    ledger: Any = desk.ledger
    give = ledger.give

    def lost(db: Any, **how: Any) -> None:  # the commit is done; its answer never came
        if how["handled"]:
            db.close()
        give(db, **how)
        if how["handled"]:
            raise LedgerProblem("lost")

    shop_writes = shop.desk(ledger, lease=1)
    shop.writing(shop_writes)
    ledger.give = lost
    reply = shop_writes.deliver(transfer())
    assert (reply.outcome, reply.acknowledged) == ("ledger_failed", False)
    ledger.give = give
    assert shop_writes.deliver(transfer()).outcome == "duplicate"
    assert shop.credits() == ["R1"]


def test_a_pool_lends_its_connections_also_after_they_were_lost(shop: Shop) -> None:
    pool_type: Any = pytest.importorskip("psycopg_pool").ConnectionPool
    with pool_type(shop.server.conninfo(), min_size=4, max_size=4, open=True) as pool:
        desk = shop.desk(PostgresLedger(pool, schema=shop.schema))
        shop.writing(desk, lambda event: fails(event) if event.data.request_no == "R3" else None)
        with ThreadPoolExecutor(8) as threads:
            replies = list(threads.map(lambda number: desk.deliver(transfer(f"R{number}")), range(20)))
        assert sorted({reply.outcome for reply in replies}) == ["failed", "handled"]
        shop.server.stop()
        shop.server.start()
        assert desk.deliver(transfer("R3")).outcome == "handled"
        assert pool.get_stats()["pool_size"] <= 4
    assert len(shop.credits()) == 20


def test_all_connections_in_use_is_no_acknowledgement(shop: Shop) -> None:
    desk = shop.desk(shop.ledger(most=1, timeout=0.2))
    inside, go_on = threading.Event(), threading.Event()

    def hold(event: Event[Transfer]) -> None:
        inside.set()
        assert go_on.wait(600)

    shop.writing(desk, hold)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(desk.deliver, transfer("R1"))
        assert inside.wait(600)
        assert desk.deliver(transfer("R2")).outcome == "ledger_failed"
        go_on.set()
        assert first.result(600).outcome == "handled"
    assert desk.deliver(transfer("R2")).outcome == "handled"


def test_a_connection_inside_of_a_transaction_is_refused(shop: Shop) -> None:
    def connect() -> Any:
        db = psycopg.connect(shop.server.conninfo())
        db.execute("SELECT 1")
        return db

    with pytest.raises(LedgerProblem, match="inside of a transaction"):
        PostgresLedger(connect, schema=shop.schema).prepare()


@pytest.mark.parametrize("fork", ["os.fork()", "ctypes.PyDLL(None).fork()"], ids=["announced", "in C"])
def test_a_forked_child_has_connections_of_its_own(shop: Shop, fork: str) -> None:
    code = f"""
import ctypes, json, os, sys
from datetime import UTC, datetime
from paywright import FixedClock, Receiver
from paywright_receiver.ledgers.postgres import PostgresLedger
receiver = Receiver(
    app_id={APP!r}, gateway_keys=[{KeyPair(key()).public_pem!r}], clock=FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC)),
    ledger=PostgresLedger({shop.server.conninfo()!r}, schema={shop.schema!r}),
)
@receiver.on_receive
def write(event):
    event.transaction.execute("INSERT INTO {shop.schema}.credits VALUES (%s)", (event.data.request_no,))
one, two = [(json.dumps(body).encode(), {{"sign": sign}}) for body, sign in json.loads(sys.stdin.read())]
assert receiver.receive(*one).outcome == "handled"
child = {fork}
if child == 0:
    outcomes = [receiver.receive(*each).outcome for each in (one, two)]
    os._exit(0 if outcomes == ["duplicate", "handled"] else 2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert receiver.receive(*two).outcome == "duplicate"
print("well")
"""
    bodies = [transfer(number) for number in ("R1", "R2")]
    given = json.dumps([(body, sign(json.dumps(body).encode())) for body in bodies])
    path = os.pathsep.join(str(TOP / folder) for folder in ("generated", "runtime", "receiver"))
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=given,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.stdout == "well\n", done.stderr
    assert shop.credits() == ["R1", "R2"]


# Tables, names, rights


def test_tables_are_made_once_whoever_comes_first(shop: Shop) -> None:
    shop.ask(f"DROP SCHEMA {shop.schema} CASCADE")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: shop.ledger().prepare(), range(8)))
    names = shop.ask(f"SELECT tablename FROM pg_tables WHERE schemaname = '{shop.schema}' ORDER BY 1")
    tables = ("identities", "items", "nothing", "notifications", "schema")
    assert names == [f"paywright_{name}" for name in tables]
    shop.ledger(prefix="other_").prepare()
    assert len(shop.ask(f"SELECT tablename FROM pg_tables WHERE schemaname = '{shop.schema}'")) == 2 * len(tables)


def test_a_schema_of_the_search_path_may_be_called_anything(shop: Shop) -> None:
    odd = f'{shop.schema} "Odd"'
    written = '"' + odd.replace('"', '""') + '"'
    shop.ask(f"CREATE SCHEMA {written}")

    def connect() -> Any:
        db = psycopg.connect(shop.server.conninfo(), autocommit=True)
        db.execute(f"SET search_path = {written}".encode())
        return db

    desk = shop.desk(PostgresLedger(connect))
    shop.writing(desk)
    assert [desk.deliver(transfer()).outcome for _ in range(2)] == ["handled", "duplicate"]


@pytest.mark.parametrize("path", ["no_such_schema", '"100%"'])
def test_a_search_path_that_names_no_schema_to_use_is_refused_with_words(shop: Shop, path: str) -> None:
    shop.ask('CREATE SCHEMA IF NOT EXISTS "100%"')

    def connect() -> Any:
        db = psycopg.connect(shop.server.conninfo(), autocommit=True)
        db.execute(f"SET search_path = {path}".encode())
        return db

    with pytest.raises(LedgerProblem, match="names no schema that will do: give PostgresLedger"):
        PostgresLedger(connect).prepare()


def test_two_ledgers_in_one_database_are_apart(shop: Shop) -> None:
    for prefix in ("one_", "two_"):
        desk = shop.desk(shop.ledger(prefix=prefix))
        shop.writing(desk)
        assert [desk.deliver(transfer()).outcome for _ in range(2)] == ["handled", "duplicate"]
    assert shop.credits() == ["R1", "R1"]


def test_without_the_right_to_make_tables_those_of_a_migration_do(shop: Shop) -> None:
    role = f"{shop.schema}_role"
    shop.ask(f"CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA {shop.schema} TO {role}")
    mine = f"host={shop.server.folder} user={role} dbname=postgres options='-c search_path={shop.schema}'"
    with pytest.raises(LedgerProblem, match="InsufficientPrivilege"):
        PostgresLedger(mine).prepare()
    shop.ask(PostgresLedger.tables(shop.schema))
    shop.ask(f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {shop.schema} TO {role}")
    desk = shop.desk(PostgresLedger(mine))
    shop.writing(desk)
    assert [desk.deliver(transfer()).outcome for _ in range(2)] == ["handled", "duplicate"]
    later = datetime.now(UTC) + timedelta(days=1)
    assert desk.ledger.prune(later) == 0
    shop.ask(f"UPDATE {shop.schema}.paywright_notifications SET keep_until = 0")
    assert desk.ledger.prune(later) == 1


def test_a_handler_that_changes_the_search_path_does_not_move_the_ledger(shop: Shop) -> None:
    desk = shop.desk(shop.ledger(most=1))

    def stray(event: Event[Transfer]) -> None:
        event.transaction.execute("SET search_path = pg_catalog")

    shop.writing(desk, stray)
    assert [desk.deliver(transfer(number)).outcome for number in ("R1", "R2", "R1")] == [
        "handled",
        "handled",
        "duplicate",
    ]


@pytest.mark.parametrize(("timeout", "seconds"), [(0.5, "2"), (30, "30")])
def test_a_host_that_is_gone_is_noticed_within_the_timeout(shop: Shop, timeout: float, seconds: str) -> None:
    desk, given = shop.desk(shop.ledger(timeout=timeout)), list[dict[str, str]]()
    shop.writing(desk, lambda event: given.append(event.transaction.info.get_parameters()))
    assert desk.deliver(transfer()).outcome == "handled"
    assert given[0]["connect_timeout"] == given[0]["keepalives_idle"] == seconds


@pytest.mark.parametrize(
    "wrong", [{"schema": 'a"b'}, {"schema": ""}, {"prefix": "a b"}, {"prefix": "x" * 41}, {"timeout": 0}, {"most": 0}]
)
def test_a_setting_that_means_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        PostgresLedger("dbname=x", **wrong)


def test_no_error_holds_the_password(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ConfigurationError) as unreadable:
        PostgresLedger("host=x S3CRET")
    assert "S3CRET" not in "".join(
        map(str, (unreadable.value, unreadable.value.__cause__, unreadable.value.__context__))
    )
    desk = shop.desk(PostgresLedger("postgresql://me:S3CRET@127.0.0.1:9/shop"))
    desk.receiver.on_receive(lambda event: None)
    reply = desk.deliver(transfer())
    assert reply.outcome == "ledger_failed"
    assert "S3CRET" not in caplog.text + reply.why + repr(desk.ledger)
    assert "OperationalError" in caplog.text


def test_what_postgresql_cannot_store_as_text_has_one_effect_all_the_same(shop: Shop) -> None:
    desk = shop.desk()
    done: list[str] = []
    desk.receiver.on_receive(lambda event: done.append(event.key))
    for number in ("a\x00b", "x" * 64, "\U0001f4b6" * 64, "%00"):
        body = transfer(number)
        assert [desk.deliver(body).outcome for _ in range(2)] == ["handled", "duplicate"]
    assert len(done) == 4
    for number in ("x" * 20_000, "x" * 19_999 + "y", "\U0001f4b6" * 600):  # longer than the contract has it
        assert desk.deliver(transfer(number)).outcome == "unreadable"
    assert desk.statuses() == {"done": 4, "unreadable": 3}
    failing = shop.desk(shop.ledger(prefix="second_"))
    failing.receiver.on_receive(lambda event: fails(event))
    reply = failing.deliver(transfer("\x00" * 64))
    assert reply.outcome == "failed"
    (entry,) = failing.ledger.list(status="failed")
    assert failing.receiver.replay(entry.key).outcome == "handled"
    assert failing.statuses() == {"done": 1}


def test_a_table_that_is_gone_is_no_acknowledgement(shop: Shop) -> None:
    desk = shop.desk()
    shop.writing(desk)
    assert desk.deliver(transfer()).outcome == "handled"
    shop.ask(f"DROP TABLE {shop.schema}.paywright_items")
    assert desk.deliver(transfer("R2")).outcome == "ledger_failed"
    assert shop.credits() == ["R1"]
    shop.ask(f"DROP TABLE {shop.schema}.paywright_notifications")
    with pytest.raises(LedgerProblem, match="UndefinedTable"):
        desk.ledger.check_whole()


def test_what_was_claimed_is_durable_before_a_handler_begins(shop: Shop) -> None:
    ledger = shop.ledger()
    request = ClaimRequest("k", "s", "K", None, raw=b"{}", fingerprint=lambda: "0", notify_time=0, lease=1, keep=1)
    claim = ledger.acquire(request)
    assert not isinstance(claim, str)
    assert shop.ask(f"SELECT status FROM {shop.schema}.paywright_notifications") == ["claimed"]
    claim.release("failed", "no")
    assert shop.ask(f"SELECT why FROM {shop.schema}.paywright_notifications") == ["no"]
