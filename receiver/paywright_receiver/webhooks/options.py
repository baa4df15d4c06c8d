"""Options of a receiver, as the processing of a delivery reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Protocol

from paywright_receiver.items.ledger import Ledger
from paywright_receiver.webhooks.reply import DeliveryEvent, DeliveryObserver
from paywright_runtime.clock import Clock
from paywright_runtime.signing.rsa import Signer, Verifier

__all__ = ["ReceiverOptions"]


class ReceiverOptions(Protocol):
    """The attributes of a receiver that its arguments set.

    `BaseReceiver` documents each; spans given as float are seconds.
    """

    numbers: Mapping[str, str | None]
    ledger: Ledger
    max_age: timedelta
    max_ahead: timedelta
    lease: float
    bill_deadline: float
    max_bytes: int
    clock: Clock
    hook: Callable[[DeliveryEvent], object] | None
    observer: DeliveryObserver | None
    log_tracebacks: bool
    verifier: Verifier
    signer: Signer | None

    @property
    def unhandled(self) -> str:
        """Return `acknowledge` or `refuse`: how a notification without a handler is answered."""
        ...

    @property
    def conflicts(self) -> str:
        """Return `acknowledge` or `refuse`: how a notification that contradicts an earlier one is answered."""
        ...
