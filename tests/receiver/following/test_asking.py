"""Asking about an unknown write through the book: the client's table of outcomes, visited by a follower over each ledger.

Whatever a query brings, in whatever order and over whatever time, the item's step is what a resolver's would be.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from functools import cache
from itertools import product
from typing import Any, Final, NamedTuple

import pytest

from paywright import AlreadyPlaced, Client, Follow, Ledger, Merchant, NotSent, OutcomeUnknown, Permission, contract
from paywright_receiver import Follower
from paywright_receiver.items.open_items import Item
from paywright_runtime.error_text import advised
from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import APP, Desk, key, sign
from tests.receiver.helpers.shop import Shop
from tests.runtime.helpers.client_calls import ORDER, REFUND
from tests.runtime.helpers.outcome_table import SHOWS, Show, can_show, kind_of
from tests.runtime.helpers.table_gateway import TableGateway
from tests.support.pairs import by_pairs

KEY: Final = "KEY_1"
EXCHANGE: Final[dict[str, Any]] = {
    "ccy_pair": "EURUSD", "side": "BUY", "transaction_amount": Decimal("100.00"), "transaction_ccy": "EUR", "target_ccy": "USD"
}  # fmt: skip
CALLS: Final[dict[str, tuple[dict[str, Any], tuple[str, ...]]]] = {
    "orders.checkout": ({**ORDER, "out_trade_no": KEY}, ("total_amount", "currency")),
    "refunds.create": ({**REFUND, "out_refund_no": KEY}, ("refund_amount", "refund_currency")),
    "exchanges.create": ({**EXCHANGE, "out_trade_no": KEY}, ("side", "transaction_amount")),
}
"""The arguments of each write that is followed, and which of them its follower compares."""
signed = cache(sign)


class Counter(Desk):
    """A follower over a ledger, and the gateway of the table."""

    def __init__(self, ledger: Ledger, write: str) -> None:
        super().__init__(ledger)
        self.write = contract.operation(write)
        self.kind = write.partition(".")[0]
        self.arguments, self.compared = CALLS[write]
        self.model = TableGateway(signed, self.clock, self.write)
        merchant = Merchant(
            app_id=APP, private_key=KeyPair(key(1)).private_pem, gateway_keys=[KeyPair(key()).public_pem]
        )
        self.client = Client(
            base_url="http://127.0.0.1:1", merchant=merchant, clock=self.clock, retries=0, transport=self.model
        )
        self.follower = Follower(self.client, ledger)

    def call(self, **again: Permission) -> object:
        resource, _, method = self.write.name.partition(".")
        return getattr(getattr(self.client, resource), method)(**self.arguments, **again)

    def begin(self, how: str, *, there: bool) -> None:
        """Make the call, which ends in doubt, and follow what it asked for."""
        self.model.how, self.model.takes_effect = how, there
        with pytest.raises(OutcomeUnknown) as ended:
            self.call()
        asked = {name: self.arguments[name] for name in self.compared}
        follow: Follow = getattr(self.client, self.kind).follow(KEY, **asked, after=ended.value)
        assert self.follower.open(None, follow)

    @property
    def item(self) -> Item:
        found = self.follower.get(self.kind, KEY)
        assert found is not None
        return found

    def ask(self) -> str:
        """Ask when it is due; return what the item is then."""
        asked = self.item.asked
        while self.item.asked == asked:
            due = self.item.due_at
            assert due is not None
            self.pass_time(seconds=1 + max(0.0, (due - self.clock.now()).total_seconds()))  # a `Date` has whole seconds
            self.follower.run_due()
        return self.item.step if json.loads(self.item.follow)["unknown"] else "settled"

    def place(self, how: str) -> None:
        """Place it again; the gateway is asked once more for the permission."""
        self.model.turns.insert(0, "absent")
        permission = self.follower.permission(self.kind, KEY)
        if how:
            self.model.how, self.model.takes_effect = how, False
        else:
            self.model.turns = []
        with suppress(OutcomeUnknown, NotSent) if how else suppress(AlreadyPlaced):
            self.call(again=permission)

    def follow(self, show: Show, states: int) -> tuple[str, ...]:
        """Let the gateway show all of it, and do what the item's step says."""
        self.model.turns = [turn for turn in show.turns if turn != "day"]
        seen: list[str] = []
        turns = list(show.turns)
        while len(seen) < states:
            if turns and turns[0] == "day":
                self.pass_time(days=1)
                turns.pop(0)
            seen.append(self.ask())
            turns = turns[1:]
            if seen[-1] == "place_again" and show.placing != "nobody":
                self.place(show.placing)
        return tuple(seen)


class Cell(NamedTuple):
    """A write, how its call ended, what its query then shows, and the steps of its item."""

    write: str
    how: str
    show: Show
    steps: tuple[str, ...]


def cells() -> Iterator[Cell]:
    for write, how, show in product(CALLS, ("lost while waiting", "unreadable"), SHOWS):
        claimed = how == "unreadable"
        states = (show.claimed if claimed and show.claimed is not None else show.states).get(
            kind_of(contract.operation(write))
        )
        if (
            states is not None
            and not (claimed and show.truth == "not there")
            and can_show(contract.operation(write), show)
        ):
            # After a call with a permission the next run asks.
            yield Cell(write, how, show, tuple(state for state in states if state != "query"))


def in_part_or_all() -> Iterator[Any]:
    """All cells, of which some are fast: any two members of a cell stand together in one of those."""
    fast = by_pairs(cells(), lambda cell: (cell.write, cell.how, cell.show.truth, cell.show.placing, *cell.show.turns))
    for cell in cells():
        name = f"{cell.write} {cell.how}: {', '.join(cell.show.turns)} {cell.show.truth}"
        yield pytest.param(cell, id=name, marks=() if cell in fast else pytest.mark.slow)


@pytest.mark.parametrize("cell", list(in_part_or_all()))
def test_an_item_goes_through_the_states_of_the_table(cell: Cell, new_ledger: Callable[[], Ledger]) -> None:
    there = cell.show.truth != "not there"
    counter = Counter(new_ledger(), cell.write)
    counter.begin(cell.how, there=there)
    assert counter.follow(cell.show, len(cell.steps)) == cell.steps
    placed = "place_again" in cell.steps and not cell.show.placing
    assert counter.model.effects[KEY] == (1 if there or placed else 0)


SILENT: dict[str, tuple[Callable[[Shop], object], str]] = {
    "it is not there": (lambda shop: shop.states.shown.pop("REF_1"), "refunds.query does not know 'REF_1'"),
    "it is refused": (lambda shop: shop.states.refusing.update({"REF_1": "SYSTEM_BUSY"}), "was answered SYSTEM_BUSY"),
    "it is throttled": (lambda shop: shop.states.refusing.update({"REF_1": "TOO_MANY_REQUEST"}), "was answered TOO_MANY_REQUEST"),
    "no answer verifies": (lambda shop: shop.states.unsigned.add("REF_1"), "no usable answer: the answer has no signature"),
}  # fmt: skip


@pytest.mark.parametrize("name", SILENT)
def test_a_day_of_silence_about_one_key_is_told_while_others_are_answered(name: str, shop: Shop) -> None:
    silence, words = SILENT[name]
    for number in ("REF_1", "REF_2"):
        shop.states.shown[number] = ("REFUND_PENDING", "10.5")
        shop.open(number, "refunds")
    silence(shop)
    steps = []
    for _ in range(27):
        shop.pass_time(hours=1)
        shop.follower.run_due()
        steps.append((shop.item("REF_1", "refunds").step, shop.item("REF_2", "refunds").step))
    assert steps[22] == ("wait", "wait")
    assert steps[26] == ("decide", "wait")
    why = shop.item("REF_1", "refunds").why
    assert words in why
    assert "have shown no state of it" in why
    assert advised("decide.no_answer") in why
    shop.states.refusing.clear()
    shop.states.unsigned.clear()
    shop.states.shown["REF_1"] = ("REFUND_SUCCESS", "10.5")
    shop.run("REF_1", "refunds")
    assert [one[:2] for one in shop.effects] == [("REF_1", "REFUND_SUCCESS")]
    assert shop.item("REF_1", "refunds").step == "settled"
