"""A snapshot that is refused has changed nothing. Whatever stands in one that is accepted is answered with words."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from paywright_runtime.clock import FixedClock
from paywright_sandbox.control.api import PREFIX, control, routes_of
from paywright_sandbox.engine.state import store as store_module
from paywright_sandbox.testing.inprocess import InProcessSandbox, in_process_sandbox
from tests.sandbox.helpers.place import place


@pytest.fixture
def inside(made_once: Path, clock: FixedClock) -> Iterator[InProcessSandbox]:
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
            found[route.path] = reply.status, b"".join(reply.parts) if reply.parts is not None else reply.body
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
    "a clock that stands beyond time": (f"UPDATE clock SET frozen_at = {2**62}",),
    "an order's text that is none": ("UPDATE orders SET subject = x'ff'",),
    "an order's text that is not UTF-8": ("UPDATE orders SET subject = CAST(x'ff' AS TEXT)",),
    "an order's time that is none": ("UPDATE orders SET created_at = 'now'",),
    "an order's time beyond 9999": (f"UPDATE orders SET created_at = {2**62}",),
    "a number of the next fault": (f"UPDATE sqlite_sequence SET seq = {2**63 - 1}",),
    "a delivery of no notification": ("INSERT INTO held_back VALUES (99)",),
    "a log that is no JSON": ("UPDATE captures SET request_headers = 'x'",),
    "a table more": ("CREATE TABLE more (id INTEGER)",),
    "another version": ("PRAGMA user_version = 2",),
}  # fmt: skip


@pytest.mark.parametrize("statements", _REFUSED.values(), ids=_REFUSED)
def test_a_snapshot_that_is_refused_has_changed_nothing(inside: InProcessSandbox, statements: tuple[str, ...]) -> None:
    before, said = inside.engine.store.snapshot(), answers(inside)
    status, answer = put(inside, edited(before, *statements))
    assert (status, str(answer["error"])[-20:]) == (400, "Nothing was changed.")
    assert inside.engine.store.snapshot() == before
    assert answers(inside) == said
    with inside.client() as client:
        place(client, "ORD_AFTER")


def test_a_snapshot_that_is_too_large_is_refused(inside: InProcessSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    before = inside.engine.store.snapshot()
    monkeypatch.setattr(store_module, "MOST_BYTES", len(before) - 1)
    status, answer = put(inside, before)
    assert (status, str(answer["error"]).startswith("A snapshot has at most ")) == (400, True)


def test_a_restored_row_that_no_answer_can_show_is_answered_with_words(inside: InProcessSandbox) -> None:
    before = inside.engine.store.snapshot()
    assert (
        put(inside, edited(before, "UPDATE events SET detail = x'ff'", "UPDATE orders SET amount = 'much'"))[0] == 200
    )
    for path in ("events", "orders"):
        status, answer = inside.control("GET", path)
        assert status == 200 or str(answer["error"]).startswith("The sandbox itself failed")
    assert put(inside, before)[0] == 200
