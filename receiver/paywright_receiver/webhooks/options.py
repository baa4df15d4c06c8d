"""Options of a receiver: the arguments that it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Literal, Required, TypedDict

from paywright_receiver.ledgers.sql.sql_ledger import Ledger
from paywright_receiver.webhooks.reply import DeliveryEvent, DeliveryObserver
from paywright_runtime.clock import Clock
from paywright_runtime.signing.rsa import Signer, Verifier

__all__ = ["Choice", "ReceiverArguments"]

Choice = Literal["acknowledge", "refuse"]


class ReceiverArguments(TypedDict, total=False):
    """The arguments that every generated receiver takes beside the merchant's numbers; `BaseReceiver` describes them."""

    gateway_keys: Required[Sequence[Path | str | bytes] | Verifier]
    ledger: Required[Ledger]
    sign_answers: Path | str | bytes | Signer | None
    unhandled: Choice
    conflicts: Choice
    max_age: timedelta
    max_ahead: timedelta
    lease: float
    bill_deadline: float
    max_bytes: int
    clock: Clock | None
    hook: Callable[[DeliveryEvent], object] | None
    observer: DeliveryObserver | None
    log_tracebacks: bool
