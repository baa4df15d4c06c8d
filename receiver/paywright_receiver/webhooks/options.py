"""Options of a receiver: the arguments that it takes, and what the processing of a delivery reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, Required, TypedDict

from paywright_receiver.ledgers.sql.sql_ledger import Ledger
from paywright_receiver.webhooks.reply import DeliveryEvent, DeliveryObserver
from paywright_runtime.clock import Clock
from paywright_runtime.signing.rsa import Signer, Verifier

if TYPE_CHECKING:
    from paywright_receiver.webhooks.delivery_log import Refusals
    from paywright_receiver.webhooks.questions import Question
    from paywright_receiver.webhooks.result import ResultFacts

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


class ReceiverOptions(Protocol):
    """The attributes of a receiver that the processing of a delivery reads; spans given as float are seconds."""

    numbers: Mapping[str, str | None]
    ledger: Ledger
    unhandled: Choice
    conflicts: Choice
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
    refusals: Refusals
    _handlers: dict[str, Callable[..., object]]
    _questions: dict[str, tuple[type[Question], Callable[..., object]]]
    _kinds: dict[str, tuple[Callable[..., object], tuple[str, ...]]]
    _results: dict[str, tuple[Callable[..., object], ResultFacts]]
    _other: Callable[..., object] | None
    _conflict: Callable[..., object] | None
