"""The shops of docs/paid.md, killed before each of their lines, and clicked twice at a time: what they believe is what is so."""

from __future__ import annotations

import importlib
import sqlite3
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from paywright import FixedClock, contract
from paywright_runtime.signing.keys import KeyPair
from tests.docs.settings import set_up
from tests.docs.test_paid_doc import FILES
from tests.receiver.helpers.desk import NOW, key
from tests.receiver.helpers.shop import States
from tests.runtime.helpers.canned_gateway import Gateway, Reply

_DAYS = 3


class Died(BaseException):
    """The process ends before a line."""


class World:
    """One shop, its gateway, and a clock that both go by."""

    def __init__(self, shop: Any, gateway: Gateway, clock: FixedClock) -> None:
        self.shop = shop
        self.clock = clock
        self.states = States(gateway, clock)
        self.refunded: list[str] = []
        self.refusing: list[str] = []
        shown = self.states._reply

        def reply(seen: Any) -> Reply:
            if seen.path != contract.operation("refunds.create").path:
                return shown(seen)
            if self.refusing:
                return Reply({"code": self.refusing.pop(), "msg": "no"})
            number = seen.json["data"]["outRefundNo"]
            self.refunded.append(number)
            self.states.shown[number] = ("REFUND_SUCCESS", "10.50")
            data = {"outRefundNo": number, "refundTradeNo": "T", "status": "REFUND_PENDING"}
            return Reply({"code": "APPLY_SUCCESS", "msg": "", "data": data})

        gateway.reply = reply

    def rows(self) -> dict[str, str]:
        with closing(sqlite3.connect("shop.db")) as db:
            return dict(db.execute("SELECT number, state FROM payments").fetchall())

    def follow(self) -> None:
        """Let a week pass, in steps, as another process does."""
        until = self.clock.now() + timedelta(days=_DAYS)
        while (due := self.shop.follower.next_due()) is not None and self.clock.now() < until:
            self.clock.advance(max(1.0, (due - self.clock.now()).total_seconds()))
            self.shop.follower.run_due()

    def paid(self) -> str:
        """An order that was placed, paid and followed."""
        self.shop.order()
        (order,) = self.states.placed
        self.states.shown[order] = ("SUCCESS", "10.50")
        self.follow()
        return order


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The shop with FastAPI: its pages are functions, which the shop with Django has the same lines of."""
    pytest.importorskip("fastapi")
    gateway, clock = Gateway(KeyPair(key())), FixedClock(NOW)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paid_fastapi.py").write_text(
        FILES["paid_fastapi"].replace("datetime.now(UTC)", "client.context.clock.now()")
    )
    set_up(monkeypatch, tmp_path, gateway, clock)
    monkeypatch.setenv("SHOP_URL", "https://shop.example")
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("paid_fastapi", None)
    shop = importlib.import_module("paid_fastapi")
    yield World(shop, gateway, clock)
    shop.client.close()
    gateway.close()


def dying(page: Callable[[], object], before: int) -> bool:
    """Load a page in a process that dies before that line of the shop's; return whether it died.

    It is a thread: what it was handling when it died would stay what the tests' own thread is handling.
    """
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if frame.f_code.co_filename.endswith("paid_fastapi.py"):
            lines += event == "line"
            if lines > before:
                sys.settrace(None)
                raise Died
        return trace

    def loaded() -> bool:
        sys.settrace(trace)
        with suppress(Died):
            page()
            return False
        return True

    with ThreadPoolExecutor(1) as process:
        return process.submit(loaded).result()


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["placed", pytest.param("lost", marks=pytest.mark.full), "refused"])
def test_an_order_whose_process_dies_before_any_line_is_known_in_the_end(world: World, answer: str) -> None:
    if answer == "refused":
        world.states.placing = lambda number: Reply({"code": "AMOUNT_LIMIT", "msg": "no"})
    if answer == "lost":
        placing = world.states.placing
        world.states.placing = lambda number: (placing(number), Reply(b"", signed=False))[1]
    before, died = 0, True
    while died:
        died = dying(world.shop.order, before)
        before += 1
        for number in world.states.placed:
            if answer != "refused":
                world.states.shown.setdefault(number, ("SUCCESS", "10.50"))
        world.follow()
        for number, state in world.rows().items():
            item = world.shop.follower.get("orders", number)
            came = number in world.states.placed and answer != "refused"
            # Whoever died before the call, or before it wrote that it was refused, leaves an item that a person is told of.
            assert (state, item.status) == ("SUCCESS", "settled") if came else state in ("PLACED", "REFUSED")
            assert came or item.status == "closed" or item.step in ("place_again", "decide"), (number, state, item)
    assert before > 8
    assert len(world.states.placed) == len(set(world.states.placed))


@pytest.mark.slow
def test_a_refund_is_clicked_twice_at_a_time_at_each_line_and_sent_once(world: World) -> None:
    order = world.paid()
    before, died = 0, True
    while died:
        died = dying(lambda: world.shop.refund(order), before)
        before += 1
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: world.shop.refund(order), range(4)))
        world.follow()
        assert len(world.refunded) <= 1
        assert [state for number, state in world.rows().items() if number.startswith("REF")].count(
            "REFUND_SUCCESS"
        ) == len(world.refunded)
    assert before > 8


def test_a_refused_refund_is_sent_anew_with_the_orders_amount(world: World) -> None:
    order = world.paid()
    world.shop.PRICE *= 2  # since today
    world.refusing.append("REFUND_INSUFFICIENT_BALANCE")
    for _ in range(3):
        world.shop.refund(order)
    world.follow()
    assert world.refunded == [f"REF_{order}_1"]
    assert world.rows() == {order: "SUCCESS", f"REF_{order}_0": "REFUSED", f"REF_{order}_1": "REFUND_SUCCESS"}
    with closing(sqlite3.connect("shop.db")) as db:
        assert {amount for (amount,) in db.execute("SELECT amount FROM payments")} == {"10.50"}


def test_a_refund_that_failed_after_it_was_accepted_is_sent_again_with_a_new_number(world: World) -> None:
    order = world.paid()
    world.shop.refund(order)
    world.states.shown[f"REF_{order}_0"] = ("REFUND_FAILED", "10.50")
    world.follow()
    world.shop.refund(order)
    assert world.refunded == [f"REF_{order}_0", f"REF_{order}_1"]
    world.follow()
    assert [state for number, state in sorted(world.rows().items()) if number.startswith("REF")] == [
        "REFUND_FAILED",
        "REFUND_SUCCESS",
    ]


def test_an_order_that_breaks_the_contract_is_not_followed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_URL", f"https://shop.example/{'x' * 2000}")
    world.shop.order()
    assert (list(world.rows().values()), world.states.placed) == (["REFUSED"], [])
    assert world.shop.follower.counts()["closed"] == 1


def test_a_result_of_nothing_that_the_shop_has_is_not_acknowledged(world: World) -> None:
    world.shop.follower.open(None, world.shop.client.orders.follow("ORD_other"))
    world.states.shown["ORD_other"] = ("SUCCESS", "10.50")
    world.clock.advance(600)
    assert world.shop.follower.run_due().failed == 1
    assert [entry.status for entry in world.shop.ledger.list()] == ["failed"]
