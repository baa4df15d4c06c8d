"""Sequences of permitted operations on one order: a paid order reaches the handler once, and nothing acknowledged is lost.

Each of these lost or invented money when each of its operations was right by itself.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final, NamedTuple

import pytest

from paywright import Client, Event, InvalidArgument, ItemResult, PaywrightError
from paywright_receiver import Follower
from tests.receiver.helpers.desk import order
from tests.receiver.helpers.shop import Shop

CONTENT: Final[dict[str, Any]] = {"total_amount": Decimal("10.50"), "currency": "USD"}


class Player:
    """Plays operations, a word each, and writes down what the handler was told, with the state before."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.told: list[str] = []
        self.said: list[object] = []
        shop.fails = self._told
        self.failing = False

    def _told(self, event: Event[ItemResult]) -> None:
        if self.failing:
            raise LookupError
        was = "" if event.data.was is None else f"{event.data.was}->"
        self.told.append(f"{was}{event.data.state}")

    def play(self, words: str) -> Player:
        for word in words.split():
            self.shop.pass_time(seconds=20)
            name, _, state = word.partition(":")
            try:
                self.said.append(getattr(self, f"do_{name}")(*([state] if state else [])))
            except PaywrightError as error:
                self.said.append(type(error).__name__)
        return self

    def do_open(self) -> bool:
        return self.shop.follower.open(None, self.shop.client.orders.follow("ORD_1", **CONTENT, unknown=True))

    def do_placed(self) -> bool:
        return self.shop.follower.placed("orders", "ORD_1")

    def do_close(self, state: str | None = None) -> bool:
        booked = {} if state is None else {"state": state}
        return self.shop.follower.close("orders", "ORD_1", "by hand", **booked)

    def do_hint(self) -> bool:
        return self.shop.follower.hint("orders", "ORD_1")

    def do_ask(self) -> bool:
        return self.shop.follower.hint("orders", "ORD_1", settled=True)

    def do_is(self, state: str) -> None:
        name, _, amount = state.partition("@")
        self.shop.states.shown["ORD_1"] = (name, amount or "10.50")

    def do_signed(self, state: str) -> str:
        return self.shop.deliver(order(status=state, at=self.shop.clock.now())).outcome

    def do_bare(self, state: str) -> str:
        """A notification without an amount."""
        body = order(status=state, at=self.shop.clock.now())
        del body["data"]["totalAmount"]
        return self.shop.deliver(body).outcome

    def do_run(self) -> int:
        self.shop.pass_time(minutes=6)
        return self.shop.follower.run_due().asked

    def do_days(self) -> None:
        for _ in range(60):
            self.shop.pass_time(hours=1)
            self.shop.follower.run_due()

    def do_alone(self) -> None:
        self.shop.pass_time(minutes=6)
        Follower(self.shop.client, self.shop.ledger).run_due()

    def do_failing(self) -> None:
        self.failing = True

    def do_mended(self) -> None:
        self.failing = False

    def do_discard(self) -> list[bool]:
        kept = [one for one in self.shop.ledger.list() if one.status in ("failed", "conflict")]
        return [self.shop.ledger.discard(one.key, one.digest) for one in kept]

    def do_replay(self, status: str) -> list[str]:
        kept = self.shop.ledger.list(status=status)
        return [self.shop.receiver.replay(one.key, one.digest).outcome for one in kept]

    def do_prune(self) -> None:
        self.shop.pass_time(days=10)
        self.shop.ledger.prune(self.shop.clock.now())


class Case(NamedTuple):
    """What is done, what the handler is told, what the last operation says, where the item is, and what was wrong."""

    words: str
    told: str
    says: object
    item: str
    fault: str


CASES: Final[tuple[Case, ...]] = (
    # Closed, and placed again
    Case("open close placed is:SUCCESS days", "SUCCESS", None, "settled settled", "placed was True, and nobody asked"),
    Case("open close open placed is:SUCCESS days", "SUCCESS", None, "settled settled", "open was False, and nobody asked"),
    Case("open placed close", "", True, "closed closed", ""),
    Case("open placed close close", "", False, "closed closed", ""),
    Case("open placed close is:SUCCESS days", "", None, "open decide", "closed for ever, though it was paid"),
    Case("open placed close is:SUCCESS days placed run", "SUCCESS", 1, "settled settled", "a person has opened it again"),
    Case("open close is:PENDING@99.00 days is:SUCCESS days", "", None, "open decide", "its key was in use, and nobody asked any more"),
    Case("open placed close is:FAILED days", "", None, "closed closed", ""),
    Case("open placed close signed:SUCCESS", "SUCCESS", "handled", "settled settled", ""),
    Case("open placed close is:SUCCESS bare:SUCCESS run", "SUCCESS", 1, "settled settled", "it was unreadable"),
    Case("open placed close:SUCCESS signed:SUCCESS is:SUCCESS run run", "", 0, "settled settled", "booked twice"),
    Case("open placed close:SUCCESS is:SUCCESS days", "", None, "closed closed", ""),
    Case("open placed close:SUCCESS signed:BOUNCEBACK", "SUCCESS->BOUNCEBACK", "handled", "settled settled", ""),
    Case("open placed close:FAILED signed:SUCCESS", "FAILED->SUCCESS", "handled", "settled settled", ""),
    Case("open placed close:SUCCESS signed:FAILED", "", "conflict", "open query", "docs: kept as a conflict"),
    Case("open placed close:PENDING", "", "InvalidArgument", "open wait", ""),
    # One memory of what was signed
    Case("bare:SUCCESS open placed signed:CLOSED", "", "conflict", "open wait", "told as closed, though it was signed as paid"),
    Case("open placed signed:CLOSED failing signed:SUCCESS mended signed:BOUNCEBACK replay:failed",
         "CLOSED CLOSED->BOUNCEBACK", ["stale"], "settled settled", "told as paid after the return"),
    Case("open placed signed:FAILED signed:BOUNCEBACK signed:SUCCESS", "FAILED", "stale", "settled settled",
         "told as paid after the return"),
    Case("open placed signed:FAILED signed:BOUNCEBACK discard signed:SUCCESS", "FAILED", "stale", "settled settled",
         "told as paid after the return, and nothing listed"),
    Case("open placed is:FAILED run is:BOUNCEBACK ask run discard signed:SUCCESS", "FAILED", "stale", "open decide",
         "the same, by inquiry"),
    Case("open placed is:SUCCESS signed:SUCCESS is:BOUNCEBACK bare:BOUNCEBACK bare:SUCCESS run",
         "SUCCESS SUCCESS->BOUNCEBACK", 1, "settled settled", "the return was erased"),
    Case("open placed is:BOUNCEBACK bare:BOUNCEBACK signed:SUCCESS run", "BOUNCEBACK", 1, "settled settled",
         "told as paid after the return"),
    Case("open placed is:SUCCESS bare:SUCCESS signed:CLOSED run", "SUCCESS", 1, "settled settled", "a paid order was told as closed"),
    Case("open placed bare:SUCCESS close", "", "InvalidArgument", "open wait", "paid, never told, and no record"),
    Case("open placed is:SUCCESS signed:SUCCESS is:BOUNCEBACK ask bare:SUCCESS run", "SUCCESS SUCCESS->BOUNCEBACK", 1,
         "settled settled", "the question was dropped"),
    Case("open placed is:PENDING run days is:SUCCESS hint signed:PENDING run", "SUCCESS", 1, "settled settled", "told hours later"),
    Case("open placed failing signed:SUCCESS discard mended signed:BOUNCEBACK", "BOUNCEBACK", "handled", "settled settled",
         "the handler was told of a SUCCESS that no handler took"),
    Case("open placed is:SUCCESS bare:BOUNCEBACK run run run", "", 1, "open decide", "the answer was believed"),
    Case("open placed is:SUCCESS bare:BOUNCEBACK run is:BOUNCEBACK run", "BOUNCEBACK", 1, "settled settled", ""),
    Case("open placed is:SUCCESS bare:BOUNCEBACK run close", "", True, "closed closed", "a person has decided"),
    Case("open placed bare:SUCCESS run", "", 1, "open decide", "it is signed, and the gateway does not know it"),
    Case("open placed failing signed:BOUNCEBACK mended is:SUCCESS run", "", 1, "open decide", "it was left in its lease"),
    Case("open placed signed:SUCCESS bare:FAILED is:CLOSED run ask run discard", "SUCCESS", [], "open decide",
         "an answer behind a notification was handed over"),
    Case("open placed signed:SUCCESS bare:SUCCESS", "SUCCESS", "duplicate", "settled settled", "what had its effect is asked about"),
    Case("open placed signed:SUCCESS bare:PENDING", "SUCCESS", "stale", "settled settled", "what came before that too"),
    Case("open placed signed:FAILED is:SUCCESS bare:SUCCESS run", "FAILED FAILED->SUCCESS", 1, "settled settled", "and what may follow is not"),
    Case("open placed signed:CLOSED is:BOUNCEBACK bare:SUCCESS run", "CLOSED CLOSED->BOUNCEBACK", 1, "settled settled",
         "the return was handled, and a person was to decide about it"),
    Case("signed:FAILED signed:SUCCESS is:FAILED open run", "FAILED FAILED->SUCCESS", 1, "open decide",
         "it was registered later, and settled as failed"),
    # Settled needs its effect
    Case("open placed is:SUCCESS alone run", "SUCCESS", 1, "settled settled", "settled for good, and no handler called"),
    Case("open placed is:SUCCESS alone signed:CLOSED", "", "conflict", "open untold", "a paid order was told as closed"),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[case.words for case in CASES])
def test_the_sequence_ends_as_it_must(case: Case, shop: Shop) -> None:
    player = Player(shop).play(case.words)
    item = shop.item()
    assert (player.told, player.said[-1]) == (case.told.split(), case.says), (case.fault, player.said, item.why)
    assert f"{item.status} {item.step}" == case.item, item.why
    assert item.due_at is not None or item.status in ("settled", "closed")


def test_a_reconciled_conflict_is_remembered_when_its_record_is_gone(shop: Shop) -> None:
    player, reconciled = Player(shop), list[str]()
    shop.receiver.on_conflict(lambda event: reconciled.append(event.key))
    player.play("open placed signed:SUCCESS signed:FAILED prune signed:FAILED")
    assert (player.said[-1], len(reconciled)) == ("duplicate", 1)


def test_what_is_refused_says_what_to_do(shop: Shop) -> None:
    Player(shop).play("open placed bare:SUCCESS")
    with pytest.raises(InvalidArgument, match="Run the follower, which asks the gateway"):
        shop.follower.close("orders", "ORD_1", "refused")


def test_not_there_at_one_address_counts_nothing_at_another(shop: Shop) -> None:
    """One absence at each address permitted placing again."""
    shop.follower.open(None, shop.client.orders.follow("ORD_1", **CONTENT, unknown=True))
    shop.follower.run_due()
    other = shop.gateway.base_url.replace("127.0.0.1", "localhost")
    there = Follower(Client(**shop.settings() | {"base_url": other}), shop.ledger, receiver=shop.receiver)
    assert there.move("orders", "ORD_1") is False
    assert there.move("orders", "ORD_1", as_is=True) is True
    steps = []
    for _ in range(2):
        shop.pass_time(seconds=601)
        assert there.run_due().asked == 1
        steps.append(shop.item().step)
    assert steps == ["wait", "place_again"]
