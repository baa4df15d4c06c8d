"""A state file that is damaged: refused at the start, or said to be damaged by the call that meets it, never a bug of ours."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from paywright import contract
from paywright_runtime import strict_json
from paywright_runtime.clock import FixedClock
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.engine.state.store import disk_trouble
from paywright_sandbox.gateway import make_engine, open_store, read_settings
from tests.sandbox.helpers.desk import Desk

FLIPS = 60
FILES = 24


def opened(folder: Path, clock: FixedClock) -> Desk:
    settings = read_settings(folder)
    engine = make_engine(settings, open_store(settings.state), address="http://127.0.0.1:8787", clock=clock, wall=clock)
    return Desk(engine, folder, clock)


def opened_or_refused(folder: Path, clock: FixedClock) -> Desk | str:
    try:
        return opened(folder, clock)
    except ConfigurationError as refused:
        return str(refused)


@pytest.fixture(scope="module")
def worked(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The state file of a sandbox that has worked."""
    folder = Path(shutil.copytree(made_once, tmp_path_factory.mktemp("worked") / "sandbox"))
    with closing((desk := opened(folder, FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC)))).engine.store):
        for number in range(10):
            desk.paid(f"ORD_{number}")
            desk.refund(f"REF_{number}", 1, outTradeNo=f"ORD_{number}")
    return (folder / "state.sqlite3").read_bytes()


@pytest.fixture
def state(folder: Path, worked: bytes) -> Path:
    file = folder / "state.sqlite3"
    file.write_bytes(worked)
    return file


@pytest.mark.parametrize("seed", range(FILES))
def test_a_damaged_file_is_refused_or_said_to_be_damaged(
    folder: Path, clock: FixedClock, state: Path, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    random, raw = Random(seed), bytearray(state.read_bytes())
    for _ in range(FLIPS):
        raw[random.randrange(len(raw))] = random.randrange(256)
    state.write_bytes(raw)
    caplog.set_level(logging.ERROR)
    desk = opened_or_refused(folder, clock)
    if isinstance(desk, str):
        assert "state.sqlite3 cannot be used" in desk
        return
    with closing(desk.engine.store):
        for number in range(10):
            for operation, data in (
                ("orders.query", {"outTradeNo": f"ORD_{number}"}),
                ("refunds.query", {"outRefundNo": f"REF_{number}"}),
            ):
                raw = strict_json.write(desk.envelope(operation, data))
                headers = [("content-type", "application/json"), ("sign", desk.signer.sign(raw))]
                reply = desk.engine.handle("POST", str(contract.operation(operation).path), headers, raw)
                assert reply.code != "SYSTEM_ERROR" or b"state.sqlite3 is damaged" in reply.body
    assert "Traceback" not in caplog.text
    assert 'File "' not in caplog.text


def version_0(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA user_version = 0")


def another_version(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA user_version = 2")


def another_table(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE orders ADD COLUMN note TEXT")


def a_table_is_gone(db: sqlite3.Connection) -> None:
    db.execute("DROP TABLE captures")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (version_0, "it has tables and no version: it is damaged, or belongs to another program"),
        (another_version, "it is of version 2, and this sandbox knows version 1: use the paywright that made it"),
        (another_table, "its tables differ from those of this sandbox"),
        (a_table_is_gone, "its tables differ from those of this sandbox"),
    ],
)
def test_another_file_is_left_alone(state: Path, change: Callable[[sqlite3.Connection], None], why: str) -> None:
    with closing(sqlite3.connect(state)) as db:
        change(db)
        db.commit()
        before = list(db.iterdump())
    with pytest.raises(ConfigurationError) as refused:
        open_store(state)
    assert f"cannot be used: {why}" in str(refused.value)
    assert str(refused.value).endswith("Move it away to begin with an empty sandbox.")
    with closing(sqlite3.connect(state)) as db:
        assert list(db.iterdump()) == before


def test_an_error_of_the_sandbox_itself_is_not_blamed_on_the_file(folder: Path, clock: FixedClock, state: Path) -> None:
    with closing((desk := opened(folder, clock)).engine.store):
        assert desk.engine.store.damage() is None
        assert "see its log" in desk.engine.failing("a call", ValueError("x"))
    assert disk_trouble(ValueError("x"), state) is None


def test_a_failing_log_is_told(folder: Path, clock: FixedClock, state: Path, caplog: pytest.LogCaptureFixture) -> None:
    desk = opened(folder, clock)
    desk.query("ORD_1")
    with closing(desk.engine.store):
        with desk.engine.store.transaction() as transaction:
            transaction._db.execute("PRAGMA query_only = ON")
        desk.engine.captures.write()
    assert "exchanges could not be logged: " in caplog.text
    assert "state.sqlite3 cannot be written: it is read-only" in caplog.text
