"""Log deliveries under `paywright.receiver`: keys, outcomes and reasons.

No body, signature or message of an error is logged, except that `log_tracebacks` logs the tracebacks of handlers'
errors.
"""

from __future__ import annotations

from contextlib import suppress

__all__ = ["log", "log_traceback"]


def log(level: str, outcome: str, key: str | None, why: str) -> None:
    """Log one delivery. An error in a filter or handler of the log is ignored, so that it cannot change the reply."""
    import logging  # only what goes wrong is logged

    about = "a delivery" if key is None else key
    with suppress(Exception):
        logging.getLogger("paywright.receiver").log(getattr(logging, level.upper()), "%s: %s: %s", outcome, about, why)


def log_traceback(outcome: str, key: str | None, error: Exception) -> None:
    """Log an error's whole traceback, its message included."""
    import logging

    about = "a delivery" if key is None else key
    with suppress(Exception):
        logging.getLogger("paywright.receiver").error("%s: %s", outcome, about, exc_info=error)
