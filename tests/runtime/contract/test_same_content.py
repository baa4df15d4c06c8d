"""What a write asked for, compared with what an answer shows of it, wherever both stand."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import pytest

from paywright_runtime.contract.operation import Operation, Shown
from paywright_runtime.contract.same_content import content_of, differences

PLACES = ("total", "trade.total")
SHAPES = list(product(PLACES, PLACES))


def at(place: str, value: object) -> dict[str, object]:
    """A message that has a value at a place, and other members."""
    *above, last = place.split(".")
    found: dict[str, object] = {last: value, "other": 1}
    for name in above:
        found = {name: found, "other": 1}
    return found


@pytest.mark.parametrize(("asked", "answered"), SHAPES)
@pytest.mark.parametrize(
    ("number", "sent", "shown", "differs"),
    [
        (True, Decimal("10.50"), Decimal("10.5"), False),
        (True, 10, "10.00", False),
        (True, Decimal("10.50"), "10.51", True),
        (True, Decimal("10.50"), "", False),
        (True, Decimal("10.50"), None, False),
        (True, None, Decimal(1), False),
        (True, Decimal("1E+65"), Decimal("1E+66"), False),  # as long as that, it is no amount
        (True, Decimal("1E+64"), Decimal("1E+63"), True),
        (False, "USD", "usd", False),
        (False, "USD", "EUR", True),
        (False, "USD", None, False),
        (False, "", "EUR", False),
    ],
)
def test_what_is_shown_otherwise_is_found_at_every_place(
    asked: str, answered: str, number: bool, sent: object, shown: object, differs: bool
) -> None:
    shows = (Shown(asked, "total", answered, number=number),)
    pay = Operation(
        "orders.pay", path=None, envelope="", roles=("request", "response"), request="", response="", shows=shows
    )
    content = content_of(pay, at(asked, sent))
    assert bool(differences(pay, content, at(answered, shown))) is differs
    assert not differences(pay, content, {"other": 1})
