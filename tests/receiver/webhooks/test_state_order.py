"""Which state comes after which: every pair of the contract's own lists, and lists that are harder."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from paywright.contract import CONTRACT
from paywright_receiver.items.delivery_verdict import supersedes
from paywright_receiver.items.ledger import ClaimRequest
from paywright_receiver.items.state_memory import Remembered
from paywright_receiver.items.state_order import StateOrder, state_order
from paywright_runtime.contract.index import Contract
from paywright_runtime.contract.model import Move, Set

NEW = "a state that nobody has listed"
_NO = "contradiction"


def follows(order: dict[str, StateOrder], strange: StateOrder, there: str, comes: str, *, newer: bool) -> str:
    """What becomes of a state that comes after the one that is there."""
    request = SimpleNamespace(
        state=comes, order=lambda state: order.get(state, strange), notify_time=11 if newer else 9
    )
    return supersedes(cast(ClaimRequest, request), [Remembered(there, "handled", 10)])


# there -> comes -> what becomes of it, and `time` where the notification's own time decides.
PAIRS: dict[str, dict[str, dict[str, str]]] = {
    "TransferStatus": {
        "TO_BE_PROVED": {"SETTLED": "claim", "REJECTED": "claim", NEW: "time"},
        "SETTLED": {"TO_BE_PROVED": "stale", "REJECTED": "contradiction", NEW: "contradiction"},
        "REJECTED": {"TO_BE_PROVED": "stale", "SETTLED": "claim", NEW: "contradiction"},
        NEW: {"TO_BE_PROVED": "time", "SETTLED": "claim", "REJECTED": "claim"},
    },
    "PeriodPaymentStatus": {
        "PENDING": {"SUCCESS": "claim", "FAILED": "claim", "CLOSED": "claim", NEW: "time"},
        "SUCCESS": {"PENDING": "stale", "FAILED": "contradiction", "CLOSED": "contradiction", NEW: "contradiction"},
        "FAILED": {"PENDING": "stale", "SUCCESS": "claim", "CLOSED": "contradiction", NEW: "contradiction"},
        "CLOSED": {"PENDING": "stale", "SUCCESS": "claim", "FAILED": "contradiction", NEW: "contradiction"},
        NEW: {"PENDING": "time", "SUCCESS": "claim", "FAILED": "claim", "CLOSED": "claim"},
    },
    # What was paid may be returned, and only that comes after it.
    "OrderStatus": {
        "PENDING": {"SUCCESS": "claim", "FAILED": "claim", "BOUNCEBACK": "claim", "CLOSED": "claim", NEW: "time"},
        "SUCCESS": {"PENDING": "stale", "FAILED": _NO, "BOUNCEBACK": "claim", "CLOSED": _NO, NEW: _NO},
        "FAILED": {"PENDING": "stale", "SUCCESS": "claim", "BOUNCEBACK": _NO, "CLOSED": _NO, NEW: _NO},
        "BOUNCEBACK": {"PENDING": "stale", "SUCCESS": "stale", "FAILED": _NO, "CLOSED": _NO, NEW: _NO},
        "CLOSED": {"PENDING": "stale", "SUCCESS": "claim", "FAILED": _NO, "BOUNCEBACK": _NO, NEW: _NO},
        NEW: {"PENDING": "time", "SUCCESS": "claim", "FAILED": "claim", "BOUNCEBACK": "claim", "CLOSED": "claim"},
    },
}


@pytest.mark.parametrize("name", PAIRS)
def test_every_pair_of_the_contracts_states(name: str) -> None:
    assert {*PAIRS[name]} == {*CONTRACT.set(name).values, NEW}
    judged(*state_order(CONTRACT, name), PAIRS[name])


def judged(order: dict[str, StateOrder], strange: StateOrder, pairs: dict[str, dict[str, str]]) -> None:
    for there, row in pairs.items():
        assert {*row} == {*pairs} - {there}
        for comes, wanted in row.items():
            found = [follows(order, strange, there, comes, newer=newer) for newer in (True, False)]
            assert found == (["claim", "stale"] if wanted == "time" else [wanted] * 2), (there, comes)


def test_two_paid_ends_contradict_each_other_and_paid_states_on_the_way_do_not() -> None:
    states = {"OPEN": "", "HELD": "", "PAID": "", "SENT": "", "GIFT": "", "LOST": ""}
    moves = [("OPEN", ("HELD", "PAID")), ("HELD", ("PAID",)), ("PAID", ("SENT",))]
    listed = Set("S", states, final=("SENT", "GIFT", "LOST"), settled=("PAID",), paid=("PAID", "SENT", "GIFT"))
    made = SimpleNamespace(
        set=lambda name: listed, moves=lambda: [Move("S", before, after, "", sections=()) for before, after in moves]
    )
    judged(
        *state_order(cast(Contract, made), "S"),
        {
            "OPEN": {"HELD": "claim", "PAID": "claim", "SENT": "claim", "GIFT": "claim", "LOST": "claim", NEW: "time"},
            "HELD": {"OPEN": "stale", "PAID": "claim", "SENT": "claim", "GIFT": "claim", "LOST": "claim", NEW: "time"},
            "PAID": {"OPEN": "stale", "HELD": "stale", "SENT": "claim", "GIFT": "contradiction", "LOST": "contradiction", NEW: "contradiction"},
            "SENT": {"OPEN": "stale", "HELD": "stale", "PAID": "stale", "GIFT": "contradiction", "LOST": "contradiction", NEW: "contradiction"},
            "GIFT": {"OPEN": "stale", "HELD": "stale", "PAID": "stale", "SENT": "contradiction", "LOST": "contradiction", NEW: "contradiction"},
            "LOST": {"OPEN": "stale", "HELD": "stale", "PAID": "claim", "SENT": "claim", "GIFT": "claim", NEW: "contradiction"},
            NEW: {"OPEN": "time", "HELD": "time", "PAID": "claim", "SENT": "claim", "GIFT": "claim", "LOST": "claim"},
        },
    )  # fmt: skip
