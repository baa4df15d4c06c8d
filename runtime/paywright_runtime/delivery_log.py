"""The log of deliveries, `paywright.receiver`: keys, outcomes and reasons; never a body, a signature or an error's words."""

from __future__ import annotations

from contextlib import suppress

__all__ = ["log"]


def log(level: str, outcome: str, key: str | None, why: str) -> None:
    """Write one line. A filter or handler of the log that fails changes no answer."""
    import logging  # only what goes wrong is logged

    about = "a delivery" if key is None else key
    with suppress(Exception):
        logging.getLogger("paywright.receiver").log(getattr(logging, level.upper()), "%s: %s: %s", outcome, about, why)
