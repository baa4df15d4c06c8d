"""Looking at a ledger makes and changes nothing; counts are what monitoring goes by; old records go in portions."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paywright import Event, InvalidArgument, Ledger, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import SqliteLedger
from paywright_receiver.items.ledger import STATUSES, ClaimRequest
from paywright_receiver.ledgers.sql.statements import PORTION
from tests.cli.helpers.command_line import Ended, paywright
from tests.cli.helpers.listening_process import PACKAGES
from tests.receiver.helpers.desk import Desk, order, transfer

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server

NONE = dict.fromkeys(STATUSES, 0)
READING = (["list"], ["count"], ["check"])
CHANGING = (["discard", "K"], ["release", "K"], ["prune", "--older-than", "1d"])


def request(key: str, raw: bytes = b"{}") -> ClaimRequest:
    return ClaimRequest(key, key, "K", None, raw=raw, digest="0" * 64, notify_time=0, lease=60_000_000, keep=1)


def notifications(*arguments: str | Path) -> Ended:
    return paywright("notifications", *arguments, path=PACKAGES)


# Nothing is made


@pytest.mark.parametrize("action", [*READING, *CHANGING])
def test_no_command_makes_a_file(action: list[str], tmp_path: Path) -> None:
    ended = notifications(*action, "--ledger", tmp_path / "none.db")
    assert (ended.code, "there is no ledger" in ended.err) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_that_is_only_looked_at_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(LedgerProblem, match=r"There is no ledger in .*none\.db, and none was made"):
        SqliteLedger(tmp_path / "none.db", create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_no_command_changes_a_database_without_a_ledger(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE credits (number TEXT)")
    before = path.read_bytes()
    for action in (*READING, *CHANGING):
        ended = notifications(*action, "--ledger", path)
        assert (ended.code in (1, 3), "There is no ledger" in ended.err) == (True, True), action
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["shop.db"]


def test_what_is_there_is_looked_at_without_making_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    made = SqliteLedger(path)
    claim = made.acquire(request("k"))
    assert not isinstance(claim, str)
    claim.complete()
    assert [entry.key for entry in SqliteLedger(path, create=False).list()] == ["k"]


@pytest.mark.slow
@pytest.mark.parametrize("action", [*READING, *CHANGING])
def test_no_command_makes_tables_or_schemas_in_postgresql(action: list[str], postgres: Server, schema: str) -> None:
    address = f"postgresql:///postgres?host={postgres.folder}&user=paywright"
    count = "SELECT count(*) FROM pg_class WHERE relname LIKE 'paywright%' AND relnamespace = 'public'::regnamespace"
    before = postgres.ask(count)
    for place, named in (("public", []), (schema, ["--schema", schema])):
        ended = notifications(*action, "--ledger", address, *named)
        assert (ended.code in (1, 3), f"There is no ledger in the schema {place}" in ended.err) == (True, True)
    assert postgres.ask(count) == before
    assert postgres.ask(f"SELECT count(*) FROM pg_namespace WHERE nspname = '{schema}'") == [(0,)]


@pytest.mark.slow
def test_a_schema_can_be_named(postgres: Server, schema: str) -> None:
    from paywright_receiver.ledgers.postgres import PostgresLedger

    ledger = PostgresLedger(postgres.conninfo(), schema=schema)
    claim = ledger.acquire(request("k"))
    assert not isinstance(claim, str)
    claim.release("failed", "it failed")
    at = ("--ledger", f"postgresql:///postgres?host={postgres.folder}&user=paywright", "--schema", schema)
    assert "it failed" in notifications("list", *at).out
    assert notifications("check", *at).code == 1
    assert notifications("discard", "k", *at).code == 0
    assert notifications("check", *at).code == 0


# Counts


def test_records_are_counted_by_status_and_age(new_ledger: Callable[[], Ledger]) -> None:
    desk = Desk(new_ledger())
    desk.receiver.on_receive(credit)
    desk.deliver(transfer("R1"))
    assert desk.ledger.counts() == {**NONE, "done": 1}
    desk.deliver(transfer("FAILS"))
    desk.deliver(order())
    desk.pass_time(minutes=10)
    assert desk.deliver(transfer("FAILS")).outcome == "failed"  # it first came ten minutes ago all the same
    desk.deliver(transfer("FAILS TOO"))
    assert not isinstance(desk.ledger.acquire(request("k")), str)
    assert desk.ledger.counts() == {**NONE, "done": 1, "failed": 2, "unhandled": 1, "claimed": 1}
    assert desk.ledger.counts(older_than=timedelta(minutes=10)) == {**NONE, "done": 1, "failed": 1, "unhandled": 1}
    assert desk.ledger.counts(older_than=timedelta(minutes=11)) == NONE
    desk.pass_time(minutes=2)  # the claim's lease is over: nobody is at it any more
    assert desk.ledger.counts() == {**NONE, "done": 1, "failed": 3, "unhandled": 1}
    with pytest.raises(InvalidArgument, match="0 or more"):
        desk.ledger.counts(older_than=timedelta(minutes=-1))


def credit(event: Event[Transfer]) -> None:
    if event.data.request_no.startswith("FAILS"):
        raise ValueError("the stock is empty")


@pytest.mark.parametrize(
    ("limits", "code", "said"),
    [
        ([], 1, ["above  failed 2, at most 0", "ok  unhandled 0", "ok  unreadable 0", "above  conflict 1, at most 0"]),
        (["--failed", "2"], 0, ["ok  failed 2, at most 2"]),
        (["--failed", "1"], 1, ["above  failed 2, at most 1", "--status failed"]),
        (["--failed", "2", "--conflict", "0"], 1, ["ok  failed", "above  conflict 1", "--status conflict"]),
        (["--claimed", "0"], 0, ["ok  claimed 0"]),
        (["--failed", "0", "--older", "10m"], 1, ["above  failed 1, at most 0"]),
        (["--failed", "1", "--older", "10m"], 0, ["ok  failed 1, at most 1"]),
        (["--failed", "0", "--older", "2h"], 0, ["ok  failed 0, at most 0"]),
    ],
)
def test_monitoring_goes_by_an_exit_code(limits: list[str], code: int, said: list[str], tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    desk = Desk(SqliteLedger(path))
    desk.receiver.on_receive(credit)
    for number in ("R1", "FAILS", "FAILS TOO"):
        desk.deliver(transfer(number))
    assert desk.deliver(transfer("R1", channelTradeNo="ANOTHER")).outcome == "conflict"
    hour = 3_600_000_000
    with sqlite3.connect(path) as db:
        db.execute("UPDATE paywright_notifications SET first_at = first_at - ? WHERE key LIKE '%FAILS/%'", (hour,))
    ended = notifications("check", "--ledger", path, *limits)
    assert ended.code == code, ended
    assert all(words in ended.out for words in said), ended.out
    assert ("need attention" in ended.out) == (f" --ledger {path}` shows them" in ended.out) == bool(code)


def test_a_ledger_that_cannot_be_looked_at_is_no_good_news(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"no database at all, but longer than nothing" * 100)
    ended = notifications("check", "--ledger", tmp_path / "ledger.db")
    assert (ended.code, ended.out) == (3, "")
    assert "could not be opened" in ended.err


def test_a_file_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    place = tmp_path / "none" / "ledger.db"
    with pytest.raises(LedgerProblem, match=re.escape(f"could not be opened at {str(place)!r}: No such file")):
        SqliteLedger(place)


def test_counts_are_printed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    desk = Desk(SqliteLedger(path))
    desk.receiver.on_receive(credit)
    for number in ("R1", "R2", "FAILS"):
        desk.deliver(transfer(number))
    out = notifications("count", "--ledger", path).out
    assert ("done       2\n" in out, "failed     1\n" in out, "conflict   0\n" in out) == (True, True, True)
    counted = json.loads(notifications("count", "--ledger", path, "--format", "json").out)
    assert counted == {**NONE, "done": 2, "failed": 1}
    counted = json.loads(notifications("count", "--ledger", path, "--format", "json", "--older", "1m").out)
    assert counted == NONE


# Portions


def test_pruning_lets_a_delivery_in_between_two_portions(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    ledger = SqliteLedger(path)
    claim = ledger.acquire(request("k0"))
    assert not isinstance(claim, str)
    claim.complete()
    size = 2 * PORTION + 1
    with sqlite3.connect(path) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(paywright_notifications)")]
        others = ", ".join(name for name in columns if name != "key")
        db.execute(
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {size - 1}) "
            f"INSERT INTO paywright_notifications (key, {others}) SELECT 'k' || i, {others} FROM n, paywright_notifications"
        )
        db.execute("CREATE TABLE sizes (left INTEGER)")
        db.execute("UPDATE paywright_notifications SET changed_at = changed_at - 10, keep_until = 0")
    left: list[int] = []

    class Counting(SqliteLedger):
        def begin(self) -> Any:
            with sqlite3.connect(path) as beside:  # another process would get the file here
                left.extend(beside.execute("SELECT count(*) FROM paywright_notifications").fetchone())
                beside.execute("INSERT INTO sizes VALUES (1)")
            return super().begin()

    counting = Counting(path, create=False)
    assert counting.prune(datetime.now(UTC)) == size
    assert left == [size, size - PORTION, size - 2 * PORTION, 0]
    assert ledger.counts() == NONE


@pytest.mark.slow
def test_pruning_goes_in_portions_in_postgresql(postgres: Server, schema: str) -> None:
    from paywright_receiver.ledgers.postgres import PostgresLedger

    ledger = PostgresLedger(postgres.conninfo(), schema=schema)
    claim = ledger.acquire(request("k0"))
    assert not isinstance(claim, str)
    claim.complete()
    table, size = f"{schema}.paywright_notifications", 2 * PORTION + 1
    columns = [str(row[0]) for row in postgres.ask(f"SELECT attname FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0")]  # fmt: skip
    others = ", ".join(name for name in columns if name != "key")
    postgres.ask(
        f"INSERT INTO {table} (key, {others}) SELECT 'k' || i, {others} FROM generate_series(1, {size - 1}) i, {table}"
    )
    postgres.ask(f"UPDATE {table} SET keep_until = 0")
    postgres.ask(f"CREATE TABLE {schema}.portions (size INTEGER)")
    postgres.ask(
        f"CREATE FUNCTION {schema}.count() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO {schema}.portions "
        f"SELECT count(*) FROM gone; RETURN NULL; END $$"
    )
    postgres.ask(
        f"CREATE TRIGGER counts AFTER DELETE ON {table} REFERENCING OLD TABLE AS gone EXECUTE FUNCTION {schema}.count()"
    )
    assert ledger.prune(datetime.now(UTC) + timedelta(seconds=1)) == size
    assert postgres.ask(f"SELECT size FROM {schema}.portions") == [(PORTION,), (PORTION,), (1,), (0,)]
