"""The log: written some at a time, in order, and whole for whoever reads it."""

import json
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest

from paywright_sandbox.engine.state.captures import Captures
from paywright_sandbox.engine.state.store import Store
from paywright_sandbox.gateway import open_store
from paywright_sandbox.testing.served import running_sandbox
from tests.sandbox.helpers.desk import Desk


def written(store: Store) -> int:
    with store.transaction() as state:
        row = state.one("SELECT count(*) AS n FROM captures")
    assert row is not None
    assert isinstance(row["n"], int)
    return row["n"]


def sources(captures: Captures) -> list[str]:
    return [json.loads(line)["source"] for line in b"".join(captures.lines()).splitlines()]


def test_records_wait_until_they_are_many(desk: Desk) -> None:
    for _ in range(99):
        desk.query("NONE_1")
    assert written(desk.engine.store) == 0
    desk.query("NONE_1")
    assert written(desk.engine.store) == 100


def test_large_records_do_not_wait_in_numbers(desk: Desk) -> None:
    for _ in range(3):
        desk.engine.handle("POST", "/nowhere", [], b"x" * 400_000)
    assert written(desk.engine.store) == 3


def test_who_reads_the_log_sees_all_of_it_in_order(desk: Desk) -> None:
    for _ in range(130):
        desk.query("NONE_1")
    assert sources(desk.engine.captures) == [f"sandbox#{number}" for number in range(1, 131)]


@pytest.mark.parametrize("keeps", [7, 0])
def test_only_the_latest_are_kept(on_disk: Callable[..., Desk], keeps: int) -> None:
    desk = on_disk(log_keeps=keeps)
    for _ in range(120):
        desk.query("NONE_1")
    assert sources(desk.engine.captures) == [f"sandbox#{number}" for number in range(121 - keeps, 121)]
    desk.engine.store.close()


def test_records_that_wait_are_in_a_snapshot_and_in_the_file_once_it_is_closed(
    folder: Path, on_disk: Callable[..., Desk]
) -> None:
    desk = on_disk()
    store = desk.engine.store
    desk.query("NONE_1")
    copy = sqlite3.connect(":memory:")
    copy.deserialize(store.snapshot())
    assert copy.execute("SELECT count(*) FROM captures").fetchone() == (1,)
    copy.close()
    desk.query("NONE_1")
    store.close()
    store = open_store(folder / "state.sqlite3")
    assert written(store) == 2
    store.close()


def test_records_from_before_a_restored_snapshot_do_not_turn_up_after_it(desk: Desk) -> None:
    kept = desk.engine.store.snapshot()
    desk.query("NONE_1")
    desk.engine.store.restore(kept)
    assert sources(desk.engine.captures) == []


def test_an_answer_is_given_again_although_its_record_still_waits(desk: Desk) -> None:
    desk.checkout("STALE_1")
    first = desk.query("STALE_1")
    desk.control("POST", "orders/STALE_1/pay")
    desk.control("POST", "faults", {"kind": "stale-answer", "times": 1})
    assert desk.query("STALE_1") == first
    assert desk.query("STALE_1")["data"]["status"] == "SUCCESS"


def test_a_log_that_cannot_be_written_stops_nobody(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    with desk.engine.store.transaction() as state:
        state.all("SELECT 1")
        state._db.execute("DROP TABLE captures")  # as near to a broken disk as a test comes
    with caplog.at_level(logging.ERROR, "paywright.sandbox"):
        assert {desk.query("NONE_1")["code"] for _ in range(101)} == {"ORDER_NOT_EXIST"}
    assert [record.getMessage() for record in caplog.records] == ["exchanges could not be logged: OperationalError"]


def test_a_served_sandbox_writes_what_waits_within_seconds(folder: Path) -> None:
    with running_sandbox(folder) as sandbox:
        with sandbox.client() as client, pytest.raises(Exception, match="ORDER_NOT_EXIST"):
            client.orders.query(out_trade_no="NONE_1")
        until = monotonic() + 600
        while not written(sandbox.engine.store) and monotonic() < until:
            sleep(0.05)
        assert written(sandbox.engine.store) == 1
