"""Report each attempt of a call to the log, to the client's hook and to its observer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from paywright_runtime.attempts import Attempt
from paywright_runtime.redaction import shown_key
from paywright_runtime.tracebacks import guarded

if TYPE_CHECKING:
    from typing import Protocol

    from paywright_runtime.contract.operation import Operation

T = TypeVar("T")

log: Final = logging.getLogger("paywright")


class AttemptEvent(NamedTuple):
    """Report of one attempt, for the client's hook: no bodies, no headers but `Date`, no secrets.

    `operation` and `key` name the call (`key` is None for reads). `attempt` has number, start, phase, duration in seconds and
    reason. `outcome` is `answered`, `refused`, `not_sent`, `no_answer`, `unknown` or `unreadable`. `code` is a verified code other
    than success, masked where it looks like a card number. `pause` is the seconds until the next attempt, None after the last.
    `dates` are the `Date` headers of a verified answer.
    """

    operation: str
    key: str | None
    attempt: Attempt
    outcome: str
    code: str | None
    pause: float | None
    dates: Sequence[tuple[str, str]] = ()

    @property
    def clock_skew(self) -> float | None:
        """Return by how many seconds the gateway's clock was ahead of this machine's, by the `Date` of its verified answer.

        None without an answer, or without exactly one readable `Date`. That header is not signed.
        """
        from paywright_runtime.client.unverified_parts import clock_skew  # few hooks ask

        attempt = self.attempt
        return clock_skew(self.dates, attempt.started_at + timedelta(seconds=attempt.duration))


Hook = Callable[[AttemptEvent], None]

if TYPE_CHECKING:  # only type checkers need these protocols

    class ObservedCall(Protocol):
        """A call under way, as an observer follows it."""

        def attempt(self, event: AttemptEvent) -> None:
            """Take the report of an attempt. It may come from another thread, in which an awaited client signs."""
            ...

        def end(self, error: BaseException | None) -> None:
            """Take the end of the call: the error that says what became of it, or None for a result."""
            ...

    class CallObserver(Protocol):
        """An object that follows calls and followed items from beginning to end. Both are in the thread or task of the caller.

        An error that it raises is logged and changes nothing.
        """

        def call(self, operation: Operation, url: str, key: Callable[[], str | None]) -> ObservedCall:
            """Begin a call. `key` returns None for a read, and if the contract classes it as secret, pan or pii."""
            ...

        def item(self, kind: str, key: str | None) -> Callable[[BaseException | None], None]:
            """Begin an inquiry about a followed item. The function that is returned takes its end. `key` is None as for `call`."""
            ...


def quietly(what: str, function: Callable[..., T], *given: object) -> T | None:
    """Call a hook, and return its result. If it fails, log the type of the error and return None."""
    text = "the %s raised %s; the call is not affected"
    return guarded(lambda failure: log.warning(text, what, type(failure).__name__), function, *given)


def log_attempt(event: AttemptEvent) -> None:
    """Log an attempt: as a warning if money may have moved, else as info, or as debug if it was the last."""
    attempt = event.attempt
    warned = event.key is not None and (event.outcome in ("unknown", "unreadable") or attempt.reason == "cancelled")
    level = logging.WARNING if warned else logging.DEBUG if event.pause is None else logging.INFO
    if not log.isEnabledFor(level):
        return
    name = event.operation if event.key is None else f"{event.operation} {shown_key(event.key)}"
    code = "" if event.code is None else f", code {event.code}"
    again = "" if event.pause is None else f", again in {event.pause:.2f} s"
    log.log(
        level,
        "%s: attempt %d %s after %.0f ms (%s, %s%s)%s",
        name, attempt.number, event.outcome, attempt.duration * 1000, attempt.phase, attempt.reason, code, again,
    )  # fmt: skip
