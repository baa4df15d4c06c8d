"""Report each attempt of a call to the log and to the client's hook."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from paywright_runtime.attempts import Attempt
from paywright_runtime.redaction import visible

__all__ = ["AttemptEvent", "Hook", "log", "log_attempt"]

log: Final = logging.getLogger("paywright")
log.addHandler(logging.NullHandler())


class AttemptEvent:
    """Report of one attempt, for the client's hook: no bodies, no headers, no secrets.

    `operation` and `key` name the call (`key` is None for reads). `attempt` has number, start, phase, duration in seconds and
    reason. `outcome` is `answered`, `refused`, `not_sent`, `no_answer`, `unknown` or `unreadable`. `code` is a verified code other
    than success, masked where it looks like a card number. `pause` is the seconds until the next attempt, None after the last.
    """

    __slots__ = ("attempt", "code", "key", "operation", "outcome", "pause")

    def __init__(
        self, *, operation: str, key: str | None, attempt: Attempt, outcome: str, code: str | None, pause: float | None
    ) -> None:
        self.operation: str = operation
        self.key: str | None = key
        self.attempt: Attempt = attempt
        self.outcome: str = outcome
        self.code: str | None = code
        self.pause: float | None = pause

    def __repr__(self) -> str:
        return f"AttemptEvent({self.operation}, {self.outcome}, key={self.key!r}, pause={self.pause}, {self.attempt!r})"


Hook = Callable[[AttemptEvent], None]


def log_attempt(event: AttemptEvent) -> None:
    """Log an attempt: as a warning if money may have moved, else as info, or as debug if it was the last."""
    attempt = event.attempt
    warned = event.key is not None and (event.outcome in ("unknown", "unreadable") or attempt.reason == "cancelled")
    level = logging.WARNING if warned else logging.DEBUG if event.pause is None else logging.INFO
    if not log.isEnabledFor(level):
        return
    name = event.operation if event.key is None else f"{event.operation} {_in_log(event.key)}"
    code = "" if event.code is None else f", code {event.code}"
    again = "" if event.pause is None else f", again in {event.pause:.2f} s"
    log.log(
        level,
        "%s: attempt %d %s after %.0f ms (%s, %s%s)%s",
        name, attempt.number, event.outcome, attempt.duration * 1000, attempt.phase, attempt.reason, code, again,
    )  # fmt: skip


def _in_log(key: str) -> str:
    """Return the merchant's key as the log shows it: whole, because it settles an unknown outcome.

    Of a card number in it, only the first six and last four digits are shown [decision 0008].
    """
    import re  # here, because few attempts are logged

    from paywright_runtime.card_numbers import first_and_last, passes_luhn

    def shown(found: re.Match[str]) -> str:
        digits = re.sub("[^0-9]", "", found[0])
        return first_and_last(digits) if passes_luhn(digits) else found[0]

    text = re.sub(r"(?<![0-9])[2-6](?:[ .-]?[0-9]){12,18}(?![0-9])", shown, visible(key))
    return text if len(text) <= 64 else f"{text[:61]}..."
