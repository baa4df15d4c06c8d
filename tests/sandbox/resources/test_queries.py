"""What is asked of the state while requests are answered is found by an index, however much there is of it."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from paywright_runtime.clock import FixedClock
from paywright_sandbox.gateway import make_engine, open_store, read_settings
from tests.sandbox.helpers.desk import Desk
from tests.sandbox.helpers.scenario import START, Player, Shops, play, prepared

_LITERAL = re.compile(r"'(?:[^']|'')*'|X'[0-9A-Fa-f]*'|(?<![\w.])-?\d+(?![\w.])")
_JOINED = r"(?: (?:LEFT )?JOIN \w+ ON \w+\.id = \w+\.\w+)?"  # one row for each, by its id
_LATEST = re.compile(rf"SELECT .* FROM \w+{_JOINED} ORDER BY (?:\w+\.)?(?:id|seq) DESC LIMIT \?(?: OFFSET \?)?")
# Rules, merchants and the like: as many as a person has written.
_FEW = {"faults", "merchants", "clock"}


def _seen(db: sqlite3.Connection) -> list[str]:
    statements: list[str] = []
    db.set_trace_callback(statements.append)
    return statements


def _scans(db: sqlite3.Connection, statements: list[str]) -> dict[str, list[str]]:
    """By statement, the steps of SQLite's plan that read a whole table."""
    db.set_trace_callback(None)
    samples = {_LITERAL.sub("?", statement): statement for statement in reversed(statements)}
    found: dict[str, list[str]] = {}
    for shape, sample in samples.items():
        if not shape.startswith(("SELECT", "UPDATE", "DELETE")) or _LATEST.fullmatch(shape):
            continue
        plan = [str(step[3]) for step in db.execute(f"EXPLAIN QUERY PLAN {sample}")]
        scans = [step for step in plan if re.match(r"SCAN \w", step) and step.split()[1] not in _FEW]
        if scans:
            found[shape] = plan
    return found


def test_no_table_is_read_from_end_to_end_by_a_whole_life_of_the_sandbox(made_once: Path, tmp_path: Path) -> None:
    with closing(open_store()) as store, Shops(made_once) as shops:
        settings = read_settings(prepared(made_once, tmp_path, shops))
        engine = make_engine(settings, store, address="http://127.0.0.1:8787", wall=FixedClock(START))
        statements = _seen(store._db)
        play(engine, made_once, shops)
        assert len(statements) > 2000
        assert _scans(store._db, statements) == {}


def test_what_reads_a_whole_table_would_be_seen(desk: Desk) -> None:
    statements = _seen(desk.engine.store._db)
    with desk.engine.transaction() as context:
        context.state.one("SELECT id FROM orders WHERE subject = 'x'")
    assert list(_scans(desk.engine.store._db, statements)) == ["SELECT id FROM orders WHERE subject = ?"]


@pytest.mark.parametrize("days", [3, 40])
def test_what_was_called_the_day_before_yesterday_is_forgotten(desk: Desk, made_once: Path, days: int) -> None:
    player = Player(desk.engine, made_once)

    def asked(*, again: bool = False) -> str:
        player.snap("snap.status", "ORD_1", again=again)
        return str(json.loads(player.answers[-1][1].partition(b"\n")[2])["responseCode"])

    desk.paid("ORD_1")
    for _ in range(days):
        assert [asked() for _ in range(3)] == ["2005500"] * 3
        assert asked(again=True) == "4095500"
        desk.clock.advance(86_400)
    with desk.engine.store.transaction() as state:
        assert state.one("SELECT count(*) AS n FROM snap_calls") == {"n": 3}
    assert [asked(again=True), asked(again=True)] == ["2005500", "4095500"]  # the first is of another day
