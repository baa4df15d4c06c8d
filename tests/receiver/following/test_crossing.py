"""Notifications, inquiries and hands that cross each other: record, handler and `is_paid` against the plain reference."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from paywright import Event, InvalidArgument, ItemResult, contract
from paywright_receiver.items.book import Item
from paywright_runtime import strict_json
from paywright_runtime.transport.api import RawAnswer, SignedRequest
from tests.receiver.following.test_result_table import Secret, World
from tests.receiver.helpers.crossing_reference import AMOUNT, Cell, Effect, Order, cells
from tests.receiver.helpers.desk import APP, written

_REFUNDS = contract.operation("refunds.query").path


class Gateway:
    """Shows what a cell says, and has something else happen before it answers."""

    def __init__(self) -> None:
        self.answer = ""
        self.refund = ""
        self.meanwhile: Callable[[], object] = lambda: None

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        asked: Any = strict_json.parse(request.body)
        if request.path == _REFUNDS:
            body: Any = contract.example("refunds.query.response")
            body["data"] |= {"outRefundNo": asked["data"]["outRefundNo"], "status": self.refund}
            body["data"] |= {"refundAmount": 4, "refundCurrency": "USD"}
            return self._signed(body)
        self.meanwhile()
        self.meanwhile = lambda: None
        if self.answer == "not there":
            return self._signed({"code": "ORDER_NOT_EXIST", "msg": "no such order"})
        state, _, amount = self.answer.partition(" of ")
        body = contract.example("orders.query.response")
        body["data"] |= {"outTradeNo": asked["data"]["outTradeNo"].upper(), "status": state}
        body["data"].pop("trade", None)
        if amount != "nothing":
            body["data"]["trade"] = {"amount": amount or str(AMOUNT), "currency": "USD"}
        return self._signed(body)

    def _signed(self, body: Any) -> RawAnswer:
        raw = strict_json.write(body)
        return RawAnswer(200, [("sign", Secret().sign(raw))], raw)

    def close(self) -> None:
        pass


class Crossing(World):
    """One process, whose handlers keep what they are given."""

    def start(self, seam: list[str]) -> None:
        self.gateway: Any = Gateway()
        self.given: list[tuple[str, Effect]] = []
        super().start(seam)
        self.receiver.on_result("refunds")(self.handle)

    def handle(self, event: Event[ItemResult]) -> None:
        one = event.data
        was = None if one.was is None else str(one.was)
        self.given.append((one.key, Effect(str(one.state), one.amount, one.is_paid, was)))

    def told(self, number: str, told: str) -> str:
        return self.notify(number, told)

    def refund_told(self, number: str) -> str:
        data = {"outRefundNo": number, "status": "REFUND_SUCCESS", "refundAmount": 4, "refundCurrency": "USD"}
        root = {"code": "APPLY_SUCCESS", "msg": "", "keyVersion": "1", "appId": APP, "notifyType": "REFUND"}
        raw = strict_json.write({**root, "notifyTime": written(self.clock.now()), "data": data})  # type: ignore[dict-item]
        return self.receiver.receive(raw, {"sign": Secret().sign(raw)}).outcome

    def item(self, number: str, kind: str = "orders") -> Item:
        found = self.follower.get(kind, number)
        assert found is not None
        return found

    def ask(self, number: str, kind: str = "orders") -> None:
        """Have the item asked about once, also if it is settled."""
        self.follower.hint(kind, number, settled=True)
        before = self.item(number, kind)
        if before.due_at is not None:
            self.passes(max(0.0, (before.due_at - self.clock.now()).total_seconds()))
            self.follower.run_due()
            if self.item(number, kind).asked == before.asked:  # it was changed meanwhile: the next run asks about it
                self.passes(0.001)
                self.follower.run_due()


@pytest.fixture(scope="module")
def world(ledger_of_cells: Any) -> Crossing:
    return Crossing(*ledger_of_cells)


def play(world: Crossing, number: str, cell: Cell) -> Order:
    """Let a cell happen, to the product and to the reference."""
    order = Order(cell.registered)
    world.given.clear()
    content: dict[str, Any] = {"total_amount": AMOUNT, "currency": "USD"} if cell.registered else {}
    world.follower.open(None, world.client.orders.follow(number, **content))

    wrong: list[tuple[str, str, str]] = []

    def notified(told: str) -> None:
        if told != "nothing":
            wanted, found = order.notified(told), world.told(number, told)
            if wanted != found:  # raised here, it would be an error of the transport
                wrong.append((told, wanted, found))

    def close(*, first: bool) -> None:
        world.follower.close("orders", number, "by hand")
        order.close(first=first)

    def meanwhile() -> None:
        if cell.closed == "during the question":
            close(first=False)
        notified(cell.meanwhile)

    notified(cell.first)
    if cell.closed == "before the question":
        close(first=True)
    order.asked()
    world.gateway.answer, world.gateway.meanwhile = cell.answer, meanwhile
    world.ask(number)
    order.answered(cell.answer)
    assert wrong == []
    return order


def check(world: Crossing, number: str, order: Order) -> None:
    """Compare what the handler was given, the record, and what is kept."""
    assert world.given == [(number, one) for one in order.effects]
    item = world.item(number)
    assert (item.effect, item.status, item.step == "decide") == (order.state, order.status, order.decides)
    if order.effects:
        last = order.effects[-1]
        assert (item.state, item.paid) == (last.state, last.is_paid)
        assert None in (item.amount, last.amount) or item.amount == str(last.amount)
    kept = [
        one for one in world.ledger.list(status="conflict", most=100_000) if f"/{number.lower()}/" in one.key.lower()
    ]
    assert len(kept) == len(order.kept)
    assert sum(one.id.number == number.lower() for one in world.follower.open_items()) == (order.status == "open")


def refund(world: Crossing, number: str, way: str) -> None:
    """A refund of the order becomes known, once, and nothing of it shows in the order."""
    before = world.item(number)
    world.given.clear()
    key = f"REF_{number}"
    world.follower.open(None, world.client.refunds.follow(key))
    outcomes = [world.refund_told(key)] if way in ("notification", "both") else []
    world.gateway.refund = "REFUND_SUCCESS" if way in ("inquiry", "both") else "REFUND_PENDING"
    world.ask(key, "refunds")
    done = way != "never"
    assert outcomes == ["handled"] * len(outcomes)
    assert [one.state for _, one in world.given] == ["REFUND_SUCCESS"] * done
    item = world.item(key, "refunds")
    assert (item.status, item.effect, item.paid) == (
        ("settled", "REFUND_SUCCESS", True) if done else ("open", None, item.paid)
    )
    now = world.item(number)
    assert (now.effect, now.status, now.state, now.paid) == (before.effect, before.status, before.state, before.paid)


@pytest.mark.slow
def test_record_handler_and_reference_agree_in_every_cell(world: Crossing, record_property: Any) -> None:
    every = cells()
    for count, cell in enumerate(every, 1):
        number = f"N{count}"
        try:
            order = play(world, number, cell)
            check(world, number, order)
            refund(world, number, cell.refund)
        except AssertionError as wrong:
            raise AssertionError(f"{cell}: {wrong}") from wrong
        for kind, key in (("orders", number), ("refunds", f"REF_{number}")):
            with suppress(InvalidArgument):  # what was acknowledged and not answered stays open
                world.follower.close(kind, key, "the cell has ended")
    record_property("counts", f"{len(every):>8,}  cells of the table of crossings")
    assert len(every) == 532
