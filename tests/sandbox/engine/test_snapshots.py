"""Snapshot, restore and reset: the whole workspace goes back, and what follows is byte for byte what followed before."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from paywright_runtime.clock import FixedClock
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.control.snapshot_routes import reset, restore
from paywright_sandbox.faults.rules import rules_of
from paywright_sandbox.gateway import open_store
from paywright_sandbox.testing.inprocess import InProcessSandbox, in_process_sandbox
from paywright_sandbox.testing.served import running_sandbox
from tests.sandbox.helpers.place import place


@pytest.fixture
def inside(made_once: Path, clock: FixedClock) -> Iterator[InProcessSandbox]:
    with in_process_sandbox(made_once, clock=clock) as sandbox:
        yield sandbox


def test_what_follows_a_snapshot_follows_again_byte_for_byte(inside: InProcessSandbox) -> None:
    def further() -> bytes:
        with inside.client() as client:
            for number in range(6):
                place(client, f"ORD_{number + 1}")
            inside.pay("ORD_0")
        return inside.log()

    inside.fault("code", operation="refunds.create", probability="0.5")
    with inside.client() as client:
        place(client, "ORD_0")
    kept = inside.engine.store.snapshot()
    first = further()
    inside.fault("reset")
    restore(inside.engine, kept)
    assert [rule.kind for rule in rules_of(inside.engine).rules()] == ["code"]
    assert further() == first


def test_after_a_reset_it_is_as_at_the_very_first_start(inside: InProcessSandbox) -> None:
    empty = inside.engine.store.snapshot()
    with inside.client() as client:
        place(client, "ORD_1")
        first = inside.log()
        inside.fault("reset")
        reset(inside.engine)
        assert inside.log() == b""
        assert rules_of(inside.engine).rules() == []
        place(client, "ORD_1")
        assert inside.log() == first
    reset(inside.engine)
    assert inside.engine.store.snapshot() == empty


@pytest.mark.parametrize("raw", [b"", b"no database", b"SQLite format 3\x00" + b"\x00" * 4096])
def test_what_is_no_snapshot_changes_nothing(inside: InProcessSandbox, raw: bytes) -> None:
    with inside.client() as client:
        place(client, "ORD_1")
    before = inside.log()
    with pytest.raises(ConfigurationError, match="Nothing was changed"):
        restore(inside.engine, raw)
    assert inside.log() == before


def test_a_snapshot_with_other_tables_is_refused(inside: InProcessSandbox) -> None:
    copy = sqlite3.connect(":memory:")
    copy.deserialize(inside.engine.store.snapshot())
    copy.execute("CREATE TRIGGER evil AFTER INSERT ON orders BEGIN DELETE FROM orders; END")
    with pytest.raises(ConfigurationError):
        restore(inside.engine, copy.serialize())
    copy.close()


def test_a_damaged_snapshot_is_refused(inside: InProcessSandbox) -> None:
    with inside.client() as client:
        for number in range(30):
            place(client, f"ORD_{number}")
    kept = inside.engine.store.snapshot()
    with pytest.raises(ConfigurationError):
        restore(inside.engine, kept[: len(kept) // 2])


def test_over_http_and_on_disk_it_is_there_after_a_restart(made_once: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made_once, tmp_path / "sandbox"))
    with running_sandbox(folder) as running, running.client() as client:
        wire = HTTPConnection(running.base_url.removeprefix("http://"), timeout=600)

        def call(method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
            wire.request(method, f"/_sandbox/{path}", body, {"X-Sandbox": "1"})
            response = wire.getresponse()
            return response.status, response.read()

        place(client, "ORD_1")
        running.control("POST", "clock/advance", {"seconds": 3600})
        _, clock = running.control("GET", "clock")
        status, kept = call("GET", "snapshot")
        assert status == 200
        assert kept.startswith(b"SQLite format 3\x00")
        status, said = call("POST", "reset")
        assert (status, json.loads(said)["reset"], json.loads(said)["gone"]["orders"]) == (200, True, 1)
        assert running.control("GET", "orders")[1] == {"orders": []}
        assert running.control("GET", "clock")[1]["now"] < clock["now"]  # type: ignore[operator]  # both are text
        status, said = call("PUT", "snapshot", kept)
        assert (status, json.loads(said)["restored"], json.loads(said)["holds"]["orders"]) == (200, True, 1)
        assert call("PUT", "snapshot", b" " * 3_000_000)[0] == 400
        wire.close()
    store = open_store(folder / "state.sqlite3")
    with store.transaction() as state:
        assert [row["out_trade_no"] for row in state.all("SELECT out_trade_no FROM orders")] == ["ORD_1"]
        assert json.dumps(state.one("SELECT ahead FROM clock")) != '{"ahead": 0}'
    store.close()
