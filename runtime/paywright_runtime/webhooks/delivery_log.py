"""The log of deliveries, `paywright.receiver`: keys, outcomes and reasons; never a body, a signature or an error's words.

Only where a receiver was made with `log_tracebacks` the words of a handler's error are logged too.
"""

from __future__ import annotations

from contextlib import suppress

__all__ = ["log", "log_traceback"]


def log(level: str, outcome: str, key: str | None, why: str) -> None:
    """Write one line. A filter or handler of the log that fails changes no answer."""
    import logging  # only what goes wrong is logged

    about = "a delivery" if key is None else key
    with suppress(Exception):
        logging.getLogger("paywright.receiver").log(getattr(logging, level.upper()), "%s: %s: %s", outcome, about, why)


def log_traceback(outcome: str, key: str | None, error: Exception) -> None:
    """Write an error's whole traceback, its message included."""
    import logging

    about = "a delivery" if key is None else key
    with suppress(Exception):
        logging.getLogger("paywright.receiver").error("%s: %s", outcome, about, exc_info=error)
