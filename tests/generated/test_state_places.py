"""A state that the contract adds is named where somebody has to say what it means: each of these files names all states of its lists.

What follows from the marks of a state (final, settled, paid, returned) is taken from the contract and stands nowhere here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from paywright.contract import CONTRACT

TOP = Path(__file__).resolve().parents[2]
_SANDBOX = "sandbox/paywright_sandbox/resources"
# For each list of states: the sandbox, which makes them. The machine of its tests takes their moves from the marks.
PLACES: Mapping[str, tuple[str, ...]] = {
    "OrderStatus": (f"{_SANDBOX}/orders",),
    "RefundStatus": (f"{_SANDBOX}/refunds.py",),
    "ExchangeStatus": (f"{_SANDBOX}/exchanges.py",),
    "WithdrawStatus": (f"{_SANDBOX}/withdrawals.py",),
    "TransferStatus": (f"{_SANDBOX}/transfers.py",),
    "PeriodPaymentStatus": (f"{_SANDBOX}/subscriptions",),
    "SubscriptionStatus": (f"{_SANDBOX}/subscriptions",),
    "CaseStatus": (f"{_SANDBOX}/cases.py",),
    "SnapTransactionStatus": (f"{_SANDBOX}/snap.py",),
}


def named_in(place: str) -> set[str]:
    """The texts that the programs of a file or folder name."""
    path = TOP / place
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return {word for file in files for word in re.findall(r'"([A-Za-z0-9_]+)"', file.read_text(encoding="utf-8"))}


@pytest.mark.parametrize(("name", "place"), [(name, place) for name, places in PLACES.items() for place in places])
def test_each_state_is_named_where_somebody_says_what_it_means(name: str, place: str) -> None:
    missing = CONTRACT.set(name).values.keys() - named_in(place)
    assert not missing, f"{place} does not say what becomes of {', '.join(sorted(missing))} of {name}"
