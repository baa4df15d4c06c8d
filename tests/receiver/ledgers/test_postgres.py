"""The ledger in a real PostgreSQL: what is its own, beside what all ledgers do alike."""

from __future__ import annotations

import gc
import shutil
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest

from paywright import Event, LedgerProblem
from paywright.models.notifications import Transfer
from tests.receiver.helpers.credits import Credits, fails
from tests.receiver.helpers.desk import transfer

psycopg: Any = pytest.importorskip("psycopg")

from paywright_receiver.ledgers import postgres_connections  # noqa: E402  # needs psycopg
from paywright_receiver.ledgers.postgres import PostgresLedger  # noqa: E402  # needs psycopg

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(postgres: Server, schema: str) -> Credits:
    return Credits("postgres", postgres, schema)


# The transaction


def test_a_failed_statement_that_was_swallowed_is_told_of(shop: Credits) -> None:

    def spoil(event: Event[Transfer]) -> None:
        db: Any = event.transaction
        with suppress(psycopg.Error):
            db.execute("SELECT 1/0")

    desk = shop.desk(then=spoil)
    assert desk.deliver(transfer()).outcome == "failed"
    assert "use a savepoint" in desk.ledger.list()[0].why
    assert shop.written() == []


def test_a_handler_may_use_savepoints_cursors_and_rows_of_its_own(shop: Credits) -> None:
    def connect() -> Any:
        return psycopg.connect(shop.server.conninfo(), row_factory=psycopg.rows.dict_row)

    def more(event: Event[Transfer]) -> None:
        db: Any = event.transaction
        with suppress(ZeroDivisionError), db.transaction():
            db.execute(f"INSERT INTO {shop.name}.credits VALUES ('undone')")
            raise ZeroDivisionError
        assert db.execute("SELECT 1 AS one").fetchone() == {"one": 1}
        with db.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {shop.name}.credits VALUES (%s)", [("a",), ("b",)])

    desk = shop.desk(PostgresLedger(connect, schema=shop.name), more)
    assert desk.deliver(transfer()).outcome == "handled"
    assert desk.deliver(transfer()).outcome == "duplicate"
    assert shop.written() == ["R1", "a", "b"]


@pytest.mark.parametrize("one", [False, True], ids=["claimed before", "in one transaction"])
def test_a_handlers_things_and_a_ledgers_connections_are_freed(shop: Credits, one: bool) -> None:
    had: list[weakref.ref[Any]] = []
    desk = shop.desk(then=lambda event: had.append(weakref.ref(event.transaction)), one=one)
    for number in ("R1", "R2"):
        assert desk.deliver(transfer(requestNo=number)).outcome == "handled"
    gc.collect()
    assert [one() for one in had] == [None, None]
    ledger = shop.another()
    ledger.prepare()
    gone = weakref.ref(ledger)
    gc.disable()
    try:
        del ledger
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("after", ["and writes", "and returns"])
def test_one_that_is_idle_for_too_long_is_ended_and_told_what_to_do(shop: Credits, after: str) -> None:
    def idles(event: Event[Transfer]) -> None:
        db: Any = event.transaction
        while shop.ask(f"SELECT 1 FROM pg_stat_activity WHERE pid = {db.info.backend_pid}"):
            time.sleep(0.05)
        if after == "and writes":
            db.execute("SELECT 1")

    desk = shop.desk(then=idles, one=True, lease=0.3)
    assert desk.deliver(transfer()).outcome == "failed"
    assert "sent the database nothing for longer than the receiver's lease" in desk.ledger.list()[0].why
    assert shop.written() == []
    assert shop.desk(one=True).deliver(transfer()).outcome == "handled"
    assert shop.written() == ["R1"]


@pytest.mark.parametrize("one", [False, True])
@pytest.mark.parametrize("level", [r"read\ committed", r"repeatable\ read", "serializable"])
def test_other_isolation_by_default_changes_nothing(shop: Credits, level: str, one: bool) -> None:
    def connect() -> Any:
        return psycopg.connect(shop.server.conninfo(), options=f"-c default_transaction_isolation={level}")

    desk = shop.desk(PostgresLedger(connect, schema=shop.name, most=16), one=one)
    body = transfer()
    with ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(lambda _: desk.deliver(body), range(64)))
    assert {reply.outcome for reply in replies} <= {"handled", "duplicate", "in_progress"}
    assert shop.written() == ["R1"]


@pytest.mark.parametrize("one", [False, True])
def test_a_proxy_may_lend_connections_for_a_transaction(shop: Credits, one: bool) -> None:
    """PgBouncer, with fewer connections than there are handlers at once."""
    with pooled(shop.server) as conninfo:

        def leaves(event: Event[Transfer]) -> None:
            event.transaction.execute("SET search_path TO pg_catalog")
            if event.data.request_no == "R3":
                fails(event)

        desk = shop.desk(PostgresLedger(conninfo, schema=shop.name), leaves, one=one)
        bodies = [transfer(f"R{number}") for number in range(20)] * 2
        with ThreadPoolExecutor(8) as threads:
            replies = list(threads.map(desk.deliver, bodies))
        assert {reply.outcome for reply in replies} <= {"handled", "duplicate", "in_progress", "failed"}
        assert {desk.deliver(body).outcome for body in bodies} <= {"handled", "duplicate"}
        assert sorted(shop.written()) == sorted(f"R{number}" for number in range(20))


@pytest.mark.parametrize(
    ("change", "after"),
    [
        ("SELECT 1", 7),
        ("ALTER TABLE {schema}.paywright_notifications ALTER COLUMN attempts TYPE INTEGER", 0),
        ("DROP INDEX {schema}.paywright_changed", 7),
    ],
)
def test_statements_are_prepared_once_a_session(shop: Credits, change: str, after: int) -> None:
    seen = list[tuple[int, int]]()

    def count(event: Event[Transfer]) -> None:
        db: Any = event.transaction
        found = "SELECT count(*), count(DISTINCT statement) FROM pg_prepared_statements WHERE name LIKE 'paywright%'"
        seen.append(db.execute(found).fetchone())

    desk = shop.desk(shop.another(most=1), count)
    for number in range(8):  # from the sixth on, the server keeps the plans
        assert desk.deliver(transfer(f"R{number}")).outcome == "handled"
    shop.ask(change.format(schema=shop.name))
    assert desk.outcomes("R8", "R9", "R8") == ["handled", "handled", "duplicate"]
    assert (seen[:8], seen[-1]) == ([(7, 7)] * 8, (after, after))


@pytest.mark.parametrize("one", [False, True])
def test_what_is_prepared_is_all_at_the_one_server_that_a_proxy_lends(shop: Credits, one: bool) -> None:
    """Else a transaction begins at a server that has the first statements, and finds at its end that the last one is not there."""
    prepared = "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'paywright%'"
    with pooled(shop.server, server_round_robin=1) as conninfo, psycopg.connect(conninfo) as first:
        first.execute("SELECT 1")  # the pool opens a second server while this one is lent
        with psycopg.connect(conninfo, autocommit=True) as asks:
            asks.execute("SELECT 1")
            first.rollback()
            desk = shop.desk(PostgresLedger(conninfo, schema=shop.name, most=1), one=one)
            assert desk.outcomes("R1", "R2", "R1") == ["handled", "handled", "duplicate"]
            assert {asks.execute(prepared).fetchone() for _ in range(4)} <= {(0,), (7,)}


def test_two_at_once_may_find_that_a_prepared_statement_holds_no_more(shop: Credits) -> None:
    both = Barrier(2)
    desk = shop.desk(
        shop.another(timeout=600), lambda event: both.wait(600) if event.data.request_no in ("R0", "R1") else None
    )
    with ThreadPoolExecutor(2) as threads:  # two sessions, with all that is prepared
        assert {reply.outcome for reply in threads.map(desk.deliver, map(transfer, ("R0", "R1")))} == {"handled"}
        with shop.connect() as other:
            other.execute(f"ALTER TABLE {shop.name}.paywright_notifications ALTER COLUMN attempts TYPE INTEGER")
            late = [threads.submit(desk.deliver, transfer(number)) for number in ("R2", "R3")]
            while shop.ask("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'relation'") != [2]:
                assert not any(one.done() for one in late)
        assert [one.result().outcome for one in late] == ["handled", "handled"]


def test_a_function_that_takes_the_prepared_statements_away_costs_one_attempt(shop: Credits) -> None:
    shop.ask(
        f"CREATE FUNCTION {shop.name}.forget() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$"
    )
    desk = shop.desk(
        shop.another(most=1), lambda event: event.transaction.execute(f"SELECT {shop.name}.forget()"), one=True
    )
    assert desk.deliver(transfer()).outcome == "ledger_failed"
    assert shop.written() == []
    assert desk.outcomes("R1", "R2", "R1") == ["handled", "handled", "duplicate"]
    assert shop.written() == ["R1", "R2"]


def test_a_failure_after_the_commit_is_none_of_the_commit(shop: Credits, monkeypatch: pytest.MonkeyPatch) -> None:
    pids = list[int]()
    desk = shop.desk(shop.another(most=1), lambda event: pids.append(event.transaction.info.backend_pid))
    monkeypatch.setattr(postgres_connections, "_CLEANING", "SELECT 1 / 0")
    for number in ("R1", "R2"):
        assert [desk.deliver(transfer(number)).outcome for _ in range(2)] == ["handled", "duplicate"]
    assert shop.written() == ["R1", "R2"]
    assert len(set(pids)) == 2, "what could not be reset is not used again"


@contextmanager
def pooled(server: Server, **more: object) -> Iterator[str]:
    """PgBouncer before a server. Skips the test where it is not installed."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("PgBouncer is not installed")
    settings = {
        "pool_mode": "transaction", "default_pool_size": 3, "auth_type": "any", "unix_socket_dir": server.folder,
        "listen_port": 6432, **more,
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
                assert time.monotonic() < until, (server.folder / "log").read_text()[-2000:]
                time.sleep(0.05)
        yield conninfo
    finally:
        process.terminate()
        process.wait(60)


# Durability and lost connections


@pytest.mark.parametrize("one", [False, True], ids=["claimed before", "in one transaction"])
def test_every_commit_is_durable_also_where_the_database_is_told_not_to_wait(shop: Credits, one: bool) -> None:
    """A trigger that fires at the commit notes whether it waits for the disk."""
    shop.ask(f"CREATE TABLE {shop.name}.waits (told TEXT)")
    shop.ask(
        f"CREATE FUNCTION {shop.name}.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"INSERT INTO {shop.name}.waits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$"
    )
    ledger = shop.another()
    ledger.prepare()
    for table in ("credits", "paywright_notifications"):
        shop.ask(
            f"CREATE CONSTRAINT TRIGGER note AFTER INSERT OR UPDATE ON {shop.name}.{table} "
            f"DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {shop.name}.note()"
        )

    def connect() -> Any:
        return psycopg.connect(shop.server.conninfo(), options="-c synchronous_commit=off", autocommit=True)

    desk = shop.desk(
        PostgresLedger(connect, schema=shop.name),
        lambda event: event.transaction.execute("SET LOCAL synchronous_commit = off"),
        one=one,
    )
    bodies = (transfer(), transfer(status="TO_BE_PROVED"), transfer(channelTradeNo="other"))
    assert [desk.deliver(body).outcome for body in bodies] == ["handled", "stale", "conflict"]
    waits = shop.ask(f"SELECT told FROM {shop.name}.waits")
    assert (len(waits) >= 5, set(waits)) == (True, {"on"})


def test_a_commit_whose_answer_is_lost_is_not_acknowledged_and_has_one_effect(shop: Credits) -> None:
    """The connection dies with the commit: whoever asks cannot know, and the next delivery finds what is so."""
    ledger = shop.ledger
    end = ledger.end

    def lost(db: Any, **how: Any) -> None:  # the commit is done; its answer never came
        handled = db.guard is not None
        if handled:
            db.connection.close()
        end(db, **how)
        if handled:
            raise LedgerProblem("lost")

    desk = shop.desk(lease=1)
    ledger.end = lost
    reply = desk.deliver(transfer())
    assert (reply.outcome, reply.acknowledged) == ("ledger_failed", False)
    ledger.end = end
    assert desk.deliver(transfer()).outcome == "duplicate"
    assert shop.written() == ["R1"]


def test_a_pool_lends_its_connections_also_after_they_were_lost(shop: Credits) -> None:
    pool_type: Any = pytest.importorskip("psycopg_pool").ConnectionPool
    with pool_type(shop.server.conninfo(), min_size=4, max_size=4, open=True) as pool:
        desk = shop.desk(
            PostgresLedger(pool, schema=shop.name),
            lambda event: fails(event) if event.data.request_no == "R3" else None,
        )
        with ThreadPoolExecutor(8) as threads:
            replies = list(threads.map(lambda number: desk.deliver(transfer(f"R{number}")), range(20)))
        assert sorted({reply.outcome for reply in replies}) == ["failed", "handled"]
        shop.server.stop()
        shop.server.start()
        assert desk.deliver(transfer("R3")).outcome == "handled"
        assert pool.get_stats()["pool_size"] <= 4
    assert len(shop.written()) == 20


# Tables, names, rights


def test_a_schema_of_the_search_path_may_be_called_anything(shop: Credits) -> None:
    odd = f'{shop.name} "Odd"; key?'
    written = '"' + odd.replace('"', '""') + '"'
    shop.ask(f"CREATE SCHEMA {written}")
    path = written.replace(" ", r"\\ ")  # for options, within a conninfo
    desk = shop.desk(PostgresLedger(f"{shop.server.conninfo()} options='-c search_path={path}'"))
    assert desk.outcomes("R1", "R1") == ["handled", "duplicate"]


@pytest.mark.parametrize("path", ["no_such_schema", '"100%"'])
def test_a_search_path_that_names_no_schema_to_use_is_refused_with_words(shop: Credits, path: str) -> None:
    shop.ask('CREATE SCHEMA IF NOT EXISTS "100%"')
    with pytest.raises(LedgerProblem, match="names no schema that will do: give PostgresLedger"):
        PostgresLedger(f"{shop.server.conninfo()} options='-c search_path={path}'").prepare()


@pytest.mark.parametrize(("timeout", "seconds"), [(0.5, "2"), (30, "30")])
def test_a_host_that_is_gone_is_noticed_within_the_timeout(shop: Credits, timeout: float, seconds: str) -> None:
    given = list[dict[str, str]]()
    desk = shop.desk(shop.another(timeout=timeout), lambda event: given.append(event.transaction.info.get_parameters()))
    assert desk.deliver(transfer()).outcome == "handled"
    assert given[0]["connect_timeout"] == given[0]["keepalives_idle"] == seconds


def test_a_wait_for_a_locked_table_is_bounded(shop: Credits) -> None:
    desk = shop.desk(shop.another(timeout=1))
    assert desk.outcomes("R1") == ["handled"]
    with psycopg.connect(shop.server.conninfo()) as other:
        other.execute("SET idle_in_transaction_session_timeout = '60s'")
        other.execute(f"LOCK TABLE {shop.name}.paywright_notifications".encode())
        assert desk.outcomes("R2") == ["ledger_failed"]
    assert desk.outcomes("R2") == ["handled"]
