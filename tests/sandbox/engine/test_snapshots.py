"""Snapshot, restore and reset: the whole workspace goes back, and what follows is what followed before; a broken one changes nothing."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from paywright_runtime.clock import FixedClock
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.control.api import control, routes_of
from paywright_sandbox.control.snapshot_routes import reset, restore
from paywright_sandbox.engine.routes import PREFIX
from paywright_sandbox.engine.state import store as store_module
from paywright_sandbox.faults.rules import rules_of
from paywright_sandbox.gateway import open_store
from paywright_sandbox.testing.inprocess import InProcessSandbox, in_process_sandbox
from paywright_sandbox.testing.served import running_sandbox
from tests.sandbox.helpers.place import place


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
        reset(inside.engine, keep_merchants=False)
        assert inside.log() == b""
        assert rules_of(inside.engine).rules() == []
        place(client, "ORD_1")
        assert inside.log() == first
    reset(inside.engine, keep_merchants=False)
    assert inside.engine.store.snapshot() == empty


@pytest.mark.parametrize("raw", [b"", b"no database", b"SQLite format 3\x00" + b"\x00" * 4096, None])
def test_what_is_no_snapshot_or_half_of_one_changes_nothing(inside: InProcessSandbox, raw: bytes | None) -> None:
    with inside.client() as client:
        for number in range(30):
            place(client, f"ORD_{number}")
    before, kept = inside.log(), inside.engine.store.snapshot()
    raw = kept[: len(kept) // 2] if raw is None else raw
    with pytest.raises(ConfigurationError, match="Nothing was changed"):
        restore(inside.engine, raw)
    assert inside.log() == before


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
        assert (status, json.loads(said)["reset"]) == (200, True)
        assert running.control("GET", "orders")[1] == {"orders": []}
        assert running.control("GET", "clock")[1]["now"] < clock["now"]  # type: ignore[operator]  # both are text
        status, said = call("PUT", "snapshot", kept)
        assert (status, json.loads(said)["restored"]) == (200, True)
        assert call("PUT", "snapshot", b" " * 3_000_000)[0] == 400
        wire.close()
    store = open_store(folder / "state.sqlite3")
    with store.transaction() as state:
        assert [row["out_trade_no"] for row in state.all("SELECT out_trade_no FROM orders")] == ["ORD_1"]
        assert json.dumps(state.one("SELECT ahead FROM clock")) != '{"ahead": 0}'
    store.close()


@pytest.fixture
def filled_inside(made_once: Path, clock: FixedClock) -> Iterator[InProcessSandbox]:
    """A sandbox with rows in most tables."""
    with in_process_sandbox(made_once, clock=clock) as sandbox:
        with sandbox.client() as client:
            for number in range(3):
                place(client, f"ORD_{number}", notify_url="http://127.0.0.1:9/hook")
        sandbox.pay("ORD_1")
        sandbox.fault("code", operation="refunds.create", probability="0.5")
        key = (Path(__file__).parents[3] / "docs/samples/merchant.pub").read_text()
        sandbox.done("POST", "merchants", {"appId": "app_2", "merchantNo": "MN2", "publicKey": key})
        yield sandbox


def put(sandbox: InProcessSandbox, raw: bytes) -> tuple[int, dict[str, object]]:
    reply = control(sandbox.engine, "PUT", f"{PREFIX}snapshot", [("x-sandbox", "1")], raw)
    return reply.status, json.loads(reply.body)


def answers(sandbox: InProcessSandbox) -> dict[str, tuple[int, bytes]]:
    """What every list of the control API says; a list that raises fails the test."""
    found = {}
    for route in routes_of(sandbox.engine):
        if route.method == "GET" and not route.variables:
            reply = control(sandbox.engine, "GET", PREFIX + route.path, [("x-sandbox", "1")])
            found[route.path] = reply.status, reply.body
    return found


def edited(raw: bytes, *statements: str) -> bytes:
    """A snapshot after what somebody did to it by hand, past all constraints that can be turned off."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        copy.deserialize(raw)
        copy.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            copy.execute(statement)
        return bytes(copy.serialize())


_REFUSED = {
    "a merchant's key": ("DELETE FROM orders WHERE id > 1", "UPDATE merchants SET public_key = 'no key'"),
    "a merchant's entry": ("UPDATE merchants SET entry = x'7b7d'",),
    "a merchant's entry that is no JSON": ("UPDATE merchants SET entry = x'ff'",),
    "a fault": ("DELETE FROM orders WHERE id > 1", "UPDATE faults SET definition = x'7b7d'"),
    "a fault that is no JSON": ("UPDATE faults SET definition = x'ff'",),
    "no clock": ("DELETE FROM clock",),
    "two clocks": ("INSERT INTO clock (id, ahead) VALUES (2, 0)",),
    "a clock beyond its end": (f"UPDATE clock SET ahead = {7000 * 365 * 86400 * 10**6}",),
    "an order's text that is none": ("UPDATE orders SET subject = x'ff'",),
    "an order's text that is not UTF-8": ("UPDATE orders SET subject = CAST(x'ff' AS TEXT)",),
    "an order's time that is none": ("UPDATE orders SET created_at = 'now'",),
    "an order's time beyond 9999": (f"UPDATE orders SET created_at = {2**62}",),
    "a delivery of no notification": ("INSERT INTO attempts (notification, at, asked, outcome, why) VALUES (99, 0, 0, 'X', '')",),
    "a log that is no JSON": ("UPDATE captures SET request_headers = 'x'",),
    "a table more": ("CREATE TABLE more (id INTEGER)",),
    "a trigger": ("CREATE TRIGGER evil AFTER INSERT ON orders BEGIN DELETE FROM orders; END",),
    "another version": ("PRAGMA user_version = 2",),
}  # fmt: skip


@pytest.mark.parametrize("statements", _REFUSED.values(), ids=_REFUSED)
def test_a_snapshot_that_is_refused_has_changed_nothing(
    filled_inside: InProcessSandbox, statements: tuple[str, ...]
) -> None:
    before, said = filled_inside.engine.store.snapshot(), answers(filled_inside)
    status, answer = put(filled_inside, edited(before, *statements))
    assert (status, str(answer["error"])[-20:]) == (400, "Nothing was changed.")
    assert filled_inside.engine.store.snapshot() == before
    assert answers(filled_inside) == said
    with filled_inside.client() as client:
        place(client, "ORD_AFTER")


def test_a_snapshot_that_is_too_large_is_refused(
    filled_inside: InProcessSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = filled_inside.engine.store.snapshot()
    monkeypatch.setattr(store_module, "MOST_BYTES", len(before) - 1)
    status, answer = put(filled_inside, before)
    assert (status, str(answer["error"]).startswith("A snapshot has at most ")) == (400, True)


def test_a_restored_row_that_no_answer_can_show_is_answered_with_words(filled_inside: InProcessSandbox) -> None:
    before = filled_inside.engine.store.snapshot()
    assert (
        put(filled_inside, edited(before, "UPDATE events SET detail = x'ff'", "UPDATE orders SET amount = 'much'"))[0]
        == 200
    )
    for path in ("events", "orders"):
        status, answer = filled_inside.control("GET", path)
        assert status == 200 or str(answer["error"]).startswith("The sandbox itself failed")
    assert put(filled_inside, before)[0] == 200
