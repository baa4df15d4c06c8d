"""Every ledger, at its own door: what is settled, and who is late with another state."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from receiver_desk import Desk, transfer

from paywright import Event, InvalidArgument, Ledger
from paywright.models.notifications import Transfer

NewLedger = Callable[[], Ledger]


def test_who_is_late_with_an_older_state_comes_to_no_end_after_a_newer_one(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger(), lease=1)
    inside, go_on = threading.Event(), threading.Event()

    @desk.receiver.on_receive
    def slow(event: Event[Transfer]) -> None:
        if event.data.status == "TO_BE_PROVED":
            inside.set()
            assert go_on.wait(20)

    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(desk.deliver, transfer(status="TO_BE_PROVED"))
        assert inside.wait(20)
        desk.pass_time(seconds=2)
        assert desk.deliver(transfer(status="SETTLED")).outcome == "handled"
        go_on.set()
        assert (late.result(20).outcome, late.result(20).acknowledged) == ("in_progress", False)
    # Nothing went back: what is told from now on is told of SETTLED.
    assert desk.deliver(transfer(status="REJECTED")).outcome == "conflict"
    assert desk.deliver(transfer(status="TO_BE_PROVED")).outcome == "stale"


def test_what_is_settled_is_kept_without_its_body_and_conflicts_with_it(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    desk.receiver.on_receive(lambda event: None)
    key = desk.deliver(transfer(channelTradeNo="A")).key or ""
    assert desk.deliver(transfer(channelTradeNo="B")).outcome == "conflict"
    other = desk.deliver(transfer(status="REJECTED")).key or ""
    assert desk.statuses() == {"done": 1, "conflict": 2}
    desk.ledger.settle(key)
    assert desk.statuses() == {"done": 2, "conflict": 1}
    desk.ledger.settle(other)
    desk.ledger.settle("nothing")
    assert desk.statuses() == {"done": 3}
    assert desk.ledger.body(key) is desk.ledger.body(other) is None
    for gone in (key, other):
        with pytest.raises(InvalidArgument, match="keeps no notification"):
            desk.receiver.replay(gone)


def test_what_is_being_handled_is_not_settled(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())

    @desk.receiver.on_receive
    def handle(event: Event[Transfer]) -> None:
        desk.ledger.settle(event.key)

    assert desk.deliver(transfer()).outcome == "handled"
    assert desk.statuses() == {"done": 1}
