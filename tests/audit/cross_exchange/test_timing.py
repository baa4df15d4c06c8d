"""What the times of a capture prove about the order of two exchanges, with a slack of 10 seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain, permutations, product
from typing import Any

import pytest

from paywright_audit.cross_exchange.evidence.rows import SEEN, Row
from paywright_audit.cross_exchange.rules.timing import TimeOrder, order_of
from paywright_audit.judging.clocks import times_of
from tests.audit.helpers.records import Scribe


def row(began: float, ended: float) -> Row:
    return Row("orders", began, ended, "", 0, began, None, 0, "orders.query", SEEN)


@pytest.mark.parametrize(
    ("one", "other", "order"),
    [
        ((0, 1), (11, 12), TimeOrder.BEFORE), ((0, 1), (10.9, 12), TimeOrder.OPEN), ((0, 50), (1, 2), TimeOrder.OPEN),
        ((5, 6), (1, 5.1), TimeOrder.OPEN), ((5, 6), (1, 5), TimeOrder.OPEN), ((5.1, 6), (1, 5), TimeOrder.LATER),
        ((14.9, 16), (1, 5), TimeOrder.LATER), ((15, 16), (1, 5), TimeOrder.AFTER),
    ],
)  # fmt: skip
def test_a_gap_beyond_slack_is_certain(one: tuple[float, float], other: tuple[float, float], order: TimeOrder) -> None:
    assert order_of(row(*one), row(*other), 10) is order


@pytest.mark.parametrize("one", [(5, 5), (5, 6), (1, 5)])
def test_equal_times_prove_no_order_even_of_exact_clocks(one: tuple[float, float]) -> None:
    assert order_of(row(*one), row(5, 5), 0) is TimeOrder.OPEN


UNKNOWN = partial(Scribe.order, answered=False)
INSTANTS: list[list[list[Callable[[Scribe], object]]]] = [
    [[UNKNOWN, partial(Scribe.absent, at=0)], [partial(Scribe.absent, at=400), partial(Scribe.order, at=400), partial(Scribe.ask, at=400)]],
    [[UNKNOWN, partial(Scribe.ask, at=0)], [partial(Scribe.order, key="O2", at=40)]],
]  # fmt: skip


@pytest.mark.parametrize("slack", ["0", "10"])
@pytest.mark.parametrize("steps", [[*chain(*one)] for some in INSTANTS for one in product(*map(permutations, some))])
def test_what_one_instant_has_in_any_order_accuses_nobody(
    scribe: Scribe, found: Any, steps: Iterable[Callable[[Scribe], object]], slack: str
) -> None:
    for step in steps:
        step(scribe)
    assert {code for _, code in found("--clock-slack", slack)} <= {"time-unclear"}


@pytest.mark.parametrize(
    ("date", "trusted", "early", "late"),
    [
        (None, True, 100, 300),
        (89, True, 89, 300),  # ten seconds off it says nothing of the merchant's clock
        (90, True, 90, 101), (111, True, 100, 112), (112, True, 100, 300), (100, False, 100, 300),
    ],
)  # fmt: skip
def test_a_near_date_outweighs_a_clock(date: float | None, trusted: bool, early: float, late: float) -> None:
    times = times_of(100, 101, 300, date, trusted=trusted)
    assert times is not None
    assert (times.early, times.late) == (early, late)
