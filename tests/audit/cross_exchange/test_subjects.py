"""Which states the history of a subject can have."""

from __future__ import annotations

import pytest

from paywright_audit.cross_exchange.evidence.subjects import states_of


@pytest.mark.parametrize(
    ("family", "states"),
    [
        ("orders.query", "OrderStatus"),  # of a response
        ("orders.checkout", "OrderCreationStatus"),
        ("notifications.receive", "TransferStatus"),  # of a notification
        ("notifications.subscription_payment", "PeriodPaymentStatus"),
        ("PaymentTokenStatus", "PaymentTokenStatus"),  # of what is listed
        ("SnapRefundStatus", "SnapRefundStatus"),
        ("merchant.validate_bill_payment", None),
        ("subscriptions.create", None),
        ("external", None),
    ],
)
def test_a_family_has_the_states_of_its_operation_or_of_what_it_lists(family: str, states: str | None) -> None:
    assert states_of(family) == states
