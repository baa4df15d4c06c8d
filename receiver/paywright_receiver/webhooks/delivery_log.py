"""Log deliveries under `paywright.receiver`: keys, outcomes and reasons. Every delivery that is refused has a line.

No body, signature or message of an error is logged, except that `log_tracebacks` logs the tracebacks of handlers'
errors. Characters that cannot be printed are written out, and anything like a card number in a kind or a state is masked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Final, TypeVar

from paywright_receiver.webhooks.delivery import shown_ledger_key
from paywright_receiver.webhooks.reply import Reply
from paywright_runtime.redaction import shown_word, visible
from paywright_runtime.tracebacks import errors_ignored, guarded

T = TypeVar("T")
_MOST_A_MINUTE: Final = 10
_WORD: Final = re.compile(r"[A-Za-z0-9_./-]{1,64}").fullmatch


@dataclass(slots=True, eq=False, repr=False)
class LoggedDelivery:
    """Facts known of a delivery so far, for the log and the hook."""

    verified: bool = False
    kind: str | None = None
    time: datetime | None = None
    key: str | None = None
    why: str = ""
    error: Exception | None = None

    def words(self) -> str:
        """Return kind and time as far as they are known. They contain no personal data."""
        kind = self.kind
        about = [] if kind is None else [f"kind {shown_word(kind) if _WORD(kind) else 'that is no word'}"]
        about += [f"notified at {self.time.isoformat()}"] if self.time is not None else []
        return f" ({', '.join(about)})" if about else ""


def log(level: str, outcome: str, key: str | None, why: str) -> None:
    """Log one delivery. An error in a filter or handler of the log is ignored, so that it cannot change the reply."""
    import logging  # only what goes wrong is logged

    with errors_ignored():
        logger = logging.getLogger("paywright.receiver")
        logger.log(getattr(logging, level.upper()), "%s: %s: %s", outcome, _about(key), visible(why))


class Refusals:
    """Logs deliveries that are not taken. Anybody can send one: of each outcome ten a minute have a line, and the next one counts the rest.

    `now` is the receiver's clock.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = Lock()
        self._minutes: dict[str, tuple[datetime, int]] = {}

    def log(self, outcome: str, why: str, level: str = "warning") -> None:
        """Log one of them."""
        with errors_ignored(), self._lock:
            minute = self._now().replace(second=0, microsecond=0)
            before, number = self._minutes.get(outcome, (minute, 0))
            more = number - _MOST_A_MINUTE if minute != before else 0
            number = 1 if minute != before else number + 1
            self._minutes[outcome] = minute, number
            if number <= _MOST_A_MINUTE:
                log(level, outcome, None, f"{why} (and {more} more before it)" if more > 0 else why)


def log_traceback(outcome: str, key: str | None, error: Exception) -> None:
    """Log an error's whole traceback, its message included."""
    import logging

    with errors_ignored():
        logging.getLogger("paywright.receiver").error("%s: %s", outcome, _about(key), exc_info=error)


def quietly(what: str, function: Callable[..., T], given: object, reply: Reply | None = None) -> T | None:
    """Call a hook, and return its result. If it fails, log the type of the error and return None: the reply is the same."""
    key, end = (None, "") if reply is None else (reply.key, f"; the delivery was {reply.outcome}")
    return guarded(
        lambda error: log("error", what, key, f"the {what} raised {type(error).__name__}{end}"), function, given
    )


def _about(key: str | None) -> str:
    return "a delivery" if key is None else visible(shown_ledger_key(key))
