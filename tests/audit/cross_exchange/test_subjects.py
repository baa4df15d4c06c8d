"""Which states the history of a subject can have, and how many subjects are too many to say that all were seen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from paywright_audit import AuditSettings
from paywright_audit.cross_exchange.evidence.subjects import states_of
from paywright_audit.result import partial_result
from paywright_audit.result.partial_result import PartialResult


@pytest.mark.parametrize(
    ("family", "states"),
    [
        ("orders.query", "OrderStatus"),  # of a response
        ("orders.checkout", "OrderCreationStatus"),
        ("notifications.receive", "TransferStatus"),  # of a notification
        ("notifications.subscription_payment", "PeriodPaymentStatus"),
        ("PaymentTokenStatus", "PaymentTokenStatus"),  # of what is listed
        ("SnapRefundStatus", "SnapRefundStatus"), ("merchant.validate_bill_payment", None), ("subscriptions.create", None),
        ("external", None),
    ],
)  # fmt: skip
def test_a_family_has_the_states_of_its_operation_or_of_what_it_lists(family: str, states: str | None) -> None:
    assert states_of(family) == states


@pytest.mark.parametrize(
    "note",
    [lambda partial, number: partial.learn(f"app_{number}\1merchant"), lambda partial, number: partial.lose("orders", 60.0 * number)],
)  # fmt: skip
def test_too_many_are_too_many(note: Callable[[PartialResult, int], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partial_result, "MOST_OWNERS", 2)
    partial, settings = PartialResult(), AuditSettings(complete=True)
    for number in range(5):
        assert partial.whole(settings).facts.complete is (number <= 2)
        note(partial, number)
    assert len(partial.owners) + len(partial.blind) == 3
