"""What is decided of hosted payments where the specification is silent."""

from __future__ import annotations

from typing import Final

from paywright_tools.sandbox.policy import Policy

__all__ = ["POLICIES"]

POLICIES: Final[tuple[Policy, ...]] = (
    Policy("cashier-fails-at", ("15", "500", "1.12", "20000", "25000"), "other-moves", "amounts that fail when a payer presses Pay on the cashier page"),
    Policy("cashier-pends-at", ("6", "60", "600", "16000"), "other-moves", "amounts that stay pending when a payer presses Pay"),
    Policy("card-not-allowed", "refused", "card-orgs", "what becomes of a payment with a card of an organisation that allowedCardOrg does not name: "
           "it is refused and the order stays open, it fails, or it is paid", choices=("refused", "fails", "paid")),
    Policy("cashier-challenges-at", ("222",), "other-moves", "amounts for which the payer's bank asks a question first"),
)  # fmt: skip
