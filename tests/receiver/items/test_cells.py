"""What becomes of an order that is followed: each situation, each event, and three times, with the answer and the reason.

The times are: at once; two minutes after the order must be closed; and a day and more after that, when every question brought the
same.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import NamedTuple

import pytest

from paywright import contract
from paywright_receiver.items.follow_state import FollowState
from paywright_runtime.clock import Moment
from tests.receiver.helpers.notices import notice, stored_item, taken_up_from

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
LIFE = 1800
TIMES = (0, LIFE + 120, LIFE + 90_000)
BEFORE = (LIFE + 2000, LIFE + 3000)
"""When it was asked about before the last of these times."""


class Item:
    """An order that is followed, and the seconds since noon."""

    def __init__(self, *, unknown: bool = False) -> None:
        self.seconds = 0
        self.state = FollowState(
            contract.CONTRACT, "orders", "ORD_1", self.now,
            content={"totalAmount": "10.50", "currency": "USD"},
            expires_at=NOON + timedelta(seconds=LIFE),
            unknown=unknown,
        )  # fmt: skip

    @property
    def now(self) -> Moment:
        return Moment(NOON + timedelta(seconds=self.seconds), float(self.seconds))

    def after(self, seconds: int) -> Item:
        self.seconds += seconds
        return self

    def shown(self, status: str | None, currency: str = "USD", key: str | None = "ORD_1") -> Item:
        self.state.found({**order(status, currency), "outTradeNo": key}, self.now)
        return self

    def absent(self) -> Item:
        self.state.absent(self.now, self.now)
        return self

    def failed(self, reason: str = "timeout", *, verified: bool = False) -> Item:
        self.state.inconclusive(reason, self.now, verified=verified)
        return self


def order(status: str | None, currency: str = "USD") -> dict[str, object]:
    shown: dict[str, object] = {"outTradeNo": "ORD_1", "trade": {"amount": "10.50", "currency": currency}}
    return shown if status is None else {**shown, "status": status}


SITUATIONS: dict[str, Callable[[], Item]] = {
    "opened": Item,
    "pending": lambda: Item().after(10).shown("PENDING"),
    "paid": lambda: Item().after(10).shown("SUCCESS"),
    "failed": lambda: Item().after(10).shown("FAILED"),
    "returned": lambda: Item().after(10).shown("SUCCESS").after(10).shown("BOUNCEBACK"),
    "contradicted": lambda: Item().after(10).shown("SUCCESS").after(10).shown("FAILED"),
    "failing": lambda: Item().after(10).failed(),
    "silent": lambda: Item().failed().after(1000).failed().after(86_400).failed(),
    "unknown": lambda: Item(unknown=True),
    "absent": lambda: Item(unknown=True).absent().after(10),
    "placeable": lambda: Item(unknown=True).absent().after(301).absent(),
    "unwanted": lambda: Item(unknown=True).absent().after(301).absent().after(1000).absent().after(86_400).absent(),
    "unheard": lambda: Item(unknown=True).failed().after(1000).failed().after(86_400).failed(),
}

EVENTS: dict[str, Callable[[Item], object]] = {
    "PENDING": lambda item: item.shown("PENDING"),
    "SUCCESS": lambda item: item.shown("SUCCESS"),
    "FAILED": lambda item: item.shown("FAILED"),
    "BOUNCEBACK": lambda item: item.shown("BOUNCEBACK"),
    "a new word": lambda item: item.shown("CHARGED"),
    "no state": lambda item: item.shown(None),
    "another currency": lambda item: item.shown("SUCCESS", "EUR"),
    "no key": lambda item: item.shown("SUCCESS", key=None),
    "other capitals": lambda item: item.shown("SUCCESS", key="ord_1"),
    "not there": lambda item: item.absent(),
    "not there, with data": lambda item: item.state.contradictory("ORDER_NOT_EXIST", item.now),
    "unreadable": lambda item: item.state.unreadable({}, item.now),
    "no answer": lambda item: item.failed(),
    "not verified": lambda item: item.failed("bad_signature"),
    "another key": lambda item: item.failed("wrong_echo"),
    "throttled": lambda item: item.failed("TOO_MANY_REQUEST", verified=True),
    "payer back": lambda item: notice(item.state, item.now),
    "notified SUCCESS": lambda item: notice(item.state, item.now, "SUCCESS"),
    "notified BOUNCEBACK": lambda item: notice(item.state, item.now, "BOUNCEBACK"),
    "notified, unreadable": lambda item: notice(item.state, item.now, ""),
}


HINTS = frozenset(name for name in EVENTS if name.startswith(("payer", "notified")))


class Cell(NamedTuple):
    """Cells alike: the step's state at each of the three times, the state that is known (`=`: as before), and the reason."""

    event: str
    situations: str
    steps: str
    known: str
    reason: str


OPEN = "not finished: asked for until it is; a day after it must be closed, a person has to know"
OLDER = "older than what is known, which stands"
STANDS = "proves nothing, and what is known stands"
DISPUTED = "ends neither a contradiction between the answers before, nor a day that settled nothing"
LAST = "a last state: nothing is left to ask"
AGAIN = "shows again what was known before the contradiction"
RULE = "section 4.3 decides what an unknown write may do, and when it is asked for again"
RETRY = "asked again soon, with growing pauses; what is known stands, and after a day a person has to know"
LONG = "section 4.3 decides what an unknown write may do; after a day in which nothing settled it a person does"
WITHDRAWN = "withdraws the permission; after a day in which nothing settled it a person decides"
HELD = "no answer takes nothing back: its absences stand, until a day has settled nothing"
NO_KEY = "an answer without the key proves nothing of a write that is unknown"
CAPITALS = "the gateway does not tell capitals from small letters, and shows the key as the other call had it"
SOON = "asked soon, ten seconds after the question before at the earliest; what had its effect is not let in [result_of_notification, TABLE]"
PROOF = "a signed notification of the key proves that the gateway has it: asked soon, not placed again"

CELLS = (
    Cell("PENDING", "opened pending failing unknown absent placeable", "wait wait decide", "PENDING", OPEN),
    Cell("PENDING", "silent unheard unwanted", "wait decide decide", "PENDING", "a state ends the silence; two minutes on it is a day after it must be closed"),
    Cell("PENDING", "paid failed returned", "settled settled settled", "=", OLDER),
    Cell("PENDING", "contradicted", "decide decide decide", "=", DISPUTED),
    Cell("SUCCESS", "opened pending paid failing unknown absent placeable silent unheard unwanted", "settled settled settled", "SUCCESS", LAST),
    Cell("SUCCESS", "failed", "settled settled settled", "SUCCESS", "the money came after all: paid counts after an end that is not"),
    Cell("SUCCESS", "returned", "settled settled settled", "=", OLDER),
    Cell("SUCCESS", "contradicted", "settled settled settled", "SUCCESS", AGAIN),
    Cell("FAILED", "opened pending failed failing unknown absent placeable silent unheard unwanted", "settled settled settled", "FAILED", LAST),
    Cell("FAILED", "paid returned contradicted", "decide decide decide", "=", "contradicts a last state that was shown before"),
    Cell("BOUNCEBACK", "opened pending returned failing unknown absent placeable silent unheard unwanted", "settled settled settled", "BOUNCEBACK", LAST),
    Cell("BOUNCEBACK", "paid contradicted", "settled settled settled", "BOUNCEBACK", "what was paid is returned: the one move out of SUCCESS"),
    Cell("BOUNCEBACK", "failed", "decide decide decide", "=", "contradicts a last state: what failed cannot be returned"),
    Cell("a new word", "opened pending failing unknown absent placeable", "wait wait decide", "CHARGED", "a word that the contract does not know is neither paid nor final"),
    Cell("a new word", "silent unheard unwanted", "wait decide decide", "CHARGED", "a state ends the silence; two minutes on it is a day after it must be closed"),
    Cell("a new word", "paid failed returned contradicted", "decide decide decide", "=", "nothing says that a word unknown to the contract may follow a last state"),
    Cell("no state", "opened pending failing unknown absent placeable", "wait wait decide", "=", OPEN),
    Cell("no state", "paid failed returned", "settled settled settled", "=", STANDS),
    Cell("no state", "contradicted silent", "decide decide decide", "=", DISPUTED),
    Cell("no state", "unheard unwanted", "wait decide decide", "=", "the gateway has it, and its silence is over; two minutes on it is a day after it must be closed"),
    Cell("another currency", "opened pending paid failed returned contradicted failing unknown absent placeable silent unheard unwanted", "decide decide decide", "=", "another call's content under this key"),
    Cell("not there", "opened pending failing", "wait wait decide", "=", "accepted by a verified answer: a signed \"not there\" may be stale, and permits nothing"),
    Cell("not there", "paid failed returned", "settled settled settled", "=", STANDS),
    Cell("not there", "contradicted silent unwanted", "decide decide decide", "=", DISPUTED),
    Cell("not there", "unknown unheard", "wait wait decide", "=", LONG),
    Cell("not there", "absent", "wait place_again decide", "=", "the second one counts 300 seconds after the first; after a day a person says whether it is still wanted"),
    Cell("not there", "placeable", "place_again place_again decide", "=", "it may still be placed again; after a day a person says whether it is still wanted"),
    Cell("not there, with data", "opened pending paid failed returned failing", "wait wait decide", "=", RETRY),
    Cell("not there, with data", "contradicted silent unheard unwanted", "decide decide decide", "=", DISPUTED),
    Cell("not there, with data", "unknown absent", "wait wait decide", "=", LONG),
    Cell("not there, with data", "placeable", "wait wait decide", "=", WITHDRAWN),
    Cell("unreadable", "opened pending paid failed returned failing", "wait wait decide", "=", RETRY),
    Cell("unreadable", "contradicted silent unwanted", "decide decide decide", "=", DISPUTED),
    Cell("unreadable", "unknown absent unheard", "wait wait decide", "=", LONG),
    Cell("unreadable", "placeable", "wait wait decide", "=", WITHDRAWN),
    *(
        Cell(event, situations, steps, "=", why)
        for event in ("throttled", "no answer", "not verified", "another key")
        for situations, steps, why in (
            ("opened pending paid failed returned failing", "wait wait decide", RETRY),
            ("contradicted silent unheard unwanted", "decide decide decide", DISPUTED),
            ("unknown absent", "wait wait decide", LONG),
            ("placeable", "place_again place_again decide", HELD),
        )
    ),
    Cell("no key", "opened pending paid failing silent", "settled settled settled", "SUCCESS", "the connection binds it to its question, and that the gateway has the order is known"),
    Cell("no key", "failed", "settled settled settled", "SUCCESS", "the money came after all: paid counts after an end that is not"),
    Cell("no key", "returned", "settled settled settled", "=", OLDER),
    Cell("no key", "contradicted", "settled settled settled", "SUCCESS", AGAIN),
    Cell("no key", "unknown absent placeable unheard", "wait wait decide", "=", NO_KEY),
    Cell("no key", "unwanted", "decide decide decide", "=", NO_KEY),
    Cell("other capitals", "opened pending paid failed returned contradicted failing unknown absent placeable silent unheard unwanted", "decide decide decide", "=", CAPITALS),
    Cell("payer back", "opened unknown", "query query query", "=", SOON),
    Cell("payer back", "pending failing paid failed returned", "wait query query", "=", SOON),
    Cell("payer back", "contradicted silent", "decide query query", "=", SOON),
    Cell("payer back", "absent", "wait query query", "=", RULE),
    Cell("payer back", "unheard unwanted", "decide decide query", "=", RULE),
    Cell("payer back", "placeable", "place_again query query", "=", RULE),
    Cell("notified SUCCESS", "opened", "query query query", "=", SOON),
    Cell("notified SUCCESS", "pending failing paid failed returned", "wait query query", "=", SOON),
    Cell("notified SUCCESS", "contradicted silent unheard unwanted", "decide query query", "=", "asked at once or when its pause is over; until then a person has to know"),
    Cell("notified SUCCESS", "unknown absent", "query query query", "=", PROOF),
    Cell("notified SUCCESS", "placeable", "wait query query", "=", PROOF),
    Cell("notified BOUNCEBACK", "opened", "query query query", "=", SOON),
    Cell("notified BOUNCEBACK", "pending paid failed returned failing", "wait query query", "=", SOON),
    Cell("notified BOUNCEBACK", "contradicted silent unheard unwanted", "decide query query", "=", SOON),
    Cell("notified BOUNCEBACK", "unknown absent", "query query query", "=", PROOF),
    Cell("notified BOUNCEBACK", "placeable", "wait query query", "=", PROOF),
    Cell("notified, unreadable", "opened", "query query query", "=", SOON),
    Cell("notified, unreadable", "pending paid failed returned failing", "wait query query", "=", SOON),
    Cell("notified, unreadable", "contradicted silent unheard unwanted", "decide query query", "=", SOON),
    Cell("notified, unreadable", "unknown absent", "query query query", "=", PROOF),
    Cell("notified, unreadable", "placeable", "wait query query", "=", PROOF),
)  # fmt: skip


def test_every_cell_stands_in_the_table_once() -> None:
    cells = [(cell.event, situation) for cell in CELLS for situation in cell.situations.split()]
    assert sorted(cells) == sorted((event, situation) for event in EVENTS for situation in SITUATIONS)


@pytest.mark.parametrize(
    ("cell", "situation"),
    [
        pytest.param(cell, situation, id=f"{cell.event}, {situation}")
        for cell in CELLS
        for situation in cell.situations.split()
    ],
)
def test_the_cell_is_what_the_table_says(cell: Cell, situation: str) -> None:
    steps = []
    for seconds in TIMES:
        item = SITUATIONS[situation]()
        before = item.state.last_state
        begun = item.seconds
        for at in (*BEFORE, seconds) if seconds == TIMES[-1] and cell.event not in HINTS else (seconds,):
            item.after(begun + at - item.seconds)
            EVENTS[cell.event](item)
        step = item.state.step(item.now)
        steps.append(step.state)
        assert item.state.last_state == (before if cell.known == "=" else cell.known), cell.reason
        # Nothing is forgotten: what is not settled has a time, and one that is not in the past.
        assert (step.at is None) == (step.state == "settled")
        assert step.at is None or step.at >= item.now.wall
        assert step.why
    assert steps == cell.steps.split(), cell.reason


DOUBTS = ("not there", "not there, with data", "no answer", "payer back", "unreadable")


@pytest.mark.parametrize("situation", ["unknown", "absent", "placeable"])
@pytest.mark.parametrize("proof", ["notified SUCCESS", "notified BOUNCEBACK", "notified, unreadable"])
def test_what_a_notification_told_of_is_never_placed_again_whatever_follows(proof: str, situation: str) -> None:
    for doubts in product(DOUBTS, repeat=3):
        item = SITUATIONS[situation]()
        EVENTS[proof](item)
        for doubt in doubts:
            EVENTS[doubt](item.after(301))
            assert item.state.step(item.now).state != "place_again", (proof, doubts)
        kept = taken_up_from(stored_item(item.state, item.now))
        assert kept.step(item.now).state == item.state.step(item.now).state


def test_two_absences_and_nothing_else_permit_placing_again() -> None:
    for doubts in product(DOUBTS, repeat=4):
        item, answers = Item(unknown=True), list[str]()
        for doubt, before in zip(doubts, (None, *doubts), strict=False):
            EVENTS[doubt](item.after(301))
            answers += [doubt] if doubt not in ("no answer", "payer back") else []
            placeable = item.state.step(item.now).state == "place_again"
            if (before, doubt) == ("not there", "not there"):
                assert placeable, doubts
            if placeable:
                assert answers[-2:] == ["not there", "not there"], doubts


@pytest.mark.parametrize("situation", SITUATIONS)
def test_paid_and_settled_follow_from_the_state(situation: str) -> None:
    item = SITUATIONS[situation]()
    answers = (item.state.paid, item.state.settled, item.state.unknown)
    assert answers == {
        "paid": (True, True, False),
        "failed": (False, True, False),
        "returned": (False, True, False),
        "contradicted": (True, False, False),
        "unknown": (False, False, True),
        "absent": (False, False, True),
        "placeable": (False, False, True),
        "unheard": (False, False, True),
        "unwanted": (False, False, True),
    }.get(situation, (False, False, False))
    shown = situation in ("pending", "paid", "failed", "returned", "contradicted")
    assert (item.state.amount, item.state.currency) == (("10.50", "USD") if shown else (None, None))
