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
_SIMULATED, _DRAWN, _JUDGED = (
    "tests/sandbox/helpers/machine_checks.py", "tests/audit/helpers/histories.py", "tests/audit/helpers/reference.py",
)  # fmt: skip
# For each list of states: the sandbox, which makes them; a machine that checks its moves; what the audit draws, and judges a second time.
PLACES: Mapping[str, tuple[str, ...]] = {
    "OrderStatus": (f"{_SANDBOX}/orders", _SIMULATED, _DRAWN),
    "RefundStatus": (f"{_SANDBOX}/refunds.py", _SIMULATED, _DRAWN),
    "ExchangeStatus": (f"{_SANDBOX}/exchanges.py", _SIMULATED, _DRAWN),
    "WithdrawStatus": (f"{_SANDBOX}/withdrawals.py", _SIMULATED, _DRAWN),
    "TransferStatus": (f"{_SANDBOX}/transfers.py", _SIMULATED, _DRAWN),
    "PeriodPaymentStatus": (f"{_SANDBOX}/subscriptions", _SIMULATED, _DRAWN),
    "SubscriptionStatus": (f"{_SANDBOX}/subscriptions", _SIMULATED),
    "CaseStatus": (f"{_SANDBOX}/cases.py", _SIMULATED),
    "SnapTransactionStatus": (f"{_SANDBOX}/snap.py",),
}
# Final states are judged a second time by their names.
JUDGED = ("OrderStatus", "RefundStatus", "ExchangeStatus", "WithdrawStatus", "TransferStatus", "PeriodPaymentStatus")


def named_in(place: str) -> set[str]:
    """The texts that the programs of a file or folder name."""
    path = TOP / place
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return {word for file in files for word in re.findall(r'"([A-Za-z0-9_]+)"', file.read_text(encoding="utf-8"))}


@pytest.mark.parametrize(("name", "place"), [(name, place) for name, places in PLACES.items() for place in places])
def test_each_state_is_named_where_somebody_says_what_it_means(name: str, place: str) -> None:
    missing = CONTRACT.set(name).values.keys() - named_in(place)
    assert not missing, f"{place} does not say what becomes of {', '.join(sorted(missing))} of {name}"


@pytest.mark.parametrize("name", JUDGED)
def test_each_final_state_is_judged_a_second_time(name: str) -> None:
    missing = {*CONTRACT.set(name).final} - named_in(_JUDGED)
    assert not missing, f"{_JUDGED} does not judge {', '.join(sorted(missing))} of {name}"
