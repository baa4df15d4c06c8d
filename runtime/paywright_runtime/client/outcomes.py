"""The meaning of a call's ending: the word for it in events and the log, and what it shows about the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.errors import (
    GatewayError,
    NotSent,
    OutcomeUnknown,
    PaywrightError,
    UnreadableAnswer,
    says_it_is_there,
)

if TYPE_CHECKING:
    from paywright_runtime.settling.resolution import End

__all__ = ["end_of", "outcome_of"]


def outcome_of(error: PaywrightError | None) -> str:
    """Return the `outcome` of an `AttemptEvent` for the error of a call; None is a result."""
    if error is None:
        return "answered"
    words = {GatewayError: "refused", UnreadableAnswer: "unreadable", OutcomeUnknown: "unknown", NotSent: "not_sent"}
    return next((word for kind, word in words.items() if isinstance(error, kind)), "no_answer")


def end_of(error: PaywrightError | None) -> End:
    """Return what the error of a call shows about its key; None is a result."""
    if error is None:
        return "placed"
    if isinstance(error, (GatewayError, NotSent)):
        return "nothing"
    return "claimed" if says_it_is_there(error) else "unknown"
